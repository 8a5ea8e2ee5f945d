//! Source text by lines, columns and words.
//!
//! Every function's cost is by what is asked for, never by the length of the line or the file: a line of a megabyte is cut
//! where the view ends. Tabs, wide and invisible characters are measured here as they will be drawn.

use std::ops::Range;

use base::text::{
    sanitise::{TAB_WIDTH, sanitise_from},
    width::is_plain,
};
use unicode_segmentation::UnicodeSegmentation;

use crate::debug_prelude::*;

/// A text and where its lines begin.
#[derive(Debug, PartialEq, Eq)]
pub struct SourceText {
    pub content: Arc<str>,
    starts: Vec<usize>,
}

impl SourceText {
    /// Finds the lines of `content`; LF and CRLF both end one. A text always has at least one line.
    pub fn new(content: &str) -> Self {
        let mut starts = vec![0];
        starts.extend(memchr::memchr_iter(b'\n', content.as_bytes()).map(|at| at + 1));
        if starts.len() > 1 && starts.last() == Some(&content.len()) {
            starts.pop();
        }
        Self {
            content: content.into(),
            starts,
        }
    }

    /// Number of lines.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.content.is_empty()
    }

    /// A line (0-based) without its ending; empty beyond the end.
    pub fn line(&self, index: usize) -> &str {
        let Some(start) = self.starts.get(index) else {
            return "";
        };
        let end = self
            .starts
            .get(index + 1)
            .copied()
            .unwrap_or(self.content.len());
        let line = self.content.get(*start..end).unwrap_or_default();
        let line = line.strip_suffix('\n').unwrap_or(line);
        line.strip_suffix('\r').unwrap_or(line)
    }

    /// The line that a byte offset of the content is on, and the offset in that line.
    pub fn position(&self, offset: usize) -> (usize, usize) {
        let line = self
            .starts
            .partition_point(|s| *s <= offset)
            .saturating_sub(1);
        (
            line,
            offset - self.starts.get(line).copied().unwrap_or_default(),
        )
    }

    /// The byte offset in the content of an offset in a line.
    pub fn offset(&self, line: usize, within: usize) -> usize {
        self.starts
            .get(line)
            .map_or(self.content.len(), |s| s + within)
    }
}

/// One grapheme as drawn, or several that are printable ASCII.
#[derive(Debug)]
pub struct Cell<'a> {
    /// Column (cells from the line's beginning).
    pub column: usize,
    /// What is drawn: spaces for a tab, a picture for a control character.
    pub text: Cow<'a, str>,
    /// Cells it takes.
    pub width: usize,
    /// Its bytes in the line.
    pub bytes: Range<usize>,
}

impl Cell<'_> {
    /// Whether each byte of it is drawn as itself, in one cell.
    pub fn is_plain(&self) -> bool {
        self.text.len() == self.bytes.len() && is_plain(&self.text)
    }
}

/// The graphemes of a line with their columns, from a byte and its column on.
fn cells_from(line: &str, byte: usize, column: usize) -> impl Iterator<Item = Cell<'_>> {
    let mut column = column;
    let rest = line.get(byte..).unwrap_or_default();
    rest.grapheme_indices(true).map(move |(at, grapheme)| {
        let text = sanitise_from(grapheme, TAB_WIDTH, column);
        let cell = Cell {
            column,
            width: width(&text),
            text,
            bytes: byte + at..byte + at + grapheme.len(),
        };
        column += cell.width;
        cell
    })
}

/// The graphemes of a line that are at least partly within `left..left + wide`, printable ASCII in one piece. Such a piece takes as many
/// cells as bytes.
pub fn stretches(line: &str, left: usize, wide: usize) -> impl Iterator<Item = Cell<'_>> {
    let (mut byte, mut column) = walk(line, usize::MAX, left);
    let end = left.saturating_add(wide);
    std::iter::from_fn(move || {
        while column < end {
            let rest = line.get(byte..)?;
            let run = plain_run(rest, end - column);
            let cell = match rest.get(..run).filter(|plain| !plain.is_empty()) {
                Some(plain) => Cell {
                    column,
                    text: Cow::Borrowed(plain),
                    width: run,
                    bytes: byte..byte + run,
                },
                None => cells_from(line, byte, column).next()?,
            };
            byte = cell.bytes.end;
            column += cell.width;
            if column > left {
                return Some(cell);
            }
        }
        None
    })
}

