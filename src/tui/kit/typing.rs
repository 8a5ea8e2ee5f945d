//! A line in which a text or an expression is typed, to be searched for or to filter by.

use crossterm::event::{KeyCode, KeyEvent};

use super::{
    field::Field,
    scroll::{is_control, leaves},
};
use crate::app::logs::Needle;

/// What is typed, and whether it is an expression.
#[derive(Debug, Default)]
pub struct Typing {
    /// The text.
    pub field: Field,
    /// Whether it is a regular expression.
    pub is_expression: bool,
}

/// What a key did to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Typed {
    Left,
    /// It is done.
    Entered,
    /// It is another one now.
    Changed,
    /// To the match before (true) or behind.
    Step(bool),
    /// The key is none of its.
    Nothing,
}

impl Typing {
    /// Begins with what was typed last, as a proposal.
    pub fn proposing(needle: Option<&Needle>) -> Self {
        let needle = needle.cloned().unwrap_or_default();
        Self {
            field: Field::proposing(needle.text),
            is_expression: needle.is_expression,
        }
    }

    /// What is typed so far.
    pub fn needle(&self) -> Needle {
        Needle {
            text: self.field.text().to_owned(),
            is_expression: self.is_expression,
        }
    }

    /// Takes a key.
    pub fn key(&mut self, key: KeyEvent) -> Typed {
        match key.code {
            _ if leaves(key) => Typed::Left,
            KeyCode::Enter => Typed::Entered,
            _ if is_control(key, 'r') => {
                self.is_expression = !self.is_expression;
                Typed::Changed
            }
            _ if self.field.key(key) => Typed::Changed,
            KeyCode::Up => Typed::Step(true),
            KeyCode::Down => Typed::Step(false),
            _ => Typed::Nothing,
        }
    }
}
