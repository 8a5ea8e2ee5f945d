//! Debug adapters: which there are, where they are, which one fits, how they are spoken to and installed.
//!
//! | file | what it knows |
//! |---|---|
//! | `table` | the adapters, read from `assets/adapters.toml` |
//! | `adapter` | one of them, as data |
//! | `personality`, `shape` | the habits of an adapter and the spelling of its arguments, as data |
//! | `user_files`, `trust` | a person's own adapters, and which files of a repository may be used |
//! | `untrusted` | which of those wait for a decision |
//! | `select` | which adapter fits a program, a process or a port |
//! | `backend` | by which of its two ways LLDB is spoken to |
//! | `resolve`, `places`, `python`, `probe` | where an adapter's program and a project's interpreter are |
//! | `program`, `elf`, `script_entry` | what a program is before it runs, and where it begins |
//! | `support` | what a language's own tools bring for a debugger |
//! | `formatters` | what a project itself has for a debugger: scripts, `.natvis` files |
//! | `arguments` | the arguments of `launch` and `attach` |
//! | `exit_report` | how a program tells its exit code where its adapter does not |
//! | `servers`, `server_launch` | programs whose own debug server connects to us, with no adapter in between |
//! | `doctor`, `install` | what is here and why something is not; getting it |
//!
//! To add an adapter, write an entry in the table: no code here or elsewhere asks for an adapter's name.
//! Starting a process and speaking the protocol are left to `dap`, everything about a session to [`crate::core`].

mod adapter;
mod arguments;
mod backend;
mod command_line;
mod context;
mod data_stops;
mod doctor;
mod elf;
mod error;
mod exit_report;
mod formatters;
mod install;
mod personality;
mod places;
mod probe;
mod program;
mod python;
mod resolve;
mod script_entry;
mod select;
mod server_launch;
mod servers;
mod shape;
mod support;
mod table;
pub mod trust;
pub mod untrusted;
mod user_files;

#[cfg(test)]
mod tests;

pub use dap::transport::ConnectMode;

pub use adapter::{
    Adapter, Candidate, Install, LanguageSupport, Method, Origin, Program, ProgramKind,
    ProjectScript, to_install,
};
pub use arguments::{
    LaunchRequest, PathMapping, adapter_env, attach_arguments, attach_command, attach_env,
    entry_function, launch_arguments, unmapped,
};
pub use backend::{BACKEND, Backend};
pub use command_line::{Reverse, Shows};
pub use context::Context;
pub use doctor::{Report, Status, doctor};
pub use error::AdapterError;
pub use exit_report::{ExitReport, REPORT, Reported};
pub use formatters::add_project;
pub use install::{Installed, Progress, install};
pub use personality::{Children, FunctionName, LogText, Personality, SignalExits, stop_text};
pub(crate) use program::extension;
pub use program::{
    FileKind, Image, ProgramFacts, check_program, inspect, missing, of_dump, programs_in,
    stopped_by_signal, variable_at,
};
pub(crate) use resolve::asset;
pub use resolve::{CONNECT, PLAIN_ADAPTER, Resolved, SearchPlace, resolve, resolve_near};
pub use script_entry::{ScriptEntry, script_entry};
pub use select::{Target, for_simulator, of_process, only_fit, select};
pub use server_launch::ServerLaunch;
pub use servers::{ADDRESS, Authorize, Child, PID, Servers, TOKEN, Words};
pub use shape::{
    AttachShape, ConsoleKey, EnvStyle, InterpreterKey, KeyValue, LaunchShape, MappingStyle,
    ModeRules, PortStyle, StartRequest, StdinStyle,
};
pub use support::{add_lines, add_own_code, add_support, add_terminal};
pub use table::Table;
pub use user_files::Warning;
