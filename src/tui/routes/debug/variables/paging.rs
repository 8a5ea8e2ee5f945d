//! How big things are opened in pages, and how adapters that do not keep to the pages are found out.
//!
//! Pure rules: what to ask for, and what to make of an answer. Counts that adapters announce decide what is asked for and
//! are believed no further: what came is what is shown.

use std::collections::HashSet;

use dap::types::Variable;

/// Why rows were asked for.
#[derive(Debug, PartialEq)]
pub(super) enum Step {
    /// All children.
    Whole,
    /// The fields, beside ranges of elements.
    Named,
    /// A page of elements.
    Range { start: i64, count: i64 },
    /// What a page still owed.
    Rest { start: i64, count: i64 },
    /// The value of a lazy one.
    Lazy,
    /// What rows show in one line.
    Previews,
}

/// Elements in a page, and entries in a level of ranges.
pub const PAGE: i64 = 100;
/// The same of what is here.
pub const PAGE_LEN: usize = PAGE as usize;

/// Rows of an unpaged answer beyond which they are folded, whatever they are called.
const FOLD_ANY: usize = 1000;

/// The ranges into which `count` elements from `start` are folded, as (start, count): pages at the leaves, and at most
/// [`PAGE`] ranges on each level above.
pub fn ranges(start: i64, count: i64) -> Vec<(i64, i64)> {
    let mut size = PAGE;
    while count / size >= PAGE && count > size.saturating_mul(PAGE) {
        size = size.saturating_mul(PAGE);
    }
    let mut ranges = Vec::new();
    let mut at = 0;
    while at < count {
        ranges.push((start.saturating_add(at), size.min(count - at)));
        at = at.saturating_add(size);
    }
    ranges
}

/// A range's name, both ends included.
pub fn range_name(start: i64, count: i64) -> String {
    format!(
        "[{start}..{}]",
        start.saturating_add(count).saturating_sub(1)
    )
}

/// What an answer to a page turned out to be.
#[derive(Debug, PartialEq)]
pub enum Verdict {
    /// The page, and how many of its elements are still owed.
    Page {
        /// Elements asked for and not sent.
        owed: i64,
    },
    /// More than was asked for: the adapter does not page, and this is everything there is.
    Everything,
    /// The same rows again, or those from the beginning: the adapter counts but does not skip.
    Repeated,
}

/// Judges the rows that came for `count` elements from `start`; `others` are the names on pages of the same thing that
/// came before.
pub fn judge<'a>(
    start: i64,
    count: i64,
    rows: &[Variable],
    others: impl IntoIterator<Item = Vec<&'a str>>,
) -> Verdict {
    let came = i64::try_from(rows.len()).unwrap_or(i64::MAX);
    if came > count {
        return Verdict::Everything;
    }
    let first = rows.first().and_then(|r| index_of(&r.name));
    if start > 0 && first == Some(0) {
        return Verdict::Repeated;
    }
    let names: Vec<&str> = rows.iter().map(|r| r.name.as_str()).collect();
    // Rows that are all called the same (`item`, or nothing at all) say nothing about where they stand.
    let telling =
        names.iter().collect::<HashSet<_>>().len() > 1 || (names.len() == 1 && first.is_some());
    if telling && others.into_iter().any(|other| other == names) {
        return Verdict::Repeated;
    }
    Verdict::Page { owed: count - came }
}

/// The index in an element's name: `7`, `[7]`, `[0x7]` stays unknown.
pub fn index_of(name: &str) -> Option<i64> {
    let name = name.trim();
    let digits = name
        .strip_prefix('[')
        .and_then(|n| n.strip_suffix(']'))
        .unwrap_or(name);
    digits.parse().ok().filter(|i| *i >= 0)
}

