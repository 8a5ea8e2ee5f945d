//! The report's file: there as a whole, or not at all.

use super::{
    outcome::Outcome,
    pack::{PackError, Step, Target, pack},
    plan::Plan,
    squeeze::Level,
};
use crate::{
    prelude::*,
    whole::{self, Hindrance, NotWritten},
};

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// It was asked to end.
    #[error("the report was cancelled; nothing was written")]
    Cancelled,
    /// The folder cannot be made.
    #[error("no file can be made in {0:?}: {1}")]
    Folder(PathBuf, io::Error),
    /// Writing failed.
    #[error("{0:?} cannot be written: {1}; nothing is left of it")]
    Write(PathBuf, io::Error),
    /// Its name is taken.
    #[error(transparent)]
    NotWritten(NotWritten),
}

/// A report that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenReport {
    pub path: PathBuf,
    pub outcome: Outcome,
}

impl From<PackError> for Hindrance {
    fn from(error: PackError) -> Self {
        match error {
            PackError::Cancelled => Self::Other(error.to_string()),
            PackError::Write(error) => Self::Io(error),
        }
    }
}

/// Writes a report to `path`. Missing folders are made. Until it is in its place it can be cancelled.
pub fn write(
    plan: &Plan,
    redactor: Option<&Redactor>,
    path: &Path,
    (level, replace): (Level, bool),
    cancel: &Cancel,
    watch: &mut dyn FnMut(&Step<'_>),
) -> Result<WrittenReport, ReportError> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)
            .map_err(|error| ReportError::Folder(folder.into(), error))?;
    }
    let written = whole::write(path, replace, |out| {
        let target = Target { out, level };
        let outcome = pack(plan, redactor, Some(target), cancel, watch)?;
        // What takes longest at the end.
        out.flush()?;
        out.get_ref().sync_all()?;
        if cancel.is_cancelled() {
            return Err(PackError::Cancelled);
        }
        Ok(outcome)
    });
    match written {
        Ok((outcome, _)) => Ok(WrittenReport {
            path: path.to_path_buf(),
            outcome,
        }),
        Err(_) if cancel.is_cancelled() => Err(ReportError::Cancelled),
        Err(NotWritten::Io(path, error)) => Err(ReportError::Write(path, error)),
        Err(error) => Err(ReportError::NotWritten(error)),
    }
}
