//! Stopping work that nobody waits for any more.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// A flag that long work looks at between blocks.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks the work to end.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was asked to.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
