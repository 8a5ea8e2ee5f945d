//! Where memory is: of a running process by what the kernel counts, and in heap files by what a runtime wrote down.
//!
//! [`Subject`] holds one process and reads it, [`mappings`] puts what is mapped into groups, [`growth`] compares two marks, [`detail`]
//! lists threads, open files and limits, [`text`] writes all of it for people, [`export`] into a file.
//! [`heap`] opens files that runtimes wrote. How programs spend time is left to `profile`, the machine as a whole to `system`.
//!
//! All of it is what `/proc` says (see `proc_pid_smaps(5)`): no signal is sent and nothing is stopped.

pub mod detail;
pub mod export;
mod figures;
pub mod growth;
pub mod heap;
pub mod mappings;
mod sample;
pub mod text;

pub use crate::process::{ProcessError, ProcessIdentity, Subject};
pub use figures::Figures;
pub use sample::Sample;

/// The version of the names in JSON. Names are only added while it stays the same.
pub const SCHEMA_VERSION: u32 = 1;
