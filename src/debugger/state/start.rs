//! How a session began: by us or not, and by which command that was typed.

use crate::{prelude::*, runners::problems::Problem};

/// Whether we started the debuggee (and end it) or came to it (and leave it running).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StartKind {
    /// Launched by us: never outlives us.
    #[default]
    Launch,
    /// Attached to: always outlives us.
    Attach,
}

/// A command that was typed, as everyone knows it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TypedCommand {
    /// Its words.
    pub command: Vec<String>,
    /// Which program it is at.
    pub target: String,
    /// Which of several that is, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// How that is begun.
    pub kind: StartKind,
    /// Exception filters of its sessions alone.
    pub filters: Vec<ExceptionFilter>,
    /// One of these is where a test's failure is raised.
    pub exceptions: bool,
    /// Functions that are entered when a test fails.
    pub functions: Vec<String>,
    /// See [`fails_with`](crate::runners::Plan::fails_with).
    pub fails_with: Option<i64>,
    /// What compilers said.
    pub problems: Vec<Problem>,
}

impl TypedCommand {
    /// What the session of a part of it is called.
    pub fn title(&self) -> Option<String> {
        let part = self.part.as_ref()?;
        Some(format!("{}: {part}", self.command.join(" ")))
    }

    /// The filters that are not switched off.
    pub fn wanted(&self) -> Vec<ExceptionFilter> {
        let all = self.filters.iter();
        all.filter(|filter| !filter.off).cloned().collect()
    }

    /// Whether a breakpoint is there for tests that fail.
    pub fn is_failure(&self, site: &BreakpointSite) -> bool {
        matches!(site, BreakpointSite::Function { name } if self.functions.contains(name))
    }
}
