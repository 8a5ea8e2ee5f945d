//! Stopping work that nobody waits for any more, and telling those who wait how far it is.

use std::{
    io::{self, Read},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
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

/// Told how many bytes of how many are read.
pub type Progress<'a> = &'a dyn Fn(u64, u64);

/// What is read, with an eye on who waits for it.
pub struct Watched<'a, R> {
    pub input: R,
    pub cancel: &'a Cancel,
    pub progress: Progress<'a>,
    pub read: u64,
    pub size: u64,
}

impl<R: Read> Read for Watched<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.cancel.is_cancelled() {
            return Err(io::Error::other("cancelled"));
        }
        let read = self.input.read(buffer)?;
        self.read += read as u64;
        (self.progress)(self.read, self.size);
        Ok(read)
    }
}
