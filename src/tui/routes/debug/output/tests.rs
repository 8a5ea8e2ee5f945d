use super::*;
use crate::action::Layer;
use crate::routes::debug::kit::test::{Stage, events, stopped_in_main};
use crossterm::event::KeyModifiers;
use debugger::Output;
use debugger::{OutputChunk, State};

fn print(state: &mut State, category: &str, text: &str) {
    let session = state.sessions.first_mut().unwrap();
    session.output.push(&OutputChunk {
        category: category.into(),
        text: text.into(),
        ..OutputChunk::default()
    });
}

fn stage(lines: usize) -> Stage {
    let mut state = stopped_in_main(1, Vec::new());
    for i in 0..lines {
        print(&mut state, "stdout", &format!("line {i}\n"));
    }
    Stage::new(state)
}

fn type_text(pane: &mut OutputPane, text: &str, cx: &Cx) {
    for c in text.chars() {
        pane.text(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE), cx);
    }
}

#[test]
fn it_follows_until_moved_up_and_end_follows_again() {
    let mut stage = stage(50);
    let mut pane = OutputPane::default();
    assert!(stage.draw(&mut pane, 40, 10).join("\n").contains("line 49"));
    pane.invoke("output.page-up", &stage.cx());
    let before = stage.draw(&mut pane, 40, 10);
    print(&mut stage.state, "stdout", "one\ntwo\n");
    pane.message(&events(), &stage.cx());
    let after = stage.draw(&mut pane, 40, 10);
    assert_eq!(
        before.get(1..7),
        after.get(1..7),
        "nothing moves under the reader's eyes"
    );
    assert!(
        after.first().unwrap().contains("2 new, End follows"),
        "{after:?}"
    );
    pane.invoke("output.follow", &stage.cx());
    let end = stage.draw(&mut pane, 40, 10).join("\n");
    assert!(end.contains("two") && !end.contains("new"), "{end}");
}

#[test]
fn what_is_read_stays_while_lines_drop_out_in_front() {
    let mut stage = stage(0);
    stage.state.sessions.first_mut().unwrap().output = Output::with_bound(400);
    for i in 0..50 {
        print(&mut stage.state, "stdout", &format!("line {i:03}\n"));
    }
    let mut pane = OutputPane::default();
    stage.draw(&mut pane, 40, 12);
    pane.invoke("output.up", &stage.cx());
    let selected =
        |pane: &OutputPane, stage: &Stage| pane.line(&stage.view()).unwrap().1.text.clone();
    let before = selected(&pane, &stage);
    print(&mut stage.state, "stdout", "a new one\nanother\n");
    pane.message(&events(), &stage.cx());
    assert_eq!(selected(&pane, &stage), before);
    let screen = stage.draw(&mut pane, 60, 60).join("\n");
    assert!(screen.contains("bytes dropped from this view"), "{screen}");
    pane.invoke("output.search", &stage.cx());
    type_text(&mut pane, "line 000", &stage.cx());
    let screen = stage.draw(&mut pane, 60, 60).join("\n");
    let why = "not in the last 128 KiB: Esc o opens all of it";
    assert!(screen.contains(why), "{screen}");
}

#[test]
fn search_counts_and_goes_from_hit_to_hit() {
    let stage = stage(30);
    let mut pane = OutputPane::default();
    stage.draw(&mut pane, 60, 10);
    let cx = stage.cx();
    pane.invoke("output.search", &cx);
    type_text(&mut pane, "LINE 2", &cx);
    assert!(
        stage
            .draw(&mut pane, 60, 10)
            .join("\n")
            .contains("not found"),
        "capitals are meant"
    );
    pane.search = Some(Field::default());
    type_text(&mut pane, "line 2", &cx);
    assert!(
        stage
            .draw(&mut pane, 60, 10)
            .join("\n")
            .contains("11 of 11")
    );
    pane.text(KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE), &cx);
    type_text(&mut pane, "n", &cx);
    let screen = stage.draw(&mut pane, 60, 10).join("\n");
    assert!(screen.contains(" 1 of 11"), "around the end: {screen}");
    assert_eq!(pane.typing().first(), Some(&("n", "next")));
    pane.text(KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE), &cx);
    assert!(!pane.text_wanted());
}

#[test]
fn categories_are_filtered_and_marked_by_a_letter() {
    let mut stage = stage(1);
    print(&mut stage.state, "stderr", "oops\n");
    print(&mut stage.state, "console", "loaded symbols\n");
    print(&mut stage.state, "telemetry", "spying\n");
    let mut pane = OutputPane::default();
    let all = stage.draw(&mut pane, 40, 10).join("\n");
    assert!(
        all.contains("e oops") && all.contains("d loaded") && !all.contains("spying"),
        "{all}"
    );
    pane.invoke("output.filter", &stage.cx());
    pane.invoke("output.filter", &stage.cx());
    let errors = stage.draw(&mut pane, 40, 10).join("\n");
    assert!(
        errors.contains("oops") && !errors.contains("line 0") && errors.contains("only errors"),
        "{errors}"
    );
}

#[test]
fn colours_of_the_program_are_kept_and_other_escapes_are_not() {
    let mut stage = stage(0);
    print(
        &mut stage.state,
        "stdout",
        "\u{1b}[31mred\nstill red\u{1b}[0m plain\u{1b}[2J\n",
    );
    let mut pane = OutputPane::default();
    let screen = stage.draw(&mut pane, 40, 6).join("\n");
    assert!(
        screen.contains("still red plain") && !screen.contains("[2J"),
        "{screen}"
    );
    assert!(
        pane.rows.get(1).is_some_and(|r| r.start.fg.is_some()),
        "colours go on over a line's end"
    );
}

