//! What is looked for in a text: words, or an expression; keys that go through what is found, what texts begin with alike.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use diagnostics::logs::{Filter, FilterError};

use crate::action::TypingKeys;

/// What is looked for in the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needle {
    /// As typed; empty = nothing.
    pub text: String,
    /// Whether it is a regular expression.
    pub is_expression: bool,
}

impl Needle {
    /// As a regular expression; small letters find both cases.
    pub fn pattern(&self) -> String {
        let pattern = if self.is_expression {
            self.text.clone()
        } else {
            regex::escape(&self.text)
        };
        if self.text.chars().any(char::is_uppercase) {
            pattern
        } else {
            format!("(?i){pattern}")
        }
    }

    /// Whether it can be looked for; the error quotes what was typed.
    pub fn check(&self) -> Result<(), FilterError> {
        if self.text.is_empty() {
            return Ok(());
        }
        self.named(Filter::default().grep(&self.pattern()))
            .map(drop)
    }

    /// The same of what it is a part of.
    pub fn named(&self, filter: Result<Filter, FilterError>) -> Result<Filter, FilterError> {
        filter.map_err(|error| FilterError {
            pattern: self.text.clone(),
            ..error
        })
    }
}

/// What a key means while one goes through matches: to the next one, or (false) to the one before; any other ends the search, and
/// then means what it always means.
pub fn through_matches(key: KeyEvent) -> Option<bool> {
    let changed = KeyModifiers::CONTROL | KeyModifiers::ALT;
    match key.code {
        _ if key.modifiers.intersects(changed) => None,
        KeyCode::Char('n') | KeyCode::Enter => Some(true),
        KeyCode::Char('N') => Some(false),
        _ => None,
    }
}

/// What the footer shows meanwhile.
pub const BROWSING_KEYS: TypingKeys = &[("n", "next"), ("N", "previous"), ("Esc", "done")];
/// And before, while what to look for is typed.
pub const SEARCHING_KEYS: TypingKeys = &[("Enter", "keep"), ("Esc", "leave")];

/// What all of these begin with.
pub fn common_prefix<'a>(mut texts: impl Iterator<Item = &'a str>) -> &'a str {
    let first = texts.next().unwrap_or_default();
    texts.fold(first, |common, text| {
        let mut both = common.char_indices().zip(text.chars());
        let differs = both.find(|((_, a), b)| a != b);
        let least = common.len().min(text.len());
        let end = differs.map_or(least, |((at, _), _)| at);
        common.get(..end).unwrap_or_default()
    })
}
