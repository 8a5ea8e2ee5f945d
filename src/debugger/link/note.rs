//! The small file beside a socket: whose it is, for listings. The socket itself is what tells whether anyone is there.

use std::{io::Write as _, os::unix::fs::OpenOptionsExt as _};

use super::place::{self, SocketFolder};
use crate::prelude::*;

/// Bytes read of a note; one of ours is far smaller.
const LONGEST_NOTE: u64 = 64 * 1024;

/// What kind of process hosts the core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HostKind {
    /// Someone looks at it.
    Tui,
    /// `omp-debug serve`.
    #[default]
    Serve,
}

impl HostKind {
    /// One word for listings.
    pub fn word(self) -> &'static str {
        match self {
            Self::Tui => "tui",
            Self::Serve => "serve",
        }
    }
}

/// Whose a socket is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Note {
    /// The process.
    pub pid: u32,
    /// When it started, in the system's ticks since boot, so that another process with the same id is not taken for it.
    pub start_time: Option<u64>,
    /// Where it was started.
    pub cwd: PathBuf,
    /// The program it was started with.
    pub program: Option<String>,
    pub kind: HostKind,
    /// Which omp-debug.
    pub version: String,
}

impl Note {
    /// Of this process.
    pub fn own(kind: HostKind, cwd: PathBuf, program: Option<String>) -> Self {
        let pid = std::process::id();
        Self {
            pid,
            start_time: files::start_time(pid),
            cwd,
            program,
            kind,
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }

    /// The file for a process.
    pub(super) fn path(place: &SocketFolder, pid: u32) -> PathBuf {
        place.folder().join(format!("{pid}.json"))
    }

    /// Writes it where [`Self::path`] says.
    pub(super) fn write(&self, place: &SocketFolder) -> Result<PathBuf> {
        let path = Self::path(place, self.pid);
        // A file that is there was left by a process with this id that is gone.
        place::remove(&path);
        let written = fs::OpenOptions::new()
            .create_new(true)
            .write(true)
            .mode(0o600)
            .open(&path)
            .and_then(|mut file| file.write_all(&serde_json::to_vec(self)?));
        match written {
            Ok(()) => Ok(path),
            Err(error) => Err(place::failed(&path, "cannot be written", &error)),
        }
    }

    /// Reads the note of a process; none when there is none that can be read.
    pub(super) fn read(path: &Path) -> Option<Self> {
        let file = fs::OpenOptions::new()
            .read(true)
            .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK)
            .open(path)
            .ok()?;
        let text = files::read_at_most(file, LONGEST_NOTE).ok()?;
        serde_json::from_slice(&text).ok()
    }
}
