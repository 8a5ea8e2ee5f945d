use super::*;
use crate::action::view::ViewData;
use crate::theme::{Symbols, Theme};
use dap::requests::ExceptionInfoResponse;
use dap::types::{Source, StackFrame};
use debugger::state::{FrameRef, Stack, Thread};
use debugger::{BreakpointId, SessionId};

fn shown(state: &State, line: impl Fn(&View) -> Line<'static>) -> String {
    let seen = ViewData {
        state: state.clone().into(),
        theme: Theme::mono().into(),
        symbols: &Symbols::UNICODE,
        project: Path::new("/p").into(),
        omp: Arc::default(),
        artifact_root: Arc::default(),
    };
    let view = View::new(seen, true);
    line(&view)
        .spans
        .iter()
        .map(|s| s.content.as_ref())
        .collect()
}

fn session(id: u64) -> Session {
    let frame = StackFrame {
        id: 5,
        name: "checkout".into(),
        line: 31,
        source: Some(Source {
            path: Some("/p/demo.py".into()),
            ..Source::default()
        }),
        ..StackFrame::default()
    };
    let mut stop = Stop {
        reason: "breakpoint".into(),
        selected: Some(FrameRef {
            thread_id: 1,
            frame_id: 5,
        }),
        ..Stop::default()
    };
    stop.stacks.insert(
        1,
        Stack {
            frames: vec![frame],
            total: None,
            complete: true,
        },
    );
    Session {
        id: SessionId(id),
        adapter: "debugpy".into(),
        pid: Some(4711),
        phase: Phase::Stopped,
        stop: Some(stop),
        ..Session::default()
    }
}

#[test]
fn where_and_why_come_first() {
    let mut state = State {
        sessions: vec![session(1)],
        focus: Some(SessionId(1)),
        ..State::default()
    };
    assert_eq!(
        shown(&state, |v| line(None, v)),
        "‖ stopped: breakpoint  demo.py:31 in checkout() · debugpy · pid 4711"
    );
    assert_eq!(
        shown(&state, |v| tiny(v, 39)),
        "▶ demo.py:31 checkout() · breakpoint"
    );
    assert_eq!(shown(&state, |v| tiny(v, 20)), "▶ demo.py:31 checko…");
    let called = StackFrame {
        id: 4,
        ..StackFrame::default()
    };
    let mut looked_at = state.clone();
    let stop = looked_at.sessions[0].stop.as_mut().unwrap();
    let stack = stop.stacks.get_mut(&1).unwrap();
    stack.frames.insert(0, called);
    assert_eq!(
        shown(&looked_at, |v| line(None, v)),
        "‖ stopped: breakpoint ▷ demo.py:31 in checkout() · debugpy · pid 4711"
    );
    assert!(shown(&looked_at, |v| tiny(v, 39)).starts_with("▷ demo.py:31"));
    // Of several threads the one that is looked at is named, and where it is another one that which stopped.
    let mut threads = state.clone();
    let named = |id, name: &str| Thread {
        id,
        name: name.into(),
        stopped: true,
    };
    threads.sessions[0].threads = vec![named(1, "main"), named(7, "worker-3")];
    threads.sessions[0].stop.as_mut().unwrap().thread_id = Some(1);
    assert_eq!(
        shown(&threads, |v| line(None, v)),
        "‖ stopped: breakpoint  demo.py:31 in checkout() · main · debugpy · pid 4711"
    );
    threads.sessions[0].stop.as_mut().unwrap().thread_id = Some(7);
    assert_eq!(
        shown(&threads, |v| line(None, v)),
        "‖ stopped in worker-3: breakpoint  demo.py:31 in checkout() · main · debugpy · pid 4711"
    );
    let mut child = session(2);
    child.parent = Some(SessionId(1));
    child.phase = Phase::Terminated;
    child.exit_code = Some(3);
    state.sessions.push(child);
    state.focus = Some(SessionId(2));
    assert_eq!(
        shown(&state, |v| line(None, v)),
        "debug-1 › debug-2 ‖1  ■ ended: exit code 3 · debugpy · pid 4711"
    );
    assert_eq!(shown(&State::default(), |v| line(None, v)), "no session");
}

#[test]
fn of_a_tree_the_way_to_the_focused_one_is_named_and_others_are_counted() {
    let mut state = State {
        focus: Some(SessionId(6)),
        ..State::default()
    };
    for id in 1..=9 {
        let mut session = session(id);
        // Six below each other, and three beside the last.
        session.parent = (id > 1).then(|| SessionId((id - 1).min(5)));
        session.phase = if id == 8 {
            Phase::Stopped
        } else {
            Phase::Running
        };
        state.sessions.push(session);
    }
    state.sessions[0].children_passed_over = 9_744;
    let text = shown(&state, |v| line(None, v));
    assert!(
        text.starts_with("debug-1 › … › debug-4 › debug-5 › debug-6 +3 ‖1 9744 not debugged  "),
        "{text}"
    );
}

