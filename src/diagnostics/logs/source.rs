//! One file, read at any place.

use std::os::unix::fs::{FileExt as _, MetadataExt as _, OpenOptionsExt as _};

use flate2::read::MultiGzDecoder;
use jiff::civil::Date;

use super::shape::Shape;
use crate::prelude::*;

/// A compressed log is unpacked up to here.
const UNPACKED: u64 = 4 << 30;
/// What compressed logs begin with.
/// Bytes by which a log's shape is known.
const SAMPLE: usize = 64 * 1024;
/// Bytes at a file's beginning in which a NUL says that it is no text.
const BINARY: usize = 8 * 1024;

/// Where a log is and what its name says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogPath {
    /// The file.
    pub path: PathBuf,
    /// Its day: files of different days are read one day after the other, the newest first.
    pub day: Option<Date>,
    /// The process that wrote all of it.
    pub pid: Option<u32>,
}

impl From<&Path> for LogPath {
    fn from(path: &Path) -> Self {
        Self {
            path: path.to_path_buf(),
            day: None,
            pid: None,
        }
    }
}

/// Whether a file in a folder that was named is a log, by its name.
pub fn is_log_name(path: &Path) -> bool {
    let name = path
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    let name = name.strip_suffix(".gz").unwrap_or(name);
    let name = name
        .trim_end_matches(|c: char| c.is_ascii_digit())
        .trim_end_matches('.');
    let extension = Path::new(name)
        .extension()
        .and_then(|e| e.to_str())
        .unwrap_or_default();
    !name.starts_with('.') && ["log", "jsonl", "ndjson"].contains(&extension)
}

