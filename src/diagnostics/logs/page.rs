//! Several files as one log, a page at a time.

use base::region;
use jiff::civil::Date;

use super::{
    filter::Filter,
    lane::{Direction, EntryPlace, Ready},
    record::Entry,
    source::{LogPath, Source, SourceError, quoted},
};
use crate::Cancel;

/// A place between entries: for each file which of its entries are before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor(Vec<EntryPlace>);

/// Entries in the order of time, and where to go on.
#[derive(Clone, Debug)]
pub struct Page {
    /// The entries, oldest first.
    pub entries: Vec<Entry>,
    /// Before the first of them: everything from here on was looked at.
    pub before: Cursor,
    /// Behind the last of them.
    pub after: Cursor,
    /// Whether the log's end (its beginning, when going back) was reached.
    pub reached_end: bool,
    /// How many bytes were read.
    pub read: u64,
}

/// One or several files, merged by time.
///
/// Files of different days follow each other and are opened only when a page reaches their day. Within a file entries that stand
/// near each other are put in the order of time; where its clock jumped the file's own order holds. An entry without a time stays with its
/// neighbour.
#[derive(Debug)]
pub struct Log {
    lanes: Vec<Lane>,
    notes: Vec<String>,
}

#[derive(Debug)]
struct Lane {
    log: LogPath,
    source: Slot,
}

#[derive(Debug)]
enum Slot {
    Closed,
    Open(Source),
    Failed,
}

/// Files of one day are merged; a file that was named by itself has none, and all such files are one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Day(Option<Date>);

impl Log {
    /// A log of these files. Nothing is opened yet.
    pub fn new(files: impl IntoIterator<Item = LogPath>) -> Self {
        let lanes = files
            .into_iter()
            .map(|log| Lane {
                log,
                source: Slot::Closed,
            })
            .collect();
        Self {
            lanes,
            notes: Vec::new(),
        }
    }

    /// The files, by the numbers that entries carry.
    pub fn files(&self) -> impl Iterator<Item = &LogPath> {
        self.lanes.iter().map(|lane| &lane.log)
    }

    /// What each file is called beside its entries, by the numbers that they carry; nothing where the process or the day tells files
    /// apart, or where there is only one.
    pub fn names(&self) -> Vec<String> {
        let told = |lane: &Lane| lane.log.pid.is_some() || lane.log.day.is_some();
        if self.lanes.len() < 2 || self.lanes.iter().any(told) {
            return Vec::new();
        }
        let paths: Vec<_> = self
            .lanes
            .iter()
            .map(|lane| lane.log.path.as_path())
            .collect();
        super::names::short(&paths)
    }

    /// What a reader should know: files that could not be read, broken compression. Each is said once.
    pub fn take_notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    /// How many files could not be read at all, of those that were opened.
    pub fn unreadable(&self) -> usize {
        let lanes = self.lanes.iter();
        lanes
            .filter(|lane| matches!(lane.source, Slot::Failed))
            .count()
    }

    /// Which could not be read, or not to their end.
    pub fn failed(&self) -> impl Iterator<Item = &std::path::Path> {
        let failed = self.lanes.iter().filter(|lane| match &lane.source {
            Slot::Failed => true,
            Slot::Open(source) => source.note.is_some(),
            Slot::Closed => false,
        });
        failed.map(|lane| lane.log.path.as_path())
    }

    /// The place before everything.
    pub fn start(&self) -> Cursor {
        Cursor(vec![EntryPlace::START; self.lanes.len()])
    }

    /// The place behind everything that is there when it is reached.
    pub fn end(&self) -> Cursor {
        Cursor(vec![EntryPlace::END; self.lanes.len()])
    }

    /// Opens a file, or says why not; once.
    pub(super) fn open(&mut self, number: usize, cancel: &Cancel) -> Option<&mut Source> {
        let lane = self.lanes.get_mut(number)?;
        if matches!(lane.source, Slot::Closed) {
            lane.source = match Source::open(&lane.log, cancel) {
                Ok(source) => {
                    if let Some(note) = &source.note {
                        self.notes
                            .push(format!("{} {note}", quoted(&lane.log.path)));
                    }
                    Slot::Open(source)
                }
                Err(error) => {
                    self.notes.push(error.to_string());
                    Slot::Failed
                }
            };
        }
        match &mut lane.source {
            Slot::Open(source) => Some(source),
            _ => None,
        }
    }

    /// Up to `limit` entries before a place, the newest ones. Reads about `budget` bytes at most and hands out what it has then.
    pub fn before(
        &mut self,
        cursor: &Cursor,
        limit: usize,
        filter: &Filter,
        budget: u64,
        cancel: &Cancel,
    ) -> Result<Page, SourceError> {
        let mut page = self.walk(Direction::Back, cursor, limit, filter, budget, cancel)?;
        page.entries.reverse();
        std::mem::swap(&mut page.before, &mut page.after);
        Ok(page)
    }

    /// Up to `limit` entries behind a place, the oldest ones; otherwise as [`Log::before`].
    pub fn after(
        &mut self,
        cursor: &Cursor,
        limit: usize,
        filter: &Filter,
        budget: u64,
        cancel: &Cancel,
    ) -> Result<Page, SourceError> {
        self.walk(Direction::Forth, cursor, limit, filter, budget, cancel)
    }

