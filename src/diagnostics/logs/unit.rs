//! Pieces of a file that begin and end where entries do, found from either side.

use memchr::{memchr, memchr_iter, memrchr};

use super::{colours::without_colours, record::Entry, source::Source};
use crate::prelude::*;

/// What is read at once for a page.
pub const BLOCK: usize = 64 * 1024;
/// What is read at once when much is looked through.
pub const LARGE: usize = 256 * 1024;
/// Lines that follow an entry belong to it up to here.
const LONGEST: usize = 1024 * 1024;
/// Bytes of an entry that are handed out.
pub const SHOWN: usize = 64 * 1024;

/// Whole entries.
#[derive(Debug, Default)]
pub struct Unit {
    /// Where it begins in the file.
    pub base: u64,
    /// How long it is there. More than `bytes` hold if it is one entry larger than [`LONGEST`].
    pub length: u64,
    pub bytes: Vec<u8>,
}

impl Unit {
    pub fn end(&self) -> u64 {
        self.base + self.length
    }

    fn is_cut(&self) -> bool {
        (self.bytes.len() as u64) < self.length
    }

    /// Where each entry begins and ends, in `bytes`.
    pub fn entries(&self, source: &Source) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        self.each_entry(source, |start, end| found.push((start, end)));
        found
    }

    /// The same one by one.
    pub fn each_entry(&self, source: &Source, mut take: impl FnMut(usize, usize)) {
        self.each_line(source, |start, _, end| take(start, end));
    }

    /// The same, and where each entry's first line ends; how many lines there are in all of them. Every byte is looked at once.
    pub fn each_line(&self, source: &Source, mut take: impl FnMut(usize, usize, usize)) -> u64 {
        let length = self.bytes.len();
        if self.is_cut() {
            take(0, first_line(&self.bytes).len(), length);
            return memchr_iter(b'\n', &self.bytes).count() as u64;
        }
        let mut lines = 0;
        let (mut start, mut first) = (0, None);
        for newline in memchr_iter(b'\n', &self.bytes) {
            lines += 1;
            let line = *first.get_or_insert(newline);
            let next = newline + 1;
            if next < length && source.shape.begins(tail(&self.bytes, next)) {
                take(start, line, next);
                (start, first) = (next, None);
            }
        }
        if start < length {
            take(start, first.unwrap_or(length), length);
        }
        lines
    }

    /// The entry around a place.
    pub fn entry_around(&self, source: &Source, at: usize) -> (usize, usize) {
        if self.is_cut() {
            return (0, self.bytes.len());
        }
        let mut start = at;
        loop {
            start =
                memrchr(b'\n', self.bytes.get(..start).unwrap_or_default()).map_or(0, |n| n + 1);
            if start == 0 || source.shape.begins(tail(&self.bytes, start)) {
                break;
            }
            start -= 1;
        }
        let mut end = at;
        loop {
            end = match memchr(b'\n', tail(&self.bytes, end)) {
                Some(newline) => end + newline + 1,
                None => self.bytes.len(),
            };
            if end >= self.bytes.len() || source.shape.begins(tail(&self.bytes, end)) {
                return (start, end);
            }
        }
    }

    /// The entry as it is handed out; nothing when it is blank.
    pub fn entry(
        &self,
        source: &Source,
        number: usize,
        (start, end): (usize, usize),
    ) -> Option<Entry> {
        let bytes = self.bytes.get(start..end)?;
        let text = bytes.trim_ascii_end();
        if text.is_empty() {
            return None;
        }
        let entry = read_entry(source, text);
        Some(Entry {
            source: number,
            offset: self.base + start as u64,
            length: if self.is_cut() {
                self.length
            } else {
                (end - start) as u64
            },
            cut: entry.cut || self.is_cut(),
            ..entry
        })
    }
}

/// What an entry says that stands like this in a file, without its place there.
pub fn read_entry(source: &Source, text: &[u8]) -> Entry {
    let head = source.shape.head(text);
    let shown = text.get(..SHOWN).unwrap_or(text);
    let cut = shown.len() < text.len();
    let text = String::from_utf8_lossy(shown).into_owned();
    Entry {
        source: 0,
        offset: 0,
        length: text.len() as u64,
        time: head.time,
        level: head.level,
        // omp lets a member of the same name overwrite the process: the file's name is right.
        pid: source.pid.or(head.pid),
        message: head.message.map_or_else(
            || without_colours(&text).into_owned(),
            |message| match without_colours(&message) {
                Cow::Borrowed(_) => message.clone().into_owned(),
                Cow::Owned(plain) => plain,
            },
        ),
        text,
        cut,
    }
}

/// The entry's first line without its end.
pub fn first_line(text: &[u8]) -> &[u8] {
    let line = memchr(b'\n', text)
        .and_then(|end| text.get(..end))
        .unwrap_or(text);
    line.strip_suffix(b"\r").unwrap_or(line)
}

fn tail(bytes: &[u8], from: usize) -> &[u8] {
    bytes.get(from..).unwrap_or_default()
}

