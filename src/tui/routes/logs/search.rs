//! What is shown and what is searched: levels, processes, texts, the way to the next one.

use diagnostics::logs::{Cursor, Filter, Level, parse_since};

use super::{Adding, LogsRoute, Mode, Search, Seek};
use crate::{
    app::logs::{LogTest, Needle, What},
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
            Some(level) => conditions.with(LogTest::Level(level)),
            None => conditions.without(|wish| matches!(wish, LogTest::Level(_))),
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
            conditions.without(|wish| matches!(wish, LogTest::Pids(_)))
        } else {
            conditions.with(LogTest::Pids(pids))
        };
        self.apply(conditions, cx);
    }

    pub(super) fn choose_pids(&mut self, cx: &mut Cx<'_>) {
        let known = self.model.items().iter().filter_map(|item| item.entry.pid);
        let known: BTreeMap<u32, Option<u64>> = known.map(|pid| (pid, None)).collect();
        let chosen = self.conditions.pids().to_vec();
        self.mode = Mode::Pids(processes(known, &chosen), false);
        self.ask(What::Pids, cx);
    }

    /// The processes of the whole log.
    pub(super) fn count_pids(&mut self, counts: BTreeMap<u32, u64>) {
        if let Mode::Pids(pids, counted) = &mut self.mode {
            let here = pids.selected().copied();
            let counts = counts.into_iter().map(|(pid, count)| (pid, Some(count)));
            *pids = processes(counts.collect(), &pids.of::<Vec<u32>>(true));
            pids.select(here.as_ref());
            *counted = true;
        }
    }

    pub(super) fn start_filter(&mut self, hides: bool) {
        let base = self.conditions.clone();
        self.mode = Mode::Filter(Typing::default(), Adding { hides, base });
    }

    pub(super) fn start_search(&mut self) {
        let needle = self.search.as_ref().map(|search| &search.needle);
        self.mode = Mode::Search(Typing::proposing(needle));
    }

    pub(super) fn take_key(&mut self, key: KeyEvent, cx: &mut Cx<'_>) -> bool {
        match &mut self.mode {
            Mode::Browse => return false,
            Mode::Pids(pids, _) => {
                let chosen = match pids.key(key) {
                    Switched::Left => None,
                    _ if is_control(key, 'p') => None,
                    Switched::Open => return true,
                    Switched::All => Some(Vec::new()),
                    Switched::Taken => {
                        let mut chosen: Vec<u32> = pids.of(true);
                        if chosen.is_empty() {
                            chosen.extend(pids.selected());
                        }
                        Some(chosen)
                    }
                };
                self.mode = Mode::Browse;
                if let Some(pids) = chosen {
                    self.only_pids(pids, cx);
                }
            }
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
            Mode::Filter(typing, _) | Mode::Search(typing) => match typing.key(key) {
                Typed::Left => self.leave_field(cx),
                Typed::Entered => self.enter(cx),
                Typed::Changed => self.take_text(cx),
                Typed::Step(back) => self.match_jump(back, cx),
                Typed::Nothing => return false,
            },
        }
        true
    }

    /// The text in the field changed: what can be shown of it is shown at once.
    pub(super) fn take_text(&mut self, cx: &mut Cx<'_>) {
        match &self.mode {
            Mode::Search(typing) => {
                // An expression that is not complete yet is no reason to complain.
                self.search = self.searching(typing.needle()).ok();
                let at = self.list.selected().unwrap_or(0);
                if let Some(search) = &self.search
                    && let Some(row) = self.find_held(&search.wanted, at + 1, true)
                {
                    self.paused = true;
                    self.list.select(Some(row));
                }
            }
            Mode::Filter(typing, adding) if typing.needle().check().is_ok() => {
                let (needle, base) = (typing.needle(), adding.base.clone());
                let conditions = match (needle.text.is_empty(), adding.hides) {
                    (true, _) => base,
                    (false, true) => base.with(LogTest::Without(needle)),
                    (false, false) => base.with(LogTest::Text(needle)),
                };
                self.apply(conditions, cx);
            }
            _ => {}
        }
    }

    fn enter(&mut self, cx: &mut Cx<'_>) {
        let (Mode::Filter(typing, _) | Mode::Search(typing)) = &self.mode else {
            return;
        };
        let needle = typing.needle();
        if let Err(error) = needle.check() {
            // Still there to be mended.
            return cx.warn(error.to_string());
        }
        let Mode::Search(_) = mem::take(&mut self.mode) else {
            return;
        };
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
        match mem::take(&mut self.mode) {
            Mode::Filter(_, adding) if adding.base != self.conditions => {
                self.apply(adding.base, cx);
            }
            Mode::Search(_) => self.search = None,
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
        let len = self.model.row_count();
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
        let wanted = wanted.told(
            self.conditions
                .level()
                .map_or(level, |least| least.max(level)),
        );
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
        let from = if back && !self.model.at_start {
            self.model.before.clone()
        } else if !back && !self.model.at_end {
            self.model.after.clone()
        } else {
            None
        };
        if from.is_some() {
            self.id += 1;
        }
        self.seek_from(from, seek, cx);
    }

    /// Looks for it from a place on; says that there is none where nothing is left.
    pub(super) fn seek_from(&mut self, from: Option<Cursor>, seek: Seek, cx: &mut Cx<'_>) {
        let Some(from) = from else {
            return no_more(&seek, cx);
        };
        let what = What::Find {
            from,
            back: seek.back,
            wanted: seek.wanted.clone(),
        };
        self.seek = Some(seek);
        self.read(what, cx);
    }
}

/// Processes to be switched: those with entries, and those that are chosen.
fn processes(mut known: BTreeMap<u32, Option<u64>>, chosen: &[u32]) -> Switches<u32> {
    for pid in chosen {
        known.entry(*pid).or_default();
    }
    let known = known.into_iter();
    Switches::new(known.map(|(pid, count)| (pid, count, chosen.contains(&pid))))
}

/// Says that there is none.
fn no_more(seek: &Seek, cx: &mut Cx<'_>) {
    let what = seek.what;
    let (way, other) = match (what, seek.back) {
        ("match", true) => ("before this", ": n looks behind it"),
        ("match", false) => ("after this", ": N looks before it"),
        (_, true) => ("before this", ""),
        (_, false) => ("after this", ""),
    };
    cx.info(format!("There is no {what} {way}{other}."));
}
