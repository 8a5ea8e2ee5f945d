//! The sum of a run, for its last event.

use std::time::Instant;

use serde::Serialize;

use super::events::{Event, Halt};

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
#[derive(Clone, Debug, Default, Serialize)]
pub struct Missed {
    /// Ours.
    pub id: u64,
    /// Where it is, or was wanted.
    pub at: String,
    /// Of one that was never hit: only when this was true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// Only at this hit.
    #[serde(skip_serializing_if = "Option::is_none")]
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

/// Counts while a run goes on.
pub(super) struct Tally {
    began: Instant,
    summary: Summary,
    /// The last exception, while nobody may have handled it.
    raised: Option<Box<Halt>>,
}

impl Tally {
    pub(super) fn new() -> Self {
        Self {
            began: Instant::now(),
            summary: Summary::default(),
            raised: None,
        }
    }

    pub(super) fn elapsed_ms(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Every event is counted, whether it is printed or not.
    pub(super) fn count(&mut self, event: &Event) {
        match event {
            Event::BreakpointHit(_) => self.summary.breakpoints_hit += 1,
            Event::ExceptionThrown(halt) => {
                let again = self
                    .raised
                    .take()
                    .is_some_and(|raised| is_again(&raised, halt));
                self.summary.exceptions_caught += u32::from(!again);
                self.raised = Some(halt.clone());
            }
            _ => {}
        }
        let kind = event.kind();
        match self.summary.events.iter_mut().find(|c| c.kind == kind) {
            Some(count) => count.count += 1,
            None => self.summary.events.push(Count { kind, count: 1 }),
        }
    }

    pub(super) fn stepped(&mut self) {
        self.summary.steps_executed += 1;
    }

    pub(super) fn sum(
        &self,
        exit_code: Option<i64>,
        unverified: Vec<Missed>,
        never_hit: Vec<Missed>,
    ) -> Summary {
        Summary {
            duration_ms: self.elapsed_ms(),
            exit_code,
            unverified_breakpoints: unverified,
            never_hit,
            ..self.summary.clone()
        }
    }
}

/// Whether an exception is one that stopped the program before: when it was raised, and now because nobody handled it.
fn is_again(raised: &Halt, now: &Halt) -> bool {
    let Some((raised_one, one)) = raised.exception.as_ref().zip(now.exception.as_ref()) else {
        return false;
    };
    let unhandled = |mode: &Option<String>| mode.as_deref() == Some("unhandled");
    unhandled(&one.break_mode)
        && !unhandled(&raised_one.break_mode)
        && (&raised_one.type_name, &raised_one.message) == (&one.type_name, &one.message)
        && (raised.thread_id, &raised.location) == (now.thread_id, &now.location)
}
