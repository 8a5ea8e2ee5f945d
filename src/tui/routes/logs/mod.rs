//! Logs: every process of omp merged by time, or any other log; as it comes, filtered, searched, in full on demand.
//!
//! [`model`] holds a window on the log, [`execution`] and [`search`] change it, [`terms`] are the filters, which [`conditions`] keeps, [`view`]
//! draws, [`strip`] shows what is when. Files are read by [`work`], and only while this is the route that is shown.

pub mod conditions;
mod execution;
mod incidents;
pub mod model;
mod search;
mod strip;
mod terms;
mod view;
mod work;

use diagnostics::logs::{Columns, Filter, Histogram, Level};

use self::{
    conditions::Conditions,
    model::{Key, Model, OpenLog},
};
use crate::prelude::*;

/// A dialog over the entries.
#[derive(Debug)]
enum Dialog {
    /// Which processes are shown, and whether their entries are counted.
    Pids(Switches<u32>, bool),
    /// The filters one by one.
    Terms(ListState),
}

/// What is searched.
#[derive(Debug)]
struct Search {
    needle: Needle,
    /// For marking it.
    regex: Regex,
    /// Entries shown that have it.
    wanted: Filter,
    /// How many there are in the whole log, once counted.
    count: Option<u64>,
}

/// An entry that is being looked for beyond what is held.
#[derive(Debug)]
struct Seek {
    wanted: Filter,
    back: bool,
    /// `match`, `error`.
    what: &'static str,
}

/// A marked range begins here.
#[derive(Clone, Copy, Debug)]
struct Anchor {
    key: Key,
    /// It stays when the cursor moves without Shift.
    stays: bool,
}

/// What this screen begins with.
#[derive(Debug, Default)]
pub struct LogsTarget {
    /// Files and folders; none = omp's own logs.
    pub paths: Vec<PathBuf>,
    /// Which entries are shown.
    pub conditions: Conditions,
}

/// The route.
#[derive(Debug, Default)]
pub struct LogsRoute {
    model: Model,
    list: ListState,
    conditions: Conditions,
    filter: Filter,
    /// Files and folders that were named; none = omp's own logs.
    paths: Vec<PathBuf>,
    log: OpenLog,
    shown: bool,
    /// Whether a page is on its way.
    reading: bool,
    /// Whether the newest page is to be shown once the log is open: no other was shown since.
    opening: bool,
    opened: bool,
    paused: bool,
    /// Entries that came while paused.
    fresh: u64,
    /// What is in the log at which time, as far as known.
    times: Histogram,
    indexed: bool,
    /// Where that was drawn.
    strip: Option<(Rect, Columns)>,
    /// Entries that the conditions hide, once counted.
    hidden: Option<u64>,
    anchor: Option<Anchor>,
    detail: Option<(Key, TextView)>,
    /// A file beside the logs, in place of the entries.
    file: Option<(String, TextView)>,
    line: Option<Typing<Self>>,
    /// What was shown before a filter was typed.
    before: Conditions,
    dialog: Option<Dialog>,
    search: Option<Search>,
    seek: Option<Seek>,
    notes: Vec<String>,
    failed: Option<String>,
}

gates! { LogsRoute, s;
    on_entry: s.current().is_some(), "Select an entry first.";
    has_entries: !s.model.items.is_empty(), "There is no entry.";
    has_search: s.search.is_some(), "Nothing is searched: / does.";
    has_conditions: !s.conditions.is_empty(), "All entries are shown.";
}

