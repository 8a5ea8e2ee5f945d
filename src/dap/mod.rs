//! The wire.

pub mod client;
pub mod codec;
pub mod message;
pub mod process;
pub mod protocol;
pub mod requests;
pub mod supervise;
pub mod tolerant;
pub mod transport;
pub mod types;
