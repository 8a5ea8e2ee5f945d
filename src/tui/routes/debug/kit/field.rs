//! One line being typed in a form, a filter or a question: the prompt without history and completions. Enter, Esc, Tab and
//! the vertical arrows are left to the tables.

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;

use super::look;
use crate::tui::action::View;
use crate::tui::widgets::input::{Answer, Prompt};

/// The text and the place in it.
#[derive(Clone, Debug, Default)]
pub struct Field(Prompt);

impl Field {
    /// With text in it, the cursor at its end.
    pub fn new(text: impl Into<String>) -> Self {
        Self(Prompt::new(text))
    }

    /// The text.
    pub fn text(&self) -> &str {
        self.0.text()
    }

    /// Other text, the cursor at its end.
    pub fn set(&mut self, text: impl Into<String>) {
        self.0.set_text(text);
    }

    /// Takes a key; false = not one of its keys.
    pub fn key(&mut self, key: KeyEvent) -> bool {
        let left_alone = matches!(
            key.code,
            KeyCode::Enter
                | KeyCode::Esc
                | KeyCode::Tab
                | KeyCode::BackTab
                | KeyCode::Up
                | KeyCode::Down
        );
        !left_alone && self.0.key(key) != Answer::Ignored
    }

    /// Takes pasted text; line ends become blanks.
    pub fn paste(&mut self, text: &str) {
        self.0.paste(
            &text
                .trim_end()
                .replace("\r\n", " ")
                .replace(['\r', '\n'], " "),
        );
    }

    /// Draws it on the first row of `area`, with a cursor while it is typed into; `hint` stands in for no text.
    pub fn draw(
        &mut self,
        buf: &mut Buffer,
        area: Rect,
        active: bool,
        hint: &str,
        view: &View<'_>,
    ) {
        let at = self.0.draw(buf, area, "", hint, look(view));
        if active && let Some(cell) = at.and_then(|at| buf.cell_mut(at)) {
            cell.modifier.toggle(Modifier::REVERSED);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossterm::event::KeyModifiers;

    #[test]
    fn keys_of_the_tables_are_left_alone() {
        let mut field = Field::new("x");
        for code in [
            KeyCode::Enter,
            KeyCode::Tab,
            KeyCode::Esc,
            KeyCode::Up,
            KeyCode::F(5),
        ] {
            assert!(
                !field.key(KeyEvent::new(code, KeyModifiers::NONE)),
                "{code:?}"
            );
        }
        assert!(field.key(KeyEvent::new(KeyCode::Char('y'), KeyModifiers::NONE)));
        field.paste("a\r\nb\n");
        assert_eq!(field.text(), "xya b");
    }
}
