//! What stands around every route: the header line, the footer or the last message, the box of a key sequence.
//!
//! Each hint that is drawn leaves its rectangle and its action behind; the mouse uses that list.

use super::{App, global::PRESSING};
use crate::{
    action::{Layer, Row, keymap},
    overlays::messages::severity_look,
    prelude::*,
    widgets::{
        footer::{self, Hint},
        panel::Panel,
    },
};

/// Below these, there is no header line.
const TINY: (u16, u16) = (40, 10);
/// From this height on there is room for a message beside the keys.
pub const ROOMY: u16 = 20;
/// Priority of hints that are left out first.
const LAST: u8 = u8::MAX;
/// Columns below which the bar's own keys fill the footer.
const NARROW: u16 = 60;
/// Of the screens that are too small for a header, those with a line to spare for keys.
pub const WITH_KEYS: u16 = 6;
/// Most continuations the infobox lists.
const MOST_CONTINUATIONS: usize = 12;

/// Whether a screen is too small for a header.
pub fn is_tiny(area: Rect) -> bool {
    area.width < TINY.0 || area.height < TINY.1
}

impl App {
    pub(super) fn draw_header(&self, canvas: &Canvas, area: Rect) {
        let mut used = canvas.text(area.after(1), "omp-debug", canvas.theme.accent) + 1;
        if let Some(host) = &self.world.host {
            let (text, style) = if self.host_ended {
                (format!(" in {host}, which has ended"), canvas.theme.warning)
            } else {
                (format!(" in {host}"), canvas.theme.muted)
            };
            used += canvas.text(area.after(used), &text, style);
        }
        let line = self
            .shown()
            .and_then(|route| route.header_line(canvas))
            .unwrap_or_else(|| {
                let title = self.shown().map_or("", |route| route.title());
                Line::from(Span::styled(title, canvas.theme.muted))
            });
        used += 2;
        let room = area.after(used);
        if paint::line_width(&line) <= usize::from(room.width) {
            canvas.line(room, &line, 0);
        } else {
            let mark = canvas.symbols.ellipsis;
            let cells = width(mark) as u16;
            let drawn = canvas.line(room.first(room.width.saturating_sub(cells)), &line, 0);
            canvas.text(room.after(drawn), mark, canvas.theme.muted);
        }
    }

    pub(super) fn draw_footer(&mut self, canvas: &Canvas, area: Rect) {
        let area = area.after(1);
        let typing = if self.types_into_route() {
            self.shown().map_or(&[][..], Layer::typing)
        } else {
            &[]
        };
        let mut rows = self.footer_rows();
        rows.retain(|(_, key)| typing.iter().all(|(said, _)| *said != keymap::pretty(key)));
        let keys: Vec<String> = rows.iter().map(|(_, key)| keymap::pretty(key)).collect();
        let typed = typing.iter().map(|(key, title)| Hint {
            key,
            title,
            enabled: true,
            priority: 0,
        });
        let acts = rows
            .iter()
            .zip(&keys)
            .enumerate()
            .map(|(index, ((row, _), key))| {
                let (title, priority) = match row.show {
                    Show::Bar(short) if PRESSING.contains(&row.id) => (short, 0),
                    Show::Bar(short) => (short, 2),
                    // Who knows this one finds everything else, so that it stays where the bar alone would fill the row.
                    _ if row.id == "app.palette" => {
                        (row.title, if area.width < NARROW { 1 } else { 3 })
                    }
                    _ => (row.title, u8::try_from(index + 4).unwrap_or(LAST)),
                };
                let enabled = row.enabled.is_ok();
                // The bar stays as it is from step to step; of the others, what cannot be done makes room.
                let priority = if enabled || priority < 4 {
                    priority
                } else {
                    LAST
                };
                Hint {
                    key,
                    title,
                    enabled,
                    priority,
                }
            });
        let hints: Vec<Hint<'_>> = typed.chain(acts).collect();
        let places = footer::draw(&mut canvas.cells(), area, &hints, canvas.look());
        self.targets
            .extend(places.into_iter().filter_map(|(place, index)| {
                let (row, _) = rows.get(index.checked_sub(typing.len())?)?;
                Some((place, row.id))
            }));
    }

