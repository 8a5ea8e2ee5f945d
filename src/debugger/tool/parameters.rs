//! The parameters of the debug tool: one table, from which validation, JSON Schema and documentation follow.

use crate::data::View;

/// What a parameter's value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// Text; an empty one counts as not given.
    Text,
    /// A whole number within bounds, both included.
    Integer {
        /// The smallest.
        least: i64,
        /// The largest.
        most: i64,
    },
    /// Any number; what lies outside of its bounds is taken as the nearer one.
    Clamped {
        /// When not given.
        default: u32,
    },
    /// Yes or no.
    Flag,
    TextList,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// Anything in braces.
    Object,
}

impl ParameterKind {
    /// For sentences: `an integer`, `a string`, …
    pub fn words(self) -> String {
        match self {
            Self::Text => "a string".to_owned(),
            Self::Integer { least, most } => match (least, most) {
                (i64::MIN, i64::MAX) => "an integer".to_owned(),
                (least, i64::MAX) => format!("an integer of at least {least}"),
                (least, most) => format!("an integer from {least} to {most}"),
            },
            Self::Clamped { .. } => "a number".to_owned(),
            Self::Flag => "true or false".to_owned(),
            Self::TextList => "a list of strings".to_owned(),
            Self::OneOf(words) => format!("one of {}", words.join(", ")),
            Self::Object => "an object".to_owned(),
        }
    }
}

/// One parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name, as on the wire.
    pub name: &'static str,
    /// What it may be.
    pub kind: ParameterKind,
    /// What it is for, in one sentence.
    pub help: &'static str,
}

const ANY: ParameterKind = ParameterKind::Integer {
    least: i64::MIN,
    most: i64::MAX,
};
const NOT_NEGATIVE: ParameterKind = ParameterKind::Integer {
    least: 0,
    most: i64::MAX,
};
const fn between(least: i64, most: i64) -> ParameterKind {
    ParameterKind::Integer { least, most }
}
const fn row(name: &'static str, kind: ParameterKind, help: &'static str) -> Parameter {
    Parameter { name, kind, help }
}

const fn text(name: &'static str, help: &'static str) -> Parameter {
    row(name, ParameterKind::Text, help)
}

/// Seconds that an action may take: the least, when nothing is said, the most.
pub const TIMEOUT: [u32; 3] = [5, 30, 300];

/// Bytes that may be asked for at once: more of them is a mistake, and no adapter gives them.
const MOST_BYTES: i64 = 16 << 20;

