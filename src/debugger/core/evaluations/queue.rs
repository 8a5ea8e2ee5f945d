//! What is evaluated in a session and what waits for that; and how one evaluation ended.

use crate::core::prelude::*;

/// What is made of the answer.
type Then = Box<dyn FnOnce(&mut Owner, Evaluation) + Send + Sync>;

pub type Later = Box<dyn FnOnce(&mut Owner) + Send + Sync>;

pub type EvaluateResult = Result<EvaluateResponse, RequestError>;

/// How an evaluation ended.
pub(in crate::core) enum Evaluation {
    Answered(EvaluateResult),
    /// Not in its time; whether the adapter gave it up.
    Late {
        limit: Duration,
        given_up: bool,
    },
    /// It did not end by itself: the program stopped elsewhere because of it.
    Stopped(RequestError),
    /// The adapter has not answered this one yet.
    Behind(String),
    /// The program has moved on.
    Stale,
}

/// One evaluation in its turn.
pub(in crate::core) struct Job {
    /// Where the program is to stand still, for what has no meaning elsewhere.
    pub stop: Option<StopId>,
    pub arguments: EvaluateArguments,
    /// A command of the debugger's own, which may move the program and take its time.
    pub command: bool,
    pub watch: Option<WatchId>,
    /// It was looked for among the parts of values already, with what came of it.
    pub lost: Option<Lost>,
    /// Of whoever asked.
    pub terms: Option<Terms>,
    pub then: Then,
}

/// The evaluations of a session, since the program was last let go.
#[derive(Default)]
pub(in crate::core) struct Evaluations {
    pub waiting: VecDeque<Job>,
    /// One is under way, or what came of it is being looked at.
    pub busy: bool,
    /// Requests with an answer to come that may run the program's functions.
    pub open: u32,
    /// What the adapter has not answered in its time.
    pub unanswered: Option<String>,
    /// The last stop that was told of meanwhile.
    pub held_back: Option<StoppedEvent>,
    /// The program ran meanwhile.
    pub ran: bool,
    /// Frames and references are new since the variables of the frame were loaded.
    pub renewed: bool,
    /// Numbers of frames that were told, and those they have now.
    pub frames: HashMap<i64, i64>,
    /// Watches with values that can be opened, by references that are still good.
    pub opened: Vec<(WatchId, WatchValue)>,
    /// How often all watches were evaluated without anybody having asked.
    pub unasked: u32,
    /// Answers of which it is known what was said before them, and those whose turn among the events has yet to come.
    pub passed: Vec<i64>,
    pub answers: Vec<(i64, Later)>,
    /// Counts how often what waits was dropped: what was under way then is of no account.
    pub turn: u64,
    /// Cancelled when the program is let go: what is still to be asked of where it stood is not.
    pub moved: CancellationToken,
}

impl Job {
    pub fn end(self, owner: &mut Owner, outcome: Evaluation) {
        owner.within(self.terms, |owner| (self.then)(owner, outcome));
    }
}

impl Evaluations {
    pub fn frame(&self, told: i64) -> i64 {
        self.frames.get(&told).copied().unwrap_or(told)
    }
}

impl Evaluation {
    /// Whether the adapter said something, and not only we.
    pub fn is_of_adapter(&self) -> bool {
        use RequestError::{BadBody, Failed};
        match self {
            Self::Answered(answer) => {
                matches!(answer, Ok(_) | Err(Failed { .. } | BadBody { .. }))
            }
            Self::Late { given_up, .. } => *given_up,
            _ => false,
        }
    }

    /// Whether the adapter says that it is nothing.
    pub fn is_refused(&self, personality: &Personality) -> bool {
        match self {
            Self::Answered(Ok(answer)) => personality.error_results.fit(&answer.result),
            Self::Answered(Err(error)) => matches!(error, RequestError::Failed { .. }),
            _ => false,
        }
    }

    /// In words, for whoever asked for `expression`.
    pub fn told(self, expression: &str, personality: &Personality) -> Result<EvaluateResponse> {
        let refused = |text: &str| {
            let (what, details) = personality.evaluation_error(text);
            DebuggerError {
                details,
                ..DebuggerError::adapter(what)
            }
        };
        match self {
            Self::Answered(Ok(r)) if personality.error_results.fit(&r.result) => {
                Err(refused(&r.result))
            }
            Self::Answered(Ok(r)) => Ok(r),
            Self::Answered(Err(RequestError::Failed { text, .. })) => Err(refused(&text)),
            Self::Answered(Err(error)) => Err(error.into()),
            Self::Late { limit, given_up } => {
                // As any request that is not answered in time.
                let error = RequestError::Timeout {
                    command: "evaluate".to_owned(),
                    ms: limit.as_millis() as u64,
                };
                let then = if given_up {
                    "was given up"
                } else {
                    "still keeps the debugger busy"
                };
                Err(DebuggerError::from(error).hint(format!(
                    "`{expression}` {then}; give it longer with --eval-timeout SECONDS, or eval_timeout in the settings"
                )))
            }
            Self::Stopped(error) => Err(refused(&error.to_string())),
            Self::Behind(other) => Err(DebuggerError::timeout(format!(
                "Not evaluated: the debugger is still busy with `{other}`."
            ))),
            Self::Stale => Err(stale()),
        }
    }
}
