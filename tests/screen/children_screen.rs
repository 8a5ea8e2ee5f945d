//! A tree of sessions on the screen: breakpoints hit in children, the way to the one looked at, threads below their session,
//! another session chosen, and the end.

use crate::support;

use std::path::Path;

use support::desk::{Desk, pane, selected_row};
use support::pty::Screen;
use support::{line_of, program_source, tools};

/// Opens a program that stops at a mark in its own text.
fn open(program: &Path, mark: &str, arguments: &[&str]) -> Desk {
    let line = line_of(program, mark);
    let at = format!("{}:{line}", program.display());
    let words: Vec<_> = ["-b", &at, program.to_str().unwrap(), "--"]
        .into_iter()
        .chain(arguments.iter().copied())
        .map(str::to_owned)
        .collect();
    Desk::with(|builder| {
        let builder = match tools::js_debug() {
            Some(path) => builder.env("JS_DEBUG_DAP_SERVER", path),
            None => builder,
        };
        builder.args(words)
    })
}

/// The stack's rows without blanks at their ends.
fn stack(screen: &Screen) -> Vec<String> {
    let rows = pane(screen, "Stack");
    rows.iter().map(|row| row.trim_end().to_owned()).collect()
}

/// How far a row that contains these words is moved to the right.
fn indent(rows: &[String], words: &str) -> usize {
    let row = rows.iter().find(|row| row.contains(words));
    let row = row.unwrap_or_else(|| panic!("{words:?} is not in\n{}", rows.join("\n")));
    row.chars().take_while(|c| *c == ' ').count()
}

/// Waits for a stop whose way from the root has this many sessions, and gives their names as the header has them.
fn stop_below(desk: &Desk, place: &str, depth: usize) -> Vec<String> {
    let names = |screen: &Screen| -> Vec<String> {
        let header = screen.row(0);
        let way = header.split("  ").find(|part| part.contains("debug-"));
        let names = way.unwrap_or_default().split(['›', '+', '‖']);
        names
            .map(|name| {
                name.split_whitespace()
                    .last()
                    .unwrap_or_default()
                    .to_owned()
            })
            .filter(|name| name.starts_with("debug-"))
            .collect()
    };
    let screen = desk
        .pty
        .wait_until(&format!("a stop at depth {depth}"), |screen| {
            let header = screen.row(0);
            header.contains("stopped: breakpoint")
                && header.contains(place)
                && names(screen).len() == depth
        });
    names(&screen)
}

/// Three levels: each stops in its turn, and is what one looks at.
fn three_levels(method: &str) {
    let program = program_source("tree.py");
    let visit = line_of(&program, "visit");
    let place = format!("tree.py:{visit} in visit()");
    let desk = open(&program, "visit", &[method, "3"]);
    let pty = &desk.pty;
    desk.wait_header(&place);
    pty.key("F5");
    let way = stop_below(&desk, &place, 2);
    pty.key("F5");
    let way = [way, stop_below(&desk, &place, 3)[2..].to_vec()].concat();
    desk.wait_value("Scopes", "level", "1");

    // The tree with its threads: the one that stands still is open, its frames lie below it.
    let screen = pty.wait_until("the tree in the stack", |screen| {
        let rows = stack(screen);
        way.iter()
            .all(|name| rows.iter().any(|row| row.contains(name)))
            && rows.iter().any(|row| row.contains("▶ visit"))
            && rows.iter().any(|row| row.contains("MainThread"))
    });
    let rows = stack(&screen);
    let step = indent(&rows, &way[1]) - indent(&rows, &way[0]);
    assert_eq!(
        indent(&rows, &way[2]) - indent(&rows, &way[1]),
        step,
        "{rows:#?}"
    );
    assert!(
        indent(&rows, "MainThread") > indent(&rows, &way[2]),
        "{rows:#?}"
    );
    let row_of = |name: &str| rows.iter().position(|row| row.contains(name)).unwrap();
    assert!(rows[row_of(&way[0])].contains("running"), "{rows:#?}");
    assert!(rows[row_of(&way[2])].contains("breakpoint"), "{rows:#?}");

    // Another one is chosen: with the arrow keys, and back with the key for what stands still.
    pty.key("2").key("g");
    pty.wait_until("the first row", |screen| {
        selected_row(screen, "Stack") == Some(0)
    });
    pty.key("Enter");
    pty.wait_until("the root in the header", |screen| {
        let header = screen.row(0);
        header.contains("running") && header.contains("‖1") && !header.contains('›')
    });
    pty.key(",");
    assert_eq!(stop_below(&desk, &place, 3), way);

    // As a list, narrowed by what is typed.
    pty.key("P").wait_for("Sessions");
    pty.type_text(&way[1]);
    pty.wait_until("what is typed", |screen| {
        let rows = pane(screen, "Sessions");
        rows.first().is_some_and(|row| row.contains(&way[1]))
            && rows.get(1).is_some_and(|row| row.contains(&way[1]))
    });
    pty.key("Enter");
    pty.wait_until("the child in the header", |screen| {
        let header = screen.row(0);
        header.contains(&way[1]) && !header.contains(&way[2]) && header.contains("running")
    });
    pty.key(",");
    stop_below(&desk, &place, 3);

    // The end: from the leaves to the root.
    pty.key("F5");
    desk.wait_header("ended: exit code 0");
    desk.wait_output("level 2 exited with 0");
    // What any of them printed is there, wherever one looks: a forked process prints where its parent does.
    desk.wait_output("level 1 exited with 0");
    desk.leave();
}

#[test]
fn three_levels_of_python_by_fork() {
    require!(debugpy);
    three_levels("fork");
}

#[test]
fn three_levels_of_python_by_spawn() {
    require!(debugpy);
    three_levels("spawn");
}

#[test]
fn a_tree_that_is_quit_leaves_nothing() {
    require!(debugpy);
    let program = program_source("tree.py");
    let place = format!("tree.py:{} in visit()", line_of(&program, "visit"));
    let desk = open(&program, "visit", &["fork", "3"]);
    desk.wait_header(&place);
    desk.pty.key("F5");
    stop_below(&desk, &place, 2);
    desk.leave_live("y");
}

/// Both workers stand still; the one looked at first stays so, and the other is next when it has gone.
#[test]
fn a_cluster_of_node() {
    require!(node);
    require!(js_debug);
    let program = program_source("cluster.js");
    let place = format!("cluster.js:{} in share()", line_of(&program, "share"));
    let desk = open(&program, "share", &[]);
    let pty = &desk.pty;
    let first = stop_below(&desk, &place, 2);
    let screen = pty.wait_until("the other worker to wait", |screen| {
        screen.row(0).contains("‖1") && stack(screen).iter().any(|row| row.contains("share"))
    });
    assert!(screen.row(0).contains(&first[1]), "{}", screen.row(0));
    let part = desk.wait_value("Scopes", "part", "");
    assert!(part.row(0).contains(&first[1]));
    pty.key("F5");
    // It ends, and the other one is looked at.
    pty.wait_until("the other worker", |screen| {
        !screen.row(0).contains(&first[1])
    });
    let second = stop_below(&desk, &place, 2);
    assert_eq!(first[..1], second[..1]);
    assert_ne!(first[1], second[1]);
    pty.key("F5");
    desk.wait_header("ended");
    desk.wait_output("together 300");
    desk.leave();
}
