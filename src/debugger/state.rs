//! Everything a front end may show, as plain data. The one function that changes it, [`State::apply`], is in `apply`.
//!
//! The core applies each event to its own copy before it hands the event out; a front end that joins gets a copy as of
//! event n and applies what comes after. So "snapshot plus tail" is the whole history by construction. No I/O here.

mod apply;
mod start;

pub use start::{StartKind, TypedCommand};

use std::time::UNIX_EPOCH;

use dap::{
    requests::{ExceptionInfoResponse, StackTraceResponse},
    types::{Module, Scope, ValueFormat},
};

use super::{output::Output, permission::Sharing, terminal::Terminal};
use crate::{pattern::reworded, prelude::*};

/// The whole of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Number of the last event applied; 0 before the first.
    pub seq: u64,
    /// Sessions in the order they began; a child comes after its parent. Ended ones stay until cleared.
    pub sessions: Vec<Session>,
    /// The session that commands without one mean.
    pub focus: Option<SessionId>,
    /// The user's breakpoints, in the order they were made.
    pub breakpoints: Vec<Breakpoint>,
    /// Exception filters switched on; `None` until the user chose: then each adapter's own defaults hold.
    pub exception_filters: Option<Vec<ExceptionFilter>>,
    /// Watch expressions, in the user's order.
    pub watches: Vec<Watch>,
    /// Lists of texts kept with the project: histories, layout.
    pub memory: BTreeMap<String, Vec<String>>,
    /// The file into which everything is recorded now.
    pub recording: Option<PathBuf>,
    /// Bytes that all sessions printed, and that were lost of it: what came first has the lower number, however events were put together.
    #[serde(default)]
    pub printed: u64,
    /// Who else is here, and what they may do.
    #[serde(default, skip_serializing_if = "Sharing::is_default")]
    pub sharing: Sharing,
}

/// Where a session is in its life (the six states of the state machine).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Nothing was started.
    #[default]
    NotStarted,
    /// The adapter is starting, or being told what to do.
    Initializing,
    /// The adapter said `initialized`; breakpoints are on their way.
    Configured,
    /// The debuggee runs.
    Running,
    /// The debuggee stands still.
    Stopped,
    /// It is over; output, exit code and the last stop stay readable.
    Terminated,
}

impl Phase {
    /// One word for headers and sentences.
    pub fn word(self) -> &'static str {
        match self {
            Self::NotStarted => "not started",
            Self::Initializing => "starting",
            Self::Configured => "configuring",
            Self::Running => "running",
            Self::Stopped => "stopped",
            Self::Terminated => "ended",
        }
    }

    /// Whether there is an adapter behind the session.
    pub fn is_live(self) -> bool {
        !matches!(self, Self::NotStarted | Self::Terminated)
    }
}

/// Which stop of the past it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Past {
    /// From 1.
    pub number: u64,
    /// How many there are by now.
    pub of: u64,
    /// The program has ended since.
    #[serde(default)]
    pub ended: bool,
}

/// Why what is left of a program stands still, where its adapter has no better word.
pub const CORE_DUMP: &str = "core dump";
/// The reason of a stop where a test says that it failed, in a function of its framework.
pub const TEST_FAILED: &str = "test failed";
/// The reason of a stop for data that was read or changed (DAP, `stopped` event).
pub const DATA_BREAKPOINT: &str = "data breakpoint";
/// The reason of a stop at the beginning, or the end, of what a debugger kept.
pub const NO_HISTORY: &str = "no-history";

/// Why it stopped, in words people use.
pub fn stop_word(reason: &str) -> &str {
    match reason {
        "" => "stopped",
        "step" => "stepped",
        "pause" => "paused",
        "cursor" => "at the cursor",
        "function breakpoint" | "instruction breakpoint" | "breakpoint" => "breakpoint",
        NO_HISTORY => "as far back as was kept",
        "goto" => "jumped",
        "frame_entry" | "restart" => "at the frame's beginning",
        other => other,
    }
}

