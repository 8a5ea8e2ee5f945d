//! The program's path: where it began, how deep it is, how often it came by, and why it ended.

use debugger::SessionId;

use super::{
    events::{TraceCompleted, TraceStep},
    prelude::*,
};

/// A path that is being followed.
#[derive(Debug)]
pub struct Trace {
    pub session: SessionId,
    /// Frames where it began.
    depth: i64,
    pub steps: u32,
    limit: u32,
    path: Vec<(String, u32)>,
    /// The last step, held back as long as the next may be the same.
    held: Option<TraceStep>,
    fold: bool,
}

impl Trace {
    /// Begins where a stop is. `fold`: equal steps are told once.
    pub fn new(
        session: SessionId,
        depth: i64,
        at: Option<&Location>,
        limit: u32,
        fold: bool,
    ) -> Self {
        let mut trace = Self {
            session,
            depth,
            steps: 0,
            limit,
            path: Vec::new(),
            held: None,
            fold,
        };
        trace.passed(at);
        trace
    }

    fn passed(&mut self, at: Option<&Location>) {
        let Some(at) = at else {
            return;
        };
        match self.path.last_mut() {
            Some((last, times)) if *last == at.function => *times += 1,
            _ => self.path.push((at.function.clone(), 1)),
        }
    }

    /// Whether the function where the path began was left.
    pub fn returned(&self, depth: i64) -> bool {
        depth < self.depth
    }

    pub fn at_limit(&self) -> bool {
        self.steps >= self.limit
    }

    /// Takes in a step, and gives what is to be told now.
    pub fn step(&mut self, mut step: TraceStep, depth: i64) -> Option<TraceStep> {
        self.steps += 1;
        step.step = self.steps;
        step.depth = depth - self.depth;
        self.passed(step.location.as_ref());
        if !self.fold {
            return Some(step);
        }
        match &mut self.held {
            Some(held) if held.location == step.location && held.depth == step.depth => {
                held.times = Some(held.times.unwrap_or(1) + 1);
                held.changes = step.changes;
                held.evaluations = step.evaluations;
                None
            }
            held => held.replace(step),
        }
    }

    /// Ends it: the last events.
    pub fn complete(mut self, stop_reason: &'static str) -> Vec<Event> {
        let mut events = Vec::new();
        if let Some(held) = self.held.take() {
            events.push(Event::TraceStep(Box::new(held)));
        }
        events.push(Event::TraceCompleted(TraceCompleted {
            stop_reason,
            steps: self.steps,
            path: self
                .path
                .into_iter()
                .map(|(name, times)| {
                    if times > 1 {
                        format!("{name} ×{times}")
                    } else {
                        name
                    }
                })
                .collect(),
        }));
        events
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(function: &str, line: i64) -> TraceStep {
        TraceStep {
            location: Some(Location {
                function: function.into(),
                line: Some(line),
                ..Location::default()
            }),
            ..TraceStep::default()
        }
    }

    #[test]
    fn equal_steps_are_folded_and_functions_counted() {
        let first = step("total", 1).location;
        let mut trace = Trace::new(SessionId(1), 3, first.as_ref(), 10, true);
        assert!(trace.step(step("total", 2), 3).is_none());
        assert!(trace.step(step("total", 2), 3).is_none());
        let told = trace.step(step("price", 9), 4).unwrap();
        assert_eq!((told.step, told.times, told.depth), (1, Some(2), 0));
        assert!(!trace.returned(3) && trace.returned(2) && !trace.at_limit());
        let events = trace.complete("function_return");
        let Event::TraceStep(last) = &events[0] else {
            panic!("{events:?}")
        };
        assert_eq!((last.step, last.depth), (3, 1));
        let Event::TraceCompleted(done) = &events[1] else {
            panic!("{events:?}")
        };
        assert_eq!(done.path, ["total ×3", "price"]);
        assert_eq!((done.stop_reason, done.steps), ("function_return", 3));
    }

    #[test]
    fn without_folding_every_step_is_told() {
        let mut trace = Trace::new(SessionId(1), 1, None, 2, false);
        assert_eq!(trace.step(step("f", 1), 1).unwrap().step, 1);
        assert_eq!(trace.step(step("f", 1), 1).unwrap().step, 2);
        assert!(trace.at_limit());
        assert_eq!(trace.complete("limit_reached").len(), 1);
    }
}
