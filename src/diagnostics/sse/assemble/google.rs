//! Google's `generateContent`: each event a piece of the whole answer; some gateways put it into a `response`.

use super::NOWHERE;
use crate::sse::prelude::*;

pub fn take(assembly: &mut Assembly, value: &Value) {
    let value = value.get("response").unwrap_or(value);
    assembly.identify(value, "responseId", "modelVersion");
    let places = [
        "/usageMetadata/promptTokenCount",
        "/usageMetadata/candidatesTokenCount",
        "/usageMetadata/cachedContentTokenCount",
        NOWHERE,
        "/usageMetadata/thoughtsTokenCount",
    ];
    assembly.usage.learn(value, places);
    if let Some(reason) = text(member(value, "promptFeedback"), "blockReason") {
        assembly.stop_reason = Some(reason.to_owned());
        assembly.finished = true;
    }
    for candidate in items(value, "candidates") {
        let index = number(candidate, "index").unwrap_or(0);
        for part in items(member(candidate, "content"), "parts") {
            take_part(assembly, index, part);
        }
        if let Some(reason) = text(candidate, "finishReason") {
            assembly.stop_reason = Some(reason.to_owned());
            assembly.finished = true;
        }
    }
}

fn take_part(assembly: &mut Assembly, candidate: u64, part: &Value) {
    // Parts have no numbers: what is of the sort of the last one goes on, and a call comes whole.
    let last = assembly
        .parts
        .iter()
        .rev()
        .map(|known| known.place)
        .find(|(owner, _)| *owner == candidate);
    let next = (candidate, last.map_or(0, |(_, place)| place + 1));
    if let Some(call) = part.get("functionCall") {
        assembly.name_tool(next, text(call, "id"), text(call, "name"));
        if let Some(arguments) = call.get("args") {
            let arguments = arguments.to_string();
            assembly.add(next, super::tool(), &arguments);
        }
        return;
    }
    if let Some(more) = text(part, "text") {
        let is_thought = part.get("thought").and_then(Value::as_bool) == Some(true);
        let kind = if is_thought {
            PartKind::Thinking
        } else {
            PartKind::Text
        };
        let goes_on = last.filter(|place| assembly.kind_at(*place).as_ref() == Some(&kind));
        if !more.is_empty() {
            assembly.add(goes_on.unwrap_or(next), kind, more);
        }
        return;
    }
    match part.as_object().and_then(|members| {
        let name = members.keys().find(|name| !name.starts_with("thought"))?;
        Some(name.clone())
    }) {
        Some(name) => assembly.add(next, PartKind::Other(name), ""),
        None if part.get("thoughtSignature").is_some() => {}
        None => assembly.unexpected("a part that says nothing"),
    }
}
