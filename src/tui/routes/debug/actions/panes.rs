//! What one does to the arrangement of the panes: which has the keys, which is closed, where the dividers are. One row each.

use crate::routes::debug::{disassembly, kit::prelude::*, layout::Direction, memory};

pub const ROWS: &[Action<DebugRoute>] = rows! {
    "debug.next-pane"         "next pane"                 ["tab"]        => |s, cx| {
        s.layout.cycle(true);
        s.attend(cx);
    };
    "debug.previous-pane"     "previous pane"             ["shift-tab"]  => |s, cx| {
        s.layout.cycle(false);
        s.attend(cx);
    };
    "debug.zoom"              "zoom the pane"             ["z"]          => |s, cx| {
        s.layout.zoomed = !s.layout.zoomed;
        s.attend(cx);
    };
    "debug.focus-source"      "to the source"             ["1"]          => to!(Source);
    "debug.focus-stack"       "to the stack"              ["2"]          => to!(Stack);
    "debug.focus-scopes"      "to the scopes"             ["3"]          => to!(Scopes);
    "debug.focus-watches"     "to the watches"            ["4"]          => to!(Watches);
    "debug.focus-breakpoints" "to the breakpoints"        ["5"]          => to!(Breakpoints);
    "debug.focus-output"      "to the output"             ["6"]          => to!(Output);
    // A person who asks for the prompt is about to type: no letter of theirs is to be a command.
    "debug.focus-repl"        "to the prompt"             ["7"]          => |s, _| {
        s.layout.set_focus(Pane::Repl);
        s.repl.begin_typing();
    };
    "debug.focus-terminal"    "to the program's terminal" ["8"]          => to!(Terminal);
    "debug.focus-disassembly" "to the instructions"       ["9"]          if |_, v| disassembly::able(v) => to!(Disassembly);
    "debug.focus-memory"      "to the memory"             ["0"]          if |_, v| memory::able(v) => to!(Memory);
    "debug.close-pane"        "close the pane"            ["ctrl-w"]     if can_close_pane => |s, cx| {
        s.layout.close(s.layout.focus());
        s.attend(cx);
    };
    "debug.divider-left"      "divider left"              ["ctrl-left"]  if can_resize => |s, cx| nudge(s, Direction::Left, cx);
    "debug.divider-right"     "divider right"             ["ctrl-right"] if can_resize => |s, cx| nudge(s, Direction::Right, cx);
    "debug.divider-up"        "divider up"                ["ctrl-up"]    if can_resize => |s, cx| nudge(s, Direction::Up, cx);
    "debug.divider-down"      "divider down"              ["ctrl-down"]  if can_resize => |s, cx| nudge(s, Direction::Down, cx);
    "debug.reset-layout"      "panes as at first"         ["="]          => |s, cx| {
        s.layout.reset();
        s.remember_layout(cx);
    };
};

gates! { DebugRoute, route, _;
    can_close_pane: route.layout.focus().is_on_demand(), "Only panes that were opened on demand can be closed.";
    can_resize: !route.seen.placed.dividers.is_empty(), "There is only one pane in sight.";
}

fn nudge(route: &mut DebugRoute, direction: Direction, cx: &mut Cx<'_>) {
    if route.layout.nudge(direction, route.seen.area) {
        route.remember_layout(cx);
    }
}
