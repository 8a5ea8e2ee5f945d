//! The two questions the source pane asks in its last row: what to search for, and which line to go to.

use tui_input::{Input, InputRequest};

use crate::routes::debug::kit::prelude::*;

/// What the last row is for.
#[derive(Clone, Debug, Default)]
pub enum Prompt {
    /// Nothing.
    #[default]
    None,
    /// Typing what to search for; the cursor was at that byte.
    Search(Input, usize),
    /// Going through the matches.
    Browse,
    /// Typing a line number; the cursor was at that line.
    Goto(Input, usize),
}

impl Prompt {
    /// Whether keys go here first.
    pub fn is_open(&self) -> bool {
        !matches!(self, Self::None)
    }
}

/// Applies an editing key; false when it is none.
pub fn edit(input: &mut Input, key: KeyEvent) -> bool {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    let request = match key.code {
        KeyCode::Char(_) if key.modifiers.contains(KeyModifiers::ALT) => return false,
        KeyCode::Char('u') if control => InputRequest::DeleteLine,
        KeyCode::Char('w') if control => InputRequest::DeletePrevWord,
        KeyCode::Char('a') if control => InputRequest::GoToStart,
        KeyCode::Char('e') if control => InputRequest::GoToEnd,
        KeyCode::Char(_) if control => return false,
        KeyCode::Char(c) => InputRequest::InsertChar(c),
        KeyCode::Backspace => InputRequest::DeletePrevChar,
        KeyCode::Delete => InputRequest::DeleteNextChar,
        KeyCode::Left => InputRequest::GoToPrevChar,
        KeyCode::Right => InputRequest::GoToNextChar,
        KeyCode::Home => InputRequest::GoToStart,
        KeyCode::End => InputRequest::GoToEnd,
        _ => return false,
    };
    input.handle(request);
    true
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
