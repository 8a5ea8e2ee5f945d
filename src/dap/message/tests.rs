//! Messages as adapters write them.

use serde_json::json;

use super::*;

fn response(text: &str) -> Response {
    match Message::parse(text.as_bytes()) {
        Ok(Message::Response(response)) => response,
        other => panic!("not a response: {other:?}"),
    }
}

#[test]
fn failures_speak_in_the_adapters_words() {
    let cases = [
        (json!({"message": "no"}), "no"),
        (
            json!({"body": {"error": {"format": "cannot {what}", "variables": {"what": "jump"}}}}),
            "cannot jump",
        ),
        (
            json!({"message": "Failed", "body": {"error": {"format": "no symbol"}}}),
            "Failed: no symbol",
        ),
        (
            json!({"message": "Unable", "body": {"error": {"format": "Unable to do it"}}}),
            "Unable to do it",
        ),
        (
            json!({"body": {"error": {"format": "{x} {", "variables": {"y": 1}}}}),
            "{x} {",
        ),
        (
            json!({"message": "", "body": {"error": {"format": ""}}}),
            "the adapter refused goto without saying why",
        ),
        (
            json!({"message": null, "body": []}),
            "the adapter refused goto without saying why",
        ),
    ];
    for (mut fields, expected) in cases {
        let envelope =
            json!({"type": "response", "request_seq": 1, "success": false, "command": "goto"});
        fields
            .as_object_mut()
            .unwrap()
            .extend(envelope.as_object().unwrap().clone());
        assert_eq!(response(&fields.to_string()).error_text(), expected);
    }
}

#[test]
fn half_a_surrogate_pair_costs_one_character() {
    let text = r#"{"type":"event","event":"output","body":{"output":"a\ud83d\\ud83d\ud83d\ude00\udc00z"}}"#;
    let Ok(Message::Event(event)) = Message::parse(text.as_bytes()) else {
        panic!("lost")
    };
    let output: types::OutputEvent = event.body.parse().unwrap();
    assert_eq!(output.output, "a\u{fffd}\\ud83d\u{1f600}\u{fffd}z");
}

#[test]
fn our_error_text_comes_back_unchanged() {
    let request = Request {
        seq: 7,
        command: "runInTerminal".into(),
        arguments: Body::default(),
    };
    let frame = encode_response(
        1,
        request.seq,
        &request.command,
        Err("no {tty} here".into()),
    );
    let answer = response(std::str::from_utf8(&frame).unwrap());
    assert_eq!((answer.request_seq, answer.success), (7, false));
    assert_eq!(answer.error_text(), "no {tty} here");
}

#[test]
fn a_deep_body_is_carried_and_refused_only_when_typed() {
    let deep = format!(
        "{{\"type\":\"event\",\"event\":\"x\",\"body\":{}{}}}",
        "[".repeat(10_000),
        "]".repeat(10_000)
    );
    let Ok(Message::Event(event)) = Message::parse(deep.as_bytes()) else {
        panic!("lost")
    };
    assert_eq!(event.body.raw().len(), 20_000);
    assert_eq!(event.body.value(), Value::Null);
    assert!(
        event
            .body
            .parse::<types::OutputEvent>()
            .unwrap_err()
            .contains("OutputEvent")
    );
}
