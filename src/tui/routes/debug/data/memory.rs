//! What views of values have in common, and the workspace keeps.

use crate::debug_prelude::*;

/// What outlives a view: the workspace has it.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// Attached programs of which somebody said that expressions may run in them.
    pub agreed: Vec<SessionId>,
}
