//! What is to be said to an adapter, and for whom it is started.

use super::{prelude::*, terminal::Opened};
use crate::{
    adapters::{Image, Reported},
    servers::ServerTree,
};

/// What is to be said to an adapter once there is a connection to one.
#[derive(Default)]
pub struct Plan {
    /// The adapter's name, or what stands in for one.
    pub name: String,
    /// The adapter as found; a recording has none.
    pub resolved: Option<Arc<Resolved>>,
    pub request: StartRequest,
    pub skip_request: bool,
    pub arguments: Value,
    pub accelerated: bool,
    /// Stop at the program's entry.
    pub wants_entry: bool,
    pub entry_function: Option<String>,
    /// What the debugger knows the program's `main` by, where others have that name: C's, in a program of Rust.
    pub main: Option<String>,
    /// The program's own source and the line where it begins, when that is found by a breakpoint.
    pub entry_line: Option<(PathBuf, i64)>,
    /// Breakpoints whose file is not there, and the one of the program that they can only mean.
    pub elsewhere: Vec<(BreakpointId, PathBuf)>,
    /// The program is a module of a language that has scripts as well.
    pub is_module: bool,
    /// Things a person should know, none of which is in the way.
    pub warnings: Vec<String>,
    /// Extensions of source files that the program cannot come from.
    pub foreign_types: BTreeSet<String>,
    /// What the program's machine code says.
    pub image: Option<Image>,
    /// The debug servers that came to us, when they did.
    pub family: Option<Arc<ServerTree>>,
    /// Where the program writes its exit code.
    pub exit_report: Option<Reported>,
    /// The terminal that the adapter gives to the program.
    pub terminal: Option<Opened>,
}

/// For whom an adapter is started, as a recording tells it.
#[derive(Clone, Debug)]
pub struct SessionOwner {
    pub id: SessionId,
    pub parent: Option<SessionId>,
    /// What is debugged.
    pub program: String,
}
