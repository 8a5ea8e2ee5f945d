//! Lists whose rows are lines of cells.

use super::{asks::percent, cells::Cells};
use crate::{action::prelude::*, widgets::list::RowContext};

/// A list of so many rows, with the keyboard where the view has it.
pub fn list_of(view: &View, len: usize) -> List<'_> {
    List::new(view.look(), len).focused(view.focused)
}

impl TextView {
    /// Draws it.
    pub fn show(&mut self, canvas: &Canvas, area: Rect) {
        self.draw(&mut canvas.cells(), area, canvas.look());
    }
}

impl List<'_> {
    /// Draws it.
    pub fn rows<'r>(
        self,
        canvas: &Canvas,
        area: Rect,
        state: &mut ListState,
        build: impl FnMut(RowContext) -> Line<'r>,
    ) {
        self.draw(&mut canvas.cells(), area, state, build);
    }

    /// Draws it, the selected row as one calm bar: colours of its parts would show through as patches.
    pub fn calm(
        self,
        canvas: &Canvas,
        area: Rect,
        state: &mut ListState,
        mut build: impl FnMut(RowContext) -> Line<'static>,
    ) {
        let calms = self.focused || !self.lively;
        self.rows(canvas, area, state, |row| {
            let mut line = build(row);
            if row.selected && calms {
                for span in &mut line.spans {
                    span.style = Style::new();
                }
            }
            line
        });
    }

    /// Draws it, each row built into the cells it has.
    pub fn lines(
        self,
        canvas: &Canvas,
        area: Rect,
        state: &mut ListState,
        mut build: impl FnMut(RowContext, &mut Cells),
    ) {
        self.rows(canvas, area, state, |row| {
            let mut cells = Cells::new(row.width, canvas);
            build(row, &mut cells);
            cells.line()
        });
    }

    /// The same as a calm list.
    pub fn cells(
        self,
        canvas: &Canvas,
        area: Rect,
        state: &mut ListState,
        mut build: impl FnMut(usize, &mut Cells),
    ) {
        self.calm(canvas, area, state, |row| {
            let mut cells = Cells::new(row.width, canvas);
            build(row.index, &mut cells);
            cells.line()
        });
    }

    /// As [`Self::cells`], each row made of one of `rows`.
    pub fn each<T>(
        self,
        canvas: &Canvas,
        area: Rect,
        state: &mut ListState,
        rows: &[T],
        mut build: impl FnMut(&T, &mut Cells),
    ) {
        self.cells(canvas, area, state, |at, cells| {
            if let Some(row) = rows.get(at) {
                build(row, cells);
            }
        });
    }
}

impl Cells {
    /// Whether something is on.
    pub fn check(&mut self, on: bool) -> &mut Self {
        self.accent(if on { "[x] " } else { "[ ] " })
    }

    /// How much is done of all.
    pub fn bar(&mut self, done: u64, all: u64, cells: usize) -> &mut Self {
        let full = (percent(done, all) * cells as u64 / 100) as usize;
        let ([.., block], rest) = (self.view.symbols.bars, self.view.symbols.horizontal);
        let border = self.view.theme.border;
        self.accent(&block.repeat(full));
        self.put(&rest.repeat(cells - full), border)
    }

    /// A rule.
    pub fn rule(&mut self, cells: usize) -> &mut Self {
        let rule = self.view.symbols.horizontal.repeat(cells);
        self.put(&rule, self.view.theme.border)
    }

    /// Text as text looks.
    pub fn text(&mut self, text: &str) -> &mut Self {
        self.put(text, self.view.theme.text)
    }

    /// Text that is not looked for.
    pub fn muted(&mut self, text: &str) -> &mut Self {
        self.put(text, self.view.theme.muted)
    }

    /// Text that leads the eye.
    pub fn accent(&mut self, text: &str) -> &mut Self {
        self.put(text, self.view.theme.accent)
    }

    /// Text that warns.
    pub fn warning(&mut self, text: &str) -> &mut Self {
        self.put(text, self.view.theme.warning)
    }

    /// Text that says what went wrong.
    pub fn error(&mut self, text: &str) -> &mut Self {
        self.put(text, self.view.theme.error)
    }

    /// A muted remark at the end of the line.
    pub fn remark(&mut self, text: &str) -> &mut Self {
        self.right(text, self.view.theme.muted)
    }

    /// Text with what `sought` finds in it marked.
    pub fn marked(&mut self, text: &str, style: Style, sought: Option<&Regex>) -> &mut Self {
        let mut at = 0;
        let found = sought.into_iter().flat_map(|sought| sought.find_iter(text));
        for found in found.filter(|found| !found.is_empty()) {
            self.put(text.get(at..found.start()).unwrap_or_default(), style);
            let mark = style.patch(self.view.theme.search_match);
            self.put(found.as_str(), mark);
            at = found.end();
        }
        self.put(text.get(at..).unwrap_or_default(), style)
    }
}
