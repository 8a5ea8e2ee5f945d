//! The desk: what a program leaves behind and what a machine says.
//!
//! | module | what is in it |
//! |---|---|
//! | [`omp`] | where the coding agent omp keeps its files; its settings, messages and incidents; sessions that run |
//! | [`logs`] | logs of any size and format, merged by time: pages, filters, search, what is appended |
//! | [`sse`] | event streams: captures, recording through a proxy or as a client, frames cut from bytes, the message they spell |
//! | [`sessions`], [`transcript`] | what omp and its models said to each other; the same written down for people |
//! | [`artifacts`] | what sessions left: measured, listed, cleared |
//! | [`system`] | this machine and what is installed on it |
//! | [`process`], [`memory`] | one process as the kernel tells it; its memory, what grows in it, heap files (snapshots of what is alive) |
//! | [`profile`] | where time or memory went: samples taken, files read and written (one file a format), trees of callers |
//! | [`report`] | what a bug report needs, packed and read again |
//! | [`whole`] | how files come out: whole or not at all |
//!
//! All I/O of this room is plain and blocking; it is called from a thread that may block. Plain data comes out.

mod cancel;
mod each;
mod folders;
mod members;
mod prelude;
mod shown;
mod slots;
mod texts;

pub mod artifacts;
pub mod logs;
pub mod memory;
pub mod omp;
pub mod process;
pub mod profile;
pub mod report;
pub mod sessions;
pub mod sse;
#[cfg(test)]
#[path = "../../tests/support/suite.rs"]
#[expect(dead_code, reason = "each room needs a part of it")]
mod suite;
pub mod system;
pub mod transcript;
pub mod whole;

/// How what is packed by gzip begins (RFC 1952, 2.3.1).
pub const GZIP: [u8; 2] = [0x1f, 0x8b];

pub use cancel::Cancel;
pub use shown::SafeText;
