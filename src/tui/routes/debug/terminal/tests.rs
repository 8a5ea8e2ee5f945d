use std::sync::Arc;

use super::*;
use crate::action::Layer;
use crate::kit::test::{Stage, events};
use debugger::{Change, Event, OutputChunk, Phase, Session, State};

/// A program that runs in a terminal of 10 rows and 30 columns.
fn state() -> State {
    let session = Session {
        id: SessionId(1),
        name: "ask.py".into(),
        phase: Phase::Running,
        terminal: Some(debugger::terminal::Terminal::new(10, 30)),
        ..Session::default()
    };
    State {
        sessions: vec![session],
        focus: Some(SessionId(1)),
        ..State::default()
    }
}

fn prints(stage: &mut Stage, text: &str) {
    let chunk = OutputChunk {
        category: "stdout".into(),
        text: text.replace("\r\n", "\n"),
        terminal: Some(text.into()),
        ..OutputChunk::default()
    };
    stage.state.apply(&Event {
        seq: stage.state.seq + 1,
        kind: EventKind::Session {
            session: SessionId(1),
            change: Change::Output {
                chunks: Arc::new(vec![chunk]),
            },
        },
    });
}

fn press(
    pane: &mut TerminalPane,
    stage: &Stage,
    code: KeyCode,
    modifiers: KeyModifiers,
) -> Vec<String> {
    let cx = stage.cx();
    assert!(pane.text(KeyEvent::new(code, modifiers), &cx));
    cx.effects
        .take()
        .into_iter()
        .filter_map(|effect| match effect {
            Effect::Core {
                command: Command::WriteStdin { session, text },
                ..
            } => {
                assert_eq!(session, Some(SessionId(1)));
                Some(text)
            }
            _ => None,
        })
        .collect()
}

#[test]
fn what_is_printed_is_shown_and_keys_go_to_the_program() {
    let mut stage = Stage::new(state());
    let mut pane = TerminalPane::default();
    prints(&mut stage, "Your \x1b[1mname\x1b[0m? ");
    pane.message(&events(), &stage.cx());
    let screen = stage.draw(&mut pane, 50, 12);
    assert!(
        screen[0].contains("8 Terminal") && screen[0].contains("Ctrl-] leaves"),
        "{}",
        screen[0]
    );
    assert!(screen[1].contains("Your name?"), "{screen:?}");
    assert!(pane.text_wanted());
    let none = KeyModifiers::NONE;
    assert_eq!(press(&mut pane, &stage, KeyCode::Char('q'), none), ["q"]);
    assert_eq!(press(&mut pane, &stage, KeyCode::Tab, none), ["\t"]);
    assert_eq!(
        press(&mut pane, &stage, KeyCode::Char('c'), KeyModifiers::CONTROL),
        ["\x03"]
    );
    assert!(press(&mut pane, &stage, KeyCode::CapsLock, none).is_empty());
}

#[test]
fn one_key_leaves_and_two_scroll() {
    let mut stage = Stage::new(state());
    let mut pane = TerminalPane::default();
    let lines: Vec<_> = (0..40).map(|n| format!("line {n}\r\n")).collect();
    prints(&mut stage, &lines.concat());
    pane.message(&events(), &stage.cx());
    stage.draw(&mut pane, 32, 12);
    pane.make_room(Rect::new(0, 0, 32, 12));
    for code in [KeyCode::Char(']'), KeyCode::Char('5')] {
        let cx = stage.cx();
        let key = KeyEvent::new(code, KeyModifiers::CONTROL);
        assert!(!pane.text(key, &cx) && cx.effects.borrow().is_empty());
    }
    let cx = stage.cx();
    pane.invoke("tty.leave", &cx);
    assert!(
        matches!(cx.effects.borrow().as_slice(), [Effect::Invoke(id)] if id == "debug.focus-source")
    );
    assert!(!pane.text(
        KeyEvent::new(KeyCode::PageUp, KeyModifiers::SHIFT),
        &stage.cx()
    ));
    pane.invoke("tty.page-up", &stage.cx());
    let screen = stage.draw(&mut pane, 32, 12).join("\n");
    assert!(
        screen.contains("9 lines back") && screen.contains("line 22"),
        "{screen}"
    );
    // Typing goes back to where the program asks.
    press(&mut pane, &stage, KeyCode::Char('x'), KeyModifiers::NONE);
    let screen = stage.draw(&mut pane, 32, 12).join("\n");
    assert!(screen.contains("line 39"), "{screen}");
}

