//! The one way into the cells.
//!
//! Text is sanitised and clipped to the buffer here, so callers may pass foreign text and rectangles that stick out.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::Line;

use crate::text::sanitise::sanitise;
use crate::text::width::{prefix, take_columns, width};

/// Draws `text` into one row of `area` beginning at its left edge, and returns the cells used.
pub fn text(buffer: &mut Buffer, area: Rect, text: &str, style: Style) -> u16 {
    let area = area.intersection(buffer.area);
    if area.is_empty() {
        return 0;
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

/// As [`text`], with `mark` ("…") where the text had to be cut.
pub fn text_cut(buffer: &mut Buffer, area: Rect, content: &str, mark: &str, style: Style) -> u16 {
    let room = usize::from(area.width);
    let clean = sanitise(head(content, room));
    let (fits, _) = prefix(&clean, room);
    if fits.len() == clean.len() {
        return text(buffer, area, fits, style);
    }
    let (kept, _) = prefix(&clean, room.saturating_sub(width(mark)));
    let used = text(buffer, area, kept, style);
    used + text(buffer, from(area, used), mark, style)
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
        let room = from(area, used);
        let clean = sanitise(head(
            &span.content,
            skip.saturating_add(usize::from(room.width)),
        ));
        if skip == 0 {
            used += text(buffer, room, &clean, style);
            continue;
        }
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

/// Row `index` of `area`; empty when there is none.
pub fn row(area: Rect, index: u16) -> Rect {
    if index >= area.height {
        return Rect { height: 0, ..area };
    }
    Rect {
        y: area.y.saturating_add(index),
        height: 1,
        ..area
    }
}

/// What is left of `area` behind its first `columns`.
pub fn from(area: Rect, columns: u16) -> Rect {
    let columns = columns.min(area.width);
    Rect {
        x: area.x.saturating_add(columns),
        width: area.width - columns,
        ..area
    }
}

/// The last `columns` of `area`.
pub fn last(area: Rect, columns: u16) -> Rect {
    from(area, area.width.saturating_sub(columns))
}

/// The first `columns` of `area`.
pub fn first(area: Rect, columns: u16) -> Rect {
    Rect {
        width: area.width.min(columns),
        ..area
    }
}
