//! Whether an action makes sense now.

use debugger::gate;

use crate::debug_prelude::*;

pub fn phase(view: &View) -> Phase {
    view.session().map_or(Phase::NotStarted, |s| s.phase)
}

pub fn allowed(view: &View, action: Gate) -> Enabled {
    let allowed = match view.session() {
        Some(session) => gate::allow_of(session, action),
        None => gate::allow(Phase::NotStarted, action),
    };
    allowed.map_err(|refusal| refusal.what)
}

/// Whether an action makes sense, and the adapter has what it needs.
pub fn able(
    view: &View,
    action: Gate,
    has: fn(&Capabilities) -> bool,
    lack: &'static str,
) -> Enabled {
    allowed(view, action)?;
    able_to(view, has, lack)
}

/// Switches something of the focused session; whether it is on from now on.
pub fn toggle(
    is_on: fn(&Session) -> bool,
    command: fn(Option<SessionId>, bool) -> Command,
    cx: &Cx,
) -> bool {
    let on = cx.view.session().is_some_and(|s| !is_on(s));
    cx.core(command(cx.view.state.focus, on));
    on
}

/// Whether the session in focus is one of a recording that is not over.
pub fn plays(view: &View) -> bool {
    let state = &view.state;
    let lives = |s: &Session| s.recorded && s.phase.is_live();
    state.focused().is_some_and(|s| s.recorded) && state.sessions.iter().any(lives)
}
