//! The one way into the cells.
//!
//! Text is sanitised and clipped to the buffer here, so callers may pass foreign text and rectangles that stick out.

use std::sync::LazyLock;

use base::text::{
    sanitise::sanitise,
    width::{is_plain, prefix, take_columns, width},
};
use ratatui::{
    buffer::{Buffer, Cell},
    layout::{Position, Rect},
    style::Style,
    text::Line,
};

use crate::theme::Look;

/// Draws `text` into one row of `area` beginning at its left edge, and returns the cells used.
pub fn text(buffer: &mut Buffer, area: Rect, text: &str, style: Style) -> u16 {
    let area = area.intersection(buffer.area);
    if area.is_empty() {
        return 0;
    }
    if let Some(plain) = plain(text, usize::from(area.width)) {
        put(buffer, area.as_position(), plain, style);
        return plain.len() as u16;
    }
    let clean = sanitise(head(text, usize::from(area.width)));
    let (end, _) = buffer.set_stringn(
        area.x,
        area.y,
        clean.as_ref(),
        usize::from(area.width),
        style,
    );
    end - area.x
}

/// As much of `text` as fits `cells`, if that is printable ASCII: nearly everything that is drawn is, and needs neither
/// sanitising nor measuring.
fn plain(text: &str, cells: usize) -> Option<&str> {
    // One byte more than fits: it could be a mark that combines with the last character.
    let near = text.get(..text.len().min(cells.saturating_add(1)))?;
    if is_plain(near) {
        near.get(..near.len().min(cells))
    } else {
        None
    }
}

/// Cells of all printable ASCII characters: copying one costs a third of making its symbol.
static PRINTABLE: LazyLock<[Cell; 95]> = LazyLock::new(|| {
    std::array::from_fn(|index| {
        let mut cell = Cell::EMPTY;
        cell.set_char(char::from(b' ' + index as u8));
        cell
    })
});

/// Writes printable ASCII that fits, a byte a cell.
fn put(buffer: &mut Buffer, at: Position, text: &str, style: Style) {
    let printable = &*PRINTABLE;
    let row = usize::from(at.y - buffer.area.y) * usize::from(buffer.area.width);
    let start = row + usize::from(at.x - buffer.area.x);
    let cells = buffer.content.get_mut(start..start + text.len());
    for (cell, byte) in cells.unwrap_or_default().iter_mut().zip(text.bytes()) {
        let Some(glyph) = printable.get(usize::from(byte.wrapping_sub(b' '))) else {
            continue;
        };
        let (fg, bg, line, mut modifier) = (cell.fg, cell.bg, cell.underline_color, cell.modifier);
        modifier.insert(style.add_modifier);
        modifier.remove(style.sub_modifier);
        cell.clone_from(glyph);
        cell.fg = style.fg.unwrap_or(fg);
        cell.bg = style.bg.unwrap_or(bg);
        cell.underline_color = style.underline_color.unwrap_or(line);
        cell.modifier = modifier;
    }
}

/// As [`text`], with `mark` ("…") where the text had to be cut.
pub fn text_cut(buffer: &mut Buffer, area: Rect, content: &str, mark: &str, style: Style) -> u16 {
    let room = usize::from(area.width);
    if content.len() <= room && is_plain(content) {
        return text(buffer, area, content, style);
    }
    let clean = sanitise(head(content, room));
    let (fits, _) = prefix(&clean, room);
    if fits.len() == clean.len() {
        return text(buffer, area, fits, style);
    }
    let (kept, _) = prefix(&clean, room.saturating_sub(width(mark)));
    let used = text(buffer, area, kept, style);
    used + text(buffer, area.after(used), mark, style)
}

impl Look<'_> {
    /// As [`text_cut`], with the ellipsis of these looks.
    pub fn cut(self, buffer: &mut Buffer, area: Rect, content: &str, style: Style) -> u16 {
        text_cut(buffer, area, content, self.symbols.ellipsis, style)
    }
}

/// Draws a line of spans, `skip` columns scrolled to the left, and returns the cells used.
pub fn line(buffer: &mut Buffer, area: Rect, line: &Line<'_>, skip: usize) -> u16 {
    let mut used = 0;
    let mut skip = skip;
    for span in &line.spans {
        if used >= area.width {
            break;
        }
        let style = line.style.patch(span.style);
        let room = area.after(used);
        if skip == 0 {
            used += text(buffer, room, &span.content, style);
            continue;
        }
        let clean = sanitise(head(
            &span.content,
            skip.saturating_add(usize::from(room.width)),
        ));
        let cells = width(&clean);
        if cells <= skip {
            skip -= cells;
        } else {
            used += text(
                buffer,
                room,
                &take_columns(&clean, skip, usize::from(room.width)),
                style,
            );
            skip = 0;
        }
    }
    used
}

