//! What makes the program run and stand still, and which frame is looked at.

use debugger::{Granularity, StepKind, gate};

use crate::{
    debug_prelude::*,
    routes::debug::{
        DebugRoute, popups::exception, problems, source::page::lacking, stack, starting::start,
    },
};

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

pub fn can_continue(_: &DebugRoute, view: &View) -> Enabled {
    match phase(view) {
        Phase::NotStarted | Phase::Terminated => Ok(()),
        _ => allowed(view, Gate::Resume),
    }
}

pub fn can_install(_: &DebugRoute, view: &View) -> Enabled {
    lacking(view).or_why("The session lacks no adapter that could be installed.")
}

pub fn install(_: &mut DebugRoute, cx: &Cx) {
    if let Some(adapter) = lacking(&cx.view).map(str::to_owned) {
        cx.emit(Effect::Install { adapter });
    }
}

/// Whether the session in focus is one of a recording that is not over.
pub fn plays(view: &View) -> bool {
    let state = &view.state;
    let lives = |s: &Session| s.recorded && s.phase.is_live();
    state.focused().is_some_and(|s| s.recorded) && state.sessions.iter().any(lives)
}

/// F5 is whatever gets the program going: start it, go on, start it again.
pub fn go_on(route: &mut DebugRoute, cx: &Cx) {
    let phase = if plays(&cx.view) {
        // Its time goes on for all its sessions, whatever the one in focus does.
        Phase::Stopped
    } else {
        phase(&cx.view)
    };
    let session = cx.view.state.focus;
    match phase {
        Phase::NotStarted => start(route, cx),
        Phase::Terminated => cx.core(Command::Restart { session }),
        _ => cx.core(Command::Continue {
            session,
            thread: None,
        }),
    }
}

/// What the footer offers at this moment: what F5 does, why the program stopped; nothing to step where nothing runs.
pub(crate) fn shown_now(route: &DebugRoute, id: &str, view: &View) -> Option<Show> {
    let phase = phase(view);
    let is_over = matches!(phase, Phase::NotStarted | Phase::Terminated) && !plays(view);
    match id {
        "debug.continue" if phase == Phase::NotStarted => Some(Show::Bar("start")),
        "debug.continue" if phase == Phase::Terminated => Some(Show::Bar("run again")),
        "debug.install-adapter" if lacking(view).is_some() => Some(Show::Bar("install")),
        "debug.exception" if exception::enabled(view).is_ok() => Some(Show::Bar("why")),
        "debug.problems" if problems::errors(view).next().is_some() => Some(Show::Bar("errors")),
        "debug.restart" if route.source.is_outdated() => Some(Show::Bar("restart")),
        "debug.step-over"
        | "debug.step-in"
        | "debug.step-out"
        | "debug.pause"
        | "debug.run-to-cursor"
        | "debug.inspect"
        | "debug.data"
            if is_over =>
        {
            Some(Show::HelpOnly)
        }
        _ => None,
    }
}

pub fn step(kind: StepKind, granularity: Granularity, cx: &Cx) {
    cx.core(Command::Step {
        session: cx.view.state.focus,
        thread: None,
        kind,
        granularity,
    });
}

/// As finely as what is looked at.
pub fn step_here(route: &DebugRoute, kind: StepKind, cx: &Cx) {
    step(kind, route.granularity(&cx.view), cx);
}

pub fn can_go_back(_: &DebugRoute, view: &View) -> Enabled {
    allowed(view, Gate::Resume)?;
    match view.session() {
        Some(session) if session.can_go_back() => Ok(()),
        Some(session) if session.can_record_execution => {
            Err("Nothing is kept yet to go back in: Ctrl-R begins to keep what the program does.")
        }
        _ => Err("This adapter cannot run backwards."),
    }
}

pub fn can_run_to(route: &DebugRoute, view: &View) -> Enabled {
    route
        .source
        .at_file_line()
        .and_then(|()| allowed(view, Gate::Resume))
}

pub fn run_to(route: &mut DebugRoute, cx: &Cx) {
    if let Some((path, line)) = route.source.cursor() {
        let (session, path) = (cx.view.state.focus, path.to_path_buf());
        cx.core(Command::RunTo {
            session,
            path,
            line,
        });
    }
}

pub fn frame_step(view: &View, outwards: bool) -> Result<Command, &'static str> {
    allowed(view, Gate::Inspect)?;
    let session: &Session = view.session().ok_or("No active debug session.")?;
    stack::step_frame(session, outwards)
}

pub fn select(outwards: bool, cx: &Cx) {
    if let Ok(command) = frame_step(&cx.view, outwards) {
        cx.core(command);
    }
}
