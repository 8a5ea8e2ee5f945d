//! The core and what it is made of: the scripted adapter, sessions, supervisors, sockets, the debug tool, recordings; and what the
//! repository itself is held to.

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

mod acceptance;
mod architecture;
mod atomic;
mod core_machine;
mod core_refine;
mod core_requests;
mod core_sessions;
mod demo;
mod faults;
mod foreign;
mod hooks;
mod hosts;
mod kit;
mod large_answers;
mod looks;
mod lost;
mod mcp;
mod mirror;
mod permission;
mod shared_model;
mod soak;
mod socket;
mod sockets;
mod state_gate;
mod supervise;
mod tool;
mod tool_gate;
