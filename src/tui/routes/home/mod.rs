//! Home: the selector of everything there is, and how to begin.
//!
//! It shows what it knows without asking: no adapter is started and no folder read before the first frame.

pub mod model;
mod view;

use debugger::Command;

use self::model::{Entry, Item, Model};
use super::desk;
use crate::prelude::*;

/// Opens the launch form.
pub const LAUNCH: &str = "debug.launch";
/// Opens the attach picker.
pub const ATTACH: &str = "debug.attach";

/// The table of this screen.
macro_rules! actions {
    ($($id:ident $name:literal $title:literal ([$key:literal] $(, $show:ident)?) $home:tt => $module:ident $parts:tt;)*) => {
        rows![s, cx;
            "home.open" "open" ["enter" "right"], Bar("open") => s.open(s.model.cursor, cx);
            "home.launch" "open a program" ["o" "f5"], Footer => {
                cx.go(RouteId::DEBUG);
                cx.invoke(LAUNCH);
            };
            "home.attach" "attach" ["a" "A"], Footer => {
                cx.go(RouteId::DEBUG);
                cx.invoke(ATTACH);
            };
            "home.demo" "take the tour" ["t"], Footer => {
                cx.go(RouteId::DEBUG);
                cx.emit(Effect::Demo);
            };
            (concat "home") $($name $title [$key] $(, $show)? => |_, cx| cx.go(RouteId::$id);)* {
                "home.debug" "debug workspace" ["d"], Footer -> DEBUG;
                "home.last" "start the last program again" ["1"] if has_recent => s.start_last(cx);
                "home.down" "down" ["down" "j" "tab"] => s.model.move_by(1);
                "home.up" "up" ["up" "k" "shift-tab"] => s.model.move_by(-1);
                "home.first" "first entry" ["home" "g"] => s.model.select(0);
                "home.last-entry" "last entry" ["end" "G"] => s.model.select(usize::MAX);
            }
        ]
    };
}

/// What can be begun wherever we are: what, name, purpose.
macro_rules! fixed {
    ($($id:ident $name:literal $title:literal $key:tt ($entry:literal $about:literal) => $module:ident $parts:tt;)*) => {
        &[
            (
                "home.launch",
                "Open a program",
                "Run a script or a binary and stop where you say",
            ),
            (
                "home.attach",
                "Attach",
                "A process or debug server that runs already",
            ),
            (
                "home.demo",
                "Take the tour",
                "A small program with a bug, and how to find it",
            ),
            $((concat!("home.", $name), $entry, $about),)*
            (
                "home.debug",
                "Debug workspace",
                "Source, stack, variables, watches, output, console",
            ),
        ]
    };
}
const FIXED: &[(&str, &str, &str)] = desk!(fixed);

/// The selector.
#[derive(Debug)]
pub struct Home {
    model: Model,
    /// Where each entry was drawn.
    hits: Vec<(Rect, usize)>,
}

impl Default for Home {
    fn default() -> Self {
        let key_of = |id: &str| {
            let row = Self::ACTIONS.iter().find(|row| row.id == id)?;
            row.keys.first().copied()
        };
        let fixed = FIXED.iter().map(|(id, name, purpose)| Item {
            entry: Entry::Action(id),
            key: key_of(id).unwrap_or_default(),
            name: (*name).to_owned(),
            about: (*purpose).to_owned(),
        });
        Self {
            model: Model::new(fixed.collect()),
            hits: Vec::new(),
        }
    }
}

impl Home {
    fn open(&mut self, index: usize, cx: &Cx) {
        self.model.select(index);
        match self.model.selected().map(|item| item.entry.clone()) {
            Some(Entry::Action(id)) => cx.invoke(id),
            Some(Entry::Recent(spec)) => {
                cx.go(RouteId::DEBUG);
                let remember = model::remember(&cx.view.state, &spec);
                cx.extend(remember.map(Effect::core));
                cx.core(Command::Launch(spec));
            }
            None => {}
        }
    }

    fn start_last(&mut self, cx: &Cx) {
        if let Some(index) = self.model.last() {
            self.open(index, cx);
        }
    }
}

gates! { Home, s;
    has_recent: s.model.last().is_some(), "nothing was started in this project yet";
}

impl Surface for Home {
    const TITLE: &str = "Home";
    const ACTIONS: &[Action<Self>] = desk!(actions);

    fn fill(&mut self, canvas: &Canvas, area: Rect) {
        self.model.learn(&canvas.state, &canvas.project);
        self.hits = view::draw(canvas, area, &self.model);
    }

    fn on_msg(&mut self, msg: &Msg, cx: &Cx) {
        if matches!(msg, Msg::Events(_)) {
            self.model.learn(&cx.view.state, &cx.view.project);
        }
    }

    fn on_mouse(&mut self, event: MouseEvent, cx: &Cx) -> bool {
        let hit = tabs::at(&self.hits, (event.column, event.row));
        match (event.kind, hit) {
            (CLICK, Some(index)) => self.open(index, cx),
            (MouseEventKind::ScrollDown, _) => self.model.move_by(1),
            (MouseEventKind::ScrollUp, _) => self.model.move_by(-1),
            _ => return false,
        }
        cx.redraw();
        true
    }
}

#[cfg(test)]
mod tests;
