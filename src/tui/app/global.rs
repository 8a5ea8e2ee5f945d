//! The app's own rows: they work everywhere, and come last.
//!
//! What they do concerns layers that only [`super::App`] can see, so a row says what is wanted and the app does it.

use debugger::Command;
use ratatui::{Frame, layout::Rect};

use super::effect::{Effect, RouteId};
use crate::{
    action::{Action, Show, Surface, View, always},
    routes::debug::{participants, popups::approval},
};

/// Ids of the app's rows that work while an overlay is open.
pub const IN_OVERLAYS: [&str; 7] = [
    "app.answer",
    "app.take-control",
    "app.help",
    "app.messages",
    "app.interrupt",
    "app.suspend",
    "app.repaint",
];

/// Ids of the app's rows that are in the bar, before all others, while somebody may be waiting for them.
pub const PRESSING: [&str; 2] = ["app.answer", "app.take-control"];

/// What every overlay understands besides its own rows.
#[derive(Debug, Default)]
pub struct Modal;

impl Surface for Modal {
    const TITLE: &'static str = "Every popup";
    const ACTIONS: &'static [Action<Self>] = &[Action {
        id: "popup.close",
        title: "close",
        keys: &["esc", "q"],
        show: Show::Footer,
        enabled: always,
        run: |_, cx| cx.emit(Effect::Close),
    }];

    fn render(&mut self, _frame: &mut Frame<'_>, _area: Rect, _view: &View<'_>) {
        // An overlay draws itself.
    }
}

/// What a row of the app wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GlobalAction {
    /// The help overlay.
    Help,
    Palette,
    /// The message history.
    Messages,
    /// Mouse capture on or off.
    Mouse,
    /// The route before this one.
    Back,
    /// What Ctrl-C means here.
    Interrupt,
}

/// The app as a surface.
#[derive(Debug, Default)]
pub struct Global {
    wish: Option<GlobalAction>,
}

impl Global {
    /// What the row just run wants.
    pub fn take_wish(&mut self) -> Option<GlobalAction> {
        self.wish.take()
    }
}

