//! What a surface may look at: the core's state, the looks, where things are.

use std::{ops::Deref, path::Path, rc::Rc, sync::Arc};

use debugger::{Session, State};
use diagnostics::{artifacts::ArtifactRoot, omp::Layout};

use crate::theme::{Look, Symbols, Theme};

/// What every surface may look at while it draws or handles a key. Another one for the same is had for next to nothing.
#[derive(Clone)]
pub struct View {
    seen: Rc<ViewData>,
    /// Whether the surface being drawn has the keyboard.
    pub focused: bool,
}

/// What is seen in a [`View`].
pub struct ViewData {
    /// What the core knows.
    pub state: Rc<State>,
    /// Styles by meaning.
    pub theme: Rc<Theme>,
    /// Glyphs, Unicode or ASCII.
    pub symbols: &'static Symbols,
    /// The project's folder: paths below it are shown relative to it.
    pub project: Rc<Path>,
    /// Where omp keeps its files.
    pub omp: Arc<Layout>,
    /// Where artifacts are, and what tells which sessions live.
    pub artifact_root: Arc<ArtifactRoot>,
}

impl Deref for View {
    type Target = ViewData;

    fn deref(&self) -> &ViewData {
        &self.seen
    }
}

impl View {
    /// For a surface with or without the keyboard.
    pub fn new(seen: ViewData, focused: bool) -> Self {
        Self {
            seen: Rc::new(seen),
            focused,
        }
    }

    /// The same view for a surface with or without the keyboard.
    #[must_use]
    pub fn with_focus(&self, focused: bool) -> Self {
        Self {
            seen: Rc::clone(&self.seen),
            focused,
        }
    }
}

impl ViewData {
    /// The session in focus.
    pub fn session(&self) -> Option<&Session> {
        self.state.focused()
    }

    /// What widgets want to know.
    pub fn look(&self) -> Look<'_> {
        Look {
            theme: &self.theme,
            symbols: self.symbols,
        }
    }
}
