//! What keys and answers change.

use diagnostics::logs::{BUDGET, Entry, PAGE, Page, SourceError, Window};

use super::conditions::Conditions;
use super::{
    Anchor, LogsRoute,
    model::{Item, Opened, Row, pretty},
    work,
};
use crate::prelude::*;

impl LogsRoute {
    // Moving through pages.

    fn select_last(&mut self) {
        self.list.end(self.model.row_count());
    }

    pub(super) fn follow(&mut self, cx: &Cx) {
        if !self.model.at_end {
            return self.reload(cx);
        }
        (self.paused, self.fresh) = (false, 0);
        self.select_last();
        self.refresh_detail();
    }

    pub(super) fn older(&mut self, cx: &Cx) {
        if self.reading || self.model.at_start {
            return;
        }
        self.paused = true;
        match self.model.before.clone() {
            Some(from) => self.read_before(from, cx),
            None => self.reload(cx),
        }
    }

    fn newer(&mut self, cx: &Cx) {
        if self.reading || self.model.at_end {
            return;
        }
        match self.model.after.clone() {
            Some(from) => self.read(
                cx,
                move |log, filter, cancel| log.after(&from, PAGE, filter, BUDGET, cancel),
                |s, page, _| s.came_behind(page),
            ),
            None => self.reload(cx),
        }
    }

    /// Asks which log is to be shown in this one's place.
    pub(super) fn ask(cx: &Cx) {
        cx.ask_for_file("Open a log", "a file or a folder", "", |path| {
            Effect::on(work::ASKED, |s: &mut Self, cx| {
                s.paths = vec![path];
                s.apply(Conditions::default(), cx);
            })
        });
    }

    /// Shows other entries.
    pub(super) fn apply(&mut self, conditions: Conditions, cx: &Cx) {
        match conditions.filter() {
            Ok(filter) => {
                self.filter = filter;
                self.conditions = conditions;
                self.anchor = None;
                self.detail = None;
                let needle = self.search.take().map(|search| search.needle);
                self.search = needle.and_then(|needle| self.searching(needle).ok());
                if self.shown {
                    self.reload(cx);
                }
            }
            Err(error) => cx.warn(error.to_string()),
        }
    }

    // Answers.

    pub(super) fn opened(&mut self, opened: Opened, cx: &Cx) {
        if !mem::take(&mut self.opening) {
            return;
        }
        (self.opened, self.reading) = (true, false);
        // Where nothing is shown they stand in its place.
        if !opened.page.entries.is_empty() {
            let new = opened.notes.iter();
            let new = new.filter(|note| !self.notes.contains(note));
            new.for_each(|note| cx.warn(note.clone()));
        }
        self.notes.clone_from(&opened.notes);
        let reached = opened.page.reached_end;
        self.model.open(opened);
        self.select_last();
        self.refresh_detail();
        self.fill(reached, cx);
        self.count(cx);
        if !mem::replace(&mut self.indexed, true) {
            self.index(cx);
        }
    }

    pub(super) fn came_before(&mut self, page: Page, cx: &Cx) {
        let reached = page.reached_end;
        let selected = self.list.selected();
        let on_older = selected.and_then(|at| self.model.rows.get(at)) == Some(&Row::Older);
        let before = self.model.row_count();
        let first = self.model.items.first().map(Item::key);
        let came = self.model.older(page);
        let added = self.model.row_count().saturating_sub(before);
        let last_that_came = self.model.row_of_index(came.saturating_sub(1));
        if !self.paused {
            self.select_last();
        } else if first.is_some_and(|key| self.model.row_of(key).is_some()) {
            self.list.shift(added);
            if on_older && came > 0 {
                self.list.select(last_that_came);
            }
        } else {
            self.list.select(last_that_came);
        }
        self.refresh_detail();
        self.fill(reached, cx);
    }

    pub(super) fn came_behind(&mut self, page: Page) {
        let next = page.entries.first().map(|e| (e.source, e.offset));
        self.model.newer(page);
        if let Some(row) = next.and_then(|key| self.model.row_of(key)) {
            self.list.select(Some(row));
        }
        self.refresh_detail();
    }

