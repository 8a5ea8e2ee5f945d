//! Where a secret stands in a text, and small helpers to look at text without ever leaving it.

use super::kind::SecretKind;

/// A secret that was found.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// Where that begins by which it was known: its name, its scheme.
    pub from: usize,
    /// First byte that is replaced.
    pub start: usize,
    /// First byte that stays.
    pub end: usize,
    pub kind: SecretKind,
    /// Where it would end had the text not ended first.
    pub stop: Stop,
}

impl Span {
    /// One that ends where a token does.
    pub fn token(from: usize, start: usize, end: usize, kind: SecretKind) -> Self {
        Self {
            from,
            start,
            end,
            kind,
            stop: Stop::Token,
        }
    }
}

/// What ends a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// White space, quotes, separators.
    Token,
    Quote(u8),
    /// The end of the line.
    Line,
}

impl Stop {
    /// Whether this byte is the first that does not belong to the secret.
    pub fn ends_at(self, byte: u8) -> bool {
        match self {
            Self::Token => ends_token(byte),
            Self::Quote(quote) => byte == quote,
            Self::Line => false,
        }
    }
}

/// The byte at `at`, or 0 outside.
pub fn byte(text: &str, at: usize) -> u8 {
    text.as_bytes().get(at).copied().unwrap_or(0)
}

/// The byte before a place; 0 before the beginning.
pub fn byte_before(text: &str, at: usize) -> u8 {
    at.checked_sub(1).map_or(0, |at| byte(text, at))
}

/// The text between two places, or nothing when they are none.
pub fn cut(text: &str, from: usize, to: usize) -> &str {
    text.get(from..to).unwrap_or_default()
}

/// How many bytes are so, one behind the other, from there on; no more than `most` are looked at.
pub fn run(text: &str, from: usize, most: usize, is: impl Fn(u8) -> bool) -> usize {
    let bytes = text.as_bytes().iter().skip(from).take(most);
    bytes.take_while(|b| is(**b)).count()
}

/// How many bytes are so, one before the other, up to there.
pub fn run_before(text: &str, end: usize, most: usize, is: impl Fn(u8) -> bool) -> usize {
    let bytes = text.as_bytes().iter().take(end).rev().take(most);
    bytes.take_while(|b| is(**b)).count()
}

/// Whether a value without quotes ends here.
pub fn ends_token(byte: u8) -> bool {
    byte.is_ascii_whitespace()
        || matches!(
            byte,
            b'"' | b'\'' | b'`' | b',' | b';' | b'&' | b')' | b'}' | b']' | b'<' | b'>' | b'|'
        )
}

/// Whether a word can begin at `at`: before it stands nothing, no letter or digit, or the end of an escape (`\n`, `%20`, a
/// colour).
pub fn begins_word(text: &str, at: usize) -> bool {
    let before = |back: usize| at.checked_sub(back).map_or(0, |at| byte(text, at));
    let last = before(1);
    if !last.is_ascii_alphanumeric() && last != b'_' {
        return true;
    }
    (matches!(last, b'n' | b'r' | b't') && before(2) == b'\\')
        || (last.is_ascii_hexdigit() && before(2).is_ascii_hexdigit() && before(3) == b'%')
        || (last == b'm' && ends_colour(text, at - 1))
}

/// Whether the `m` at `at` ends `ESC [ 1 ; 31 m`.
pub fn ends_colour(text: &str, at: usize) -> bool {
    let digits = run_before(text, at, 16, |b| b.is_ascii_digit() || b == b';');
    at.checked_sub(digits + 1)
        .is_some_and(|open| byte(text, open) == b'[')
}

/// Puts spans in order and makes one of those that overlap.
pub fn merge(mut spans: Vec<Span>) -> Vec<Span> {
    if spans.len() < 2 {
        return spans;
    }
    spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
    let mut merged: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        match merged.last_mut() {
            Some(last) if span.start < last.end => {
                last.from = last.from.min(span.from);
                if span.end > last.end {
                    last.end = span.end;
                    last.stop = span.stop;
                }
            }
            _ => merged.push(span),
        }
    }
    merged
}
