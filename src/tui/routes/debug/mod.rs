//! The debug workspace.
pub mod layout;
