//! A window on a log: entries to both sides of a place that somebody wants to see.

use super::{Cursor, Entry, Filter, Log, Page, SourceError};
use crate::Cancel;

/// Entries that are read at once.
pub const PAGE: usize = 50;
/// Bytes that are read for one answer.
pub const BUDGET: u64 = 32 * 1024 * 1024;

/// Entries around one that was searched.
#[derive(Clone, Debug)]
pub struct Window {
    /// Oldest first.
    pub entries: Vec<Entry>,
    /// Which of them it is.
    pub at: usize,
    /// Before them.
    pub before: Cursor,
    /// Behind them.
    pub after: Cursor,
    /// Whether they begin where the log does, and end where it does.
    pub reached: (bool, bool),
}

impl Window {
    fn around(older: Page, newer: Page, at: impl FnOnce(&[Entry], usize) -> usize) -> Self {
        let first_newer = older.entries.len();
        let mut entries = older.entries;
        entries.extend(newer.entries);
        Self {
            at: at(&entries, first_newer),
            entries,
            before: older.before,
            after: newer.after,
            reached: (older.reached_end, newer.reached_end),
        }
    }
}

impl Log {
    /// The entries around a time.
    pub fn around_time(
        &mut self,
        time: i64,
        filter: &Filter,
        cancel: &Cancel,
    ) -> Result<Window, SourceError> {
        let here = self.at(time, cancel)?;
        let [older, newer] = self.sides(&here, filter, cancel)?;
        Ok(Window::around(older, newer, |entries, first_newer| {
            first_newer.min(entries.len().saturating_sub(1))
        }))
    }

    /// The next entry that is wanted, behind a place or (`back`) before it, and what is shown around it. Where none is found, the place
    /// from which on nothing was looked at yet; none = there is no more.
    pub fn around_next(
        &mut self,
        from: &Cursor,
        back: bool,
        wanted: &Filter,
        filter: &Filter,
        cancel: &Cancel,
    ) -> Result<Result<Window, Option<Cursor>>, SourceError> {
        let page = if back {
            self.before(from, 1, wanted, BUDGET, cancel)?
        } else {
            self.after(from, 1, wanted, BUDGET, cancel)?
        };
        let rest = if back { page.before } else { page.after };
        let Some(found) = page.entries.first() else {
            return Ok(Err((!page.reached_end).then_some(rest)));
        };
        let here = self.beside(found, &rest, cancel)?;
        let [older, newer] = self.sides(&here, filter, cancel)?;
        let is_it = |entry: &Entry| (entry.source, entry.offset) == (found.source, found.offset);
        Ok(Ok(Window::around(older, newer, |entries, first_newer| {
            // Near it the file may be out of order.
            entries.iter().position(is_it).unwrap_or(first_newer)
        })))
    }

    /// Half a page to each side of a place.
    fn sides(
        &mut self,
        here: &Cursor,
        filter: &Filter,
        cancel: &Cancel,
    ) -> Result<[Page; 2], SourceError> {
        let older = self.before(here, PAGE / 2, filter, BUDGET, cancel)?;
        let newer = self.after(here, PAGE / 2, filter, BUDGET, cancel)?;
        Ok([older, newer])
    }
}
