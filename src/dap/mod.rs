//! The Debug Adapter Protocol as it is spoken, and nothing about debugging.
//!
//! From the outside in:
//! - [`transport`] starts an adapter and reaches it; [`process`] watches over it and ends it; [`supervise`] is the
//!   program between the two, which ends an adapter whose client died;
//! - [`client`] numbers requests, matches answers and hands on what comes unasked;
//! - [`codec`] cuts the stream into frames, [`message`] reads their envelopes;
//! - [`requests`] and [`types`] say what is in them, read by the rules of [`tolerant`]; [`protocol`] what an adapter may be asked.
//!
//! Policy is left to the core: what to ask when, which adapter to trust with what, how to show any of it.

pub mod client;
pub mod codec;
mod exit;
pub mod message;
pub mod process;
pub mod protocol;
pub mod requests;
pub mod server;
#[cfg(test)]
#[path = "../../tests/support/suite.rs"]
#[expect(dead_code, reason = "each room needs a part of it")]
mod suite;
pub mod supervise;
pub mod tolerant;
pub mod transport;
pub mod types;
