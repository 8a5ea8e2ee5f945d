//! The route, key by key, with batches as a feed tells them.

use std::sync::Arc;

use crossterm::event::{KeyCode, KeyModifiers};
use debugger::State;

use super::{model::tests::batch, *};
use crate::{action::Layer, action::effect::Effect, kit::test::Stage};

fn invoke(route: &mut SseRoute, stage: &Stage, id: &str) -> Vec<Effect> {
    let cx = stage.cx();
    assert_eq!(route.invoke(id, &cx), Some(Ok(())), "{id}");
    cx.effects.take()
}

fn press(route: &mut SseRoute, stage: &Stage, code: KeyCode) {
    let cx = stage.cx();
    assert!(route.text(KeyEvent::new(code, KeyModifiers::NONE), &cx));
}

/// The route with twenty frames of two responses.
fn shown(stage: &Stage) -> SseRoute {
    let mut route = SseRoute::default();
    let cx = stage.cx();
    let feed = Feed::new(Origin::File("/x/capture.sse".into()), Redactor::new());
    route.open(Opening::new(feed, false), &cx);
    route.on_msg(&Msg::Shown, &cx);
    assert!(
        matches!(&cx.effects.borrow()[..], [.., Effect::Work(work)] if work.name == "sse.read")
    );
    route.batch(&batch(1, 21));
    stage.draw(&mut route, 160, 40);
    route
}

fn at(route: &SseRoute) -> Option<u64> {
    route.selected().map(Frame::sequence)
}

fn copied(effects: &[Effect]) -> &str {
    match effects {
        [Effect::Copy { text, .. }] => text,
        _ => panic!("nothing was copied"),
    }
}

#[test]
fn it_is_drawn_at_any_size_in_every_state() {
    let mut stage = Stage::new(State::default());
    stage.survives(&mut SseRoute::default());
    let mut route = shown(&stage);
    stage.survives(&mut route);
    for mode in Mode::ALL {
        route.mode = mode;
        route.zoomed = mode == Mode::Raw;
        stage.survives(&mut route);
    }
    route.zoomed = false;
    invoke(&mut route, &stage, "sse.kinds");
    stage.survives(&mut route);
    press(&mut route, &stage, KeyCode::Esc);
    invoke(&mut route, &stage, "sse.search");
    press(&mut route, &stage, KeyCode::Char('n'));
    stage.survives(&mut route);
    (route.line, route.kinds) = (None, None);
    invoke(&mut route, &stage, "sse.replay");
    route.failed = Some("cannot read".into());
    stage.survives(&mut route);
}

#[test]
fn moving_up_pauses_and_says_how_many_are_new() {
    let stage = Stage::new(State::default());
    let mut route = shown(&stage);
    assert_eq!(route.model.filter.stream, Some(2), "the newest response");
    assert_eq!(at(&route), Some(19));
    invoke(&mut route, &stage, "sse.up");
    route.batch(&batch(21, 24));
    assert_eq!(at(&route), Some(17));
    let screen = stage.draw(&mut route, 160, 40).join("\n");
    assert!(screen.contains("3 new, End follows"), "{screen}");
    invoke(&mut route, &stage, "sse.follow");
    assert_eq!(at(&route), Some(23));
    let screen = stage.draw(&mut route, 160, 40).join("\n");
    assert!(screen.contains("following"), "{screen}");
}

#[test]
fn where_no_frame_has_a_time_there_is_no_column_for_it() {
    let stage = Stage::new(State::default());
    let mut route = shown(&stage);
    let head = |route: &mut SseRoute| {
        let screen = stage.draw(route, 160, 40);
        let is_head = |line: &&String| line.contains("event") && line.contains("data");
        screen.iter().find(is_head).unwrap().clone()
    };
    let timed = head(&mut route);
    assert!(
        timed.contains("time ") && timed.contains(" gap "),
        "{timed}"
    );
    let mut plain = batch(1, 21);
    plain.anew = true;
    for kept in &mut plain.records {
        Arc::make_mut(&mut kept.record).time = None;
    }
    route.batch(&plain);
    let plain = head(&mut route);
    assert!(!plain.contains("time") && !plain.contains("gap"), "{plain}");
    let places = |line: &str| line.find("event").zip(line.find("data"));
    assert!(places(&plain) < places(&timed), "{plain}");
    // The cells stand below their heads.
    let screen = stage.draw(&mut route, 160, 40);
    let row = screen
        .iter()
        .find(|line| line.contains("{\"n\":19}"))
        .unwrap();
    let column = |line: &str, text: &str| {
        let before = line.split_once(text)?.0;
        Some(before.chars().count())
    };
    assert_eq!(column(row, "delta"), column(&plain, "event"), "{row}");
}

#[test]
fn a_frame_stays_under_the_cursor_while_older_ones_go() {
    let stage = Stage::new(State::default());
    let mut route = shown(&stage);
    invoke(&mut route, &stage, "sse.up");
    let next = diagnostics::sse::Batch {
        first: 12,
        ..batch(21, 24)
    };
    route.batch(&next);
    assert_eq!(at(&route), Some(17));
}

