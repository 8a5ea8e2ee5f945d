//! One function for each command: what the command line says becomes what a front end takes, and its end an exit code.

pub mod artifacts;
pub mod debug;
pub mod desk;
pub mod profile;
pub mod recording;
pub mod report;
pub mod resident;
pub mod screen;
pub mod sse;

use std::io::Write as _;
use std::path::Path;

use omp_debug::cli::UsageError;
use omp_debug::debugger::adapters::Context;
use omp_debug::debugger::link::LinkError;
use omp_debug::diagnostics::omp::{Environment, Layout};
use omp_debug::files;
use omp_debug::surroundings::NOWHERE;

/// Exit code for a command line or a settings file that cannot be used.
pub const USAGE: u8 = 2;
/// Exit code for a missing adapter.
pub const ADAPTER_MISSING: u8 = 3;
/// Exit code for everything else that did not work.
pub const FAILED: u8 = 4;
/// Exit code for what nobody permitted.
pub const DENIED: u8 = 7;

/// Why we end before the screen, and with which code.
pub struct Failure {
    pub code: u8,
    pub text: String,
    pub hint: Option<String>,
}

impl Failure {
    pub fn new(code: u8, error: impl std::fmt::Display) -> Self {
        Self {
            code,
            text: error.to_string(),
            hint: None,
        }
    }
}

impl From<UsageError> for Failure {
    fn from(error: UsageError) -> Self {
        Self::new(USAGE, error)
    }
}

impl From<LinkError> for Failure {
    fn from(error: LinkError) -> Self {
        let code = if error.is_usage() { USAGE } else { FAILED };
        Self::new(code, error)
    }
}

/// To standard error, where nobody may be listening any more.
pub fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Says what was lost on the way, and gives the exit code with that in it.
pub fn reckon(code: u8) -> u8 {
    files::losses().iter().fold(code, |code, loss| {
        say(&format!("omp-debug: {}", loss.text));
        if loss.fails && code == 0 {
            FAILED
        } else {
            code
        }
    })
}

/// To standard output, as it is.
pub fn print(text: &[u8]) -> Result<u8, Failure> {
    match std::io::stdout().write_all(text) {
        // `omp-debug man | head` is not an error.
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::new(FAILED, error))
        }
        _ => Ok(0),
    }
}

/// Where omp keeps its files.
pub fn layout(omp_dir: Option<&Path>, context: &Context) -> Layout {
    Layout::find(&Environment {
        home: context.home.clone().unwrap_or_else(|| NOWHERE.into()),
        cwd: context.cwd.clone(),
        variables: context
            .env
            .iter()
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect(),
        omp_dir: omp_dir.map(Path::to_path_buf),
    })
}
