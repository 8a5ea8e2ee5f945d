//! The line discipline's settings of a terminal, as found and as text.
//!
//! The text form exists for a keeper process that outlives us: it is handed [`TerminalModes::to_text`] at its start and puts
//! the terminal right with [`restore`] when we were killed. Leaves to others: when to change them ([`super::guard`]).

use std::fmt::Write as _;
use std::os::fd::AsFd;

use rustix::io;
use rustix::termios::{
    self, ControlModes, InputModes, LocalModes, OptionalActions, OutputModes, SpecialCodeIndex,
    Termios,
};

use super::guard::LEAVE;

/// The special characters that exist on every system we run on, in the order of the text form.
const CODES: [SpecialCodeIndex; 16] = [
    SpecialCodeIndex::VINTR,
    SpecialCodeIndex::VQUIT,
    SpecialCodeIndex::VERASE,
    SpecialCodeIndex::VKILL,
    SpecialCodeIndex::VEOF,
    SpecialCodeIndex::VTIME,
    SpecialCodeIndex::VMIN,
    SpecialCodeIndex::VSTART,
    SpecialCodeIndex::VSTOP,
    SpecialCodeIndex::VSUSP,
    SpecialCodeIndex::VEOL,
    SpecialCodeIndex::VREPRINT,
    SpecialCodeIndex::VDISCARD,
    SpecialCodeIndex::VWERASE,
    SpecialCodeIndex::VLNEXT,
    SpecialCodeIndex::VEOL2,
];

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

    /// Hexadecimal numbers with colons between: input, output, control and local flags, then the special characters. Speeds
    /// are left out, because nobody here changes them.
    pub fn to_text(&self) -> String {
        let mut text = format!(
            "{:x}:{:x}:{:x}:{:x}",
            self.0.input_modes.bits(),
            self.0.output_modes.bits(),
            self.0.control_modes.bits(),
            self.0.local_modes.bits()
        );
        for code in CODES {
            // Writing to a String cannot fail.
            let _ = write!(text, ":{:x}", self.0.special_codes[code]);
        }
        text
    }

    /// Lays the settings of [`Self::to_text`] over those that `tty` has now. `None` when the text is not such a text.
    pub fn from_text(text: &str, tty: impl AsFd) -> Option<Self> {
        let mut numbers = text
            .trim()
            .split(':')
            .map(|part| u64::from_str_radix(part, 16));
        let mut next = || numbers.next()?.ok();
        let mut modes = termios::tcgetattr(tty).ok()?;
        modes.input_modes = InputModes::from_bits_retain(next()?.try_into().ok()?);
        modes.output_modes = OutputModes::from_bits_retain(next()?.try_into().ok()?);
        modes.control_modes = ControlModes::from_bits_retain(next()?.try_into().ok()?);
        modes.local_modes = LocalModes::from_bits_retain(next()?.try_into().ok()?);
        for code in CODES {
            modes.special_codes[code] = u8::try_from(next()?).ok()?;
        }
        numbers.next().is_none().then_some(Self(modes))
    }
}

/// What a keeper process does for us when we are gone: settings back as `text` says, every mode switched off.
///
/// The caller must ignore SIGTTOU, because it is not in the terminal's foreground group.
pub fn restore(tty: impl AsFd, text: &str) -> io::Result<()> {
    let settings = match TerminalModes::from_text(text, &tty) {
        Some(modes) => modes.apply(&tty),
        None => Err(io::Errno::INVAL),
    };
    // The screen is worth restoring even when the settings are not ours to change.
    let mut left = LEAVE.as_bytes();
    while !left.is_empty() {
        let written = io::retry_on_intr(|| io::write(&tty, left))?;
        left = left.get(written..).unwrap_or_default();
    }
    settings
}
