//! Text to read: scrolls, wraps, searches.
//!
//! For values, help, messages, raw frames: whatever is short enough to be held in memory as lines. Text is made harmless when it
//! comes in. Leaves to others: keys, frames, and text of gigabytes.

use std::ops::Range;

use base::{region, text::width::wrap_hanging};
use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::Style,
    text::{Line, Span},
};
use regex::{Regex, RegexBuilder};

use super::{
    paint::{self, Parts as _},
    scrollbar::{self, Extent},
    toned::Toned,
};
use crate::theme::{Look, Theme};

/// Cells by which the rows of a wrapped line are indented after the first.
const HANG: usize = 2;
/// Matches that are counted; the display says "1000+" beyond.
pub const MAX_MATCHES: usize = 1_000;
/// Bytes a search expression may compile to: a hostile or mistyped one must not eat the memory.
const EXPRESSION_LIMIT: usize = 1 << 20;

/// Text and the position in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextView {
    lines: Vec<Toned>,
    /// Whether long lines are scrolled sideways instead of being wrapped.
    flat: bool,
    /// First row in view; rows are lines unless wrapped.
    top: usize,
    left: usize,
    search: Option<Search>,
    /// Rows of the last frame, for the width they were made for.
    rows: Vec<(usize, Range<usize>)>,
    rows_for: Option<usize>,
    height: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Search {
    query: String,
    matches: Vec<(usize, Range<usize>)>,
    current: usize,
}

impl TextView {
    /// A view of `text`; see [`Self::set_text`].
    pub fn new(text: &str) -> Self {
        let mut view = Self::default();
        view.set_text(text);
        view
    }

    /// Replaces the text; the position is kept as far as the new text reaches, a search is run again.
    pub fn set_text(&mut self, text: &str) {
        self.set_toned(text.lines().map(Toned::plain).collect());
    }

    /// Other text, with what its parts mean.
    pub fn set_toned(&mut self, lines: Vec<Toned>) {
        self.lines = lines;
        self.rows_for = None;
        if let Some(search) = self.search.take() {
            // The expression was accepted before.
            let _ = self.search(&search.query, false);
        }
    }

    /// The text as it is shown, for copying.
    pub fn text(&self) -> String {
        self.lines
            .iter()
            .map(|line| line.text.as_str())
            .collect::<Vec<_>>()
            .join("\n")
    }

    /// Lines in all.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether there is nothing to read.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Whether long lines are wrapped; otherwise they are scrolled sideways.
    pub const fn wraps(&self) -> bool {
        !self.flat
    }

    /// Wraps long lines or not, and stays at the line that is at the top.
    pub fn set_wrap(&mut self, wrap: bool) {
        let line = self.top_line();
        self.flat = !wrap;
        self.left = 0;
        self.rows_for = None;
        self.top = line;
        if wrap && self.height > 0 {
            self.show_line(line);
        }
    }

    /// Scrolls by rows; down is positive.
    pub fn scroll_by(&mut self, rows: isize) {
        self.top = self.top.saturating_add_signed(rows).min(self.last_top());
    }

    /// Scrolls by pages, less one row to hold on to.
    pub fn page_by(&mut self, pages: isize) {
        let page = isize::try_from(self.height.saturating_sub(1).max(1)).unwrap_or(1);
        self.scroll_by(pages.saturating_mul(page));
    }

    /// Scrolls sideways; right is positive. Has no effect on wrapped text.
    pub fn scroll_sideways(&mut self, columns: isize) {
        if self.flat {
            self.left = self.left.saturating_add_signed(columns);
        }
    }

    /// To the beginning.
    pub fn home(&mut self) {
        self.top = 0;
        self.left = 0;
    }

    /// To the end.
    pub fn end(&mut self) {
        self.top = self.last_top();
    }

    /// First line in view, from 0.
    pub fn top_line(&self) -> usize {
        self.rows.get(self.top).map_or(self.top, |(line, _)| *line)
    }

    /// Looks for `query` and goes to the first match from the top of the view on. Small letters match both cases. An empty query
    /// ends the search. `Err` says what is wrong with an expression.
    pub fn search(&mut self, query: &str, is_expression: bool) -> Result<usize, String> {
        self.search = None;
        if query.is_empty() {
            return Ok(0);
        }
        let _region = region!("search text");
        let pattern = if is_expression {
            query.to_owned()
        } else {
            regex::escape(query)
        };
        let pattern = expression(&pattern)
            .map_err(|why| format!("{query:?} is not a search expression: {why}"))?;
        let matches: Vec<_> = self
            .lines
            .iter()
            .enumerate()
            .flat_map(|(at, line)| {
                pattern
                    .find_iter(&line.text)
                    .map(move |found| (at, found.range()))
            })
            .filter(|(_, range)| !range.is_empty())
            .take(MAX_MATCHES)
            .collect();
        let count = matches.len();
        let top = self.top_line();
        let current = matches
            .iter()
            .position(|(line, _)| *line >= top)
            .unwrap_or(0);
        self.search = Some(Search {
            query: query.to_owned(),
            matches,
            current,
        });
        self.show_match();
        Ok(count)
    }

