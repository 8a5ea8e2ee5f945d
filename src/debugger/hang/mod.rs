//! Why a program hangs: all that runs in it, merged by equal stacks; who waits for whom, as far as that can be told; who waits for
//! themselves in the end; and who does not wait but works.
//!
//! | file | what is in it |
//! |---|---|
//! | `report` | what a look tells: who runs, where, and what they wait for |
//! | `look` | a look at work: its questions to the core, and its time |
//! | `collect` | from a session to its threads and their frames, and letting it go on |
//! | `kernel` | what threads of a process here did since the last look, by [`base::threads`] |
//! | `kinds` | what the names of functions say of a wait |
//! | `native` | locks of glibc and of Rust |
//! | `go` | goroutines: mutexes and channels |
//! | `script` | languages that are asked in their own words: Python, JavaScript |
//! | `cycles` | who waits in a circle |
//! | `groups` | who stands where others stand |
//! | `text` | all of it, to read |
//!
//! Nothing in the program is changed. What is inferred, and not read, says how it is known, and is never called certain.

mod collect;
mod cycles;
mod go;
mod groups;
mod kernel;
mod kinds;
mod look;
mod native;
mod report;
mod script;
mod text;

#[cfg(test)]
mod tests;

pub use collect::{MOST, WATCHED, look};
pub use kernel::Samples;
pub use report::{Deadlock, Frame, Hang, Wait, Waiter};
pub use text::{Line, Tone};
