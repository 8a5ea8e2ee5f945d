use super::{difference::MOST_VALUE, *};
use crate::state::{FrameRef, FrameScopes, ScopeVariables, Stack};
use dap::types::Scope;

fn variable(name: &str, value: &str) -> Variable {
    Variable {
        name: name.into(),
        value: value.into(),
        ..Variable::default()
    }
}

#[test]
fn a_module_is_the_own_scope_of_its_statements_and_of_no_function() {
    let scope = |(name, expensive): (&str, bool)| Scope {
        name: name.to_owned(),
        expensive,
        variables_reference: 1,
        ..Scope::default()
    };
    for (scopes, own) in [
        (
            &[("Module", true), ("Global", true)][..],
            &[true, false][..],
        ),
        (&[("Block", false), ("Module", true)], &[true, true]),
        (&[("Local", false), ("Module", true)], &[true, false]),
        (&[("Local: f", false), ("Module", true)], &[true, false]),
        (&[("Locals", false), ("Module", true)], &[true, false]),
        (&[("Registers", true)], &[false]),
    ] {
        let scopes: Vec<_> = scopes.iter().copied().map(scope).collect();
        assert_eq!(own_scopes(&scopes), own, "{scopes:?}");
    }
}

#[test]
fn what_a_function_gave_back_is_the_frames_own_and_its_registers_are_not() {
    let scope = |hint: &&str| Scope {
        presentation_hint: Some((*hint).to_owned()),
        variables_reference: 1,
        ..Scope::default()
    };
    for (scopes, own) in [
        (&["registers", "globals"][..], &[false, false][..]),
        (&["registers", "returnValue"], &[false, true]),
        (
            &["locals", "registers", "returnValue"],
            &[true, false, true],
        ),
    ] {
        let told: Vec<_> = scopes.iter().map(scope).collect();
        assert_eq!(own_scopes(&told), own, "{scopes:?}");
    }
}

fn stop(id: u64, function: &str, locals: &[(&str, &str)]) -> Stop {
    let frame = StackFrame {
        id: 1,
        name: function.into(),
        line: 12,
        ..StackFrame::default()
    };
    let scope = ScopeVariables {
        scope: Scope {
            name: "Locals".into(),
            variables_reference: 5,
            ..Scope::default()
        },
        variables: Some(locals.iter().map(|(n, v)| variable(n, v)).collect()),
        trouble: None,
    };
    let scopes = FrameScopes {
        scopes: vec![scope],
        trouble: None,
    };
    let stack = Stack {
        frames: vec![frame],
        ..Stack::default()
    };
    Stop {
        id: StopId(id),
        thread_id: Some(1),
        reason: "step".into(),
        selected: Some(FrameRef {
            thread_id: 1,
            frame_id: 1,
        }),
        stacks: [(1, stack)].into(),
        frames: [(1, scopes)].into(),
        ..Stop::default()
    }
}

fn change(name: &str, old: Option<&str>, new: Option<&str>) -> ValueChange {
    ValueChange {
        name: name.into(),
        old: old.map(str::to_owned),
        new: new.map(str::to_owned),
    }
}

#[test]
fn what_changed_between_two_stops_of_a_function_is_told() {
    let before = stop(
        1,
        "main",
        &[("n", "1"), ("x", "a"), ("x", "b"), ("old", "7")],
    );
    let after = stop(
        2,
        "main",
        &[("n", "1"), ("x", "a"), ("x", "c"), ("new", "8")],
    );
    let Difference::Locals { changes, more } = difference(Some(&before), &after) else {
        panic!("not compared");
    };
    // The second of a name is compared with the second.
    assert_eq!(
        changes,
        [
            change("x", Some("b"), Some("c")),
            change("new", None, Some("8")),
            change("old", Some("7"), None),
        ]
    );
    assert_eq!(more, 0);
    let elsewhere = stop(3, "other", &[("n", "2")]);
    assert_eq!(
        difference(Some(&after), &elsewhere),
        Difference::OtherFunction
    );
    assert_eq!(difference(None, &elsewhere), Difference::Unknown);
    let bare = Stop::default();
    assert_eq!(difference(Some(&after), &bare), Difference::Unknown);
    // A value may be of any size.
    let large = "é".repeat(1000);
    let Difference::Locals { changes, .. } =
        difference(Some(&before), &stop(4, "main", &[("n", &large)]))
    else {
        panic!("not compared");
    };
    assert!(changes[0].new.as_ref().unwrap().len() <= MOST_VALUE + '…'.len_utf8());
}

