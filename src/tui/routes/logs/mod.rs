//! Logs: every process of omp merged by time, or any other log; as it comes, filtered, searched, in full on demand.
//!
//! [`model`] holds a window on the log, [`doing`] and [`finding`] change it, [`terms`] are the filters, [`chooser`] chooses processes, [`view`]
//! draws, [`strip`] shows what is when. Files are read by
//! `app::logs`, and only while this is the route that is shown.

mod chooser;
mod doing;
mod finding;
mod incidents;
pub mod model;
mod strip;
mod terms;
mod view;

use crossterm::event::{KeyEvent, MouseButton, MouseEvent, MouseEventKind};
use ratatui::Frame;
use ratatui::layout::Rect;
use regex::Regex;

use self::chooser::Chooser;
use self::model::{Key, Model};
use crate::action::{Action, Cx, Enabled, Show, Surface, TypingKeys, View, always};
use crate::app::effect::{Effect, RouteId};
use crate::app::logs::{Conditions, Needle};
use crate::app::msg::Msg;
use crate::routes::debug::kit::{Field, row, wheel};
use crate::widgets::list::ListState;
use crate::widgets::text_view::TextView;
use diagnostics::logs::{Columns, Filter, Histogram, Level};
use diagnostics::omp::incidents::Incident;

