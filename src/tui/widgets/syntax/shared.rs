//! What the view and the thread that colours have in common: the newest request, and the pieces so far.

use std::{
    collections::VecDeque,
    ops::Range,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
};

use ratatui::style::Style;

use crate::theme::Theme;

/// What a piece of source is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token {
    /// Strings and characters.
    String,
    /// Numbers and named constants.
    Number,
    Keyword,
    Comment,
    /// Type names.
    Type,
    /// Function names.
    Function,
    /// Macros, attributes, tags.
    Attribute,
}

impl Token {
    /// Its look.
    pub const fn style(self, theme: &Theme) -> Style {
        match self {
            Self::String => theme.string,
            Self::Number => theme.number,
            Self::Keyword => theme.keyword,
            Self::Comment => theme.comment,
            Self::Type => theme.type_name,
            Self::Function => theme.function,
            Self::Attribute => theme.attribute,
        }
    }
}

/// A piece of a line that is not plain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Bytes of the line.
    pub range: Range<usize>,
    pub token: Token,
}

/// The pieces of one line, in order and without overlap.
pub type Pieces = Arc<[Piece]>;

/// A text that never changes: another text of the same file is another version.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FileVersion {
    /// Path or name; its ending chooses the grammar.
    pub name: Arc<str>,
    /// Anything that differs between two texts of that name.
    pub version: u64,
}

pub struct Shared {
    pub state: Mutex<State>,
    pub wake: Condvar,
    pub notify: Box<dyn Fn() + Send + Sync>,
}

#[derive(Default)]
pub struct State {
    pub request: Option<Request>,
    pub closed: bool,
    /// Most recently used last.
    pub files: VecDeque<(FileVersion, Vec<Slot>)>,
}

pub struct Request {
    pub file: FileVersion,
    pub text: Arc<str>,
    pub visible: Range<usize>,
}

#[derive(Clone, Default)]
pub enum Slot {
    #[default]
    Plain,
    /// Coloured from a short way above.
    Guessed(Pieces),
    /// Coloured from the top of the file.
    Known(Pieces),
}

impl Shared {
    pub fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next request; `None` when nobody will ask again.
    pub fn next(&self) -> Option<Request> {
        let mut state = self.lock();
        loop {
            if state.closed {
                return None;
            }
            if let Some(request) = state.request.take() {
                return Some(request);
            }
            state = self
                .wake
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    pub fn is_interrupted(&self) -> bool {
        let state = self.lock();
        state.closed || state.request.is_some()
    }

    pub fn publish(&self, file: &FileVersion, first: usize, lines: &mut Vec<Pieces>, known: bool) {
        let mut state = self.lock();
        if let Some((_, slots)) = state.files.iter_mut().find(|(name, _)| name == file) {
            for (slot, pieces) in slots.iter_mut().skip(first).zip(lines.drain(..)) {
                match slot {
                    Slot::Known(_) => {}
                    _ if known => *slot = Slot::Known(pieces),
                    _ => *slot = Slot::Guessed(pieces),
                }
            }
        }
        drop(state);
        lines.clear();
        (self.notify)();
    }
}
