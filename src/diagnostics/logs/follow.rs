//! What is appended to a log, across growth, truncation, rotation and midnight.
//!
//! [`Follow::tick`] looks at sizes and names and returns; when it is called is the caller's matter (a clock's tick while the log is open).

use std::{fs, os::unix::fs::MetadataExt as _};

use super::{
    lane::JUMP,
    page::Log,
    record::Entry,
    source::{LogPath, Source, SourceError, quoted},
    unit::{self, LARGE},
};
use crate::prelude::*;

/// What is read in one tick; the rest comes with the next.
const MOST: u64 = 512 * 1024;
/// An entry that grows beyond this is handed out in parts.
const GROWING: u64 = 1024 * 1024;

/// What was appended since the last tick.
#[derive(Debug, Default)]
pub struct Batch {
    /// New entries by time, and again those that became longer: same file and offset, more text.
    pub entries: Vec<Entry>,
    /// Files that appeared, with their numbers.
    pub opened: Vec<(usize, PathBuf)>,
    /// What happened: truncated, replaced, unreadable.
    pub notes: Vec<String>,
    /// Whether there is more than one tick reads.
    pub more: bool,
}

/// A watched file.
#[derive(Debug)]
struct Tail {
    log: LogPath,
    number: usize,
    source: Option<Source>,
    /// Where the last entry begins, which may still become longer.
    last: u64,
    /// How far was read.
    seen: u64,
    /// Whether it was said that it cannot be read.
    failed: bool,
}

/// Watches the files of a log, and the folder in which new ones appear.
#[derive(Debug)]
pub struct Follow {
    tails: Vec<Tail>,
    next: usize,
    folder: Option<Folder>,
}

/// Where new files appear.
#[derive(Debug)]
struct Folder {
    path: PathBuf,
    reads: fn(&Path) -> Option<LogPath>,
    changed: Option<SystemTime>,
}

/// Where the files of a log ended at one moment, so that what is appended from then on is new. Without any, all of them is.
#[derive(Clone, Debug, Default)]
pub struct Ends(Vec<Option<FileEnd>>);

/// Which file had the name, and its length in bytes.
#[derive(Clone, Copy, Debug)]
struct FileEnd {
    identity: (u64, u64),
    length: u64,
}

impl Ends {
    /// Looks at the files' sizes; opens none.
    pub fn now(log: &Log) -> Self {
        let end = |file: &LogPath| {
            let metadata = fs::metadata(&file.path).ok()?;
            Some(FileEnd {
                identity: (metadata.dev(), metadata.ino()),
                length: metadata.len(),
            })
        };
        Self(log.files().map(end).collect())
    }
}

impl Follow {
    /// From these ends on: what was appended since they were taken comes with the first tick.
    pub fn from_ends(log: &Log, ends: &Ends, cancel: &Cancel) -> Self {
        let tails: Vec<Tail> = log
            .files()
            .zip(ends.0.iter().copied().chain(std::iter::repeat(None)))
            .enumerate()
            .map(|(number, (file, end))| {
                let mut tail = Tail::new(file.clone(), number);
                if let Some(end) = end {
                    tail.skip(end, cancel);
                }
                tail
            })
            .collect();
        Self {
            next: tails.len(),
            tails,
            folder: None,
        }
    }

    /// Also takes in files that appear in a folder, if `reads` knows them by their names.
    #[must_use]
    pub fn with_folder(mut self, folder: PathBuf, reads: fn(&Path) -> Option<LogPath>) -> Self {
        self.folder = Some(Folder {
            path: folder,
            reads,
            changed: None,
        });
        self
    }

    /// What was appended since the last call.
    pub fn tick(&mut self, cancel: &Cancel) -> Batch {
        let mut batch = Batch::default();
        self.look_for_files(&mut batch);
        let mut budget = MOST;
        for tail in &mut self.tails {
            if cancel.is_cancelled() || budget == 0 {
                batch.more = true;
                break;
            }
            if tail.is_truncated() {
                tail.begin_anew("was truncated", &mut self.next, &mut batch);
            }
            if let Err(error) = tail.advance(&mut batch, &mut budget, cancel) {
                if !tail.failed {
                    batch
                        .notes
                        .push(format!("cannot read {}: {error}", quoted(&tail.log.path)));
                }
                tail.failed = true;
            }
            if tail.is_replaced() {
                tail.begin_anew("was replaced by a new file", &mut self.next, &mut batch);
                batch.more = true;
            }
        }
        // Files were read one after the other; within one file the order stays where its clock was set.
        let mut latest = HashMap::new();
        let mut keyed: Vec<(i64, Entry)> = batch
            .entries
            .drain(..)
            .map(|entry| {
                let known = latest.entry(entry.source).or_insert(i64::MIN);
                let time = entry.time.unwrap_or(*known);
                *known = time.max(*known);
                // A little late, or its clock was set.
                let is_late = time.saturating_add(JUMP) >= *known;
                (if is_late { time } else { *known }, entry)
            })
            .collect();
        keyed.sort_by_key(|(time, _)| *time);
        batch.entries = keyed.into_iter().map(|(_, entry)| entry).collect();
        batch
    }

