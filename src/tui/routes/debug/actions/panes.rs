//! What one does to the arrangement of the panes: which has the keys, which is closed, where the dividers are. One row each.

use super::machine::{can_disassemble, can_read_memory};
use crate::action::Show::HelpOnly;
use crate::action::{Action, Cx, Enabled, View, always};
use crate::routes::debug::DebugRoute;
use crate::routes::debug::kit::row;
use crate::routes::debug::layout::{Direction, Pane};

pub(super) const ROWS: &[Action<DebugRoute>] = &[
    row(
        "debug.next-pane",
        "next pane",
        &["tab"],
        HelpOnly,
        always,
        |s, cx| {
            s.layout.cycle(true);
            s.attend(cx);
        },
    ),
    row(
        "debug.previous-pane",
        "previous pane",
        &["shift-tab"],
        HelpOnly,
        always,
        |s, cx| {
            s.layout.cycle(false);
            s.attend(cx);
        },
    ),
    row(
        "debug.zoom",
        "zoom the pane",
        &["z"],
        HelpOnly,
        always,
        |s, cx| {
            s.layout.zoomed = !s.layout.zoomed;
            s.attend(cx);
        },
    ),
    row(
        "debug.focus-source",
        "to the source",
        &["1"],
        HelpOnly,
        always,
        |s, _| s.layout.set_focus(Pane::Source),
    ),
    row(
        "debug.focus-stack",
        "to the stack",
        &["2"],
        HelpOnly,
        always,
        |s, _| s.layout.set_focus(Pane::Stack),
    ),
    row(
        "debug.focus-scopes",
        "to the scopes",
        &["3"],
        HelpOnly,
        always,
        |s, _| s.layout.set_focus(Pane::Scopes),
    ),
    row(
        "debug.focus-watches",
        "to the watches",
        &["4"],
        HelpOnly,
        always,
        |s, _| s.layout.set_focus(Pane::Watches),
    ),
    row(
        "debug.focus-breakpoints",
        "to the breakpoints",
        &["5"],
        HelpOnly,
        always,
        |s, _| s.layout.set_focus(Pane::Breakpoints),
    ),
    row(
        "debug.focus-output",
        "to the output",
        &["6"],
        HelpOnly,
        always,
        |s, _| s.layout.set_focus(Pane::Output),
    ),
    row(
        "debug.focus-repl",
        "to the prompt",
        &["7"],
        HelpOnly,
        always,
        // A person who asks for the prompt is about to type: no letter of theirs is to be a command.
        |s, _| {
            s.layout.set_focus(Pane::Repl);
            s.repl.begin_typing();
        },
    ),
    row(
        "debug.focus-terminal",
        "to the program's terminal",
        &["8"],
        HelpOnly,
        always,
        |s, _| s.layout.set_focus(Pane::Terminal),
    ),
    row(
        "debug.focus-disassembly",
        "to the instructions",
        &["9"],
        HelpOnly,
        can_disassemble,
        |s, cx| s.focus(Pane::Disassembly, cx),
    ),
    row(
        "debug.focus-memory",
        "to the memory",
        &["0"],
        HelpOnly,
        can_read_memory,
        |s, cx| s.focus(Pane::Memory, cx),
    ),
    row(
        "debug.close-pane",
        "close the pane",
        &["ctrl-w"],
        HelpOnly,
        can_close_pane,
        close_pane,
    ),
    row(
        "debug.divider-left",
        "divider left",
        &["ctrl-left"],
        HelpOnly,
        can_resize,
        |s, cx| nudge(s, Direction::Left, cx),
    ),
    row(
        "debug.divider-right",
        "divider right",
        &["ctrl-right"],
        HelpOnly,
        can_resize,
        |s, cx| nudge(s, Direction::Right, cx),
    ),
    row(
        "debug.divider-up",
        "divider up",
        &["ctrl-up"],
        HelpOnly,
        can_resize,
        |s, cx| nudge(s, Direction::Up, cx),
    ),
    row(
        "debug.divider-down",
        "divider down",
        &["ctrl-down"],
        HelpOnly,
        can_resize,
        |s, cx| nudge(s, Direction::Down, cx),
    ),
    row(
        "debug.reset-layout",
        "panes as at first",
        &["="],
        HelpOnly,
        always,
        reset_layout,
    ),
];

fn can_close_pane(route: &DebugRoute, _: &View<'_>) -> Enabled {
    if route.layout.focus().is_on_demand() {
        Ok(())
    } else {
        Err("Only panes that were opened on demand can be closed.")
    }
}

fn close_pane(route: &mut DebugRoute, cx: &mut Cx<'_>) {
    let pane = route.layout.focus();
    route.layout.close(pane);
    route.attend(cx);
}

fn can_resize(route: &DebugRoute, _: &View<'_>) -> Enabled {
    if route.seen.placed.dividers.is_empty() {
        Err("There is only one pane in sight.")
    } else {
        Ok(())
    }
}

fn reset_layout(route: &mut DebugRoute, cx: &mut Cx<'_>) {
    route.layout.reset();
    route.remember_layout(cx);
}

fn nudge(route: &mut DebugRoute, direction: Direction, cx: &mut Cx<'_>) {
    if route.layout.nudge(direction, route.seen.area) {
        route.remember_layout(cx);
    }
}
