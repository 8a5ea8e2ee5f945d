//! The selector, key by key.

use std::path::Path;

use debugger::{LaunchSpec, Phase, Session, SessionId, State};

use super::{
    model::{Item, MEMORY},
    *,
};
use crate::kit::test::Stage;

#[test]
fn recent_programs_are_offered_newest_first_and_what_cannot_be_read_is_not() {
    let spec = |name: &str| {
        serde_json::to_string(&LaunchSpec {
            program: name.into(),
            args: vec!["a b".into()],
            ..LaunchSpec::default()
        })
        .unwrap()
    };
    let mut state = State::default();
    state.memory.insert(
        MEMORY.into(),
        vec![spec("/w/old.py"), "rubbish".into(), spec("/w/new.py")],
    );
    let mut model = Home::default().model;
    model.learn(&state, Path::new("/w"));
    let shown: Vec<_> = model.recents().iter().map(|r| r.name.as_str()).collect();
    assert_eq!(shown, ["new.py \"a b\"", "old.py \"a b\""]);
    model.select(model.last().unwrap() + 1);
    assert!(
        matches!(model.selected(), Some(Item { entry: Entry::Recent(spec), .. }) if spec.program.ends_with("old.py"))
    );
}

#[test]
fn programs_that_look_alike_are_offered_once_and_a_difference_is_shown() {
    let spec = |adapter: Option<&str>, plain_adapter| {
        let spec = LaunchSpec {
            program: "/w/src/app.py".into(),
            adapter: adapter.map(Into::into),
            plain_adapter,
            ..LaunchSpec::default()
        };
        serde_json::to_string(&spec).unwrap()
    };
    let kept = vec![
        spec(None, false),
        spec(Some("debugpy"), false),
        spec(None, true),
    ];
    let state = State {
        memory: [(MEMORY.to_owned(), kept)].into(),
        ..State::default()
    };
    let mut model = Home::default().model;
    model.learn(&state, Path::new("/w"));
    let shown: Vec<_> = model
        .recents()
        .iter()
        .map(|r| (r.key, r.name.as_str(), r.about.as_str()))
        .collect();
    assert_eq!(
        shown,
        [("1", "app.py", "src"), ("", "app.py", "src, with debugpy")]
    );
}

#[test]
fn a_live_session_comes_first() {
    let mut state = State::default();
    let mut model = Home::default().model;
    model.learn(&state, Path::new("/w"));
    assert_eq!(
        model.selected().map(|i| &i.entry),
        Some(&Entry::Action("home.launch"))
    );
    state.sessions.push(Session {
        id: SessionId(1),
        name: "bank.py".into(),
        phase: Phase::Running,
        ..Session::default()
    });
    state.focus = Some(SessionId(1));
    model.learn(&state, Path::new("/w"));
    let first = model.selected().unwrap();
    assert_eq!(
        (first.name.as_str(), first.about.as_str()),
        ("Back to bank.py", "running")
    );
    assert_eq!(model.begin().len(), FIXED.len());
}

#[test]
fn what_is_chosen_is_in_sight_where_not_all_has_room() {
    let spec = LaunchSpec {
        program: "/w/new.py".into(),
        ..LaunchSpec::default()
    };
    let mut state = State::default();
    let spec = serde_json::to_string(&spec).unwrap();
    state.memory.insert(MEMORY.into(), vec![spec]);
    let screen = Stage::new(state);
    for height in [9, 12, 24, 40] {
        let mut home = Home::default();
        screen.draw(&mut home, 80, height);
        home.model.select(home.model.begin().len());
        let rows = screen.draw(&mut home, 80, height);
        assert!(rows.iter().any(|row| row.contains("new.py")), "{rows:#?}");
    }
}

#[test]
fn every_entry_is_an_action_with_a_key_and_fits_in_eighty_columns() {
    for (id, _, about) in FIXED {
        assert!(about.len() <= 53, "{about}");
        let row = <Home as Surface>::ACTIONS.iter().find(|row| row.id == *id);
        assert!(row.is_some_and(|row| !row.keys.is_empty()), "{id}");
    }
}
