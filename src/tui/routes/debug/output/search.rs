//! Searching in what was printed: the rows that match, going through them, and the line that says how many there are.

use super::{
    OutputPane, Place, Row,
    line::{find, near},
    line_of,
};
use crate::routes::debug::kit::prelude::*;

/// What is searched, where something was typed.
pub fn needle(search: Option<&Field>) -> Option<&str> {
    search.map(Field::text).filter(|text| !text.is_empty())
}

impl OutputPane {
    pub(super) fn needle(&self) -> Option<&str> {
        needle(self.search.as_ref())
    }

    pub(super) fn find_hits(&mut self, state: &State) {
        self.hits.clear();
        let Some(needle) = self.needle().map(str::to_owned) else {
            return;
        };
        for (at, Row { place, .. }) in self.rows.iter().enumerate() {
            // Of a wrapped line the first part stands for all.
            if let Place::Line { part: 0, .. } = place
                && line_of(state, place).is_some_and(|(_, l)| find(near(l), &needle).is_some())
            {
                self.hits.push(at);
            }
        }
    }

    /// To the next line with what is searched, or the one before.
    pub(super) fn jump(&mut self, forward: bool) {
        let at = self.list.selected().unwrap_or(0);
        let mut hits = self.hits.iter();
        let next = if forward {
            hits.find(|h| **h > at).or_else(|| self.hits.first())
        } else {
            hits.rfind(|h| **h < at).or_else(|| self.hits.last())
        };
        if let Some(next) = next.copied() {
            self.pause();
            self.list.select(Some(next));
        }
    }

    pub(super) fn end_search(&mut self) {
        self.search = None;
        self.browsing = false;
        self.hits.clear();
    }

    pub(super) fn draw_search(&mut self, buf: &mut Buffer, foot: Rect, view: &View<'_>) {
        let at = self
            .list
            .selected()
            .and_then(|s| self.hits.iter().position(|h| *h == s));
        let count = match (self.hits.len(), at) {
            _ if self.needle().is_none() => String::new(),
            (0, _) => "not found".into(),
            (all, Some(at)) => format!("{} of {all}", at + 1),
            (all, None) => counted(all, "line"),
        };
        let keys = if self.browsing {
            "n next  N previous  Esc done"
        } else {
            "Enter keep  Esc leave"
        };
        let separator = if count.is_empty() { "" } else { "  " };
        let mut count = format!("{count}{separator}{keys}");
        let typed = self.needle().map_or(0, width);
        if width(&count) + typed + 4 > usize::from(foot.width) {
            count.truncate(count.len() - keys.len() - separator.len());
        }
        let Some(field) = &mut self.search else {
            return;
        };
        let mut cells = Cells::new(foot.width, view);
        cells.accent("/");
        let used = cells.draw(buf, foot);
        let room = foot.width.saturating_sub(used + width(&count) as u16 + 2);
        field.draw(
            buf,
            paint::first(paint::from(foot, used), room),
            !self.browsing,
            "",
            view,
        );
        let place = paint::last(foot, (width(&count) as u16).min(foot.width));
        paint::text(buf, place, &count, view.theme.muted);
    }
}
