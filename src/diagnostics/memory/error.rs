//! Why a process cannot be looked into.

use std::io;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// Nobody has this number.
    #[error("there is no process {0}: `ps -e` shows those there are")]
    Absent(u32),
    /// It was there when it was chosen.
    #[error("process {0} has ended")]
    Ended(u32),
    /// It has ended, and its parent has not asked how.
    #[error(
        "process {pid} ({name}) is a zombie: it has ended, has no memory any more, and waits for its parent {parent} to notice"
    )]
    Zombie {
        /// Its number.
        pid: u32,
        name: String,
        /// Its parent's number.
        parent: u32,
    },
    /// A thread of the kernel.
    #[error("process {pid} ({name}) is a thread of the kernel: it has no memory of its own")]
    Kernel {
        /// Its number.
        pid: u32,
        name: String,
    },
    /// The number is another process's by now.
    #[error(
        "process {pid} is not the one that was chosen: that one has ended, and its number is {name}'s now"
    )]
    Reused {
        /// The number.
        pid: u32,
        /// Who has it now.
        name: String,
    },
    /// Another user's.
    #[error(
        "process {pid} belongs to {owner}, and only that user and root may look into it: sudo omp-debug memory --pid {pid}"
    )]
    Denied {
        /// Its number.
        pid: u32,
        /// Its user: `name` or `uid 1000`.
        owner: String,
    },
    /// Ours, and yet closed.
    #[error(
        "process {0} is closed even to its own user (it has changed its user or its capabilities): sudo omp-debug memory --pid {0}"
    )]
    Guarded(u32),
    /// The kernel does not count.
    #[error(
        "this kernel shows neither smaps_rollup nor smaps of process {0} (it was built without CONFIG_PROC_PAGE_MONITOR)"
    )]
    Uncounted(u32),
    /// There is no `/proc`.
    #[error("cannot look into processes: {0} is no folder of Linux's process file system")]
    NoProc(String),
    /// The kernel refused for another reason.
    #[error("cannot read {file} of process {pid}: {error}")]
    Read {
        /// Its number.
        pid: u32,
        file: &'static str,
        /// The reason.
        error: io::Error,
    },
    /// What it said is not what proc(5) describes.
    #[error("{file} of process {pid} says {line:?}, which is not understood")]
    Odd {
        /// Its number.
        pid: u32,
        file: &'static str,
        /// The line, cut.
        line: String,
    },
    /// Nobody waits for it any more.
    #[error("it was given up")]
    Cancelled,
}

impl MemoryError {
    /// Whether the process is not there (any more): nothing that trying again would change.
    pub fn is_end(&self) -> bool {
        matches!(
            self,
            Self::Absent(_) | Self::Ended(_) | Self::Zombie { .. } | Self::Reused { .. }
        )
    }
}
