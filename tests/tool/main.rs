//! The debug tool against real adapters: each of the 28 actions where it works, and its refusal where it does not. What no real
//! adapter does on demand (being slow, running without a stop) is done by the fake one.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "a test that cannot go on should stop at once and say where"
)]

mod bench;
mod native;
mod passed_on;
mod python;
mod slow;
#[path = "../support/mod.rs"]
mod support;
mod turns;
