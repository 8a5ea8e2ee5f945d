//! Logs: every process of omp merged by time, or any other log; as it comes, filtered, searched, in full on demand.
//!
//! [`model`] holds a window on the log, [`execution`] and [`search`] change it, [`terms`] are the filters, [`view`]
//! draws, [`strip`] shows what is when. Files are read by
//! `app::logs`, and only while this is the route that is shown.

mod execution;
mod incidents;
pub mod model;
mod search;
mod strip;
mod terms;
mod view;

use diagnostics::{
    logs::{Columns, Filter, Histogram, Level},
    omp::incidents::Incident,
};

use self::model::{Key, Model};
use crate::{
    app::logs::{Conditions, Needle, What},
    kit::prelude::*,
};

/// What keys go to.
#[derive(Debug, Default)]
enum Mode {
    /// The list, or the entry in full.
    #[default]
    Browse,
    /// What entries must hold, or must not.
    Filter(Typing, Adding),
    Search(Typing),
    Time(Field),
    /// The processes, and whether their entries are counted.
    Pids(Switches<u32>, bool),
    /// The filters.
    Terms(ListState),
    /// Crashes and refused requests.
    Incidents(Vec<Incident>, ListState),
}

/// A filter that is being typed.
#[derive(Debug, Default)]
struct Adding {
    /// Entries with the text are hidden, instead of all others.
    hides: bool,
    /// What held before.
    base: Conditions,
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
#[derive(Clone, Copy, Debug, PartialEq)]
struct Anchor {
    key: Key,
    /// It stays when the cursor moves without Shift.
    stays: bool,
}

/// The route.
#[derive(Debug, Default)]
pub struct LogsRoute {
    model: Model,
    list: ListState,
    conditions: Conditions,
    filter: Filter,
    /// The number of the newest change of mind: answers to older ones are dropped.
    id: u64,
    /// The number of the newest count.
    counted: u64,
    shown: bool,
    /// Whether a page is on its way.
    reading: bool,
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
    mode: Mode,
    search: Option<Search>,
    seek: Option<Seek>,
    notes: Vec<String>,
    failed: Option<String>,
}

gates! { LogsRoute, s;
    on_entry: s.current().is_some(), "Select an entry first.";
    has_entries: !s.model.items().is_empty(), "There is no entry.";
    has_search: s.search.is_some(), "Nothing is searched: / does.";
    has_conditions: !s.conditions.is_empty(), "All entries are shown.";
}

impl Browser for LogsRoute {
    const TITLE: &'static str = "Logs";
    const ROUTE: RouteId = RouteId::Logs;
    const ACTIONS: &'static [Action<Self>] = rows![
        "logs.expand" "in full" ["enter"], Bar("full") if on_entry => |s, _| {
            if s.detail.is_some() {
                s.detail = None;
            } else {
                s.expand();
            }
        };
        "logs.search" "search" ["/"], Bar("search") if has_entries => |s, _| s.start_search();
        "logs.filter" "filter by text" ["f"], Bar("filter") => |s, _| s.start_filter(false);
        "logs.hide" "hide by text" ["h"] => |s, _| s.start_filter(true);
        "logs.filters" "filters one by one" ["F"], Footer if has_conditions => |s, _| s.open_terms();
        "logs.level" "least level" ["l"], Footer => Self::next_level;
        "logs.pids" "processes" ["ctrl-p" "P"], Footer => Self::choose_pids;
        "logs.copy" "copy" ["y" "ctrl-c"], Footer if on_entry => |s, cx| s.copy(cx);
        "logs.follow" "newest, and follow" ["end" "G"], Footer => Self::follow;
        "logs.older" "older" ["ctrl-o"], Footer if |s, _| (!s.model.at_start).or_why("The log begins here.") => Self::older;
        "logs.next-error" "next error" ["e"], Footer if has_entries => |s, cx| s.level_jump(Level::Error, false, cx);
        "logs.previous-error" "previous error" ["E"] if has_entries => |s, cx| s.level_jump(Level::Error, true, cx);
        "logs.next-warning" "next warning or worse" ["w"] if has_entries => |s, cx| s.level_jump(Level::Warn, false, cx);
        "logs.previous-warning" "previous warning or worse" ["W"] if has_entries => |s, cx| s.level_jump(Level::Warn, true, cx);
        "logs.next-match" "next match" ["n"] if has_search => |s, cx| s.match_jump(false, cx);
        "logs.previous-match" "previous match" ["N"] if has_search => |s, cx| s.match_jump(true, cx);
        "logs.this-process" "only this process, or all again" ["p"] if on_entry => Self::this_process;
        "logs.show-all" "drop all filters" ["x"] if has_conditions => |s, cx| s.apply(Conditions::default(), cx);
        "logs.since-here" "only from here on" ["c"] if on_entry => Self::since_here;
        "logs.time" "go to a time" ["t"] => |s, _| s.mode = Mode::Time(Field::default());
        "logs.incidents" "crashes and refused requests" ["o"] => Self::incidents;
        "logs.switch-1" "first filter on or off" ["1"] if has_conditions => |s, cx| s.switch(0, cx);
        "logs.switch-2" "second filter on or off" ["2"] if has_conditions => |s, cx| s.switch(1, cx);
        "logs.switch-3" "third filter on or off" ["3"] if has_conditions => |s, cx| s.switch(2, cx);
        "logs.switch-4" "fourth filter on or off" ["4"] if has_conditions => |s, cx| s.switch(3, cx);
        "logs.range" "mark a range from here" ["v"] if on_entry => |s, _| s.mark_range();
        "logs.range-up" "mark upwards" ["shift-up" "K"] if on_entry => |s, cx| s.extend(-1, cx);
        "logs.range-down" "mark downwards" ["shift-down" "J"] if on_entry => |s, cx| s.extend(1, cx);
        "logs.mark-all" "mark all that is loaded" ["ctrl-a"] if has_entries => |s, _| s.mark_all();
        "logs.open" "in full" ["right"] if on_entry => |s, _| s.expand();
        "logs.close" "close what is in full" ["left"] => |s, _| {
            if s.file.take().is_none() {
                s.detail = None;
            }
        };
        lines "logs" "up; in an entry, scroll" "down; in an entry, scroll";
        "logs.previous" "the entry before, in full as well" ["["] if on_entry => |s, cx| s.step(-1, cx);
        "logs.next" "the next entry, in full as well" ["]"] if on_entry => |s, cx| s.step(1, cx);
        "logs.first" "the log's beginning" ["home" "g"] => |s, cx| s.edge(false, cx);
        "logs.reload" "read anew" ["r"] => |s, cx| {
            s.indexed = false;
            s.reload(cx);
        };
        "logs.back" "close, unmark, end the search, then back" ["esc"] => |s, cx| {
            if !s.leave_something() {
                cx.back();
            }
        };
    ];

