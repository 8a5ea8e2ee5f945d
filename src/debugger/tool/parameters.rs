//! The parameters of the debug tool: one table, from which validation, JSON Schema and documentation follow.

use crate::data::View;

/// What a parameter's value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Text; an empty one counts as not given.
    Text,
    /// A whole number within bounds, both included.
    Integer {
        /// The smallest.
        least: i64,
        /// The largest.
        most: i64,
    },
    /// Any number; what lies outside of the bounds is taken as the nearer one.
    Clamped {
        /// The smallest.
        least: u32,
        /// The largest.
        most: u32,
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

impl Kind {
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
    pub kind: Kind,
    /// What it is for, in one sentence.
    pub help: &'static str,
}

const ANY: Kind = Kind::Integer {
    least: i64::MIN,
    most: i64::MAX,
};
const NOT_NEGATIVE: Kind = Kind::Integer {
    least: 0,
    most: i64::MAX,
};
const fn between(least: i64, most: i64) -> Kind {
    Kind::Integer { least, most }
}
const fn row(name: &'static str, kind: Kind, help: &'static str) -> Parameter {
    Parameter { name, kind, help }
}

/// Names of all actions, in the order of [`super::ACTIONS`].
pub const ACTION_NAMES: [&str; 28] = {
    let mut names = [""; 28];
    let mut at = 0;
    while at < names.len() {
        #[expect(
            clippy::indexing_slicing,
            reason = "both have 28 rows; a const cannot use an iterator"
        )]
        {
            names[at] = super::ACTIONS[at].name;
        }
        at += 1;
    }
    names
};

/// Bytes that may be asked for at once: more of them is a mistake, and no adapter gives them.
const MOST_BYTES: i64 = 16 << 20;

/// All of them.
pub const PARAMETERS: [Parameter; 41] = [
    row("action", Kind::OneOf(&ACTION_NAMES), "What to do."),
    row(
        "program",
        Kind::Text,
        "Program to launch; a relative path is below `cwd`, or below the session's own folder without one.",
    ),
    row("args", Kind::TextList, "Arguments of the program."),
    row(
        "adapter",
        Kind::Text,
        "Adapter by name; without it the one that fits is chosen.",
    ),
    row("cwd", Kind::Text, "Working directory of the program."),
    row(
        "file",
        Kind::Text,
        "Source file of a breakpoint; a relative path is below the session's working directory.",
    ),
    row("line", between(1, i32::MAX as i64), "Line, from 1."),
    row(
        "function",
        Kind::Text,
        "Function of a breakpoint, instead of `file` and `line`.",
    ),
    row(
        "name",
        Kind::Text,
        "Variable or expression whose data is to be watched.",
    ),
    row(
        "condition",
        Kind::Text,
        "Stop only when this expression of the program's language is true.",
    ),
    row(
        "hit_condition",
        Kind::Text,
        "Stop only at this hit: a number, or what the adapter understands (`>= 3`, `% 2`).",
    ),
    row(
        "mode",
        Kind::Text,
        "How the adapter is to make the breakpoint, where it offers ways: `hardware`, `software`.",
    ),
    row(
        "expression",
        Kind::Text,
        "Expression, or a command of the debugger's own where the adapter takes such.",
    ),
    row(
        "context",
        Kind::Text,
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
    row(
        "host",
        Kind::Text,
        "Host of that port; without it 127.0.0.1.",
    ),
    row(
        "simulator",
        Kind::Text,
        "Simulator of an app to attach to, by name or UUID; without it the one of last time.",
    ),
    row("bundle_id", Kind::Text, "The app in the simulator."),
    row("wait_for", Kind::Flag, "Wait until that app is started."),
    row(
        "levels",
        between(1, 10_000),
        "How many frames at most; without it 100.",
    ),
    row(
        "memory_reference",
        Kind::Text,
        "Place in memory: an address, or a reference that the adapter gave.",
    ),
    row(
        "instruction_reference",
        Kind::Text,
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
    row("data", Kind::Text, "Bytes to write, in base64."),
    row(
        "data_id",
        Kind::Text,
        "Id of the data, from `data_breakpoint_info`.",
    ),
    row(
        "access_type",
        Kind::OneOf(&["read", "write", "readWrite"]),
        "Which access stops the program; without it the adapter's default, mostly write.",
    ),
    row(
        "command",
        Kind::Text,
        "Name of the request, as the Debug Adapter Protocol or the adapter has it.",
    ),
    row(
        "arguments",
        Kind::Object,
        "Arguments of the request, passed on as they are.",
    ),
    row("offset", ANY, "Bytes to add to the reference."),
    row(
        "resolve_symbols",
        Kind::Flag,
        "Name the symbols of the instructions.",
    ),
    row(
        "allow_partial",
        Kind::Flag,
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
    row(
        "session",
        Kind::Text,
        "Session that is meant, as `sessions` names it; without it the one in focus.",
    ),
    row(
        "timeout",
        Kind::Clamped {
            least: 5,
            most: 300,
            default: 30,
        },
        "Seconds to wait, 30 when not given; kept within 5 and 300.",
    ),
];

/// Those of what omp's tool does not have.
pub const FURTHER: [Parameter; 13] = [
    row(
        "record",
        Kind::Text,
        "Expressions to record, with commas between them: `total, len(orders)`; with `20/s` before them at most 20 times a second.",
    ),
    row(
        "as",
        Kind::OneOf(&View::NAMES),
        "How the value is to be shown; without it as fits best.",
    ),
    row(
        "rows",
        Kind::Text,
        "Which rows of a table, characters of a text or bytes: 0..50 is the first fifty.",
    ),
    row(
        "columns",
        Kind::Text,
        "Which columns: 0..50 is the first fifty.",
    ),
    row(
        "sort",
        Kind::Text,
        "Column to sort by; with a - before its name from the largest to the smallest.",
    ),
    row(
        "filter",
        Kind::Text,
        "Which rows: `price > 10 and name ~ ada` (=, !=, <, <=, >, >=, ~ for a part of a text), or a text that some column has.",
    ),
    row(
        "column",
        Kind::Text,
        "Column of the series; without it the first with numbers.",
    ),
    row(
        "compare",
        Kind::Text,
        "Tell what differs from the same value at an earlier stop, `stop 3` (as far as that was seen), in another frame or thread, `frame 1`, `thread 5`, or from another expression. Rows begin with ~ changed, + came, - went.",
    ),
    row(
        "value",
        Kind::Text,
        "The new value, as the program's language writes it.",
    ),
    row(
        "filters",
        Kind::TextList,
        "Filters of the adapter (raised, uncaught, …), or names of exception types.",
    ),
    row("reason", Kind::Text, "Why, for the person who is asked."),
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
