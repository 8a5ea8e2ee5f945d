//! The screen in a real terminal: keys in, cells read.

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

mod artifacts_screen;
mod bad_input;
mod children_screen;
mod data_screen;
mod debuggee_terminal;
mod injection;
mod logs_screen;
mod menu;
mod profile_screen;
mod protocol_screen;
mod recording;
mod recording_tree;
mod report_screen;
mod restored;
mod screen;
mod sessions_screen;
mod shared_story;
mod snapshots;
mod sse_screen;
mod terminal_screen;
mod troubles_screen;
mod trust;
mod values_hostile;
