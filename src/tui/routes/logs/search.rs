//! What is shown and what is searched: levels, processes, texts, the way to the next one.

use diagnostics::logs::{Filter, Level, parse_since};

use super::conditions::LogTest;
use super::{Dialog, LogsRoute, Search, Seek};
use crate::prelude::*;

/// The levels that `l` goes through; none = all.
const LEVELS: [Option<Level>; 4] = [
    None,
    Some(Level::Info),
    Some(Level::Warn),
    Some(Level::Error),
];

/// Shows only what has a text.
pub static ONLY: TypedLine<LogsRoute> = TypedLine {
    changed: |s, needle, cx| s.filter_by(needle, LogTest::Text, cx),
    ..filtering(|is_expression| [kind(is_expression), "only "])
};

/// Hides what has a text.
pub static HIDE: TypedLine<LogsRoute> = TypedLine {
    changed: |s, needle, cx| s.filter_by(needle, LogTest::Without, cx),
    ..filtering(|is_expression| [kind(is_expression), "hide "])
};

/// Searches among what is shown.
pub static SEARCH: TypedLine<LogsRoute> = TypedLine {
    expressions: true,
    changed: LogsRoute::search_typed,
    left: |s, _| s.search = None,
    step: step_to_match,
    ..TypedLine::new(
        SEARCHING,
        |is_expression| [kind(is_expression), "/"],
        LogsRoute::search_entered,
    )
};

/// Goes to a time.
pub static TIME: TypedLine<LogsRoute> = TypedLine::new(
    &[("Enter", "go"), ("Esc", "leave")],
    |_| ["", "go to (14:03, 2026-08-21T14:03, or 10m ago: 10m) "],
    |s, Needle { text, .. }, cx| {
        let time = parse_since(&text, &jiff::Zoned::now());
        let time = time.ok_or_else(|| {
            format!("{text:?} is no time: write 14:03, 2026-08-21T14:03, 10m or 2h")
        })?;
        s.go_to(time, cx);
        Ok(())
    },
);

const fn filtering(label: fn(bool) -> [&'static str; 2]) -> TypedLine<LogsRoute> {
    const KEYS: TypingKeys = &[
        ("Enter", "keep"),
        ("Ctrl-R", "regex or text"),
        ("Esc", "leave"),
    ];
    TypedLine {
        expressions: true,
        left: |s, cx| {
            if s.before != s.conditions {
                s.apply(s.before.clone(), cx);
            }
        },
        step: step_to_match,
        ..TypedLine::new(KEYS, label, |_, needle, _| checked(&needle))
    }
}

fn kind(is_expression: bool) -> &'static str {
    if is_expression { "regex " } else { "text " }
}

fn checked(needle: &Needle) -> Result<(), String> {
    needle.check().map_err(|error| error.to_string())
}

fn step_to_match(s: &mut LogsRoute, back: bool, cx: &Cx) -> bool {
    s.match_jump(back, cx);
    true
}

impl LogsRoute {
    // Filters.

    pub(super) fn next_level(&mut self, cx: &Cx) {
        let at = LEVELS.iter().position(|l| *l == self.conditions.level());
        let next = at.map_or(0, |at| (at + 1) % LEVELS.len());
        let conditions = self.conditions.clone();
        let conditions = match LEVELS.get(next).copied().flatten() {
            Some(level) => conditions.with(LogTest::Level(level)),
            None => conditions.without(|wish| matches!(wish, LogTest::Level(_))),
        };
        self.apply(conditions, cx);
    }

    pub(super) fn this_process(&mut self, cx: &Cx) {
        let Some(pid) = self.current().and_then(|item| item.entry.pid) else {
            return cx.info("This entry does not say which process wrote it.");
        };
        let pids = if self.conditions.pids() == [pid] {
            Vec::new()
        } else {
            vec![pid]
        };
        self.only_pids(pids, cx);
    }

    fn only_pids(&mut self, pids: Vec<u32>, cx: &Cx) {
        let conditions = self.conditions.clone();
        let conditions = if pids.is_empty() {
            conditions.without(|wish| matches!(wish, LogTest::Pids(_)))
        } else {
            conditions.with(LogTest::Pids(pids))
        };
        self.apply(conditions, cx);
    }

