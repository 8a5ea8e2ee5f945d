//! Where artifacts are, and why nothing was done with them.

use crate::{
    omp::{Layout, live},
    prelude::*,
};

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
    /// Of this process.
    pub fn here(
        layout: Arc<Layout>,
        state_dir: &Path,
        variables: Arc<BTreeMap<String, String>>,
    ) -> Self {
        Self {
            layout,
            state_dir: state_dir.to_path_buf(),
            variables,
            terminal: live::own_terminal(),
        }
    }

    /// The session file of this terminal.
    pub fn own_session(&self) -> Option<PathBuf> {
        live::session_of_terminal(&self.layout, &self.variables, self.terminal.as_deref())
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
    #[error("the trash is empty")]
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
