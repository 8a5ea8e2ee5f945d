//! What a run prints: every event as a type, in the words of `assets/run-events.schema.json`.
//!
//! Names are snake case; a field that says nothing is left out, unless its absence would be a question.

use std::collections::BTreeMap;

use base::text::sanitise::sanitise;
use debugger::{Severity, data::Data, records::Place, runners::problems::Problem};
use serde::Serialize;

use super::{
    diff::Changes,
    fields::{Fields, Shown},
    summary::Summary,
};

/// The version of the events' schema.
pub const SCHEMA_VERSION: &str = "1.0";

/// The type of the last event.
pub const SESSION_END: &str = "session_end";

macro_rules! events {
    ($($name:literal $kind:ident($body:ty),)*) => {
        /// All types, in the order in which a run mostly prints them.
        pub const TYPES: &[&str] = &[$($name),*];

        /// One event.
        #[derive(Clone, Debug, Serialize)]
        #[serde(tag = "type", rename_all = "snake_case")]
        pub enum Event { $($kind($body),)* }

        impl Event {
            /// Its `type`.
            pub fn kind(&self) -> &'static str {
                match self { $(Self::$kind(_) => $name,)* }
            }
        }
    };
}

events! {
    "session_start" SessionStart(SessionStart),
    "breakpoint_set" BreakpointSet(BreakpointState),
    "breakpoint_changed" BreakpointChanged(BreakpointState),
    "process_launched" ProcessLaunched(ProcessLaunched),
    "output" Output(Output),
    "breakpoint_hit" BreakpointHit(Box<Halt>),
    "step_completed" StepCompleted(Box<Halt>),
    "exception_thrown" ExceptionThrown(Box<Halt>),
    "logpoint" Logpoint(Logpoint),
    "recorded" Recorded(Box<Recorded>),
    "stopped" Stopped(Box<Halt>),
    "assertion_failed" AssertionFailed(Box<AssertionFailed>),
    "trace_started" TraceStarted(TraceStarted),
    "trace_step" TraceStep(Box<TraceStep>),
    "trace_completed" TraceCompleted(TraceCompleted),
    "child_session_started" ChildSessionStarted(ChildSession),
    "child_session_ended" ChildSessionEnded(ChildSession),
    "adapter_message" AdapterMessage(AdapterMessage),
    "diagnostic" Diagnostic(Diagnostic),
    "process_exited" ProcessExited(ProcessExited),
    "error" Error(ErrorEvent),
    "session_end" SessionEnd(SessionEnd),
}

/// The beginning: what is going to be debugged.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SessionStart {
    /// [`SCHEMA_VERSION`].
    pub schema_version: &'static str,
    /// As asked for, or the only one that fits; `auto` = one of several, as `process_launched` tells.
    pub adapter: String,
    /// The program, or what is attached to.
    pub program: Option<String>,
    /// Its arguments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Its working directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The test runner's command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<String>,
    /// Something that is to be known of this way of debugging.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A breakpoint as its adapter sees it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct BreakpointState {
    /// Ours.
    pub id: u64,
    pub file: Option<String>,
    /// Its line: where it was set, or moved to.
    pub line: Option<i64>,
    /// The line that was asked for, when it was moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requested_line: Option<i64>,
    /// Its function, for one that is at no line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// It is in place.
    pub verified: bool,
    /// Only when this is true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// Only at this hit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hit_condition: Option<String>,
    /// It prints this and does not stop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_message: Option<String>,
    /// It records this and does not stop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<String>,
    /// The adapter's remark.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Why it is not in place, as far as can be told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diagnosis: Option<String>,
    /// The session that it is about, when that is a child.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

impl BreakpointState {
    /// `file:line`, or its function.
    pub(super) fn place(&self) -> String {
        match (&self.file, self.line) {
            (Some(file), Some(line)) => format!("{file}:{line}"),
            _ => self.function.clone().unwrap_or_default(),
        }
    }
}

