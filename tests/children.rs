//! Sessions of child processes: against the real debugpy and js-debug, whose processes fork, spawn, replace themselves and
//! outlive each other; and against an adapter that announces far too many, twice, or where nobody listens.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "a test that cannot go on should stop at once and say where"
)]

mod support;

#[path = "children/alone.rs"]
mod alone;
#[path = "children/announced.rs"]
mod announced;
#[path = "children/attached.rs"]
mod attached;
#[path = "children/grove.rs"]
mod grove;
#[path = "children/launched.rs"]
mod launched;