    fn look_for_files(&mut self, batch: &mut Batch) {
        let Some(folder) = &mut self.folder else {
            return;
        };
        let now = fs::metadata(&folder.path).and_then(|m| m.modified()).ok();
        if now == folder.changed && now.is_some() {
            return;
        }
        folder.changed = now;
        let Ok(entries) = fs::read_dir(&folder.path) else {
            return;
        };
        for entry in entries.flatten() {
            let Some(log) = (folder.reads)(&entry.path()) else {
                continue;
            };
            if self.tails.iter().all(|tail| tail.log.path != log.path) {
                batch.opened.push((self.next, log.path.clone()));
                self.tails.push(Tail::new(log, self.next));
                self.next += 1;
            }
        }
    }
}

impl Tail {
    fn new(log: LogPath, number: usize) -> Self {
        Self {
            log,
            number,
            source: None,
            last: 0,
            seen: 0,
            failed: false,
        }
    }

    /// To an end: the last entry before it is known, and is handed out again only when it grows.
    fn skip(&mut self, end: FileEnd, cancel: &Cancel) {
        if let Ok(source) = Source::open(&self.log, cancel) {
            if source.identity != end.identity {
                // Replaced since: all of it is new.
                self.source = Some(source);
                return;
            }
            let length = source.length().unwrap_or(0);
            // What a compressed log unpacks to never grows; one that became shorter is read again from its beginning.
            self.seen = if source.is_unpacked {
                length
            } else {
                end.length
            };
            let unit = unit::before(&source, self.seen, unit::BLOCK, cancel)
                .ok()
                .flatten();
            self.last = unit.map_or(self.seen, |unit| {
                let last = unit.entries(&source).last().map_or(0, |(start, _)| *start);
                unit.base + last as u64
            });
            self.source = Some(source);
        }
    }

    /// What the name stands for now is a new file, with entries of its own, read from its beginning.
    fn begin_anew(&mut self, why: &str, next: &mut usize, batch: &mut Batch) {
        let note = format!("{} {why}", quoted(&self.log.path));
        batch.notes.push(note);
        batch.opened.push((*next, self.log.path.clone()));
        *self = Self::new(self.log.clone(), *next);
        *next += 1;
    }

    fn is_truncated(&self) -> bool {
        let length = self.source.as_ref().and_then(|s| s.length().ok());
        length.is_some_and(|length| length < self.seen)
    }

    fn is_replaced(&self) -> bool {
        let Some(source) = &self.source else {
            return false;
        };
        let all_read = source.length().is_ok_and(|length| length <= self.seen);
        all_read
            && fs::metadata(&self.log.path)
                .is_ok_and(|m| m.is_file() && (m.dev(), m.ino()) != source.identity)
    }

    fn advance(&mut self, batch: &mut Batch, budget: &mut u64, cancel: &Cancel) -> io::Result<()> {
        if self.source.is_none() {
            match Source::open(&self.log, cancel) {
                Ok(source) => self.source = Some(source),
                Err(SourceError::Io(_, error)) if error.kind() == io::ErrorKind::NotFound => {
                    return Ok(());
                }
                Err(error) => return Err(io::Error::other(error)),
            }
        }
        let Some(source) = &mut self.source else {
            return Ok(());
        };
        let length = source.length()?;
        if length <= self.seen {
            return Ok(());
        }
        if self.seen == 0 {
            source.detect()?;
        }
        if self.seen - self.last > GROWING {
            self.last = self.seen;
        }
        let mut at = self.last;
        while at < length {
            if cancel.is_cancelled() || *budget == 0 {
                batch.more = true;
                return Ok(());
            }
            let Some(unit) = unit::after(source, at, length, LARGE, cancel)? else {
                break;
            };
            for range in unit.entries(source) {
                let end = if range.1 == unit.bytes.len() {
                    unit.end()
                } else {
                    unit.base + range.1 as u64
                };
                if end > self.seen {
                    batch.entries.extend(unit.entry(source, self.number, range));
                }
                self.last = unit.base + range.0 as u64;
            }
            at = unit.end();
            self.seen = self.seen.max(at);
            *budget = budget.saturating_sub(unit.length);
        }
        Ok(())
    }
}
