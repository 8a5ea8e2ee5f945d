//! The pane with an adapter's answers.

use super::*;
use crate::action::Layer;
use crate::routes::debug::kit::test::{Stage, stopped_in_main};
use crossterm::event::{KeyCode, KeyModifiers};
use dap::requests::{ReadMemoryArguments, ReadMemoryResponse};
use debugger::address::number;
use debugger::{ErrorKind, Evaluated, State};
use std::sync::Arc;

const PLACE: Rect = Rect::new(0, 0, 84, 10);

fn stopped(stop: u64) -> Stage {
    let mut state = stopped_in_main(stop, Vec::new());
    state.sessions.first_mut().unwrap().capabilities = Arc::new(Capabilities {
        supports_read_memory_request: true,
        supports_write_memory_request: true,
        ..Capabilities::default()
    });
    Stage::new(state)
}

/// Answers reads with bytes that count up, changed by `add`; gives what else was asked.
fn settle(pane: &mut MemoryPane, stage: &Stage, add: u8, asked: Vec<Effect>) -> Vec<Effect> {
    let cx = stage.cx();
    cx.extend(asked);
    pane.attend(Some(PLACE), &cx);
    let mut others = Vec::new();
    while let Some(effect) = cx.pop() {
        let Effect::Core {
            command: Command::Request {
                request, arguments, ..
            },
            tag,
        } = effect
        else {
            others.push(effect);
            continue;
        };
        assert_eq!(request, "readMemory");
        let asked: ReadMemoryArguments = serde_json::from_value(arguments).unwrap();
        let count = asked.count;
        let base = number(&asked.memory_reference).unwrap_or(0x1000);
        let start = base.wrapping_add_signed(asked.offset.unwrap_or(0));
        let result = if start >= 0x1200 {
            Err(DebuggerError::new(
                ErrorKind::Adapter,
                "Cannot access memory",
            ))
        } else {
            let bytes: Vec<u8> = (0..count as u64)
                .map(|n| ((start + n) as u8).wrapping_add(add))
                .collect();
            Ok(Reply::of_adapter(&ReadMemoryResponse {
                address: format!("{start:#x}"),
                data: Some(STANDARD.encode(bytes)),
                unreadable_bytes: None,
            }))
        };
        pane.message(&Msg::Reply { tag, result }, &cx);
    }
    others
}

fn typed(pane: &mut MemoryPane, stage: &Stage, text: &str) -> Vec<Effect> {
    let cx = stage.cx();
    for c in text.chars() {
        pane.text(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE), &cx);
    }
    pane.text(KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE), &cx);
    cx.effects.take()
}

fn shown_at(text: &str) -> (Stage, MemoryPane) {
    let (stage, mut pane) = (stopped(1), MemoryPane::default());
    pane.attend(Some(PLACE), &stage.cx());
    pane.invoke("memory.go-to-address", &stage.cx());
    let asked = typed(&mut pane, &stage, text);
    settle(&mut pane, &stage, 0, asked);
    (stage, pane)
}

#[test]
fn bytes_stand_beside_their_text_and_what_changed_is_marked() {
    let (mut stage, mut pane) = shown_at("0x1041");
    let screen = stage.draw(&mut pane, 84, 10);
    let row = screen.iter().find(|l| l.contains("00001040")).unwrap();
    assert!(
        row.contains("00001040  40 41 42 43 44 45 46 47  48 49"),
        "{row}"
    );
    assert!(row.contains("@ABCDEFGHIJKLMNO"), "{row}");
    let foot = screen.get(8).unwrap();
    assert!(foot.contains("0x1041  i8 65  i16 16961"), "{foot}");
    stage = stopped(2);
    settle(&mut pane, &stage, 1, Vec::new());
    let screen = stage.draw(&mut pane, 84, 10).join("\n");
    assert!(screen.contains("00001040  41 42 43"), "{screen}");
    assert_eq!(pane.bytes.at(0x1041), model::Byte::Known(0x42, true));
    stage.survives(&mut pane);
}