/// One session: one adapter connection and the process behind it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Session {
    pub id: SessionId,
    /// The session whose adapter asked for this one.
    pub parent: Option<SessionId>,
    /// Name for people: the program's file name, or what the adapter called the child.
    pub name: String,
    /// Name of the adapter table's entry.
    pub adapter: String,
    /// Launched or attached.
    pub kind: StartKind,
    /// The program, or what was attached to (`pid 4711`, `127.0.0.1:5678`).
    pub target: String,
    /// Working directory of the debuggee.
    pub cwd: PathBuf,
    /// Where it is in its life.
    pub phase: Phase,
    /// What the adapter says it can do, as amended by `capabilities` events.
    pub capabilities: Arc<Capabilities>,
    /// Process id of the debuggee, when known.
    pub pid: Option<i64>,
    /// The debuggee's name as the adapter tells it.
    pub process_name: Option<String>,
    /// Threads as last heard of.
    pub threads: Vec<Thread>,
    /// The present stop, or the last one once the session ended.
    pub stop: Option<Stop>,
    /// What was printed.
    pub output: Output,
    /// The terminal of ours that the debuggee was started in.
    pub terminal: Option<Terminal>,
    /// Exit code of the debuggee.
    pub exit_code: Option<i64>,
    /// How it ended, in one sentence; none while it lives.
    pub ended: Option<String>,
    /// Exception filters of this session alone, beside those of [`State::exception_filters`] or the adapter's own; gone
    /// once the user chose filters while it lives.
    pub exception_filters: Vec<ExceptionFilter>,
    /// The adapter has a command line of its own, reached by a `!` before what is typed at the console.
    pub console_commands: bool,
    /// Pages of its values are made by the program itself, in an expression of its language.
    pub reads_by_code: bool,
    /// Its start failed: it never began.
    pub start_failed: bool,
    /// What is under way: `starting`, `stepping over`, … ; none when nothing is.
    pub activity: Option<String>,
    /// Modules loaded, by their ids.
    pub modules: BTreeMap<String, Module>,
    /// Sources the adapter told of, by path and reference.
    pub sources: BTreeMap<String, Source>,
    /// Long-running work of the adapter.
    pub progress: Vec<Progress>,
    /// Requests that its adapter has not answered for long, oldest first.
    pub pending: Vec<PendingRequest>,
    /// The adapter needs `configurationDone` and has not been sent it.
    pub needs_configuration_done: bool,
    /// The debuggee cannot be left running: its adapter ends what it started.
    pub ends_with_session: bool,
    /// What is looked at is what is left of a program, a core dump: nothing in it can move or be changed.
    pub post_mortem: bool,
    /// When someone last asked something of it, in milliseconds since 1970.
    pub last_used: u64,
    /// Only the selected thread runs when something is let run.
    pub single_thread: bool,
    /// The adapter writes numbers in hexadecimal.
    pub hex: bool,
    /// The debugger has a command of its own that keeps what the program does, so that it can be run backwards.
    pub can_record_execution: bool,
    /// The program runs in sessions below this one, which has nothing to look at.
    pub program_in_child: bool,
    /// What it reads from its standard input is ours to write.
    pub takes_input: bool,
    /// That command is in force.
    pub records_execution: bool,
    /// Counts the changes of the debuggee's memory that were told of while it stood still.
    pub memory_changes: u64,
    /// Child processes that its adapter announced and that are not debugged.
    pub children_passed_over: u64,
    /// How many hits breakpoints recorded instead of stopping.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub recorded_hits: BTreeMap<BreakpointId, u64>,
    /// The command that it was started with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub typed: Option<Box<TypedCommand>>,
    /// It is a recording that is played.
    pub recorded: bool,
    /// How fast it goes on by itself, for a recording: 1 = as it was, 0 = not at all.
    pub speed: u32,
}

/// One thread of the debuggee.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Thread {
    /// The adapter's id; 0 and negative ones occur.
    pub id: i64,
    pub name: String,
    /// Whether it stands still.
    pub stopped: bool,
}

