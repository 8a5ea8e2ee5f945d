//! Anthropic's messages: blocks that begin, grow and end.

use super::{NOWHERE, tool};
use crate::sse::prelude::*;

pub fn take(assembly: &mut Assembly, value: &Value) {
    let place = (0, number(value, "index").unwrap_or(0));
    match text(value, "type").unwrap_or("") {
        "message_start" => {
            let message = member(value, "message");
            assembly.identify(message, "id", "model");
            usage(assembly, message);
            // Nothing has been written yet: it is counted at the end.
            assembly.usage.output = None;
        }
        "content_block_start" => {
            begin(assembly, place, member(value, "content_block"));
        }
        "content_block_delta" => {
            grow(assembly, place, member(value, "delta"));
        }
        "message_delta" => {
            if let Some(reason) = text(member(value, "delta"), "stop_reason") {
                assembly.stop_reason = Some(reason.to_owned());
            }
            usage(assembly, value);
        }
        "message_stop" => assembly.finished = true,
        "content_block_stop" | "ping" => {}
        other => assembly.unexpected(&format!("an event of the unknown type {other:?}")),
    }
}

fn begin(assembly: &mut Assembly, place: (u64, u64), block: &Value) {
    match text(block, "type").unwrap_or("") {
        "text" => assembly.add(place, PartKind::Text, text(block, "text").unwrap_or("")),
        "thinking" => assembly.add(
            place,
            PartKind::Thinking,
            text(block, "thinking").unwrap_or(""),
        ),
        kind if kind.ends_with("tool_use") => {
            assembly.name_tool(place, text(block, "id"), text(block, "name"));
            // Some send all of it at once.
            let whole = block
                .get("input")
                .and_then(Value::as_object)
                .filter(|input| !input.is_empty());
            if let Some(input) = whole {
                let input = serde_json::to_string(input).unwrap_or_default();
                assembly.add(place, tool(), &input);
            }
        }
        "" => assembly.unexpected("a block without a type"),
        other => assembly.add(place, PartKind::Other(other.to_owned()), ""),
    }
}

fn grow(assembly: &mut Assembly, place: (u64, u64), delta: &Value) {
    let (kind, member) = match text(delta, "type").unwrap_or("") {
        "text_delta" => (PartKind::Text, "text"),
        "thinking_delta" => (PartKind::Thinking, "thinking"),
        "input_json_delta" => (tool(), "partial_json"),
        "signature_delta" | "citations_delta" => return,
        other => {
            assembly.unexpected(&format!("a delta of the unknown type {other:?}"));
            return;
        }
    };
    match text(delta, member) {
        Some(more) => assembly.add(place, kind, more),
        None => assembly.unexpected(&format!("a delta without {member:?}")),
    }
}

fn usage(assembly: &mut Assembly, of: &Value) {
    let places = [
        "/usage/input_tokens",
        "/usage/output_tokens",
        "/usage/cache_read_input_tokens",
        "/usage/cache_creation_input_tokens",
        NOWHERE,
    ];
    assembly.usage.learn(of, places);
}
