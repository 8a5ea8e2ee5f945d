//! A program that is started and watched like an adapter, and spoken for by somebody here: it speaks no DAP on its own streams.

use tokio::process::{ChildStderr, ChildStdout};

use super::{AdapterSpec, ConnectError, command_line::Behind, socket_error};
use crate::process::{AdapterProcess, Streams};

/// A program that runs.
#[derive(Debug)]
pub struct Debuggee {
    /// What it writes to standard output.
    pub stdout: ChildStdout,
    /// What it writes to standard error.
    pub stderr: ChildStderr,
    /// Its process.
    pub behind: Behind,
}

impl Debuggee {
    /// Starts `spec.argv`, under a supervisor when it names one; its standard input is empty.
    pub fn start(spec: &AdapterSpec) -> Result<Self, ConnectError> {
        let (process, pipes) = AdapterProcess::spawn(spec, &spec.argv, Streams::Program)?;
        let (Some(stdout), Some(stderr)) = (pipes.stdout, pipes.stderr) else {
            let error = std::io::ErrorKind::BrokenPipe.into();
            return Err(socket_error(spec, "pipes", error));
        };
        Ok(Self {
            stdout,
            stderr,
            behind: Behind::of(process, &spec.name),
        })
    }
}
