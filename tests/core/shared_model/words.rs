//! What the rules say, in the words of a core.

use std::time::Duration;

use omp_debug::debugger::permission::{Consent, Mode};
use omp_debug::debugger::{Command, DebuggerError, ErrorKind, Granularity, Reply, StepKind};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::SESSION;
use super::rules::{Level, Outcome, Say, Why, Wish, expression};

/// How long anything may take.
pub const PATIENCE: Duration = Duration::from_secs(8);

pub type Answer = Result<Reply, DebuggerError>;

/// Those that mean no place.
pub fn command(wish: Wish) -> Command {
    let (session, thread) = (SESSION, None);
    let evaluate = |expression: String, context: &str| Command::Evaluate {
        session,
        frame_id: None,
        expression,
        context: context.to_owned(),
    };
    match wish {
        Wish::Step => Command::Step {
            session,
            thread,
            kind: StepKind::Over,
            granularity: Granularity::Line,
        },
        Wish::Continue => Command::Continue { session, thread },
        Wish::Pause => Command::Pause {
            session,
            thread,
            momentary: false,
        },
        Wish::Evaluate(number) => evaluate(expression(number), "watch"),
        Wish::Hover => evaluate("i".to_owned(), "hover"),
        Wish::Threads => Command::Threads { session },
        Wish::Clear => Command::ClearBreakpoints,
        Wish::Break(_) | Wish::BreakIf(_) | Wish::Unbreak(_) => unreachable!(),
    }
}

pub fn mode(level: Level) -> Mode {
    match level {
        Level::Observe => Mode::Observe,
        Level::Rules => Mode::Rules,
        Level::Ask => Mode::Ask,
        Level::Drive => Mode::Drive,
        Level::Auto => Mode::Auto,
    }
}

pub fn consent(say: Say) -> Consent {
    match say {
        Say::Once => Consent::Once,
        Say::ThisStop => Consent::ThisStop,
        Say::Always => Consent::Always {
            pattern: "*".to_owned(),
        },
        Say::Instead(number) => Consent::Edited {
            subject: expression(number),
        },
        Say::Deny => Consent::Deny { reason: None },
        Say::Abort => Consent::Abort,
    }
}

/// Whether an answer is what was to come.
pub async fn is_as(expected: &Outcome, answer: JoinHandle<Answer>) -> Result<(), String> {
    let answer = timeout(PATIENCE, answer).await;
    let answer = answer.map_err(|_elapsed| format!("no answer, where {expected:?} was due"))?;
    let answer = answer.map_err(|error| error.to_string())?;
    let kind = |why: &Why| match why {
        Why::Usage => ErrorKind::Usage,
        Why::State => ErrorKind::State,
        Why::Stale => ErrorKind::Stale,
        Why::Denied => ErrorKind::Denied,
        Why::NotDriver => ErrorKind::NotDriver,
    };
    match (expected, &answer) {
        (Outcome::Done, Ok(_)) => Ok(()),
        (Outcome::Refused(why), Err(error)) if why.iter().any(|w| kind(w) == error.kind) => Ok(()),
        _ => Err(format!("{answer:?}, where {expected:?} was due")),
    }
}
