//! How a log is written, so that the lines which belong to an entry stay with it.

use super::{
    plain::{Beginning, beginning, plain_head},
    record::{Head, has_time_near, json_head},
    unit::first_line,
};

/// What an entry begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `{`, a time or a level: other lines belong to the one before (stacks, crash texts).
    Json,
    /// A time or a level, or a record of JSON that has a time.
    Timed,
    /// Anything but white space.
    Lines,
}

impl Shape {
    /// By the first lines of a log.
    pub fn detect(sample: &[u8]) -> Self {
        let (mut lines, mut json, mut timed, mut levels, mut indented) = (0, 0, 0, 0, 0);
        for line in sample
            .split(|b| *b == b'\n')
            .filter(|line| !line.is_empty())
            .take(200)
        {
            lines += 1;
            json += usize::from(line.first() == Some(&b'{'));
            indented += usize::from(line.first().is_some_and(u8::is_ascii_whitespace));
            match beginning(line) {
                Some(Beginning::Time) => timed += 1,
                Some(Beginning::Level) => levels += 1,
                None => {}
            }
        }
        // A few lines with a level among those of another program make none of these a part of them, and one at the beginning of a pipe
        // may be all that there will be.
        let is_levelled = levels > 1 && levels * 2 >= lines - indented;
        if json > 0 && json * 4 >= lines {
            Self::Json
        } else if timed > 0 && timed * 8 >= lines || is_levelled {
            Self::Timed
        } else {
            Self::Lines
        }
    }

    /// Whether a line begins an entry.
    pub fn begins(self, line: &[u8]) -> bool {
        match self {
            Self::Json => line.first() == Some(&b'{') || beginning(line).is_some(),
            Self::Timed => beginning(line).is_some() || has_time_near(line),
            Self::Lines => line.first().is_some_and(|b| !b.is_ascii_whitespace()),
        }
    }

    /// What an entry says in its first line.
    pub fn head(self, entry: &[u8]) -> Head<'_> {
        let line = first_line(entry);
        match self {
            Self::Timed if !has_time_near(line) => plain_head(line),
            Self::Json | Self::Timed => json_head(line).unwrap_or_else(|| plain_head(line)),
            Self::Lines => plain_head(line),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_with_its_own_time_is_an_entry_among_lines_of_another_shape() {
        let time = b"2026-11-29T10:00:05Z INFO still here";
        let record = br#"{"level":"error","ts":"2026-11-29T10:00:04Z","msg":"payment failed"}"#;
        for shape in [Shape::Json, Shape::Timed] {
            assert!(shape.begins(time) && shape.begins(record), "{shape:?}");
            assert!(shape.head(time).time.is_some(), "{shape:?}");
            let head = shape.head(record);
            assert_eq!(head.message.as_deref(), Some("payment failed"), "{shape:?}");
            assert!(!shape.begins(b"    at Shop.pay (shop.js:3)"), "{shape:?}");
        }
        // What is printed behind a line of text belongs to it.
        assert!(!Shape::Timed.begins(br#"{"order": 17}"#));
        assert!(!Shape::Timed.begins(b"{\n  \"time\": 1\n}"));
    }

    #[test]
    fn lines_of_other_forms_are_entries_and_a_stack_is_none() {
        let stack = "Traceback (most recent call last):\n  File \"a.py\", line 1\nValueError: x\n";
        let server =
            "INFO:     Started server process [1]\nERROR:    Exception in ASGI application\n";
        let access = "127.0.0.1 - - [30/Nov/2026:12:00:00 +0200] \"GET / HTTP/1.1\" 200 1\n";
        let error = "2026/11/30 12:00:03 [error] 12#12: *1 open() failed\n";
        let timed = "2026-11-30 12:00:00,123 INFO app: start\n";
        let logfmt = "level=error ts=2026-11-30T12:00:02Z msg=\"k8s\"\n";
        let record = "{\"level\":\"info\",\"msg\":\"a\"}\n";
        let prose = "Collecting x\nInstalling y\nBuilding z\n";
        for (text, entries) in [
            (format!("{access}{access}{error}{access}"), 4),
            (format!("{timed}{stack}{server}WARNING:root:slow\n"), 4),
            (format!("{server}{stack}{server}"), 4),
            (format!("{timed}{logfmt}level=info msg=a\n"), 3),
            (format!("{record}{server}{stack}{record}"), 4),
            // One line with a level makes no log of what is not.
            (format!("{prose}WARNING: old\n{prose}"), 7),
            ("WARNING: old\nBuilding z\n".to_owned(), 2),
        ] {
            let shape = Shape::detect(text.as_bytes());
            let begins = text.lines().filter(|line| shape.begins(line.as_bytes()));
            assert_eq!(begins.count(), entries, "{shape:?} {text}");
        }
    }
}
