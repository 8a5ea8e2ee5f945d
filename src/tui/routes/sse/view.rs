//! Draws the route: responses, frames, one of them in full, and what to do when there is nothing.

use base::text::amount::{size, span};
use diagnostics::sse::{Record, RecordKind};

use super::{
    Pane, SseRoute,
    detail::{Mode, clock},
    model::{Frame, Glance, is_bad, is_refused, kind, kind_of, response_line, response_of},
};
use crate::kit::{prelude::*, room::badge};

/// From this width on the panes stand side by side.
const WIDE: u16 = 180;
/// From this size on more than one pane is shown.
const SEVERAL: (u16, u16) = (60, 16);
/// Cells of the list of responses.
const STREAMS: u16 = 54;
/// From this width on a row has all columns.
const COLUMNS: u16 = 66;
/// Most marks beside the scroll bar.
const MARKS: usize = 400;

impl DrawRows for SseRoute {
    fn draw(&mut self, canvas: &Canvas, mut area: Rect) {
        self.places = Vec::new();
        let whole = area;
        if self.has_foot() && area.height > 2 {
            let (above, foot) = over_last(area);
            area = above;
            self.draw_foot(canvas, foot);
        }
        if self.source.is_none() {
            return self.draw_sources(canvas, area);
        }
        if self.zoomed {
            self.draw_detail(canvas, area);
        } else if area.width >= WIDE && area.height >= SEVERAL.1 {
            let rest = area.after(STREAMS);
            let half = rest.width / 2;
            self.draw_streams(canvas, area.first(STREAMS));
            self.draw_frames(canvas, rest.first(half));
            self.draw_detail(canvas, rest.after(half));
        } else if area.width >= SEVERAL.0 && area.height >= SEVERAL.1 {
            let many = self.model.streams.len();
            let is_strip = many < 2 || area.height < 28;
            let (streams, rest) = split(area, if is_strip { 1 } else { many.min(4) as u16 + 3 });
            if is_strip {
                self.draw_strip(canvas, streams);
            } else {
                self.draw_streams(canvas, streams);
            }
            let (frames, detail) = split(rest, rest.height / 2);
            self.draw_frames(canvas, frames);
            self.draw_detail(canvas, detail);
        } else {
            match self.pane {
                Pane::Streams => self.draw_streams(canvas, area),
                Pane::Frames => self.draw_frames(canvas, area),
                Pane::Detail => self.draw_detail(canvas, area),
            }
        }
        if let Some(kinds) = &mut self.kinds {
            let words = (52, "Kinds of events", "", "There is no frame.");
            kinds.draw(canvas, whole, words, |kind, count| {
                (
                    thousands(count.unwrap_or(0)),
                    kind.clone(),
                    canvas.theme.text,
                )
            });
        }
    }
}

impl SseRoute {
    fn focused(&self, pane: Pane, canvas: &Canvas) -> Canvas {
        canvas.with_focus(canvas.focused && self.pane == pane)
    }

    /// Responses in one line, where there is no room for a list.
    fn draw_strip(&self, canvas: &Canvas, row: Rect) {
        let mut cells = canvas.cells_at(row);
        let streams = &self.model.streams;
        let shown = self.model.filter.stream;
        cells.muted(" ");
        if let Some(stream) = shown.and_then(|number| self.model.stream(number)) {
            if streams.len() > 1 {
                cells.remark("[ and ] others, a all ");
            }
            let at = format!(
                "Response {} of {}  ",
                stream.response.number,
                streams.back().map_or(0, |s| s.response.number)
            );
            cells.put(&at, canvas.theme.title);
            let glance = Glance::at(stream, &self.redactor);
            let style = if glance.failed {
                canvas.theme.error
            } else {
                canvas.theme.text
            };
            let response = response_of(stream, self.secrets);
            let status = response.status.map(|status| status.to_string());
            let known = [status, response.provider.clone(), response.model.clone()];
            let text = joined(known.into_iter().flatten(), "  ");
            cells.put(&text, style);
            if response.model.is_none()
                && let Some(model) = &glance.model
            {
                cells.put(if text.is_empty() { "" } else { "  " }, style);
                cells.put(model, style);
            }
            if let Some(first) = glance.first_byte {
                cells.muted(&format!("  first byte {}", span(first)));
            }
        } else {
            cells.remark("a one alone ");
            let all = format!("All {} responses as they came", streams.len());
            cells.put(&all, canvas.theme.title);
        }
        cells.draw(canvas, row);
    }

