//! Where memory is: of a running process by what the kernel counts, and in heap files by what a runtime wrote down.
//!
//! [`Subject`] holds one process and reads it, [`mappings`] puts what is mapped into groups, [`growth`] compares two marks, [`detail`]
//! lists threads, open files and limits, [`text`] writes all of it for people, [`export`] into a file.
//! [`heap`] opens files that runtimes wrote. How programs spend time is left to `profile`, the machine as a whole to `system`.
//!
//! All of it is what `/proc` says (see `proc_pid_smaps(5)`): no signal is sent and nothing is stopped.

pub mod detail;
mod error;
pub mod export;
pub mod growth;
pub mod heap;
pub mod mappings;
mod subject;
pub mod text;

use serde::Serialize;

pub use error::MemoryError;
pub use subject::{Sample, Subject, Who};

/// The version of the names in JSON. Names are only added while it stays the same.
pub const SCHEMA_VERSION: u32 = 1;

/// What is counted of a mapping, a group of mappings or a process; in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Figures {
    /// Addresses taken, whether or not there is memory behind them.
    pub size: u64,
    /// Resident: in memory now, shared pages counted in full.
    pub rss: u64,
    /// Resident, shared pages divided by how many processes share them.
    pub pss: u64,
    /// Resident and nobody else's: what would be free if the process ended.
    pub uss: u64,
    /// Resident and mapped by other processes, too.
    pub shared: u64,
    /// Resident and not the copy of a file.
    pub anonymous: u64,
    /// Swapped out.
    pub swap: u64,
    /// Swapped out, divided by how many processes share it.
    pub swap_pss: u64,
    /// Locked in memory.
    pub locked: u64,
}

impl Figures {
    /// What the process holds for itself, in memory or swapped out: what a leak adds to.
    pub fn own(&self) -> u64 {
        self.uss + self.swap_pss
    }

    /// Adds what another one counts.
    pub fn add(&mut self, other: &Self) {
        self.size += other.size;
        self.rss += other.rss;
        self.pss += other.pss;
        self.uss += other.uss;
        self.shared += other.shared;
        self.anonymous += other.anonymous;
        self.swap += other.swap;
        self.swap_pss += other.swap_pss;
        self.locked += other.locked;
    }
}
