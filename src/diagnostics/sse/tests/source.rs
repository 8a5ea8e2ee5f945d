//! What bytes are found to be.

use pretty_assertions::assert_eq;
use serde_json::json;

use super::super::{Item, Response, Ring, Source};

fn items(bytes: &[u8], size: usize) -> Vec<Item> {
    let mut source = Source::default();
    let mut items = Vec::new();
    for piece in bytes.chunks(size) {
        source.push(piece, None, &mut |item| items.push(item));
    }
    source.finish(None, &mut |item| items.push(item));
    items
}

/// The same in one piece, in bytes and in odd pieces.
fn read(text: &str) -> Vec<Item> {
    let whole = items(text.as_bytes(), usize::MAX);
    for size in [1, 7] {
        assert_eq!(items(text.as_bytes(), size), whole, "in pieces of {size}");
    }
    // Whose each one is matters where there are several.
    let is_item = |item: &Item| !matches!(item, Item::Of(_));
    whole.into_iter().filter(is_item).collect()
}

fn data(items: &[Item]) -> Vec<&str> {
    items
        .iter()
        .filter_map(|item| match item {
            Item::Event(event, _) => event.data.as_deref(),
            _ => None,
        })
        .collect()
}

fn responses(items: &[Item]) -> Vec<&Response> {
    items
        .iter()
        .filter_map(|item| match item {
            Item::Response(response) => Some(response),
            _ => None,
        })
        .collect()
}

#[test]
fn a_bare_stream_and_one_behind_a_head() {
    assert_eq!(data(&read("data: 1\n\ndata: 2\n\n")), ["1", "2"]);
    let found = read(
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/2 200 \r\ncontent-type: text/event-stream\r\nx-request-id: r1\r\n\r\n{\"data\": no field\ndata: 1\n\n",
    );
    let heads = responses(&found);
    assert_eq!(
        heads.iter().map(|r| r.status).collect::<Vec<_>>(),
        [Some(100), Some(200)]
    );
    assert_eq!(heads[1].header("X-Request-Id"), Some("r1"));
    assert_eq!(data(&found), ["1"]);
}

#[test]
fn errors_and_pages_are_told_as_what_they_are() {
    let cases = [
        (
            "{\"type\":\"error\",\n\"error\":{}}",
            "it is JSON and no event stream",
        ),
        ("{\"error\":1}", "it is JSON and no event stream"),
        (
            "\n <!doctype html><p>sign in",
            "it is a page and no event stream",
        ),
        ("{broken", "it is no event stream"),
        (
            "HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/plain\r\nRetry-After: 3\r\n\r\nupstream died",
            "it is no event stream",
        ),
    ];
    for (text, expected) in cases {
        let found = read(text);
        match found.last() {
            Some(Item::Foreign(foreign)) => {
                assert_eq!(foreign.reason, expected);
                assert!(text.ends_with(&foreign.text));
            }
            other => panic!("{text}: {other:?}"),
        }
        assert_eq!(data(&found), Vec::<&str>::new());
    }
}

#[test]
fn nothing_is_nothing() {
    assert_eq!(read(""), []);
    assert_eq!(read("\r\n\n"), []);
}

#[test]
fn a_har_file_gives_its_streams_only() {
    let har = json!({"log": {"version": "1.2", "entries": [
        {"request": {"method": "GET", "url": "https://api.test/page"},
         "response": {"status": 200, "headers": [], "content": {"mimeType": "text/html", "text": "data: no\n\n"}}},
        {"startedDateTime": "2026-08-21T14:03:22.000Z",
         "timings": {"blocked": 2.0, "dns": -1, "connect": 10.0, "send": 0.5, "wait": 100.0, "receive": 9},
         "request": {"method": "POST", "url": "https://api.test/v1"},
         "response": {"status": 200, "headers": [{"name": "Content-Type", "value": "text/event-stream; charset=utf-8"}],
                      "content": {"mimeType": "text/event-stream", "text": "data: plain\n\n"}}},
        {"response": {"status": 200, "headers": [],
                      "content": {"mimeType": "text/event-stream", "encoding": "base64", "text": "ZGF0YTogY29kZWQKCg=="}}},
        {"response": {"status": 200, "headers": [],
                      "content": {"mimeType": "text/event-stream", "encoding": "base64", "text": "%%%"}}},
    ]}});
    for text in [har.to_string(), serde_json::to_string_pretty(&har).unwrap()] {
        let found = read(&text);
        assert_eq!(data(&found), ["plain", "coded"]);
        let heads = responses(&found);
        assert_eq!(heads.len(), 3);
        assert_eq!(
            heads[0].request.as_deref(),
            Some("POST https://api.test/v1")
        );
        assert_eq!(heads[0].first_byte, Some(112));
        assert_eq!(heads[0].started, Some(1_787_321_002_000));
        assert!(matches!(found.last(), Some(Item::Foreign(f)) if f.reason.contains("base64")));
    }
}

#[test]
fn our_own_capture_comes_back_as_it_was() {
    let mut ring = Ring::default();
    let mut lines = String::new();
    let source = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n: ping\n\nevent: e\r\ndata: é\u{1b}[2J\ndata: 2\nid: 4\nretry: 5\n\ndata: half";
    let record = |ring: &mut Ring, item| match item {
        Item::Response(response) => ring.begin(response, Some(1000)),
        Item::Event(event, _) => ring.event(event, Some(2000)),
        Item::Foreign(foreign) => ring.foreign(foreign, None),
        other => panic!("{other:?}"),
    };
    for item in read(source) {
        let record = record(&mut ring, item);
        lines.push_str(&record.to_json().to_string());
        lines.push('\n');
    }
    let mut again = Ring::default();
    for item in read(&lines) {
        record(&mut again, item);
    }
    assert_eq!(ring.records().len(), 4);
    for (ours, theirs) in ring.records().zip(again.records()) {
        assert_eq!(ours.what, theirs.what);
    }
    // A line that is broken is told, and the others are read.
    let broken = lines.replacen("{\"complete\"", "{\"comp", 1);
    assert_ne!(broken, lines);
    let found = read(&broken);
    assert_eq!(found.len(), 4);
    let odd = found.iter().filter(|item| matches!(item, Item::Foreign(f) if f.reason.starts_with("it is no line of a capture")));
    assert_eq!(odd.count(), 1);
}

#[test]
fn what_a_recording_lost_is_told() {
    let found = read(
        ": omp-debug-dropped records=3 chars=999\n\n: omp-response status=200\n\ndata: x\n\n: omp-response is also a comment\ndata: y\n\n",
    );
    assert!(matches!(found[0], Item::Dropped(d) if (d.records, d.chars) == (3, 999)));
    assert_eq!(responses(&found).len(), 1);
    assert_eq!(data(&found), ["x", "y"]);
}
