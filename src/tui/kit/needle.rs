//! What is looked for in a text: words, or an expression.

use diagnostics::logs::{Filter, FilterError};

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