fn present(stop: &Stop, printed: u64) -> Present<'_> {
    Present {
        stop,
        threads: &[],
        printed,
    }
}

#[test]
fn stops_are_counted_and_output_is_that_of_when_the_program_went_on() {
    let mut history = History::default();
    history.turn(None, 1_000);
    let first = stop(1, "main", &[("n", "1")]);
    assert_eq!(history.table(Some(present(&first, 5))).here, Some(1));
    history.left(Some(5));
    history.turn(Some((first, Vec::new(), 9)), 2_000);
    let second = stop(2, "main", &[("n", "2")]);
    let table = history.table(Some(present(&second, 12)));
    let rows: Vec<_> = table
        .stops
        .iter()
        .map(|s| (s.number, s.at, s.printed))
        .collect();
    assert_eq!(rows, [(1, Some(1_000), 5), (2, Some(2_000), 7)]);
    assert_eq!(table.here, Some(2));
    assert_eq!(history.count(Some(present(&second, 12))), 2);
    let seen = history.find(1, Some(present(&second, 12))).unwrap();
    assert_eq!((seen.stop.id, seen.output_at), (StopId(1), 5));
    let seen = history.find(2, Some(present(&second, 12))).unwrap();
    assert_eq!(seen.stop.id, StopId(2));
    for wrong in [0, 3, u64::MAX] {
        let why = history.find(wrong, Some(present(&second, 12))).unwrap_err();
        assert!(why.contains("no stop"), "{why}");
    }
}

#[test]
fn what_was_opened_stays_with_its_stop() {
    let mut history = History::default();
    history.turn(None, 1);
    let opened = history.opened();
    lock(&opened).keep(9, None, &[variable("a", "1")]);
    history.turn(Some((stop(1, "main", &[]), Vec::new(), 0)), 2);
    // An answer that was on its way.
    lock(&opened).keep(10, None, &[variable("b", "2")]);
    let pages = history.pages_of(StopId(1)).unwrap();
    assert_eq!(lock(&pages).find(10, None).unwrap()[0].value, "2");
    assert_eq!(lock(&pages).find(9, None).unwrap()[0].value, "1");
    assert!(lock(&pages).find(11, None).is_none());
    assert!(lock(&history.opened()).find(9, None).is_none());
    assert!(history.pages_of(StopId(7)).is_none());
    let huge = [variable("x", &"y".repeat(MOST_OPENED))];
    lock(&pages).keep(12, None, &huge);
    assert!(lock(&pages).find(12, None).is_none(), "within bounds");
}

#[test]
fn the_oldest_stops_are_let_go_and_counted() {
    let mut history = History::default();
    let value = "v".repeat(100 * 1024);
    for number in 1..=60 {
        history.turn(
            Some((stop(number, "main", &[("x", &value)]), Vec::new(), 0)),
            number,
        );
    }
    let table = history.table(None);
    assert!(history.bytes <= MOST_BYTES, "{}", history.bytes);
    assert!(table.let_go > 0 && !table.stops.is_empty());
    assert_eq!(table.stops.len() as u64 + table.let_go, 60);
    assert_eq!(table.stops[0].number, table.let_go + 1);
    let why = history.find(1, None).unwrap_err();
    assert!(why.contains("no longer kept"), "{why}");
    let mut history = History::default();
    for number in 0..MOST_STOPS as u64 + 3 {
        history.turn(Some((stop(number, "main", &[]), Vec::new(), 0)), number);
    }
    assert_eq!(history.table(None).let_go, 3);
}

#[test]
fn what_is_asked_for_from_another_process_arrives_as_it_is() {
    use crate::Reply;
    let mut history = History::default();
    history.turn(None, 1);
    history.turn(Some((stop(1, "main", &[("n", "1")]), Vec::new(), 3)), 2);
    let last = stop(2, "main", &[("n", "2")]);
    let seen = history.find(1, None).unwrap();
    for reply in [
        Reply::Stops {
            stops: Box::new(history.table(Some(present(&last, 9)))),
        },
        Reply::Seen {
            session: SessionId(1),
            seen: Box::new(seen),
            output: Some(vec![OutputChunk::default()]),
            beside: vec![SiblingSnapshot::default()],
        },
    ] {
        let text = serde_json::to_string(&reply).unwrap();
        assert_eq!(serde_json::from_str::<Reply>(&text).unwrap(), reply);
    }
}
