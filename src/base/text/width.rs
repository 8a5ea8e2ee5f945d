//! Measures and cuts text in terminal cells.
//!
//! The unit is the grapheme, and the width of one is what the screen library will give it, so that measured and drawn widths
//! are the same number (a property test draws both). Text is expected to be sanitised: control characters count nothing
//! here because nothing is drawn for them.

use std::{borrow::Cow, ops::Range};

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// What replaces the part that was cut off.
pub const ELLIPSIS: &str = "…";

/// Cells that `text` takes on one line.
pub fn width(text: &str) -> usize {
    if is_plain(text) {
        return text.len();
    }
    text.graphemes(true).map(grapheme_width).sum()
}

/// Whether `text` is printable ASCII only, so that bytes, characters, graphemes and cells are the same thing.
pub fn is_plain(text: &str) -> bool {
    // Chunks without an early exit let the compiler use vector instructions; this runs for every line of every frame.
    text.as_bytes().chunks(64).all(|chunk| {
        chunk
            .iter()
            .fold(true, |plain, byte| plain & (0x20..0x7f).contains(byte))
    })
}

/// Cells that one grapheme takes.
pub fn grapheme_width(grapheme: &str) -> usize {
    if let [byte] = grapheme.as_bytes() {
        return usize::from(!byte.is_ascii_control());
    }
    if grapheme.contains(char::is_control) {
        return 0;
    }
    // Halfwidth voiced sound marks extend a grapheme but terminals give each its own cell.
    let sound_marks = grapheme
        .chars()
        .filter(|c| matches!(c, '\u{ff9e}' | '\u{ff9f}'))
        .count();
    UnicodeWidthStr::width(grapheme) + sound_marks
}

/// `text` in at most `cells`, with `…` for what was cut, and the cells it now takes.
pub fn truncate(text: &str, cells: usize) -> (Cow<'_, str>, usize) {
    truncate_with(text, cells, ELLIPSIS)
}

/// As [`truncate`] with another mark, for terminals that have no `…`.
pub fn truncate_with<'a>(text: &'a str, cells: usize, mark: &str) -> (Cow<'a, str>, usize) {
    let (whole, whole_width) = prefix(text, cells);
    if whole.len() == text.len() {
        return (Cow::Borrowed(text), whole_width);
    }
    let mark_width = width(mark);
    if mark_width > cells {
        return (Cow::Borrowed(""), 0);
    }
    let (kept, kept_width) = prefix(text, cells - mark_width);
    (Cow::Owned([kept, mark].concat()), kept_width + mark_width)
}

/// As [`truncate`], but what is cut is the beginning: file paths are told apart by their ends.
pub fn truncate_start(text: &str, cells: usize) -> (Cow<'_, str>, usize) {
    let total = width(text);
    if total <= cells {
        return (Cow::Borrowed(text), total);
    }
    if cells == 0 {
        return (Cow::Borrowed(""), 0);
    }
    let mut kept = 0;
    let mut start = text.len();
    for (at, grapheme) in text.grapheme_indices(true).rev() {
        let next = kept + grapheme_width(grapheme);
        if next > cells - 1 {
            break;
        }
        kept = next;
        start = at;
    }
    let tail = text.get(start..).unwrap_or_default();
    (Cow::Owned([ELLIPSIS, tail].concat()), kept + 1)
}

/// As [`truncate_start`], but what is cut is the middle: of a path, its beginning and its last part stay.
pub fn truncate_path<'a>(path: &'a str, cells: usize, mark: &str) -> Cow<'a, str> {
    if width(path) <= cells {
        return Cow::Borrowed(path);
    }
    let last = path
        .rfind('/')
        .and_then(|at| path.get(at..))
        .unwrap_or(path);
    match cells.checked_sub(width(last) + width(mark)) {
        Some(room) if room > 0 => Cow::Owned([prefix(path, room).0, mark, last].concat()),
        _ => truncate_start(path, cells).0,
    }
}

/// The longest beginning of `text` that fits `cells`, and the cells it takes. Cost is by `cells`, not by the text's length.
pub fn prefix(text: &str, cells: usize) -> (&str, usize) {
    // One byte more than fits: if that is plain too, the cut lies between two graphemes.
    if let Some(head) = text.get(..=cells).filter(|head| is_plain(head)) {
        return (head.get(..cells).unwrap_or_default(), cells);
    }
    if text.len() <= cells && is_plain(text) {
        return (text, text.len());
    }
    let mut taken = 0;
    for (at, grapheme) in text.grapheme_indices(true) {
        let next = taken + grapheme_width(grapheme);
        if next > cells {
            return (text.get(..at).unwrap_or_default(), taken);
        }
        taken = next;
    }
    (text, taken)
}

