//! A file that is there as a whole or not at all, and that only its owner can read.

use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use super::{ExportError, Format, write};
use crate::diagnostics::Cancel;
use crate::diagnostics::profile::Profile;

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
    /// There is nothing to save.
    #[error(transparent)]
    Export(ExportError),
}

/// Writes `target` with mode 0600 by way of a temporary file beside it; gives its size in bytes.
pub fn save(
    profile: &Profile,
    format: Format,
    target: &Path,
    force: bool,
    cancel: &Cancel,
) -> Result<u64, SaveError> {
    let failed = |error| SaveError::Io(target.to_path_buf(), error);
    match std::fs::symlink_metadata(target) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed(error)),
        Ok(metadata) if metadata.is_dir() => {
            return Err(SaveError::NotReplaced(target.to_path_buf(), "a folder"));
        }
        Ok(_) if !force => return Err(SaveError::Exists(target.to_path_buf())),
        Ok(metadata) if !metadata.is_file() => {
            let what = "a link or a device";
            return Err(SaveError::NotReplaced(target.to_path_buf(), what));
        }
        Ok(_) => {}
    }
    let folder = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let file = tempfile::Builder::new()
        .prefix(".profile-")
        .tempfile_in(folder)
        .map_err(failed)?;
    let mut out = BufWriter::new(file);
    write(profile, format, &mut out, cancel).map_err(|error| match error {
        ExportError::Write(error) => failed(error),
        other => SaveError::Export(other),
    })?;
    out.flush().map_err(failed)?;
    let file = out
        .into_inner()
        .map_err(|error| failed(error.into_error()))?;
    file.as_file().sync_all().map_err(failed)?;
    let size = file.as_file().metadata().map_err(failed)?.len();
    let kept = if force {
        file.persist(target)
    } else {
        file.persist_noclobber(target)
    };
    match kept {
        Ok(_) => Ok(size),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
            Err(SaveError::Exists(target.to_path_buf()))
        }
        Err(error) => Err(failed(error.error)),
    }
}
