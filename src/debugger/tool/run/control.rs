//! Running on, steps, standing still; and waiting for what comes of it.

use super::prelude::*;
use crate::{
    causes,
    command::{Granularity, StepKind},
};

rows! {
    RESUME "continue" resume "Let the program run until it stops, ends, or the timeout is over (it then runs on)."
        asks "continue";
    RESUME "step_over" resume "Run to the next line, over calls."
        asks "next";
    RESUME "step_in" resume "Step into the call at this line, or to the next line."
        asks "stepIn";
    RESUME "step_out" resume "Run until the present function returns."
        asks "stepOut";
    ROW "pause" pause Control when Pause "Make the running program stand still."
        asks "pause";
    RESUME "step_back" resume "Go back to the line before, where the adapter has recorded it."
        asks "stepBack" of "stepping back";
}

/// How long the first stop of a session is waited for.
pub const FIRST_STOP: Duration = Duration::from_secs(5);

/// How far a tree of sessions has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// A session of it stands still.
    Stopped(SessionId),
    /// All of it is over.
    Terminated,
    /// It runs on.
    Running,
}

impl Reached {
    /// The word in `details.state`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Stopped(_) => "stopped",
            Self::Terminated => "terminated",
            Self::Running => "running",
        }
    }
}

/// The newest stop of all: whatever comes later is newer.
pub fn newest_stop(state: &State) -> StopId {
    let stops = state.sessions.iter().filter_map(|s| s.stop.as_ref());
    stops.map(|stop| stop.id).max().unwrap_or_default()
}

/// Waits until a session of the tree stops after `after`, with its stack, or all of it is over.
pub async fn await_stop(
    turn: &mut Turn,
    root: SessionId,
    after: StopId,
    deadline: Instant,
) -> Result<Reached> {
    let waited = turn
        .until(deadline, |state| arrived(state, root, after, has_stack))
        .await?;
    // A stop whose stack takes too long is a stop.
    let reached = waited.or_else(|| arrived(&turn.state, root, after, |_| true));
    Ok(reached.unwrap_or(Reached::Running))
}

/// What comes after `after`, told: waited for as long as the call may take, or only `within` a time, after which it simply runs.
pub async fn outcome(
    turn: &mut Turn,
    root: SessionId,
    after: StopId,
    within: Option<Duration>,
) -> Result<ActionOutput> {
    let mut deadline = turn.deadline();
    if let Some(within) = within {
        deadline = deadline.min(Instant::now() + within);
    }
    let reached = await_stop(turn, root, after, deadline).await?;
    let waited = within.is_none().then(|| turn.patience());
    Ok(told(turn, root, reached, waited))
}

/// The first session of the tree with a stop after `after` that is `enough`, or the end of them all.
fn arrived(
    state: &State,
    root: SessionId,
    after: StopId,
    enough: fn(&Stop) -> bool,
) -> Option<Reached> {
    let new = |stop: &Stop| stop.id > after && enough(stop);
    let stopped = tree(state, root).find(|s| s.current_stop().is_some_and(new));
    // A program may have ended, or replaced itself, while children of it live on.
    let over = tree(state, root).all(|s| s.phase == Phase::Terminated);
    match stopped {
        Some(session) => Some(Reached::Stopped(session.id)),
        None => over.then_some(Reached::Terminated),
    }
}

/// Whether it is known where the program stands and why, or that it cannot be known.
fn has_stack(stop: &Stop) -> bool {
    if stop.exception.as_deref().is_some_and(causes::is_asked) {
        return false;
    }
    let empty = !stop.stacks.is_empty() && stop.stacks.values().all(|s| s.frames.is_empty());
    stop.selected.is_some() || stop.trouble.is_some() || empty
}

