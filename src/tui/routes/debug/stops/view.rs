//! How the stops look: a row each with what changed first, and below the list all that changed at the selected one.

use debugger::{
    Outcome, WatchId,
    history::{Difference, PastStop, ValueChange},
    state::stop_word,
};

use super::{StopsPane, place, shown};
use crate::debug_prelude::*;
use base::text::width::width as cells_of;

/// Fewest rows of a pane that has room for the changes below its list.
const WITH_CHANGES: u16 = 8;
/// From this width on the place has a column of its own.
const WIDE: u16 = 100;
/// From this width on sessions are named, and not only numbered.
const NAMED: u16 = 72;
/// Cells of the place at most, and where there is little room.
const PLACE: usize = 36;
const NARROW: usize = 24;
/// Cells of a watch's value at most, and at least where it is cut.
const VALUE: usize = 20;
const LEAST_VALUE: usize = 8;
/// For a watch that was not evaluated at a stop.
const UNREAD: &str = "not read";

impl StopsPane {
    pub(super) fn draw(&mut self, canvas: &Canvas, area: Rect) {
        let count = self.table.stops.last().map_or(0, |stop| stop.number);
        let badge = match (count, self.table.let_go) {
            (0, _) => String::new(),
            (count, 0) => count.to_string(),
            (count, gone) => format!("{count}, the first {gone} not kept"),
        };
        let remark =
            shown(canvas).map(|number| format!("looking back at {number}, Backspace: now"));
        let inner = panel(
            canvas,
            area,
            Self::TITLE,
            &badge,
            &remark.unwrap_or_default(),
        );
        if self.table.stops.is_empty() {
            let lines = ["No stop yet", "F9 sets a breakpoint, F6 pauses"];
            return empty(canvas, inner, &lines);
        }
        let changes = self.selected().map(changes_of).unwrap_or_default();
        let room = match inner.height {
            height if height >= WITH_CHANGES => (height / 2).min(changes.len() as u16),
            _ => 0,
        };
        let places = place_cells(&self.table.stops, inner.width);
        let before = before_values(&self.table.stops, inner.width) + places;
        let columns = self.columns(usize::from(inner.width).saturating_sub(before), canvas);
        let title = u16::from(!columns.is_empty());
        if title > 0 {
            draw_title(canvas, inner.row(0), before, &columns);
        }
        let rows = (inner.height - room).saturating_sub(title);
        let rows = top(inner.below(title), rows);
        let (table, now) = (&self.table, shown(canvas));
        let start = table.stops.first().and_then(|stop| stop.at);
        list_of(canvas, table.stops.len()).lines(canvas, rows, &mut self.list, |row, cells| {
            let Some(stop) = table.stops.get(row.index) else {
                return;
            };
            let mark = if now == Some(stop.number) {
                canvas.symbols.frame_arrow
            } else if table.here == Some(stop.number) {
                canvas.symbols.arrow
            } else {
                " "
            };
            // The selected row has looks of its own.
            let plain = row.selected && canvas.focused;
            let before = row.index.checked_sub(1).and_then(|at| table.stops.get(at));
            let values = (before, &columns[..]);
            draw_row(stop, (mark, start), places, values, plain, cells);
        });
        for (at, text) in changes.iter().take(usize::from(room)).enumerate() {
            let last = at + 1 == usize::from(room) && changes.len() > usize::from(room);
            let text = if last {
                format!("and {} more", changes.len() - at)
            } else {
                text.clone()
            };
            let place = inner.row(rows.height + title + at as u16);
            cut_line(canvas, place.after(2), &text, canvas.theme.changed_value);
        }
    }
}

/// A watch's column: which, what it is called, and how wide it is.
type Column = (WatchId, String, usize);

impl StopsPane {
    /// A column for each watch, as far as there is room.
    fn columns(&self, mut room: usize, view: &View) -> Vec<Column> {
        let mut columns = Vec::new();
        for watch in &view.state.watches {
            let name = clean(&watch.expression);
            let values = self
                .table
                .stops
                .iter()
                .filter_map(|stop| stop.watches.get(&watch.id));
            let values = values.map(|value| cells_of(&sanitise(text_of(value).0)) + 1);
            let wide = values.chain([cells_of(&name), UNREAD.len()]).max();
            let wide = wide.unwrap_or_default().min(VALUE);
            if room < wide.min(LEAST_VALUE) {
                break;
            }
            let wide = wide.min(room);
            room = room.saturating_sub(wide + 2);
            columns.push((watch.id, name, wide));
        }
        columns
    }
}

