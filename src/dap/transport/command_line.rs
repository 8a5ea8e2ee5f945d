//! A process that is started and watched like an adapter, and spoken for by somebody here: it speaks no DAP on its own streams.
//!
//! What a debugger's command line writes to both of its streams comes in one pipe, in its order. Turning that into DAP is left to
//! others.

use tokio::{
    io::{AsyncRead, AsyncWrite},
    process::{ChildStderr, ChildStdin, ChildStdout},
};

use super::{AdapterSpec, ConnectError, socket_error};
use crate::{
    client::{self, Connection, Tap, Wiring},
    exit::StderrTail,
    process::{AdapterProcess, Ender, Pipes, Streams},
};

/// The process behind a connection that somebody else speaks on.
#[derive(Debug)]
pub struct Behind {
    process: AdapterProcess,
    name: String,
}

impl Behind {
    /// Starts a debugger that has only a command line: what it reads, and what it writes.
    pub fn command_line(
        spec: &AdapterSpec,
    ) -> Result<(Self, (ChildStdin, ChildStdout)), ConnectError> {
        Self::start(spec, Streams::Merged, |pipes| pipes.stdin.zip(pipes.stdout))
    }

    /// Starts the program itself, whose standard input is empty: what it writes.
    pub fn debuggee(
        spec: &AdapterSpec,
    ) -> Result<(Self, (ChildStdout, ChildStderr)), ConnectError> {
        Self::start(spec, Streams::Program, |pipes| {
            pipes.stdout.zip(pipes.stderr)
        })
    }

    /// Starts `spec.argv`, under a supervisor when it names one.
    fn start<P>(
        spec: &AdapterSpec,
        streams: Streams,
        wanted: impl FnOnce(Pipes) -> Option<P>,
    ) -> Result<(Self, P), ConnectError> {
        let (process, pipes) = AdapterProcess::spawn(spec, &spec.argv, streams)?;
        let pipes = wanted(pipes)
            .ok_or_else(|| socket_error(spec, "pipes", std::io::ErrorKind::BrokenPipe))?;
        let behind = Self {
            process,
            name: spec.name.clone(),
        };
        Ok((behind, pipes))
    }

    /// Ends the process and sees it end, for whoever speaks for it.
    pub fn ender(&self) -> Ender {
        self.process.ender()
    }

    /// The connection, as if the process spoke DAP on these streams itself.
    pub fn connection<I, O>(self, read: I, write: O, tap: Option<Tap>) -> Connection
    where
        I: AsyncRead + Send + Unpin + 'static,
        O: AsyncWrite + Send + Unpin + 'static,
    {
        let stderr = StderrTail::default();
        stderr.finish();
        let wiring = Wiring {
            tap,
            process: Some(self.process),
            stderr,
            ..Wiring::default()
        };
        client::connect(read, write, &self.name, wiring)
    }
}
