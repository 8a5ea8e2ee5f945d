//! How memory looks: rows of an address, bytes in hexadecimal and as text; below them the place under the cursor as numbers.

use base::text::hex;

use super::{
    MemoryPane, able,
    grid::Grid,
    model::{Byte, readings},
};
use crate::debug_prelude::*;

impl MemoryPane {
    pub(super) fn lay_out(&mut self, inner: Rect) {
        let grid = Grid::new(inner, self.cursor.max(self.top));
        if grid != self.grid {
            self.grid = grid;
            self.top = grid.row_of(self.top);
            let row = grid.row_of(self.cursor);
            if row < self.top || row - self.top >= grid.bytes() {
                self.top = row;
            }
        }
    }

    pub(super) fn draw(&mut self, canvas: &Canvas, area: Rect) {
        let (stopped, remark) = standing(canvas, self.base.is_some());
        let badge = short(self.base.as_ref().map_or("", |b| &b.label));
        let badge = badge.trim_matches('`');
        let mut inner = panel(canvas, area, Self::TITLE, badge, remark);
        if let Some(asking) = &mut self.asking {
            inner = asking.draw(canvas, inner);
        }
        let trouble = self.trouble.clone().unwrap_or_default();
        if self.base.is_none() || !trouble.is_empty() {
            let way = "g goes to an address, @ shows where a value is";
            let idle = not_stopped(canvas, "No memory yet", "F6 pauses it");
            let lines: [&str; 2] = match (able(canvas), idle) {
                (Err(lack), _) => [lack, "another adapter may"],
                (Ok(()), Some(idle)) => idle,
                (Ok(()), None) if !trouble.is_empty() => [trouble.as_str(), way],
                (Ok(()), None) if self.locating.is_open() => ["looking for it…", ""],
                (Ok(()), None) => ["No place in memory is shown", way],
            };
            return empty(canvas, inner, &lines);
        }
        self.lay_out(inner);
        self.rows = top(inner, self.grid.rows);
        for row in 0..self.grid.rows {
            let address = self.top.checked_add(u64::from(row) * self.grid.per_row());
            if let Some(address) = address {
                self.draw_row(canvas, inner.row(row), address);
            }
        }
        if inner.height > self.grid.rows {
            self.draw_numbers(canvas, inner.row(self.grid.rows));
        }
        if !stopped {
            canvas.style(inner, canvas.theme.muted);
        }
    }

    fn draw_row(&self, canvas: &Canvas, place: Rect, address: u64) {
        let (theme, grid) = (&canvas.theme, self.grid);
        let digits = grid.digits;
        canvas.text(place, &format!("{address:0digits$x}"), theme.line_number);
        for byte in 0..grid.per_row {
            let Some(at) = address.checked_add(u64::from(byte)) else {
                return;
            };
            let (hex, character, style) = looks(self.bytes.at(at), canvas);
            let style = if at == self.cursor {
                let cursor = if canvas.focused {
                    theme.selection
                } else {
                    theme.selection_unfocused
                };
                style.patch(cursor)
            } else {
                style
            };
            canvas.text(place.after(grid.column(byte)), &hex, style);
            let cell = place.after(grid.text_column(byte));
            canvas.text(cell, character.encode_utf8(&mut [0; 4]), style);
        }
    }

    fn draw_numbers(&self, canvas: &Canvas, place: Rect) {
        let theme = &canvas.theme;
        let mut cells = canvas.cells_at(place);
        cells.accent(&format!("{:#x}", self.cursor));
        if let (Byte::Unreadable, Some(why)) =
            (self.bytes.at(self.cursor), self.bytes.trouble(self.cursor))
        {
            cells.skip(2).warning(why);
        }
        for (name, value) in readings(&self.bytes.known(self.cursor, 8)) {
            if name.len() + value.len() + 3 > cells.room() {
                break;
            }
            cells.skip(2).muted(name).skip(1).put(&value, theme.number);
        }
        cells.draw(canvas, place);
    }
}

/// Two digits and a character for a byte.
fn looks(byte: Byte, view: &View) -> (String, char, Style) {
    let theme = &view.theme;
    match byte {
        Byte::Unknown => ("  ".to_owned(), ' ', theme.muted),
        Byte::Unreadable => ("--".to_owned(), ' ', theme.muted),
        Byte::Known(value, changed) => {
            let printable = matches!(value, 0x20..=0x7e);
            let style = match (changed, value, printable) {
                (true, ..) => theme.changed_value,
                (false, 0, _) => theme.muted,
                (false, _, true) => theme.string,
                (false, _, false) => theme.text,
            };
            (hex::digits(&[value]), hex::sign(value), style)
        }
    }
}