    fn draw_streams(&mut self, canvas: &Canvas, area: Rect) {
        let canvas = &self.focused(Pane::Streams, canvas);
        let count = self.model.streams.len();
        let right = if self.model.filter.stream.is_none() && count > 1 {
            "all together"
        } else {
            ""
        };
        let mut inner = panel(canvas, area, "Responses", &badge(count), right);
        self.places.push((inner, Pane::Streams));
        if inner.height > 2 && inner.width >= 40 && count > 0 {
            let (head, rest) = split(inner, 1);
            inner = rest;
            let mut cells = canvas.cells_at(head);
            cells.skip(2);
            for (title, wide) in [("began", 9), ("st.", 4), ("1st byte", 10), ("frames", 8)] {
                cells.column(title, wide, canvas.theme.muted);
            }
            cells.muted("model").draw(canvas, head);
        }
        let mut list = mem::take(&mut self.streams);
        let shown = self.model.filter.stream;
        let at = shown.and_then(|number| {
            let streams = &self.model.streams;
            streams.iter().position(|s| s.response.number == number)
        });
        if list.selected() != at {
            list.select(at);
        }
        let route = &*self;
        list_of(canvas, count).empty("No response yet.").cells(
            canvas,
            inner,
            &mut list,
            |at, line| route.stream_line(at, line),
        );
        self.streams = list;
    }

    fn stream_line(&self, index: usize, line: &mut Cells) {
        let view = line.view.clone();
        let theme = &view.theme;
        let cells = line.room();
        let Some(stream) = self.model.streams.get(index) else {
            return;
        };
        let response = response_of(stream, self.secrets);
        let glance = Glance::at(stream, &self.redactor);
        let is_last = index + 1 == self.model.streams.len();
        let (sign, style) = if glance.failed {
            (view.symbols.error, theme.error)
        } else if glance.finished {
            (view.symbols.success, theme.success)
        } else if is_last && !self.model.ended && self.replay.is_none() {
            (view.symbols.running, theme.info)
        } else {
            (" ", theme.muted)
        };
        line.column(sign, 2, style);
        let began = response.started.map(clock).unwrap_or_default();
        let number = format!("#{}", response.number);
        let began = began.get(..8).unwrap_or(&number);
        line.column(began, 9, theme.muted);
        let status = response.status.map(|s| s.to_string()).unwrap_or_default();
        let bad = is_refused(response);
        line.column(&status, 4, if bad { theme.error } else { theme.text });
        if cells >= 40 {
            let first = glance.first_byte.map(span).unwrap_or_default();
            line.column(&first, 10, theme.text);
            line.column(&thousands(glance.events), 8, theme.text);
        }
        if glance.stalled > 0 {
            let text = format!("{} {}", view.symbols.paused, glance.stalled);
            line.right(&text, theme.warning);
        }
        let model = glance.model.as_deref().unwrap_or_default();
        line.text(model);
        if let Some(provider) = &response.provider {
            line.skip(usize::from(!model.is_empty()));
            line.muted(provider);
        }
    }

    /// Observed and kept.
    fn badge(&self) -> String {
        let (kept, rows) = self.model.counts();
        let (kept, rows) = (kept as u64, rows as u64);
        let mut text = match self.model.dropped.records {
            0 if rows == kept => thousands(rows),
            0 => format!("{} of {}", thousands(rows), thousands(kept)),
            dropped => format!("{} of {} kept", thousands(kept), thousands(kept + dropped)),
        };
        let hidden = self.model.hidden();
        if hidden > 0 {
            text = format!("{text}, {} hidden", thousands(hidden as u64));
        }
        text
    }