/// The program runs.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ProcessLaunched {
    /// Its process, when told.
    pub pid: Option<i64>,
    /// Its name, when told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The adapter that debugs it.
    pub adapter: String,
    /// It ran before.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub attached: bool,
}

/// Something was printed.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Output {
    /// `stdout`, `stderr`, `console`, `important`, or an adapter's own word.
    pub category: String,
    /// The text; pieces need not be whole lines.
    pub text: String,
    /// Bytes before this text that were too many to keep.
    #[serde(skip_serializing_if = "is_zero")]
    pub lost_bytes: u64,
    /// The child that printed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// The program stands still: at a breakpoint, after a step, at an exception, or for another reason.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Halt {
    /// The breakpoint, when it is known which.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<u64>,
    pub thread_id: Option<i64>,
    /// Why, in the protocol's words; only where the event's type does not say it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The adapter's sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Which step after the last stop, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<u32>,
    /// The exception.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exception: Option<Box<Exception>>,
    pub location: Option<Location>,
    /// The frames, innermost first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stack_trace: Option<Vec<Frame>>,
    /// Frames that are not told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more_frames: Option<i64>,
    /// The local variables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locals: Option<Fields>,
    /// Modules, functions and special names of a file's own frame that are not told among them; `--all-variables` tells them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locals_left_out: Option<usize>,
    /// What changed since the last stop in the same function.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes: Option<Changes>,
    /// What was evaluated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evaluations: Option<BTreeMap<String, Evaluation>>,
    /// What is told as data.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub data: Vec<Viewed>,
    /// Values were left out because there were too many bytes of them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// Why the stack or the variables could not be had.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
    /// This is where a test fails.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub test_failure: bool,
    /// The child that stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// A place in the program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Location {
    /// The file; none where there is no source.
    pub file: Option<String>,
    pub line: Option<i64>,
    pub column: Option<i64>,
    pub function: String,
    pub module: Option<String>,
}

/// A frame of a stack.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Frame {
    /// The adapter's id.
    pub frame_id: i64,
    /// Where.
    #[serde(flatten)]
    pub at: Location,
}

/// What an expression came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Evaluation {
    /// The debugger's text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// Its type; `unknown` when not told.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub type_name: Option<String>,
    /// What it shows in one line, where its debugger does not say it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
    /// Its parts, opened as variables are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Shown>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// An exception.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Exception {
    /// Its type.
    #[serde(rename = "type")]
    pub type_name: String,
    pub message: Option<String>,
    /// `always`, `unhandled`, `userUnhandled`: why it made the program stop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub break_mode: Option<String>,
    /// The adapter's text of its stack.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stack_trace: Option<String>,
    /// What it was made of.
    pub inner_exception: Option<Box<Self>>,
    /// The last of that chain, and what may be done about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root_cause: Option<RootCause>,
}

/// Where a chain of exceptions began.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RootCause {
    /// Type of the innermost exception.
    #[serde(rename = "type")]
    pub type_name: String,
    pub message: Option<String>,
    /// What kind of trouble it is.
    pub category: &'static str,
    /// Where to look.
    pub hint: &'static str,
}

/// A logpoint printed.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Logpoint {
    /// Ours.
    pub id: u64,
    pub file: Option<String>,
    pub line: Option<i64>,
    /// What it printed.
    pub message: String,
    /// The child that printed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// A breakpoint recorded values instead of stopping.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Recorded {
    /// The breakpoint's.
    pub id: u64,
    /// From 1.
    pub number: u64,
    /// Seconds since the session began.
    pub time: f64,
    pub thread_id: Option<i64>,
    /// Its name, when known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    pub values: serde_json::Map<String, serde_json::Value>,
    /// Innermost first.
    pub stack: Vec<Place>,
    /// Hits since the one before that were over the limit, and only counted.
    #[serde(skip_serializing_if = "is_zero")]
    pub skipped: u64,
    /// The child that came there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// What was asserted does not hold.
