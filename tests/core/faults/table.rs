//! What is promised: for each fault of the fake adapter, and each of its states, how the session takes it.

use super::REQUEST;

/// Every fault that the fake adapter knows (`fake-adapter --help`).
pub const FAULTS: [&str; 18] = [
    "exit0",
    "exit1",
    "segv",
    "sigkill",
    "sigstop",
    "close-stdout",
    "close-stdin",
    "stderr-flood",
    "junk",
    "cut-frame",
    "over-cap",
    "bad-json",
    "wrong-seq",
    "double-response",
    "late-response",
    "event-storm",
    "empty-failure",
    "bad-reverse",
];

/// The adapter's state in which it misbehaves, and so what is under way then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    Spawned,
    Initializing,
    Launching,
    AwaitingInitialized,
    Configuring,
    Running,
    Stopping,
    Stopped,
    Evaluating,
    Stepping,
    Disconnecting,
    Terminated,
}

impl State {
    pub const ALL: [(Self, &'static str); 12] = [
        (Self::Spawned, "spawned"),
        (Self::Initializing, "initializing"),
        (Self::Launching, "launching"),
        (Self::AwaitingInitialized, "awaiting-initialized"),
        (Self::Configuring, "configuring"),
        (Self::Running, "running"),
        (Self::Stopping, "stopping"),
        (Self::Stopped, "stopped"),
        (Self::Evaluating, "evaluating"),
        (Self::Stepping, "stepping"),
        (Self::Disconnecting, "disconnecting"),
        (Self::Terminated, "terminated"),
    ];

    /// The launch is what is under way.
    pub fn is_start(self) -> bool {
        self <= Self::Configuring
    }

    /// The request that leads to this state is the one whose answer is damaged; in the others it is whichever
    /// comes next, and that may be one of the core's own.
    fn damages_the_command(self) -> bool {
        matches!(
            self,
            Self::Spawned
                | Self::Initializing
                | Self::Launching
                | Self::Stopping
                | Self::Evaluating
                | Self::Stepping
        )
    }
}

/// How the command that is under way is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    Done,
    /// With an error that holds one of these.
    Fails(&'static [&'static str]),
    /// Either of them: what is hit is not this command.
    May(&'static [&'static str]),
}

/// How the session ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// When it is asked to.
    Asked,
    /// By itself, with a sentence that holds one of these.
    By(&'static [&'static str]),
    /// Either of them.
    May(&'static [&'static str]),
}

impl End {
    pub fn causes(self) -> &'static [&'static str] {
        match self {
            Self::Asked => &[],
            Self::By(causes) | Self::May(causes) => causes,
        }
    }
}

/// What is promised of one cell.
#[derive(Clone, Copy, Debug)]
pub struct Promise {
    pub answer: Answer,
    pub end: End,
    /// Someone is told, in a message that holds this.
    pub told: Option<&'static str>,
}

impl Promise {
    /// Whether an adapter that does not answer is given up; where it is not, how long it may take is no part of what is promised.
    pub fn gives_up(&self) -> bool {
        let answers: &[&str] = match self.answer {
            Answer::Done => &[],
            Answer::Fails(causes) | Answer::May(causes) => causes,
        };
        let mut causes = answers.iter().chain(self.end.causes());
        causes.any(|cause| SILENT.contains(cause))
    }
}

/// Sentences about an adapter that does not answer.
const SILENT: &[&str] = &["timed out after", "no longer takes requests"];
const ENDED: &str = "The program ended with exit code 0.";

