//! Why an adapter is not reached.

use std::{io, net::SocketAddr, path::PathBuf, time::Duration};

use crate::process::Exit;

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// Nothing to start.
    #[error("DAP adapter {name} has no command; give one in its adapter entry")]
    NoCommand {
        /// The adapter.
        name: String,
    },
    /// The working directory is unusable.
    #[error("cannot start `{program}`: its working directory `{}` does not exist; choose another one", cwd.display())]
    WorkingDirectory {
        program: String,
        /// The directory.
        cwd: PathBuf,
    },
    /// The program cannot be started.
    #[error("cannot start `{program}`: {error}; check that it is installed and executable")]
    Spawn {
        program: String,
        /// What the system says.
        error: io::Error,
    },
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
    /// The program runs and cannot be reached.
    #[error("`{program}` was not ready after {} ms: {waited_for}{}", limit.as_millis(), after_colon(stderr))]
    NotReady {
        program: String,
        /// What was waited for, and what came of it.
        waited_for: String,
        /// How long.
        limit: Duration,
        /// The end of what it wrote to standard error, or else to standard output.
        stderr: String,
    },
    /// Nobody answers at an address that was given.
    #[error("cannot connect to {host}:{port} within {} ms: {error}; check that a DAP server listens there", limit.as_millis())]
    Unreachable {
        host: String,
        port: u16,
        /// How long it was tried.
        limit: Duration,
        /// What the last attempt said.
        error: String,
    },
    /// Somebody else may have been served.
    #[error(
        "a program of another user is connected to the port {address} of `{program}`, which was ended: it may have been told what to run; try again"
    )]
    Foreign {
        program: String,
        /// Where it listened.
        address: SocketAddr,
    },
    /// A socket of our own cannot be made.
    #[error("cannot make {what} for DAP adapter {name}: {error}")]
    Socket {
        /// The adapter.
        name: String,
        /// What was to be made.
        what: String,
        /// What the system says.
        error: io::Error,
    },
}

impl ConnectError {
    pub(crate) fn spawn(program: &str, error: io::Error) -> Self {
        Self::Spawn {
            program: program.to_owned(),
            error,
        }
    }
}

fn after_colon(stderr: &str) -> String {
    if stderr.is_empty() {
        String::new()
    } else {
        format!("; it said: {stderr}")
    }
}
