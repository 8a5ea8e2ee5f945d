//! What tests of screens share: a view, a screen as text.

use debugger::State;
use diagnostics::{artifacts::ArtifactRoot, omp::Layout};
use ratatui::{Terminal, backend::TestBackend};

use crate::{
    action::{Layer, prelude::*, view::ViewData},
    theme::{Symbols, Theme},
};

/// A theme and symbols that live long enough.
pub struct Stage {
    /// What the core knows.
    pub state: State,
    /// Styles.
    pub theme: Theme,
    /// Glyphs.
    pub symbols: &'static Symbols,
    /// Where omp keeps its files.
    pub omp: Arc<Layout>,
    /// Where artifacts are.
    pub ground: Arc<ArtifactRoot>,
}

impl Stage {
    /// With colours and Unicode.
    pub fn new(state: State) -> Self {
        Self {
            state,
            theme: Theme::dark(),
            symbols: &Symbols::UNICODE,
            omp: Arc::default(),
            ground: Arc::default(),
        }
    }

    /// A view with the keyboard.
    pub fn view(&self) -> View {
        let seen = ViewData {
            state: self.state.clone().into(),
            theme: self.theme.clone().into(),
            symbols: self.symbols,
            project: Path::new("/project").into(),
            omp: Arc::clone(&self.omp),
            artifact_root: Arc::clone(&self.ground),
        };
        View::new(seen, true)
    }

    /// A context without effects.
    pub fn cx(&self) -> Cx {
        Cx::new(self.view())
    }

    /// The screen as lines without trailing blanks.
    ///
    /// # Panics
    /// When the surface does.
    pub fn draw(&self, surface: &mut dyn Layer, width: u16, height: u16) -> Vec<String> {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal
            .draw(|f| {
                let area = f.area();
                Canvas::on(f, self.view(), |canvas| surface.draw(canvas, area));
            })
            .unwrap();
        let buffer = terminal.backend().buffer();
        (0..height)
            .map(|y| {
                let line: String = (0..width)
                    .map(|x| buffer.cell((x, y)).unwrap().symbol())
                    .collect();
                line.trim_end().to_owned()
            })
            .collect()
    }

    /// Draws at many sizes from nothing to 60x30, with Unicode and ASCII.
    pub fn survives(&mut self, surface: &mut dyn Layer) {
        for symbols in [&Symbols::UNICODE, &Symbols::ASCII] {
            self.symbols = symbols;
            self.theme = if symbols.unicode {
                Theme::light()
            } else {
                Theme::mono()
            };
            for width in (0..=12).chain([20, 39, 60]) {
                for height in (0..=8).chain([15, 30]) {
                    self.draw(surface, width, height);
                }
            }
        }
    }
}

impl Cx {
    /// What was asked for last.
    pub fn pop(&self) -> Option<Effect> {
        self.effects.borrow_mut().pop()
    }
}

/// A batch of events that were applied.
pub fn events() -> Msg {
    Msg::Events(Arc::default())
}
