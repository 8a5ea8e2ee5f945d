//! A one-line prompt: editing, history, completion.
//!
//! Editing is by grapheme and knows the usual readline keys. A paste is text, whatever it contains; line breaks in it are kept
//! and shown as pictures. Leaves to others: what the text means, where completions come from, and storing the history.

use base::text::{sanitise::sanitise, width::width};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
    style::Style,
    text::Line,
};
use tui_input::{Input, InputRequest};

use super::{
    list::{List, ListState},
    paint::{self, Parts as _},
    panel::Panel,
    popup,
};
use crate::theme::Look;

/// Entries kept in the history.
const HISTORY: usize = 1_000;
/// Completions in view at once.
const COMPLETION_ROWS: u16 = 8;

/// What a key meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Not a key for a prompt.
    Ignored,
    /// The cursor moved, or the history had nothing more.
    Moved,
    /// The text is another one.
    Changed,
    /// Enter: this is the text.
    Submitted(String),
    /// Escape.
    Cancelled,
    /// Tab: completions are wanted; answer with [`Prompt::complete`].
    Complete,
}

/// One proposal for what is being typed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Completion {
    /// What is put in.
    pub text: String,
    /// What the list shows.
    pub label: String,
    /// A word behind it: the kind, the type.
    pub detail: String,
    /// Characters of the text that it replaces, as (first, count); `None` replaces the word before the cursor.
    pub replaces: Option<(usize, usize)>,
}

/// The text being typed and what belongs to it.
#[derive(Debug, Clone, Default)]
pub struct Prompt {
    input: Input,
    history: Vec<String>,
    /// Entry of the history that is shown, and the text typed before going there.
    recalled: Option<(usize, String)>,
    completions: Vec<Completion>,
    list: ListState,
    /// First cell in view, kept so that the text does not jump while the cursor moves inside the view.
    left: usize,
}

