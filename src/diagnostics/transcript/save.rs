//! A transcript as a file, which never takes the place of a session.

use crate::{
    prelude::*,
    sessions::reader::ReadError,
    whole::{self, Hindrance, NotWritten},
};

impl From<TranscriptError> for Hindrance {
    fn from(error: TranscriptError) -> Self {
        match error {
            TranscriptError::Write(error) => Self::Io(error),
            other => Self::Other(other.to_string()),
        }
    }
}

/// Writes `target`, a file that is there as a whole or not at all. `source` is what is read: it is never replaced.
pub fn save<T>(
    target: &Path,
    source: &Path,
    force: bool,
    write: impl FnOnce(&mut dyn Write) -> Result<T, TranscriptError>,
) -> Result<T, NotWritten> {
    if force && is_session(target, source) {
        return Err(NotWritten::NotReplaced(target.to_path_buf(), "a session"));
    }
    let (done, _) = whole::write(target, force, |out| write(out))?;
    Ok(done)
}

/// Whether there is a file that is the session itself, or is named like one.
fn is_session(target: &Path, source: &Path) -> bool {
    let is_file = target.symlink_metadata().is_ok_and(|m| m.is_file());
    let is_source = || match (target.canonicalize(), source.canonicalize()) {
        (Ok(target), Ok(source)) => target == source,
        _ => false,
    };
    is_file && (target.extension().is_some_and(|e| e == "jsonl") || is_source())
}

/// Why there is no transcript.
#[derive(Debug, thiserror::Error)]
pub enum TranscriptError {
    /// The session cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// It says nothing.
    #[error("{0:?} holds no entry of a session{1}")]
    Empty(PathBuf, String),
    /// Writing failed.
    #[error("the transcript cannot be written: {0}")]
    Write(#[from] io::Error),
    /// Nobody wants it any more.
    #[error("cancelled")]
    Cancelled,
}
