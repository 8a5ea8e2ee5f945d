//! What is done around a session: programs that are run before it begins and after it ended, and which sessions belong together.
//!
//! Plain data; [`super::configurations`] reads it from files, and the core does it.

use crate::prelude::*;

/// A program that is run before a session, or after it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Task {
    /// What it is called.
    pub label: String,
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// Its working directory.
    pub cwd: PathBuf,
    /// Variables added to the environment, which is otherwise ours.
    pub env: Vec<(String, String)>,
    /// It goes on while the session lives; it ends with it.
    pub background: bool,
    /// A regular expression of the line with which one that goes on says that it is ready; none = it is as soon as it runs.
    pub ready: Option<String>,
    /// Tasks of the same list, by their place in it, that are done or ready before this one begins.
    pub needs: Vec<usize>,
}

/// What is around a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionTasks {
    /// Name of the configuration.
    pub name: String,
    /// Run before the session begins; if one fails, it does not.
    pub before: Vec<Task>,
    /// Run once it is over.
    pub after: Vec<Task>,
    /// The sessions that it begins with.
    pub together: Option<Together>,
}

/// Sessions that were started as one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Together {
    /// Name of what they are.
    pub name: String,
    /// Ending one of them ends all.
    pub stop_all: bool,
    /// Run before the first of them begins; if one fails, none does.
    pub before: Vec<Task>,
}
