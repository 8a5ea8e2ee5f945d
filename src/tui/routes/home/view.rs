//! Draws the selector: entries at the left, the first minute at the right.

use base::text::width::{pad, truncate_start};

use super::model::{Item, Model};
use crate::prelude::*;

/// From this width on there is room for the tips.
const WITH_TIPS: u16 = 104;
/// Cells of the column with the tips.
const TIPS: u16 = 40;
/// From this height on there is room for air.
const AIRY: u16 = 22;
/// Below this height, there is room for the rows alone.
const SMALL: u16 = 10;
/// Cells of the column with names.
const NAME: usize = 17;
/// Most cells of a row.
const LIST: u16 = 112;

/// Keys of the first minute in the debugger.
const FIRST_MINUTE: [(&str, &str); 8] = [
    ("F9", "breakpoint at the cursor"),
    ("F5", "run, and go on after a stop"),
    ("F10", "step over a call"),
    ("F11", "step into it; Shift-F11 out"),
    ("p", "look into a value"),
    ("w", "watch an expression"),
    ("?", "what every key does here"),
    (":", "find any action by name"),
];

/// Draws and says where the entries are.
pub fn draw(canvas: &Canvas, area: Rect, model: &Model) -> Vec<(Rect, usize)> {
    if area.is_empty() {
        return Vec::new();
    }
    if area.height < SMALL {
        return rows_only(canvas, area, model);
    }
    let airy = area.height >= AIRY;
    let margin = if area.width >= 60 { 3 } else { 1 };
    let inner = area.first(area.width.saturating_sub(1)).after(margin);
    let inner = if airy { inner.below(2) } else { inner };
    let tips = inner.width + margin >= WITH_TIPS;
    let list = if tips {
        inner.first(inner.width - TIPS - 4)
    } else {
        inner
    };
    let hits = entries(canvas, list.first(LIST), model, airy);
    if tips {
        first_minute(canvas, inner.last(TIPS));
    }
    hits
}

fn entries(canvas: &Canvas, area: Rect, model: &Model, airy: bool) -> Vec<(Rect, usize)> {
    let look = canvas.look();
    // Where not all has room, what is chosen is in sight.
    let above = 1 + 2 * u16::from(airy);
    let gap = if model.cursor < model.begin().len() {
        0
    } else {
        2 + u16::from(airy)
    };
    let hidden = (model.cursor as u16 + above + gap + 1).saturating_sub(area.height);
    let mut page = Page {
        area,
        row: 0,
        hidden,
    };
    if airy {
        canvas.text(
            page.next(),
            "What would you like to look into?",
            look.theme.title,
        );
        page.skip(1);
    }
    let mut hits = Vec::new();
    heading(canvas, &mut page, "Start", "");
    for (index, item) in model.begin().iter().enumerate() {
        let row = page.next();
        entry(canvas, row, item, model.cursor == index);
        hits.push((row, index));
    }
    page.skip(u16::from(airy) + 1);
    let recents = model.recents();
    let project = canvas.project.display().to_string();
    heading(canvas, &mut page, "Recent in", &project);
    if recents.is_empty() {
        let line = "Nothing yet. What you start here is offered again next time.";
        canvas.cut(page.next().after(2), line, look.theme.muted);
    }
    for (nth, item) in recents.iter().enumerate() {
        let index = model.begin().len() + nth;
        let row = page.next();
        entry(canvas, row, item, model.cursor == index);
        hits.push((row, index));
    }
    if page.row.saturating_sub(hidden) > area.height {
        let mark = canvas.symbols.ellipsis;
        canvas.text(
            area.row(area.height.saturating_sub(1)).last(1),
            mark,
            look.theme.muted,
        );
    }
    hits.retain(|(row, _)| !row.is_empty());
    hits
}

fn heading(canvas: &Canvas, page: &mut Page, title: &str, path: &str) {
    let look = canvas.look();
    let row = page.next();
    let used = canvas.text(row, title, look.theme.accent);
    if !path.is_empty() {
        let room = row.after(used + 1);
        let (path, _) = truncate_start(path, usize::from(room.width));
        canvas.text(room, &path, look.theme.muted);
    }
}

fn entry(canvas: &Canvas, row: Rect, item: &Item, selected: bool) {
    let look = canvas.look();
    // The selected row is one calm bar: colours of its parts would show through a reversed style as patches.
    let bar = if canvas.focused {
        look.theme.selection
    } else {
        look.theme.selection_unfocused
    };
    let style = |style| if selected { bar } else { style };
    if selected {
        canvas.clear(row, bar);
    }
    let mark = if selected { look.symbols.prompt } else { " " };
    canvas.text(row, mark, style(look.theme.accent));
    let key = style(look.theme.key_hint_key);
    canvas.text(row.after(2), item.key, key);

    let name = pad(&item.name, NAME.max(width(&item.name)));
    let room = row.after(5);
    let used = canvas.cut(room, &name, style(look.theme.text));
    canvas.cut(room.after(used + 2), &item.about, style(look.theme.muted));
}

fn first_minute(canvas: &Canvas, area: Rect) {
    let look = canvas.look();
    let bar = area.first(1);
    let mut page = Page {
        area: area.after(3),
        row: 0,
        hidden: 0,
    };
    canvas.text(page.next(), "The first minute", look.theme.accent);
    page.skip(1);
    for (key, what) in FIRST_MINUTE {
        let row = page.next();
        canvas.text(row, key, look.theme.key_hint_key);
        canvas.cut(row.after(5), what, look.theme.text);
    }
    page.skip(1);
    let end = "From the shell: omp-debug PROGRAM";
    canvas.cut(page.next(), end, look.theme.muted);
    for row in 0..page.row.min(area.height) {
        let place = bar.row(row);
        canvas.text(place, look.symbols.vertical, look.theme.border);
    }
}

/// Of a list that has no room for air and headings, the rows around the cursor.
fn rows_only(canvas: &Canvas, area: Rect, model: &Model) -> Vec<(Rect, usize)> {
    let height = usize::from(area.height);
    let first = (model.cursor + 1).saturating_sub(height);
    let items = model.begin().iter().chain(model.recents());
    let mut hits = Vec::new();
    for (row, (index, item)) in (0..area.height).zip(items.enumerate().skip(first)) {
        let place = area.row(row);
        entry(canvas, place, item, model.cursor == index);
        hits.push((place, index));
    }
    hits
}

/// Hands out rows from the top, empty ones for those that are hidden above it.
struct Page {
    area: Rect,
    row: u16,
    hidden: u16,
}

impl Page {
    fn next(&mut self) -> Rect {
        let row = self.row.checked_sub(self.hidden);
        self.row = self.row.saturating_add(1);
        row.map_or_else(Rect::default, |row| self.area.row(row))
    }

    fn skip(&mut self, rows: u16) {
        self.row = self.row.saturating_add(rows);
    }
}
