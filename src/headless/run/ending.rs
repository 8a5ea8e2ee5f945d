//! Why a run is over, and what that is called.

use debugger::ErrorKind;

use super::events::ErrorEvent;
use crate::{codes, prelude::*};

/// How long the program and its adapter may take to end when we end them.
pub const END_PATIENCE: Duration = Duration::from_secs(8);

/// Why a run is over.
#[derive(Clone, Debug, PartialEq)]
pub enum Ending {
    /// The program ended, or let go of us.
    Ended,
    /// Enough stops.
    MaxStops,
    /// What was asserted does not hold.
    Assertion,
    /// Too long.
    Timeout(Duration),
    /// A signal, by its number.
    Interrupted(u8),
    /// Nobody reads any more.
    OutputClosed,
    /// Something did not work.
    Failed(DebuggerError),
}

impl Ending {
    /// What it is called, and what we exit with. `launched`: we began it, so that somebody should know how it ended.
    pub fn told(&self, exit_code: Option<i64>, launched: bool) -> (&'static str, u8) {
        match self {
            Self::Ended if exit_code.is_none() && launched => ("ended", codes::FAILED),
            Self::Ended => ("ended", exit_code.is_some_and(|code| code != 0).into()),
            Self::MaxStops => ("max_stops", 0),
            Self::OutputClosed => ("output_closed", 0),
            Self::Assertion => ("assertion_failed", codes::ASSERTION),
            Self::Timeout(_) => ("timeout", codes::TIMEOUT),
            Self::Interrupted(signal) => ("interrupted", codes::SIGNAL + signal),
            Self::Failed(error) => ("failed", exit_code_of(error.kind)),
        }
    }
}

/// What an adapter has not answered: of one request, others may only be the consequence.
fn unanswered(state: &State) -> Option<String> {
    let session = state.live().find(|s| !s.pending.is_empty())?;
    let requests = session.pending.iter().take(5);
    let requests: Vec<_> = requests.map(|p| format!("{:?}", p.command)).collect();
    Some(format!(
        "; the adapter {} has not answered {}",
        sanitise(&session.adapter),
        requests.join(", ")
    ))
}
pub fn error_of(ending: &Ending, state: &State) -> Option<ErrorEvent> {
    match ending {
        Ending::Failed(error) => Some(error_event(error)),
        Ending::Timeout(limit) => Some(ErrorEvent {
            kind: "timeout".to_owned(),
            message: format!(
                "The run was ended: it took longer than {limit:?}{}.",
                unanswered(state).unwrap_or_default()
            ),
            hint: Some("give it more time with --timeout 5m, or none with --timeout 0".to_owned()),
            details: None,
        }),
        Ending::Interrupted(signal) => Some(ErrorEvent {
            kind: "interrupted".to_owned(),
            message: format!("The run was ended by signal {signal}."),
            ..ErrorEvent::default()
        }),
        _ => None,
    }
}

/// The exit code for what did not work: nobody is there who could do it otherwise.
fn exit_code_of(kind: ErrorKind) -> u8 {
    match kind {
        ErrorKind::State
        | ErrorKind::Capability
        | ErrorKind::Stale
        | ErrorKind::Cancelled
        | ErrorKind::NotDriver => codes::FAILED,
        kind => codes::of(kind),
    }
}

fn error_event(error: &DebuggerError) -> ErrorEvent {
    ErrorEvent {
        kind: serde_json::to_value(error.kind)
            .ok()
            .and_then(|kind| kind.as_str().map(str::to_owned))
            .unwrap_or_default(),
        message: error.what.clone(),
        hint: error.hint.clone(),
        details: error.details.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_ending_has_its_exit_code() {
        let exit_status = |ending: &Ending, code| ending.told(code, true).1;
        let failed = |kind| exit_status(&Ending::Failed(DebuggerError::new(kind, "x")), None);
        assert_eq!(exit_status(&Ending::Ended, Some(0)), 0);
        // Of what was only looked at nobody need know; what we began did not end well as far as anybody knows.
        assert_eq!(Ending::Ended.told(None, false), ("ended", 0));
        assert_eq!(exit_status(&Ending::Ended, None), 4);
        assert_eq!(exit_status(&Ending::Ended, Some(7)), 1);
        assert_eq!(failed(ErrorKind::Usage), 2);
        assert_eq!(failed(ErrorKind::Program), 2);
        assert_eq!(failed(ErrorKind::AdapterMissing), 3);
        assert_eq!(failed(ErrorKind::Adapter), 4);
        assert_eq!(failed(ErrorKind::Timeout), 4);
        assert_eq!(exit_status(&Ending::Timeout(Duration::ZERO), Some(0)), 5);
        assert_eq!(exit_status(&Ending::Assertion, None), 6);
        assert_eq!(exit_status(&Ending::Interrupted(2), None), 130);
        assert_eq!(exit_status(&Ending::Interrupted(15), None), 143);
    }
}