    /// The place before the first entry of this time (milliseconds since 1970) or later, as far as the files are in order.
    pub fn at(&mut self, time: i64, cancel: &Cancel) -> Result<Cursor, SourceError> {
        let mut places = Vec::new();
        for number in 0..self.lanes.len() {
            let day = self.lanes.get(number).and_then(|lane| lane.log.day);
            // The day in a name is local somewhere: a day to either side is looked at as well.
            let days = day.map(|day| super::time::days_from(day, time));
            let place = match days {
                Some(days) if days > 1 => EntryPlace::START,
                Some(days) if days < -1 => EntryPlace::END,
                _ => match self.open(number, cancel) {
                    Some(source) => {
                        let found = super::lane::seek(source, time, cancel);
                        let path = self.files().nth(number).map(|log| log.path.clone());
                        found.map_err(|error| SourceError::Io(path.unwrap_or_default(), error))?
                    }
                    None => EntryPlace::START,
                },
            };
            places.push(place);
        }
        Ok(Cursor(places))
    }

    /// The place before an entry, for any filter: a cursor that a search left behind has only passed over what that search wanted, and
    /// may stand far from what it found. Other files are divided by the entry's time; without one they stay as in `otherwise`.
    pub fn beside(
        &mut self,
        entry: &Entry,
        otherwise: &Cursor,
        cancel: &Cancel,
    ) -> Result<Cursor, SourceError> {
        let mut cursor = match entry.time {
            Some(time) if self.lanes.len() > 1 => self.at(time, cancel)?,
            _ => otherwise.clone(),
        };
        if let Some(place) = cursor.0.get_mut(entry.source) {
            *place = EntryPlace::before(entry.offset);
        }
        Ok(cursor)
    }

    fn walk(
        &mut self,
        direction: Direction,
        cursor: &Cursor,
        limit: usize,
        filter: &Filter,
        budget: u64,
        cancel: &Cancel,
    ) -> Result<Page, SourceError> {
        let _region = region!("logs.read");
        // Files may have been added since the cursor was made.
        let mut places = cursor.0.clone();
        places.resize(self.lanes.len(), EntryPlace::START);
        let mut walked = Page {
            entries: Vec::new(),
            before: cursor.clone(),
            after: Cursor(Vec::new()),
            reached_end: true,
            read: 0,
        };
        while let Some(day) = self.next_day(&places, direction) {
            let mut ready = self.lanes_of(day, &places, direction, cancel)?;
            let done = loop {
                if walked.entries.len() >= limit || cancel.is_cancelled() || walked.read >= budget {
                    break false;
                }
                if !self.fill(&mut ready, filter, budget, &mut walked.read, cancel)? {
                    break false;
                }
                let next = ready
                    .iter_mut()
                    .filter_map(|lane| Some((lane.rank()?, lane)))
                    .min_by_key(|(rank, _)| *rank);
                let Some((_, next)) = next else {
                    break true;
                };
                walked.entries.extend(next.pop());
            };
            for lane in &ready {
                if let Some(place) = places.get_mut(lane.number) {
                    *place = if done {
                        direction.finish()
                    } else {
                        lane.place()
                    };
                }
            }
            if !done {
                walked.reached_end = false;
                break;
            }
        }
        walked.after = Cursor(places);
        Ok(walked)
    }

    /// The newest (or oldest) day of which something is left.
    fn next_day(&self, places: &[EntryPlace], direction: Direction) -> Option<Day> {
        let left = self.lanes.iter().zip(places).filter(|(lane, place)| {
            !matches!(lane.source, Slot::Failed) && **place != direction.finish()
        });
        let days = left.map(|(lane, _)| Day(lane.log.day));
        match direction {
            Direction::Back => days.max(),
            Direction::Forth => days.min(),
        }
    }

    /// The files of a day, opened.
    fn lanes_of(
        &mut self,
        Day(day): Day,
        places: &[EntryPlace],
        direction: Direction,
        cancel: &Cancel,
    ) -> Result<Vec<Ready>, SourceError> {
        let mut ready = Vec::new();
        for number in 0..self.lanes.len() {
            let Some(path) = self
                .lanes
                .get(number)
                .filter(|lane| lane.log.day == day)
                .map(|lane| lane.log.path.clone())
            else {
                continue;
            };
            if let (Some(source), Some(place)) = (self.open(number, cancel), places.get(number)) {
                let length = source
                    .length()
                    .map_err(|error| SourceError::Io(path, error))?;
                ready.push(Ready::new(number, direction, place, length));
            }
        }
        Ok(ready)
    }

    /// Reads until every file of the day has an entry or no more; says whether it could.
    fn fill(
        &self,
        ready: &mut [Ready],
        filter: &Filter,
        budget: u64,
        read: &mut u64,
        cancel: &Cancel,
    ) -> Result<bool, SourceError> {
        for lane in ready {
            let Some(Lane {
                source: Slot::Open(source),
                log,
            }) = self.lanes.get(lane.number)
            else {
                lane.finish();
                continue;
            };
            let filled = lane.fill(source, filter, budget, read, cancel);
            if !filled.map_err(|error| SourceError::Io(log.path.clone(), error))? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
