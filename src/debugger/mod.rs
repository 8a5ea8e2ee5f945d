//! The core: adapters, sessions, breakpoints, and the one writer that every front end talks to.
//!
//! [`Core`] takes typed [`Command`]s and hands out numbered [`Event`]s; [`State`] is what the events add up to. Everything a
//! front end can do is a command here, and no front end speaks DAP.
//!
//! | folder | what is in it |
//! |---|---|
//! | [`core`] | the writer itself: what each command does to sessions, requests to adapters and what comes of their answers, sources, watches, stops, also past ones; tasks and hooks that run beside them; conditions and log messages that adapters lack; output that is kept on disk |
//! | [`tool`] | what can be asked of the debugger in words, in one table: the debug tool's 28 actions and more, their arguments, their results and what happened since, as text and as records, with secrets replaced in what a program printed |
//! | [`adapters`] | which adapters there are, which fits, how they are found, installed and spoken to |
//! | [`runners`] | commands as they are typed (`cargo test adds`), and which program of them is debugged |
//! | [`configurations`] | `launch.json`, `tasks.json`, `dap.json` of a project |
//! | [`recording`] | sessions that are written down, read again and played back |
//! | [`history`] | how stops that are past are kept, for looking back |
//! | [`previews`], [`data`] | a value in one line, from its parts; a value as a table, a plot, a picture, a text, bytes |
//! | [`hang`] | why a program hangs: all threads by stacks, who waits for whom, and the text that says so |
//! | [`permission`] | people and agents on one core: who may do what, approvals, the driver, the audit |
//! | [`link`] | the core of another process, over a socket: both ends of it |
//! | [`lldb_cli`], [`servers`] | programs without a debug adapter: by the command line of LLDB; by debug servers of their own |
//!
//! Files beside them are the words all of these share: commands ([`command`]: the table of them, and whose consent each needs), events, state,
//! output as a state keeps it ([`output`]), breakpoints and their grammar, breakpoints that record ([`mod@record`], [`records`]), requests that are only handed on ([`adapter_requests`]), files and processes that can be picked ([`workspace`]), why one is not in place
//! ([`pending_breakpoints`]), exit codes ([`exit`]), ids, errors; extension traits ([`ext`]).

pub mod adapter_requests;
pub mod adapters;
pub mod address;
mod anchor;
pub mod breakpoint;
pub mod causes;
pub mod command;
pub mod configurations;
pub mod core;
pub mod data;
pub mod demo;
pub mod error;
pub mod event;
pub mod exceptions;
pub mod exit;
mod ext;
pub mod gate;
pub mod hang;
pub mod history;
pub mod hits;
pub mod ids;
mod keyed;
pub mod link;
pub mod lldb_cli;
pub mod modes;
pub mod output;
pub mod pattern;
pub mod pending_breakpoints;
pub mod permission;
mod prelude;
pub mod previews;
pub mod project;
pub mod random;
pub mod reachability;
pub mod record;
pub mod recording;
pub mod records;
pub mod reply;
pub mod runners;
pub mod servers;
pub mod session_tree;
pub mod spec;
pub mod state;
#[cfg(test)]
#[path = "../../tests/support/suite.rs"]
mod suite;
pub mod task;
pub mod terminal;
pub mod timings;
pub mod tool;
pub mod traffic;
pub mod workspace;

pub use self::core::{Core, CoreConfig, CoreHandle, Subscription};
pub use breakpoint::{
    Breakpoint, BreakpointAnswer, BreakpointSite, BreakpointStatus, ExceptionFilter, Moves, Passing,
};
pub use command::{
    AttachSpec, BreakpointSpec, Command, Console, Granularity, LaunchSpec, Page, StepKind,
    VariablesFilter,
};
pub use error::{DebuggerError, ErrorKind, OUTDATED, UNBUILT, UNDECLARED};
pub use event::{Change, Event, EventKind, Severity};
pub use ids::{BreakpointId, SessionId, StopId, WatchId};
pub use output::{Output, OutputChunk, OutputLine};
pub use reply::{Evaluated, Reply};
pub use state::{
    CORE_DUMP, DATA_BREAKPOINT, Outcome, Phase, Session, StartKind, State, Stop, Thread, Watch,
    WatchValue,
};
