//! Memory: what a process holds, what grows in it, and what is in a heap file.
//!
//! [`model`] holds what was found, [`mod@table`] says how it stands in rows, [`view`] draws, [`chooser`] asks whose memory, [`work`] reads; `execution` is what the keys do. A process
//! is sampled only while this is the route that is shown.

mod chooser;
mod execution;
pub mod model;
pub mod table;
mod view;
mod work;

use self::model::{Model, Subject};
use crate::prelude::*;

const LIST: &str = "memory.list";
const WATCH: &str = "memory.watch";
const MARK: &str = "memory.mark";

/// What the command line asked for.
#[derive(Debug, Default)]
pub struct MemoryTarget {
    /// A process.
    pub pid: Option<u32>,
    /// Or a heap file.
    pub file: Option<PathBuf>,
    /// An older heap file to compare it with.
    pub since: Option<PathBuf>,
}

/// The route.
#[derive(Debug, Default)]
pub struct MemoryRoute {
    model: Model,
    rows: ListState,
    /// An older heap file that is to be opened once the newer one is there.
    since: Option<PathBuf>,
    shown: bool,
    frozen: bool,
    /// What is being done, for the frame.
    busy: Option<String>,
    /// Where the names of the tabs were drawn.
    tabs: Vec<(Rect, usize)>,
}

gates! { MemoryRoute, s;
    has_heap: matches!(s.model.subject, Subject::Heap(_)), "Open a heap file first: p.";
    is_process: matches!(s.model.subject, Subject::Process(_)), "Choose a process first: p.";
    has_process after is_process: s.model.process().is_some_and(|p| p.ended.is_none()), "The process has ended.";
 has_marks: s.model.process().is_some_and(|p| p.from.is_some()), "No mark is set.";
    has_rows: !s.model.is_empty(), "There is no row.";
    has_something: match &s.model.subject {
        Subject::Process(process) => process.report.is_some(),
        Subject::Heap(_) => true,
        _ => false,
    }, "Nothing is shown yet.";
}

impl Scrolls for MemoryRoute {
    moves!(rows, model.len());
}

impl Browser for MemoryRoute {
    table! { "Memory", s, cx;
        "memory.mark" "mark: what grows from now on" ["m"], Bar("mark") if has_process => Self::mark;
        "memory.choose" "choose a process or a heap file" ["p"], Bar("choose") => Self::choose(cx);
        "memory.next-tab" "next table" ["tab" "right"], Bar("table") => s.turn(1);
        "memory.sort" "sort by the next column" ["s"], Bar("sort") if has_rows => s.model.sort_on();
        "memory.compare" "compare with an older heap file" ["c"], Footer if has_heap => Self::ask_older;
        "memory.export" "write it as JSON" ["e"], Footer if has_something => Self::ask_export;
        "memory.copy" "copy this row" ["y" "ctrl-c"], Footer if has_rows => Self::copy;
        "memory.copy-all" "copy all as text" ["Y"] if has_something => Self::copy_all;
        "memory.freeze" "freeze, or go on" ["f" "space"], Footer if is_process => Self::freeze;
        "memory.notes" "all that is noted, in full" ["a"] if has_something => Self::show_notes;
        "memory.forget-marks" "forget the marks" ["M"] if has_marks => s.forget_marks();
        "memory.give-up" "give up what is being done" ["delete"] if |s, _| s.busy.is_some().or_why("Nothing is being done.") => {
            cx.end_work(work::OLDER);
            s.busy = None;
            cx.info("It was given up.");
        };
        "memory.reverse" "sort the other way round" ["S"] if has_rows => s.model.reverse();
        "memory.previous-tab" "previous table" ["shift-tab" "left"] => s.turn(-1);
        lines "memory" "up" "down";
        ends "memory" "first row" "last row";
    }

    type Begin = MemoryTarget;

    fn show(&mut self, shown: bool, cx: &Cx) {
        self.shown = shown;
        if shown {
            if self.model.subject == Subject::Nothing {
                Self::choose(cx);
            }
            self.watch(cx);
        } else {
            for work in [LIST, WATCH, MARK] {
                cx.end_work(work);
            }
        }
    }

    /// Begins with what the command line named.
    fn begin(&mut self, asked: &MemoryTarget, cx: &Cx) {
        self.since.clone_from(&asked.since);
        if let Some(file) = &asked.file {
            self.look_at_file(file.clone(), cx);
        } else if let Some(pid) = asked.pid {
            self.look_at_process(pid, cx);
        }
    }

    tabs_in!(tabs);

    fn turned_to(&mut self, tab: usize, _cx: &Cx) {
        if let Some(tab) = self.model.tabs().get(tab) {
            self.turn_to(*tab);
        }
    }
}

#[cfg(test)]
mod tests;
