//! The debug workspace.
pub mod inline;
pub mod layout;
pub mod source;
pub mod stack;
