//! What those who ask and the two tasks of a connection share: which requests are on their way, and what is to become of their answers.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, RwLock,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use base::{locks::lock, text::sanitise::sanitise_block};
use bytes::Bytes;
use tokio::sync::{Notify, mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::{
    error::{Closed, RequestError},
    waits::Waits,
};
use crate::{
    exit::StderrTail,
    message::{Body, Event, Request, Response, encode_request},
    process::Ender,
};

/// How many events and reverse requests may wait for their consumer before the adapter is slowed down.
pub const INCOMING_CAPACITY: usize = 8192;

/// What arrives without having been asked for.
#[derive(Debug)]
pub enum Incoming {
    Event(Event),
    /// A reverse request; answer it with [`super::Client::respond`].
    Request(Request),
    /// What an adapter that talks over a socket printed; chunks as they came, never splitting a character.
    AdapterOutput {
        /// From standard error rather than standard output.
        stderr: bool,
        text: String,
    },
    /// What stood between messages, or a message that cannot be read.
    Noise(String),
    /// The answer to the request with this number is there; what stands before this was said before it. See [`super::Client::in_order`].
    Answered(i64),
    /// The connection is over.
    Closed(Closed),
}

/// Which way a frame went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From us to the adapter.
    Sent,
    /// From the adapter to us.
    Received,
}

/// One frame on its way, as a tap sees it.
#[derive(Clone, Copy, Debug)]
pub struct Tapped<'a> {
    /// Which way it went.
    pub direction: Direction,
    /// When: sent frames when they are queued, received ones when they are complete.
    pub at: Instant,
    /// Its content, without headers.
    pub content: &'a Bytes,
}

/// Sees every frame. It is called in the middle of sending and receiving, so it must be quick, never wait, and not use
/// the client itself.
pub type Tap = Arc<dyn Fn(Tapped<'_>) + Send + Sync>;

pub type Answer = Result<Body, RequestError>;

/// A request on its way.
#[derive(Debug)]
pub struct Pending {
    pub command: String,
    pub asked: Instant,
    pub answer: oneshot::Sender<Answer>,
    /// It was told of as late: whoever listens is told of its end.
    pub is_late: bool,
    /// That it was answered is said among the events.
    pub in_order: bool,
}

/// What must change together: numbers are given in the order in which frames are queued.
#[derive(Debug)]
pub struct State {
    pub next_seq: i64,
    pub pending: HashMap<i64, Pending>,
    pub outgoing: Option<mpsc::UnboundedSender<Bytes>>,
    /// Somebody listens for late requests and has no timer: the next one rings.
    pub rings: bool,
    /// Why nothing can be asked any more.
    pub ended: Option<RequestError>,
}

pub(crate) struct Shared {
    pub(super) name: String,
    pub(super) state: Mutex<State>,
    pub(super) waits: Waits,
    pub(super) can_cancel: AtomicBool,
    /// Rings when what [`super::Late`] looks at may have changed.
    pub(super) late: Notify,
    pub(super) tapped: AtomicBool,
    pub(super) tap: RwLock<Option<Tap>>,
    pub(super) stderr: StderrTail,
    /// Tells how the adapter's process ended, once it has.
    pub(super) process: Option<Ender>,
    /// Cancelled when the last [`super::Client`] is gone.
    pub(super) abandoned: CancellationToken,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Client")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl Shared {
    /// A panic elsewhere cannot leave the state half changed: nothing in the locked sections panics.
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    pub(super) fn show_tap(&self, direction: Direction, content: &Bytes) {
        if !self.tapped.load(Ordering::Relaxed) {
            return;
        }
        let tap = self
            .tap
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        if let Some(tap) = tap {
            tap(Tapped {
                direction,
                at: Instant::now(),
                content,
            });
        }
    }

    pub(super) fn not_running(&self) -> RequestError {
        RequestError::Closed(format!("DAP adapter {} is not running", self.name))
    }

    /// Ends our half of the stream once everything queued is written.
    pub(crate) fn close(&self) {
        self.state().outgoing = None;
    }

    /// Takes a request off the list.
    pub(super) fn take(&self, state: &mut State, seq: i64) -> Option<Pending> {
        let pending = state.pending.remove(&seq)?;
        // The last one takes the timer with it: one left behind would wake an idle program seconds later.
        if pending.is_late || state.pending.is_empty() && !state.rings {
            self.late.notify_one();
        }
        Some(pending)
    }

    /// Whether the answer to a request is to be spoken of among the events.
    pub(super) fn is_in_order(&self, seq: i64) -> bool {
        self.state().pending.get(&seq).is_some_and(|p| p.in_order)
    }

    /// Delivers a response to whoever asked.
    pub(super) fn settle(&self, response: Response) {
        let pending = self.take(&mut self.state(), response.request_seq);
        // One that nobody waits for is late, repeated, cancelled, or answers what was never asked.
        let Some(pending) = pending else { return };
        self.waits.answered(&pending.command, pending.asked);
        let answer = if response.success {
            Ok(response.body)
        } else {
            let command = pending.command;
            let text = Response {
                command: command.clone(),
                ..response.clone()
            }
            .error_text();
            Err(RequestError::Failed {
                command,
                // It goes wherever errors go: to a terminal, into a file, to a model.
                text: sanitise_block(&text),
                body: response.body,
            })
        };
        // A receiver that is gone has stopped waiting, which is its right.
        drop(pending.answer.send(answer));
    }

    /// Sends `cancel` to an adapter that knows it; false to any other.
    pub(super) fn ask_to_stop(&self, state: &mut State, seq: i64) -> bool {
        if !self.can_cancel.load(Ordering::Relaxed) {
            return false;
        }
        // Its answer is not waited for: some adapters give it only when the cancelled command has ended.
        let own = state.next_seq;
        let arguments = serde_json::json!({"requestId": seq});
        let sent = encode_request(own, "cancel", &arguments)
            .is_ok_and(|content| self.queue(state, content));
        state.next_seq += i64::from(sent);
        sent
    }

    /// See [`super::Client::cancel`].
    pub(super) fn cancel(&self, seq: i64) {
        let mut state = self.state();
        let Some(pending) = self.take(&mut state, seq) else {
            return;
        };
        self.ask_to_stop(&mut state, seq);
        drop(state);
        drop(pending.answer.send(Err(RequestError::Cancelled)));
    }

    /// Wakes everybody who waits; later requests fail at once.
    pub(super) fn end(&self, error: &RequestError) {
        let pending = {
            let mut state = self.state();
            state.ended = Some(error.clone());
            state.outgoing = None;
            std::mem::take(&mut state.pending)
        };
        self.late.notify_one();
        for (_, waiting) in pending {
            drop(waiting.answer.send(Err(error.clone())));
        }
    }
}

/// What whoever asks wants beside an answer.
#[derive(Clone, Debug)]
pub struct Terms {
    /// How long each request may take, whatever is said with it.
    pub timeout: Duration,
    /// Cancelled when nobody wants the answers any more: then requests under way are taken back.
    pub taken_back: CancellationToken,
}
