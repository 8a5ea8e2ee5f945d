use super::*;
use crate::debugger::Output;
use crate::debugger::{OutputChunk, State};
use crate::tui::action::Layer;
use crate::tui::routes::debug::kit::test::{Stage, events, stopped_in_main};
use crossterm::event::KeyModifiers;

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

fn type_text(pane: &mut OutputPane, text: &str, cx: &mut Cx<'_>) {
    for c in text.chars() {
        pane.text(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE), cx);
    }
}

#[test]
fn it_follows_until_moved_up_and_end_follows_again() {
    let mut stage = stage(50);
    let mut pane = OutputPane::default();
    assert!(stage.draw(&mut pane, 40, 10).join("\n").contains("line 49"));
    pane.invoke("output.page-up", &mut stage.cx());
    let before = stage.draw(&mut pane, 40, 10);
    print(&mut stage.state, "stdout", "one\ntwo\n");
    pane.message(&events(), &mut stage.cx());
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
    pane.invoke("output.follow", &mut stage.cx());
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
    pane.invoke("output.up", &mut stage.cx());
    let selected =
        |pane: &OutputPane, stage: &Stage| pane.line(&stage.view()).unwrap().text.clone();
    let before = selected(&pane, &stage);
    print(&mut stage.state, "stdout", "a new one\nanother\n");
    pane.message(&events(), &mut stage.cx());
    assert_eq!(selected(&pane, &stage), before);
    let screen = stage.draw(&mut pane, 60, 60).join("\n");
    assert!(screen.contains("bytes dropped from this view"), "{screen}");
}

#[test]
fn search_counts_and_goes_from_hit_to_hit() {
    let stage = stage(30);
    let mut pane = OutputPane::default();
    stage.draw(&mut pane, 60, 10);
    let mut cx = stage.cx();
    pane.invoke("output.search", &mut cx);
    type_text(&mut pane, "LINE 2", &mut cx);
    assert!(
        stage
            .draw(&mut pane, 60, 10)
            .join("\n")
            .contains("not found"),
        "capitals are meant"
    );
    pane.search = Some(Field::default());
    type_text(&mut pane, "line 2", &mut cx);
    assert!(
        stage
            .draw(&mut pane, 60, 10)
            .join("\n")
            .contains("11 of 11")
    );
    pane.text(KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE), &mut cx);
    type_text(&mut pane, "n", &mut cx);
    let screen = stage.draw(&mut pane, 60, 10).join("\n");
    assert!(
        screen.contains(" 1 of 11") && screen.contains("N previous"),
        "around the end: {screen}"
    );
    pane.text(KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE), &mut cx);
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
    pane.invoke("output.filter", &mut stage.cx());
    pane.invoke("output.filter", &mut stage.cx());
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
        pane.starts.get(1).is_some_and(|s| s.fg.is_some()),
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
    pane.invoke("output.wrap", &mut stage.cx());
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
    session.ended = Some("The program ended.".into());
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
    pane.invoke("output.wrap", &mut stage.cx());
    stage.draw(&mut pane, 80, 24);
    stage.state = self::stage(5).state;
    stage.survives(&mut pane);
    stage.survives(&mut OutputPane::default());
}
