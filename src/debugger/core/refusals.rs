//! Refusals that several files make, in one wording.

use super::prelude::*;

pub fn gone() -> DebuggerError {
    DebuggerError::state("The debugger core has ended.")
}

/// The sentence for commands that need a session when there is none.
pub fn no_session() -> DebuggerError {
    DebuggerError::state(gate::NO_SESSION).hint("open a program, or attach to a process")
}

pub fn taken_back() -> DebuggerError {
    DebuggerError::new(ErrorKind::Cancelled, "The start was taken back.")
}

pub fn stop_of(session: &Session) -> Result<StopId> {
    session
        .stop_id()
        .ok_or_else(|| DebuggerError::state("No thread is stopped."))
}

/// Refuses what was asked of another stop than the present one.
pub fn still_at(session: &Session, stop: StopId) -> Result<()> {
    if stop_of(session)? == stop {
        Ok(())
    } else {
        Err(stale())
    }
}

pub fn stale() -> DebuggerError {
    DebuggerError::stale("The program has moved on since that was shown.")
        .hint("look at the present stop")
}

pub fn lacks(what: &str) -> DebuggerError {
    DebuggerError::capability(format!("Active adapter does not support {what}."))
}

/// The refusal for want of permission.
pub fn denied(why: &str) -> DebuggerError {
    DebuggerError::new(ErrorKind::Denied, format!("Not permitted: {why}."))
}

/// Why a session did not start, when its adapter did not do its part.
pub fn start_failed(error: RequestError) -> DebuggerError {
    let gone = matches!(error, RequestError::Closed(_));
    let error = DebuggerError::from(error);
    if gone {
        error.hint("see `omp-debug adapters doctor`, or try --plain-adapter")
    } else {
        error
    }
}