impl Prompt {
    /// A prompt with a text to edit.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            input: Input::new(text.into()),
            ..Self::default()
        }
    }

    /// Gives it the entries of earlier times, oldest first.
    #[must_use]
    pub fn with_history(mut self, history: Vec<String>) -> Self {
        self.history = history;
        self
    }

    /// The text.
    pub fn text(&self) -> &str {
        self.input.value()
    }

    /// Characters before the cursor.
    pub fn cursor(&self) -> usize {
        self.input.cursor()
    }

    /// Replaces the text; the cursor goes to its end.
    pub fn set_text(&mut self, text: impl Into<String>) {
        self.input = Input::new(text.into());
        self.recalled = None;
        self.completions.clear();
    }

    /// Entries, oldest first.
    pub fn history(&self) -> &[String] {
        &self.history
    }

    /// Whether completions are in sight.
    pub fn is_completing(&self) -> bool {
        !self.completions.is_empty()
    }

    /// Shows completions; a single one is put in at once.
    pub fn complete(&mut self, completions: Vec<Completion>) {
        self.completions = completions;
        self.list = ListState::default();
        self.list.home(self.completions.len());
        if self.completions.len() == 1 {
            self.accept();
        }
    }

    /// Takes a paste: text, never keys.
    pub fn paste(&mut self, text: &str) -> Answer {
        let at = byte_of(self.text(), self.cursor());
        let (before, after) = self
            .text()
            .split_at_checked(at)
            .unwrap_or_else(|| (self.text(), ""));
        // Terminals send the line breaks of a paste as CR.
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let value = [before, &text, after].concat();
        let cursor = self.cursor() + text.chars().count();
        self.input = Input::new(value).with_cursor(cursor);
        self.completions.clear();
        Answer::Changed
    }

    /// Takes a key.
    pub fn key(&mut self, key: KeyEvent) -> Answer {
        if self.is_completing() && self.completion_key(key) {
            return Answer::Changed;
        }
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Enter => self.submit(),
            KeyCode::Esc => Answer::Cancelled,
            KeyCode::Tab => Answer::Complete,
            KeyCode::Up => self.recall(-1),
            KeyCode::Down => self.recall(1),
            KeyCode::Char('p') if control => self.recall(-1),
            KeyCode::Char('n') if control => self.recall(1),
            // What has no history leaves the key to others.
            KeyCode::Char('r') if control && !self.history.is_empty() => self.recall_like(),
            _ => match editing(key) {
                None => Answer::Ignored,
                Some(request) => match self.input.handle(request) {
                    Some(change) if change.value => {
                        self.recalled = None;
                        Answer::Changed
                    }
                    // Also a key that had nothing to do, such as Backspace in an empty text, belongs to the prompt.
                    Some(_) | None => Answer::Moved,
                },
            },
        }
    }

    /// Puts the cursor where the mouse clicked, `column` cells from the left edge of the text.
    pub fn click(&mut self, column: u16) {
        let target = self.left + usize::from(column);
        let mut cells = 0;
        let mut cursor = 0;
        for (index, character) in self.text().chars().enumerate() {
            cells += width(&sanitise(character.encode_utf8(&mut [0; 4])));
            if cells > target {
                break;
            }
            cursor = index + 1;
        }
        self.input.handle(InputRequest::SetCursor(cursor));
    }

    /// Draws the text into one row behind `mark` and returns where the terminal's cursor belongs. `hint` stands there while
    /// the text is empty.
    pub fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        mark: &str,
        hint: &str,
        look: Look<'_>,
    ) -> Option<Position> {
        let area = area.row(0);
        let used = paint::text(buffer, area, mark, look.theme.accent);
        let field = area.after(used);
        if field.is_empty() {
            return None;
        }
        let before = self
            .text()
            .get(..byte_of(self.text(), self.cursor()))
            .unwrap_or_default();
        let cursor = width(&sanitise_pieces(before));
        let room = usize::from(field.width);
        if cursor < self.left {
            self.left = cursor;
        } else if cursor >= self.left + room {
            self.left = cursor + 1 - room;
        }
        if self.text().is_empty() {
            look.cut(buffer, field, hint, look.theme.muted);
        } else {
            let line = Line::styled(sanitise_pieces(self.text()), look.theme.input);
            paint::line(buffer, field, &line, self.left);
        }
        let column = u16::try_from(cursor - self.left).unwrap_or(u16::MAX);
        Some(Position::new(field.x.saturating_add(column), field.y))
    }

    /// Draws the completions beside the cursor, within `screen`. Does nothing when there are none.
    pub fn draw_completions(
        &mut self,
        buffer: &mut Buffer,
        screen: Rect,
        cursor: Position,
        look: Look<'_>,
    ) {
        if self.completions.is_empty() {
            return;
        }
        let widest = self
            .completions
            .iter()
            .map(|c| width(&sanitise(&c.label)) + width(&sanitise(&c.detail)) + 3)
            .max();
        let cells = u16::try_from(widest.unwrap_or(0))
            .unwrap_or(u16::MAX)
            .saturating_add(3);
        let rows = u16::try_from(self.completions.len())
            .unwrap_or(u16::MAX)
            .min(COMPLETION_ROWS);
        let place = popup::beside(screen, cursor.x, cursor.y, cells, rows + 2);
        let inner = popup::draw(buffer, place, Panel::new(look, ""), look);
        let completions = &self.completions;
        List::new(look, completions.len()).draw(buffer, inner, &mut self.list, |row| {
            let Some(completion) = completions.get(row.index) else {
                return Line::default();
            };
            Line::from_iter([
                ratatui::text::Span::raw(completion.label.as_str()),
                ratatui::text::Span::styled("  ", Style::new()),
                ratatui::text::Span::styled(completion.detail.as_str(), look.theme.muted),
            ])
        });
    }

    fn completion_key(&mut self, key: KeyEvent) -> bool {
        let len = self.completions.len();
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Tab | KeyCode::Down => self.list.move_by(1, len),
            KeyCode::BackTab | KeyCode::Up => self.list.move_by(-1, len),
            KeyCode::Char('n') if control => self.list.move_by(1, len),
            KeyCode::Char('p') if control => self.list.move_by(-1, len),
            KeyCode::PageDown => self.list.page_by(1, len),
            KeyCode::PageUp => self.list.page_by(-1, len),
            KeyCode::Enter => self.accept(),
            KeyCode::Esc => self.completions.clear(),
            _ => {
                // Typing on: the proposals were for another text.
                self.completions.clear();
                return false;
            }
        }
        true
    }

    fn accept(&mut self) {
        let chosen = self
            .list
            .selected()
            .and_then(|row| self.completions.get(row))
            .cloned();
        self.completions.clear();
        let Some(completion) = chosen else { return };
        let characters: Vec<char> = self.text().chars().collect();
        let cursor = self.cursor().min(characters.len());
        let (first, count) = completion.replaces.unwrap_or_else(|| {
            let word = characters
                .iter()
                .take(cursor)
                .rev()
                .take_while(|c| c.is_alphanumeric() || **c == '_')
                .count();
            (cursor - word, word)
        });
        let first = first.min(characters.len());
        let end = first.saturating_add(count).min(characters.len());
        let mut value: String = characters.iter().take(first).collect();
        value.push_str(&completion.text);
        let cursor = value.chars().count();
        value.extend(characters.iter().skip(end));
        self.input = Input::new(value).with_cursor(cursor);
    }

    fn submit(&mut self) -> Answer {
        let text = self.input.value_and_reset();
        self.recalled = None;
        self.left = 0;
        if !text.trim().is_empty() && self.history.last() != Some(&text) {
            self.history.push(text.clone());
            if self.history.len() > HISTORY {
                self.history.remove(0);
            }
        }
        Answer::Submitted(text)
    }

    fn recall(&mut self, step: isize) -> Answer {
        let (at, draft) = match self.recalled.take() {
            Some(recalled) => recalled,
            None => (self.history.len(), self.text().to_owned()),
        };
        let Some(target) = at
            .checked_add_signed(step)
            .filter(|target| *target <= self.history.len())
        else {
            self.recalled = (at < self.history.len()).then_some((at, draft));
            return Answer::Moved;
        };
        match self.history.get(target) {
            Some(entry) => {
                self.input = Input::new(entry.clone());
                self.recalled = Some((target, draft));
            }
            None => self.input = Input::new(draft),
        }
        Answer::Changed
    }

    /// Goes back to the entry that contains what was typed, and pressed again to the one before that.
    fn recall_like(&mut self) -> Answer {
        let (at, draft) = match self.recalled.take() {
            Some(recalled) => recalled,
            None => (self.history.len(), self.text().to_owned()),
        };
        let mut earlier = self.history.iter().take(at);
        let found = earlier.rposition(|entry| entry.contains(&draft) && entry != self.text());
        let Some(target) = found else {
            self.recalled = (at < self.history.len()).then_some((at, draft));
            return Answer::Moved;
        };
        let entry = self.history.get(target).cloned().unwrap_or_default();
        self.input = Input::new(entry);
        self.recalled = Some((target, draft));
        Answer::Changed
    }
}

