//! The route, key by key.

use std::path::PathBuf;

use debugger::State;
use diagnostics::sessions::{Entry, Item, Summary};
use serde_json::{Value, json};

use super::{
    work::{LIST, OPEN},
    *,
};
use crate::{action::Layer as _, kit::test::Stage};

fn item(value: &Value, offset: u64) -> Item {
    Item::Entry(Box::new(Entry::read(value, offset, 100)))
}

fn said(id: &str, parent: Option<&str>, role: &str, text: &str) -> Value {
    json!({"type": "message", "id": id, "parentId": parent, "timestamp": "2026-08-21T08:00:00.000Z",
        "message": {"role": role, "content": [{"type": "text", "text": text}]}})
}

/// A question with two answers, of which the second is in force.
fn opened() -> Open {
    let mut open = Open::new(
        Summary {
            path: PathBuf::from("/s/a.jsonl"),
            ..Summary::default()
        },
        None,
    );
    let items = [
        said("a", None, "user", "first question"),
        said("b", Some("a"), "assistant", "answer that was left"),
        said("c", Some("a"), "assistant", "answer in force"),
        json!({"type": "future_thing", "id": "d", "parentId": "c", "data": {"note": "not known"}}),
    ];
    let items = items
        .iter()
        .enumerate()
        .map(|(n, v)| item(v, n as u64 * 100))
        .collect();
    open.learn(items, (400, 400), true);
    open
}

fn shown(stage: &Stage) -> SessionsRoute {
    let mut route = SessionsRoute::default();
    let cx = stage.cx();
    route.on_msg(&Msg::Shown, &cx);
    assert!(matches!(&cx.effects.borrow()[..], [Effect::Work(work)] if work.name == LIST));
    route
}

#[test]
fn a_branch_is_folded_and_what_is_not_known_is_named() {
    let mut stage = Stage::new(State::default());
    let mut route = shown(&stage);
    route.open.push(opened());
    let rows = stage.draw(&mut route, 120, 20).join("\n");
    assert!(
        rows.contains("another branch, 1 entry: answer that was left"),
        "{rows}"
    );
    assert!(
        rows.contains("answer in force") && rows.contains("future_thing"),
        "{rows}"
    );
    let cx = stage.cx();
    route.invoke("sessions.down", &cx);
    route.invoke("sessions.open", &cx);
    assert!(cx.effects.borrow().is_empty(), "a branch opens in place");
    drop(cx);
    let rows = stage.draw(&mut route, 120, 20);
    let left = rows
        .iter()
        .filter(|row| row.contains("answer that was left"));
    assert_eq!(left.count(), 2, "{}", rows.join("\n"));
    stage.survives(&mut route);
}

#[test]
fn the_list_is_filtered_and_survives_any_size() {
    let mut stage = Stage::new(State::default());
    let mut route = shown(&stage);
    let summary = |n: u32, title: &str| Summary {
        path: PathBuf::from(format!("/s/{n}.jsonl")),
        title: Some(title.into()),
        live: n == 1,
        here: n == 2,
        ..Summary::default()
    };
    route.listing.files = 2;
    route.listing.learn(vec![
        summary(1, "Build fails"),
        summary(2, "Disk \u{1b}[31mfull"),
    ]);
    route.listing.done = true;
    let rows = stage.draw(&mut route, 140, 20).join("\n");
    assert!(
        rows.contains("Build fails") && rows.contains("this terminal"),
        "{rows}"
    );
    assert!(!rows.contains('\u{1b}'));
    stage.survives(&mut route);
    route.listing.set_filter("DISK");
    let rows = stage.draw(&mut route, 140, 20).join("\n");
    assert!(
        !rows.contains("Build fails") && rows.contains("1 of 2"),
        "{rows}"
    );
    let cx = stage.cx();
    route.invoke("sessions.open", &cx);
    assert!(matches!(&cx.effects.borrow()[..], [Effect::Work(work)] if work.name == OPEN));
    assert_eq!(
        route.open.last().unwrap().path(),
        PathBuf::from("/s/2.jsonl")
    );
}
