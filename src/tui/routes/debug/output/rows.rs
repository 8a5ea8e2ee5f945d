//! Which row is which line: made again when anything they depend on changed, without moving what is looked at.

use super::line::{near, room_of};
use super::{Made, OutputPane, Place};
use crate::debugger::Session;
use crate::text::ansi;
use crate::text::sanitise::TAB_WIDTH;
use crate::text::width::wrap;
use crate::tui::widgets::list::ListState;

impl OutputPane {
    /// Makes the rows again if anything they depend on changed.
    pub(super) fn sync(&mut self, session: &Session) {
        let output = &session.output;
        let made = Made {
            session: session.id,
            total_bytes: output.total_bytes,
            dropped_bytes: output.dropped_bytes,
            shown: self.shown,
            wrap: if self.wrap { self.width.max(1) } else { 0 },
            ended: session.ended.is_some() || session.exit_code.is_some(),
        };
        if made == self.made {
            return;
        }
        if made.session != self.made.session {
            self.paused = false;
            self.list = ListState::default();
            self.rows.clear();
        }
        let kept = self
            .list
            .selected()
            .and_then(|at| self.rows.get(at).cloned());
        let before = self.list.top();
        let anchor = self.rows.get(before).cloned();
        let gone = usize::try_from(output.dropped_lines.saturating_sub(self.first_line))
            .unwrap_or(usize::MAX);
        self.made = made;
        self.first_line = output.dropped_lines;
        self.rebuild(session);
        self.find_hits(output);
        if !self.paused {
            self.list.end(self.rows.len());
            return;
        }
        // What is selected, and what is at the top, stays there while lines drop out in front of it.
        if let Some(place) = kept {
            self.list.select(Some(self.row_of(&place, gone)));
        }
        if let Some(top) = anchor.map(|a| self.row_of(&a, gone)) {
            self.list
                .scroll_by(top as isize - self.list.top() as isize, self.rows.len());
        }
    }

    /// Where a row is after `gone` lines dropped out in front.
    pub(super) fn row_of(&self, place: &Place, gone: usize) -> usize {
        let moved = match place {
            Place::Line { index, part } => match index.checked_sub(gone) {
                Some(index) => Place::Line { index, part: *part },
                None => return 0,
            },
            other => other.clone(),
        };
        self.rows.iter().position(|p| *p == moved).unwrap_or(0)
    }

    pub(super) fn rebuild(&mut self, session: &Session) {
        let output = &session.output;
        self.rows.clear();
        self.starts.clear();
        if output.dropped_bytes > 0 {
            self.rows.push(Place::Dropped);
        }
        let mut style = ansi::Style::default();
        for (index, line) in output.lines().iter().enumerate() {
            self.starts.push(style);
            let text = near(line);
            let styled = style != ansi::Style::default() || ansi::may_style(text);
            let shown = self.shown.takes(&line.category);
            if !styled && (!shown || self.made.wrap == 0) {
                if shown {
                    self.rows.push(Place::Line { index, part: 0 });
                }
                continue;
            }
            let parsed = ansi::parse(text, style, TAB_WIDTH);
            style = parsed.end;
            if !shown {
                continue;
            }
            let parts = match self.made.wrap {
                0 => 1,
                cells => wrap(&parsed.plain(), room_of(line, cells)).len().max(1),
            };
            self.rows
                .extend((0..parts).map(|part| Place::Line { index, part }));
        }
        if self.made.ended {
            self.rows.push(Place::End);
        }
    }
}
