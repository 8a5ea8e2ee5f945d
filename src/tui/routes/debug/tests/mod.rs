//! The whole workspace: events in, screen and commands out.

use crossterm::event::{KeyCode, MouseButton, MouseEventKind};
use proptest::prelude::*;

mod family;
mod workspace;

use self::workspace::*;
use super::*;
use crate::action::Layer;
use crate::theme::{Symbols, Theme};
use debugger::state::FrameRef;
use debugger::{Breakpoint, BreakpointId, BreakpointSite, StopId};

#[test]
fn a_stop_shows_the_line_the_values_and_the_stack() {
    let mut workspace = Workspace::stopped_in_shop();
    let screen = workspace.screen(200, 50);
    assert!(line_with(&screen, "total += price_of(item)").starts_with("│●   9 ▶ "));
    assert!(line_with(&screen, "total += price_of(item)").contains("price_of(item)   total = 6 "));
    assert!(line_with(&screen, "total - discount").starts_with("│◆  12   "));
    assert!(line_with(&screen, "def checkout").contains("   discount = 5 "));
    assert!(
        line_with(&screen, "▶ checkout")
            .trim_end_matches('│')
            .ends_with("shop.py:9")
    );
    assert!(line_with(&screen, "▸ worker").contains("stopped"));
    // The next stop in the same function marks what changed.
    workspace.stop(2, vec![frame(21, "checkout", Some("/project/shop.py"), 11)]);
    let screen = workspace.screen(200, 50);
    assert!(line_with(&screen, "if total > 10:").contains(" 11 ▶ "));
    assert!(line_with(&screen, "if total > 10:").contains("total = 12*"));
    assert!(line_with(&screen, "total += price_of(item)").starts_with("│●   9   "));
    workspace.invoke("debug.toggle-values");
    let screen = workspace.screen(200, 50);
    assert!(!line_with(&screen, "if total > 10:").contains("total = 12"));
}

#[test]
fn a_filter_of_values_that_nothing_contains_says_so() {
    let mut workspace = Workspace::stopped_in_shop();
    workspace.invoke("debug.focus-scopes");
    workspace.invoke("scopes.filter");
    for c in "nope".chars() {
        workspace.key(KeyCode::Char(c));
    }
    workspace.key(KeyCode::Enter);
    let said = "No row that is open contains \"nope\".";
    line_with(&workspace.screen(200, 50), said);
    workspace.invoke("scopes.clear-filter");
    let screen = workspace.screen(200, 50);
    assert!(
        !screen
            .iter()
            .any(|line| line.contains("No row that is open"))
    );
}

#[test]
fn small_screens_have_tabs_and_then_one_line() {
    let mut workspace = Workspace::stopped_in_shop();
    let screen = workspace.screen(80, 24);
    assert!(line_with(&screen, "▶ checkout").contains("shop.py:9"));
    line_with(&screen, " Scopes │ Watches │ Breakpoints");
    line_with(&screen, "6 Output │ 7 Console");
    let screen = workspace.screen(60, 20);
    assert!(
        screen[0].contains("1 Source │ 2 Stack │ 3 Scopes │ 4 Watches │ 5 │ 6 │ 7"),
        "{}",
        screen[0]
    );
    workspace.invoke("debug.focus-stack");
    line_with(&workspace.screen(60, 20), "▸ worker");
    assert_eq!(
        workspace.screen(39, 9)[0],
        "▶ shop.py:9 checkout() · breakpoint"
    );
    // Keys work there as anywhere.
    assert!(matches!(
        workspace.invoke("debug.step-over")[..],
        [Command::Step { .. }]
    ));
}

#[test]
fn without_source_the_nearest_frame_that_has_one_is_selected() {
    let mut workspace = Workspace::new();
    workspace.start();
    let frames = vec![
        frame(1, "raise", None, 0),
        frame(2, "abort", Some("/usr/src/glibc/abort.c"), 79),
        frame(3, "checkout", Some("/project/shop.py"), 7),
    ];
    let commands = workspace.stop(1, frames);
    let [
        Command::SelectFrame {
            thread: 1,
            frame_id: Some(2),
            ..
        },
    ] = commands[..]
    else {
        panic!("{commands:?}");
    };
    line_with(&workspace.screen(200, 50), "No source for this frame.");
    let select = |id| {
        vec![change(Change::Selected {
            stop: StopId(1),
            frame: FrameRef {
                thread_id: 1,
                frame_id: id,
            },
        })]
    };
    // That file is not here either: on to the next.
    let commands = workspace.tell(select(2));
    let [
        Command::SelectFrame {
            frame_id: Some(3), ..
        },
    ] = commands[..]
    else {
        panic!("{commands:?}");
    };
    assert_eq!(workspace.tell(select(3)), []);
    let screen = workspace.screen(200, 50);
    assert!(
        line_with(&screen, "total = 0").contains("  7 ▷ "),
        "{}",
        screen.join("\n")
    );
    // Who goes back there on purpose stays there.
    assert_eq!(workspace.tell(select(1)), []);
    let screen = workspace.screen(200, 50);
    line_with(&screen, "raise");
    line_with(&screen, "u goes to the caller");
}

