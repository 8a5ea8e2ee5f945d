//! A profile as a file.

use super::{ExportError, Format, write};
use crate::{
    prelude::*,
    profile::Profile,
    whole::{self, NotWritten, Replace},
};

/// Why nothing was saved.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    /// The file cannot be.
    #[error(transparent)]
    File(#[from] NotWritten),
    /// There is nothing to save.
    #[error(transparent)]
    Export(ExportError),
}

/// Writes `target`, a file that is there as a whole or not at all; gives its size in bytes.
pub fn save(
    profile: &Profile,
    format: Format,
    target: &Path,
    force: bool,
    cancel: &Cancel,
) -> Result<u64, SaveError> {
    let ((), size) = whole::write(target, Replace::If(force), |out| {
        write(profile, format, out, cancel).map_err(|error| match error {
            ExportError::Write(error) => NotWritten::Io(target.to_path_buf(), error).into(),
            other => SaveError::Export(other),
        })
    })?;
    Ok(size)
}
