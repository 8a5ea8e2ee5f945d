//! What a shell or make runs.

use super::Ask;
use crate::prelude::*;

/// Nothing of it can be followed.
pub(super) fn nothing(ask: &Ask<'_>) -> DebuggerError {
    DebuggerError::new(
        Kind::Program,
        format!("What `{}` runs cannot be followed.", ask.command.join(" ")),
    )
}
