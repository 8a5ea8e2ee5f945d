//! What a run prints: every event as a type, in the words of `assets/run-events.schema.json`.
//!
//! Names are snake case; a field that says nothing is left out, unless its absence would be a question.

use std::collections::BTreeMap;

use base::text::sanitise::sanitise;
use debugger::{Severity, data::Data, records::RecordedFrame, runners::problems::Problem};
use serde::Serialize;
use serde_with_macros::skip_serializing_none;

use super::{diff::Changes, prelude::*, summary::Summary};

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

impl Event {
    /// Something that is not as asked.
    pub fn warning(text: String, hint: Option<String>) -> Self {
        Self::AdapterMessage(AdapterMessage {
            severity: Severity::Warning,
            text,
            hint,
        })
    }
}

/// The beginning: what is going to be debugged.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, Serialize)]
pub struct SessionStart {
    /// [`SCHEMA_VERSION`].
    pub schema_version: &'static str,
    /// As asked for, or the only one that fits; `auto` = one of several, as `process_launched` tells.
    pub adapter: String,
    /// The program, or what is attached to.
    #[serialize_always]
    pub program: Option<String>,
    /// Its arguments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Its working directory.
    pub cwd: Option<String>,
    /// The test runner's command.
    pub test: Option<String>,
    /// Something that is to be known of this way of debugging.
    pub note: Option<String>,
}

/// A breakpoint as its adapter sees it.
#[skip_serializing_none]
#[derive(Clone, Debug, Serialize)]
pub struct BreakpointState {
    /// Ours.
    pub id: u64,
    #[serialize_always]
    pub file: Option<String>,
    /// Its line: where it was set, or moved to.
    #[serialize_always]
    pub line: Option<i64>,
    /// The line that was asked for, when it was moved.
    pub requested_line: Option<i64>,
    /// Its function, for one that is at no line.
    pub function: Option<String>,
    /// It is in place.
    pub verified: bool,
    /// Only when this is true.
    pub condition: Option<String>,
    /// Only at this hit.
    pub hit_condition: Option<String>,
    /// It prints this and does not stop.
    pub log_message: Option<String>,
    /// It records this and does not stop.
    pub record: Option<String>,
    /// The adapter's remark.
    pub message: Option<String>,
    /// Why it is not in place, as far as can be told.
    pub diagnosis: Option<String>,
    /// The session that it is about, when that is a child.
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
#[skip_serializing_none]
#[derive(Clone, Debug, Serialize)]
pub struct ProcessLaunched {
    /// Its process, when told.
    #[serialize_always]
    pub pid: Option<i64>,
    /// Its name, when told.
    pub name: Option<String>,
    /// The adapter that debugs it.
    pub adapter: String,
    /// It ran before.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub attached: bool,
}

/// Something was printed.
#[skip_serializing_none]
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
    pub session: Option<String>,
}

