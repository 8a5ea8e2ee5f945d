//! The source pane.
pub mod document;
pub mod search;
pub mod text;
