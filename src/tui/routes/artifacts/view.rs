//! Draws the route: the folders, more about the selected one, what is inside it.

use diagnostics::artifacts::{ArtifactFolder, Entry, Kind, Totals, age};

use super::{
    ArtifactsRoute, Order,
    inside::{Inside, SHOWN},
    rows,
};
use crate::kit::prelude::*;

/// From this height on there is room for more about the selected folder.
const WITH_DETAIL: u16 = 16;

impl Drawn for ArtifactsRoute {
    fn draw(&mut self, buf: &mut Buffer, area: Rect, view: &View) {
        if let Some(inside) = &mut self.inside {
            draw_inside(inside, self.now, buf, area, view);
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
        let inner = framed(buf, place, ("Artifacts", &badge, &self.state()), view);
        self.draw_list(buf, inner, view);
        if detail > 0
            && let Some(found) = self.current()
        {
            draw_detail(found, self.now, buf, below, view);
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

    fn draw_list(&mut self, buf: &mut Buffer, area: Rect, view: &View) {
        if self.found.is_empty() {
            return self.draw_nothing(buf, area, view);
        }
        let Self {
            list, found, now, ..
        } = self;
        list_of(view, found.len()).each(buf, area, list, view, found, |found, line| {
            rows::row(found, " ", *now, line);
        });
    }

    fn draw_nothing(&self, buf: &mut Buffer, area: Rect, view: &View) {
        let places: Vec<String> = view
            .ground
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
        empty(buf, area, &lines, view);
    }
}

fn draw_detail(found: &ArtifactFolder, now: i64, buf: &mut Buffer, place: Rect, view: &View) {
    let (theme, tally) = (&view.theme, &found.tally);
    let inner = panel(buf, place, "Selected", "", "", &view.with_focus(false));
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
        let mut line = Cells::new(inner.width, view);
        line.skip(1).column(name, 10, theme.muted).put(value, style);
        line.draw(buf, paint::row(inner, row));
    }
}

fn draw_inside(inside: &mut Inside, now: i64, buf: &mut Buffer, area: Rect, view: &View) {
    let crumbs = inside.below.iter().fold(inside.title.clone(), |all, name| {
        format!(
            "{all} {} {}",
            view.symbols.separator,
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
        let inner = framed(buf, area, (&name, &amount::size(text.bytes), &cut), view);
        match &mut text.view {
            Some(Ok(shown)) if !shown.is_empty() => shown.draw(buf, inner, view.look()),
            Some(Ok(_)) => empty(buf, inner, &["The file is empty"], view),
            Some(Err(why)) => empty(buf, inner, &[why], view),
            None => empty(buf, inner, &["Reading…"], view),
        }
        return;
    }
    let badge = match &inside.listing {
        Some(Ok(listing)) => counted(listing.entries.len() as u64 + listing.more, "name"),
        _ => String::new(),
    };
    let inner = framed(buf, area, (&crumbs, &badge, "Esc leaves"), view);
    match &inside.listing {
        None => empty(buf, inner, &["Reading…"], view),
        Some(Err(why)) => empty(buf, inner, &[why, "Esc leaves"], view),
        Some(Ok(listing)) if listing.entries.is_empty() => {
            empty(buf, inner, &["The folder is empty", "Esc leaves"], view);
        }
        Some(Ok(listing)) => {
            list_of(view, listing.entries.len()).each(
                buf,
                inner,
                &mut inside.list,
                view,
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
        Kind::Folder => (String::new(), "/"),
        Kind::File => (amount::size(entry.bytes), ""),
        Kind::Link => ("link".to_owned(), ""),
        Kind::Other => ("special".to_owned(), ""),
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
