//! One line being typed in a form, a filter or a question: the prompt without history and completions. Enter, Esc, Tab and
//! the vertical arrows are left to the tables.

use crate::{
    action::prelude::*,
    widgets::input::{Answer, Prompt},
};

/// The text and the place in it.
#[derive(Clone, Debug, Default)]
pub struct Field {
    prompt: Prompt,
    /// The text is a proposal, selected as a whole: what is typed first replaces it.
    proposed: bool,
}

impl Field {
    /// With text in it, the cursor at its end.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            prompt: Prompt::new(text),
            proposed: false,
        }
    }

    /// With a text that stands there as a proposal: typing replaces it, a cursor key keeps it.
    pub fn proposing(text: impl Into<String>) -> Self {
        let prompt = Prompt::new(text);
        Self {
            proposed: !prompt.text().is_empty(),
            prompt,
        }
    }

    /// The text.
    pub fn text(&self) -> &str {
        self.prompt.text()
    }

    /// Other text, the cursor at its end.
    pub fn set(&mut self, text: impl Into<String>) {
        self.proposed = false;
        self.prompt.set_text(text);
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
        if left_alone {
            return false;
        }
        if mem::take(&mut self.proposed) {
            let modified = key
                .modifiers
                .intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
            match key.code {
                KeyCode::Char(_) if !modified => self.prompt.set_text(""),
                KeyCode::Backspace | KeyCode::Delete => {
                    self.prompt.set_text("");
                    return true;
                }
                _ => {}
            }
        }
        self.prompt.key(key) != Answer::Ignored
    }

    /// Takes pasted text; line ends become blanks.
    pub fn paste(&mut self, text: &str) {
        if mem::take(&mut self.proposed) {
            self.prompt.set_text("");
        }
        self.prompt.paste(
            &text
                .trim_end()
                .replace("\r\n", " ")
                .replace(['\r', '\n'], " "),
        );
    }

    /// Puts the cursor where the mouse clicked, `column` cells from the left edge of the text.
    pub fn click(&mut self, column: u16) {
        self.proposed = false;
        self.prompt.click(column);
    }

    /// Draws it on the first row of `area`, with a cursor while it is typed into; `hint` stands in for no text.
    pub fn draw(&mut self, canvas: &Canvas, area: Rect, active: bool, hint: &str) {
        let at = self.lay(canvas, area, hint);
        let mut cells = canvas.cells();
        if active && let Some(cell) = at.and_then(|at| cells.cell_mut(at)) {
            cell.modifier.toggle(Modifier::REVERSED);
        }
    }

    /// Draws it in a row, with what it finds so far at the right.
    pub fn draw_finding(
        &mut self,
        canvas: &Canvas,
        row: Rect,
        active: bool,
        hint: &str,
        found: &str,
    ) {
        let cells = width(found) as u16;
        let right = if cells == 0 { 0 } else { cells + 2 };
        let room = row.first(row.width.saturating_sub(right));
        self.draw(canvas, room, active, hint);
        let place = row.last(cells.min(row.width));
        canvas.text(place, found, canvas.theme.muted);
    }

    /// As [`Self::draw`] without a cursor; gives where it belongs.
    pub fn lay(&mut self, canvas: &Canvas, area: Rect, hint: &str) -> Option<Position> {
        let at = self
            .prompt
            .draw(&mut canvas.cells(), area, "", hint, canvas.look());
        if self.proposed {
            let cells = at.map_or(0, |at| at.x.saturating_sub(area.x));
            let text = area.row(0).first(cells);
            canvas.style(text, canvas.theme.selection);
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_first_replaces_a_proposal_and_a_cursor_key_keeps_it() {
        let press = |field: &mut Field, code| field.key(KeyEvent::new(code, KeyModifiers::NONE));
        let mut field = Field::proposing("total");
        assert!(press(&mut field, KeyCode::Char('n')));
        assert!(press(&mut field, KeyCode::Char('o')));
        assert_eq!(field.text(), "no");
        let mut field = Field::proposing("total");
        press(&mut field, KeyCode::End);
        press(&mut field, KeyCode::Char('s'));
        assert_eq!(field.text(), "totals");
        let mut field = Field::proposing("total");
        press(&mut field, KeyCode::Backspace);
        assert_eq!(field.text(), "");
        let mut field = Field::proposing("total");
        field.paste("n");
        assert_eq!(field.text(), "n");
    }

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
