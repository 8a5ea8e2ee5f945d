//! The debug workspace.
pub mod inline;
pub mod kit;
pub mod layout;
pub mod popups;
pub mod scopes;
pub mod source;
pub mod stack;