/// One moment of standing still.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stop {
    /// Never reused.
    pub id: StopId,
    /// The thread that stopped; `None` when the adapter would not say and has no threads.
    pub thread_id: Option<i64>,
    /// Why, in DAP's words: `breakpoint`, `step`, `exception`, `pause`, `entry`, … or an adapter's own.
    pub reason: String,
    /// The adapter's sentence.
    pub description: Option<String>,
    /// More detail, for exceptions their message.
    pub text: Option<String>,
    /// Whether the other threads stand still as well.
    pub all_threads_stopped: bool,
    /// Ids (the adapter's) of the breakpoints hit.
    pub hit_breakpoint_ids: Vec<i64>,
    /// The exception, once asked for.
    pub exception: Option<Box<ExceptionInfoResponse>>,
    /// Stacks by thread, as far as loaded.
    #[serde(deserialize_with = "super::keyed::deserialize")]
    pub stacks: BTreeMap<i64, Stack>,
    /// The thread and frame that commands without one mean.
    pub selected: Option<FrameRef>,
    /// Scopes and first variables by frame id, as far as loaded.
    #[serde(deserialize_with = "super::keyed::deserialize")]
    pub frames: BTreeMap<i64, FrameScopes>,
    /// Watch values, in the selected frame.
    #[serde(deserialize_with = "super::keyed::deserialize")]
    pub watches: BTreeMap<WatchId, WatchValue>,
    /// Why the stack could not be had.
    pub trouble: Option<String>,
    /// It stands only to be looked at, and goes on by itself: so in the core's own state, and in that of whoever looks.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub momentary: bool,
    /// It is looked back at: never so in the core's own state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub past: Option<Past>,
}

/// A frame of a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrameRef {
    /// The thread's id.
    pub thread_id: i64,
    /// The frame's id, valid for this stop only.
    pub frame_id: i64,
}

/// The frames of one thread, innermost first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stack {
    /// Those loaded so far.
    pub frames: Vec<StackFrame>,
    /// How many there are, if the adapter says.
    pub total: Option<i64>,
    /// Whether the last one loaded is the outermost.
    pub complete: bool,
}

/// The scopes of a frame.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FrameScopes {
    /// In the adapter's order.
    pub scopes: Vec<ScopeVariables>,
    /// Why they could not be had.
    pub trouble: Option<String>,
}

impl FrameScopes {
    /// The scope that holds a variable, by its reference.
    pub fn of(&self, name: &str) -> Option<i64> {
        let holds = |s: &&ScopeVariables| s.variables.iter().flatten().any(|v| v.name == name);
        let scope = self.scopes.iter().find(holds);
        scope.map(|s| s.scope.variables_reference)
    }
}

/// A scope, and its variables if they were loaded with it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScopeVariables {
    pub scope: Scope,
    /// First page of its variables; `None` = not loaded (expensive, or not the locals).
    pub variables: Option<Vec<Variable>>,
    /// Why they could not be had.
    pub trouble: Option<String>,
}

/// A watch expression.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Watch {
    pub id: WatchId,
    /// In the debuggee's language.
    pub expression: String,
    /// Why it is not evaluated until somebody asks for it again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aside: Option<String>,
}

/// What a watch came to at a stop.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WatchValue {
    /// The value, or the reason there is none.
    pub result: Outcome,
    /// Its type, when told.
    pub type_name: Option<String>,
    /// For opening it up; 0 = it has no parts.
    pub variables_reference: i64,
    /// Reference of the place where the value is declared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub declared: Option<i64>,
    /// What it shows in one line, where `result` does not say it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
}

/// A value or an error sentence, in a form that can be defaulted and sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The value as text.
    Value(String),
    /// Why there is none.
    Error(String),
}

impl Default for Outcome {
    fn default() -> Self {
        Self::Value(String::new())
    }
}

/// Long-running work of an adapter (`progressStart` … `progressEnd`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// The adapter's id.
    pub id: String,
    pub title: String,
    /// What is being done right now.
    pub message: Option<String>,
    /// 0 to 100, when known.
    pub percentage: Option<f64>,
    /// Whether it can be cancelled.
    pub cancellable: bool,
}