#[test]
fn frames_are_walked_from_any_pane() {
    let mut workspace = Workspace::stopped_in_shop();
    workspace.invoke("debug.focus-output");
    let [
        Command::SelectFrame {
            frame_id: Some(12), ..
        },
    ] = workspace.invoke("debug.frame-up")[..]
    else {
        panic!("no frame above");
    };
    assert_eq!(
        workspace.why_not("debug.frame-down"),
        "This is the innermost frame."
    );
    workspace.tell(vec![change(Change::Selected {
        stop: StopId(1),
        frame: FrameRef {
            thread_id: 1,
            frame_id: 12,
        },
    })]);
    let screen = workspace.screen(200, 50);
    assert!(line_with(&screen, "print(checkout").contains(" 15 ▷ "));
    assert!(line_with(&screen, "total += price_of").contains("●   9 ▶ "));
    assert_eq!(
        workspace.why_not("debug.frame-up"),
        "This is the outermost frame."
    );
}

/// Of a program that runs breakpoints can be set before it ever stops.
#[test]
fn the_file_of_a_script_that_runs_is_opened() {
    let mut workspace = Workspace::new();
    workspace.start();
    line_with(&workspace.screen(80, 24), ". shows its file");
    workspace.invoke("source.go-to-position");
    line_with(&workspace.screen(80, 24), "def checkout");
}

#[test]
fn actions_say_why_they_cannot_be_done() {
    let mut workspace = Workspace::new();
    assert_eq!(
        workspace.why_not("debug.step-over"),
        "No active debug session. Launch or attach first."
    );
    assert_eq!(
        workspace.why_not("debug.toggle-breakpoint"),
        "No source is open: press o to open a file."
    );
    workspace.start();
    assert_eq!(
        workspace.why_not("debug.continue"),
        "The program is running."
    );
    assert_eq!(workspace.why_not("debug.evaluate"), "No thread is stopped.");
    assert!(matches!(
        workspace.invoke("debug.pause")[..],
        [Command::Pause { .. }]
    ));
    workspace.stop(1, vec![frame(11, "checkout", Some("/project/shop.py"), 9)]);
    assert_eq!(
        workspace.why_not("debug.pause"),
        "The program is already stopped."
    );
    assert_eq!(
        workspace.why_not("debug.step-back"),
        "This adapter cannot run backwards."
    );
    workspace.tell(vec![change(Change::Ended {
        why: "It ended.".into(),
    })]);
    assert!(matches!(
        workspace.invoke("debug.continue")[..],
        [Command::Restart { .. }]
    ));
}

#[test]
fn breakpoints_are_toggled_by_key_and_by_the_gutter() {
    let mut workspace = Workspace::stopped_in_shop();
    assert!(matches!(
        workspace.invoke("debug.toggle-breakpoint")[..],
        [Command::RemoveBreakpoint {
            id: BreakpointId(1)
        }]
    ));
    let screen = workspace.screen(200, 50);
    let row = screen.iter().position(|l| l.contains("total = 0")).unwrap() as u16;
    let commands = workspace.mouse(MouseEventKind::Down(MouseButton::Left), 2, row);
    let [Command::SetBreakpoint(spec)] = &commands[..] else {
        panic!("{commands:?}");
    };
    let BreakpointSite::Source { path, line, .. } = &spec.site else {
        panic!("{spec:?}");
    };
    assert_eq!((path.to_str(), *line), (Some("/project/shop.py"), 7));
    workspace.mouse(MouseEventKind::Down(MouseButton::Left), 12, row + 1);
    let [Command::RunTo { line: 8, .. }] = workspace.invoke("debug.run-to-cursor")[..] else {
        panic!("the click did not move the cursor");
    };
}

