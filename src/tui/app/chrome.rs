//! What stands around every route: the header line, the footer or the last message, the box of a key sequence.
//!
//! Each hint that is drawn leaves its rectangle and its action behind; the mouse uses that list.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::App;
use crate::debugger::Severity;
use crate::text::width::width;
use crate::tui::action::{Row, Show, keymap};
use crate::tui::theme::{Look, Theme};
use crate::tui::widgets::footer::{self, Hint};
use crate::tui::widgets::panel::Panel;
use crate::tui::widgets::{paint, popup};

/// Below these, there is one line for everything, and keys.
const TINY: (u16, u16) = (40, 10);
/// Most continuations the infobox lists.
const MOST_CONTINUATIONS: usize = 12;

/// Whether a screen is too small for header and footer.
pub fn is_tiny(area: Rect) -> bool {
    area.width < TINY.0 || area.height < TINY.1
}

impl App {
    /// Draws everything.
    pub fn draw(&mut self, frame: &mut Frame<'_>) {
        let area = frame.area();
        self.targets.clear();
        if area.is_empty() {
            return;
        }
        let tiny = is_tiny(area);
        let body = if tiny {
            area
        } else {
            Rect {
                y: area.y + 1,
                height: area.height - 2,
                ..area
            }
        };
        if !tiny {
            self.draw_header(frame, paint::row(area, 0));
        }
        let focused = self.overlays.is_empty();
        let route = self.route;
        if let Some((_, layer)) = self.routes.iter_mut().find(|(id, _)| *id == route) {
            layer.draw(frame, body, &self.world.view(focused));
        }
        let last = self.overlays.len().saturating_sub(1);
        for (depth, layer) in self.overlays.iter_mut().enumerate() {
            layer.draw(frame, body, &self.world.view(depth == last));
        }
        if self.pending.is_shown() {
            self.draw_infobox(frame, body);
        }
        let bottom = paint::row(area, area.height - 1);
        if self.status.shown().is_some() {
            self.draw_status(frame, bottom);
        } else if !tiny {
            self.draw_footer(frame, bottom);
        }
    }

