//! What a breakpoint records instead of stopping, as it is written.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a breakpoint records. Written as `total, len(orders)`, with the most hits a second before it where the usual limit is
/// not meant: `20/s total`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// In the debuggee's language; without any only the place and the time are.
    pub expressions: Vec<String>,
    /// Hits in any second that are recorded; others are only counted.
    pub per_second: u32,
}

impl Record {
    /// Hits a second, where nothing else is written.
    pub const USUAL: u32 = 100;
    const MOST: u32 = 1_000;

    /// None where nothing is written.
    pub fn written(text: &str) -> Option<Self> {
        let text = text.trim();
        let rate = text.split_once("/s").and_then(|(number, rest)| {
            let ends = rest.is_empty() || rest.starts_with(char::is_whitespace);
            Some((number.parse().ok().filter(|_| ends)?, rest))
        });
        let (rate, mut rest) = rate.unwrap_or((Self::USUAL, text));
        let mut expressions = Vec::new();
        while let Some(at) = outside(rest, ",") {
            let (one, after) = rest.split_at(at);
            expressions.push(one.trim());
            rest = after.get(1..).unwrap_or_default();
        }
        expressions.push(rest.trim());
        expressions.retain(|text| !text.is_empty());
        (!text.is_empty()).then(|| Self {
            expressions: expressions.into_iter().map(str::to_owned).collect(),
            per_second: rate.clamp(1, Self::MOST),
        })
    }
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.expressions.join(", ");
        match (self.per_second, all.as_str()) {
            (Self::USUAL, all) if !all.is_empty() => f.write_str(all),
            (rate, all) => f.write_str(format!("{rate}/s {all}").trim_end()),
        }
    }
}

/// Where a mark first stands outside of brackets and quotes.
pub(crate) fn outside(text: &str, mark: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut skip_to = 0;
    for (at, c) in text.char_indices() {
        let here = text.get(at..).unwrap_or_default();
        if at < skip_to {
            continue;
        }
        match c {
            _ if depth == 0 && here.starts_with(mark) => return Some(at),
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            '\'' | '"' | '`' => {
                // One without its other half is no quote: a lifetime, a separator of digits.
                let mut escaped = true;
                let end = here.char_indices().find(|(_, d)| {
                    let ends = !escaped && *d == c;
                    escaped = !escaped && *d == '\\';
                    ends
                });
                skip_to = end.map_or(0, |(end, _)| at + end + 1);
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_what_is_recorded() {
        for (text, expressions, rate) in [
            (
                "a, f(b, c), d['x,y']",
                &["a", "f(b, c)", "d['x,y']"][..],
                100,
            ),
            (" 20/s total", &["total"], 20),
            ("5/s", &[], 5),
            ("5/size, &'a x", &["5/size", "&'a x"], 100),
            ("9999/s a,,", &["a"], 1_000),
        ] {
            let record = Record::written(text).unwrap();
            assert_eq!(
                (&record.expressions[..], record.per_second),
                (
                    &expressions
                        .iter()
                        .map(ToString::to_string)
                        .collect::<Vec<_>>()[..],
                    rate
                )
            );
            assert_eq!(Record::written(&record.to_string()), Some(record));
        }
        assert_eq!(Record::written("  "), None);
    }
}