/// All of them.
pub const PARAMETERS: [Parameter; 40] = [
    text(
        "program",
        "Program to launch, or a command (python, pytest, cargo, `env` with NAME=VALUE before it) whose words are `args`; a relative path is below `cwd`.",
    ),
    row("args", ParameterKind::TextList, "Arguments of the program."),
    text(
        "adapter",
        "Adapter by name; without it the one that fits is chosen.",
    ),
    text("cwd", "Working directory of the program."),
    text(
        "file",
        "A source file; a relative path is below the session's working directory.",
    ),
    row("line", between(1, i32::MAX as i64), "Line, from 1."),
    text(
        "function",
        "Function of a breakpoint, instead of `file` and `line`.",
    ),
    text(
        "name",
        "A variable; for `data_breakpoint_info` an expression, too.",
    ),
    text(
        "condition",
        "An expression of the program's language: only where it is true.",
    ),
    text(
        "hit_condition",
        "Only at this hit: a number, or what the adapter understands (`>= 3`, `% 2`).",
    ),
    text(
        "mode",
        "How the adapter is to make the breakpoint, where it offers ways: `hardware`, `software`.",
    ),
    text(
        "expression",
        "An expression; for `evaluate` also a command of the debugger's own, where the adapter takes such.",
    ),
    text(
        "context",
        "Where the expression comes from: repl, watch, hover, variables, clipboard, or an adapter's own word; without it repl.",
    ),
    row(
        "frame_id",
        NOT_NEGATIVE,
        "Frame of the stack; without it the one where the program stopped.",
    ),
    row(
        "scope_id",
        NOT_NEGATIVE,
        "Reference of a scope, from `scopes`.",
    ),
    row(
        "variable_ref",
        NOT_NEGATIVE,
        "Reference of a variable with parts, from `variables`, `scopes` or `evaluate`; goes before `scope_id`.",
    ),
    row("pid", between(1, i32::MAX as i64), "Process to attach to."),
    row(
        "port",
        between(1, 65_535),
        "Port of a debug server to attach to.",
    ),
    text("host", "Host of that port; without it 127.0.0.1."),
    text(
        "simulator",
        "Simulator of an app to attach to, by name or UUID; without it the one of last time.",
    ),
    text("bundle_id", "The app in the simulator."),
    row(
        "wait_for",
        ParameterKind::Flag,
        "Wait until that app is started.",
    ),
    row(
        "levels",
        between(1, 10_000),
        "How many at most: frames (without it 100), lines of a source (40).",
    ),
    text(
        "memory_reference",
        "Place in memory: an address, or a reference that the adapter gave.",
    ),
    text(
        "instruction_reference",
        "Place of an instruction breakpoint: an address, or a reference that the adapter gave.",
    ),
    row(
        "instruction_count",
        between(1, 10_000),
        "How many instructions.",
    ),
    row(
        "instruction_offset",
        ANY,
        "Begin this many instructions after the reference; before it when negative.",
    ),
    row("count", between(1, MOST_BYTES), "How many bytes to read."),
    text("data", "Bytes to write, in base64."),
    text("data_id", "Id of the data, from `data_breakpoint_info`."),
    row(
        "access_type",
        ParameterKind::OneOf(&["read", "write", "readWrite"]),
        "Which access stops the program; without it the adapter's default, mostly write.",
    ),
    text(
        "command",
        "Name of the request, as the Debug Adapter Protocol or the adapter has it.",
    ),
    row(
        "arguments",
        ParameterKind::Object,
        "Arguments of the request, passed on as they are.",
    ),
    row("offset", ANY, "Bytes to add to the reference."),
    row(
        "resolve_symbols",
        ParameterKind::Flag,
        "Name the symbols of the instructions.",
    ),
    row(
        "allow_partial",
        ParameterKind::Flag,
        "Write what can be written when not all of it can.",
    ),
    row(
        "start_module",
        NOT_NEGATIVE,
        "First module to list, from 0.",
    ),
    row(
        "module_count",
        NOT_NEGATIVE,
        "How many modules to list; 0 or nothing for all.",
    ),
    text(
        "session",
        "Session that is meant, as `sessions` names it; without it the one in focus.",
    ),
    row(
        "timeout",
        ParameterKind::Clamped {
            default: TIMEOUT[1],
        },
        "Seconds to wait, 30 when not given; kept within 5 and 300.",
    ),
];

/// Those of what omp's tool does not have.
pub const FURTHER: [Parameter; 14] = [
    row("thread", ANY, "A thread by its number, from `threads`."),
    text(
        "record",
        "Expressions to record, with commas between them: `total, len(orders)`; with `20/s` before them at most 20 times a second.",
    ),
    row(
        "as",
        ParameterKind::OneOf(&View::NAMES),
        "How the value is to be shown; without it as fits best.",
    ),
    text(
        "rows",
        "Which rows of a table, characters of a text or bytes: 0..50 is the first fifty.",
    ),
    text("columns", "Which columns: 0..50 is the first fifty."),
    text(
        "sort",
        "Column to sort by; with a - before its name from the largest to the smallest.",
    ),
    text(
        "filter",
        "Which rows: `price > 10 and name ~ ada` (=, !=, <, <=, >, >=, ~ for a part of a text), or a text that some column has.",
    ),
    text(
        "column",
        "Column of the series; without it the first with numbers.",
    ),
    text(
        "compare",
        "Tell what differs from the same value at an earlier stop, `stop 3` (as far as that was seen), in another frame or thread, `frame 1`, `thread 5`, or from another expression. Rows begin with ~ changed, + came, - went.",
    ),
    text(
        "value",
        "The new value, as the program's language writes it.",
    ),
    row(
        "filters",
        ParameterKind::TextList,
        "Filters of the adapter (raised, uncaught, …), or names of exception types.",
    ),
    text("reason", "Why, for the person who is asked."),
    row(
        "after_stop",
        NOT_NEGATIVE,
        "The stop that is known already: wait for a newer one.",
    ),
    row(
        "since",
        NOT_NEGATIVE,
        "Number of the last event that is known; without it the last hundred are told.",
    ),
];

/// The parameter of this name.
pub fn parameter(name: &str) -> Option<&'static Parameter> {
    PARAMETERS.iter().chain(&FURTHER).find(|p| p.name == name)
}
