//! The grammar of `omp-debug cache`.

use std::time::Duration;

use clap::Args;

use crate::diagnostics::artifacts::age;

/// `cache`.
#[derive(Args, Clone, Debug)]
pub struct CacheArgs {
    /// Clear what did not change for so long: 30d, 12h, 2w; 0 is everything that is not in use
    #[arg(long, value_name = "AGE", default_value = "30d", value_parser = age)]
    pub older_than: Duration,
    /// Only list what would go
    #[arg(long, conflicts_with_all = ["yes", "undo", "empty_trash"])]
    pub dry_run: bool,
    /// Do not ask
    #[arg(long)]
    pub yes: bool,
    /// Delete at once, instead of moving into the trash
    #[arg(long, conflicts_with_all = ["undo", "empty_trash"])]
    pub no_trash: bool,
    /// Bring back what was cleared last, or what has this name in the trash
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "", conflicts_with = "empty_trash")]
    pub undo: Option<String>,
    /// Delete what is in the trash for good
    #[arg(long)]
    pub empty_trash: bool,
    /// What is listed and done as one JSON object
    #[arg(long)]
    pub json: bool,
}

fn age(text: &str) -> Result<Duration, String> {
    age::parse(text)
}
