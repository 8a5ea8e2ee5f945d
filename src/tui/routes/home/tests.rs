//! The selector, key by key.

use super::model::MEMORY;
use super::*;
use crate::debugger::{LaunchSpec, State};

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
    let mut model = Model::default();
    model.move_by(-1);
    assert_eq!(model.selected(), Some(Entry::Workspace));
    model.learn(&state);
    let shown: Vec<_> = model.recents().iter().map(|r| r.shown.as_str()).collect();
    assert_eq!(shown, ["new.py \"a b\"", "old.py \"a b\""]);
    model.select(model.recent(1).unwrap());
    assert!(
        matches!(model.selected(), Some(Entry::Recent(r)) if r.spec.program.ends_with("old.py"))
    );
}
