//! Words that are nearly a command.

use std::path::Path;

use super::cli::Cli;
use crate::text::nearest;

/// The command that a program which is not there may have been meant to be, if it looks like a word.
pub fn near_command(program: &Path) -> Option<String> {
    use clap::CommandFactory as _;
    let word = program.to_string_lossy();
    if word.contains(['.', '/']) {
        return None;
    }
    let cli = Cli::command();
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