    /// Goes to the next match (or, with -1, the one before), around the ends.
    pub fn next_match(&mut self, step: isize) {
        if let Some(search) = &mut self.search {
            let count = search.matches.len().max(1);
            search.current =
                (search.current + count).saturating_add_signed(step % count as isize) % count;
        }
        self.show_match();
    }

    /// "3 of 12" or "no match"; empty without a search.
    pub fn search_status(&self) -> String {
        match &self.search {
            None => String::new(),
            Some(search) if search.matches.is_empty() => "no match".to_owned(),
            Some(search) => {
                let more = if search.matches.len() == MAX_MATCHES {
                    "+"
                } else {
                    ""
                };
                format!("{} of {}{more}", search.current + 1, search.matches.len())
            }
        }
    }

    /// Draws what is in view.
    pub fn draw(&mut self, buffer: &mut Buffer, area: Rect, look: Look<'_>) {
        if area.is_empty() {
            return;
        }
        // Always as if the bar were there, so that text does not move when it appears.
        let text = area.first(area.width.saturating_sub(1).max(1));
        self.height = usize::from(area.height);
        self.lay_out(usize::from(text.width));
        self.top = self.top.min(self.last_top());
        for (row, (line, range)) in (0..area.height).zip(self.rows.iter().skip(self.top)) {
            let hang = u16::try_from(if range.start > 0 { HANG } else { 0 }).unwrap_or(0);
            let place = text.row(row).after(hang);
            let content = self.styled(*line, range.clone(), look.theme);
            paint::line(buffer, place, &content, self.left);
        }
        let extent = Extent {
            top: self.top,
            height: self.height,
            len: self.rows.len(),
        };
        let marks = self
            .search
            .iter()
            .flat_map(|search| &search.matches)
            .map(|(line, _)| {
                let row = self.rows.partition_point(|(other, _)| other < line);
                (row, look.theme.warning)
            });
        scrollbar::draw(buffer, area, extent, marks, look);
    }

    fn styled(&self, line: usize, range: Range<usize>, theme: &Theme) -> Line<'_> {
        let Some(content) = self.lines.get(line) else {
            return Line::default();
        };
        let mut layers: Vec<(Range<usize>, Style)> = content
            .tones
            .iter()
            .map(|(range, tone)| (range.clone(), tone.style(theme)))
            .collect();
        if let Some(search) = &self.search {
            let first = search.matches.partition_point(|(other, _)| *other < line);
            for (index, (_, found)) in search
                .matches
                .iter()
                .enumerate()
                .skip(first)
                .take_while(|(_, (at, _))| *at == line)
            {
                let style = if index == search.current {
                    theme.search_current
                } else {
                    theme.search_match
                };
                layers.push((found.clone(), style));
            }
        }
        // Spans begin and end where any layer does; later layers lie on top.
        let mut cuts = vec![range.start, range.end];
        for (layer, _) in &layers {
            cuts.extend(
                [layer.start, layer.end]
                    .into_iter()
                    .filter(|cut| range.contains(cut)),
            );
        }
        cuts.sort_unstable();
        cuts.dedup();
        let spans = cuts.iter().zip(cuts.iter().skip(1)).map(|(start, end)| {
            let style = layers
                .iter()
                .filter(|(layer, _)| layer.start <= *start && *end <= layer.end)
                .fold(theme.text, |style, (_, over)| style.patch(*over));
            Span::styled(content.text.get(*start..*end).unwrap_or_default(), style)
        });
        spans.collect()
    }

    fn lay_out(&mut self, cells: usize) {
        let wanted = if self.flat { 0 } else { cells };
        if self.rows_for == Some(wanted) {
            return;
        }
        let line = self.top_line();
        let was_laid_out = self.rows_for.is_some();
        let lines = self.lines.iter().enumerate();
        self.rows = if self.flat {
            lines.map(|(at, line)| (at, 0..line.text.len())).collect()
        } else {
            let wrapped = |(at, line): (usize, &Toned)| {
                wrap_hanging(&line.text, cells, HANG)
                    .into_iter()
                    .map(move |range| (at, range))
            };
            lines.flat_map(wrapped).collect()
        };
        self.rows_for = Some(wanted);
        if was_laid_out {
            self.top = self.rows.partition_point(|(other, _)| *other < line);
        }
    }

    fn last_top(&self) -> usize {
        self.rows
            .len()
            .max(self.lines.len())
            .saturating_sub(self.height.max(1))
    }

    fn show_match(&mut self) {
        let search = self.search.as_ref();
        if let Some((line, _)) = search.and_then(|search| search.matches.get(search.current)) {
            self.show_line(*line);
        }
    }

    fn show_line(&mut self, line: usize) {
        let row = self.rows.partition_point(|(other, _)| *other < line);
        if row < self.top || row >= self.top + self.height.max(1) {
            self.top = row.saturating_sub(self.height / 2);
        }
    }
}

/// What is searched for, if it is an expression: small letters match both cases. `Err` says what is wrong with it.
pub fn expression(pattern: &str) -> Result<Regex, String> {
    RegexBuilder::new(pattern)
        .case_insensitive(!pattern.chars().any(char::is_uppercase))
        .size_limit(EXPRESSION_LIMIT)
        .build()
        .map_err(|error| {
            let why = error.to_string();
            let why = why.lines().last().unwrap_or_default();
            why.trim_start_matches("error: ").to_owned()
        })
}

#[cfg(test)]
mod tests;
