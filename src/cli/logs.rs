//! The grammar of `omp-debug logs`.

use std::path::PathBuf;

use clap::Args;

use crate::diagnostics::logs::{Level, parse_since};
use crate::tui::app::logs::{Conditions, Needle, Wish};

/// `logs`.
#[derive(Args, Clone, Debug)]
pub struct LogsArgs {
    /// Logs of any sort: JSON lines, plain text, compressed or not, a folder of them, or - for standard input [default: those of omp]
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// One JSON object for each entry
    #[arg(long, conflicts_with = "print")]
    pub json: bool,
    /// One line for each entry, and its further lines indented
    #[arg(long)]
    pub print: bool,
    /// Only entries of this process; may be given several times
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub pid: Vec<u32>,
    /// Only entries at least as bad as this: trace, debug, info, warn, error or fatal
    #[arg(long, value_name = "LEVEL", value_parser = level)]
    pub level: Option<Level>,
    /// Only entries in whose text this regular expression is found
    #[arg(long, value_name = "RE")]
    pub grep: Option<String>,
    /// Only entries since then: 2026-08-21T14:03, 2026-08-21, 14:03, 90s, 10m, 2h, 3d
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Only so many entries, the newest ones
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// Only how many there are
    #[arg(long, conflicts_with = "limit")]
    pub count: bool,
}

fn level(text: &str) -> Result<Level, String> {
    Level::parse(text).ok_or_else(|| {
        format!("{text:?} is no level: write trace, debug, info, warn, error or fatal")
    })
}

impl LogsArgs {
    /// Whether these options leave it open where the entries are shown.
    pub fn is_for_the_screen(&self) -> bool {
        !(self.json || self.print || self.count || self.limit.is_some())
    }

    /// Which entries the screen shows first; the error is a sentence.
    pub fn conditions(&self) -> Result<Conditions, String> {
        let since = match &self.since {
            Some(text) => Some(parse_since(text, &jiff::Zoned::now()).ok_or_else(|| {
                format!("--since {text:?} is no time: write 2026-08-21T14:03, 14:03, 10m or 2h")
            })?),
            None => None,
        };
        let mut conditions = Conditions::default();
        if !self.pid.is_empty() {
            conditions = conditions.with(Wish::Pids(self.pid.clone()));
        }
        if let Some(level) = self.level {
            conditions = conditions.with(Wish::Level(level));
        }
        if let Some(since) = since {
            conditions = conditions.with(Wish::Since(since));
        }
        if let Some(text) = &self.grep {
            conditions = conditions.with(Wish::Text(Needle {
                text: text.clone(),
                is_expression: true,
            }));
        }
        conditions
            .filter()
            .map_err(|error| format!("--grep {error}"))?;
        Ok(conditions)
    }
}
