//! The line debugger, driven as a person does through a terminal and as a script does through a pipe, with real adapters.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "a test that cannot go on should stop at once and say where"
)]

#[macro_use]
mod support;

/// The parts, by how the debugger is talked to.
mod repl {
    mod pipe;
    mod terminal;
}
