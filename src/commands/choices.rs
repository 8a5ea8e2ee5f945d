//! Options whose values are a few words.

use std::ops::RangeBounds;

use clap::{ValueEnum, builder::RangedI64ValueParser};

use crate::debugger::Console;

/// Takes a number within these bounds.
pub fn numbers(bounds: impl RangeBounds<i64>) -> RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(bounds)
}

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
    /// A terminal of its own: a pane of the screen
    Pty,
    /// A window of its own, opened by $TERMINAL
    External,
}

impl From<ConsoleArg> for Console {
    fn from(console: ConsoleArg) -> Self {
        match console {
            ConsoleArg::Internal => Self::Internal,
            ConsoleArg::Pipe => Self::Pipe,
            ConsoleArg::Pty => Self::Pty,
            ConsoleArg::External => Self::External,
        }
    }
}
