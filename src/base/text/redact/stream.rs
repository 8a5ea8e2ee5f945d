//! Redacting text that comes in pieces.
//!
//! What a line says can depend on all of it, so a line is held back until it ends, but never more than [`WINDOW`] bytes: of a longer
//! line everything but its last part is decided then. Where that happens depends on the text alone and not on how it is cut, and so
//! the result is the same for every cut.

use super::{
    judge::{TAG_LENGTH, tag_at},
    kind::SecretKind,
    redactor::{Redactor, WINDOW},
    shapes,
    span::{Span, Stop, byte, cut},
};

/// How much of a full window is left for the next, so that a secret at its border is seen whole.
const BORDER: usize = 8 * 1024;
/// How far back from there a separator is looked for.
const SEARCH: usize = 4 * 1024;

/// Redacts text that comes in pieces: of a pipe, a connection, a file being written.
#[derive(Debug)]
pub struct Stream {
    redactor: Redactor,
    /// The line's text that is not decided yet.
    held: String,
    /// What of it was given out by [`Stream::settle_into`] already.
    shown: String,
    /// The rest of a secret too long for a window is dropped up to here.
    dropping: Option<Stop>,
    /// Whether an earlier part of this line is gone already.
    begun: bool,
    key: Key,
    /// What stands before the first line of that key: a comment's mark, a quote, the time of a log's line.
    prefix: String,
}

/// Where in a private key of several lines we are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    Outside,
    /// Behind its first line.
    Begun,
    /// Behind a replaced line.
    Replaced,
    /// Behind a line too short to be followed by another.
    Ending,
}

impl Redactor {
    /// Redacts text that comes in pieces.
    pub fn stream(&self) -> Stream {
        Stream::new(self.clone())
    }
}

impl Stream {
    pub(super) fn new(redactor: Redactor) -> Self {
        Self {
            redactor,
            held: String::new(),
            shown: String::new(),
            dropping: None,
            begun: false,
            key: Key::Outside,
            prefix: String::new(),
        }
    }

    /// Takes a piece and returns what is decided: all lines that ended.
    pub fn push(&mut self, piece: &str) -> String {
        let mut out = String::with_capacity(piece.len());
        self.push_into(piece, &mut out);
        out
    }

    /// As [`Stream::push`], appending to `out`.
    pub fn push_into(&mut self, piece: &str, out: &mut String) {
        let mut rest = piece;
        while let Some((line, after)) = rest.split_once('\n') {
            self.take(line, out);
            self.end_line(true, out);
            rest = after;
        }
        self.take(rest, out);
    }

    /// The text is over: what was held back.
    pub fn finish(&mut self) -> String {
        let mut out = String::new();
        self.finish_into(&mut out);
        out
    }

    /// As [`Stream::finish`], appending to `out`.
    pub fn finish_into(&mut self, out: &mut String) {
        self.end_line(false, out);
        self.key = Key::Outside;
    }

    /// Whether text is held back.
    pub fn is_holding(&self) -> bool {
        !self.held.is_empty()
    }

    /// Nothing more came for a while: gives out the line as far as it is known, a question that a program asks for example. What
    /// follows is still judged together with it. Costs as much as the line is long.
    pub fn settle_into(&mut self, out: &mut String) {
        if self.key != Key::Outside || shapes::key_begins(&self.held).next().is_some() {
            return;
        }
        let text = self.redactor.redact_line(&self.held, false);
        out.push_str(after_shown(&self.shown, &text));
        self.shown = text.into_owned();
    }

    /// More of the current line.
    fn take(&mut self, mut text: &str, out: &mut String) {
        while !text.is_empty() {
            if let Some(stop) = self.dropping {
                let end = text.bytes().position(|b| stop.ends_at(b));
                let Some(end) = end else { return };
                self.dropping = None;
                text = cut(text, end, text.len());
            }
            let room = WINDOW.saturating_sub(self.held.len());
            let fits = text.floor_char_boundary(room);
            self.held.push_str(cut(text, 0, fits));
            text = cut(text, fits, text.len());
            if !text.is_empty() {
                self.spill(out);
            }
        }
    }

    /// Decides the larger part of a full window.
    fn spill(&mut self, out: &mut String) {
        let end = self.held.len();
        let spans = self.redactor.spans(&self.held);
        let across = |at: usize| spans.iter().find(|s| s.from < at && at < s.end);
        let limit = self.held.floor_char_boundary(end.saturating_sub(BORDER));
        let (cut_at, secret): (usize, Option<Span>) = match across(limit) {
            Some(span) if span.end == end => (span.start, Some(*span)),
            Some(span) => (span.end, None),
            None => {
                let lowest = limit.saturating_sub(SEARCH).max(1);
                let separator = (lowest..=limit).rev().find(|at| {
                    matches!(byte(&self.held, at - 1), b' ' | b',' | b';' | b'\t')
                        && across(*at).is_none()
                });
                (separator.unwrap_or(limit), None)
            }
        };
        let text = self.redactor.redact_line(cut(&self.held, 0, cut_at), true);
        let (given, seen) = common(&self.shown, &text);
        out.push_str(cut(&text, seen, text.len()));
        drop(text);
        self.shown.drain(..given);
        self.begun = true;
        if let Some(span) = secret {
            out.push_str(
                &self
                    .redactor
                    .replacement(cut(&self.held, span.start, end), span.kind),
            );
            self.dropping = Some(span.stop);
            self.held.clear();
        } else {
            self.held.drain(..cut_at);
        }
    }

