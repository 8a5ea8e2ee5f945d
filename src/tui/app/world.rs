//! What every surface is shown, apart from itself.

use std::rc::Rc;

use debugger::State;
use diagnostics::{artifacts::ArtifactRoot, omp::Layout};

use crate::{
    action::view::ViewData,
    app::past_stops::Lens,
    prelude::*,
    theme::{Symbols, Theme},
};

/// What every surface may look at.
pub struct World {
    /// What the core knows.
    pub state: Rc<State>,
    /// What is shown instead, while one looks back.
    pub lens: Option<Lens>,
    /// Styles by meaning.
    pub theme: Rc<Theme>,
    /// Glyphs.
    pub symbols: &'static Symbols,
    /// The project's folder.
    pub project: Rc<Path>,
    /// Where omp keeps its files.
    pub omp: Arc<Layout>,
    /// Where artifacts are, and what tells which sessions live.
    pub artifact_root: Arc<ArtifactRoot>,
    /// The process that has the core, when that is another one.
    pub host: Option<String>,
}

impl World {
    /// For a surface with or without the keyboard.
    pub fn view(&self, focused: bool) -> View {
        let seen = ViewData {
            state: Rc::clone(self.lens.as_ref().map_or(&self.state, Lens::state)),
            theme: Rc::clone(&self.theme),
            symbols: self.symbols,
            project: Rc::clone(&self.project),
            omp: Arc::clone(&self.omp),
            artifact_root: Arc::clone(&self.artifact_root),
        };
        View::new(seen, focused)
    }
}
