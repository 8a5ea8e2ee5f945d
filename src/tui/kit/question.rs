//! A question at the foot of a pane: where to go, what to write. What becomes of the answer is the pane's.

use super::{cells::cut_line, field::Field, room::over_last};
use crate::action::prelude::*;

/// What is asked, and what was typed so far.
#[derive(Clone, Debug)]
pub struct OpenQuestion<T> {
    /// What the answer is for.
    pub about: T,
    label: &'static str,
    hint: &'static str,
    field: Field,
    trouble: Option<String>,
    /// Enter alone is an answer, too.
    pub or_nothing: bool,
}

impl<T> OpenQuestion<T> {
    /// A question with a label, a hint while nothing is typed, and a proposal.
    pub fn new(about: T, label: &'static str, hint: &'static str, proposal: &str) -> Self {
        Self {
            about,
            label,
            hint,
            field: Field::proposing(proposal),
            trouble: None,
            or_nothing: false,
        }
    }

    /// Takes a key of the question that may be open: `None` = not mine, else the answer, if that is one. It is empty only where
    /// that means something. The question stays: whoever put it closes it, or refuses the answer.
    pub fn key(open: &mut Option<Self>, key: KeyEvent, cx: &Cx) -> Option<Option<String>> {
        let asking = open.as_mut()?;
        let given = match key.code {
            KeyCode::Enter => asking.field.text().trim().to_owned(),
            KeyCode::Esc => String::new(),
            _ if asking.field.key(key) => {
                asking.trouble = None;
                cx.redraw();
                return Some(None);
            }
            _ => return None,
        };
        cx.redraw();
        if given.is_empty() && !(asking.or_nothing && key.code == KeyCode::Enter) {
            *open = None;
            return Some(None);
        }
        Some(Some(given))
    }

    /// Takes pasted text into the question that may be open; false = none is.
    pub fn paste(open: &mut Option<Self>, text: &str, cx: &Cx) -> bool {
        let Some(asking) = open else {
            return false;
        };
        asking.trouble = None;
        asking.field.paste(text);
        cx.redraw();
        true
    }

    /// The answer was none, for this reason: the question stays.
    pub fn refuse(&mut self, why: impl Into<String>) {
        self.trouble = Some(why.into());
    }

    /// Draws it into the last row of `area`, and gives the rows above.
    pub fn draw(&mut self, canvas: &Canvas, area: Rect) -> Rect {
        let (mut above, foot) = over_last(area);
        if let Some(trouble) = &self.trouble {
            let (rows, place) = over_last(above);
            canvas.clear(place, canvas.theme.text);
            cut_line(canvas, place, trouble, canvas.theme.error);
            above = rows;
        }
        let mut cells = canvas.cells_at(foot);
        let used = cells.accent(self.label).skip(1).draw(canvas, foot);
        self.field.draw(canvas, foot.after(used), true, self.hint);
        above
    }
}

/// What is typed and pasted goes to the question that may be open in `$asking`; `$given` takes the answer.
macro_rules! answers_of {
    ($asking:ident, $given:ident) => {
        fn wants_text(&self) -> bool {
            self.$asking.is_some()
        }

        fn on_text(&mut self, key: KeyEvent, cx: &Cx) -> bool {
            let given = OpenQuestion::key(&mut self.$asking, key, cx);
            if let Some(Some(text)) = &given {
                self.$given(text, cx);
            }
            given.is_some()
        }

        fn on_paste(&mut self, text: &str, cx: &Cx) -> bool {
            OpenQuestion::paste(&mut self.$asking, text, cx)
        }
    };
}
pub(crate) use answers_of;
