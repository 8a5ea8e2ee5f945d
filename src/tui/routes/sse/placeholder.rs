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
    pub(super) fn draw_sources(&mut self, canvas: &Canvas, area: Rect) {
        let recorded = self.recorded.as_deref().unwrap_or_default();
        let count = recorded.len();
        let right = if self.recorded.is_none() {
            "looking…"
        } else {
            ""
        };
        let inner = panel(
            canvas,
            area,
            "Streams in omp's reports",
            &badge(count),
            right,
        );
        if count == 0 {
            return self.draw_ways(canvas, inner);
        }
        let needed = WAYS.len() as u16 + 4;
        let (rows, ways) = if inner.height > needed + 6 {
            split(inner, inner.height - needed)
        } else {
            (inner, room::top(inner, 0))
        };
        list_of(canvas, count).each(canvas, rows, &mut self.sources, recorded, |one, cells| {
            let time = one.time.map(format_time).unwrap_or_default();
            cells
                .remark(&size(one.bytes))
                .skip(1)
                .column(time.get(..16).unwrap_or(&time), 18, canvas.theme.muted)
                .text(&file_name(&one.path));
        });
        if ways.height > 0 {
            self.draw_ways(canvas, ways);
        }
    }

    fn draw_ways(&self, canvas: &Canvas, area: Rect) {
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
            return empty(canvas, area, &lines);
        }
        let top = (area.height - rows) / 2;
        let line = |row: u16| area.below(top).row(row);
        let centred = |row: u16, text: &str, style: Style| {
            let left = area.width.saturating_sub(width(text) as u16) / 2;
            canvas.text(line(row).after(left), text, style)
        };
        centred(0, first, canvas.theme.text);
        centred(rows - 1, "o opens a file from here", canvas.theme.muted);
        let left = (area.width - 74) / 2;
        for (index, (command, about)) in (0..).zip(WAYS) {
            let row = line(2 + index).after(left);
            let mut cells = canvas.cells_at(row);
            cells.column(command, 38, canvas.theme.accent).muted(about);
            cells.draw(canvas, row);
        }
    }

    /// No frame is a state like any other: what it is, why, and what to do.
    pub(super) fn draw_nothing(&self, canvas: &Canvas, area: Rect) {
        let name = self.source.as_ref().map(|(origin, _)| origin.name());
        let name = name.unwrap_or_default();
        let nothing = format!("Nothing came from {name}");
        let coming = format!("What comes from {name} is shown here at once");
        let hides = !self.model.filter.hidden.is_empty() && !self.model.frames.is_empty();
        let lines: &[&str] = match &self.failed {
            Some(failed) => &[failed, "r tries again, o opens another file"],
            None if self.reading => &["Reading…"],
            None if hides => &[
                "Every frame is of a kind that is hidden",
                "x shows all kinds",
            ],
            None if self.replay.is_some() => &["Nothing has come yet"],
            None if self.model.ended => &[&nothing, "o opens a file"],
            None => &["No event yet", &coming],
        };
        empty(canvas, area, lines);
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
            let records = counted(what.records, "older record");
            format!("{records} with {}", counted(what.chars, "character"))
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

    pub(super) fn draw_foot(&mut self, canvas: &Canvas, foot: Rect) {
        let matches = self.matches();
        if let Some(line) = &mut self.line {
            return line.draw(canvas, foot, &matches);
        }
        let mut cells = canvas.cells_at(foot);
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
        cells.draw(canvas, foot);
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
