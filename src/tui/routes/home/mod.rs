//! Home: the selector of everything there is, and how to begin.
//!
//! It shows what it knows without asking: no adapter is started and no folder read before the first frame.

pub mod model;
mod view;

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::Frame;
use ratatui::layout::Rect;

use self::model::{Entry, Model};
use crate::action::{Action, Cx, Show, Surface, View, always};
use crate::app::effect::{Effect, RouteId};
use crate::app::msg::Msg;
use debugger::Command;

/// Opens the launch form.
pub const LAUNCH: &str = "debug.launch";
/// Opens the attach picker.
pub const ATTACH: &str = "debug.attach";

/// The selector.
#[derive(Debug, Default)]
pub struct Home {
    model: Model,
    /// Where each entry was drawn.
    hits: Vec<(Rect, usize)>,
}

impl Home {
    fn open(&mut self, index: usize, cx: &mut Cx<'_>) {
        self.model.select(index);
        match self.model.selected().map(|item| item.entry.clone()) {
            Some(Entry::Launch) => launch(cx),
            Some(Entry::Attach) => attach(cx),
            Some(Entry::Demo) => demo(cx),
            Some(Entry::Go(route)) => cx.emit(Effect::Go(route)),
            Some(Entry::Workspace) => cx.emit(Effect::Go(RouteId::Debug)),
            Some(Entry::Recent(spec)) => {
                cx.emit(Effect::Go(RouteId::Debug));
                if let Some(remember) = model::remember(cx.view.state, &spec) {
                    cx.emit(Effect::core(remember));
                }
                cx.emit(Effect::core(Command::Launch(spec)));
            }
            None => {}
        }
    }

    fn recent(&mut self, nth: usize, cx: &mut Cx<'_>) {
        if let Some(index) = self.model.recent(nth) {
            self.open(index, cx);
        }
    }
}

fn launch(cx: &mut Cx<'_>) {
    cx.emit(Effect::Go(RouteId::Debug));
    cx.emit(Effect::Invoke(LAUNCH.to_owned()));
}

fn attach(cx: &mut Cx<'_>) {
    cx.emit(Effect::Go(RouteId::Debug));
    cx.emit(Effect::Invoke(ATTACH.to_owned()));
}

fn demo(cx: &mut Cx<'_>) {
    cx.emit(Effect::Go(RouteId::Debug));
    cx.emit(Effect::Demo);
}

