//! A dialog of things that are switched on and off, each with its number: processes, kinds of events.

use super::{
    room::dialog,
    scroll::{is_control, leaves},
};
use crate::action::prelude::*;

/// The things.
#[derive(Debug)]
pub struct Switches<T> {
    /// Each, its number if that is known, and whether it is on; the largest number first.
    rows: Vec<(T, Option<u64>, bool)>,
    list: ListState,
}

/// What a key did to them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Switched {
    /// Still choosing.
    Open,
    /// These are taken; so is the selected one where none is on.
    Taken,
    All,
    /// Nothing changes.
    Left,
}

impl<T: Ord + Clone> Switches<T> {
    /// With the first one selected.
    pub fn new(rows: impl IntoIterator<Item = (T, Option<u64>, bool)>) -> Self {
        let mut rows: Vec<_> = rows.into_iter().collect();
        rows.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let mut list = ListState::default();
        list.home(rows.len());
        Self { rows, list }
    }

    /// Selects this one, else the first.
    pub fn select(&mut self, which: Option<&T>) {
        self.list.reselect(&self.rows, |row| Some(&row.0) == which);
    }

    /// The selected one.
    pub fn selected(&self) -> Option<&T> {
        Some(&self.rows.get(self.list.selected()?)?.0)
    }

    /// Those that are on, or off.
    pub fn of<C: FromIterator<T>>(&self, on: bool) -> C {
        let rows = self.rows.iter().filter(|row| row.2 == on);
        rows.map(|row| row.0.clone()).collect()
    }

    /// Leaves the selected one on alone; where it is that already, switches all on.
    pub fn alone(&mut self) {
        let at = self.list.selected();
        let alone = (self.rows.iter().enumerate()).all(|(i, row)| row.2 == (Some(i) == at));
        for (i, row) in self.rows.iter_mut().enumerate() {
            row.2 = alone || Some(i) == at;
        }
    }

    /// Takes a key.
    pub fn key(&mut self, key: KeyEvent) -> Switched {
        match key.code {
            _ if self.list.key(key, self.rows.len()) => {}
            KeyCode::Char(' ') => {
                let at = self.list.selected().unwrap_or(0);
                if let Some(row) = self.rows.get_mut(at) {
                    row.2 = !row.2;
                }
            }
            KeyCode::Char('a') if !is_control(key, 'a') => return Switched::All,
            KeyCode::Enter => return Switched::Taken,
            _ if closes(key) => return Switched::Left,
            _ => {}
        }
        Switched::Open
    }

    /// Draws it over `area`, each row's number and the thing itself as they are said here.
    pub fn draw(
        &mut self,
        canvas: &Canvas,
        area: Rect,
        (cells, title, right, none): (u16, &str, &str, &str),
        mut row: impl FnMut(&T, Option<u64>) -> (String, String, Style),
    ) {
        let inner = dialog(
            canvas,
            area,
            (cells, shown_rows(self.rows.len())),
            title,
            right,
        );
        List::new(canvas.look(), self.rows.len()).empty(none).cells(
            canvas,
            inner,
            &mut self.list,
            |at, line| {
                if let Some((what, number, on)) = self.rows.get(at) {
                    let (number, text, style) = row(what, *number);
                    line.remark(&number).check(*on).put(&text, style);
                }
            },
        );
    }
}

/// Rows that a dialog gives a list.
pub fn shown_rows(rows: usize) -> u16 {
    rows.clamp(1, 16) as u16
}

/// Whether a key closes a dialog of rows.
pub fn closes(key: KeyEvent) -> bool {
    leaves(key) || key.code == KeyCode::Char('q')
}
