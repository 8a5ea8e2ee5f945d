//! What is kept, as a file of our own: one JSON object a line, which `omp-debug sse` reads again.

use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use super::assemble::Assembly;
use super::record::Record;
use super::ring::Dropped;
use crate::text::json::printable;

/// Why nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// There is a file of this name.
    #[error("there is a file {0:?} already: choose another name")]
    Exists(PathBuf),
    /// Writing failed.
    #[error("cannot write {0:?}: {1}")]
    Write(PathBuf, io::Error),
}

/// Writes records and messages, which were redacted before; gives how many bytes. The file appears once it is whole, is no one
/// else's to read, and takes no other file's place.
pub fn export(
    path: &Path,
    dropped: Dropped,
    records: &[Arc<Record>],
    messages: &[(u64, Assembly)],
) -> Result<u64, ExportError> {
    let failed = |error| ExportError::Write(path.to_path_buf(), error);
    if path.symlink_metadata().is_ok() {
        return Err(ExportError::Exists(path.to_path_buf()));
    }
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or_else(|| Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    let written = write(file.as_file_mut(), dropped, records, messages).map_err(failed)?;
    file.as_file().sync_all().map_err(failed)?;
    match file.persist_noclobber(path) {
        Ok(_) => Ok(written),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
            Err(ExportError::Exists(path.to_path_buf()))
        }
        Err(error) => Err(failed(error.error)),
    }
}

fn write(
    file: &mut std::fs::File,
    dropped: Dropped,
    records: &[Arc<Record>],
    messages: &[(u64, Assembly)],
) -> io::Result<u64> {
    let mut out = BufWriter::new(file);
    let mut written = 0;
    let mut line = |value: Value| {
        let text = value.to_string();
        let text = printable(&text);
        written += text.len() as u64 + 1;
        out.write_all(text.as_bytes())?;
        out.write_all(b"\n")
    };
    if dropped.records > 0 {
        line(dropped.to_json())?;
    }
    for record in records {
        line(record.to_json())?;
    }
    for (number, message) in messages {
        line(message.to_json(*number))?;
    }
    out.flush()?;
    Ok(written)
}