/// Whether rows that came all at once are folded into ranges: elements beyond a page, anything beyond [`FOLD_ANY`].
pub fn folds(rows: &[Variable]) -> bool {
    rows.len() > FOLD_ANY
        || (rows.len() > PAGE_LEN
            && rows
                .get(rows.len() / 2)
                .is_some_and(|r| index_of(&r.name).is_some()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rows(names: impl IntoIterator<Item = String>) -> Vec<Variable> {
        names
            .into_iter()
            .map(|name| Variable {
                name,
                ..Variable::default()
            })
            .collect()
    }

    fn numbered(range: std::ops::Range<i64>) -> Vec<Variable> {
        rows(range.map(|i| format!("[{i}]")))
    }

    #[test]
    fn a_hundred_thousand_elements_stay_browsable() {
        let top = ranges(0, 100_000);
        assert_eq!(top.len(), 10);
        assert_eq!(top.first(), Some(&(0, 10_000)));
        assert_eq!(top.last(), Some(&(90_000, 10_000)));
        let below = ranges(90_000, 10_000);
        assert_eq!(below.len(), 100);
        assert_eq!(below.last(), Some(&(99_900, 100)));
        assert_eq!(range_name(99_900, 100), "[99900..99999]");
    }

    #[test]
    fn the_last_range_is_as_long_as_what_is_left() {
        assert_eq!(ranges(0, 250), [(0, 100), (100, 100), (200, 50)]);
        assert_eq!(ranges(0, 101), [(0, 100), (100, 1)]);
        assert_eq!(ranges(0, 0), []);
        assert_eq!(ranges(0, -5), []);
    }

    proptest! {
        #[test]
        fn ranges_cover_everything_once_and_never_too_many(start in 0i64..1_000_000, count in 1i64..=i64::MAX / 2) {
            let ranges = ranges(start, count);
            prop_assert!(ranges.len() <= 100);
            let mut at = start;
            for (s, c) in &ranges {
                prop_assert_eq!(*s, at);
                prop_assert!(*c > 0);
                at += c;
            }
            prop_assert_eq!(at, start + count);
            // A level down is always smaller, so opening ends at pages.
            prop_assert!(count <= PAGE || ranges.iter().all(|(_, c)| *c < count));
        }
    }

    #[test]
    fn honest_pages_are_taken_and_short_ones_owe() {
        let first = numbered(0..100);
        let names = first.iter().map(|r| r.name.as_str()).collect();
        assert_eq!(
            judge(100, 100, &numbered(100..200), [names]),
            Verdict::Page { owed: 0 }
        );
        assert_eq!(
            judge(100, 100, &numbered(100..164), []),
            Verdict::Page { owed: 36 }
        );
        assert_eq!(judge(100, 100, &[], []), Verdict::Page { owed: 100 });
        // One-based languages, and elements without numbers.
        assert_eq!(
            judge(100, 100, &numbered(101..201), []),
            Verdict::Page { owed: 0 }
        );
    }

    #[test]
    fn adapters_that_ignore_the_page_are_found_out() {
        assert_eq!(judge(100, 100, &numbered(0..5000), []), Verdict::Everything);
        assert_eq!(judge(100, 100, &numbered(0..100), []), Verdict::Repeated);
        let letters = rows(["a", "b"].map(String::from));
        assert_eq!(judge(100, 2, &letters, [vec!["a", "b"]]), Verdict::Repeated);
        assert_eq!(
            judge(100, 2, &letters, [vec!["a", "c"]]),
            Verdict::Page { owed: 0 }
        );
    }

    #[test]
    fn names_that_are_all_alike_prove_nothing() {
        let alike = rows(["item", "item"].map(String::from));
        assert_eq!(
            judge(100, 2, &alike, [vec!["item", "item"]]),
            Verdict::Page { owed: 0 }
        );
        let nameless = rows([String::new()]);
        assert_eq!(
            judge(100, 1, &nameless, [vec![""]]),
            Verdict::Page { owed: 0 }
        );
    }

    #[test]
    fn indices_are_read_from_names() {
        assert_eq!(index_of("[12]"), Some(12));
        assert_eq!(index_of("0"), Some(0));
        for name in ["", "[-1]", "x1", "[0x7]", "(1,2)", "99999999999999999999"] {
            assert_eq!(index_of(name), None, "{name}");
        }
    }
}
