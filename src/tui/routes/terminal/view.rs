//! Draws the answers: what was asked, what came back, what we do because of it.

use super::{Line, TerminalRoute};
use crate::{
    prelude::*,
    term::probe::{Row, Verdict},
};

/// Cells of the columns.
const WHAT: usize = 29;
const ANSWER: usize = 40;
/// From this width on there are three columns.
const THREE: u16 = 100;

impl DrawRows for TerminalRoute {
    fn draw(&mut self, canvas: &Canvas, mut area: Rect) {
        self.tabs.clear();
        self.places = super::Places::default();
        if area.is_empty() {
            return;
        }
        if area.height > 3 {
            let names = ["Answers", "Test page"];
            let active = usize::from(self.testing);
            self.tabs = canvas.tabs(area.row(0), &names, active);
            area = area.below(1);
        }
        let (title, right) = if self.testing {
            ("Test page", "look, and judge")
        } else if self.findings.is_complete() {
            ("Terminal", "all answered that will be")
        } else if self.findings.is_over() {
            ("Terminal", "it does not answer")
        } else {
            ("Terminal", "asking…")
        };
        let inner = framed(canvas, area, (title, "", right));
        if self.testing {
            let pictures = self
                .around
                .as_ref()
                .and_then(|around| self.findings.pictures(around));
            self.places = super::page::draw(canvas, inner, pictures);
        } else {
            self.draw_answers(canvas, inner);
        }
    }
}

impl TerminalRoute {
    fn draw_answers(&mut self, canvas: &Canvas, area: Rect) {
        if self.lines.is_empty() {
            return empty(canvas, area, &["Asking the terminal…"]);
        }
        let mut area = area;
        if let Some(why) = self.unasked
            && area.height > 2
        {
            canvas.cut(area.row(0), why, canvas.theme.warning);
            area = area.below(1);
        }
        area = foot(canvas, area, self.remark(area.width).as_deref());
        let lines = &self.lines;
        list_of(canvas, lines.len()).each(canvas, area, &mut self.list, lines, |row, cells| {
            match row {
                Line::Heading(title) => room::heading(title, cells),
                Line::Row(answer) => line(answer, cells),
            }
        });
    }

    /// The selected answer, where its row has no room for it.
    fn remark(&self, cells: u16) -> Option<String> {
        let at = self.list.selected().unwrap_or(0);
        let Some(Line::Row(row)) = self.lines.get(at) else {
            return None;
        };
        let used = 4 + WHAT + ANSWER + width(&row.used);
        let fits = cells >= THREE && width(&row.answer) <= ANSWER && used <= usize::from(cells);
        (!fits).then(|| super::line_text(row))
    }
}

fn line(row: &Row, line: &mut Cells) {
    let view = line.view.clone();
    let theme = &view.theme;
    let (sign, tone) = match row.verdict {
        Verdict::Fact => (" ", theme.text),
        Verdict::Yes => (view.symbols.success, theme.success),
        Verdict::No => (view.symbols.error, theme.text),
        Verdict::Waiting => (view.symbols.ellipsis, theme.muted),
        Verdict::Silent => ("?", theme.muted),
    };
    let cells = line.room();
    line.column(sign, 2, tone);
    line.column(&row.what, WHAT.min(cells / 2), theme.muted)
        .skip(1);
    if cells >= usize::from(THREE) {
        line.column(&row.answer, ANSWER, tone).skip(1);
        line.muted(&row.used);
    } else {
        line.put(&row.answer, tone);
    }
}
