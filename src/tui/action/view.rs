//! What a surface may look at: the core's state, the looks, where things are.

use std::{path::Path, sync::Arc};

use debugger::{Session, State};
use diagnostics::{artifacts::ArtifactRoot, omp::Layout};
use ratatui::{buffer::Buffer, layout::Rect, style::Style};

use crate::theme::{Look, Symbols, Theme};

/// What every surface may look at while it draws or handles a key.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// What the core knows.
    pub state: &'a State,
    /// Styles by meaning.
    pub theme: &'a Theme,
    /// Glyphs, Unicode or ASCII.
    pub symbols: &'a Symbols,
    /// The project's folder: paths below it are shown relative to it.
    pub project: &'a Path,
    /// Where omp keeps its files.
    pub omp: &'a Arc<Layout>,
    /// Where artifacts are, and what tells which sessions live.
    pub ground: &'a Arc<ArtifactRoot>,
    /// Whether the surface being drawn has the keyboard.
    pub focused: bool,
}

impl<'a> View<'a> {
    /// The session in focus.
    pub fn session(&self) -> Option<&'a Session> {
        self.state.focused()
    }

    /// The same view for a surface with or without the keyboard.
    #[must_use]
    pub fn with_focus(self, focused: bool) -> Self {
        Self { focused, ..self }
    }

    /// What widgets want to know.
    pub fn look(&self) -> Look<'a> {
        Look {
            theme: self.theme,
            symbols: self.symbols,
        }
    }

    /// Draws one line of text, cut with an ellipsis where the room ends; gives the cells that it took.
    pub fn cut(&self, buf: &mut Buffer, area: Rect, text: &str, style: Style) -> u16 {
        self.look().cut(buf, area, text, style)
    }
}
