//! Help: what every key does here and now, from the same rows that do it. Typing narrows it down.

use base::text::width::{pad, width};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseEvent, MouseEventKind};
use ratatui::{
    Frame,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    action::{Action, Cx, Row, Show, Surface, View, always, keymap},
    widgets::{
        input::{Answer, Prompt},
        list::{List, ListState},
        paint,
    },
};

/// Rows that belong together.
#[derive(Clone, Debug, Default)]
pub struct HelpSection {
    /// Their surface.
    pub title: String,
    /// With the keys in force.
    pub rows: Vec<Row>,
}

/// Splits the rows of a layer by the surfaces they come from, which their ids name; the layer's own title is `title`.
pub fn split(title: &str, rows: Vec<Row>, sections: &mut Vec<HelpSection>) {
    for row in rows {
        let surface = row.id.split_once('.').map_or(title, |(surface, _)| surface);
        match sections
            .iter_mut()
            .find(|s| s.title.eq_ignore_ascii_case(surface))
        {
            Some(section) => section.rows.push(row),
            None => sections.push(HelpSection {
                title: capital(surface),
                rows: vec![row],
            }),
        }
    }
}

fn capital(word: &str) -> String {
    let mut characters = word.chars();
    characters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(characters).collect()
    })
}

/// One line of the page.
enum Entry<'a> {
    Blank,
    Title(&'a str),
    Row(&'a Row),
}

/// The help overlay.
#[derive(Debug, Default)]
pub struct Help {
    sections: Vec<HelpSection>,
    filter: Prompt,
    list: ListState,
    /// Lines of the last frame.
    len: usize,
}

impl Help {
    /// Help on `sections`, the most particular first.
    pub fn new(sections: Vec<HelpSection>) -> Self {
        Self {
            sections,
            ..Self::default()
        }
    }

    fn scroll(&mut self, rows: isize) {
        self.list.scroll_by(rows, self.len);
    }

    fn entries(&self) -> Vec<Entry<'_>> {
        let words: Vec<String> = self
            .filter
            .text()
            .split_whitespace()
            .map(str::to_lowercase)
            .collect();
        let fits = |row: &Row| {
            let keys: Vec<String> = row
                .keys
                .iter()
                .map(|k| keymap::pretty(k).to_lowercase())
                .collect();
            words.iter().all(|word| {
                row.title.to_lowercase().contains(word)
                    || row.id.contains(word)
                    || keys.iter().any(|k| k.contains(word))
            })
        };
        let mut entries = Vec::new();
        for section in &self.sections {
            let rows: Vec<&Row> = section.rows.iter().filter(|row| fits(row)).collect();
            if rows.is_empty() {
                continue;
            }
            if !entries.is_empty() {
                entries.push(Entry::Blank);
            }
            entries.push(Entry::Title(&section.title));
            entries.extend(rows.into_iter().map(Entry::Row));
        }
        entries
    }
}

/// Keys that move in a list although text is wanted.
pub fn moves(key: KeyEvent) -> bool {
    matches!(
        key.code,
        KeyCode::Up | KeyCode::Down | KeyCode::PageUp | KeyCode::PageDown
    ) || (key.modifiers.contains(KeyModifiers::CONTROL)
        && matches!(key.code, KeyCode::Char('n' | 'p' | 'c' | 'z' | 'l')))
}

