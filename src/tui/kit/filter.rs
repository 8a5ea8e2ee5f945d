//! What narrows a list or a tree, typed in its last row. What is narrowed, and by what it is now, is the pane's.

use super::{field::Field, room::over_last};
use crate::{action::prelude::*, widgets::input::is_for_text};

/// The text while it is typed.
#[derive(Debug, Default)]
pub struct Filter {
    typing: Option<Field>,
}

impl Filter {
    /// Begins to type, with what it narrows by now.
    pub fn begin(&mut self, now: &str) {
        self.typing = Some(Field::new(now));
    }

    /// Whether it is being typed.
    pub fn wants_text(&self) -> bool {
        self.typing.is_some()
    }

    /// Takes a key: `None` = not mine, else what is to be narrowed by from now on, if that is another text.
    pub fn key(&mut self, key: KeyEvent, cx: &Cx) -> Option<Option<String>> {
        let field = self.typing.as_mut()?;
        let text = match key.code {
            KeyCode::Enter => None,
            KeyCode::Esc => Some(String::new()),
            _ if field.key(key) => Some(field.text().to_owned()),
            // Nothing else begins by what edits text in a shell.
            _ => return is_for_text(key).then_some(None),
        };
        if matches!(key.code, KeyCode::Enter | KeyCode::Esc) {
            self.typing = None;
        }
        cx.redraw();
        Some(text)
    }

    /// Takes pasted text: what is to be narrowed by; `None` = not mine.
    pub fn paste(&mut self, text: &str, cx: &Cx) -> Option<String> {
        let field = self.typing.as_mut()?;
        field.paste(text);
        cx.redraw();
        Some(field.text().to_owned())
    }

    /// Takes the last row of `area` while it is typed or narrows by `now`, and draws it there; gives the rows left.
    pub fn draw(&mut self, canvas: &Canvas, area: Rect, now: &str) -> Rect {
        if area.height < 2 || (self.typing.is_none() && now.is_empty()) {
            return area;
        }
        let (above, foot) = over_last(area);
        let mut cells = canvas.cells_at(foot);
        cells.accent("/");
        if let Some(field) = &mut self.typing {
            let used = cells.draw(canvas, foot);
            field.draw(canvas, foot.after(used), true, "");
        } else {
            cells
                .put(now, canvas.theme.input)
                .muted("  Esc shows all")
                .draw(canvas, foot);
        }
        above
    }
}

/// The text of a pane whose `$typing` is a [`Filter`]: what is typed goes to `$narrow`.
macro_rules! narrows_of {
    ($vis:vis $typing:ident, $narrow:ident) => {
        /// See [`Surface::wants_text`].
        $vis fn wants_text(&self) -> bool {
            self.$typing.wants_text()
        }

        /// See [`Surface::on_text`].
        $vis fn on_text(&mut self, key: KeyEvent, cx: &Cx) -> bool {
            let narrowed = self.$typing.key(key, cx);
            if let Some(Some(text)) = &narrowed {
                self.$narrow(text);
            }
            narrowed.is_some()
        }

        /// See [`Surface::on_paste`].
        $vis fn on_paste(&mut self, text: &str, cx: &Cx) -> bool {
            let narrowed = self.$typing.paste(text, cx);
            if let Some(text) = &narrowed {
                self.$narrow(text);
            }
            narrowed.is_some()
        }
    };
}
pub(crate) use narrows_of;
