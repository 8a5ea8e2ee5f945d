//! The app's own rows: they work everywhere, and come last.
//!
//! What they do concerns layers that only [`App`] can see, so a row asks for it as an effect and the app does it.

use debugger::{Command, Phase, Severity};

use super::{App, operations};
use crate::{
    action::effect::GlobalAction,
    overlays::{help, messages, palette},
    prelude::*,
    routes::{
        debug::{participants, popups::approval},
        desk,
    },
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
    table! { "Every popup", s, cx;
        "popup.close" "close" ["esc" "q"], Footer => cx.close();
    }
}

/// All rows, with those that go to a route in their midst.
macro_rules! actions {
    ($($id:ident $name:literal $title:literal $key:tt $home:tt => $module:ident $parts:tt;)*) => {
        rows![s, cx;
            "app.help" "help" ["?" "f1"], Bar("help") => cx.emit(Effect::Global(GlobalAction::Help));
            "app.palette" "all actions" [":" "ctrl-p"], Footer => cx.emit(Effect::Global(GlobalAction::Palette));
            "app.quit" "quit" ["q"], Bar("quit") => cx.emit(Effect::Quit);
            "app.messages" "message history" ["M"] => cx.emit(Effect::Global(GlobalAction::Messages));
            "app.back" "back" ["esc"] => cx.emit(Effect::Global(GlobalAction::Back));
            "app.home" "home" ["H"] -> HOME;
            (concat "app") $($name $title [] => |_, cx| cx.go(RouteId::$id);)* {
                "app.toggle-mouse" "mouse on or off (off: the terminal selects text)" ["m"] => cx.emit(Effect::Global(GlobalAction::Mouse));
                "app.interrupt" "pause the program, or say how to leave" ["ctrl-c"] => cx.emit(Effect::Global(GlobalAction::Interrupt));
                "app.answer" "answer what an agent asks" ["f3"] if |_, view| approval::waits(view) => approval::open(cx);
                "app.take-control" "take control from an agent" ["f2"] if |_, view| {
                    let others = participants::others(&view.state.sharing).next();
                    others.or_why("Nobody else is here.")
                } => cx.core(Command::TakeControl);
                "app.give-control" "let go of control: an agent may take it" ["shift-f2"] if |_, view| {
                    let driver = view.state.sharing.driver.as_ref();
                    let mine = driver.filter(|driver| driver.is_human());
                    mine.or_why("You have not taken control.")
                } => cx.core(Command::ReleaseControl);
                "app.suspend" "suspend to the shell" ["ctrl-z"] => cx.emit(Effect::Suspend);
                "app.repaint" "draw the screen anew" ["ctrl-l"] => cx.emit(Effect::Repaint);
            }
        ]
    };
}

/// The app as a surface.
#[derive(Debug, Default)]
pub struct Global;

impl Surface for Global {
    const TITLE: &str = "Everywhere";
    const ACTIONS: &[Action<Self>] = desk!(actions);

    fn shown_now(&self, id: &str, view: &View) -> Option<Show> {
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
}

impl App {
    /// Carries out what a row of the app's own wants.
    pub(super) fn grant(&mut self, wish: GlobalAction) -> Vec<Effect> {
        match wish {
            GlobalAction::Help => {
                let sections = self.sections();
                vec![Effect::Open(Box::new(help::Help::new(sections)))]
            }
            GlobalAction::Palette => {
                let mut rows = self.keymap.applied(self.route_rows());
                rows.extend(operations::rows(&self.world.view(true)));
                let recent = self
                    .world
                    .state
                    .memory
                    .get(palette::MEMORY)
                    .cloned()
                    .unwrap_or_default();
                vec![Effect::Open(Box::new(palette::Palette::new(rows, recent)))]
            }
            GlobalAction::Messages => vec![Effect::Open(Box::new(messages::Messages::new(
                self.status.history(),
            )))],
            GlobalAction::Mouse => {
                self.mouse = !self.mouse;
                let text = if self.mouse {
                    "The mouse clicks and scrolls here. Hold Shift while dragging to select text."
                } else {
                    "The mouse belongs to the terminal: drag to select text."
                };
                self.status.say(Severity::Info, text, None);
                vec![Effect::Mouse(self.mouse)]
            }
            // A program at hand is not left behind by a slip of the key that closes popups; `app.home` does it on purpose.
            GlobalAction::Back
                if self.route == RouteId::DEBUG && self.world.state.live().next().is_some() =>
            {
                Vec::new()
            }
            GlobalAction::Back => {
                if let Some(route) = self.before.pop() {
                    let here = self.route;
                    self.route = route;
                    // One back from there leads here again, so that a slip costs one key.
                    if !self.before.contains(&here) {
                        self.before.push(here);
                    }
                } else if self.route != RouteId::HOME {
                    self.go(RouteId::HOME);
                }
                self.dirty = true;
                Vec::new()
            }
            GlobalAction::Interrupt => {
                let running = self
                    .world
                    .state
                    .focused()
                    .is_some_and(|s| s.phase == Phase::Running);
                if running {
                    vec![Effect::core(Command::Pause {
                        session: None,
                        thread: None,
                        momentary: false,
                    })]
                } else {
                    vec![Effect::info(
                        "Nothing runs that could be paused. Press q to quit.",
                    )]
                }
            }
        }
    }
}
