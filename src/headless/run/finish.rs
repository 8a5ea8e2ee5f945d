//! How a run ends: on every path with the program ended or left, and one last event that says how it went.

use base::files;
use debugger::{ErrorKind, exit};

use super::{
    ending::{END_PATIENCE, error_of},
    events::{ProcessExited, SessionEnd},
    prelude::*,
    summary::Missed,
};

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
            Some(why) => Ending::Failed(DebuggerError::new(ErrorKind::Adapter, why)),
            None => Ending::Ended,
        }
    }

    /// Ends what still runs, says how it went, and gives the exit code. `abort` cuts the waiting short.
    pub(super) async fn finish(mut self, ending: Ending) -> u8 {
        self.start_failed = matches!(ending, Ending::Failed(_)) && self.launched.is_none();
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
                // One who may not end anything may not have begun anything either.
                if gone
                    .await
                    .is_err_and(|error| error.kind == ErrorKind::Denied)
                {
                    return;
                }
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
        if launch && exit_code.is_some() {
            // Its process was never told.
            self.tell_launched(true).await;
        }
        if let Some(since) = self.launched
            && (launch || exit_code.is_some())
        {
            let exited = ProcessExited {
                exit_code,
                signal: exit_code.and_then(exit::signal_of).map(|(_, name)| name),
                duration_ms: self.printer.tally.elapsed_ms().saturating_sub(since),
            };
            self.tell(Event::ProcessExited(exited)).await;
        }
        if launch && ending == Ending::Ended && exit_code.is_none() {
            let unknown = "How the program ended is not known: neither the adapter nor the program told an exit code.";
            let hint = "it may have been killed; --record FILE keeps what the adapter said";
            self.warn(unknown.to_owned(), hint).await;
        }
        self.tell_unread().await;
        // Not every adapter tells the exit code, and a test that failed is one that failed.
        let (reason, status) = ending.told(exit_code, launch);
        let status = match status {
            status if self.options.ends_as_command => {
                self.command_code(&ending, exit_code).unwrap_or(status)
            }
            0 if self.test_failed && ending == Ending::Ended => 1,
            status => status,
        };
        let never_hit = self.never_hit(&ending);
        let end = SessionEnd {
            reason,
            exit_status: status,
            summary: self
                .printer
                .tally
                .sum(exit_code, self.unverified(), never_hit),
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
