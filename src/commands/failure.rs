//! How a command ends that does not end well: why, what may help, and the exit code.

use std::io::Write as _;

pub use crate::headless::codes::{ADAPTER_MISSING, DENIED, FAILED, INTERRUPTED, USAGE};
use crate::{debugger::DebuggerError, files, headless::codes, text::sanitise::sanitise_block};

/// Why we end before the screen, and with which code.
#[derive(Debug, PartialEq, Eq)]
pub struct Failure {
    /// The exit code; 0 where the reader of the answer has seen enough, which is no failure.
    pub code: u8,
    /// A sentence.
    pub text: String,
    /// What to do about it.
    pub hint: Option<String>,
}

/// How a command ends, mostly.
pub type Result<T, E = Failure> = std::result::Result<T, E>;

impl Failure {
    /// With this exit code.
    pub fn new(code: u8, error: impl std::fmt::Display) -> Self {
        Self {
            code,
            text: error.to_string(),
            hint: None,
        }
    }

    /// The command line is to blame.
    pub fn usage(error: impl std::fmt::Display) -> Self {
        Self::new(USAGE, error)
    }

    /// It did not work.
    pub fn failed(error: impl std::fmt::Display) -> Self {
        Self::new(FAILED, error)
    }

    /// One or the other.
    pub fn blaming(usage: bool, error: impl std::fmt::Display) -> Self {
        Self::new(if usage { USAGE } else { FAILED }, error)
    }

    /// With what may help.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl From<DebuggerError> for Failure {
    fn from(error: DebuggerError) -> Self {
        Self {
            hint: error.hint,
            ..Self::new(codes::of(error.kind), error.what)
        }
    }
}

/// The answer could not be written.
impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            return Self::new(0, "the reader has seen enough");
        }
        Self::failed(format!("cannot write the answer: {error}"))
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Self::failed(format!("cannot write the answer as JSON: {error}"))
    }
}

/// To standard error, where nobody may be listening any more. Whatever stands in it (names of files, words of a configuration that nobody
/// trusted yet) is made safe.
pub fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "{}", sanitise_block(text));
}

/// What a person should know besides the answer.
pub fn warn(text: &str) {
    say(&format!("omp-debug: {text}"));
}

/// The same of several things.
pub fn warn_of(notes: &[String]) {
    for note in notes {
        warn(note);
    }
}

/// Says what was lost on the way, and gives the exit code with that in it.
pub fn reckon(code: u8) -> u8 {
    files::losses().iter().fold(code, |code, loss| {
        warn(&loss.text);
        if loss.fails && code == 0 {
            FAILED
        } else {
            code
        }
    })
}
