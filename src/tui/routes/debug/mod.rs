//! The debug workspace.

pub mod kit;
pub mod popups;
pub mod scopes;
pub mod variables;
