//! The line of a screen in which something is typed: a search, a filter, a name; and what becomes of it.

use super::{
    field::Field,
    needle::Needle,
    scroll::{is_control, leaves},
};
use crate::action::prelude::*;

/// What is typed in a line, and what is done with it.
pub struct TypedLine<S: 'static> {
    /// What stands before it, muted and not, while an expression is typed or not.
    pub label: fn(bool) -> [&'static str; 2],
    /// What stands in for no text.
    pub hint: &'static str,
    /// What the footer shows meanwhile.
    pub keys: TypingKeys,
    /// Whether it may be an expression.
    pub expressions: bool,
    /// The text is another one now.
    pub changed: fn(&mut S, Needle, &Cx),
    /// It is done. What it is refused for is said, and it is still there to be mended.
    pub entered: fn(&mut S, Needle, &Cx) -> Result<(), String>,
    /// It is left.
    pub left: fn(&mut S, &Cx),
    /// An arrow up (true) or down; false = it means what it means elsewhere.
    pub step: fn(&mut S, bool, &Cx) -> bool,
}

impl<S: 'static> TypedLine<S> {
    /// One that is only entered.
    pub const fn new(
        keys: TypingKeys,
        label: fn(bool) -> [&'static str; 2],
        entered: fn(&mut S, Needle, &Cx) -> Result<(), String>,
    ) -> Self {
        Self {
            label,
            hint: "",
            keys,
            expressions: false,
            changed: |_, _, _| {},
            entered,
            left: |_, _| {},
            step: |_, _, _| false,
        }
    }

    /// Begins with a text.
    pub fn with(&'static self, field: Field) -> Option<Typing<S>> {
        Some(Typing {
            line: self,
            field,
            is_expression: false,
        })
    }

    /// Begins with what was typed last, as a proposal.
    pub fn proposing(&'static self, needle: Option<&Needle>) -> Option<Typing<S>> {
        let needle = needle.cloned().unwrap_or_default();
        Some(Typing {
            line: self,
            field: Field::proposing(needle.text),
            is_expression: needle.is_expression,
        })
    }
}

/// What is typed so far.
pub struct Typing<S: 'static> {
    /// What it is for.
    pub line: &'static TypedLine<S>,
    /// The text.
    pub field: Field,
    /// Whether it is a regular expression.
    pub is_expression: bool,
}

impl<S: 'static> std::fmt::Debug for Typing<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Typing").field(&self.needle()).finish()
    }
}

impl<S: 'static> Typing<S> {
    fn needle(&self) -> Needle {
        Needle {
            text: self.field.text().to_owned(),
            is_expression: self.is_expression,
        }
    }

    /// Draws it, with what it finds so far at the right.
    pub fn draw(&mut self, canvas: &Canvas, row: Rect, found: &str) {
        let [kind, mark] = (self.line.label)(self.is_expression);
        let used = canvas.text(row, kind, canvas.theme.muted);
        let used = used + canvas.text(row.after(used), mark, canvas.theme.accent);
        let (room, hint) = (row.after(used), self.line.hint);
        self.field.draw_finding(canvas, room, true, hint, found);
    }
}

/// The line of a screen that has one.
type LineOf<S> = fn(&mut S) -> Option<&mut Option<Typing<S>>>;

/// Takes a key of the line of a screen; false = not one of its keys.
pub fn key<S>(screen: &mut S, line_of: LineOf<S>, key: KeyEvent, cx: &Cx) -> bool {
    let Some(Some(typing)) = line_of(screen) else {
        return false;
    };
    let line = typing.line;
    let toggles = line.expressions && is_control(key, 'r');
    match key.code {
        _ if leaves(key) => {
            end(screen, line_of);
            (line.left)(screen, cx);
        }
        KeyCode::Enter => {
            let needle = typing.needle();
            match (line.entered)(screen, needle, cx) {
                Ok(()) => end(screen, line_of),
                Err(why) => cx.warn(why),
            }
        }
        _ if toggles || typing.field.key(key) => {
            typing.is_expression ^= toggles;
            let needle = typing.needle();
            (line.changed)(screen, needle, cx);
        }
        KeyCode::Up | KeyCode::Down => return (line.step)(screen, key.code == KeyCode::Up, cx),
        _ => return false,
    }
    true
}

/// Takes pasted text; false = nothing is typed.
pub fn paste<S>(screen: &mut S, line_of: LineOf<S>, text: &str, cx: &Cx) -> bool {
    let Some(Some(typing)) = line_of(screen) else {
        return false;
    };
    typing.field.paste(text);
    let (line, needle) = (typing.line, typing.needle());
    (line.changed)(screen, needle, cx);
    cx.redraw();
    true
}

fn end<S>(screen: &mut S, line_of: LineOf<S>) {
    if let Some(line) = line_of(screen) {
        *line = None;
    }
}

/// The field of a screen that is its line.
macro_rules! types_in {
    ($line:ident) => {
        fn line(&self) -> Option<&Typing<Self>> {
            self.$line.as_ref()
        }

        fn line_mut(&mut self) -> Option<&mut Option<Typing<Self>>> {
            Some(&mut self.$line)
        }
    };
}
pub(crate) use types_in;
