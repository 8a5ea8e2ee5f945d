//! What tests of panes and popups share besides the stage of all screens: states of the core.

use std::time::{SystemTime, UNIX_EPOCH};

use dap::types::{Scope, StackFrame, Variable};
use debugger::{
    Phase, Session, SessionId, State, Stop, StopId,
    ids::ApprovalId,
    permission::{Actor, ActorKind, Approval, Risk, Tier},
    state::{FrameRef, FrameScopes, ScopeVariables, Stack},
};

pub use crate::kit::test::{Stage, events};

/// A variable as adapters send it.
pub fn variable(name: &str, value: &str, reference: i64) -> Variable {
    Variable {
        name: name.into(),
        value: value.into(),
        variables_reference: reference,
        evaluate_name: Some(name.into()),
        ..Variable::default()
    }
}

/// A session that stands still in `main` with these locals.
pub fn stopped_in_main(stop: u64, locals: Vec<Variable>) -> State {
    let frame = StackFrame {
        id: 1,
        name: "main".into(),
        line: 12,
        ..StackFrame::default()
    };
    let scopes = FrameScopes {
        scopes: vec![ScopeVariables {
            scope: Scope {
                name: "Locals".into(),
                variables_reference: 1,
                ..Scope::default()
            },
            variables: Some(locals),
            trouble: None,
        }],
        trouble: None,
    };
    let session = Session {
        id: SessionId(1),
        name: "demo.py".into(),
        phase: Phase::Stopped,
        stop: Some(Stop {
            id: StopId(stop),
            thread_id: Some(1),
            reason: "breakpoint".into(),
            selected: Some(FrameRef {
                thread_id: 1,
                frame_id: 1,
            }),
            stacks: [(
                1,
                Stack {
                    frames: vec![frame],
                    ..Stack::default()
                },
            )]
            .into(),
            frames: [(1, scopes)].into(),
            ..Stop::default()
        }),
        ..Session::default()
    };
    State {
        sessions: vec![session],
        focus: Some(SessionId(1)),
        ..State::default()
    }
}

/// What an agent asks for, for a minute from now.
///
/// # Panics
/// Where the clock is before 1970.
pub fn asked(id: u64, subject: &str) -> Approval {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    Approval {
        id: ApprovalId(id),
        actor: Actor {
            kind: ActorKind::Agent,
            name: "claude-code".into(),
            connection: 3,
        },
        session: Some(SessionId(1)),
        stop: Some(StopId(1)),
        action: "evaluate".into(),
        tier: Tier::Exec,
        risk: Risk::Critical,
        warning: "Critical risk. It runs code in the program.".into(),
        subject: subject.into(),
        subject_bytes: subject.len() as u64,
        place: "demo.py:12 main()".into(),
        editable: true,
        hash: format!("hash of {id}"),
        expires_ms: now.as_millis() as u64 + 60_000,
    }
}
