//! Draws what is there when no frame is: what can be opened, why nothing came, and the line below everything.

use base::text::amount::size;
use diagnostics::sse::Dropped;

use super::SseRoute;
use crate::kit::{prelude::*, room::badge};

/// How a stream is had, for whoever has none.
const WAYS: [(&str, &str); 5] = [
    (
        "omp-debug sse run -- CMD…",
        "what CMD's provider streams to it",
    ),
    (
        "omp-debug sse proxy --upstream URL",
        "what any client is streamed",
    ),
    ("omp-debug sse URL", "what an address answers"),
    ("curl -N URL | omp-debug sse -", "what comes through a pipe"),
    (
        "omp-debug sse FILE",
        "a capture, a HAR file, a file being written",
    ),
];

impl SseRoute {
    /// The bundles in which omp left streams, or how to get one.
    pub(super) fn draw_sources(&mut self, buf: &mut Buffer, area: Rect, view: &View<'_>) {
        let count = self.recorded.as_ref().map_or(0, Vec::len);
        let badge = badge(count);
        let right = if self.recorded.is_none() {
            "looking…"
        } else {
            ""
        };
        let title = "Streams in omp's reports";
        let inner = panel(buf, area, title, &badge, right, view);
        if count == 0 {
            self.draw_ways(buf, inner, view);
            return;
        }
        let needed = WAYS.len() as u16 + 4;
        let (rows, ways) = if inner.height > needed + 6 {
            split(inner, inner.height - needed)
        } else {
            (inner, room::top(inner, 0))
        };
        let mut list = mem::take(&mut self.sources);
        let route = &*self;
        list_of(view, count).cells(buf, rows, &mut list, view, |at, cells| {
            let recorded = route.recorded.as_ref().and_then(|r| r.get(at));
            if let Some(recorded) = recorded {
                let time = recorded.time.map(format_time);
                let time = time.unwrap_or_default();
                cells
                    .remark(&size(recorded.bytes))
                    .skip(1)
                    .column(time.get(..16).unwrap_or(&time), 18, view.theme.muted)
                    .text(&file_name(&recorded.path));
            }
        });
        self.sources = list;
        if ways.height > 0 {
            self.draw_ways(buf, ways, view);
        }
    }

    fn draw_ways(&self, buf: &mut Buffer, area: Rect, view: &View<'_>) {
        let first = match &self.recorded {
            None => "Looking for streams…",
            Some(found) if found.is_empty() => "No stream is open, and omp's reports hold none",
            Some(_) => "Enter opens one of these; others are had so:",
        };
        let rows = WAYS.len() as u16 + 4;
        if area.height < rows || area.width < 76 {
            let mut lines = vec![first];
            lines.extend(WAYS.iter().map(|(command, _)| *command));
            lines.push("o opens a file");
            empty(buf, area, &lines, view);
            return;
        }
        let top = area.y + (area.height - rows) / 2;
        let line = |row: u16| Rect {
            y: top + row,
            height: 1,
            ..area
        };
        let centre = |text: &str| area.width.saturating_sub(width(text) as u16) / 2;
        paint::text(
            buf,
            paint::from(line(0), centre(first)),
            first,
            view.theme.text,
        );
        let left = (area.width - 74) / 2;
        for (index, (command, about)) in (0..).zip(WAYS) {
            let row = paint::from(line(2 + index), left);
            let mut cells = Cells::new(row.width, view);
            cells.column(command, 38, view.theme.accent).muted(about);
            cells.draw(buf, row);
        }
        let last = "o opens a file from here";
        paint::text(
            buf,
            paint::from(line(rows - 1), centre(last)),
            last,
            view.theme.muted,
        );
    }

    /// No frame is a state like any other: what it is, why, and what to do.
    pub(super) fn draw_nothing(&self, buf: &mut Buffer, area: Rect, view: &View<'_>) {
        let mut lines: Vec<String> = Vec::new();
        let name = self.source.as_ref().map(|(origin, _)| origin.name());
        let name = name.unwrap_or_default();
        if let Some(failed) = &self.failed {
            lines.extend([
                failed.clone(),
                "r tries again, o opens another file".to_owned(),
            ]);
        } else if self.reading {
            lines.push("Reading…".to_owned());
        } else if !self.model.filter().hidden.is_empty() && !self.model.frames().is_empty() {
            lines.push("Every frame is of a kind that is hidden".to_owned());
            lines.push("x shows all kinds".to_owned());
        } else if self.replay.is_some() {
            lines.push("Nothing has come yet".to_owned());
        } else if self.model.ended {
            lines.push(format!("Nothing came from {name}"));
            lines.push("o opens a file".to_owned());
        } else {
            lines.push("No event yet".to_owned());
            lines.push(format!("What comes from {name} is shown here at once"));
        }
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        empty(buf, area, &lines, view);
    }

    pub(super) fn has_foot(&self) -> bool {
        self.line.is_some()
            || self.search.is_some()
            || self.note().is_some()
            || self.lost().is_some()
    }

    /// What is not here any more, in a sentence.
    fn lost(&self) -> Option<String> {
        let (dropped, missing) = (self.model.dropped, self.model.missing);
        let of = |what: Dropped| {
            format!(
                "{} with {}",
                counted(what.records, "older record"),
                counted(what.chars, "character")
            )
        };
        match (dropped.records, missing.records) {
            (0, 0) => None,
            (_, 0) => Some(format!("{} were let go", of(dropped))),
            (0, _) => Some(format!("The recording lacks {}", of(missing))),
            _ => Some(format!(
                "{} were let go, and the recording lacks {}",
                of(dropped),
                of(missing)
            )),
        }
    }

    /// What is to be said below everything.
    fn note(&self) -> Option<&str> {
        match &self.failed {
            Some(failed) if self.model.rows() > 0 => Some(failed),
            _ => self.notes.last().map(String::as_str),
        }
    }

    pub(super) fn draw_foot(&mut self, buf: &mut Buffer, foot: Rect, view: &View<'_>) {
        let matches = self.matches();
        if let Some(line) = &mut self.line {
            return line.draw(buf, foot, &matches, view);
        }
        let mut cells = Cells::new(foot.width, view);
        if let Some(search) = &self.search {
            cells.remark("n next  N previous  Esc done");
            cells.accent(&format!("/{}  ", search.needle.text));
            cells.muted(&matches);
        } else {
            if let Some(lost) = self.lost() {
                cells.warning(&lost).skip(2);
            }
            cells.warning(self.note().unwrap_or_default());
        }
        cells.draw(buf, foot);
    }

    /// How many frames have what is searched.
    fn matches(&self) -> String {
        match &self.search {
            None => String::new(),
            Some(search) => match search.found.len() as u64 {
                0 => "not found".to_owned(),
                n => counted(n, "frame"),
            },
        }
    }
}
