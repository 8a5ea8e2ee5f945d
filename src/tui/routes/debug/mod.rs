//! The debug workspace.
pub mod header;
pub mod inline;
pub mod layout;
pub mod source;
pub mod stack;
