//! The debug workspace.
pub mod breakpoints;
pub mod inline;
pub mod kit;
pub mod layout;
pub mod output;
pub mod popups;
pub mod repl;
pub mod scopes;
pub mod source;
pub mod stack;
pub mod variables;
pub mod watches;
