//! Streams as they pass over a wire: through a proxy of ours ([`Proxy`]) or asked for by ourselves ([`Fetch`]).
//!
//! Both run in a thread of their own and tell what passes as [`Wire`]s, which a [`Recorder`](super::Recorder) makes records of. Who
//! reads them may be late: telling never waits, and when too much is waiting the copy has a hole, which is told as well. What goes to
//! the client is never held back for the copy. What we ask for ourselves has no other reader: there the server waits.

mod body;
mod client;
mod fetch;
mod guard;
mod proxy;
mod wire;

pub use fetch::{Fetch, FetchRequest};
pub use proxy::{Proxy, Upstream};
pub use wire::{ResponseEnd, Wire, Wires};
