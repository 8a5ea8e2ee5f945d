//! routes
pub mod debug;
