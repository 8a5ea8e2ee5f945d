//! What an event of a known provider adds, in a few words: the piece of text rather than the JSON around it.

use serde_json::Value;

/// Longer data is not looked into for a row.
const MOST: usize = 8 * 1024;

/// The piece that an event adds to its message, in quotes; nothing when it adds none.
pub fn of(data: &str) -> Option<String> {
    if data.len() > MOST || !data.starts_with('{') {
        return None;
    }
    let value: Value = serde_json::from_str(data).ok()?;
    let piece = POINTERS
        .iter()
        .find_map(|pointer| value.pointer(pointer)?.as_str())
        .filter(|piece| !piece.is_empty())?;
    Some(Value::from(piece).to_string())
}

/// Where the four interfaces put it.
const POINTERS: &[&str] = &[
    "/delta/text",
    "/delta/thinking",
    "/delta/partial_json",
    "/delta/stop_reason",
    "/content_block/name",
    "/choices/0/delta/content",
    "/choices/0/delta/reasoning_content",
    "/choices/0/delta/tool_calls/0/function/arguments",
    "/choices/0/finish_reason",
    "/delta",
    "/candidates/0/content/parts/0/text",
    "/response/candidates/0/content/parts/0/text",
    "/error/message",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_piece_is_found_wherever_a_provider_puts_it() {
        for (data, piece) in [
            (
                r#"{"type":"content_block_delta","delta":{"type":"text_delta","text":"Hi\n"}}"#,
                Some(r#""Hi\n""#),
            ),
            (r#"{"choices":[{"delta":{"content":"a"}}]}"#, Some("\"a\"")),
            (
                r#"{"type":"response.output_text.delta","delta":"b"}"#,
                Some("\"b\""),
            ),
            (
                r#"{"candidates":[{"content":{"parts":[{"text":"c"}]}}]}"#,
                Some("\"c\""),
            ),
            (r#"{"type":"ping"}"#, None),
            ("[DONE]", None),
        ] {
            assert_eq!(of(data).as_deref(), piece, "{data}");
        }
    }
}
