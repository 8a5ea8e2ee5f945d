use super::complete::goes_on;
use dap::types::CompletionItem;

use super::*;
use crate::action::Layer;
use crate::routes::debug::kit::test::{Stage, stopped_in_main, variable};
use crate::widgets::input::Completion;
use crossterm::event::{KeyCode, KeyModifiers};
use debugger::Evaluated;
use debugger::{DebuggerError, ErrorKind, State};

fn press(pane: &mut ReplPane, code: KeyCode, cx: &Cx) -> bool {
    pane.text(KeyEvent::new(code, KeyModifiers::NONE), cx)
}

fn type_text(pane: &mut ReplPane, text: &str, cx: &Cx) {
    for c in text.chars() {
        press(pane, KeyCode::Char(c), cx);
    }
}

/// Evaluates a line, and gives the tag of the request.
fn evaluate(pane: &mut ReplPane, text: &str, cx: &Cx) -> Tag {
    pane.invoke("repl.type", cx);
    type_text(pane, text, cx);
    press(pane, KeyCode::Enter, cx);
    let Some(Effect::Core {
        command: Command::Remember { .. },
        ..
    }) = cx.pop()
    else {
        panic!("not remembered")
    };
    let Some(Effect::Core {
        command:
            Command::Evaluate {
                expression,
                context,
                ..
            },
        tag,
    }) = cx.pop()
    else {
        panic!("not evaluated")
    };
    assert_eq!((expression.as_str(), context.as_str()), (text, "repl"));
    tag
}

fn value(result: &str, reference: i64) -> Reply {
    Reply::Value {
        value: Evaluated {
            result: result.into(),
            type_name: Some("dict".into()),
            variables_reference: reference,
            ..Evaluated::default()
        },
    }
}

fn items(items: &[(&str, Option<i64>, Option<i64>)]) -> Reply {
    let items = items.iter().map(|(label, start, length)| CompletionItem {
        label: (*label).into(),
        start: *start,
        length: *length,
        ..CompletionItem::default()
    });
    Reply::Completions {
        items: items.collect(),
    }
}

fn completed(pane: &mut ReplPane, answer: Reply, cx: &Cx) {
    press(pane, KeyCode::Tab, cx);
    let Some(Effect::Core {
        command: Command::Completions { .. },
        tag,
    }) = cx.pop()
    else {
        panic!("not asked")
    };
    pane.message(
        &Msg::Reply {
            tag,
            result: Ok(answer),
        },
        cx,
    );
}

#[test]
fn values_errors_and_colours_come_below_what_was_typed() {
    let stage = Stage::new(stopped_in_main(1, Vec::new()));
    let mut pane = ReplPane::default();
    let cx = stage.cx();
    let tag = evaluate(&mut pane, "1+1", &cx);
    assert!(
        stage
            .draw(&mut pane, 60, 12)
            .join("\n")
            .contains("evaluating…")
    );
    pane.message(
        &Msg::Reply {
            tag,
            result: Ok(value("\u{1b}[32m2\u{1b}[0m\nsecond", 0)),
        },
        &cx,
    );
    let tag = evaluate(&mut pane, "nope", &cx);
    let error =
        DebuggerError::new(ErrorKind::State, "No thread is stopped.").hint("pause the program");
    pane.message(
        &Msg::Reply {
            tag,
            result: Err(error),
        },
        &cx,
    );
    let screen = stage.draw(&mut pane, 60, 12).join("\n");
    assert!(
        screen.contains("  2 ") && screen.contains("  second") && !screen.contains("[32m"),
        "{screen}"
    );
    assert!(
        screen.contains("✗ No thread is stopped.") && screen.contains("  pause the program"),
        "{screen}"
    );
}

#[test]
fn results_open_in_place() {
    let stage = Stage::new(stopped_in_main(1, Vec::new()));
    let mut pane = ReplPane::default();
    let cx = stage.cx();
    let tag = evaluate(&mut pane, "d", &cx);
    pane.message(
        &Msg::Reply {
            tag,
            result: Ok(value("{'a': 1}", 9)),
        },
        &cx,
    );
    press(&mut pane, KeyCode::Esc, &cx);
    assert!(!pane.text_wanted());
    pane.invoke("repl.last", &cx);
    pane.invoke("repl.enter", &cx);
    let Some(Effect::Core {
        command: Command::Variables { reference: 9, .. },
        tag,
    }) = cx.pop()
    else {
        panic!("its parts are not asked for")
    };
    pane.message(
        &Msg::Reply {
            tag,
            result: Ok(Reply::Variables {
                variables: vec![variable("'a'", "1", 0)],
            }),
        },
        &cx,
    );
    let screen = stage.draw(&mut pane, 60, 12).join("\n");
    assert!(
        screen.contains("▾ dict") && screen.contains("'a'"),
        "{screen}"
    );
}

