//! What is wrong in a file of configurations, and where.

use std::path::Path;

use base::text::jsonc::Node;

pub(super) use crate::error::{DebuggerError, Result};

/// Something at a place.
pub fn at(file: &Path, line: usize, what: impl std::fmt::Display) -> DebuggerError {
    DebuggerError::usage(format!("{}:{line}: {what}", file.display()))
}

/// Something about a node of a file.
pub fn wrong(file: &Path, node: &Node, what: impl std::fmt::Display) -> DebuggerError {
    at(file, node.line, what)
}
