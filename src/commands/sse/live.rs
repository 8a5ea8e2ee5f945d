//! Streams as they pass: `sse URL` and `sse proxy`, and what `sse run` does with what passes.
//!
//! What passes comes from threads that never wait for us. It is written down in one thread here: to standard output, to a capture
//! on disk, or only counted.

use std::{
    io::{self, PipeReader},
    sync::mpsc::RecvTimeoutError,
    thread::JoinHandle,
};

use tokio::{runtime::Runtime, sync::oneshot, time::timeout};

use super::{
    args::{CaptureArgs, SseProxyArgs},
    out::{Form, Sheet},
};
use crate::{
    base::text::{redact::Redactor, sanitise::sanitise},
    commands::{prelude::*, setup::small_runtime},
    diagnostics::sse::{
        RecordKind, Recorder, RecorderEvent, create_capture,
        live::{Fetch, FetchRequest, Proxy, Upstream, Wire, Wires},
    },
    headless::signals::Signals,
};

/// How long an event that may end inside of a secret waits for the next one.
const PATIENCE: Duration = Duration::from_secs(1);
/// How long what has come may still be written after somebody wants an end.
const FAREWELL: Duration = Duration::from_millis(500);

/// Where what passes is written.
pub struct Live {
    /// Where it is shown, if anywhere.
    pub shown: Option<(Form, Box<dyn Write + Send>)>,
    /// A capture, always as JSON, and where secrets are left in.
    pub capture: CaptureArgs,
    /// Takes secrets out.
    pub redactor: Redactor,
    /// What a person should know besides.
    pub warn: fn(&str),
}

/// What came, in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    pub responses: u64,
    pub events: u64,
    /// Errors of providers, pages, and what broke off.
    pub failed: u64,
    /// Why the last response was no stream.
    pub trouble: Option<String>,
    /// Why writing stopped.
    pub unwritten: Option<String>,
}

impl Summary {
    fn count(&mut self, told: &RecorderEvent) {
        let RecorderEvent::Record(kept) = told else {
            return;
        };
        match &kept.record.what {
            RecordKind::Response => {
                self.responses += 1;
                self.trouble = None;
            }
            RecordKind::Event(event) => {
                self.events += 1;
                self.failed += u64::from(event.event_type() == "error");
            }
            RecordKind::Foreign(foreign) => {
                self.failed += 1;
                self.trouble = Some(foreign.reason.clone());
            }
        }
    }

    pub fn text(&self) -> String {
        let mut parts = vec![
            amount::count(self.responses, "response", "responses"),
            amount::count(self.events, "event", "events"),
        ];
        if self.failed > 0 {
            parts.push(amount::count(
                self.failed,
                "error or break",
                "errors or breaks",
            ));
        }
        parts.join(", ")
    }
}

/// Places that get the same records.
struct Lane {
    /// Whether secrets are taken out.
    redacts: bool,
    recorder: Recorder,
    /// With the capture's file, where it is one.
    places: Vec<(Sheet, Box<dyn Write + Send>, Option<PathBuf>)>,
}

/// Writes down what passes.
struct Scribe {
    lanes: Vec<Lane>,
    summary: Summary,
    redactor: Redactor,
    warn: fn(&str),
    /// Nobody looks any more.
    unread: bool,
}

impl Scribe {
    fn new(live: Live) -> Result<Self> {
        let Live {
            shown,
            capture,
            redactor,
            warn,
        } = live;
        let mut scribe = Self {
            lanes: Vec::new(),
            summary: Summary::default(),
            redactor,
            warn,
            unread: false,
        };
        if let Some((form, out)) = shown {
            if capture.show_secrets && form != Form::Noted {
                (scribe.warn)("keys and tokens are shown as they are");
            }
            scribe.add(!capture.show_secrets, form, out, None);
        }
        if let Some(path) = capture.output {
            if capture.raw {
                (scribe.warn)(&format!(
                    "keys and tokens are written to {:?} as they are: delete it when you have seen enough",
                    path.to_string_lossy()
                ));
            }
            let file = create_capture(&path).map_err(|error| {
                let path = path.to_string_lossy();
                Failure::failed(format!("cannot write the capture {path:?}: {error}"))
            })?;
            scribe.add(!capture.raw, Form::Json, Box::new(file), Some(path));
        }
        if scribe.lanes.is_empty() {
            // Only counted.
            scribe.lanes.push(Lane {
                redacts: true,
                recorder: Recorder::new(Some(scribe.redactor.clone()), false),
                places: Vec::new(),
            });
        }
        Ok(scribe)
    }

