//! Between sessions: which one is meant, those that have ended, and what an adapter is busy with.

use crate::{debug_prelude::*, routes::debug::DebugRoute};

gates! { DebugRoute, _, view;
    has_sessions: view.state.sessions.len() > 1, "There is no other session.";
    has_stopped: next_stopped(view), "No other session stands still.";
    has_ended: ended(&view.state).next(), "No session has ended.";
    has_progress: view.session().is_some_and(is_busy),
        "The adapter is busy with nothing that it tells of, and no request waits for its answer.";
}

/// The next session in the order of the tree, or the one before; behind the last one comes the first.
pub fn other_session(by: isize, cx: &Cx) {
    let members = session_row::in_order(&cx.view.state);
    let ids: Vec<_> = members.iter().map(|member| member.id).collect();
    let session = beside(&ids, cx.view.state.focus.unwrap_or_default(), by);
    cx.core(Command::Focus { session });
}

/// The next session in the order of the tree that stands still, if it is not the one in focus.
fn next_stopped(view: &View) -> Option<SessionId> {
    let sessions = session_row::in_order(&view.state);
    let at = sessions
        .iter()
        .position(|s| Some(s.id) == view.state.focus)
        .unwrap_or_default();
    let others = sessions.iter().cycle().skip(at + 1).take(sessions.len());
    let mut others = others.filter_map(|member| view.state.session(member.id));
    let found = others.find(|s| s.phase == Phase::Stopped && view.state.focus != Some(s.id));
    found.map(|s| s.id)
}

pub fn to_stopped(_: &mut DebugRoute, cx: &Cx) {
    if let Some(session) = next_stopped(&cx.view) {
        cx.core(Command::Focus { session });
    }
}

fn ended(state: &State) -> impl Iterator<Item = &Session> {
    let sessions = state.sessions.iter();
    sessions.filter(|s| s.phase == Phase::Terminated)
}

pub fn clear_sessions(_: &mut DebugRoute, cx: &Cx) {
    for session in ended(&cx.view.state) {
        cx.core(Command::Clear {
            session: session.id,
        });
    }
}

fn is_busy(s: &Session) -> bool {
    let told = s.phase != Phase::Terminated && !s.progress.is_empty();
    told || !s.pending.is_empty()
}
