//! One file of a log, read in either direction and handed out in the order of time.
//!
//! Several threads or processes that write to one file put its lines out of order a little. What was read waits here until all that
//! stands within [`NEAR`] bytes of it was read as well, and leaves by time. Where the clock jumps by more than [`JUMP`] the
//! file's own order holds: neither side is mixed with the other.

use std::ops::Range;

use super::{
    filter::Filter,
    record::Entry,
    source::Source,
    unit::{self, BLOCK, LARGE},
};
use crate::prelude::*;

/// Entries that stand this far apart are never exchanged.
const NEAR: u64 = 32 * 1024;
/// A clock that goes back by more was set, in milliseconds.
pub const JUMP: i64 = 5 * 60_000;
/// Popped entries that are remembered before the old ones are looked through.
const REMEMBERED: usize = 2048;

/// Which way a log is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Towards older entries.
    Back,
    /// Towards newer ones.
    Forth,
}

impl Direction {
    /// The place where there is no more.
    pub fn finish(self) -> EntryPlace {
        match self {
            Self::Back => EntryPlace::START,
            Self::Forth => EntryPlace::END,
        }
    }
}

/// A place between the entries of one file: those that begin before `at` are before it, the others behind. Where the file is not in
/// order some entries near it stand on the other side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryPlace {
    at: u64,
    /// Where these entries begin and end.
    but: Vec<Range<u64>>,
}

impl EntryPlace {
    pub const START: Self = Self::before(0);
    /// The end of a file, wherever that is when it is reached.
    pub const END: Self = Self::before(u64::MAX);

    /// The place before the entry that begins there.
    pub const fn before(offset: u64) -> Self {
        Self {
            at: offset,
            but: Vec::new(),
        }
    }

    fn is_after(&self, offset: u64) -> bool {
        let but = self.but.iter().any(|entry| entry.start == offset);
        (offset < self.at) == but
    }
}

/// Entries that were read and are not handed out yet.
pub struct Ready {
    /// Which file of the log.
    pub number: usize,
    direction: Direction,
    from: EntryPlace,
    /// Where reading goes on.
    edge: u64,
    /// Nothing is wanted from there on.
    limit: u64,
    finished: bool,
    /// As read, the next first.
    pending: VecDeque<Entry>,
    /// By time, without one by that of the neighbour.
    sorted: BTreeMap<(i64, u64), Entry>,
    /// The time of the last entry that had one.
    time: i64,
    /// Entries that need not be handed out any more.
    gone: Vec<Range<u64>>,
}

impl Ready {
    pub fn new(number: usize, direction: Direction, from: &EntryPlace, length: u64) -> Self {
        let at = from.at.min(length);
        let edge = match direction {
            Direction::Back => from.but.iter().map(|entry| entry.end).fold(at, u64::max),
            Direction::Forth => from.but.iter().map(|entry| entry.start).fold(at, u64::min),
        };
        Self {
            number,
            direction,
            from: EntryPlace {
                at,
                but: from.but.clone(),
            },
            edge: edge.min(length),
            limit: length,
            finished: false,
            pending: VecDeque::new(),
            sorted: BTreeMap::new(),
            time: i64::MIN,
            gone: Vec::new(),
        }
    }

    /// There is no more.
    pub fn finish(&mut self) {
        self.finished = true;
    }

    /// The smaller, the sooner its next entry is due among those of other files; nothing when there is none.
    pub fn rank(&self) -> Option<(i64, i64)> {
        let ((time, _), _) = self.next()?;
        let number = i64::try_from(self.number).unwrap_or(i64::MAX);
        // Without a time an entry stands right beside what was handed out already.
        Some(match (self.direction, *time) {
            (_, i64::MIN) => (i64::MIN, number),
            (Direction::Forth, time) => (time, number),
            (Direction::Back, time) => (time.saturating_neg(), -number),
        })
    }

    fn next(&self) -> Option<(&(i64, u64), &Entry)> {
        match self.direction {
            Direction::Back => self.sorted.last_key_value(),
            Direction::Forth => self.sorted.first_key_value(),
        }
    }

    /// Hands out the next entry.
    pub fn pop(&mut self) -> Option<Entry> {
        let (_, entry) = match self.direction {
            Direction::Back => self.sorted.pop_last(),
            Direction::Forth => self.sorted.pop_first(),
        }?;
        self.forget(&entry);
        Some(entry)
    }

    fn forget(&mut self, entry: &Entry) {
        self.gone.push(range(entry));
        if self.gone.len() > REMEMBERED {
            let place = self.place();
            self.gone = place.but;
        }
    }

    /// Where it stands: between what was handed out and the rest.
    pub fn place(&self) -> EntryPlace {
        let left = || self.sorted.values().chain(&self.pending).map(range);
        let is_back = self.direction == Direction::Back;
        let at = if is_back {
            left().map(|entry| entry.end).fold(self.edge, u64::max)
        } else {
            left().map(|entry| entry.start).fold(self.edge, u64::min)
        };
        let gone = self
            .gone
            .iter()
            .filter(|entry| (entry.start < at) == is_back);
        let mut but: Vec<Range<u64>> = gone.cloned().collect();
        but.sort_by_key(|entry| entry.start);
        EntryPlace { at, but }
    }

