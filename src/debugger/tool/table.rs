//! The 28 actions: one table for `call`, the line-mode front, schemas, documentation, permissions and the state gate.

use base::text::nearest;
use dap::{protocol, types::Capabilities};
use futures_util::future::ready;

use super::{
    FURTHER,
    run::{Handler, breakpoints, by, control, inspect, machine, start},
};
use crate::{DebuggerError, command::StepKind, gate, permission::Tier};

/// Parameters of which one set must be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    pub sets: &'static [&'static [&'static str]],
    /// How the refusal names them.
    pub words: &'static str,
    /// Whether only one of the sets may be given.
    pub exclusive: bool,
}

/// One action.
#[derive(Clone, Copy, Debug)]
pub struct ActionRow {
    pub name: &'static str,
    /// What does it.
    pub(super) does: Handler,
    /// The same in one line, for people and models.
    pub help: &'static str,
    /// The least that it may do to the program; a condition, for one, may raise it (`permission::operation`).
    pub tier: Tier,
    /// Parameters that must be given.
    pub required: &'static [&'static str],
    /// Parameters of which some must be given.
    pub choice: Option<Choice>,
    /// Parameters that may be given, those of `choice` included. Every action takes `timeout` too, and `session` when it is about one.
    pub optional: &'static [&'static str],
    /// The request that it becomes; none when it is answered from what is known.
    pub request: Option<&'static str>,
    /// How the refusal names what an adapter without the request cannot do; none when every adapter can.
    pub noun: Option<&'static str>,
    /// What the state machine knows it as; none when it needs no particular state.
    pub gate: Option<gate::Action>,
}

impl ActionRow {
    /// Every parameter that it takes.
    pub fn parameters(&self) -> impl Iterator<Item = &'static str> {
        self.required
            .iter()
            .chain(self.optional)
            .copied()
            .chain(self.means_a_session().then_some("session"))
            .chain(["timeout"])
    }

    /// Whether it is about one session: the one that is named, or the one in focus.
    pub fn means_a_session(&self) -> bool {
        !matches!(self.name, "launch" | "attach" | "sessions")
    }

    /// Whether an adapter with these capabilities can do it.
    pub fn is_offered_by(&self, capabilities: &Capabilities) -> bool {
        match (self.noun, self.request.and_then(protocol::capability_for)) {
            (Some(_), Some(has)) => has(capabilities),
            _ => true,
        }
    }
}

pub(super) const PLACE: Choice = Choice {
    sets: &[&["file", "line"], &["function"]],
    words: "file+line or function",
    exclusive: true,
};
const SOME_PROCESS: Choice = Choice {
    // An adapter that is named may know what to attach to from its own settings.
    sets: &[
        &["pid"],
        &["port"],
        &["adapter"],
        &["simulator"],
        &["bundle_id"],
    ],
    words: "pid or port",
    exclusive: false,
};
const SOME_REFERENCE: Choice = Choice {
    sets: &[&["variable_ref"], &["scope_id"]],
    words: "variable_ref or scope_id",
    exclusive: false,
};

/// An action that only looks at a stopped program, without parameters or conditions; rows are written as what differs from it.
pub(super) const ROW: ActionRow = ActionRow {
    name: "",
    does: |turn, _| {
        let what = format!("Nothing does {}.", turn.row.name);
        Box::pin(ready(Err(DebuggerError::state(what))))
    },
    help: "",
    tier: Tier::Read,
    required: &[],
    choice: None,
    optional: &[],
    request: None,
    noun: None,
    gate: Some(gate::Action::Inspect),
};

/// One that needs no particular state of the session.
pub(super) const ALWAYS: ActionRow = ActionRow { gate: None, ..ROW };

/// One that a running program allows as well.
pub(super) const LISTS: ActionRow = ActionRow {
    gate: Some(gate::Action::List),
    ..ROW
};

/// What the rows of continue and the steps share.
pub(super) const RESUME: ActionRow = ActionRow {
    tier: Tier::Control,
    gate: Some(gate::Action::Resume),
    ..ROW
};

