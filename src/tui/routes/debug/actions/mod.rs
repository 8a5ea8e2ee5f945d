//! What one does from any pane, one row each: to the program, to what is past, to what others may do, to the arrangement of the panes.
//! What makes the program go on is done here, the rest in the file of its theme.

/// Gives a pane the keyboard.
macro_rules! to {
    ($pane:ident) => {
        |s, cx| s.focus(Pane::$pane, cx)
    };
}

/// Sends a command about the focused session.
macro_rules! send {
    ($command:ident $(, $field:ident)*) => {
        |_, cx| cx.core(Command::$command { session: cx.view.state.focus, $($field: None),* })
    };
}

/// Whether an action makes sense.
macro_rules! when_allowed {
    ($action:ident) => {
        |_, view| allowed(view, Gate::$action)
    };
}

/// Whether it does, and the adapter has what it needs.
macro_rules! when_able {
    ($action:ident, $has:ident, $lack:literal) => {
        |_, view| able(view, Gate::$action, |can| can.$has, $lack)
    };
}

mod gates;
mod history;
mod inspection;
mod machine;
mod sessions;

use debugger::{Granularity, StepKind, permission::Mode};
use gates::{able, allowed, phase, plays, toggle};
use inspection::{
    add_watch, can_break_at_function, can_go_to_declaration, can_inspect, can_send_input,
    edit_breakpoint, edit_source, evaluate, function_breakpoint, go_to_declaration, inspect_it,
    look_at_data, send_input,
};
use machine::{
    break_on_data, can_break_on_data, can_jump, can_record, can_restart_frame, can_show_memory,
    can_show_registers, can_step_instruction, can_toggle_breakpoint, choose_call, jump,
    list_modules, list_sources, show_memory, show_registers, toggle_breakpoint, toggle_record,
};
use sessions::{
    clear_sessions, has_ended, has_progress, has_sessions, has_stopped, other_session, to_stopped,
};

use super::{
    DebugRoute, breakpoints, disassembly,
    layout::Direction,
    memory,
    popups::{
        attach_picker, exception, file_picker, hang, launch_form, progress,
        sessions as list_of_sessions, timings,
    },
    problems,
    source::page::lacking,
    stack, starting,
};
use crate::debug_prelude::*;

