//! A line of text being typed: a cursor by grapheme, words, paste. Keys it does not know are left to the tables.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use unicode_segmentation::UnicodeSegmentation;

use crate::text::sanitise::sanitise;
use crate::text::width::{take_columns, width};
use crate::tui::action::View;

/// The text and the place in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Field {
    before: String,
    after: String,
}

impl Field {
    /// With text in it, the cursor at its end.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            before: text.into(),
            after: String::new(),
        }
    }

    /// The text.
    pub fn text(&self) -> String {
        format!("{}{}", self.before, self.after)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.before.is_empty() && self.after.is_empty()
    }

    /// What stands before the cursor.
    pub fn before(&self) -> &str {
        &self.before
    }

    /// Other text, the cursor at its end.
    pub fn set(&mut self, text: impl Into<String>) {
        *self = Self::new(text);
    }

    /// Takes the text out.
    pub fn take(&mut self) -> String {
        let text = self.text();
        *self = Self::default();
        text
    }

    /// Puts text at the cursor. Line ends stay: whoever cannot use them strips them first.
    pub fn insert(&mut self, text: &str) {
        self.before.push_str(text);
    }

    /// Replaces the last `characters` before the cursor.
    pub fn replace_before(&mut self, characters: usize, with: &str) {
        for _ in 0..characters {
            self.before.pop();
        }
        self.before.push_str(with);
    }

    /// Takes a key; false = not one of its keys.
    pub fn key(&mut self, key: KeyEvent) -> bool {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let alt = key.modifiers.contains(KeyModifiers::ALT);
        match key.code {
            KeyCode::Char(c) if !control && !alt => self.before.push(c),
            KeyCode::Left if control || alt => self.word_left(),
            KeyCode::Right if control || alt => self.word_right(),
            KeyCode::Char('b') if alt => self.word_left(),
            KeyCode::Char('f') if alt => self.word_right(),
            KeyCode::Left => self.left(),
            KeyCode::Right => self.right(),
            KeyCode::Char('a') if control => self.home(),
            KeyCode::Home => self.home(),
            KeyCode::Char('e') if control => self.end(),
            KeyCode::End => self.end(),
            KeyCode::Char('w') if control => self.erase_word(),
            KeyCode::Backspace if control || alt => self.erase_word(),
            KeyCode::Char('h') if control => self.erase(),
            KeyCode::Backspace => self.erase(),
            KeyCode::Delete => {
                let len = self.after.graphemes(true).next().map_or(0, str::len);
                self.after.drain(..len);
            }
            KeyCode::Char('u') if control => self.before.clear(),
            KeyCode::Char('k') if control => self.after.clear(),
            _ => return false,
        }
        true
    }

    fn left(&mut self) {
        let len = self.before.graphemes(true).next_back().map_or(0, str::len);
        let moved = self.before.split_off(self.before.len() - len);
        self.after.insert_str(0, &moved);
    }

    fn right(&mut self) {
        let len = self.after.graphemes(true).next().map_or(0, str::len);
        let moved: String = self.after.drain(..len).collect();
        self.before.push_str(&moved);
    }

    fn home(&mut self) {
        self.after = self.text();
        self.before.clear();
    }

    fn end(&mut self) {
        self.before = self.text();
        self.after.clear();
    }

    fn erase(&mut self) {
        let len = self.before.graphemes(true).next_back().map_or(0, str::len);
        self.before.truncate(self.before.len() - len);
    }

    fn word_start(&self) -> usize {
        let trimmed = self.before.trim_end_matches(|c: char| !is_word(c));
        trimmed.trim_end_matches(is_word).len()
    }

    fn word_left(&mut self) {
        let moved = self.before.split_off(self.word_start());
        self.after.insert_str(0, &moved);
    }

    fn word_right(&mut self) {
        let rest = self.after.trim_start_matches(|c: char| !is_word(c)).trim_start_matches(is_word);
        let moved: String = self.after.drain(..self.after.len() - rest.len()).collect();
        self.before.push_str(&moved);
    }

    fn erase_word(&mut self) {
        self.before.truncate(self.word_start());
    }

    /// Draws it on the first row of `area`; the cursor (a reversed cell) only while it is typed into.
    pub fn draw(&self, buf: &mut Buffer, area: Rect, active: bool, style: Style, view: &View<'_>) {
        let area = area.intersection(buf.area);
        let room = usize::from(area.width);
        if room == 0 || area.height == 0 {
            return;
        }
        let before = sanitise(&self.before);
        let text = format!("{before}{}", sanitise(&self.after));
        let cursor = width(&before);
        let skip = if active { cursor.saturating_sub(room - 1) } else { 0 };
        let shown = take_columns(&text, skip, room);
        buf.set_stringn(area.x, area.y, &shown, room, style);
        if !active && width(&text) > room {
            let at = area.right() - 1;
            buf.set_stringn(at, area.y, view.symbols.ellipsis, 1, view.theme.muted);
        }
        if active && let Some(cell) = buf.cell_mut((area.x + (cursor - skip) as u16, area.y)) {
            cell.modifier.toggle(Modifier::REVERSED);
        }
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(field: &mut Field, code: KeyCode, modifiers: KeyModifiers) {
        assert!(field.key(KeyEvent::new(code, modifiers)));
    }

    #[test]
    fn the_cursor_steps_over_whole_characters() {
        let mut field = Field::new("ae\u{301}👩‍🚀");
        press(&mut field, KeyCode::Left, KeyModifiers::NONE);
        press(&mut field, KeyCode::Backspace, KeyModifiers::NONE);
        assert_eq!(field.text(), "a👩‍🚀");
        press(&mut field, KeyCode::Delete, KeyModifiers::NONE);
        assert_eq!(field.text(), "a");
    }

    #[test]
    fn words_are_what_programs_call_names() {
        let mut field = Field::new("self.some_name + 1");
        for _ in 0..2 {
            press(&mut field, KeyCode::Left, KeyModifiers::CONTROL);
        }
        assert_eq!(field.before(), "self.");
        press(&mut field, KeyCode::Char('w'), KeyModifiers::CONTROL);
        assert_eq!(field.text(), "some_name + 1");
        press(&mut field, KeyCode::Right, KeyModifiers::ALT);
        assert_eq!(field.before(), "some_name");
        press(&mut field, KeyCode::Char('k'), KeyModifiers::CONTROL);
        assert_eq!(field.text(), "some_name");
    }

    #[test]
    fn keys_of_the_tables_are_left_alone() {
        let mut field = Field::new("x");
        for code in [KeyCode::Enter, KeyCode::Tab, KeyCode::Esc, KeyCode::Up, KeyCode::F(5)] {
            assert!(!field.key(KeyEvent::new(code, KeyModifiers::NONE)), "{code:?}");
        }
        assert_eq!(field.take(), "x");
        assert!(field.is_empty());
    }
}
