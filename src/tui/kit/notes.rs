//! Notes beside something that is shown: as much of them as a few rows hold, and the key that shows them all.

use crate::action::prelude::*;

/// What is said where they are cut; every route that has notes shows them with this key.
const MORE: &str = "a shows all";

/// Draws notes, which may be foreign text, into at most `most` rows at the top of `area`; gives where they are and how many rows they took.
pub fn draw(canvas: &Canvas, area: Rect, notes: &[String], most: u16, style: Style) -> (Rect, u16) {
    let most = most.min(area.height);
    let inside = area.after(1).first(area.width.saturating_sub(2));
    if notes.is_empty() || most == 0 || inside.width == 0 {
        return (Rect::default(), 0);
    }
    let text = notes.join(" · ");
    let text = sanitise(&text);
    let lines = wrap(&text, usize::from(inside.width));
    let rows = u16::try_from(lines.len()).unwrap_or(u16::MAX).min(most);
    let is_cut = lines.len() > usize::from(rows);
    for (at, range) in (0..rows).zip(lines) {
        let place = inside.row(at);
        if is_cut && at + 1 == rows {
            let cells = width(MORE) as u16;
            let room = place.first(place.width.saturating_sub(cells + 2));
            let rest = text.get(range.start..).unwrap_or_default();
            canvas.cut(room, rest, style);
            canvas.text(place.last(cells), MORE, canvas.theme.accent);
        } else {
            canvas.text(place, text.get(range).unwrap_or_default(), style);
        }
    }
    let drawn = Rect {
        height: rows,
        ..area
    };
    (drawn, rows)
}
