//! What there is to say of an operation in one row: its name and help, what it takes, when it may be done, and its function.

use dap::{protocol, types::Capabilities};
use futures_util::future::{BoxFuture, ready};

use super::{arguments::Arguments, done::ActionOutput, turn::Turn};
use crate::{
    error::{DebuggerError, Result},
    gate,
    permission::Tier,
};

/// What does an operation.
pub type Handler = for<'t> fn(&'t mut Turn, &'t Arguments) -> BoxFuture<'t, Result<ActionOutput>>;

/// The rows of a file, `ROWS`: what a row shares with others ([`ROW`], [`ALWAYS`], …), name, function, tier, gate, help; then what must be
/// given, of which one must be, what may be; the request that it becomes, and how a refusal names what an adapter without it cannot do.
macro_rules! rows {
    ($($base:ident $name:literal $does:ident $($tier:ident)? $(when $gate:ident)? $help:literal
       $(needs [$($required:literal)*])? $(one $choice:ident)? $(takes [$($optional:literal)*])? $(asks $request:literal)? $(of $noun:literal)?;)*) => {
        pub(super) const ROWS: &[ActionRow] = &[$(ActionRow {
            name: $name,
            does: |turn, arguments| Box::pin($does(turn, arguments)),
            help: $help,
            $(tier: Tier::$tier,)?
            $(gate: Some(Action::$gate),)?
            $(required: &[$($required),*],)?
            $(choice: Some($choice),)?
            $(optional: &[$($optional),*],)?
            $(request: Some($request),)?
            $(noun: Some($noun),)?
            ..$base
        },)*];
    };
}
pub(super) use rows;

/// Parameters of which one set must be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    pub sets: &'static [&'static [&'static str]],
    /// How the refusal names them.
    pub words: &'static str,
    /// Whether only one of the sets may be given.
    pub exclusive: bool,
}

/// One action.
#[derive(Clone, Copy, Debug)]
pub struct ActionRow {
    pub name: &'static str,
    /// What does it.
    pub(super) does: Handler,
    /// The same in one line, for people and models.
    pub help: &'static str,
    /// The least that it may do to the program; a condition, for one, may raise it (`permission::operation`).
    pub tier: Tier,
    /// Parameters that must be given.
    pub required: &'static [&'static str],
    /// Parameters of which some must be given.
    pub choice: Option<Choice>,
    /// Parameters that may be given, those of `choice` included. Every action takes `timeout` too, and `session` when it is about one.
    pub optional: &'static [&'static str],
    /// The request that it becomes; none when it is answered from what is known.
    pub request: Option<&'static str>,
    /// How the refusal names what an adapter without the request cannot do; none when every adapter can.
    pub noun: Option<&'static str>,
    /// What the state machine knows it as; none when it needs no particular state.
    pub gate: Option<gate::Action>,
}

impl ActionRow {
    /// Every parameter that it takes.
    pub fn parameters(&self) -> impl Iterator<Item = &'static str> {
        self.required
            .iter()
            .chain(self.optional)
            .copied()
            .chain(self.means_a_session().then_some("session"))
            .chain(["timeout"])
    }

    /// Whether it is about one session: the one that is named, or the one in focus.
    pub fn means_a_session(&self) -> bool {
        !matches!(self.name, "launch" | "attach" | "sessions")
    }

    /// Whether an adapter with these capabilities can do it.
    pub fn is_offered_by(&self, capabilities: &Capabilities) -> bool {
        match (self.noun, self.request.and_then(protocol::capability_for)) {
            (Some(_), Some(has)) => has(capabilities),
            _ => true,
        }
    }
}

pub const PLACE: Choice = Choice {
    sets: &[&["file", "line"], &["function"]],
    words: "file+line or function",
    exclusive: true,
};
/// An action that only looks at a stopped program, without parameters or conditions; rows are written as what differs from it.
pub const ROW: ActionRow = ActionRow {
    name: "",
    does: |turn, _| {
        let what = format!("Nothing does {}.", turn.row.name);
        Box::pin(ready(Err(DebuggerError::state(what))))
    },
    help: "",
    tier: Tier::Read,
    required: &[],
    choice: None,
    optional: &[],
    request: None,
    noun: None,
    gate: Some(gate::Action::Inspect),
};

/// One that needs no particular state of the session.
pub const ALWAYS: ActionRow = ActionRow { gate: None, ..ROW };

/// One that a running program allows as well.
pub const LISTS: ActionRow = ActionRow {
    gate: Some(gate::Action::List),
    ..ROW
};

/// What the rows of continue and the steps share.
pub const RESUME: ActionRow = ActionRow {
    tier: Tier::Control,
    gate: Some(gate::Action::Resume),
    ..ROW
};