/// `text` in exactly `cells`: cut with `…` or filled with spaces at the end.
pub fn pad(text: &str, cells: usize) -> String {
    let (text, taken) = truncate(text, cells);
    let mut out = text.into_owned();
    out.extend(std::iter::repeat_n(' ', cells - taken));
    out
}

/// `text` in exactly `cells`: cut with `…` or filled with spaces at the beginning, as numbers want it.
pub fn pad_start(text: &str, cells: usize) -> String {
    let (text, taken) = truncate(text, cells);
    let mut out = " ".repeat(cells - taken);
    out.push_str(&text);
    out
}

/// The columns `skip..skip + cells` of `text`, for horizontal scrolling. A wide grapheme cut by an edge becomes spaces, so
/// every column stays where it was.
pub fn take_columns(text: &str, skip: usize, cells: usize) -> Cow<'_, str> {
    let end = skip.saturating_add(cells);
    if is_plain(
        text.get(..end.saturating_add(1).min(text.len()))
            .unwrap_or("\0"),
    ) {
        let end = end.min(text.len());
        return Cow::Borrowed(text.get(skip.min(end)..end).unwrap_or_default());
    }
    if skip == 0 {
        // Nothing can be cut on the left, and a grapheme cut on the right leaves trailing spaces that nobody sees.
        return Cow::Borrowed(prefix(text, cells).0);
    }
    let mut out = String::new();
    let mut column = 0;
    for grapheme in text.graphemes(true) {
        let next = column + grapheme_width(grapheme);
        if column >= end {
            break;
        }
        if column >= skip && next <= end {
            out.push_str(grapheme);
        } else if next > skip {
            out.extend(std::iter::repeat_n(' ', next.min(end) - column.max(skip)));
        }
        column = next;
    }
    Cow::Owned(out)
}

/// Byte ranges of the rows `text` takes in `cells` columns, broken after a space where one is near. At least one row.
pub fn wrap(text: &str, cells: usize) -> Vec<Range<usize>> {
    wrap_hanging(text, cells, 0)
}

/// As [`wrap`], with every row after the first `indent` cells shorter, because it is drawn that much further right.
///
/// A grapheme wider than a row gets a row of its own, and a single space at a break belongs to no row.
pub fn wrap_hanging(text: &str, cells: usize, indent: usize) -> Vec<Range<usize>> {
    let first = cells.max(1);
    // An indent that leaves nothing to draw in would wrap for ever.
    let later = if indent < first {
        first - indent
    } else {
        first
    };
    let mut rows = Vec::new();
    let mut start = 0;
    let mut room = first;
    while let Some(rest) = text.get(start..).filter(|rest| !rest.is_empty()) {
        let (fits, _) = prefix(rest, room);
        if fits.len() == rest.len() {
            rows.push(start..text.len());
            break;
        }
        let fits = if fits.is_empty() {
            rest.graphemes(true).next().unwrap_or(rest)
        } else {
            fits
        };
        let after = rest.get(fits.len()..).unwrap_or_default();
        let cut = if after.starts_with(' ') {
            fits.len()
        } else {
            match fits.rfind(' ') {
                // A word longer than half the row is broken: a ragged edge that wide wastes more than it helps.
                Some(space) if space + 1 >= fits.len() / 2 => space + 1,
                _ => fits.len(),
            }
        };
        rows.push(start..start + cut);
        start += cut;
        if cut == fits.len() && after.starts_with(' ') {
            start += 1;
        }
        room = later;
    }
    if rows.is_empty() {
        rows.push(0..0);
    }
    rows
}

