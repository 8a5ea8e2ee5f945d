//! How requests and connections end badly, in sentences.

use crate::{exit::Exit, message::Body};

/// How much of the standard error output a sentence quotes, in bytes.
const QUOTED_STDERR: usize = 4 << 10;

/// How a connection ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Closed {
    /// What happened to the transport, as a sentence.
    pub reason: String,
    /// It was us who gave the connection up, for that reason; how the adapter ended follows from it and explains nothing.
    pub given_up: bool,
    /// How the adapter's process ended, when it is ours and did.
    pub exit: Option<Exit>,
    /// The end of what it wrote to standard error.
    pub stderr: String,
}

impl std::fmt::Display for Closed {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let start = self.stderr.len().saturating_sub(QUOTED_STDERR);
        let start = (start..self.stderr.len())
            .find(|at| self.stderr.is_char_boundary(*at))
            .unwrap_or(start);
        let stderr = self.stderr.get(start..).unwrap_or_default().trim();
        match (self.exit.as_ref().filter(|_| !self.given_up), stderr) {
            (Some(exit), "") => write!(formatter, "DAP adapter exited unexpectedly ({exit})"),
            (Some(exit), _) => write!(formatter, "DAP adapter exited ({exit}): {stderr}"),
            (None, "") => formatter.write_str(&self.reason),
            (None, _) => write!(formatter, "{}: {stderr}", self.reason),
        }
    }
}

/// Why a request has no result.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RequestError {
    /// The adapter refused; the sentence is its own.
    #[error("{text}")]
    Failed {
        /// What was asked.
        command: String,
        /// Why not.
        text: String,
        /// The body of the response.
        body: Body,
    },
    /// No answer in time.
    #[error("DAP request {command} timed out after {ms}ms")]
    Timeout {
        /// What was asked.
        command: String,
        /// How long was waited, in milliseconds.
        ms: u64,
    },
    /// The connection ended, or had ended before.
    #[error("{0}")]
    Closed(String),
    /// The adapter stopped reading, so the connection was closed.
    #[error(
        "DAP adapter {name} has taken no bytes for {seconds} s; the connection was closed, start the session anew"
    )]
    Stalled {
        /// The adapter.
        name: String,
        /// How long it took nothing.
        seconds: u64,
    },
    /// We stopped waiting.
    #[error("the request was cancelled")]
    Cancelled,
    /// The adapter agreed, with a body that is not this request's.
    #[error("the answer to DAP request {command} is unusable: {error}")]
    BadBody {
        /// What was asked.
        command: String,
        /// What is wrong.
        error: String,
    },
    /// The arguments cannot be written as JSON.
    #[error("DAP request {command} was not sent, its arguments are no JSON: {why}")]
    BadArguments {
        /// What was to be asked.
        command: String,
        /// What is wrong.
        why: String,
    },
}
