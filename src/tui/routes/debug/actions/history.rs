//! Stops of the past, the log of the protocol, and recordings: made and played.

use super::gates::{allowed, plays};
use crate::{
    debug_prelude::*,
    routes::debug::{DebugRoute, protocol},
};

/// Speeds at which a recording goes on by itself.
const SPEEDS: [u32; 3] = [1, 2, 8];

/// A recording that goes on by itself can be paused wherever it is.
pub fn can_pause(_: &DebugRoute, view: &View) -> Enabled {
    match view.session() {
        Some(session) if session.speed > 0 && (session.phase.is_live() || plays(view)) => Ok(()),
        _ => allowed(view, Gate::Pause),
    }
}

gates! { DebugRoute, _, view;
    has_session: is_recorded(view) || stop_of(view).is_some(), "The program has not stopped yet.";
    looks_back: past(view), "This is the present.";
    can_look_later: is_recorded(view) || past(view).is_some(), "This is the last stop.";
    can_record: view.state.recording.is_some() || !is_recorded(view), "This is a recording already.";
}

fn is_recorded(view: &View) -> bool {
    view.session().is_some_and(|s| s.recorded)
}

fn past(view: &View) -> Option<()> {
    stop_of(view)?.past.map(|_| ())
}

/// Asks for a file; where one is being written, ends it.
pub fn record(_: &mut DebugRoute, cx: &Cx) {
    if cx.view.state.recording.is_some() {
        return cx.emit(protocol::ask_record(false, None));
    }
    let then = |text: &str| {
        let file = (!text.is_empty()).then(|| PathBuf::from(text));
        vec![protocol::ask_record(true, file)]
    };
    let hint = "A new file; without a name, one named after the program.";
    cx.open(prompt("Record into", hint, "", None, then));
}

pub fn is_recording(_: &DebugRoute, view: &View) -> Enabled {
    match view.session() {
        Some(_) if plays(view) => Ok(()),
        Some(session) if session.recorded => Err("The recording is over: F5 plays it again."),
        _ => Err("Only a recording can be played."),
    }
}

pub fn faster(speed: u32) -> u32 {
    let faster = SPEEDS.into_iter().find(|s| *s > speed);
    faster.unwrap_or(speed)
}

pub fn slower(speed: u32) -> u32 {
    let slower = SPEEDS.into_iter().rev().find(|s| *s < speed);
    slower.unwrap_or(0)
}

pub fn play(cx: &Cx, speed: impl FnOnce(u32) -> u32) {
    if let Some(session) = cx.view.session() {
        cx.core(Command::Play {
            session: Some(session.id),
            speed: speed(session.speed),
        });
    }
}
