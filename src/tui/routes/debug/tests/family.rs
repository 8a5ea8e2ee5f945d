//! Several sessions in the workspace: their rows in the stack, and what is done with them.

use super::workspace::*;
use super::*;
use debugger::state::FrameRef;
use debugger::{Phase, Session, SessionId, StopId};

/// The shop, with a child that stands still and one that runs.
fn family() -> Workspace {
    let mut workspace = Workspace::stopped_in_shop();
    for (id, parent) in [(2, 1), (3, 2)] {
        let session = Session {
            id: SessionId(id),
            parent: Some(SessionId(parent)),
            name: format!("Subprocess {id}"),
            phase: Phase::Running,
            ..Session::default()
        };
        workspace.tell(vec![EventKind::SessionStarted {
            session: Box::new(session),
        }]);
    }
    let stop = Stop {
        id: StopId(50),
        thread_id: Some(7),
        reason: "breakpoint".into(),
        ..Default::default()
    };
    let stack = debugger::state::Stack {
        frames: vec![frame(70, "price_of", Some("/project/shop.py"), 4)],
        total: None,
        complete: true,
    };
    let about = |change| EventKind::Session {
        session: SessionId(2),
        change,
    };
    workspace.tell(vec![
        about(Change::Stopped {
            stop: Box::new(stop),
        }),
        about(Change::Stack {
            stop: StopId(50),
            thread_id: 7,
            stack,
        }),
        about(Change::Selected {
            stop: StopId(50),
            frame: FrameRef {
                thread_id: 7,
                frame_id: 70,
            },
        }),
    ]);
    workspace
}

fn column(screen: &[String], text: &str) -> usize {
    let line = line_with(screen, text);
    let before = line.split(text).next().unwrap_or_default();
    before.chars().count()
}

#[test]
fn sessions_are_rows_with_their_threads_below_them() {
    let mut workspace = family();
    let screen = workspace.screen(200, 50);
    line_with(&screen, "2 Stack 3 sessions");
    let root = column(&screen, "debug-1 shop.py");
    assert_eq!(column(&screen, "debug-2 Subprocess 2"), root + 2);
    assert_eq!(column(&screen, "debug-3 Subprocess 3"), root + 4);
    assert_eq!(column(&screen, "MainThread"), root + 2);
    assert!(line_with(&screen, "debug-2 Subprocess 2").contains("breakpoint"));
    // The stack of the one that is not looked at is a key away.
    assert!(!screen.iter().any(|line| line.contains("thread 7")));
    workspace.invoke("debug.focus-stack");
    workspace.invoke("stack.last");
    workspace.invoke("stack.up");
    workspace.invoke("stack.open");
    let screen = workspace.screen(200, 50);
    assert_eq!(column(&screen, "thread 7"), root + 4);
    line_with(&screen, "price_of");
}

#[test]
fn to_choose_a_row_of_another_session_is_to_look_at_that() {
    let mut workspace = family();
    workspace.screen(200, 50);
    workspace.invoke("debug.focus-stack");
    workspace.invoke("stack.last");
    let focus = |commands: &[Command]| match commands {
        [Command::Focus { session }, ..] => session.0,
        other => panic!("{other:?}"),
    };
    assert_eq!(focus(&workspace.invoke("stack.select")), 3);
    assert_eq!(focus(&workspace.invoke("debug.next-stopped")), 2);
    workspace.invoke("stack.up");
    workspace.invoke("stack.open");
    workspace.invoke("stack.down");
    let chosen = workspace.invoke("stack.select");
    assert_eq!(focus(&chosen), 2);
    assert!(matches!(
        chosen[1],
        Command::SelectFrame {
            session: Some(SessionId(2)),
            thread: 7,
            ..
        }
    ));
    // From a thread to its session, and back to the frames of the one in focus.
    workspace.tell(vec![EventKind::Focus {
        session: Some(SessionId(2)),
    }]);
    let screen = workspace.screen(200, 50);
    line_with(&screen, "▶ price_of");
    assert_eq!(
        workspace.why_not("debug.clear-sessions"),
        "No session has ended."
    );
}

#[test]
fn with_one_session_nothing_is_said_of_sessions() {
    let mut workspace = Workspace::stopped_in_shop();
    let screen = workspace.screen(200, 50);
    assert!(!screen.iter().any(|line| line.contains("debug-1")));
    assert_eq!(
        workspace.why_not("debug.sessions"),
        "There is no other session."
    );
    assert_eq!(
        workspace.why_not("debug.next-stopped"),
        "No other session stands still."
    );
}
