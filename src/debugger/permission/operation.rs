//! What each command is, for consent: the name by which rules and people know it, how much it may do, and what it does, in words.

use super::{ActorKind, Risk, path::is_path};
use crate::{adapter_requests, command::StepKind, prelude::*};

/// What a command is: what its row says, and where that depends on its arguments, by these. `breakpoint` finds the one that a spec would
/// change.
pub fn of<'a>(
    command: &Command,
    state: &'a State,
    changes: impl Fn(&BreakpointSpec) -> Option<&'a Breakpoint>,
) -> Operation {
    use Tier::{Control, EvalSafe, Exec};
    let row = command.row().0;
    let tier_if = |is: bool, tier| if is { tier } else { row.tier };
    let (action, tier) = match command {
        Command::Request { request, .. } => {
            return adapter_requests::row(request).map_or(row, |row| row.operation);
        }
        Command::Evaluate {
            expression,
            context,
            ..
        } => {
            return Operation {
                tier: tier_if(context == "hover" && is_path(expression), EvalSafe),
                // A command of the debugger's own may let the program run.
                drives: expression.trim_start().starts_with('!'),
                ..row
            };
        }
        Command::Data {
            session,
            expression,
            ..
        } => {
            let session = session.or(state.focus).and_then(|id| state.session(id));
            let by_code = session.is_none_or(|session| session.reads_by_code);
            (
                row.action,
                tier_if(!by_code && is_path(expression), EvalSafe),
            )
        }
        Command::Step { kind, .. } => {
            let action = match kind {
                StepKind::Over => "step_over",
                StepKind::In => "step_in",
                StepKind::Out => "step_out",
                StepKind::Back => "step_back",
            };
            (action, row.tier)
        }
        Command::SetBreakpoint(spec) => {
            let runs_code = spec.condition.is_some()
                || spec.hit_condition.is_some()
                || spec.log_message.is_some()
                || spec.record.is_some()
                || changes(spec).is_some_and(is_a_persons);
            (names(&spec.site).0, tier_if(runs_code, Exec))
        }
        Command::RemoveBreakpoint { id } => known(state, *id, |site| names(site).1),
        Command::EnableBreakpoint { id, .. } => known(state, *id, |_| row.action),
        Command::ClearBreakpoints => {
            let all_own = !state.breakpoints.iter().any(is_a_persons);
            (row.action, tier_if(all_own, Control))
        }
        Command::SetExceptionFilters { filters } => {
            let conditions = filters.iter().flatten().any(|f| f.condition.is_some());
            (row.action, tier_if(conditions, Exec))
        }
        Command::DataBreakpointInfo {
            container, name, ..
        } => {
            // Without a container it may be any expression.
            let is_name = container.is_some() || is_path(name);
            (row.action, tier_if(is_name, EvalSafe))
        }
        _ => return row,
    };
    Operation {
        action,
        tier,
        ..row
    }
}

/// How setting and removing are called.
fn names(site: &BreakpointSite) -> (&'static str, &'static str) {
    match site {
        BreakpointSite::Instruction { .. } => (
            "set_instruction_breakpoint",
            "remove_instruction_breakpoint",
        ),
        BreakpointSite::Data { .. } => ("set_data_breakpoint", "remove_data_breakpoint"),
        BreakpointSite::Source { .. } | BreakpointSite::Function { .. } => {
            ("set_breakpoint", "remove_breakpoint")
        }
    }
}

/// What changing a breakpoint is; a person's own is not changed as lightly.
fn known(
    state: &State,
    id: BreakpointId,
    name: impl Fn(&BreakpointSite) -> &'static str,
) -> (&'static str, Tier) {
    let known = state.breakpoint(id);
    let tier = match known {
        Some(breakpoint) if is_a_persons(breakpoint) => Tier::Exec,
        _ => Tier::Control,
    };
    (known.map_or("remove_breakpoint", |b| name(&b.site)), tier)
}

fn is_a_persons(breakpoint: &Breakpoint) -> bool {
    let by = breakpoint.by.as_ref();
    by.is_none_or(|by| by.kind != ActorKind::Agent)
}

