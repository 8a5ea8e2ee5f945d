//! The format's rules, one by one, at every cut, and against another parser.

// suite: T16 asked 130 present 25

use eventsource_stream::Eventsource as _;
use futures_util::{FutureExt as _, StreamExt as _};
use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::super::parser::{Frame, Parser};

/// All that a frame says.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Seen {
    raw: Vec<u8>,
    event: String,
    data: Option<String>,
    id: Option<Vec<u8>>,
    last_id: String,
    retry: Option<u64>,
    complete: bool,
    cut_from: Option<usize>,
}

impl Seen {
    fn of(frame: Frame<'_>) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self {
            raw: frame.raw.to_vec(),
            event: frame
                .event
                .filter(|name| !name.is_empty())
                .map_or_else(|| "message".to_owned(), text),
            data: frame.data.map(text),
            id: frame.id.map(<[u8]>::to_vec),
            last_id: text(frame.last_id),
            retry: frame.retry,
            complete: frame.complete,
            cut_from: frame.cut_from,
        }
    }
}

fn frames<'p>(limit: usize, pieces: impl IntoIterator<Item = &'p [u8]>) -> Vec<Seen> {
    let mut parser = Parser::with_limit(limit);
    let mut seen = Vec::new();
    for piece in pieces {
        parser.push(piece, &mut |frame| seen.push(Seen::of(frame)));
    }
    parser.finish(&mut |frame| seen.push(Seen::of(frame)));
    seen
}

/// The frames of a stream, after checking that every cut into two, into three and into bytes gives the same.
fn at_every_cut(limit: usize, stream: &[u8]) -> Vec<Seen> {
    let whole = frames(limit, [stream]);
    assert_eq!(frames(limit, stream.chunks(1)), whole, "byte by byte");
    for first in 0..=stream.len() {
        for second in first..=stream.len() {
            if stream.len() > 80 && second != first && second != first + 1 {
                continue;
            }
            let pieces = [&stream[..first], &stream[first..second], &stream[second..]];
            assert_eq!(frames(limit, pieces), whole, "cut at {first} and {second}");
        }
    }
    whole
}