    fn state(&self) -> String {
        if let Some(replay) = &self.replay {
            let word = if replay.paused { "paused" } else { "replay" };
            return format!("{word} {}x, Space . + - Esc", replay.speed);
        }
        match self.failed {
            Some(_) => "failed".to_owned(),
            None if self.model.ended && !self.paused => "ended".to_owned(),
            None => following(self.paused, self.fresh),
        }
    }

    fn draw_frames(&mut self, canvas: &Canvas, area: Rect) {
        let canvas = &self.focused(Pane::Frames, canvas);
        let mut inner = panel(canvas, area, "Frames", &self.badge(), &self.state());
        self.places.push((inner, Pane::Frames));
        if self.model.rows() == 0 && self.model.partial.is_none() {
            return self.draw_nothing(canvas, inner);
        }
        if inner.height > 4 && inner.width >= COLUMNS {
            let (head, rest) = split(inner, 1);
            inner = rest;
            self.draw_columns(canvas, head);
        }
        let partial = self.model.partial.is_some() && self.replay.is_none();
        if partial && inner.height > 1 {
            let (above, last) = over_last(inner);
            inner = above;
            self.draw_partial(canvas, last);
        }
        let marks = self.marks(canvas);
        let mut list = mem::take(&mut self.list);
        let route = &*self;
        list_of(canvas, route.model.rows()).marks(&marks).cells(
            canvas,
            inner,
            &mut list,
            |at, line| {
                if let Some(frame) = route.model.at(at) {
                    route.frame_line(frame, line);
                }
            },
        );
        self.list = list;
    }

    fn marks(&self, view: &View) -> Vec<(usize, Style)> {
        let notable = self.model.notable(MARKS).map(|(row, stalled)| {
            (
                row,
                if stalled {
                    view.theme.warning
                } else {
                    view.theme.error
                },
            )
        });
        let found = self.search.iter().flat_map(|search| &search.found);
        let found = found.rev().take(MARKS);
        let found = found.filter_map(|sequence| self.model.is_row(*sequence));
        notable
            .chain(found.map(|row| (row, view.theme.accent)))
            .collect()
    }

    fn draw_columns(&self, canvas: &Canvas, row: Rect) {
        let muted = canvas.theme.muted;
        let mut cells = canvas.cells_at(row);
        if self.model.filter.stream.is_none() {
            cells.column("#", 4, muted);
        }
        if self.model.has_times {
            cells.column("time", 13, muted);
            cells.column("      gap", 11, muted);
        }
        cells.column("event", event_column(row.width.into()), muted);
        if self.model.has_ids {
            cells.column("id", 9, muted);
        }
        cells.column("    size", 10, muted).put("data", muted);
        cells.draw(canvas, row);
    }

    fn frame_line(&self, frame: &Frame, line: &mut Cells) {
        let view = line.view.clone();
        let theme = &view.theme;
        let record = frame.shown(self.secrets);
        let cells = line.room();
        let is_stalled = frame.is_stalled();
        if self.model.filter.stream.is_none() {
            let number = record.response.number;
            let style = theme.series(usize::try_from(number).unwrap_or(0));
            line.column(&format!("{number}"), 4, style);
        }
        if matches!(record.what, RecordKind::Response) {
            response_rule(line, record);
            return;
        }
        let style = match &record.what {
            _ if is_bad(record) => theme.error,
            RecordKind::Event(event) if event.data.is_none() => theme.muted,
            _ => theme.text,
        };
        if cells >= COLUMNS.into() {
            if self.model.has_times {
                let time = record.time.map(clock).unwrap_or_default();
                line.column(&time, 13, theme.muted);
                let gap = frame.gap.map(|gap| format!("+{}", span(gap)));
                let gap = gap.unwrap_or_default();
                let style = if is_stalled {
                    theme.warning
                } else {
                    theme.muted
                };
                line.skip(9_usize.saturating_sub(width(&gap)))
                    .put(&gap, style)
                    .skip(2);
            }
            let room = event_column(cells);
            line.column(kind(record), room.saturating_sub(1), style)
                .skip(1);
            if self.model.has_ids {
                let id = match &record.what {
                    RecordKind::Event(event) => event.id.as_deref().unwrap_or_default(),
                    _ => "",
                };
                line.column(id, 8, theme.muted).skip(1);
            }
            let length = size(frame.bytes as u64);
            line.skip(8_usize.saturating_sub(width(&length)));
            line.muted(&length).skip(2);
        } else {
            let sign = if is_stalled { view.symbols.paused } else { " " };
            line.column(sign, 2, theme.warning);
            line.column(kind(record), 20.min(cells / 2), style);
        }
        self.put_gist(line, record, style);
    }