    fn add(
        &mut self,
        redacts: bool,
        form: Form,
        out: Box<dyn Write + Send>,
        path: Option<PathBuf>,
    ) {
        let place = (Sheet::new(form), out, path);
        let lane = self.lanes.iter_mut().find(|lane| lane.redacts == redacts);
        if let Some(lane) = lane {
            lane.places.push(place);
            return;
        }
        let redactor = redacts.then(|| self.redactor.clone());
        self.lanes.push(Lane {
            redacts,
            recorder: Recorder::new(redactor, true),
            places: vec![place],
        });
    }

    /// Writes until nothing comes any more, or nobody reads it.
    fn write_all(mut self, wires: &Wires) -> Summary {
        loop {
            let waits = self.lanes.iter().any(|lane| lane.recorder.is_waiting());
            let next = if waits {
                wires.next_within(PATIENCE)
            } else {
                wires.next().ok_or(RecvTimeoutError::Disconnected)
            };
            match next {
                Ok(wire) => self.wire(&wire),
                Err(RecvTimeoutError::Timeout) => self.each(Recorder::settle),
                Err(RecvTimeoutError::Disconnected) => break,
            }
            while let Some(wire) = wires.ready() {
                self.wire(&wire);
            }
            self.flush(false);
            if self.unread {
                return self.summary;
            }
        }
        self.each(Recorder::finish);
        self.flush(false);
        self.summary
    }

    fn wire(&mut self, wire: &Wire) {
        self.each(|recorder| recorder.wire(wire.clone()));
        self.flush(true);
    }

    fn each(&mut self, work: impl Fn(&mut Recorder)) {
        for (at, lane) in self.lanes.iter_mut().enumerate() {
            work(&mut lane.recorder);
            for told in lane.recorder.take() {
                // Each lane is told the same.
                if at == 0 {
                    self.summary.count(&told);
                    if let RecorderEvent::Note(text) = &told {
                        (self.warn)(&sanitise(&self.redactor.redact(text)));
                    }
                }
                for (sheet, ..) in &mut lane.places {
                    sheet.told(&told);
                }
            }
        }
    }

    /// Writes what is waiting, or only where much is. A place that cannot be written to any more is given up.
    fn flush(&mut self, only_full: bool) {
        for lane in &mut self.lanes {
            lane.places.retain_mut(|(sheet, out, path)| {
                if only_full && !sheet.is_full() {
                    return true;
                }
                let Err(error) = sheet.write_to(out.as_mut()) else {
                    return true;
                };
                let text = match path {
                    None if error.kind() == io::ErrorKind::BrokenPipe => {
                        self.unread = true;
                        return false;
                    }
                    None => format!("cannot write any more: {error}"),
                    Some(path) => {
                        format!(
                            "the capture {:?} ends here: {error}",
                            path.to_string_lossy()
                        )
                    }
                };
                (self.warn)(&text);
                self.summary.unwritten = Some(text);
                false
            });
        }
    }
}

/// A thread that writes down what passes.
pub struct Writing {
    thread: JoinHandle<Summary>,
    ended: oneshot::Receiver<()>,
}

impl Writing {
    pub fn start(live: Live, wires: Wires) -> Result<Self> {
        let scribe = Scribe::new(live)?;
        let (tell, ended) = oneshot::channel();
        let thread = std::thread::Builder::new()
            .name("sse-scribe".to_owned())
            .spawn(move || {
                let summary = scribe.write_all(&wires);
                // Whoever waits may be gone.
                let _ = tell.send(());
                summary
            })
            .map_err(unheard)?;
        Ok(Self { thread, ended })
    }

    /// Until nothing comes any more or nobody reads it.
    pub async fn ended(&mut self) {
        let _ = (&mut self.ended).await;
    }

    /// What came. Ends once nothing comes any more.
    pub fn summary(self) -> Summary {
        self.thread.join().unwrap_or_default()
    }

