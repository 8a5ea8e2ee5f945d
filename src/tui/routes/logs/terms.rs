//! The filters: each is a term that is switched, removed and counted among the others.

use super::{
    Dialog, LogsRoute,
    conditions::{LogTest, Term},
    view::{level_style, pid_style},
};
use crate::prelude::*;

/// Processes that are named before they are only counted.
const NAMED: usize = 6;

impl LogsRoute {
    /// Switches the term with this number, the first being 0.
    pub(super) fn switch(&mut self, number: usize, cx: &Cx) {
        match self.conditions.clone().switched(number) {
            Some(conditions) => self.apply(conditions, cx),
            None => cx.info(format!("There is no filter {}.", number + 1)),
        }
    }

    /// Only what is as new as the entry under the cursor.
    pub(super) fn since_here(&mut self, cx: &Cx) {
        match self.current().and_then(|item| item.entry.time) {
            Some(time) => self.apply(self.conditions.clone().with(LogTest::Since(time)), cx),
            None => cx.info("This entry has no time."),
        }
    }

    /// A key while the filters are listed.
    pub(super) fn terms_key(&mut self, key: KeyEvent, cx: &Cx) {
        let Some(Dialog::Terms(list)) = &mut self.dialog else {
            return;
        };
        let len = self.conditions.terms.len();
        let at = list.selected().unwrap_or(0);
        match key.code {
            _ if list.key(key, len) => {}
            KeyCode::Char(' ') => self.switch(at, cx),
            KeyCode::Char(digit @ '1'..='9') => {
                let number = digit.to_digit(10).unwrap_or(1) as usize - 1;
                self.switch(number, cx);
            }
            KeyCode::Char('d') | KeyCode::Delete if !is_control(key, 'd') => {
                list.select(Some(at.min(len.saturating_sub(2))));
                self.apply(self.conditions.clone().removed(at), cx);
                if self.conditions.is_empty() {
                    self.dialog = None;
                }
            }
            KeyCode::Enter => self.dialog = None,
            _ if closes(key) => self.dialog = None,
            _ => {}
        }
    }

    /// One row: the terms with their numbers, and how many entries they hide.
    pub(super) fn draw_conditions(&self, canvas: &Canvas, row: Rect) {
        let mut cells = canvas.cells_at(row);
        let hidden = match self.hidden {
            Some(n) => format!("{} hidden, x shows all", thousands(n)),
            None => "x shows all".to_owned(),
        };
        cells.remark(&hidden);
        cells.muted("Only ");
        let many = self.conditions.terms.len() > 1;
        for (number, term) in self.conditions.terms.iter().enumerate() {
            if number > 0 {
                cells.muted(" ");
            }
            if many {
                cells.put(&format!("{}", number + 1), canvas.theme.key_hint_key);
            }
            put(&mut cells, term);
        }
        cells.draw(canvas, row);
    }

    /// The filters over the entries.
    pub(super) fn draw_terms(&mut self, canvas: &Canvas, area: Rect) {
        let Some(Dialog::Terms(list)) = &mut self.dialog else {
            return;
        };
        let terms = &self.conditions.terms;
        let rows = shown_rows(terms.len());
        let hidden = self.hidden.map(|n| format!("{} hidden", thousands(n)));
        let right = hidden.unwrap_or_default();
        let inner = dialog(canvas, area, (60, rows), "Filters", &right);
        List::new(canvas.look(), terms.len())
            .empty("All entries are shown.")
            .each(canvas, inner, list, terms, |term, cells| {
                cells.check(term.on);
                put(cells, term);
            });
    }
}

fn put(cells: &mut Cells, term: &Term) {
    let view = cells.view.clone();
    let look = |style: Style| {
        if term.on {
            style
        } else {
            view.theme.muted.add_modifier(Modifier::CROSSED_OUT)
        }
    };
    match &term.wish {
        LogTest::Pids(pids) => {
            for (number, pid) in pids.iter().take(NAMED).enumerate() {
                let between = if number > 0 { " " } else { "" };
                cells.muted(between);
                cells.put(&format!("[{pid}]"), look(pid_style(*pid, &view)));
            }
            if let Some(more) = pids.len().checked_sub(NAMED).filter(|more| *more > 0) {
                cells.muted(&format!(" +{more}"));
            }
        }
        LogTest::Level(level) => {
            let style = look(level_style(Some(*level), &view));
            cells.put(&format!("[{} and worse]", level.name()), style);
        }
        LogTest::Since(time) => {
            let since = format!("[since {}]", format_time(*time));
            cells.put(&since, look(view.theme.accent));
        }
        LogTest::Text(needle) => {
            let text = format!("[{}]", quoted(needle));
            cells.put(&text, look(view.theme.accent));
        }
        LogTest::Without(needle) => {
            let text = format!("[not {}]", quoted(needle));
            cells.put(&text, look(view.theme.accent));
        }
    }
}

fn quoted(needle: &Needle) -> String {
    if needle.is_expression {
        format!("/{}/", needle.text)
    } else {
        format!("{:?}", needle.text)
    }
}
