//! Draws the selector: entries at the left, the first minute at the right.

use base::text::width::{pad, truncate_start};

use super::model::{Item, Model};
use crate::kit::prelude::*;

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
pub fn draw(buffer: &mut Buffer, area: Rect, model: &Model, view: &View) -> Vec<(Rect, usize)> {
    if area.is_empty() {
        return Vec::new();
    }
    if area.height < SMALL {
        return rows_only(buffer, area, model, view);
    }
    let airy = area.height >= AIRY;
    let margin = if area.width >= 60 { 3 } else { 1 };
    let inner = paint::from(paint::first(area, area.width.saturating_sub(1)), margin);
    let inner = if airy { paint::below(inner, 2) } else { inner };
    let tips = inner.width + margin >= WITH_TIPS;
    let list = if tips {
        paint::first(inner, inner.width - TIPS - 4)
    } else {
        inner
    };
    let hits = entries(buffer, paint::first(list, LIST), model, view, airy);
    if tips {
        first_minute(buffer, paint::last(inner, TIPS), view);
    }
    hits
}

fn entries(
    buffer: &mut Buffer,
    area: Rect,
    model: &Model,
    view: &View,
    airy: bool,
) -> Vec<(Rect, usize)> {
    let look = view.look();
    let mut page = Page { area, row: 0 };
    if airy {
        paint::text(
            buffer,
            page.next(),
            "What would you like to look into?",
            look.theme.title,
        );
        page.skip(1);
    }
    let mut hits = Vec::new();
    heading(buffer, &mut page, "Start", "", view);
    for (index, item) in model.begin().iter().enumerate() {
        let row = page.next();
        entry(buffer, row, item, model.cursor == index, view);
        hits.push((row, index));
    }
    page.skip(u16::from(airy) + 1);
    let recents = model.recents();
    let project = view.project.display().to_string();
    heading(buffer, &mut page, "Recent in", &project, view);
    if recents.is_empty() {
        let line = "Nothing yet. What you start here is offered again next time.";
        look.cut(buffer, paint::from(page.next(), 2), line, look.theme.muted);
    }
    for (nth, item) in recents.iter().enumerate() {
        let index = model.begin().len() + nth;
        let row = page.next();
        entry(buffer, row, item, model.cursor == index, view);
        hits.push((row, index));
    }
    hits.retain(|(row, _)| !row.is_empty());
    hits
}

fn heading(buffer: &mut Buffer, page: &mut Page, title: &str, path: &str, view: &View) {
    let look = view.look();
    let row = page.next();
    let used = paint::text(buffer, row, title, look.theme.accent);
    if !path.is_empty() {
        let room = paint::from(row, used + 1);
        let (path, _) = truncate_start(path, usize::from(room.width));
        paint::text(buffer, room, &path, look.theme.muted);
    }
}

fn entry(buffer: &mut Buffer, row: Rect, item: &Item, selected: bool, view: &View) {
    let look = view.look();
    // The selected row is one calm bar: colours of its parts would show through a reversed style as patches.
    let bar = if view.focused {
        look.theme.selection
    } else {
        look.theme.selection_unfocused
    };
    let style = |style| if selected { bar } else { style };
    if selected {
        paint::clear(buffer, row, bar);
    }
    let mark = if selected { look.symbols.prompt } else { " " };
    paint::text(buffer, row, mark, style(look.theme.accent));
    let key = style(look.theme.key_hint_key);
    paint::text(buffer, paint::from(row, 2), item.key, key);

    let name = pad(&item.name, NAME.max(width(&item.name)));
    let room = paint::from(row, 5);
    let used = look.cut(buffer, room, &name, style(look.theme.text));
    look.cut(
        buffer,
        paint::from(room, used + 2),
        &item.about,
        style(look.theme.muted),
    );
}

fn first_minute(buffer: &mut Buffer, area: Rect, view: &View) {
    let look = view.look();
    let bar = paint::first(area, 1);
    let mut page = Page {
        area: paint::from(area, 3),
        row: 0,
    };
    paint::text(buffer, page.next(), "The first minute", look.theme.accent);
    page.skip(1);
    for (key, what) in FIRST_MINUTE {
        let row = page.next();
        paint::text(buffer, row, key, look.theme.key_hint_key);
        look.cut(buffer, paint::from(row, 5), what, look.theme.text);
    }
    page.skip(1);
    let end = "From the shell: omp-debug PROGRAM";
    look.cut(buffer, page.next(), end, look.theme.muted);
    for row in 0..page.row.min(area.height) {
        let place = paint::row(bar, row);
        paint::text(buffer, place, look.symbols.vertical, look.theme.border);
    }
}

/// Of a list that has no room for air and headings, the rows around the cursor.
fn rows_only(buffer: &mut Buffer, area: Rect, model: &Model, view: &View) -> Vec<(Rect, usize)> {
    let height = usize::from(area.height);
    let first = (model.cursor + 1).saturating_sub(height);
    let items = model.begin().iter().chain(model.recents());
    let mut hits = Vec::new();
    for (row, (index, item)) in (0..area.height).zip(items.enumerate().skip(first)) {
        let place = paint::row(area, row);
        entry(buffer, place, item, model.cursor == index, view);
        hits.push((place, index));
    }
    hits
}

/// Hands out rows from the top.
struct Page {
    area: Rect,
    row: u16,
}

impl Page {
    fn next(&mut self) -> Rect {
        let row = paint::row(self.area, self.row);
        self.row = self.row.saturating_add(1);
        row
    }

    fn skip(&mut self, rows: u16) {
        self.row = self.row.saturating_add(rows);
    }
}
