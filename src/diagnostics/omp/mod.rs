//! Where the coding agent omp keeps its files, and what their names say.
//!
//! [`Layout`] finds the folders the way omp does: profiles, the XDG folders one by one, the variables that move things. [`names`]
//! reads the names of logs and project buckets, [`live`] says which omp processes run and which session belongs to a terminal.
//! Reading the files themselves is left to the other folders of this room.

mod dotenv;
pub mod incidents;
mod layout;
pub mod live;
pub mod log_files;
pub mod names;

pub use layout::{Environment, Layout};
