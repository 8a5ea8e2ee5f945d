//! Makes foreign text safe and honest to show.
//!
//! The one door between bytes we did not write and a cell, the clipboard, NDJSON text or a model: control characters become
//! visible pictures, bidirectional overrides and invisible characters become `\u{..}`, piles of combining marks are capped,
//! and tabs become spaces, because a terminal moves the cursor for a tab and a cell grid cannot.
//!
//! Leaves to others: reading colour sequences ([`super::ansi`]), measuring ([`super::width`]), hiding secrets.

use std::{borrow::Cow, fmt::Write as _};

use unicode_width::UnicodeWidthChar;

use super::width::{is_plain, width};

/// Columns between tab stops when nobody said otherwise.
pub const TAB_WIDTH: usize = 4;

/// Zero-width marks kept on one base character. Vietnamese, Hebrew and Tibetan stay far below; "zalgo" text does not.
pub const MAX_MARKS: u8 = 8;

/// One line for display: [`sanitise_line`] with tab stops every [`TAB_WIDTH`] columns.
///
/// Borrows when nothing had to change.
pub fn sanitise(text: &str) -> Cow<'_, str> {
    sanitise_line(text, TAB_WIDTH)
}

/// One line for display with tab stops every `tab_width` columns (0 counts as 1).
///
/// A single line ending at the very end is dropped; any other CR or LF becomes a picture, so the result is always one line.
pub fn sanitise_line(text: &str, tab_width: usize) -> Cow<'_, str> {
    sanitise_from(without_line_end(text), tab_width, 0)
}

/// As [`sanitise_line`] for text that begins at `column` (cells) of its line, so that tab stops fall where they should. Does
/// not drop a line ending.
pub fn sanitise_from(text: &str, tab_width: usize, column: usize) -> Cow<'_, str> {
    if is_plain(text) {
        return Cow::Borrowed(text);
    }
    let mut writer = Writer::new(text, tab_width.max(1), column);
    for (at, character) in text.char_indices() {
        writer.take(at, character);
    }
    writer.finish()
}

/// Several lines for display: `\n` and `\r\n` separate lines and come out as `\n`; each line is treated as by [`sanitise`].
pub fn sanitise_block(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            out.push('\n');
        }
        let line = line.strip_suffix('\r').unwrap_or(line);
        out.push_str(&sanitise_from(line, TAB_WIDTH, 0));
    }
    out
}

/// One line for display out of bytes: what is not UTF-8 becomes U+FFFD, then [`sanitise`].
pub fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    match String::from_utf8_lossy(bytes) {
        Cow::Borrowed(text) => sanitise(text),
        Cow::Owned(text) => Cow::Owned(sanitise(&text).into_owned()),
    }
}

/// Whether a character must never reach a reader as itself: it is invisible, reorders its neighbours or is no character.
pub fn is_deceptive(character: char) -> bool {
    matches!(character,
        // Soft hyphen, combining grapheme joiner, Arabic letter mark, Hangul and Khmer fillers, Mongolian vowel separator.
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        // Zero-width space, direction marks, line and paragraph separators, embeddings, overrides and isolates.
        | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        // Fillers, byte order mark, annotation controls, noncharacters.
        | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}'
        // Shorthand and musical format controls, tag characters, the variation selectors that smuggle data.
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
    )
}

fn without_line_end(text: &str) -> &str {
    match text.strip_suffix('\n') {
        Some(rest) => rest.strip_suffix('\r').unwrap_or(rest),
        None => text,
    }
}

/// What came before a zero-width character.
#[derive(Clone, Copy, PartialEq)]
enum Base {
    None,
    Ascii,
    Other,
}

/// Copies on the first change; until then the input is only looked at.
struct Writer<'a> {
    text: &'a str,
    out: Option<String>,
    tab_width: usize,
    /// Column at which the bytes from `measured` on begin.
    column: usize,
    measured: usize,
    base: Base,
    marks: u8,
}

impl<'a> Writer<'a> {
    fn new(text: &'a str, tab_width: usize, column: usize) -> Self {
        Self {
            text,
            out: None,
            tab_width,
            column,
            measured: 0,
            base: Base::None,
            marks: 0,
        }
    }

    fn take(&mut self, at: usize, character: char) {
        match character {
            ' '..='~' => self.keep(character, Base::Ascii),
            '\t' => self.tab(at),
            '\0'..='\u{1f}' => {
                // U+2400 + n is the picture of control character n.
                let picture = char::from_u32(0x2400 + u32::from(character)).unwrap_or('\u{fffd}');
                self.replace(at, picture);
            }
            '\u{7f}' => self.replace(at, '\u{2421}'),
            '\u{80}'..='\u{9f}' => self.escape(at, character),
            // Joiners are spelling in Persian, Indic scripts and emoji, and a disguise anywhere else.
            '\u{200c}' | '\u{200d}' if self.base != Base::Other => self.escape(at, character),
            _ if is_deceptive(character) => self.escape(at, character),
            _ if character.width() == Some(0) => self.mark(at, character),
            _ => self.keep(character, Base::Other),
        }
    }

