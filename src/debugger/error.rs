//! Why a command was not done: one sentence that says what was wrong, and what to do about it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What is said of a source that was changed after the program was started.
pub const OUTDATED: &str = "changed since the start: the program runs the older text";
/// What is said of a source that was changed after the program was built.
pub const UNBUILT: &str = "newer than the program: build it again";
/// What is said where an adapter gives no reference for the declaration of something.
pub const UNDECLARED: &str = "The adapter does not tell where this is declared.";

/// What kind of trouble it was; exit codes and colours follow from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// Asked for something that cannot be meant (no such session, bad line, …).
    Usage,
    /// The session's state does not allow it now; nothing was sent.
    State,
    /// The adapter does not offer it; nothing was sent.
    Capability,
    /// What was asked about belongs to an older stop.
    Stale,
    /// No adapter, or it cannot be started.
    AdapterMissing,
    /// The adapter failed, died, or answered with an error; or something else did not work: a socket, a port, a file of ours.
    Adapter,
    /// It did not answer in time.
    Timeout,
    /// The program is not one that can be debugged.
    Program,
    /// The asker took it back.
    Cancelled,
    /// Nobody permitted it.
    Denied,
    /// Someone else drives.
    NotDriver,
}

/// What is done here, or why it is not.
pub type Result<T, E = DebuggerError> = std::result::Result<T, E>;

/// Why a command was not done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{what}")]
pub struct DebuggerError {
    pub kind: ErrorKind,
    /// The sentence.
    pub what: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// All that was said, where [`Self::what`] is only the part worth a line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<String>,
    /// The session as it is now, where the asker had another picture of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<Box<Value>>,
}

/// Errors of a kind, said by its name.
macro_rules! kinds {
    ($($(#[$about:meta])* $name:ident: $kind:ident;)*) => {
        $($(#[$about])*
        pub fn $name(what: impl Into<String>) -> Self {
            Self::new(ErrorKind::$kind, what)
        })*
    };
}

impl DebuggerError {
    /// A trouble without a remedy.
    pub fn new(kind: ErrorKind, what: impl Into<String>) -> Self {
        Self {
            kind,
            what: what.into(),
            hint: None,
            details: None,
            snapshot: None,
        }
    }

    kinds! {
        /// What was asked for cannot be meant.
        usage: Usage;
        /// It cannot be done as things stand.
        state: State;
        /// The adapter failed, or something else did not work.
        adapter: Adapter;
        /// The adapter does not offer it.
        capability: Capability;
        /// The program is not one that can be debugged.
        program: Program;
        /// What it was asked of is over.
        stale: Stale;
        /// Whoever was asked did not answer in time.
        timeout: Timeout;
    }

    /// With what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// A sentence alone is a usage error (exit code 2); other kinds are said with [`DebuggerError::new`].
impl From<String> for DebuggerError {
    fn from(what: String) -> Self {
        Self::usage(what)
    }
}

impl From<&str> for DebuggerError {
    fn from(what: &str) -> Self {
        Self::usage(what)
    }
}

impl From<dap::client::RequestError> for DebuggerError {
    fn from(error: dap::client::RequestError) -> Self {
        use dap::client::RequestError;
        let kind = match &error {
            RequestError::Timeout { .. } => ErrorKind::Timeout,
            RequestError::Cancelled => ErrorKind::Cancelled,
            _ => ErrorKind::Adapter,
        };
        Self::new(kind, error.to_string())
    }
}

impl From<tokio::task::JoinError> for DebuggerError {
    fn from(error: tokio::task::JoinError) -> Self {
        Self::state(error.to_string())
    }
}
