//! The signals that what runs without a screen is cut short by.

use tokio::signal::unix::{Signal, SignalKind, signal};

use debugger::{DebuggerError, ErrorKind};

use crate::codes::{HUNG_UP, INTERRUPTED, TERMINATED};

/// The signals that matter.
pub struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hang_up: Signal,
}

impl Signals {
    /// From now on they do not end us. Within a runtime.
    pub fn new() -> Result<Self, DebuggerError> {
        let caught = |kind| {
            signal(kind).map_err(|error| {
                let what = format!("signals cannot be received: {error}");
                DebuggerError::new(ErrorKind::Adapter, what)
            })
        };
        Ok(Self {
            interrupt: caught(SignalKind::interrupt())?,
            terminate: caught(SignalKind::terminate())?,
            hang_up: caught(SignalKind::hangup())?,
        })
    }

    /// The next one, as the exit code of one that ends by it; after Ctrl-C [`INTERRUPTED`].
    pub async fn next(&mut self) -> u8 {
        tokio::select! {
            _ = self.interrupt.recv() => INTERRUPTED,
            _ = self.terminate.recv() => TERMINATED,
            _ = self.hang_up.recv() => HUNG_UP,
        }
    }
}
