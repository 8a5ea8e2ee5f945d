//! A question at the foot of a pane: where to go, what to write. What becomes of the answer is the pane's.

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Cells, Field};
use crate::tui::action::View;
use crate::tui::widgets::paint;

/// What is asked, and what was typed so far.
#[derive(Clone, Debug)]
pub struct Asking<T> {
    /// What the answer is for.
    pub about: T,
    label: &'static str,
    hint: &'static str,
    field: Field,
    trouble: Option<String>,
}

/// What a key meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Nothing: it is not one of its keys.
    Ignored,
    /// The text was changed.
    Edited,
    /// This is the answer.
    Given(String),
    /// Nothing is wanted any more.
    Left,
}

impl<T> Asking<T> {
    /// A question with a label, a hint while nothing is typed, and a proposal.
    pub fn new(about: T, label: &'static str, hint: &'static str, proposal: &str) -> Self {
        Self {
            about,
            label,
            hint,
            field: Field::proposing(proposal),
            trouble: None,
        }
    }

    /// Takes a key.
    pub fn key(&mut self, key: KeyEvent) -> Asked {
        match key.code {
            KeyCode::Enter => Asked::Given(self.field.text().trim().to_owned()),
            KeyCode::Esc => Asked::Left,
            _ if self.field.key(key) => {
                self.trouble = None;
                Asked::Edited
            }
            _ => Asked::Ignored,
        }
    }

    /// Takes pasted text.
    pub fn paste(&mut self, text: &str) {
        self.trouble = None;
        self.field.paste(text);
    }

    /// The answer was none, for this reason: the question stays.
    pub fn refuse(&mut self, why: impl Into<String>) {
        self.trouble = Some(why.into());
    }

    /// Draws it into the last row of `area`, and gives the rows above.
    pub fn draw(&mut self, buf: &mut Buffer, area: Rect, view: &View<'_>) -> Rect {
        let foot = paint::row(area, area.height.saturating_sub(1));
        let above = Rect {
            height: area.height.saturating_sub(1),
            ..area
        };
        let mut cells = Cells::new(foot.width, view);
        if let Some(trouble) = &self.trouble {
            cells.put(trouble, view.theme.error);
            let place = paint::row(area, above.height.saturating_sub(1));
            paint::clear(buf, place, view.theme.text);
            paint::line(buf, place, &cells.line(), 0);
            cells = Cells::new(foot.width, view);
        }
        cells.put(self.label, view.theme.accent).skip(1);
        let used = paint::line(buf, foot, &cells.line(), 0);
        self.field
            .draw(buf, paint::from(foot, used), true, self.hint, view);
        let rows = above
            .height
            .saturating_sub(u16::from(self.trouble.is_some()));
        Rect {
            height: rows,
            ..above
        }
    }
}
