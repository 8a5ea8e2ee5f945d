//! A titled frame.

use base::text::{
    sanitise::sanitise,
    width::{truncate_with, width},
};
use ratatui::{buffer::Buffer, layout::Rect, style::Style, symbols::border::Set};

use super::paint::{self, Parts as _};
use crate::theme::Look;

/// A frame with a title, perhaps a number beside it, and a text at the right.
#[derive(Debug, Clone, Copy)]
pub struct Panel<'a> {
    look: Look<'a>,
    title: &'a str,
    badge: &'a str,
    key: &'a str,
    right: &'a str,
    focused: bool,
}

impl<'a> Panel<'a> {
    /// A frame without the focus.
    pub const fn new(look: Look<'a>, title: &'a str) -> Self {
        Self {
            look,
            title,
            badge: "",
            key: "",
            right: "",
            focused: false,
        }
    }

    /// Says whether keys go here.
    #[must_use]
    pub const fn focused(mut self, focused: bool) -> Self {
        self.focused = focused;
        self
    }

    /// A count behind the title: "3", "12 of 340+".
    #[must_use]
    pub const fn badge(mut self, badge: &'a str) -> Self {
        self.badge = badge;
        self
    }

    /// The key that brings the focus here, before the title.
    #[must_use]
    pub const fn key(mut self, key: &'a str) -> Self {
        self.key = key;
        self
    }

    /// A text at the right end of the title's line: a state, a hint.
    #[must_use]
    pub const fn right(mut self, text: &'a str) -> Self {
        self.right = text;
        self
    }

    /// What is left for the content.
    pub fn inner(area: Rect) -> Rect {
        if area.width < 2 || area.height < 2 {
            return Rect {
                width: 0,
                height: 0,
                ..area
            };
        }
        Rect {
            x: area.x + 1,
            y: area.y + 1,
            width: area.width - 2,
            height: area.height - 2,
        }
    }

    /// Draws the frame and returns what is left for the content.
    pub fn draw(self, buffer: &mut Buffer, area: Rect) -> Rect {
        let theme = self.look.theme;
        let style = if self.focused {
            theme.border_focused
        } else {
            theme.border
        };
        let symbols = self.look.symbols;
        let coloured = theme.border_focused.fg.is_some();
        let set = if self.focused && !coloured {
            symbols.border_focused
        } else {
            symbols.border
        };
        frame(buffer, area, style, set);
        let inner = Self::inner(area);
        if inner.width < 4 {
            return inner;
        }
        let title_style = if self.focused {
            theme.title_focused
        } else {
            theme.title
        };
        // One cell of the frame stays visible at both ends.
        let mut room = (Rect {
            x: area.x + 2,
            width: area.width - 4,
            ..area
        })
        .row(0);
        let right = sanitise(self.right);
        let right_cells = u16::try_from(width(&right)).unwrap_or(u16::MAX);
        let title_cells = width(self.title) + width(self.badge) + width(self.key) + 4;
        if right_cells > 0 && usize::from(room.width) > title_cells + usize::from(right_cells) + 2 {
            let place = room.last(right_cells + 2);
            let used = paint::text(buffer, place, " ", style);
            let used = used + paint::text(buffer, place.after(used), &right, theme.muted);
            paint::text(buffer, place.after(used), " ", style);
            room.width -= right_cells + 3;
        }
        let parts = [
            (self.key, theme.key_hint_key),
            (self.title, title_style),
            (self.badge, theme.muted),
        ];
        let mut used = 0;
        for (text, style) in parts {
            let place = room.after(used);
            // A part needs its blank, one cell of text and the closing blank.
            if text.is_empty() || place.width < 3 {
                continue;
            }
            used += paint::text(buffer, place, " ", style);
            let clean = sanitise(text);
            let (cut, _) = truncate_with(
                &clean,
                usize::from(place.width - 2),
                self.look.symbols.ellipsis,
            );
            used += paint::text(buffer, room.after(used), &cut, style);
        }
        if used > 0 {
            paint::text(buffer, room.after(used), " ", title_style);
        }
        inner
    }
}

/// Draws a frame's lines, without a title.
pub fn frame(buffer: &mut Buffer, area: Rect, style: Style, set: Set<'static>) {
    let area = area.intersection(buffer.area);
    if area.width < 2 || area.height < 2 {
        return;
    }
    let (left, top, right, bottom) = (area.x, area.y, area.right() - 1, area.bottom() - 1);
    for x in left + 1..right {
        paint::glyph(buffer, x, top, set.horizontal_top, style);
        paint::glyph(buffer, x, bottom, set.horizontal_bottom, style);
    }
    for y in top + 1..bottom {
        paint::glyph(buffer, left, y, set.vertical_left, style);
        paint::glyph(buffer, right, y, set.vertical_right, style);
    }
    for (x, y, symbol) in [
        (left, top, set.top_left),
        (right, top, set.top_right),
        (left, bottom, set.bottom_left),
        (right, bottom, set.bottom_right),
    ] {
        paint::glyph(buffer, x, y, symbol, style);
    }
}