#[test]
fn responses_are_stepped_through_and_seen_together() {
    let stage = Stage::new(State::default());
    let mut route = shown(&stage);
    invoke(&mut route, &stage, "sse.previous-response");
    assert_eq!(route.model.filter.stream, Some(1));
    assert!(route.paused, "new frames come elsewhere");
    assert_eq!(
        at(&route),
        Some(2),
        "what is over is read from its beginning"
    );
    invoke(&mut route, &stage, "sse.together");
    assert_eq!((route.model.rows(), at(&route)), (20, Some(2)));
    invoke(&mut route, &stage, "sse.together");
    assert_eq!(route.model.filter.stream, Some(1));
}

#[test]
fn what_is_searched_is_found_counted_and_left() {
    let stage = Stage::new(State::default());
    let mut route = shown(&stage);
    invoke(&mut route, &stage, "sse.search");
    for c in "\"n\":1".chars() {
        press(&mut route, &stage, KeyCode::Char(c));
    }
    press(&mut route, &stage, KeyCode::Enter);
    // 1, 11, 13, 15, 17, 19 are of the response that is shown.
    let screen = stage.draw(&mut route, 160, 40).join("\n");
    assert!(screen.contains("6 frames"), "{screen}");
    assert_eq!(at(&route), Some(19));
    invoke(&mut route, &stage, "sse.next-match");
    assert_eq!(at(&route), Some(1), "around the end");
    route.batch(&batch(21, 24));
    assert_eq!(route.search.as_ref().unwrap().found.len(), 6);
    invoke(&mut route, &stage, "sse.back");
    assert!(route.search.is_none());
}

#[test]
fn a_frame_a_response_and_everything_are_copied() {
    let stage = Stage::new(State::default());
    let mut route = shown(&stage);
    let one = invoke(&mut route, &stage, "sse.copy");
    assert_eq!(copied(&one), "event: delta\ndata: {\"n\":19}");
    let response = invoke(&mut route, &stage, "sse.copy-response");
    assert_eq!(copied(&response).matches("data:").count(), 10);
    route.model.dropped.records = 3;
    let all = invoke(&mut route, &stage, "sse.copy-all");
    assert!(copied(&all).starts_with(": omp-debug-dropped records=3 chars=0\n\n"));
    assert_eq!(copied(&all).matches("data:").count(), 20);
}

#[test]
fn secrets_are_shown_only_after_a_question() {
    let stage = Stage::new(State::default());
    let mut route = shown(&stage);
    let cx = stage.cx();
    let refused = route.invoke("sse.secrets-now", &cx);
    assert_eq!(refused, Some(Err("S asks first.")));
    let asked = invoke(&mut route, &stage, "sse.secrets");
    assert!(matches!(&asked[..], [Effect::Open(_)]) && !route.secrets);
    invoke(&mut route, &stage, "sse.secrets-now");
    assert!(route.secrets);
    invoke(&mut route, &stage, "sse.secrets");
    assert!(!route.secrets);
}

#[test]
fn a_replay_steps_and_ends_where_it_was() {
    let stage = Stage::new(State::default());
    let mut route = shown(&stage);
    let work = invoke(&mut route, &stage, "sse.replay");
    assert!(matches!(&work[..], [Effect::Work(work)] if work.name == "sse.replay"));
    assert_eq!((route.model.rows(), at(&route)), (1, Some(1)));
    // The pace is that of the capture.
    assert_eq!(
        replay::schedule(&route.model, 1)[..2],
        [(3, 2000), (5, 2000)]
    );
    invoke(&mut route, &stage, "sse.replay-step");
    invoke(&mut route, &stage, "sse.replay-step");
    assert_eq!(at(&route), Some(5));
    invoke(&mut route, &stage, "sse.replay-faster");
    assert_eq!(route.replay.map(|r| (r.speed, r.paused)), Some((2, true)));
    invoke(&mut route, &stage, "sse.back");
    assert_eq!((route.model.rows(), at(&route)), (10, Some(5)));
}

#[test]
fn nothing_runs_while_it_is_not_shown() {
    let stage = Stage::new(State::default());
    let mut route = shown(&stage);
    assert!(route.stop.is_some());
    let cx = stage.cx();
    route.on_msg(&Msg::Hidden, &cx);
    assert!(route.stop.is_none(), "who reads is told to end");
    assert!(
        cx.effects
            .borrow()
            .iter()
            .all(|e| matches!(e, Effect::EndWork(_)))
    );
}

#[test]
fn no_stream_is_a_state_and_says_how_to_get_one() {
    let stage = Stage::new(State::default());
    let mut route = SseRoute::default();
    let cx = stage.cx();
    route.on_msg(&Msg::Shown, &cx);
    assert!(matches!(&cx.effects.borrow()[..], [Effect::Work(work)] if work.name == "sse.find"));
    route.recorded = Some(Vec::new());
    let screen = stage.draw(&mut route, 100, 24).join("\n");
    assert!(screen.contains("omp-debug sse run"), "{screen}");
}

#[test]
fn only_rows_in_view_are_built() {
    let stage = Stage::new(State::default());
    let mut route = shown(&stage);
    route.batch(&batch(21, 10_021));
    invoke(&mut route, &stage, "sse.together");
    stage.draw(&mut route, 160, 40);
    assert!(
        route.list.visible().len() < 40,
        "{:?}",
        route.list.visible()
    );
    // A record that nobody looks at is held by the route alone.
    let frame = route.model.by_sequence(5000).unwrap();
    assert_eq!(Arc::strong_count(&frame.kept.record), 1);
}
