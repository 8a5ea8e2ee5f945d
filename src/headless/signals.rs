//! The signals that what runs without a screen is cut short by.

use tokio::signal::unix::{Signal, SignalKind, signal};

use debugger::{DebuggerError, Kind};

use crate::codes::{HUNG_UP, INTERRUPTED, TERMINATED};

/// The signals that matter.
pub struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hang_up: Signal,
}

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caught {
    /// Ctrl-C.
    Interrupt,
    /// We are to end, with this code.
    End(u8),
}

impl Caught {
    /// The exit code of one that ends by it.
    pub fn code(self) -> u8 {
        match self {
            Self::Interrupt => INTERRUPTED,
            Self::End(code) => code,
        }
    }
}

impl Signals {
    /// From now on they do not end us. Within a runtime.
    pub fn new() -> Result<Self, DebuggerError> {
        let caught = |kind| {
            signal(kind).map_err(|error| {
                let what = format!("signals cannot be received: {error}");
                DebuggerError::new(Kind::Adapter, what)
            })
        };
        Ok(Self {
            interrupt: caught(SignalKind::interrupt())?,
            terminate: caught(SignalKind::terminate())?,
            hang_up: caught(SignalKind::hangup())?,
        })
    }

    /// The next one.
    pub async fn next(&mut self) -> Caught {
        tokio::select! {
            _ = self.interrupt.recv() => Caught::Interrupt,
            _ = self.terminate.recv() => Caught::End(TERMINATED),
            _ = self.hang_up.recv() => Caught::End(HUNG_UP),
        }
    }

    /// The exit code of one that ends at any of them.
    pub async fn code(&mut self) -> u8 {
        self.next().await.code()
    }
}
