//! The desk: logs, streams, profiles, memory, reports, artifacts, transcripts; and the pages that are made from the program.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stderr,
    reason = "a test that cannot go on should stop at once and say where"
)]

#[macro_use]
#[path = "../support/mod.rs"]
mod support;

mod agent_guide;
mod artifacts;
mod logs;
mod memory;
mod no_files;
mod profile;
mod profile_accepted;
mod readme;
mod report;
mod sessions;
mod sse;
mod sse_proxy;
mod system;
