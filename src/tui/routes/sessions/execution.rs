//! What keys and answers change.

use diagnostics::sessions::{Entry, Summary, search::Needle};

use super::{
    SEARCH, SEARCH_HERE, SessionsRoute,
    list::{SearchResults, Searched},
    open::{Open, Tab},
    work,
};
use crate::prelude::*;

impl SessionsRoute {
    // What is read.

    /// Reads what is shown anew.
    pub(super) fn reload(&mut self, cx: &Cx) {
        self.trouble = None;
        if let (Some(open), None) = (self.open.last_mut(), &self.asked) {
            *open = Open::new(open.summary.clone(), None);
            return cx.emit(open.reading(0, true));
        }
        self.found = None;
        self.listing.restart();
        let asked = self.asked.take();
        cx.emit(work::list(Arc::clone(&cx.view.omp), asked));
    }

    fn open(&mut self, summary: Summary, wanted: Option<u64>, cx: &Cx) {
        let open = Open::new(summary, wanted);
        cx.emit(open.reading(0, true));
        self.open.push(open);
    }

    /// The session that was named on the command line, or why there is none.
    pub(super) fn named(&mut self, found: Result<Summary, String>, cx: &Cx) {
        match found {
            Ok(summary) => self.open(summary, None, cx),
            Err(why) => {
                cx.warn(sanitise_block(&why).replace('\n', " "));
                self.trouble = Some(why);
            }
        }
    }

    pub(super) fn show_full(&mut self, title: String, text: &str) {
        if let Some(open) = self.open.last_mut() {
            let mut text = TextView::new(text.trim_start_matches('\n'));
            if let Some(search) = &open.search {
                // The text may say it in another way than the entry.
                let _ = text.search(&search.text, false);
            }
            open.detail = Some((title, text));
        }
    }

    /// A search went on.
    pub(super) fn searched(&mut self, searched: Searched, cx: &Cx) {
        let goes_on = match (self.open.last_mut(), &mut self.found) {
            (Some(open), _) => open.found(searched),
            (None, Some(found)) => found.learn(searched),
            (None, None) => false,
        };
        if !goes_on {
            cx.end_work(work::SEARCH);
        }
    }

    // What is selected.

    /// The session that is open or selected.
    pub(super) fn session(&self) -> Option<PathBuf> {
        if let Some(open) = self.open.last() {
            return Some(open.path());
        }
        match &self.found {
            Some(found) => found.selected().map(|hit| hit.path.clone()),
            None => self.listing.selected().map(|s| s.path.clone()),
        }
    }

    /// The file that the desktop can open: an artifact, or else the folder of the session's.
    pub(super) fn file(&self) -> Option<PathBuf> {
        let open = self.open.last()?;
        let beside = open.beside.as_ref()?;
        let row = open.selected().unwrap_or(0);
        match open.tab {
            Tab::Artifacts => beside.artifacts.get(row).map(|a| a.path.clone()),
            Tab::Agents => beside.agents.get(row).and_then(|a| a.result.clone()),
            Tab::Entries | Tab::Overview => beside.dir.clone(),
        }
    }

    pub(super) fn step(&mut self, by: isize, cx: &Cx) {
        if let Scrolled::Rows(list, len) = self.listed() {
            list.move_by(by, len);
        }
        if self.is_full() {
            self.full(cx);
        }
    }

    /// Whether something is shown in full.
    fn is_full(&self) -> bool {
        self.open.last().is_some_and(|open| open.detail.is_some())
    }

    // What is done with it.

    pub(super) fn enter(&mut self, cx: &Cx) {
        let Some(open) = self.open.last_mut() else {
            let (summary, wanted) = match &self.found {
                Some(found) => {
                    let Some(hit) = found.selected() else {
                        return;
                    };
                    let known = self.listing.all.iter().find(|s| s.path == hit.path);
                    let summary = known.cloned().unwrap_or_else(|| Summary {
                        path: hit.path.clone(),
                        ..Summary::default()
                    });
                    (summary, Some(hit.offset))
                }
                None => match self.listing.selected() {
                    Some(summary) => (summary.clone(), None),
                    None => return,
                },
            };
            // The search of all sessions gives way to that of this one.
            let searched = self.found.as_mut().map(|found| {
                found.done = true;
                found.text.clone()
            });
            self.open(summary, wanted, cx);
            if let Some(text) = searched {
                self.search(&text, false, cx);
            }
            return;
        };
        if open.tab == Tab::Entries && open.fold() {
            return;
        }
        match open.tab {
            Tab::Entries | Tab::Artifacts if open.detail.is_some() => open.detail = None,
            Tab::Entries | Tab::Artifacts => self.full(cx),
            Tab::Agents => {
                let row = open.selected().unwrap_or(0);
                let beside = open.beside.as_ref();
                let agent = beside.and_then(|b| b.agents.get(row));
                if let Some(summary) = agent.map(|agent| agent.summary.clone()) {
                    self.open(summary, None, cx);
                }
            }
            Tab::Overview => {}
        }
    }

