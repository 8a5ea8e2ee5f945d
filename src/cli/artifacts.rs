//! The grammar of `omp-debug artifacts`.

use clap::Args;

/// `artifacts`.
#[derive(Args, Clone, Debug)]
pub struct ArtifactsArgs {
    /// All of it as one JSON object
    #[arg(long, conflicts_with = "print")]
    pub json: bool,
    /// One line for each folder
    #[arg(long)]
    pub print: bool,
}

impl ArtifactsArgs {
    /// Whether these options leave it open where the list is shown.
    pub fn is_for_the_screen(&self) -> bool {
        !(self.json || self.print)
    }
}