/// A request that an adapter has not answered for long.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingRequest {
    /// Its number on the wire.
    pub seq: i64,
    /// What was asked.
    pub command: String,
    /// When, in milliseconds since 1970.
    pub since: u64,
}

impl PendingRequest {
    /// How long it waits by now, in words: `12 s`, `3 min 5 s`.
    pub fn age(&self, now: SystemTime) -> String {
        let now = now.duration_since(UNIX_EPOCH).unwrap_or_default();
        let seconds = now
            .saturating_sub(Duration::from_millis(self.since))
            .as_secs();
        match (seconds / 60, seconds % 60) {
            (0, seconds) => format!("{seconds} s"),
            (minutes, seconds) => format!("{minutes} min {seconds} s"),
        }
    }
}

/// Frames kept of an adapter that sends more than it was asked for.
const MOST_FRAMES: i64 = 1000;

impl Stack {
    /// What was answered to a request for `levels` frames. Some adapters send all there are: of those no more than a bound is
    /// kept, unless more were asked for.
    pub fn of(response: StackTraceResponse, levels: i64) -> Self {
        let (mut frames, total) = (response.stack_frames, response.total_frames);
        let (sent, most) = (frames.len() as i64, levels.max(MOST_FRAMES));
        frames.truncate(usize::try_from(most).unwrap_or_default());
        frames.shrink_to_fit();
        Self {
            complete: sent <= most && (sent < levels || total.is_some_and(|total| total <= sent)),
            total: if sent > most {
                total.max(Some(sent))
            } else {
                total
            },
            frames,
        }
    }
}

impl State {
    /// The session with this id.
    pub fn session(&self, id: SessionId) -> Option<&Session> {
        self.sessions.iter().find(|s| s.id == id)
    }

    /// A breakpoint by its number.
    pub fn breakpoint(&self, id: BreakpointId) -> Option<&Breakpoint> {
        self.breakpoints.iter().find(|b| b.id == id)
    }

    /// The data breakpoints that a stop of this session hit: those that the adapter names by `hits`, or the only one there is.
    pub fn data_hits(&self, session: SessionId, hits: &[i64]) -> Vec<&Breakpoint> {
        let data: Vec<_> = self
            .breakpoints
            .iter()
            .filter(|b| b.enabled && matches!(b.site, BreakpointSite::Data { .. }))
            .collect();
        let is_named = |b: &&&Breakpoint| {
            let id = b.answers.get(&session).and_then(|answer| answer.adapter_id);
            id.is_some_and(|id| hits.contains(&id))
        };
        let named: Vec<_> = data.iter().filter(is_named).copied().collect();
        if named.is_empty() && data.len() == 1 {
            return data;
        }
        named
    }

    /// The terminal that a session's program writes to: its own, or that of the session which it came from.
    pub fn terminal_of(&self, id: SessionId) -> Option<(SessionId, &Terminal)> {
        let mut session = self.session(id)?;
        // A parent comes before its children, so that this ends.
        loop {
            if let Some(terminal) = &session.terminal {
                return Some((session.id, terminal));
            }
            let parent = session.parent.filter(|parent| *parent < session.id)?;
            session = self.session(parent)?;
        }
    }

    /// The session that is meant when none is named.
    pub fn focused(&self) -> Option<&Session> {
        self.focus.and_then(|id| self.session(id))
    }

    /// Sessions with an adapter behind them.
    pub fn live(&self) -> impl Iterator<Item = &Session> {
        self.sessions.iter().filter(|s| s.phase.is_live())
    }

    /// The session at the root of this one's tree: itself, when it has no parent or that one was forgotten.
    pub fn root_of(&self, mut id: SessionId) -> SessionId {
        while let Some(parent) = self.session(id).and_then(|s| s.parent)
            && self.session(parent).is_some()
        {
            id = parent;
        }
        id
    }

    /// How many hits were recorded in a session and all that belong to it: by one breakpoint, or by all.
    pub fn recorded_hits(&self, id: SessionId, of: Option<BreakpointId>) -> u64 {
        let root = self.root_of(id);
        let tree = self.sessions.iter().filter(|s| self.root_of(s.id) == root);
        let hits = tree.flat_map(|s| &s.recorded_hits);
        let meant = hits.filter(|(by, _)| of.is_none_or(|of| of == **by));
        meant.map(|(_, hits)| hits).sum()
    }

