//! What was found, as a file: whole or not at all, its owner's only.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::text::json::printable;

/// Why nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// There is a file of this name.
    #[error("there is a file {0:?} already: choose another name")]
    Exists(PathBuf),
    /// The file system refused.
    #[error("cannot write {0:?}: {1}")]
    Write(PathBuf, #[source] io::Error),
    /// It could not be made into JSON.
    #[error("cannot write it as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

/// Writes `what` as JSON; gives the bytes written. Secrets are taken out before, by whoever knows them.
pub fn export(path: &Path, what: &impl Serialize) -> Result<u64, ExportError> {
    let failed = |error| ExportError::Write(path.to_path_buf(), error);
    if path.symlink_metadata().is_ok() {
        return Err(ExportError::Exists(path.to_path_buf()));
    }
    let text = serde_json::to_string_pretty(what)?;
    let text = printable(&text);
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or_else(|| Path::new("."));
    // Temporary files have mode 0600.
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    writeln!(file, "{text}").map_err(failed)?;
    file.as_file().sync_all().map_err(failed)?;
    match file.persist_noclobber(path) {
        Ok(_) => Ok(text.len() as u64 + 1),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
            Err(ExportError::Exists(path.to_path_buf()))
        }
        Err(error) => Err(failed(error.error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn a_file_of_ones_own_that_takes_no_others_place() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("memory.json");
        let bytes = export(&path, &["a\u{9b}"]).unwrap();
        let metadata = path.metadata().unwrap();
        assert_eq!(metadata.len(), bytes);
        assert_eq!(metadata.permissions().mode() & 0o777, 0o600);
        assert!(std::fs::read_to_string(&path).unwrap().contains("\\u009b"));
        let again = export(&path, &1).unwrap_err().to_string();
        assert!(again.contains("choose another name"), "{again}");
        assert!(export(&dir.path().join("no/such/x.json"), &1).is_err());
    }
}
