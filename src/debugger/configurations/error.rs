//! Why a configuration cannot be started.

use std::path::{Path, PathBuf};

use base::text::jsonc::Node;

pub(super) type Result<T, E = ConfigurationError> = std::result::Result<T, E>;

/// Why a configuration cannot be started: what, where, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigurationError {
    /// Something in a file.
    #[error("{}:{line}: {what}", file.display())]
    At {
        file: PathBuf,
        /// From 1.
        line: usize,
        /// What is wrong there, and what to do.
        what: String,
    },
    /// A file cannot be read.
    #[error("{} cannot be read: {why}", file.display())]
    Unreadable {
        file: PathBuf,
        /// What the system says.
        why: String,
    },
    /// No file has configurations.
    #[error(
        "there is no debug configuration in {}: .vscode/launch.json is where they are looked for",
        folder.display()
    )]
    None {
        /// Where was looked.
        folder: PathBuf,
    },
    /// No configuration is called so.
    #[error("there is no debug configuration {name:?}{hint}")]
    Unknown {
        /// What was asked for.
        name: String,
        /// What was probably meant, and what there is.
        hint: String,
    },
    /// Nobody trusted what would be started.
    #[error("{0}")]
    Denied(String),
    /// Values were not given.
    #[error("{0}")]
    Inputs(String),
    /// Several sessions where one is wanted, or none is named.
    #[error("{0}")]
    Choice(String),
    /// The decision could not be kept.
    #[error("{0}")]
    Trust(String),
}

impl ConfigurationError {
    /// Something at a place.
    pub(super) fn at(file: &Path, line: usize, what: impl Into<String>) -> Self {
        Self::At {
            file: file.to_owned(),
            line,
            what: what.into(),
        }
    }

    /// Whether it is only a matter of permission.
    pub fn is_denied(&self) -> bool {
        matches!(self, Self::Denied(_))
    }
}

/// Something about a node of a file.
pub(super) fn wrong(file: &Path, node: &Node, what: impl Into<String>) -> ConfigurationError {
    ConfigurationError::at(file, node.line, what)
}
