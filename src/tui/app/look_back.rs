//! What the app does to look back, see [`Lens`].

use debugger::{Command, DebuggerError, ErrorKind, Event, Reply, SessionId, Severity};

use super::{
    App,
    past_stops::{Handling, Lens},
};
use crate::action::{
    effect::Effect,
    msg::{Msg, Tag},
};

/// Whose questions for a stop of the past are.
const ASKED: &str = "app.look";

impl App {
    /// Looks at a stop of the past, or at the present.
    pub(super) fn look_at(&mut self, at: Option<(SessionId, u64)>) -> Vec<Effect> {
        match at {
            Some((session, number)) => vec![Effect::Core {
                command: Command::LookBack {
                    session: Some(session),
                    number,
                },
                tag: Tag(ASKED, number),
            }],
            None => self.look_at_present(),
        }
    }

    fn look_at_present(&mut self) -> Vec<Effect> {
        if self.world.lens.take().is_none() {
            return Vec::new();
        }
        self.show_whole_state()
    }

    /// Without an event it is a whole state that is to be looked at.
    fn show_whole_state(&mut self) -> Vec<Effect> {
        self.tell(&Msg::Events(std::sync::Arc::default()))
    }

    /// Takes in the stop that was asked for.
    pub(super) fn looked_back(&mut self, msg: &Msg) -> Vec<Effect> {
        let Msg::Reply {
            tag: Tag(ASKED, _),
            result,
        } = msg
        else {
            return Vec::new();
        };
        match result {
            Ok(Reply::Seen {
                session,
                seen,
                output,
                beside,
            }) => {
                let (seen, output) = ((**seen).clone(), output.as_deref());
                self.world.lens = Lens::new(&self.world.state, *session, seen, output, beside);
                self.show_whole_state()
            }
            Ok(_) => Vec::new(),
            Err(error) => {
                self.status
                    .say(Severity::Warning, &error.what, error.hint.as_deref());
                Vec::new()
            }
        }
    }

    /// Lets the look back follow what happened; it ends when the program goes on.
    pub(super) fn keep_looking(&mut self, events: &[Event]) {
        let lens = &mut self.world.lens;
        let goes_on = |lens: &mut Lens| events.iter().all(|event| lens.follow(event));
        if lens.as_mut().is_some_and(|lens| !goes_on(lens)) {
            *lens = None;
        }
    }

    /// A command for the core, while one looks back or not.
    pub(super) fn command(&mut self, command: Command, tag: Tag, rest: &mut Vec<Effect>) {
        let handling = match &mut self.world.lens {
            Some(lens) => lens.direct(&command),
            None => Handling::On,
        };
        match handling {
            Handling::On => rest.push(Effect::Core { command, tag }),
            Handling::Selected => {
                let result = Ok(Reply::Done);
                rest.extend(self.message(&Msg::Reply { tag, result }));
                rest.extend(self.show_whole_state());
            }
            Handling::Shown(value) => {
                let result = Ok(Reply::Value { value });
                rest.extend(self.message(&Msg::Reply { tag, result }));
            }
            Handling::Unknown => {
                let result = Err(unknown());
                rest.extend(self.message(&Msg::Reply { tag, result }));
            }
        }
    }
}

fn unknown() -> DebuggerError {
    DebuggerError::new(
        ErrorKind::Stale,
        "This was not recorded at that stop: you are looking back.",
    )
    .hint("Backspace goes back to the present.")
}
