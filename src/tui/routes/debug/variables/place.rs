//! Where values belong, and where one of them is among them.

use debugger::{SessionId, StopId};

/// Names from the root to a node.
pub type Path = Vec<String>;

/// Where values belong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValuePlace {
    pub session: SessionId,
    /// The stop they are true of.
    pub stop: StopId,
    /// The function they are in, so that values are compared with those of the same function.
    pub frame: String,
}
