//! Keys as terminals deliver them, and bindings as people write them.

use super::*;
use crate::action::Show;

fn event(code: KeyCode, modifiers: KeyModifiers) -> Chord {
    Chord::of(KeyEvent::new(code, modifiers)).unwrap()
}

fn row(id: &'static str, keys: &'static [&'static str]) -> Row {
    Row {
        id,
        title: id,
        keys: Keys::Table(keys),
        show: Show::Footer,
        enabled: Ok(()),
    }
}

#[test]
fn what_terminals_deliver_comes_to_one_form() {
    use KeyModifiers as M;
    let table = [
        ("shift-f11", KeyCode::F(11), M::SHIFT),
        ("shift-f11", KeyCode::F(23), M::NONE),
        ("shift-f5", KeyCode::F(17), M::NONE),
        ("ctrl-f5", KeyCode::F(29), M::NONE),
        ("shift-tab", KeyCode::BackTab, M::SHIFT),
        ("shift-tab", KeyCode::BackTab, M::NONE),
        ("shift-tab", KeyCode::Tab, M::SHIFT),
        ("G", KeyCode::Char('G'), M::SHIFT),
        ("G", KeyCode::Char('G'), M::NONE),
        ("G", KeyCode::Char('g'), M::SHIFT),
        ("?", KeyCode::Char('?'), M::SHIFT),
        ("ctrl-p", KeyCode::Char('p'), M::CONTROL),
        ("ctrl-shift-p", KeyCode::Char('P'), M::CONTROL),
        ("alt-x", KeyCode::Char('x'), M::META),
        ("space", KeyCode::Char(' '), M::NONE),
        ("ctrl-space", KeyCode::Char(' '), M::CONTROL),
        ("ctrl-left", KeyCode::Left, M::CONTROL),
        ("-", KeyCode::Char('-'), M::NONE),
        ("ctrl--", KeyCode::Char('-'), M::CONTROL),
        ("pagedown", KeyCode::PageDown, M::NONE),
    ];
    for (text, code, modifiers) in table {
        assert_eq!(parse(text), Ok(vec![event(code, modifiers)]), "{text}");
        assert_eq!(write(&parse(text).unwrap()), text);
    }
    assert_eq!(parse("shift-g"), parse("G"));
    assert_eq!(Chord::of(KeyEvent::new(KeyCode::Char('c'), M::SUPER)), None);
    assert_eq!(Chord::of(KeyEvent::new(KeyCode::CapsLock, M::NONE)), None);
}

#[test]
fn keys_that_do_not_exist_are_quoted() {
    assert_eq!(parse("  "), Err(KeyError::Empty));
    assert!(parse("f13").unwrap_err().to_string().contains("\"f13\""));
    assert!(
        parse("ctlr-p")
            .unwrap_err()
            .to_string()
            .contains("\"ctlr\"")
    );
    assert!(
        parse("hello")
            .unwrap_err()
            .to_string()
            .contains("\"hello\"")
    );
}

#[test]
fn sequences_wait_and_the_more_particular_row_wins() {
    let rows = [
        row("pane.top", &["g g"]),
        row("pane.next", &["n"]),
        row("debug.next", &["n", "f10"]),
        row("debug.goto", &["g l"]),
    ];
    let press = |text: &str| find(&rows, &parse(text).unwrap());
    assert_eq!(press("n"), KeyMatch::Action("pane.next"));
    assert_eq!(press("f10"), KeyMatch::Action("debug.next"));
    assert_eq!(press("g"), KeyMatch::Prefix);
    assert_eq!(press("g g"), KeyMatch::Action("pane.top"));
    assert_eq!(press("g l"), KeyMatch::Action("debug.goto"));
    assert_eq!(press("g x"), KeyMatch::Nothing);
    let next: Vec<_> = continuations(&rows, &parse("g").unwrap())
        .into_iter()
        .map(|(k, r)| (k, r.id))
        .collect();
    assert_eq!(
        next,
        [("g".to_owned(), "pane.top"), ("l".to_owned(), "debug.goto")]
    );
}

fn bind(id: &str, keys: &[&str], line: usize) -> Binding {
    Binding {
        id: id.into(),
        keys: keys.iter().map(|k| (*k).to_owned()).collect(),
        line,
    }
}

#[test]
fn user_bindings_replace_and_troubles_name_their_line() {
    let sections = [Section {
        title: "Debug",
        rows: vec![
            row("debug.step-over", &["f10", "n"]),
            row("debug.step-in", &["f11", "s"]),
        ],
    }];
    let (keymap, troubles) = Keymap::new(
        &[
            bind("debug.step-over", &["f11"], 3),
            bind("debug.step-in", &["f10"], 4),
            bind("debug.step-ovre", &["x"], 5),
            bind("debug.step-in", &["x"], 6),
        ],
        &sections,
    );
    // The first two change places, which is no conflict.
    let rows = keymap.applied(sections[0].rows.clone());
    assert_eq!(
        find(&rows, &parse("f10").unwrap()),
        KeyMatch::Action("debug.step-in")
    );
    assert_eq!(find(&rows, &parse("n").unwrap()), KeyMatch::Nothing);
    assert_eq!(troubles.len(), 2, "{troubles:?}");
    assert_eq!(troubles[0].0, 5);
    assert!(
        troubles[0].1.contains("did you mean \"debug.step-over\""),
        "{troubles:?}"
    );
    assert_eq!(troubles[1].0, 6);

    let (keymap, troubles) = Keymap::new(&[bind("debug.step-over", &["s"], 9)], &sections);
    assert_eq!(troubles[0].0, 9);
    assert!(troubles[0].1.contains("debug.step-in"), "{troubles:?}");
    let rows = keymap.applied(sections[0].rows.clone());
    assert_eq!(rows[0].keys.first(), Some("f10"));
}

#[test]
fn keys_are_shown_as_printed_on_keyboards() {
    for (text, shown) in [
        ("f10", "F10"),
        ("shift-f11", "Shift-F11"),
        ("ctrl-p", "Ctrl-P"),
        ("n", "n"),
        ("g g", "g g"),
        ("pageup", "PgUp"),
        ("-", "-"),
    ] {
        assert_eq!(pretty(text), shown);
    }
}
