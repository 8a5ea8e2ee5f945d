//! Options whose values are a few words, and words that are nearly one.

use std::path::Path;

use clap::ValueEnum;

use crate::debugger::command::Console;
use crate::text::nearest;

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

/// A program that is not there may be a mistyped command: if it looks like a word.
pub(super) fn near_command(program: &Path) -> String {
    use clap::CommandFactory as _;
    let word = program.to_string_lossy();
    if word.contains(['.', '/']) {
        return String::new();
    }
    let cli = super::Cli::command();
    let names = cli.get_subcommands().map(clap::Command::get_name);
    nearest::nearest(&word, names, 1)
        .first()
        .map_or_else(String::new, |name| {
            format!("; did you mean the command `{name}`?")
        })
}
