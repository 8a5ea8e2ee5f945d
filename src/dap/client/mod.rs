//! The client: numbers requests, matches answers, hands everything else on.
//!
//! Two tasks per connection. The writer takes frames from a queue, so that [`Client::send`] keeps call order and never
//! waits. The reader parses each frame once; an answer goes to whoever waits for it, events and reverse requests go to
//! one bounded channel. When that channel is full the reader waits, which slows the adapter down and keeps an event
//! before every answer that came after it: drain [`Connection::incoming`] while waiting for an answer.
//!
//! No policy here: what to ask when, and what an answer means, is the session's business.

use std::{
    collections::HashMap,
    io,
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError, RwLock,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use base::{region, tasks};
use bytes::{Bytes, BytesMut};
use ending::{End, OutputTask, STALL, close, gone, nobody_left};
use futures_util::StreamExt;
use reply::Forget;
use serde_json::{Value, value::RawValue};
use shared::{Pending, State};
use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt},
    sync::{Notify, mpsc, oneshot, watch},
    time::{Instant, sleep_until, timeout},
};
use tokio_util::{codec::FramedRead, sync::CancellationToken};

use super::{
    codec::{DapCodec, Item, encode_frame},
    exit::{Exit, StderrTail},
    message::{Message, Request, encode_request, encode_response},
    process::{AdapterProcess, Ender},
    requests::DapRequest,
};

pub(super) mod ending;
mod error;
mod late;
mod reply;
mod shared;
#[cfg(test)]
mod tests;
mod waits;

pub use error::{Closed, RequestError};
pub use late::{Late, UnansweredRequest};
pub use reply::{RawReply, Reply};
pub(crate) use shared::Shared;
pub use shared::{Direction, INCOMING_CAPACITY, Incoming, Tap, Tapped, Terms};
pub use waits::{Wait, Waits};

/// How many frames one write takes along at most.
const BATCH: usize = 64;
/// How long an answer is waited for where nobody says otherwise.
const PATIENCE: Duration = Duration::from_secs(30);
/// How much is read at once, in bytes.
const READ_BUFFER: usize = 64 << 10;
/// Smaller messages are not noted among our own work, in bytes.
const WORTH_NOTING: usize = 4 << 10;
/// How long the stream may go on after its adapter is gone or has closed its input.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// How long silence must last after the adapter is gone to be taken for the end.
const SILENCE: Duration = Duration::from_millis(100);

/// Where an adapter listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A host and a TCP port.
    Port(String, u16),
    /// A unix socket of this machine.
    Socket(PathBuf),
}

/// A live connection to an adapter.
#[derive(Debug)]
pub struct Connection {
    /// The side that asks.
    pub client: Client,
    /// What the adapter says unasked, in its order; [`Incoming::Closed`] is the last item.
    pub incoming: mpsc::Receiver<Incoming>,
    /// The adapter's process, when it is ours.
    pub process: Option<AdapterProcess>,
    /// Where child sessions may connect, when the adapter listens.
    pub address: Option<Address>,
}

/// Closes our half when the last client is gone.
#[derive(Debug)]
struct Alive(Arc<Shared>);

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.close();
        self.0.abandoned.cancel();
    }
}

/// Asks an adapter; cheap to clone. When the last clone is gone our half of the connection is closed.
#[derive(Clone, Debug)]
pub struct Client {
    alive: Arc<Alive>,
    timeout: Duration,
    terms: Option<Terms>,
    in_order: bool,
}

impl Client {
    fn shared(&self) -> &Arc<Shared> {
        &self.alive.0
    }

    /// The same client for someone who waits that long for an answer, unless they have terms of their own.
    #[must_use]
    pub fn within(&self, timeout: Duration) -> Self {
        Self {
            timeout,
            ..self.clone()
        }
    }

    /// The same client for someone with terms of their own.
    #[must_use]
    pub fn on(&self, terms: Terms) -> Self {
        Self {
            terms: Some(terms),
            ..self.clone()
        }
    }

    /// The same client for someone who has to know which events came before an answer: [`Incoming::Answered`] says so.
    #[must_use]
    pub fn in_order(&self) -> Self {
        Self {
            in_order: true,
            ..self.clone()
        }
    }

    /// The adapter's name, for sentences.
    pub fn name(&self) -> &str {
        &self.shared().name
    }

