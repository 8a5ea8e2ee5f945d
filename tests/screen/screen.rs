//! A person's whole way through the debugger, with real adapters: keys in, the screen read.

/// The parts, by what the person does.
mod attach;
mod exceptions;
mod firsts;
mod machine;
mod way;