/// What there is to say of how far it came.
pub fn told(
    turn: &Turn,
    root: SessionId,
    reached: Reached,
    waited: Option<Duration>,
) -> ActionOutput {
    let session = match reached {
        Reached::Stopped(session) => session,
        // The focused one is the one that was spoken of, if it belongs to the tree.
        _ => turn
            .state
            .focus
            .filter(|id| turn.state.root_of(*id) == root)
            .unwrap_or(root),
    };
    let known = turn.state.session(session);
    let line = match (reached, waited) {
        (Reached::Stopped(_), _) => {
            let stop = known.and_then(|s| s.current_stop());
            let reason = stop.map(why).unwrap_or_default();
            let place = known.and_then(|s| s.current_frame()).map(text::place);
            match place {
                Some(place) => format!("Stopped at {place} ({reason})."),
                None => format!("Stopped ({reason})."),
            }
        }
        (Reached::Terminated, _) => {
            let code = known
                .and_then(|s| s.exit_code)
                .or_else(|| turn.state.session(root)?.exit_code);
            let ended = match code {
                Some(code) => format!("Program terminated with exit code {code}."),
                None => "Program terminated.".to_owned(),
            };
            // What is said next without naming a session means another program now.
            let other = turn.state.focused();
            let other = other.filter(|s| s.phase.is_live() && turn.state.root_of(s.id) != root);
            match other {
                Some(other) => format!("{ended}\nThe session in focus is now {}.", other.id),
                None => ended,
            }
        }
        (Reached::Running, Some(waited)) => {
            format!("Program is still running after {} s.", waited.as_secs_f64())
        }
        (Reached::Running, None) => "Program is running.".to_owned(),
    };
    ActionOutput::new(turn.with_lines(session, &line))
        .with("state", reached.word())
        .with("timedOut", reached == Reached::Running && waited.is_some())
        .about(session)
}

/// The reason; for an exception with what is said of it.
fn why(stop: &Stop) -> String {
    let told = stop.exception.as_deref().and_then(|told| {
        let said = told.description.as_deref().filter(|said| !said.is_empty());
        Some(format!("{}: {}", told.exception_id, said?))
    });
    let came = stop.text.as_deref().or(stop.description.as_deref());
    let said = came.or(told.as_deref());
    match said.filter(|said| stop.reason == "exception" && !said.trim().is_empty()) {
        Some(said) => format!("{}: {}", one_line(&stop.reason), one_line(said)),
        None => one_line(&stop.reason),
    }
}

/// Continue, or a step.
async fn resume(turn: &mut Turn, _: &Arguments) -> Result<ActionOutput> {
    let step = match turn.row.name {
        "step_over" => Some(StepKind::Over),
        "step_in" => Some(StepKind::In),
        "step_out" => Some(StepKind::Out),
        "step_back" => Some(StepKind::Back),
        _ => None,
    };
    let session = turn.session()?.id;
    let root = turn.state.root_of(session);
    let after = newest_stop(&turn.state);
    let (meant, thread) = (Some(session), None);
    let command = match step {
        None => Command::Continue {
            session: meant,
            thread,
        },
        Some(kind) => Command::Step {
            session: meant,
            thread,
            kind,
            granularity: Granularity::Line,
        },
    };
    let came = |state: &State| arrived(state, root, after, |_| true).is_some();
    match turn.ask_to_run(command, came).await {
        Ok(()) => {}
        // Some adapters answer only when the program stops: it runs, and that is no error.
        Err(error) if error.kind == ErrorKind::Timeout && runs(&turn.state, session) => {}
        Err(error) => return Err(error),
    }
    outcome(turn, root, after, None).await
}

fn runs(state: &State, session: SessionId) -> bool {
    state
        .session(session)
        .is_some_and(|s| s.phase == Phase::Running)
}

/// Makes the program stand still; one that does already is left alone.
async fn pause(turn: &mut Turn, _: &Arguments) -> Result<ActionOutput> {
    let session = turn.meant().ok_or_else(no_session)?;
    let (id, root) = (session.id, turn.state.root_of(session.id));
    if session.phase == Phase::Stopped {
        turn.touch(id).await?;
        return Ok(told(turn, root, Reached::Stopped(id), None));
    }
    gate::check(session, Action::Pause)?;
    let after = newest_stop(&turn.state);
    turn.ask(Command::Pause {
        session: Some(id),
        thread: None,
        momentary: false,
    })
    .await?;
    outcome(turn, root, after, None).await
}
