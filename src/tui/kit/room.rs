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
    area.below(area.height.saturating_sub(rows))
}

/// Parts an area: the upper rows, and what is below them.
pub fn split(area: Rect, rows: u16) -> (Rect, Rect) {
    (top(area, rows), area.below(rows))
}

/// The area without its last row, and that row.
pub fn over_last(area: Rect) -> (Rect, Rect) {
    split(area, area.height.saturating_sub(1))
}

/// Draws the frame of a part of the screen with a title, a count beside it and a remark at the right; gives what is inside. What is
/// too small for a frame is all inside.
pub fn panel(canvas: &Canvas, area: Rect, title: &str, badge: &str, right: &str) -> Rect {
    let panel = Panel::new(canvas.look(), title).badge(badge).right(right);
    in_panel(canvas, area, panel)
}

/// Draws `panel`, unless there is too little room, and gives what is inside.
pub fn in_panel(canvas: &Canvas, area: Rect, panel: Panel<'_>) -> Rect {
    let area = area.intersection(canvas.screen());
    if area.width < 6 || area.height < 3 {
        return area;
    }
    let panel = panel.focused(canvas.focused);
    panel.draw(&mut canvas.cells(), area)
}

/// The frame of a screen, where there is room for one.
pub fn framed(canvas: &Canvas, area: Rect, (title, badge, right): (&str, &str, &str)) -> Rect {
    if area.height < FRAMED {
        area
    } else {
        panel(canvas, area, title, badge, right)
    }
}

/// Says below the rows of `area`, under a rule, what has no room in the selected one; gives what is left for rows.
pub fn foot(canvas: &Canvas, area: Rect, text: Option<&str>) -> Rect {
    let cells = usize::from(area.width);
    let Some(text) = text.filter(|_| area.height > FOOT * 3 && cells > 2) else {
        return area;
    };
    let (rows, foot) = split(area, area.height - FOOT);
    canvas.rule(foot.row(0));
    for (index, range) in (1..foot.height).zip(wrap(text, cells - 2)) {
        let line = text.get(range).unwrap_or_default();
        let place = foot.row(index).after(1);
        canvas.cut(place, line, canvas.theme.text);
    }
    rows
}

/// Draws a text beside a list, or below it where `beside` cells are not there; gives what is left for the list. `parts` are the
/// text's part of the width and of the height.
pub fn with_text(
    canvas: &Canvas,
    area: Rect,
    text: &mut TextView,
    (title, badge, right): (&str, &str, &str),
    (beside, parts): (u16, [(u16, u16); 2]),
) -> Rect {
    if area.height < 8 || area.width < 20 {
        text.show(canvas, area);
        return top(area, 0);
    }
    let [wide, high] = parts;
    let (list, place) = if area.width >= beside {
        let cells = area.width - area.width * wide.0 / wide.1;
        (area.first(cells), area.after(cells))
    } else {
        split(area, area.height - area.height * high.0 / high.1)
    };
    let inner = panel(canvas, place, title, badge, right);
    text.show(canvas, inner.after(1));
    list
}

/// A heading among rows: its words, and a rule to the end.
pub fn heading(title: &str, line: &mut Cells) {
    line.accent(title).skip(1);
    line.rule(line.room().saturating_sub(1));
}

/// Clears a box in the middle of `area` for a popup with `size` cells of content and draws its frame; gives what is inside.
pub fn dialog(canvas: &Canvas, area: Rect, size: (u16, u16), title: &str, right: &str) -> Rect {
    let place = popup::centred(area, size.0.saturating_add(4), size.1.saturating_add(2));
    boxed(canvas, place, title, right)
}

/// Clears `place`, draws a frame there, and gives what is inside.
pub fn popup(canvas: &Canvas, place: Rect, panel: Panel<'_>) -> Rect {
    popup::draw(&mut canvas.cells(), place, panel, canvas.look())
}

/// As [`dialog`], at `place`.
pub fn boxed(canvas: &Canvas, place: Rect, title: &str, right: &str) -> Rect {
    let panel = Panel::new(canvas.look(), title).right(right);
    let inner = popup(canvas, place, panel);
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