    fn end_line(&mut self, ended: bool, out: &mut String) {
        self.dropping = None;
        let held = std::mem::take(&mut self.held);
        let shown = std::mem::take(&mut self.shown);
        let begun = std::mem::take(&mut self.begun);
        let line = held.strip_suffix('\r').filter(|_| ended).unwrap_or(&held);
        if !begun && self.is_key_material(line, out) {
            // What is left of a key is not even a line.
            return;
        }
        let text = self.redactor.redact_line(line, true);
        out.push_str(after_shown(&shown, &text));
        self.look_for_key(line);
        out.push_str(cut(&held, line.len(), held.len()));
        if ended {
            out.push('\n');
        }
        self.held = held;
        self.held.clear();
    }

    /// A private key of several lines may begin at the end of this one.
    fn look_for_key(&mut self, line: &str) {
        if self.key == Key::Outside
            && let Some(after) = shapes::key_begins(line).last()
            && bare(cut(line, after, line.len())).is_empty()
        {
            self.key = Key::Begun;
            let begin = line.rfind("-----BEGIN ").unwrap_or_default();
            cut(line, 0, begin).clone_into(&mut self.prefix);
        }
    }

    /// Inside of a private key: whether the line is a part of it that is dropped. The first such line leaves the replacement.
    fn is_key_material(&mut self, line: &str, out: &mut String) -> bool {
        if self.key == Key::Outside {
            return false;
        }
        let has_prefix = !self.prefix.trim().is_empty();
        let prefix = if has_prefix && is_like(line, &self.prefix) {
            self.prefix.len()
        } else {
            line.len() - line.trim_start().len()
        };
        let text = bare(cut(line, prefix, line.len()));
        if text.is_empty() || has_prefix && line.trim() == self.prefix.trim() {
            return false;
        }
        if tag_at(text, 0) && self.key == Key::Begun {
            self.key = Key::Ending;
            return false;
        }
        if is_key_comment(text) && self.key == Key::Begun {
            return false;
        }
        let is_material = !text.starts_with("-----")
            && self.key != Key::Ending
            && text
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'='));
        if !is_material {
            self.key = Key::Outside;
            return false;
        }
        if self.key == Key::Begun {
            out.push_str(cut(line, 0, prefix));
            out.push_str(&self.redactor.replacement(text, SecretKind::PrivateKey));
            out.push('\n');
        }
        self.key = if text.len() < 60 {
            Key::Ending
        } else {
            Key::Replaced
        };
        true
    }
}

/// Whether a line begins like another, but for its digits: the next line of a log has another time.
fn is_like(line: &str, prefix: &str) -> bool {
    let is_same = |(a, b): (u8, u8)| a == b || (a.is_ascii_digit() && b.is_ascii_digit());
    line.is_char_boundary(prefix.len())
        && line.len() >= prefix.len()
        && line.bytes().zip(prefix.bytes()).all(is_same)
}

/// A line of a key without what stands around it in a list of strings, or where strings are put together.
fn bare(text: &str) -> &str {
    let mut text = text.trim();
    while let Some(shorter) = ["\\n", "\\r", "\"", "'", ",", ";", " +"]
        .iter()
        .find_map(|end| text.strip_suffix(end))
    {
        text = shorter.trim_end();
    }
    text
}

/// `Proc-Type: 4,ENCRYPTED`, `Version: …`.
fn is_key_comment(text: &str) -> bool {
    [
        "Proc-Type:",
        "DEK-Info:",
        "Version:",
        "Comment:",
        "Hash:",
        "Charset:",
    ]
    .iter()
    .any(|name| text.starts_with(name))
}

/// What of `text` was not given out yet. When more of a line showed that something given out was only the beginning of a secret, what
/// cannot be taken back is left as it is, and the rest of the secret is not given out.
fn after_shown<'a>(shown: &str, text: &'a str) -> &'a str {
    let (_, seen) = common(shown, text);
    cut(text, seen, text.len())
}

/// How far both are the same, in each; replacements are the same as each other.
fn common(shown: &str, text: &str) -> (usize, usize) {
    let (mut of_shown, mut of_text) = (0, 0);
    loop {
        let tags = (tag_at(shown, of_shown), tag_at(text, of_text));
        if tags == (true, true) {
            of_shown += TAG_LENGTH;
            of_text += TAG_LENGTH;
            continue;
        }
        match cut(shown, of_shown, shown.len()).chars().next() {
            Some(character)
                if tags == (false, false)
                    && cut(text, of_text, text.len()).starts_with(character) =>
            {
                of_shown += character.len_utf8();
                of_text += character.len_utf8();
            }
            _ => return (of_shown, of_text),
        }
    }
}
