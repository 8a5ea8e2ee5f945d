//! What happened, numbered: the only way the core tells anyone anything.

use dap::{requests::ExceptionInfoResponse, types::Module};

use super::{
    breakpoint::BreakpointAnswer,
    permission::SharingChange,
    records::Recorded,
    state::{FrameRef, PendingRequest, Progress, TypedCommand, Watch},
};
use crate::prelude::*;

/// One event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// 1, 2, 3, … over the life of the core. A front end that lags gets runs of output merged: then the number is that
    /// of the last one merged.
    pub seq: u64,
    /// What.
    pub kind: EventKind,
}

/// How much a message matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Good to know.
    Info,
    /// Something is not as asked.
    Warning,
    /// Something did not work.
    Error,
}

/// What an event says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// A session began.
    SessionStarted {
        /// As it is at its beginning.
        session: Box<Session>,
    },
    /// An ended session was forgotten.
    SessionCleared { session: SessionId },
    /// Commands without a session now mean this one.
    Focus {
        /// Which, or none.
        session: Option<SessionId>,
    },
    /// A breakpoint was made or changed.
    BreakpointSet {
        /// As it is now.
        breakpoint: Box<Breakpoint>,
    },
    /// A breakpoint is gone.
    BreakpointRemoved { breakpoint: BreakpointId },
    /// An adapter said what it made of a breakpoint; `None` takes its answer back.
    BreakpointAnswered {
        breakpoint: BreakpointId,
        /// Whose adapter.
        session: SessionId,
        /// What it said.
        answer: Option<BreakpointAnswer>,
    },
    /// Nothing stopped at a conditional breakpoint, or its condition is broken: what a person should know of it.
    BreakpointNeverHit {
        breakpoint: BreakpointId,
        /// In words that go behind its place.
        why: String,
        /// A person should read it at once, and no message says it.
        #[serde(default)]
        untold: bool,
    },
    /// The exception filters chosen.
    ExceptionFilters {
        /// All that are on; `None` = the adapters' defaults.
        filters: Option<Vec<ExceptionFilter>>,
    },
    /// A watch was made or changed.
    WatchSet {
        /// As it is now.
        watch: Watch,
    },
    /// A watch is gone.
    WatchRemoved { watch: WatchId },
    /// What is said to adapters and by them is recorded, or no longer.
    Recording { file: Option<PathBuf> },
    /// A list kept with the project.
    Memory {
        /// Its name: `repl`, `launch`, …
        key: String,
        /// Newest last.
        values: Vec<String>,
    },
    /// Something a person should read; it changes nothing.
    Message {
        /// About which session.
        session: Option<SessionId>,
        /// How much it matters.
        severity: Severity,
        /// The sentence.
        text: String,
        /// What to do about it.
        hint: Option<String>,
    },
    /// Who is here, what they may do, and what they ask.
    Sharing {
        /// What changed.
        change: SharingChange,
    },
    /// Something about one session.
    Session { session: SessionId, change: Change },
}

