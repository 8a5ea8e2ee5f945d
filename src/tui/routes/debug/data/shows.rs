//! A way to look at a value: what it asks for, how it is drawn and walked, and what can be done to it.

use debugger::{
    data::{Content, Query},
    records::RecordedFrame,
};

use crate::debug_prelude::*;

/// What can be done to some of the ways to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Sort by the column with the cursor, in the other direction, not at all.
    Sort,
    /// A wider or narrower column.
    Widen(i16),
    /// Another form: wrapped or not, as bars or as a line.
    Other,
    /// What is folded in it, unfolded.
    Unfold,
    /// The next match of what was searched for, or the one before.
    Match(bool),
}

/// A way to look at a value.
pub trait Shows {
    /// What has to be asked for what is in sight.
    fn wants(&mut self) -> Option<Query>;
    /// What came of a question.
    fn take(&mut self, asked: &Query, content: &Content);
    /// Takes back an order or a filter that was refused; whether there was one.
    fn refused(&mut self) -> bool {
        false
    }
    /// Draws it.
    fn draw(&mut self, canvas: &Canvas, area: Rect);
    /// The rows that are moved in.
    fn scrolled(&mut self) -> Scrolled<'_> {
        Scrolled::Nothing
    }
    /// Down or up.
    fn walk(&mut self, step: Step) {
        self.scrolled().walk(step);
    }
    /// To the right or left.
    fn sideways(&mut self, _by: isize) {}
    /// What a row of the wheel moves.
    fn roll(&mut self, by: isize) {
        self.scrolled().scroll_by(by);
    }
    /// Whether something can be done to it.
    fn can(&self, _act: Act) -> bool {
        false
    }
    /// Does it.
    fn act(&mut self, _act: Act) {}

    /// What was typed behind a `/`.
    fn narrow(&mut self, _text: &str) {}
    /// What it is narrowed by; none where a `/` does nothing.
    fn narrowed(&self) -> Option<&str> {
        None
    }
    /// The order of the rows, and which there are.
    fn order(&self) -> (Option<String>, Option<String>) {
        (None, None)
    }
    /// The stack of the row with the cursor.
    fn stack(&self) -> Option<Vec<RecordedFrame>> {
        None
    }
    /// The column that a plot begins with.
    fn column(&self) -> Option<String> {
        None
    }
    /// As a file: its ending, and what is in it; none where it has to be asked for page by page.
    fn saved(&self) -> Option<(&'static str, Vec<u8>)> {
        None
    }
}
