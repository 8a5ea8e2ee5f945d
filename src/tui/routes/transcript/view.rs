//! Draws the route: what is chosen, what is to be said, the preview.

use base::text::amount::size;

use super::TranscriptRoute;
use crate::prelude::*;

/// Below this height there is room for the preview alone.
const FRAMED: u16 = 9;

impl DrawRows for TranscriptRoute {
    fn draw(&mut self, canvas: &Canvas, area: Rect) {
        let mut inner = area;
        if area.height >= FRAMED {
            let session = self.session.as_ref();
            let name = session.map(|s| clean(s.name()));
            let state = match (&self.busy, self.percent) {
                (Some(busy), _) => busy.clone(),
                (None, Some(percent)) => format!("reading {percent} %"),
                (None, None) => self.preview.search_status(),
            };
            inner = panel(
                canvas,
                area,
                "Transcript",
                &name.unwrap_or_default(),
                &state,
            );
            self.draw_choice(canvas, inner.row(0));
            self.draw_report(canvas, inner.row(1));
            canvas.rule(inner.row(2));
            inner = inner.below(3);
        }
        if let Some(line) = self.line.as_mut().filter(|_| inner.height > 1) {
            let (rest, row) = over_last(inner);
            inner = rest;
            line.draw(canvas, row, "");
        }
        if let Some(failed) = &self.failed {
            let lines: Vec<String> = failed.lines().map(clean).collect();
            let mut lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            lines.push("s chooses a session, r tries again");
            return empty(canvas, inner, &lines);
        }
        if self.preview.is_empty() {
            let text = self
                .session
                .as_ref()
                .map_or("Looking for the session…", |_| "Reading…");
            return empty(canvas, inner, &[text]);
        }
        self.preview.show(canvas, inner.after(1));
    }
}

impl TranscriptRoute {
    fn draw_choice(&self, canvas: &Canvas, row: Rect) {
        let theme = &canvas.theme;
        let mut line = canvas.cells_at(row);
        line.skip(1);
        let choice = self.choice;
        let switch = |on: bool, yes: &'static str, no: &'static str| if on { yes } else { no };
        let thoughts = switch(choice.thinking, "with thoughts", "without thoughts");
        let branches = switch(choice.all_branches, "all branches", "the branch in force");
        let parts = [
            ("f", choice.format.name(), theme.accent),
            ("h", thoughts, theme.text),
            ("b", branches, theme.text),
        ];
        for (key, text, style) in parts {
            line.put(key, theme.key_hint_key)
                .skip(1)
                .put(text, style)
                .skip(3);
        }
        line.put("x", theme.key_hint_key).skip(1);
        if choice.show_secrets {
            line.put("SECRETS ARE SHOWN", theme.error);
        } else {
            line.put("secrets are hidden", theme.success);
        }
        line.draw(canvas, row);
    }

    fn draw_report(&self, canvas: &Canvas, row: Rect) {
        let Some(report) = &self.report else {
            return;
        };
        let mut line = canvas.cells_at(row);
        line.skip(1).text(&size(report.bytes)).muted(": ");
        line.muted(&report.sentences().join("; "));
        line.draw(canvas, row);
    }
}
