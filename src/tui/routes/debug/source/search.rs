//! Finding text in a source and going to a line: all matches at once, which of them the cursor is on, and the two questions in
//! the pane's last row.

use std::ops::Range;

use crate::{debug_prelude::*, widgets::text_view::expression};

/// No more matches than this are counted.
pub const MOST_MATCHES: usize = 10_000;

/// A search and what it found.
#[derive(Debug, Default)]
pub struct Search {
    pub query: String,
    matches: Vec<Range<usize>>,
    current: Option<usize>,
    cut: bool,
}

impl Search {
    /// Looks for `query` in `content`. Small letters match capital ones, unless the query has capitals itself. The match
    /// at or after `from` becomes the current one.
    pub fn new(query: &str, content: &str, from: usize) -> Self {
        let mut search = Self {
            query: query.to_owned(),
            ..Self::default()
        };
        if query.is_empty() {
            return search;
        }
        // Escaped text is always a valid expression; only a query of many thousand characters is refused, and finds nothing.
        let Ok(regex) = expression(&regex::escape(query)) else {
            return search;
        };
        let mut found = regex.find_iter(content).map(|m| m.range());
        search.matches = found.by_ref().take(MOST_MATCHES).collect();
        search.cut = found.next().is_some();
        let at = search.matches.partition_point(|m| m.start < from);
        search.current = match search.matches.len() {
            0 => None,
            n => Some(at % n),
        };
        search
    }

    /// Where the current match is, in bytes of the content.
    pub fn current(&self) -> Option<Range<usize>> {
        self.matches.get(self.current?).cloned()
    }

    /// The next match or the one before, around the ends.
    pub fn step(&mut self, forward: bool) {
        let n = self.matches.len();
        self.current = self
            .current
            .map(|i| (i + if forward { 1 } else { n - 1 }) % n);
    }

    /// Matches that touch a range of bytes, and whether each is the current one.
    pub fn within(&self, bytes: Range<usize>) -> impl Iterator<Item = (Range<usize>, bool)> + '_ {
        let first = self.matches.partition_point(|m| m.end <= bytes.start);
        self.matches
            .iter()
            .enumerate()
            .skip(first)
            .take_while(move |(_, m)| m.start < bytes.end)
            .map(|(i, m)| (m.clone(), Some(i) == self.current))
    }

    /// `3 of 12`.
    pub fn count(&self) -> String {
        match self.current {
            None if self.query.is_empty() => String::new(),
            None => "no match".into(),
            Some(i) => format!(
                "{} of {}{}",
                i + 1,
                self.matches.len(),
                if self.cut { "+" } else { "" }
            ),
        }
    }
}

/// What the last row is for.
#[derive(Debug, Default)]
pub enum Prompt {
    /// Nothing.
    #[default]
    None,
    /// Typing what to search for; the cursor was at that byte.
    Search(Field, usize),
    /// Going through the matches of what was typed.
    Browse(Field),
    /// Typing a line number; the cursor was at that line.
    Goto(Field, usize),
}

impl Prompt {
    /// Whether keys go here first.
    pub fn is_open(&self) -> bool {
        !matches!(self, Self::None)
    }
}

/// The line (from 0) that a typed text means in a file of `lines` lines: a number, or a percentage.
pub fn line_meant(text: &str, lines: usize) -> Option<usize> {
    if let Some(percent) = text.strip_suffix('%') {
        let percent = percent.parse::<usize>().ok()?.min(100);
        return Some((lines.saturating_sub(1) * percent).div_ceil(100));
    }
    let line = text.parse::<usize>().ok()?;
    Some(line.saturating_sub(1).min(lines.saturating_sub(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_match_after_the_cursor_comes_first_and_stepping_goes_round() {
        let text = "total\nTotal = total.x\n";
        let mut search = Search::new("total", text, 3);
        assert_eq!(search.count(), "2 of 3");
        assert_eq!(search.current(), Some(6..11));
        search.step(true);
        search.step(true);
        assert_eq!(search.current(), Some(0..5));
        search.step(false);
        assert_eq!(search.count(), "3 of 3");
        assert_eq!(Search::new("Total", text, 0).count(), "1 of 1");
        assert_eq!(Search::new(".x", text, 0).current(), Some(19..21));
        assert_eq!(Search::new("nix", text, 0).count(), "no match");
        let on_line_two: Vec<_> = search.within(6..22).collect();
        assert_eq!(on_line_two, [(6..11, false), (14..19, true)]);
    }

    #[test]
    fn too_many_matches_are_said_to_be_more() {
        let search = Search::new("a", &"a".repeat(MOST_MATCHES + 1), 0);
        assert_eq!(search.count(), "1 of 10000+");
    }

    #[test]
    fn numbers_and_percentages_are_lines() {
        assert_eq!(line_meant("12", 100), Some(11));
        assert_eq!(line_meant("0", 100), Some(0));
        assert_eq!(line_meant("4000", 100), Some(99));
        assert_eq!(line_meant("50%", 101), Some(50));
        assert_eq!(line_meant("900%", 101), Some(100));
        assert_eq!(line_meant("x", 100), None);
        assert_eq!(line_meant("", 0), None);
    }
}
