//! The core.

pub mod adapters;
