//! What is asked of a stopped program, and the breakpoints and watches that are set from any pane.

use std::path::Path;

use debugger::{spec, state::StartKind};

use super::gates::allowed;
use crate::routes::debug::{
    DebugRoute, declared, kit,
    popups::{breakpoint_editor, inspect},
    prelude::*,
    variables::{
        Declared,
        panel::{HasTree, TreePanel},
    },
    watches,
};

impl DebugRoute {
    /// The values that have the keyboard.
    pub(super) fn values(&self) -> Option<&TreePanel> {
        match self.layout.focus() {
            Pane::Scopes => Some(self.scopes.panel()),
            Pane::Watches => Some(self.watches.panel()),
            _ => None,
        }
    }

    /// The expression that is meant by "this": the selected value, or the name under the source cursor.
    pub(super) fn expression(&self) -> Option<String> {
        match self.values() {
            Some(panel) => panel.tree.selected_expression(),
            None => self.source.expression(),
        }
    }
}

pub fn can_inspect(route: &DebugRoute, view: &View) -> Enabled {
    allowed(view, Gate::Inspect)?;
    let is_value = route
        .values()
        .is_some_and(|panel| panel.selected_value().is_some());
    let why = if is_value {
        "The adapter gives no expression for this row."
    } else {
        "Put the cursor on a name or a value first."
    };
    route.expression().or_why(why)
}

pub fn inspect_it(route: &mut DebugRoute, cx: &Cx) {
    if let Some(expression) = route.expression() {
        inspect::open(&expression, cx);
    }
}

pub fn look_at_data(route: &mut DebugRoute, cx: &Cx) {
    if let Some(expression) = route.expression() {
        route.data.show(&expression, false, cx);
    }
}

pub fn can_go_to_declaration(route: &DebugRoute, view: &View) -> Enabled {
    allowed(view, Gate::Inspect)?;
    match route.values() {
        Some(panel) => panel.declared().map(|_| ()),
        None => can_inspect(route, view),
    }
}

pub fn go_to_declaration(route: &mut DebugRoute, cx: &Cx) {
    if let Some(panel) = route.values() {
        cx.extend(declared::of_selected(panel));
        return;
    }
    let Some((name, session)) = route.expression().zip(cx.view.session()) else {
        return;
    };
    let Some(stop) = session.current_stop().map(|s| s.id) else {
        return;
    };
    let known = declared::local(session, &name);
    if known != Declared::default() {
        cx.extend(declared::going(known, session.id, stop));
        return;
    }
    // Without side effects, where the adapter promises that.
    let context = if session.capabilities.supports_evaluate_for_hovers {
        "hover"
    } else {
        "watch"
    };
    let command = kit::evaluate(Some(session.id), name, context);
    cx.ask(declared::OWNER, command);
}

/// Whether what is typed would reach the program: said before anything is.
pub fn can_send_input(_: &DebugRoute, view: &View) -> Enabled {
    allowed(view, Gate::Input)?;
    match view.session() {
        Some(session) if session.takes_input => Ok(()),
        Some(session) if session.kind == StartKind::Attach => {
            Err("The program's standard input is not ours: type where the program was started.")
        }
        _ => Err(
            "The program's standard input is not ours: start it with --console pty, or give a file with --stdin.",
        ),
    }
}

/// Gives the program a line on its standard input, where that is ours.
pub fn send_input(_: &mut DebugRoute, cx: &Cx) {
    let then = |text: &str| {
        vec![Effect::core(Command::WriteStdin {
            session: None,
            text: format!("{text}\n"),
        })]
    };
    let hint = "what it reads from its standard input";
    cx.open(prompt("Type a line to the program", hint, "", None, then));
}

pub fn evaluate(route: &mut DebugRoute, cx: &Cx) {
    let initial = route.expression().unwrap_or_default();
    cx.open(prompt(
        "Evaluate",
        "An expression in the program's language, in the selected frame.",
        initial,
        Some("an expression"),
        inspect::evaluated,
    ));
}

pub fn add_watch(route: &mut DebugRoute, cx: &Cx) {
    route.layout.reveal(Pane::Watches);
    let initial = route.expression().unwrap_or_default();
    cx.open(prompt(
        "Watch",
        "An expression to evaluate at every stop.",
        initial,
        Some("an expression"),
        watches::watch,
    ));
}

/// Edits the breakpoint at the cursor's line or that stopped the program there, or one that is made there when it is accepted.
pub fn edit_breakpoint(route: &mut DebugRoute, cx: &Cx) {
    let spec = match (route.source.breakpoint(&cx.view), route.source.cursor()) {
        (Some(breakpoint), _) => BreakpointSpec::of(breakpoint),
        (None, Some((path, line))) => BreakpointSpec::line(path, line),
        (None, None) => return,
    };
    breakpoint_editor::open_for(spec, cx);
}

pub fn can_break_at_function(_: &DebugRoute, view: &View) -> Enabled {
    match view.session() {
        Some(session)
            if session.phase.is_live() && !session.capabilities.supports_function_breakpoints =>
        {
            Err("This adapter has no function breakpoints.")
        }
        _ => Ok(()),
    }
}

pub fn function_breakpoint(_: &mut DebugRoute, cx: &Cx) {
    cx.open(prompt(
        "Breakpoint at a function",
        "The name as the language writes it: main.main, shop::total, Cart.add; ?condition and #hits may follow",
        "",
        Some("a function's name"),
        break_at_function,
    ));
}

/// As the command line reads what stands behind `fn:`, which may stand here, too.
fn break_at_function(text: &str) -> Vec<Effect> {
    let named = text.strip_prefix("fn:").unwrap_or(text);
    match spec::breakpoint(&format!("fn:{named}"), Path::new("")) {
        Ok(spec) => vec![Effect::core(Command::SetBreakpoint(spec))],
        Err(why) => vec![Effect::warn(why)],
    }
}

pub fn edit_source(route: &mut DebugRoute, cx: &Cx) {
    let Some((path, line)) = route.source.cursor() else {
        return;
    };
    let path = path.to_path_buf();
    cx.emit(Effect::Edit { path, line });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_named_with_what_the_command_line_takes_behind_it() {
        let set = |text: &str| match break_at_function(text).as_slice() {
            [Effect::Core { command, .. }] => Some(format!("{command:?}")),
            _ => None,
        };
        for (text, parts) in [
            ("shop::total", &["\"shop::total\""][..]),
            (
                "Parser::parse_unit?self.src == \"x\"#2",
                &["\"Parser::parse_unit\"", "self.src ==", "Some(\"2\")"],
            ),
            ("fn:a", &["\"a\""]),
            ("Cart#add", &["\"Cart#add\""]),
        ] {
            let told = set(text).unwrap();
            assert!(parts.iter().all(|part| told.contains(part)), "{told}");
        }
        assert_eq!(set("total?"), None);
    }
}
