//! What one does from any pane, one row each: to the program, here; to the arrangement of the panes, in `panes`; to what is past, in
//! `history`; to what others may do, in `agents`.

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

mod agents;
pub mod declared;
mod execution;
mod history;
mod inspection;
mod machine;
mod panes;
mod sessions;

use debugger::{Granularity, StepKind};
use execution::{
    able, allowed, can_continue, can_go_back, can_resume, can_run_to, configure, frame_step, go_on,
    run_to, select, step, step_here, toggle,
};
use inspection::{
    add_watch, can_break_at_function, can_inspect, can_send_input, edit_breakpoint, edit_source,
    evaluate, function_breakpoint, inspect_it, look_at_data, send_input,
};
use machine::{
    break_on_data, can_break_on_data, can_jump, can_record, can_restart_frame, can_show_memory,
    can_show_registers, can_step_instruction, can_toggle_breakpoint, choose_call, jump,
    list_modules, list_sources, show_memory, show_registers, toggle_breakpoint, toggle_format,
    toggle_record,
};
use sessions::{
    cancel_progress, clear_sessions, has_cancellable, has_ended, has_progress, has_sessions,
    has_stopped, other_session, to_stopped,
};

use super::{
    commands,
    popups::{
        attach_picker, exception, exception_filters, file_picker, hang, launch_form, progress,
        sessions as list_of_sessions, timings,
    },
};
use crate::{action::joined_tables, routes::debug::kit::prelude::*};

pub(super) use execution::{shown_now, start};
pub(super) use inspection::watch;

pub const ACTIONS: &[Action<DebugRoute>] =
    &joined_tables::<_, { PROGRAM.len() + BESIDES.len() }>(PROGRAM, BESIDES);

const BESIDES: &[Action<DebugRoute>] =
    &joined_tables::<_, { history::ROWS.len() + REST.len() }>(history::ROWS, REST);

const REST: &[Action<DebugRoute>] =
    &joined_tables::<_, { agents::ROWS.len() + panes::ROWS.len() }>(agents::ROWS, panes::ROWS);

