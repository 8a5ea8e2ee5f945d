//! The palette: every action that is offered here, found by a few of its letters, with its keys and why it is not possible now.

use base::text::width::width;
use crossterm::event::{KeyCode, KeyEvent, MouseButton, MouseEvent, MouseEventKind};
use debugger::Command;
use nucleo_matcher::{
    Config, Matcher, Utf32Str,
    pattern::{CaseMatching, Normalization, Pattern},
};
use ratatui::{
    Frame,
    layout::Rect,
    text::{Line, Span},
};

use super::help::moves;
use crate::{
    action::{Action, Cx, Row, Show, Surface, View, always, keymap},
    app::effect::Effect,
    widgets::{
        input::{Answer, Prompt},
        list::{List, ListState},
        paint,
    },
};

/// Where ids used before are kept with the project, newest last.
pub const MEMORY: &str = "palette";
/// Ids kept.
const RECENT: usize = 20;

/// The palette.
#[derive(Debug, Default)]
pub struct Palette {
    rows: Vec<Row>,
    recent: Vec<String>,
    query: Prompt,
    /// Numbers of the rows that fit, best first.
    found: Vec<usize>,
    list: ListState,
}

impl Palette {
    /// Offers `rows`; `recent` are ids used before, newest last.
    pub fn new(rows: Vec<Row>, recent: Vec<String>) -> Self {
        let mut once: Vec<Row> = Vec::with_capacity(rows.len());
        for row in rows {
            if row.id != "app.palette" && once.iter().all(|r| r.id != row.id) {
                once.push(row);
            }
        }
        let mut palette = Self {
            rows: once,
            recent,
            ..Self::default()
        };
        palette.search();
        palette
    }

    fn search(&mut self) {
        let age = |row: &Row| {
            self.recent
                .iter()
                .rev()
                .position(|id| id == row.id)
                .unwrap_or(usize::MAX)
        };
        let query = self.query.text().trim();
        let mut found: Vec<(u32, usize, usize)> = if query.is_empty() {
            self.rows
                .iter()
                .enumerate()
                .map(|(index, row)| (0, age(row), index))
                .collect()
        } else {
            let pattern = Pattern::parse(query, CaseMatching::Ignore, Normalization::Smart);
            let mut matcher = Matcher::new(Config::DEFAULT);
            let mut buffer = Vec::new();
            self.rows
                .iter()
                .enumerate()
                .filter_map(|(index, row)| {
                    let mut score =
                        |text| pattern.score(Utf32Str::new(text, &mut buffer), &mut matcher);
                    // A fitting title is worth more than a fitting id.
                    let best = score(row.title).map(|s| s + 20).max(score(row.id))?;
                    Some((best, age(row), index))
                })
                .collect()
        };
        found.sort_by_key(|(score, age, index)| (std::cmp::Reverse(*score), *age, *index));
        self.found = found.into_iter().map(|(_, _, index)| index).collect();
        self.list = ListState::default();
        self.list.home(self.found.len());
    }

    fn chosen(&self) -> Option<&Row> {
        self.rows.get(*self.found.get(self.list.selected()?)?)
    }

    fn run(&mut self, cx: &mut Cx<'_>) {
        let Some(id) = self.chosen().map(|row| row.id) else {
            return;
        };
        let mut recent = std::mem::take(&mut self.recent);
        recent.retain(|r| r != id);
        recent.push(id.to_owned());
        let old = recent.len().saturating_sub(RECENT);
        recent.drain(..old);
        cx.emit(Effect::Close);
        cx.emit(Effect::core(Command::Remember {
            key: MEMORY.to_owned(),
            values: recent,
        }));
        cx.emit(Effect::Invoke(id.to_owned()));
    }
}

