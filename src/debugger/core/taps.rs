//! Ears on every connection: the log of the protocol always, and a recording from when one is wanted until it is not.

use std::{
    sync::{Mutex, PoisonError, RwLock},
    time::Instant,
};

use base::text::redact::Redactor;
use bytes::Bytes;
use dap::client::{Direction, Tap, Tapped};

use super::{
    handled::{Handled, after, later},
    owner::Owner,
    plan::Whose,
};
use crate::{prelude::*, recording::Recorder, traffic::Ring};

/// Messages given out at a time.
const MOST_READ: usize = 1000;
/// Messages at the beginning of a session among which its `initialize` is.
const FIRST_MESSAGES: usize = 16;
/// Names tried for a recording that was given none.
const MOST_NAMES: u32 = 1000;

/// What listens to the connections of a core.
pub(super) struct Taps {
    ring: Arc<Ring>,
    state: Mutex<State>,
    redactor: Arc<Redactor>,
}

#[derive(Default)]
struct State {
    recorder: Option<Arc<Recorder>>,
    sessions: BTreeMap<u64, Arc<Ear>>,
}

/// What listens to one session.
struct Ear {
    session: u64,
    parent: Option<u64>,
    adapter: String,
    program: String,
    heard: RwLock<Option<Tap>>,
    /// The question and the answer of `initialize`, for recordings that begin later.
    first: Mutex<First>,
}

#[derive(Default)]
struct First {
    seen: usize,
    kept: Vec<(Direction, Instant, Bytes)>,
}

impl Taps {
    pub(super) fn new(recorder: Option<Arc<Recorder>>, redactor: Redactor) -> Self {
        Self {
            ring: Arc::default(),
            state: Mutex::new(State {
                recorder,
                ..State::default()
            }),
            redactor: Arc::new(redactor),
        }
    }

    /// What listens to a new connection.
    pub(super) fn listen(&self, whose: &Whose, adapter: &str) -> Tap {
        let ear = Arc::new(Ear {
            session: whose.id.0,
            parent: whose.parent.map(|parent| parent.0),
            adapter: adapter.to_owned(),
            program: whose.program.clone(),
            heard: RwLock::default(),
            first: Mutex::default(),
        });
        let mut state = lock(&self.state);
        if let Some(recorder) = &state.recorder {
            ear.record(recorder, &self.ring);
        }
        state.sessions.insert(ear.session, Arc::clone(&ear));
        let ring = Arc::clone(&self.ring);
        Arc::new(move |tapped| ear.hear(tapped, &ring))
    }

    /// What listens to a recording that is played: it is logged, and never recorded.
    pub(super) fn log(&self, session: SessionId) -> Tap {
        let ring = Arc::clone(&self.ring);
        Arc::new(move |tapped| ring.push(session.0, tapped))
    }

    /// Nothing more is heard of a session.
    pub(super) fn forget(&self, session: SessionId) {
        lock(&self.state).sessions.remove(&session.0);
    }

    fn is_recording(&self) -> bool {
        lock(&self.state).recorder.is_some()
    }

    /// All that is heard from now on is recorded, and what was said at stops where programs stand.
    fn record(&self, recorder: Arc<Recorder>) {
        let mut state = lock(&self.state);
        for ear in state.sessions.values() {
            ear.record(&recorder, &self.ring);
        }
        state.recorder = Some(recorder);
    }

    /// Nothing is recorded any more.
    fn stop(&self) -> Option<Arc<Recorder>> {
        let mut state = lock(&self.state);
        for ear in state.sessions.values() {
            *ear.heard.write().unwrap_or_else(PoisonError::into_inner) = None;
        }
        state.recorder.take()
    }
}

impl Ear {
    fn hear(&self, tapped: Tapped<'_>, ring: &Ring) {
        // Held over both, so that a message is either in the ring when a recording begins or heard by it.
        let heard = self.heard.read().unwrap_or_else(PoisonError::into_inner);
        ring.push(self.session, tapped);
        let mut first = lock(&self.first);
        if first.seen < FIRST_MESSAGES {
            first.seen += 1;
            if memchr::memmem::find(tapped.content, b"\"initialize\"").is_some() {
                let content = Bytes::copy_from_slice(tapped.content);
                first.kept.push((tapped.direction, tapped.at, content));
            }
        }
        drop(first);
        if let Some(heard) = heard.as_ref() {
            heard(tapped);
        }
    }

