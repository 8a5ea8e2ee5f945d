//! Sessions of omp: one file of JSON lines each, which grows at its end while omp works.
//!
//! [`list`] finds them and reads a head and a tail of each, however large it is. [`reader`] reads one from any place on, line by line;
//! [`entry`] says what a line is, [`body`] what all of it says, [`Session`] puts the lines together as a tree with branches ([`tree`])
//! and counts what was spent ([`totals`]). [`beside`] names the subagents and artifacts of a session, [`search`] looks through many.
//!
//! What cannot be understood is counted and kept by its name. Writing a session down for people is left to `transcript`.

pub mod beside;
pub mod body;
pub mod entry;
pub mod figures;
mod lines;
pub mod list;
pub mod reader;
pub mod search;
mod session;
pub mod summary;
pub mod totals;
pub mod tree;

pub use entry::{Entry, LineKind};
pub use list::Finder;
pub use reader::{Item, Reader};
pub use session::{Session, lines_not_understood, read_all};
pub use summary::{Status, Summary};