    type Begin = Conditions;

    fn show(&mut self, shown: bool, cx: &mut Cx<'_>) {
        self.shown = shown;
        if shown {
            self.indexed = false;
            self.reload(cx);
        } else {
            self.id += 1;
            self.reading = false;
            self.ask(What::Close, cx);
        }
    }

    fn begin(&mut self, conditions: &Conditions, cx: &mut Cx<'_>) {
        self.apply(conditions.clone(), cx);
    }

    fn happened(&mut self, msg: &Msg, cx: &mut Cx<'_>) {
        if let Msg::Logs(told) = msg {
            self.told(told.as_ref().clone(), cx);
        }
    }

    fn typing(&self) -> Option<TypingKeys> {
        Some(match self.mode {
            Mode::Browse => return None,
            Mode::Pids(..) => &[
                ("Space", "switch"),
                ("a", "all"),
                ("Enter", "done"),
                ("Esc", "leave"),
            ],
            Mode::Terms(_) => &[("Space", "switch"), ("d", "remove"), ("Enter", "done")],
            Mode::Time(_) => &[("Enter", "go"), ("Esc", "leave")],
            Mode::Incidents(..) => &[("Enter", "open"), ("Esc", "leave")],
            Mode::Search(_) => SEARCHING,
            Mode::Filter(..) => &[
                ("Enter", "keep"),
                ("Ctrl-R", "regex or text"),
                ("Esc", "leave"),
            ],
        })
    }

    fn typed(&mut self, key: KeyEvent, cx: &mut Cx<'_>) -> bool {
        self.take_key(key, cx)
    }

    fn field(&mut self) -> Option<&mut Field> {
        match &mut self.mode {
            Mode::Filter(typing, _) | Mode::Search(typing) => Some(&mut typing.field),
            Mode::Time(field) => Some(field),
            _ => None,
        }
    }

    fn changed(&mut self, cx: &mut Cx<'_>) {
        self.take_text(cx);
    }
}

#[cfg(test)]
mod tests;
