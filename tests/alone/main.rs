//! What wants this process or this machine for itself. Cargo runs one test binary at a time; in this one a test that may not run
//! beside any other takes `support::alone()`, debuggers whose answers have a time `support::in_pairs()`, all others `support::beside()`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stderr,
    clippy::cast_possible_truncation,
    reason = "a test that cannot go on should stop at once and say where"
)]

#[macro_use]
#[path = "../support/mod.rs"]
mod support;

mod fake_inspector;
mod mutated;
mod profile_inspector;
mod profile_shares;
mod profile_taken;
mod values;
