//! routes

pub mod debug;
