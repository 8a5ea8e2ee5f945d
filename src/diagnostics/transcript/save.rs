//! A transcript as a file, which never takes the place of a session.

use super::TranscriptError;
use crate::{
    prelude::*,
    whole::{self, NotWritten, Replace},
};

/// Why nothing was saved.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    /// The file cannot be.
    #[error(transparent)]
    File(#[from] NotWritten),
    /// There is no transcript.
    #[error(transparent)]
    Transcript(#[from] TranscriptError),
}

/// Writes `target`, a file that is there as a whole or not at all. `source` is what is read: it is never replaced.
pub fn save<T>(
    target: &Path,
    source: &Path,
    force: bool,
    write: impl FnOnce(&mut dyn Write) -> Result<T, TranscriptError>,
) -> Result<T, SaveError> {
    if force && is_session(target, source) {
        return Err(NotWritten::NotReplaced(target.to_path_buf(), "a session").into());
    }
    let (done, _) = whole::write(target, Replace::If(force), |out| {
        write(out).map_err(|error| match error {
            TranscriptError::Write(error) => NotWritten::Io(target.to_path_buf(), error).into(),
            other => SaveError::Transcript(other),
        })
    })?;
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
