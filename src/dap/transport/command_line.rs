//! A debugger that speaks no DAP, only its own command line: started and watched like an adapter, spoken for by somebody here.
//!
//! What it writes to both of its streams comes in one pipe, in its order. Turning that into DAP is left to others.

use tokio::{
    io::{AsyncRead, AsyncWrite},
    process::{ChildStdin, ChildStdout},
    sync::mpsc,
};

use super::{AdapterSpec, ConnectError, socket_error};
use crate::{
    client::{Connection, INCOMING_CAPACITY, Tap, pump::Wiring, start},
    process::{AdapterProcess, Ender, StderrTail, Streams},
};

/// A debugger's command line that runs.
#[derive(Debug)]
pub struct CommandLine {
    /// What it reads.
    pub input: ChildStdin,
    /// What it writes, to standard output and standard error.
    pub output: ChildStdout,
    /// Its process, and where its last words are kept.
    pub behind: Behind,
}

/// The process behind a connection that somebody else speaks on.
#[derive(Debug)]
pub struct Behind {
    process: AdapterProcess,
    tail: StderrTail,
    name: String,
}

impl CommandLine {
    /// Starts `spec.argv`, under a supervisor when it names one.
    pub fn start(spec: &AdapterSpec) -> Result<Self, ConnectError> {
        let (process, pipes) = AdapterProcess::spawn(spec, &spec.argv, Streams::Merged)?;
        let (Some(input), Some(output)) = (pipes.stdin, pipes.stdout) else {
            let error = std::io::ErrorKind::BrokenPipe.into();
            return Err(socket_error(spec, "pipes", error));
        };
        let behind = Behind::of(process, &spec.name);
        Ok(Self {
            input,
            output,
            behind,
        })
    }
}

impl Behind {
    pub(super) fn of(process: AdapterProcess, name: &str) -> Self {
        Self {
            process,
            tail: StderrTail::default(),
            name: name.to_owned(),
        }
    }

    /// Ends the process and sees it end, for whoever speaks for it.
    pub fn ender(&self) -> Ender {
        self.process.ender()
    }

    /// Keeps what it said, for whoever asks why it is gone.
    pub fn said(&self, text: &str) {
        self.tail.push(text.as_bytes());
    }

    /// The connection, as if the process spoke DAP on these streams itself.
    pub fn connection<I, O>(mut self, read: I, write: O, tap: Option<Tap>) -> Connection
    where
        I: AsyncRead + Send + Unpin + 'static,
        O: AsyncWrite + Send + Unpin + 'static,
    {
        let (incoming, receiver) = mpsc::channel(INCOMING_CAPACITY);
        self.tail.finish();
        let wiring = Wiring {
            incoming,
            exit: Some(self.process.watch()),
            output: Vec::new(),
            ends_with_process: false,
        };
        let client = start(read, write, &self.name, self.tail, tap, wiring);
        self.process.tie(client.closer());
        Connection {
            client,
            incoming: receiver,
            process: Some(self.process),
            address: None,
        }
    }
}