/// Cells before the byte `offset` of a line.
pub fn column_of(line: &str, offset: usize) -> usize {
    walk(line, offset, usize::MAX).1
}

/// Byte and column of the first grapheme that does not end within `bytes` and `columns`.
fn walk(line: &str, bytes: usize, columns: usize) -> (usize, usize) {
    let (mut byte, mut column) = (0, 0);
    while let Some(rest) = line.get(byte..).filter(|rest| !rest.is_empty()) {
        let run = plain_run(rest, (bytes - byte).min(columns - column));
        if run > 0 {
            byte += run;
            column += run;
            continue;
        }
        match cells_from(line, byte, column).next() {
            Some(cell) if cell.bytes.end <= bytes && column + cell.width <= columns => {
                byte = cell.bytes.end;
                column += cell.width;
            }
            _ => break,
        }
    }
    (byte, column)
}

/// Leading bytes of a text, `most` of them, that are a cell each whatever follows: printable ASCII, but for the last one
/// before something else, because that may be a mark that combines with it.
fn plain_run(text: &str, most: usize) -> usize {
    let reach = most.saturating_add(1).min(text.len());
    let run = if text.get(..reach).is_some_and(is_plain) {
        reach
    } else {
        text.bytes()
            .take_while(|b| matches!(b, b' '..=b'~'))
            .count()
            .min(reach)
    };
    if run == text.len() {
        run
    } else {
        run.saturating_sub(1)
    }
    .min(most)
}

/// The byte offset of the grapheme at `column`, or the line's length beyond its end.
pub fn offset_at(line: &str, column: usize) -> usize {
    walk(line, usize::MAX, column).0
}

/// One grapheme further; `None` at the end.
pub fn next_offset(line: &str, offset: usize) -> Option<usize> {
    let grapheme = line.get(offset..)?.graphemes(true).next()?;
    Some(offset + grapheme.len())
}

/// One grapheme back; `None` at the beginning.
pub fn previous_offset(line: &str, offset: usize) -> Option<usize> {
    let grapheme = line.get(..offset)?.graphemes(true).next_back()?;
    Some(offset - grapheme.len())
}

/// Whether a character may be part of a name in the languages that are debugged.
pub fn is_word(c: char) -> bool {
    c == '_' || c == '$' || c.is_alphanumeric()
}

/// Longest name that is looked for around a cursor.
const LONGEST_WORD: usize = 512;

/// The name that covers `offset` or ends at it.
pub fn word_at(line: &str, offset: usize) -> Option<Range<usize>> {
    let (before, after) = line.split_at_checked(offset)?;
    let start = before
        .char_indices()
        .rev()
        .take(LONGEST_WORD)
        .take_while(|(_, c)| is_word(*c))
        .last()
        .map_or(offset, |(at, _)| at);
    let end = after
        .char_indices()
        .take(LONGEST_WORD)
        .take_while(|(_, c)| is_word(*c))
        .last()
        .map_or(offset, |(at, c)| offset + at + c.len_utf8());
    let word = line.get(start..end).filter(|w| !w.is_empty())?;
    (!word.starts_with(|c: char| c.is_numeric())).then_some(start..end)
}

/// Words of languages that begin or join statements, and name nothing.
const KEYWORDS: &[&str] = &[
    "as", "assert", "async", "auto", "await", "case", "class", "const", "def", "defer", "del",
    "elif", "else", "except", "final", "for", "from", "func", "function", "go", "if", "import",
    "in", "let", "match", "mut", "new", "not", "raise", "range", "return", "static", "struct",
    "switch", "throw", "try", "unless", "until", "var", "when", "while", "with", "yield",
];

