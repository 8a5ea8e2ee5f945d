//! A form: labelled rows of text or choices, one of them with the cursor, each with a sentence of help.

use super::{field::Field, mouse::CLICK};
use crate::action::prelude::*;

/// What a row holds.
#[derive(Clone, Debug)]
pub enum Input {
    /// Typed text, and what stands there while there is none.
    Text(Box<Field>, &'static str),
    /// One of several.
    Choice {
        /// What can be chosen.
        options: Vec<String>,
        index: usize,
    },
}

/// A row.
#[derive(Clone, Debug)]
pub struct Item {
    pub label: Cow<'static, str>,
    /// What it holds.
    pub input: Input,
    /// A sentence of help.
    pub help: String,
    /// What is typed is not shown.
    pub secret: bool,
}

impl Item {
    /// A row of text.
    pub fn text(
        label: impl Into<Cow<'static, str>>,
        text: impl Into<String>,
        hint: &'static str,
        help: impl Into<String>,
    ) -> Self {
        let input = Input::Text(Box::new(Field::new(text)), hint);
        Self::new(label.into(), input, help.into())
    }

    /// A row to choose from.
    pub fn choice(
        label: impl Into<Cow<'static, str>>,
        options: impl IntoIterator<Item: Into<String>>,
        index: usize,
        help: impl Into<String>,
    ) -> Self {
        let options: Vec<String> = options.into_iter().map(Into::into).collect();
        let index = index.min(options.len().saturating_sub(1));
        let input = Input::Choice { options, index };
        Self::new(label.into(), input, help.into())
    }

    fn new(label: Cow<'static, str>, input: Input, help: String) -> Self {
        Self {
            label,
            input,
            help,
            secret: false,
        }
    }

    /// What is typed is not shown.
    #[must_use]
    pub fn secret(mut self) -> Self {
        self.secret = true;
        self
    }
}

/// The rows, and which one has the cursor.
#[derive(Clone, Debug, Default)]
pub struct Form {
    items: Vec<Item>,
    pub focus: usize,
    area: Rect,
    /// Letters that mean something else with Ctrl.
    left: &'static [char],
}

impl Form {
    /// A form with the cursor in its first row.
    pub fn new(items: Vec<Item>) -> Self {
        Self {
            items,
            ..Self::default()
        }
    }

    /// With these letters Ctrl is the table's.
    #[must_use]
    pub fn leaving(self, left: &'static [char]) -> Self {
        Self { left, ..self }
    }

    /// Rows on the screen, with that of the help.
    pub fn height(&self) -> u16 {
        self.items.len() as u16 + 1
    }

    /// Puts the cursor into a row.
    pub fn set_focus(&mut self, row: usize) {
        self.focus = row.min(self.items.len().saturating_sub(1));
    }

    /// To the next row (1) or the one before (-1), around the ends.
    pub fn step(&mut self, by: isize) {
        let len = self.items.len().max(1) as isize;
        self.focus = (self.focus as isize + by).rem_euclid(len) as usize;
    }

    /// The text of a row, trimmed; empty when it holds a choice.
    pub fn text(&self, row: usize) -> &str {
        match self.items.get(row).map(|i| &i.input) {
            Some(Input::Text(field, _)) => field.text().trim(),
            _ => "",
        }
    }

    /// The text of a row, unless it is empty.
    pub fn filled(&self, row: usize) -> Option<String> {
        let text = Some(self.text(row)).filter(|text| !text.is_empty());
        text.map(str::to_owned)
    }

    /// Writes a row's text.
    pub fn set_text(&mut self, row: usize, text: &str) {
        if let Some(Input::Text(field, _)) = self.items.get_mut(row).map(|i| &mut i.input) {
            field.set(text);
        }
    }

    /// Which option of a row is chosen.
    pub fn chosen(&self, row: usize) -> usize {
        match self.items.get(row).map(|i| &i.input) {
            Some(Input::Choice { index, .. }) => *index,
            _ => 0,
        }
    }

    /// Chooses an option of a row.
    pub fn choose(&mut self, row: usize, option: usize) {
        if let Some(Input::Choice { options, index }) =
            self.items.get_mut(row).map(|i| &mut i.input)
        {
            *index = option.min(options.len().saturating_sub(1));
        }
    }

    /// The name of the option chosen.
    pub fn option(&self, row: usize) -> &str {
        match self.items.get(row).map(|i| &i.input) {
            Some(Input::Choice { options, index }) => {
                options.get(*index).map_or("", String::as_str)
            }
            _ => "",
        }
    }

    /// Takes a key; false = not one of its keys.
    pub fn key(&mut self, key: KeyEvent) -> bool {
        let Some(item) = self.items.get_mut(self.focus) else {
            return false;
        };
        match (&mut item.input, key.code) {
            (_, KeyCode::Up) => self.step(-1),
            (_, KeyCode::Down) => self.step(1),
            (
                Input::Choice { options, index },
                KeyCode::Left | KeyCode::Right | KeyCode::Char(' '),
            ) => {
                let by = if key.code == KeyCode::Left { -1 } else { 1 };
                let len = options.len().max(1) as isize;
                *index = (*index as isize + by).rem_euclid(len) as usize;
            }
            (Input::Choice { .. }, _) => return false,
            (Input::Text(field, _), _) => return field.key(key),
        }
        true
    }