impl Browser for LogsRoute {
    table! { "Logs", s, cx;
        "logs.expand" "in full" ["enter"], Bar("full") if on_entry => {
            if s.detail.is_some() {
                s.detail = None;
            } else {
                s.expand();
            }
        };
        "logs.search" "search" ["/"], Bar("search") if has_entries => s.line = search::SEARCH.proposing(s.search.as_ref().map(|search| &search.needle));
        "logs.filter" "filter by text" ["f"], Bar("filter") => s.start_filter(&search::ONLY);
        "logs.hide" "hide by text" ["h"] => s.start_filter(&search::HIDE);
        "logs.filters" "filters one by one" ["F"], Footer if has_conditions => {
            let mut list = ListState::default();
            list.select(Some(0));
            s.dialog = Some(Dialog::Terms(list));
        };
        "logs.level" "least level" ["l"], Footer => Self::next_level;
        "logs.pids" "processes" ["ctrl-p" "P"], Footer => Self::choose_pids;
        "logs.copy" "copy" ["y" "ctrl-c"], Footer if on_entry => Self::copy;
        "logs.follow" "newest, and follow" ["end" "G"], Footer => Self::follow;
        "logs.older" "older" ["ctrl-o"], Footer if |s, _| (!s.model.at_start).or_why("The log begins here.") => Self::older;
        jumps "logs" "error" "error" ["e"] ["E"], Footer if has_entries => level_jump(Level::Error);
        jumps "logs" "warning" "warning or worse" ["w"] ["W"] if has_entries => level_jump(Level::Warn);
        jumps "logs" "match" "match" ["n"] ["N"] if has_search => match_jump;
        "logs.this-process" "only this process, or all again" ["p"] if on_entry => Self::this_process;
        "logs.show-all" "drop all filters" ["x"] if has_conditions => s.apply(Conditions::default(), cx);
        "logs.since-here" "only from here on" ["c"] if on_entry => Self::since_here;
        "logs.time" "go to a time" ["t"] => s.line = search::TIME.with(Field::default());
        "logs.another" "open another log" ["O"] => Self::ask(cx);
        "logs.incidents" "crashes and refused requests" ["o"] => Self::incidents;
        "logs.switch-1" "first filter on or off" ["1"] if has_conditions => s.switch(0, cx);
        "logs.switch-2" "second filter on or off" ["2"] if has_conditions => s.switch(1, cx);
        "logs.switch-3" "third filter on or off" ["3"] if has_conditions => s.switch(2, cx);
        "logs.switch-4" "fourth filter on or off" ["4"] if has_conditions => s.switch(3, cx);
        "logs.range" "mark a range from here" ["v"] if on_entry => {
            s.paused = true;
            s.anchor = match s.anchor {
                Some(anchor) if anchor.stays => None,
                _ => s.current().map(|item| Anchor { key: item.key(), stays: true }),
            };
        };
        "logs.range-up" "mark upwards" ["shift-up" "K"] if on_entry => s.extend(-1, cx);
        "logs.range-down" "mark downwards" ["shift-down" "J"] if on_entry => s.extend(1, cx);
        "logs.mark-all" "mark all that is loaded" ["ctrl-a"] if has_entries => s.mark_all();
        "logs.open" "in full" ["right"] if on_entry => s.expand();
        "logs.close" "close what is in full" ["left"] => {
            if s.file.take().is_none() {
                s.detail = None;
            }
        };
        lines "logs" "up; in an entry, scroll" "down; in an entry, scroll";
        "logs.previous" "the entry before, in full as well" ["["] if on_entry => s.step(-1, cx);
        "logs.next" "the next entry, in full as well" ["]"] if on_entry => s.step(1, cx);
        "logs.first" "the log's beginning" ["home" "g"] => s.walk(Step::First, cx);
        "logs.reload" "read anew" ["r"] => {
            s.indexed = false;
            s.reload(cx);
        };
        back "logs" "close, unmark, end the search, then back";
    }

    type Begin = LogsTarget;

    fn show(&mut self, shown: bool, cx: &Cx) {
        self.shown = shown;
        if shown {
            self.indexed = false;
            self.reload(cx);
        } else {
            self.reading = false;
            for name in work::ALL {
                cx.end_work(name);
            }
        }
    }

    fn begin(&mut self, target: &LogsTarget, cx: &Cx) {
        self.paths.clone_from(&target.paths);
        self.apply(target.conditions.clone(), cx);
    }

    types_in!(line);

    fn leave(&mut self, cx: &Cx) -> bool {
        if self.file.take().is_some() {
            return true;
        }
        if self.detail.take().is_some() || self.anchor.take().is_some() {
            return true;
        }
        if self.seek.take().is_some() {
            cx.end_work(work::READ);
            self.reading = false;
            return true;
        }
        self.search.take().is_some()
    }

    fn dialog(&self) -> Option<TypingKeys> {
        Some(match self.dialog.as_ref()? {
            Dialog::Pids(..) => &[
                ("Space", "switch"),
                ("a", "all"),
                ("Enter", "done"),
                ("Esc", "leave"),
            ],
            Dialog::Terms(_) => &[("Space", "switch"), ("d", "remove"), ("Enter", "done")],
        })
    }

    fn dialog_key(&mut self, key: KeyEvent, cx: &Cx) -> bool {
        match self.dialog {
            Some(Dialog::Pids(..)) => self.pids_key(key, cx),
            Some(Dialog::Terms(_)) => self.terms_key(key, cx),
            None => return false,
        }
        true
    }
}

#[cfg(test)]
mod tests;
