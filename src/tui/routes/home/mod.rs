//! Home: the selector of everything there is, and how to begin.
//!
//! It shows what it knows without asking: no adapter is started and no folder read before the first frame.

pub mod model;
mod view;

use debugger::Command;

use self::model::{Entry, Model};
use crate::kit::prelude::*;

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
            Some(Entry::Go(route)) => cx.go(route),
            Some(Entry::Workspace) => cx.go(RouteId::Debug),
            Some(Entry::Recent(spec)) => {
                cx.go(RouteId::Debug);
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
    cx.go(RouteId::Debug);
    cx.invoke(LAUNCH);
}

fn attach(cx: &mut Cx<'_>) {
    cx.go(RouteId::Debug);
    cx.invoke(ATTACH);
}

fn demo(cx: &mut Cx<'_>) {
    cx.go(RouteId::Debug);
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
    const ACTIONS: &'static [Action<Self>] = rows![
        "home.open" "open" ["enter", "right"]: Bar("open") => |s, cx| s.open(s.model.cursor(), cx);
        "home.launch" "open a program" ["o", "f5"]: Footer => |_, cx| launch(cx);
        "home.attach" "attach" ["a", "A"]: Footer => |_, cx| attach(cx);
        "home.demo" "take the tour" ["t"]: Footer => |_, cx| demo(cx);
        "home.logs" "logs" ["l"]: Footer => |_, cx| cx.go(RouteId::Logs);
        "home.sse" "raw SSE" ["r"]: Footer => |_, cx| cx.go(RouteId::Sse);
        "home.sessions" "sessions" ["s"]: Footer => |_, cx| cx.go(RouteId::Sessions);
        "home.transcript" "transcript" ["c"] => |_, cx| cx.go(RouteId::Transcript);
        "home.artifacts" "artifacts" ["f"] => |_, cx| cx.go(RouteId::Artifacts);
        "home.cache" "clear the artifact cache" ["x"] => |_, cx| cx.go(RouteId::Cache);
        "home.system" "system" ["y"]: Footer => |_, cx| cx.go(RouteId::System);
        "home.memory" "memory" ["m"]: Footer => |_, cx| cx.go(RouteId::Memory);
        "home.terminal" "terminal" ["e"]: Footer => |_, cx| cx.go(RouteId::Terminal);
        "home.report" "report" ["b"] => |_, cx| cx.go(RouteId::Report);
        "home.performance" "performance" ["p"] => |_, cx| cx.go(RouteId::Performance);
        "home.work" "our own work" ["w"] => |_, cx| cx.go(RouteId::Work);
        "home.debug" "debug workspace" ["d"]: Footer => |_, cx| cx.go(RouteId::Debug);
        "home.last" "start the last program again" ["1"] if has_recent => |s, cx| s.recent(0, cx);
        "home.down" "down" ["down", "j", "tab"] => |s, _| s.model.move_by(1);
        "home.up" "up" ["up", "k", "shift-tab"] => |s, _| s.model.move_by(-1);
        "home.first" "first entry" ["home", "g"] => |s, _| s.model.select(0);
        "home.last-entry" "last entry" ["end", "G"] => |s, _| s.model.select(usize::MAX);
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
