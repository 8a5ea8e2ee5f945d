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

pub use connection::Connection;
pub use find::{Hosted, RunningHosts, choose, find};
pub use host::{Host, Hosting, serve};
pub use join::{Joined, join, join_as};
pub use note::{HostKind, Note};
pub use peer::Offer;
pub use place::SocketFolder;
pub use wire::{Call, Guest, Hello, PROTOCOL};
