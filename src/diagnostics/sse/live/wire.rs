//! Events of an exchange as it happens, and the thread that runs it.

use std::{
    future::Future,
    io,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc::{self, Receiver, RecvTimeoutError, Sender},
    },
    thread::JoinHandle,
    time::Duration,
};

use bytes::Bytes;
use hyper::HeaderMap;
use tokio::sync::{Notify, oneshot};

use crate::sse::record::Response;

/// Most bytes of copies that wait to be read.
const WAITING: usize = 64 * 1024 * 1024;
/// Most of them where who reads the stream can wait ([`Tap::room`]).
const AHEAD: usize = 1024 * 1024;

/// Something that passed. Times are in milliseconds since 1970.
#[derive(Clone, Debug)]
pub enum Wire {
    /// The head of a response.
    Begin {
        /// Names the request and its response from now on.
        exchange: u64,
        /// What is known of both.
        response: Box<Response>,
        /// When it came.
        time: i64,
    },
    /// A piece of its body, as it came.
    Bytes {
        exchange: u64,
        /// The bytes, compressed if the response says so.
        bytes: Bytes,
        /// When they came.
        time: i64,
    },
    /// Pieces of its body of which no copy was taken, because too much was waiting.
    Lost { exchange: u64, bytes: u64 },
    /// The response is over.
    End {
        exchange: u64,
        end: ResponseEnd,
        time: i64,
    },
    /// A word about what happens besides: a request that was not passed on, a new attempt.
    Note(String),
}

/// How a response ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResponseEnd {
    /// All of it came.
    Whole,
    /// It broke off, or never began.
    Broken(String),
    /// The client went away before its end.
    Left,
}

/// Tells what passes.
#[derive(Clone, Debug)]
pub struct Tap {
    sender: Sender<Wire>,
    waiting: Arc<Waiting>,
}

/// Bytes of copies that wait to be read.
#[derive(Debug, Default)]
struct Waiting {
    bytes: AtomicUsize,
    /// They became fewer.
    fewer: Notify,
}

impl Tap {
    pub fn new() -> (Self, Wires) {
        let (sender, receiver) = mpsc::channel();
        let waiting = Arc::<Waiting>::default();
        let tap = Self {
            sender,
            waiting: Arc::clone(&waiting),
        };
        (tap, Wires { receiver, waiting })
    }

    pub fn note(&self, text: impl Into<String>) {
        self.tell(Wire::Note(text.into()));
    }

    pub fn tell(&self, wire: Wire) {
        // Nobody may listen any more; what passes goes on.
        let _ = self.sender.send(wire);
    }

    /// Whether a copy of so many bytes more may be told.
    pub fn has_room(&self, bytes: usize) -> bool {
        self.waiting.bytes.load(Ordering::Relaxed) + bytes <= WAITING
    }

    /// Waits until whoever reads is little behind, for one who then lets the server wait. One may wait at a time.
    pub async fn room(&self) {
        while self.waiting.bytes.load(Ordering::Relaxed) > AHEAD {
            self.waiting.fewer.notified().await;
        }
    }

    pub fn bytes(&self, exchange: u64, bytes: &Bytes, time: i64) {
        self.waiting.bytes.fetch_add(bytes.len(), Ordering::Relaxed);
        self.tell(Wire::Bytes {
            exchange,
            bytes: bytes.clone(),
            time,
        });
    }
}

/// What is told, to be read in order.
#[derive(Debug)]
pub struct Wires {
    receiver: Receiver<Wire>,
    waiting: Arc<Waiting>,
}

impl Wires {
    /// The next one; waits for it. Nothing once it is over.
    pub fn next(&self) -> Option<Wire> {
        self.receiver.recv().ok().inspect(|wire| self.taken(wire))
    }

    /// The next one if it is there already.
    pub fn ready(&self) -> Option<Wire> {
        let wire = self.receiver.try_recv().ok();
        wire.inspect(|wire| self.taken(wire))
    }

    /// The next one, waited for at most so long.
    pub fn next_within(&self, limit: Duration) -> Result<Wire, RecvTimeoutError> {
        let wire = self.receiver.recv_timeout(limit);
        wire.inspect(|wire| self.taken(wire))
    }

    fn taken(&self, wire: &Wire) {
        if let Wire::Bytes { bytes, .. } = wire {
            self.waiting.bytes.fetch_sub(bytes.len(), Ordering::Relaxed);
            // Kept for one who is only about to wait.
            self.waiting.fewer.notify_one();
        }
    }
}

/// A thread with a runtime; dropping it ends both.
#[derive(Debug)]
pub struct Running {
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    pub fn start<F: Future<Output = ()>>(
        name: &str,
        work: impl FnOnce() -> F + Send + 'static,
    ) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let (stop, stopped) = oneshot::channel();
        let run = move || {
            runtime.block_on(async {
                tokio::select! {
                    () = work() => {}
                    _ = stopped => {}
                }
            });
            // A name that is still being looked up must not keep us.
            runtime.shutdown_background();
        };
        let thread = std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(run)?;
        Ok(Self {
            stop: Some(stop),
            thread: Some(thread),
        })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // It ends in any case; how is of no interest any more.
            let _ = thread.join();
        }
    }
}

/// Headers as records keep them.
pub fn told_headers(headers: &HeaderMap) -> Vec<(String, String)> {
    headers
        .iter()
        .map(|(name, value)| {
            let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
            (name.as_str().to_owned(), value)
        })
        .collect()
}

/// What a response's head says.
pub fn told_response(
    status: hyper::StatusCode,
    version: hyper::Version,
    headers: &HeaderMap,
) -> Response {
    let header = |name: &str| {
        let value = headers.get(name)?.to_str().ok()?;
        Some(value.to_owned())
    };
    let transport = match version {
        hyper::Version::HTTP_2 => "http/2",
        hyper::Version::HTTP_10 => "http/1.0",
        _ => "http/1.1",
    };
    Response {
        status: Some(status.as_u16()),
        headers: told_headers(headers),
        request_id: header("request-id").or_else(|| header("x-request-id")),
        transport: Some(transport.to_owned()),
        ..Response::default()
    }
}

/// An error with its causes.
pub fn causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.ends_with(&more) {
            text.push_str(": ");
            text.push_str(&more);
        }
        cause = error.source();
    }
    text
}
