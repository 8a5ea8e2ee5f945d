//! What each command is, for consent: the name by which rules and people know it, how much it may do, and what it does, in words.

use base::text::words;

use super::{ActorKind, Risk, Tier, path::is_path};
use crate::{
    command::{BreakpointSpec, StepKind},
    prelude::*,
};

/// See the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    /// Its name; empty for what is only a part of something else, or is judged where it is done.
    pub action: &'static str,
    /// How much it may do.
    pub tier: Tier,
    /// Whether it makes the program go on, or changes it: the driver's alone.
    pub drives: bool,
}

/// Which commands are called how, by their tier and whether they drive; and those that depend on more than that.
macro_rules! operations {
    (match $command:ident {
        $( $tier:ident, $drives:literal { $( $( $variant:ident )|+: $action:literal, )* } )*
    } { $($other:tt)* }) => {
        match $command {
            $( $( $( Command::$variant { .. } )|+ => ($action, $tier, $drives), )* )*
            $($other)*
        }
    };
}

/// What a command is. `breakpoint` finds the one that a spec would change.
pub fn of<'a>(
    command: &Command,
    state: &'a State,
    changes: impl Fn(&BreakpointSpec) -> Option<&'a Breakpoint>,
) -> Operation {
    use Tier::{Control, EvalSafe, Exec, Read};
    let (action, tier, drives) = operations! {
        match command {
            Exec, true {
                Launch: "launch",
                Attach: "attach",
                Replay: "replay",
                Restart: "restart",
                Terminate: "terminate",
                Detach: "disconnect",
                Goto: "goto",
                RestartFrame: "restart_frame",
                TerminateThreads: "terminate_threads",
                RecordExecution: "record_execution",
                SetVariable: "set_variable",
                WriteMemory: "write_memory",
                WriteStdin: "write_stdin",
                AnswerTerminal: "answer_terminal",
                CustomRequest: "custom_request",
                Shutdown: "shutdown",
            }
            Exec, false {
                AddWatch: "add_watch",
                EditWatch: "edit_watch",
                Record: "record",
            }
            Control, true {
                Continue: "continue",
                ReverseContinue: "reverse_continue",
                Pause: "pause",
                StepInto: "step_in",
                RunTo: "run_to",
                Play: "play",
                SingleThread: "single_thread",
            }
            Control, false {
                Clear: "clear",
                RemoveWatch: "remove_watch",
                Remember: "remember",
                OwnCode: "own_code",
                ValueFormat: "value_format",
                ResizeTerminal: "resize_terminal",
                CancelProgress | CancelRequest: "cancel",
            }
            Read, false {
                StackTrace: "stack_trace",
                Threads: "threads",
                Scopes: "scopes",
                Variables: "variables",
                Disassemble: "disassemble",
                ReadMemory: "read_memory",
                Modules: "modules",
                LoadedSources: "loaded_sources",
                Source: "source",
                Completions: "completions",
                Protocol: "protocol",
                Hang: "hang",
                Records: "records",
                Stops | LookBack: "stops",
                Focus | SelectFrame | StepInTargets | GotoTargets | BreakpointLocations |
                ExplainBreakpoint | Previews | Location | Spent | TakeControl | ReleaseControl |
                RequestControl | Decide | SetMode: "",
            }
        }
        {
            Command::Evaluate {
                expression,
                context,
                ..
            } => match context.as_str() {
                "hover" if is_path(expression) => ("evaluate", EvalSafe, false),
                // A command of the debugger's own may let the program run.
                _ => ("evaluate", Exec, expression.trim_start().starts_with('!')),
            },
            Command::Data {
                session,
                expression,
                ..
            } => {
                let session = session.or(state.focus).and_then(|id| state.session(id));
                let by_code = session.is_none_or(|session| session.reads_by_code);
                let reads = !by_code && is_path(expression);
                ("data", if reads { EvalSafe } else { Exec }, false)
            }
            Command::Step { kind, .. } => match kind {
                StepKind::Over => ("step_over", Control, true),
                StepKind::In => ("step_in", Control, true),
                StepKind::Out => ("step_out", Control, true),
                StepKind::Back => ("step_back", Control, true),
            },
            Command::SetBreakpoint(spec) => {
                let runs_code = spec.condition.is_some()
                    || spec.hit_condition.is_some()
                    || spec.log_message.is_some()
                    || spec.record.is_some()
                    || changes(spec).is_some_and(is_a_persons);
                let tier = if runs_code { Exec } else { Control };
                (names(&spec.site).0, tier, false)
            }
            Command::RemoveBreakpoint { id } => {
                let (action, tier) = known(state, *id, |site| names(site).1);
                (action, tier, false)
            }
            Command::EnableBreakpoint { id, .. } => {
                let (action, tier) = known(state, *id, |_| "enable_breakpoint");
                (action, tier, false)
            }
            Command::ClearBreakpoints => {
                let all_own = !state.breakpoints.iter().any(is_a_persons);
                let tier = if all_own { Control } else { Exec };
                ("clear_breakpoints", tier, false)
            }
            Command::SetExceptionFilters { filters } => {
                let conditions = filters.iter().flatten().any(|f| f.condition.is_some());
                let tier = if conditions { Exec } else { Control };
                ("set_exception_breakpoints", tier, false)
            }
            Command::DataBreakpointInfo {
                container, name, ..
            } => {
                // Without a container it may be any expression.
                let is_name = container.is_some() || is_path(name);
                let tier = if is_name { EvalSafe } else { Exec };
                ("data_breakpoint_info", tier, false)
            }
        }
    };
    Operation {
        action,
        tier,
        drives,
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
            let program = spec.program.to_string_lossy().into_owned();
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
        other => arguments(other),
    }
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// The fields of a command, as JSON; empty for one without any but its session and thread.
fn arguments(command: &Command) -> String {
    let Ok(Value::Object(mut fields)) = serde_json::to_value(command) else {
        return String::new();
    };
    for name in ["command", "session", "thread", "granularity", "kind"] {
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
