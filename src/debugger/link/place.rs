//! The folder of the sockets: `$XDG_RUNTIME_DIR/omp-debug`, else `run` in the state folder, else one of our own in `/tmp`.
//!
//! It must be a real folder, ours, and closed to everyone else: whoever can write there can pose as a debugger, and whoever can
//! connect can run code as us.

use std::{
    fs::{DirBuilder, Metadata},
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _},
};

use crate::prelude::*;

/// Bytes of a path that a socket's address can hold, without the NUL behind it.
const LONGEST_PATH: usize = 107;
/// The longest name a socket has while it is made: dot, process id, ending.
const LONGEST_NAME: usize = "/.4294967295.sock".len();

/// A folder that holds our sockets and that only we can reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SocketFolder {
    folder: PathBuf,
}

impl SocketFolder {
    /// The folder for a socket of this process; made when it is not there.
    pub fn make(context: &Context) -> Result<Self> {
        let candidates = candidates(context);
        let mut trouble = None;
        for folder in candidates.iter().filter(|folder| is_short(folder)) {
            // What cannot be made here may be made elsewhere; what is not safe is to be looked at by a person.
            match make_folder(folder) {
                Ok(()) => return Self::check(folder),
                Err(error) => trouble = trouble.or(Some(error)),
            }
        }
        Err(trouble.unwrap_or_else(|| {
            let what = format!("no folder for omp-debug's socket has a path short enough for a socket: set XDG_RUNTIME_DIR to one that is (tried {candidates:?})");
            DebuggerError::adapter(what)
        }))
    }

    /// This folder; made when it is not there.
    pub fn make_at(folder: &Path) -> Result<Self> {
        make_folder(folder)?;
        Self::check(folder)
    }

    /// The folders that are there already, and what is wrong with those that cannot be used.
    pub fn existing(context: &Context) -> (Vec<Self>, Vec<DebuggerError>) {
        let mut places = Vec::new();
        let mut troubles = Vec::new();
        for folder in candidates(context) {
            let found = fs::symlink_metadata(&folder);
            if found.is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
                continue;
            }
            match Self::check(&folder) {
                Ok(place) => places.push(place),
                Err(trouble) => troubles.push(trouble),
            }
        }
        (places, troubles)
    }

    /// This folder, if it is safe.
    pub fn check(folder: &Path) -> Result<Self> {
        let found = fs::symlink_metadata(folder);
        let found = found.map_err(|error| failed(folder, "cannot be looked at", &error))?;
        let own = rustix::process::geteuid().as_raw();
        match objection(&found, own) {
            None => Ok(Self {
                folder: folder.to_path_buf(),
            }),
            Some(what) => {
                let folder = folder.to_string_lossy();
                let what = format!("{folder:?} cannot hold omp-debug's sockets: {what}");
                Err(DebuggerError::adapter(what))
            }
        }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The socket of a process.
    pub fn socket(&self, pid: u32) -> PathBuf {
        self.folder.join(format!("{pid}.sock"))
    }

    /// Where it is made, before it gets its name.
    pub(super) fn unfinished_socket(&self, pid: u32) -> PathBuf {
        self.folder.join(format!(".{pid}.sock"))
    }
}

fn make_folder(folder: &Path) -> Result<()> {
    let above = folder.parent().map_or(Ok(()), files::make_folder);
    let made = above.and_then(|()| {
        let made = DirBuilder::new().mode(0o700).create(folder);
        made.or_else(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => Ok(()),
            _ => Err(error),
        })
    });
    made.map_err(|error| failed(folder, "cannot be made", &error))
}

/// What the system does not let us do with a file or a folder.
pub fn failed(path: &Path, what: &str, error: &io::Error) -> DebuggerError {
    let path = path.to_string_lossy();
    DebuggerError::adapter(format!("{path:?} {what}: {error}"))
}

/// In the order in which they are tried.
fn candidates(context: &Context) -> Vec<PathBuf> {
    let own = rustix::process::geteuid().as_raw();
    context
        .var("XDG_RUNTIME_DIR")
        .map(PathBuf::from)
        // We make our folder in it, but not the folder itself: a session manager does, and takes it away again.
        .filter(|folder| folder.is_absolute() && folder.is_dir())
        .map(|folder| folder.join("omp-debug"))
        .into_iter()
        .chain([
            context.state_dir.join("run"),
            PathBuf::from(format!("/tmp/omp-debug-{own}")),
        ])
        .collect()
}

fn is_short(folder: &Path) -> bool {
    folder.as_os_str().len() + LONGEST_NAME <= LONGEST_PATH
}

/// What speaks against a folder.
fn objection(found: &Metadata, own: u32) -> Option<String> {
    let mode = found.mode() & 0o7777;
    if found.file_type().is_symlink() {
        Some("it is a symbolic link; remove it".to_owned())
    } else if !found.is_dir() {
        Some("it is not a folder; remove it".to_owned())
    } else if found.uid() != own {
        Some(format!(
            "it belongs to user {}, not to you ({own}); set XDG_RUNTIME_DIR to a folder of yours",
            found.uid()
        ))
    } else if mode & 0o077 != 0 {
        Some(format!(
            "others may enter it (mode {mode:04o}); chmod 700 it, after a look at what is in it"
        ))
    } else {
        None
    }
}

/// Removes a socket (or the note beside one) that nobody listens behind any more. Only a file of ours is touched, never what a
/// link points to.
pub fn remove(path: &Path) {
    let ours = fs::symlink_metadata(path)
        .is_ok_and(|found| found.uid() == rustix::process::geteuid().as_raw() && !found.is_dir());
    if ours && let Err(error) = fs::remove_file(path) {
        tracing::debug!(%error, ?path, "not removed");
    }
}

/// Only the host's own user is served; not even root is, whose programs can do all this without us.
pub fn allow(uid: u32, own: u32) -> Result<(), String> {
    if uid == own {
        Ok(())
    } else {
        Err(format!(
            "This debugger belongs to user {own}, and you are user {uid}."
        ))
    }
}
