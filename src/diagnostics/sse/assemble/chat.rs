//! `OpenAI`'s chat completions, and those who speak like it.

use super::{NOWHERE, tool};
use crate::sse::prelude::*;

/// Calls stand behind the text of their choice.
const CALLS: u64 = 16;

pub fn take(assembly: &mut Assembly, value: &Value) {
    assembly.identify(value, "id", "model");
    let places = [
        "/usage/prompt_tokens",
        "/usage/completion_tokens",
        "/usage/prompt_tokens_details/cached_tokens",
        NOWHERE,
        "/usage/completion_tokens_details/reasoning_tokens",
    ];
    assembly.usage.learn(value, places);
    let Some(choices) = value.get("choices").and_then(Value::as_array) else {
        assembly.unexpected("a chunk without choices");
        return;
    };
    for choice in choices {
        let index = number(choice, "index").unwrap_or(0);
        if let Some(reason) = text(choice, "finish_reason") {
            assembly.stop_reason = Some(reason.to_owned());
        }
        let Some(delta) = choice.get("delta").filter(|delta| delta.is_object()) else {
            continue;
        };
        for (member, kind, place) in [
            ("reasoning_content", PartKind::Thinking, 0),
            ("reasoning", PartKind::Thinking, 0),
            ("content", PartKind::Text, 1),
            ("refusal", PartKind::Refusal, 2),
        ] {
            if let Some(more) = text(delta, member).filter(|more| !more.is_empty()) {
                assembly.add((index, place), kind, more);
            }
        }
        for call in items(delta, "tool_calls") {
            let place = (
                index,
                CALLS.saturating_add(number(call, "index").unwrap_or(0)),
            );
            let function = member(call, "function");
            assembly.name_tool(place, text(call, "id"), text(function, "name"));
            if let Some(more) = text(function, "arguments") {
                assembly.add(place, tool(), more);
            }
        }
    }
}
