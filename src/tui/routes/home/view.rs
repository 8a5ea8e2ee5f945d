//! Draws the selector: entries at the left, the first minute at the right.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::model::{FIXED, Model};
use crate::text::width::{pad, truncate_start, width};
use crate::tui::action::View;
use crate::tui::app::chrome::is_tiny;
use crate::tui::widgets::paint;

/// From this width on there is room for the tips.
const WITH_TIPS: u16 = 104;
/// Cells of the column with the tips.
const TIPS: u16 = 40;
/// From this height on there is room for air.
const AIRY: u16 = 22;
/// Cells of the column with names.
const NAME: usize = 17;

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
pub fn draw(
    frame: &mut Frame<'_>,
    area: Rect,
    model: &Model,
    view: &View<'_>,
) -> Vec<(Rect, usize)> {
    let buffer = frame.buffer_mut();
    if area.is_empty() {
        return Vec::new();
    }
    if is_tiny(frame_area(area)) && area.height < 8 {
        return one_line(buffer, area, model, view);
    }
    let airy = area.height >= AIRY;
    let margin = if area.width >= 60 { 3 } else { 1 };
    let inner = paint::from(paint::first(area, area.width.saturating_sub(1)), margin);
    let inner = if airy {
        Rect {
            y: inner.y + 2,
            height: inner.height - 2,
            ..inner
        }
    } else {
        inner
    };
    let tips = inner.width + margin >= WITH_TIPS;
    let list = if tips {
        paint::first(inner, inner.width - TIPS - 4)
    } else {
        inner
    };
    let hits = entries(buffer, paint::first(list, 84), model, view, airy);
    if tips {
        first_minute(buffer, paint::last(inner, TIPS), view);
    }
    hits
}

/// The body of a screen that is large enough has two lines less than the screen.
fn frame_area(body: Rect) -> Rect {
    Rect {
        height: body.height.saturating_add(2),
        ..body
    }
}

fn entries(
    buffer: &mut Buffer,
    area: Rect,
    model: &Model,
    view: &View<'_>,
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
    for (index, (_, key, name, purpose)) in FIXED.iter().enumerate() {
        let row = page.next();
        entry(
            buffer,
            row,
            key,
            name,
            purpose,
            model.cursor() == index,
            view,
        );
        hits.push((row, index));
    }
    page.skip(u16::from(airy) + 1);
    let recents = model.recents();
    let project = view.project.display().to_string();
    heading(buffer, &mut page, "Recent in", &project, view);
    if recents.is_empty() {
        let line = "Nothing yet. What you start here is offered again next time.";
        paint::text_cut(
            buffer,
            paint::from(page.next(), 2),
            line,
            look.symbols.ellipsis,
            look.theme.muted,
        );
    }
    for (nth, recent) in recents.iter().enumerate() {
        let index = FIXED.len() + nth;
        let row = page.next();
        let key = if nth == 0 { "1" } else { " " };
        let folder = recent.spec.program.parent().map(|p| {
            p.strip_prefix(view.project)
                .map_or_else(|_| p.display().to_string(), |p| p.display().to_string())
        });
        let folder = folder.filter(|f| !f.is_empty()).unwrap_or_default();
        entry(
            buffer,
            row,
            key,
            &recent.shown,
            &folder,
            model.cursor() == index,
            view,
        );
        hits.push((row, index));
    }
    hits.retain(|(row, _)| !row.is_empty());
    hits
}

fn heading(buffer: &mut Buffer, page: &mut Page, title: &str, path: &str, view: &View<'_>) {
    let look = view.look();
    let row = page.next();
    let used = paint::text(buffer, row, title, look.theme.accent);
    if !path.is_empty() {
        let room = paint::from(row, used + 1);
        let (path, _) = truncate_start(path, usize::from(room.width));
        paint::text(buffer, room, &path, look.theme.muted);
    }
}

fn entry(
    buffer: &mut Buffer,
    row: Rect,
    key: &str,
    name: &str,
    about: &str,
    selected: bool,
    view: &View<'_>,
) {
    let look = view.look();
    let mark = if selected { look.symbols.prompt } else { " " };
    let mut used = paint::text(buffer, row, mark, look.theme.accent);
    used += paint::text(buffer, paint::from(row, used), " ", look.theme.text);
    used += paint::text(buffer, paint::from(row, used), key, look.theme.key_hint_key);
    used += paint::text(buffer, paint::from(row, used), "  ", look.theme.text);
    let name = if width(name) <= NAME {
        pad(name, NAME)
    } else {
        name.to_owned()
    };
    let style = look.theme.text;
    used += paint::text_cut(
        buffer,
        paint::from(row, used),
        &name,
        look.symbols.ellipsis,
        style,
    );
    used += 2;
    paint::text_cut(
        buffer,
        paint::from(row, used),
        about,
        look.symbols.ellipsis,
        look.theme.muted,
    );
    if selected {
        let style = if view.focused {
            look.theme.selection
        } else {
            look.theme.selection_unfocused
        };
        paint::style(buffer, row, style);
    }
}

fn first_minute(buffer: &mut Buffer, area: Rect, view: &View<'_>) {
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
        paint::text_cut(
            buffer,
            paint::from(row, 5),
            what,
            look.symbols.ellipsis,
            look.theme.text,
        );
    }
    page.skip(1);
    let end = "From the shell: omp-debug PROGRAM";
    paint::text_cut(
        buffer,
        page.next(),
        end,
        look.symbols.ellipsis,
        look.theme.muted,
    );
    for row in 0..page.row.min(area.height) {
        paint::text(
            buffer,
            paint::row(bar, row),
            look.symbols.vertical,
            look.theme.border,
        );
    }
}

fn one_line(buffer: &mut Buffer, area: Rect, model: &Model, view: &View<'_>) -> Vec<(Rect, usize)> {
    let row = paint::row(area, 0);
    let name = match FIXED.get(model.cursor()) {
        Some((_, _, name, _)) => *name,
        None => model
            .recents()
            .get(model.cursor() - FIXED.len())
            .map_or("", |r| r.shown.as_str()),
    };
    entry(buffer, row, "", name, "", true, view);
    vec![(row, model.cursor())]
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