pub const ACTIONS: &[Action<DebugRoute>] = rows! { s, cx;
    "debug.continue"            "continue"                                     ["f5" "c"], Bar("continue")   if can_continue => go_on;
    "debug.step-over"           "step over"                                    ["f10" "n"], Bar("over")      if when_allowed!(Resume) => step_here(s, StepKind::Over, cx);
    "debug.step-in"             "step in"                                      ["f11" "s"], Bar("in")        if when_allowed!(Resume) => step_here(s, StepKind::In, cx);
    "debug.step-out"            "step out"                                     ["shift-f11" "f"], Footer     if when_allowed!(Resume) => step_here(s, StepKind::Out, cx);
    "debug.pause"               "pause"                                        ["f6"], Bar("pause")          if history::can_pause => cx.core(Command::Pause { session: cx.view.state.focus, thread: None, momentary: false });
    "debug.toggle-breakpoint"   "toggle breakpoint"                            ["f9" "b"], Bar("breakpoint") if can_toggle_breakpoint => toggle_breakpoint;
    "debug.run-to-cursor"       "run to cursor"                                ["t"], Footer                 if can_run_to => run_to;
    "debug.inspect"             "inspect"                                      ["p" "K"], Footer             if can_inspect => inspect_it;
    "debug.declared"            "go to where the value is declared"            ["f12" "alt-d"]               if can_go_to_declaration => go_to_declaration;
    "debug.frame-up"            "frame up (the caller)"                        ["u" "alt-up"]                 if |_, v| frame_step(v, true).map(|_| ()) => select(true, cx);
    "debug.frame-down"          "frame down (the called)"                      ["d" "alt-down"]                 if |_, v| frame_step(v, false).map(|_| ()) => select(false, cx);
    "debug.add-watch"           "watch"                                        ["w"]                         => add_watch;
    "debug.data"                "view as data"                                 ["v"], Footer              if can_inspect => look_at_data;
    "debug.records"             "what was recorded"                            ["alt-v"]                     => s.data.show_records(cx);
    "debug.evaluate"            "evaluate"                                     ["e"]                         if when_allowed!(Inspect) => evaluate;
    "debug.send-input"          "type a line to the program"                   ["ctrl-t"]                    if can_send_input => send_input;
    "debug.restart"             "restart"                                      ["R" "ctrl-shift-f5"]         if when_allowed!(Restart) => send!(Restart);
    "debug.test-here"           "run the test at the cursor"                   ["alt-f5"]                    if |s, _| s.source.at_file_line() => starting::test_here;
    "debug.runnables"           "what can be run and tested here"              ["alt-l"]                     => cx.emit(starting::runnables(&cx.view));
    "debug.problems"            "what the compiler says"                       ["alt-c"]                     if |_, v| problems::all(v).next().or_why("No compiler said anything.") => problems::show(problems::all(&cx.view), cx);
    "debug.terminate"           "end the session"                              ["shift-f5" "X"]              if when_allowed!(Terminate) => send!(Terminate);
    "debug.detach"              "detach from the program"                      []                            if when_allowed!(Detach) => send!(Detach);
    "debug.step-back"           "step back"                                    ["shift-f10"]                 if can_go_back => step_here(s, StepKind::Back, cx);
    "debug.reverse-continue"    "run backwards"                                ["shift-f9"]                  if can_go_back => send!(ReverseContinue, thread);
    "debug.record-execution"    "record execution, to step back in it"         ["ctrl-r"]                    if can_record => toggle_record;
    "debug.step-instruction"    "step over one instruction"                    ["N"]                         if can_step_instruction => step(StepKind::Over, Granularity::Instruction, cx);
    "debug.step-instruction-in" "step into one instruction"                    ["S"]                         if can_step_instruction => step(StepKind::In, Granularity::Instruction, cx);
    "debug.step-into"           "choose the call to step into"                 ["alt-s"]                     if when_able!(Resume, supports_step_in_targets_request, "This adapter does not tell the calls of a line.") => choose_call;
    "debug.jump"                "jump to the cursor, running nothing"          ["J"]                         if can_jump => jump;
    "debug.restart-frame"       "restart the frame"                            ["alt-r"]                     if can_restart_frame => send!(RestartFrame, frame_id);
    "debug.one-thread"          "run the selected thread alone, or all"        ["alt-t"]                     if when_able!(List, supports_single_thread_execution_requests, "This adapter cannot let one thread run alone.") => {
                toggle(|s| s.single_thread, |session, on| Command::SingleThread { session, on }, cx);
    };
    "debug.exception"           "why it stopped: the exception with its causes" ["W"]                         if |_, v| exception::enabled(v) => exception::open(cx);
    "debug.data-breakpoint"     "data breakpoint: stop when the value changes" ["D"]                         if can_break_on_data => break_on_data;
    "debug.show-memory"         "memory of the value"                          ["@"]                         if can_show_memory => show_memory;
    "debug.registers"           "registers"                                    ["$"]                         if can_show_registers => show_registers;
    "debug.modules"             "modules"                                      ["alt-m"]                     if when_able!(List, supports_modules_request, "This adapter does not list modules.") => list_modules;
    "debug.loaded-sources"      "loaded sources"                               ["O"]                         if when_able!(List, supports_loaded_sources_request, "This adapter does not list sources.") => list_sources;
    "debug.progress"            "what the adapter is busy with"                ["alt-p"]                     if has_progress => progress::open(cx);
    "debug.spent"                 "where the session's time went"                ["alt-w"]                     if |_, v| timings::enabled(v) => timings::ask(cx);
    "debug.hang"                "why it hangs: who waits for whom"             ["alt-h"]                     if when_allowed!(List) => hang::open(cx);
    "debug.launch"              "start a program"                              ["f4"]                        => launch_form::open(cx);
    "debug.install-adapter"     "install the adapter it needs"                 ["i"]                         if can_install => install;
    "debug.configurations"      "start a configuration of launch.json"         ["L"]                         => starting::configure;
    "debug.attach"              "attach to a process"                          ["A"]                         => attach_picker::open(cx);
    "debug.open-file"           "open a source file"                           ["o" "ctrl-o"]                => file_picker::open(cx);
    "debug.edit-breakpoint"     "edit the breakpoint: condition, hit count, log message" ["B"]                         if |s, _| s.source.at_file_line() => edit_breakpoint;
    "debug.function-breakpoint" "breakpoint at a function"                     ["ctrl-b"]                    if can_break_at_function => function_breakpoint;
    "debug.exception-filters"   "stop at exceptions"                           ["ctrl-e"]                    if |_, v| breakpoints::has_filters(v) => {
        s.breakpoints.to_filters(&cx.view.state);
        s.focus(Pane::Breakpoints, cx);
    };
    "debug.own-code"            "steps: own code only, or into libraries"      ["alt-o"]                     => {
        cx.core(Command::OwnCode);
    };
    "debug.edit-source"         "open in the editor"                           ["E"]                         if |s, _| s.source.at_file_line() => edit_source;
    "debug.toggle-values"       "inline values on or off"                      ["I"]                         => s.source.hide_values ^= true;
    "debug.toggle-places"       "where breakpoints can be"                     ["alt-b"]                     if |s, v| s.source.can_show_places(v) => s.source.toggle_places(cx);
    "debug.next-session"        "next session"                                 [">"]                         if has_sessions => other_session(1, cx);
    "debug.previous-session"    "previous session"                             ["<"]                         if has_sessions => other_session(-1, cx);
    "debug.sessions"            "sessions as a tree"                           ["P"]                         if has_sessions => list_of_sessions::open(cx);
    "debug.next-stopped"        "next stopped session"                         [","]                         if has_stopped => to_stopped;
    "debug.clear-sessions"      "forget ended sessions"                        []                            if has_ended => clear_sessions;
    // What is past, and recordings.
    "debug.focus-stops"    "to the stops so far"                          ["T"]         => to!(Stops);
    "debug.look-earlier"   "look back at the stop before"                 ["{"]         if history::has_session => s.stops.step(-1, cx);
    "debug.look-later"     "look at the stop after that"                  ["}"]         if history::can_look_later => s.stops.step(1, cx);
    "debug.look-now"       "back to the present"                          ["backspace"] if history::looks_back => cx.emit(Effect::Look(None));
    "debug.focus-protocol" "to the log of the protocol"                   ["V"]         => to!(Protocol);
    "debug.focus-audit"    "to the audit: what others asked and did"      ["U"]         => to!(Audit);
    "debug.record"         "record everything into a file, or no longer"  ["Q"]         if history::can_record => history::record;
    "debug.play"           "let the recording go on by itself, or no longer" ["F"]         if history::is_recording => history::play(cx, |speed| u32::from(speed == 0));
    "debug.play-faster"    "play the recording faster"                    ["+"]         if history::is_recording => history::play(cx, history::faster);
    "debug.play-slower"    "play the recording slower"                    ["-"]         if history::is_recording => history::play(cx, history::slower);
    // What agents and scripts may do without asking: only a person raises it.
    "debug.agents-observe" "agents look only"                                            [] if |_, v| other(Mode::Observe, v) => cx.emit(set(Mode::Observe));
    "debug.agents-rules"   "agents do what the rules allow"                              [] if |_, v| other(Mode::Rules, v)   => cx.emit(set(Mode::Rules));
    "debug.agents-ask"     "agents ask before they do anything but look"                 [] if |_, v| other(Mode::Ask, v)     => cx.emit(set(Mode::Ask));
    "debug.agents-drive"   "agents step and set breakpoints; they ask before they run code" [] if |_, v| other(Mode::Drive, v) => cx.emit(set(Mode::Drive));
    "debug.agents-auto"    "agents do everything without asking"                         [] if |_, v| other(Mode::Auto, v)    => {
        let lines = [
            "They will run code in the program, change it and end it without asking you.",
            "The audit still has all of it.",
        ];
        let (lines, yes) = (lines.map(str::to_owned).to_vec(), vec![set(Mode::Auto)]);
        cx.confirm("Let agents do everything?", lines, "ask me nothing", yes);
    };
    // The arrangement of the panes.
    "debug.next-pane"         "next pane"                 ["tab"]        => {
        s.layout.cycle(true);
        s.attend(cx);
    };
    "debug.previous-pane"     "previous pane"             ["shift-tab"]  => {
        s.layout.cycle(false);
        s.attend(cx);
    };
    "debug.zoom"              "zoom the pane"             ["z"]          => {
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
    "debug.focus-repl"        "to the prompt"             ["7"]          => {
        s.layout.set_focus(Pane::Repl);
        s.repl.begin_typing();
    };
    "debug.focus-terminal"    "to the program's terminal" ["8"]          => to!(Terminal);
    "debug.focus-disassembly" "to the instructions"       ["9"]          if |_, v| disassembly::able(v) => to!(Disassembly);
    "debug.focus-memory"      "to the memory"             ["0"]          if |_, v| memory::able(v) => to!(Memory);
    "debug.close-pane"        "close the pane"            ["ctrl-w"]     if can_close_pane => {
        s.layout.close(s.layout.focus());
        s.attend(cx);
    };
    "debug.divider-left"      "divider left"              ["ctrl-left"]  if can_resize => nudge(s, Direction::Left, cx);
    "debug.divider-right"     "divider right"             ["ctrl-right"] if can_resize => nudge(s, Direction::Right, cx);
    "debug.divider-up"        "divider up"                ["ctrl-up"]    if can_resize => nudge(s, Direction::Up, cx);
    "debug.divider-down"      "divider down"              ["ctrl-down"]  if can_resize => nudge(s, Direction::Down, cx);
    "debug.reset-layout"      "panes as at first"         ["="]          => {
        s.layout.reset();
        s.remember_layout(cx);
    };
};

gates! { DebugRoute, route, _;
    can_close_pane: route.layout.focus().is_on_demand(), "Only panes that were opened on demand can be closed.";
    can_resize: !route.seen.placed.dividers.is_empty(), "There is only one pane in sight.";
}

/// As finely as what is looked at.
fn step_here(route: &DebugRoute, kind: StepKind, cx: &Cx) {
    step(kind, route.granularity(&cx.view), cx);
}

fn step(kind: StepKind, granularity: Granularity, cx: &Cx) {
    cx.core(Command::Step {
        session: cx.view.state.focus,
        thread: None,
        kind,
        granularity,
    });
}

fn can_continue(_: &DebugRoute, view: &View) -> Enabled {
    match phase(view) {
        Phase::NotStarted | Phase::Terminated => Ok(()),
        _ => allowed(view, Gate::Resume),
    }
}

/// F5 is whatever gets the program going: start it, go on, start it again.
fn go_on(route: &mut DebugRoute, cx: &Cx) {
    let phase = if plays(&cx.view) {
        // Its time goes on for all its sessions, whatever the one in focus does.
        Phase::Stopped
    } else {
        phase(&cx.view)
    };
    let session = cx.view.state.focus;
    match phase {
        Phase::NotStarted => starting::start(route, cx),
        Phase::Terminated => cx.core(Command::Restart { session }),
        _ => cx.core(Command::Continue {
            session,
            thread: None,
        }),
    }
}

fn can_go_back(_: &DebugRoute, view: &View) -> Enabled {
    allowed(view, Gate::Resume)?;
    match view.session() {
        Some(session) if session.can_go_back() => Ok(()),
        Some(session) if session.can_record_execution => {
            Err("Nothing is kept yet to go back in: Ctrl-R begins to keep what the program does.")
        }
        _ => Err("This adapter cannot run backwards."),
    }
}

fn can_run_to(route: &DebugRoute, view: &View) -> Enabled {
    route
        .source
        .at_file_line()
        .and_then(|()| allowed(view, Gate::Resume))
}

fn run_to(route: &mut DebugRoute, cx: &Cx) {
    if let Some((path, line)) = route.source.cursor() {
        let (session, path) = (cx.view.state.focus, path.to_path_buf());
        cx.core(Command::RunTo {
            session,
            path,
            line,
        });
    }
}

fn frame_step(view: &View, outwards: bool) -> Result<Command, &'static str> {
    allowed(view, Gate::Inspect)?;
    let session: &Session = view.session().ok_or("No active debug session.")?;
    stack::step_frame(session, outwards)
}

