//! Reports: what would go into one, member by member and with the number of secrets that are replaced, before anything is written;
//! writing it; and looking into reports that are there.
//!
//! [`model`] holds the choice, [`doing`] changes it and asks for work, [`browse`] is an archive, [`view`] draws. Finding, redacting,
//! packing and reading is done in `diagnostics::report`, and only while this is the route that is shown.

mod browse;
mod doing;
pub mod model;
mod view;

use std::collections::BTreeSet;

use diagnostics::{
    profile::Profile,
    report::{Content, Outcome, Packed, Plan, Request, Written},
};

use self::{
    browse::Browse,
    model::{Model, Row},
};
use crate::kit::prelude::*;

/// What the command line said.
#[derive(Clone, Debug, Default)]
pub struct ReportBegin {
    /// What goes in.
    pub request: Request,
    /// A report to look into.
    pub file: Option<PathBuf>,
    /// About a third of the time, a tenth more space.
    pub fast: bool,
}

/// What keys go to.
#[derive(Debug, Default)]
enum Mode {
    /// The list, or the text that is shown.
    #[default]
    Browse,
    /// Where the report is written.
    Target(Field),
    /// Which session it is about.
    Session(Field),
    /// Which report is looked into.
    Opening(Opening),
    /// What is searched in the text.
    Search(Field),
}

/// Reports that are there, and a place for the path of another.
#[derive(Debug, Default)]
struct Opening {
    field: Field,
    /// Newest first; none until listed.
    files: Option<Vec<(PathBuf, u64)>>,
    list: ListState,
}

/// What is under way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Busy {
    #[default]
    No,
    /// What there is is being looked for.
    Finding,
    /// Secrets are being counted; so many of so many bytes.
    Counting(u64, u64),
    /// The report is being written.
    Writing(u64, u64),
}

/// The text of a member.
#[derive(Debug)]
struct Shown {
    name: String,
    text: TextView,
    /// What stands beside the name.
    remark: String,
}

/// What finding and counting tells.
enum Found {
    Plan(Arc<Plan>, Redactor),
    Counted(Vec<Packed>, u64, u64),
    Done(Outcome),
    Failed(String),
}

/// What writing tells.
enum Wrote {
    Some(u64, u64),
    Done(Written),
    Failed(String),
}

/// What reading a member tells.
struct Read {
    name: String,
    content: Result<Content, String>,
}

/// The route.
#[derive(Debug, Default)]
pub struct ReportRoute {
    shown: bool,
    request: Option<Request>,
    fast: bool,
    model: Option<Model>,
    redactor: Option<Redactor>,
    busy: Busy,
    list: ListState,
    /// Switched off before the plan was made anew.
    off: BTreeSet<String>,
    mode: Mode,
    text: Option<Shown>,
    browse: Option<Browse>,
    written: Option<Written>,
    failed: Option<String>,
    /// The last profile that was taken on the screen.
    profile: Option<Arc<Profile>>,
    /// It was taken after everything was looked for.
    is_stale: bool,
}

fn can_write(s: &ReportRoute, _: &View<'_>) -> Enabled {
    match (&s.model, s.busy) {
        _ if s.browse.is_some() => Err("This is a report already: Esc goes back to the new one."),
        (_, Busy::Writing(..)) => Err("A report is being written."),
        (None, _) => Err("What there is is still being looked for."),
        (Some(model), _) if !model.complete => Err("Secrets are still being counted."),
        (Some(model), _) if model.sum().members == 0 => Err("Nothing is switched on."),
        _ => Ok(()),
    }
}

fn on_switch(s: &ReportRoute, _: &View<'_>) -> Enabled {
    match s.current_row() {
        Some(Row::Member(_) | Row::Artifacts) => Ok(()),
        Some(Row::Note(_)) => Err("It cannot be put in; beside it stands why."),
        None => Err("Select a row first."),
    }
}

fn choosing(s: &ReportRoute, _: &View<'_>) -> Enabled {
    when(
        s.browse.is_none(),
        "This is a report already: Esc goes back to the new one.",
    )
}

fn reading(s: &ReportRoute, _: &View<'_>) -> Enabled {
    when(s.text.is_some(), "Nothing is read: Enter shows a member.")
}

impl Surface for ReportRoute {
    const TITLE: &'static str = "Report";
    const ACTIONS: &'static [Action<Self>] = rows![
        "report.switch" "put in, or leave out" ["space"]: Bar("switch") if on_switch => |s, _| s.switch();
        "report.look" "look at it as it is written; open and close artifacts" ["enter"]: Bar("look") if |s, _| when(s.current_row().is_some() || s.browse.as_ref().is_some_and(|b| b.current().is_some()), "Select a row first.") => Self::look;
        "report.write" "write the report" ["w"]: Bar("write") if can_write => |s, cx| s.ask_target(cx);
        "report.open" "look into a report" ["o"]: Bar("open") => Self::ask_report;
        "report.session" "another session" ["s"]: Footer if choosing => |s, _| s.ask_session();
        "report.all" "everything, or nothing" ["a"]: Footer if choosing => |s, _| {
            if let Some(model) = &mut s.model {
                model.switch_all();
            }
        };
        "report.search" "search in the text" ["/"]: Footer if reading => |s, _| s.mode = Mode::Search(Field::default());
        "report.copy" "copy the text, or the report's path" ["y", "ctrl-c"]: Footer if |s, _| when(s.text.is_some() || s.browse.is_some() || s.written.is_some(), "Nothing is written yet: w does.") => |s, cx| s.copy(cx);
        "report.next-match" "next match" ["n"] if reading => |s, _| s.next_match(1);
        "report.previous-match" "previous match" ["N"] if reading => |s, _| s.next_match(-1);
        "report.anew" "look for everything anew" ["r"] if choosing => Self::find;
        lines "report" "up; in a text, scroll" "down; in a text, scroll";
        ends "report" "the first row" "the last row";
        "report.back" "close the text, stop writing, leave the report, then back" ["esc"] => |s, cx| {
            if !s.leave_something(cx) {
                cx.back();
            }
        };
    ];

    fn render(&mut self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
        self.draw(frame.buffer_mut(), area, view);
    }

    fn on_msg(&mut self, msg: &Msg, cx: &mut Cx<'_>) {
        match msg {
            Msg::Shown(route) => self.show(*route == RouteId::Report, cx),
            Msg::Begin(begin) => {
                if let Some(begin) = begin.of::<ReportBegin>() {
                    self.begin(begin, cx);
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
            Mode::Opening(_) => &[
                ("Up Down", "choose"),
                ("Enter", "open"),
                ("Esc", "leave"),
                ("a path", "another file"),
            ],
            Mode::Target(_) => &[("Enter", "write"), ("Esc", "leave")],
            Mode::Search(_) => &[("Enter", "search"), ("Esc", "leave")],
            _ => &[("Enter", "take"), ("Esc", "leave")],
        }
    }

    fn on_text(&mut self, key: KeyEvent, cx: &mut Cx<'_>) -> bool {
        cx.redraw();
        self.typed(key, cx)
    }

    fn on_paste(&mut self, text: &str, cx: &mut Cx<'_>) -> bool {
        let field = match &mut self.mode {
            Mode::Browse => return false,
            Mode::Target(field) | Mode::Session(field) | Mode::Search(field) => field,
            Mode::Opening(opening) => &mut opening.field,
        };
        field.paste(text);
        cx.redraw();
        true
    }

    fn on_mouse(&mut self, event: MouseEvent, cx: &mut Cx<'_>) -> bool {
        !self.wants_text() && self.pointed(event, cx)
    }
}

#[cfg(test)]
mod tests;
