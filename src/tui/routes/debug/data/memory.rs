//! What views of values have in common, and the workspace keeps.

use crate::debug_prelude::*;

/// What outlives a view: the workspace has it.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// Attached programs of which somebody said that expressions may run in them.
    pub agreed: Vec<SessionId>,
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

/// Has the workspace remember something.
pub fn remember(what: impl FnOnce(&mut Memory) + Send + 'static) -> Effect {
    Effect::on("data.remember", |memory: &mut Memory, _| what(memory))
}
