//! What is typed in the pane's last row: a search, a line number.

use super::{
    SourcePane,
    document::Document,
    search::{Prompt, Search, line_meant},
};
use crate::debug_prelude::*;

impl SourcePane {
    pub(super) fn search(&mut self) {
        let at = self.document().map_or(0, Document::byte);
        self.prompt = Prompt::Search(Field::default(), at);
        self.with(|d| d.search = None);
    }

    pub(super) fn search_now(&mut self, query: &str, from: usize) {
        self.with(|d| {
            let Some(text) = d.text().cloned() else {
                return;
            };
            let search = Search::new(query, &text.content, from);
            d.move_to_byte(search.current().map_or(from, |m| m.start));
            d.search = Some(search);
        });
    }

    pub(super) fn step_match(&mut self, forward: bool) {
        self.with(|d| {
            if let Some(search) = &mut d.search {
                search.step(forward);
                if let Some(at) = search.current() {
                    d.move_to_byte(at.start);
                }
            }
        });
    }

    pub(super) fn search_key(&mut self, mut input: Field, from: usize, key: KeyEvent) {
        match key.code {
            KeyCode::Esc => {
                self.with(|d| {
                    d.search = None;
                    d.move_to_byte(from);
                });
                return;
            }
            KeyCode::Enter => {
                if input.text().is_empty() {
                    input.set(&self.last_query);
                    self.search_now(input.text(), from);
                } else {
                    input.text().clone_into(&mut self.last_query);
                }
                self.prompt = Prompt::Browse(input);
                return;
            }
            KeyCode::Up => self.step_match(false),
            KeyCode::Down => self.step_match(true),
            _ => {
                if input.key(key) {
                    self.search_now(input.text(), from);
                }
            }
        }
        self.prompt = Prompt::Search(input, from);
    }

    pub(super) fn goto_key(&mut self, mut input: Field, from: usize, key: KeyEvent) {
        match key.code {
            KeyCode::Enter => return,
            KeyCode::Esc => {
                return self.with(|d| d.go_to(from));
            }
            KeyCode::Char('g') if input.text().is_empty() => {
                return self.with(|d| d.go_to(0));
            }
            KeyCode::Char(c) if !c.is_ascii_digit() && c != '%' => {}
            _ => {
                input.key(key);
                self.with(|d| {
                    let lines = d.text().map_or(0, |t| t.len());
                    d.go_to(line_meant(input.text(), lines).unwrap_or(from));
                });
            }
        }
        self.prompt = Prompt::Goto(input, from);
    }
}