    fn record(&self, recorder: &Recorder, ring: &Ring) {
        let mut heard = self.heard.write().unwrap_or_else(PoisonError::into_inner);
        let tap = recorder.session(self.session, self.parent, &self.adapter, &self.program);
        for (direction, at, content) in &lock(&self.first).kept {
            tap(Tapped {
                direction: *direction,
                at: *at,
                content,
            });
        }
        for message in ring.since_stop(self.session) {
            tap(Tapped {
                direction: message.direction,
                at: message.at,
                content: &message.content,
            });
        }
        *heard = Some(tap);
    }
}

impl Owner {
    /// Messages of the protocol, taken apart elsewhere.
    pub(super) fn protocol(&self, session: Option<SessionId>, after: u64) -> Handled {
        let (ring, redactor) = (Arc::clone(&self.taps.ring), Arc::clone(&self.taps.redactor));
        let read = tasks::blocking(move || ring.read(session, after, MOST_READ, &redactor));
        later(async move {
            let traffic = read.await?;
            Ok(Reply::Protocol { traffic })
        })
    }

    /// Begins a recording, or ends the one there is.
    pub(super) fn record(&mut self, on: bool, file: Option<PathBuf>) -> Handled {
        if !on {
            return self.stop_recording();
        }
        if self.taps.is_recording() {
            let already = DebuggerError::state("A recording is being made already.");
            return Err(already.hint("end that one first"));
        }
        let context = &self.config.context;
        let redactor = Redactor::new().with_secrets(context.env.iter()).learning();
        let folder = context.cwd.clone();
        let program = self.hub.state.focused().map(|session| session.name.clone());
        let made = tasks::blocking(move || match file {
            Some(file) => Recorder::create(&folder.join(&file), redactor)
                .map_err(|error| (folder.join(file), error)),
            None => create_anew(&folder, program.as_deref(), &redactor),
        });
        after(made, |owner, made| {
            let recorder = made?.map_err(|(file, error)| refused(&file, &error))?;
            let file = recorder.path().to_owned();
            owner.taps.record(Arc::new(recorder));
            owner.hub.publish(EventKind::Recording {
                file: Some(file.clone()),
            });
            Ok(Reply::Recording { file })
        })
    }

    fn stop_recording(&mut self) -> Handled {
        let recorder = self
            .taps
            .stop()
            .ok_or_else(|| DebuggerError::state("Nothing is being recorded."))?;
        self.hub.publish(EventKind::Recording { file: None });
        let file = recorder.path().to_owned();
        // Waits for the writer.
        let finished = tasks::blocking(move || recorder.finish());
        later(async move {
            let written = finished.await?;
            if let Some(why) = written.trouble {
                let text = format!("The recording {} is not whole: {why}", file.display());
                return Err(DebuggerError::state(text));
            }
            Ok(Reply::Recorded {
                file,
                messages: written.messages,
                left_out: written.left_out,
            })
        })
    }

    /// The core ends: a recording that was begun here is written to its end.
    pub(super) async fn finish_recording(&self) {
        if let Some(recorder) = self.taps.stop() {
            let _ = tasks::blocking(move || recorder.finish()).await;
        }
    }
}

fn refused(file: &Path, error: &std::io::Error) -> DebuggerError {
    let refused = DebuggerError::usage(format!(
        "The recording {} cannot be begun: {error}.",
        file.display()
    ));
    if error.kind() == std::io::ErrorKind::AlreadyExists {
        refused.hint("a recording never overwrites a file: name another one")
    } else {
        refused
    }
}

/// A file named after the program, where there is none of that name yet.
fn create_anew(
    folder: &Path,
    program: Option<&str>,
    redactor: &Redactor,
) -> Result<Recorder, (PathBuf, std::io::Error)> {
    let stem = program
        .map(|name| name.rsplit(['/', '\\']).next().unwrap_or(name))
        .and_then(|name| Path::new(name).file_stem()?.to_str())
        .filter(|stem| !stem.is_empty())
        .unwrap_or("session");
    let mut number = 1;
    loop {
        let name = match number {
            1 => format!("{stem}.rec"),
            _ => format!("{stem}-{number}.rec"),
        };
        let file = folder.join(name);
        match Recorder::create(&file, redactor.clone()) {
            Err(error)
                if error.kind() == std::io::ErrorKind::AlreadyExists && number < MOST_NAMES =>
            {
                number += 1;
            }
            made => return made.map_err(|error| (file, error)),
        }
    }
}
