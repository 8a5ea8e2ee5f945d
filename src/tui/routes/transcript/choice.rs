//! How a session is to be written down.

use base::surroundings::variables;
use diagnostics::{
    omp::Layout,
    transcript::{Format, Options},
};

use crate::prelude::*;

/// What is chosen.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// Markdown or text.
    pub format: Format,
    /// With what the model thought.
    pub thinking: bool,
    /// With the branches that were left.
    pub all_branches: bool,
    pub show_secrets: bool,
}

impl Default for Choice {
    fn default() -> Self {
        Self {
            format: Format::Markdown,
            thinking: true,
            all_branches: false,
            show_secrets: false,
        }
    }
}

impl Choice {
    pub fn options(self, omp: &Layout) -> Options {
        Options {
            format: self.format,
            thinking: self.thinking,
            all_branches: self.all_branches,
            redactor: (!self.show_secrets).then(|| Redactor::new().with_secrets(variables())),
            blobs: omp.blobs.clone(),
        }
    }
}
