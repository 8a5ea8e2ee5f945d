//! Words of a session that stand where nobody asked for its content: titles, first questions, reasons.

use std::{fmt, ops::Deref, sync::LazyLock};

use base::surroundings;

use crate::prelude::*;

/// Foreign text that may be shown, as it holds no secret any more: a person pastes a key into a question, and the question
/// becomes a title. There is no other way to make one than through the redactor.
#[derive(Clone, Default, PartialEq, Eq, Serialize)]
pub struct SafeText(String);

impl SafeText {
    /// Of a text that was cut after this many bytes: its last word may be the beginning of a secret that nobody could recognise.
    pub fn cut(text: &str, after: usize) -> Self {
        let whole = match text.trim_end().rfind(char::is_whitespace) {
            Some(end) if text.len() + char::MAX.len_utf8() > after => text.get(..end),
            _ => None,
        };
        Self::from(whole.unwrap_or(text))
    }
}

impl From<&str> for SafeText {
    fn from(text: &str) -> Self {
        static REDACTOR: LazyLock<Redactor> =
            LazyLock::new(|| Redactor::new().with_secrets(surroundings::variables()));
        Self(REDACTOR.redact(text).into_owned())
    }
}

impl Deref for SafeText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Display for SafeText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl fmt::Debug for SafeText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}
