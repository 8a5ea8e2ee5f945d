//! Keys of a sequence that is not complete yet.

use std::time::Instant;

use crate::action::keymap::Chord;

/// The keys, and when their box appears.
#[derive(Debug, Default)]
pub struct Pending {
    /// The keys so far.
    pub chords: Vec<Chord>,
    pub due: Option<Instant>,
    /// Whether the continuations are shown.
    pub shown: bool,
}

impl Pending {
    /// When they will have to be.
    pub fn deadline(&self) -> Option<Instant> {
        self.due.filter(|_| !self.shown)
    }

    /// Forgets the sequence.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Shows the continuations once it is time; whether that is now.
    pub fn show_if_due(&mut self, now: Instant) -> bool {
        let due = self.deadline().is_some_and(|due| due <= now);
        self.shown |= due;
        due
    }
}
