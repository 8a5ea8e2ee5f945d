//! The wire.

pub mod supervise;
