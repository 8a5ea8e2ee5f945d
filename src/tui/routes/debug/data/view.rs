//! How the view looks: its frame, what there is to turn to, what is typed, and what one of the ways to look draws below.

use super::{DataView, Shows};
use crate::debug_prelude::*;

impl DataView {
    pub(super) fn draw_all(&mut self, canvas: &Canvas, area: Rect) {
        canvas.clear(area, canvas.theme.text);
        let kind = [Some(self.about.kind.as_str()), self.about.shape.as_deref()];
        let kind = kind.into_iter().flatten().filter(|text| !text.is_empty());
        let right = clean(&joined(kind, "  "));
        let beside = self.compared.as_deref();
        let beside = beside.map_or_else(String::new, |with| format!("beside {}", sanitise(with)));
        let inner = panel(
            canvas,
            area,
            &short(&sanitise(&self.expression)),
            &beside,
            &right,
        );
        if self.asks {
            let lines = [
                "This program was attached to",
                "To look at a value as data, an expression that only reads is run in it: Enter does that, Esc leaves",
            ];
            return empty(canvas, inner, &lines);
        }
        self.draw_head(canvas, inner.row(0));
        let below = inner.below(1);
        let now = self.seen().and_then(Shows::narrowed);
        let now = now.unwrap_or_default().to_owned();
        let mut rest = self.typing.draw(canvas, below, &now);
        if let Some(trouble) = self
            .trouble
            .as_deref()
            .filter(|_| self.way.is_some() && rest.height > 2)
        {
            let (above, row) = over_last(rest);
            let text = format!("{} {trouble}", canvas.symbols.error);
            cut_line(canvas, row, &text, canvas.theme.error);
            rest = above;
        }
        if let Some(shown) = self.shown() {
            return shown.draw(canvas, rest);
        }
        match &self.trouble {
            Some(trouble) => empty(canvas, rest, &["It cannot be shown", trouble]),
            None if self.records && self.asked.is_empty() => {
                let lines = [
                    "Nothing is recorded yet",
                    "Give a breakpoint expressions to record (B on its line): the program goes on there, and a row comes for each hit",
                ];
                empty(canvas, rest, &lines);
            }
            None => empty(canvas, rest, &["reading…"]),
        }
    }

    fn draw_head(&self, canvas: &Canvas, row: Rect) {
        let mut cells = canvas.cells_at(row);
        for way in &self.about.views {
            if Some(*way) == self.way {
                cells.accent(&format!("[{}]", way.name()));
            } else {
                cells.muted(way.name());
            }
            cells.skip(2);
        }
        for note in &self.about.notes {
            cells.warning(note).skip(1);
        }
        if let Some(filter) = self.way.and_then(|way| self.of_rows(way)) {
            cells
                .warning(&format!("of the rows with {filter} "))
                .skip(1);
        }
        if self.past {
            cells.warning("The program has moved on: r reads it anew.");
        }
        if !self.asked.is_empty() {
            cells.remark("reading…");
        }
        cells.draw(canvas, row);
    }
}
