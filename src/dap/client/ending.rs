//! How a connection ends.
//!
//! The transport is over, everybody who waits is woken, output that is still in the adapter's pipes is delivered, and
//! [`Incoming::Closed`] follows as the last item, exactly once on every path.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tokio::{
    sync::{mpsc, watch},
    time::timeout,
};
use tokio_util::sync::CancellationToken;

use super::{
    error::{Closed, RequestError},
    shared::{Incoming, Shared},
};
use crate::{codec::CodecError, exit::Exit, message::quote};

/// A write that makes no progress for this long closes the connection.
pub(super) const STALL: Duration = Duration::from_secs(30);
/// How long the end of the stream waits for the rest of the pipes.
const REST: Duration = Duration::from_millis(250);
/// How long the end of the stream waits for how the process ended, which says why, while the process runs.
const EXIT_CODE: Duration = Duration::from_secs(1);
/// How often that time is given anew to a process that runs no more: then only a busy machine can keep the word from us.
const EXIT_CODES: usize = 10;

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
    pub async fn finish(self) {
        while timeout(REST, self.silent.cancelled()).await.is_err() {
            if !self.delivering.load(Ordering::Relaxed) {
                self.mute.cancel();
            }
        }
    }
}

/// Why the reader stopped.
pub(super) enum End {
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

/// Resolves when the process has ended; never when there is none.
pub(super) async fn gone(exit: Option<&mut watch::Receiver<Option<Exit>>>) {
    match exit {
        Some(exit) => drop(exit.wait_for(Option::is_some).await),
        None => std::future::pending().await,
    }
}

pub(super) async fn nobody_left(shared: &Shared, incoming: &mpsc::Sender<Incoming>) {
    shared.abandoned.cancelled().await;
    incoming.closed().await;
}

/// Finds out how it ended and wakes everybody who waits.
pub(super) async fn close(shared: &Shared, end: End) -> Closed {
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
    if let Some(process) = &shared.process {
        let mut watched = process.watch();
        for _ in 0..EXIT_CODES {
            let seen = timeout(EXIT_CODE, watched.wait_for(Option::is_some)).await;
            exit = seen.ok().and_then(Result::ok).and_then(|exit| *exit);
            if exit.is_some() || process.runs() {
                break;
            }
        }
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