#[test]
fn paging_goes_on_to_where_memory_ends() {
    let (stage, mut pane) = shown_at("0x1100");
    for _ in 0..3 {
        let cx = stage.cx();
        pane.invoke("memory.page-down", &cx);
        settle(&mut pane, &stage, 0, cx.effects.take());
    }
    let screen = stage.draw(&mut pane, 84, 10).join("\n");
    assert!(screen.contains("-- --"), "{screen}");
    let cx = stage.cx();
    pane.move_to(0x1203, &cx);
    let screen = stage.draw(&mut pane, 84, 10).join("\n");
    assert!(screen.contains("0x1203  Cannot access memory"), "{screen}");
    pane.move_to(3, &cx);
    pane.move_by(-10, &cx);
    assert_eq!(pane.cursor, 0);
    pane.move_to(u64::MAX, &cx);
    pane.walk(Step::Rows(3), &cx);
    assert_eq!(pane.cursor, u64::MAX);
    stage.draw(&mut pane, 84, 10);
}

#[test]
fn bytes_are_written_after_a_question() {
    let (stage, mut pane) = shown_at("0x1040");
    pane.invoke("memory.write", &stage.cx());
    assert!(typed(&mut pane, &stage, "zz").is_empty());
    let screen = stage.draw(&mut pane, 84, 10).join("\n");
    assert!(screen.contains("\"zz\" is no byte"), "{screen}");
    let cx = stage.cx();
    pane.text(KeyEvent::new(KeyCode::Backspace, KeyModifiers::NONE), &cx);
    pane.text(KeyEvent::new(KeyCode::Backspace, KeyModifiers::NONE), &cx);
    let mut effects = typed(&mut pane, &stage, "ff 01");
    let Some(Effect::Open(mut question)) = effects.pop() else {
        panic!("no question")
    };
    let asked = stage.draw(&mut *question, 84, 12).join("\n");
    assert!(
        asked.contains("2 bytes at 0x1040")
            && asked.contains("now  40 41")
            && asked.contains("then ff 01"),
        "{asked}"
    );
    let cx = stage.cx();
    question.invoke("confirm.choose", &cx);
    question.invoke("confirm.answer", &cx);
    let write = cx.effects.take().into_iter().find_map(|e| match e {
        Effect::Core {
            command: Command::WriteMemory { data, offset, .. },
            tag,
        } => Some((data, offset, tag)),
        _ => None,
    });
    let (data, offset, tag) = write.unwrap();
    assert_eq!((data.as_str(), offset), ("/wE=", Some(0)));
    let cx = stage.cx();
    let result = Ok(Reply::Written {
        bytes: Some(1),
        offset: None,
    });
    pane.message(&Msg::Reply { tag, result }, &cx);
    let Some(Effect::Notify { text, .. }) = cx.pop() else {
        panic!("nothing said")
    };
    assert_eq!(text, "Only 1 of 2 bytes were written at 0x1040.");
}

#[test]
fn an_expression_is_shown_where_it_points_or_is() {
    let (stage, mut pane) = shown_at("0x1040");
    pane.invoke("memory.go-to-address", &stage.cx());
    let mut effects = typed(&mut pane, &stage, "gear");
    let answer = |pane: &mut MemoryPane, effect, value: Evaluated| {
        let Some(Effect::Core {
            command: Command::Evaluate { expression, .. },
            tag,
        }) = effect
        else {
            panic!("not evaluated")
        };
        let cx = stage.cx();
        pane.message(
            &Msg::Reply {
                tag,
                result: Ok(Reply::Value { value }),
            },
            &cx,
        );
        (expression, cx.effects.take())
    };
    let structure = Evaluated {
        result: "{…}".into(),
        ..Evaluated::default()
    };
    let (expression, mut effects) = answer(&mut pane, effects.pop(), structure);
    assert_eq!(expression, "gear");
    let pointer = Evaluated {
        result: "(item *) 0x1080".into(),
        ..Evaluated::default()
    };
    let (expression, asked) = answer(&mut pane, effects.pop(), pointer);
    assert_eq!(expression, "&(gear)");
    assert_eq!(pane.cursor, 0x1080);
    settle(&mut pane, &stage, 0, asked);
    let screen = stage.draw(&mut pane, 84, 10).join("\n");
    assert!(
        screen.contains("gear") && screen.contains("00001080  80 81"),
        "{screen}"
    );
}

#[test]
fn what_the_adapter_lacks_is_said() {
    let stage = Stage::new(stopped_in_main(1, Vec::new()));
    let mut pane = MemoryPane::default();
    let cx = stage.cx();
    assert_eq!(
        pane.invoke("memory.go-to-address", &cx),
        Some(Err("This adapter does not read memory."))
    );
    let screen = stage.draw(&mut pane, 60, 8).join("\n");
    assert!(
        screen.contains("This adapter does not read memory."),
        "{screen}"
    );
    Stage::new(State::default()).survives(&mut pane);
}