    /// What came, if it can be written soon: whoever reads us may be slow or stand still, and somebody wants an end.
    fn farewell(mut self, runtime: &Runtime) -> Summary {
        let ended = runtime.block_on(async { timeout(FAREWELL, self.ended()).await });
        ended.map_or_else(|_late| Summary::default(), |()| self.summary())
    }
}

/// No thread, port or certificates.
#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
pub fn unheard(error: io::Error) -> Failure {
    Failure::failed(format!("cannot listen: {error}"))
}

/// Waits until it is over by itself, or somebody wants it to end: then with which exit code.
async fn until_over(writing: &mut Writing) -> Result<Option<u8>> {
    let mut signals = Signals::new()?;
    Ok(tokio::select! {
        () = writing.ended() => None,
        code = signals.next() => Some(code),
    })
}

/// What passes, to be read by a [`Feed`](crate::diagnostics::sse::Feed), which takes secrets out.
pub fn piped(wires: Wires) -> Result<PipeReader> {
    let (reader, writer) = io::pipe().map_err(unheard)?;
    let live = Live {
        // Who reads it takes secrets out.
        shown: Some((Form::Noted, Box::new(writer))),
        capture: CaptureArgs {
            show_secrets: true,
            ..CaptureArgs::default()
        },
        redactor: Redactor::new(),
        // They are written among the rest.
        warn: |_| {},
    };
    // It ends when nothing passes any more or nobody reads.
    Writing::start(live, wires)?;
    Ok(reader)
}

/// Reads a stream that we ask for ourselves; the exit code.
pub fn fetch(request: FetchRequest, live: Live) -> Result<u8> {
    let runtime = small_runtime()?;
    let (fetch, wires) = Fetch::start(request).map_err(unheard)?;
    let mut writing = Writing::start(live, wires)?;
    let ended_by = runtime.block_on(until_over(&mut writing))?;
    drop(fetch);
    if let Some(code) = ended_by {
        writing.farewell(&runtime);
        return Ok(code);
    }
    let summary = writing.summary();
    match summary.unwritten.or(summary.trouble) {
        Some(trouble) => Err(Failure::failed(sanitise(&trouble))),
        None => Ok(0),
    }
}

/// Upstreams, written as addresses or `NAME=URL`, and a proxy in front of them.
pub fn listen(upstreams: &[String], port: u16) -> Result<(Proxy, Wires, Vec<Upstream>)> {
    let mut all: Vec<Upstream> = Vec::new();
    for text in upstreams {
        // An equals sign further behind belongs to the address.
        let named = text.split_once('=');
        let named = named.filter(|(name, _)| !name.contains([':', '/']));
        let (name, url) = named.map_or((None, &**text), |(name, url)| (Some(name), url));
        let upstream = Upstream::new(name, url).map_err(Failure::usage)?;
        if all.iter().any(|other| other.name() == upstream.name()) {
            return Err(Failure::usage(format!(
                "{:?} is the name of two upstreams; write --upstream NAME=URL with a name for each",
                name.unwrap_or_default()
            )));
        }
        all.push(upstream);
    }
    let (proxy, wires) = Proxy::start(all.clone(), port).map_err(|error| match port {
        0 => unheard(error),
        port => Failure::failed(format!(
            "cannot listen on port {port}: {error}; --port takes another one, without it a free one is taken"
        )),
    })?;
    Ok((proxy, wires, all))
}

/// Passes on what clients ask until somebody ends it; the exit code.
pub fn proxy(args: &SseProxyArgs, live: Live) -> Result<u8> {
    let (runtime, say) = (small_runtime()?, live.warn);
    let (proxy, wires, upstreams) = listen(&args.upstream, args.port)?;
    let mut writing = Writing::start(live, wires)?;
    for upstream in &upstreams {
        let url = proxy.url(upstream.name());
        say(&format!("{url} leads to {}", upstream.url()));
    }
    say("give it to a client as ANTHROPIC_BASE_URL, OPENAI_BASE_URL, …; Ctrl-C ends it");
    let ended_by = runtime.block_on(until_over(&mut writing))?;
    drop(proxy);
    let summary = match ended_by {
        Some(_) => writing.farewell(&runtime),
        None => writing.summary(),
    };
    if let Some(trouble) = summary.unwritten {
        return Err(Failure::failed(trouble));
    }
    Ok(ended_by.unwrap_or(0))
}
