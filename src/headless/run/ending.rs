//! How a run ends: on every path with the program ended or left, and one last event that says how it went.

use base::files;
use debugger::{Kind, StartKind, exit};

use super::{
    events::{ErrorEvent, Event, ProcessExited, SessionEnd},
    runner::Runner,
    summary::Missed,
};
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

impl Runner {
    /// The session is over: by its program, or because its adapter went away.
    pub(super) fn ended(&self) -> Ending {
        let lost = self.asked_for().find(|s| {
            s.kind == StartKind::Launch
                && s.exit_code.or(self.last_exit_code).is_none()
                && s.ended
                    .as_ref()
                    .is_some_and(|why| !why.starts_with("The program"))
        });
        match lost.and_then(|s| s.ended.clone()) {
            Some(why) => Ending::Failed(DebuggerError::new(Kind::Adapter, why)),
            None => Ending::Ended,
        }
    }

    /// Ends what still runs, says how it went, and gives the exit code. `abort` cuts the waiting short.
    pub(super) async fn finish(mut self, ending: Ending) -> u8 {
        if let Some(error) = error_of(&ending, &self.state) {
            self.tell(Event::Error(error)).await;
        }
        self.stops.clear();
        // What a program that we end exits with says nothing.
        let by_itself = self.exit_code();
        if !self.root_gone {
            // What was launched ends, what was attached to stays.
            let gone = self.core.request(Command::Shutdown);
            self.failed = None;
            self.launching = None;
            let _ = tokio::time::timeout(END_PATIENCE, async {
                let _ = gone.await;
                while !self.root_gone && self.advance().await {}
            })
            .await;
        }
        if let Some(trace) = self.trace.take() {
            let by_program = ending == Ending::Ended;
            self.complete(
                trace,
                if by_program {
                    "end_of_program"
                } else {
                    "ended"
                },
            )
            .await;
        }
        let root = self.root.and_then(|id| self.state.session(id)).cloned();
        let exit_code = if ending == Ending::Ended {
            self.exit_code()
        } else {
            by_itself
        };
        let launch = root.as_ref().is_some_and(|s| s.kind == StartKind::Launch);
        if let Some(since) = self.launched
            && (launch || exit_code.is_some())
        {
            let exited = ProcessExited {
                exit_code,
                signal: exit_code.and_then(exit::signal_of).map(|(_, name)| name),
                duration_ms: self.tally.elapsed_ms().saturating_sub(since),
            };
            self.tell(Event::ProcessExited(exited)).await;
        }
        if launch && ending == Ending::Ended && exit_code.is_none() {
            let unknown = "How the program ended is not known: neither the adapter nor the program told an exit code.";
            let hint = "it may have been killed; --record FILE keeps what the adapter said";
            self.warn(unknown.to_owned(), hint).await;
        }
        // Not every adapter tells the exit code, and a test that failed is one that failed.
        let status = match exit_status(&ending, exit_code, launch) {
            status if self.options.ends_as_command => {
                self.command_code(&ending, exit_code).unwrap_or(status)
            }
            0 if self.test_failed && ending == Ending::Ended => 1,
            status => status,
        };
        let never_hit = self.never_hit(&ending);
        let end = SessionEnd {
            reason: reason(&ending),
            exit_status: status,
            summary: self.tally.sum(exit_code, self.unverified(), never_hit),
        };
        self.tell(Event::SessionEnd(end)).await;
        if ending != Ending::OutputClosed {
            let written = tokio::time::timeout(END_PATIENCE, self.printer.finish()).await;
            if written.is_err() {
                let text = "the last events were not written: nobody read them in time";
                files::lose(text.to_owned(), true);
            }
        }
        status
    }

    /// What the command itself would have ended with.
    fn command_code(&self, ending: &Ending, exit_code: Option<i64>) -> Option<u8> {
        if !matches!(ending, Ending::Ended | Ending::Failed(_)) {
            return None;
        }
        let typed = self
            .asked_for()
            .find_map(|session| session.typed.as_deref())?;
        let code = match exit_code? {
            0 => 0,
            code if *ending == Ending::Ended => typed.fails_with.unwrap_or(code),
            code => code,
        };
        u8::try_from(code & 0xff).ok()
    }

    /// Of several programs the first that says that something went wrong.
    fn exit_code(&self) -> Option<i64> {
        let codes = || self.asked_for().filter_map(|root| root.exit_code);
        let wrong = codes().find(|code| *code != 0);
        wrong.or_else(|| codes().next()).or(self.last_exit_code)
    }

    /// The sessions that were asked for.
    fn asked_for(&self) -> impl Iterator<Item = &Session> {
        self.state.sessions.iter().filter(|s| s.parent.is_none())
    }

    fn unverified(&self) -> Vec<Missed> {
        self.breakpoints_told
            .values()
            .filter(|(_, told)| !told.verified)
            .map(|(_, told)| Missed {
                id: told.id,
                at: told.place(),
                diagnosis: told.diagnosis.clone().unwrap_or_default(),
                ..Missed::default()
            })
            .collect()
    }
}

fn reason(ending: &Ending) -> &'static str {
    match ending {
        Ending::Ended => "ended",
        Ending::MaxStops => "max_stops",
        Ending::Assertion => "assertion_failed",
        Ending::Timeout(_) => "timeout",
        Ending::Interrupted(_) => "interrupted",
        Ending::OutputClosed => "output_closed",
        Ending::Failed(_) => "failed",
    }
}
/// `launched`: we began it, so that somebody should know how it ended.
fn exit_status(ending: &Ending, exit_code: Option<i64>, launched: bool) -> u8 {
    match ending {
        Ending::Ended if exit_code.is_none() && launched => codes::FAILED,
        Ending::Ended => u8::from(exit_code.is_some_and(|code| code != 0)),
        Ending::MaxStops | Ending::OutputClosed => 0,
        Ending::Assertion => codes::ASSERTION,
        Ending::Timeout(_) => codes::TIMEOUT,
        Ending::Interrupted(signal) => codes::SIGNAL + signal,
        Ending::Failed(error) => super::exit_code_of(error.kind),
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
fn error_of(ending: &Ending, state: &State) -> Option<ErrorEvent> {
    match ending {
        Ending::Failed(error) => Some(super::error_event(error)),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_ending_has_its_exit_code() {
        let exit_status = |ending: &Ending, code| exit_status(ending, code, true);
        let failed = |kind| exit_status(&Ending::Failed(DebuggerError::new(kind, "x")), None);
        assert_eq!(exit_status(&Ending::Ended, Some(0)), 0);
        // Of what was only looked at nobody need know; what we began did not end well as far as anybody knows.
        assert_eq!(super::exit_status(&Ending::Ended, None, false), 0);
        assert_eq!(exit_status(&Ending::Ended, None), 4);
        assert_eq!(exit_status(&Ending::Ended, Some(7)), 1);
        assert_eq!(failed(Kind::Usage), 2);
        assert_eq!(failed(Kind::Program), 2);
        assert_eq!(failed(Kind::AdapterMissing), 3);
        assert_eq!(failed(Kind::Adapter), 4);
        assert_eq!(failed(Kind::Timeout), 4);
        assert_eq!(exit_status(&Ending::Timeout(Duration::ZERO), Some(0)), 5);
        assert_eq!(exit_status(&Ending::Assertion, None), 6);
        assert_eq!(exit_status(&Ending::Interrupted(2), None), 130);
        assert_eq!(exit_status(&Ending::Interrupted(15), None), 143);
    }
}