#[test]
fn an_exception_shows_its_message_and_no_control_character() {
    let mut session = session(1);
    let stop = session.stop.as_mut().unwrap();
    stop.reason = "exception".into();
    stop.text = Some(format!("Bad\u{1b}[31m{}", "x".repeat(200)));
    let state = State {
        sessions: vec![session],
        focus: Some(SessionId(1)),
        ..State::default()
    };
    let text = shown(&state, |v| line(None, v));
    assert!(
        text.starts_with("‖ stopped: exception: Bad␛[31mxxx"),
        "{text}"
    );
    assert!(text.contains("…  demo.py:31"), "{text}");
}

#[test]
fn a_program_that_waits_behind_a_prompt_is_said_to_be_typed_to() {
    let mut session = session(1);
    session.phase = Phase::Running;
    session.stop = None;
    let mut terminal = debugger::terminal::Terminal::new(10, 80);
    terminal.push("Hello\r\n");
    session.terminal = Some(terminal);
    let mut state = State {
        sessions: vec![session],
        focus: Some(SessionId(1)),
        ..State::default()
    };
    assert!(!shown(&state, |v| line(None, v)).contains("8 types"));
    let terminal = state.sessions[0].terminal.as_mut().unwrap();
    terminal.push("Your name? ");
    assert!(shown(&state, |v| line(None, v)).contains("running · 8 types to the program"));
    state.sessions[0].phase = Phase::Stopped;
    assert!(!shown(&state, |v| line(None, v)).contains("8 types"));
}

#[test]
fn what_is_not_answered_has_its_age() {
    use debugger::state::PendingRequest;
    let asked = |seq, command: &str, since| PendingRequest {
        seq,
        command: command.into(),
        since,
    };
    let mut session = session(1);
    session.pending = vec![asked(3, "evaluate", 1_000)];
    let at = |ms| SystemTime::UNIX_EPOCH + Duration::from_millis(ms);
    let text = waiting(&session, at(13_900));
    assert_eq!(
        text.as_deref(),
        Some("evaluate: no answer for 12 s (Alt-P)")
    );
    session.pending.push(asked(4, "threads", 4_000));
    let text = waiting(&session, at(66_000));
    assert_eq!(
        text.as_deref(),
        Some("evaluate: no answer for 1 min 5 s (+1, Alt-P)")
    );
    // A clock that was set back is no reason to show nonsense.
    let text = waiting(&session, at(0));
    assert_eq!(
        text.as_deref(),
        Some("evaluate: no answer for 0 s (+1, Alt-P)")
    );
    let state = State {
        sessions: vec![session],
        focus: Some(SessionId(1)),
        ..State::default()
    };
    assert!(shown(&state, |v| line(None, v)).contains("checkout() · evaluate: no answer for "));
}

#[test]
fn how_it_is_run_and_what_the_adapter_does_are_said() {
    let mut session = session(1);
    session.single_thread = true;
    session.records_execution = true;
    session.progress = vec![Progress {
        title: "reading symbols".into(),
        percentage: Some(25.0),
        ..Progress::default()
    }];
    let state = State {
        sessions: vec![session],
        focus: Some(SessionId(1)),
        ..State::default()
    };
    let text = shown(&state, |v| line(None, v));
    assert!(
        text.ends_with(
            "· kept to go back · one thread alone · debugpy · pid 4711 · reading symbols 25 %"
        ),
        "{text}"
    );
}

#[test]
fn what_was_recorded_is_told_at_the_end() {
    let mut session = session(1);
    session.recorded_hits.insert(BreakpointId(1), 38);
    let mut child = session.clone();
    (child.id, child.parent) = (SessionId(2), Some(SessionId(1)));
    child.recorded_hits = [(BreakpointId(2), 2)].into();
    let mut state = State {
        sessions: vec![session, child],
        focus: Some(SessionId(1)),
        ..State::default()
    };
    assert!(!shown(&state, |v| line(None, v)).contains("recorded"));
    state.sessions[0].phase = Phase::Terminated;
    let text = shown(&state, |v| line(None, v));
    assert!(text.contains(" · 40 recorded: Alt-V shows them"), "{text}");
}

#[test]
fn what_an_exception_says_is_worth_more_than_its_name() {
    let mut session = session(1);
    let stop = session.stop.as_mut().unwrap();
    stop.reason = "exception".into();
    stop.text = Some("ValueError       (note: of the adapter)\n  traceback".into());
    let mut state = State {
        sessions: vec![session],
        focus: Some(SessionId(1)),
        ..State::default()
    };
    let text = shown(&state, |v| line(None, v));
    assert!(
        text.starts_with("‖ stopped: exception: ValueError  demo.py"),
        "{text}"
    );
    let stop = state.sessions[0].stop.as_mut().unwrap();
    stop.exception = Some(Box::new(ExceptionInfoResponse {
        exception_id: "ValueError".into(),
        description: Some("no such shelf".into()),
        ..ExceptionInfoResponse::default()
    }));
    let text = shown(&state, |v| line(None, v));
    assert!(
        text.starts_with("‖ stopped: exception: ValueError: no such shelf  demo.py"),
        "{text}"
    );
    // What is the reason itself is said once.
    let stop = state.sessions[0].stop.as_mut().unwrap();
    stop.reason = "ValueError".into();
    let text = shown(&state, |v| line(None, v));
    assert!(
        text.starts_with("‖ stopped: ValueError: no such shelf  demo.py"),
        "{text}"
    );
}
