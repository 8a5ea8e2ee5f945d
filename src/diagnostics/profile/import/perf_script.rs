//! A file that `perf script` wrote; how it is written is [`crate::profile::perf_script`]'s.

use super::{is_text, lines::Lines, prelude::*};
use crate::profile::perf_script::{Reader, head};

const FORMAT: &str = "output of perf script";
/// No line is longer.
const LONGEST: (u64, &str) = (1 << 20, "1 MB");

/// Whether the beginning of a text has a sample in it.
pub(super) fn looks_like(beginning: &[u8]) -> bool {
    if !is_text(beginning) {
        return false;
    }
    let mut lines = beginning.split(|byte| *byte == b'\n').take(400).peekable();
    while let Some(line) = lines.next() {
        if line.starts_with(b"#") || line.trim_ascii().is_empty() {
            continue;
        }
        let text = String::from_utf8_lossy(line);
        let Some(counted) = head(text.trim_end()).and_then(|head| head.counted) else {
            continue;
        };
        let next = lines.peek().copied().unwrap_or_default();
        if !counted.rest.is_empty() || next.first().is_some_and(u8::is_ascii_whitespace) {
            return true;
        }
    }
    false
}

/// Reads all samples. Where there are several events, those of the first one count.
pub(super) fn read(input: Input<'_>) -> Result<Profile> {
    let mut builder = Builder::default();
    let mut reader = Reader::of_a_file();
    let mut lines = Lines::new(input, FORMAT, LONGEST);
    while lines.next()? {
        let read = reader.line(&lines.line, &mut builder);
        read.map_err(|why| lines.broken(why))?;
    }
    reader.end(&mut builder);
    some(builder.finish(), FORMAT)
}
