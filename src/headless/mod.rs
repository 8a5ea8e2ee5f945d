//! The other fronts.

pub mod adapters;
pub mod artifacts;
pub mod cache;
pub mod call;
pub mod logs;
pub mod memory;
pub mod profile;
pub mod profile_take;
pub mod repl;
pub mod replay;
pub mod report;
pub mod run;
pub mod serve;
pub mod sessions;
pub mod sse;
pub mod system;
pub mod transcript;
