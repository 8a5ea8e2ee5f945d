//! The actions at work: one function each, over the core's commands.
//!
//! | file | actions |
//! |---|---|
//! | `start` | launch, attach, terminate, sessions, output |
//! | `control` | continue, the steps, pause |
//! | `breakpoints` | all that set and remove |
//! | `inspect` | stack, threads, scopes, variables, evaluation, what data can be watched |
//! | `data` | values as tables, lines, texts |
//! | `agent_actions` | what an agent needs beside the 28 |
//! | `machine` | instructions, memory, modules, sources, requests of the adapter's own |

pub(super) mod agent_actions;
pub(super) mod breakpoints;
pub(super) mod control;
pub(super) mod data;
pub(super) mod inspect;
pub(super) mod machine;
pub(super) mod start;

use futures_util::future::BoxFuture;

use super::{arguments::Arguments, summary::Summary, turn::Turn};
use crate::prelude::*;

/// What an action gave, before it is put into its final form.
pub(super) struct Done {
    /// For people and models.
    pub text: String,
    /// For machines, by their names there.
    pub fields: Map<String, Value>,
    /// The session it was about, when that is not simply the focused one.
    pub session: Option<SessionId>,
}

impl Done {
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            fields: Map::new(),
            session: None,
        }
    }

    pub(super) fn with(mut self, name: &str, value: impl Serialize) -> Self {
        // Everything here has texts as keys, so this cannot fail.
        let value = serde_json::to_value(value).unwrap_or_default();
        self.fields.insert(name.to_owned(), value);
        self
    }

    pub(super) fn about(mut self, session: SessionId) -> Self {
        self.session = Some(session);
        self
    }
}

/// What does an action.
pub(super) type Handler = for<'t> fn(&'t mut Turn, &'t Arguments) -> BoxFuture<'t, Result<Done>>;

/// A function as a [`Handler`].
macro_rules! by {
    ($module:ident :: $function:ident) => {
        |turn, arguments| Box::pin($module::$function(turn, arguments))
    };
}
pub(super) use by;

/// The lines of a session's snapshot, and what else there is to say.
fn with_snapshot(turn: &Turn, session: SessionId, line: &str) -> String {
    let mut lines = turn
        .state
        .session(session)
        .map(|s| Summary::of(&turn.state, s).lines())
        .unwrap_or_default();
    lines.push(line.to_owned());
    lines.join("\n")
}
