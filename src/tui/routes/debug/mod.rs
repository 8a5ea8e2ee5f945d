//! The debug workspace.
pub mod layout;
pub mod source;
