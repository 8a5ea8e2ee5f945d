//! How the room of a screen is parted, and what stands in its parts in many of them.

use super::cells::Cells;
use crate::{
    action::prelude::*,
    widgets::{panel::Panel, popup},
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

/// Draws the frame of a part of the screen with a title, a count beside it and a remark at the right; gives what is inside. What is
/// too small for a frame is all inside.
pub fn panel(
    buf: &mut Buffer,
    area: Rect,
    title: &str,
    badge: &str,
    right: &str,
    view: &View,
) -> Rect {
    let panel = Panel::new(view.look(), title).badge(badge).right(right);
    in_panel(buf, area, panel, view)
}

/// Draws `panel`, unless there is too little room, and gives what is inside.
pub fn in_panel(buf: &mut Buffer, area: Rect, panel: Panel<'_>, view: &View) -> Rect {
    let area = area.intersection(buf.area);
    if area.width < 6 || area.height < 3 {
        return area;
    }
    panel.focused(view.focused).draw(buf, area)
}

/// The frame of a screen, where there is room for one.
pub fn framed(
    buf: &mut Buffer,
    area: Rect,
    (title, badge, right): (&str, &str, &str),
    view: &View,
) -> Rect {
    if area.height < FRAMED {
        area
    } else {
        panel(buf, area, title, badge, right, view)
    }
}

/// Says below the rows of `area`, under a rule, what has no room in the selected one; gives what is left for rows.
pub fn foot(buf: &mut Buffer, area: Rect, text: Option<&str>, view: &View) -> Rect {
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

/// Draws a text beside a list, or below it where `beside` cells are not there; gives what is left for the list. `parts` are the
/// text's part of the width and of the height.
pub fn with_text(
    buf: &mut Buffer,
    area: Rect,
    text: &mut TextView,
    (title, badge, right): (&str, &str, &str),
    (beside, parts): (u16, [(u16, u16); 2]),
    view: &View,
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
pub fn heading(title: &str, line: &mut Cells) {
    let view = line.view.clone();
    line.put(title, view.theme.accent).skip(1);
    let rest = line.room().saturating_sub(1);
    line.put(&view.symbols.horizontal.repeat(rest), view.theme.border);
}

/// Clears a box in the middle of `area` for a popup with `size` cells of content and draws its frame; gives what is inside.
pub fn dialog(
    buf: &mut Buffer,
    area: Rect,
    size: (u16, u16),
    title: &str,
    right: &str,
    view: &View,
) -> Rect {
    let place = popup::centred(area, size.0.saturating_add(4), size.1.saturating_add(2));
    boxed(buf, place, title, right, view)
}

/// As [`dialog`], at `place`.
pub fn boxed(buf: &mut Buffer, place: Rect, title: &str, right: &str, view: &View) -> Rect {
    let panel = Panel::new(view.look(), title).right(right);
    let inner = popup::draw(buf, place, panel, view.look());
    // A blank cell at both sides lets the text breathe.
    Rect {
        x: inner.x + u16::from(inner.width > 2),
        width: inner.width.saturating_sub(2),
        ..inner
    }
}

/// A count beside a title; none is not said.
pub fn badge<N: Copy + Default + PartialEq + ToString>(count: N) -> String {
    if count == N::default() {
        return String::new();
    }
    count.to_string()
}
