//! Regular expressions of tables: many, of which a session needs few.

use std::sync::OnceLock;

use memchr::memmem;
use regex::{Captures, Match, Regex};
use regex_syntax::hir::literal::Extractor;
use serde::{Deserialize, Serialize};

/// A regular expression that can be read from a table and compared. Whether it is one is looked at when it is read; it is compiled when it
/// is first held against a text that it may fit: to compile all of ours took each launch and each first stop 40 ms.
#[derive(Debug, Clone)]
pub struct Pattern {
    text: String,
    /// What it fits begins with one of these; none where that is not known.
    beginnings: Vec<Vec<u8>>,
    compiled: OnceLock<Option<Regex>>,
}

impl Pattern {
    /// # Errors
    ///
    /// What is wrong with it, in several lines that point at the place.
    pub fn new(text: String) -> Result<Self, String> {
        let parsed = regex_syntax::parse(&text).map_err(|error| error.to_string())?;
        let found = Extractor::new().extract(&parsed);
        let found = found.literals().unwrap_or_default();
        let mut beginnings: Vec<_> = found.iter().map(|one| one.as_bytes().to_vec()).collect();
        if beginnings.iter().any(Vec::is_empty) {
            beginnings.clear();
        }
        Ok(Self {
            text,
            beginnings,
            compiled: OnceLock::new(),
        })
    }

    /// Nothing for a text that it cannot fit, and for one that takes too much memory, which the log says.
    fn compiled(&self, text: &str) -> Option<&Regex> {
        let begins = |with: &Vec<u8>| memmem::find(text.as_bytes(), with).is_some();
        if !self.beginnings.is_empty() && !self.beginnings.iter().any(begins) {
            return None;
        }
        let compile = || {
            let regex = Regex::new(&self.text);
            let regex = regex.inspect_err(|error| tracing::warn!(%error, "a pattern is not used"));
            regex.ok()
        };
        self.compiled.get_or_init(compile).as_ref()
    }

    /// Whether it fits anywhere in a text.
    pub fn is_match(&self, text: &str) -> bool {
        self.compiled(text)
            .is_some_and(|regex| regex.is_match(text))
    }

    /// What is between the places that it fits.
    pub fn split<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let split = |regex: &Regex| regex.split(text).collect();
        self.compiled(text).map_or_else(|| vec![text], split)
    }

    /// The first place that it fits.
    pub fn find<'t>(&self, text: &'t str) -> Option<Match<'t>> {
        self.compiled(text)?.find(text)
    }

    /// The same with its groups.
    pub fn captures<'t>(&self, text: &'t str) -> Option<Captures<'t>> {
        self.compiled(text)?.captures(text)
    }
}

impl Eq for Pattern {}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Serialize for Pattern {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::new(text.clone())
            .map_err(|error| serde::de::Error::custom(format!("bad pattern {text:?}: {error}")))
    }
}

/// A text in the words of the first row that fits; `$0` in them is the text, `$1` the first group of the pattern.
pub fn reworded(text: &str, table: &[(Pattern, String)]) -> String {
    let told = table.iter().find_map(|(pattern, words)| {
        let mut told = String::new();
        pattern.captures(text)?.expand(words, &mut told);
        Some(told)
    });
    told.unwrap_or_else(|| text.to_owned())
}

/// Patterns of which one is enough.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Patterns(Vec<Pattern>);

impl Patterns {
    /// Whether there are any.
    pub fn any(&self) -> bool {
        !self.0.is_empty()
    }

    /// Whether one of them fits.
    pub fn fit(&self, text: &str) -> bool {
        self.0.iter().any(|pattern| pattern.is_match(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_it_cannot_fit_does_not_compile_it_and_all_else_is_as_the_expression_says() {
        for (pattern, fits, does_not) in [
            (
                "^(const )?std::vector<",
                "const std::vector<int>",
                "vector<int>",
            ),
            ("(?i)error", "an ERROR", "fine"),
            ("^[a-z]+$", "abc", "1"),
            ("", "anything", ""),
            ("a|b|$", "c", ""),
            ("ö+", "schön", "schon"),
        ] {
            let read = Pattern::new(pattern.to_owned()).unwrap();
            let plain = Regex::new(pattern).unwrap();
            for text in [fits, does_not] {
                assert_eq!(
                    read.is_match(text),
                    plain.is_match(text),
                    "{pattern} {text}"
                );
            }
            assert!(read.is_match(fits), "{pattern}");
        }
        let vector = Pattern::new("^std::vector<(.*)>$".to_owned()).unwrap();
        assert!(!vector.is_match("int") && vector.compiled.get().is_none());
        assert_eq!(&vector.captures("std::vector<int>").unwrap()[1], "int");
        assert!(vector.compiled.get().is_some());
        assert!(Pattern::new("(".to_owned()).is_err());
    }
}