#[test]
fn tab_puts_in_what_is_certain_and_then_offers_the_rest() {
    let stage = Stage::new(stopped_in_main(1, Vec::new()));
    let mut pane = ReplPane::default();
    let cx = stage.cx();
    pane.invoke("repl.type", &cx);
    type_text(&mut pane, "x + to", &cx);
    completed(
        &mut pane,
        items(&[("total_sum", None, None), ("total_count", None, None)]),
        &cx,
    );
    assert_eq!(pane.prompt.text(), "x + total_");
    completed(
        &mut pane,
        items(&[("total_sum", None, None), ("total_count", None, None)]),
        &cx,
    );
    press(&mut pane, KeyCode::Down, &cx);
    press(&mut pane, KeyCode::Enter, &cx);
    assert_eq!(pane.prompt.text(), "x + total_sum");
}

#[test]
fn completions_are_put_where_they_belong_however_adapters_count() {
    for start in [2, 3] {
        let stage = Stage::new(stopped_in_main(1, Vec::new()));
        let mut pane = ReplPane::default();
        let cx = stage.cx();
        pane.invoke("repl.type", &cx);
        type_text(&mut pane, "o.na", &cx);
        completed(&mut pane, items(&[("name", Some(start), Some(2))]), &cx);
        assert_eq!(pane.prompt.text(), "o.name", "start {start}");
    }
}

#[test]
fn late_completions_are_dropped() {
    let stage = Stage::new(stopped_in_main(1, Vec::new()));
    let mut pane = ReplPane::default();
    let cx = stage.cx();
    pane.invoke("repl.type", &cx);
    type_text(&mut pane, "a", &cx);
    press(&mut pane, KeyCode::Tab, &cx);
    let Some(Effect::Core { tag, .. }) = cx.pop() else {
        panic!()
    };
    type_text(&mut pane, "b", &cx);
    pane.message(
        &Msg::Reply {
            tag,
            result: Ok(items(&[("apple", None, None)])),
        },
        &cx,
    );
    assert_eq!(pane.prompt.text(), "ab");
}

#[test]
fn history_comes_from_the_project_and_several_lines_stay_one_text() {
    let mut known = stopped_in_main(1, Vec::new());
    known.memory.insert("repl".into(), vec!["old()".into()]);
    let stage = Stage::new(known);
    let mut pane = ReplPane::default();
    let cx = stage.cx();
    pane.message(&crate::routes::debug::kit::test::events(), &cx);
    pane.invoke("repl.type", &cx);
    press(&mut pane, KeyCode::Up, &cx);
    assert_eq!(pane.prompt.text(), "old()");
    pane.prompt.set_text("");
    pane.paste("for i in x:\n    print(i)", &cx);
    press(&mut pane, KeyCode::Enter, &cx);
    let evaluated = cx.effects.borrow().iter().any(|e| {
        matches!(e, Effect::Core { command: Command::Evaluate { expression, .. }, .. } if expression == "for i in x:\n    print(i)")
    });
    assert!(evaluated);
    assert!(
        stage
            .draw(&mut pane, 60, 12)
            .join("\n")
            .contains("      print(i)")
    );
}

#[test]
fn it_draws_at_every_size() {
    let mut stage = Stage::new(stopped_in_main(1, Vec::new()));
    let mut pane = ReplPane::default();
    {
        let stage = Stage::new(stopped_in_main(1, Vec::new()));
        let cx = stage.cx();
        let tag = evaluate(&mut pane, "d", &cx);
        pane.message(
            &Msg::Reply {
                tag,
                result: Ok(value("{}", 9)),
            },
            &cx,
        );
    }
    stage.survives(&mut pane);
    stage.state = State::default();
    stage.survives(&mut ReplPane::default());
}

#[test]
fn completions_never_replace_what_they_do_not_continue() {
    let offered = |text: &str, replaces| Completion {
        text: text.into(),
        replaces,
        ..Completion::default()
    };
    assert!(goes_on(&offered("total", None), "len(to", 6));
    assert!(!goes_on(&offered("append", None), "len(to", 6));
    assert!(!goes_on(&offered("total", Some((0, 6))), "len(to", 6));
    assert!(is_in_quotes("d[\"to", 5));
    assert!(!is_in_quotes("d[\"to\"]", 7));
    assert!(is_in_quotes("f'to", 4));
    assert!(!is_in_quotes("x's", 3));
}

#[test]
fn keys_of_a_shell_start_nothing_while_one_types() {
    let stage = Stage::new(stopped_in_main(1, Vec::new()));
    let mut pane = ReplPane::default();
    let cx = stage.cx();
    pane.invoke("repl.type", &cx);
    type_text(&mut pane, "x", &cx);
    for c in "abdefgknoprtuwxy".chars() {
        let key = KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL);
        assert!(pane.text(key, &cx), "Ctrl-{c} goes on to the debugger");
    }
    assert!(cx.effects.borrow().is_empty());
    assert!(!press(&mut pane, KeyCode::F(5), &cx));
}
