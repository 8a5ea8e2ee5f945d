//! Options whose values are a few words, and words that are nearly one.

use std::{ops::RangeBounds, path::Path};

use clap::{ValueEnum, builder::RangedI64ValueParser};

use crate::{debugger::Console, text::nearest, tui::theme::ThemeName};

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

/// The command that a program which is not there may have been meant to be, if it looks like a word.
pub fn near_command(program: &Path) -> Option<String> {
    use clap::CommandFactory as _;
    let word = program.to_string_lossy();
    if word.contains(['.', '/']) {
        return None;
    }
    let cli = super::Cli::command();
    let names = cli.get_subcommands().map(clap::Command::get_name);
    nearest::nearest(&word, names, 1)
        .first()
        .map(|name| (*name).to_owned())
}

/// The question that an error about such a program ends with.
pub fn command_hint(program: &Path) -> String {
    near_command(program).map_or_else(String::new, |name| {
        format!("; did you mean the command `{name}`?")
    })
}

/// `--theme`.
pub fn theme_name(text: &str) -> Result<ThemeName, String> {
    text.parse::<ThemeName>().map_err(|e| e.to_string())
}
