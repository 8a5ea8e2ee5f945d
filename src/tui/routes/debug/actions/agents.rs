//! What agents and scripts may do in this core without asking: a row for each mode. Only a person raises it.

use debugger::permission::Mode;

use crate::routes::debug::kit::prelude::*;

pub const ROWS: &[Action<DebugRoute>] = rows! {
    "debug.agents-observe" "agents look only"                                            [] if |_, v| other(Mode::Observe, v) => |_, cx| cx.emit(set(Mode::Observe));
    "debug.agents-rules"   "agents do what the rules allow"                              [] if |_, v| other(Mode::Rules, v)   => |_, cx| cx.emit(set(Mode::Rules));
    "debug.agents-ask"     "agents ask before they do anything but look"                 [] if |_, v| other(Mode::Ask, v)     => |_, cx| cx.emit(set(Mode::Ask));
    "debug.agents-drive"   "agents step and set breakpoints; they ask before they run code" [] if |_, v| other(Mode::Drive, v) => |_, cx| cx.emit(set(Mode::Drive));
    "debug.agents-auto"    "agents do everything without asking"                         [] if |_, v| other(Mode::Auto, v)    => |_, cx| trust_blindly(cx);
};

fn other(mode: Mode, view: &View<'_>) -> Enabled {
    (view.state.sharing.mode != mode).or_why("That is so already.")
}

fn set(mode: Mode) -> Effect {
    Effect::core(Command::SetMode { mode })
}

fn trust_blindly(cx: &mut Cx<'_>) {
    let lines = [
        "They will run code in the program, change it and end it without asking you.",
        "The audit still has all of it.",
    ];
    let lines = lines.map(str::to_owned).to_vec();
    let yes = vec![set(Mode::Auto)];
    cx.confirm("Let agents do everything?", lines, "ask me nothing", yes);
}
