//! What a front end can ask of the core, and what it gets back.
//!
//! A command names a session or means the focused one (`None`). What it changes comes as events; the reply says that it was
//! done, with what the asker alone wants to know.

use dap::requests::DapRequest;

use super::{
    ids::ApprovalId,
    lldb_cli::simulator::SimulatorRequest,
    permission::{Consent, Mode},
    task::SessionTasks,
};
use crate::prelude::*;

pub use super::breakpoint::BreakpointSpec;

/// How to start a debuggee.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LaunchSpec {
    /// The program: a script, a binary, or a directory where the adapter takes one.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// Its working directory; none = ours.
    pub cwd: Option<PathBuf>,
    /// Variables added to the environment (which is otherwise ours); `None` as value unsets one.
    pub env: Vec<(String, Option<String>)>,
    /// A file for its standard input.
    pub stdin: Option<PathBuf>,
    /// Adapter by name; none = the one that fits.
    pub adapter: Option<String>,
    /// Stop at the program's own first line. `None` = only when no breakpoint is set.
    pub stop_on_entry: Option<bool>,
    /// Where its terminal is.
    pub console: Console,
    /// Start the adapter plainly, without what makes it faster.
    pub plain_adapter: bool,
    /// Exception filters of this session alone, beside those switched on anyway.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exception_filters: Vec<ExceptionFilter>,
    /// Further launch arguments, given to the adapter as they are.
    pub extra: Map<String, Value>,
    /// What is done before and after, when it comes from a configuration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub around: Option<Box<SessionTasks>>,
    /// A command as it is typed, instead of the program: what it runs in the end is debugged.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// Which of several programs of a command it is, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// Nothing stops where a test of that command fails.
    pub ignores_failures: bool,
}

/// How the debuggee's standard streams are connected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Console {
    /// The adapter's `output` events.
    #[default]
    Internal,
    /// A pipe of ours, through `runInTerminal`: fastest, but the program sees no terminal.
    Pipe,
    /// A pseudo-terminal of ours, through `runInTerminal`.
    Pty,
    /// A window of its own, opened by the terminal program that `$TERMINAL` names, through `runInTerminal`.
    External,
}

/// What to attach to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AttachSpec {
    /// A local process.
    pub pid: Option<u32>,
    /// A debug server's port.
    pub port: Option<u16>,
    /// Its host; none = 127.0.0.1.
    pub host: Option<String>,
    /// A core dump: what is left of a process that is no more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub core: Option<PathBuf>,
    /// The program, for its symbols, where the adapter asks for it. A core dump needs it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<PathBuf>,
    /// Working directory for relative paths; none = ours.
    pub cwd: Option<PathBuf>,
    /// Adapter by name; none = the one that fits.
    pub adapter: Option<String>,
    /// Start the adapter plainly, without what makes it faster.
    pub plain_adapter: bool,
    /// Exception filters of this session alone, beside those switched on anyway.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exception_filters: Vec<ExceptionFilter>,
    /// Further attach arguments, given to the adapter as they are.
    pub extra: Map<String, Value>,
    /// It is left standing where an adapter stops it for the attach.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stay: bool,
    /// An app or a process in a simulator, which is looked up first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simulator: Option<Box<SimulatorRequest>>,
    /// What is done before and after, when it comes from a configuration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub around: Option<Box<SessionTasks>>,
}

impl AttachSpec {
    /// What is attached to, for people: `pid 4711`, `127.0.0.1:5678`, a core dump's path; none where nothing says it.
    pub fn target(&self) -> Option<String> {
        match (&self.core, self.pid, self.port) {
            (Some(core), _, _) => Some(core.display().to_string()),
            (None, Some(pid), _) => Some(format!("pid {pid}")),
            (None, None, Some(port)) => {
                let host = self.host.as_deref().unwrap_or("127.0.0.1");
                Some(format!("{host}:{port}"))
            }
            (None, None, None) => self.simulator.as_ref().map(|asked| {
                let app = asked.bundle_id.as_deref().unwrap_or("an app");
                format!("{app} in a simulator")
            }),
        }
    }
}