impl Surface for Help {
    const TITLE: &'static str = "Help";
    const ACTIONS: &'static [Action<Self>] = &[
        Action {
            id: "help.down",
            title: "down",
            keys: &["down", "ctrl-n"],
            show: Show::Footer,
            enabled: always,
            run: |s, _| s.scroll(1),
        },
        Action {
            id: "help.up",
            title: "up",
            keys: &["up", "ctrl-p"],
            show: Show::Footer,
            enabled: always,
            run: |s, _| s.scroll(-1),
        },
        Action {
            id: "help.page-down",
            title: "a page down",
            keys: &["pagedown"],
            show: Show::HelpOnly,
            enabled: always,
            run: |s, _| s.scroll(s.list.visible().len().saturating_sub(1) as isize),
        },
        Action {
            id: "help.page-up",
            title: "a page up",
            keys: &["pageup"],
            show: Show::HelpOnly,
            enabled: always,
            run: |s, _| s.scroll(-(s.list.visible().len().saturating_sub(1) as isize)),
        },
    ];

    fn wants_text(&self) -> bool {
        true
    }

    fn on_text(&mut self, key: KeyEvent, cx: &mut Cx<'_>) -> bool {
        if moves(key) || matches!(key.code, KeyCode::Enter | KeyCode::Esc | KeyCode::Tab) {
            return false;
        }
        match self.filter.key(key) {
            Answer::Changed => self.list = ListState::default(),
            Answer::Moved => {}
            _ => return false,
        }
        cx.redraw();
        true
    }

    fn on_mouse(&mut self, event: MouseEvent, cx: &mut Cx<'_>) -> bool {
        match event.kind {
            MouseEventKind::ScrollDown => self.scroll(3),
            MouseEventKind::ScrollUp => self.scroll(-3),
            _ => return false,
        }
        cx.redraw();
        true
    }

    fn render(&mut self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
        let look = view.look();
        let inner = super::page(frame.buffer_mut(), area, view, Self::TITLE, "Esc closes");
        let inner = paint::first(paint::from(inner, 1), inner.width.saturating_sub(2));
        let mark = format!("{} ", look.symbols.prompt);
        let cursor = self.filter.draw(
            frame.buffer_mut(),
            paint::row(inner, 0),
            &mark,
            "type to search actions, keys and names",
            look,
        );
        if let Some(cursor) = cursor {
            frame.set_cursor_position(cursor);
        }
        let mut list = std::mem::take(&mut self.list);
        let entries = self.entries();
        let key_cells = entries
            .iter()
            .filter_map(|e| match e {
                Entry::Row(row) => Some(width(&keys_of(row))),
                _ => None,
            })
            .max()
            .unwrap_or(0)
            .min(usize::from(inner.width) / 3);
        let rows = Rect {
            y: inner.y.saturating_add(2),
            height: inner.height.saturating_sub(2),
            ..inner
        };
        let empty = "No action fits. Delete some of the text, or close with Esc.";
        List::new(look, entries.len()).empty(empty).draw(
            frame.buffer_mut(),
            rows,
            &mut list,
            |row| match entries.get(row.index) {
                Some(Entry::Title(title)) => Line::styled(*title, look.theme.title_focused),
                Some(Entry::Row(action)) => {
                    let (style, why) = match action.enabled {
                        Ok(()) => (look.theme.text, String::new()),
                        Err(why) => (
                            look.theme.muted,
                            format!("  {} {why}", look.symbols.separator),
                        ),
                    };
                    Line::from(vec![
                        Span::styled(pad(&keys_of(action), key_cells), look.theme.key_hint_key),
                        Span::raw("  "),
                        Span::styled(action.title, style),
                        Span::styled(why, look.theme.muted),
                    ])
                }
                Some(Entry::Blank) | None => Line::default(),
            },
        );
        self.len = entries.len();
        self.list = list;
    }
}

fn keys_of(row: &Row) -> String {
    row.keys
        .iter()
        .map(keymap::pretty)
        .collect::<Vec<_>>()
        .join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Keys;

    #[test]
    fn rows_are_grouped_by_surface_and_narrowed_by_words() {
        let row = |id, title| Row {
            id,
            title,
            keys: Keys::Table(&["f10"]),
            show: Show::Footer,
            enabled: Ok(()),
        };
        let mut sections = Vec::new();
        split(
            "Debug",
            vec![
                row("scopes.expand", "expand"),
                row("debug.step-over", "step over"),
                row("debug.step-in", "step in"),
            ],
            &mut sections,
        );
        let titles: Vec<_> = sections.iter().map(|s| s.title.as_str()).collect();
        assert_eq!(titles, ["Scopes", "Debug"]);
        let mut help = Help::new(sections);
        assert_eq!(help.entries().len(), 6);
        help.filter.set_text("STEP ov");
        assert_eq!(help.entries().len(), 2);
        help.filter.set_text("f10 nonsense");
        assert_eq!(help.entries().len(), 0);
    }
}
