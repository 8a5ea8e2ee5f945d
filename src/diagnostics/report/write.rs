//! The report's file: there as a whole, or not at all.
//!
//! It is written beside its place, for its owner's eyes only, brought to the disk, and then put there. Whatever goes wrong before
//! that, what was there before stays, and nothing else is left.

use base::files;

use super::{
    outcome::Outcome,
    pack::{PackError, Step, Target, pack},
    plan::Plan,
    squeeze::Level,
};
use crate::prelude::*;

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// It was asked to end.
    #[error("the report was cancelled; nothing was written")]
    Cancelled,
    /// There is a file already.
    #[error("{0:?} is there already: choose another name, or let it be replaced (--force)")]
    Exists(PathBuf),
    /// The folder cannot be used.
    #[error("no file can be made in {0:?}: {1}")]
    Folder(PathBuf, io::Error),
    /// Writing failed.
    #[error("{0:?} cannot be written: {1}; nothing is left of it")]
    Write(PathBuf, io::Error),
}

/// A report that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    pub path: PathBuf,
    pub outcome: Outcome,
}

/// Writes a report to `path`. Missing folders are made.
pub fn write(
    plan: &Plan,
    redactor: Option<&Redactor>,
    path: &Path,
    (level, replace): (Level, bool),
    cancel: &Cancel,
    watch: &mut dyn FnMut(&Step<'_>),
) -> Result<Written, ReportError> {
    // Said before minutes of work, and seen to again at the end.
    if !replace && path.symlink_metadata().is_ok() {
        return Err(ReportError::Exists(path.to_path_buf()));
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let no_folder = |error| ReportError::Folder(folder.to_path_buf(), error);
    std::fs::create_dir_all(folder).map_err(no_folder)?;
    // Made for its owner only, and removed when it is dropped.
    let mut file = files::beside(folder).map_err(no_folder)?;
    let target = Target {
        out: file.as_file_mut(),
        level,
    };
    let failed = |error| ReportError::Write(path.to_path_buf(), error);
    let outcome =
        pack(plan, redactor, Some(target), cancel, watch).map_err(|error| match error {
            PackError::Cancelled => ReportError::Cancelled,
            PackError::Write(error) => failed(error),
        })?;
    file.as_file().sync_all().map_err(failed)?;
    if cancel.is_cancelled() {
        return Err(ReportError::Cancelled);
    }
    if replace {
        file.persist(path).map_err(|error| failed(error.error))?;
    } else {
        file.persist_noclobber(path)
            .map_err(|error| match error.error.kind() {
                io::ErrorKind::AlreadyExists => ReportError::Exists(path.to_path_buf()),
                _ => failed(error.error),
            })?;
    }
    files::settle(folder);
    Ok(Written {
        path: path.to_path_buf(),
        outcome,
    })
}
