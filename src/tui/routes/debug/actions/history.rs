//! Stops of the past, the log of the protocol, and recordings: made and played.

use super::execution::{allowed, plays};
use crate::routes::debug::{kit::prelude::*, protocol};

/// Speeds at which a recording goes on by itself.
const SPEEDS: [u32; 3] = [1, 2, 8];

pub const ROWS: &[Action<DebugRoute>] = rows! {
    "debug.focus-stops"    "to the stops so far"                          ["T"]         => to!(Stops);
    "debug.look-earlier"   "look back at the stop before"                 ["{"]         if has_session => |s, cx| s.stops.step(-1, cx);
    "debug.look-later"     "look at the stop after that"                  ["}"]         if can_look_later => |s, cx| s.stops.step(1, cx);
    "debug.look-now"       "back to the present"                          ["backspace"] if looks_back => |_, cx| cx.emit(Effect::Look(None));
    "debug.focus-protocol" "to the log of the protocol"                   ["V"]         => to!(Protocol);
    "debug.focus-audit"    "to what others asked and did"                 ["U"]         => to!(Audit);
    "debug.record"         "record everything into a file, or no longer"  ["Q"]         if can_record => record;
    "debug.play"           "let the recording go on by itself, or no longer" ["F"]         if is_recording => |_, cx| play(cx, |speed| u32::from(speed == 0));
    "debug.play-faster"    "play the recording faster"                    ["+"]         if is_recording => |_, cx| {
        play(cx, |speed| {
            let faster = SPEEDS.into_iter().find(|s| *s > speed);
            faster.unwrap_or(speed)
        });
    };
    "debug.play-slower"    "play the recording slower"                    ["-"]         if is_recording => |_, cx| {
        play(cx, |speed| {
            let slower = SPEEDS.into_iter().rev().find(|s| *s < speed);
            slower.unwrap_or(0)
        });
    };
};

/// A recording that goes on by itself can be paused wherever it is.
pub fn can_pause(_: &DebugRoute, view: &View<'_>) -> Enabled {
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

fn is_recorded(view: &View<'_>) -> bool {
    view.session().is_some_and(|s| s.recorded)
}

fn past(view: &View<'_>) -> Option<()> {
    stop_of(view)?.past.map(|_| ())
}

/// Asks for a file; where one is being written, ends it.
fn record(_: &mut DebugRoute, cx: &mut Cx<'_>) {
    if cx.view.state.recording.is_some() {
        cx.emit(protocol::ask_record(false, None));
        return;
    }
    let then = |text: &str| {
        let file = (!text.is_empty()).then(|| PathBuf::from(text));
        vec![protocol::ask_record(true, file)]
    };
    let hint = "A new file; without a name, one named after the program.";
    cx.open(Prompt::new("Record into", hint, "", None, then));
}

fn is_recording(_: &DebugRoute, view: &View<'_>) -> Enabled {
    match view.session() {
        Some(_) if plays(view) => Ok(()),
        Some(session) if session.recorded => Err("The recording is over: F5 plays it again."),
        _ => Err("Only a recording can be played."),
    }
}

fn play(cx: &mut Cx<'_>, speed: impl FnOnce(u32) -> u32) {
    if let Some(session) = cx.view.session() {
        cx.core(Command::Play {
            session: Some(session.id),
            speed: speed(session.speed),
        });
    }
}
