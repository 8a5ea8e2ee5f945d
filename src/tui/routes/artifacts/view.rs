//! Draws the route: the folders, more about the selected one, what is inside it.

use diagnostics::artifacts::{ArtifactFolder, Entry, ItemKind, Totals, age};

use super::{
    ArtifactsRoute, Order,
    inside::{Inside, SHOWN},
    rows,
};
use crate::prelude::*;

/// From this height on there is room for more about the selected folder.
const WITH_DETAIL: u16 = 16;

impl DrawRows for ArtifactsRoute {
    fn draw(&mut self, canvas: &Canvas, area: Rect) {
        if let Some(inside) = &mut self.inside {
            draw_inside(inside, self.now, canvas, area);
            return;
        }
        let detail = if area.height >= WITH_DETAIL && self.current().is_some() {
            8
        } else {
            0
        };
        let (place, below) = split(area, area.height - detail);
        let badge = if self.found.is_empty() {
            String::new()
        } else {
            rows::sum(&Totals::of(&self.found))
        };
        let inner = framed(canvas, place, ("Artifacts", &badge, &self.state()));
        self.draw_list(canvas, inner);
        if detail > 0
            && let Some(found) = self.current()
        {
            draw_detail(found, self.now, canvas, below);
        }
    }
}

impl ArtifactsRoute {
    fn state(&self) -> String {
        match (self.scanning, self.order) {
            (Some((_, 0)), _) => "measuring…".to_owned(),
            (Some((done, of)), _) => format!("measuring… {done} of {of}"),
            (None, Order::Newest) => "newest first".to_owned(),
            (None, Order::Largest) => "largest first".to_owned(),
            (None, Order::Title) => "by title".to_owned(),
        }
    }

    fn draw_list(&mut self, canvas: &Canvas, area: Rect) {
        if self.found.is_empty() {
            return self.draw_nothing(canvas, area);
        }
        let Self {
            list, found, now, ..
        } = self;
        list_of(canvas, found.len()).each(canvas, area, list, found, |found, line| {
            rows::row(found, " ", *now, line);
        });
    }

    fn draw_nothing(&self, canvas: &Canvas, area: Rect) {
        let places: Vec<String> = canvas
            .artifact_root
            .layout
            .sessions
            .iter()
            .map(|place| format!("in {}", place.display()))
            .collect();
        let mut lines: Vec<&str> = Vec::new();
        if let Some(failed) = &self.failed {
            lines.extend([failed.as_str(), "r tries again"]);
        } else if self.known {
            lines.push("No session has artifacts");
            lines.extend(places.iter().map(String::as_str));
            lines.extend(self.notes.iter().take(6).map(String::as_str));
        } else {
            lines.push("Measuring…");
        }
        empty(canvas, area, &lines);
    }
}

fn draw_detail(found: &ArtifactFolder, now: i64, canvas: &Canvas, place: Rect) {
    let (theme, tally) = (&canvas.theme, &found.tally);
    let inner = panel(&canvas.with_focus(false), place, "Selected", "", "");
    let mut size = format!(
        "{} in {}",
        amount::size(tally.bytes),
        counted(tally.files, "file")
    );
    if tally.transcripts > 0 {
        let sessions = counted(tally.transcripts, "session file");
        size.extend([format!(
            ", and {sessions} of subagents ({})",
            amount::size(tally.transcript_bytes)
        )]);
    }
    let used = if found.used == 0 {
        String::new()
    } else {
        format!("; session used {}", age::local(found.used))
    };
    let (standing, style) = match (&found.live, &tally.trouble) {
        (Some(live), _) => (live.as_str(), theme.success),
        (None, Some(trouble)) => (trouble.as_str(), theme.warning),
        (None, None) => ("not in use", theme.text),
    };
    let project = rows::project(found);
    let newest = format!(
        "{} ({}){used}",
        age::local(tally.newest),
        age::ago(tally.newest, now)
    );
    let path = found.spot.path().display().to_string();
    for (row, (name, value, style)) in (0..).zip([
        ("Session", found.name(), theme.text),
        ("Project", &project, theme.text),
        ("Size", &size, theme.text),
        ("Changed", &newest, theme.text),
        ("In use", standing, style),
        ("Folder", &path, theme.muted),
    ]) {
        let mut line = canvas.cells_at(inner);
        line.skip(1).column(name, 10, theme.muted).put(value, style);
        line.draw(canvas, inner.row(row));
    }
}

fn draw_inside(inside: &mut Inside, now: i64, canvas: &Canvas, area: Rect) {
    let crumbs = inside.below.iter().fold(inside.title.clone(), |all, name| {
        format!(
            "{all} {} {}",
            canvas.symbols.separator,
            name.to_string_lossy()
        )
    });
    if let Some(text) = &mut inside.text {
        let name = text.name.to_string_lossy().into_owned();
        let cut = if text.bytes > SHOWN {
            format!("the first {}; e opens all of it", amount::size(SHOWN))
        } else {
            "Esc closes".to_owned()
        };
        let inner = framed(canvas, area, (&name, &amount::size(text.bytes), &cut));
        match &mut text.view {
            Some(Ok(shown)) if !shown.is_empty() => shown.show(canvas, inner),
            Some(Ok(_)) => empty(canvas, inner, &["The file is empty"]),
            Some(Err(why)) => empty(canvas, inner, &[why]),
            None => empty(canvas, inner, &["Reading…"]),
        }
        return;
    }
    let badge = match &inside.listing {
        Some(Ok(listing)) => counted(listing.entries.len() as u64 + listing.more, "name"),
        _ => String::new(),
    };
    let inner = framed(canvas, area, (&crumbs, &badge, "Esc leaves"));
    match &inside.listing {
        None => empty(canvas, inner, &["Reading…"]),
        Some(Err(why)) => empty(canvas, inner, &[why, "Esc leaves"]),
        Some(Ok(listing)) if listing.entries.is_empty() => {
            empty(canvas, inner, &["The folder is empty", "Esc leaves"]);
        }
        Some(Ok(listing)) => {
            list_of(canvas, listing.entries.len()).each(
                canvas,
                inner,
                &mut inside.list,
                &listing.entries,
                |entry, line| {
                    entry_row(entry, now, line);
                },
            );
        }
    }
}

fn entry_row(entry: &Entry, now: i64, line: &mut Cells) {
    let theme = line.view.theme.clone();
    let (size, mark) = match entry.kind {
        ItemKind::Folder => (String::new(), "/"),
        ItemKind::File => (amount::size(entry.bytes), ""),
        ItemKind::Link => ("link".to_owned(), ""),
        ItemKind::Other => ("special".to_owned(), ""),
    };
    line.skip(1).text(&format!("{size:>9}")).skip(2);
    let age = age::ago(entry.modified, now);
    line.muted(&format!("{age:>6}")).skip(2);
    let style = if mark.is_empty() {
        theme.text
    } else {
        theme.accent
    };
    line.put(&entry.name.to_string_lossy(), style)
        .put(mark, style);
}
