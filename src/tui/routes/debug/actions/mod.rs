//! What one does from any pane, one row each: to the program, here; to the arrangement of the panes, in `panes`; to what is past, in
//! `history`.

pub mod declared;
mod execution;
mod history;
mod looking;
mod machine;
mod panes;
mod sessions;

use super::DebugRoute;
use super::kit::row;
use super::popups::{
    attach_picker, exception, exception_filters, file_picker, launch_form, progress,
    sessions as list_of_sessions, spent,
};
use crate::Effect;
use crate::action::{Action, Show, always, joined};
use debugger::gate::Action as Gate;
use debugger::{Command, StepKind};

pub(super) use execution::{called_now, start};

use Show::{Bar, Footer, HelpOnly};
use execution::{
    allowed, ask, can_continue, can_go_back, can_resume, can_run_to, configure, frame_step, go_on,
    pause, run_to, select, step,
};
use looking::{
    add_watch, can_break_at_function, can_edit_breakpoint, can_inspect, can_send_input,
    edit_breakpoint, edit_source, evaluate, function_breakpoint, inspect_it, send_input,
};
use machine::{
    break_on_data, can_break_on_data, can_choose_call, can_format, can_jump, can_list_modules,
    can_list_sources, can_record, can_restart_frame, can_run_one_thread, can_show_memory,
    can_show_registers, can_step_instruction, can_toggle_breakpoint, choose_call, jump,
    list_modules, list_sources, restart_frame, show_memory, show_registers, step_instruction,
    toggle_breakpoint, toggle_format, toggle_one_thread, toggle_record,
};
use sessions::{
    cancel_progress, clear_sessions, has_cancellable, has_ended, has_progress, has_sessions,
    has_stopped, other_session, to_stopped,
};

pub(super) const ACTIONS: &[Action<DebugRoute>] =
    &joined::<_, { PROGRAM.len() + BESIDES.len() }>(PROGRAM, BESIDES);

const BESIDES: &[Action<DebugRoute>] =
    &joined::<_, { history::ROWS.len() + panes::ROWS.len() }>(history::ROWS, panes::ROWS);

