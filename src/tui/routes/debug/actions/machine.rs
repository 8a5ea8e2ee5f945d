//! Below the source and beside the usual way: instructions, memory, registers, jumps, calls chosen, frames begun anew, data that
//! stops the program, and what the adapter can list.

use dap::{
    requests::{
        DapRequest, Goto, GotoArguments, GotoTargets, GotoTargetsArguments, GotoTargetsResponse,
        LoadedSources, LoadedSourcesResponse, Modules, ModulesArguments, ModulesResponse,
        StepInTargets, StepInTargetsArguments, StepInTargetsResponse,
    },
    types::{DataBreakpointAccessType as Access, Source},
};
use debugger::Granularity;

use super::{
    gates::{able, allowed, toggle},
    inspection::can_inspect,
};
use crate::{
    debug_prelude::*,
    routes::debug::{DebugRoute, breakpoints::access_of, memory, variables::panel::TreePanel},
};

impl DebugRoute {
    /// Steps go by instructions while those are what is looked at.
    pub(super) fn granularity(&self, view: &View) -> Granularity {
        let fine = view
            .session()
            .is_some_and(|s| s.capabilities.supports_stepping_granularity);
        if fine && self.layout.focus() == Pane::Disassembly {
            Granularity::Instruction
        } else {
            Granularity::default()
        }
    }
}

pub fn can_toggle_breakpoint(route: &DebugRoute, view: &View) -> Enabled {
    match route.layout.focus() {
        Pane::Disassembly => route.disassembly.can_break(view),
        _ => route.source.at_file_line(),
    }
}

/// At the line under the source's cursor, or at the instruction, when those are what is looked at.
pub fn toggle_breakpoint(route: &mut DebugRoute, cx: &Cx) {
    match route.layout.focus() {
        Pane::Disassembly => route.disassembly.toggle_breakpoint(cx),
        _ => route.source.toggle_breakpoint(cx),
    }
}

pub fn can_step_instruction(_: &DebugRoute, view: &View) -> Enabled {
    able(
        view,
        Gate::Resume,
        |c| c.supports_stepping_granularity,
        "This adapter does not step by instructions.",
    )
}

pub fn can_show_memory(route: &DebugRoute, view: &View) -> Enabled {
    memory::able(view)?;
    if route.layout.focus() == Pane::Disassembly {
        return allowed(view, Gate::Inspect);
    }
    can_inspect(route, view)
}

/// Shows the bytes of what is under the cursor: a value, a name, an instruction.
pub fn show_memory(route: &mut DebugRoute, cx: &Cx) {
    let instruction = match route.layout.focus() {
        Pane::Disassembly => route.disassembly.selected_address(),
        _ => None,
    };
    let reference = route.values().and_then(TreePanel::selected_place);
    let expression = route.expression();
    route.layout.set_focus(Pane::Memory);
    route.attend(cx);
    match (instruction, reference, expression) {
        (Some(address), ..) => route.memory.show_reference(&address, "", cx),
        (None, Some((reference, name)), _) => route.memory.show_reference(&reference, &name, cx),
        (None, None, Some(expression)) => route.memory.show_expression(&expression, cx),
        (None, None, None) => {}
    }
}

pub fn can_show_registers(_: &DebugRoute, view: &View) -> Enabled {
    allowed(view, Gate::Inspect)?;
    match view.session().and_then(|s| s.current_scopes()) {
        Some(all) if all.scopes.iter().any(|s| is_registers(&s.scope)) => Ok(()),
        Some(_) => Err("This adapter shows no registers."),
        None => Err("The scopes are still being read."),
    }
}

/// Whether a scope holds the machine's registers.
fn is_registers(scope: &dap::types::Scope) -> bool {
    scope.presentation_hint.as_deref() == Some("registers")
        || scope.name.to_ascii_lowercase().contains("register")
}

pub fn show_registers(route: &mut DebugRoute, cx: &Cx) {
    let scopes = cx.view.session().and_then(|s| s.current_scopes());
    let registers = scopes.and_then(|s| s.scopes.iter().find(|s| is_registers(&s.scope)));
    if let Some(name) = registers.map(|s| s.scope.name.clone()) {
        route.layout.set_focus(Pane::Scopes);
        route.scopes.open_scope(&name, cx);
    }
}

