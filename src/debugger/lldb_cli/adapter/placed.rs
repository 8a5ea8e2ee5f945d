//! The breakpoints that lldb has, and what the core wished of each.

use crate::prelude::*;

/// What a breakpoint is set at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BreakpointKind {
    Source,
    Function,
    Instruction,
    Exception,
}

impl BreakpointKind {
    /// The reason of a stop there.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Source => "breakpoint",
            Self::Function => "function breakpoint",
            Self::Instruction => "instruction breakpoint",
            Self::Exception => "exception",
        }
    }
}

/// One wish of the core.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct BreakpointRequest {
    pub line: Option<u64>,
    pub column: Option<u64>,
    pub name: Option<String>,
    pub instruction_reference: Option<String>,
    pub offset: Option<i64>,
    pub condition: Option<String>,
    pub hit_condition: Option<String>,
    pub log_message: Option<String>,
    pub filter: Option<String>,
}

/// One that lldb has.
#[derive(Clone, Debug)]
pub struct Placed {
    pub id: i64,
    pub wish: BreakpointRequest,
    pub has_place: bool,
}

/// All that lldb has, by kind and, for sources, by file.
#[derive(Debug, Default)]
pub struct Breakpoints(pub(super) BTreeMap<(BreakpointKind, String), Vec<Placed>>);

impl Breakpoints {
    pub fn kind(&self, id: i64) -> Option<BreakpointKind> {
        self.0
            .iter()
            .find(|(_, placed)| placed.iter().any(|one| one.id == id))
            .map(|((kind, _), _)| *kind)
    }
}
