//! What the events of each interface spell.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::super::{Assembly, Event, PartKind, Shape, Stall, Usage};

fn event(data: &str) -> Event {
    Event {
        data: Some(data.to_owned()),
        complete: true,
        ..Event::default()
    }
}

/// One event each 100 ms, the first at 1,000.
fn assembled(events: &[Value]) -> Assembly {
    let mut message = Assembly::new(Some(500));
    for (number, data) in events.iter().enumerate() {
        let time = 1000 + 100 * number as i64;
        message.push(&event(&data.to_string()), Some(time));
    }
    message
}

fn parts(message: &Assembly) -> Vec<(&str, &str)> {
    message
        .parts
        .iter()
        .map(|part| (part.kind.name(), part.text.as_str()))
        .collect()
}

fn tool(id: &str, name: &str) -> PartKind {
    PartKind::Tool {
        id: Some(id.to_owned()),
        name: Some(name.to_owned()),
    }
}

#[test]
fn anthropic() {
    let message = assembled(&[
        json!({"type": "message_start", "message": {"id": "msg_1", "model": "claude", "usage": {"input_tokens": 12, "cache_read_input_tokens": 7, "cache_creation_input_tokens": 3, "output_tokens": 1}}}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "so "}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "what"}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "xx"}}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "ping"}),
        json!({"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}}),
        json!({"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "Hel"}}),
        json!({"type": "content_block_start", "index": 2, "content_block": {"type": "tool_use", "id": "toolu_1", "name": "read", "input": {}}}),
        json!({"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": "{\"path\": \"a"}}),
        json!({"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "lo"}}),
        json!({"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": ".rs\"}"}}),
        json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 55}}),
        json!({"type": "message_stop"}),
    ]);
    assert_eq!(message.shape, Some(Shape::Anthropic));
    assert_eq!(
        parts(&message),
        [
            ("thinking", "so what"),
            ("text", "Hello"),
            ("tool", "{\"path\": \"a.rs\"}")
        ]
    );
    assert_eq!(message.parts[2].kind, tool("toolu_1", "read"));
    assert_eq!(message.parts[2].arguments(), Ok(json!({"path": "a.rs"})));
    assert_eq!(
        message.usage,
        Usage {
            input: Some(12),
            output: Some(55),
            cache_read: Some(7),
            cache_write: Some(3),
            reasoning: None,
        }
    );
    assert_eq!(
        (message.stop_reason.as_deref(), message.finished),
        (Some("tool_use"), true)
    );
    assert_eq!(
        (message.id.as_deref(), message.model.as_deref()),
        (Some("msg_1"), Some("claude"))
    );
    assert_eq!((message.odd_count, message.events), (0, 15));
    let timing = &message.timing;
    assert_eq!(
        (
            timing.started,
            timing.first_event,
            timing.first_token,
            timing.last
        ),
        (Some(500), Some(1000), Some(1200), Some(2400))
    );
    // 55 tokens in 1.2 seconds.
    assert!((message.tokens_per_second().unwrap() - 55.0 / 1.2).abs() < 1e-9);
    // One that breaks off was not counted.
    let begun = json!({"type": "message_start", "message": {"usage": {"input_tokens": 12, "output_tokens": 1}}});
    let usage = assembled(&[begun]).usage;
    assert_eq!((usage.input, usage.output), (Some(12), None));
}