#[cfg(test)]
mod tests {
    #![expect(
        clippy::string_slice,
        reason = "a range off a character boundary should fail the test"
    )]

    use super::*;
    use crate::text::foreign::foreign;
    use crate::text::sanitise::sanitise;
    use proptest::prelude::*;
    use ratatui::{buffer::Buffer, layout::Rect, style::Style};

    #[test]
    fn widths() {
        for (text, cells) in [
            ("", 0),
            ("abc", 3),
            ("日本", 4),
            ("e\u{301}", 1),
            ("👩\u{200d}💻", 2),
            ("…", 1),
        ] {
            assert_eq!(width(text), cells, "{text:?}");
        }
    }

    #[test]
    fn truncation() {
        for (text, cells, wanted) in [
            ("hello", 5, "hello"),
            ("hello", 4, "hel…"),
            ("hello", 1, "…"),
            ("hello", 0, ""),
            ("日本語", 5, "日本…"),
            ("日本語", 4, "日…"),
        ] {
            let (cut, taken) = truncate(text, cells);
            assert_eq!(cut, wanted);
            assert_eq!(taken, width(wanted));
        }
        assert_eq!(
            truncate_start("/very/long/path.rs", 8),
            ("…path.rs".into(), 8)
        );
        assert_eq!(truncate_start("日本語", 4), ("…語".into(), 3));
    }

    #[test]
    fn of_a_path_the_middle_is_cut() {
        let path = "/srv/deep/down/bank.py:5";
        assert_eq!(truncate_path(path, 24, "…"), path);
        assert_eq!(truncate_path(path, 16, "…"), "/srv/…/bank.py:5");
        assert_eq!(truncate_path(path, 11, "…"), "…/bank.py:5");
        assert_eq!(truncate_path(path, 6, "…"), "….py:5");
    }

    #[test]
    fn padding() {
        assert_eq!(pad("日", 4), "日  ");
        assert_eq!(pad_start("42", 5), "   42");
        assert_eq!(pad("日本語", 4), "日… ");
    }

    #[test]
    fn scrolling_sideways_keeps_columns() {
        assert_eq!(take_columns("abcdef", 2, 3), "cde");
        assert_eq!(take_columns("abc", 9, 3), "");
        assert_eq!(take_columns("日本語", 1, 4), " 本 ");
        assert_eq!(take_columns("日本語", 0, 4), "日本");
    }

    #[test]
    fn wrapping() {
        let rows = |text: &str, cells, indent| -> Vec<String> {
            wrap_hanging(text, cells, indent)
                .into_iter()
                .map(|r| text[r].to_owned())
                .collect()
        };
        assert_eq!(
            rows("the quick brown fox", 10, 0),
            ["the quick ", "brown fox"]
        );
        assert_eq!(
            rows("the quick brown fox", 10, 4),
            ["the quick ", "brown ", "fox"]
        );
        assert_eq!(rows("abcdefghij", 4, 0), ["abcd", "efgh", "ij"]);
        assert_eq!(rows("日本語", 1, 0), ["日", "本", "語"]);
        assert_eq!(rows("", 4, 0), [""]);
        assert_eq!(rows("abc", 0, 9), ["a", "b", "c"]);
    }

    /// The number of cells the screen library really fills.
    fn drawn(text: &str) -> usize {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 4096, 1));
        usize::from(buffer.set_stringn(0, 0, text, 4096, Style::new()).0)
    }

    proptest! {
        #[test]
        fn measured_is_drawn(text in foreign()) {
            let clean = sanitise(&text);
            prop_assume!(clean.len() < 1000);
            prop_assert_eq!(width(&clean), drawn(&clean));
        }

        #[test]
        fn cuts_fit(text in foreign(), cells in 0usize..30, skip in 0usize..30) {
            let clean = sanitise(&text);
            let (cut, taken) = truncate(&clean, cells);
            prop_assert_eq!(width(&cut), taken);
            prop_assert!(taken <= cells);
            prop_assert!(width(&truncate_start(&clean, cells).0) <= cells);
            prop_assert_eq!(width(&pad(&clean, cells)), cells);
            let window = take_columns(&clean, skip, cells);
            prop_assert!(width(&window) <= cells, "{window:?}");
        }

        #[test]
        fn rows_fit_and_lose_nothing_but_a_space(text in foreign(), cells in 0usize..20, indent in 0usize..20) {
            let clean = sanitise(&text);
            let rows = wrap_hanging(&clean, cells, indent);
            let mut end = 0;
            for row in rows {
                prop_assert!(row.start == end || &clean[end..row.start] == " ");
                let part = &clean[row.clone()];
                prop_assert!(width(part) <= cells.max(1) || part.graphemes(true).count() == 1);
                end = row.end;
            }
            prop_assert!(end == clean.len() || &clean[end..] == " ");
        }
    }
}