    fn keep(&mut self, character: char, base: Base) {
        if let Some(out) = &mut self.out {
            out.push(character);
        }
        self.base = base;
        self.marks = 0;
    }

    fn copy(&mut self, at: usize) -> &mut String {
        self.out.get_or_insert_with(|| {
            let mut out = String::with_capacity(self.text.len() + 16);
            out.push_str(self.text.get(..at).unwrap_or_default());
            out
        })
    }

    fn replace(&mut self, at: usize, picture: char) {
        self.copy(at).push(picture);
        self.base = Base::Other;
        self.marks = 0;
    }

    fn escape(&mut self, at: usize, character: char) {
        // Writing to a String cannot fail.
        let _ = write!(self.copy(at), "\\u{{{:x}}}", u32::from(character));
        self.base = Base::Ascii;
        self.marks = 0;
    }

    fn mark(&mut self, at: usize, character: char) {
        if self.base == Base::None {
            // A mark without a letter would attach itself to whatever we draw left of it.
            self.copy(at).push('\u{25cc}');
            self.base = Base::Other;
        }
        if self.marks == MAX_MARKS {
            self.copy(at);
            return;
        }
        self.marks += 1;
        if let Some(out) = &mut self.out {
            out.push(character);
        }
    }

    fn tab(&mut self, at: usize) {
        let (tab_width, column, measured) = (self.tab_width, self.column, self.measured);
        let out = self.copy(at);
        let column = column + width(out.get(measured..).unwrap_or_default());
        let spaces = tab_width - column % tab_width;
        out.extend(std::iter::repeat_n(' ', spaces));
        self.measured = out.len();
        self.column = column + spaces;
        self.base = Base::Ascii;
        self.marks = 0;
    }

    fn finish(self) -> Cow<'a, str> {
        self.out.map_or(Cow::Borrowed(self.text), Cow::Owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::foreign::foreign;
    use proptest::prelude::*;

    #[test]
    fn plain_text_is_borrowed() {
        for text in [
            "",
            "let x = 1;",
            "größe",
            "日本語",
            "👩\u{200d}💻 works",
            "e\u{301}",
        ] {
            assert!(
                matches!(sanitise(text), Cow::Borrowed(same) if same == text),
                "{text:?}"
            );
        }
    }

    #[test]
    fn what_each_kind_becomes() {
        let cases = [
            ("\u{1b}[2J", "␛[2J"),
            ("a\0b", "a␀b"),
            ("\u{7f}", "␡"),
            ("\u{9b}31m", "\\u{9b}31m"),
            ("line\n", "line"),
            ("line\r\n", "line"),
            ("a\nb", "a␊b"),
            ("50%\rdone", "50%␍done"),
            ("\tx", "    x"),
            ("ab\tx", "ab  x"),
            ("日\tx", "日  x"),
            ("user\u{202e}txt", "user\\u{202e}txt"),
            ("pass\u{200b}word", "pass\\u{200b}word"),
            ("a\u{200d}b", "a\\u{200d}b"),
            ("\u{e0041}", "\\u{e0041}"),
            ("\u{301}x", "◌\u{301}x"),
        ];
        for (given, wanted) in cases {
            assert_eq!(sanitise(given), wanted, "for {given:?}");
        }
    }

    #[test]
    fn marks_are_capped() {
        let pile = format!("a{}b", "\u{301}".repeat(50));
        assert_eq!(
            sanitise(&pile),
            format!("a{}b", "\u{301}".repeat(usize::from(MAX_MARKS)))
        );
    }

    #[test]
    fn tab_stops_continue_from_a_column() {
        assert_eq!(sanitise_from("\tx", 8, 3), "     x");
        assert_eq!(sanitise_line("a\tb\tc", 8), "a       b       c");
        assert_eq!(sanitise_line("a\tb", 0), "a b");
    }

    #[test]
    fn blocks_keep_their_lines() {
        assert_eq!(sanitise_block("a\r\nb\n\n\u{7}c"), "a\nb\n\n␇c");
    }

    #[test]
    fn bytes_that_are_not_utf8() {
        assert_eq!(lossy(b"ok"), "ok");
        assert_eq!(lossy(b"\xff\x1b["), "\u{fffd}␛[");
    }

    proptest! {
        #[test]
        fn nothing_dangerous_survives(text in foreign()) {
            let clean = sanitise(&text);
            prop_assert!(!clean.chars().any(|c| c.is_control() || is_deceptive(c)), "{clean:?}");
        }

        #[test]
        fn cleaning_twice_changes_nothing(text in foreign()) {
            let once = sanitise(&text).into_owned();
            prop_assert_eq!(sanitise(&once).into_owned(), once);
            let block = sanitise_block(&text);
            prop_assert_eq!(sanitise_block(&block), block);
        }

        #[test]
        fn bytes_never_hurt(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            prop_assert!(!lossy(&bytes).chars().any(char::is_control));
        }
    }
}
