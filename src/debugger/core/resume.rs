//! The ways to let a program go on, and what an adapter is asked for each.

use super::prelude::*;
use crate::command::StepKind;

/// The ways to go on.
#[derive(Clone, Copy, Debug)]
pub enum Resume {
    Continue,
    ReverseContinue,
    Step(StepKind, Granularity),
    /// Into one call of a line, by the adapter's number for it.
    StepInto(i64),
    /// From the beginning of a frame's call, by the adapter's number for the frame.
    RestartFrame(i64),
}

impl Resume {
    pub fn command(self) -> &'static str {
        match self {
            Self::Continue => "continue",
            Self::ReverseContinue => "reverseContinue",
            Self::Step(StepKind::Over, _) => "next",
            Self::Step(StepKind::In, _) | Self::StepInto(_) => "stepIn",
            Self::RestartFrame(_) => "restartFrame",
            Self::Step(StepKind::Out, _) => "stepOut",
            Self::Step(StepKind::Back, _) => "stepBack",
        }
    }

    pub fn arguments(self, session: &Session, thread: i64) -> Result<Value> {
        let can = &session.capabilities;
        if let Self::RestartFrame(frame) = self {
            return Ok(json!({ "frameId": frame }));
        }
        let mut fields = Map::from_iter([("threadId".to_owned(), thread.into())]);
        if let Self::StepInto(target) = self {
            fields.put("targetId", target);
        }
        if session.single_thread && can.supports_single_thread_execution_requests {
            fields.put("singleThread", true);
        }
        if let Self::Step(_, granularity) = self
            && granularity != Granularity::Line
        {
            if !can.supports_stepping_granularity {
                return Err(lacks("stepping by statement or instruction"));
            }
            fields.put("granularity", json!(granularity));
        }
        Ok(fields.into())
    }

    pub fn activity(self) -> Option<&'static str> {
        match self {
            Self::Continue => None,
            Self::ReverseContinue => Some("running backwards"),
            Self::Step(kind, _) => Some(kind.activity()),
            Self::StepInto(_) => Some(StepKind::In.activity()),
            Self::RestartFrame(_) => Some("restarting the frame"),
        }
    }

    pub fn by_instruction(self) -> bool {
        matches!(self, Self::Step(_, Granularity::Instruction))
    }

    pub fn is_backwards(self) -> bool {
        matches!(self, Self::ReverseContinue | Self::Step(StepKind::Back, _))
    }

    /// Whether it ends by itself, wherever breakpoints are.
    pub fn is_step(self) -> bool {
        matches!(self, Self::Step(..) | Self::StepInto(_))
    }
}
