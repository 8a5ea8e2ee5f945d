//! The lists in which breakpoints are sent.

use super::prelude::*;

/// Which lists to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Which {
    /// Everything, at the start of a session.
    All,
    /// One file's.
    File(PathBuf),
    Functions,
    /// All machine instructions.
    Instructions,
    Data,
    /// Exception filters.
    Exceptions,
}

/// The list that a breakpoint there is sent in.
pub fn list_of(site: &BreakpointSite) -> Which {
    match site {
        BreakpointSite::Source { path, .. } => Which::File(path.clone()),
        BreakpointSite::Function { .. } => Which::Functions,
        BreakpointSite::Instruction { .. } => Which::Instructions,
        BreakpointSite::Data { .. } => Which::Data,
    }
}
