//! `OpenAI`'s chat completions, and those who speak like it.

use serde_json::Value;

use super::{Assembly, PartKind, number, text, tool};

/// Calls stand behind the text of their choice.
const CALLS: u64 = 16;

pub fn take(assembly: &mut Assembly, value: &Value) {
    assembly.identify(value, "id", "model");
    if let Some(usage) = value.get("usage").filter(|usage| usage.is_object()) {
        take_usage(assembly, usage);
    }
    let Some(choices) = value.get("choices").and_then(Value::as_array) else {
        assembly.odd("a chunk without choices");
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
        let calls = delta.get("tool_calls").and_then(Value::as_array);
        for call in calls.into_iter().flatten() {
            let place = (
                index,
                CALLS.saturating_add(number(call, "index").unwrap_or(0)),
            );
            let function = call.get("function").unwrap_or(&Value::Null);
            assembly.name_tool(place, text(call, "id"), text(function, "name"));
            if let Some(more) = text(function, "arguments") {
                assembly.add(place, tool(), more);
            }
        }
    }
}

fn take_usage(assembly: &mut Assembly, usage: &Value) {
    let null = Value::Null;
    let read = usage.get("prompt_tokens_details").unwrap_or(&null);
    let written = usage.get("completion_tokens_details").unwrap_or(&null);
    let known = &mut assembly.usage;
    for (slot, told) in [
        (&mut known.input, number(usage, "prompt_tokens")),
        (&mut known.output, number(usage, "completion_tokens")),
        (&mut known.cache_read, number(read, "cached_tokens")),
        (&mut known.reasoning, number(written, "reasoning_tokens")),
    ] {
        *slot = told.or(*slot);
    }
}