#[test]
fn chat_completions() {
    let chunk = |choices: Value| json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": "gpt", "choices": choices, "usage": null});
    let mut message = assembled(&[
        chunk(
            json!([{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": null}]),
        ),
        chunk(json!([{"index": 0, "delta": {"reasoning_content": "hm"}}])),
        chunk(
            json!([{"index": 0, "delta": {"content": "A"}}, {"index": 1, "delta": {"content": "B"}}]),
        ),
        chunk(
            json!([{"index": 0, "delta": {"tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": {"name": "ls", "arguments": ""}}]}}]),
        ),
        chunk(
            json!([{"index": 0, "delta": {"tool_calls": [{"index": 1, "id": "call_2", "function": {"name": "cat", "arguments": "{}"}}, {"index": 0, "function": {"arguments": "{\"a\""}}]}}]),
        ),
        chunk(
            json!([{"index": 0, "delta": {"tool_calls": [{"index": 0, "function": {"arguments": ":1}"}}], "content": "a"}}]),
        ),
        chunk(json!([{"index": 0, "delta": {}, "finish_reason": "tool_calls"}])),
        json!({"id": "chatcmpl-1", "choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 9, "prompt_tokens_details": {"cached_tokens": 2}, "completion_tokens_details": {"reasoning_tokens": 4}}}),
    ]);
    assert!(!message.finished);
    message.push(&event("[DONE]"), Some(9000));
    assert_eq!((message.shape, message.finished), (Some(Shape::Chat), true));
    assert_eq!(
        parts(&message),
        [
            ("thinking", "hm"),
            ("text", "Aa"),
            ("text", "B"),
            ("tool", "{\"a\":1}"),
            ("tool", "{}")
        ]
    );
    assert_eq!(message.parts[3].kind, tool("call_1", "ls"));
    assert_eq!(message.parts[4].kind, tool("call_2", "cat"));
    assert_eq!(message.stop_reason.as_deref(), Some("tool_calls"));
    assert_eq!(
        message.usage,
        Usage {
            input: Some(5),
            output: Some(9),
            cache_read: Some(2),
            cache_write: None,
            reasoning: Some(4),
        }
    );
    assert_eq!(
        message.timing.stalls,
        [Stall {
            event: 9,
            length: 9000 - 1700
        }]
    );
    assert_eq!(message.odd_count, 0);
}

#[test]
fn responses() {
    let message = assembled(&[
        json!({"type": "response.created", "response": {"id": "resp_1", "model": "gpt", "status": "in_progress"}}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": {"type": "reasoning", "id": "rs_1"}}),
        json!({"type": "response.reasoning_summary_text.delta", "output_index": 0, "summary_index": 0, "delta": "because"}),
        json!({"type": "response.output_item.added", "output_index": 1, "item": {"type": "message", "id": "m"}}),
        json!({"type": "response.output_text.delta", "output_index": 1, "content_index": 0, "delta": "Hi"}),
        json!({"type": "response.output_text.done", "output_index": 1, "content_index": 0, "text": "Hi"}),
        json!({"type": "response.output_item.added", "output_index": 2, "item": {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "grep", "arguments": ""}}),
        json!({"type": "response.function_call_arguments.delta", "output_index": 2, "delta": "{\"re\":"}),
        json!({"type": "response.function_call_arguments.delta", "output_index": 2, "delta": "\"x\"}"}),
        json!({"type": "response.function_call_arguments.done", "output_index": 2, "arguments": "{\"re\":\"x\"}"}),
        json!({"type": "response.function_call_arguments.done", "output_index": 3, "arguments": "{\"whole\":1}"}),
        json!({"type": "response.incomplete", "response": {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}, "error": null, "usage": {"input_tokens": 3, "output_tokens": 4, "input_tokens_details": {"cached_tokens": 1}, "output_tokens_details": {"reasoning_tokens": 2}}}}),
    ]);
    assert_eq!(message.shape, Some(Shape::Responses));
    assert_eq!(
        parts(&message),
        [
            ("thinking", "because"),
            ("text", "Hi"),
            ("tool", "{\"re\":\"x\"}"),
            ("tool", "{\"whole\":1}")
        ]
    );
    assert_eq!(message.parts[2].kind, tool("call_1", "grep"));
    assert_eq!(message.stop_reason.as_deref(), Some("max_output_tokens"));
    assert_eq!(
        (message.usage.input, message.usage.output),
        (Some(3), Some(4))
    );
    assert_eq!(
        (message.usage.cache_read, message.usage.reasoning),
        (Some(1), Some(2))
    );
    assert_eq!(
        (message.finished, message.odd_count, &message.error),
        (true, 0, &None)
    );
}

#[test]
fn google() {
    let chunk = |parts: Value| json!({"candidates": [{"index": 0, "content": {"role": "model", "parts": parts}}], "modelVersion": "gemini", "responseId": "r"});
    let message = assembled(&[
        chunk(json!([{"text": "th", "thought": true}])),
        json!({"response": chunk(json!([{"text": "ink", "thought": true}, {"text": "Hel"}]))}),
        chunk(
            json!([{"text": "lo"}, {"functionCall": {"name": "ls", "args": {"a": 1}}}, {"functionCall": {"name": "ls", "args": {"a": 2}}}]),
        ),
        chunk(
            json!([{"text": "!"}, {"thoughtSignature": "s"}, {"inlineData": {"mimeType": "image/png"}}]),
        ),
        json!({"candidates": [{"finishReason": "STOP"}], "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 2, "thoughtsTokenCount": 3, "cachedContentTokenCount": 4}}),
    ]);
    assert_eq!(message.shape, Some(Shape::Google));
    assert_eq!(
        parts(&message),
        [
            ("thinking", "think"),
            ("text", "Hello"),
            ("tool", "{\"a\":1}"),
            ("tool", "{\"a\":2}"),
            ("text", "!"),
            ("inlineData", "")
        ]
    );
    assert_eq!(
        (message.stop_reason.as_deref(), message.finished),
        (Some("STOP"), true)
    );
    assert_eq!(message.model.as_deref(), Some("gemini"));
    assert_eq!(
        (message.usage.input, message.usage.output),
        (Some(1), Some(2))
    );
    assert_eq!(
        (message.usage.reasoning, message.usage.cache_read),
        (Some(3), Some(4))
    );
    assert_eq!(message.odd_count, 0);
}

#[test]
fn errors_are_told_in_every_shape() {
    for (data, expected) in [
        (
            json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
            "overloaded_error: Overloaded",
        ),
        (
            json!({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "slow down"}}),
            "RESOURCE_EXHAUSTED: slow down",
        ),
        (json!({"error": "no"}), "no"),
    ] {
        assert_eq!(assembled(&[data]).error.as_deref(), Some(expected));
    }
    let failed = json!({"type": "response.failed", "response": {"status": "failed", "error": {"code": "server_error", "message": "oops"}}});
    assert_eq!(
        assembled(&[failed]).error.as_deref(),
        Some("server_error: oops")
    );
}

#[test]
fn what_does_not_fit_is_told_and_stops_nothing() {
    let mut message = assembled(&[
        json!({"type": "message_start", "message": 7}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta"}}),
        json!({"type": "content_block_delta", "index": "zero", "delta": {"type": "text_delta", "text": "on"}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "new_delta"}}),
        json!({"type": "message_news"}),
        json!([1, 2]),
    ]);
    message.push(&event("{\"type\": \"content_bl"), None);
    message.push(&event("{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"half\"}}"), None);
    message.push(
        &Event {
            complete: false,
            ..event("{}")
        },
        None,
    );
    assert_eq!(parts(&message), [("text", "on"), ("tool", "{\"half")]);
    assert!(message.parts[1].arguments().is_err());
    let numbers: Vec<u64> = message.odd.iter().map(|(event, _)| *event).collect();
    assert_eq!(numbers, [2, 4, 5, 6, 7, 9]);
    assert_eq!(message.odd_count, 6);
}

#[test]
fn a_stream_of_something_else_is_no_message() {
    let mut message = Assembly::default();
    for data in ["hello", "42", "{\"type\":\"tick\"}", "", "null"] {
        message.push(&event(data), None);
    }
    assert_eq!(
        (message.shape, message.odd_count, message.parts.len()),
        (None, 0, 0)
    );
}

#[test]
fn a_hostile_number_of_parts_ends_somewhere() {
    let mut message = Assembly::default();
    for index in 0..3000 {
        let data = json!({"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": "x"}});
        message.push(&event(&data.to_string()), None);
    }
    assert_eq!(message.parts.len(), 1024);
    assert_eq!((message.odd_count, message.odd.len()), (3000 - 1024, 50));
}
