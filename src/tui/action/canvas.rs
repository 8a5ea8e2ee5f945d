//! Where a surface draws: the cells of a frame, and what it may look at meanwhile.

use std::{
    cell::{Cell, RefCell, RefMut},
    mem,
    ops::Deref,
    rc::Rc,
};

use ratatui::{
    Frame,
    buffer::Buffer,
    layout::{Position, Rect},
    style::Style,
    text::Line,
};

use super::view::View;
use crate::widgets::{chart, paint, tabs};

/// Cells to draw into, with a [`View`]. All those of a frame share its cells.
pub struct Canvas {
    view: View,
    page: Rc<Page>,
}

struct Page {
    cells: RefCell<Buffer>,
    area: Rect,
    /// Where the terminal's cursor is to be.
    cursor: Cell<Option<Position>>,
}

impl Deref for Canvas {
    type Target = View;

    fn deref(&self) -> &View {
        &self.view
    }
}

impl Canvas {
    /// Has a frame drawn.
    pub fn on(frame: &mut Frame<'_>, view: View, draw: impl FnOnce(&Self)) {
        let canvas = Self::new(mem::take(frame.buffer_mut()), view);
        draw(&canvas);
        *frame.buffer_mut() = canvas.page.cells.take();
        if let Some(at) = canvas.page.cursor.get() {
            frame.set_cursor_position(at);
        }
    }

    /// On these cells.
    pub fn new(cells: Buffer, view: View) -> Self {
        let page = Page {
            area: cells.area,
            cells: RefCell::new(cells),
            cursor: Cell::default(),
        };
        Self {
            view,
            page: Rc::new(page),
        }
    }

    /// The same cells for a surface with or without the keyboard.
    #[must_use]
    pub fn with_focus(&self, focused: bool) -> Self {
        Self {
            view: self.view.with_focus(focused),
            page: Rc::clone(&self.page),
        }
    }

    /// The whole screen.
    pub fn screen(&self) -> Rect {
        self.page.area
    }

    /// The cells, for what draws into nothing else; not to be kept while anything else is drawn.
    pub fn cells(&self) -> RefMut<'_, Buffer> {
        self.page.cells.borrow_mut()
    }

    /// Puts the terminal's cursor there.
    pub fn set_cursor(&self, at: Position) {
        self.page.cursor.set(Some(at));
    }

    /// See [`paint::text`].
    pub fn text(&self, area: Rect, text: &str, style: Style) -> u16 {
        paint::text(&mut self.cells(), area, text, style)
    }

    /// One line of text, cut with an ellipsis where the room ends; gives the cells that it took.
    pub fn cut(&self, area: Rect, text: &str, style: Style) -> u16 {
        self.look().cut(&mut self.cells(), area, text, style)
    }

    /// See [`paint::line`].
    pub fn line(&self, area: Rect, line: &Line<'_>, skip: usize) -> u16 {
        paint::line(&mut self.cells(), area, line, skip)
    }

    /// See [`paint::style`].
    pub fn style(&self, area: Rect, style: Style) {
        paint::style(&mut self.cells(), area, style);
    }

    /// See [`paint::clear`].
    pub fn clear(&self, area: Rect, style: Style) {
        paint::clear(&mut self.cells(), area, style);
    }

    /// See [`paint::glyph`].
    pub fn glyph(&self, x: u16, y: u16, symbol: &str, style: Style) {
        paint::glyph(&mut self.cells(), x, y, symbol, style);
    }

    /// See [`tabs::draw`].
    pub fn tabs(&self, area: Rect, names: &[&str], active: usize) -> Vec<(Rect, usize)> {
        tabs::draw(&mut self.cells(), area, names, active, self.look())
    }

    /// See [`chart::bars`].
    pub fn bars(&self, area: Rect, values: &[u64], most: u64) {
        chart::bars(&mut self.cells(), area, values, most, self.look());
    }
}
