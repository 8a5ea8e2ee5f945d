//! Why a process cannot be looked into.

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
    /// The kernel does not count.
    #[error(
        "this kernel shows neither smaps_rollup nor smaps of process {0} (it was built without CONFIG_PROC_PAGE_MONITOR)"
    )]
    Uncounted(u32),
    /// It has no memory to look into, we may not, or what the kernel says is not understood; a sentence.
    #[error("{0}")]
    Unfit(String),
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
