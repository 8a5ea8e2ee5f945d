//! Restarting a frame; and how the program runs: one thread alone, or recorded so that it can be run backwards.

use std::sync::atomic::Ordering::Relaxed;

use dap::{client::Reply as DapReply, requests::RestartFrame};

use super::prelude::*;

/// What an adapter writes that has no word for why the program stopped.
const NO_REASON: &str = "stopped";
/// A step that is kept and takes longer may never end.
const LONG_STEP: Duration = Duration::from_secs(3);
/// What to do where nothing can be kept.
const UNKEPT_HINT: &str =
    "keep it no longer (Ctrl-R; at the prompt: record off) and go on, or go back";

impl Owner {
    /// Steps keep to the person's own code, or not any more. Of adapters that take no command for it, those that start next.
    pub(super) fn own_code(&mut self) -> Reply {
        let own = !self.config.own_code.fetch_not(Relaxed);
        let mut later = Vec::new();
        for live in self.live.values() {
            let shape = &live.personality.launch;
            let commands = shape.own_code.as_ref();
            let is_now = commands.is_some() || shape.keeps_steps;
            let name = live.plan.resolved.as_ref().map(|found| &found.adapter.name);
            later.extend(
                name.filter(|_| !is_now)
                    .map(|name| match shape.just_my_code_key {
                        Some(_) => format!("{name}: from its next start on"),
                        None => format!("{name} has no such choice"),
                    }),
            );
            let commands = commands.map(|commands| if own { &commands.on } else { &commands.off });
            for (client, command) in live.client.iter().zip(commands.into_iter().flatten()) {
                drop(self.type_in(client, command));
            }
        }
        let text = if own {
            "Steps keep to your own code."
        } else {
            "Steps go into libraries as well."
        };
        let hint = (!later.is_empty()).then(|| later.join("; "));
        self.say(None, Severity::Info, text.to_owned(), hint);
        Reply::Done
    }

    pub(super) fn restart_frame(
        &mut self,
        session: Option<SessionId>,
        frame_id: Option<i64>,
    ) -> Handled {
        let (session, _) =
            self.capable::<RestartFrame>(session, Action::Resume, "restarting a frame")?;
        let frame_id = frame_or_none(session, frame_id)?;
        let mut stacks = session
            .current_stop()
            .into_iter()
            .flat_map(|s| s.stacks.values());
        let forbidden = stacks.any(|stack| {
            let mut frames = stack.frames.iter();
            frames.any(|f| f.id == frame_id && f.can_restart == Some(false))
        });
        if forbidden {
            return Err(DebuggerError::capability(
                "The adapter says that this frame cannot be restarted.",
            ));
        }
        self.resume(Some(session.id), None, Resume::RestartFrame(frame_id))
    }

    /// A command of the debugger's own.
    pub(super) fn type_in(&self, client: &Client, command: &str) -> DapReply<Evaluate> {
        let arguments = EvaluateArguments {
            expression: command.to_owned(),
            context: Some("repl".to_owned()),
            ..EvaluateArguments::default()
        };
        client.send::<Evaluate>(&arguments, self.config.request_timeout)
    }

    pub(super) fn single_thread(&mut self, session: Option<SessionId>, on: bool) -> Result<Reply> {
        let (session, _) = self.allowed(session, Action::List)?;
        let (id, can) = (session.id, &session.capabilities);
        if on && !can.supports_single_thread_execution_requests {
            return Err(lacks("letting one thread run alone"));
        }
        self.change(id, Change::SingleThread { on });
        Ok(Reply::Done)
    }

    pub(super) fn value_format(&mut self, session: Option<SessionId>, hex: bool) -> Result<Reply> {
        let (session, _) = self.allowed(session, Action::List)?;
        if hex && !session.capabilities.supports_value_formatting_options {
            return Err(lacks("other formats of values"));
        }
        let id = session.id;
        self.change(id, Change::ValueFormat { hex });
        self.reload_frame(id, true);
        Ok(Reply::Done)
    }

    /// By the debugger's own command: what it says of it, if anything, is said to people.
    pub(super) fn record_execution(&self, session: Option<SessionId>, on: bool) -> Handled {
        let (session, client) = self.allowed(session, Action::Modify)?;
        let id = session.id;
        let live = self.live(id);
        let own = live.and_then(|live| live.personality.reverse.as_ref());
        let own = own.ok_or_else(|| lacks("keeping what the program does"))?;
        let command = if on { &own.keep } else { &own.forget };
        let answer = self.type_in(&client, command);
        after(answer, move |owner, answer| {
            answer?;
            owner.change(id, Change::RecordingExecution { on });
            Ok(Reply::Done)
        })
    }
}

impl Owner {
    /// A debugger that keeps what the program does stops where it cannot keep the next instruction. It gives no reason, and is never heard
    /// of again when it is let go on from there: so it is asked whether that is such a stop.
    pub(super) fn ask_unkept(&self, id: SessionId, stop: StopId, reason: &str) {
        let keeps = self.session(id).is_some_and(|s| s.records_execution);
        let Some((client, own)) = self
            .live(id)
            .filter(|live| {
                keeps && reason == NO_REASON && !live.resumed.is_some_and(Resume::is_backwards)
            })
            .and_then(|live| Some((live.client.clone()?, live.personality.reverse.clone()?)))
        else {
            return;
        };
        let answer = self.type_in(&client, &own.state);
        self.spawn(answer, move |owner, answer| {
            // Where it plays what was kept, it is the end of that, and the program goes on from there.
            let keeps_now = answer.is_ok_and(|r| r.result.contains(&own.keeping));
            let holds = |s: &Session| s.stop_id() == Some(stop);
            if !keeps_now || !owner.session(id).is_some_and(holds) {
                return;
            }
            if let Some(live) = owner.live_mut(id) {
                live.unkept = Some(stop);
            }
            owner.warn_with(
                id,
                "It stopped because the debugger cannot keep what the next instruction does.",
                UNKEPT_HINT,
            );
        });
    }

    /// Where the very first instruction of a step cannot be kept, some adapters tell of no stop and are not heard of again: a person is
    /// told what may have happened when a step takes long.
    pub(super) fn watch_step(&self, id: SessionId) {
        let Some(resumes) = self.live(id).map(|live| live.resumes) else {
            return;
        };
        self.spawn(time::sleep(LONG_STEP), move |owner, ()| {
            let same = owner.live(id).map(|live| live.resumes) == Some(resumes);
            let runs = owner.session(id).map(|s| s.phase) == Some(Phase::Running);
            if same && runs {
                let text = format!(
                    "The step has not ended for {} s. The debugger hangs where it cannot keep what an instruction does.",
                    LONG_STEP.as_secs()
                );
                let hint = "F6 pauses it where it still answers; else R begins anew, without keeping";
                owner.warn_with(id, text, hint);
            }
        });
    }

    /// Refuses to go forwards from where the debugger would not come back.
    pub(super) fn can_keep(&self, session: &Session) -> Result<()> {
        let unkept = self.live(session.id).and_then(|live| live.unkept);
        let here = session.stop_id();
        if session.records_execution && unkept.is_some() && unkept == here {
            return Err(DebuggerError::state("The debugger cannot keep what the next instruction does, and hangs when it is to go on from here.",
            )
            .hint(UNKEPT_HINT));
        }
        Ok(())
    }
}

/// The frame meant, or the sentence that there is none.
pub(super) fn frame_or_none(session: &Session, frame_id: Option<i64>) -> Result<i64> {
    frame_id
        .or_else(|| session.frame_id())
        .ok_or_else(|| DebuggerError::state("No frame is selected."))
}
