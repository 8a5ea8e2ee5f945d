//! Redacting text whose pieces stay apart: the deltas of a message, each in an event of its own.
//!
//! A secret may begin in one piece and end in a later one. A piece is given out as soon as nothing that it ends with can be the beginning
//! of a secret, which is nearly always at once; otherwise it waits for those behind it. Of a secret in several pieces the first gets
//! the replacement and the others lose their part.

use std::collections::VecDeque;

use super::{
    kind::SecretKind,
    redactor::Redactor,
    span::{Span, cut, ends_token},
};

/// How much of what was given out is looked at together with what comes.
const BEHIND: usize = 256;
/// … and at most, when a secret reaches further back.
const FURTHEST: usize = 16 * 1024;
/// Most pieces and bytes that wait; more is no secret's beginning but somebody who wants us to wait.
const PIECES: usize = 256;
const BYTES: usize = 16 * 1024;
/// How the end of a text is looked at: as though it went on like the secrets do that we know the look of.
const CONTINUED: [&str; 3] = [
    "aZ3kQ9xLm7Pw2Rt5Yb8Nc4Vd6Hf1Jg0KsTq8Wn5Xe2",
    "A7KQ2MZ9XW4T8RB6",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
];
/// How far back such a beginning is looked for.
const TAIL: usize = 128;

/// Redacts one text that comes in pieces that stay apart.
#[derive(Debug)]
pub struct Pieces {
    redactor: Redactor,
    /// What was given out last, and what waits.
    text: String,
    /// Where the first waiting piece begins in it.
    given: usize,
    /// Lengths of the waiting pieces.
    waiting: VecDeque<usize>,
}

impl Redactor {
    /// Redacts text that comes in pieces which stay apart.
    pub fn pieces(&self) -> Pieces {
        Pieces {
            redactor: self.clone(),
            text: String::new(),
            given: 0,
            waiting: VecDeque::new(),
        }
    }
}

impl Pieces {
    /// Takes a piece and returns those that are decided, oldest first: as many as were taken, in the end.
    pub fn push(&mut self, piece: &str) -> Vec<String> {
        self.text.push_str(piece);
        self.waiting.push_back(piece.len());
        let spans = self.redactor.spans(&self.text);
        let held = self.text.len() - self.given;
        if self.waiting.len() > PIECES || held > BYTES {
            return self.decide(&spans, self.text.len());
        }
        let open = self.open(&spans);
        self.decide(&spans, open)
    }

    /// Whether a piece waits.
    pub fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Nothing came for a while, or nothing will: the pieces that wait. What may be the beginning of a secret is taken for one.
    pub fn settle(&mut self) -> Vec<String> {
        if self.waiting.is_empty() {
            return Vec::new();
        }
        let mut spans = self.redactor.spans(&self.text);
        let open = self.open(&spans);
        let end = self.text.len();
        if open < end && !spans.iter().any(|span| span.end == end) {
            spans.retain(|span| span.end <= open);
            spans.push(Span::token(open, open, end, SecretKind::Token));
        }
        self.decide(&spans, end)
    }

    /// From where on the text may be the beginning of a secret.
    fn open(&self, spans: &[Span]) -> usize {
        let end = self.text.len();
        let mut open = end;
        for span in spans.iter().filter(|span| span.end == end) {
            open = open.min(span.start);
        }
        let tail = self.text.floor_char_boundary(end.saturating_sub(TAIL));
        let text = cut(&self.text, tail, end);
        if let Some(values) = self.redactor.values.get() {
            open = open.min(end - values.beginning_at_end(text));
        }
        // Words end; secrets do not end with what ends them.
        if text.bytes().last().is_none_or(ends_token) {
            return open;
        }
        let mut probe = String::with_capacity(text.len() + CONTINUED[2].len());
        for more in CONTINUED {
            probe.clear();
            probe.push_str(text);
            probe.push_str(more);
            for span in self.redactor.spans(&probe) {
                if span.start < text.len() && span.end > text.len() {
                    open = open.min(tail + span.start);
                }
            }
        }
        open
    }

    /// Gives out the waiting pieces that end before `open`.
    fn decide(&mut self, spans: &[Span], open: usize) -> Vec<String> {
        let mut decided = Vec::new();
        while let Some(length) = self.waiting.front().copied() {
            let (from, to) = (self.given, self.given + length);
            if to > open {
                break;
            }
            self.waiting.pop_front();
            decided.push(self.piece(spans, from, to));
            self.given = to;
        }
        self.forget(spans);
        decided
    }