/// One step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepKind {
    /// Over calls.
    Over,
    /// Into a call.
    In,
    /// Out of the function.
    Out,
    /// Backwards, where the adapter can.
    Back,
}

impl StepKind {
    /// What a header says while it lasts.
    pub fn activity(self) -> &'static str {
        match self {
            Self::Over => "stepping over",
            Self::In => "stepping in",
            Self::Out => "stepping out",
            Self::Back => "stepping back",
        }
    }
}

/// How far one step goes (`SteppingGranularity`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Granularity {
    Statement,
    /// A line.
    #[default]
    Line,
    /// A machine instruction.
    Instruction,
}

/// Which children of a variable (`VariablesArguments.filter`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VariablesFilter {
    /// `[0]`, `[1]`, …
    Indexed,
    /// Fields.
    Named,
}

/// A page of children.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Page {
    /// Of which kind.
    pub filter: VariablesFilter,
    /// From this one, 0-based.
    pub start: i64,
    pub count: i64,
}

/// Whether a word of a row is there.
macro_rules! given {
    () => {
        false
    };
    (drives) => {
        true
    };
    (of_a_stop) => {
        true
    };
}
pub(crate) use given;

/// The commands in three tables: each of the first is for one session, and names it by a field of its own, `session`; those of the second
/// reach the adapters of all sessions, and the one that is looked at stands for them; the rest is for none.
///
/// Before each stands what it is for consent, and whether it is asked of a stop: nobody can answer it once the program has moved on. Where
/// that depends on the arguments it is what it is at most, and [`permission::operation`](crate::permission::operation) looks at them.
macro_rules! commands {
    (
        for_a_session {
            $($(#[$about:meta])* [$($row:tt)*] $name:ident { $($(#[$what:meta])* $field:ident: $type:ty),* $(,)? })*
        }
        for_all_sessions {
            $($(#[$all_about:meta])* [$($all_row:tt)*] $all:ident $(($all_spec:ty))? $({ $($all_fields:tt)* })?)*
        }
        others {
            $($(#[$other_about:meta])* [$($other_row:tt)*] $other:ident $(($other_spec:ty))? $({ $($other_fields:tt)* })?)*
        }
    ) => {
        /// A request of a front end. `session: None` means the focused session everywhere; `frame_id: None` the selected frame.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Command {
            $($(#[$about])* $name {
                session: Option<SessionId>,
                $($(#[$what])* $field: $type,)*
            },)*
            $($(#[$all_about])* $all $(($all_spec))? $({ $($all_fields)* })?,)*
            $($(#[$other_about])* $other $(($other_spec))? $({ $($other_fields)* })?,)*
        }

        impl Command {
            /// Whether it is about a session, and which one it names; `Some(None)` is the focused one.
            pub fn session(&self) -> Option<Option<SessionId>> {
                match self {
                    $(Self::$name { session, .. })|* => Some(*session),
                    Self::Clear { session } | Self::Focus { session } => Some(Some(*session)),
                    $(Self::$all { .. })|* => Some(None),
                    _ => None,
                }
            }

            /// What its row says: what it is, and whether it is asked of a stop.
            pub(crate) fn row(&self) -> (Operation, bool) {
                match self {
                    $(Self::$name { .. } => commands!(row $($row)*),)*
                    $(Self::$all { .. } => commands!(row $($all_row)*),)*
                    $(Self::$other { .. } => commands!(row $($other_row)*),)*
                }
            }
        }
    };
    (row $tier:ident $($drives:ident)? $action:literal $($of_a_stop:ident)?) => {
        (
            Operation { action: $action, tier: Tier::$tier, drives: given!($($drives)?) },
            given!($($of_a_stop)?),
        )
    };
}

commands! {
    for_a_session {
        /// End the debuggee and start it again in the same way. [`Reply::Session`].
        [Exec drives "restart"] Restart {}
        /// End the session: a launched debuggee is ended, an attached one left running. Answered when the adapter is gone.
        [Exec drives "terminate"] Terminate {}
        /// Let go of the debuggee and leave it running, however it was started.
        [Exec drives "disconnect"] Detach {}
        /// Let it run. `thread: None` means the selected thread.
        [Control drives "continue"] Continue { thread: Option<i64> }
        /// Run backwards, where the adapter can.
        [Control drives "reverse_continue"] ReverseContinue { thread: Option<i64> }
        /// Make it stand still. Answered when asked, the stop comes as an event: [`Change::LookedAt`]
        /// where it is `momentary`.
        [Control drives "pause"] Pause { thread: Option<i64>, momentary: bool }
        /// One step. Answered when under way; the stop comes as an event.
        [Control drives "step_over"] Step { thread: Option<i64>, kind: StepKind, granularity: Granularity }
        /// Run until this line is reached.
        [Control drives "run_to"] RunTo { path: PathBuf, line: i64 }
        /// Step into one of the calls that `stepInTargets` told.
        [Control drives "step_in" of_a_stop] StepInto { thread: Option<i64>, target: i64 }
        /// Begin the call of a frame anew. Answered when asked, the stop comes as an event.
        [Exec drives "restart_frame" of_a_stop] RestartFrame { frame_id: Option<i64> }
        /// Whether a step or a continue lets only the selected thread run, where the adapter can. Comes back as
        /// `Session::single_thread`.
        [Control drives "single_thread"] SingleThread { on: bool }
        /// Whether the adapter writes numbers in hexadecimal, where it can. Comes back as `Session::hex`; what is shown is loaded again.
        [Control "value_format"] ValueFormat { hex: bool }
        /// Begin to keep what the program does, so that it can be run backwards, or stop that: for debuggers whose adapters have it
        /// as a command of their own only.
        [Exec drives "record_execution"] RecordExecution { on: bool }
        /// Load frames of a thread up to `levels` in all; they come as an event.
        [Read "stack_trace" of_a_stop] StackTrace { thread: Option<i64>, levels: i64 }
        /// Refresh the list of threads; it comes as an event.
        [Read "threads" of_a_stop] Threads {}
        /// Select a frame: its scopes and the watches in it are loaded and come as events. Without `frame_id` the innermost one of the thread.
        [Read "" of_a_stop] SelectFrame { thread: i64, frame_id: Option<i64> }
        /// Scopes and first variables of a frame without selecting it. [`Reply::Scopes`].
        [Read "scopes" of_a_stop] Scopes { frame_id: Option<i64> }
        /// Children of a variable or scope. Refused when `stop` is no longer the present one. [`Reply::Variables`].
        [Read "variables"] Variables { stop: StopId, reference: i64, page: Option<Page> }
        /// What variables show in one line, found out by their parts. [`Reply::Variables`], the same with their previews.
        [Read ""] Previews { stop: StopId, variables: Vec<Variable> }
        /// Change a variable. [`Reply::Value`]; what else changed comes as events.
        [Exec drives "set_variable" of_a_stop] SetVariable {
            stop: StopId,
            /// Reference of the scope or variable that holds it.
            container: i64,
            name: String,
            /// For adapters that can only assign to expressions.
            evaluate_name: Option<String>,
            value: String,
        }
        /// Evaluate an expression; `context` is DAP's (`watch`, `repl`, `hover`, `clipboard`, `variables`); for
        /// `clipboard` a huge value is given whole. [`Reply::Value`].
        [Exec "evaluate" of_a_stop] Evaluate { frame_id: Option<i64>, expression: String, context: String }
        /// A page of a value: rows of a table, what columns add up to, a line to plot, a text, bytes, a picture. Where the session reads
        /// values by code ([`Session::reads_by_code`](super::state::Session)), the program makes it. [`Reply::Data`].
        [Exec "data" of_a_stop] Data { frame_id: Option<i64>, expression: String, query: Query }
        /// What could stand at the cursor. `column` counts characters from 0. [`Reply::Completions`].
        [Read "completions" of_a_stop] Completions { frame_id: Option<i64>, text: String, column: usize }
        /// Whether one can stop when something changes, and under which id. `container: None` means a variable of the frame or, where
        /// it has none of that name, an expression in it. [`Reply::DataBreakpointInfo`].
        [Exec "data_breakpoint_info" of_a_stop] DataBreakpointInfo {
            container: Option<i64>,
            frame_id: Option<i64>,
            name: String,
            /// `name` is an address, and so many bytes from there are meant.
            #[serde(skip_serializing_if = "Option::is_none")]
            bytes: Option<i64>,
            /// How the adapter is to watch it, where it has several ways.
            #[serde(skip_serializing_if = "Option::is_none")]
            mode: Option<String>,
        }
        /// Changes bytes. [`Reply::Written`]; what else changed comes as events.
        [Exec drives "write_memory" of_a_stop] WriteMemory {
            memory_reference: String,
            /// In bytes, added to the reference.
            offset: Option<i64>,
            /// In base64.
            data: String,
            allow_partial: Option<bool>,
        }
        /// A request of the protocol, typed by [`Command::request`], as [`adapter_requests`](crate::adapter_requests) knows it. With a `stop`
        /// refused when that is no longer the present one. [`Reply::Answer`].
        [Exec drives "custom_request"] Request {
            #[serde(skip_serializing_if = "Option::is_none")]
            stop: Option<StopId>,
            request: String,
            #[serde(default, skip_serializing_if = "Value::is_null")]
            arguments: Value,
        }
        /// Any request of the adapter's, known to the protocol or not. [`Reply::Answer`].
        [Exec drives "custom_request"] CustomRequest { request: String, arguments: Option<Value> }
        /// Text of a source: from its file where there is one, from the adapter otherwise. [`Reply::Source`].
        [Read "source"] Source { source: Box<Source> }
        /// Write a line to the debuggee's standard input, where we own it.
        [Exec drives "write_stdin"] WriteStdin { text: String }
        /// Stop long-running work of the adapter.
        [Control "cancel"] CancelProgress { id: String }
        /// Stop waiting for the answer to a request ([`PendingRequest::seq`](super::state::PendingRequest)), and have the adapter give it
        /// up; refused where it cannot be asked to.
        [Control "cancel"] CancelRequest { request: i64 }
        /// Where the session's wall time went so far. [`Reply::Spent`].
        [Read ""] Spent {}
        /// Let a recording go on by itself, in all its sessions: 1 = as fast as it was, 2 = twice as fast, 0 = stop by stop.
        [Control drives "play"] Play { speed: u32 }
        /// What breakpoints and logpoints of a session recorded, as data. [`Reply::Data`].
        [Read "records"] Records { query: Query }
        /// The stops of a session so far, with what changed between them. [`Reply::Stops`].
        [Read "stops"] Stops {}
        /// One of them by its number, as it was seen. Asks the adapter nothing and changes nothing. [`Reply::Seen`].
        [Read "stops"] LookBack { number: u64 }
        /// Why a program hangs: who waits for whom in it. One that runs is stopped for it, and goes on. At most so many threads, or what there is in
        /// their stead, are looked at. [`Reply::Hang`].
        [Read "hang"] Hang { threads: Option<usize> }
    }
    for_all_sessions {
        /// Make or change a breakpoint. Answered when every live adapter answered: [`Reply::Breakpoint`].
        [Control "set_breakpoint"] SetBreakpoint(BreakpointSpec)
        [Control "remove_breakpoint"] RemoveBreakpoint {
            id: BreakpointId,
        }
        /// Switch one on or off.
        [Control "enable_breakpoint"] EnableBreakpoint {
            id: BreakpointId,
            enabled: bool,
        }
        /// Why one is not in place, in a sentence. [`Reply::Explained`].
        [Read ""] ExplainBreakpoint {
            id: BreakpointId,
        }
        /// Remove all.
        [Exec "clear_breakpoints"] ClearBreakpoints
        /// Choose on which exceptions to stop; `None` = the adapter's defaults.
        [Control "set_exception_breakpoints"] SetExceptionFilters {
            filters: Option<Vec<ExceptionFilter>>,
        }
        [Exec "add_watch"] AddWatch {
            expression: String,
        }
        /// Change a watch's expression.
        [Exec "edit_watch"] EditWatch {
            id: WatchId,
            expression: String,
        }
        [Control "remove_watch"] RemoveWatch {
            id: WatchId,
        }
    }
    others {
        /// Start a program under a debugger. Answered once it runs (or failed to): [`Reply::Session`].
        [Exec drives "launch"] Launch(Box<LaunchSpec>)
        /// Attach to something that runs. [`Reply::Session`].
        [Exec drives "attach"] Attach(Box<AttachSpec>)
        /// Play back a recording; its program is thought to lie in `folder` (none = beside the recording). [`Reply::Session`].
        [Exec drives "replay"] Replay {
            path: PathBuf,
            folder: Option<PathBuf>,
        }
        /// Forget an ended session.
        [Control "clear"] Clear {
            session: SessionId,
        }
        /// Make this the session that is meant when none is named.
        [Read ""] Focus {
            session: SessionId,
        }
        /// Keep a list of texts with the project (histories, layout), newest last; comes back as `State::memory`.
        [Control "remember"] Remember {
            key: String,
            values: Vec<String>,
        }
        /// Steps keep to the person's own code from now on, or go into libraries as well: the other of the two.
        [Control "own_code"] OwnCode
        /// The debuggee's terminal has this size now, in cells; those that are started later begin with it.
        [Control "resize_terminal"] ResizeTerminal {
            session: Option<SessionId>,
            rows: u16,
            columns: u16,
        }
        /// Write what a terminal answers to a question of the debuggee's. `at` is where the question ended in all that the
        /// debuggee printed, so that of several screens only the first answers.
        [Exec drives "answer_terminal"] AnswerTerminal {
            session: SessionId,
            at: u64,
            text: String,
        }
        /// Messages of the protocol behind number `after`, of one session or of all. [`Reply::Protocol`].
        [Read "protocol"] Protocol {
            session: Option<SessionId>,
            after: u64,
        }
        /// Write every message of the protocol into a new file from now on ([`Reply::Recording`]), or no longer
        /// ([`Reply::Recorded`]). `file: None` = one named after the program.
        [Exec "record"] Record {
            on: bool,
            file: Option<PathBuf>,
        }
        /// Be the driver from now on; a person may at any time, anyone else when nobody is.
        [Read ""] TakeControl
        /// Be the driver no longer.
        [Read ""] ReleaseControl
        /// Ask the driver, or the person, to be the driver. Answered when it is decided.
        [Read ""] RequestControl {
            reason: String,
        }
        /// Answer what waits for consent; a person's alone.
        [Read ""] Decide {
            approval: ApprovalId,
            consent: Consent,
        }
        /// What actors that are not people may do; anyone may lower it, a person alone may raise it.
        [Read ""] SetMode {
            mode: Mode,
        }
        /// End every session (launched debuggees ended, attached ones left running) and then the core.
        [Exec drives "shutdown"] Shutdown
    }
}

impl Command {
    /// Asks the adapter for something that it alone knows; [`Reply::answer`](crate::Reply::answer) reads what comes.
    pub fn request<R: DapRequest>(session: Option<SessionId>, arguments: &R::Arguments) -> Self {
        Self::request_at::<R>(session, None, arguments)
    }

    /// The same of a stop, unless that is over.
    pub fn request_at<R: DapRequest>(
        session: Option<SessionId>,
        stop: Option<StopId>,
        arguments: &R::Arguments,
    ) -> Self {
        Self::Request {
            session,
            stop,
            request: R::COMMAND.to_owned(),
            // Records have texts as keys, so this cannot fail.
            arguments: serde_json::to_value(arguments).unwrap_or_default(),
        }
    }

    /// Whether the program goes on with it, and may stand again at once.
    pub fn lets_go(&self) -> bool {
        matches!(
            self,
            Self::Continue { .. }
                | Self::ReverseContinue { .. }
                | Self::Step { .. }
                | Self::RunTo { .. }
                | Self::StepInto { .. }
        )
    }

    /// Asks what variables show, where it can be found out by their parts.
    pub fn previews(
        session: Option<SessionId>,
        stop: StopId,
        variables: &[Variable],
    ) -> Option<Self> {
        let wanted = variables.iter().any(Variable::wants_preview);
        wanted.then(|| Self::Previews {
            session,
            stop,
            variables: variables.to_vec(),
        })
    }
}
