//! What a debuggee wrote to a terminal of ours, as the terminal gets it: the last of it, with every escape sequence.
//!
//! Nothing here interprets it; whoever shows it does, and lets nothing but cells through.

use serde::{Deserialize, Serialize};

/// The last of what was written, and the size of the terminal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Terminal {
    /// Height in cells.
    pub rows: u16,
    /// Width in cells.
    pub columns: u16,
    held: String,
    /// Bytes written in all.
    total: u64,
}

impl Terminal {
    /// Bytes that are always held once so many were written: some thousand lines of them.
    pub const BOUND: usize = 256 * 1024;

    /// An empty one.
    pub fn new(rows: u16, columns: u16) -> Self {
        Self {
            rows,
            columns,
            ..Self::default()
        }
    }

    /// Whether its last line has not ended: a prompt, mostly, behind which an answer is waited for.
    pub fn is_asking(&self) -> bool {
        !self.held.is_empty() && !self.held.ends_with('\n')
    }

    /// Takes in what was written.
    pub fn push(&mut self, text: &str) {
        self.total += text.len() as u64;
        let text = match text.len().checked_sub(Self::BOUND) {
            Some(excess) if excess > 0 => {
                self.held.clear();
                text.get(begin_of_line(text, excess)..).unwrap_or_default()
            }
            _ => text,
        };
        self.held.push_str(text);
        // Moved seldom: twice the bound may be held.
        if self.held.len() > 2 * Self::BOUND {
            let from = begin_of_line(&self.held, self.held.len() - Self::BOUND);
            self.held.drain(..from);
        }
    }

    /// Counts what never came here; what was held makes no sense without it.
    pub fn lose(&mut self, bytes: u64) {
        self.total += bytes;
        self.held.clear();
    }

    /// Bytes written in all.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// What was written from byte `at` on, or as much of it as is still held; with where that begins.
    pub fn since(&self, at: u64) -> (u64, &str) {
        let oldest = self.total - self.held.len() as u64;
        let skip = usize::try_from(at.saturating_sub(oldest)).unwrap_or(usize::MAX);
        match self.held.get(skip.min(self.held.len())..) {
            Some(text) => (self.total - text.len() as u64, text),
            None => (oldest, &self.held),
        }
    }
}

/// The first beginning of a line at `from` or behind it, so that no escape sequence is cut; a character's where there is none.
fn begin_of_line(text: &str, from: usize) -> usize {
    let bytes = text.as_bytes().get(from..).unwrap_or_default();
    match memchr::memchr(b'\n', bytes) {
        Some(end) => from + end + 1,
        None => text.ceil_char_boundary(from),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn old_lines_go_and_what_is_new_can_be_told() {
        let mut terminal = Terminal::new(2, 3);
        terminal.push("é\r\n");
        assert_eq!(terminal.since(0), (0, "é\r\n"));
        assert_eq!(terminal.since(2), (2, "\r\n"));
        assert_eq!(terminal.since(99), (4, ""));
        let line = format!("{}\n", "x".repeat(999));
        for _ in 0..2000 {
            terminal.push(&line);
        }
        let (at, held) = terminal.since(0);
        assert!(held.len() >= Terminal::BOUND && held.len() <= 2 * Terminal::BOUND);
        assert_eq!(at + held.len() as u64, terminal.total());
        assert!(held.starts_with("xxx") && held.ends_with('\n'));
        terminal.push(&"€".repeat(Terminal::BOUND));
        assert!(terminal.since(0).1.starts_with('€'));
    }

    proptest! {
        #[test]
        fn nobody_is_told_anything_twice(pieces in prop::collection::vec("[a-z€\n]{0,8}", 0..20)) {
            let mut terminal = Terminal::default();
            let (mut seen, mut at) = (String::new(), 0);
            for piece in &pieces {
                terminal.push(piece);
                let (from, text) = terminal.since(at);
                prop_assert_eq!(from, at);
                seen.push_str(text);
                at = terminal.total();
            }
            prop_assert_eq!(seen, pieces.concat());
        }
    }
}