    /// What a frame says, at the end of its row.
    fn put_gist(&self, line: &mut Cells, record: &Record, style: Style) {
        let theme = line.view.theme.clone();
        let (text, style) = match &record.what {
            RecordKind::Response => return,
            RecordKind::Foreign(foreign) => {
                line.warning(&foreign.reason).skip(2);
                (
                    foreign.text.lines().next().unwrap_or_default().to_owned(),
                    style,
                )
            }
            RecordKind::Event(event) => match event.data.as_deref() {
                Some(data) => match super::gist::of(data).filter(|_| self.mode != Mode::Raw) {
                    Some(gist) => (gist, theme.string),
                    None => (paint::head(data, line.room()).replace('\n', " "), style),
                },
                None => (
                    paint::head(&event.text(), line.room()).replace(['\n', '\r'], " "),
                    theme.muted,
                ),
            },
        };
        let text = paint::head(&text, line.room());
        let sought = self.search.as_ref().map(|search| &search.regex);
        line.marked(text, style, sought);
    }

    fn draw_partial(&self, canvas: &Canvas, row: Rect) {
        let Some(event) = &self.model.partial else {
            return;
        };
        let mut cells = canvas.cells_at(row);
        let text = event.text();
        let end = text.lines().next_back().unwrap_or_default();
        cells
            .put(canvas.symbols.running, canvas.theme.info)
            .skip(1)
            .muted(kind_of(event))
            .muted(", its end is awaited  ")
            .muted(&size(event.raw.len() as u64))
            .skip(2)
            .muted(end);
        cells.draw(canvas, row);
    }

    fn draw_detail(&mut self, canvas: &Canvas, area: Rect) {
        let canvas = &self.focused(Pane::Detail, canvas);
        self.settle_detail();
        let right = match (&self.search, self.secrets) {
            (_, true) => "secrets are shown".to_owned(),
            (Some(_), _) => self.detail.search_status(),
            _ => String::new(),
        };
        let mut inner = panel(canvas, area, "In full", "", &right);
        if inner.height > 2 {
            let (head, rest) = split(inner, 1);
            inner = rest;
            let names = Mode::ALL.map(Mode::name);
            let at = self.mode as usize;
            self.tabs = canvas.tabs(head, &names, at);
            let end = self.tabs.last().map_or(head.x, |(place, _)| place.right());
            let hint = "v next view";
            if usize::from(head.right() - end) >= hint.len() + 2 {
                canvas.text(head.last(hint.len() as u16), hint, canvas.theme.muted);
            }
        }
        self.places.push((inner, Pane::Detail));
        self.detail
            .show(canvas, inner.after(u16::from(inner.width > 20)));
    }
}

/// Cells for the names of events.
fn event_column(cells: usize) -> usize {
    (cells / 4).clamp(21, 30)
}

/// A response begins.
fn response_rule(line: &mut Cells, record: &Record) {
    let theme = line.view.theme.clone();
    let response = &record.response;
    line.rule(2).skip(1);
    let began = response.started.map(clock).unwrap_or_default();
    line.muted(&began).skip(usize::from(!began.is_empty()));
    let (style, muted) = if is_bad(record) {
        (theme.error, theme.error)
    } else {
        (theme.title, theme.muted)
    };
    let about = response_line(response);
    line.put(&format!("response {}", response.number), style)
        .skip(2);
    line.put(&about, muted).skip(usize::from(!about.is_empty()));
    line.rule(line.room());
}
