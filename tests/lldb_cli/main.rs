//! LLDB's command line as a backend, on the real lldb: commands and their ends, sessions, simulators.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "a test that cannot go on should stop at once and say where"
)]

#[path = "../support/mod.rs"]
#[macro_use]
mod support;

mod backend;
mod commands;
mod sessions;
mod simulators;