pub fn can_jump(route: &DebugRoute, view: &View) -> Enabled {
    able(
        view,
        Gate::Resume,
        |c| c.supports_goto_targets_request,
        "This adapter cannot jump to a line.",
    )?;
    route.source.at_file_line()
}

/// Asks where one can jump at the cursor's line; a lone place is gone to at once.
pub fn jump(route: &mut DebugRoute, cx: &Cx) {
    let Some((path, line)) = route.source.cursor() else {
        return;
    };
    let session = cx.view.state.focus;
    let Some(thread_id) = cx.view.session().and_then(Session::current_thread) else {
        return cx.warn("Debugger reported no threads.");
    };
    let asked = GotoTargetsArguments {
        source: Source {
            name: path.file_name().map(|n| n.to_string_lossy().into_owned()),
            path: Some(path.to_string_lossy().into_owned()),
            ..Source::default()
        },
        line,
        column: None,
    };
    let choices = move |answer: GotoTargetsResponse| {
        let places = answer.targets.iter().map(|target| {
            let to = GotoArguments {
                thread_id,
                target_id: target.id,
            };
            let go = Command::request::<Goto>(session, &to);
            place(&target.label, Some(target.line), go)
        });
        places.collect()
    };
    let none = "There is nowhere to jump to at this line.";
    offer::<GotoTargets>("Jump to", &asked, true, none, choices, cx);
}

pub fn choose_call(_: &mut DebugRoute, cx: &Cx) {
    let session = cx.view.state.focus;
    let Some(frame_id) = cx.view.session().and_then(Session::frame_id) else {
        return cx.warn("No frame is selected.");
    };
    let choices = move |answer: StepInTargetsResponse| {
        let calls = answer.targets.iter().map(|target| {
            let step = Command::StepInto {
                session,
                thread: None,
                target: target.id,
            };
            place(&target.label, target.line, step)
        });
        calls.collect()
    };
    let asked = StepInTargetsArguments { frame_id };
    let none = "There is no call in this line.";
    offer::<StepInTargets>("Step into", &asked, false, none, choices, cx);
}

pub fn can_restart_frame(_: &DebugRoute, view: &View) -> Enabled {
    able(
        view,
        Gate::Resume,
        |c| c.supports_restart_frame,
        "This adapter cannot restart a frame.",
    )?;
    let frame = view.session().and_then(|s| s.current_frame());
    frame
        .is_none_or(|f| f.can_restart != Some(false))
        .or_why("The adapter says that this frame cannot be restarted.")
}

pub fn can_record(_: &DebugRoute, view: &View) -> Enabled {
    allowed(view, Gate::Modify)?;
    match view.session() {
        Some(session) if session.can_record_execution => Ok(()),
        Some(session) if session.capabilities.supports_step_back => {
            Err("This adapter can run backwards at any time.")
        }
        _ => Err("This debugger does not keep what the program does."),
    }
}

pub fn toggle_record(_: &mut DebugRoute, cx: &Cx) {
    let command = |session, on| Command::RecordExecution { session, on };
    let on = toggle(|s| s.records_execution, command, cx);
    cx.info(if on {
        "What the program does from here on is kept: it can be run backwards."
    } else {
        "What the program does is not kept any more."
    });
}

pub fn can_break_on_data(route: &DebugRoute, view: &View) -> Enabled {
    able(
        view,
        Gate::Inspect,
        |c| c.supports_data_breakpoints,
        "This adapter has no data breakpoints.",
    )?;
    if route.layout.focus() == Pane::Memory {
        route
            .memory
            .selected_address()
            .ok_or("No memory is shown: g goes to an address.")?;
        return able_to(
            view,
            |c| c.supports_data_breakpoint_bytes,
            "This adapter has data breakpoints at variables only, not at addresses.",
        );
    }
    can_inspect(route, view)
}

