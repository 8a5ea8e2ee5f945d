//! What is to be started, and how it is reached.

use std::{path::PathBuf, time::Duration};

use serde::{Deserialize, Serialize};

use crate::client::Address;

/// How an adapter is reached.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConnectMode {
    /// Over its standard input and output.
    #[default]
    Stdio,
    /// It listens on the TCP port that replaces `${port}` in its arguments; that is 0, "any", where its banner names
    /// the port.
    Tcp,
    /// It listens on a unix socket: the path replaces `${socket}` in its arguments, or else `--listen=unix:PATH` is appended.
    Socket,
    /// It connects to us: `--client-addr=127.0.0.1:PORT` is appended.
    #[serde(alias = "connectBack")]
    ConnectBack,
    /// It speaks no DAP: LLDB's own command line, over its standard streams, is spoken for by a backend of ours.
    LldbCommandLine,
    /// It listens already; no process is started.
    #[serde(skip)]
    At(Address),
}

/// Everything that is needed to reach an adapter.
#[derive(Clone, Debug)]
pub struct AdapterSpec {
    /// What people call it.
    pub name: String,
    /// The program and its arguments; unused for [`ConnectMode::At`].
    pub argv: Vec<String>,
    /// Where it runs.
    pub cwd: PathBuf,
    /// Changes to the inherited environment; `None` removes a variable.
    pub env: Vec<(String, Option<String>)>,
    /// How it is reached.
    pub connect: ConnectMode,
    /// A part of the output that says that the TCP server is up; without it connecting is tried until it works.
    pub banner: Option<String>,
    /// The banner's line ends with the port: the adapter chooses one itself, and nobody can be quicker than it.
    pub banner_names_port: bool,
    /// How long all this may take.
    pub ready_timeout: Duration,
    /// A program that runs `argv` as its child and ends it when we are gone.
    pub supervisor: Option<PathBuf>,
    /// Whether the adapter works by ptrace, and so must not be killed while it is attached.
    pub ptrace: bool,
    /// Whether the session will attach: what it holds was there before and must live on.
    pub attaches: bool,
}
