//! The line discipline's settings of a terminal: as found, and raw.
//!
//! Leaves to others: when to change them ([`super::guard`]), and a keeper process that puts them back when we were killed.

use std::os::fd::AsFd;

use rustix::{
    io,
    termios::{self, OptionalActions, Termios},
};

/// Settings of a terminal's line discipline.
#[derive(Debug, Clone)]
pub struct TerminalModes(Termios);

impl TerminalModes {
    /// The settings in force.
    pub fn read(tty: impl AsFd) -> io::Result<Self> {
        termios::tcgetattr(tty).map(Self)
    }

    /// Puts these settings in force at once.
    pub fn apply(&self, tty: impl AsFd) -> io::Result<()> {
        termios::tcsetattr(tty, OptionalActions::Now, &self.0)
    }

    /// These settings with keys delivered one by one, unechoed and uninterpreted.
    #[must_use]
    pub fn raw(&self) -> Self {
        let mut raw = self.0.clone();
        raw.make_raw();
        Self(raw)
    }

    /// The settings themselves, for a keeper process.
    pub const fn termios(&self) -> &Termios {
        &self.0
    }
}
