//! Sessions as a tree: in which order they are listed, and how deep each one lies. Pure functions on the state.

use crate::prelude::*;

/// A session and how many others it lies below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    pub id: SessionId,
    /// 0 for a root.
    pub depth: u16,
}

/// All sessions, each behind its parent and before its parent's next child; roots and children in the order they began. One
/// whose parent was forgotten is a root.
pub fn in_order(state: &State) -> Vec<Member> {
    let known: HashSet<SessionId> = state.sessions.iter().map(|s| s.id).collect();
    let mut below: HashMap<Option<SessionId>, Vec<SessionId>> = HashMap::new();
    for session in &state.sessions {
        let parent = session.parent.filter(|p| known.contains(p));
        below.entry(parent).or_default().push(session.id);
    }
    let mut waiting = Vec::new();
    let mut wait = |of, depth, waiting: &mut Vec<Member>| {
        // Taken out, so that parents in a circle are not gone around for ever.
        let children = below.remove(&of).unwrap_or_default();
        waiting.extend(children.into_iter().rev().map(|id| Member { id, depth }));
    };
    wait(None, 0, &mut waiting);
    let mut all = Vec::with_capacity(state.sessions.len());
    while let Some(member) = waiting.pop() {
        all.push(member);
        wait(
            Some(member.id),
            member.depth.saturating_add(1),
            &mut waiting,
        );
    }
    all
}

/// Whether a session has only launched its program, which runs in one below it.
pub fn is_launcher(state: &State, session: &Session) -> bool {
    session.program_in_child
        && state.focus != Some(session.id)
        && state.sessions.iter().any(|s| s.parent == Some(session.id))
}

/// As [`in_order`], without those that only launched others, and without what has ended and has nothing living below it. The one in
/// focus is always among them, and so are those of recordings, and a root that could not be started: a part of what was started together
/// is missing.
pub fn of_interest(state: &State) -> Vec<Member> {
    let mut kept: Vec<Member> = Vec::new();
    // From the last to the first: whoever is kept below one has just been met.
    let mut next_kept: Option<u16> = None;
    for member in in_order(state).into_iter().rev() {
        // Time may bring back what has ended in a recording.
        let session = state.session(member.id);
        let lives = session.is_some_and(|s| {
            s.phase.is_live() || s.recorded || s.start_failed && s.parent.is_none()
        });
        let carries = next_kept.is_some_and(|depth| depth > member.depth);
        if carries && session.is_some_and(|s| is_launcher(state, s)) {
            let below = kept.iter_mut().rev();
            for member in below.take_while(|below| below.depth > member.depth) {
                member.depth -= 1;
            }
            next_kept = Some(member.depth);
            continue;
        }
        if lives || carries || state.focus == Some(member.id) {
            kept.push(member);
            next_kept = Some(member.depth);
        }
    }
    kept.reverse();
    kept
}

/// The way from the root to a session, both with it, and without those that only launched others.
pub fn path(state: &State, id: SessionId) -> Vec<SessionId> {
    let mut path = Vec::new();
    let mut next = Some(id);
    while let Some(id) = next.filter(|id| !path.contains(id)) {
        let Some(session) = state.session(id) else {
            break;
        };
        path.push(id);
        next = session.parent;
    }
    path.retain(|id| state.session(*id).is_some_and(|s| !is_launcher(state, s)));
    path.reverse();
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::{Phase, Session};

    fn state(rows: &[(u64, Option<u64>, Phase)]) -> State {
        State {
            sessions: rows
                .iter()
                .map(|(id, parent, phase)| Session {
                    id: SessionId(*id),
                    parent: parent.map(SessionId),
                    phase: *phase,
                    ..Session::default()
                })
                .collect(),
            ..State::default()
        }
    }

    fn told(members: Vec<Member>) -> Vec<(u64, u16)> {
        members.into_iter().map(|m| (m.id.0, m.depth)).collect()
    }

    #[test]
    fn children_stand_below_their_parent_in_the_order_they_began() {
        use Phase::{Running, Terminated};
        let mut state = state(&[
            (1, None, Running),
            (2, Some(1), Terminated),
            (3, Some(1), Running),
            (4, Some(2), Terminated),
            (5, Some(3), Terminated),
            (6, None, Terminated),
            (7, Some(2), Running),
            (8, Some(99), Running),
        ]);
        let all = [
            (1, 0),
            (2, 1),
            (4, 2),
            (7, 2),
            (3, 1),
            (5, 2),
            (6, 0),
            (8, 0),
        ];
        assert_eq!(told(in_order(&state)), all);
        let living = [(1, 0), (2, 1), (7, 2), (3, 1), (8, 0)];
        assert_eq!(told(of_interest(&state)), living);
        state.focus = Some(SessionId(5));
        assert!(told(of_interest(&state)).contains(&(5, 2)));
        assert_eq!(path(&state, SessionId(7)), [1, 2, 7].map(SessionId));
    }

    #[test]
    fn what_launched_a_program_is_left_out_while_something_is_below_it() {
        use Phase::{Running, Stopped, Terminated};
        let mut state = state(&[
            (1, None, Running),
            (2, Some(1), Stopped),
            (3, Some(2), Running),
            (4, None, Running),
        ]);
        state.sessions[0].program_in_child = true;
        state.focus = Some(SessionId(2));
        assert_eq!(told(of_interest(&state)), [(2, 0), (3, 1), (4, 0)]);
        assert_eq!(path(&state, SessionId(3)), [2, 3].map(SessionId));
        state.focus = Some(SessionId(1));
        assert_eq!(told(of_interest(&state)), [(1, 0), (2, 1), (3, 2), (4, 0)]);
        state.focus = Some(SessionId(4));
        for session in &mut state.sessions {
            session.phase = Terminated;
        }
        assert_eq!(told(of_interest(&state)), [(4, 0)]);
    }

    #[test]
    fn what_could_not_be_started_is_missed() {
        use Phase::{Running, Terminated};
        let mut state = state(&[
            (1, None, Terminated),
            (2, None, Running),
            (3, Some(2), Terminated),
        ]);
        state.focus = Some(SessionId(2));
        assert_eq!(told(of_interest(&state)), [(2, 0)]);
        for session in &mut state.sessions {
            session.start_failed = session.phase == Terminated;
        }
        assert_eq!(told(of_interest(&state)), [(1, 0), (2, 0)]);
    }

    #[test]
    fn parents_in_a_circle_are_no_endless_walk() {
        let state = state(&[(1, Some(2), Phase::Running), (2, Some(1), Phase::Running)]);
        assert!(in_order(&state).is_empty());
        assert_eq!(path(&state, SessionId(1)).len(), 2);
    }
}
