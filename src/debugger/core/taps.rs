//! Ears on every connection: the log of the protocol always, and a recording from when one is wanted until it is not.

use std::{
    sync::{PoisonError, RwLock},
    time::Instant,
};

use dap::client::{Direction, Tap, Tapped};

use super::prelude::*;
use crate::traffic::Ring;

/// Messages at the beginning of a session among which its `initialize` is.
const FIRST_MESSAGES: usize = 16;

/// What listens to the connections of a core.
pub struct Taps {
    pub ring: Arc<Ring>,
    state: Mutex<State>,
    pub redactor: Arc<Redactor>,
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
    pub fn new(recorder: Option<Arc<Recorder>>, redactor: Redactor) -> Self {
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
    pub fn listen(&self, whose: &SessionOwner, adapter: &str) -> Tap {
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
    pub fn log(&self, session: SessionId) -> Tap {
        let ring = Arc::clone(&self.ring);
        Arc::new(move |tapped| ring.push(session.0, tapped))
    }

    /// Nothing more is heard of a session.
    pub fn forget(&self, session: SessionId) {
        lock(&self.state).sessions.remove(&session.0);
    }

    pub fn is_recording(&self) -> bool {
        lock(&self.state).recorder.is_some()
    }

    /// All that is heard from now on is recorded, and what was said at stops where programs stand.
    pub fn record(&self, recorder: Arc<Recorder>) {
        let mut state = lock(&self.state);
        for ear in state.sessions.values() {
            ear.record(&recorder, &self.ring);
        }
        state.recorder = Some(recorder);
    }

    /// Nothing is recorded any more.
    pub fn stop(&self) -> Option<Arc<Recorder>> {
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
