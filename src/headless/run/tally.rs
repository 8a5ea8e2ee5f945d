//! Counts what is printed of a run.

use std::time::Instant;

use super::{
    prelude::*,
    summary::{Count, Missed, Summary},
};

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