const PROGRAM: &[Action<DebugRoute>] = rows! {
    "debug.continue"            "continue"                                     ["f5" "c"], Bar("continue")   if can_continue => go_on;
    "debug.step-over"           "step over"                                    ["f10" "n"], Bar("over")      if can_resume => |s, cx| step_here(s, StepKind::Over, cx);
    "debug.step-in"             "step in"                                      ["f11" "s"], Bar("in")        if can_resume => |s, cx| step_here(s, StepKind::In, cx);
    "debug.step-out"            "step out"                                     ["shift-f11" "f"], Footer     if can_resume => |s, cx| step_here(s, StepKind::Out, cx);
    "debug.pause"               "pause"                                        ["f6"], Bar("pause")          if history::can_pause => |_, cx| cx.core(Command::Pause { session: cx.view.state.focus, thread: None, momentary: false });
    "debug.toggle-breakpoint"   "breakpoint"                                   ["f9" "b"], Bar("breakpoint") if can_toggle_breakpoint => toggle_breakpoint;
    "debug.run-to-cursor"       "run to cursor"                                ["t"], Footer                 if can_run_to => run_to;
    "debug.inspect"             "inspect"                                      ["p" "K"], Footer             if can_inspect => inspect_it;
    "debug.declared"            "go to where the value is declared"            ["f12" "alt-d"]               if declared::can_show => declared::show;
    "debug.frame-up"            "frame up (the caller)"                        ["u" "alt-up"]                 if |_, v| frame_step(v, true).map(|_| ()) => |_, cx| select(true, cx);
    "debug.frame-down"          "frame down (the called)"                      ["d" "alt-down"]                 if |_, v| frame_step(v, false).map(|_| ()) => |_, cx| select(false, cx);
    "debug.add-watch"           "watch"                                        ["w"]                         => add_watch;
    "debug.data"                "view as data"                                 ["v"], Footer              if can_inspect => look_at_data;
    "debug.records"             "what was recorded"                            ["alt-v"]                     => super::data::open_records;
    "debug.evaluate"            "evaluate"                                     ["e"]                         if when_allowed!(Inspect) => evaluate;
    "debug.send-input"          "type a line to the program"                   ["ctrl-t"]                    if can_send_input => send_input;
    "debug.restart"             "restart"                                      ["R"]                         if when_allowed!(Restart) => send!(Restart);
    "debug.test-here"           "run the test at the cursor"                   ["alt-f5"]                    if |s, _| s.source.at_file_line() => commands::test_here;
    "debug.runnables"           "what can be run and tested here"              ["alt-l"]                     => |_, cx| cx.emit(commands::list(&cx.view));
    "debug.problems"            "what the compiler says"                       ["alt-c"]                     if |_, v| commands::problems(v).next().or_why("No compiler said anything.") => |_, cx| commands::show_problems(commands::problems(&cx.view), cx);
    "debug.terminate"           "end the session"                              ["shift-f5" "X"]              if when_allowed!(Terminate) => send!(Terminate);
    "debug.detach"              "let go of the program"                        []                            if when_allowed!(Detach) => send!(Detach);
    "debug.step-back"           "step back"                                    ["shift-f10"]                 if can_go_back => |s, cx| step_here(s, StepKind::Back, cx);
    "debug.reverse-continue"    "run backwards"                                ["shift-f9"]                  if can_go_back => send!(ReverseContinue, thread);
    "debug.record-execution"    "keep what the program does, to go back in it" ["ctrl-r"]                    if can_record => toggle_record;
    "debug.step-instruction"    "one instruction, over calls"                  ["N"]                         if can_step_instruction => |_, cx| step(StepKind::Over, Granularity::Instruction, cx);
    "debug.step-instruction-in" "one instruction, into calls"                  ["S"]                         if can_step_instruction => |_, cx| step(StepKind::In, Granularity::Instruction, cx);
    "debug.step-into"           "choose the call to step into"                 ["alt-s"]                     if when_able!(Resume, supports_step_in_targets_request, "This adapter does not tell the calls of a line.") => choose_call;
    "debug.jump"                "jump to the cursor, running nothing"          ["J"]                         if can_jump => jump;
    "debug.restart-frame"       "begin the frame's call anew"                  ["alt-r"]                     if can_restart_frame => send!(RestartFrame, frame_id);
    "debug.one-thread"          "run the selected thread alone, or all"        ["alt-t"]                     if when_able!(List, supports_single_thread_execution_requests, "This adapter cannot let one thread run alone.") => |_, cx| {
                toggle(|s| s.single_thread, |session, on| Command::SingleThread { session, on }, cx);
    };
    "debug.exception"           "why it stopped: the exception with its causes" ["W"]                         if |_, v| exception::enabled(v) => |_, cx| exception::open(cx);
    "debug.data-breakpoint"     "stop when the value changes"                  ["D"]                         if can_break_on_data => break_on_data;
    "debug.show-memory"         "the bytes of the value"                       ["@"]                         if can_show_memory => show_memory;
    "debug.registers"           "registers"                                    ["$"]                         if can_show_registers => show_registers;
    "debug.value-format"        "values in hexadecimal, or not"                ["alt-x"]                     if when_able!(List, supports_value_formatting_options, "This adapter writes values in one way only; x shows whole numbers in hex.") => toggle_format;
    "debug.modules"             "modules"                                      ["alt-m"]                     if when_able!(List, supports_modules_request, "This adapter does not list modules.") => list_modules;
    "debug.loaded-sources"      "loaded sources"                               ["O"]                         if when_able!(List, supports_loaded_sources_request, "This adapter does not list sources.") => list_sources;
    "debug.progress"            "what the adapter is busy with"                ["alt-p"]                     if has_progress => |_, cx| progress::open(cx);
    "debug.spent"                 "where the session's time went"                ["alt-w"]                     if timings::enabled => |_, cx| timings::open(cx);
    "debug.hang"                "why it hangs: who waits for whom"             ["alt-h"]                     if when_allowed!(List) => |_, cx| hang::open(cx);
    "debug.launch"              "start a program"                              ["f4"]                        => |_, cx| launch_form::open(cx);
    "debug.configurations"      "start a configuration of launch.json"         ["L"]                         => configure;
    "debug.attach"              "attach to a process"                          ["A"]                         => |_, cx| attach_picker::open(cx);
    "debug.open-file"           "open a source file"                           ["o" "ctrl-o"]                => |_, cx| file_picker::open(cx);
    "debug.edit-breakpoint"     "condition, hit count, log message, mode"      ["B"]                         if |s, _| s.source.at_file_line() => edit_breakpoint;
    "debug.function-breakpoint" "breakpoint at a function"                     ["ctrl-b"]                    if can_break_at_function => function_breakpoint;
    "debug.exception-filters"   "stop at exceptions"                           ["ctrl-e"]                    => |_, cx| exception_filters::open(cx);
    "debug.own-code"            "steps: own code only, or into libraries"      ["alt-o"]                     => |_, cx| {
        cx.core(Command::OwnCode);
    };
    "debug.edit-source"         "open in the editor"                           ["E"]                         if |s, _| s.source.at_file_line() => edit_source;
    "debug.toggle-values"       "values beside lines"                          ["I"]                         => |s, _| s.source.toggle_values();
    "debug.toggle-places"       "where breakpoints can be"                     ["alt-b"]                     if |s, v| s.source.can_show_places(v) => |s, cx| s.source.toggle_places(cx);
    "debug.next-session"        "next session"                                 [">"]                         if has_sessions => |_, cx| other_session(1, cx);
    "debug.previous-session"    "previous session"                             ["<"]                         if has_sessions => |_, cx| other_session(-1, cx);
    "debug.sessions"            "sessions as a tree"                           ["P"]                         if has_sessions => |_, cx| list_of_sessions::open(cx);
    "debug.next-stopped"        "next session that stands still"               [","]                         if has_stopped => to_stopped;
    "debug.clear-sessions"      "forget ended sessions"                        []                            if has_ended => clear_sessions;
    "debug.cancel-progress"     "stop the adapter's work"                      []                            if has_cancellable => cancel_progress;
};