    pub(super) fn show_window(&mut self, window: Window) {
        (self.paused, self.opening) = (true, false);
        let row = self.model.window(window);
        self.list.select(row);
        self.list.centre();
        self.refresh_detail();
    }

    pub(super) fn fail(&mut self, why: &SourceError) {
        (self.seek, self.reading) = (None, false);
        self.failed = Some(why.to_string());
    }

    pub(super) fn counted(&mut self, shown: u64, all: u64, found: Option<u64>) {
        self.hidden = Some(all.saturating_sub(shown));
        if let Some(search) = &mut self.search {
            search.count = found;
        }
    }

    /// A filter may leave little of a page: goes on until there is one.
    fn fill(&mut self, reached: bool, cx: &Cx) {
        if !reached
            && self.model.items.len() < PAGE
            && let Some(from) = self.model.before.clone()
        {
            self.read_before(from, cx);
        }
    }

    pub(super) fn appended(&mut self, entries: Vec<Entry>, notes: Vec<String>, cx: &Cx) {
        if !self.shown {
            return;
        }
        for note in notes {
            cx.info(note);
        }
        for entry in &entries {
            if let Some(time) = entry.time {
                self.times.add(time, entry.level);
            }
        }
        let (shown, hidden) = self.model.append(entries, &self.filter, self.paused);
        if let Some(count) = &mut self.hidden {
            *count += hidden;
        }
        if self.paused {
            self.fresh += shown;
        } else {
            self.select_last();
            self.refresh_detail();
        }
    }

    // Moving.

    /// The entry under the cursor.
    pub(super) fn current(&self) -> Option<&Item> {
        self.model.at(self.list.selected()?)
    }

    /// To the next entry (or the row that loads more).
    pub(super) fn step(&mut self, by: isize, cx: &Cx) {
        self.paused |= by < 0;
        self.list.move_by(by, self.model.row_count());
        self.settle(by);
        self.moved(cx);
    }

    /// Rows that say something about their neighbours are passed over.
    fn settle(&mut self, by: isize) {
        let rows = &self.model.rows;
        let Some(mut at) = self.list.selected() else {
            return;
        };
        while let Some(Row::Border(_) | Row::Gap(_)) = rows.get(at) {
            if by < 0 && at == 0 {
                break;
            }
            at = if by < 0 { at - 1 } else { at + 1 };
        }
        // Above the first entry there may be nothing but its border.
        while by < 0 && matches!(rows.get(at), Some(Row::Border(_) | Row::Gap(_))) {
            at += 1;
        }
        self.list.select(Some(at));
    }

    fn moved(&mut self, cx: &Cx) {
        let at = self.list.selected();
        match at.and_then(|at| self.model.rows.get(at)) {
            Some(Row::Older) => self.older(cx),
            Some(Row::Newer) => self.newer(cx),
            _ => {}
        }
        if self.model.at_end && at == self.model.row_count().checked_sub(1) {
            (self.paused, self.fresh) = (false, 0);
        }
        self.refresh_detail();
    }

    // An entry in full.

    pub(super) fn expand(&mut self) {
        let Some(item) = self.current() else {
            return;
        };
        let text = pretty(item, self.model.files.get(item.entry.source));
        self.detail = Some((item.key(), TextView::new(&text)));
        self.paused = true;
    }

    /// What is shown in full is what the cursor is on.
    pub(super) fn refresh_detail(&mut self) {
        let Some((shown, _)) = &self.detail else {
            return;
        };
        match self.current().map(Item::key) {
            Some(key) if key == *shown => {}
            Some(_) => self.expand(),
            None => self.detail = None,
        }
    }

    // A range, and copying.

    fn unmark(&mut self) {
        self.anchor = self.anchor.filter(|anchor| anchor.stays);
    }

