//! The two questions the source pane asks in its last row: what to search for, and which line to go to.

use crate::routes::debug::kit::prelude::*;

/// What the last row is for.
#[derive(Clone, Debug, Default)]
pub enum Prompt {
    /// Nothing.
    #[default]
    None,
    /// Typing what to search for; the cursor was at that byte.
    Search(Field, usize),
    /// Going through the matches.
    Browse,
    /// Typing a line number; the cursor was at that line.
    Goto(Field, usize),
}

impl Prompt {
    /// Whether keys go here first.
    pub fn is_open(&self) -> bool {
        !matches!(self, Self::None)
    }
}

/// The line (from 0) that a typed text means in a file of `lines` lines: a number, or a percentage.
pub fn line_meant(text: &str, lines: usize) -> Option<usize> {
    if let Some(percent) = text.strip_suffix('%') {
        let percent = percent.parse::<usize>().ok()?.min(100);
        return Some((lines.saturating_sub(1) * percent).div_ceil(100));
    }
    let line = text.parse::<usize>().ok()?;
    Some(line.saturating_sub(1).min(lines.saturating_sub(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_percentages_are_lines() {
        assert_eq!(line_meant("12", 100), Some(11));
        assert_eq!(line_meant("0", 100), Some(0));
        assert_eq!(line_meant("4000", 100), Some(99));
        assert_eq!(line_meant("50%", 101), Some(50));
        assert_eq!(line_meant("900%", 101), Some(100));
        assert_eq!(line_meant("x", 100), None);
        assert_eq!(line_meant("", 0), None);
    }
}
