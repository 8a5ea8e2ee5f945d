//! Options whose values are a few words.

use clap::ValueEnum;

use crate::debugger::command::Console;

/// `--color`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ColorArg {
    /// By the terminal and `NO_COLOR`
    Auto,
    /// Even with `NO_COLOR`
    Always,
    /// Bold, dim, underline and reverse only
    Never,
}

/// `--console`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ConsoleArg {
    /// The adapter passes on what the program prints
    Internal,
    /// A pipe: fastest, but the program sees no terminal
    Pipe,
    /// A terminal of its own
    Pty,
}

impl From<ConsoleArg> for Console {
    fn from(console: ConsoleArg) -> Self {
        match console {
            ConsoleArg::Internal => Self::Internal,
            ConsoleArg::Pipe => Self::Pipe,
            ConsoleArg::Pty => Self::Pty,
        }
    }
}
