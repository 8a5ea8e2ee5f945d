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

mod shared;
mod worker;

use std::{
    fmt,
    ops::Range,
    sync::{Arc, Condvar, Mutex},
    thread,
};

use shared::{Request, Shared, Slot};
use worker::Worker;

pub use shared::{FileVersion, Piece, Pieces, Token};

/// Larger files stay plain, in bytes.
pub const MAX_FILE: usize = 4 << 20;

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

#[cfg(test)]
mod tests;
