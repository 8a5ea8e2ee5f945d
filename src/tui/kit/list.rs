//! Lists whose rows are lines of cells.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;

use crate::action::View;
use crate::routes::debug::kit::Cells;
use crate::widgets::list::{List, ListState, RowContext};

/// A list of so many rows, with the keyboard where the view has it.
pub fn list<'v>(view: &View<'v>, len: usize) -> List<'v> {
    List::new(view.look(), len).focused(view.focused)
}

impl List<'_> {
    /// Draws it, the selected row as one calm bar: colours of its parts would show through as patches.
    pub fn calm(
        self,
        buf: &mut Buffer,
        area: Rect,
        state: &mut ListState,
        mut build: impl FnMut(RowContext) -> Line<'static>,
    ) {
        let calms = self.focused || !self.lively;
        self.draw(buf, area, state, |row| {
            let mut line = build(row);
            if row.selected && calms {
                for span in &mut line.spans {
                    span.style = Style::new();
                }
            }
            line
        });
    }

    /// The same, each row built into the cells it has.
    pub fn cells<'v>(
        self,
        buf: &mut Buffer,
        area: Rect,
        state: &mut ListState,
        view: &View<'v>,
        mut build: impl FnMut(usize, &mut Cells<'v>),
    ) {
        self.calm(buf, area, state, |row| {
            let mut cells = Cells::new(row.width, view);
            build(row.index, &mut cells);
            cells.line()
        });
    }
}
