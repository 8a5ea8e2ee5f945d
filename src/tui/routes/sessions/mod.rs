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

use crossterm::event::{KeyEvent, MouseButton, MouseEvent, MouseEventKind};
use ratatui::Frame;
use ratatui::layout::Rect;

use self::list::{Found, Listing};
use self::open::{Open, Tab};
use crate::action::{Action, Cx, Enabled, Show, Surface, TypingKeys, View, always};
use crate::app::effect::{Effect, RouteId};
use crate::app::msg::Msg;
use crate::routes::debug::kit::{Field, row, wheel};

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
    s.session().map(|_| ()).ok_or("Select a session first.")
}

fn is_open(s: &SessionsRoute, _: &View<'_>) -> Enabled {
    s.open.last().map(|_| ()).ok_or("Open a session first.")
}

fn is_list(s: &SessionsRoute, _: &View<'_>) -> Enabled {
    match s.open.last() {
        Some(_) => Err("This filters the list of sessions."),
        None => Ok(()),
    }
}

fn has_search(s: &SessionsRoute, _: &View<'_>) -> Enabled {
    let search = s.open.last().and_then(|open| open.search.as_ref());
    search
        .map(|_| ())
        .ok_or("Nothing is searched here: / does.")
}

fn has_file(s: &SessionsRoute, _: &View<'_>) -> Enabled {
    s.file().map(|_| ()).ok_or("There is no file to open.")
}

impl Surface for SessionsRoute {
    const TITLE: &'static str = "Sessions";
    const ACTIONS: &'static [Action<Self>] = &[
        row(
            "sessions.open",
            "open",
            &["enter"],
            Show::Bar("open"),
            on_row,
            Self::enter,
        ),
        row(
            "sessions.search",
            "search what was said",
            &["/"],
            Show::Bar("search"),
            always,
            |s, _| s.start_search(),
        ),
        row(
            "sessions.filter",
            "filter by title or project",
            &["f"],
            Show::Footer,
            is_list,
            |s, _| s.start_filter(),
        ),
        row(
            "sessions.next-tab",
            "overview, subagents, artifacts",
            &["tab"],
            Show::Footer,
            is_open,
            |s, cx| s.turn(1, cx),
        ),
        row(
            "sessions.previous-tab",
            "the tab before",
            &["shift-tab"],
            Show::HelpOnly,
            is_open,
            |s, cx| s.turn(-1, cx),
        ),
        row(
            "sessions.transcript",
            "transcript",
            &["t"],
            Show::Bar("transcript"),
            has_session,
            |s, cx| s.transcript(cx),
        ),
        row(
            "sessions.copy",
            "copy",
            &["y", "ctrl-c"],
            Show::Footer,
            has_session,
            |s, cx| s.copy(cx),
        ),
        row(
            "sessions.next-error",
            "next error",
            &["e"],
            Show::Footer,
            is_open,
            |s, cx| s.error(false, cx),
        ),
        row(
            "sessions.previous-error",
            "previous error",
            &["E"],
            Show::HelpOnly,
            is_open,
            |s, cx| s.error(true, cx),
        ),
        row(
            "sessions.next-match",
            "next match",
            &["n"],
            Show::HelpOnly,
            has_search,
            |s, cx| s.match_jump(false, cx),
        ),
        row(
            "sessions.previous-match",
            "previous match",
            &["N"],
            Show::HelpOnly,
            has_search,
            |s, cx| s.match_jump(true, cx),
        ),
        row(
            "sessions.open-file",
            "open the file or folder with the desktop",
            &["o"],
            Show::HelpOnly,
            has_file,
            |s, cx| {
                if let Some(path) = s.file() {
                    cx.emit(Effect::OpenExternally(path));
                }
            },
        ),
        row(
            "sessions.right",
            "open, unfold",
            &["right"],
            Show::HelpOnly,
            on_row,
            Self::enter,
        ),
        row(
            "sessions.left",
            "close what is in full",
            &["left"],
            Show::HelpOnly,
            is_open,
            |s, _| s.close_detail(),
        ),
        row(
            "sessions.up",
            "up; in a text, scroll",
            &["up", "k"],
            Show::HelpOnly,
            always,
            |s, _| s.vertical(-1),
        ),
        row(
            "sessions.down",
            "down; in a text, scroll",
            &["down", "j"],
            Show::HelpOnly,
            always,
            |s, _| s.vertical(1),
        ),
        row(
            "sessions.page-up",
            "a page up",
            &["pageup", "ctrl-b"],
            Show::HelpOnly,
            always,
            |s, _| s.page(-1),
        ),
        row(
            "sessions.page-down",
            "a page down",
            &["pagedown", "ctrl-f"],
            Show::HelpOnly,
            always,
            |s, _| s.page(1),
        ),
        row(
            "sessions.previous",
            "the row before, in full as well",
            &["["],
            Show::HelpOnly,
            is_open,
            |s, cx| s.step(-1, cx),
        ),
        row(
            "sessions.next",
            "the next row, in full as well",
            &["]"],
            Show::HelpOnly,
            is_open,
            |s, cx| s.step(1, cx),
        ),
        row(
            "sessions.first",
            "the first row",
            &["home", "g"],
            Show::HelpOnly,
            always,
            |s, _| s.end(true),
        ),
        row(
            "sessions.last",
            "the last row",
            &["end", "G"],
            Show::HelpOnly,
            always,
            |s, _| s.end(false),
        ),
        row(
            "sessions.reload",
            "read anew",
            &["r"],
            Show::HelpOnly,
            always,
            Self::reload,
        ),
        row(
            "sessions.back",
            "close, then back",
            &["esc"],
            Show::HelpOnly,
            always,
            |s, cx| {
                if !s.leave(cx) {
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
            Mode::Search(..) => &[
                ("Enter", "search"),
                ("Ctrl-R", "regex or text"),
                ("Esc", "leave"),
            ],
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
        if let Some(by) = wheel(&event) {
            self.scroll(by);
        } else if event.kind == MouseEventKind::Down(MouseButton::Left) {
            let at = (event.column, event.row).into();
            let tab = self.tabs.iter().find(|(place, _)| place.contains(at));
            if let Some(tab) = tab.and_then(|(_, tab)| Tab::ALL.get(*tab)).copied() {
                self.choose(tab, cx);
            } else if !self.click(event.column, event.row, cx) {
                return false;
            }
        } else {
            return false;
        }
        cx.redraw();
        true
    }
}

#[cfg(test)]
mod tests;
