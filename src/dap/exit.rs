//! How a process ended, and its last words.

use std::{
    collections::VecDeque,
    fmt,
    os::unix::process::ExitStatusExt as _,
    process::ExitStatus,
    sync::{Arc, Mutex},
};

use base::locks::lock;
use tokio::sync::watch;

/// How much of standard error is kept, in bytes.
const TAIL: usize = 32 << 10;

/// How a process ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exit {
    pub code: Option<i32>,
    /// The signal that ended it, when one did.
    pub signal: Option<i32>,
}

impl Exit {
    /// Its exit code, or what a shell makes of a death by signal.
    pub fn code_in_shell(&self) -> Option<i32> {
        self.code.or_else(|| Some(128 + self.signal?))
    }
}

impl From<ExitStatus> for Exit {
    fn from(status: ExitStatus) -> Self {
        Self {
            code: status.code(),
            signal: status.signal(),
        }
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.code, self.signal) {
            (Some(code), _) => write!(formatter, "code {code}"),
            (None, Some(signal)) => write!(formatter, "signal {signal}"),
            (None, None) => formatter.write_str("code unknown"),
        }
    }
}

/// The end of what an adapter wrote to standard error.
#[derive(Clone, Debug)]
pub struct StderrTail {
    bytes: Arc<Mutex<VecDeque<u8>>>,
    complete: Arc<watch::Sender<bool>>,
}

impl Default for StderrTail {
    fn default() -> Self {
        Self {
            bytes: Arc::default(),
            complete: Arc::new(watch::Sender::new(false)),
        }
    }
}

impl StderrTail {
    pub fn push(&self, bytes: &[u8]) {
        let mut tail = lock(&self.bytes);
        tail.extend(bytes);
        let surplus = tail.len().saturating_sub(TAIL);
        tail.drain(..surplus);
    }

    pub fn text(&self) -> String {
        let mut tail = lock(&self.bytes);
        String::from_utf8_lossy(tail.make_contiguous())
            .trim_end()
            .to_owned()
    }

    /// Says that nothing more will come.
    pub fn finish(&self) {
        self.complete.send_replace(true);
    }

    /// Resolves when nothing more will come.
    pub async fn complete(&self) {
        // The sender lives in `self`, so waiting can only end well.
        drop(
            self.complete
                .subscribe()
                .wait_for(|complete| *complete)
                .await,
        );
    }
}