    /// Sends a request, after everything sent before and without waiting. Dropping the reply forgets the answer.
    pub fn send<R: DapRequest>(&self, arguments: &R::Arguments) -> Reply<R> {
        let arguments = serde_json::value::to_raw_value(arguments);
        Reply::new(self.ask(R::COMMAND, arguments))
    }

    /// Sends any request; `null` sends no arguments.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "callers build the arguments in place"
    )]
    pub fn send_raw(&self, command: &str, arguments: Value) -> RawReply {
        self.ask(command, serde_json::value::to_raw_value(&arguments))
    }

    fn ask(&self, command: &str, arguments: serde_json::Result<Box<RawValue>>) -> RawReply {
        let shared = self.shared();
        let bad = |error: serde_json::Error| RequestError::BadArguments {
            command: command.to_owned(),
            why: error.to_string(),
        };
        let arguments = match arguments {
            Ok(arguments) => arguments,
            Err(error) => return RawReply::refused(command, bad(error)),
        };
        if self
            .terms
            .as_ref()
            .is_some_and(|terms| terms.taken_back.is_cancelled())
        {
            return RawReply::refused(command, RequestError::Cancelled);
        }
        let mut state = shared.state();
        let seq = state.next_seq;
        let content = match encode_request(seq, command, &arguments) {
            Ok(content) => content,
            Err(error) => return RawReply::refused(command, bad(error)),
        };
        if let Some(why) = &state.ended {
            return RawReply::refused(command, why.clone());
        }
        if state.outgoing.is_none() {
            return RawReply::refused(command, shared.not_running());
        }
        // When nobody takes it any more, the connection is about to end, and its end will say why.
        shared.queue(&state, content);
        let (answer, waiting) = oneshot::channel();
        state.next_seq += 1;
        state.pending.insert(
            seq,
            Pending {
                command: command.to_owned(),
                asked: Instant::now().into_std(),
                answer,
                is_late: false,
                in_order: self.in_order,
            },
        );
        if std::mem::take(&mut state.rings) {
            shared.late.notify_one();
        }
        drop(state);
        let forget = Forget {
            shared: Arc::clone(shared),
            seq,
        };
        let terms = self.terms.clone().unwrap_or_else(|| Terms {
            timeout: self.timeout,
            taken_back: CancellationToken::new(),
        });
        RawReply::waiting(command, terms, self.terms.is_some(), waiting, forget)
    }

    /// Whether the adapter said that it understands `cancel`.
    pub fn set_can_cancel(&self, can_cancel: bool) {
        self.shared()
            .can_cancel
            .store(can_cancel, Ordering::Relaxed);
    }

    /// Stops waiting for the request with this number, and tells the adapter if it understands.
    pub fn cancel(&self, seq: i64) {
        self.shared().cancel(seq);
    }

    /// Tells an adapter that understands to give up the request with this number, whose answer is waited for all the same; false for
    /// one that does not.
    pub fn interrupt(&self, seq: i64) -> bool {
        let mut state = self.shared().state();
        self.shared().ask_to_stop(&mut state, seq)
    }

    /// Answers a reverse request.
    pub fn respond(&self, request: &Request, result: Result<Value, String>) {
        let shared = self.shared();
        let mut state = shared.state();
        let content = encode_response(state.next_seq, request.seq, &request.command, result);
        if shared.queue(&state, content) {
            state.next_seq += 1;
        }
    }

    /// The end of what the adapter wrote to standard error.
    pub fn stderr_tail(&self) -> String {
        self.shared().stderr.text()
    }

    /// Whether the connection has ended.
    pub fn is_closed(&self) -> bool {
        self.shared().state().ended.is_some()
    }

    /// Closes our half after what is queued, which adapters read as "the client is gone"; reading goes on.
    pub fn close(&self) {
        self.shared().close();
    }

    /// Shows every frame from now on to `tap`; costs nothing while there is none.
    pub fn set_tap(&self, tap: Option<Tap>) {
        let shared = self.shared();
        let present = tap.is_some();
        *shared.tap.write().unwrap_or_else(PoisonError::into_inner) = tap;
        shared.tapped.store(present, Ordering::Relaxed);
    }

    /// Whether a request has waited for its answer that long.
    pub fn has_waited(&self, long: Duration) -> bool {
        let now = Instant::now().into_std();
        let state = self.shared().state();
        state.pending.values().any(|one| one.asked + long <= now)
    }

    /// The requests that wait longer than `patience`. One at a time may be listened to.
    pub fn late(&self, patience: Duration) -> Late {
        Late::new(Arc::clone(self.shared()), patience)
    }

    /// How long answers take.
    pub fn waits(&self) -> Waits {
        self.shared().waits.clone()
    }
}

