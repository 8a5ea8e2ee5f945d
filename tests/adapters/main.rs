//! Real adapters: the core, the command line and the prompt on each of them.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "a test that cannot go on should stop at once and say where"
)]

#[macro_use]
#[path = "../support/mod.rs"]
mod support;

mod agent;
mod attach_port;
mod children;
mod commands;
mod commands_screen;
mod configurations;
mod data;
mod deaths;
mod evaluations;
mod golden;
mod headless_run;
mod headless_run_control;
mod headless_run_ends;
mod headless_run_told;
mod kill;
mod line_stops;
mod lldb_cli;
mod our_death;
mod panics;
mod python_failures;
mod real_adapters;
mod records;
mod repl;
mod serve;
mod stops_that_tell;
mod typed;
