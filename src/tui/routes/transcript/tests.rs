//! The route, key by key.

use debugger::State;

use super::*;
use crate::{action::Layer as _, kit::test::Stage};

#[test]
fn it_looks_for_a_session_says_why_there_is_none_and_survives_any_size() {
    let mut stage = Stage::new(State::default());
    let mut route = TranscriptRoute::default();
    let cx = stage.cx();
    route.on_msg(&Msg::Shown, &cx);
    assert!(matches!(&cx.effects.borrow()[..], [Effect::Work(work)] if work.name == work::FIND));
    drop(cx);
    route.failed = Some("there are no sessions of omp in /nowhere".to_owned());
    let rows = stage.draw(&mut route, 100, 20).join("\n");
    assert!(rows.contains("no sessions of omp in /nowhere"), "{rows}");
    assert!(rows.contains("s chooses a session"), "{rows}");
    stage.survives(&mut route);
}

#[test]
fn a_choice_makes_the_transcript_anew() {
    let stage = Stage::new(State::default());
    let mut route = TranscriptRoute {
        session: Some(Summary::default()),
        ..TranscriptRoute::default()
    };
    let cx = stage.cx();
    assert_eq!(route.invoke("transcript.secrets", &cx), Some(Ok(())));
    assert!(route.choice.show_secrets);
    assert!(matches!(&cx.effects.borrow()[..], [Effect::Work(work)] if work.name == work::PREVIEW));
    drop(cx);
    let rows = stage.draw(&mut route, 120, 20).join("\n");
    assert!(rows.contains("SECRETS ARE SHOWN"), "{rows}");
}
