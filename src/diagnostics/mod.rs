//! The desk: what a program leaves behind and what a machine says.
//!
//! [`omp`] knows where the coding agent omp keeps its files, [`logs`] reads logs of any size, [`sse`] event streams, [`sessions`] what omp
//! and its models said to each other, which [`transcript`] writes down for people; [`artifacts`] measures and clears what sessions
//! left, [`system`] looks at the machine, [`process`] and [`memory`] into processes and heap files (snapshots of what is alive), [`profile`] at where
//! time or memory went (samples and allocations with their stacks; one file a format), [`report`] packs what a bug report needs;
//! [`whole`] is how files come out. All I/O of this room is plain and blocking; it is called from a thread that may block. Plain
//! data comes out.

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

pub use cancel::Cancel;
pub use shown::SafeText;
