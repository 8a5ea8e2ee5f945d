//! A one-column scroll bar with marks for what is out of sight: matches, errors, breakpoints.

use std::ops::Range;

use ratatui::{buffer::Buffer, layout::Rect, style::Style};

use super::paint::{self, Parts as _};
use crate::theme::Look;

/// Where a view stands in what it shows. Units are rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Extent {
    /// First row in view.
    pub top: usize,
    /// Rows in view.
    pub height: usize,
    /// Rows in all.
    pub len: usize,
}

impl Extent {
    /// Whether there is anything out of sight.
    pub const fn scrolls(self) -> bool {
        self.len > self.height
    }

    /// The cell of a track of `track` cells that stands for row `row`.
    pub fn cell_of(self, row: usize, track: u16) -> u16 {
        let Some(last) = self.len.checked_sub(1).filter(|last| *last > 0) else {
            return 0;
        };
        let cell = row.min(last) as u128 * u128::from(track.saturating_sub(1)) / last as u128;
        u16::try_from(cell).unwrap_or(track)
    }

    /// The cells of such a track that stand for what is in view: at least one, and at an end only when the view is there.
    pub fn thumb(self, track: u16) -> Range<u16> {
        let (len, room) = (
            self.len.max(1) as u128,
            self.len.saturating_sub(self.height).max(1) as u128,
        );
        let cells =
            (u128::from(track) * self.height as u128 / len).clamp(1, u128::from(track.max(1)));
        let rest = u128::from(track.max(1)) - cells;
        let start = rest * (self.top as u128).min(room) / room;
        let cell = |n: u128| u16::try_from(n).unwrap_or(track);
        cell(start)..cell(start + cells)
    }
}

/// Draws the bar into the last column of `area`, if anything is out of sight. `marks` are rows and their looks; a later one
/// covers an earlier one. Returns the column used.
pub fn draw(
    buffer: &mut Buffer,
    area: Rect,
    extent: Extent,
    marks: impl IntoIterator<Item = (usize, Style)>,
    look: Look<'_>,
) -> Option<Rect> {
    if !extent.scrolls() || area.is_empty() {
        return None;
    }
    let track = area.last(1);
    let thumb = extent.thumb(track.height);
    for cell in 0..track.height {
        let (symbol, style) = if thumb.contains(&cell) {
            (look.symbols.scroll_thumb, look.theme.scroll_thumb)
        } else {
            (look.symbols.scroll_rail, look.theme.scroll_rail)
        };
        paint::glyph(buffer, track.x, track.y.saturating_add(cell), symbol, style);
    }
    for (row, style) in marks {
        let cell = extent.cell_of(row, track.height);
        paint::glyph(
            buffer,
            track.x,
            track.y.saturating_add(cell),
            look.symbols.scroll_mark,
            style,
        );
    }
    Some(track)
}