#[test]
fn the_program_is_told_its_size_and_answered_once() {
    let mut stage = Stage::new(state());
    let mut pane = TerminalPane::default();
    prints(&mut stage, "\x1b[6n");
    pane.make_room(Rect::new(0, 0, 42, 8));
    let cx = stage.cx();
    pane.message(&events(), &cx);
    let asked: Vec<_> = cx
        .effects
        .borrow()
        .iter()
        .filter_map(|effect| match effect {
            Effect::Core { command, .. } => Some(command.clone()),
            _ => None,
        })
        .collect();
    let session = SessionId(1);
    assert_eq!(
        asked,
        [
            Command::AnswerTerminal {
                session,
                at: 4,
                text: "\x1b[1;1R".into()
            },
            Command::ResizeTerminal {
                session: Some(session),
                rows: 6,
                columns: 40
            }
        ]
    );
    let cx = stage.cx();
    pane.message(&events(), &cx);
    assert!(cx.effects.borrow().is_empty(), "nothing is new");
}

#[test]
fn pasted_text_is_no_keys() {
    let mut stage = Stage::new(state());
    let mut pane = TerminalPane::default();
    prints(&mut stage, "\x1b[?2004h");
    pane.message(&events(), &stage.cx());
    let cx = stage.cx();
    assert!(pane.paste("a\nb\x1b[201~\x03c", &cx));
    let Some(Effect::Core {
        command: Command::WriteStdin { text, .. },
        ..
    }) = cx.pop()
    else {
        panic!()
    };
    assert_eq!(text, "\x1b[200~a\rb[201~c\x1b[201~");
}

#[test]
fn of_an_ended_program_the_last_screen_stays() {
    let mut stage = Stage::new(state());
    let mut pane = TerminalPane::default();
    prints(&mut stage, "goodbye\r\n");
    stage.state.sessions[0].phase = Phase::Terminated;
    pane.message(&events(), &stage.cx());
    assert!(!pane.text_wanted() && !pane.paste("x", &stage.cx()));
    let screen = stage.draw(&mut pane, 32, 12).join("\n");
    assert!(
        screen.contains("goodbye") && screen.contains("ended"),
        "{screen}"
    );
    stage.survives(&mut pane);
    stage.state.sessions.clear();
    pane.message(&events(), &stage.cx());
    let screen = stage.draw(&mut pane, 60, 12).join("\n");
    assert!(screen.contains("No terminal yet"), "{screen}");
    stage.survives(&mut pane);
}

#[test]
fn without_a_terminal_letters_do_nothing_and_say_why() {
    let mut stage = Stage::new(state());
    stage.state.sessions[0].terminal = None;
    let mut pane = TerminalPane::default();
    pane.message(&events(), &stage.cx());
    assert!(pane.text_wanted() && !pane.every_key_taken());
    assert!(pane.typing().iter().all(|(key, _)| *key != "Ctrl-]"));
    let cx = stage.cx();
    assert!(pane.text(KeyCode::Char('B').into(), &cx));
    assert!(matches!(cx.pop(), Some(Effect::Notify { text, .. }) if text.contains("F4")));
    for code in [KeyCode::Char('1'), KeyCode::F(4), KeyCode::Tab] {
        assert!(!pane.text(code.into(), &cx) && cx.effects.borrow().is_empty());
    }
}

#[test]
fn at_a_stop_function_keys_are_the_debuggers() {
    let mut stage = Stage::new(state());
    let mut pane = TerminalPane::default();
    pane.message(&events(), &stage.cx());
    assert!(pane.every_key_taken());
    assert_eq!(
        press(&mut pane, &stage, KeyCode::F(5), KeyModifiers::NONE),
        ["\x1b[15~"]
    );
    stage.state.sessions[0].phase = Phase::Stopped;
    pane.message(&events(), &stage.cx());
    assert!(!pane.every_key_taken());
    assert_eq!(pane.typing()[0], ("F5", "continue"));
    let key = KeyEvent::new(KeyCode::F(11), KeyModifiers::SHIFT);
    assert!(!pane.text(key, &stage.cx()));
    let typed = press(&mut pane, &stage, KeyCode::Char('x'), KeyModifiers::NONE);
    assert_eq!(typed, ["x"]);
}
