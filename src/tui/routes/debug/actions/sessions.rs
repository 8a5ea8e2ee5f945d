//! Between sessions: which one is meant, those that have ended, and what an adapter is busy with.

use crate::debugger::{Command, Phase};
use crate::tui::action::{Cx, Enabled, View};
use crate::tui::app::effect::Effect;
use crate::tui::routes::debug::DebugRoute;

pub(super) fn has_sessions(_: &DebugRoute, view: &View<'_>) -> Enabled {
    if view.state.sessions.len() > 1 {
        Ok(())
    } else {
        Err("There is only one session.")
    }
}

pub(super) fn other_session(forward: bool, cx: &mut Cx<'_>) {
    let sessions = &cx.view.state.sessions;
    let at = sessions
        .iter()
        .position(|s| Some(s.id) == cx.view.state.focus)
        .unwrap_or_default();
    let n = sessions.len().max(1);
    let next = (at + if forward { 1 } else { n - 1 }) % n;
    if let Some(session) = sessions.get(next) {
        let session = session.id;
        cx.emit(Effect::core(Command::Focus { session }));
    }
}

pub(super) fn has_ended(_: &DebugRoute, view: &View<'_>) -> Enabled {
    let ended = view
        .state
        .sessions
        .iter()
        .any(|s| s.phase == Phase::Terminated);
    if ended {
        Ok(())
    } else {
        Err("No session has ended.")
    }
}

pub(super) fn clear_sessions(_: &mut DebugRoute, cx: &mut Cx<'_>) {
    let ended = cx
        .view
        .state
        .sessions
        .iter()
        .filter(|s| s.phase == Phase::Terminated);
    for session in ended.map(|s| s.id).collect::<Vec<_>>() {
        cx.emit(Effect::core(Command::Clear { session }));
    }
}

pub(super) fn has_cancellable(_: &DebugRoute, view: &View<'_>) -> Enabled {
    let any = view
        .state
        .focused()
        .is_some_and(|s| s.progress.iter().any(|p| p.cancellable));
    if any {
        Ok(())
    } else {
        Err("The adapter does nothing that can be stopped.")
    }
}

pub(super) fn cancel_progress(_: &mut DebugRoute, cx: &mut Cx<'_>) {
    let session = cx.view.state.focused();
    let works = session
        .into_iter()
        .flat_map(|s| s.progress.iter())
        .filter(|p| p.cancellable);
    for id in works.map(|p| p.id.clone()).collect::<Vec<_>>() {
        let session = cx.view.state.focus;
        cx.emit(Effect::core(Command::CancelProgress { session, id }));
    }
}
