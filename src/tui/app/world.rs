//! What every surface is shown, apart from itself.

use debugger::State;
use diagnostics::{artifacts::ArtifactRoot, omp::Layout};

use crate::{
    app::past_stops::Lens,
    kit::prelude::*,
    theme::{Symbols, Theme},
};

/// What every surface may look at.
pub struct World {
    /// What the core knows.
    pub state: State,
    /// What is shown instead, while one looks back.
    pub lens: Option<Lens>,
    /// Styles by meaning.
    pub theme: Theme,
    /// Glyphs.
    pub symbols: Symbols,
    /// The project's folder.
    pub project: PathBuf,
    /// Where omp keeps its files.
    pub omp: Arc<Layout>,
    /// Where artifacts are, and what tells which sessions live.
    pub ground: Arc<ArtifactRoot>,
    /// The process that has the core, when that is another one.
    pub host: Option<String>,
}

impl World {
    /// For a surface with or without the keyboard.
    pub fn view(&self, focused: bool) -> View<'_> {
        View {
            state: self.lens.as_ref().map_or(&self.state, Lens::state),
            theme: &self.theme,
            symbols: &self.symbols,
            project: &self.project,
            omp: &self.omp,
            ground: &self.ground,
            focused,
        }
    }
}