    pub(super) fn choose_pids(&mut self, cx: &Cx) {
        let known = self.model.items.iter().filter_map(|item| item.entry.pid);
        let known: BTreeMap<u32, Option<u64>> = known.map(|pid| (pid, None)).collect();
        let chosen = self.conditions.pids().to_vec();
        self.dialog = Some(Dialog::Pids(processes(known, &chosen), false));
        self.count_processes(cx);
    }

    /// The processes of the whole log.
    pub(super) fn count_pids(&mut self, counts: BTreeMap<u32, u64>) {
        if let Some(Dialog::Pids(pids, counted)) = &mut self.dialog {
            let here = pids.selected().copied();
            let counts = counts.into_iter().map(|(pid, count)| (pid, Some(count)));
            *pids = processes(counts.collect(), &pids.of::<Vec<u32>>(true));
            pids.select(here.as_ref());
            *counted = true;
        }
    }

    pub(super) fn start_filter(&mut self, line: &'static TypedLine<Self>) {
        self.before = self.conditions.clone();
        self.line = line.with(Field::default());
    }

    /// Takes a key while the processes are listed.
    pub(super) fn pids_key(&mut self, key: KeyEvent, cx: &Cx) {
        let Some(Dialog::Pids(pids, _)) = &mut self.dialog else {
            return;
        };
        let chosen = match pids.key(key) {
            Switched::Left => None,
            _ if is_control(key, 'p') => None,
            Switched::Open => return,
            Switched::All => Some(Vec::new()),
            Switched::Taken => {
                let mut chosen: Vec<u32> = pids.of(true);
                if chosen.is_empty() {
                    chosen.extend(pids.selected());
                }
                Some(chosen)
            }
        };
        self.dialog = None;
        if let Some(pids) = chosen {
            self.only_pids(pids, cx);
        }
    }

    fn filter_by(&mut self, needle: Needle, test: fn(Needle) -> LogTest, cx: &Cx) {
        if needle.check().is_err() {
            return;
        }
        let before = self.before.clone();
        let conditions = if needle.text.is_empty() {
            before
        } else {
            before.with(test(needle))
        };
        self.apply(conditions, cx);
    }

    fn search_typed(&mut self, needle: Needle, _cx: &Cx) {
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

    fn search_entered(&mut self, needle: Needle, cx: &Cx) -> Result<(), String> {
        checked(&needle)?;
        self.search = self.searching(needle).ok();
        self.count(cx);
        let here = self.search.as_ref().zip(self.current());
        if here.is_none_or(|(search, item)| !search.wanted.takes(&item.entry)) {
            self.match_jump(true, cx);
        }
        Ok(())
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
            let item = self.model.at(*row);
            item.is_some_and(|item| wanted.takes(&item.entry))
        };
        let len = self.model.row_count();
        if back {
            (0..from.min(len)).rev().find(takes)
        } else {
            (from..len).find(takes)
        }
    }

    pub(super) fn match_jump(&mut self, back: bool, cx: &Cx) {
        if let Some(search) = &self.search {
            let wanted = search.wanted.clone();
            self.jump(wanted, back, "match", cx);
        }
    }

    pub(super) fn level_jump(&mut self, level: Level, back: bool, cx: &Cx) {
        let wanted = self.conditions.filter().unwrap_or_default();
        let least = self.conditions.level();
        let wanted = wanted.told(least.map_or(level, |least| least.max(level)));
        let what = if level == Level::Error {
            "error"
        } else {
            "warning"
        };
        self.jump(wanted, back, what, cx);
    }

    /// To the next wanted entry, held or not.
    fn jump(&mut self, wanted: Filter, back: bool, what: &'static str, cx: &Cx) {
        let at = self.list.selected().unwrap_or(0);
        let start = if back { at } else { at + 1 };
        self.paused = true;
        if let Some(row) = self.find_held(&wanted, start, back) {
            self.list.select(Some(row));
            return self.refresh_detail();
        }
        let seek = Seek { wanted, back, what };
        let from = if back && !self.model.at_start {
            self.model.before.clone()
        } else if !back && !self.model.at_end {
            self.model.after.clone()
        } else {
            None
        };
        self.seek_from(from, seek, cx);
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
pub fn no_more(seek: &Seek, cx: &Cx) {
    let what = seek.what;
    let (way, other) = match (what, seek.back) {
        ("match", true) => ("before this", ": n looks behind it"),
        ("match", false) => ("after this", ": N looks before it"),
        (_, true) => ("before this", ""),
        (_, false) => ("after this", ""),
    };
    cx.info(format!("There is no {what} {way}{other}."));
}
