//! A file that is there as a whole or not at all, and that only its owner can read.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::TranscriptError;

/// Why nothing was saved.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    /// Something has that name.
    #[error("{0:?} is there already; choose another name, or say --force to replace it")]
    Exists(PathBuf),
    /// What has that name is not to be replaced.
    #[error("{0:?} is {1}, which is not replaced")]
    NotReplaced(PathBuf, &'static str),
    /// The file system refused.
    #[error("{0:?} cannot be written: {1}")]
    Io(PathBuf, #[source] io::Error),
    /// There is no transcript.
    #[error(transparent)]
    Transcript(#[from] TranscriptError),
}

/// Writes `target` with mode 0600 by way of a temporary file beside it. `source` is what is read: it is never replaced.
pub fn save<T>(
    target: &Path,
    source: &Path,
    force: bool,
    write: impl FnOnce(&mut dyn Write) -> Result<T, TranscriptError>,
) -> Result<T, SaveError> {
    let failed = |error| SaveError::Io(target.to_path_buf(), error);
    match std::fs::symlink_metadata(target) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed(error)),
        Ok(metadata) if metadata.is_dir() => {
            return Err(SaveError::NotReplaced(target.to_path_buf(), "a folder"));
        }
        Ok(_) if !force => return Err(SaveError::Exists(target.to_path_buf())),
        Ok(metadata) if !metadata.is_file() => {
            return Err(SaveError::NotReplaced(
                target.to_path_buf(),
                "a link or a device",
            ));
        }
        Ok(_) => {
            let is_source = match (target.canonicalize(), source.canonicalize()) {
                (Ok(target), Ok(source)) => target == source,
                _ => false,
            };
            if is_source || target.extension().is_some_and(|e| e == "jsonl") {
                let what = "a session";
                return Err(SaveError::NotReplaced(target.to_path_buf(), what));
            }
        }
    }
    let folder = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    // Temporary files have mode 0600, and are gone when they are not kept.
    let file = tempfile::Builder::new()
        .prefix(".transcript-")
        .tempfile_in(folder)
        .map_err(failed)?;
    let mut out = BufWriter::new(file);
    let done = write(&mut out).map_err(|error| match error {
        TranscriptError::Write(error) => failed(error),
        other => SaveError::Transcript(other),
    })?;
    let file = out
        .into_inner()
        .map_err(|error| failed(error.into_error()))?;
    file.as_file().sync_all().map_err(failed)?;
    let kept = if force {
        file.persist(target)
    } else {
        file.persist_noclobber(target)
    };
    match kept {
        Ok(_) => Ok(done),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
            Err(SaveError::Exists(target.to_path_buf()))
        }
        Err(error) => Err(failed(error.error)),
    }
}
