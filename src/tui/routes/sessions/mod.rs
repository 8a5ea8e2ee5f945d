//! Sessions of omp: all projects, the newest first; one as a tree with branches, what it took, its subagents and artifacts; a search
//! through one or all.
//!
//! [`list`] and [`open`] hold what is shown, [`doing`] changes it, [`work`] reads, [`view`] draws. Nothing is read while another
//! route is shown.

mod doing;
mod list;
mod open;
mod opened;
mod view;
mod work;

use self::{
    list::{Found, Listing},
    open::{Open, Tab},
};
use crate::kit::prelude::*;

/// The name of the work that hands a session, as a path, to the transcript route.
pub use work::TRANSCRIPT as HAND_OVER;

/// What the command line asked for: this session.
#[derive(Clone, Debug)]
pub struct Asked(pub String);

/// What keys go to.
#[derive(Debug, Default)]
enum Mode {
    /// What is shown.
    #[default]
    Browse,
    /// What titles and projects must have.
    Filter(Field),
    /// What is searched, and whether it is an expression.
    Search(Field, bool),
}

/// The route.
#[derive(Debug, Default)]
pub struct SessionsRoute {
    listing: Listing,
    found: Option<Found>,
    /// Sessions that are open: a subagent's above that of its parent.
    open: Vec<Open>,
    mode: Mode,
    shown: bool,
    asked: Option<String>,
    /// Why what was asked for is not shown, or an expression is none.
    trouble: Option<String>,
    /// Where tabs were drawn.
    tabs: Vec<(Rect, usize)>,
}

fn on_row(s: &SessionsRoute, _: &View<'_>) -> Enabled {
    let any = match (s.open.last(), &s.found) {
        (Some(open), _) => open.selected().is_some() && open.len() > 0,
        (None, Some(found)) => found.selected().is_some(),
        (None, None) => s.listing.selected().is_some(),
    };
    if any {
        Ok(())
    } else {
        Err("There is nothing to select.")
    }
}

fn has_session(s: &SessionsRoute, _: &View<'_>) -> Enabled {
    when(s.session().is_some(), "Select a session first.")
}

fn is_open(s: &SessionsRoute, _: &View<'_>) -> Enabled {
    when(s.open.last().is_some(), "Open a session first.")
}

fn is_list(s: &SessionsRoute, _: &View<'_>) -> Enabled {
    match s.open.last() {
        Some(_) => Err("This filters the list of sessions."),
        None => Ok(()),
    }
}

fn has_search(s: &SessionsRoute, _: &View<'_>) -> Enabled {
    let search = s.open.last().and_then(|open| open.search.as_ref());
    when(search.is_some(), "Nothing is searched here: / does.")
}

impl Surface for SessionsRoute {
    const TITLE: &'static str = "Sessions";
    const ACTIONS: &'static [Action<Self>] = rows![
        "sessions.open" "open" ["enter"]: Bar("open") if on_row => Self::enter;
        "sessions.search" "search what was said" ["/"]: Bar("search") => |s, _| s.start_search();
        "sessions.filter" "filter by title or project" ["f"]: Footer if is_list => |s, _| s.start_filter();
        "sessions.next-tab" "overview, subagents, artifacts" ["tab"]: Footer if is_open => |s, cx| s.turn(1, cx);
        "sessions.previous-tab" "the tab before" ["shift-tab"] if is_open => |s, cx| s.turn(-1, cx);
        "sessions.transcript" "transcript" ["t"]: Bar("transcript") if has_session => |s, cx| s.transcript(cx);
        "sessions.copy" "copy" ["y", "ctrl-c"]: Footer if has_session => |s, cx| s.copy(cx);
        "sessions.next-error" "next error" ["e"]: Footer if is_open => |s, cx| s.error(false, cx);
        "sessions.previous-error" "previous error" ["E"] if is_open => |s, cx| s.error(true, cx);
        "sessions.next-match" "next match" ["n"] if has_search => |s, cx| s.match_jump(false, cx);
        "sessions.previous-match" "previous match" ["N"] if has_search => |s, cx| s.match_jump(true, cx);
        "sessions.open-file" "open the file or folder with the desktop" ["o"] if |s, _| when(s.file().is_some(), "There is no file to open.") => |s, cx| {
            if let Some(path) = s.file() {
                cx.emit(Effect::OpenExternally(path));
            }
        };
        "sessions.right" "open, unfold" ["right"] if on_row => Self::enter;
        "sessions.left" "close what is in full" ["left"] if is_open => |s, _| s.close_detail();
        lines "sessions" "up; in a text, scroll" "down; in a text, scroll";
        "sessions.previous" "the row before, in full as well" ["["] if is_open => |s, cx| s.step(-1, cx);
        "sessions.next" "the next row, in full as well" ["]"] if is_open => |s, cx| s.step(1, cx);
        ends "sessions" "the first row" "the last row";
        "sessions.reload" "read anew" ["r"] => Self::reload;
        "sessions.back" "close, then back" ["esc"] => |s, cx| {
            if !s.leave(cx) {
                cx.back();
            }
        };
    ];

    fn render(&mut self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
        self.draw(frame.buffer_mut(), area, view);
    }

    fn on_msg(&mut self, msg: &Msg, cx: &mut Cx<'_>) {
        match msg {
            Msg::Shown(route) => self.show(*route == RouteId::Sessions, cx),
            Msg::Begin(begin) => {
                if let Some(Asked(word)) = begin.of::<Asked>() {
                    self.asked = Some(word.clone());
                    if self.shown {
                        self.reload(cx);
                    }
                }
            }
            Msg::Told(told) => self.told(told, cx),
            _ => {}
        }
    }

    fn wants_text(&self) -> bool {
        !matches!(self.mode, Mode::Browse)
    }

    fn typing_keys(&self) -> TypingKeys {
        match self.mode {
            Mode::Search(..) => SEARCHING,
            _ => &[("Enter", "keep"), ("Esc", "leave")],
        }
    }

    fn on_text(&mut self, key: KeyEvent, cx: &mut Cx<'_>) -> bool {
        cx.redraw();
        self.typed(key, cx)
    }

    fn on_paste(&mut self, text: &str, cx: &mut Cx<'_>) -> bool {
        match &mut self.mode {
            Mode::Filter(field) | Mode::Search(field, _) => field.paste(text),
            Mode::Browse => return false,
        }
        self.changed();
        cx.redraw();
        true
    }

    fn on_mouse(&mut self, event: MouseEvent, cx: &mut Cx<'_>) -> bool {
        if self.wants_text() {
            return false;
        }
        let tab = tabs::clicked(&self.tabs, &event).and_then(|at| Tab::ALL.get(at));
        if let Some(tab) = tab.copied() {
            self.choose(tab, cx);
            cx.redraw();
            return true;
        }
        self.pointed(event, cx)
    }
}

#[cfg(test)]
mod tests;