/// Cells of the longest place, as far as there is room for it.
fn place_cells(stops: &[PastStop], width: u16) -> usize {
    let most = if width >= WIDE { PLACE } else { NARROW };
    let places = stops.iter().map(|stop| cells_of(&sanitise(&place(stop))));
    places.max().unwrap_or_default().min(most)
}

/// Cells of a row before the values of watches, without the place.
fn before_values(stops: &[PastStop], width: u16) -> usize {
    let session = stops.iter().any(|stop| stop.session.is_some());
    let session = match (session, width >= NAMED) {
        (false, _) => 0,
        (true, true) => 29,
        (true, false) => 10,
    };
    let since = if width >= WIDE { 11 } else { 0 };
    18 + session + since + 2
}

fn draw_title(canvas: &Canvas, row: Rect, before: usize, columns: &[Column]) {
    let mut cells = canvas.cells_at(row);
    cells.skip(before);
    for (_, name, wide) in columns {
        cells.column(name, *wide, canvas.theme.title).skip(2);
    }
    cells.draw(canvas, row);
}

fn text_of(value: &Outcome) -> (&str, bool) {
    match value {
        Outcome::Value(text) => (text, true),
        Outcome::Error(why) => (why, false),
    }
}

fn draw_row(
    stop: &PastStop,
    (mark, start): (&str, Option<u64>),
    places: usize,
    (before, columns): (Option<&PastStop>, &[Column]),
    plain: bool,
    cells: &mut Cells,
) {
    let (view, width) = (cells.view.clone(), cells.room() as u16);
    let theme = &view.theme;
    let muted = theme.text_if(plain);
    let printed = match stop.printed {
        0 => String::new(),
        bytes => format!("{bytes} B printed"),
    };
    if width >= WIDE {
        cells.right(&printed, muted);
    }
    cells.put(mark, theme.arrow).skip(1);
    cells.column(&stop.number.to_string(), 4, theme.text);
    if width >= WIDE {
        let since = stop.at.zip(start).map(|(at, start)| since(start, at));
        cells.column(&since.unwrap_or_default(), 11, muted);
    }
    if let Some(session) = stop.session {
        let name = view.state.session(session).map(session_row::title);
        let title = name.unwrap_or_else(|| session.to_string());
        let (text, cut) = if width >= NAMED {
            (title, 28)
        } else {
            (session.to_string(), 9)
        };
        cells.column(&text, cut, theme.text).skip(1);
    }
    cells
        .column(stop_word(&stop.reason), 11, theme.info)
        .skip(1);
    let place = place(stop);
    if width < WIDE && columns.is_empty() {
        cells.text(&place);
    } else {
        cells.column(&place, places, theme.text);
    }
    cells.skip(2);
    for (watch, _, wide) in columns {
        let value = stop.watches.get(watch);
        let old = before.and_then(|stop| stop.watches.get(watch));
        // Seen in any colours.
        let mark = if old.is_some() && value.is_some() && old != value {
            "*"
        } else {
            ""
        };
        let (text, style) = match value.map(text_of) {
            None => (UNREAD, muted),
            Some((why, false)) => (why, theme.warning),
            Some((text, true)) if mark.is_empty() || plain => (text, theme.text),
            Some((text, true)) => (text, theme.changed_value),
        };
        // The sign is not what is cut.
        let text = cut(text, wide.saturating_sub(mark.len()), &view);
        cells.column(&format!("{text}{mark}"), *wide, style).skip(2);
    }
    let changes = changes_of(stop).join("  ");
    cells.put(
        &changes,
        if plain {
            theme.text
        } else {
            theme.changed_value
        },
    );
}

/// `+1.204 s` from the first stop on.
fn since(start: u64, at: u64) -> String {
    let ms = at.saturating_sub(start);
    format!("+{}.{:03} s", ms / 1000, ms % 1000)
}

/// `total 0 -> 20`.
fn change(change: &ValueChange) -> String {
    let name = &change.name;
    match (&change.old, &change.new) {
        (Some(old), Some(new)) => format!("{name} {old} -> {new}"),
        (None, Some(new)) => format!("{name} = {new}"),
        (Some(_), None) => format!("{name} gone"),
        (None, None) => name.clone(),
    }
}

pub fn changes_of(stop: &PastStop) -> Vec<String> {
    match &stop.difference {
        Difference::Unknown => Vec::new(),
        Difference::OtherFunction => vec!["another function".to_owned()],
        Difference::Locals { changes, more } => {
            let mut told: Vec<String> = changes.iter().map(change).collect();
            if *more > 0 {
                told.push(format!("and {more} more"));
            }
            told
        }
    }
}