#[derive(Clone, Debug, Default, Serialize)]
pub struct AssertionFailed {
    pub expression: String,
    /// What it came to, or why it could not be evaluated.
    pub evaluation: Evaluation,
    pub location: Option<Location>,
    pub thread_id: Option<i64>,
}

/// The path begins here.
#[derive(Clone, Debug, Default, Serialize)]
pub struct TraceStarted {
    pub thread_id: Option<i64>,
    pub location: Option<Location>,
    /// Into functions.
    pub into: bool,
    /// Steps at most.
    pub limit: u32,
}

/// One step of the path; equal ones may be folded.
#[derive(Clone, Debug, Default, Serialize)]
pub struct TraceStep {
    /// From 1.
    pub step: u32,
    pub location: Option<Location>,
    /// Calls deeper than where the path began.
    pub depth: i64,
    /// How many times in a row, when more than once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub times: Option<u32>,
    /// What changed since the step before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes: Option<Changes>,
    /// What was evaluated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evaluations: Option<BTreeMap<String, Evaluation>>,
}

/// A value as data, as the tool's action `data` tells it, or why there is none.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Viewed {
    pub expression: String,
    #[serde(flatten)]
    pub data: Option<Box<Data>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// The path ends.
#[derive(Clone, Debug, Default, Serialize)]
pub struct TraceCompleted {
    /// `function_return`, `exception`, `breakpoint`, `limit_reached`, `expression_true`, `end_of_program`, or `ended`
    /// (something else ended the run).
    pub stop_reason: &'static str,
    /// Steps made.
    pub steps: u32,
    /// Functions in the order in which the path came to them, `×N` when several times in a row.
    pub path: Vec<String>,
}

/// A child process's session.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ChildSession {
    /// Its name among sessions.
    pub session: String,
    /// The session that it comes from.
    pub parent: Option<String>,
    /// Its name for people.
    pub name: String,
    /// Its process, when told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<i64>,
    /// Its exit code, when told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i64>,
    /// How it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What a compiler said of a source, before the start.
#[derive(Clone, Debug, Serialize)]
pub struct Diagnostic {
    /// `error` or `warning`.
    pub severity: &'static str,
    /// The source.
    pub file: String,
    /// From 1.
    pub line: i64,
    /// From 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<i64>,
    /// The sentence.
    pub message: String,
}

impl From<Problem> for Diagnostic {
    fn from(problem: Problem) -> Self {
        Self {
            severity: if problem.is_error { "error" } else { "warning" },
            file: problem.file.to_string_lossy().into_owned(),
            line: problem.line,
            column: problem.column,
            message: sanitise(&problem.text).into_owned(),
        }
    }
}

/// Something that a person should know.
#[derive(Clone, Debug, Serialize)]
pub struct AdapterMessage {
    /// How much it matters.
    pub severity: Severity,
    /// The sentence.
    pub text: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// The program ended.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ProcessExited {
    /// Its exit code, when told.
    pub exit_code: Option<i64>,
    /// The signal of which such a code mostly speaks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<&'static str>,
    /// Since it was launched.
    pub duration_ms: u64,
}

/// Something did not work.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ErrorEvent {
    /// `usage`, `adapter_missing`, `adapter`, `timeout`, `denied`, `interrupted`, …
    pub kind: String,
    /// The sentence.
    pub message: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// All that was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<String>,
}

/// The end, and the sum of it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SessionEnd {
    /// `ended`, `max_stops`, `assertion_failed`, `timeout`, `interrupted`, `failed`, `trace_completed`, `output_closed`.
    pub reason: &'static str,
    /// What this process will exit with.
    pub exit_status: u8,
    /// The sum.
    pub summary: Summary,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_zero(n: &u64) -> bool {
    *n == 0
}