fn has_recent(home: &Home, _: &View<'_>) -> Result<(), &'static str> {
    home.model
        .recent(0)
        .map(|_| ())
        .ok_or("nothing was started in this project yet")
}

impl Surface for Home {
    const TITLE: &'static str = "Home";
    const ACTIONS: &'static [Action<Self>] = &[
        Action {
            id: "home.open",
            title: "open",
            keys: &["enter", "right"],
            show: Show::Bar("open"),
            enabled: always,
            run: |s, cx| s.open(s.model.cursor(), cx),
        },
        Action {
            id: "home.launch",
            title: "open a program",
            keys: &["o", "f5"],
            show: Show::Footer,
            enabled: always,
            run: |_, cx| launch(cx),
        },
        Action {
            id: "home.attach",
            title: "attach",
            keys: &["a", "A"],
            show: Show::Footer,
            enabled: always,
            run: |_, cx| attach(cx),
        },
        Action {
            id: "home.demo",
            title: "take the tour",
            keys: &["t"],
            show: Show::Footer,
            enabled: always,
            run: |_, cx| demo(cx),
        },
        Action {
            id: "home.logs",
            title: "logs",
            keys: &["l"],
            show: Show::Footer,
            enabled: always,
            run: |_, cx| cx.emit(Effect::Go(RouteId::Logs)),
        },
        Action {
            id: "home.sse",
            title: "raw SSE",
            keys: &["r"],
            show: Show::Footer,
            enabled: always,
            run: |_, cx| cx.emit(Effect::Go(RouteId::Sse)),
        },
        Action {
            id: "home.sessions",
            title: "sessions",
            keys: &["s"],
            show: Show::Footer,
            enabled: always,
            run: |_, cx| cx.emit(Effect::Go(RouteId::Sessions)),
        },
        Action {
            id: "home.transcript",
            title: "transcript",
            keys: &["c"],
            show: Show::HelpOnly,
            enabled: always,
            run: |_, cx| cx.emit(Effect::Go(RouteId::Transcript)),
        },
        Action {
            id: "home.artifacts",
            title: "artifacts",
            keys: &["f"],
            show: Show::HelpOnly,
            enabled: always,
            run: |_, cx| cx.emit(Effect::Go(RouteId::Artifacts)),
        },
        Action {
            id: "home.cache",
            title: "clear the artifact cache",
            keys: &["x"],
            show: Show::HelpOnly,
            enabled: always,
            run: |_, cx| cx.emit(Effect::Go(RouteId::Cache)),
        },
        Action {
            id: "home.system",
            title: "system",
            keys: &["y"],
            show: Show::Footer,
            enabled: always,
            run: |_, cx| cx.emit(Effect::Go(RouteId::System)),
        },
        Action {
            id: "home.memory",
            title: "memory",
            keys: &["m"],
            show: Show::Footer,
            enabled: always,
            run: |_, cx| cx.emit(Effect::Go(RouteId::Memory)),
        },
        Action {
            id: "home.terminal",
            title: "terminal",
            keys: &["e"],
            show: Show::Footer,
            enabled: always,
            run: |_, cx| cx.emit(Effect::Go(RouteId::Terminal)),
        },
        Action {
            id: "home.report",
            title: "report",
            keys: &["b"],
            show: Show::HelpOnly,
            enabled: always,
            run: |_, cx| cx.emit(Effect::Go(RouteId::Report)),
        },
        Action {
            id: "home.performance",
            title: "performance",
            keys: &["p"],
            show: Show::HelpOnly,
            enabled: always,
            run: |_, cx| cx.emit(Effect::Go(RouteId::Performance)),
        },
        Action {
            id: "home.work",
            title: "our own work",
            keys: &["w"],
            show: Show::HelpOnly,
            enabled: always,
            run: |_, cx| cx.emit(Effect::Go(RouteId::Work)),
        },
        Action {
            id: "home.debug",
            title: "debug workspace",
            keys: &["d"],
            show: Show::Footer,
            enabled: always,
            run: |_, cx| cx.emit(Effect::Go(RouteId::Debug)),
        },
        Action {
            id: "home.last",
            title: "start the last program again",
            keys: &["1"],
            show: Show::HelpOnly,
            enabled: has_recent,
            run: |s, cx| s.recent(0, cx),
        },
        Action {
            id: "home.down",
            title: "down",
            keys: &["down", "j", "tab"],
            show: Show::HelpOnly,
            enabled: always,
            run: |s, _| s.model.move_by(1),
        },
        Action {
            id: "home.up",
            title: "up",
            keys: &["up", "k", "shift-tab"],
            show: Show::HelpOnly,
            enabled: always,
            run: |s, _| s.model.move_by(-1),
        },
        Action {
            id: "home.first",
            title: "first entry",
            keys: &["home", "g"],
            show: Show::HelpOnly,
            enabled: always,
            run: |s, _| s.model.select(0),
        },
        Action {
            id: "home.last-entry",
            title: "last entry",
            keys: &["end", "G"],
            show: Show::HelpOnly,
            enabled: always,
            run: |s, _| s.model.select(usize::MAX),
        },
    ];

    fn render(&mut self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
        self.model.learn(view.state, view.project);
        self.hits = view::draw(frame, area, &self.model, view);
    }

    fn on_msg(&mut self, msg: &Msg, cx: &mut Cx<'_>) {
        if matches!(msg, Msg::Events(_)) {
            self.model.learn(cx.view.state, cx.view.project);
        }
    }

    fn on_mouse(&mut self, event: MouseEvent, cx: &mut Cx<'_>) -> bool {
        let at = (event.column, event.row).into();
        let hit = self
            .hits
            .iter()
            .find(|(area, _)| area.contains(at))
            .map(|(_, index)| *index);
        match (event.kind, hit) {
            (MouseEventKind::Down(MouseButton::Left), Some(index)) => self.open(index, cx),
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
