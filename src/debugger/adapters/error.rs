//! What can go wrong between a person naming a program and an adapter being ready to start.

use thiserror::Error;

use crate::prelude::*;

/// No adapter, or not this way.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{what}")]
pub struct AdapterError {
    pub kind: ErrorKind,
    /// What is the matter, and why.
    pub what: String,
    /// What to do about it, a command where there is one.
    pub hint: Option<String>,
    /// What is not installed, as a short sentence; nothing for other kinds of trouble.
    pub missing: Option<String>,
    /// What of one adapter was looked at and why it did not do.
    pub tried: Option<String>,
}

impl AdapterError {
    /// With what to do about it, where that is known.
    pub(super) fn new(kind: ErrorKind, what: String, hint: impl Into<String>) -> Self {
        Self {
            kind,
            what,
            hint: Some(hint.into()).filter(|hint| !hint.is_empty()),
            missing: None,
            tried: None,
        }
    }

    /// The adapter cannot do this kind of start; what it cannot do is a verb phrase.
    pub(super) fn unsupported(name: &str, what: &str, hint: &str) -> Self {
        Self::new(ErrorKind::Capability, format!("{name} cannot {what}"), hint)
    }

    /// A directory was given to an adapter that starts files only; a program in it could be meant.
    pub(super) fn directory(name: &str, program: &Path, meant: Option<&PathBuf>) -> Self {
        let what = format!(
            "{} is a directory and {name} debugs files only",
            program.display()
        );
        let hint = match meant {
            Some(meant) => format!("name the program itself, such as {}", meant.display()),
            None => "build the program and name its executable".to_owned(),
        };
        Self::new(ErrorKind::Program, what, hint)
    }
}

impl From<AdapterError> for DebuggerError {
    fn from(error: AdapterError) -> Self {
        let (kind, said) = (error.kind, error.what);
        match (error.missing, error.hint) {
            // What to do comes first: a status line may show no more than that.
            (Some(missing), Some(hint)) => {
                let verb = if hint.starts_with("omp-debug ") {
                    " Run: "
                } else {
                    " To do: "
                };
                Self::new(kind, format!("{missing}{verb}{hint}")).hint(said)
            }
            (_, hint) => Self {
                hint,
                ..Self::new(kind, said)
            },
        }
    }
}