/// The last entries before `end`, which is where an entry begins or the file ends.
pub fn before(
    source: &Source,
    end: u64,
    mut size: usize,
    cancel: &Cancel,
) -> io::Result<Option<Unit>> {
    if end == 0 {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    loop {
        let from = end.saturating_sub(size as u64);
        source.read(from, (end - from) as usize, &mut bytes)?;
        let unit = |start: usize, mut bytes: Vec<u8>| {
            bytes.drain(..start);
            whole(from + start as u64, bytes)
        };
        if from == 0 {
            return Ok(Some(unit(0, bytes)));
        }
        let start = starts(&bytes).find(|start| source.shape.begins(tail(&bytes, *start)));
        if let Some(start) = start {
            return Ok(Some(unit(start, bytes)));
        }
        if size < LONGEST {
            size = (size * 4).min(LONGEST);
            continue;
        }
        let start = starts(&bytes).next();
        if let Some(start) = start {
            return Ok(Some(unit(start, bytes)));
        }
        return huge_before(source, end, from, bytes, cancel).map(Some);
    }
}

/// Where lines begin behind another one.
fn starts(bytes: &[u8]) -> impl Iterator<Item = usize> {
    let starts = memchr_iter(b'\n', bytes).map(|newline| newline + 1);
    starts.filter(|start| *start < bytes.len())
}

/// A file that was truncated meanwhile gives less than it had.
fn whole(base: u64, bytes: Vec<u8>) -> Unit {
    let length = bytes.len() as u64;
    Unit {
        base,
        length,
        bytes,
    }
}

/// A line of more than [`LONGEST`]: its beginning is looked for without keeping it.
fn huge_before(
    source: &Source,
    end: u64,
    mut from: u64,
    mut bytes: Vec<u8>,
    cancel: &Cancel,
) -> io::Result<Unit> {
    while from > 0 && !cancel.is_cancelled() {
        let next = from.saturating_sub(LARGE as u64);
        source.read(next, (from - next) as usize, &mut bytes)?;
        if let Some(newline) = memrchr(b'\n', &bytes) {
            from = next + newline as u64 + 1;
            break;
        }
        from = next;
    }
    source.read(from, SHOWN, &mut bytes)?;
    Ok(Unit {
        base: from,
        length: end - from,
        bytes,
    })
}

/// The first entries from `start` on, which is where an entry begins; `limit` is where the file, or what is wanted of it, ends.
pub fn after(
    source: &Source,
    start: u64,
    limit: u64,
    size: usize,
    cancel: &Cancel,
) -> io::Result<Option<Unit>> {
    after_in(Vec::new(), source, start, limit, size, cancel)
}

/// The same in memory that was used before: fresh memory costs more than reading into it.
pub fn after_in(
    mut bytes: Vec<u8>,
    source: &Source,
    start: u64,
    limit: u64,
    mut size: usize,
    cancel: &Cancel,
) -> io::Result<Option<Unit>> {
    if start >= limit {
        return Ok(None);
    }
    loop {
        let count = (limit - start).min(size as u64) as usize;
        source.read(start, count, &mut bytes)?;
        if bytes.is_empty() {
            return Ok(None);
        }
        if start + bytes.len() as u64 >= limit || bytes.len() < count {
            return Ok(Some(whole(start, bytes)));
        }
        let mut line = bytes.len();
        let mut cut = None;
        while let Some(newline) = memrchr(b'\n', bytes.get(..line).unwrap_or_default()) {
            let begin = newline + 1;
            if begin < bytes.len() && source.shape.begins(tail(&bytes, begin)) {
                cut = Some(begin);
                break;
            }
            line = newline;
        }
        if cut.is_none() && size < LONGEST {
            size = (size * 4).min(LONGEST);
            continue;
        }
        let cut = cut.or_else(|| memrchr(b'\n', &bytes).map(|newline| newline + 1));
        let Some(cut) = cut else {
            return huge_after(source, start, limit, bytes, cancel).map(Some);
        };
        bytes.truncate(cut);
        return Ok(Some(whole(start, bytes)));
    }
}

fn huge_after(
    source: &Source,
    start: u64,
    limit: u64,
    mut bytes: Vec<u8>,
    cancel: &Cancel,
) -> io::Result<Unit> {
    let mut end = start + bytes.len() as u64;
    while end < limit && !cancel.is_cancelled() {
        source.read(end, ((limit - end).min(LARGE as u64)) as usize, &mut bytes)?;
        if bytes.is_empty() {
            break;
        }
        if let Some(newline) = memchr(b'\n', &bytes) {
            end += newline as u64 + 1;
            break;
        }
        end += bytes.len() as u64;
    }
    source.read(start, SHOWN, &mut bytes)?;
    Ok(Unit {
        base: start,
        length: end.min(limit) - start,
        bytes,
    })
}

/// Where the first entry at or behind `at` begins: for those who share a file's parts among them.
pub fn align(source: &Source, at: u64, limit: u64) -> io::Result<u64> {
    if at == 0 {
        return Ok(0);
    }
    let mut bytes = Vec::new();
    let mut from = at - 1;
    while from < limit {
        source.read(
            from,
            ((limit - from).min(LARGE as u64)) as usize,
            &mut bytes,
        )?;
        if bytes.len() < 2 {
            break;
        }
        let start = starts(&bytes).find(|start| source.shape.begins(tail(&bytes, *start)));
        if let Some(start) = start {
            return Ok((from + start as u64).min(limit));
        }
        // The last byte may be the line end before the next entry.
        from += bytes.len() as u64 - 1;
    }
    Ok(limit)
}
