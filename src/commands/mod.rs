//! The commands, one file each: what may be said on the command line, and what comes of it, as text or on the screen.
//!
//! Names and meanings here are stable. `start` chooses the front that does it; debugging itself is left to `screen`, and to
//! `debug` without a screen.
//!
//! Beside them: [`cli`] is the grammar of all, [`grammar`] reads the raw arguments (which command a mistyped word was meant to be,
//! which options help shows), [`setup`] and [`start`] go from there to a front, [`desk`] is what text forms share, [`failure`] how a
//! command ends that does not end well.

mod adapters;
mod agent_guide;
mod artifacts;
mod attach;
mod cache;
mod call;
mod choices;
pub mod cli;
pub mod configuration;
mod debug;
pub mod desk;
pub mod failure;
pub mod grammar;
mod hang;
pub mod launch;
mod logs;
mod mcp;
mod memory;
mod mirror;
mod named;
mod prelude;
mod profile;
mod profile_take;
mod recording;
pub mod repl;
mod replay;
mod report;
mod report_contents;
mod resident;
pub mod run;
mod screen;
mod sessions;
pub mod setup;
mod sse;
pub mod start;
mod system;
mod transcript;

#[cfg(test)]
mod tests;