    /// Reads until its next entry is known, or that there is none; says whether it could within the budget.
    pub fn fill(
        &mut self,
        source: &Source,
        filter: &Filter,
        budget: u64,
        read: &mut u64,
        cancel: &Cancel,
    ) -> io::Result<bool> {
        let mut size = BLOCK;
        loop {
            if self.admit() || (self.finished && self.pending.is_empty()) {
                return Ok(true);
            }
            // What was found is handed out in any case, or the next page would begin where this one did.
            if cancel.is_cancelled() || (self.sorted.is_empty() && *read >= budget) {
                return Ok(false);
            }
            if filter.excludes(source) {
                self.finished = true;
                continue;
            }
            let unit = match self.direction {
                Direction::Back => unit::before(source, self.edge, size, cancel)?,
                Direction::Forth => unit::after(source, self.edge, self.limit, size, cancel)?,
            };
            let Some(unit) = unit.filter(|unit| unit.length > 0) else {
                self.finished = true;
                continue;
            };
            *read += unit.length;
            let selected = filter.select(source, &unit)?;
            let entries = selected
                .into_iter()
                .filter_map(|range| unit.entry(source, self.number, range));
            match self.direction {
                Direction::Back => {
                    entries.for_each(|entry| self.pending.push_front(entry));
                    self.edge = unit.base;
                }
                Direction::Forth => {
                    self.pending.extend(entries);
                    self.edge = unit.end();
                }
            }
            // What is looked through without a hit goes in larger steps.
            if self.pending.is_empty() && self.sorted.is_empty() {
                size = LARGE;
                if self.direction == Direction::Back {
                    let last = unit
                        .entries(source)
                        .last()
                        .and_then(|range| unit.entry(source, self.number, *range));
                    self.finished = filter.is_too_old(last.and_then(|entry| entry.time));
                }
            }
        }
    }

    /// Lets in what was read as far as needed; whether the next entry is known then.
    fn admit(&mut self) -> bool {
        while let Some(entry) = self.pending.front() {
            let time = entry.time.unwrap_or_else(|| self.time_beside());
            let is_next_known = self.is_far(entry.offset) || self.is_jump(time);
            if is_next_known && !self.sorted.is_empty() {
                return true;
            }
            let Some(entry) = self.pending.pop_front() else {
                break;
            };
            let is_after = self.from.is_after(entry.offset);
            if is_after != (self.direction == Direction::Forth) {
                self.forget(&entry);
                continue;
            }
            self.time = time;
            self.sorted.insert((time, entry.offset), entry);
        }
        !self.sorted.is_empty() && (self.finished || self.is_far(self.edge))
    }

    /// The time of an entry that has none: that of its neighbour which was read before it. The last one of a file, read from there,
    /// has none such, and belongs to the one before it in the file.
    fn time_beside(&self) -> i64 {
        if self.direction == Direction::Back && self.time == i64::MIN {
            let mut older = self.pending.iter();
            return older.find_map(|entry| entry.time).unwrap_or(self.time);
        }
        self.time
    }

    fn is_far(&self, offset: u64) -> bool {
        self.next()
            .is_some_and(|((_, next), _)| next.abs_diff(offset) >= NEAR)
    }

    fn is_jump(&self, time: i64) -> bool {
        match self.direction {
            Direction::Back => self
                .sorted
                .first_key_value()
                .is_some_and(|((least, _), _)| time > least.saturating_add(JUMP)),
            Direction::Forth => self
                .sorted
                .last_key_value()
                .is_some_and(|((most, _), _)| time < most.saturating_sub(JUMP)),
        }
    }
}

fn range(entry: &Entry) -> Range<u64> {
    entry.offset..entry.offset + entry.length
}

/// The place before the first entry of a time, in a file that is in order.
pub fn seek(source: &Source, time: i64, cancel: &Cancel) -> io::Result<EntryPlace> {
    let length = source.length()?;
    let (mut low, mut high) = (0, length);
    // The first entry with a time at or behind a place, which begins an entry.
    let timed = |at: u64| -> io::Result<Option<Entry>> {
        let unit = unit::after(source, at, length, BLOCK, cancel)?;
        Ok(unit.and_then(|unit| {
            let entries = unit.entries(source).into_iter();
            entries
                .filter_map(|range| unit.entry(source, 0, range))
                .find(|entry| entry.time.is_some())
        }))
    };
    while high - low > BLOCK as u64 && !cancel.is_cancelled() {
        let middle = unit::align(source, low + (high - low) / 2, high)?;
        if middle >= high {
            break;
        }
        match timed(middle)? {
            Some(entry) if entry.time < Some(time) => low = middle,
            Some(_) => high = middle,
            None => break,
        }
    }
    // The rest is gone through.
    let mut at = low;
    while at < length && !cancel.is_cancelled() {
        let Some(unit) = unit::after(source, at, length, BLOCK, cancel)? else {
            break;
        };
        for range in unit.entries(source) {
            if let Some(entry) = unit.entry(source, 0, range)
                && entry.time >= Some(time)
            {
                return Ok(EntryPlace::before(entry.offset));
            }
        }
        at = unit.end();
    }
    Ok(EntryPlace::END)
}