/// What changed about a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// The state machine moved.
    Phase {
        phase: Phase,
        /// What is under way.
        activity: Option<String>,
    },
    Adapter {
        /// Name of the adapter table's entry.
        name: String,
        /// It ends the debuggee with the session, whatever it is asked for.
        #[serde(default)]
        ends_with_session: bool,
    },
    /// More is known of the command that it was started with.
    Typed { typed: Box<TypedCommand> },
    /// Someone asked something of it.
    Used {
        /// When, in milliseconds since 1970.
        at: u64,
    },
    /// The adapter has a command line of its own: a `!` at the console reaches it.
    ConsoleCommands,
    /// Pages of values are made by the program itself.
    ReadsByCode,
    /// The debugger has a command that keeps what the program does, so that it can be run backwards.
    CanRecordExecution,
    /// The program runs in sessions below this one.
    ProgramInChild,
    /// What the program reads from its standard input is ours to write.
    TakesInput,
    /// What the adapter can do.
    Capabilities { capabilities: Arc<Capabilities> },
    /// Whether `configurationDone` is owed.
    NeedsConfigurationDone {
        /// Owed.
        needed: bool,
    },
    /// The debuggee's process became known.
    Process {
        /// Its id.
        pid: Option<i64>,
        name: Option<String>,
    },
    /// It stands still.
    Stopped {
        /// Why and where; stacks follow.
        stop: Box<Stop>,
    },
    /// It stands for a moment, to be looked at: for everyone but the one who looks it runs on.
    LookedAt { stop: Box<Stop> },
    /// Some threads go on while others stand.
    Continued {
        thread_id: Option<i64>,
        all_threads: bool,
    },
    /// The list of threads.
    Threads { threads: Vec<Thread> },
    /// A thread began.
    ThreadStarted { thread: Thread },
    /// A thread ended.
    ThreadExited { thread_id: i64 },
    /// A stack, or more of it: always all frames loaded so far.
    Stack {
        /// True of this stop.
        stop: StopId,
        thread_id: i64,
        /// The frames.
        stack: Stack,
    },
    /// The selected frame.
    Selected {
        /// True of this stop.
        stop: StopId,
        frame: FrameRef,
    },
    /// Scopes and first variables of a frame.
    Frame {
        /// True of this stop.
        stop: StopId,
        frame_id: i64,
        /// Them.
        scopes: FrameScopes,
    },
    /// What variables of a frame show in one line, where their debugger does not say it.
    Previews {
        /// True of this stop.
        stop: StopId,
        frame_id: i64,
        /// Them, by the reference of the variable.
        #[serde(deserialize_with = "super::keyed::deserialize")]
        previews: BTreeMap<i64, String>,
    },
    /// Bytes of the debuggee's memory were changed while it stood still.
    MemoryChanged {
        /// Where, as the adapter names it.
        reference: String,
        /// Bytes from there to the first that changed; may be negative.
        offset: i64,
        count: i64,
    },
    /// How fast a recording goes on by itself.
    Speed {
        /// 1 = as it was, 0 = not at all.
        speed: u32,
    },
    /// Whether only the selected thread runs when something runs.
    SingleThread { on: bool },
    /// Whether the adapter writes numbers in hexadecimal.
    ValueFormat { hex: bool },
    /// Whether what the program does is kept by a command of the debugger's own, to be run backwards.
    RecordingExecution { on: bool },
    /// A breakpoint recorded something instead of stopping.
    Recorded { row: Arc<Recorded> },
    /// A watch's value.
    Watch {
        /// True of this stop.
        stop: StopId,
        watch: WatchId,
        value: WatchValue,
    },
    /// The exception that stopped it.
    Exception {
        /// True of this stop.
        stop: StopId,
        /// With its chain.
        exception: Box<ExceptionInfoResponse>,
    },
    /// The stack could not be had.
    StopTrouble {
        /// True of this stop.
        stop: StopId,
        /// Why.
        trouble: String,
    },
    /// The debuggee has a terminal of ours, or that has another size now.
    Terminal {
        /// Its height in cells.
        rows: u16,
        /// Its width in cells.
        columns: u16,
    },
    /// Something was printed.
    Output {
        /// In order.
        chunks: Arc<Vec<OutputChunk>>,
    },
    /// Where all output is kept.
    OutputFile {
        /// The file.
        path: PathBuf,
    },
    /// Output that this listener was too slow for.
    OutputLost { bytes: u64 },
    /// A module was loaded, changed or removed.
    Module {
        /// `new`, `changed`, `removed`.
        reason: String,
        module: Box<Module>,
    },
    /// A source appeared, changed or went.
    Source {
        /// `new`, `changed`, `removed`.
        reason: String,
        source: Box<Source>,
    },
    /// Long-running work of the adapter.
    Progress {
        /// It, as it is now.
        progress: Progress,
    },
    /// It is done.
    ProgressEnded { id: String },
    /// The requests that its adapter has not answered for long.
    Pending {
        /// All of them, oldest first; empty when there is none any more.
        requests: Vec<PendingRequest>,
    },
    /// Child processes of its program that are not debugged, because there are too many or their adapter does not say where
    /// they are reached.
    ChildrenPassedOver {
        /// All so far.
        count: u64,
    },
    /// The debuggee's exit code.
    Exited { exit_code: i64 },
    /// Its adapter asks for the session to be started again (`terminated` with `restart`).
    RestartAsked {
        /// `true`, or what the adapter wants back with the new start.
        restart: Value,
    },
    /// It could not be started; its end follows, which says why.
    StartFailed,
    /// The session is over.
    Ended {
        /// How, in one sentence.
        why: String,
    },
    /// Its adapter is gone too, and with it its answers to breakpoints. The last event of a session.
    Gone,
}

impl Change {
    /// Whether the session's phase changes by it.
    pub fn moves(&self) -> bool {
        matches!(
            self,
            Self::Phase { .. } | Self::Stopped { .. } | Self::Continued { .. } | Self::Ended { .. }
        )
    }
}
