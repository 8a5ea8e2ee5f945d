//! Lines of a text that may be anything: none is longer than it may be, and each is known by its number.

use super::prelude::*;

/// Reads one line after the other.
pub struct Lines<'a> {
    pub input: Input<'a>,
    pub line: Vec<u8>,
    pub number: u64,
    format: &'static str,
    /// No line is longer, as a number and as an error says it.
    longest: (u64, &'static str),
    /// Whether the last line that was there has an end.
    pub is_whole: bool,
}

impl<'a> Lines<'a> {
    pub fn new(input: Input<'a>, format: &'static str, longest: (u64, &'static str)) -> Self {
        Self {
            input,
            line: Vec::new(),
            number: 0,
            format,
            longest,
            is_whole: true,
        }
    }

    /// Reads the next line; false at the end.
    pub fn next(&mut self) -> Result<bool> {
        let (longest, said) = self.longest;
        self.line.clear();
        self.number += 1;
        let read = (&mut self.input)
            .take(longest)
            .read_until(b'\n', &mut self.line)?;
        let is_whole = self.line.last() == Some(&b'\n');
        if read > 0 {
            self.is_whole = is_whole;
        }
        if is_whole {
            self.line.pop();
        } else if read as u64 == longest {
            return Err(self.broken(format!("it has more than {said}")));
        }
        Ok(read > 0)
    }

    /// An error on this line.
    pub fn broken(&self, why: impl Display) -> ImportError {
        ImportError::broken(self.format, format_args!("line {}", self.number), why)
    }
}