impl Surface for Global {
    const TITLE: &'static str = "Everywhere";
    const ACTIONS: &'static [Action<Self>] = &[
        Action {
            id: "app.help",
            title: "help",
            keys: &["?", "f1"],
            show: Show::Bar("help"),
            enabled: always,
            run: |s, _| s.wish = Some(GlobalAction::Help),
        },
        Action {
            id: "app.palette",
            title: "all actions",
            keys: &[":", "ctrl-p"],
            show: Show::Footer,
            enabled: always,
            run: |s, _| s.wish = Some(GlobalAction::Palette),
        },
        Action {
            id: "app.quit",
            title: "quit",
            keys: &["q"],
            show: Show::Bar("quit"),
            enabled: always,
            run: |_, cx| cx.emit(Effect::Quit),
        },
        Action {
            id: "app.messages",
            title: "message history",
            keys: &["M"],
            show: Show::HelpOnly,
            enabled: always,
            run: |s, _| s.wish = Some(GlobalAction::Messages),
        },
        Action {
            id: "app.back",
            title: "back",
            keys: &["esc"],
            show: Show::HelpOnly,
            enabled: always,
            run: |s, _| s.wish = Some(GlobalAction::Back),
        },
        Action {
            id: "app.home",
            title: "home",
            keys: &["H"],
            show: Show::HelpOnly,
            enabled: always,
            run: |_, cx| cx.emit(Effect::Go(RouteId::Home)),
        },
        Action {
            id: "app.logs",
            title: "logs",
            keys: &[],
            show: Show::HelpOnly,
            enabled: always,
            run: |_, cx| cx.emit(Effect::Go(RouteId::Logs)),
        },
        Action {
            id: "app.sse",
            title: "raw SSE",
            keys: &[],
            show: Show::HelpOnly,
            enabled: always,
            run: |_, cx| cx.emit(Effect::Go(RouteId::Sse)),
        },
        Action {
            id: "app.sessions",
            title: "sessions",
            keys: &[],
            show: Show::HelpOnly,
            enabled: always,
            run: |_, cx| cx.emit(Effect::Go(RouteId::Sessions)),
        },
        Action {
            id: "app.transcript",
            title: "transcript",
            keys: &[],
            show: Show::HelpOnly,
            enabled: always,
            run: |_, cx| cx.emit(Effect::Go(RouteId::Transcript)),
        },
        Action {
            id: "app.artifacts",
            title: "artifacts",
            keys: &[],
            show: Show::HelpOnly,
            enabled: always,
            run: |_, cx| cx.emit(Effect::Go(RouteId::Artifacts)),
        },
        Action {
            id: "app.cache",
            title: "clear the artifact cache",
            keys: &[],
            show: Show::HelpOnly,
            enabled: always,
            run: |_, cx| cx.emit(Effect::Go(RouteId::Cache)),
        },
        Action {
            id: "app.system",
            title: "system",
            keys: &[],
            show: Show::HelpOnly,
            enabled: always,
            run: |_, cx| cx.emit(Effect::Go(RouteId::System)),
        },
        Action {
            id: "app.memory",
            title: "memory",
            keys: &[],
            show: Show::HelpOnly,
            enabled: always,
            run: |_, cx| cx.emit(Effect::Go(RouteId::Memory)),
        },
        Action {
            id: "app.terminal",
            title: "terminal",
            keys: &[],
            show: Show::HelpOnly,
            enabled: always,
            run: |_, cx| cx.emit(Effect::Go(RouteId::Terminal)),
        },
        Action {
            id: "app.report",
            title: "report",
            keys: &[],
            show: Show::HelpOnly,
            enabled: always,
            run: |_, cx| cx.emit(Effect::Go(RouteId::Report)),
        },
        Action {
            id: "app.performance",
            title: "performance",
            keys: &[],
            show: Show::HelpOnly,
            enabled: always,
            run: |_, cx| cx.emit(Effect::Go(RouteId::Performance)),
        },
        Action {
            id: "app.work",
            title: "our own work",
            keys: &[],
            show: Show::HelpOnly,
            enabled: always,
            run: |_, cx| cx.emit(Effect::Go(RouteId::Work)),
        },
        Action {
            id: "app.toggle-mouse",
            title: "mouse on or off (off: the terminal selects text)",
            keys: &["m"],
            show: Show::HelpOnly,
            enabled: always,
            run: |s, _| s.wish = Some(GlobalAction::Mouse),
        },
        Action {
            id: "app.interrupt",
            title: "pause the program, or say how to leave",
            keys: &["ctrl-c"],
            show: Show::HelpOnly,
            enabled: always,
            run: |s, _| s.wish = Some(GlobalAction::Interrupt),
        },
        Action {
            id: "app.answer",
            title: "answer what an agent asks",
            keys: &["f3"],
            show: Show::HelpOnly,
            enabled: |_, view| approval::waits(view),
            run: |_, cx| approval::open(cx),
        },
        Action {
            id: "app.take-control",
            title: "take control from an agent",
            keys: &["f2"],
            show: Show::HelpOnly,
            enabled: |_, view| {
                let others = participants::others(&view.state.sharing).next();
                others.map(|_| ()).ok_or("Nobody else is here.")
            },
            run: |_, cx| cx.emit(Effect::core(Command::TakeControl)),
        },
        Action {
            id: "app.give-control",
            title: "let go of control: an agent may take it",
            keys: &["shift-f2"],
            show: Show::HelpOnly,
            enabled: |_, view| {
                let driver = view.state.sharing.driver.as_ref();
                let mine = driver.filter(|driver| driver.is_human());
                mine.map(|_| ()).ok_or("You have not taken control.")
            },
            run: |_, cx| cx.emit(Effect::core(Command::ReleaseControl)),
        },
        Action {
            id: "app.suspend",
            title: "suspend to the shell",
            keys: &["ctrl-z"],
            show: Show::HelpOnly,
            enabled: always,
            run: |_, cx| cx.emit(Effect::Suspend),
        },
        Action {
            id: "app.repaint",
            title: "draw the screen anew",
            keys: &["ctrl-l"],
            show: Show::HelpOnly,
            enabled: always,
            run: |_, cx| cx.emit(Effect::Repaint),
        },
    ];

    fn shown_now(&self, id: &str, view: &View<'_>) -> Option<Show> {
        let name = match id {
            "app.answer" => "answer",
            "app.take-control" => {
                participants::foreign_driver(&view.state.sharing)?;
                "take control"
            }
            _ => return None,
        };
        let row = Self::ACTIONS.iter().find(|row| row.id == id)?;
        (row.enabled)(self, view).ok().map(|()| Show::Bar(name))
    }

    fn render(&mut self, _frame: &mut Frame<'_>, _area: Rect, _view: &View<'_>) {
        // The chrome around every route draws what these rows offer.
    }
}
