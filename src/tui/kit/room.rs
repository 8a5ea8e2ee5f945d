//! How the room of a screen is parted, and what stands in its parts in many of them.

use base::text::width::{width, wrap};
use ratatui::{buffer::Buffer, layout::Rect};

use crate::{
    action::View,
    routes::debug::kit::{Cells, Field, panel},
    widgets::{paint, text_view::TextView},
};

/// Below this height there is room for rows alone.
const FRAMED: u16 = 8;
/// Rows of [`foot`], with its rule.
const FOOT: u16 = 3;

/// The upper rows of an area.
pub fn top(area: Rect, rows: u16) -> Rect {
    Rect {
        height: rows.min(area.height),
        ..area
    }
}

/// The lower rows of an area.
pub fn bottom(area: Rect, rows: u16) -> Rect {
    paint::below(area, area.height.saturating_sub(rows))
}

/// Parts an area: the upper rows, and what is below them.
pub fn split(area: Rect, rows: u16) -> (Rect, Rect) {
    (top(area, rows), paint::below(area, rows))
}

/// The area without its last row, and that row.
pub fn over_last(area: Rect) -> (Rect, Rect) {
    split(area, area.height.saturating_sub(1))
}

/// The frame of a screen, where there is room for one.
pub fn framed(
    buf: &mut Buffer,
    area: Rect,
    (title, badge, right): (&str, &str, &str),
    view: &View<'_>,
) -> Rect {
    if area.height < FRAMED {
        area
    } else {
        panel(buf, area, title, badge, right, view)
    }
}

/// Says below the rows of `area`, under a rule, what has no room in the selected one; gives what is left for rows.
pub fn foot(buf: &mut Buffer, area: Rect, text: Option<&str>, view: &View<'_>) -> Rect {
    let cells = usize::from(area.width);
    let Some(text) = text.filter(|_| area.height > FOOT * 3 && cells > 2) else {
        return area;
    };
    let (rows, foot) = split(area, area.height - FOOT);
    let rule = view.symbols.horizontal.repeat(cells);
    paint::text(buf, paint::row(foot, 0), &rule, view.theme.border);
    for (index, range) in (1..foot.height).zip(wrap(text, cells - 2)) {
        let line = text.get(range).unwrap_or_default();
        let place = paint::from(paint::row(foot, index), 1);
        view.cut(buf, place, line, view.theme.text);
    }
    rows
}

/// Draws a field that is typed in, behind what it asks for.
pub fn asked(
    buf: &mut Buffer,
    row: Rect,
    (label, hint): (&str, &str),
    field: &mut Field,
    view: &View<'_>,
) {
    let used = paint::text(buf, row, label, view.theme.accent);
    field.draw(buf, paint::from(row, used), true, hint, view);
}

/// Draws a text beside a list, or below it where `beside` cells are not there; gives what is left for the list. `parts` are the
/// text's part of the width and of the height.
pub fn with_text(
    buf: &mut Buffer,
    area: Rect,
    text: &mut TextView,
    (title, badge, right): (&str, &str, &str),
    (beside, parts): (u16, [(u16, u16); 2]),
    view: &View<'_>,
) -> Rect {
    if area.height < 8 || area.width < 20 {
        text.draw(buf, area, view.look());
        return top(area, 0);
    }
    let [wide, high] = parts;
    let (list, place) = if area.width >= beside {
        let cells = area.width - area.width * wide.0 / wide.1;
        (paint::first(area, cells), paint::from(area, cells))
    } else {
        split(area, area.height - area.height * high.0 / high.1)
    };
    let inner = panel(buf, place, title, badge, right, view);
    text.draw(buf, paint::from(inner, 1), view.look());
    list
}

/// A heading among rows: its words, and a rule to the end.
pub fn heading(title: &str, line: &mut Cells<'_>) {
    let view = line.view;
    line.put(title, view.theme.accent).skip(1);
    let rest = line.room().saturating_sub(1);
    line.put(&view.symbols.horizontal.repeat(rest), view.theme.border);
}

/// The line in which a search or a filter is typed: what it is, the field, and what it finds so far at the right.
pub fn typed(
    buf: &mut Buffer,
    row: Rect,
    (kind, mark, found): (&str, &str, &str),
    field: &mut Field,
    view: &View<'_>,
) {
    let used = paint::text(buf, row, kind, view.theme.muted);
    let used = used + paint::text(buf, paint::from(row, used), mark, view.theme.accent);
    let cells = width(found) as u16;
    let right = if cells == 0 { 0 } else { cells + 2 };
    let room = paint::from(row, used);
    let room = paint::first(room, room.width.saturating_sub(right));
    field.draw(buf, room, true, "", view);
    let place = paint::last(row, cells.min(row.width));
    paint::text(buf, place, found, view.theme.muted);
}