    /// Whether keys are text for what the route shows.
    fn types_into_route(&self) -> bool {
        self.overlays.is_empty() && self.shown().is_some_and(Layer::text_wanted)
    }

    /// The rows that the footer offers, and the key to show for each: the bar first, then what has the focus.
    fn footer_rows(&self) -> Vec<(Row, String)> {
        let popup = !self.overlays.is_empty();
        let top = self
            .overlays
            .last()
            .map(AsRef::as_ref)
            .or_else(|| self.shown());
        let typing = top.is_some_and(Layer::text_wanted);
        if top.is_some_and(Layer::every_key_taken) {
            return Vec::new();
        }
        let mut taken: Vec<String> = Vec::new();
        let mut shown = Vec::new();
        for row in self.keymap.applied(self.rows()) {
            let usable = |key: &&str| !typing || is_function_key(key) || popup && key.len() > 1;
            let key = row.keys.iter().find(usable).map(ToOwned::to_owned);
            // A key means its most particular row; the others would only repeat it.
            let fresh = key.filter(|key| !taken.contains(key));
            taken.extend(row.keys.iter().map(ToOwned::to_owned));
            let offered = row.show != Show::HelpOnly && (row.enabled.is_ok() || !popup);
            if let Some(key) = fresh.filter(|_| offered) {
                shown.push((row, key));
            }
        }
        shown.sort_by_key(|(row, _)| match row.show {
            Show::Bar(_) if popup || row.id.starts_with("app.") => 2,
            Show::Bar(_) => 0,
            _ => u8::from(!popup),
        });
        shown
    }

    pub(super) fn draw_status(&mut self, canvas: &Canvas, area: Rect) {
        let Some(notice) = self.status.shown() else {
            return;
        };
        let (mark, style) = severity_look(notice.severity, canvas.look());
        canvas.clear(area, canvas.theme.bar);
        let more = "M all messages";
        let more_cells = width(more) as u16;
        let roomy = area.width > more_cells + 40;
        let room = area.after(1);
        let room = if roomy {
            room.first(room.width - more_cells - 3)
        } else {
            room
        };
        let mut used = canvas.text(room, mark, style);
        used += canvas.text(room.after(used), " ", style);
        let text = format!("{}{}", notice.text, notice.repeated());
        used += canvas.cut(room.after(used), &text, style);
        if let Some(hint) = &notice.hint {
            let hint = format!("  {hint}");
            canvas.cut(room.after(used), &hint, canvas.theme.muted);
        }
        if roomy {
            let place = area.last(more_cells + 1);
            let used = canvas.text(place, "M", canvas.theme.key_hint_key);
            canvas.text(
                place.after(used),
                " all messages",
                canvas.theme.key_hint_text,
            );
            self.targets.push((place.first(more_cells), "app.messages"));
        }
    }

    /// Which keys may follow.
    pub(super) fn draw_infobox(&self, canvas: &Canvas, area: Rect) {
        let rows = self.keymap.applied(self.rows());
        let pressed = &self.pending.chords;
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
        let inner = room::popup(canvas, place, Panel::new(canvas.look(), &title));
        for (index, (keys, row)) in shown.iter().enumerate() {
            let place = inner.row(index as u16).after(1);
            canvas.text(place, keys, canvas.theme.key_hint_key);
            let style = if row.enabled.is_ok() {
                canvas.theme.key_hint_text
            } else {
                canvas.theme.key_hint_disabled
            };
            let room = place.after(key_cells as u16 + 2);
            canvas.cut(room, row.title, style);
        }
    }
}

/// Whether a key is none of those that write or edit text.
fn is_function_key(key: &str) -> bool {
    let key = key.trim_start_matches("shift-");
    key.strip_prefix('f').is_some_and(|number| {
        !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit())
    })
}
