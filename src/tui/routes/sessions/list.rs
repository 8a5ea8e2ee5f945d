//! All sessions, those that a filter leaves, and what a search found in them.

use diagnostics::sessions::{Summary, search::Hit};

use crate::prelude::*;

/// Entries found that are kept; more than that nobody looks through.
const MOST: usize = 10_000;

/// The sessions, the newest first.
#[derive(Debug, Default)]
pub struct Listing {
    /// As they came.
    pub all: Vec<Summary>,
    pub files: usize,
    /// All have been looked at.
    pub done: bool,
    /// Folders that could not be listed.
    pub notes: Vec<String>,
    /// What title, project or id must have; small letters.
    pub filter: String,
    /// Those that have it.
    pub visible: Vec<usize>,
    /// The cursor.
    pub list: ListState,
}

impl Listing {
    /// Begins anew; the filter and the cursor stay.
    pub fn restart(&mut self) {
        *self = Self {
            filter: mem::take(&mut self.filter),
            list: mem::take(&mut self.list),
            ..Self::default()
        };
    }

    /// Takes in some of them, the newest first.
    pub fn learn(&mut self, some: Vec<Summary>) {
        let from = self.all.len();
        self.all.extend(some);
        let new: Vec<usize> = (from..self.all.len()).filter(|at| self.has(*at)).collect();
        self.visible.extend(new);
        if self.list.selected().is_none() && !self.visible.is_empty() {
            self.list.select(Some(0));
        }
    }

    fn has(&self, at: usize) -> bool {
        let Some(summary) = self.all.get(at) else {
            return false;
        };
        let cwd = summary.cwd.as_deref().unwrap_or_default();
        self.filter.is_empty()
            || [summary.name(), cwd, &summary.id]
                .iter()
                .any(|text| text.to_lowercase().contains(&self.filter))
    }

    /// Shows only those that have this.
    pub fn set_filter(&mut self, text: &str) {
        self.filter = text.trim().to_lowercase();
        let at = self.selected().map(|s| s.path.clone());
        self.visible = (0..self.all.len()).filter(|at| self.has(*at)).collect();
        let same = |index: &usize| self.all.get(*index).map(|s| &s.path) == at.as_ref();
        let row = self.visible.iter().position(same).unwrap_or(0);
        self.list.select((!self.visible.is_empty()).then_some(row));
    }

    /// The session in a row.
    pub fn at(&self, row: usize) -> Option<&Summary> {
        self.all.get(*self.visible.get(row)?)
    }

    /// The session under the cursor.
    pub fn selected(&self) -> Option<&Summary> {
        self.at(self.list.selected()?)
    }
}

/// What a search through one session or through all found.
#[derive(Debug, Default)]
pub struct SearchResults {
    /// What was searched.
    pub text: String,
    /// The entries.
    pub hits: Vec<Hit>,
    pub more: bool,
    /// Files looked through, of how many.
    pub files: (usize, usize),
    /// Files that could not be read.
    pub unreadable: usize,
    /// All have been looked through.
    pub done: bool,
    /// The cursor.
    pub list: ListState,
}

impl SearchResults {
    /// Takes in what was found since; false = no more is wanted.
    pub fn learn(&mut self, searched: Searched) -> bool {
        let room = MOST.saturating_sub(self.hits.len());
        self.more |= searched.hits.len() > room;
        self.hits.extend(searched.hits.into_iter().take(room));
        self.files = searched.files;
        self.unreadable += usize::from(searched.unreadable);
        if self.list.selected().is_none() && !self.hits.is_empty() {
            self.list.select(Some(0));
        }
        self.done |= self.more || self.files.0 == self.files.1;
        !self.more
    }

    /// Whether the entry at this offset was found, in a search of one session.
    pub fn has(&self, offset: u64) -> bool {
        self.hits
            .binary_search_by_key(&offset, |hit| hit.offset)
            .is_ok()
    }

    /// The entry under the cursor.
    pub fn selected(&self) -> Option<&Hit> {
        self.hits.get(self.list.selected()?)
    }
}

/// What a search found since it last told.
#[derive(Debug)]
pub struct Searched {
    pub hits: Vec<Hit>,
    /// Files that are done, and all.
    pub files: (usize, usize),
    /// Whether the one that was done last could not be read.
    pub unreadable: bool,
}
