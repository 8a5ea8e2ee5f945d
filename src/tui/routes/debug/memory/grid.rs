//! How many bytes fit, and where.

use ratatui::layout::{Position, Rect};

use crate::routes::debug::disassembly::digits;

/// Rows from which on the last one is given to numbers.
const WITH_NUMBERS: u16 = 5;

/// How many bytes are in a row, how many rows there are, and the digits of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    pub per_row: u16,
    pub rows: u16,
    pub digits: usize,
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
    pub fn new(inner: Rect, greatest: u64) -> Self {
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
    pub fn column(self, byte: u16) -> u16 {
        self.digits as u16 + 2 + byte * 3 + byte / 8
    }

    /// Column of a byte's character.
    pub fn text_column(self, byte: u16) -> u16 {
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
