//! The fronts without a screen: what prints instead of drawing.
//!
//! | front | what it is |
//! |---|---|
//! | [`run`] | a session without a person, as events, one JSON object a line: traces, differences of variables, assertions |
//! | [`repl`] | a debugger of lines: its commands, how it reads them and prints frames, values and lists |
//! | [`mcp`] | tools of coding agents, by the Model Context Protocol: what each may do, which core it is at, whom it asks |
//! | [`call`] | one action of the debug tool, as JSON |
//! | [`mirror`] | sessions shown to editors, as an adapter that only looks |
//! | [`serve`] | a core that others join |
//!
//! [`codes`] are the exit codes of all of them.

mod prelude;

pub mod call;
pub mod codes;
pub mod mcp;
pub mod mirror;
pub mod repl;
pub mod run;
pub mod serve;
pub mod signals;
