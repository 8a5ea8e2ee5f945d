//! The app's own rows: they work everywhere, and come last.
//!
//! What they do concerns layers that only [`super::App`] can see, so a row asks for it as an effect and the app does it.

use debugger::Command;

use crate::{
    action::effect::GlobalAction,
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
