//! A session that is open: its entries as a tree, what it took, its subagents and artifacts.

use diagnostics::sessions::{Entry, Item, Session, Summary, beside::SessionFiles, tree::Row};

use super::list::{SearchResults, Searched};
use crate::prelude::*;

/// What is shown of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tab {
    /// The entries.
    #[default]
    Entries,
    /// What it took.
    Overview,
    /// Its subagents.
    Agents,
    Artifacts,
}

impl Tab {
    /// All, from the left.
    pub const ALL: [Self; 4] = [Self::Entries, Self::Overview, Self::Agents, Self::Artifacts];
}

/// The session.
#[derive(Debug, Default)]
pub struct Open {
    /// What was known before it was opened.
    pub summary: Summary,
    /// What was read.
    pub session: Session,
    /// Where the next line begins, and the file's size.
    pub read: (u64, u64),
    /// All was read, for now.
    pub done: bool,
    /// Why it cannot be read.
    pub failed: Option<String>,
    /// What is shown.
    pub tab: Tab,
    /// Rows of the tree.
    pub rows: Vec<Row>,
    /// First entries of the branches that are unfolded.
    pub folds: HashSet<usize>,
    /// The cursor in each tab that has one.
    pub lists: [ListState; 4],
    /// What lies beside it, once looked for.
    pub beside: Option<SessionFiles>,
    /// What it took, as text.
    pub overview: TextView,
    /// An entry or a file in full, and its title.
    pub detail: Option<(String, TextView)>,
    pub search: Option<SearchResults>,
    /// The entry to go to once it is read.
    pub wanted: Option<u64>,
}

impl Open {
    /// Nothing is read yet; the entry at `wanted` is gone to.
    pub fn new(summary: Summary, wanted: Option<u64>) -> Self {
        Self {
            summary,
            wanted,
            ..Self::default()
        }
    }

    /// Its file.
    pub fn path(&self) -> PathBuf {
        self.summary.path.clone()
    }

    /// The cursor of what is shown.
    pub fn list(&mut self) -> Option<&mut ListState> {
        self.lists.get_mut(self.tab as usize)
    }

    /// The selected row of what is shown.
    pub fn selected(&self) -> Option<usize> {
        self.lists.get(self.tab as usize)?.selected()
    }

    /// Rows of what is shown.
    pub fn len(&self) -> usize {
        let beside = self.beside.as_ref();
        match self.tab {
            Tab::Entries => self.rows.len(),
            Tab::Overview => 0,
            Tab::Agents => beside.map_or(0, |b| b.agents.len()),
            Tab::Artifacts => beside.map_or(0, |b| b.artifacts.len()),
        }
    }

    /// Takes in the next lines: where the one behind them begins, the file's size, whether that was all for now.
    pub fn learn(&mut self, items: Vec<Item>, read: (u64, u64), done: bool) {
        // At the end, what comes is followed.
        let at_end = self
            .selected_row()
            .is_none_or(|at| at + 1 >= self.rows.len());
        let follows = self.done && at_end && self.detail.is_none();
        for item in items {
            self.session.take(item);
        }
        self.read = read;
        self.done |= done;
        self.refresh();
        if follows {
            self.entries().end(usize::MAX);
        }
        if let Some(index) = self.wanted.and_then(|at| self.session.tree.at_offset(at)) {
            self.wanted = None;
            self.go_to(index);
        }
    }

    fn entries(&mut self) -> &mut ListState {
        let [entries, ..] = &mut self.lists;
        entries
    }

    fn selected_row(&self) -> Option<usize> {
        let [entries, ..] = &self.lists;
        entries.selected()
    }