/// All of them.
pub const ACTIONS: [ActionRow; 28] = [
    ActionRow {
        name: "launch",
        does: by!(start::launch),
        help: "Start a program under a debugger, and wait up to 5 s for its first stop; without breakpoints or chosen exceptions that is its first line.",
        tier: Tier::Exec,
        required: &["program"],
        optional: &["args", "adapter", "cwd"],
        request: Some("launch"),
        ..ALWAYS
    },
    ActionRow {
        name: "attach",
        does: by!(start::attach),
        help: "Attach to a process by its id, to a debug server by its port, or to an app in a simulator.",
        tier: Tier::Exec,
        choice: Some(SOME_PROCESS),
        optional: &[
            "pid",
            "port",
            "host",
            "simulator",
            "bundle_id",
            "wait_for",
            "adapter",
            "cwd",
        ],
        request: Some("attach"),
        ..ALWAYS
    },
    ActionRow {
        name: "set_breakpoint",
        does: by!(breakpoints::set),
        help: "Set or change a breakpoint at a line of a file or at a function; before a launch too.",
        tier: Tier::Control,
        choice: Some(PLACE),
        optional: &[
            "file",
            "line",
            "function",
            "condition",
            "hit_condition",
            "mode",
        ],
        request: Some("setBreakpoints"),
        ..ALWAYS
    },
    ActionRow {
        name: "remove_breakpoint",
        does: by!(breakpoints::remove),
        help: "Remove the breakpoint at a line of a file or at a function.",
        tier: Tier::Control,
        choice: Some(PLACE),
        optional: &["file", "line", "function"],
        request: Some("setBreakpoints"),
        ..ALWAYS
    },
    ActionRow {
        name: "set_instruction_breakpoint",
        does: by!(breakpoints::set),
        help: "Set or change a breakpoint at a machine instruction.",
        tier: Tier::Control,
        required: &["instruction_reference"],
        optional: &["offset", "condition", "hit_condition", "mode"],
        request: Some("setInstructionBreakpoints"),
        noun: Some("instruction breakpoints"),
        ..LISTS
    },
    ActionRow {
        name: "remove_instruction_breakpoint",
        does: by!(breakpoints::remove),
        help: "Remove the breakpoint at a machine instruction; without an offset all at that reference.",
        tier: Tier::Control,
        required: &["instruction_reference"],
        optional: &["offset"],
        request: Some("setInstructionBreakpoints"),
        noun: Some("instruction breakpoints"),
        ..LISTS
    },
    ActionRow {
        name: "data_breakpoint_info",
        does: by!(inspect::data_breakpoint_info),
        help: "Ask whether the program can be stopped when a variable changes, and under which id.",
        tier: Tier::EvalSafe,
        required: &["name"],
        optional: &["frame_id", "scope_id", "variable_ref", "mode"],
        request: Some("dataBreakpointInfo"),
        noun: Some("data breakpoints"),
        ..ROW
    },
    ActionRow {
        name: "set_data_breakpoint",
        does: by!(breakpoints::set),
        help: "Stop when data is read or changed; the id comes from data_breakpoint_info, and another mode is asked for anew.",
        tier: Tier::Control,
        required: &["data_id"],
        optional: &["access_type", "condition", "hit_condition", "mode"],
        request: Some("setDataBreakpoints"),
        noun: Some("data breakpoints"),
        ..LISTS
    },
    ActionRow {
        name: "remove_data_breakpoint",
        does: by!(breakpoints::remove),
        help: "Remove the breakpoint on data.",
        tier: Tier::Control,
        required: &["data_id"],
        request: Some("setDataBreakpoints"),
        noun: Some("data breakpoints"),
        ..LISTS
    },
    ActionRow {
        name: "continue",
        does: |turn, _| Box::pin(control::resume(turn, None)),
        help: "Let the program run until it stops, ends, or the timeout is over (it then runs on).",
        request: Some("continue"),
        ..RESUME
    },
    ActionRow {
        name: "step_over",
        does: |turn, _| Box::pin(control::resume(turn, Some(StepKind::Over))),
        help: "Run to the next line, over calls.",
        request: Some("next"),
        ..RESUME
    },
    ActionRow {
        name: "step_in",
        does: |turn, _| Box::pin(control::resume(turn, Some(StepKind::In))),
        help: "Step into the call at this line, or to the next line.",
        request: Some("stepIn"),
        ..RESUME
    },
    ActionRow {
        name: "step_out",
        does: |turn, _| Box::pin(control::resume(turn, Some(StepKind::Out))),
        help: "Run until the present function returns.",
        request: Some("stepOut"),
        ..RESUME
    },
    ActionRow {
        name: "pause",
        does: by!(control::pause),
        help: "Make the running program stand still.",
        tier: Tier::Control,
        request: Some("pause"),
        gate: Some(gate::Action::Pause),
        ..ROW
    },
    ActionRow {
        name: "evaluate",
        does: by!(inspect::evaluate),
        help: "Evaluate an expression in a frame, or run a command of the debugger's own where the adapter has such; either may run any code in the program.",
        tier: Tier::Exec,
        required: &["expression"],
        optional: &["context", "frame_id"],
        request: Some("evaluate"),
        ..ROW
    },
    ActionRow {
        name: "stack_trace",
        does: by!(inspect::stack_trace),
        help: "List the frames of the stopped thread, innermost first.",
        optional: &["levels"],
        request: Some("stackTrace"),
        ..ROW
    },
    ActionRow {
        name: "threads",
        does: by!(inspect::threads),
        help: "List the threads of the program and of its children.",
        request: Some("threads"),
        ..LISTS
    },
    ActionRow {
        name: "scopes",
        does: by!(inspect::scopes),
        help: "List the scopes of a frame, with the references of their variables.",
        optional: &["frame_id"],
        request: Some("scopes"),
        ..ROW
    },
    ActionRow {
        name: "variables",
        does: by!(inspect::variables),
        help: "List the variables of a scope, or the parts of a variable.",
        choice: Some(SOME_REFERENCE),
        optional: &["variable_ref", "scope_id"],
        request: Some("variables"),
        ..ROW
    },
    ActionRow {
        name: "disassemble",
        does: by!(machine::disassemble),
        help: "List machine instructions, from a reference or from where the program stopped.",
        required: &["instruction_count"],
        // `instruction_reference` is taken and not used: callers mix the two references up.
        optional: &[
            "memory_reference",
            "instruction_reference",
            "offset",
            "instruction_offset",
            "resolve_symbols",
        ],
        request: Some("disassemble"),
        noun: Some("disassembly"),
        ..ROW
    },
    ActionRow {
        name: "read_memory",
        does: by!(machine::read_memory),
        help: "Read bytes of the program's memory.",
        required: &["memory_reference", "count"],
        optional: &["offset"],
        request: Some("readMemory"),
        noun: Some("memory reads"),
        ..ROW
    },
    ActionRow {
        name: "write_memory",
        does: by!(machine::write_memory),
        help: "Change bytes of the program's memory.",
        tier: Tier::Exec,
        required: &["memory_reference", "data"],
        optional: &["offset", "allow_partial"],
        request: Some("writeMemory"),
        noun: Some("memory writes"),
        gate: Some(gate::Action::Modify),
        ..ROW
    },
    ActionRow {
        name: "modules",
        does: by!(machine::modules),
        help: "List the modules of the program.",
        optional: &["start_module", "module_count"],
        request: Some("modules"),
        noun: Some("module introspection"),
        ..LISTS
    },
    ActionRow {
        name: "loaded_sources",
        does: by!(machine::loaded_sources),
        help: "List the sources that the program has loaded.",
        request: Some("loadedSources"),
        noun: Some("loaded sources"),
        ..LISTS
    },
    ActionRow {
        name: "custom_request",
        does: by!(machine::custom_request),
        help: "Send any request to the adapter, of the protocol or of the adapter's own.",
        tier: Tier::Exec,
        required: &["command"],
        optional: &["arguments"],
        ..LISTS
    },
    ActionRow {
        name: "output",
        does: by!(start::output),
        help: "Show what the program and its adapter printed last; after the end too.",
        ..ALWAYS
    },
    ActionRow {
        name: "terminate",
        does: by!(start::terminate),
        help: "End the session and its children: a launched program ends, one that was attached to runs on.",
        tier: Tier::Exec,
        request: Some("disconnect"),
        gate: Some(gate::Action::Terminate),
        ..ROW
    },
    ActionRow {
        name: "sessions",
        does: |turn, _| Box::pin(ready(Ok(start::sessions(turn)))),
        help: "List all sessions, ended ones too.",
        ..ALWAYS
    },
];

/// The action of this name; the error quotes it and names the nearest ones.
pub fn action(name: &str) -> Result<&'static ActionRow, String> {
    let all = || ACTIONS.iter().chain(FURTHER);
    all().find(|row| row.name == name).ok_or_else(|| {
        let names = all().map(|row| row.name);
        match nearest::did_you_mean(name, names.clone()).as_str() {
            "" => format!(
                "{name:?} is no action; there are {}",
                names.collect::<Vec<_>>().join(", ")
            ),
            near => format!("{name:?} is no action{near}"),
        }
    })
}

/// The actions there are: none when debugging is switched off (`debug.enabled`), so that it is absent and does not merely fail.
pub fn available(enabled: bool) -> &'static [ActionRow] {
    if enabled { &ACTIONS } else { &[] }
}
