//! What can go wrong between a person naming a program and an adapter being ready to start.
//!
//! `Display` says what and why, [`AdapterError::hint`] says what to do about it.

use std::path::PathBuf;

use thiserror::Error;

use super::backend::UnknownBackend;

/// No adapter, or not this way.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum AdapterError {
    /// The name is in no table.
    #[error("no debug adapter is called {name:?}; known are {}", known.join(", "))]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// All names there are.
        known: Vec<String>,
        /// The name that was probably meant.
        nearest: Option<String>,
    },
    /// The adapter is known and its program is not here.
    #[error("the debug adapter {name} ({title}) is not available: {}", why(tried))]
    Unavailable {
        name: String,
        title: String,
        /// What was looked at and why it did not do.
        tried: Vec<String>,
        /// The command that installs it.
        hint: String,
    },
    /// Nothing here can debug that.
    #[error(
        "No debugger adapter available. Installed adapters: {}",
        list(installed)
    )]
    NoneAvailable {
        /// What was to be debugged.
        target: String,
        installed: Vec<String>,
        /// The command that installs the best of them.
        hint: String,
    },
    /// A directory was given to an adapter that starts files only.
    #[error("{} is a directory and {name} debugs files only", program.display())]
    Directory {
        name: String,
        /// The directory.
        program: PathBuf,
        /// Programs in it that could be meant.
        candidates: Vec<String>,
    },
    /// The adapter cannot do this kind of start.
    #[error("{name} cannot {what}")]
    Unsupported {
        name: String,
        /// What it cannot do, as a verb phrase.
        what: String,
        /// What would work.
        hint: String,
    },
    /// An attach without anything to attach to.
    #[error("attach needs a process id or a port, or an adapter that knows by itself")]
    NothingToAttachTo,
    /// The variable that chooses LLDB's backend says nothing that is known.
    #[error("{variable}: {unknown}")]
    Backend {
        variable: &'static str,
        /// What it says.
        unknown: UnknownBackend,
    },
    /// The table of adapters itself is wrong.
    #[error("the table of adapters is broken: {0}")]
    Table(String),
    /// An install did not work.
    #[error("{name} was not installed: {what}")]
    Install {
        name: String,
        /// The step and what it said.
        what: String,
        /// What to try instead.
        hint: String,
    },
}

impl AdapterError {
    /// What to do about it, a command where there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Unknown { nearest, .. } => Some(nearest.as_ref().map_or_else(
                || "omp-debug adapters list".to_owned(),
                |name| format!("did you mean {name}?"),
            )),
            Self::Unavailable { hint, .. }
            | Self::NoneAvailable { hint, .. }
            | Self::Unsupported { hint, .. }
            | Self::Install { hint, .. } => Some(hint.clone()).filter(|hint| !hint.is_empty()),
            Self::Directory { candidates, .. } => Some(match candidates.first() {
                Some(first) => format!("name the program itself, such as {first}"),
                None => "build the program and name its executable".to_owned(),
            }),
            Self::NothingToAttachTo => {
                Some("omp-debug attach --pid N, or --port P [--host H]".to_owned())
            }
            Self::Backend { variable, .. } => {
                Some(format!("set {variable} to dap or lldb-cli, or unset it"))
            }
            Self::Table(_) => None,
        }
    }

    /// What is not installed, as a short sentence; nothing for other kinds of trouble.
    pub fn missing(&self) -> Option<String> {
        match self {
            Self::Unavailable { name, .. } => {
                Some(format!("The debug adapter {name} is not here."))
            }
            Self::NoneAvailable { target, .. } => {
                let target = target.rsplit('/').next().unwrap_or(target);
                Some(format!("No debug adapter for {target} is here."))
            }
            _ => None,
        }
    }
}

fn list(names: &[String]) -> String {
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}

fn why(tried: &[String]) -> String {
    if tried.is_empty() {
        "it was found nowhere".to_owned()
    } else {
        tried.join("; ")
    }
}
