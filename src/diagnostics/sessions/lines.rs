//! Lines of a file of any size, with where they are.

use std::io::Result;

use crate::prelude::*;

/// Bytes of a line that are held. omp cuts every text it keeps at 500,000 characters, so that a longer line is none of its own.
pub const LONGEST: usize = 64 * 1024 * 1024;

/// A line as it was found.
pub struct Line<'a> {
    /// Where it begins.
    pub offset: u64,
    /// Its bytes, the line's end included.
    pub length: u64,
    /// Without the line's end; nothing when it is too long to be held.
    pub text: Option<&'a [u8]>,
    /// Whether it has an end: the last line may be in the middle of being written.
    pub ended: bool,
}

/// Reads lines one by one.
pub struct Lines<R> {
    reader: BufReader<R>,
    offset: u64,
    line: Vec<u8>,
}

impl<R: Read> Lines<R> {
    /// `offset` is where the reader stands.
    pub fn new(reader: R, offset: u64) -> Self {
        Self {
            reader: BufReader::with_capacity(64 * 1024, reader),
            offset,
            line: Vec::new(),
        }
    }

    /// The next line; none at the end.
    pub fn next(&mut self) -> Result<Option<Line<'_>>> {
        // What one long line took is not held for all that follow.
        if self.line.capacity() > 4 * 1024 * 1024 {
            self.line = Vec::new();
        }
        self.line.clear();
        let (mut length, mut ended, mut fits) = (0_u64, false, true);
        while !ended {
            let buffer = self.reader.fill_buf()?;
            if buffer.is_empty() {
                break;
            }
            let end = memchr::memchr(b'\n', buffer);
            let used = end.map_or(buffer.len(), |at| at + 1);
            ended = end.is_some();
            fits = fits && self.line.len() + used <= LONGEST;
            if fits {
                self.line.extend(buffer.iter().take(end.unwrap_or(used)));
            } else {
                self.line = Vec::new();
            }
            length += used as u64;
            self.reader.consume(used);
        }
        if length == 0 {
            return Ok(None);
        }
        let offset = self.offset;
        self.offset += length;
        Ok(Some(Line {
            offset,
            length,
            text: fits.then_some(&self.line),
            ended,
        }))
    }
}