/// What keys go to.
#[derive(Debug, Default)]
enum Mode {
    /// The list, or the entry in full.
    #[default]
    Browse,
    /// What entries must hold, or must not.
    Filter(Field, bool, Adding),
    /// What is searched.
    Search(Field, bool),
    /// When.
    Time(Field),
    /// The processes.
    Pids(Chooser),
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

fn on_entry(s: &LogsRoute, _: &View<'_>) -> Enabled {
    s.current().map(|_| ()).ok_or("Select an entry first.")
}

fn has_entries(s: &LogsRoute, _: &View<'_>) -> Enabled {
    if s.model.items().is_empty() {
        Err("There is no entry.")
    } else {
        Ok(())
    }
}

fn has_search(s: &LogsRoute, _: &View<'_>) -> Enabled {
    s.search
        .as_ref()
        .map(|_| ())
        .ok_or("Nothing is searched: / does.")
}

fn has_conditions(s: &LogsRoute, _: &View<'_>) -> Enabled {
    if s.conditions.is_empty() {
        Err("All entries are shown.")
    } else {
        Ok(())
    }
}

fn has_older(s: &LogsRoute, _: &View<'_>) -> Enabled {
    if s.model.at_start() {
        Err("The log begins here.")
    } else {
        Ok(())
    }
}

impl Surface for LogsRoute {
    const TITLE: &'static str = "Logs";
    const ACTIONS: &'static [Action<Self>] = &[
        row(
            "logs.expand",
            "in full",
            &["enter"],
            Show::Bar("full"),
            on_entry,
            |s, _| {
                if s.detail.is_some() {
                    s.detail = None;
                } else {
                    s.expand();
                }
            },
        ),
        row(
            "logs.search",
            "search",
            &["/"],
            Show::Bar("search"),
            has_entries,
            |s, _| s.start_search(),
        ),
        row(
            "logs.filter",
            "filter by text",
            &["f"],
            Show::Bar("filter"),
            always,
            |s, _| s.start_filter(false),
        ),
        row(
            "logs.hide",
            "hide by text",
            &["h"],
            Show::HelpOnly,
            always,
            |s, _| s.start_filter(true),
        ),
        row(
            "logs.filters",
            "filters one by one",
            &["F"],
            Show::Footer,
            has_conditions,
            |s, _| s.open_terms(),
        ),
        row(
            "logs.level",
            "least level",
            &["l"],
            Show::Footer,
            always,
            Self::next_level,
        ),
        row(
            "logs.pids",
            "processes",
            &["ctrl-p", "P"],
            Show::Footer,
            always,
            Self::choose_pids,
        ),
        row(
            "logs.copy",
            "copy",
            &["y", "ctrl-c"],
            Show::Footer,
            on_entry,
            |s, cx| s.copy(cx),
        ),
        row(
            "logs.follow",
            "newest, and follow",
            &["end", "G"],
            Show::Footer,
            always,
            Self::follow,
        ),
        row(
            "logs.older",
            "older",
            &["ctrl-o"],
            Show::Footer,
            has_older,
            Self::older,
        ),
        row(
            "logs.next-error",
            "next error",
            &["e"],
            Show::Footer,
            has_entries,
            |s, cx| s.level_jump(Level::Error, false, cx),
        ),
        row(
            "logs.previous-error",
            "previous error",
            &["E"],
            Show::HelpOnly,
            has_entries,
            |s, cx| s.level_jump(Level::Error, true, cx),
        ),
        row(
            "logs.next-warning",
            "next warning or worse",
            &["w"],
            Show::HelpOnly,
            has_entries,
            |s, cx| s.level_jump(Level::Warn, false, cx),
        ),
        row(
            "logs.previous-warning",
            "previous warning or worse",
            &["W"],
            Show::HelpOnly,
            has_entries,
            |s, cx| s.level_jump(Level::Warn, true, cx),
        ),
        row(
            "logs.next-match",
            "next match",
            &["n"],
            Show::HelpOnly,
            has_search,
            |s, cx| s.match_jump(false, cx),
        ),
        row(
            "logs.previous-match",
            "previous match",
            &["N"],
            Show::HelpOnly,
            has_search,
            |s, cx| s.match_jump(true, cx),
        ),
        row(
            "logs.this-process",
            "only this process, or all again",
            &["p"],
            Show::HelpOnly,
            on_entry,
            Self::this_process,
        ),
        row(
            "logs.show-all",
            "drop all filters",
            &["x"],
            Show::HelpOnly,
            has_conditions,
            |s, cx| s.apply(Conditions::default(), cx),
        ),
        row(
            "logs.since-here",
            "only from here on",
            &["c"],
            Show::HelpOnly,
            on_entry,
            Self::since_here,
        ),
        row(
            "logs.time",
            "go to a time",
            &["t"],
            Show::HelpOnly,
            always,
            |s, _| s.mode = Mode::Time(Field::default()),
        ),
        row(
            "logs.incidents",
            "crashes and refused requests",
            &["o"],
            Show::HelpOnly,
            always,
            Self::incidents,
        ),
        row(
            "logs.switch-1",
            "first filter on or off",
            &["1"],
            Show::HelpOnly,
            has_conditions,
            |s, cx| s.switch(0, cx),
        ),
        row(
            "logs.switch-2",
            "second filter on or off",
            &["2"],
            Show::HelpOnly,
            has_conditions,
            |s, cx| s.switch(1, cx),
        ),
        row(
            "logs.switch-3",
            "third filter on or off",
            &["3"],
            Show::HelpOnly,
            has_conditions,
            |s, cx| s.switch(2, cx),
        ),
        row(
            "logs.switch-4",
            "fourth filter on or off",
            &["4"],
            Show::HelpOnly,
            has_conditions,
            |s, cx| s.switch(3, cx),
        ),
        row(
            "logs.range",
            "mark a range from here",
            &["v"],
            Show::HelpOnly,
            on_entry,
            |s, _| s.mark_range(),
        ),
        row(
            "logs.range-up",
            "mark upwards",
            &["shift-up", "K"],
            Show::HelpOnly,
            on_entry,
            |s, cx| s.extend(-1, cx),
        ),
        row(
            "logs.range-down",
            "mark downwards",
            &["shift-down", "J"],
            Show::HelpOnly,
            on_entry,
            |s, cx| s.extend(1, cx),
        ),
        row(
            "logs.mark-all",
            "mark all that is loaded",
            &["ctrl-a"],
            Show::HelpOnly,
            has_entries,
            |s, _| s.mark_all(),
        ),
        row(
            "logs.open",
            "in full",
            &["right"],
            Show::HelpOnly,
            on_entry,
            |s, _| s.expand(),
        ),
        row(
            "logs.close",
            "close what is in full",
            &["left"],
            Show::HelpOnly,
            always,
            |s, _| {
                if s.file.take().is_none() {
                    s.detail = None;
                }
            },
        ),
        row(
            "logs.up",
            "up; in an entry, scroll",
            &["up", "k"],
            Show::HelpOnly,
            always,
            |s, cx| s.vertical(-1, cx),
        ),
        row(
            "logs.down",
            "down; in an entry, scroll",
            &["down", "j"],
            Show::HelpOnly,
            always,
            |s, cx| s.vertical(1, cx),
        ),
        row(
            "logs.page-up",
            "a page up",
            &["pageup", "ctrl-b"],
            Show::HelpOnly,
            always,
            |s, cx| s.page(-1, cx),
        ),
        row(
            "logs.page-down",
            "a page down",
            &["pagedown", "ctrl-f"],
            Show::HelpOnly,
            always,
            |s, cx| s.page(1, cx),
        ),
        row(
            "logs.previous",
            "the entry before, in full as well",
            &["["],
            Show::HelpOnly,
            on_entry,
            |s, cx| s.step(-1, cx),
        ),
        row(
            "logs.next",
            "the next entry, in full as well",
            &["]"],
            Show::HelpOnly,
            on_entry,
            |s, cx| s.step(1, cx),
        ),
        row(
            "logs.first",
            "the log's beginning",
            &["home", "g"],
            Show::HelpOnly,
            always,
            Self::first,
        ),
        row(
            "logs.reload",
            "read anew",
            &["r"],
            Show::HelpOnly,
            always,
            |s, cx| {
                s.indexed = false;
                s.reload(cx);
            },
        ),
        row(
            "logs.back",
            "close, unmark, end the search, then back",
            &["esc"],
            Show::HelpOnly,
            always,
            |s, cx| {
                if !s.leave_something() {
                    cx.emit(Effect::Invoke("app.back".to_owned()));
                }
            },
        ),
    ];

