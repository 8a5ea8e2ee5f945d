//! What one does to a program from any pane, and to the arrangement of the panes. One row each.

use super::layout::{Direction, Pane};
use super::popups::prompts::{Prompt, required};
use super::popups::{
    attach_picker, breakpoint_editor, exception_filters, file_picker, inspect, launch_form,
};
use super::{DebugRoute, stack};
use crate::debugger::gate::{self, Action as Gate};
use crate::debugger::{
    BreakpointSite, BreakpointSpec, Command, Granularity, Phase, Session, StepKind,
};
use crate::tui::action::{Action, Cx, Enabled, Show, View, always};
use crate::tui::app::effect::Effect;
use crate::tui::routes::debug::kit::row;

use Show::{Bar, Footer, HelpOnly};

pub(super) const ACTIONS: &[Action<DebugRoute>] = &[
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
        |_, cx| step(StepKind::Over, cx),
    ),
    row(
        "debug.step-in",
        "step in",
        &["f11", "s"],
        Bar("in"),
        can_resume,
        |_, cx| step(StepKind::In, cx),
    ),
    row(
        "debug.step-out",
        "step out",
        &["shift-f11", "f"],
        Footer,
        can_resume,
        |_, cx| step(StepKind::Out, cx),
    ),
    row(
        "debug.pause",
        "pause",
        &["f6"],
        Bar("pause"),
        |_, v| allowed(v, Gate::Pause),
        pause,
    ),
    row(
        "debug.toggle-breakpoint",
        "breakpoint",
        &["f9", "b"],
        Bar("breakpoint"),
        |s, _| s.source.at_file_line(),
        |s, cx| s.source.toggle_breakpoint(cx),
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
        |_, v| allowed(v, Gate::Input),
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
        |_, cx| step(StepKind::Back, cx),
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
        "debug.launch",
        "start a program",
        &["f4"],
        HelpOnly,
        always,
        |_, cx| launch_form::open(cx),
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
        "condition, hit count, log message",
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
    row(
        "debug.next-pane",
        "next pane",
        &["tab"],
        HelpOnly,
        always,
        |s, _| s.layout.cycle(true),
    ),
    row(
        "debug.previous-pane",
        "previous pane",
        &["shift-tab"],
        HelpOnly,
        always,
        |s, _| s.layout.cycle(false),
    ),
    row(
        "debug.zoom",
        "zoom the pane",
        &["z"],
        HelpOnly,
        always,
        |s, _| s.layout.zoomed = !s.layout.zoomed,
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
        |s, _| s.layout.set_focus(Pane::Repl),
    ),
    row(
        "debug.divider-left",
        "divider left",
        &["ctrl-left"],
        HelpOnly,
        can_resize,
        |s, cx| s.nudge(Direction::Left, cx),
    ),
    row(
        "debug.divider-right",
        "divider right",
        &["ctrl-right"],
        HelpOnly,
        can_resize,
        |s, cx| s.nudge(Direction::Right, cx),
    ),
    row(
        "debug.divider-up",
        "divider up",
        &["ctrl-up"],
        HelpOnly,
        can_resize,
        |s, cx| s.nudge(Direction::Up, cx),
    ),
    row(
        "debug.divider-down",
        "divider down",
        &["ctrl-down"],
        HelpOnly,
        can_resize,
        |s, cx| s.nudge(Direction::Down, cx),
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

fn phase(view: &View<'_>) -> Phase {
    view.state.focused().map_or(Phase::NotStarted, |s| s.phase)
}

fn allowed(view: &View<'_>, action: Gate) -> Enabled {
    gate::allow(phase(view), action).map_err(|refusal| refusal.what)
}

/// Sends a command about the focused session, if there is one.
fn ask(command: fn(Option<crate::debugger::SessionId>) -> Command, cx: &mut Cx<'_>) {
    let session = cx.view.state.focus;
    cx.emit(Effect::core(command(session)));
}

fn can_resume(_: &DebugRoute, view: &View<'_>) -> Enabled {
    allowed(view, Gate::Resume)
}

fn can_continue(_: &DebugRoute, view: &View<'_>) -> Enabled {
    match phase(view) {
        Phase::NotStarted | Phase::Terminated => Ok(()),
        _ => allowed(view, Gate::Resume),
    }
}

/// F5 is whatever gets the program going: start it, go on, start it again.
fn go_on(_: &mut DebugRoute, cx: &mut Cx<'_>) {
    match phase(&cx.view) {
        Phase::NotStarted => launch_form::open(cx),
        Phase::Terminated => ask(|session| Command::Restart { session }, cx),
        _ => ask(
            |session| Command::Continue {
                session,
                thread: None,
            },
            cx,
        ),
    }
}

fn step(kind: StepKind, cx: &mut Cx<'_>) {
    let session = cx.view.state.focus;
    cx.emit(Effect::core(Command::Step {
        session,
        thread: None,
        kind,
        granularity: Granularity::default(),
    }));
}

fn pause(_: &mut DebugRoute, cx: &mut Cx<'_>) {
    ask(
        |session| Command::Pause {
            session,
            thread: None,
        },
        cx,
    );
}

fn can_go_back(_: &DebugRoute, view: &View<'_>) -> Enabled {
    allowed(view, Gate::Resume)?;
    match view.state.focused() {
        Some(session) if session.capabilities.supports_step_back => Ok(()),
        _ => Err("This adapter cannot run backwards."),
    }
}

fn can_run_to(route: &DebugRoute, view: &View<'_>) -> Enabled {
    route
        .source
        .at_file_line()
        .and_then(|()| allowed(view, Gate::Resume))
}

fn run_to(route: &mut DebugRoute, cx: &mut Cx<'_>) {
    if let Some((path, line)) = route.source.cursor() {
        let command = Command::RunTo {
            session: cx.view.state.focus,
            path: path.to_path_buf(),
            line,
        };
        cx.emit(Effect::core(command));
    }
}

fn frame_step(view: &View<'_>, outwards: bool) -> Result<Command, &'static str> {
    allowed(view, Gate::Inspect)?;
    let session: &Session = view.state.focused().ok_or("No active debug session.")?;
    stack::step_frame(session, outwards)
}

fn select(outwards: bool, cx: &mut Cx<'_>) {
    if let Ok(command) = frame_step(&cx.view, outwards) {
        cx.emit(Effect::core(command));
    }
}

impl DebugRoute {
    /// The expression that is meant by "this": the selected value, or the name under the source cursor.
    fn expression(&self) -> Option<String> {
        match self.layout.focus() {
            Pane::Scopes => self.scopes.selected_expression(),
            Pane::Watches => self.watches.selected_expression(),
            _ => self.source.expression(),
        }
    }

    fn nudge(&mut self, direction: Direction, cx: &mut Cx<'_>) {
        if self.layout.nudge(direction, self.seen.area) {
            self.remember_layout(cx);
        }
    }
}

fn can_inspect(route: &DebugRoute, view: &View<'_>) -> Enabled {
    allowed(view, Gate::Inspect)?;
    route
        .expression()
        .map(|_| ())
        .ok_or("Put the cursor on a name or a value first.")
}

fn inspect_it(route: &mut DebugRoute, cx: &mut Cx<'_>) {
    if let Some(expression) = route.expression() {
        inspect::open(&expression, cx);
    }
}

/// Gives the program a line on its standard input, where that is ours.
fn send_input(_: &mut DebugRoute, cx: &mut Cx<'_>) {
    let then = |text: &str| {
        Ok(vec![Effect::core(Command::WriteStdin {
            session: None,
            text: format!("{text}\n"),
        })])
    };
    Prompt::new(
        "Type a line to the program",
        "what it reads from its standard input",
        "",
        Box::new(then),
    )
    .open(cx);
}

fn evaluate(route: &mut DebugRoute, cx: &mut Cx<'_>) {
    let initial = route.expression().unwrap_or_default();
    Prompt::new(
        "Evaluate",
        "An expression in the program's language, in the selected frame.",
        initial,
        Box::new(|text| {
            required(text, "an expression")?;
            Ok(inspect::evaluated(text))
        }),
    )
    .open(cx);
}

fn add_watch(route: &mut DebugRoute, cx: &mut Cx<'_>) {
    route.layout.reveal(Pane::Watches);
    let watch = |expression: String| Effect::core(Command::AddWatch { expression });
    if let Some(expression) = route.expression() {
        cx.emit(watch(expression));
        return;
    }
    Prompt::new(
        "Watch",
        "An expression to evaluate at every stop.",
        "",
        Box::new(move |text| {
            required(text, "an expression")?;
            Ok(vec![watch(text.to_owned())])
        }),
    )
    .open(cx);
}

fn can_edit_breakpoint(route: &DebugRoute, _: &View<'_>) -> Enabled {
    route.source.at_file_line()
}

/// Edits the breakpoint at the cursor's line, or one that is made there when it is accepted.
fn edit_breakpoint(route: &mut DebugRoute, cx: &mut Cx<'_>) {
    let spec = match (route.source.breakpoint(&cx.view), route.source.cursor()) {
        (Some(breakpoint), _) => BreakpointSpec::of(breakpoint),
        (None, Some((path, line))) => BreakpointSpec::line(path, line),
        (None, None) => return,
    };
    breakpoint_editor::open_for(spec, cx);
}

fn can_break_at_function(_: &DebugRoute, view: &View<'_>) -> Enabled {
    match view.state.focused() {
        Some(session)
            if session.phase.is_live() && !session.capabilities.supports_function_breakpoints =>
        {
            Err("This adapter has no breakpoints at functions.")
        }
        _ => Ok(()),
    }
}

fn function_breakpoint(_: &mut DebugRoute, cx: &mut Cx<'_>) {
    Prompt::new(
        "Breakpoint at a function",
        "The name as the language writes it: main.main, shop::total, Cart.add",
        "",
        Box::new(|text| {
            required(text, "a function's name")?;
            let spec = BreakpointSpec::at(BreakpointSite::Function {
                name: text.to_owned(),
            });
            Ok(vec![Effect::core(Command::SetBreakpoint(spec))])
        }),
    )
    .open(cx);
}

fn edit_source(route: &mut DebugRoute, cx: &mut Cx<'_>) {
    let Some((path, line)) = route.source.cursor() else {
        return;
    };
    let path = path.to_path_buf();
    cx.emit(Effect::Edit { path, line });
    route.source.doubt();
}

fn has_sessions(_: &DebugRoute, view: &View<'_>) -> Enabled {
    if view.state.sessions.len() > 1 {
        Ok(())
    } else {
        Err("There is only one session.")
    }
}

fn other_session(forward: bool, cx: &mut Cx<'_>) {
    let sessions = &cx.view.state.sessions;
    let at = sessions
        .iter()
        .position(|s| Some(s.id) == cx.view.state.focus)
        .unwrap_or_default();
    let n = sessions.len().max(1);
    let next = (at + if forward { 1 } else { n - 1 }) % n;
    if let Some(session) = sessions.get(next) {
        let session = session.id;
        cx.emit(Effect::core(Command::Focus { session }));
    }
}

fn has_ended(_: &DebugRoute, view: &View<'_>) -> Enabled {
    let ended = view
        .state
        .sessions
        .iter()
        .any(|s| s.phase == Phase::Terminated);
    if ended {
        Ok(())
    } else {
        Err("No session has ended.")
    }
}

fn clear_sessions(_: &mut DebugRoute, cx: &mut Cx<'_>) {
    let ended = cx
        .view
        .state
        .sessions
        .iter()
        .filter(|s| s.phase == Phase::Terminated);
    for session in ended.map(|s| s.id).collect::<Vec<_>>() {
        cx.emit(Effect::core(Command::Clear { session }));
    }
}

fn has_cancellable(_: &DebugRoute, view: &View<'_>) -> Enabled {
    let any = view
        .state
        .focused()
        .is_some_and(|s| s.progress.iter().any(|p| p.cancellable));
    if any {
        Ok(())
    } else {
        Err("The adapter does nothing that can be stopped.")
    }
}

fn cancel_progress(_: &mut DebugRoute, cx: &mut Cx<'_>) {
    let session = cx.view.state.focused();
    let works = session
        .into_iter()
        .flat_map(|s| s.progress.iter())
        .filter(|p| p.cancellable);
    for id in works.map(|p| p.id.clone()).collect::<Vec<_>>() {
        let session = cx.view.state.focus;
        cx.emit(Effect::core(Command::CancelProgress { session, id }));
    }
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
