//! Reads a session's file from any line on.

use flate2::read::MultiGzDecoder;

use super::{
    entry::Entry,
    lines::{LONGEST, Lines},
};
use crate::prelude::*;

/// A line that is not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bad {
    /// Where it begins.
    pub offset: u64,
    /// Its bytes.
    pub length: u64,
    pub why: String,
}

/// What a line is.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    Entry(Box<Entry>),
    /// Something else.
    Bad(Bad),
}

/// A line as JSON.
#[derive(Debug)]
pub struct Raw {
    /// Where it begins.
    pub offset: u64,
    /// Its bytes, with its end.
    pub length: u64,
    /// What it says, or why that is not understood; nothing when nobody wanted it.
    pub json: Option<Result<Value, String>>,
}

/// Why a session cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file system refused.
    #[error("{0:?} cannot be read: {1}")]
    Io(PathBuf, #[source] io::Error),
    /// A folder, a pipe, a device.
    #[error("{0:?} is no regular file")]
    NotAFile(PathBuf),
    /// The place where an entry was holds something else now.
    #[error("{0:?} was changed: there is no entry at byte {1} any more; read it anew")]
    Moved(PathBuf, u64),
}

/// A file being read.
pub struct Reader {
    path: PathBuf,
    lines: Lines<Box<dyn Read + Send>>,
    size: u64,
    taken: u64,
}

/// Whether an archive of omp's is compressed.
pub(super) fn is_gzip(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "gz")
}

/// Opens a regular file: opening a pipe would wait for a writer.
pub(super) fn open(path: &Path) -> Result<(File, std::fs::Metadata), ReadError> {
    let failed = |error| ReadError::Io(path.to_path_buf(), error);
    let metadata = std::fs::metadata(path).map_err(failed)?;
    if !metadata.is_file() {
        return Err(ReadError::NotAFile(path.to_path_buf()));
    }
    Ok((File::open(path).map_err(failed)?, metadata))
}

impl Reader {
    /// Begins at the byte `from`, which is where a line begins.
    pub fn open(path: &Path, from: u64) -> Result<Self, ReadError> {
        let failed = |error| ReadError::Io(path.to_path_buf(), error);
        let (mut file, metadata) = open(path)?;
        let source: Box<dyn Read + Send> = if is_gzip(path) {
            let mut text = MultiGzDecoder::new(file);
            io::copy(&mut Read::by_ref(&mut text).take(from), &mut io::sink()).map_err(failed)?;
            Box::new(text)
        } else {
            file.seek(SeekFrom::Start(from)).map_err(failed)?;
            Box::new(file)
        };
        Ok(Self {
            path: path.to_path_buf(),
            lines: Lines::new(source, from),
            size: metadata.len(),
            taken: from,
        })
    }

    /// Where the next line begins.
    pub fn offset(&self) -> u64 {
        self.taken
    }

    /// The file's size when it was opened.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The next line that is not empty, as JSON; none at the end. A last line without an end that is no JSON is still being
    /// written: it is not taken, and [`Reader::offset`] stays before it.
    pub fn next_raw(&mut self) -> Result<Option<Raw>, ReadError> {
        self.next_raw_if(&mut |_, _| true)
    }

    /// As [`Reader::next_raw`]; a line that `look` does not want, by where it begins and its bytes, is not taken apart.
    pub fn next_raw_if(
        &mut self,
        look: &mut dyn FnMut(u64, &[u8]) -> bool,
    ) -> Result<Option<Raw>, ReadError> {
        loop {
            let line = self.lines.next();
            let line = line.map_err(|error| ReadError::Io(self.path.clone(), error))?;
            let Some(line) = line else {
                return Ok(None);
            };
            let (offset, length) = (line.offset, line.length);
            let json = match line.text {
                None => Some(Err(format!(
                    "the line has {length} bytes, of which {LONGEST} are read at most"
                ))),
                Some(text) if text.iter().all(u8::is_ascii_whitespace) => continue,
                Some(text) if !look(offset, text) => None,
                Some(text) => Some(match serde_json::from_slice::<Value>(text) {
                    Ok(value @ Value::Object(_)) => Ok(value),
                    Ok(_) => Err("it is JSON, but no object".to_owned()),
                    Err(_) if !line.ended => return Ok(None),
                    Err(error) => Err(error.to_string()),
                }),
            };
            self.taken = offset + length;
            return Ok(Some(Raw {
                offset,
                length,
                json,
            }));
        }
    }

    /// The next line as an outline.
    pub fn next_item(&mut self) -> Result<Option<Item>, ReadError> {
        let Some(raw) = self.next_raw()? else {
            return Ok(None);
        };
        let Raw { offset, length, .. } = raw;
        Ok(Some(match raw.json {
            Some(Ok(value)) => Item::Entry(Box::new(Entry::read(&value, offset, length))),
            Some(Err(why)) => Item::Bad(Bad {
                offset,
                length,
                why,
            }),
            None => return Ok(None),
        }))
    }
}

/// One entry in full.
pub fn value_at(path: &Path, offset: u64) -> Result<Value, ReadError> {
    let next = Reader::open(path, offset)?.next_raw()?;
    next.and_then(|raw| raw.json?.ok())
        .ok_or_else(|| ReadError::Moved(path.to_path_buf(), offset))
}