    fn render(&mut self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
        self.draw(frame.buffer_mut(), area, view);
    }

    fn on_msg(&mut self, msg: &Msg, cx: &mut Cx<'_>) {
        match msg {
            Msg::Shown(route) => self.show(*route == RouteId::Logs, cx),
            Msg::Begin(begin) => {
                if let Some(conditions) = begin.of::<Conditions>() {
                    self.apply(conditions.clone(), cx);
                }
            }
            Msg::Logs(told) => self.told(told.as_ref().clone(), cx),
            _ => {}
        }
    }

    fn wants_text(&self) -> bool {
        !matches!(self.mode, Mode::Browse)
    }

    fn typing_keys(&self) -> TypingKeys {
        match self.mode {
            Mode::Pids(_) => &[
                ("Space", "switch"),
                ("a", "all"),
                ("Enter", "done"),
                ("Esc", "leave"),
            ],
            Mode::Terms(_) => &[("Space", "switch"), ("d", "remove"), ("Enter", "done")],
            Mode::Time(_) => &[("Enter", "go"), ("Esc", "leave")],
            Mode::Incidents(..) => &[("Enter", "open"), ("Esc", "leave")],
            Mode::Search(..) => &[
                ("Enter", "search"),
                ("Ctrl-R", "regex or text"),
                ("Esc", "leave"),
            ],
            _ => &[
                ("Enter", "keep"),
                ("Ctrl-R", "regex or text"),
                ("Esc", "leave"),
            ],
        }
    }

    fn on_text(&mut self, key: KeyEvent, cx: &mut Cx<'_>) -> bool {
        cx.redraw();
        self.typed(key, cx)
    }

    fn on_paste(&mut self, text: &str, cx: &mut Cx<'_>) -> bool {
        match &mut self.mode {
            Mode::Filter(field, ..) | Mode::Search(field, _) | Mode::Time(field) => {
                field.paste(text);
            }
            _ => return false,
        }
        self.changed(cx);
        cx.redraw();
        true
    }

    fn on_mouse(&mut self, event: MouseEvent, cx: &mut Cx<'_>) -> bool {
        if self.wants_text() {
            return false;
        }
        if let Some(by) = wheel(&event) {
            self.scroll(by, cx);
        } else if event.kind == MouseEventKind::Down(MouseButton::Left)
            && self.click_strip(event.column, event.row, cx)
        {
        } else if event.kind == MouseEventKind::Down(MouseButton::Left)
            && let Some(at) = self.list.row_at(event.column, event.row)
        {
            self.click(at, cx);
        } else {
            return false;
        }
        cx.redraw();
        true
    }
}

#[cfg(test)]
mod tests;