    fn look(&self) -> Look<'_> {
        Look {
            theme: &self.world.theme,
            symbols: &self.world.symbols,
        }
    }

    fn draw_header(&self, frame: &mut Frame<'_>, area: Rect) {
        let look = self.look();
        let buffer = frame.buffer_mut();
        let mut used =
            paint::text(buffer, paint::from(area, 1), "omp-debug", look.theme.accent) + 1;
        let view = self.world.view(false);
        let line = self
            .shown()
            .and_then(|route| route.header_line(&view))
            .unwrap_or_else(|| {
                let title = self.shown().map_or("", |route| route.title());
                Line::from(Span::styled(title, look.theme.muted))
            });
        used += 2;
        let room = paint::from(area, used);
        if paint::line_width(&line) <= usize::from(room.width) {
            paint::line(buffer, room, &line, 0);
        } else {
            let mark = look.symbols.ellipsis;
            let cells = width(mark) as u16;
            let drawn = paint::line(
                buffer,
                paint::first(room, room.width.saturating_sub(cells)),
                &line,
                0,
            );
            paint::text(buffer, paint::from(room, drawn), mark, look.theme.muted);
        }
    }

    fn draw_footer(&mut self, frame: &mut Frame<'_>, area: Rect) {
        let area = paint::from(area, 1);
        let rows: Vec<Row> = self
            .keymap
            .applied(self.rows())
            .into_iter()
            .filter(|row| row.show == Show::Footer && row.keys.first().is_some())
            .collect();
        let keys: Vec<String> = rows
            .iter()
            .map(|row| row.keys.first().map(keymap::pretty).unwrap_or_default())
            .collect();
        let hints: Vec<Hint<'_>> = rows
            .iter()
            .zip(&keys)
            .enumerate()
            .map(|(index, (row, key))| Hint {
                key,
                title: row.title,
                enabled: row.enabled.is_ok(),
                priority: match row.id {
                    // Who knows these two finds everything else.
                    "app.help" | "popup.close" => 0,
                    "app.palette" => 1,
                    _ => u8::try_from(index + 2).unwrap_or(u8::MAX),
                },
            })
            .collect();
        let places = footer::draw(frame.buffer_mut(), area, &hints, self.look());
        self.targets.extend(
            places
                .into_iter()
                .filter_map(|(place, index)| Some((place, rows.get(index)?.id))),
        );
    }

    fn draw_status(&mut self, frame: &mut Frame<'_>, area: Rect) {
        let Some(notice) = self.status.shown() else {
            return;
        };
        let look = self.look();
        let style = severity_style(notice.severity, look.theme);
        let mark = severity_mark(notice.severity, look);
        let buffer = frame.buffer_mut();
        paint::clear(buffer, area, look.theme.bar);
        let more = "M all messages";
        let more_cells = width(more) as u16;
        let roomy = area.width > more_cells + 40;
        let room = paint::from(area, 1);
        let room = if roomy {
            paint::first(room, room.width - more_cells - 3)
        } else {
            room
        };
        let mut used = paint::text(buffer, room, mark, style);
        used += paint::text(buffer, paint::from(room, used), " ", style);
        let times = match notice.times {
            1 => String::new(),
            n => format!(" ({n} times)"),
        };
        let text = format!("{}{times}", notice.text);
        let ellipsis = look.symbols.ellipsis;
        used += paint::text_cut(buffer, paint::from(room, used), &text, ellipsis, style);
        if let Some(hint) = &notice.hint {
            let hint = format!("  {hint}");
            paint::text_cut(
                buffer,
                paint::from(room, used),
                &hint,
                ellipsis,
                look.theme.muted,
            );
        }
        if roomy {
            let place = paint::last(area, more_cells + 1);
            let used = paint::text(buffer, place, "M", look.theme.key_hint_key);
            paint::text(
                buffer,
                paint::from(place, used),
                " all messages",
                look.theme.key_hint_text,
            );
            self.targets
                .push((paint::first(place, more_cells), "app.messages"));
        }
    }

    /// Which keys may follow.
    fn draw_infobox(&self, frame: &mut Frame<'_>, area: Rect) {
        let look = self.look();
        let rows = self.keymap.applied(self.rows());
        let pressed = self.pending.chords();
        let next = keymap::continuations(&rows, pressed);
        let shown: Vec<(String, &Row)> = next
            .into_iter()
            .take(MOST_CONTINUATIONS)
            .map(|(keys, row)| (keymap::pretty(&keys), row))
            .collect();
        let key_cells = shown.iter().map(|(k, _)| width(k)).max().unwrap_or(0);
        let text_cells = shown
            .iter()
            .map(|(_, row)| width(row.title))
            .max()
            .unwrap_or(0);
        let title = keymap::pretty(&keymap::write(pressed));
        let size = (
            (key_cells + text_cells + 6).max(title.len() + 8) as u16,
            shown.len() as u16 + 2,
        );
        let place = Rect {
            x: area.right().saturating_sub(size.0).max(area.x),
            y: area.bottom().saturating_sub(size.1).max(area.y),
            width: size.0.min(area.width),
            height: size.1.min(area.height),
        };
        let buffer = frame.buffer_mut();
        let inner = popup::draw(buffer, place, Panel::new(look, &title), look);
        for (index, (keys, row)) in shown.iter().enumerate() {
            let place = paint::from(paint::row(inner, index as u16), 1);
            paint::text(buffer, place, keys, look.theme.key_hint_key);
            let style = if row.enabled.is_ok() {
                look.theme.key_hint_text
            } else {
                look.theme.key_hint_disabled
            };
            let room = paint::from(place, key_cells as u16 + 2);
            paint::text_cut(buffer, room, row.title, look.symbols.ellipsis, style);
        }
    }
}

/// The style of a message.
pub fn severity_style(severity: Severity, theme: &Theme) -> ratatui::style::Style {
    match severity {
        Severity::Info => theme.info,
        Severity::Warning => theme.warning,
        Severity::Error => theme.error,
    }
}

/// The sign in front of a message, so that colour is not the only one.
pub fn severity_mark(severity: Severity, look: Look<'_>) -> &'static str {
    match severity {
        Severity::Info => look.symbols.separator,
        Severity::Warning => look.symbols.warning,
        Severity::Error => look.symbols.error,
    }
}
