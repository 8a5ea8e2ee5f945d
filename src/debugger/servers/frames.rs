//! As much of a message as has to be known to pass it on.

use std::borrow::Cow;

use crate::prelude::*;

/// What stands around a body; bodies are passed on as they are.
#[derive(Debug, Deserialize)]
pub struct Head<'a> {
    #[serde(rename = "type", borrow)]
    pub kind: Cow<'a, str>,
    #[serde(default)]
    pub seq: i64,
    #[serde(default, borrow)]
    pub command: Cow<'a, str>,
    #[serde(default, borrow)]
    pub event: Cow<'a, str>,
    #[serde(default)]
    pub request_seq: i64,
    #[serde(default)]
    pub success: bool,
}

impl<'a> Head<'a> {
    /// None for what is no message.
    pub fn of(frame: &'a [u8]) -> Option<Self> {
        serde_json::from_slice(frame).ok()
    }
}

pub fn field(frame: &[u8], key: &str) -> Map<String, Value> {
    let whole: Value = serde_json::from_slice(frame).unwrap_or_default();
    match whole {
        Value::Object(mut fields) => match fields.remove(key) {
            Some(Value::Object(field)) => field,
            _ => Map::new(),
        },
        _ => Map::new(),
    }
}
