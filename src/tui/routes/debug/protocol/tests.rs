use super::*;
use crate::action::Layer;
use crate::kit::test::{Stage, events};
use debugger::traffic::Traffic;
use debugger::{SessionId, State};

fn message(number: u64, name: &str) -> Passed {
    Passed {
        number,
        session: SessionId(1),
        at_us: number * 1_000,
        sent: true,
        kind: "request".into(),
        name: name.into(),
        seq: number as i64,
        length: 30,
        text: format!("{{\"command\":\"{name}\"}}"),
        ..Passed::default()
    }
}

fn pane(stage: &Stage) -> ProtocolPane {
    let mut pane = ProtocolPane::default();
    let cx = stage.cx();
    pane.attend(true, &cx);
    let Some(Effect::Core { tag, .. }) = cx.pop() else {
        panic!("nothing was asked");
    };
    let traffic = Traffic {
        messages: vec![
            message(3, "initialize"),
            message(4, "launch"),
            Passed {
                sent: false,
                kind: "response".into(),
                request_seq: Some(4),
                success: Some(false),
                at_us: 6_500,
                text: "\u{1b}[31m".into(),
                ..message(5, "launch")
            },
        ],
        dropped: 2,
    };
    let result = Ok(Reply::Protocol { traffic });
    pane.message(&Msg::Reply { tag, result }, &cx);
    // The rest is asked for behind the last one.
    let Some(Effect::Core {
        command: Command::Protocol { after: 5, .. },
        tag,
    }) = cx.pop()
    else {
        panic!("the rest was not asked for");
    };
    let traffic = Traffic::default();
    let result = Ok(Reply::Protocol { traffic });
    pane.message(&Msg::Reply { tag, result }, &cx);
    assert!(cx.effects.borrow().is_empty());
    pane
}

#[test]
fn messages_are_listed_with_the_time_their_answer_took() {
    let mut stage = Stage::new(State::default());
    let mut pane = pane(&stage);
    let screen = stage.draw(&mut pane, 120, 10).join("\n");
    assert!(screen.contains("2 older ones are gone"), "{screen}");
    assert!(screen.contains("0.004 -> launch"), "{screen}");
    assert!(
        screen.contains("5 (4)") && screen.contains("2.5 ms"),
        "{screen}"
    );
    assert!(screen.contains("refused ␛[31m"), "{screen}");
    stage.survives(&mut pane);
    stage.survives(&mut ProtocolPane::default());
}

#[test]
fn typing_narrows_and_one_message_is_opened_in_lines() {
    let stage = Stage::new(State::default());
    let mut pane = pane(&stage);
    let cx = stage.cx();
    pane.invoke("protocol.filter", &cx);
    for c in "INIT".chars() {
        let key = KeyEvent::from(KeyCode::Char(c));
        assert!(pane.text(key, &cx));
    }
    assert_eq!(pane.model.shown.len(), 1);
    pane.text(KeyEvent::from(KeyCode::Enter), &cx);
    pane.invoke("protocol.open", &cx);
    let Some(Effect::Open(mut popup)) = cx.pop() else {
        panic!("nothing was opened");
    };
    let screen = stage.draw(popup.as_mut(), 100, 20).join("\n");
    assert!(screen.contains("\"command\": \"initialize\""), "{screen}");
    popup.invoke("message.copy", &cx);
    assert!(matches!(cx.pop(), Some(Effect::Copy { text, .. }) if text.contains("initialize")));
    pane.invoke("protocol.clear-filter", &cx);
    assert_eq!(pane.model.shown.len(), 3);
}

#[test]
fn out_of_sight_it_asks_nothing() {
    let stage = Stage::new(State::default());
    let mut pane = ProtocolPane::default();
    let cx = stage.cx();
    pane.message(&events(), &cx);
    pane.attend(false, &cx);
    assert!(cx.effects.borrow().is_empty());
}
