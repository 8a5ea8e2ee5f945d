//! A box over everything else, no larger than its content.

use ratatui::{buffer::Buffer, layout::Rect};

use super::{paint, panel::Panel};
use crate::theme::Look;

/// A box of `width` by `height` cells (frame included) in the middle of `area`, cut to it.
pub fn centred(area: Rect, width: u16, height: u16) -> Rect {
    let (width, height) = (width.min(area.width), height.min(area.height));
    Rect {
        x: area.x + (area.width - width) / 2,
        y: area.y + (area.height - height) / 2,
        width,
        height,
    }
}

/// A box of that size below (or, without room there, above) a cell, such as a completion list at the cursor.
pub fn beside(area: Rect, x: u16, y: u16, width: u16, height: u16) -> Rect {
    let width = width.min(area.width);
    let y = y.clamp(area.y, area.bottom());
    let below = area.bottom().saturating_sub(y.saturating_add(1));
    let above = y.saturating_sub(area.y);
    let (y, height) = if height <= below || below >= above {
        (y.saturating_add(1).min(area.bottom()), height.min(below))
    } else {
        let height = height.min(above);
        (y - height, height)
    };
    Rect {
        x: x.min(area.right().saturating_sub(width)).max(area.x),
        y,
        width,
        height,
    }
}

/// Empties the box, frames it as `panel` says and returns what is left for the content.
pub fn draw(buffer: &mut Buffer, area: Rect, panel: Panel<'_>, look: Look<'_>) -> Rect {
    paint::clear(buffer, area, look.theme.overlay_bg);
    panel.focused(true).draw(buffer, area)
}
