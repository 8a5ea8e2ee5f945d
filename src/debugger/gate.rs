//! Which action may be sent in which phase: one table for every front end.
//!
//! A refused action writes no byte to the adapter and answers with one sentence. Breakpoints may be edited at any time:
//! without a session they are local and pending, so they are not in the table.

use crate::prelude::*;

/// What can be asked of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Let it run, forwards or backwards, freely or one step.
    Resume,
    /// Make it stand still.
    Pause,
    /// Stack, scopes, variables, evaluation: anything that needs a stopped thread.
    Inspect,
    /// Change a value.
    Modify,
    /// Threads, modules, sources: answered by adapters in any state.
    List,
    /// Text of a source.
    Source,
    /// Write to the debuggee's standard input.
    Input,
    /// End it.
    Terminate,
    /// Leave it.
    Detach,
    /// Start it again.
    Restart,
}

/// Why an action is refused: what is wrong, and what to do about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The sentence.
    pub what: &'static str,
    /// The remedy.
    pub hint: &'static str,
}

/// Why there is nothing to ask.
pub const NO_SESSION: &str = "No active debug session. Launch or attach first.";

/// Why a program that runs is not let go.
pub const RUNNING: &str = "The program is running.";

/// Whether `action` may be sent in `phase`, for tables of actions that are looked through at every frame.
pub fn allow(phase: Phase, action: Action) -> Result<(), Refusal> {
    let refuse = |what, hint| Err(Refusal { what, hint });
    match (phase, action) {
        (Phase::NotStarted, _) => refuse(
            NO_SESSION,
            "open a program with F5, or start with `omp-debug PROGRAM`",
        ),
        (_, Action::Terminate | Action::Restart) | (Phase::Stopped, _) => match (phase, action) {
            (Phase::Terminated, Action::Terminate) => refuse(
                "The session has already ended.",
                "restart it to debug again",
            ),
            (Phase::Stopped, Action::Pause) => {
                refuse("The program is already stopped.", "continue or step")
            }
            _ => Ok(()),
        },
        (Phase::Terminated, _) => refuse(
            "The session has ended.",
            "restart it to debug again; its output stays readable",
        ),
        (Phase::Initializing | Phase::Configured, Action::Input | Action::Detach)
        | (
            Phase::Running,
            Action::Pause | Action::List | Action::Source | Action::Input | Action::Detach,
        ) => Ok(()),
        (Phase::Initializing | Phase::Configured, _) => refuse(
            "The session is still starting.",
            "wait for it to run or stop",
        ),
        (Phase::Running, Action::Resume) => refuse(RUNNING, "pause it, or wait for it to stop"),
        (Phase::Running, Action::Inspect | Action::Modify) => refuse(
            "No thread is stopped.",
            "pause the program, or wait for a breakpoint",
        ),
    }
}

/// The same for a session: what is left of a program does not run.
pub fn allow_of(session: &Session, action: Action) -> Result<(), Refusal> {
    // Whatever one of its sessions does: the time of a recording is that of all of them.
    if session.recorded
        && action == Action::Resume
        && matches!(
            session.phase,
            Phase::NotStarted | Phase::Running | Phase::Terminated
        )
    {
        return Ok(());
    }
    allow(session.phase, action)?;
    match action {
        Action::Resume | Action::Pause | Action::Modify | Action::Input if session.post_mortem => {
            Err(Refusal {
                what: "A core dump stands still: it is what was left of the program.",
                hint: "look at its stack, variables and memory; start the program itself to run it",
            })
        }
        _ => Ok(()),
    }
}

/// Whether `action` may be sent to a session; the error says why not.
pub fn check(session: &Session, action: Action) -> Result<(), DebuggerError> {
    allow_of(session, action).map_err(|no| DebuggerError::state(no.what).hint(no.hint))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Action; 10] = [
        Action::Resume,
        Action::Pause,
        Action::Inspect,
        Action::Modify,
        Action::List,
        Action::Source,
        Action::Input,
        Action::Terminate,
        Action::Detach,
        Action::Restart,
    ];

    /// The whole table, written out: rows are phases, columns the actions in the order of [`ALL`].
    #[test]
    fn every_cell_is_as_agreed() {
        let table = [
            (Phase::NotStarted, "----------"),
            (Phase::Initializing, "------yyyy"),
            (Phase::Configured, "------yyyy"),
            (Phase::Running, "-y--yyyyyy"),
            (Phase::Stopped, "y-yyyyyyyy"),
            (Phase::Terminated, "---------y"),
        ];
        for (phase, row) in table {
            for (action, cell) in ALL.into_iter().zip(row.chars()) {
                let session = Session {
                    phase,
                    ..Session::default()
                };
                let got = check(&session, action);
                assert_eq!(got.is_ok(), cell == 'y', "{phase:?} {action:?}: {got:?}");
                if let Err(e) = got {
                    assert!(e.what.ends_with('.') && e.hint.is_some(), "{e:?}");
                }
            }
        }
    }

    /// What is left of a program can be looked at, and left; its end is as that of any other.
    #[test]
    fn a_core_dump_is_looked_at_and_nothing_else() {
        let session = Session {
            phase: Phase::Stopped,
            post_mortem: true,
            ..Session::default()
        };
        let allowed: Vec<_> = ALL
            .into_iter()
            .filter(|action| check(&session, *action).is_ok())
            .collect();
        assert_eq!(
            allowed,
            [
                Action::Inspect,
                Action::List,
                Action::Source,
                Action::Terminate,
                Action::Detach,
                Action::Restart
            ]
        );
        let error = check(&session, Action::Resume).unwrap_err();
        assert!(error.what.contains("core dump"), "{error}");
    }
}