    /// Shows what is under the cursor in full.
    fn full(&self, cx: &Cx) {
        let Some(open) = self.open.last() else {
            return;
        };
        let row = open.selected().unwrap_or(0);
        let work = match open.tab {
            Tab::Entries => {
                let blobs = cx.view.omp.blobs.clone();
                open.current()
                    .map(|entry| work::entry(open.path(), entry.clone(), blobs))
            }
            Tab::Artifacts => {
                let beside = open.beside.as_ref();
                let artifact = beside.and_then(|b| b.artifacts.get(row));
                artifact.map(|a| work::file(a.path.clone(), a.name.clone()))
            }
            Tab::Overview | Tab::Agents => None,
        };
        if let Some(work) = work {
            cx.emit(work);
        }
    }

    pub(super) fn turn(&mut self, by: isize, cx: &Cx) {
        if let Some(tab) = self.open.last().map(|open| beside(&Tab::ALL, open.tab, by)) {
            self.choose(tab, cx);
        }
    }

    pub(super) fn choose(&mut self, tab: Tab, cx: &Cx) {
        if let Some(open) = self.open.last_mut() {
            open.tab = tab;
            open.detail = None;
            cx.end_work(work::FULL);
        }
    }

    pub(super) fn copy(&mut self, cx: &Cx) {
        let Some(open) = self.open.last() else {
            if let Some(path) = self.session() {
                cx.copy(clean_path(&path), "The session's path");
            }
            return;
        };
        let (text, what) = match (&open.detail, open.tab) {
            (Some((title, text)), _) => (text.text(), title.clone()),
            (None, Tab::Overview) => (open.overview.text(), "The overview".to_owned()),
            (None, Tab::Entries) => {
                let head = open.current().map(|entry| clean(&entry.head));
                (
                    head.unwrap_or_default(),
                    "The entry's first line".to_owned(),
                )
            }
            (None, _) => {
                let path = self.file().unwrap_or_else(|| open.path());
                (clean_path(&path), "The path".to_owned())
            }
        };
        cx.copy(text, clean(&what));
    }

    pub(super) fn error(&mut self, back: bool, cx: &Cx) {
        let open = self.open.last_mut();
        let found = open.is_some_and(|open| open.jump(back, |entry| entry.failed));
        self.jumped(found, back, "failed entry", cx);
    }

    pub(super) fn match_jump(&mut self, back: bool, cx: &Cx) {
        let Some(open) = self.open.last_mut() else {
            return;
        };
        let search = open.search.take();
        let is_hit = |entry: &Entry| search.as_ref().is_some_and(|s| s.has(entry.offset));
        let found = open.jump(back, is_hit);
        open.search = search;
        self.jumped(found, back, "match", cx);
    }

    fn jumped(&self, found: bool, back: bool, what: &str, cx: &Cx) {
        if found {
            if self.is_full() {
                self.full(cx);
            }
            return;
        }
        let where_to = if back { "before" } else { "after" };
        cx.info(format!("There is no {what} {where_to} this one."));
    }

    // What is typed.

    pub(super) fn start_search(&mut self) {
        let (line, text) = match (self.open.last(), &self.found) {
            (Some(open), _) => (&SEARCH_HERE, open.search.as_ref().map(|s| s.text.clone())),
            (None, found) => (&SEARCH, found.as_ref().map(|found| found.text.clone())),
        };
        self.trouble = None;
        self.line = line.with(Field::proposing(text.unwrap_or_default()));
    }

    /// Searches the session that is open, or all of them.
    pub(super) fn search(&mut self, text: &str, is_expression: bool, cx: &Cx) {
        cx.end_work(work::SEARCH);
        match self.open.last_mut() {
            Some(open) => open.search = None,
            None if text.is_empty() => self.found = None,
            None => {}
        }
        if text.is_empty() {
            return;
        }
        let needle = match Needle::new(text, is_expression) {
            Ok(needle) => needle,
            Err(why) => return cx.warn(clean(&why)),
        };

        let results = SearchResults {
            text: text.to_owned(),
            ..SearchResults::default()
        };
        let paths = if let Some(open) = self.open.last_mut() {
            open.search = Some(results);
            Some(vec![open.path()])
        } else {
            self.found = Some(results);
            let all = (0..self.listing.visible.len()).filter_map(|row| self.listing.at(row));
            let all = all.map(|summary| summary.path.clone());
            self.listing.done.then(|| all.collect())
        };
        cx.emit(work::search(Arc::clone(&cx.view.omp), paths, needle));
    }
}

impl Scrolls for SessionsRoute {
    fn scrolled(&mut self) -> Scrolled<'_> {
        match self.open.last() {
            Some(open) if open.detail.is_some() || open.tab == Tab::Overview => {}
            _ => return self.listed(),
        }
        let open = self.open.last_mut();
        open.map_or(Scrolled::Nothing, |open| match &mut open.detail {
            Some((_, text)) => Scrolled::Text(text),
            None => Scrolled::Text(&mut open.overview),
        })
    }

    fn clicked(&mut self, again: bool, cx: &Cx) {
        if again {
            self.enter(cx);
        } else if self.is_full() {
            self.full(cx);
        }
    }

    /// The rows that the cursor is on, also while a text beside them is scrolled.
    fn listed(&mut self) -> Scrolled<'_> {
        if let Some(open) = self.open.last_mut() {
            let len = open.len();
            return match open.list() {
                Some(list) => Scrolled::Rows(list, len),
                None => Scrolled::Nothing,
            };
        }
        match &mut self.found {
            Some(found) => Scrolled::Rows(&mut found.list, found.hits.len()),
            None => Scrolled::Rows(&mut self.listing.list, self.listing.visible.len()),
        }
    }
}
