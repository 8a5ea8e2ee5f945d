//! Limits, counters and marks.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::super::{Event, RecordKind, Response, Ring, Source, parser::Parser};

fn event_of(lines: &str) -> Event {
    let mut found = None;
    let mut parser = Parser::default();
    parser.push(format!("{lines}\n\n").as_bytes(), &mut |frame| {
        found = Some(Event::of(frame));
    });
    found.expect("a whole frame")
}

/// The records as `omp-debug sse --print` prints them.
fn text_of(ring: &Ring) -> String {
    let texts = ring.records().map(|record| record.text().into_owned());
    let blocks = texts.map(|text| format!("{}\n\n", text.trim_end_matches(['\n', '\r'])));
    blocks.collect()
}

fn kept(record: &super::super::Record) -> &Event {
    match &record.what {
        RecordKind::Event(event) => event,
        other => panic!("no event: {other:?}"),
    }
}

#[test]
fn a_thousand_records_stay_and_all_events_are_counted() {
    let mut ring = Ring::default();
    for number in 0..1003 {
        ring.event(event_of(&format!("data: {number:04}")), None);
    }
    assert_eq!((ring.total_events, ring.records().len()), (1003, 1000));
    // `data: 0000`, the end of the line, and one for the record.
    let dropped = ring.dropped;
    assert_eq!((dropped.records, dropped.chars), (3, 3 * 12));
    let first = ring.records().next().unwrap();
    assert_eq!(
        (first.sequence, kept(first).data.as_deref()),
        (4, Some("0003"))
    );
    assert!(text_of(&ring).starts_with("data: 0003\n\ndata: 0004\n\n"));
}

#[test]
fn characters_are_limited_before_records_are() {
    let mut ring = Ring::default();
    // UTF-16 units count: two for each.
    let line = format!("data: {}", "😀".repeat(25_000));
    for _ in 0..11 {
        ring.event(event_of(&line), None);
    }
    let each = 6 + 50_000 + 2;
    let fit = 512_000 / each;
    assert_eq!(ring.records().len(), fit);
    assert_eq!(ring.total_events, 11);
    assert_eq!(ring.dropped.chars, ((11 - fit) * each) as u64);
    assert!(
        ring.records()
            .all(|record| kept(record).original_chars.is_none())
    );
}

#[test]
fn an_event_that_is_too_long_keeps_both_ends_and_says_so() {
    let mut ring = Ring::default();
    let body = format!("BEGIN{}END", "x".repeat(100_000));
    let record = ring.event(event_of(&format!("event: e\nid: 9\ndata: {body}")), None);
    let event = kept(&record);
    let length = 9 + 6 + 6 + body.len() as u64 + 1;
    assert_eq!(event.original_chars, Some(length));
    assert_eq!(
        (event.event.as_deref(), event.id.as_deref()),
        (Some("e"), Some("9"))
    );
    let text = event.text();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(
        lines.last(),
        Some(&format!(": omp-debug-truncated originalChars={length}").as_str())
    );
    assert!(lines[2].starts_with("data: BEGINxxx") && lines[2].ends_with('…'));
    assert!(lines[3].starts_with(": omp-debug-elided chars="));
    assert!(lines[4].starts_with("…xxx") && lines[4].ends_with("xEND"));
    assert!((63_000..=64_000).contains(&text.encode_utf16().count()));
    assert!(
        event.data.as_deref().unwrap().starts_with("BEGINxxx"),
        "the data is what is left of it"
    );
    // 64,000 are not too many.
    let exact = ring.event(event_of(&format!("data: {}", "x".repeat(64_000 - 7))), None);
    assert_eq!(kept(&exact).original_chars, None);
}

#[test]
fn descriptions_of_tools_are_shortened_first() {
    let tools: Vec<Value> = (0..20)
        .map(|n| json!({"name": format!("tool{n}"), "description": "d".repeat(5_000), "input_schema": {"type": "object", "about": "s".repeat(2_000)}}))
        .collect();
    let payload = json!({"type": "response.create", "input": "keep me", "tools": tools});
    let record = Ring::default().event(event_of(&format!("data: {payload}")), None);
    let text = kept(&record).text();
    let (data, mark) = text.trim_end().split_once('\n').unwrap();
    assert!(
        mark.starts_with(": omp-debug-truncated originalChars="),
        "{mark}"
    );
    let value: Value = serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
    assert_eq!(value["input"], "keep me");
    assert_eq!(value["tools"][19]["name"], "tool19");
    assert_eq!(
        value["tools"][0]["description"],
        format!("{}… (+4800 chars)", "d".repeat(200))
    );
    assert!(
        value["tools"][0]["input_schema"]
            .as_str()
            .unwrap()
            .ends_with(" chars)")
    );
}

#[test]
fn records_belong_to_the_response_they_came_in() {
    let mut ring = Ring::default();
    ring.event(event_of("data: before"), None);
    let model = |model: &str| Response {
        model: Some(model.to_owned()),
        status: Some(200),
        ..Response::default()
    };
    ring.begin(model("a"), Some(5));
    ring.event(event_of("data: a"), Some(6));
    ring.begin(model("b"), Some(7));
    ring.event(event_of("data: b"), None);
    let seen: Vec<_> = ring
        .records()
        .map(|r| {
            (
                r.sequence,
                r.response.number,
                r.response.model.as_deref(),
                r.time,
            )
        })
        .collect();
    assert_eq!(
        seen,
        [
            (1, 1, None, None),
            (2, 2, Some("a"), Some(5)),
            (3, 2, Some("a"), Some(6)),
            (4, 3, Some("b"), Some(7)),
            (5, 3, Some("b"), None),
        ]
    );
    assert_eq!(ring.total_events, 3, "responses are no events");
}

#[test]
fn what_is_written_as_text_is_read_again() {
    let mut ring = Ring::default();
    let response = Response {
        started: Some(1_787_321_002_118),
        status: Some(200),
        provider: Some("anthropic".to_owned()),
        model: Some("a model with spaces".to_owned()),
        api: Some("anthropic-messages".to_owned()),
        request_id: Some("req_1".to_owned()),
        transport: Some("http".to_owned()),
        ..Response::default()
    };
    ring.begin(response, None);
    ring.event(event_of("event: ping\ndata: {}"), None);
    ring.event(event_of(&format!("data: {}", "x".repeat(70_000))), None);
    ring.event(event_of(": only a comment"), None);
    let text = text_of(&ring);
    assert!(text.starts_with(": omp-response ts=2026-08-21T14:03:22.118Z status=200 provider=anthropic model=a model with spaces api=anthropic-messages requestId=req_1 transport=http\n\nevent: ping\ndata: {}\n\n"));
    let mut again = Ring::default();
    let mut source = Source::default();
    let mut take = |item| {
        match item {
            super::super::Item::Response(response) => again.begin(response, None),
            super::super::Item::Event(event, time) => again.event(event, time),
            other => panic!("{other:?}"),
        };
    };
    source.push(text.as_bytes(), None, &mut take);
    source.finish(None, &mut take);
    assert_eq!(text_of(&again), text);
    let both: Vec<_> = again.records().zip(ring.records()).collect();
    assert_eq!(both.len(), 4);
    assert!(both.iter().all(|(a, b)| a.response == b.response));
    assert_eq!(
        kept(both[2].0).original_chars,
        kept(both[2].1).original_chars
    );
}