/// Whether a name lies in a string literal, and not in braces there, which many languages evaluate. Single quotes are lifetimes in a line
/// of Rust that has one behind `<` or `&`.
pub fn is_in_string(line: &str, at: usize, comment: &str) -> bool {
    let lifetimes = comment != "#" && (line.contains("<'") || line.contains("&'"));
    texts(line).into_iter().any(|text| {
        let inside = line.get(text.start..at).filter(|_| at < text.end);
        inside.is_some_and(|before| {
            let is_computed = before.rfind('{') > before.rfind('}');
            let is_lifetime = lifetimes && before.starts_with('\'');
            !is_computed && !is_lifetime
        })
    })
}

/// Where the texts of a line lie: each behind a quote that is closed again behind it.
fn texts(line: &str) -> Vec<Range<usize>> {
    let (mut texts, mut open, mut escaped) = (Vec::new(), None::<(usize, char)>, false);
    for (at, c) in line.char_indices() {
        match open {
            _ if escaped => escaped = false,
            Some(_) if c == '\\' => escaped = true,
            Some((from, quote)) if c == quote => {
                texts.push(from..at);
                open = None;
            }
            None if ['"', '\'', '`'].contains(&c) => {
                // One that stands alone is a lifetime, or an apostrophe in a comment; in a number it parts digits.
                let (ahead, rest) = line.split_at_checked(at).unwrap_or_default();
                let is_one = rest.get(1..).is_some_and(|rest| rest.contains(c));
                let in_number = ahead.ends_with(|c: char| c.is_ascii_digit());
                open = (is_one && !in_number).then_some((at, c));
            }
            _ => {}
        }
    }
    texts.extend(open.map(|(from, _)| from..line.len()));
    texts
}

/// Where the first name at or behind `offset` begins that is no keyword, stands in no text, and is neither called nor a macro.
pub fn first_value(line: &str, offset: usize) -> Option<usize> {
    let texts = texts(line);
    let is_quoted = |at: usize| {
        let next = texts.partition_point(|text| text.end < at);
        texts.get(next).is_some_and(|text| text.start < at)
    };
    let starts = std::iter::successors(Some(offset), |at| next_word(line, *at, true));
    starts.into_iter().find(|at| {
        let Some(word) = word_at(line, *at) else {
            return false;
        };
        let rest = line.get(word.end..).unwrap_or_default();
        let name = line.get(word).unwrap_or_default();
        let called = rest.strip_prefix('!').unwrap_or(rest);
        let is_macro = called.len() < rest.len() && called.starts_with(['(', '[', '{']);
        let is_other = is_macro || rest.starts_with('(') || KEYWORDS.contains(&name);
        !(is_other || is_quoted(*at))
    })
}

/// The expression to inspect at `offset`: the name there with the names it belongs to (`self.cart.total` when the
/// cursor is on `total`, `self.cart` when it is on `cart`). Calls and indexes are not followed: evaluating them may do things.
///
/// Inside a quoted key it is the whole subscript, `row["total"]`: the key alone is no name.
pub fn expression_at(line: &str, offset: usize) -> Option<Range<usize>> {
    if let Some(subscript) = subscript_at(line, offset) {
        return Some(subscript);
    }
    let word = word_at(line, offset)?;
    let start = owners(line, word.start);
    // Each is a name in some language, but none where another one follows.
    let rest = line.get(word.end..).unwrap_or_default();
    let leads = rest.starts_with(' ') && rest.trim_start().starts_with(is_word);
    let is_keyword = leads && KEYWORDS.contains(&line.get(start..word.end)?);
    (!is_keyword).then_some(start..word.end)
}

