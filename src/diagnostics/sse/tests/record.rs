//! Responses, and secrets in what came.

use base::text::redact::Redactor;
use pretty_assertions::assert_eq;

use super::super::{Event, Response, parser::Parser};

fn event(lines: &str) -> Event {
    let mut found = None;
    let mut parser = Parser::default();
    parser.push(lines.as_bytes(), &mut |frame| {
        found = Some(Event::of(frame));
    });
    found.expect("a whole frame")
}

#[test]
fn the_media_type_is_known_by_any_spelling_of_the_header() {
    let response = Response {
        headers: vec![(
            "Content-TYPE".to_owned(),
            "Text/Event-Stream; charset=utf-8".to_owned(),
        )],
        ..Response::default()
    };
    assert_eq!(
        response.content_type().as_deref(),
        Some("text/event-stream")
    );
    assert_eq!(Response::default().content_type(), None);
}

#[test]
fn secrets_leave_headers_and_urls_and_the_rest_stays() {
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let mut response = Response {
        request: Some(
            "POST https://ada:hunter22@api.test/v1?key=AIzaSyA1234567890abcdefghijklmnopqrstuv"
                .to_owned(),
        ),
        headers: vec![
            pair("set-cookie", "session=0123456789abcdef; Path=/"),
            pair("anthropic-ratelimit-tokens-remaining", "99000"),
            pair("x-api-key", "plain-looking-value-4711"),
        ],
        ..Response::default()
    };
    response.redact(&Redactor::new());
    let request = response.request.as_deref().unwrap();
    assert!(
        !request.contains("hunter22") && !request.contains("AIza"),
        "{request}"
    );
    assert!(!response.headers[0].1.contains("0123456789abcdef"));
    assert_eq!(response.headers[1].1, "99000");
    assert!(!response.headers[2].1.contains("4711"));
}

#[test]
fn a_private_key_in_many_data_lines_is_taken_out_of_data_and_lines() {
    let secret = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
    let mut event = event(&format!(
        "event: e\r\ndata: -----BEGIN PRIVATE KEY-----\r\ndata: {secret}\r\ndata: -----END PRIVATE KEY-----\r\nid: 7\r\n\r\n"
    ));
    assert!(event.data.as_deref().unwrap().contains(secret));
    event.redact(&Redactor::new());
    assert!(!event.data.as_deref().unwrap().contains(secret));
    let text = event.text();
    assert!(!text.contains(secret), "{text}");
    assert!(
        text.starts_with("event: e\ndata: ") && text.ends_with("\nid: 7\n"),
        "{text}"
    );
}

#[test]
fn what_holds_no_secret_keeps_its_bytes() {
    let mut event = event("data: {\"usage\":{\"input_tokens\":4711}}\r\n: ping\r\n\r\n");
    let before = event.clone();
    event.redact(&Redactor::new());
    assert_eq!(event, before);
}