pub fn promise(fault: &str, state: State) -> Promise {
    let survives = Promise {
        answer: Answer::Done,
        end: if state == State::Terminated {
            End::By(&[ENDED])
        } else {
            End::Asked
        },
        told: None,
    };
    match fault {
        "exit0" => dies(state, &["(code 0)", ENDED]),
        // Of one that is reached over a socket, before that or after.
        "exit1" => dies(
            state,
            &[
                "(code 1): fake-adapter: giving up as told",
                "(code 1) before it could be reached; it said: fake-adapter: giving up as told",
                ENDED,
            ],
        ),
        "segv" => dies(state, &["(signal 11)", ENDED]),
        "sigkill" => dies(state, &["(signal 9)", ENDED]),
        "close-stdout" => dies(state, &["closed the connection", "(code 0)", ENDED]),
        "cut-frame" => dies(state, &["(code 0)", "ended inside a message", ENDED]),
        "over-cap" => dies(state, &["4294967296", ENDED]),
        "sigstop" | "close-stdin" if matches!(state, State::Disconnecting | State::Terminated) => {
            survives
        }
        "sigstop" => Promise {
            answer: Answer::Fails(SILENT),
            end: if state.is_start() {
                End::By(SILENT)
            } else {
                End::Asked
            },
            ..survives
        },
        // The closed end of a pipe is noticed by whoever writes to it; nobody notices that of a socket.
        "close-stdin" => Promise {
            answer: match state {
                // What was read before is still answered.
                State::Stopping | State::Evaluating | State::Stepping => Answer::May(SILENT),
                State::Stopped => Answer::Fails(&[
                    "timed out after",
                    "no longer takes requests",
                    "The session has ended.",
                ]),
                _ => Answer::Fails(SILENT),
            },
            end: if state.is_start() {
                End::By(SILENT)
            } else {
                End::May(SILENT)
            },
            ..survives
        },
        // The launch has twice the time of other requests, so that its late answer is in time.
        "late-response" if state == State::Launching => survives,
        "wrong-seq" | "late-response" => {
            let promise = unanswered(state, survives);
            // The start has its time, and on a slow machine a request without an answer may use it up.
            let end = match promise.end {
                End::Asked if state.is_start() => End::May(SILENT),
                end => end,
            };
            // A step is done at its stop.
            let answer = match state {
                State::Stepping => Answer::Done,
                _ => promise.answer,
            };
            Promise {
                answer,
                end,
                ..promise
            }
        }
        "empty-failure" => refused(state, survives),
        "junk" => Promise {
            told: (state < State::Disconnecting).then_some("this is no DAP"),
            ..survives
        },
        "bad-json" => Promise {
            told: (state < State::Disconnecting).then_some("cannot be read"),
            ..survives
        },
        // All of it is handled before what comes after it, however long that takes on this machine.
        "event-storm" | "stderr-flood" => Promise {
            answer: match state {
                State::Disconnecting => Answer::Done,
                _ => Answer::May(SILENT),
            },
            end: if state.is_start() {
                End::May(SILENT)
            } else {
                survives.end
            },
            ..survives
        },
        "double-response" | "bad-reverse" => survives,
        other => unreachable!("no promise for {other}"),
    }
}

fn dies(state: State, causes: &'static [&'static str]) -> Promise {
    Promise {
        answer: match state {
            State::Disconnecting | State::Terminated => Answer::Done,
            // The session may be over before the command is asked, and says then that it is.
            State::Running | State::Stopped => {
                Answer::Fails(&["DAP adapter", "The session has ended."])
            }
            // The step is done already when the adapter tells of it, so the end may be seen before the answer.
            _ => Answer::Fails(causes),
        },
        end: End::By(match state {
            State::Disconnecting => &["The program was ended.", ENDED],
            _ => causes,
        }),
        told: None,
    }
}

fn unanswered(state: State, survives: Promise) -> Promise {
    let silent = if state.damages_the_command() {
        Answer::Fails(SILENT)
    } else if matches!(state, State::Disconnecting | State::Terminated) {
        Answer::Done
    } else {
        Answer::May(SILENT)
    };
    Promise {
        answer: silent,
        end: if state.is_start() && state.damages_the_command() {
            End::By(SILENT)
        } else {
            survives.end
        },
        ..survives
    }
}

fn refused(state: State, survives: Promise) -> Promise {
    const WHY: &[&str] = &["without saying why"];
    let direct = state.damages_the_command();
    Promise {
        answer: if direct {
            Answer::Fails(WHY)
        } else if matches!(state, State::Disconnecting | State::Terminated) {
            Answer::Done
        } else {
            Answer::May(WHY)
        },
        end: if direct && state.is_start() {
            End::By(WHY)
        } else {
            survives.end
        },
        ..survives
    }
}

/// Cells that take long and say little beyond those that stay: they run when the full matrix is asked for.
pub fn is_slow(fault: &str, state: State) -> bool {
    match fault {
        "stderr-flood" => !matches!(state, State::Spawned | State::Stopped),
        "event-storm" => !matches!(state, State::Running | State::Terminated),
        _ => false,
    }
}

/// The time in which the command that is under way must be answered, from what each step of it may take.
pub fn deadline(state: State) -> std::time::Duration {
    match state {
        // `initialize` has one time, the start of the program two more.
        State::Spawned => REQUEST,
        _ if state.is_start() => 2 * REQUEST,
        _ => REQUEST,
    }
}
