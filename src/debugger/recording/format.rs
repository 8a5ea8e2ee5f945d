//! The lines of a recording, and what its messages say of themselves.

use serde_with_macros::skip_serializing_none;

use crate::prelude::*;

/// A note of which nothing is missing.
pub const ONCE_MORE: &str = "The adapter was started once more.";

/// The format's version.
pub const VERSION: u32 = 1;

/// Bytes of a recording that are written, and read, before compression.
pub const LIMIT: u64 = 64 * 1024 * 1024;

/// Requests that let the program go on, forwards or backwards.
pub const RESUMES: &[&str] = &[
    "continue",
    "next",
    "stepIn",
    "stepOut",
    "stepBack",
    "reverseContinue",
    "goto",
];

/// Those of them that go back.
pub const BACKWARDS: &[&str] = &["stepBack", "reverseContinue"];

/// First line of a recording.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// Version of the format.
    pub omp_debug_recording: u32,
    /// The adapter that was recorded.
    pub adapter: String,
    /// The program: an absolute path, or one in the folder that a reader names.
    pub program: String,
    /// When it began, in milliseconds since 1970.
    pub started: Option<u64>,
    /// The number of the first session, which its messages do not carry.
    pub session: Option<u64>,
}

/// One message.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recorded {
    /// Who said it.
    pub from: From,
    pub message: Value,
    /// When, in milliseconds since the beginning.
    pub at: Option<u64>,
    /// Whose it is; nothing for the first session.
    pub session: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum From {
    Client,
    Adapter,
}

pub fn is_event(message: &Value, name: &str) -> bool {
    message.text_of("event") == Some(name)
}

/// How an answer is found again. Objects print with sorted keys, so equal arguments have equal keys.
pub fn key(command: &str, arguments: Option<&Value>) -> String {
    format!("{command} {}", arguments.unwrap_or(&Value::Null))
}