impl Surface for Palette {
    const TITLE: &'static str = "Actions";
    const ACTIONS: &'static [Action<Self>] = &[
        Action {
            id: "palette.run",
            title: "run",
            keys: &["enter"],
            show: Show::Footer,
            enabled: |s, _| s.chosen().map(|_| ()).ok_or("nothing fits"),
            run: Self::run,
        },
        Action {
            id: "palette.down",
            title: "down",
            keys: &["down", "ctrl-n"],
            show: Show::Footer,
            enabled: always,
            run: |s, _| s.list.move_by(1, s.found.len()),
        },
        Action {
            id: "palette.up",
            title: "up",
            keys: &["up", "ctrl-p"],
            show: Show::Footer,
            enabled: always,
            run: |s, _| s.list.move_by(-1, s.found.len()),
        },
        Action {
            id: "palette.page-down",
            title: "a page down",
            keys: &["pagedown"],
            show: Show::HelpOnly,
            enabled: always,
            run: |s, _| s.list.page_by(1, s.found.len()),
        },
        Action {
            id: "palette.page-up",
            title: "a page up",
            keys: &["pageup"],
            show: Show::HelpOnly,
            enabled: always,
            run: |s, _| s.list.page_by(-1, s.found.len()),
        },
    ];

    fn wants_text(&self) -> bool {
        true
    }

    fn on_text(&mut self, key: KeyEvent, cx: &mut Cx<'_>) -> bool {
        if moves(key) || matches!(key.code, KeyCode::Enter | KeyCode::Esc | KeyCode::Tab) {
            return false;
        }
        match self.query.key(key) {
            Answer::Changed => self.search(),
            Answer::Moved => {}
            _ => return false,
        }
        cx.redraw();
        true
    }

    fn on_paste(&mut self, text: &str, cx: &mut Cx<'_>) -> bool {
        self.query.paste(text);
        self.search();
        cx.redraw();
        true
    }

    fn on_mouse(&mut self, event: MouseEvent, cx: &mut Cx<'_>) -> bool {
        match event.kind {
            MouseEventKind::ScrollDown => self.list.scroll_by(3, self.found.len()),
            MouseEventKind::ScrollUp => self.list.scroll_by(-3, self.found.len()),
            MouseEventKind::Down(MouseButton::Left) => {
                let Some(row) = self.list.row_at(event.column, event.row) else {
                    return false;
                };
                self.list.select(Some(row));
                self.run(cx);
            }
            _ => return false,
        }
        cx.redraw();
        true
    }

    fn render(&mut self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
        let look = view.look();
        let count = format!("{} of {}", self.found.len(), self.rows.len());
        let inner = super::page(frame.buffer_mut(), area, view, Self::TITLE, &count);
        let inner = paint::first(paint::from(inner, 1), inner.width.saturating_sub(2));
        let mark = format!("{} ", look.symbols.prompt);
        let cursor = self.query.draw(
            frame.buffer_mut(),
            paint::row(inner, 0),
            &mark,
            "type some letters of what you want",
            look,
        );
        if let Some(cursor) = cursor {
            frame.set_cursor_position(cursor);
        }
        let rows = Rect {
            y: inner.y.saturating_add(2),
            height: inner.height.saturating_sub(2),
            ..inner
        };
        let (all, found) = (&self.rows, &self.found);
        List::new(look, found.len())
            .empty("No action fits. Delete some of the text, or close with Esc.")
            .draw(frame.buffer_mut(), rows, &mut self.list, |row| {
                found
                    .get(row.index)
                    .and_then(|index| all.get(*index))
                    .map_or_else(Line::default, |action| {
                        line(action, usize::from(row.width), view)
                    })
            });
    }
}

/// Title, why not, id, keys at the right; what does not fit is left out from the middle.
fn line<'r>(row: &'r Row, room: usize, view: &View<'_>) -> Line<'r> {
    let look = view.look();
    let keys: Vec<String> = row.keys.iter().take(2).map(keymap::pretty).collect();
    let keys = keys.join(", ");
    let (style, why) = match row.enabled {
        Ok(()) => (look.theme.text, String::new()),
        Err(why) => (
            look.theme.muted,
            format!("  {} {why}", look.symbols.separator),
        ),
    };
    let mut spans = vec![Span::styled(row.title, style)];
    let mut left = room.saturating_sub(width(row.title) + width(&keys) + 1);
    let id = format!("  {}", row.id);
    for (text, style) in [(why, look.theme.muted), (id, look.theme.muted)] {
        let cells = width(&text);
        if cells <= left {
            left -= cells;
            spans.push(Span::styled(text, style));
        }
    }
    spans.push(Span::raw(" ".repeat(left + 1)));
    spans.push(Span::styled(keys, look.theme.key_hint_key));
    Line::from(spans)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Keys;

    fn rows() -> Vec<Row> {
        [
            ("debug.step-over", "step over"),
            ("debug.step-out", "step out"),
            ("debug.continue", "continue"),
            ("app.quit", "quit"),
            ("debug.continue", "continue"),
        ]
        .map(|(id, title)| Row {
            id,
            title,
            keys: Keys::Table(&[]),
            show: Show::Footer,
            enabled: Ok(()),
        })
        .to_vec()
    }

    fn ids(palette: &Palette) -> Vec<&str> {
        palette.found.iter().map(|i| palette.rows[*i].id).collect()
    }

    #[test]
    fn recent_ones_come_first_and_letters_find() {
        let mut palette = Palette::new(
            rows(),
            vec!["debug.continue".into(), "app.quit".into(), "gone".into()],
        );
        assert_eq!(
            ids(&palette),
            [
                "app.quit",
                "debug.continue",
                "debug.step-over",
                "debug.step-out"
            ]
        );
        palette.query.set_text("stou");
        palette.search();
        assert_eq!(ids(&palette), ["debug.step-out"]);
        palette.query.set_text("zzz");
        palette.search();
        assert_eq!(palette.chosen(), None);
    }
}
