//! What is to be said to an adapter, and for whom it is started.

use super::{prelude::*, terminal::Opened};
use crate::{
    adapters::{Image, Reported},
    servers::ServerTree,
};

/// What is to be said to an adapter once there is a connection to one.
#[derive(Default)]
pub(super) struct Plan {
    /// The adapter's name, or what stands in for one.
    pub(super) name: String,
    /// The adapter as found; a recording has none.
    pub(super) resolved: Option<Arc<Resolved>>,
    pub(super) request: StartRequest,
    pub(super) skip_request: bool,
    pub(super) arguments: Value,
    pub(super) accelerated: bool,
    /// Stop at the program's entry.
    pub(super) wants_entry: bool,
    pub(super) entry_function: Option<String>,
    /// What the debugger knows the program's `main` by, where others have that name: C's, in a program of Rust.
    pub(super) main: Option<String>,
    /// The program's own source and the line where it begins, when that is found by a breakpoint.
    pub(super) entry_line: Option<(PathBuf, i64)>,
    /// Breakpoints whose file is not there, and the one of the program that they can only mean.
    pub(super) elsewhere: Vec<(BreakpointId, PathBuf)>,
    /// The program is a module of a language that has scripts as well.
    pub(super) is_module: bool,
    /// Things a person should know, none of which is in the way.
    pub(super) warnings: Vec<String>,
    /// Extensions of source files that the program cannot come from.
    pub(super) foreign_types: BTreeSet<String>,
    /// What the program's machine code says.
    pub(super) image: Option<Image>,
    /// The debug servers that came to us, when they did.
    pub(super) family: Option<Arc<ServerTree>>,
    /// Where the program writes its exit code.
    pub(super) exit_report: Option<Reported>,
    /// The terminal that the adapter gives to the program.
    pub(super) terminal: Option<Opened>,
}

/// For whom an adapter is started, as a recording tells it.
#[derive(Clone, Debug)]
pub(super) struct SessionOwner {
    pub(super) id: SessionId,
    pub(super) parent: Option<SessionId>,
    /// What is debugged.
    pub(super) program: String,
}