/// Type, data and last event id of what a client dispatches.
type Event = (&'static str, &'static str, &'static str);

/// The format tests of the Web Platform Tests, and the rules of the standard that they leave out.
const CASES: &[(&str, &[u8], &[Event])] = &[
    (
        "format-bom",
        b"\xef\xbb\xbfdata:1\n\n\xef\xbb\xbfdata:2\n\ndata:3\n\n",
        &[("message", "1", ""), ("message", "3", "")],
    ),
    (
        "format-bom-2",
        b"\xef\xbb\xbf\xef\xbb\xbfdata:1\n\ndata:2\n\ndata:3\n\n",
        &[("message", "2", ""), ("message", "3", "")],
    ),
    (
        "half of a mark is no mark",
        b"\xef\xbbdata:1\n\ndata:2\n\n",
        &[("message", "2", "")],
    ),
    (
        "format-comments",
        b"data:1\r:\0\n:\r\ndata:2\n:xxxxxxxxxx\rdata:3\n:data:fail\r:yyyyyyyyyy\ndata:4\n\n",
        &[("message", "1\n2\n3\n4", "")],
    ),
    (
        "format-data-before-final-empty-line",
        b"retry:1000\ndata:test1\n\nid:test\ndata:test2",
        &[("message", "test1", "")],
    ),
    (
        "format-field-data",
        b"data:\n\ndata\ndata\n\ndata:test\n\n",
        &[
            ("message", "", ""),
            ("message", "\n", ""),
            ("message", "test", ""),
        ],
    ),
    (
        "format-field-event",
        b"event:test\ndata:x\n\ndata:x\n\n",
        &[("test", "x", ""), ("message", "x", "")],
    ),
    (
        "format-field-event-empty",
        b"event: \ndata:data\n\n",
        &[("message", "data", "")],
    ),
    (
        "the last event field counts",
        b"event:a\nevent:b\ndata:x\n\n",
        &[("b", "x", "")],
    ),
    (
        "an event without data is none",
        b"event:a\n\ndata:x\n\n",
        &[("message", "x", "")],
    ),
    (
        "format-field-id",
        b"id: 1\ndata:a\n\ndata:b\n\n",
        &[("message", "a", "1"), ("message", "b", "1")],
    ),
    (
        "format-field-id-2",
        b"id: 1\ndata:a\n\nid\ndata:b\n\ndata:c\n\n",
        &[
            ("message", "a", "1"),
            ("message", "b", ""),
            ("message", "c", ""),
        ],
    ),
    (
        "format-field-id-3",
        b"id: 1\ndata:a\n\nid:\ndata:b\n\n",
        &[("message", "a", "1"), ("message", "b", "")],
    ),
    (
        "format-field-id-null",
        b"id:1\ndata:a\n\nid:x\0y\ndata:b\n\n",
        &[("message", "a", "1"), ("message", "b", "1")],
    ),
    (
        "an id without data stays",
        b"id:7\n\ndata:x\n\n",
        &[("message", "x", "7")],
    ),
    (
        "format-field-parsing",
        b"data:\0\ndata:  2\rData:1\ndata\0:2\ndata:1\r\0data:4\nda-ta:3\rdata_5\ndata:3\rdata:\r\n data:32\ndata:4\n\n",
        &[("message", "\0\n 2\n1\n3\n\n4", "")],
    ),
    (
        "format-field-unknown",
        b"data:test\n data\ndata\nfoobar:xxx\njustsometext\n:thisisacommentyay\ndata:test\n\n",
        &[("message", "test\n\ntest", "")],
    ),
    (
        "format-leading-space",
        b"data:\ttest\rdata: \ndata:test\n\n",
        &[("message", "\ttest\n\ntest", "")],
    ),
    (
        "format-newlines",
        b"data:test\r\ndata\ndata:test\r\n\r",
        &[("message", "test\n\ntest", "")],
    ),
    (
        "format-null-character",
        b"data:\0\n\n\n\n",
        &[("message", "\0", "")],
    ),
    (
        "format-utf-8",
        "data:ok\u{2026}\n\n".as_bytes(),
        &[("message", "ok\u{2026}", "")],
    ),
    (
        "bytes that are no text",
        b"data:a\xffb\xe2\x82\n\n",
        &[("message", "a\u{fffd}b\u{fffd}", "")],
    ),
    (
        "ends of lines of all sorts between events",
        b"\r\n\n\rdata:1\r\r\n\ndata:2\r\n\r\n\r\ndata:3\n\r\ndata:4\r\r",
        &[
            ("message", "1", ""),
            ("message", "2", ""),
            ("message", "3", ""),
            ("message", "4", ""),
        ],
    ),
    ("nothing", b"", &[]),
    ("only comments", b": ping\n\n: ping\n\n", &[]),
];

#[test]
fn the_rules_of_the_format_hold_at_every_cut() {
    for (name, stream, expected) in CASES {
        let events: Vec<_> = at_every_cut(usize::MAX, stream)
            .into_iter()
            .filter(|frame| frame.complete)
            .filter_map(|frame| Some((frame.event, frame.data?, frame.last_id)))
            .collect();
        let expected: Vec<_> = expected
            .iter()
            .map(|(event, data, id)| ((*event).to_owned(), (*data).to_owned(), (*id).to_owned()))
            .collect();
        assert_eq!(events, expected, "{name}");
    }
}

#[test]
fn only_digits_are_a_time_to_wait() {
    let cases: &[(&[u8], Option<u64>)] = &[
        (b"retry:3000\ndata:x\n\n", Some(3000)),
        (b"retry: 010\ndata:x\n\n", Some(10)),
        (b"retry:3000\nretry:1000x\ndata:x\n\n", Some(3000)),
        (b"retry\ndata:x\n\n", None),
        (b"retry:\ndata:x\n\n", None),
        (b"retry:-1\ndata:x\n\n", None),
        (b"retry:99999999999999999999999\n\n", Some(u64::MAX)),
    ];
    for (stream, expected) in cases {
        let frames = at_every_cut(usize::MAX, stream);
        assert_eq!(
            frames[0].retry,
            *expected,
            "{:?}",
            String::from_utf8_lossy(stream)
        );
    }
}

#[test]
fn what_is_no_event_is_handed_out_with_its_bytes() {
    let frames = at_every_cut(
        usize::MAX,
        b": ping\r\n\r\nid: 4\ndata: a\n\nid: 5\nevent: e\ndata: half",
    );
    let raw: Vec<_> = frames
        .iter()
        .map(|f| String::from_utf8_lossy(&f.raw))
        .collect();
    assert_eq!(
        raw,
        [
            ": ping\r\n",
            "id: 4\ndata: a\n",
            "id: 5\nevent: e\ndata: half"
        ]
    );
    assert_eq!(frames[0].data, None);
    let last = &frames[2];
    assert!(!last.complete);
    assert_eq!(
        (last.event.as_str(), last.data.as_deref()),
        ("e", Some("half"))
    );
    assert_eq!(
        last.last_id, "4",
        "the id of an unfinished frame is not remembered"
    );
}

#[test]
fn a_frame_beyond_the_limit_keeps_its_beginning_and_tells_its_length() {
    let stream = b"event: e\r\ndata: 0123456789abcdef\r\nid: 1\r\n\r\ndata: next\n\n";
    let frames = at_every_cut(20, stream);
    assert_eq!(frames.len(), 2);
    assert_eq!(frames[0].raw, b"event: e\r\ndata: 0123");
    assert_eq!(
        (frames[0].event.as_str(), frames[0].data.as_deref()),
        ("e", Some("0123"))
    );
    assert_eq!((frames[0].cut_from, &frames[0].id), (Some(41), &None));
    assert_eq!(
        (frames[1].data.as_deref(), frames[1].cut_from),
        (Some("next"), None)
    );
    // One that never ends.
    let frames = at_every_cut(8, b"data: 0123456789\ndata: more\ndata: x");
    assert_eq!(frames.len(), 1);
    assert_eq!(
        (frames[0].data.as_deref(), frames[0].cut_from),
        (Some("01"), Some(35))
    );
    assert!(!frames[0].complete);
}

fn line() -> impl Strategy<Value = String> {
    let value = "[a-z :{}\"é€\t]{0,12}";
    prop_oneof![
        4 => value.prop_map(|v| format!("data: {v}")),
        1 => value.prop_map(|v| format!("data:{v}")),
        1 => Just("data".to_owned()),
        2 => "[a-z_]{1,8}".prop_map(|v| format!("event: {v}")),
        1 => "[a-z0-9]{1,4}".prop_map(|v| format!("id: {v}")),
        1 => "[0-9]{1,5}".prop_map(|v| format!("retry: {v}")),
        1 => value.prop_map(|v| format!(":{v}")),
        3 => Just(String::new()),
    ]
}

fn stream() -> impl Strategy<Value = String> {
    let end = prop_oneof![4 => Just("\n"), 1 => Just("\r\n")];
    prop::collection::vec((line(), end), 0..24).prop_map(|lines| {
        let mut text = String::new();
        for (line, end) in lines {
            text.push_str(&line);
            text.push_str(end);
        }
        text
    })
}

proptest! {
    #[test]
    fn another_parser_sees_the_same_events(text in stream(), cut in 1usize..9) {
        let pieces = text.as_bytes().chunks(cut).map(|p| Ok::<_, std::io::Error>(p.to_vec()));
        let others: Vec<_> = futures_util::stream::iter(pieces)
            .eventsource()
            .map(|event| event.unwrap())
            .map(|event| (event.event, event.data, event.id))
            .collect()
            .now_or_never()
            .unwrap();
        let ours: Vec<_> = frames(usize::MAX, text.as_bytes().chunks(cut))
            .into_iter()
            .filter(|frame| frame.complete)
            .filter_map(|frame| Some((frame.event, frame.data?, frame.last_id)))
            .collect();
        prop_assert_eq!(ours, others);
    }

    #[test]
    fn any_bytes_at_any_cut_give_the_same_frames(
        bytes in prop::collection::vec(prop_oneof![
            Just(b'\n'), Just(b'\r'), Just(b':'), Just(b' '), Just(b'd'), Just(0u8), Just(0xef), any::<u8>()
        ], 0..60),
        limit in 1usize..40,
    ) {
        at_every_cut(limit, &bytes);
    }
}

#[test]
fn the_suite_holds_what_its_head_says() {
    let source = include_str!("parser.rs");
    crate::suite::assert_present(source, "T16", CASES.len());
}
