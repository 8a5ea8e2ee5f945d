//! Artifacts of omp's sessions: what there is, what is old, and how it goes away without anything being lost.
//!
//! An artifact folder is a folder beside the session file of the same name. Only such folders are looked at, and of what is in them
//! never a session file (`.jsonl`): subagents keep theirs there. [`scan()`] measures, [`Plan`] decides what is old, [`clear()`] moves it
//! into a trash of ours or deletes it, [`undo()`] brings it back. Below the places where omp keeps sessions every folder is opened by
//! its name in the folder that is open already, and never through a symbolic link.
//!
//! Left to others: where sessions are ([`super::omp`]), how lists are printed or drawn.

pub mod age;
mod clear;
mod exact;
mod head;
mod list;
mod live;
mod lock;
mod plan;
mod remove;
mod scan;
mod spot;
mod trash;
mod undo;
mod walk;

use super::omp::Layout;
use crate::prelude::*;

pub use clear::{How, Note, Outcome, Progress, clear};
pub use list::{Entry, Kind, Listing, head_of, list, text_of};
pub use plan::{Kept, Plan, Totals, Why};
pub use scan::{ArtifactFolder, Scan, scan};
pub use spot::ArtifactLocation;
pub use trash::{Batch, batches, empty_trash};
pub use undo::{Restored, undo};
pub use walk::Tally;

/// Artifacts are kept for so long after their last change, in days, unless another age is asked for.
pub const DAYS: u64 = 30;

/// Where artifacts are, and what tells which sessions live: handed in, so that tests need not change the process.
#[derive(Clone, Debug, Default)]
pub struct ArtifactRoot {
    /// Where omp keeps its files.
    pub layout: Arc<Layout>,
    /// Where the trash and the lock are.
    pub state_dir: PathBuf,
    /// Variables that name this terminal.
    pub variables: Arc<BTreeMap<String, String>>,
    /// This terminal's device.
    pub terminal: Option<PathBuf>,
}

impl ArtifactRoot {
    /// Of this process: the terminal is the one of standard input.
    pub fn here(
        layout: Arc<Layout>,
        state_dir: &Path,
        variables: Arc<BTreeMap<String, String>>,
    ) -> Self {
        use std::os::unix::ffi::OsStringExt as _;
        let name = rustix::termios::ttyname(io::stdin(), Vec::new()).ok();
        let terminal =
            name.map(|name| PathBuf::from(std::ffi::OsString::from_vec(name.into_bytes())));
        Self {
            layout,
            state_dir: state_dir.to_path_buf(),
            variables,
            terminal,
        }
    }

    /// The session file of this terminal.
    pub fn own_session(&self) -> Option<PathBuf> {
        super::omp::live::session_of_terminal(
            &self.layout,
            &self.variables,
            self.terminal.as_deref(),
        )
    }
}

/// Why nothing was done.
#[derive(Debug, thiserror::Error)]
pub enum ArtifactsError {
    /// Another clear or undo did not end in time.
    #[error("another omp-debug is clearing or restoring artifacts: try again when it is done")]
    Busy,
    /// Lock and trash are in the state folder.
    #[error("{what} {path:?} failed: {source}")]
    State {
        /// What was tried.
        what: &'static str,
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// There is nothing to bring back.
    #[error("the trash is empty: there is nothing to bring back")]
    NoTrash,
    /// No batch has this name; which there are.
    #[error("{0:?} is not in the trash; {1}")]
    NoBatch(String, String),
    /// The list of what is in the trash cannot be understood.
    #[error("the list of what is in the trash, {path:?}, cannot be read: {why}")]
    Manifest {
        /// The file.
        path: PathBuf,
        why: String,
    },
    /// Somebody changed their mind.
    #[error("stopped before anything was done")]
    Cancelled,
}
