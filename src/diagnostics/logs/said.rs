//! What an entry says beside what has columns of its own: its message, or of plain text what is behind time and level.

use super::{
    plain::{NAMES_OF_LEVELS, NEAR, Start},
    record::{Entry, Level},
};

impl Entry {
    /// What stands beside its time and level: the message, or of a line of plain text what is behind the head that says those.
    pub fn said(&self) -> &str {
        // JSON has a message of its own, or none at all.
        if self.text.starts_with('{') {
            return &self.message;
        }
        let line = self.message.lines().next().unwrap_or_default();
        let head = head_length(line.as_bytes(), self.level);
        // A head alone is all there is to see.
        match line.get(head..) {
            Some(rest) if !rest.trim().is_empty() => self.message.get(head..),
            _ => None,
        }
        .unwrap_or(&self.message)
    }
}

/// How many bytes of a line (without colours) tell its time, and its level where that follows at once as a word.
fn head_length(line: &[u8], told: Option<Level>) -> usize {
    let near = line.get(..NEAR).unwrap_or(line);
    let start = Start::read(near).unwrap_or_default();
    let timed = start.time.is_some();
    let mut end = if timed { start.end } else { 0 };
    let blanks = |at: usize, also: &[u8]| -> usize {
        let rest = near.get(at..).unwrap_or_default();
        let is_between = |b: &u8| matches!(b, b' ' | b'\t') || also.contains(b);
        at + rest.iter().take_while(|b| is_between(b)).count()
    };
    if timed {
        // What closed the time, and what divides it from the rest: `[time] `, `time - `, `time | `.
        end = blanks(end, b"");
        while matches!(near.get(end), Some(b']' | b')' | b'"')) {
            end += 1;
        }
        let next = blanks(end, b"-|:,");
        // A sign that stands at a word is the word's.
        let divided = next == end || matches!(near.get(next - 1), Some(b' ' | b'\t'));
        end = if divided { next } else { blanks(end, b"") };
    }
    // What was told before the time is not told again.
    if start.level.is_some() {
        return end;
    }
    let mut at = end;
    for prefix in NAMES_OF_LEVELS {
        if near.get(at..).is_some_and(|rest| rest.starts_with(prefix)) {
            at += prefix.len();
        }
    }
    let bracketed = near.get(at) == Some(&b'[');
    at += usize::from(bracketed);
    let rest = near.get(at..).unwrap_or_default();
    let letters = rest.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    let word = std::str::from_utf8(rest.get(..letters).unwrap_or_default()).unwrap_or_default();
    if told.is_none() || Level::parse(word) != told {
        return end;
    }
    // Without a time only a word that cannot be part of a sentence is a level.
    if !timed && !word.bytes().all(|b| b.is_ascii_uppercase()) {
        return end;
    }
    at += letters;
    if bracketed {
        if near.get(at) != Some(&b']') {
            return end;
        }
        at += 1;
    }
    match near.get(at) {
        None => at,
        Some(b' ' | b'\t' | b':' | b'|') => {
            let next = blanks(at, b":-|");
            if matches!(near.get(next - 1), Some(b' ' | b'\t' | b':')) {
                next
            } else {
                blanks(at, b":")
            }
        }
        Some(_) => end,
    }
}

#[cfg(test)]
mod tests {
    use super::super::plain::plain_head;
    use super::*;

    #[test]
    fn a_head_is_told_from_what_is_said() {
        for (line, said) in [
            (
                "2026-11-22 19:39:37,132 INFO worker-2: done",
                "worker-2: done",
            ),
            (
                "2026-11-22T19:39:37.1Z  WARN app::net: slow",
                "app::net: slow",
            ),
            ("[2026-08-21 10:00:02.000] [warn] brackets", "brackets"),
            ("2026-08-21 10:00:02 - app - ERROR - no", "app - ERROR - no"),
            ("2026-08-21 10:00:02 | ERROR | no", "no"),
            ("2026-08-21 10:00:02 -1 is the answer", "-1 is the answer"),
            ("2026-08-21 10:00:02 INFO -v was given", "-v was given"),
            (
                "time=2026-08-21T10:00:02Z level=info msg=\"a b\"",
                "msg=\"a b\"",
            ),
            (
                "[2026-11-30 12:00:07 +0100] [4711] [INFO] Listening",
                "Listening",
            ),
            (
                "[2026-11-30 12:00:07 +0100] [main] INFO on",
                "[main] INFO on",
            ),
            (
                "I1130 12:00:00.123456       1 main.go:10] info klog",
                "info klog",
            ),
            ("W1130 12:00:00.5 two words [a] x", "two words [a] x"),
            ("ERROR: no such file", "no such file"),
            ("ERROR_CODE=5", "ERROR_CODE=5"),
            ("2026-08-21 10:00:02 ERRORS=5", "ERRORS=5"),
            ("Aug 21 10:00:02 host app[12]: text", "host app[12]: text"),
            ("Error: not a level here", "Error: not a level here"),
            ("no time at all", "no time at all"),
            ("", ""),
        ] {
            let head = plain_head(line.as_bytes());
            let length = head_length(line.as_bytes(), head.level);
            assert_eq!(line.get(length..), Some(said), "{line}");
        }
    }
}
