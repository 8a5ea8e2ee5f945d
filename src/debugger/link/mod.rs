//! One core, several fronts: the core of one process over a private unix socket.
//!
//! | file | what is in it |
//! |---|---|
//! | `place` | the folder of the sockets, and who may be in it |
//! | `note` | the small file beside a socket that says whose it is |
//! | `wire` | the lines that go over it |
//! | `host` | the socket of a core: who may come in |
//! | `peer` | one client, as its host serves it |
//! | `connection` | a host, as its client sees it |
//! | `join` | a [`CoreHandle`](super::CoreHandle) to a core of another process |
//! | `find` | which hosts there are, and which one is meant |
//!
//! Both ends check that the other belongs to the same user, and neither trusts the other's lines: what cannot be meant is quoted back,
//! what is too long ends the connection, and a client that stops reading loses its own connection and nothing else.

mod connection;
mod find;
mod host;
mod join;
mod note;
mod peer;
mod place;
mod wire;

#[cfg(test)]
mod tests;

use std::{io, path::PathBuf};

pub use connection::Connection;
pub use find::{Hosted, RunningHosts, choose, find};
pub use host::{Host, Hosting, Offer, serve};
pub use join::{Joined, join, join_as};
pub use note::{HostKind, Note};
pub use place::Place;
pub use wire::{Call, Guest, Hello, PROTOCOL};

/// Why a core cannot be shared or joined.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    /// The folder is not ours alone.
    #[error("{path:?} cannot hold omp-debug's sockets: {what}")]
    Unsafe {
        /// The folder.
        path: PathBuf,
        /// What is wrong with it, and what to do.
        what: String,
    },
    /// No folder's path is short enough.
    #[error(
        "no folder for omp-debug's socket has a path short enough for a socket: set XDG_RUNTIME_DIR to one that is (tried {0:?})"
    )]
    TooLong(Vec<PathBuf>),
    /// The system refused.
    #[error("{path:?} {what}: {error}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What could not be done with it.
        what: &'static str,
        /// Why.
        error: io::Error,
    },
    /// There is no such socket, or nobody listens behind it.
    #[error("no omp-debug listens at {path:?} ({error}): `omp-debug serve` starts one")]
    Nobody {
        /// The socket.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// Somebody listens and says nothing.
    #[error("the omp-debug at {0:?} does not answer: is it suspended?")]
    Silent(PathBuf),
    /// It belongs to someone else.
    #[error(
        "the process at {path:?} belongs to user {uid}, not to you ({own}): it is not asked anything"
    )]
    Foreign {
        /// The socket.
        path: PathBuf,
        /// Its owner.
        uid: u32,
        /// Ours.
        own: u32,
    },
    /// It speaks another version of the protocol, or none.
    #[error("the process at {path:?} is not a core this omp-debug can speak with: {what}")]
    Stranger {
        /// The socket.
        path: PathBuf,
        /// What it said.
        what: String,
    },
    /// The connection ended.
    #[error("the connection to the debugger at {path:?} was lost: {why}")]
    Lost {
        /// The socket.
        path: PathBuf,
        why: String,
    },
    /// Nothing to join.
    #[error(
        "no debugger is running that could be joined: start one with `omp-debug serve`, or open the screen with `omp-debug PROGRAM`{0}"
    )]
    NoHost(String),
    /// The one asked for is not there.
    #[error("no debugger {wanted:?} is running; {running}")]
    NoSuchHost {
        /// As written.
        wanted: String,
        /// Those that are.
        running: String,
    },
    /// More than one.
    #[error(
        "several debuggers are running, choose one by its process id (--to PID, --join PID):\n{0}"
    )]
    Several(String),
}

impl LinkError {
    /// Whether something else is to be written on the command line, rather than that something failed.
    pub fn is_usage(&self) -> bool {
        matches!(
            self,
            Self::NoHost(_) | Self::NoSuchHost { .. } | Self::Several(_) | Self::Nobody { .. }
        )
    }
}
