//! Colours of source text, worked out beside the drawing task.
//!
//! A view asks for the lines it shows and draws them plain; a worker thread colours those first, then the rest of the file, and
//! calls `notify` when there is something new to draw. Only the newest request counts. The grammars are loaded at the first
//! request, so a screen without source never pays for them. Files and lines beyond the limits below stay plain: no grammar is
//! worth a screen that hangs.
//!
//! Lines at the viewport are first coloured from a short way above it, which is right unless a string or comment began earlier,
//! and again when the worker gets there from the top of the file. Leaves to others: reading files, and which look a
//! [`Token`] has beyond [`Token::style`].

mod worker;

use std::{
    collections::VecDeque,
    fmt,
    ops::Range,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
};

use ratatui::style::Style;
use worker::Worker;

use crate::theme::Theme;

/// Larger files stay plain, in bytes.
pub const MAX_FILE: usize = 4 << 20;
/// Longer lines stay plain, in characters.
pub const MAX_LINE: usize = 2_000;
/// Files whose colours are kept.
const KEPT_FILES: usize = 8;

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

/// Asks for colours and keeps them.
pub struct SyntaxCache {
    shared: Arc<Shared>,
    started: bool,
}

/// One that tells nobody when colours are there.
impl Default for SyntaxCache {
    fn default() -> Self {
        Self::new(|| {})
    }
}

impl fmt::Debug for SyntaxCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SyntaxCache")
            .field("started", &self.started)
            .finish_non_exhaustive()
    }
}

struct Shared {
    state: Mutex<State>,
    wake: Condvar,
    notify: Box<dyn Fn() + Send + Sync>,
}

#[derive(Default)]
struct State {
    request: Option<Request>,
    closed: bool,
    /// Most recently used last.
    files: VecDeque<(FileVersion, Vec<Slot>)>,
}

struct Request {
    file: FileVersion,
    text: Arc<str>,
    visible: Range<usize>,
}

#[derive(Clone, Default)]
enum Slot {
    #[default]
    Plain,
    /// Coloured from a short way above.
    Guessed(Pieces),
    /// Coloured from the top of the file.
    Known(Pieces),
}

impl SyntaxCache {
    /// A cache that calls `notify`, on its own thread, when lines got new colours.
    pub fn new(notify: impl Fn() + Send + Sync + 'static) -> Self {
        let shared = Shared {
            state: Mutex::default(),
            wake: Condvar::new(),
            notify: Box::new(notify),
        };
        Self {
            shared: Arc::new(shared),
            started: false,
        }
    }

    /// Asks for the colours of `visible` (line numbers from 0), then of the whole text. Costs nothing when they are there.
    pub fn request(&mut self, file: &FileVersion, text: &Arc<str>, visible: Range<usize>) {
        if text.len() > MAX_FILE {
            return;
        }
        let mut state = self.shared.lock();
        if let Some(at) = state.files.iter().position(|(known, _)| known == file) {
            let used = state.files.remove(at);
            let done = used.as_ref().is_some_and(|(_, slots)| {
                let end = visible.end.min(slots.len());
                slots
                    .get(visible.start.min(end)..end)
                    .is_some_and(|seen| seen.iter().all(|s| matches!(s, Slot::Known(_))))
            });
            state.files.extend(used);
            if done {
                return;
            }
        }
        let same = |r: &Request| r.file == *file && r.visible == visible;
        if state.request.as_ref().is_some_and(same) {
            return;
        }
        state.request = Some(Request {
            file: file.clone(),
            text: Arc::clone(text),
            visible,
        });
        drop(state);
        self.start();
        self.shared.wake.notify_one();
    }

    /// What is known of some lines: `None` for those that are to be drawn plain.
    pub fn pieces(&self, file: &FileVersion, lines: Range<usize>) -> Vec<Option<Pieces>> {
        let state = self.shared.lock();
        let slots = state
            .files
            .iter()
            .find(|(known, _)| known == file)
            .map(|(_, slots)| slots);
        lines
            .map(|line| match slots?.get(line)? {
                Slot::Plain => None,
                Slot::Guessed(pieces) | Slot::Known(pieces) => Some(Arc::clone(pieces)),
            })
            .collect()
    }

    fn start(&mut self) {
        if self.started {
            return;
        }
        self.started = true;
        let shared = Arc::clone(&self.shared);
        // Without a thread the source stays plain, which is all that is lost.
        let _ = thread::Builder::new()
            .name("syntax".to_owned())
            .spawn(move || Worker::new(&shared).run());
    }
}

impl Drop for SyntaxCache {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.wake.notify_one();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next request; `None` when nobody will ask again.
    fn next(&self) -> Option<Request> {
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

    fn is_interrupted(&self) -> bool {
        let state = self.lock();
        state.closed || state.request.is_some()
    }

    fn publish(&self, file: &FileVersion, first: usize, lines: &mut Vec<Pieces>, known: bool) {
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

#[cfg(test)]
mod tests;