    /// Text is typed into it always.
    pub fn wants_text(&self) -> bool {
        true
    }

    /// See [`Surface::on_text`].
    pub fn on_text(&mut self, key: KeyEvent, cx: &Cx) -> bool {
        let left = key.modifiers.contains(KeyModifiers::CONTROL)
            && matches!(key.code, KeyCode::Char(c) if self.left.contains(&c));
        let mine = !left && self.key(key);
        if mine {
            cx.redraw();
        }
        mine
    }

    /// See [`Surface::on_mouse`].
    pub fn on_mouse(&mut self, event: MouseEvent, cx: &Cx) -> bool {
        let mine = event.kind == CLICK && self.click(event.column, event.row);
        if mine {
            cx.redraw();
        }
        mine
    }

    /// See [`Surface::on_paste`].
    pub fn on_paste(&mut self, text: &str, cx: &Cx) -> bool {
        if let Some(Input::Text(field, _)) = self.items.get_mut(self.focus).map(|i| &mut i.input) {
            field.paste(text);
        }
        cx.redraw();
        true
    }

    /// Puts the cursor into the row under the mouse; false = there is none.
    fn click(&mut self, column: u16, row: u16) -> bool {
        if !self.area.contains(Position::new(column, row)) {
            return false;
        }
        let at = usize::from(row - self.area.y);
        if at < self.items.len() {
            self.focus = at;
        }
        true
    }

    /// Draws the rows, and below them the help of the one with the cursor.
    pub fn draw(&mut self, canvas: &Canvas, area: Rect) {
        self.area = area;
        let labels = self
            .items
            .iter()
            .map(|i| width(&i.label))
            .max()
            .unwrap_or(0)
            + 2;
        // In a low window the rows around the cursor are shown.
        let rows = usize::from(area.height).saturating_sub(1).max(1);
        let first = (self.focus + 1).saturating_sub(rows);
        let focus = self.focus;
        for (row, (index, item)) in self
            .items
            .iter_mut()
            .enumerate()
            .skip(first)
            .take(rows)
            .enumerate()
        {
            let place = area.row(row as u16);
            let here = index == focus;
            let label = if here {
                canvas.theme.accent
            } else {
                canvas.theme.text
            };
            let mut cells = canvas.cells_at(place);
            cells
                .accent(if here { canvas.symbols.prompt } else { " " })
                .skip(1);
            cells.column(&item.label, labels, label);
            match &mut item.input {
                Input::Choice { options, index } => {
                    let Some(value) = options.get(*index) else {
                        continue;
                    };
                    cells.muted("< ").put(value, canvas.theme.input).muted(" >");
                    cells.draw(canvas, place);
                }
                Input::Text(field, hint) => {
                    let used = cells.draw(canvas, place);
                    let place = place.after(used);
                    if item.secret {
                        let dots = "*".repeat(field.text().chars().count());
                        Field::new(dots).draw(canvas, place, here, hint);
                    } else {
                        field.draw(canvas, place, here, hint);
                    }
                }
            }
        }
        if let Some(item) = self.items.get(focus)
            && area.height > 1
        {
            let row = self.items.len().min(rows) as u16;
            let mut cells = canvas.cells_at(area);
            cells.skip(2).muted(&item.help).draw(canvas, area.row(row));
        }
    }
}

/// What is typed, pasted and clicked in a surface goes to this part of it; what is typed takes away what went `$wrong` before.
macro_rules! input_of {
    ($part:ident $(, $wrong:ident)?) => {
        fn wants_text(&self) -> bool {
            self.$part.wants_text()
        }

        fn on_text(&mut self, key: KeyEvent, cx: &Cx) -> bool {
            let mine = self.$part.on_text(key, cx);
            $(if mine {
                self.$wrong = None;
            })?
            mine
        }

        fn on_paste(&mut self, text: &str, cx: &Cx) -> bool {
            self.$part.on_paste(text, cx)
        }

        fn on_mouse(&mut self, event: MouseEvent, cx: &Cx) -> bool {
            self.$part.on_mouse(event, cx)
        }
    };
}
pub(crate) use input_of;

#[cfg(test)]
mod tests {
    use super::*;
    use crossterm::event::KeyModifiers;

    fn press(form: &mut Form, code: KeyCode) -> bool {
        form.key(KeyEvent::new(code, KeyModifiers::NONE))
    }

    #[test]
    fn rows_go_around_and_choices_too() {
        let mut form = Form::new(vec![
            Item::text("name", "", "", ""),
            Item::choice("colour", ["red", "green"], 0, ""),
        ]);
        assert!(press(&mut form, KeyCode::Char('a')));
        assert!(press(&mut form, KeyCode::Up));
        assert!(press(&mut form, KeyCode::Left));
        assert_eq!((form.text(0), form.option(1)), ("a", "green"));
        assert!(!press(&mut form, KeyCode::Enter), "Enter is the table's");
    }
}
