//! Restarting a frame; and how the program runs: one thread alone, or recorded so that it can be run backwards.

use std::sync::atomic::Ordering::Relaxed;

use dap::client::Reply as DapReply;

use super::prelude::*;

/// What an adapter writes that has no word for why the program stopped.
pub const NO_REASON: &str = "stopped";
/// That, and its word for a step that could not be begun.
const NO_REASONS: [&str; 2] = [NO_REASON, "error"];
/// What to do where nothing can be kept.
const UNKEPT_HINT: &str =
    "keep it no longer (Ctrl-R; at the prompt: record off) and go on, or go back";

impl Owner {
    /// Steps keep to the person's own code, or not any more. Of adapters that take no command for it, those that start next.
    pub fn own_code(&mut self) -> Reply {
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
                drop(Self::type_in(client, command));
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

    pub fn restart_frame(&mut self, session: Option<SessionId>, frame_id: Option<i64>) -> Handled {
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
    pub fn type_in(client: &Client, command: &str) -> DapReply<Evaluate> {
        let arguments = EvaluateArguments {
            expression: command.to_owned(),
            context: Some("repl".to_owned()),
            ..EvaluateArguments::default()
        };
        client.send::<Evaluate>(&arguments)
    }

    pub fn single_thread(&mut self, session: Option<SessionId>, on: bool) -> Result<Reply> {
        let (session, _) = self.allowed(session, Action::List)?;
        let (id, can) = (session.id, &session.capabilities);
        if on && !can.supports_single_thread_execution_requests {
            return Err(lacks("letting one thread run alone"));
        }
        self.change(id, Change::SingleThread { on });
        Ok(Reply::Done)
    }

    pub fn value_format(&mut self, session: Option<SessionId>, hex: bool) -> Result<Reply> {
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
    pub fn record_execution(&self, session: Option<SessionId>, on: bool) -> Handled {
        let (session, client) = self.allowed(session, Action::Modify)?;
        let id = session.id;
        let live = self.live(id);
        let own = live.and_then(|live| live.personality.reverse.as_ref());
        let own = own.ok_or_else(|| lacks("keeping what the program does"))?;
        let command = if on { &own.keep } else { &own.forget };
        let answer = Self::type_in(&client, command);
        after(answer, move |owner, answer| {
            answer?;
            owner.change(id, Change::RecordingExecution { on });
            Ok(Reply::Done)
        })
    }
}

impl Owner {
    /// A debugger that keeps what the program does stops where it cannot keep the next instruction, and gives no reason: so it is asked
    /// whether that is such a stop.
    pub fn ask_unkept(&self, id: SessionId, stop: StopId, reason: &str) {
        let keeps = self.session(id).is_some_and(|s| s.records_execution);
        let Some((client, own)) = self
            .live(id)
            .filter(|live| {
                keeps
                    && NO_REASONS.contains(&reason)
                    && !live.resumed.is_some_and(Resume::is_backwards)
            })
            .and_then(|live| Some((live.client.clone()?, live.personality.reverse.clone()?)))
        else {
            return;
        };
        let answer = Self::type_in(&client, &own.state);
        self.spawn(answer, move |owner, answer| {
            // Where it plays what was kept, it is the end of that, and the program goes on from there.
            let keeps_now = answer.is_ok_and(|r| r.result.contains(&own.keeping));
            let holds = |s: &Session| s.stop_id() == Some(stop);
            if !keeps_now || !owner.session(id).is_some_and(holds) {
                return;
            }
            owner.warn_with(
                id,
                "It stopped because the debugger cannot keep what the next instruction does.",
                UNKEPT_HINT,
            );
        });
    }
}

/// The frame meant, or the sentence that there is none.
pub fn frame_or_none(session: &Session, frame_id: Option<i64>) -> Result<i64> {
    frame_id
        .or_else(|| session.frame_id())
        .ok_or_else(|| DebuggerError::state("No frame is selected."))
}