/// Why a log cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The system says no.
    #[error("cannot read {0:?}: {1}")]
    Io(PathBuf, #[source] io::Error),
    /// A folder, pipe or device.
    #[error("{0:?} is {1}, not a file: logs are read from files")]
    NoFile(PathBuf, &'static str),
    /// A program, a picture, a data base.
    #[error("{0:?} is no log: its beginning has NUL bytes, as binary files have")]
    Binary(PathBuf),
}

/// Whether this beginning of a file is not text. NUL bytes in front of everything else are no sign of it: they are the hole that is left
/// when a log is truncated under a program that goes on writing.
fn is_binary(sample: &[u8]) -> bool {
    let hole = sample.iter().take_while(|byte| **byte == 0).count();
    let written = sample.get(hole..).unwrap_or_default();
    memchr::memchr(0, written.get(..BINARY).unwrap_or(written)).is_some()
}

/// Why a file cannot be a log, by its first bytes: nothing for one that may be, is not there yet, or is compressed.
pub fn refusal(path: &Path) -> Option<SourceError> {
    let sample = sample(path)?;
    let is_gzip = sample.starts_with(&crate::GZIP);
    (!is_gzip && is_binary(&sample)).then(|| SourceError::Binary(path.to_path_buf()))
}

/// Whether a file, as far as it is there, is text that is not packed.
pub(super) fn is_plain(path: &Path) -> bool {
    let sample = sample(path).unwrap_or_default();
    !sample.starts_with(&crate::GZIP) && !is_binary(&sample)
}

fn sample(path: &Path) -> Option<Vec<u8>> {
    let file = path.is_file().then(|| File::open(path).ok());
    read_at_most(file??, SAMPLE as u64).ok()
}

/// A path for a sentence.
pub fn quoted(path: &Path) -> String {
    format!("{:?}", path.to_string_lossy())
}

/// An open log.
#[derive(Debug)]
pub struct Source {
    pub file: File,
    pub shape: Shape,
    pub pid: Option<u32>,
    /// Device and inode: a file of the same name may be another one later.
    pub identity: (u64, u64),
    /// Whether `file` holds what a compressed log unpacks to.
    pub is_unpacked: bool,
    /// Why it was not unpacked to its end.
    pub note: Option<String>,
}

impl Source {
    pub fn open(log: &LogPath, cancel: &Cancel) -> Result<Self, SourceError> {
        let failed = |error| SourceError::Io(log.path.clone(), error);
        // A pipe without a writer would keep us waiting.
        let file = File::options()
            .read(true)
            .custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed())
            .open(&log.path)
            .map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        if !metadata.is_file() {
            let what = if metadata.is_dir() {
                "a folder"
            } else {
                "a pipe or device"
            };
            return Err(SourceError::NoFile(log.path.clone(), what));
        }
        let identity = (metadata.dev(), metadata.ino());
        let mut magic = [0; 2];
        let is_gzip = file.read_at(&mut magic, 0).is_ok_and(|n| n == 2) && magic == crate::GZIP;
        let (file, note) = if is_gzip {
            unpack(&file, cancel).map_err(failed)?
        } else {
            (file, None)
        };
        let mut source = Self {
            file,
            shape: Shape::Lines,
            pid: log.pid,
            identity,
            is_unpacked: is_gzip,
            note,
        };
        let sample = source.sample().map_err(failed)?;
        if is_binary(&sample) {
            return Err(SourceError::Binary(log.path.clone()));
        }
        source.shape = Shape::detect(&sample);
        Ok(source)
    }

    fn sample(&self) -> io::Result<Vec<u8>> {
        let mut sample = Vec::new();
        self.read(0, SAMPLE, &mut sample)?;
        Ok(sample)
    }

    /// Looks at the first lines again: an empty file shows its shape only later.
    pub fn detect(&mut self) -> io::Result<()> {
        self.shape = Shape::detect(&self.sample()?);
        Ok(())
    }

    pub fn length(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    /// Fills `buffer` with the bytes from `from` on, fewer where the file ends.
    pub fn read(&self, from: u64, count: usize, buffer: &mut Vec<u8>) -> io::Result<()> {
        buffer.resize(count, 0);
        let mut filled = 0;
        while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            match self.file.read_at(rest, from + filled as u64) {
                Ok(0) => break,
                Ok(n) => filled += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        buffer.truncate(filled);
        Ok(())
    }
}

/// A compressed log, unpacked into a file without a name. What can be read of a broken one is kept.
fn unpack(file: &File, cancel: &Cancel) -> io::Result<(File, Option<String>)> {
    let mut unpacked = tempfile::tempfile()?;
    let mut decoder = MultiGzDecoder::new(BufReader::with_capacity(64 * 1024, file));
    let mut block = vec![0; 64 * 1024];
    let mut total = 0;
    while !cancel.is_cancelled() {
        match decoder.read(&mut block) {
            Ok(0) => return Ok((unpacked, None)),
            Ok(n) => {
                unpacked.write_all(block.get(..n).unwrap_or_default())?;
                total += n as u64;
                if total >= UNPACKED {
                    return Ok((
                        unpacked,
                        Some("is larger than 4 GiB unpacked: the rest is left out".to_owned()),
                    ));
                }
            }
            Err(error) => {
                return Ok((
                    unpacked,
                    Some(format!("is broken after {total} unpacked bytes: {error}")),
                ));
            }
        }
    }
    Ok((unpacked, None))
}

#[cfg(test)]
mod tests {
    use super::is_binary;

    #[test]
    fn a_program_is_no_log_and_a_hole_is_no_program() {
        assert!(is_binary(b"\x7fELF\x02\x01\x01\0\0\0\0\0"));
        assert!(!is_binary(b"\0\0\0\0\0\0 10:00:00 INFO after the hole\n"));
        assert!(!is_binary(b""));
        assert!(!is_binary(
            "2026-08-21 10:00:00 INFO gr\u{fc}n\n".as_bytes()
        ));
        let mut late = vec![b'x'; super::BINARY];
        late.push(0);
        assert!(!is_binary(&late), "only the beginning counts");
    }
}
