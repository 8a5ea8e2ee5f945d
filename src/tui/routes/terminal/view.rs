//! Draws the answers: what was asked, what came back, what we do because of it.

use ratatui::text::Line as Text;

use super::{Line, TerminalRoute};
use crate::kit::prelude::*;
use crate::term::probe::{Row, Verdict};

/// Below this height there is no room for a frame.
const FRAMED: u16 = 8;
/// Cells of the columns.
const WHAT: usize = 29;
const ANSWER: usize = 40;
/// From this width on there are three columns.
const THREE: u16 = 100;
/// Rows for what does not fit its line.
const FOOT: u16 = 3;

impl TerminalRoute {
    pub(super) fn draw(&mut self, buf: &mut Buffer, area: Rect, view: &View<'_>) {
        let mut area = area.intersection(buf.area);
        self.tabs.clear();
        self.places = super::Places::default();
        if area.is_empty() {
            return;
        }
        if area.height > 3 {
            let names = ["Answers", "Test page"];
            let active = usize::from(self.testing);
            self.tabs = tabs::draw(buf, paint::row(area, 0), &names, active, look(view));
            area.y += 1;
            area.height -= 1;
        }
        let title = if self.testing {
            "Test page"
        } else {
            "Terminal"
        };
        let state = if self.findings.is_complete() {
            "all answered that will be"
        } else if self.findings.is_over() {
            "it does not answer"
        } else {
            "asking…"
        };
        let right = if self.testing {
            "look, and judge"
        } else {
            state
        };
        let inner = if area.height < FRAMED {
            area
        } else {
            panel(buf, area, title, "", right, view)
        };
        if self.testing {
            let pictures = self
                .around
                .as_ref()
                .and_then(|around| self.findings.pictures(around));
            self.places = super::page::draw(buf, inner, pictures, view);
        } else {
            self.draw_answers(buf, inner, view);
        }
    }

    fn draw_answers(&mut self, buf: &mut Buffer, area: Rect, view: &View<'_>) {
        if self.lines.is_empty() {
            return empty(buf, area, &["Asking the terminal…"], view);
        }
        let mut area = area;
        if let Some(why) = self.unasked
            && area.height > 2
        {
            paint::text_cut(
                buf,
                paint::row(area, 0),
                why,
                view.symbols.ellipsis,
                view.theme.warning,
            );
            area.y += 1;
            area.height -= 1;
        }
        if area.height > FOOT * 3 {
            let foot = Rect {
                y: area.y + area.height - FOOT,
                height: FOOT,
                ..area
            };
            if self.draw_foot(buf, foot, view) {
                area.height -= FOOT;
            }
        }
        let lines = &self.lines;
        let list = List::new(look(view), lines.len()).focused(view.focused);
        list.draw(buf, area, &mut self.list, |row| {
            match lines.get(row.index) {
                Some(Line::Heading(title)) => heading(title, row.width, row.selected, view),
                Some(Line::Row(answer)) => line(answer, row.width, row.selected, view),
                None => Text::default(),
            }
        });
    }

    /// The selected row in full, where its line is too short for it; whether there was need for it.
    fn draw_foot(&self, buf: &mut Buffer, area: Rect, view: &View<'_>) -> bool {
        let at = self.list.selected().unwrap_or(0);
        let Some(Line::Row(row)) = self.lines.get(at) else {
            return false;
        };
        let cells = usize::from(area.width);
        let used = 4 + WHAT + ANSWER + width(&row.used);
        if area.width >= THREE && width(&row.answer) <= ANSWER && used <= cells {
            return false;
        }
        let text = super::line_text(row);
        let rule = view.symbols.horizontal.repeat(cells);
        paint::text(buf, paint::row(area, 0), &rule, view.theme.border);
        let ranges = wrap(&text, cells.saturating_sub(2).max(1));
        for (index, range) in (1..area.height).zip(ranges) {
            let line = text.get(range).unwrap_or_default();
            let place = paint::from(paint::row(area, index), 1);
            paint::text_cut(buf, place, line, view.symbols.ellipsis, view.theme.text);
        }
        true
    }
}

fn heading(title: &str, cells: u16, selected: bool, view: &View<'_>) -> Text<'static> {
    // The selected row is one calm bar.
    let style = |style| if selected { Style::new() } else { style };
    let mut line = Cells::new(cells, view);
    line.put(title, style(view.theme.accent))
        .put(" ", Style::new());
    let rule = view
        .symbols
        .horizontal
        .repeat(line.room().saturating_sub(1));
    line.put(&rule, style(view.theme.border)).line()
}

fn line(row: &Row, cells: u16, selected: bool, view: &View<'_>) -> Text<'static> {
    let theme = view.theme;
    let style = |style| if selected { Style::new() } else { style };
    let (sign, tone) = match row.verdict {
        Verdict::Fact => (" ", theme.text),
        Verdict::Yes => (view.symbols.success, theme.success),
        Verdict::No => (view.symbols.error, theme.text),
        Verdict::Waiting => (view.symbols.ellipsis, theme.muted),
        Verdict::Silent => ("?", theme.muted),
    };
    let mut line = Cells::new(cells, view);
    line.column(sign, 2, style(tone));
    line.column(
        &row.what,
        WHAT.min(usize::from(cells) / 2),
        style(theme.muted),
    )
    .skip(1);
    if cells >= THREE {
        line.column(&row.answer, ANSWER, style(tone)).skip(1);
        line.put(&row.used, style(theme.muted));
    } else {
        line.put(&row.answer, style(tone));
    }
    line.line()
}