#[test]
fn at_a_functions_breakpoint_the_editor_is_of_that_one_and_not_of_the_line() {
    let mut workspace = Workspace::new();
    workspace.start();
    let site = BreakpointSite::Function {
        name: "price_of".into(),
    };
    workspace.tell(vec![EventKind::BreakpointSet {
        breakpoint: Box::new(Breakpoint {
            site,
            ..breakpoint(1, 0, None)
        }),
    }]);
    let at = |line| frame(11, "price_of", Some("/project/shop.py"), line);
    workspace.stop(1, vec![at(4)]);
    let edited = |workspace: &mut Workspace| {
        let cx = workspace.stage.cx();
        let done = workspace.route.invoke("debug.edit-breakpoint", &cx);
        assert_eq!(done, Some(Ok(())));
        let opened = cx
            .effects
            .take()
            .into_iter()
            .find_map(|effect| match effect {
                Effect::Open(editor) => Some(editor),
                _ => None,
            });
        let screen = workspace.stage.draw(opened.unwrap().as_mut(), 100, 20);
        line_with(&screen, " Breakpoint ").to_owned()
    };
    let title = edited(&mut workspace);
    assert!(title.contains("price_of()"), "{title}");
    // Elsewhere it is a new one of the line.
    workspace.invoke("source.move-up");
    let title = edited(&mut workspace);
    assert!(title.contains("shop.py:3"), "{title}");
}

#[test]
fn dividers_are_dragged_and_remembered() {
    let mut workspace = Workspace::stopped_in_shop();
    workspace.screen(200, 50);
    workspace.mouse(MouseEventKind::Down(MouseButton::Left), 120, 5);
    assert_eq!(
        workspace.mouse(MouseEventKind::Drag(MouseButton::Left), 90, 5),
        []
    );
    let saved = workspace.mouse(MouseEventKind::Up(MouseButton::Left), 90, 5);
    let [Command::Remember { key, values }] = &saved[..] else {
        panic!("{saved:?}");
    };
    assert_eq!(key, "layout");
    assert!(workspace.screen(200, 50)[0].starts_with(&format!("╭─ 1 shop.py {}", "─".repeat(60))));
    assert_eq!(
        workspace.route.layout.place(Rect::new(0, 0, 200, 50)).panes[0]
            .1
            .width,
        90
    );
    let mut again = Workspace::new();
    again.tell(vec![EventKind::Memory {
        key: "layout".into(),
        values: values.clone(),
    }]);
    assert_eq!(
        again.route.layout.place(Rect::new(0, 0, 200, 50)).panes[0]
            .1
            .width,
        90
    );
}

#[test]
fn the_mouse_focuses_and_the_wheel_does_not() {
    let mut workspace = Workspace::stopped_in_shop();
    workspace.screen(200, 50);
    workspace.mouse(MouseEventKind::ScrollDown, 150, 5);
    assert_eq!(workspace.route.layout.focus(), Pane::Source);
    let selected = workspace.mouse(MouseEventKind::Down(MouseButton::Left), 130, 3);
    assert!(
        matches!(
            selected[..],
            [Command::SelectFrame {
                frame_id: Some(12),
                ..
            }]
        ),
        "{selected:?}"
    );
    assert_eq!(workspace.route.layout.focus(), Pane::Stack);
    let screen = workspace.screen(200, 50);
    let row = screen.iter().position(|l| l.contains("7 Console")).unwrap() as u16;
    workspace.mouse(MouseEventKind::Down(MouseButton::Left), 13, row);
    assert_eq!(workspace.route.layout.focus(), Pane::Repl);
}

#[test]
fn searching_counts_steps_and_lets_go() {
    let mut workspace = Workspace::stopped_in_shop();
    workspace.screen(100, 30);
    workspace.invoke("source.search");
    for c in "total".chars() {
        assert!(workspace.key(KeyCode::Char(c)));
    }
    line_with(&workspace.screen(100, 30), "2 of 6");
    workspace.key(KeyCode::Enter);
    workspace.key(KeyCode::Char('n'));
    line_with(&workspace.screen(100, 30), "3 of 6");
    workspace.key(KeyCode::Char('N'));
    workspace.key(KeyCode::Char('N'));
    line_with(&workspace.screen(100, 30), "1 of 6");
    // Any other key means what it always means.
    assert!(!workspace.key(KeyCode::Char('s')));
    assert!(!workspace.route.text_wanted());
    workspace.invoke("source.go-to-line");
    workspace.key(KeyCode::Char('4'));
    workspace.key(KeyCode::Enter);
    assert_eq!(
        workspace.route.source.cursor().map(|(_, line)| line),
        Some(4)
    );
    workspace.invoke("source.go-to-position");
    assert_eq!(
        workspace.route.source.cursor().map(|(_, line)| line),
        Some(9)
    );
}

