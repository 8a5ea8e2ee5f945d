//! Memory: what a process holds, what grows in it, and what is in a heap file.
//!
//! [`model`] holds what was found, [`table`] says how it stands in rows, [`view`] draws, [`chooser`] asks whose memory, [`work`] reads; `doing` is what the keys do. A process
//! is sampled only while this is the route that is shown.

mod chooser;
mod doing;
pub mod model;
pub mod table;
mod view;
mod work;

use self::{
    chooser::Chooser,
    model::{Model, Subject},
};
use crate::kit::prelude::*;

/// What the command line asked for.
#[derive(Clone, Debug, Default)]
pub struct Asked {
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
    chooser: Option<Chooser>,
    /// An older heap file that is to be opened once the newer one is there.
    since: Option<PathBuf>,
    shown: bool,
    frozen: bool,
    /// What is being done, for the frame.
    busy: Option<String>,
    /// Where the names of the tabs were drawn.
    tabs: Vec<(Rect, usize)>,
}

fn has_process(s: &MemoryRoute, _: &View<'_>) -> Enabled {
    match &s.model.subject {
        Subject::Process(process) if process.ended.is_none() => Ok(()),
        Subject::Process(_) => Err("The process has ended."),
        _ => Err("Choose a process first: p."),
    }
}

fn is_process(s: &MemoryRoute, _: &View<'_>) -> Enabled {
    match &s.model.subject {
        Subject::Process(_) => Ok(()),
        _ => Err("Choose a process first: p."),
    }
}

fn has_marks(s: &MemoryRoute, _: &View<'_>) -> Enabled {
    match &s.model.subject {
        Subject::Process(process) if process.from.is_some() => Ok(()),
        _ => Err("No mark is set."),
    }
}

fn has_heap(s: &MemoryRoute, _: &View<'_>) -> Enabled {
    match &s.model.subject {
        Subject::Heap(_) => Ok(()),
        _ => Err("Open a heap file first: p."),
    }
}

fn has_rows(s: &MemoryRoute, _: &View<'_>) -> Enabled {
    when(!s.model.is_empty(), "There is no row.")
}

fn has_something(s: &MemoryRoute, _: &View<'_>) -> Enabled {
    match &s.model.subject {
        Subject::Process(process) if process.report.is_some() => Ok(()),
        Subject::Heap(_) => Ok(()),
        _ => Err("Nothing is shown yet."),
    }
}

impl Scrolls for MemoryRoute {
    fn scrolled(&mut self) -> Scrolled<'_> {
        Scrolled::Rows(&mut self.rows, self.model.len())
    }
}

impl Surface for MemoryRoute {
    const TITLE: &'static str = "Memory";
    const ACTIONS: &'static [Action<Self>] = rows![
        "memory.mark" "mark: what grows from now on" ["m"]: Bar("mark") if has_process => Self::mark;
        "memory.choose" "choose a process or a heap file" ["p"]: Bar("choose") => Self::choose;
        "memory.next-tab" "next table" ["tab", "right"]: Bar("table") => |s, _| s.turn(1);
        "memory.sort" "sort by the next column" ["s"]: Bar("sort") if has_rows => |s, _| s.model.sort_on();
        "memory.compare" "compare with an older heap file" ["c"]: Footer if has_heap => |s, cx| s.ask_older(cx);
        "memory.export" "write it as JSON" ["e"]: Footer if has_something => |s, cx| s.ask_export(cx);
        "memory.copy" "copy this row" ["y", "ctrl-c"]: Footer if has_rows => |s, cx| s.copy(cx);
        "memory.copy-all" "copy all as text" ["Y"] if has_something => |s, cx| s.copy_all(cx);
        "memory.freeze" "freeze, or go on" ["f", "space"]: Footer if is_process => Self::freeze;
        "memory.notes" "all that is noted, in full" ["a"] if has_something => |s, cx| s.show_notes(cx);
        "memory.forget-marks" "forget the marks" ["M"] if has_marks => |s, _| s.forget_marks();
        "memory.give-up" "give up what is being done" ["delete"] if |s, _| when(s.busy.is_some(), "Nothing is being done.") => Self::give_up;
        "memory.reverse" "sort the other way round" ["S"] if has_rows => |s, _| s.model.reverse();
        "memory.previous-tab" "previous table" ["shift-tab", "left"] => |s, _| s.turn(-1);
        lines "memory" "up" "down";
        ends "memory" "first row" "last row";
    ];

    fn render(&mut self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
        self.draw(frame.buffer_mut(), area, view);
    }

    fn on_msg(&mut self, msg: &Msg, cx: &mut Cx<'_>) {
        match msg {
            Msg::Begin(begin) => {
                if let Some(asked) = begin.of::<Asked>() {
                    self.begin(asked, cx);
                }
            }
            Msg::Shown(route) => self.show(*route == RouteId::Memory, cx),
            Msg::Told(told) => self.told(told, cx),
            _ => {}
        }
    }

    fn wants_text(&self) -> bool {
        self.chooser.is_some()
    }

    fn typing_keys(&self) -> TypingKeys {
        &[("Enter", "look at it"), ("Esc", "leave")]
    }

    fn on_text(&mut self, key: KeyEvent, cx: &mut Cx<'_>) -> bool {
        let Some(chosen) = self.chooser.as_mut().and_then(|chooser| chooser.key(key)) else {
            return false;
        };
        self.chosen(chosen, cx);
        true
    }

    fn on_paste(&mut self, text: &str, cx: &mut Cx<'_>) -> bool {
        let Some(chooser) = &mut self.chooser else {
            return false;
        };
        chooser.paste(text);
        cx.redraw();
        true
    }

    fn on_mouse(&mut self, event: MouseEvent, cx: &mut Cx<'_>) -> bool {
        if let Some(chooser) = &mut self.chooser {
            let chosen = chooser.mouse(event, cx);
            let is_ours = chosen.is_some();
            if let Some(chosen) = chosen {
                self.chosen(chosen, cx);
            }
            return is_ours;
        }
        let tab = tabs::clicked(&self.tabs, &event).and_then(|at| self.model.tabs().get(at));
        if let Some(tab) = tab.copied() {
            self.turn_to(tab);
            cx.redraw();
            return true;
        }
        self.pointed(event, cx)
    }
}

#[cfg(test)]
mod tests;
