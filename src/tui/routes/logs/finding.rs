//! What is shown and what is searched: levels, processes, texts, the way to the next one.

use std::collections::BTreeMap;

use diagnostics::logs::{Filter, Level, parse_since};
use regex::Regex;

use super::{
    Adding, LogsRoute, Mode, Search, Seek,
    chooser::{Choice, Chooser},
};
use crate::{
    app::logs::{Needle, What, Wish},
    kit::prelude::*,
};

/// The levels that `l` goes through; none = all.
const LEVELS: [Option<Level>; 4] = [
    None,
    Some(Level::Info),
    Some(Level::Warn),
    Some(Level::Error),
];

impl LogsRoute {
    // Filters.

    pub(super) fn next_level(&mut self, cx: &mut Cx<'_>) {
        let at = LEVELS.iter().position(|l| *l == self.conditions.level());
        let next = at.map_or(0, |at| (at + 1) % LEVELS.len());
        let conditions = self.conditions.clone();
        let conditions = match LEVELS.get(next).copied().flatten() {
            Some(level) => conditions.with(Wish::Level(level)),
            None => conditions.without(|wish| matches!(wish, Wish::Level(_))),
        };
        self.apply(conditions, cx);
    }

    pub(super) fn this_process(&mut self, cx: &mut Cx<'_>) {
        let Some(pid) = self.current().and_then(|item| item.entry.pid) else {
            cx.info("This entry does not say which process wrote it.");
            return;
        };
        let pids = if self.conditions.pids() == [pid] {
            Vec::new()
        } else {
            vec![pid]
        };
        self.only_pids(pids, cx);
    }

    fn only_pids(&mut self, pids: Vec<u32>, cx: &mut Cx<'_>) {
        let conditions = self.conditions.clone();
        let conditions = if pids.is_empty() {
            conditions.without(|wish| matches!(wish, Wish::Pids(_)))
        } else {
            conditions.with(Wish::Pids(pids))
        };
        self.apply(conditions, cx);
    }

    pub(super) fn choose_pids(&mut self, cx: &mut Cx<'_>) {
        let mut known = BTreeMap::new();
        for pid in self.model.items().iter().filter_map(|item| item.entry.pid) {
            *known.entry(pid).or_default() += 1;
        }
        self.mode = Mode::Pids(Chooser::new(&known, self.conditions.pids()));
        self.ask(What::Pids, cx);
    }

    pub(super) fn start_filter(&mut self, hides: bool) {
        let base = self.conditions.clone();
        self.mode = Mode::Filter(Field::default(), false, Adding { hides, base });
    }

    pub(super) fn start_search(&mut self) {
        let needle = self
            .search
            .as_ref()
            .map(|s| s.needle.clone())
            .unwrap_or_default();
        self.mode = Mode::Search(Field::proposing(needle.text), needle.is_expression);
    }

    pub(super) fn typed(&mut self, key: KeyEvent, cx: &mut Cx<'_>) -> bool {
        match &mut self.mode {
            Mode::Browse => return false,
            Mode::Pids(chooser) => match chooser.key(key) {
                Choice::Open => {}
                Choice::Left => self.mode = Mode::Browse,
                Choice::Taken(pids) => {
                    self.mode = Mode::Browse;
                    self.only_pids(pids, cx);
                }
            },
            Mode::Terms(_) => self.terms_key(key, cx),
            Mode::Incidents(..) => self.incidents_key(key, cx),
            Mode::Time(field) => match key.code {
                _ if leaves(key) => self.mode = Mode::Browse,
                KeyCode::Enter => {
                    let text = field.text().to_owned();
                    match parse_since(&text, &jiff::Zoned::now()) {
                        Some(time) => {
                            self.mode = Mode::Browse;
                            self.go_to(time, cx);
                        }
                        None => cx.warn(format!(
                            "{text:?} is no time: write 14:03, 2026-08-21T14:03, 10m or 2h"
                        )),
                    }
                }
                _ => return field.key(key),
            },
            Mode::Filter(field, is_expression, _) | Mode::Search(field, is_expression) => {
                match key.code {
                    _ if leaves(key) => self.leave_field(cx),
                    KeyCode::Enter => self.enter(cx),
                    _ if is_control(key, 'r') => {
                        *is_expression = !*is_expression;
                        self.changed(cx);
                    }
                    _ if field.key(key) => self.changed(cx),
                    KeyCode::Up => self.match_jump(true, cx),
                    KeyCode::Down => self.match_jump(false, cx),
                    _ => return false,
                }
            }
        }
        true
    }

    /// What was typed so far, and whether it is for the search.
    fn needle(&self) -> Option<(Needle, bool)> {
        let (field, is_expression, search) = match &self.mode {
            Mode::Filter(field, is_expression, _) => (field, is_expression, false),
            Mode::Search(field, is_expression) => (field, is_expression, true),
            _ => return None,
        };
        let needle = Needle {
            text: field.text().to_owned(),
            is_expression: *is_expression,
        };
        Some((needle, search))
    }

