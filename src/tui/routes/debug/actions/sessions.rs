//! Between sessions: which one is meant, those that have ended, and what an adapter is busy with.

use crate::routes::debug::{DebugRoute, kit::prelude::*, session_row};

pub(super) fn has_sessions(_: &DebugRoute, view: &View<'_>) -> Enabled {
    (view.state.sessions.len() > 1).or_why("There is only one session.")
}

/// The next session in the order of the tree, or the one before; behind the last one comes the first.
pub(super) fn other_session(forward: bool, cx: &mut Cx<'_>) {
    let sessions = session_row::in_order(cx.view.state);
    let at = sessions
        .iter()
        .position(|s| Some(s.id) == cx.view.state.focus)
        .unwrap_or_default();
    let n = sessions.len().max(1);
    let next = (at + if forward { 1 } else { n - 1 }) % n;
    if let Some(member) = sessions.get(next) {
        let session = member.id;
        cx.core(Command::Focus { session });
    }
}

/// The next session in the order of the tree that stands still, if it is not the one in focus.
fn next_stopped(view: &View<'_>) -> Option<SessionId> {
    let sessions = session_row::in_order(view.state);
    let at = sessions
        .iter()
        .position(|s| Some(s.id) == view.state.focus)
        .unwrap_or_default();
    let others = sessions.iter().cycle().skip(at + 1).take(sessions.len());
    others
        .map(|member| member.id)
        .filter(|id| view.state.focus != Some(*id))
        .find(|id| {
            let session = view.state.session(*id);
            session.is_some_and(|s| s.phase == Phase::Stopped)
        })
}

pub(super) fn has_stopped(_: &DebugRoute, view: &View<'_>) -> Enabled {
    next_stopped(view).or_why("No other session stands still.")
}

pub(super) fn to_stopped(_: &mut DebugRoute, cx: &mut Cx<'_>) {
    if let Some(session) = next_stopped(&cx.view) {
        cx.core(Command::Focus { session });
    }
}

pub(super) fn has_ended(_: &DebugRoute, view: &View<'_>) -> Enabled {
    let ended = view
        .state
        .sessions
        .iter()
        .any(|s| s.phase == Phase::Terminated);
    ended.or_why("No session has ended.")
}

pub(super) fn clear_sessions(_: &mut DebugRoute, cx: &mut Cx<'_>) {
    let ended = cx
        .view
        .state
        .sessions
        .iter()
        .filter(|s| s.phase == Phase::Terminated);
    for session in ended.map(|s| s.id).collect::<Vec<_>>() {
        cx.core(Command::Clear { session });
    }
}

pub(super) fn has_progress(_: &DebugRoute, view: &View<'_>) -> Enabled {
    let is_busy = view.state.focused().is_some_and(|s| {
        let told = s.phase != Phase::Terminated && !s.progress.is_empty();
        told || !s.pending.is_empty()
    });
    is_busy.or_why(
        "The adapter is busy with nothing that it tells of, and no request waits for its answer.",
    )
}

pub(super) fn has_cancellable(_: &DebugRoute, view: &View<'_>) -> Enabled {
    let any = view
        .state
        .focused()
        .is_some_and(|s| s.progress.iter().any(|p| p.cancellable));
    any.or_why("The adapter does nothing that can be stopped.")
}

pub(super) fn cancel_progress(_: &mut DebugRoute, cx: &mut Cx<'_>) {
    let session = cx.view.state.focused();
    let works = session
        .into_iter()
        .flat_map(|s| s.progress.iter())
        .filter(|p| p.cancellable);
    for id in works.map(|p| p.id.clone()).collect::<Vec<_>>() {
        let session = cx.view.state.focus;
        cx.core(Command::CancelProgress { session, id });
    }
}
