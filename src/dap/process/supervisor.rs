//! Our handle on the supervisor of an adapter.

use std::{
    io,
    sync::{
        Mutex, MutexGuard, OnceLock,
        atomic::{AtomicU32, Ordering},
    },
};

use base::locks::lock;
use tokio::{io::Interest, net::UnixStream};

use crate::{
    exit::Exit,
    supervise::{Control, Report, Word},
};

/// The supervisor's side of an adapter: what we tell it, and what it told us.
#[derive(Debug)]
pub struct Supervisor {
    control: Mutex<Control>,
    /// The adapter's own process id; 0 while it is not known.
    pub started: AtomicU32,
    /// The process id of an adapter that was left running; 0 for none.
    pub left: AtomicU32,
    /// How the adapter ended; the supervisor may stay with what it left.
    ended: OnceLock<Exit>,
}

impl Supervisor {
    pub fn new(control: Control) -> Self {
        Self {
            control: Mutex::new(control),
            started: AtomicU32::new(0),
            left: AtomicU32::new(0),
            ended: OnceLock::new(),
        }
    }

    pub fn tell(&self, word: Word) {
        if let Err(error) = self.control().say(word) {
            tracing::debug!(%error, "a supervisor cannot be told; it has ended");
        }
    }

    /// Takes notice of what has been reported.
    pub fn hear(&self) {
        let reports = self.control().reports();
        for report in reports {
            match report {
                Report::Started(pid) => self.started.store(pid, Ordering::Relaxed),
                Report::Left(pid) => self.left.store(pid, Ordering::Relaxed),
                Report::Exited(code) => self.has_ended(Some(code), None),
                Report::Signalled(signal) => self.has_ended(None, Some(signal)),
                // The supervisor ends then, which is seen anyway.
                Report::Failed(_) => {}
            }
        }
    }

    fn has_ended(&self, code: Option<i32>, signal: Option<i32>) {
        // It ends once.
        let _ = self.ended.set(Exit { code, signal });
    }

    /// Resolves when the supervisor has told that the adapter ended; never when it is gone without a word.
    pub async fn told_end(&self) -> Exit {
        let watched = self.control().watched().and_then(UnixStream::from_std);
        if let Ok(watched) = watched {
            loop {
                // Reading while the readiness is held, so that what arrives meanwhile wakes us again.
                let seen = watched.try_io(Interest::READABLE, || {
                    self.hear();
                    let ended = self.ended.get().copied();
                    ended.ok_or_else(|| io::ErrorKind::WouldBlock.into())
                });
                if let Ok(exit) = seen {
                    return exit;
                }
                if let Some(exit) = self.ended.get() {
                    return *exit;
                }
                if self.control().is_closed() || watched.readable().await.is_err() {
                    break;
                }
            }
        }
        std::future::pending().await
    }

    fn control(&self) -> MutexGuard<'_, Control> {
        lock(&self.control)
    }
}
