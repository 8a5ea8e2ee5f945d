//! The fronts without a screen: what prints instead of drawing.

mod prelude;

pub mod call;
pub mod codes;
pub mod mcp;
pub mod mirror;
pub mod repl;
pub mod run;
pub mod serve;
pub mod signals;