    /// The text in the field changed: what can be shown of it is shown at once.
    pub(super) fn changed(&mut self, cx: &mut Cx<'_>) {
        match self.needle() {
            Some((needle, true)) => {
                // An expression that is not complete yet is no reason to complain.
                self.search = self.searching(needle).ok();
                let at = self.list.selected().unwrap_or(0);
                if let Some(search) = &self.search
                    && let Some(row) = self.find_held(&search.wanted, at + 1, true)
                {
                    self.paused = true;
                    self.list.select(Some(row));
                }
            }
            Some((needle, false)) if needle.check().is_ok() => {
                let Mode::Filter(_, _, adding) = &self.mode else {
                    return;
                };
                let base = adding.base.clone();
                let conditions = match (needle.text.is_empty(), adding.hides) {
                    (true, _) => base,
                    (false, true) => base.with(Wish::Without(needle)),
                    (false, false) => base.with(Wish::Text(needle)),
                };
                self.apply(conditions, cx);
            }
            _ => {}
        }
    }

    fn enter(&mut self, cx: &mut Cx<'_>) {
        let Some((needle, is_search)) = self.needle() else {
            return;
        };
        if let Err(error) = needle.check() {
            // Still there to be mended.
            cx.warn(error.to_string());
            return;
        }
        self.mode = Mode::Browse;
        if !is_search {
            return;
        }
        self.search = self.searching(needle).ok();
        self.count(cx);
        let here = self.search.as_ref().is_some_and(|search| {
            self.current()
                .is_some_and(|item| search.wanted.takes(&item.entry))
        });
        if self.search.is_some() && !here {
            self.match_jump(true, cx);
        }
    }

    fn leave_field(&mut self, cx: &mut Cx<'_>) {
        let mode = std::mem::take(&mut self.mode);
        match mode {
            Mode::Filter(_, _, adding) if adding.base != self.conditions => {
                self.apply(adding.base, cx);
            }
            Mode::Search(..) => self.search = None,
            _ => {}
        }
    }

    // Searching.

    pub(super) fn searching(&self, needle: Needle) -> Result<Search, ()> {
        if needle.text.is_empty() {
            return Err(());
        }
        let regex = Regex::new(&needle.pattern()).map_err(drop)?;
        let wanted = self.conditions.filter().map_err(drop)?;
        let wanted = wanted.grep(&needle.pattern()).map_err(drop)?;
        Ok(Search {
            needle,
            regex,
            wanted,
            count: None,
        })
    }

    /// The nearest held entry that is wanted, from a row on.
    fn find_held(&self, wanted: &Filter, from: usize, back: bool) -> Option<usize> {
        let takes = |row: &usize| {
            self.model
                .at(*row)
                .is_some_and(|item| wanted.takes(&item.entry))
        };
        let len = self.model.rows().len();
        if back {
            (0..from.min(len)).rev().find(takes)
        } else {
            (from..len).find(takes)
        }
    }

    pub(super) fn match_jump(&mut self, back: bool, cx: &mut Cx<'_>) {
        if let Some(search) = &self.search {
            let wanted = search.wanted.clone();
            self.jump(wanted, back, "match", cx);
        }
    }

    pub(super) fn level_jump(&mut self, level: Level, back: bool, cx: &mut Cx<'_>) {
        let wanted = self.conditions.filter().unwrap_or_default();
        let wanted = wanted.level(self.conditions.level().max(Some(level)));
        let what = if level == Level::Error {
            "error"
        } else {
            "warning"
        };
        self.jump(wanted, back, what, cx);
    }

    /// To the next wanted entry, held or not.
    fn jump(&mut self, wanted: Filter, back: bool, what: &'static str, cx: &mut Cx<'_>) {
        let at = self.list.selected().unwrap_or(0);
        let start = if back { at } else { at + 1 };
        self.paused = true;
        if let Some(row) = self.find_held(&wanted, start, back) {
            self.list.select(Some(row));
            self.refresh_detail();
            return;
        }
        let seek = Seek { wanted, back, what };
        let from = if back && !self.model.at_start() {
            self.model.before().cloned()
        } else if !back && !self.model.at_end() {
            self.model.after().cloned()
        } else {
            None
        };
        let Some(from) = from else {
            no_more(&seek, cx);
            return;
        };
        self.id += 1;
        let what = What::Find {
            from,
            back,
            wanted: seek.wanted.clone(),
        };
        self.seek = Some(seek);
        self.read(what, cx);
    }
}

/// Says that there is none.
pub(super) fn no_more(seek: &Seek, cx: &mut Cx<'_>) {
    let what = seek.what;
    let (way, other) = match (what, seek.back) {
        ("match", true) => ("before this", ": n looks behind it"),
        ("match", false) => ("after this", ": N looks before it"),
        (_, true) => ("before this", ""),
        (_, false) => ("after this", ""),
    };
    cx.info(format!("There is no {what} {way}{other}."));
}
