//! A list narrowed by what is typed: what is typed, what is left of the entries, and which of them is selected.
//!
//! Leaves to others: the entries, and the popup around it.

use super::{field::Field, fuzzy, mouse::Mouse, room::split, scroll::Scrolled};
use crate::action::prelude::*;

/// What is typed, and which entries are left.
#[derive(Debug, Default)]
pub struct Picker {
    field: Field,
    list: ListState,
    found: Vec<usize>,
}

impl Picker {
    /// What is typed.
    pub fn query(&self) -> &str {
        self.field.text().trim()
    }

    /// Narrows the entries anew; the first one left is selected.
    pub fn narrow<N: AsRef<str>>(&mut self, names: impl Iterator<Item = N>) {
        self.found = fuzzy::rank(self.query(), names);
        self.list.home(self.found.len());
    }

    /// Leaves out others; the first one left is selected.
    pub fn retain(&mut self, is_there: impl Fn(usize) -> bool) {
        self.found.retain(|at| is_there(*at));
        self.list.home(self.found.len());
    }

    /// Position of the selected entry among all.
    pub fn selected(&self) -> Option<usize> {
        self.found.get(self.list.selected()?).copied()
    }

    /// Selects an entry by its position among all, if it is left.
    pub fn select(&mut self, at: usize) {
        if let Some(row) = self.found.iter().position(|found| *found == at) {
            self.list.select(Some(row));
        }
    }

    /// How many are left.
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Whether none is left.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// The entries that are left.
    pub fn scrolled(&mut self) -> Scrolled<'_> {
        Scrolled::Rows(&mut self.list, self.found.len())
    }

    /// Takes a key of the text; true = narrow again.
    pub fn key(&mut self, key: KeyEvent) -> bool {
        !matches!(key.code, KeyCode::PageUp | KeyCode::PageDown) && self.field.key(key)
    }

    /// Takes pasted text; narrow again.
    pub fn paste(&mut self, text: &str) {
        self.field.paste(text);
    }

    /// A mouse event: `None` = not mine, `Some(true)` = the selected entry was clicked once more.
    pub fn mouse(&mut self, event: MouseEvent, cx: &Cx) -> Option<bool> {
        let did = Mouse::on(&mut self.list, self.found.len(), event, cx);
        did.taken().then_some(did == Mouse::Again)
    }

    /// Draws the text, and below it the entries in view.
    pub fn draw(
        &mut self,
        canvas: &Canvas,
        area: Rect,
        hint: &str,
        none: &str,
        mut build: impl FnMut(usize, usize) -> Line<'static>,
    ) {
        let mut mark = canvas.cells_at(area);
        mark.accent(canvas.symbols.prompt).skip(1);
        let (line, rows) = split(area, 1);
        let used = mark.draw(canvas, line);
        self.field.draw(canvas, line.after(used), true, hint);
        let found = &self.found;
        List::new(canvas.look(), found.len()).empty(none).rows(
            canvas,
            rows,
            &mut self.list,
            |row| match found.get(row.index) {
                Some(at) => build(*at, usize::from(row.width)),
                None => Line::default(),
            },
        );
    }
}