    /// Lists the rows again.
    pub fn refresh(&mut self) {
        let at = self
            .selected_row()
            .and_then(|row| self.rows.get(row))
            .copied();
        self.rows = self.session.tree.rows(&self.folds);
        let same = |row: &Row| match (at, row) {
            (Some(Row::Entry { index, .. }), Row::Entry { index: other, .. }) => index == *other,
            (Some(Row::Branch { first, .. }), Row::Branch { first: other, .. }) => first == *other,
            _ => false,
        };
        let row = self.rows.iter().position(same);
        let row = row.or_else(|| self.selected_row()).unwrap_or(0);
        let last = self.rows.len().checked_sub(1);
        self.entries().select(last.map(|last| row.min(last)));
        let facts = self.session.facts(&self.summary);
        let lines = facts
            .iter()
            .map(|(name, value)| format!("{name:<12} {value}"));
        self.overview.set_text(&joined(lines, "\n"));
    }

    /// The entry in a row.
    pub fn entry(&self, row: usize) -> Option<&Entry> {
        match self.rows.get(row)? {
            Row::Entry { index, .. } => self.session.tree.entries.get(*index),
            Row::Branch { .. } => None,
        }
    }

    /// The entry under the cursor.
    pub fn current(&self) -> Option<&Entry> {
        self.entry(self.selected_row()?)
    }

    /// Selects an entry, whichever branch it is in.
    pub fn go_to(&mut self, index: usize) {
        self.tab = Tab::Entries;
        let folds = self.session.tree.folds_of(index);
        if !folds.is_empty() {
            self.folds.extend(folds);
            self.refresh();
        }
        let is_it = |row: &Row| matches!(row, Row::Entry { index: other, .. } if *other == index);
        if let Some(row) = self.rows.iter().position(is_it) {
            self.entries().select(Some(row));
            self.entries().centre();
        }
    }

    /// Folds or unfolds the branch under the cursor; false when there is none.
    pub fn fold(&mut self) -> bool {
        let row = self.selected_row().and_then(|row| self.rows.get(row));
        let Some(Row::Branch { first, open, .. }) = row.copied() else {
            return false;
        };
        if open {
            self.folds.remove(&first);
        } else {
            self.folds.insert(first);
        }
        self.refresh();
        true
    }

    /// Goes to the next entry that is wanted, around no end; false when there is none.
    pub fn jump(&mut self, back: bool, wanted: impl Fn(&Entry) -> bool) -> bool {
        let here = self.current().map_or(0, |entry| entry.offset);
        let entries = &self.session.tree.entries;
        let mut fitting = entries.iter().enumerate().filter(|(_, e)| wanted(e));
        let found = if back {
            fitting.rfind(|(_, e)| e.offset < here)
        } else {
            fitting.find(|(_, e)| e.offset > here)
        };
        let Some((index, _)) = found else {
            return false;
        };
        self.go_to(index);
        true
    }

    /// Takes in what a search through it found; false = no more is wanted.
    pub fn found(&mut self, searched: Searched) -> bool {
        let Some(search) = &mut self.search else {
            return false;
        };
        let first = search.hits.is_empty();
        let goes_on = search.learn(searched);
        let at = search.hits.first().filter(|_| first);
        if let Some(index) = at.and_then(|hit| self.session.tree.at_offset(hit.offset)) {
            self.go_to(index);
        }
        goes_on
    }

    /// `3 of 12`, `no entry`; empty without a search.
    pub fn search_status(&self) -> String {
        let Some(search) = &self.search else {
            return String::new();
        };
        let more = if search.done { "" } else { "+" };
        if search.hits.is_empty() {
            return if search.done {
                "no entry"
            } else {
                "searching…"
            }
            .to_owned();
        }
        let here = self.current().map(|entry| entry.offset);
        let at = search.hits.iter().position(|hit| Some(hit.offset) == here);
        match at {
            Some(at) => format!("{} of {}{more}", at + 1, search.hits.len()),
            None if search.hits.len() == 1 && more.is_empty() => "1 entry".to_owned(),
            None => format!("{}{more} entries", search.hits.len()),
        }
    }
}
