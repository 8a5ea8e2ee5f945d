//! What becomes of a live session when we leave.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::confirm::question;
use crate::debugger::Phase;
use crate::debugger::state::StartKind;
use crate::text::sanitise::sanitise;
use crate::tui::action::Cx;
use crate::tui::action::{Action, Show, Surface, View, always};
use crate::tui::app::effect::{Effect, Farewell};
use crate::tui::app::msg::Msg;

/// Asked by `q` while a session is live.
#[derive(Debug, Default)]
pub struct QuitQuestion;

impl Surface for QuitQuestion {
    const TITLE: &'static str = "Quit";
    const ACTIONS: &'static [Action<Self>] = &[
        Action {
            id: "quit.end",
            title: "end and quit",
            keys: &["e", "y", "enter"],
            show: Show::Footer,
            enabled: always,
            run: |_, cx| cx.emit(Effect::QuitNow(Farewell::End)),
        },
        Action {
            id: "quit.detach",
            title: "leave it running and quit",
            keys: &["d"],
            show: Show::Footer,
            enabled: always,
            run: |_, cx| cx.emit(Effect::QuitNow(Farewell::Detach)),
        },
        Action {
            id: "quit.stay",
            title: "stay",
            keys: &["s", "n"],
            show: Show::Footer,
            enabled: always,
            run: |_, cx| cx.emit(Effect::Close),
        },
    ];

    fn on_msg(&mut self, msg: &Msg, cx: &mut Cx<'_>) {
        // The session may end while the question stands: then nobody has to be asked.
        if matches!(msg, Msg::Events(_)) && cx.view.state.live().next().is_none() {
            cx.emit(Effect::QuitNow(Farewell::End));
        }
    }

    fn render(&mut self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
        let mut lines: Vec<String> = view
            .state
            .live()
            .take(6)
            .map(|s| {
                let how = match s.kind {
                    StartKind::Launch => "started here: ends with us unless left running",
                    StartKind::Attach => "attached to: goes on in any case",
                };
                let phase = match s.phase {
                    Phase::Stopped => "stopped",
                    other => other.word(),
                };
                format!("{} is {phase} ({how}).", sanitise(&s.name))
            })
            .collect();
        let more = view.state.live().count().saturating_sub(lines.len());
        if more > 0 {
            lines.push(format!("And {more} more."));
        }
        let keys = [("e", "end it"), ("d", "leave it running"), ("Esc", "stay")];
        question(frame, area, view, "Quit?", &lines, &keys);
    }
}