impl Shared {
    /// Queues a frame; the caller holds the state, which makes the order of numbers the order on the wire.
    fn queue(&self, state: &State, content: Bytes) -> bool {
        self.show_tap(Direction::Sent, &content);
        state
            .outgoing
            .as_ref()
            .is_some_and(|queue| queue.send(content).is_ok())
    }
}

/// Speaks DAP over any pair of streams: tests, replays, and transports of one's own.
pub fn connect_io<I, O>(read: I, write: O, name: &str) -> Connection
where
    I: AsyncRead + Send + Unpin + 'static,
    O: AsyncWrite + Send + Unpin + 'static,
{
    connect(read, write, name, Wiring::default())
}

/// What a connection is tied to besides its two streams.
#[derive(Default)]
pub(super) struct Wiring {
    /// Sees every frame, from the first on.
    pub tap: Option<Tap>,
    /// The channel of everything unasked, where something goes into it already.
    pub incoming: Option<(mpsc::Sender<Incoming>, mpsc::Receiver<Incoming>)>,
    /// The adapter's process, which is asked how it ended, and whose end closes our half.
    pub process: Option<AdapterProcess>,
    /// The end of what it wrote to standard error.
    pub stderr: StderrTail,
    /// The tasks that read its pipes.
    pub output: Vec<OutputTask>,
    /// Whether the stream is the process's own: then the end of the process is the end of the stream, even when
    /// a grandchild still holds the pipe.
    pub ends_with_process: bool,
    /// See [`Connection::address`].
    pub address: Option<Address>,
}

/// Starts the two tasks of a connection.
pub(super) fn connect<I, O>(read: I, write: O, name: &str, wiring: Wiring) -> Connection
where
    I: AsyncRead + Send + Unpin + 'static,
    O: AsyncWrite + Send + Unpin + 'static,
{
    let Wiring {
        tap,
        incoming,
        mut process,
        stderr,
        output,
        ends_with_process,
        address,
    } = wiring;
    let (incoming, receiver) = incoming.unwrap_or_else(|| mpsc::channel(INCOMING_CAPACITY));
    let (outgoing, queue) = mpsc::unbounded_channel();
    let shared = Arc::new(Shared {
        name: name.to_owned(),
        state: Mutex::new(State {
            next_seq: 1,
            pending: HashMap::new(),
            outgoing: Some(outgoing),
            rings: false,
            ended: None,
        }),
        waits: Waits::default(),
        can_cancel: AtomicBool::new(false),
        late: Notify::new(),
        tapped: AtomicBool::new(tap.is_some()),
        tap: RwLock::new(tap),
        stderr,
        process: process.as_ref().map(AdapterProcess::ender),
        abandoned: CancellationToken::new(),
    });
    if let Some(process) = &mut process {
        process.tie(Arc::clone(&shared));
    }
    let (fault_sender, fault) = oneshot::channel();
    let writer = tasks::spawn(async move {
        if let Err(fault) = write_frames(write, queue).await {
            drop(fault_sender.send(fault));
        }
    });
    let theirs = Arc::clone(&shared);
    tasks::spawn(async move {
        let watched = theirs
            .process
            .as_ref()
            .filter(|_| ends_with_process)
            .map(Ender::watch);
        let end = read_frames(read, &theirs, &incoming, fault, watched).await;
        writer.abort();
        let closed = close(&theirs, end).await;
        for task in output {
            task.finish().await;
        }
        // Without a consumer there is nobody to tell.
        drop(incoming.send(Incoming::Closed(closed)).await);
    });
    Connection {
        client: Client {
            alive: Arc::new(Alive(shared)),
            timeout: PATIENCE,
            terms: None,
            in_order: false,
        },
        incoming: receiver,
        process,
        address,
    }
}

/// Why the writer gave up.
enum WriteFault {
    Stalled,
    Broken(io::Error),
}