/// As much of `text` as can matter to its first `cells` cells and to whether there are more: a line of a megabyte costs no more
/// than what is seen of it.
pub fn head(text: &str, cells: usize) -> &str {
    // No cell takes more: a base and the marks that sanitising leaves it are at most 36 bytes, a family of emoji 25.
    const BYTES: usize = 64;
    // One cell more, so that whoever cuts can tell that something was cut.
    let end = cells.saturating_add(1).saturating_mul(BYTES);
    text.get(..text.floor_char_boundary(end)).unwrap_or(text)
}

/// Cells that [`line()`] would use with room for all of it.
pub fn line_width(line: &Line<'_>) -> usize {
    line.spans
        .iter()
        .map(|span| width(&sanitise(&span.content)))
        .sum()
}

/// Lays a style over every cell of `area`.
pub fn style(buffer: &mut Buffer, area: Rect, style: Style) {
    buffer.set_style(area, style);
}

/// Empties `area`, so that what is drawn next does not shine through.
pub fn clear(buffer: &mut Buffer, area: Rect, style: Style) {
    for position in area.intersection(buffer.area).positions() {
        if let Some(cell) = buffer.cell_mut(position) {
            cell.reset();
            cell.set_style(style);
        }
    }
}

/// Puts one single-cell glyph at a position, if that exists.
pub fn glyph(buffer: &mut Buffer, x: u16, y: u16, symbol: &str, style: Style) {
    if let Some(cell) = buffer.cell_mut(Position::new(x, y)) {
        cell.set_symbol(symbol).set_style(style);
    }
}

/// Parts of a place.
pub trait Parts: Sized {
    /// Row `index`; empty when there is none.
    #[must_use]
    fn row(self, index: u16) -> Self;
    /// What is left below the first `rows`.
    #[must_use]
    fn below(self, rows: u16) -> Self;
    /// What is left behind the first `columns`.
    #[must_use]
    fn after(self, columns: u16) -> Self;
    /// The last `columns`.
    #[must_use]
    fn last(self, columns: u16) -> Self;
    /// The first `columns`.
    #[must_use]
    fn first(self, columns: u16) -> Self;
}

impl Parts for Rect {
    fn row(self, index: u16) -> Self {
        if index >= self.height {
            return Self { height: 0, ..self };
        }
        Self {
            y: self.y.saturating_add(index),
            height: 1,
            ..self
        }
    }

    fn below(self, rows: u16) -> Self {
        let rows = rows.min(self.height);
        Self {
            y: self.y.saturating_add(rows),
            height: self.height - rows,
            ..self
        }
    }

    fn after(self, columns: u16) -> Self {
        let columns = columns.min(self.width);
        Self {
            x: self.x.saturating_add(columns),
            width: self.width - columns,
            ..self
        }
    }

    fn last(self, columns: u16) -> Self {
        self.after(self.width.saturating_sub(columns))
    }

    fn first(self, columns: u16) -> Self {
        Self {
            width: self.width.min(columns),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::foreign::foreign;
    use proptest::prelude::*;
    use ratatui::style::{Color, Modifier};

    proptest! {
        #[test]
        fn the_short_way_draws_what_the_library_draws(
            text in prop_oneof![foreign(), "[ -~]{0,30}", "[ -~]{0,12}\u{301}?é?"],
            x in 0u16..14,
            cells in 0u16..14,
        ) {
            let ground = Style::new().bg(Color::Blue).add_modifier(Modifier::BOLD | Modifier::DIM);
            let style = Style::new().fg(Color::Red).remove_modifier(Modifier::DIM);
            let mut ours = Buffer::filled(Rect::new(0, 3, 12, 2), Cell::new("x"));
            ours.set_style(ours.area, ground);
            let mut theirs = ours.clone();
            let place = Rect::new(x, 4, cells, 1);
            let used = super::text(&mut ours, place, &text, style);
            let room = place.intersection(theirs.area);
            let mut end = room.x;
            if !room.is_empty() {
                let clean = sanitise(&text);
                (end, _) = theirs.set_stringn(room.x, room.y, clean, usize::from(room.width), style);
            }
            prop_assert_eq!(used, end - room.x);
            prop_assert_eq!(ours, theirs);
        }
    }
}
