//! The route, with answers as a terminal gives them.

use debugger::State;

use super::*;
use crate::{action::Layer, kit::test::Stage, term::decode::Answer};

fn around() -> Surroundings {
    let set = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    Surroundings {
        variables: [set("TERM", "xterm-kitty"), set("KITTY_WINDOW_ID", "1")].into(),
        cells: (160, 50),
        pixels: (1440, 900),
    }
}

fn asked(stage: &Stage) -> TerminalRoute {
    let mut route = TerminalRoute::default();
    let cx = stage.cx();
    route.on_msg(&Msg::Shown, &cx);
    assert!(matches!(&cx.effects.borrow()[..], [Effect::Work(work)] if work.name == LOOK));
    let cx = stage.cx();
    route.ask(around(), &cx);
    assert!(
        matches!(&cx.effects.borrow()[..], [Effect::WriteSequence(q), Effect::Work(w)] if q.ends_with("\x1b[c") && w.name == WAIT)
    );
    route
}

fn text(route: &mut TerminalRoute, stage: &Stage, width: u16, height: u16) -> String {
    stage.draw(route, width, height).join("\n")
}

#[test]
fn answers_come_one_by_one_and_the_last_ends_the_waiting() {
    let stage = Stage::new(State::default());
    let mut route = asked(&stage);
    assert!(text(&mut route, &stage, 160, 50).contains("asked, not answered yet"));
    let cx = stage.cx();
    for answer in [
        Answer::Version("kitty(0.40)\u{1b}[31m".to_owned()),
        Answer::Mode(2026, 2),
        Answer::Graphics(31, "OK".to_owned()),
        Answer::Attributes(vec![62, 52]),
    ] {
        route.on_msg(&Msg::Answer(answer), &cx);
    }
    assert!(matches!(
        cx.effects.borrow()[..],
        [Effect::EndWork(WAIT), Effect::Repaint]
    ));
    let shown = text(&mut route, &stage, 160, 50);
    for wanted in [
        "kitty(0.40)",
        "yes, off",
        "no flicker",
        "9x18px",
        "all answered that will be",
        "it does not know the question",
    ] {
        assert!(shown.contains(wanted), "{wanted} in\n{shown}");
    }
    assert!(!shown.contains("not answered yet"), "{shown}");
}

#[test]
fn the_page_is_painted_where_there_is_room_and_wiped_when_left() {
    let stage = Stage::new(State::default());
    let mut route = asked(&stage);
    let cx = stage.cx();
    route.on_msg(&Msg::Answer(Answer::Graphics(31, "OK".to_owned())), &cx);
    assert_eq!(route.invoke("terminal.page", &cx), Some(Ok(())));
    let shown = text(&mut route, &stage, 120, 40);
    for wanted in ["bold", "漢", "24 bits", "p paints"] {
        assert!(shown.contains(wanted), "{wanted} in\n{shown}");
    }
    let cx = stage.cx();
    assert_eq!(route.invoke("terminal.paint", &cx), Some(Ok(())));
    let [Effect::WriteSequence(painted)] = &cx.effects.borrow()[..] else {
        panic!("nothing painted")
    };
    for wanted in ["\x1b]8;;https://", "\x1b[4:3m", "\x1b]66;s=2", "\x1b_Ga=T"] {
        assert!(painted.contains(wanted), "{wanted:?}");
    }
    let cx = stage.cx();
    assert_eq!(route.invoke("terminal.back", &cx), Some(Ok(())));
    assert!(matches!(
        &cx.effects.borrow()[..],
        [Effect::WriteSequence(_), Effect::Repaint]
    ));
    assert!(!route.testing);
}

#[test]
fn a_terminal_that_does_not_answer_is_named_as_such() {
    let stage = Stage::new(State::default());
    let mut route = asked(&stage);
    route.findings.give_up();
    route.lay();
    let shown = text(&mut route, &stage, 160, 50);
    assert!(
        shown.contains("it does not answer") && shown.contains("no answer within a second"),
        "{shown}"
    );
    // A late answer is taken in all the same.
    let cx = stage.cx();
    route.on_msg(&Msg::Answer(Answer::Mode(2026, 1)), &cx);
    assert!(text(&mut route, &stage, 160, 50).contains("yes, on"));
}

#[test]
fn every_size_is_drawn() {
    let mut stage = Stage::new(State::default());
    let mut route = asked(&stage);
    stage.survives(&mut route);
    route.testing = true;
    stage.survives(&mut route);
}
