//! What an operation gave.

use crate::prelude::*;

/// What an action gave, before it is put into its final form.
pub struct ActionOutput {
    /// For people and models.
    pub text: String,
    /// For machines, by their names there.
    pub fields: Map<String, Value>,
    /// The session it was about, when that is not simply the focused one.
    pub session: Option<SessionId>,
}

impl ActionOutput {
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            fields: Map::new(),
            session: None,
        }
    }

    pub fn with(mut self, name: &str, value: impl Serialize) -> Self {
        // Everything here has texts as keys, so this cannot fail.
        let value = serde_json::to_value(value).unwrap_or_default();
        self.fields.insert(name.to_owned(), value);
        self
    }

    pub fn about(mut self, session: SessionId) -> Self {
        self.session = Some(session);
        self
    }
}
