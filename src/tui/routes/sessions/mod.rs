//! Sessions of omp: all projects, the newest first; one as a tree with branches, what it took, its subagents and artifacts; a search
//! through one or all.
//!
//! [`list`] and [`open`] hold what is shown, [`execution`] changes it, [`work`] reads, [`view`] draws. Nothing is read while another
//! route is shown.

mod execution;
mod list;
mod looks;
mod open;
mod opened;
mod view;
mod work;

use self::{
    list::{Listing, SearchResults},
    open::{Open, Tab},
};
use crate::{prelude::*, routes::transcript::TranscriptRoute};

/// What the command line asked for: this session.
#[derive(Debug)]
pub struct SessionTarget(pub String);

static FILTER: TypedLine<SessionsRoute> = TypedLine {
    changed: |s, needle, _| s.listing.set_filter(&needle.text),
    left: |s, _| s.listing.set_filter(""),
    step: |s, back, cx| {
        s.walk(Step::Rows(if back { -1 } else { 1 }), cx);
        true
    },
    ..TypedLine::new(
        &[("Enter", "keep"), ("Esc", "leave")],
        |_| ["", "Filter: "],
        |_, _, _| Ok(()),
    )
};

/// Searches all sessions.
static SEARCH: TypedLine<SessionsRoute> = searching(|e| label(e, "Search all sessions: "));

/// Searches the one that is open.
static SEARCH_HERE: TypedLine<SessionsRoute> = searching(|e| label(e, "Search here: "));

fn label(is_expression: bool, of_text: &'static str) -> [&'static str; 2] {
    let of_expression = "Search (regex): ";
    [
        "",
        if is_expression {
            of_expression
        } else {
            of_text
        },
    ]
}

const fn searching(label: fn(bool) -> [&'static str; 2]) -> TypedLine<SessionsRoute> {
    TypedLine {
        expressions: true,
        ..TypedLine::new(SEARCHING, label, |s, needle, cx| {
            s.search(&needle.text, needle.is_expression, cx);
            Ok(())
        })
    }
}

/// The route.
#[derive(Debug, Default)]
pub struct SessionsRoute {
    listing: Listing,
    found: Option<SearchResults>,
    /// Sessions that are open: a subagent's above that of its parent.
    open: Vec<Open>,
    line: Option<Typing<Self>>,
    shown: bool,
    asked: Option<String>,
    /// Why what was asked for is not shown, or an expression is none.
    trouble: Option<String>,
    /// Where tabs were drawn.
    tabs: Vec<(Rect, usize)>,
}

gates! { SessionsRoute, s;
    on_row: match (s.open.last(), &s.found) {
        (Some(open), _) => open.selected().is_some() && open.len() > 0,
        (None, Some(found)) => found.selected().is_some(),
        (None, None) => s.listing.selected().is_some(),
    }, "There is nothing to select.";
    has_session: s.session().is_some(), "Select a session first.";
    is_open: !s.open.is_empty(), "Open a session first.";
    is_list: s.open.is_empty(), "This filters the list of sessions.";
    has_search: s.open.last().is_some_and(|open| open.search.is_some()), "Nothing is searched here: / does.";
}

impl Browser for SessionsRoute {
    table! { "Sessions", s, cx;
        "sessions.open" "open" ["enter"], Bar("open") if on_row => Self::enter;
        "sessions.search" "search what was said" ["/"], Bar("search") => s.start_search();
        "sessions.filter" "filter by title or project" ["f"], Footer if is_list => s.line = FILTER.with(Field::proposing(s.listing.filter.clone()));
        "sessions.next-tab" "overview, subagents, artifacts" ["tab"], Footer if is_open => s.turn(1, cx);
        "sessions.previous-tab" "the tab before" ["shift-tab"] if is_open => s.turn(-1, cx);
        "sessions.transcript" "transcript" ["t"], Bar("transcript") if has_session => {
            if let Some(path) = s.session() {
                cx.go(RouteId::TRANSCRIPT);
                cx.emit(Effect::on(work::TRANSCRIPT, |s: &mut TranscriptRoute, cx| s.hand_over(path, cx)));
            }
        };
        "sessions.copy" "copy" ["y" "ctrl-c"], Footer if has_session => Self::copy;
        jumps "sessions" "error" "error" ["e"] ["E"], Footer if is_open => error;
        jumps "sessions" "match" "match" ["n"] ["N"] if has_search => match_jump;
        "sessions.open-file" "open the file or folder with the desktop" ["o"] if |s, _| s.file().or_why("There is no file to open.") => {
            if let Some(path) = s.file() {
                cx.emit(Effect::OpenExternally(path));
            }
        };
        "sessions.right" "open, unfold" ["right"] if on_row => Self::enter;
        "sessions.left" "close what is in full" ["left"] if is_open => {
            if let Some(open) = s.open.last_mut() {
                open.detail = None;
            }
        };
        lines "sessions" "up; in a text, scroll" "down; in a text, scroll";
        "sessions.previous" "the row before, in full as well" ["["] if is_open => s.step(-1, cx);
        "sessions.next" "the next row, in full as well" ["]"] if is_open => s.step(1, cx);
        ends "sessions" "the first row" "the last row";
        "sessions.reload" "read anew" ["r"] => Self::reload;
        back "sessions" "close, then back";
    }

    type Begin = SessionTarget;

    fn show(&mut self, shown: bool, cx: &Cx) {
        self.shown = shown;
        match self.open.last() {
            _ if !shown => {
                for name in [work::LIST, work::OPEN, work::FULL, work::SEARCH] {
                    cx.end_work(name);
                }
                // What a search has found so far stays; it is not going on.
                if let Some(found) = &mut self.found {
                    found.done = true;
                }
            }
            Some(open) if self.asked.is_none() => {
                cx.emit(open.reading(open.read.0, open.beside.is_none()));
            }
            _ => self.reload(cx),
        }
    }

    fn begin(&mut self, SessionTarget(word): &SessionTarget, cx: &Cx) {
        self.asked = Some(word.clone());
        if self.shown {
            self.reload(cx);
        }
    }

    fn leave(&mut self, cx: &Cx) -> bool {
        if let Some(open) = self.open.last_mut() {
            if open.detail.take().is_some() {
                cx.end_work(work::FULL);
                return true;
            }
            self.open.pop();
            cx.end_work(work::OPEN);
            cx.end_work(work::SEARCH);
            match self.open.last() {
                // The one below goes on where it was.
                Some(below) => {
                    cx.emit(below.reading(below.read.0, below.beside.is_none()));
                }
                None if !self.listing.done && self.listing.files == 0 => self.reload(cx),
                None => {}
            }
            return true;
        }
        if self.found.take().is_some() {
            cx.end_work(work::SEARCH);
            return true;
        }
        if !self.listing.filter.is_empty() {
            self.listing.set_filter("");
            return true;
        }
        false
    }

    types_in!(line);

    tabs_in!(tabs);

    fn turned_to(&mut self, tab: usize, cx: &Cx) {
        if let Some(tab) = Tab::ALL.get(tab) {
            self.choose(*tab, cx);
        }
    }
}

#[cfg(test)]
mod tests;
