//! How a log is written, so that the lines which belong to an entry stay with it.

use super::{
    plain::{begins_with_time, plain_head},
    record::{Head, json_head},
};

/// What an entry begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `{`: other lines belong to the one before (stacks, crash texts).
    Json,
    /// A time.
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
            Self::Json => line.first() == Some(&b'{'),
            Self::Timed => begins_with_time(line),
            Self::Lines => line.first().is_some_and(|b| !b.is_ascii_whitespace()),
        }
    }

    /// What an entry's first line says.
    pub fn head(self, line: &[u8]) -> Head<'_> {
        match self {
            Self::Json => json_head(line).unwrap_or_else(|| plain_head(line)),
            Self::Timed | Self::Lines => plain_head(line),
        }
    }
}
