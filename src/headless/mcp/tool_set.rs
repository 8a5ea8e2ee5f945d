//! Which of the tools are offered.

/// How many of the tools are offered: each costs a model room for its description.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ToolSet {
    /// What it takes to stop somewhere and look.
    Minimal,
    /// Without what is for machine code, the adapter itself, and going back.
    Standard,
    /// All of them.
    #[default]
    Full,
}

const MINIMAL: [&str; 13] = [
    "launch",
    "attach",
    "set_breakpoint",
    "remove_breakpoint",
    "continue",
    "pause",
    "step_over",
    "step_in",
    "step_out",
    "evaluate",
    "snapshot",
    "wait",
    "terminate",
];
const RARE: [&str; 14] = [
    "set_instruction_breakpoint",
    "remove_instruction_breakpoint",
    "data_breakpoint_info",
    "set_data_breakpoint",
    "remove_data_breakpoint",
    "disassemble",
    "read_memory",
    "write_memory",
    "modules",
    "loaded_sources",
    "custom_request",
    "step_back",
    "restart",
    "doctor",
];

impl ToolSet {
    /// The set of this name; all tools for any other.
    pub fn named(name: &str) -> Self {
        match name {
            "minimal" => Self::Minimal,
            "standard" => Self::Standard,
            _ => Self::Full,
        }
    }

    pub(super) fn has(self, name: &str) -> bool {
        match self {
            Self::Minimal => MINIMAL.contains(&name),
            Self::Standard => !RARE.contains(&name),
            Self::Full => true,
        }
    }
}
