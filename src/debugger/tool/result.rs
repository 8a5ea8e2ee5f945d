//! What a call gives back: a text to read, fields for machines beside it, and what else has happened.

use base::text::{sanitise, width};

use crate::prelude::*;

/// What an action gave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolResult {
    pub action: String,
    /// Always true: a failure is a [`ToolError`].
    pub success: bool,
    /// For people and models, one block.
    pub text: String,
    /// For machines: `action`, `success`, `snapshot`, and the fields of the action.
    pub details: Map<String, Value>,
    /// The session as it was left; the same as in `details`.
    pub snapshot: Option<Value>,
    /// What happened meanwhile.
    pub events_since: EventsSince,
}

/// What happened between two calls, in lines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventsSince {
    /// Number of the event after which the lines begin.
    pub since: u64,
    /// Number of the last event that is accounted for: what to pass as `since` with the next call.
    pub seq: u64,
    /// How many older lines are no longer kept.
    pub dropped: u64,
    /// Stops, ends, what became of breakpoints, lost output; oldest first.
    pub lines: Vec<String>,
}

/// Why an action was not done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{error}")]
pub struct ToolError {
    /// Which action, as it was asked for.
    pub action: String,
    /// Always false.
    pub success: bool,
    /// What kind of trouble.
    pub kind: ErrorKind,
    /// The sentence.
    pub error: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The session as it is now, where the caller had another picture of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<Value>,
}

impl ToolError {
    /// For an action; foreign text in the sentence is made safe to show.
    pub fn new(action: &str, error: DebuggerError) -> Self {
        Self {
            action: sanitise(action).into_owned(),
            success: false,
            kind: error.kind,
            error: sanitise::sanitise_block(error.details.as_deref().unwrap_or(&error.what)),
            hint: error.hint.map(|hint| sanitise::sanitise_block(&hint)),
            snapshot: error.snapshot.map(|snapshot| *snapshot),
        }
    }

    /// As fronts tell errors of the core.
    pub fn into_core(self) -> DebuggerError {
        DebuggerError {
            hint: self.hint,
            ..DebuggerError::new(self.kind, self.error)
        }
    }

    /// Something that was asked for in a wrong way.
    pub fn usage(action: &str, what: impl Into<String>) -> Self {
        Self::new(action, DebuggerError::usage(what))
    }
}

/// Makes every text in `value` safe to show. Ends of lines and tabs stay: JSON writes them as escapes.
pub fn clean(value: Value) -> Value {
    match value {
        Value::String(text) => clean_text(text).into(),
        Value::Array(list) => list.into_iter().map(clean).collect(),
        Value::Object(fields) => fields
            .into_iter()
            .map(|(name, value)| (clean_text(name), clean(value)))
            .collect(),
        other => other,
    }
}

fn clean_text(text: String) -> String {
    if width::is_plain(&text) {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    for piece in text.split_inclusive(['\n', '\t']) {
        let body = piece.trim_end_matches(['\n', '\t']);
        out.push_str(&sanitise::sanitise_from(body, sanitise::TAB_WIDTH, 0));
        out.push_str(piece.get(body.len()..).unwrap_or_default());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn results_and_errors_are_written_in_one_form() {
        let result = ToolResult {
            action: "pause".to_owned(),
            success: true,
            text: "Stopped.".to_owned(),
            details: Map::new(),
            snapshot: None,
            events_since: EventsSince::default(),
        };
        let written = json!({"action": "pause", "success": true, "text": "Stopped.", "details": {}, "snapshot": null,
            "events_since": {"since": 0, "seq": 0, "dropped": 0, "lines": []}});
        assert_eq!(serde_json::to_value(&result).unwrap(), written);
        assert_eq!(
            serde_json::from_value::<ToolResult>(written).unwrap(),
            result
        );

        let error = DebuggerError::usage("no \u{1b}[1m").hint("do");
        let error = ToolError::new("pa\u{7}use", error);
        let written = json!({"action": "pa␇use", "success": false, "kind": "usage", "error": "no ␛[1m", "hint": "do"});
        assert_eq!(serde_json::to_value(&error).unwrap(), written);
        assert_eq!(error.to_string(), "no ␛[1m");
    }

    #[test]
    fn no_text_in_the_details_can_drive_a_terminal() {
        let foreign =
            json!({"a\u{1b}": ["x\ty\n\u{1b}[31mred", 7, {"b": "\u{202e}abc"}], "plain": "é"});
        let cleaned = clean(foreign);
        assert_eq!(cleaned["plain"], "é");
        assert_eq!(cleaned["a␛"][0], "x\ty\n␛[31mred");
        assert_eq!(cleaned["a␛"][1], 7);
        assert_eq!(cleaned["a␛"][2]["b"], "\\u{202e}abc");
    }
}
