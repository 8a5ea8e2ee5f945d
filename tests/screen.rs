//! A person's whole way through the debugger, with real adapters: keys in, the screen read.

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

/// The parts, by what the person does.
mod screen {
    mod attach;
    mod exceptions;
    mod firsts;
    mod machine;
    mod way;
}
