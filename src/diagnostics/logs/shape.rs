//! How a log is written, so that the lines which belong to an entry stay with it.

use super::{
    plain::{begins_with_time, plain_head},
    record::{Head, has_time_near, json_head},
};

/// What an entry begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `{`, or a time: other lines belong to the one before (stacks, crash texts).
    Json,
    /// A time, or a record of JSON that has one.
    Timed,
    /// Anything but white space.
    Lines,
}

impl Shape {
    /// By the first lines of a log.
    pub fn detect(sample: &[u8]) -> Self {
        let (mut lines, mut json, mut timed) = (0, 0, 0);
        for line in sample
            .split(|b| *b == b'\n')
            .filter(|line| !line.is_empty())
            .take(200)
        {
            lines += 1;
            json += usize::from(line.first() == Some(&b'{'));
            timed += usize::from(begins_with_time(line));
        }
        if json > 0 && json * 4 >= lines {
            Self::Json
        } else if timed > 0 && timed * 8 >= lines {
            Self::Timed
        } else {
            Self::Lines
        }
    }

    /// Whether a line begins an entry.
    pub fn begins(self, line: &[u8]) -> bool {
        match self {
            Self::Json => line.first() == Some(&b'{') || begins_with_time(line),
            Self::Timed => begins_with_time(line) || has_time_near(line),
            Self::Lines => line.first().is_some_and(|b| !b.is_ascii_whitespace()),
        }
    }

    /// What an entry's first line says.
    pub fn head(self, line: &[u8]) -> Head<'_> {
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
}