fn select(outwards: bool, cx: &Cx) {
    if let Ok(command) = frame_step(&cx.view, outwards) {
        cx.core(command);
    }
}

fn can_install(_: &DebugRoute, view: &View) -> Enabled {
    lacking(view).or_why("No adapter is missing.")
}

fn install(_: &mut DebugRoute, cx: &Cx) {
    if let Some(adapter) = lacking(&cx.view).map(str::to_owned) {
        cx.emit(Effect::Install { adapter });
    }
}

/// What the footer offers at this moment: what F5 does, why the program stopped; nothing to step where nothing runs.
pub(super) fn shown_now(route: &DebugRoute, id: &str, view: &View) -> Option<Show> {
    let phase = phase(view);
    let is_over = matches!(phase, Phase::NotStarted | Phase::Terminated) && !plays(view);
    match id {
        "debug.continue" if phase == Phase::NotStarted => Some(Show::Bar("start")),
        "debug.continue" if phase == Phase::Terminated => Some(Show::Bar("run again")),
        "debug.install-adapter" if lacking(view).is_some() => Some(Show::Bar("install")),
        "debug.exception" if exception::enabled(view).is_ok() => Some(Show::Bar("why")),
        "debug.problems" if problems::errors(view).next().is_some() => Some(Show::Bar("errors")),
        "debug.restart" if route.source.is_outdated() => Some(Show::Bar("restart")),
        "debug.step-over"
        | "debug.step-in"
        | "debug.step-out"
        | "debug.pause"
        | "debug.run-to-cursor"
        | "debug.inspect"
        | "debug.data"
            if is_over =>
        {
            Some(Show::HelpOnly)
        }
        _ => None,
    }
}

fn nudge(route: &mut DebugRoute, direction: Direction, cx: &Cx) {
    if route.layout.nudge(direction, route.seen.area) {
        route.remember_layout(cx);
    }
}

fn other(mode: Mode, view: &View) -> Enabled {
    (view.state.sharing.mode != mode).or_why("That is so already.")
}

fn set(mode: Mode) -> Effect {
    Effect::core(Command::SetMode { mode })
}
