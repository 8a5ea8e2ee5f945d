//! Our handle on the supervisor of an adapter.

use std::io;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::dap::supervise::{Control, Report};

/// The supervisor's side of an adapter: what we tell it, and what it told us.
#[derive(Debug)]
pub(super) struct Supervisor {
    control: Mutex<Control>,
    /// The adapter's own process id; 0 while it is not known.
    pub(super) started: AtomicU32,
    /// The process id of an adapter that was left running; 0 for none.
    pub(super) left: AtomicU32,
}

impl Supervisor {
    pub(super) fn new(control: Control) -> Self {
        Self {
            control: Mutex::new(control),
            started: AtomicU32::new(0),
            left: AtomicU32::new(0),
        }
    }

    pub(super) fn tell(&self, word: impl FnOnce(&Control) -> io::Result<()>) {
        let control = self.control.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = word(&control) {
            tracing::debug!(%error, "a supervisor cannot be told; it has ended");
        }
    }

    /// Takes notice of what has been reported.
    pub(super) fn hear(&self) {
        let mut control = self.control.lock().unwrap_or_else(PoisonError::into_inner);
        for report in control.reports() {
            match report {
                Report::Started(pid) => self.started.store(pid, Ordering::Relaxed),
                Report::Left(pid) => self.left.store(pid, Ordering::Relaxed),
                // The supervisor ends as its adapter did, so these are seen anyway.
                Report::Failed(_) | Report::Exited(_) | Report::Signalled(_) => {}
            }
        }
    }
}