const PROGRAM: &[Action<DebugRoute>] = &[
    row(
        "debug.continue",
        "continue",
        &["f5", "c"],
        Bar("continue"),
        can_continue,
        go_on,
    ),
    row(
        "debug.step-over",
        "step over",
        &["f10", "n"],
        Bar("over"),
        can_resume,
        |s, cx| step(s, StepKind::Over, cx),
    ),
    row(
        "debug.step-in",
        "step in",
        &["f11", "s"],
        Bar("in"),
        can_resume,
        |s, cx| step(s, StepKind::In, cx),
    ),
    row(
        "debug.step-out",
        "step out",
        &["shift-f11", "f"],
        Footer,
        can_resume,
        |s, cx| step(s, StepKind::Out, cx),
    ),
    row(
        "debug.pause",
        "pause",
        &["f6"],
        Bar("pause"),
        history::can_pause,
        pause,
    ),
    row(
        "debug.toggle-breakpoint",
        "breakpoint",
        &["f9", "b"],
        Bar("breakpoint"),
        can_toggle_breakpoint,
        toggle_breakpoint,
    ),
    row(
        "debug.run-to-cursor",
        "run to cursor",
        &["t"],
        Footer,
        can_run_to,
        run_to,
    ),
    row(
        "debug.inspect",
        "inspect",
        &["p", "K"],
        Footer,
        can_inspect,
        inspect_it,
    ),
    row(
        "debug.declared",
        "go to where the value is declared",
        &["f12", "alt-d"],
        HelpOnly,
        declared::can_show,
        declared::show,
    ),
    row(
        "debug.frame-up",
        "frame up (the caller)",
        &["u"],
        HelpOnly,
        |_, v| frame_step(v, true).map(|_| ()),
        |_, cx| select(true, cx),
    ),
    row(
        "debug.frame-down",
        "frame down (the called)",
        &["d"],
        HelpOnly,
        |_, v| frame_step(v, false).map(|_| ()),
        |_, cx| select(false, cx),
    ),
    row(
        "debug.add-watch",
        "watch",
        &["w"],
        HelpOnly,
        always,
        add_watch,
    ),
    row(
        "debug.evaluate",
        "evaluate",
        &["e"],
        HelpOnly,
        |_, v| allowed(v, Gate::Inspect),
        evaluate,
    ),
    row(
        "debug.send-input",
        "type a line to the program",
        &["ctrl-t"],
        HelpOnly,
        can_send_input,
        send_input,
    ),
    row(
        "debug.restart",
        "restart",
        &["R"],
        HelpOnly,
        |_, v| allowed(v, Gate::Restart),
        |_, cx| ask(|session| Command::Restart { session }, cx),
    ),
    row(
        "debug.terminate",
        "end the session",
        &["shift-f5", "X"],
        HelpOnly,
        |_, v| allowed(v, Gate::Terminate),
        |_, cx| ask(|session| Command::Terminate { session }, cx),
    ),
    row(
        "debug.detach",
        "let go of the program",
        &[],
        HelpOnly,
        |_, v| allowed(v, Gate::Detach),
        |_, cx| ask(|session| Command::Detach { session }, cx),
    ),
    row(
        "debug.step-back",
        "step back",
        &["shift-f10"],
        HelpOnly,
        can_go_back,
        |s, cx| step(s, StepKind::Back, cx),
    ),
    row(
        "debug.reverse-continue",
        "run backwards",
        &["shift-f9"],
        HelpOnly,
        can_go_back,
        |_, cx| {
            ask(
                |session| Command::ReverseContinue {
                    session,
                    thread: None,
                },
                cx,
            );
        },
    ),
    row(
        "debug.record-execution",
        "keep what the program does, to go back in it",
        &["ctrl-r"],
        HelpOnly,
        can_record,
        toggle_record,
    ),
    row(
        "debug.step-instruction",
        "one instruction, over calls",
        &["N"],
        HelpOnly,
        can_step_instruction,
        |_, cx| step_instruction(StepKind::Over, cx),
    ),
    row(
        "debug.step-instruction-in",
        "one instruction, into calls",
        &["S"],
        HelpOnly,
        can_step_instruction,
        |_, cx| step_instruction(StepKind::In, cx),
    ),
    row(
        "debug.step-into",
        "choose the call to step into",
        &["alt-s"],
        HelpOnly,
        can_choose_call,
        choose_call,
    ),
    row(
        "debug.jump",
        "jump to the cursor, running nothing",
        &["J"],
        HelpOnly,
        can_jump,
        jump,
    ),
    row(
        "debug.restart-frame",
        "begin the frame's call anew",
        &["alt-r"],
        HelpOnly,
        can_restart_frame,
        restart_frame,
    ),
    row(
        "debug.one-thread",
        "run the selected thread alone, or all",
        &["alt-t"],
        HelpOnly,
        can_run_one_thread,
        toggle_one_thread,
    ),
    row(
        "debug.exception",
        "why it stopped: the exception with its causes",
        &["W"],
        HelpOnly,
        |_, v| exception::enabled(v),
        |_, cx| exception::open(cx),
    ),
    row(
        "debug.data-breakpoint",
        "stop when the value changes",
        &["D"],
        HelpOnly,
        can_break_on_data,
        break_on_data,
    ),
    row(
        "debug.show-memory",
        "the bytes of the value",
        &["@"],
        HelpOnly,
        can_show_memory,
        show_memory,
    ),
    row(
        "debug.registers",
        "registers",
        &["$"],
        HelpOnly,
        can_show_registers,
        show_registers,
    ),
    row(
        "debug.value-format",
        "values in hexadecimal, or not",
        &["alt-x"],
        HelpOnly,
        can_format,
        toggle_format,
    ),
    row(
        "debug.modules",
        "modules",
        &["alt-m"],
        HelpOnly,
        can_list_modules,
        list_modules,
    ),
    row(
        "debug.loaded-sources",
        "loaded sources",
        &["O"],
        HelpOnly,
        can_list_sources,
        list_sources,
    ),
    row(
        "debug.progress",
        "what the adapter is busy with",
        &["alt-p"],
        HelpOnly,
        has_progress,
        |_, cx| progress::open(cx),
    ),
    row(
        "debug.spent",
        "where the session's time went",
        &["alt-w"],
        HelpOnly,
        spent::enabled,
        |_, cx| spent::open(cx),
    ),
    row(
        "debug.launch",
        "start a program",
        &["f4"],
        HelpOnly,
        always,
        |_, cx| launch_form::open(cx),
    ),
    row(
        "debug.configurations",
        "start a configuration of launch.json",
        &["L"],
        HelpOnly,
        always,
        configure,
    ),
    row(
        "debug.attach",
        "attach to a process",
        &["A"],
        HelpOnly,
        always,
        |_, cx| attach_picker::open(cx),
    ),
    row(
        "debug.open-file",
        "open a source file",
        &["o", "ctrl-o"],
        HelpOnly,
        always,
        |_, cx| file_picker::open(cx),
    ),
    row(
        "debug.edit-breakpoint",
        "condition, hit count, log message, mode",
        &["B"],
        HelpOnly,
        can_edit_breakpoint,
        edit_breakpoint,
    ),
    row(
        "debug.function-breakpoint",
        "breakpoint at a function",
        &["ctrl-b"],
        HelpOnly,
        can_break_at_function,
        function_breakpoint,
    ),
    row(
        "debug.exception-filters",
        "stop at exceptions",
        &["ctrl-e"],
        HelpOnly,
        always,
        |_, cx| exception_filters::open(cx),
    ),
    row(
        "debug.own-code",
        "steps: own code only, or into libraries",
        &["alt-o"],
        HelpOnly,
        always,
        |_, cx| {
            cx.emit(Effect::core(Command::OwnCode));
        },
    ),
    row(
        "debug.edit-source",
        "open in the editor",
        &["E"],
        HelpOnly,
        |s, _| s.source.at_file_line(),
        edit_source,
    ),
    row(
        "debug.toggle-values",
        "values beside lines",
        &["I"],
        HelpOnly,
        always,
        |s, _| s.source.toggle_values(),
    ),
    row(
        "debug.toggle-places",
        "where breakpoints can be",
        &["alt-b"],
        HelpOnly,
        |s, v| s.source.can_show_places(v),
        |s, cx| s.source.toggle_places(cx),
    ),
    row(
        "debug.next-session",
        "next session",
        &[">"],
        HelpOnly,
        has_sessions,
        |_, cx| other_session(true, cx),
    ),
    row(
        "debug.previous-session",
        "previous session",
        &["<"],
        HelpOnly,
        has_sessions,
        |_, cx| other_session(false, cx),
    ),
    row(
        "debug.sessions",
        "sessions as a tree",
        &["P"],
        HelpOnly,
        has_sessions,
        |_, cx| list_of_sessions::open(cx),
    ),
    row(
        "debug.next-stopped",
        "next session that stands still",
        &[","],
        HelpOnly,
        has_stopped,
        to_stopped,
    ),
    row(
        "debug.clear-sessions",
        "forget ended sessions",
        &[],
        HelpOnly,
        has_ended,
        clear_sessions,
    ),
    row(
        "debug.cancel-progress",
        "stop the adapter's work",
        &[],
        HelpOnly,
        has_cancellable,
        cancel_progress,
    ),
];
