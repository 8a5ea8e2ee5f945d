//! How memory looks: rows of an address, bytes in hexadecimal and as text; below them the place under the cursor as numbers.

use base::text::hex;

use super::{
    MemoryPane, able,
    model::{Byte, readings},
};
use crate::routes::debug::{disassembly::digits, kit::prelude::*};

/// Rows from which on the last one is given to numbers.
const WITH_NUMBERS: u16 = 5;

/// How many bytes are in a row, how many rows there are, and the digits of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    per_row: u16,
    pub rows: u16,
    digits: usize,
}

impl Default for Grid {
    fn default() -> Self {
        Self {
            per_row: 16,
            rows: 8,
            digits: 12,
        }
    }
}

impl Grid {
    /// What fits: a power of two of bytes in a row, so that addresses line up.
    fn new(inner: Rect, greatest: u64) -> Self {
        let digits = digits(greatest);
        let numbers = u16::from(inner.height >= WITH_NUMBERS);
        let fits = |n: &u16| Self::cells(*n, digits) <= usize::from(inner.width);
        Self {
            per_row: [32, 16, 8, 4, 2].into_iter().find(fits).unwrap_or(1),
            rows: inner.height.saturating_sub(numbers),
            digits,
        }
    }

    /// Cells of a row: address, two blanks, bytes with a gap before every eighth, a blank, text.
    fn cells(per_row: u16, digits: usize) -> usize {
        let n = usize::from(per_row);
        digits + 2 + n * 3 - 1 + (n - 1) / 8 + 1 + n
    }

    pub fn per_row(self) -> u64 {
        u64::from(self.per_row.max(1))
    }

    /// Bytes in sight.
    pub fn bytes(self) -> u64 {
        self.per_row() * u64::from(self.rows.max(1))
    }

    /// The first byte of the row that an address is in.
    pub fn row_of(self, address: u64) -> u64 {
        address - address % self.per_row()
    }

    /// Column of a byte's first digit.
    fn column(self, byte: u16) -> u16 {
        self.digits as u16 + 2 + byte * 3 + byte / 8
    }

    /// Column of a byte's character.
    fn text_column(self, byte: u16) -> u16 {
        self.column(self.per_row - 1) + 3 + byte
    }

    /// Which byte is at a cell, counted from the first in sight.
    pub fn byte_at(self, rows: Rect, at: Position) -> Option<u64> {
        if !rows.contains(at) {
            return None;
        }
        let x = at.x - rows.x;
        let byte = (0..self.per_row).find(|byte| {
            let column = self.column(*byte);
            (column..column + 2).contains(&x) || self.text_column(*byte) == x
        })?;
        Some(u64::from(at.y - rows.y) * self.per_row() + u64::from(byte))
    }
}

impl MemoryPane {
    /// Learns how much fits the place where the pane is, frame included.
    pub(super) fn fit(&mut self, place: Rect) {
        let inner = Rect {
            width: place.width.saturating_sub(2),
            height: place
                .height
                .saturating_sub(2 + u16::from(self.asking.is_some())),
            ..place
        };
        self.lay_out(inner);
    }

    fn lay_out(&mut self, inner: Rect) {
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

    pub(super) fn draw(&mut self, buf: &mut Buffer, area: Rect, view: &View<'_>) {
        let session = view.session();
        let stopped = session.is_some_and(|s| s.phase == Phase::Stopped);
        let badge = short(self.base.as_ref().map_or("", |b| &b.label));
        let badge = badge.trim_matches('`');
        let remark = match session {
            Some(s) if !stopped && self.base.is_some() => s.phase.word(),
            _ => "",
        };
        let mut inner = panel(buf, area, Self::TITLE, badge, remark, view);
        if let Some(asking) = &mut self.asking {
            inner = asking.draw(buf, inner, view);
        }
        let trouble = self.trouble.clone().unwrap_or_default();
        if self.base.is_none() || !trouble.is_empty() {
            let way = "g goes to an address, @ shows where a value is";
            let idle = not_stopped(session.map(|s| s.phase), "No memory yet", "F6 pauses it");
            let lines: [&str; 2] = match (able(view), idle) {
                (Err(lack), _) => [lack, "another adapter may"],
                (Ok(()), Some(idle)) => idle,
                (Ok(()), None) if !trouble.is_empty() => [trouble.as_str(), way],
                (Ok(()), None) if self.locating.is_open() => ["looking for it…", ""],
                (Ok(()), None) => ["No place in memory is shown", way],
            };
            empty(buf, inner, &lines, view);
            return;
        }
        self.lay_out(inner);
        self.rows = top(inner, self.grid.rows);
        for row in 0..self.grid.rows {
            let address = self.top.checked_add(u64::from(row) * self.grid.per_row());
            if let Some(address) = address {
                self.draw_row(buf, paint::row(inner, row), address, view);
            }
        }
        if inner.height > self.grid.rows {
            self.draw_numbers(buf, paint::row(inner, self.grid.rows), view);
        }
        if !stopped {
            paint::style(buf, inner, view.theme.muted);
        }
    }

    fn draw_row(&self, buf: &mut Buffer, place: Rect, address: u64, view: &View<'_>) {
        let (theme, grid) = (view.theme, self.grid);
        let digits = grid.digits;
        paint::text(
            buf,
            place,
            &format!("{address:0digits$x}"),
            theme.line_number,
        );
        for byte in 0..grid.per_row {
            let Some(at) = address.checked_add(u64::from(byte)) else {
                return;
            };
            let (hex, character, style) = looks(self.bytes.at(at), view);
            let style = if at == self.cursor {
                let cursor = if view.focused {
                    theme.selection
                } else {
                    theme.selection_unfocused
                };
                style.patch(cursor)
            } else {
                style
            };
            paint::text(buf, paint::from(place, grid.column(byte)), &hex, style);
            let cell = paint::from(place, grid.text_column(byte));
            paint::text(buf, cell, character.encode_utf8(&mut [0; 4]), style);
        }
    }

    fn draw_numbers(&self, buf: &mut Buffer, place: Rect, view: &View<'_>) {
        let theme = view.theme;
        let mut cells = Cells::new(place.width, view);
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
        cells.draw(buf, place);
    }
}

/// Two digits and a character for a byte.
fn looks(byte: Byte, view: &View<'_>) -> (String, char, Style) {
    let theme = view.theme;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_as_many_bytes_as_fit_and_cells_are_found_again() {
        let of = |width| Grid::new(Rect::new(0, 0, width, 10), 0x7fff_ffff_ffff).per_row;
        assert_eq!((of(46), of(80), of(200), of(12), of(0)), (8, 16, 32, 1, 1));
        let grid = Grid::new(Rect::new(0, 0, 80, 10), 0x7fff_ffff_ffff);
        assert_eq!(
            (grid.rows, grid.bytes(), grid.row_of(0x1237)),
            (9, 144, 0x1230)
        );
        let rows = Rect::new(3, 5, 80, 9);
        for byte in 0..16 {
            let hex = Position::new(3 + grid.column(byte) + 1, 7);
            let text = Position::new(3 + grid.text_column(byte), 7);
            assert_eq!(grid.byte_at(rows, hex), Some(32 + u64::from(byte)));
            assert_eq!(grid.byte_at(rows, text), Some(32 + u64::from(byte)));
        }
        assert_eq!(grid.byte_at(rows, Position::new(3, 7)), None);
        assert!(usize::from(grid.text_column(15)) < 80);
    }
}
