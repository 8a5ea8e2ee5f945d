//! The source pane.
pub mod search;
pub mod text;
