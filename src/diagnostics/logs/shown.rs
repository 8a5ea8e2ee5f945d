//! What a reader sees of an entry besides what stands in the file: its level's name in capitals, fields as `key=value`. Who searches types what is on the screen.
//!
//! A file is looked through as it stands, which is fast. What a pattern could find in the shown form alone, and in which entries, is
//! worked out once from the pattern: most patterns could find nothing more, and cost nothing more.

use regex::bytes::Regex;

use super::record::{Entry, Level};
use crate::prelude::*;

impl Entry {
    /// Its fields as they are shown behind the message: ` key=value key=value`, one line without control characters; empty without any.
    pub fn fields(&self) -> String {
        let (members, _) = self.parts();
        let mut text = String::new();
        for (name, value) in &members {
            // Writing to a String cannot fail.
            let _ = write!(text, " {}={}", sanitise(name), sanitise(&value.to_string()));
        }
        text
    }

    fn as_shown(&self) -> String {
        format!("{}{}", self.said(), self.fields())
    }
}

/// What a pattern may find in the shown form of entries that do not have it as they stand in the file.
#[derive(Clone, Debug, Default)]
pub struct ShownMatcher {
    /// It finds the name of these levels, in capitals.
    levels: Vec<Level>,
    /// It may find a field, or the message without JSON's signs.
    fields: bool,
}

impl ShownMatcher {
    /// What `pattern`, compiled as `regex`, may find; and a pattern without which it finds nothing in an entry, in either form, unless
    /// that needs no more than the level.
    pub fn of(pattern: &str, regex: &Regex) -> (Self, Option<String>) {
        // What finds nothing finds it in every file.
        if regex.is_match(b"") {
            return (Self::default(), None);
        }
        let levels = Level::ALL
            .into_iter()
            .filter(|level| regex.is_match(level.name().to_ascii_uppercase().as_bytes()))
            .collect();
        let literal = literal(pattern);
        let (fields, piece) = match &literal {
            Some(text) => (text.contains(['=', '"', '\\']), longest_piece(text)),
            None => (pattern.contains('='), before_equals(pattern)),
        };
        let case = if pattern.starts_with("(?i)") {
            "i"
        } else {
            "-i"
        };
        let block = piece
            .filter(|_| fields)
            .map(|piece| format!("(?:{pattern})|(?{case}:{})", regex::escape(piece)));
        (Self { levels, fields }, block)
    }

    /// Whether it can find nothing that does not stand in the file.
    pub fn is_empty(&self) -> bool {
        self.levels.is_empty() && !self.fields
    }

    /// Whether entries of some levels are all found.
    pub fn has_levels(&self) -> bool {
        !self.levels.is_empty()
    }

    /// Whether all entries of this level are found.
    pub fn is_level(&self, level: Option<Level>) -> bool {
        level.is_some_and(|level| self.levels.contains(&level))
    }

    /// Whether an entry that stands like this may be shown otherwise, in a way that matters.
    pub fn concerns(&self, text: &[u8]) -> bool {
        self.fields && text.first() == Some(&b'{')
    }

    /// Whether the entry is found as it is shown.
    pub fn finds(&self, regex: &Regex, entry: &Entry) -> bool {
        self.is_level(entry.level)
            || self.concerns(entry.text.as_bytes()) && regex.is_match(entry.as_shown().as_bytes())
    }
}

/// The text that a pattern is, if it is no more than that.
fn literal(pattern: &str) -> Option<String> {
    let inner = pattern.strip_prefix("(?i)").unwrap_or(pattern);
    let mut text = String::new();
    let mut letters = inner.chars();
    while let Some(letter) = letters.next() {
        let letter = match letter {
            '\\' => letters.next().filter(|next| !next.is_alphanumeric())?,
            letter if "^$.|?*+()[]{}".contains(letter) => return None,
            letter => letter,
        };
        text.push(letter);
    }
    Some(text)
}

/// The longest part of a text that stands in the file as it is shown.
fn longest_piece(text: &str) -> Option<&str> {
    text.split(['=', '"', '\\', ' '])
        .filter(|piece| piece.is_ascii())
        .max_by_key(|piece| piece.len())
        .filter(|piece| !piece.is_empty())
}

/// The letters before the first `=` of an expression, where it cannot do without them.
fn before_equals(pattern: &str) -> Option<&str> {
    let (before, _) = pattern.split_once('=')?;
    let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let start = before.trim_end_matches(is_letter).len();
    let piece = before.get(start..).filter(|piece| !piece.is_empty())?;
    let is_free = !pattern.contains(['|', '(', '[', '{', '?', '*']);
    (is_free && !before.get(..start)?.ends_with('\\')).then_some(piece)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(pattern: &str) -> (ShownMatcher, Option<String>) {
        ShownMatcher::of(pattern, &Regex::new(pattern).unwrap())
    }

    #[test]
    fn most_patterns_find_nothing_that_does_not_stand_in_the_file() {
        for pattern in ["NEEDLE-7f3a9c1d", "(?i)overloaded", "saved", "\\.jsonl", ""] {
            let (shown, block) = shown(pattern);
            assert!(shown.is_empty() && block.is_none(), "{pattern}: {shown:?}");
        }
        let (levels, block) = shown("ERROR");
        assert_eq!((levels.levels, block), (vec![Level::Error], None));
        assert_eq!(literal("(?i)a\\.b\\=c").as_deref(), Some("a.b=c"));
        assert_eq!(literal("a\\d"), None);
        assert_eq!(longest_piece("n=\"any text\""), Some("text"));
        assert_eq!(before_equals("x\\w=5"), None);
        assert_eq!(before_equals("entries=\\d+"), Some("entries"));
        assert_eq!(before_equals("a|b=1"), None);
    }
}
