//! The line debugger, driven as a person does through a terminal and as a script does through a pipe, with real adapters.

/// The parts, by how the debugger is talked to.
mod pipe;
mod terminal;