#[test]
fn the_footer_says_of_a_search_what_its_pane_does() {
    let mut workspace = Workspace::stopped_in_shop();
    let first = |workspace: &Workspace| workspace.route.typing().first().copied();
    workspace.invoke("source.search");
    assert_eq!(first(&workspace), Some(("Enter", "keep")));
    workspace.key(KeyCode::Char('t'));
    workspace.key(KeyCode::Enter);
    assert_eq!(first(&workspace), Some(("n", "next")));
    workspace.key(KeyCode::Esc);
    workspace.invoke("source.go-to-line");
    assert_eq!(first(&workspace), Some(("Enter", "stay")));
}

#[test]
fn a_thread_that_was_opened_is_asked_for_again_at_the_next_stop() {
    let mut workspace = Workspace::stopped_in_shop();
    workspace.screen(200, 50);
    workspace.invoke("debug.focus-stack");
    workspace.invoke("stack.last");
    let asks = |commands: &[Command]| {
        let of_worker = |command: &Command| {
            let worker = Some(2);
            matches!(command, Command::StackTrace { thread, .. } if *thread == worker)
        };
        commands.iter().filter(|command| of_worker(command)).count()
    };
    assert_eq!(asks(&workspace.invoke("stack.open")), 1);
    let again = |workspace: &mut Workspace, stop| {
        let at = frame(21, "checkout", Some("/project/shop.py"), 11);
        workspace.stop(stop, vec![at])
    };
    assert_eq!(asks(&again(&mut workspace, 2)), 1);
    assert_eq!(asks(&workspace.tell(Vec::new())), 0, "once a stop");
    // Out of sight nothing is asked for.
    workspace.invoke("debug.focus-source");
    workspace.invoke("debug.zoom");
    assert_eq!(asks(&again(&mut workspace, 3)), 0);
    assert_eq!(asks(&workspace.invoke("debug.zoom")), 1);
}

#[test]
fn a_file_of_long_and_odd_lines_is_shown_with_its_remark() {
    let mut workspace = Workspace::new();
    workspace.start();
    workspace.stop(1, vec![frame(1, "main", Some("/project/big.c"), 4_000)]);
    let screen = workspace.screen(100, 30);
    line_with(&screen, "▲ The file changed after the program started.");
    assert!(line_with(&screen, " 4000 ▶ int x;  /* ä世  */").starts_with('│'));
    workspace.invoke("source.go-to-end");
    line_with(&workspace.screen(100, 30), "yyyy…");
    workspace.invoke("source.line-end");
    let screen = workspace.screen(100, 30);
    assert!(line_with(&screen, "…yyyy").contains("yyyy"));
    line_with(&screen, &format!("5001:{} of 5001", (1 << 20) + 1));
}

#[test]
fn every_key_is_bound_once_in_a_pane_and_no_pane_takes_the_routes() {
    use crate::action::Section;
    let of = |section: Section| -> Vec<String> {
        section
            .rows
            .iter()
            .flat_map(|r| r.keys.iter().map(str::to_owned).collect::<Vec<_>>())
            .collect()
    };
    let route = of(Section::of::<DebugRoute>());
    for own in [
        of(Section::of::<SourcePane>()),
        of(Section::of::<StackPane>()),
        route.clone(),
    ] {
        let mut seen = BTreeSet::new();
        for key in &own {
            assert!(seen.insert(key), "{key} twice");
        }
    }
    for key in of(Section::of::<SourcePane>())
        .iter()
        .chain(&of(Section::of::<StackPane>()))
    {
        assert!(!route.contains(key), "{key}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]
    #[test]
    fn any_size_can_be_drawn(width in 0u16..=60, height in 0u16..=30, pane in 0usize..9, zoomed: bool, ascii: bool, stopped in 0usize..3) {
        let mut workspace = match stopped {
            0 => Workspace::new(),
            1 => Workspace::stopped_in_shop(),
            _ => {
                let mut workspace = Workspace::new();
                workspace.start();
                workspace.stop(1, vec![frame(1, "raise", None, 0)]);
                workspace
            }
        };
        if ascii {
            workspace.stage.symbols = &Symbols::ASCII;
            workspace.stage.theme = Theme::mono();
        }
        workspace.route.layout.set_focus(Pane::ALL[pane]);
        workspace.route.layout.zoomed = zoomed;
        workspace.screen(width, height);
        workspace.mouse(MouseEventKind::Down(MouseButton::Left), width / 2, height / 2);
        workspace.mouse(MouseEventKind::ScrollDown, width / 2, height / 2);
        workspace.screen(height, width);
    }
}
