//! What views of values have in common, and the workspace keeps.

use crate::debug_prelude::*;

/// What outlives a view: the workspace has it.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// Attached programs of which somebody said that expressions may run in them.
    pub agreed: Vec<SessionId>,
    /// A value that others are compared with.
    pub(super) marked: Option<Marked>,
    /// Shows the parts of a value.
    pub(super) inspect: Option<fn(&str, &Cx)>,
}

impl Memory {
    /// Of a workspace that shows the parts of a value like this.
    pub fn new(inspect: fn(&str, &Cx)) -> Self {
        Self {
            inspect: Some(inspect),
            ..Self::default()
        }
    }
}

/// A value, and where it was marked.
#[derive(Clone, Debug)]
pub struct Marked {
    pub expression: String,
    /// The words for its frame: `thread 1 frame 0`.
    pub frame: String,
    pub session: Option<SessionId>,
    pub stop: Option<u64>,
}

/// Has the workspace remember something.
pub fn remember(what: impl FnOnce(&mut Memory) + Send + 'static) -> Effect {
    Effect::work("data.remember", move |teller| {
        teller.call(move |memory: &mut Memory, _| what(memory));
    })
}