/// How bad it may end, and what it may do to the program, in one sentence.
pub fn risk(operation: Operation) -> (Risk, &'static str) {
    use Risk::{Critical, High, Low, Medium};
    match (operation.action, operation.tier) {
        ("request_control", _) => (
            Low,
            "Whoever drives decides when the program runs and stops.",
        ),
        ("launch" | "attach" | "restart" | "replay", _) => {
            (Medium, "Starts a program, or takes hold of one that runs.")
        }
        ("terminate" | "disconnect" | "terminate_threads", _) => {
            (Medium, "Ends the program or the session.")
        }
        ("write_memory", _) => (High, "Overwrites bytes of the program's memory."),
        ("set_variable", _) => (High, "Changes a value, and may run code for it."),
        ("custom_request", _) => (Critical, "The adapter may do anything with it."),
        (action, Tier::Exec) if action.ends_with("breakpoint") || action == "clear_breakpoints" => {
            (
                High,
                "Runs code at every hit, or changes a breakpoint of yours.",
            )
        }
        (_, Tier::Exec) => (Critical, "May run any code in the program."),
        ("pause", _) => (Low, "Makes the program stand still."),
        (_, Tier::Control) if operation.drives => (Low, "Lets the program run on."),
        (_, Tier::Control) => (Low, "Changes where and how the program stops."),
        _ => (Risk::None, "Only looks."),
    }
}

/// What exactly a command does: the text that rules are held against and a person reads, whole.
pub fn subject(command: &Command, state: &State) -> String {
    let breakpoint = |id: BreakpointId| {
        let known = state.breakpoint(id);
        known.map_or_else(|| id.to_string(), |b| b.site.to_string())
    };
    match command {
        Command::Launch(spec) => {
            let program = spec.program.lossy();
            words::join([&[program][..], &spec.args].concat())
        }
        Command::Attach(spec) => spec.target().unwrap_or_default(),
        Command::Replay { path, .. } => shown(path),
        Command::Evaluate { expression, .. }
        | Command::Data { expression, .. }
        | Command::AddWatch { expression }
        | Command::EditWatch { expression, .. } => expression.clone(),
        Command::SetVariable { name, value, .. } => format!("{name} = {value}"),
        Command::WriteMemory {
            memory_reference,
            offset,
            data,
            ..
        } => {
            let offset = offset.filter(|offset| *offset != 0);
            let offset = offset.map(|offset| format!("{offset:+}"));
            format!("{memory_reference}{} {data}", offset.unwrap_or_default())
        }
        Command::WriteStdin { text, .. } | Command::AnswerTerminal { text, .. } => text.clone(),
        Command::CustomRequest {
            request, arguments, ..
        } => match arguments {
            Some(arguments) => format!("{request} {arguments}"),
            None => request.clone(),
        },
        Command::SetBreakpoint(spec) => {
            let record = spec.record.as_ref().map(ToString::to_string);
            let refined = [
                ("if", &spec.condition),
                ("hits", &spec.hit_condition),
                ("log", &spec.log_message),
                ("record", &record),
            ];
            let refined = refined
                .iter()
                .filter_map(|(word, text)| text.as_ref().map(|text| format!(" {word} {text}")));
            format!("{}{}", spec.site, refined.collect::<String>())
        }
        Command::RemoveBreakpoint { id } => breakpoint(*id),
        Command::EnableBreakpoint { id, enabled } => {
            format!(
                "{} {}",
                breakpoint(*id),
                if *enabled { "on" } else { "off" }
            )
        }
        Command::RunTo { path, line, .. } => format!("{}:{line}", shown(path)),
        Command::DataBreakpointInfo { name, .. } => name.clone(),
        Command::RequestControl { reason } => reason.clone(),
        Command::Record { file, .. } => file.as_deref().map(shown).unwrap_or_default(),
        Command::Request { arguments, .. } => fields(arguments.clone()),
        other => fields(tagged(other).unwrap_or_default().1.into()),
    }
}

fn shown(path: &Path) -> String {
    path.lossy()
}

/// Fields as JSON; empty where there are none but its session and thread.
fn fields(all: Value) -> String {
    let Value::Object(mut fields) = all else {
        return String::new();
    };
    for name in ["session", "thread", "threadId", "granularity", "kind"] {
        fields.remove(name);
    }
    fields.retain(|_, value| !value.is_null());
    if fields.is_empty() {
        return String::new();
    }
    Value::Object(fields).to_string()
}

/// The command with another subject, where that can be: what a person changed before they allowed it.
pub fn edited(command: &Command, subject: &str) -> Option<Command> {
    let mut command = command.clone();
    match &mut command {
        Command::Evaluate { expression, .. }
        | Command::Data { expression, .. }
        | Command::AddWatch { expression }
        | Command::EditWatch { expression, .. } => subject.clone_into(expression),
        Command::SetVariable { name, value, .. } => {
            let after = subject.strip_prefix(name.as_str())?.trim_start();
            after.strip_prefix('=')?.trim_start().clone_into(value);
        }
        Command::WriteStdin { text, .. } => subject.clone_into(text),
        _ => return None,
    }
    Some(command)
}