/// A prompt's text on one line; a line break at its very end is text here.
fn sanitise_pieces(text: &str) -> String {
    base::text::sanitise::sanitise_from(text, base::text::sanitise::TAB_WIDTH, 0).into_owned()
}

/// Whether a key edits text in shells, so that who types must not start something else by it where it is not known here. Those that
/// leave, suspend and draw anew mean the same in shells.
pub fn is_for_text(key: KeyEvent) -> bool {
    key.modifiers
        .intersects(KeyModifiers::CONTROL | KeyModifiers::ALT)
        && matches!(key.code, KeyCode::Char(c) if c.is_ascii_alphabetic() && !matches!(c, 'c' | 'z' | 'l'))
}

/// The usual readline keys.
fn editing(key: KeyEvent) -> Option<InputRequest> {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    let alt = key.modifiers.contains(KeyModifiers::ALT);
    // What is left with other modifiers means something elsewhere and must not insert its letter.
    if key
        .modifiers
        .intersects(KeyModifiers::SUPER | KeyModifiers::META | KeyModifiers::HYPER)
    {
        return None;
    }
    Some(match (key.code, control, alt) {
        (KeyCode::Char(letter), false, false) => InputRequest::InsertChar(letter),
        (KeyCode::Backspace, false, false) | (KeyCode::Char('h'), true, false) => {
            InputRequest::DeletePrevChar
        }
        (KeyCode::Delete, false, false) | (KeyCode::Char('d'), true, false) => {
            InputRequest::DeleteNextChar
        }
        (KeyCode::Left, false, false) | (KeyCode::Char('b'), true, false) => {
            InputRequest::GoToPrevChar
        }
        (KeyCode::Right, false, false) | (KeyCode::Char('f'), true, false) => {
            InputRequest::GoToNextChar
        }
        (KeyCode::Left, ..) | (KeyCode::Char('b'), false, true) => InputRequest::GoToPrevWord,
        (KeyCode::Right, ..) | (KeyCode::Char('f'), false, true) => InputRequest::GoToNextWord,
        (KeyCode::Home, ..) | (KeyCode::Char('a'), true, false) => InputRequest::GoToStart,
        (KeyCode::End, ..) | (KeyCode::Char('e'), true, false) => InputRequest::GoToEnd,
        (KeyCode::Backspace, ..) | (KeyCode::Char('w'), true, false) => {
            InputRequest::DeletePrevWord
        }
        (KeyCode::Delete, ..) | (KeyCode::Char('d'), false, true) => InputRequest::DeleteNextWord,
        (KeyCode::Char('u'), true, false) => InputRequest::DeleteFromStart,
        (KeyCode::Char('k'), true, false) => InputRequest::DeleteTillEnd,
        (KeyCode::Char('y'), true, false) => InputRequest::Yank,
        _ => return None,
    })
}

fn byte_of(text: &str, character: usize) -> usize {
    text.char_indices()
        .nth(character)
        .map_or(text.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests;