#[test]
fn long_lines_are_cut_with_a_mark_or_wrapped() {
    let mut stage = stage(0);
    print(
        &mut stage.state,
        "stdout",
        &format!("{}end\n", "word ".repeat(12)),
    );
    let mut pane = OutputPane::default();
    assert!(stage.draw(&mut pane, 30, 10).join("\n").contains('…'));
    pane.invoke("output.wrap", &stage.cx());
    let wrapped = stage.draw(&mut pane, 30, 10).join("\n");
    assert!(
        wrapped.contains("end") && !wrapped.contains('…'),
        "{wrapped}"
    );
}

#[test]
fn the_end_is_plain_to_see() {
    let mut stage = stage(1);
    let session = stage.state.sessions.first_mut().unwrap();
    session.exit_code = Some(3);
    session.ended = Some("The program ended with exit code 3.".into());
    let screen = stage.draw(&mut OutputPane::default(), 60, 6).join("\n");
    assert!(
        screen.contains("✗ exit code 3  The program ended."),
        "{screen}"
    );
}

#[test]
fn a_line_of_megabytes_and_every_size_are_survived() {
    let mut stage = stage(3);
    stage.state.sessions.first_mut().unwrap().output = Output::with_bound(2_000_000);
    print(&mut stage.state, "stdout", &"é\u{1b}[1m".repeat(200_000));
    let mut pane = OutputPane::default();
    pane.invoke("output.wrap", &stage.cx());
    stage.draw(&mut pane, 80, 24);
    stage.state = self::stage(5).state;
    stage.survives(&mut pane);
    stage.survives(&mut OutputPane::default());
}

/// The one of [`stage`] with a child in focus, and what both print by turns.
fn family() -> Stage {
    let mut stage = stage(0);
    let core = &mut stage.state;
    let mut child = core.sessions.first().unwrap().clone();
    let parent = child.id;
    (child.id, child.parent) = (SessionId(12), Some(parent));
    core.focus = Some(child.id);
    core.sessions.push(child);
    for (order, at, category, text) in [
        (1, 0, "stdout", "listening\n"),
        (2, 1, "stdout", "\u{1b}[31mchild begins\n"),
        (3, 0, "stderr", "a request\n"),
        (4, 1, "stdout", "it answers\n"),
    ] {
        let output = &mut core.sessions.get_mut(at).unwrap().output;
        output.order = order;
        output.push(&OutputChunk {
            category: category.into(),
            text: text.into(),
            ..OutputChunk::default()
        });
    }
    stage
}

#[test]
fn lines_of_a_tree_stand_as_they_came_and_say_whose_they_are() {
    let mut stage = family();
    let mut pane = OutputPane::default();
    let rows = stage.draw(&mut pane, 50, 8);
    let seen: Vec<_> = rows
        .iter()
        .map(|row| row.trim_matches(['│', ' ', '┃']).trim_end())
        .collect();
    let wanted = [
        " 1│  listening",
        "12│  child begins",
        " 1│e a request",
        "12│  it answers",
    ];
    assert_eq!(
        seen.get(1..5)
            .unwrap()
            .iter()
            .map(|row| row.trim())
            .collect::<Vec<_>>(),
        wanted.map(str::trim),
        "{rows:#?}"
    );
    assert!(rows.first().unwrap().contains("2 sessions"), "{rows:#?}");
    // Each session's colours are its own.
    let starts: Vec<_> = pane.rows.iter().map(|row| row.start.fg.is_some()).collect();
    assert_eq!(starts, [false, false, false, true]);
    // One goes to another session of the tree, and nothing moves.
    stage.state.focus = stage.state.sessions.first().map(|s| s.id);
    assert_eq!(stage.draw(&mut pane, 50, 8), rows);
    pane.invoke("output.alone", &stage.cx());
    let alone = stage.draw(&mut pane, 50, 8).join("\n");
    assert!(
        alone.contains("debug-1 alone") && alone.contains("e a request"),
        "{alone}"
    );
    assert!(
        !alone.contains("it answers") && !alone.contains("1│"),
        "{alone}"
    );
    pane.invoke("output.alone", &stage.cx());
    assert_eq!(stage.draw(&mut pane, 50, 8), rows);
}

#[test]
fn of_a_tree_as_much_is_shown_as_of_one_and_what_is_older_is_counted() {
    let mut stage = family();
    for (at, order) in [(0, 5), (1, 6)] {
        let output = &mut stage.state.sessions.get_mut(at).unwrap().output;
        output.order = order;
        for i in 0..1500 {
            let text = format!("{i:049}\n");
            output.push(&OutputChunk {
                category: "stdout".into(),
                text,
                ..OutputChunk::default()
            });
        }
    }
    let mut pane = OutputPane::default();
    stage.draw(&mut pane, 80, 8);
    let printed: usize = stage.state.sessions.iter().map(|s| s.output.bytes()).sum();
    let lines = Output::DEFAULT_BOUND / 50;
    assert_eq!(pane.rows.len(), lines + 1);
    pane.invoke("output.first", &stage.cx());
    let top = stage.draw(&mut pane, 80, 8).join("\n");
    let older = amount::count((printed - lines * 50) as u64, "byte", "bytes");
    assert!(
        top.contains(&format!("{older} dropped from this view")),
        "{top}"
    );
    // Alone, all that is held of it is there.
    pane.invoke("output.alone", &stage.cx());
    stage.draw(&mut pane, 80, 8);
    assert_eq!(pane.rows.len(), 1502);
}
