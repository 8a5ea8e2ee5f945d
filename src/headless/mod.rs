//! The fronts without a screen: what prints instead of drawing.

pub mod call;
pub mod repl;
pub mod run;
pub mod serve;