    pub(super) fn extend(&mut self, by: isize, cx: &Cx) {
        let here = self.current().map(Item::key);
        self.anchor = self
            .anchor
            .or_else(|| here.map(|key| Anchor { key, stays: false }));
        self.paused = true;
        self.step(by, cx);
        self.paused = true;
    }

    pub(super) fn mark_all(&mut self) {
        let Some(first) = self.model.items.first() else {
            return;
        };
        self.anchor = Some(Anchor {
            key: first.key(),
            stays: true,
        });
        self.paused = true;
        let last = self.model.items.len() - 1;
        self.list.select(self.model.row_of_index(last));
    }

    /// First and last row of the marked range.
    pub(super) fn range(&self) -> Option<(usize, usize)> {
        let from = self.model.row_of(self.anchor?.key)?;
        let to = self.list.selected()?;
        Some((from.min(to), from.max(to)))
    }

    pub(super) fn copy(&mut self, cx: &Cx) {
        let (from, to) = match (self.range(), self.list.selected()) {
            (Some(range), _) => range,
            (None, Some(at)) => (at, at),
            (None, None) => return,
        };
        let texts: Vec<String> = (from..=to)
            .filter_map(|row| self.model.at(row))
            .map(|item| sanitise_block(item.entry.text.trim_end()))
            .collect();
        let what = match texts.len() {
            1 => "1 log entry".to_owned(),
            n => format!("{n} log entries"),
        };
        cx.copy(texts.join("\n"), what);
    }

    fn jump_to_end(&mut self, last: bool, cx: &Cx) {
        if last {
            return self.follow(cx);
        }
        self.paused = true;
        if self.model.at_start {
            self.list.home(self.model.row_count());
            self.settle(1);
        } else {
            self.seek = None;
            self.read(
                cx,
                |log, filter, cancel| log.after(&log.start(), PAGE, filter, BUDGET, cancel),
                |s, page, _| {
                    s.opening = false;
                    s.model.first(page);
                    s.list.home(s.model.row_count());
                    s.settle(1);
                    s.refresh_detail();
                },
            );
        }
    }
}

impl Scrolls for LogsRoute {
    fn scrolled(&mut self) -> Scrolled<'_> {
        match (&mut self.file, &mut self.detail) {
            (Some((_, text)), _) | (None, Some((_, text))) => Scrolled::Text(text),
            (None, None) => Scrolled::Rows(&mut self.list, self.model.row_count()),
        }
    }

    fn walk(&mut self, step: Step, cx: &Cx) {
        let (Step::Rows(by) | Step::Pages(by)) = step else {
            return self.jump_to_end(step == Step::Last, cx);
        };
        if let text @ Scrolled::Text(_) = self.scrolled() {
            return text.walk(step);
        }
        self.unmark();
        if matches!(step, Step::Rows(_)) {
            return self.step(by, cx);
        }
        self.paused |= by < 0;
        self.list.page_by(by, self.model.row_count());
        self.settle(by);
        self.moved(cx);
    }

    /// Older or newer entries are read where the wheel reaches the end of those that are held.
    fn roll(&mut self, _at: (u16, u16), by: isize, cx: &Cx) {
        if let Scrolled::Text(text) = self.scrolled() {
            return text.scroll_by(by);
        }
        self.paused |= by < 0;
        let len = self.model.row_count();
        self.list.scroll_by(by, len);
        let visible = self.list.visible();
        if by < 0 && visible.start == 0 {
            self.older(cx);
        } else if by > 0 && visible.end >= len {
            if self.model.at_end {
                self.follow(cx);
            } else {
                self.newer(cx);
            }
        }
    }

    fn click(&mut self, (column, row): (u16, u16), cx: &Cx) -> bool {
        if self.click_strip(column, row, cx) {
            return true;
        }
        let Some(at) = self.list.row_at(column, row) else {
            return false;
        };
        self.unmark();
        if self.list.selected() == Some(at) && self.current().is_some() {
            self.expand();
        } else {
            self.paused = true;
            self.list.select(Some(at));
            self.moved(cx);
        }
        true
    }
}
