//! Reports: what would go into one, member by member and with the number of secrets that are replaced, before anything is written;
//! writing it; and looking into reports that are there.
//!
//! [`model`] holds the choice, [`execution`] changes it and asks for work, [`browse`] is an archive, [`view`] draws. Finding, redacting,
//! packing and reading is done in `diagnostics::report`, and only while this is the route that is shown.

mod browse;
mod execution;
pub mod model;
mod opening;
mod view;

use debugger::{Reply, SessionId};
use diagnostics::{
    profile::Profile,
    report::{Request, WrittenReport, name_of_report},
};

use self::{
    browse::Browse,
    model::{Model, Row},
};
use crate::{action::msg::Tag, prelude::*};

const FIND: &str = "report.find";
/// Who asks why the live session hangs.
const HANG: &str = "report.hang";
const READ: &str = "report.read";
const OPEN: &str = "report.open";

/// What the command line said.
#[derive(Debug, Default)]
pub struct ReportBegin {
    /// What goes in.
    pub request: Request,
    /// A report to look into.
    pub file: Option<PathBuf>,
    /// About a third of the time, a tenth more space.
    pub fast: bool,
}

/// Where a report is written to.
static TARGET: TypedLine<ReportRoute> = TypedLine {
    hint: "a path",
    ..TypedLine::new(
        &[("Enter", "write"), ("Esc", "leave")],
        |_| ["", "write to "],
        |s, needle, cx| {
            let typed = needle.text.trim();
            if !typed.is_empty() {
                s.write(path_of(typed, &cx.view.project), cx);
            }
            Ok(())
        },
    )
};

/// Whose session goes into it.
static SESSION: TypedLine<ReportRoute> = TypedLine {
    hint: "a file, or a part of its name",
    ..TypedLine::new(
        &[("Enter", "take"), ("Esc", "leave")],
        |_| ["", "session "],
        |s, needle, cx| {
            s.take_session(needle.text.trim(), cx);
            Ok(())
        },
    )
};

/// What is looked for in the text that is read.
static SEARCH: TypedLine<ReportRoute> = TypedLine::new(
    &[("Enter", "search"), ("Esc", "leave")],
    |_| ["", "/"],
    |s, needle, _| match &mut s.text {
        Some(shown) => shown.text.search(&needle.text, false).map(drop),
        None => Ok(()),
    },
);

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
struct MemberText {
    name: String,
    text: TextView,
    /// What stands beside the name.
    remark: String,
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
    line: Option<Typing<Self>>,
    text: Option<MemberText>,
    browse: Option<Browse>,
    written: Option<WrittenReport>,
    failed: Option<String>,
    /// The last profile that was taken on the screen.
    profile: Option<Arc<Profile>>,
    /// It was taken after everything was looked for.
    is_stale: bool,
    /// The session of which was asked why it hangs, and what is known of that.
    hang: Option<(SessionId, Option<String>)>,
}

fn can_write(s: &ReportRoute, view: &View) -> Enabled {
    match (&s.model, s.busy) {
        _ if s.browse.is_some() => choosing(s, view),
        (_, Busy::Writing(..)) => Err("A report is being written."),
        (None, _) | (_, Busy::Finding) => Err("What there is is still being looked for."),
        (Some(model), _) if !model.complete => Err("Secrets are still being counted."),
        (Some(model), _) if model.sum().members == 0 => Err("Nothing is switched on."),
        _ => Ok(()),
    }
}

fn on_switch(s: &ReportRoute, _: &View) -> Enabled {
    match s.current_row() {
        Some(Row::Member(_) | Row::Artifacts) => Ok(()),
        Some(Row::Note(_)) => Err("It cannot be put in; beside it stands why."),
        None => Err("Select a row first."),
    }
}

gates! { ReportRoute, s;
    choosing: s.browse.is_none(), "This is a report already: Esc goes back to the new one.";
    reading: s.text.is_some(), "Nothing is read: Enter shows a member.";
}

impl ReportRoute {
    fn next_match(&mut self, back: bool, _: &Cx) {
        if let Some(shown) = &mut self.text {
            shown.text.next_match(if back { -1 } else { 1 });
        }
    }
}

