//! Lines whose parts mean something: names and values of JSON, headings, remarks. What a meaning looks like is the theme's.

use std::ops::Range;

use base::text::{
    sanitise::{TAB_WIDTH, sanitise_from},
    width::width,
};
use ratatui::style::{Modifier, Style};
use serde_json::Value;

use crate::theme::Theme;

/// What a part of a line means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// The name of a member or of a field.
    Name,
    /// Text in quotes.
    Text,
    Number,
    /// `true`, `false`, `null`.
    Word,
    /// What begins a part.
    Heading,
    /// What matters less.
    Muted,
    /// What went wrong.
    Error,
    /// What deserves a look.
    Warning,
    /// What went well.
    Success,
}

impl Tone {
    /// Its look.
    pub fn style(self, theme: &Theme) -> Style {
        match self {
            Self::Name => theme.function,
            Self::Text => theme.string,
            Self::Number => theme.number,
            Self::Word => theme.keyword,
            Self::Heading => theme.accent.add_modifier(Modifier::BOLD),
            Self::Muted => theme.muted,
            Self::Error => theme.error,
            Self::Warning => theme.warning,
            Self::Success => theme.success,
        }
    }
}

/// One line, built from left to right and made harmless on the way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Toned {
    pub text: String,
    pub tones: Vec<(Range<usize>, Tone)>,
    column: usize,
}

impl Toned {
    /// A line of one meaning.
    pub fn of(text: &str, tone: Tone) -> Self {
        let mut line = Self::default();
        line.put(text, Some(tone));
        line
    }

    /// A line that is less important.
    pub fn muted(text: &str) -> Self {
        Self::of(text, Tone::Muted)
    }

    /// A heading.
    pub fn heading(text: &str) -> Self {
        Self::of(text, Tone::Heading)
    }

    /// A line that warns.
    pub fn warning(text: &str) -> Self {
        Self::of(text, Tone::Warning)
    }

    /// A line of plain text.
    pub fn plain(text: &str) -> Self {
        let mut line = Self::default();
        line.put(text, None);
        line
    }

    /// More text.
    pub fn put(&mut self, text: &str, tone: Option<Tone>) -> &mut Self {
        let safe = sanitise_from(text, TAB_WIDTH, self.column);
        let start = self.text.len();
        self.text.push_str(&safe);
        self.column += width(&safe);
        if let Some(tone) = tone
            && !safe.is_empty()
        {
            self.tones.push((start..self.text.len(), tone));
        }
        self
    }
}

/// Deeper values stay on one line.
const DEEPEST: usize = 24;

/// A JSON value over several lines, each behind `prefix`; with `spread`, text of several lines stands on several lines, too.
pub fn json(value: &Value, prefix: &str, spread: bool) -> Vec<Toned> {
    let mut writer = Writer {
        lines: Vec::new(),
        line: Toned::default(),
        prefix,
        spread,
    };
    writer.line.put(prefix, Some(Tone::Muted));
    writer.value(value, 0);
    writer.lines.push(writer.line);
    writer.lines
}

struct Writer<'p> {
    lines: Vec<Toned>,
    line: Toned,
    prefix: &'p str,
    spread: bool,
}

impl Writer<'_> {
    fn next(&mut self, depth: usize) {
        let mut fresh = Toned::default();
        fresh.put(self.prefix, Some(Tone::Muted));
        fresh.put(&"  ".repeat(depth), None);
        self.lines.push(std::mem::replace(&mut self.line, fresh));
    }

    fn value(&mut self, value: &Value, depth: usize) {
        match value {
            Value::Object(members) if !members.is_empty() && depth < DEEPEST => {
                self.line.put("{", None);
                for (index, (name, value)) in members.iter().enumerate() {
                    self.next(depth + 1);
                    let name = Value::from(name.as_str()).to_string();
                    self.line.put(&name, Some(Tone::Name)).put(": ", None);
                    self.value(value, depth + 1);
                    if index + 1 < members.len() {
                        self.line.put(",", None);
                    }
                }
                self.next(depth);
                self.line.put("}", None);
            }
            Value::Array(items) if !items.is_empty() && depth < DEEPEST => {
                self.line.put("[", None);
                for (index, value) in items.iter().enumerate() {
                    self.next(depth + 1);
                    self.value(value, depth + 1);
                    if index + 1 < items.len() {
                        self.line.put(",", None);
                    }
                }
                self.next(depth);
                self.line.put("]", None);
            }
            Value::String(text) if self.spread && text.trim_end().contains('\n') => {
                for line in text.lines() {
                    self.next(depth + 1);
                    self.line.put(line, Some(Tone::Text));
                }
            }
            Value::String(_) => {
                self.line.put(&value.to_string(), Some(Tone::Text));
            }
            Value::Number(_) => {
                self.line.put(&value.to_string(), Some(Tone::Number));
            }
            other => {
                self.line.put(&other.to_string(), Some(Tone::Word));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(lines: &[Toned]) -> Vec<&str> {
        lines.iter().map(|line| line.text.as_str()).collect()
    }

    #[test]
    fn json_stands_on_lines_and_its_parts_mean_something() {
        let value = serde_json::json!({"a": [1, true], "b": "x\ny", "c": {}});
        let lines = json(&value, "data: ", false);
        assert_eq!(
            texts(&lines),
            [
                "data: {",
                "data:   \"a\": [",
                "data:     1,",
                "data:     true",
                "data:   ],",
                r#"data:   "b": "x\ny","#,
                "data:   \"c\": {}",
                "data: }",
            ]
        );
        assert_eq!(lines[1].tones, [(0..6, Tone::Muted), (8..11, Tone::Name)]);
        let lines = json(&value, "", true);
        assert_eq!(&texts(&lines)[6..8], ["    x", "    y,"]);
    }

    #[test]
    fn what_could_drive_a_terminal_is_harmless_and_tones_stay_in_place() {
        let mut line = Toned::default();
        line.put("a\x1b[2J", None)
            .put("\t", None)
            .put("é", Some(Tone::Error));
        let Toned { text, tones, .. } = line;
        assert!(!text.contains(['\x1b', '\t']), "{text:?}");
        let (range, _) = tones.first().cloned().unwrap();
        assert_eq!(text.get(range), Some("é"));
    }
}