/// The beginning of the names joined in front of the one that begins at `start`.
fn owners(line: &str, mut start: usize) -> usize {
    while let Some(owner) = ["->", "::", "?.", "."]
        .iter()
        .find_map(|joint| line.get(..start)?.strip_suffix(joint))
        .and_then(|head| word_at(head, head.len()))
    {
        start = owner.start;
    }
    start
}

/// The subscript whose quoted key covers `offset`.
fn subscript_at(line: &str, offset: usize) -> Option<Range<usize>> {
    let mut characters = line.char_indices();
    while let Some((open, quote)) = characters.next() {
        if open > offset {
            return None;
        }
        if !matches!(quote, '"' | '\'') {
            continue;
        }
        let mut escaped = false;
        let close = characters.by_ref().find_map(|(at, c)| {
            let ends = c == quote && !escaped;
            escaped = c == '\\' && !escaped;
            ends.then_some(at)
        })?;
        if close < offset {
            continue;
        }
        let head = line.get(..open)?.strip_suffix('[')?;
        let end = close + 1;
        line.get(end..)?.strip_prefix(']')?;
        let owner = word_at(head, head.len())?;
        return Some(owners(line, owner.start)..end + 1);
    }
    None
}

/// The beginning of the next name after `offset`, or of the one before it.
pub fn next_word(line: &str, offset: usize, forward: bool) -> Option<usize> {
    let begins = |at: usize| {
        line.get(at..)
            .is_some_and(|s| s.starts_with(|c: char| is_word(c) && !c.is_numeric()))
            && !line.get(..at).is_some_and(|s| s.ends_with(is_word))
    };
    if forward {
        let rest = line.get(offset..)?;
        rest.char_indices()
            .skip(1)
            .map(|(at, _)| offset + at)
            .find(|at| begins(*at))
    } else {
        let rest = line.get(..offset)?;
        rest.char_indices()
            .rev()
            .map(|(at, _)| at)
            .find(|at| begins(*at))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lines_end_with_lf_or_crlf() {
        let text = SourceText::new("a\r\nbb\n\nlast");
        let lines: Vec<_> = (0..text.len()).map(|i| text.line(i)).collect();
        assert_eq!(lines, ["a", "bb", "", "last"]);
        assert_eq!(SourceText::new("one\n").len(), 1);
        assert_eq!(SourceText::new("").len(), 1);
        assert_eq!(
            (text.position(4), text.position(3), text.offset(1, 1)),
            ((1, 1), (1, 0), 4)
        );
        assert_eq!(text.line(99), "");
    }

    #[test]
    fn expressions_follow_the_names_they_belong_to() {
        let at = |line: &str, mark: &str| {
            let offset = line.find(mark).unwrap();
            expression_at(line, offset).map(|r| line.get(r).unwrap().to_owned())
        };
        assert_eq!(
            at("x = self.cart.total + 1", "total").as_deref(),
            Some("self.cart.total")
        );
        assert_eq!(
            at("x = self.cart.total + 1", "cart").as_deref(),
            Some("self.cart")
        );
        assert_eq!(
            at("p->next->value", "value").as_deref(),
            Some("p->next->value")
        );
        assert_eq!(
            at("std::mem::take(&mut größe)", "größe").as_deref(),
            Some("größe")
        );
        assert_eq!(at("call(a).field", "field").as_deref(), Some("field"));
        let line = r#"print('a', self.row["total"] + x['it\'s'])"#;
        assert_eq!(at(line, "total").as_deref(), Some(r#"self.row["total"]"#));
        assert_eq!(at(line, "it").as_deref(), Some(r"x['it\'s']"));
        assert_eq!(at(line, "row").as_deref(), Some("self.row"));
        assert_eq!(at("don't[x]", "x").as_deref(), Some("x"));
        assert_eq!(at("n = 12", "12"), None);
        assert_eq!(at("async def main():", "def"), None);
        assert_eq!(at("  async def main():", "async"), None);
        assert_eq!(at("fread(buf, 1, n, in);", "in)").as_deref(), Some("in"));
        assert_eq!(at("a + b", "+"), None);
        assert_eq!(expression_at("abc", 3).map(|r| r.end), Some(3));
        assert_eq!(expression_at("abc", 77), None);
    }

    #[test]
    fn what_a_line_is_about_is_neither_called_nor_a_keyword() {
        let first = |line: &str| {
            let at = first_value(line, 0)?;
            Some(line.get(word_at(line, at)?)?.to_owned())
        };
        for (line, name) in [
            ("    assert_eq!(total(&orders, rate), 3);", "orders"),
            ("return total", "total"),
            ("if !ready && x!.y", "ready"),
            ("x != y", "x"),
            ("print(f(price))", "price"),
            (r#"say("a \"b\" c", price)"#, "price"),
            ("if 'a' < b", "b"),
        ] {
            assert_eq!(first(line).as_deref(), Some(name), "{line}");
        }
        assert_eq!(first("    log(12)"), None);
        assert_eq!(first("    print('checked')"), None);
    }

    #[test]
    fn words_are_walked() {
        let line = "  total = price * n";
        assert_eq!(next_word(line, 0, true), Some(2));
        assert_eq!(next_word(line, 2, true), Some(10));
        assert_eq!(next_word(line, 10, false), Some(2));
        assert_eq!(next_word(line, 2, false), None);
        assert_eq!(next_word(line, 18, true), None);
    }

    #[test]
    fn tabs_stop_and_wide_characters_take_two() {
        let line = "\tä世x";
        assert_eq!(column_of(line, 1), 4);
        assert_eq!(column_of(line, line.len()), 8);
        assert_eq!(offset_at(line, 6), 3);
        assert_eq!(offset_at(line, 2), 0);
        let drawn: String = stretches(line, 2, 4).map(|c| c.text.into_owned()).collect();
        assert_eq!(drawn, "    ä世");
    }

    #[test]
    fn a_line_of_a_megabyte_is_cut_where_the_view_ends() {
        let line = format!("é\t{}", "x".repeat(1 << 20));
        let seen = |left| stretches(&line, left, 80).map(|c| c.width).sum::<usize>();
        assert_eq!(seen(900_000), 80);
        assert_eq!(offset_at(&line, 900_000), 899_999);
        assert_eq!(column_of(&line, 899_999), 900_000);
        let began = Instant::now();
        for _ in 0..1_000 {
            assert_eq!(seen(0), 80);
        }
        assert!(began.elapsed().as_secs() < 5, "{:?}", began.elapsed());
    }

    proptest! {
        #[test]
        fn scrolling_shows_the_same_cells_as_the_whole_line(line in "[a\t é世\u{300}\u{1b}]{0,40}", left in 0usize..60, wide in 0usize..30) {
            let all = cells_from(&line, 0, 0).filter(|c| c.column + c.width > left && c.column < left + wide);
            // Zero-width cells at the very edges belong to neither view.
            let all: String = all.filter(|c| c.width > 0).map(|c| c.text).collect();
            let seen: String = stretches(&line, left, wide).filter(|c| c.width > 0).map(|c| c.text).collect();
            prop_assert_eq!(all, seen);
            for cell in stretches(&line, left, wide) {
                prop_assert_eq!(column_of(&line, cell.bytes.start), cell.column);
            }
        }

        #[test]
        fn columns_and_offsets_agree(line in "[a\t é世_.>-]{0,40}", offset in 0usize..80) {
            for cell in cells_from(&line, 0, 0) {
                if cell.width > 0 {
                    prop_assert_eq!(offset_at(&line, cell.column), cell.bytes.start);
                    prop_assert_eq!(column_of(&line, cell.bytes.start), cell.column);
                }
            }
            // Whatever the offset, also inside a character: no panic.
            let _ = (expression_at(&line, offset), next_word(&line, offset, true), next_word(&line, offset, false));
            let _ = (next_offset(&line, offset), previous_offset(&line, offset), column_of(&line, offset));
        }
    }
}
