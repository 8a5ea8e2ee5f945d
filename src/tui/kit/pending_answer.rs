//! Questions to the core, each known again by its answer.

use debugger::{Command, DebuggerError};

use super::asks::ticket;
use crate::action::{msg::Tag, prelude::*};

/// What the core says to a command.
pub type CoreAnswer = Result<debugger::Reply, DebuggerError>;

/// A question to the core whose answer is awaited, and what is kept for that; the newest counts.
#[derive(Debug)]
pub struct PendingAnswer<T = ()>(Option<(Tag, T)>);

impl<T> Default for PendingAnswer<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> PendingAnswer<T> {
    /// Asks.
    pub fn ask(&mut self, about: T, command: Command, cx: &Cx) {
        cx.emit(self.asking(about, command));
    }

    /// What asks.
    pub fn asking(&mut self, about: T, command: Command) -> Effect {
        let tag = self.open(about);
        Effect::Core { command, tag }
    }

    /// Under what is to be asked what somebody else asks.
    pub fn open(&mut self, about: T) -> Tag {
        let tag = Tag("asked", ticket());
        self.0 = Some((tag, about));
        tag
    }

    /// Whether there is no answer yet.
    pub fn is_open(&self) -> bool {
        self.0.is_some()
    }

    /// The answer, if that is it.
    pub fn answer<'m>(&mut self, msg: &'m Msg) -> Option<(T, &'m CoreAnswer)> {
        let Msg::Reply { tag, result } = msg else {
            return None;
        };
        let (_, about) = self.0.take_if(|(asked, _)| *asked == *tag)?;
        Some((about, result))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::test::Stage;
    use debugger::State;

    #[test]
    fn a_question_knows_its_newest_answer_from_all_others() {
        let stage = Stage::new(State::default());
        let cx = stage.cx();
        let mut asked = PendingAnswer::default();
        asked.ask("first", Command::OwnCode, &cx);
        asked.ask("second", Command::OwnCode, &cx);
        let effects = cx.into_effects();
        let tags = effects.iter().filter_map(|effect| match effect {
            Effect::Core { tag, .. } => Some(*tag),
            _ => None,
        });
        let [first, second]: [Tag; 2] = tags.collect::<Vec<_>>().try_into().unwrap();
        let answer = |tag| Msg::Reply {
            tag,
            result: Err(DebuggerError::usage("no")),
        };
        assert!(asked.answer(&answer(first)).is_none());
        let of_somebody_else = Tag("source.text", second.1);
        assert!(asked.answer(&answer(of_somebody_else)).is_none());
        let answer = answer(second);
        assert!(matches!(asked.answer(&answer), Some(("second", Err(_)))));
        assert!(!asked.is_open());
    }
}
