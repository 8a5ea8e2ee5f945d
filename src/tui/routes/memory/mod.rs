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

use std::path::PathBuf;

use crossterm::event::{KeyEvent, MouseButton, MouseEvent, MouseEventKind};
use ratatui::Frame;
use ratatui::layout::Rect;

use self::chooser::Chooser;
use self::model::{Model, Subject};
use crate::action::{Action, Cx, Enabled, Show, Surface, TypingKeys, View, always};
use crate::app::effect::RouteId;
use crate::app::msg::Msg;
use crate::routes::debug::kit::{row, wheel};
use crate::widgets::list::ListState;

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
    if s.model.is_empty() {
        Err("There is no row.")
    } else {
        Ok(())
    }
}

fn has_something(s: &MemoryRoute, _: &View<'_>) -> Enabled {
    match &s.model.subject {
        Subject::Process(process) if process.report.is_some() => Ok(()),
        Subject::Heap(_) => Ok(()),
        _ => Err("Nothing is shown yet."),
    }
}

fn is_dumping(s: &MemoryRoute, _: &View<'_>) -> Enabled {
    match &s.busy {
        Some(_) => Ok(()),
        None => Err("Nothing is being done."),
    }
}

impl Surface for MemoryRoute {
    const TITLE: &'static str = "Memory";
    const ACTIONS: &'static [Action<Self>] = &[
        row(
            "memory.mark",
            "mark: what grows from now on",
            &["m"],
            Show::Bar("mark"),
            has_process,
            Self::mark,
        ),
        row(
            "memory.choose",
            "choose a process or a heap file",
            &["p"],
            Show::Bar("choose"),
            always,
            Self::choose,
        ),
        row(
            "memory.next-tab",
            "next table",
            &["tab", "right"],
            Show::Bar("table"),
            always,
            |s, _| s.turn(1),
        ),
        row(
            "memory.sort",
            "sort by the next column",
            &["s"],
            Show::Bar("sort"),
            has_rows,
            |s, _| s.model.sort_on(),
        ),
        row(
            "memory.core",
            "core dump",
            &["d"],
            Show::Footer,
            has_process,
            Self::plan_core,
        ),
        row(
            "memory.compare",
            "compare with an older heap file",
            &["c"],
            Show::Footer,
            has_heap,
            |s, cx| s.ask_older(cx),
        ),
        row(
            "memory.export",
            "write it as JSON",
            &["e"],
            Show::Footer,
            has_something,
            |s, cx| s.ask_export(cx),
        ),
        row(
            "memory.copy",
            "copy this row",
            &["y", "ctrl-c"],
            Show::Footer,
            has_rows,
            |s, cx| s.copy(cx),
        ),
        row(
            "memory.copy-all",
            "copy all as text",
            &["Y"],
            Show::HelpOnly,
            has_something,
            |s, cx| s.copy_all(cx),
        ),
        row(
            "memory.freeze",
            "freeze, or go on",
            &["f", "space"],
            Show::Footer,
            is_process,
            Self::freeze,
        ),
        row(
            "memory.notes",
            "all that is noted, in full",
            &["a"],
            Show::HelpOnly,
            has_something,
            |s, cx| s.show_notes(cx),
        ),
        row(
            "memory.forget-marks",
            "forget the marks",
            &["M"],
            Show::HelpOnly,
            has_marks,
            |s, _| s.forget_marks(),
        ),
        row(
            "memory.give-up",
            "give up what is being done",
            &["delete"],
            Show::HelpOnly,
            is_dumping,
            Self::give_up,
        ),
        row(
            "memory.reverse",
            "sort the other way round",
            &["S"],
            Show::HelpOnly,
            has_rows,
            |s, _| s.model.reverse(),
        ),
        row(
            "memory.previous-tab",
            "previous table",
            &["shift-tab", "left"],
            Show::HelpOnly,
            always,
            |s, _| s.turn(-1),
        ),
        row(
            "memory.up",
            "up",
            &["up", "k"],
            Show::HelpOnly,
            always,
            |s, _| s.rows.move_by(-1, s.model.len()),
        ),
        row(
            "memory.down",
            "down",
            &["down", "j"],
            Show::HelpOnly,
            always,
            |s, _| s.rows.move_by(1, s.model.len()),
        ),
        row(
            "memory.page-up",
            "a page up",
            &["pageup", "ctrl-b"],
            Show::HelpOnly,
            always,
            |s, _| s.rows.page_by(-1, s.model.len()),
        ),
        row(
            "memory.page-down",
            "a page down",
            &["pagedown", "ctrl-f"],
            Show::HelpOnly,
            always,
            |s, _| s.rows.page_by(1, s.model.len()),
        ),
        row(
            "memory.first",
            "first row",
            &["home", "g"],
            Show::HelpOnly,
            always,
            |s, _| s.rows.home(s.model.len()),
        ),
        row(
            "memory.last",
            "last row",
            &["end", "G"],
            Show::HelpOnly,
            always,
            |s, _| s.rows.end(s.model.len()),
        ),
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
            return match chooser.mouse(event, cx) {
                Some(chosen) => {
                    self.chosen(chosen, cx);
                    true
                }
                None => false,
            };
        }
        let at = (event.column, event.row);
        if let Some(by) = wheel(&event) {
            self.rows.scroll_by(by, self.model.len());
        } else if event.kind == MouseEventKind::Down(MouseButton::Left) {
            let tab = self
                .tabs
                .iter()
                .find(|(place, _)| place.contains(at.into()));
            let tab = tab.and_then(|(_, index)| self.model.tabs().get(*index).copied());
            if let Some(tab) = tab {
                self.turn_to(tab);
            } else if let Some(row) = self.rows.row_at(at.0, at.1) {
                self.rows.select(Some(row));
            } else {
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
