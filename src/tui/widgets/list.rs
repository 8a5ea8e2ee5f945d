//! A list of any length that costs what is visible: only rows in view are built, by a closure.
//!
//! Leaves to others: what the rows are, and which keys do what.

use std::ops::Range;

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
    style::Style,
    text::Line,
};

use super::{
    paint::{self, Parts as _},
    scrollbar,
};
use crate::theme::Look;

/// Selection and scroll position; what the last frame taught it about its size is included.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListState {
    selected: Option<usize>,
    top: usize,
    left: usize,
    /// Where the rows were drawn last.
    rows: Rect,
    /// Rows there were in all.
    len: usize,
    /// Whether the next frame has to bring the selection into view: a wheel may take it out of sight.
    reveal: bool,
}

impl ListState {
    /// The selected row.
    pub const fn selected(&self) -> Option<usize> {
        self.selected
    }

    /// The first row in view.
    pub const fn top(&self) -> usize {
        self.top
    }

    /// Columns scrolled to the left.
    pub const fn left(&self) -> usize {
        self.left
    }

    /// Rows in view, as of the last frame.
    pub fn visible(&self) -> Range<usize> {
        self.top..(self.top + usize::from(self.rows.height)).min(self.len)
    }

    /// Selects a row and brings it into view. Rows that do not exist are corrected at the next frame.
    pub fn select(&mut self, row: Option<usize>) {
        self.selected = row;
        self.reveal = true;
    }

    /// Selects the first row where none is.
    pub fn begin(&mut self) {
        if self.selected.is_none() {
            self.select(Some(0));
        }
    }

    /// Moves the selection by rows; down is positive. Without a selection, takes the first row in view.
    pub fn move_by(&mut self, rows: isize, len: usize) {
        let Some(last) = len.checked_sub(1) else {
            return self.select(None);
        };
        let target = self
            .selected
            .map_or(self.top, |row| row.saturating_add_signed(rows));
        self.select(Some(target.min(last)));
    }

    /// Moves the selection by pages less one row, so that the eye keeps a line to hold on to.
    pub fn page_by(&mut self, pages: isize, len: usize) {
        let page = isize::try_from(self.page()).unwrap_or(1);
        self.move_by(pages.saturating_mul(page), len);
    }

    /// Selects the first row.
    pub fn home(&mut self, len: usize) {
        self.select((len > 0).then_some(0));
    }

    /// Selects the last row.
    pub fn end(&mut self, len: usize) {
        self.select(len.checked_sub(1));
    }

    /// Scrolls without moving the selection, as a wheel does.
    pub fn scroll_by(&mut self, rows: isize, len: usize) {
        let room = len.saturating_sub(usize::from(self.rows.height));
        self.top = self.top.saturating_add_signed(rows).min(room);
        self.reveal = false;
    }

    /// Scrolls sideways; right is positive.
    pub fn scroll_sideways(&mut self, columns: isize) {
        self.left = self.left.saturating_add_signed(columns);
    }

    /// Puts the selection into the middle of the view.
    pub fn centre(&mut self) {
        if let Some(row) = self.selected {
            self.top = row.saturating_sub(usize::from(self.rows.height) / 2);
            self.reveal = true;
        }
    }

    /// Keeps view and selection on the same rows after `added` rows came in front of them.
    pub fn shift(&mut self, added: usize) {
        self.top += added;
        self.selected = self.selected.map(|row| row + added);
    }

    /// The row drawn at a position of the screen.
    pub fn row_at(&self, column: u16, row: u16) -> Option<usize> {
        if !self.rows.contains(Position::new(column, row)) {
            return None;
        }
        Some(self.top + usize::from(row - self.rows.y)).filter(|index| *index < self.len)
    }

    fn page(&self) -> usize {
        usize::from(self.rows.height).saturating_sub(1).max(1)
    }

    fn settle(&mut self, rows: Rect, len: usize) {
        let height = usize::from(rows.height);
        if rows.height != self.rows.height {
            self.reveal = true;
        }
        self.rows = rows;
        self.len = len;
        self.selected = self
            .selected
            .and_then(|row| Some(row.min(len.checked_sub(1)?)));
        if let (Some(row), true) = (self.selected, self.reveal) {
            if row < self.top {
                self.top = row;
            } else if row >= self.top + height {
                self.top = (row + 1).saturating_sub(height);
            }
        }
        self.reveal = false;
        self.top = self.top.min(len.saturating_sub(height));
    }
}

/// What a row's builder may want to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowContext {
    pub index: usize,
    /// Whether it is selected.
    pub selected: bool,
    /// Cells it may use.
    pub width: u16,
}

/// How a list is drawn this time.
#[derive(Debug, Clone, Copy)]
pub struct List<'a> {
    pub look: Look<'a>,
    /// Rows in all.
    pub len: usize,
    /// Whether keys go here.
    pub focused: bool,
    /// What to say when there are no rows: also which key to press next.
    pub empty: &'a str,
    /// Rows marked on the scroll bar.
    pub marks: &'a [(usize, Style)],
    /// Whether the selected row keeps its colours where keys do not go here.
    pub lively: bool,
}

impl<'a> List<'a> {
    /// A focused list without marks.
    pub const fn new(look: Look<'a>, len: usize) -> Self {
        Self {
            look,
            len,
            focused: true,
            empty: "",
            marks: &[],
            lively: false,
        }
    }

    /// Says whether keys go here.
    #[must_use]
    pub const fn focused(mut self, focused: bool) -> Self {
        self.focused = focused;
        self
    }

    /// Says what to show instead of no rows.
    #[must_use]
    pub const fn empty(mut self, text: &'a str) -> Self {
        self.empty = text;
        self
    }

    /// Marks rows on the scroll bar.
    #[must_use]
    pub const fn marks(mut self, marks: &'a [(usize, Style)]) -> Self {
        self.marks = marks;
        self
    }

    /// Lets the selected row keep its colours where keys do not go here.
    #[must_use]
    pub const fn lively(mut self) -> Self {
        self.lively = true;
        self
    }

    /// Draws the rows in view; `build` is called once for each of them, in order.
    pub fn draw<'r>(
        self,
        buffer: &mut Buffer,
        area: Rect,
        state: &mut ListState,
        mut build: impl FnMut(RowContext) -> Line<'r>,
    ) {
        let theme = self.look.theme;
        let scrolls = self.len > usize::from(area.height) && area.width > 1;
        let rows = area.first(area.width.saturating_sub(u16::from(scrolls)));
        state.settle(rows, self.len);
        if self.len == 0 {
            self.look.cut(buffer, area.row(0), self.empty, theme.muted);
            return;
        }
        for (row, index) in (0..rows.height).zip(state.visible()) {
            let place = rows.row(row);
            let selected = state.selected == Some(index);
            let line = build(RowContext {
                index,
                selected,
                width: place.width,
            });
            paint::line(buffer, place, &line, state.left);
            if selected {
                paint::style(
                    buffer,
                    place,
                    if self.focused {
                        theme.selection
                    } else {
                        theme.selection_unfocused
                    },
                );
            }
        }
        let extent = scrollbar::Extent {
            top: state.top,
            height: usize::from(area.height),
            len: self.len,
        };
        if scrolls {
            scrollbar::draw(buffer, area, extent, self.marks.iter().copied(), self.look);
        }
    }
}
