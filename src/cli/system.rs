//! The grammar of `omp-debug system`.

use clap::Args;

/// `system`.
#[derive(Args, Clone, Copy, Debug)]
pub struct SystemArgs {
    /// One JSON object; what is not known is null, and `unknown` says why
    #[arg(long, conflicts_with = "print")]
    pub json: bool,
    /// As text
    #[arg(long)]
    pub print: bool,
}

impl SystemArgs {
    /// Whether these options leave it open where it is shown.
    pub fn is_for_the_screen(self) -> bool {
        !(self.json || self.print)
    }
}
