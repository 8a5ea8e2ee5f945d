//! `OpenAI`'s responses: outputs of several sorts, each with its own deltas.

use super::{NOWHERE, error_text, tool};
use crate::sse::prelude::*;

pub fn take(assembly: &mut Assembly, value: &Value) {
    let output = number(value, "output_index").unwrap_or(0);
    let inner = number(value, "content_index")
        .or_else(|| number(value, "summary_index"))
        .unwrap_or(0);
    let place = (output, inner);
    let kind = text(value, "type").unwrap_or("");
    let part = match kind {
        "response.output_text.delta" => PartKind::Text,
        "response.refusal.delta" => PartKind::Refusal,
        "response.reasoning_text.delta" | "response.reasoning_summary_text.delta" => {
            PartKind::Thinking
        }
        "response.function_call_arguments.delta"
        | "response.custom_tool_call_input.delta"
        | "response.mcp_call_arguments.delta" => tool(),
        "response.output_item.added" => {
            let item = member(value, "item");
            if text(item, "type").is_some_and(|kind| kind.ends_with("_call")) {
                let id = text(item, "call_id").or_else(|| text(item, "id"));
                assembly.name_tool(place, id, text(item, "name"));
            }
            return;
        }
        "response.function_call_arguments.done" => {
            // Some send no deltas.
            let told = text(value, "arguments").unwrap_or("");
            let has_none = assembly
                .part(place, tool())
                .is_some_and(|part| part.text.is_empty());
            if has_none {
                assembly.add(place, tool(), told);
            }
            return;
        }
        "error" => {
            assembly.error = Some(error_text(value));
            return;
        }
        _ => {
            if let Some(response) = value.get("response") {
                whole(assembly, kind, response);
            } else if !kind.starts_with("response.") {
                assembly.unexpected(&format!("an event of the unknown type {kind:?}"));
            }
            return;
        }
    };
    match text(value, "delta") {
        Some(more) => assembly.add(place, part, more),
        None => assembly.unexpected(&format!("{kind} without \"delta\"")),
    }
}

/// An event that tells the state of the whole.
fn whole(assembly: &mut Assembly, kind: &str, response: &Value) {
    assembly.identify(response, "id", "model");
    let places = [
        "/usage/input_tokens",
        "/usage/output_tokens",
        "/usage/input_tokens_details/cached_tokens",
        NOWHERE,
        "/usage/output_tokens_details/reasoning_tokens",
    ];
    assembly.usage.learn(response, places);
    if let Some(error) = response.get("error").filter(|error| !error.is_null()) {
        assembly.error = Some(error_text(error));
    }
    if matches!(
        kind,
        "response.completed" | "response.incomplete" | "response.failed" | "response.cancelled"
    ) {
        assembly.finished = true;
        let why = text(member(response, "incomplete_details"), "reason");
        let why = why.or_else(|| text(response, "status"));
        assembly.stop_reason = why.map(str::to_owned);
    }
}