/// The program stands still: at a breakpoint, after a step, at an exception, or for another reason.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, Serialize)]
pub struct Halt {
    /// The breakpoint, when it is known which.
    pub id: Option<u64>,
    #[serialize_always]
    pub thread_id: Option<i64>,
    /// Why, in the protocol's words; only where the event's type does not say it.
    pub reason: Option<String>,
    /// The adapter's sentence.
    pub description: Option<String>,
    /// Which step after the last stop, from 1.
    pub step: Option<u32>,
    /// The exception.
    pub exception: Option<Box<Exception>>,
    #[serialize_always]
    pub location: Option<Location>,
    /// The frames, innermost first.
    pub stack_trace: Option<Vec<Frame>>,
    /// Frames that are not told.
    pub more_frames: Option<i64>,
    /// The local variables.
    pub locals: Option<Fields>,
    /// Modules, functions and special names of a file's own frame that are not told among them; `--all-variables` tells them.
    pub locals_left_out: Option<usize>,
    /// What changed since the last stop in the same function.
    pub changes: Option<Changes>,
    /// What was evaluated.
    pub evaluations: Option<BTreeMap<String, Evaluation>>,
    /// What is told as data.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub data: Vec<Viewed>,
    /// Values were left out because there were too many bytes of them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// Why the stack or the variables could not be had.
    pub trouble: Option<String>,
    /// This is where a test fails.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub test_failure: bool,
    /// The child that stopped.
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
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Evaluation {
    /// The debugger's text.
    pub result: Option<String>,
    /// Its type; `unknown` when not told.
    #[serde(rename = "type")]
    pub type_name: Option<String>,
    /// What it shows in one line, where its debugger does not say it.
    pub preview: Option<String>,
    /// Its parts, opened as variables are.
    pub value: Option<ValueField>,
    /// Why there is none.
    pub error: Option<String>,
}

/// An exception.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Exception {
    /// Its type.
    #[serde(rename = "type")]
    pub type_name: String,
    #[serialize_always]
    pub message: Option<String>,
    /// `always`, `unhandled`, `userUnhandled`: why it made the program stop.
    pub break_mode: Option<String>,
    /// The adapter's text of its stack.
    pub stack_trace: Option<String>,
    /// What it was made of.
    #[serialize_always]
    pub inner_exception: Option<Box<Self>>,
    /// All that it was made of, the first with the others, where they are several: those of a group.
    pub parts: Option<Vec<Self>>,
    /// The last of that chain, and what may be done about it.
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
#[skip_serializing_none]
#[derive(Clone, Debug, Default, Serialize)]
pub struct Recorded {
    /// The breakpoint's.
    pub id: u64,
    /// From 1.
    pub number: u64,
    /// Seconds since the session began.
    pub time: f64,
    #[serialize_always]
    pub thread_id: Option<i64>,
    /// Its name, when known.
    pub thread: Option<String>,
    pub values: Map<String, Value>,
    /// Innermost first.
    pub stack: Vec<RecordedFrame>,
    /// Hits since the one before that were over the limit, and only counted.
    #[serde(skip_serializing_if = "is_zero")]
    pub skipped: u64,
    /// The child that came there.
    pub session: Option<String>,
}

/// What was asserted does not hold.
#[derive(Clone, Debug, Serialize)]
pub struct AssertionFailed {
    pub expression: String,
    /// What it came to, or why it could not be evaluated.
    pub evaluation: Evaluation,
    pub location: Option<Location>,
    pub thread_id: Option<i64>,
}

/// The path begins here.
#[derive(Clone, Debug, Serialize)]
pub struct TraceStarted {
    pub thread_id: Option<i64>,
    pub location: Option<Location>,
    /// Into functions.
    pub into: bool,
    /// Steps at most.
    pub limit: u32,
}

/// One step of the path; equal ones may be folded.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, Serialize)]
pub struct TraceStep {
    /// From 1.
    pub step: u32,
    #[serialize_always]
    pub location: Option<Location>,
    /// Calls deeper than where the path began.
    pub depth: i64,
    /// How many times in a row, when more than once.
    pub times: Option<u32>,
    /// What changed since the step before.
    pub changes: Option<Changes>,
    /// What was evaluated.
    pub evaluations: Option<BTreeMap<String, Evaluation>>,
}

/// A value as data, as the tool's action `data` tells it, or why there is none.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, Serialize)]
pub struct Viewed {
    pub expression: String,
    #[serde(flatten)]
    #[serialize_always]
    pub data: Option<Box<Data>>,
    pub error: Option<String>,
}

/// The path ends.
#[derive(Clone, Debug, Serialize)]
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
#[skip_serializing_none]
#[derive(Clone, Debug, Serialize)]
pub struct ChildSession {
    /// Its name among sessions.
    pub session: String,
    /// The session that it comes from.
    #[serialize_always]
    pub parent: Option<String>,
    /// Its name for people.
    pub name: String,
    /// Its process, when told.
    pub pid: Option<i64>,
    /// Its exit code, when told.
    pub exit_code: Option<i64>,
    /// How it ended.
    pub reason: Option<String>,
}

/// What a compiler said of a source, before the start.
#[skip_serializing_none]
#[derive(Clone, Debug, Serialize)]
pub struct Diagnostic {
    /// `error` or `warning`.
    pub severity: &'static str,
    /// The source.
    pub file: String,
    /// From 1.
    pub line: i64,
    /// From 1.
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
#[skip_serializing_none]
#[derive(Clone, Debug, Serialize)]
pub struct AdapterMessage {
    /// How much it matters.
    pub severity: Severity,
    /// The sentence.
    pub text: String,
    /// What to do about it.
    pub hint: Option<String>,
}

/// The program ended.
#[skip_serializing_none]
#[derive(Clone, Debug, Serialize)]
pub struct ProcessExited {
    /// Its exit code, when told.
    #[serialize_always]
    pub exit_code: Option<i64>,
    /// The signal of which such a code mostly speaks.
    pub signal: Option<&'static str>,
    /// Since it was launched.
    pub duration_ms: u64,
}

/// Something did not work.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, Serialize)]
pub struct ErrorEvent {
    /// `usage`, `adapter_missing`, `adapter`, `timeout`, `denied`, `interrupted`, …
    pub kind: String,
    /// The sentence.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// All that was said.
    pub details: Option<String>,
}

/// The end, and the sum of it.
#[derive(Clone, Debug, Serialize)]
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
