//! Why an adapter is not reached.

use crate::exit::Exit;

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The program ended before it could be reached.
    #[error(
        "`{program}` exited ({exit}) before it could be reached{}",
        after_colon(stderr)
    )]
    Exited {
        program: String,
        /// How it ended.
        exit: Exit,
        /// The end of what it wrote to standard error, or else to standard output.
        stderr: String,
    },
    /// Anything else, in a sentence.
    #[error("{0}")]
    Other(String),
}

/// The end of a sentence about a program: its last words, where there are any.
pub fn after_colon(said: &str) -> String {
    if said.is_empty() {
        String::new()
    } else {
        format!("; it said: {said}")
    }
}