/// Asks on which access to the data under the cursor the program is to stop.
pub fn break_on_data(route: &mut DebugRoute, cx: &Cx) {
    let address = match route.layout.focus() {
        Pane::Memory => route.memory.selected_address(),
        _ => None,
    };
    if let Some(address) = address {
        let sizes = [1, 2, 4, 8].map(|bytes| {
            let name = counted(bytes, "byte");
            Choice::new(name, format!("at {address:#x}"), move || {
                ask_data(None, format!("{address:#x}"), Some(bytes))
            })
        });
        return cx.open(chooser::of("Stop when memory changes", sizes.into()));
    }
    let held = match route.layout.focus() {
        Pane::Scopes => route.scopes.selected_container(),
        _ => None,
    };
    let held = held.map(|(container, name)| (Some(container), name));
    let meant = held.or_else(|| Some((None, route.expression()?)));
    if let Some((container, name)) = meant {
        cx.extend(ask_data(container, name, None));
    }
}

fn ask_data(container: Option<i64>, name: String, bytes: Option<i64>) -> Vec<Effect> {
    let command = Command::DataBreakpointInfo {
        session: None,
        container,
        frame_id: None,
        name: name.clone(),
        bytes,
        mode: None,
    };
    let asked = match bytes {
        Some(bytes) => format!("{} at {name}", counted(bytes.unsigned_abs(), "byte")),
        None => name,
    };
    let read = move |reply: &Reply| {
        let Reply::DataBreakpointInfo { info } = reply else {
            return Err("The answer was not what was asked for.".to_owned());
        };
        let Some(data_id) = info.data_id.clone() else {
            return Err(format!("It cannot be watched: {}", info.description));
        };
        let mut kinds = info.access_types.clone().unwrap_or_default();
        if kinds.is_empty() {
            kinds.push(Access::Write);
        }
        // What one mostly wants is the first.
        kinds.sort_by_key(|access| *access != Access::Write);
        let description = info.description.clone();
        Ok(kinds
            .into_iter()
            .map(|access| {
                let spec = BreakpointSpec::at(BreakpointSite::Data {
                    data_id: data_id.clone(),
                    access: Some(access.clone()),
                    name: Some(asked.clone()),
                });
                let name = access_of(&access);
                Choice::new(name, description.clone(), move || {
                    vec![Effect::core(Command::SetBreakpoint(spec.clone()))]
                })
            })
            .collect())
    };
    let none = "The adapter names no way to watch it.";
    chooser::ask("Stop at data", command, false, none, read)
}

pub fn list_modules(_: &mut DebugRoute, cx: &Cx) {
    let choices = |answer: ModulesResponse| {
        let choices = answer.modules.iter().map(|module| {
            let more = [&module.path, &module.version, &module.address_range];
            Choice {
                name: clean(&module.name),
                more: joined(more.into_iter().flatten().map(String::as_str), "  "),
                end: module.symbol_status.clone().unwrap_or_default(),
                then: None,
            }
        });
        choices.collect()
    };
    let none = "The adapter lists no modules.";
    let all = ModulesArguments::default();
    offer::<Modules>("Modules", &all, false, none, choices, cx);
}

pub fn list_sources(_: &mut DebugRoute, cx: &Cx) {
    let choices = |answer: LoadedSourcesResponse| {
        let choices = answer.sources.into_iter().map(|source| {
            let path = source.path.clone().filter(|path| !path.is_empty());
            let name = path.or_else(|| source.name.clone());
            Choice {
                end: source.origin.clone().unwrap_or_default(),
                ..Choice::new(name.unwrap_or_default(), "", move || {
                    vec![Effect::show_source(source.clone(), None, None)]
                })
            }
        });
        choices.collect()
    };
    let none = "The program has loaded no sources.";
    offer::<LoadedSources>("Loaded sources", &(), false, none, choices, cx);
}

/// Asks the core for a list, and lets a person choose from it; `choices` gives none where the answer is no such list.
fn offer<R: DapRequest>(
    title: &'static str,
    arguments: &R::Arguments,
    at_once: bool,
    none: &'static str,
    choices: impl Fn(R::Response) -> Vec<Choice> + 'static,
    cx: &Cx,
) {
    let command = Command::request::<R>(cx.view.state.focus, arguments);
    let read = move |reply: &Reply| reply.answer::<R>().map(&choices).map_err(|e| e.what);
    let effects = chooser::ask(title, command, at_once, none, read);
    cx.extend(effects);
}

/// A place in the source that a command leads to.
fn place(label: &str, line: Option<i64>, command: Command) -> Choice {
    Choice {
        end: line.map_or_else(String::new, |line| format!("line {line}")),
        ..Choice::new(label, "", move || vec![Effect::core(command.clone())])
    }
}
