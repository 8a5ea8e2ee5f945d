//! The columns left of a source line: breakpoint, line number, arrow.

use ratatui::{buffer::Buffer, layout::Rect, style::Style};

use super::paint::{self, Parts as _};
use crate::theme::Look;

/// What stands at a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// A breakpoint, placed by the adapter.
    Breakpoint,
    /// One that is not placed (yet).
    Unverified,
    /// One with a condition or a hit count.
    Conditional,
    /// One that prints.
    Logpoint,
    /// One that is switched off.
    Disabled,
    /// None, but one can be here.
    Possible,
}

impl Mark {
    /// Its sign, and what that looks like.
    pub fn look(self, look: Look<'_>) -> (&'static str, Style) {
        let (theme, symbols) = (look.theme, look.symbols);
        match self {
            Self::Breakpoint => (symbols.breakpoint, theme.breakpoint),
            Self::Unverified => (symbols.breakpoint_unverified, theme.breakpoint_unverified),
            Self::Conditional => (symbols.conditional, theme.conditional),
            Self::Logpoint => (symbols.logpoint, theme.logpoint),
            Self::Disabled => (symbols.breakpoint_disabled, theme.breakpoint_disabled),
            Self::Possible => (symbols.possible, theme.muted),
        }
    }
}

/// Where the program is, as far as this line is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Here {
    /// The line runs next.
    Current,
    /// The chosen frame will return to this line.
    Frame,
}

/// One line's cell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cell {
    /// Line number, from 1; `None` for rows that are no lines (wrapped, inserted).
    pub line: Option<u64>,
    /// What stands there.
    pub mark: Option<Mark>,
    /// Whether that stopped the program.
    pub hit: bool,
    /// Whether somebody else than the person set it.
    pub foreign: bool,
    /// Where the program is.
    pub here: Option<Here>,
}

/// Width of a gutter for `last_line` lines, in cells: mark, number, arrow and the spaces between.
pub fn width(last_line: u64) -> u16 {
    let digits = last_line.max(1).ilog10() + 1;
    u16::try_from(digits.max(3)).unwrap_or(20) + 5
}

/// Draws one cell into the first row of `area`, which should be [`width`] wide.
pub fn draw(buffer: &mut Buffer, area: Rect, cell: Cell, look: Look<'_>) {
    let area = area.row(0);
    let (theme, symbols) = (look.theme, look.symbols);
    if let Some(mark) = cell.mark {
        let (symbol, style) = mark.look(look);
        let style = if cell.hit {
            theme.breakpoint_hit
        } else {
            style
        };
        paint::text(buffer, area, symbol, style);
    }
    if cell.foreign {
        paint::text(buffer, area.after(1), symbols.foreign, theme.accent);
    }
    let number = area.after(2).first(area.width.saturating_sub(5));
    if let Some(line) = cell.line {
        let style = if cell.here.is_some() {
            theme.text
        } else {
            theme.line_number
        };
        let text = line.to_string();
        let digits = u16::try_from(text.len()).unwrap_or(u16::MAX);
        paint::text(buffer, number.last(digits), &text, style);
    }
    let (symbol, style) = match cell.here {
        Some(Here::Current) => (symbols.arrow, theme.arrow),
        Some(Here::Frame) => (symbols.frame_arrow, theme.arrow),
        None => (" ", Style::new()),
    };
    paint::text(buffer, area.last(2), symbol, style);
}
