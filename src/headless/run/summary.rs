//! The sum of a run, for its last event.

use serde::Serialize;
use serde_with_macros::skip_serializing_none;

/// The sum.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Summary {
    /// Since the run began.
    pub duration_ms: u64,
    /// The program's, when told.
    pub exit_code: Option<i64>,
    /// Stops at breakpoints.
    pub breakpoints_hit: u32,
    /// Exceptions that it stopped at.
    pub exceptions_caught: u32,
    /// Steps made.
    pub steps_executed: u32,
    /// How many events of each type, in the order in which they first came.
    pub events: Vec<Count>,
    /// Breakpoints that were never in place, each with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unverified_breakpoints: Vec<Missed>,
    /// Breakpoints that were in place and that the program never stopped or printed at.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub never_hit: Vec<Missed>,
}

/// A breakpoint that nothing came of: it was never in place, or never hit.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, Serialize)]
pub struct Missed {
    /// Ours.
    pub id: u64,
    /// Where it is, or was wanted.
    pub at: String,
    /// Of one that was never hit: only when this was true.
    pub condition: Option<String>,
    /// Only at this hit.
    pub hit_condition: Option<String>,
    /// The reason, or what may be it.
    pub diagnosis: String,
}

/// How many events of a type.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Count {
    /// The type.
    #[serde(rename = "type")]
    pub kind: &'static str,
    pub count: u64,
}