    /// The roots of the trees in which a session lives, in the order they began. A root may have ended while children of its
    /// program live on.
    pub fn live_roots(&self) -> Vec<SessionId> {
        let mut roots = Vec::new();
        for session in self.live() {
            let root = self.root_of(session.id);
            if !roots.contains(&root) {
                roots.push(root);
            }
        }
        roots
    }
}

impl Session {
    /// How the adapter is asked to write values.
    pub(crate) fn value_format(&self) -> Option<ValueFormat> {
        self.hex.then_some(ValueFormat { hex: Some(true) })
    }

    /// Whether it can be run backwards now: the adapter can, or its debugger keeps what the program does.
    pub fn can_go_back(&self) -> bool {
        self.capabilities.supports_step_back || self.records_execution
    }

    /// Whether the adapter told that it loaded this file.
    pub fn has_loaded(&self, file: &Path) -> bool {
        let mut paths = self
            .sources
            .values()
            .filter_map(|source| source.path.as_deref());
        paths.any(|path| Path::new(path) == file)
    }

    /// The stop, while the debuggee really stands still.
    pub fn current_stop(&self) -> Option<&Stop> {
        (self.phase == Phase::Stopped)
            .then_some(self.stop.as_ref())
            .flatten()
    }

    /// The thread that commands without one mean.
    pub fn current_thread(&self) -> Option<i64> {
        self.stop
            .as_ref()
            .and_then(|s| s.selected.map(|f| f.thread_id).or(s.thread_id))
            .or_else(|| self.threads.first().map(|t| t.id))
    }

    /// What a thread is called, or which one it is.
    pub fn thread_name(&self, id: i64) -> String {
        let known = self.threads.iter().find(|thread| thread.id == id);
        known.map_or_else(|| format!("thread {id}"), |thread| thread.name.clone())
    }

    /// The same where there is little room.
    pub fn short_thread_name(&self, id: i64) -> String {
        let name = self.thread_name(id);
        match Table::builtin().get(&self.adapter) {
            Ok(adapter) => reworded(&name, &adapter.personality.thread_names),
            Err(_) => name,
        }
    }

    /// Whether it may have more threads, of which its debugger does not tell.
    pub fn has_more_threads(&self) -> bool {
        let adapter = Table::builtin().get(&self.adapter).ok();
        let most = adapter.and_then(|adapter| adapter.personality.most_threads);
        most.is_some_and(|most| self.threads.len() >= most)
    }

    /// The stop that [`Self::current_stop`] is.
    pub fn stop_id(&self) -> Option<StopId> {
        Some(self.current_stop()?.id)
    }

    /// The frame selected at it.
    pub fn frame_id(&self) -> Option<i64> {
        Some(self.current_stop()?.selected?.frame_id)
    }

    /// The adapter's number for the innermost frame of a thread, as far as its stack is loaded.
    pub fn innermost_frame(&self, thread: i64) -> Option<i64> {
        let stack = self.current_stop()?.stacks.get(&thread)?;
        Some(stack.frames.first()?.id)
    }

    /// The frame that commands without one mean.
    pub fn current_frame(&self) -> Option<&StackFrame> {
        let stop = self.stop.as_ref()?;
        let selected = stop.selected?;
        stop.stacks
            .get(&selected.thread_id)?
            .frames
            .iter()
            .find(|f| f.id == selected.frame_id)
    }

    /// Scopes of the frame that commands without one mean.
    pub fn current_scopes(&self) -> Option<&FrameScopes> {
        let stop = self.stop.as_ref()?;
        stop.frames.get(&stop.selected?.frame_id)
    }

    /// The scope that holds a variable of the selected frame, by its reference, and the stop that is true of.
    pub fn scope_of(&self, name: &str) -> Option<(i64, StopId)> {
        Some((self.current_scopes()?.of(name)?, self.stop_id()?))
    }
}
