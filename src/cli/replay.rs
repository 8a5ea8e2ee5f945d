//! `replay`: a recorded session, on the screen or as lines.

use std::path::PathBuf;

use clap::Args;

/// `replay`.
#[derive(Args, Clone, Debug)]
pub struct ReplayArgs {
    /// What --record wrote
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// No screen: the stops as JSON, one a line
    #[arg(long)]
    pub json: bool,
    /// No screen: the stops for people
    #[arg(long, conflicts_with = "json")]
    pub print: bool,
}

impl ReplayArgs {
    /// Whether it is looked at rather than printed.
    pub fn is_for_the_screen(&self) -> bool {
        !self.json && !self.print
    }
}