impl Browser for ReportRoute {
    table! { "Report", s, cx;
           "report.switch" "put in, or leave out" ["space"], Bar("switch") if on_switch => s.switch();
           "report.look" "look at it as it is written; open and close artifacts" ["enter"], Bar("look") if |s, _| (s.current_row().is_some() || s.browse.as_ref().is_some_and(|b| b.current().is_some())).or_why("Select a row first.") => Self::look;
           "report.write" "write the report" ["w"], Bar("write") if can_write => {
               let path = cx.view.omp.reports.join(name_of_report(jiff::Timestamp::now()));
               s.line = TARGET.with(Field::new(path.to_string_lossy()));
           };
           "report.open" "look into a report" ["o"], Bar("open") => opening::ask(s.written.as_ref().map(|written| written.path.clone()), cx);
           "report.session" "another session" ["s"], Footer if choosing => {
               let session = s.model.as_ref().and_then(|m| m.plan.session.as_ref());
               let path = session.map(|session| session.path.to_string_lossy());
               s.line = SESSION.with(Field::proposing(path.unwrap_or_default()));
           };
           "report.all" "everything, or nothing" ["a"], Footer if choosing => {
               if let Some(model) = &mut s.model {
                   let all = if model.off.is_empty() { model.plan.members.len() } else { 0 };
    model.off = (0..all).collect();
               }
           };
           "report.search" "search in the text" ["/"], Footer if reading => s.line = SEARCH.with(Field::default());
           "report.copy" "copy the text, or the report's path" ["y" "ctrl-c"], Footer if |s, _| (s.text.is_some() || s.browse.is_some() || s.written.is_some()).or_why("Nothing is written yet: w does.") => Self::copy;
           jumps "report" "match" "match" ["n"] ["N"] if reading => next_match;
           "report.anew" "look for everything anew" ["r"] if choosing => Self::find;
           lines "report" "up; in a text, scroll" "down; in a text, scroll";
           ends "report" "the first row" "the last row";
           back "report" "close the text, stop writing, leave the report, then back";
    }

    type Begin = ReportBegin;

    fn show(&mut self, shown: bool, cx: &Cx) {
        self.shown = shown;
        if shown {
            let is_missing = self.model.is_none() || self.is_stale;
            if is_missing && self.browse.is_none() {
                self.find(cx);
            }
            return;
        }
        for work in [FIND, READ, OPEN] {
            cx.end_work(work);
        }
        // A report that is being written is written: leaving the screen is no reason to lose it.
        if !matches!(self.busy, Busy::Writing(..)) {
            self.is_stale |= self.busy == Busy::Finding;
            self.busy = Busy::No;
            // What was not counted to the end is counted anew.
            if self.model.as_ref().is_some_and(|model| !model.complete) {
                self.forget();
            }
        }
    }

    fn begin(&mut self, begin: &ReportBegin, cx: &Cx) {
        self.fast = begin.fast;
        self.request = Some(begin.request.clone());
        match &begin.file {
            Some(file) => {
                cx.end_work(FIND);
                self.busy = Busy::No;
                self.forget();
                self.open(file.clone(), cx);
            }
            None => self.find(cx),
        }
    }

    fn happened(&mut self, msg: &Msg, cx: &Cx) {
        if let Msg::Reply {
            tag: Tag(HANG, _),
            result: Ok(Reply::Hang { hang }),
        } = msg
            && let Some((_, text)) = &mut self.hang
        {
            *text = Some(hang.text());
            self.is_stale = true;
            if self.shown && self.browse.is_none() && !matches!(self.busy, Busy::Writing(..)) {
                self.find_more(cx);
            }
        }
    }

    fn leave(&mut self, cx: &Cx) -> bool {
        if self.text.take().is_some() {
            return true;
        }
        if matches!(self.busy, Busy::Writing(..)) {
            cx.end_work(execution::WRITE);
            cx.info("Writing was stopped; nothing is left of it.");
            self.busy = Busy::No;
            return true;
        }
        if self.browse.take().is_some() {
            cx.end_work(OPEN);
            if self.model.is_none() && self.busy == Busy::No {
                self.find(cx);
            }
            return true;
        }
        self.failed.take().is_some()
    }

    types_in!(line);
}

#[cfg(test)]
mod tests;