    /// A piece without its parts of secrets.
    fn piece(&self, spans: &[Span], from: usize, to: usize) -> String {
        let mut out = String::with_capacity(to - from);
        let mut at = from;
        for span in spans {
            if span.end <= at || span.start >= to {
                continue;
            }
            out.push_str(cut(&self.text, at, span.start.max(at)));
            if span.start >= from {
                let secret = cut(&self.text, span.start, span.end);
                out.push_str(&self.redactor.replacement(secret, span.kind));
            }
            at = span.end.min(to);
        }
        out.push_str(cut(&self.text, at, to));
        out
    }

    /// Drops what is too far back to matter.
    fn forget(&mut self, spans: &[Span]) {
        let mut keep = self.given.saturating_sub(BEHIND);
        if let Some(span) = spans.iter().find(|s| s.from < keep && keep < s.end) {
            keep = span.from.max(self.given.saturating_sub(FURTHEST));
        }
        let keep = self.text.floor_char_boundary(keep);
        self.text.drain(..keep);
        self.given -= keep;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const KEY: &str = concat!(
        "sk-ant-",
        "api03-Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MDEyMzQ1Njc4OTA"
    );

    fn all(redactor: &Redactor, pieces: &[&str]) -> Vec<String> {
        let mut text = redactor.pieces();
        let mut out: Vec<String> = pieces.iter().flat_map(|piece| text.push(piece)).collect();
        out.extend(text.settle());
        out
    }

    #[test]
    fn a_key_in_two_pieces_is_in_neither() {
        let redactor = Redactor::new();
        for cut in 1..KEY.len() {
            let (first, second) = KEY.split_at(cut);
            let pieces = [format!("the key is {first}"), format!("{second} and more")];
            let out = all(&redactor, &[&pieces[0], &pieces[1]]);
            assert_eq!(out.len(), 2);
            // Two letters of a prefix are not a secret's beginning yet.
            if cut > 6 {
                assert!(!out[0].contains(first), "{out:?}");
                assert!(out[0].starts_with("the key is [redacted:"), "{out:?}");
            }
            assert!(!out[1].contains(second), "{cut}: {out:?}");
            assert!(out[1].ends_with(" and more"), "{out:?}");
        }
    }

    #[test]
    fn known_values_are_found_across_pieces() {
        let redactor = Redactor::new().with_secrets([("DB_PASSWORD", "correct-horse-battery")]);
        let out = all(&redactor, &["it is corr", "ect-ho", "rse-battery!"]);
        assert_eq!(out.len(), 3);
        assert!(out[0].starts_with("it is [redacted:"), "{out:?}");
        assert_eq!((out[1].as_str(), out[2].as_str()), ("", "!"));
        let out = all(&redactor, &["it is corr", "ect"]);
        assert!(
            !out.concat().contains("corr"),
            "it may have been one: {out:?}"
        );
    }

    #[test]
    fn ordinary_words_do_not_wait() {
        let mut text = Redactor::new().pieces();
        for piece in [
            "Hel",
            "lo",
            " wor",
            "ld",
            ", I ask",
            "ed for task",
            "-force",
            " and {\"pa",
            "th\": \"/ho",
            "me/x\"}",
        ] {
            assert_eq!(text.push(piece), [piece]);
        }
    }

    proptest! {
        #[test]
        fn no_cut_lets_a_key_through_and_no_piece_is_lost(
            before in "[a-z ]{0,40}", after in " [a-z ]{0,40}", cuts in prop::collection::vec(1_usize..12, 1..60)
        ) {
            let whole = format!("{before} {KEY}{after}");
            let mut pieces = Vec::new();
            let mut rest = whole.as_str();
            for cut in cuts {
                let (piece, more) = rest.split_at(cut.min(rest.len()));
                pieces.push(piece);
                rest = more;
            }
            pieces.push(rest);
            let redactor = Redactor::new();
            let out = all(&redactor, &pieces);
            prop_assert_eq!(out.len(), pieces.len());
            let joined = out.concat();
            prop_assert!(!joined.contains("Zm9v") && !joined.contains("Njc4OTA"), "{:?}", out);
            prop_assert!(joined.starts_with(before.as_str()) && joined.ends_with(after.as_str()), "{:?}", out);
        }
    }
}
