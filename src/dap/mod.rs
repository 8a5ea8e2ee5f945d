//! The wire.

pub mod codec;
pub mod message;
pub mod requests;
pub mod supervise;
pub mod tolerant;
pub mod types;
