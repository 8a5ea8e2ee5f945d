//! The grammar of `omp-debug sessions` and `omp-debug transcript`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::diagnostics::transcript::Format;

/// `sessions`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  omp-debug sessions --print --limit 10      the newest ten, of all projects
  omp-debug sessions latest --json           what the newest one took: models, tools, subagents
  omp-debug sessions --grep 'disk full'      every entry of every session that says so")]
pub struct SessionsArgs {
    /// One session instead of all: its file, its id or how that begins, or `latest`
    #[arg(value_name = "SESSION")]
    pub session: Option<String>,
    /// One JSON object for each session, or for each entry found
    #[arg(long, conflicts_with = "print")]
    pub json: bool,
    /// One line for each session, or for each entry found
    #[arg(long)]
    pub print: bool,
    /// Every entry in whose text this regular expression is found
    #[arg(long, value_name = "RE")]
    pub grep: Option<String>,
    /// Only so many, the newest ones
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
}

impl SessionsArgs {
    /// Whether these options leave it open where the sessions are shown.
    pub fn is_for_the_screen(&self) -> bool {
        !(self.json || self.print || self.grep.is_some() || self.limit.is_some())
    }
}

/// `transcript`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  omp-debug transcript latest -o talk.md     the newest session as Markdown, into a file of your own
  omp-debug transcript 01997c --format text  a session by the beginning of its id

What looks like a secret is replaced, and how many were is said.")]
pub struct TranscriptArgs {
    /// A session's file, its id or how that begins, or `latest` [default: that of this terminal, else the newest]
    #[arg(value_name = "SESSION")]
    pub session: Option<String>,
    /// Into this file, readable for you alone; - is standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace the file when it is there
    #[arg(long, requires = "output")]
    pub force: bool,
    /// Markdown or plain text [default: by the name of FILE, else markdown]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub format: Option<FormatArg>,
    /// Print it, also on a terminal
    #[arg(long, conflicts_with = "output")]
    pub print: bool,
    /// Leave out what the model thought
    #[arg(long)]
    pub no_thinking: bool,
    /// Branches that were left, too
    #[arg(long)]
    pub all_branches: bool,
    /// Leave keys and tokens as they are
    #[arg(long)]
    pub show_secrets: bool,
}

/// `--format`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FormatArg {
    /// Markdown
    Markdown,
    /// Plain text
    Text,
}

impl TranscriptArgs {
    /// Whether these options leave it open where the transcript is shown.
    pub fn is_for_the_screen(&self) -> bool {
        !self.print && self.output.is_none()
    }

    /// Markdown, unless the option or the file's name says otherwise.
    pub fn format(&self) -> Format {
        let is_text = self
            .output
            .as_ref()
            .and_then(|file| file.extension())
            .is_some_and(|e| e == "txt");
        match self.format {
            Some(FormatArg::Text) => Format::Text,
            None if is_text => Format::Text,
            Some(FormatArg::Markdown) | None => Format::Markdown,
        }
    }
}
