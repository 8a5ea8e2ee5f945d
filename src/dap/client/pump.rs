//! The two tasks of a connection, and how it ends.
//!
//! Order of the end: the transport is over, everybody who waits is woken, output that is still in the adapter's pipes
//! is delivered, and [`Incoming::Closed`] follows as the last item, exactly once on every path.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use base::{region, tasks};
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;
use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt},
    sync::{mpsc, oneshot, watch},
    time::{Instant, sleep_until, timeout},
};
use tokio_util::{codec::FramedRead, sync::CancellationToken};

use super::{
    error::{Closed, RequestError},
    shared::{Direction, Incoming, Shared},
};
use crate::{
    codec::{CodecError, DapCodec, Item, encode_frame},
    exit::Exit,
    message::{Message, quote},
};

/// A write that makes no progress for this long closes the connection.
const STALL: Duration = Duration::from_secs(30);
/// How many frames one write takes along at most.
const BATCH: usize = 64;
/// How much is read at once, in bytes.
const READ_BUFFER: usize = 64 << 10;
/// Smaller messages are not noted among our own work, in bytes.
const WORTH_NOTING: usize = 4 << 10;
/// How long the stream may go on after its adapter is gone or has closed its input.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// How long silence must last after the adapter is gone to be taken for the end.
const SILENCE: Duration = Duration::from_millis(100);
/// How long the end of the stream waits for the rest of the pipes.
const REST: Duration = Duration::from_millis(250);
/// How long the end of the stream waits for how the process ended: long enough for a busy machine, since it says why.
const EXIT_CODE: Duration = Duration::from_secs(1);

/// The end of a task that reads one pipe of the adapter: reading goes on, telling can be stopped.
pub(crate) struct OutputTask {
    /// Asks the task to tell nobody any more.
    pub mute: CancellationToken,
    /// Cancelled by the task once it tells nobody any more.
    pub silent: CancellationToken,
    /// Whether it is waiting for the consumer of what it read, rather than for the pipe.
    pub delivering: Arc<AtomicBool>,
}

impl OutputTask {
    /// Lets the task deliver what is in the pipe; one that has nothing to deliver for a while is muted.
    async fn finish(self) {
        while timeout(REST, self.silent.cancelled()).await.is_err() {
            if !self.delivering.load(Ordering::Relaxed) {
                self.mute.cancel();
            }
        }
    }
}

/// Why the writer gave up.
enum WriteFault {
    Stalled,
    Broken(std::io::Error),
}

/// Starts both tasks.
pub(super) fn spawn<I, O>(
    read: I,
    write: O,
    queue: mpsc::UnboundedReceiver<Bytes>,
    shared: Arc<Shared>,
    incoming: mpsc::Sender<Incoming>,
    output: Vec<OutputTask>,
    ends_with_process: bool,
) where
    I: AsyncRead + Send + Unpin + 'static,
    O: AsyncWrite + Send + Unpin + 'static,
{
    let (fault_sender, fault) = oneshot::channel();
    let writer = tasks::spawn(async move {
        if let Err(fault) = write_frames(write, queue).await {
            drop(fault_sender.send(fault));
        }
    });
    tasks::spawn(async move {
        let watched = shared.exit.clone().filter(|_| ends_with_process);
        let end = read_frames(read, &shared, &incoming, fault, watched).await;
        writer.abort();
        let closed = close(&shared, end).await;
        for task in output {
            task.finish().await;
        }
        // Without a consumer there is nobody to tell.
        drop(incoming.send(Incoming::Closed(closed)).await);
    });
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
                Ok(Ok(0)) => return Err(WriteFault::Broken(std::io::ErrorKind::WriteZero.into())),
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

/// Why the reader stopped.
enum End {
    /// The adapter closed its half, or its process is gone.
    Eof,
    /// What it sent cannot be followed.
    Unreadable(CodecError),
    /// It closed its input, and then its output or its process ended.
    InputClosed(std::io::Error),
    /// It closed its input and lives on, so that nothing can be asked any more.
    Deaf(std::io::Error),
    Stalled,
    /// Nobody is left who could ask or listen.
    Abandoned,
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
    let mut input_closed: Option<std::io::Error> = None;
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

/// Resolves when the process has ended; never when there is none.
async fn gone(exit: Option<&mut watch::Receiver<Option<Exit>>>) {
    match exit {
        Some(exit) => drop(exit.wait_for(Option::is_some).await),
        None => std::future::pending().await,
    }
}

async fn nobody_left(shared: &Shared, incoming: &mpsc::Sender<Incoming>) {
    shared.abandoned.cancelled().await;
    incoming.closed().await;
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

/// Finds out how it ended and wakes everybody who waits.
async fn close(shared: &Shared, end: End) -> Closed {
    let name = &shared.name;
    let reason = match &end {
        End::Eof => format!("DAP adapter {name} closed the connection"),
        End::Unreadable(CodecError::Io(error)) => {
            format!("the connection to DAP adapter {name} broke: {error}")
        }
        End::Unreadable(error) => format!("DAP adapter {name} was cut off: {error}"),
        End::InputClosed(error) | End::Deaf(error) => {
            format!("DAP adapter {name} no longer takes requests: {error}")
        }
        End::Stalled => format!(
            "DAP adapter {name} has taken no bytes for {} s",
            STALL.as_secs()
        ),
        End::Abandoned => format!("the connection to DAP adapter {name} is no longer used"),
    };
    let mut exit = None;
    if let Some(mut watched) = shared.exit.clone() {
        let seen = timeout(EXIT_CODE, watched.wait_for(Option::is_some)).await;
        exit = seen.ok().and_then(Result::ok).and_then(|exit| *exit);
        if exit.is_some() {
            // The last line often is the one that says why.
            drop(timeout(REST, shared.stderr.complete()).await);
        }
    }
    let closed = Closed {
        reason,
        // A stream that breaks off is how the end of a process looks; what cannot be followed is our own verdict.
        given_up: match &end {
            End::Unreadable(error) => !matches!(error, CodecError::Io(_) | CodecError::Cut { .. }),
            End::Deaf(_) | End::Stalled => true,
            End::Eof | End::InputClosed(_) | End::Abandoned => false,
        },
        exit,
        stderr: shared.stderr.text(),
    };
    let error = match end {
        End::Stalled => RequestError::Stalled {
            name: name.clone(),
            seconds: STALL.as_secs(),
        },
        _ => RequestError::Closed(closed.to_string()),
    };
    shared.end(&error);
    tracing::debug!(adapter = name, reason = %quote(&closed.to_string()), "connection closed");
    closed
}