async fn write_frames<O>(
    mut write: O,
    mut queue: mpsc::UnboundedReceiver<Bytes>,
) -> Result<(), WriteFault>
where
    O: AsyncWrite + Send + Unpin,
{
    let mut batch = Vec::with_capacity(BATCH);
    loop {
        if queue.recv_many(&mut batch, BATCH).await == 0 {
            // Our half ends here; an adapter that is gone already need not hear it.
            drop(timeout(STALL, write.shutdown()).await);
            return Ok(());
        }
        let mut bytes = BytesMut::new();
        for content in batch.drain(..) {
            bytes.extend_from_slice(&encode_frame(&content));
        }
        while !bytes.is_empty() {
            match timeout(STALL, write.write_buf(&mut bytes)).await {
                Ok(Ok(0)) => return Err(WriteFault::Broken(io::ErrorKind::WriteZero.into())),
                Ok(Ok(_)) => {}
                Ok(Err(error)) => return Err(WriteFault::Broken(error)),
                Err(_) => return Err(WriteFault::Stalled),
            }
        }
        match timeout(STALL, write.flush()).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => return Err(WriteFault::Broken(error)),
            Err(_) => return Err(WriteFault::Stalled),
        }
    }
}

async fn read_frames<I: AsyncRead + Send + Unpin>(
    read: I,
    shared: &Shared,
    incoming: &mpsc::Sender<Incoming>,
    mut fault: oneshot::Receiver<WriteFault>,
    mut exit: Option<watch::Receiver<Option<Exit>>>,
) -> End {
    let mut frames = FramedRead::with_capacity(read, DapCodec::client(), READ_BUFFER);
    let mut writer_is_well = true;
    let mut input_closed: Option<io::Error> = None;
    let mut process_is_gone = false;
    // Set once the stream can only have last words left.
    let mut last_call: Option<Instant> = None;
    loop {
        let wake = last_call.map_or_else(Instant::now, |limit| {
            if process_is_gone {
                limit.min(Instant::now() + SILENCE)
            } else {
                limit
            }
        });
        tokio::select! {
            biased;
            item = frames.next() => match item {
                Some(Ok(item)) => deliver(item, shared, incoming).await,
                Some(Err(error)) => return End::Unreadable(error),
                None => return input_closed.map_or(End::Eof, End::InputClosed),
            },
            problem = &mut fault, if writer_is_well => {
                writer_is_well = false;
                match problem {
                    Ok(WriteFault::Stalled) => return End::Stalled,
                    Ok(WriteFault::Broken(error)) => {
                        input_closed = Some(error);
                        last_call.get_or_insert_with(|| Instant::now() + LAST_WORDS);
                    }
                    // The writer ended as it should.
                    Err(_) => {}
                }
            }
            () = gone(exit.as_mut()), if !process_is_gone => {
                process_is_gone = true;
                last_call.get_or_insert_with(|| Instant::now() + LAST_WORDS);
            }
            () = sleep_until(wake), if last_call.is_some() => {
                return match input_closed {
                    None => End::Eof,
                    Some(error) if process_is_gone => End::InputClosed(error),
                    Some(error) => End::Deaf(error),
                };
            }
            () = nobody_left(shared, incoming) => return End::Abandoned,
        }
    }
}

async fn deliver(item: Item, shared: &Shared, incoming: &mpsc::Sender<Incoming>) {
    let unasked = match item {
        Item::Noise(text) => Incoming::Noise(text),
        Item::Frame(frame) => {
            shared.show_tap(Direction::Received, &frame.bytes);
            let parsed = {
                // Small messages take less than it takes to note them.
                let _region = (frame.bytes.len() > WORTH_NOTING).then(|| region!("parse message"));
                Message::parse(&frame.bytes)
            };
            match parsed {
                Ok(Message::Response(response)) => {
                    let seq = response.request_seq;
                    if shared.is_in_order(seq) {
                        drop(incoming.send(Incoming::Answered(seq)).await);
                    }
                    return shared.settle(response);
                }
                Ok(Message::Event(event)) => Incoming::Event(event),
                Ok(Message::Request(request)) => Incoming::Request(request),
                Err(error) => Incoming::Noise(error),
            }
        }
    };
    // A consumer that is gone does not keep answers from those who wait for them.
    drop(incoming.send(unasked).await);
}
