//! The decoder table: header blocks, bodies and chunkings as adapters and strangers send them.

// suite: T1 asked 82 present 63

mod properties;

use std::time::Duration;

use futures_util::StreamExt;
use tokio::io::AsyncWriteExt;
use tokio_util::codec::FramedRead;

use super::*;
use crate::message::Message;

/// A frame everybody understands, to see whether the decoder still does.
pub const GOOD: &str = r#"{"seq":9,"type":"event","event":"good"}"#;

pub fn frame(content: &str) -> Vec<u8> {
    encode_frame(content.as_bytes()).to_vec()
}

/// What a decoder makes of `pieces`, until it fails or the stream ends.
pub fn decode(mut codec: DapCodec, pieces: &[&[u8]]) -> (Vec<Item>, Option<CodecError>) {
    let mut buffer = BytesMut::new();
    let mut items = Vec::new();
    for piece in pieces {
        buffer.extend_from_slice(piece);
        loop {
            match codec.decode(&mut buffer) {
                Ok(Some(item)) => items.push(item),
                Ok(None) => break,
                Err(error) => return (items, Some(error)),
            }
        }
    }
    loop {
        match codec.decode_eof(&mut buffer) {
            Ok(Some(item)) => items.push(item),
            Ok(None) => return (items, None),
            Err(error) => return (items, Some(error)),
        }
    }
}

pub fn frames(items: &[Item]) -> Vec<String> {
    let content = |item: &Item| match item {
        Item::Frame(frame) => Some(String::from_utf8_lossy(&frame.bytes).into_owned()),
        Item::Noise(_) => None,
    };
    items.iter().filter_map(content).collect()
}

fn noises(items: &[Item]) -> Vec<&str> {
    items
        .iter()
        .filter_map(|item| {
            if let Item::Noise(text) = item {
                Some(text.as_str())
            } else {
                None
            }
        })
        .collect()
}

/// A header block before the content `{}`; `true` where the mode takes it as a frame.
const HEADERS: &[(&str, &str, bool, bool)] = &[
    ("plain", "Content-Length: 2\r\n\r\n", true, true),
    ("lower case", "content-length: 2\r\n\r\n", true, true),
    ("upper case", "CONTENT-LENGTH: 2\r\n\r\n", true, true),
    ("mixed case", "cOnTeNt-LeNgTh: 2\r\n\r\n", true, true),
    ("LF only", "Content-Length: 2\n\n", true, false),
    ("mixed line ends", "Content-Length: 2\r\n\n", true, false),
    ("no space", "Content-Length:2\r\n\r\n", true, true),
    (
        "tab and spaces around the value",
        "Content-Length:\t 2 \t\r\n\r\n",
        true,
        true,
    ),
    (
        "space before the colon",
        "Content-Length : 2\r\n\r\n",
        true,
        false,
    ),
    (
        "content type after",
        "Content-Length: 2\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n",
        true,
        true,
    ),
    (
        "content type before",
        "Content-Type: x\r\nContent-Length: 2\r\n\r\n",
        true,
        true,
    ),
    (
        "unknown header after",
        "Content-Length: 2\r\nX-Frame: 1\r\n\r\n",
        true,
        false,
    ),
    (
        "unknown header before",
        "X-Frame: 1\r\nContent-Length: 2\r\n\r\n",
        true,
        false,
    ),
    (
        "the same length twice",
        "Content-Length: 2\r\nContent-Length: 2\r\n\r\n",
        true,
        true,
    ),
    (
        "two lengths",
        "Content-Length: 2\r\nContent-Length: 3\r\n\r\n",
        false,
        false,
    ),
    (
        "folded header",
        "Content-Length: 2\r\nContent-Type: a\r\n b\r\n\r\n",
        true,
        false,
    ),
    (
        "value on the next line",
        "Content-Length:\r\n 2\r\n\r\n",
        false,
        false,
    ),
    ("no length", "Content-Type: x\r\n\r\n", false, false),
    ("empty length", "Content-Length: \r\n\r\n", false, false),
    ("negative", "Content-Length: -2\r\n\r\n", false, false),
    ("plus", "Content-Length: +2\r\n\r\n", false, false),
    ("hexadecimal", "Content-Length: 0x2\r\n\r\n", false, false),
    ("fraction", "Content-Length: 2.0\r\n\r\n", false, false),
    (
        "leading zeros",
        "Content-Length: 00000000000000000002\r\n\r\n",
        true,
        true,
    ),
    (
        "more than 64 bits",
        "Content-Length: 99999999999999999999\r\n\r\n",
        false,
        false,
    ),
    (
        "text after the number",
        "Content-Length: 2 bytes\r\n\r\n",
        false,
        false,
    ),
    (
        "digits of another script",
        "Content-Length: ٢\r\n\r\n",
        false,
        false,
    ),
    (
        "NUL in the name",
        "Content\0-Length: 2\r\n\r\n",
        false,
        false,
    ),
    (
        "byte order mark",
        "\u{feff}Content-Length: 2\r\n\r\n",
        true,
        false,
    ),
    (
        "banner before",
        "Listening…\nready> Content-Length: 2\r\n\r\n",
        true,
        false,
    ),
    (
        "blank lines before",
        "\r\n\r\nContent-Length: 2\r\n\r\n",
        true,
        false,
    ),
    (
        "HTTP request line",
        "POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n",
        true,
        false,
    ),
];

#[test]
fn header_table() {
    for (name, header, client_takes, server_takes) in HEADERS {
        let bytes = [header.as_bytes(), b"{}", &frame(GOOD)].concat();
        let (items, error) = decode(DapCodec::client(), &[&bytes]);
        assert!(error.is_none(), "{name}: {error:?}");
        let expected: &[&str] = if *client_takes {
            &["{}", GOOD]
        } else {
            &[GOOD]
        };
        assert_eq!(frames(&items), expected, "{name}: client");

        let (items, error) = decode(DapCodec::server(), &[&bytes]);
        let expected: &[&str] = if *server_takes { &["{}", GOOD] } else { &[] };
        assert_eq!(frames(&items), expected, "{name}: server, {error:?}");
        assert_eq!(error.is_none(), *server_takes, "{name}: server, {error:?}");
    }
}

#[test]
fn header_limits() {
    let lines = |count: usize| {
        format!(
            "Content-Length: 2\r\n{}\r\n{{}}",
            "Content-Type: x\r\n".repeat(count - 1)
        )
    };
    let padded = |size: usize| format!("Content-Length: 2{}\r\n\r\n{{}}", " ".repeat(size));
    let cases = [
        ("32 lines", lines(32), true),
        ("33 lines", lines(33), false),
        ("a line of 9 KiB", padded(9 << 10), true),
        ("a line of 17 KiB", padded(17 << 10), false),
    ];
    for (name, bytes, taken) in cases {
        let bytes = [bytes.as_bytes(), &frame(GOOD)].concat();
        let (items, error) = decode(DapCodec::client(), &[&bytes]);
        assert!(error.is_none(), "{name}: {error:?}");
        assert_eq!(
            frames(&items).len(),
            1 + usize::from(taken),
            "{name}: client"
        );
        assert_eq!(
            frames(&items).last().map(String::as_str),
            Some(GOOD),
            "{name}: client"
        );
        let (items, error) = decode(DapCodec::server(), &[&bytes]);
        assert_eq!(error.is_none(), taken, "{name}: server");
        assert_eq!(
            frames(&items).len(),
            2 * usize::from(taken),
            "{name}: server"
        );
    }
}

/// What a body is taken for: `r`equest, response (`a`nswer), `e`vent, or `-` for noise; then `request_seq` or `seq`.
const BODIES: &[(&str, &str, char, i64)] = &[
    ("empty", "", '-', 0),
    ("one byte", "{", '-', 0),
    ("not JSON", "hello", '-', 0),
    ("array", "[1,2]", '-', 0),
    ("scalar", "5", '-', 0),
    ("null", "null", '-', 0),
    ("cut", r#"{"seq":1,"type":"event","event":"#, '-', 0),
    (
        "bytes after",
        r#"{"seq":1,"type":"event","event":"x"} {"#,
        '-',
        0,
    ),
    (
        "blank around",
        " {\"seq\":1,\"type\":\"event\",\"event\":\"x\"}\n",
        'e',
        1,
    ),
    (
        "byte order mark",
        "\u{feff}{\"seq\":1,\"type\":\"event\",\"event\":\"x\"}",
        'e',
        1,
    ),
    (
        "half a surrogate pair",
        r#"{"seq":1,"type":"event","event":"x\ud800","body":"\udfff"}"#,
        'e',
        1,
    ),
    (
        "NUL escape",
        r#"{"seq":1,"type":"event","event":"x\u0000"}"#,
        'e',
        1,
    ),
    (
        "raw NUL",
        "{\"seq\":1,\"type\":\"event\",\"event\":\"x\0\"}",
        '-',
        0,
    ),
    (
        "duplicate keys",
        r#"{"seq":1,"seq":2,"type":"event","event":"x"}"#,
        'e',
        2,
    ),
    (
        "huge seq",
        r#"{"seq":99999999999999999999999,"type":"event","event":"x"}"#,
        'e',
        0,
    ),
    (
        "float seq",
        r#"{"seq":3.0,"type":"event","event":"x"}"#,
        'e',
        3,
    ),
    (
        "text seq",
        r#"{"seq":"4","type":"event","event":"x"}"#,
        'e',
        4,
    ),
    (
        "negative seq",
        r#"{"seq":-5,"type":"event","event":"x"}"#,
        'e',
        -5,
    ),
    ("no seq", r#"{"type":"event","event":"x"}"#, 'e', 0),
    ("no type, an event", r#"{"seq":1,"event":"x"}"#, 'e', 1),
    (
        "no type, a response",
        r#"{"seq":1,"request_seq":6,"success":true}"#,
        'a',
        6,
    ),
    ("no type, nothing else", r#"{"seq":1}"#, '-', 0),
    (
        "unknown type",
        r#"{"seq":1,"type":"news","event":"x"}"#,
        '-',
        0,
    ),
    (
        "null type",
        r#"{"seq":1,"type":null,"command":"x"}"#,
        'r',
        1,
    ),
    (
        "response without request_seq",
        r#"{"seq":1,"type":"response","success":true}"#,
        '-',
        0,
    ),
    (
        "text request_seq",
        r#"{"type":"response","request_seq":"7","success":true,"command":"x"}"#,
        'a',
        7,
    ),
    (
        "response without success",
        r#"{"type":"response","request_seq":8}"#,
        'a',
        8,
    ),
    (
        "response with nulls",
        r#"{"type":"response","request_seq":8,"success":true,"message":null,"body":null}"#,
        'a',
        8,
    ),
    (
        "event without name",
        r#"{"type":"event","body":{}}"#,
        '-',
        0,
    ),
    (
        "event without body",
        r#"{"seq":1,"type":"event","event":"x"}"#,
        'e',
        1,
    ),
    (
        "extra fields",
        r#"{"seq":1,"type":"request","command":"x","jsonrpc":"2.0","id":[{}]}"#,
        'r',
        1,
    ),
];

#[test]
fn body_table() {
    for (name, body, kind, number) in BODIES {
        let (items, error) = decode(DapCodec::client(), &[&frame(body), &frame(GOOD)]);
        assert!(error.is_none(), "{name}: {error:?}");
        let frames = frames(&items);
        assert_eq!(frames, [*body, GOOD], "{name}");
        let read = match Message::parse(frames[0].as_bytes()) {
            Ok(Message::Request(request)) => ('r', request.seq),
            Ok(Message::Response(response)) => ('a', response.request_seq),
            Ok(Message::Event(event)) => ('e', event.seq),
            Err(error) => {
                assert!(error.contains("it sent `"), "{name}: {error}");
                ('-', 0)
            }
        };
        assert_eq!(read, (*kind, *number), "{name}");
    }
}

#[test]
fn text_that_is_not_utf8_costs_its_characters() {
    let Ok(Message::Event(event)) = Message::parse(b"{\"type\":\"event\",\"event\":\"caf\xe9\"}")
    else {
        panic!("lost")
    };
    assert_eq!(event.event, "caf\u{fffd}");
}

#[test]
fn a_length_in_characters_loses_one_message_only() {
    let content = r#"{"type":"event","event":"ééé"}"#;
    let wrong = format!(
        "Content-Length: {}\r\n\r\n{content}",
        content.chars().count()
    );
    let (items, error) = decode(DapCodec::client(), &[wrong.as_bytes(), &frame(GOOD)]);
    assert!(error.is_none());
    assert_eq!(frames(&items).last().map(String::as_str), Some(GOOD));
}

#[test]
fn the_cap_holds_and_announcing_costs_nothing() {
    for codec in [DapCodec::client, DapCodec::server] {
        let mut buffer = BytesMut::from(format!("Content-Length: {MAX_BODY}\r\n\r\n").as_bytes());
        let mut at_cap = codec();
        assert!(matches!(at_cap.decode(&mut buffer), Ok(None)));
        assert!(
            buffer.capacity() < 1024,
            "announcing allocated {} bytes",
            buffer.capacity()
        );

        let (_, error) = decode(
            codec(),
            &[format!("Content-Length: {}\r\n\r\n", MAX_BODY + 1).as_bytes()],
        );
        assert!(
            matches!(error, Some(CodecError::TooLarge { announced, .. }) if announced == MAX_BODY as u64 + 1)
        );
    }
    let body = vec![b' '; MAX_BODY];
    let (items, error) = decode(
        DapCodec::client(),
        &[
            format!("Content-Length: {MAX_BODY}\r\n\r\n").as_bytes(),
            &body,
        ],
    );
    assert!(error.is_none());
    assert!(matches!(items.as_slice(), [Item::Frame(frame)] if frame.bytes.len() == MAX_BODY));
}

#[test]
fn junk_is_told_once_and_bounded() {
    let bytes = [
        b"Starting up\nWarning: old\n".as_slice(),
        &frame(GOOD),
        b"\n\n",
        &frame(GOOD),
        b"bye",
    ]
    .concat();
    let (items, error) = decode(DapCodec::client(), &[&bytes]);
    assert!(error.is_none());
    assert_eq!(frames(&items), [GOOD, GOOD]);
    assert_eq!(noises(&items), ["Starting up\nWarning: old", "bye"]);

    let long = [vec![b'x'; 20 << 10], frame(GOOD)].concat();
    let (items, _) = decode(DapCodec::client(), &[&long]);
    assert_eq!(frames(&items), [GOOD], "a frame on the line of long junk");
    assert!(noises(&items)[0].ends_with("… (12288 more bytes)"));

    let (_, error) = decode(DapCodec::client(), &[&vec![b'x'; MAX_JUNK + GLUED + 2]]);
    assert!(matches!(error, Some(CodecError::OnlyJunk { .. })));
    let (_, error) = decode(DapCodec::client(), &[&"x\n".repeat(MAX_JUNK).into_bytes()]);
    assert!(matches!(error, Some(CodecError::OnlyJunk { .. })));
}

#[test]
fn every_chunking_gives_the_same() {
    let content = r#"{"type":"event","event":"output","body":{"output":"é€😀"}}"#;
    let one = frame(content);
    let many: Vec<u8> = one.repeat(1000);
    let header = one.len() - content.len();
    let euro = one
        .windows(3)
        .position(|bytes| bytes == "€".as_bytes())
        .unwrap();
    let cuts: Vec<Vec<&[u8]>> = vec![
        one.chunks(1).collect(),
        vec![&one[..header - 3], &one[header - 3..]],
        vec![&one[..header - 1], &one[header - 1..]],
        vec![&one[..header], &one[header..]],
        vec![&one[..=euro], &one[euro + 1..]],
        vec![&one[..5], &one[5..one.len() - 1], &one[one.len() - 1..]],
    ];
    for pieces in cuts {
        let (items, error) = decode(DapCodec::server(), &pieces);
        assert!(error.is_none());
        assert_eq!(frames(&items), [content]);
    }
    for size in [many.len(), 2 * one.len(), 64 << 10, 7] {
        let (items, error) = decode(DapCodec::server(), &many.chunks(size).collect::<Vec<_>>());
        assert!(error.is_none());
        assert_eq!(frames(&items).len(), 1000);
    }
    let large = format!(r#"{{"type":"event","event":"{}"}}"#, "x".repeat(10 << 20));
    let (items, _) = decode(
        DapCodec::server(),
        &frame(&large).chunks(64 << 10).collect::<Vec<_>>(),
    );
    assert_eq!(frames(&items), [large]);
}

#[test]
fn ends_of_the_stream() {
    let good = frame(GOOD);
    let (items, error) = decode(DapCodec::client(), &[&good, &good[..good.len() - 4]]);
    assert_eq!(frames(&items), [GOOD]);
    let announced = GOOD.len();
    assert!(
        matches!(error, Some(CodecError::Cut { received, announced: a }) if a == announced && received == a - 4)
    );
    let (items, error) = decode(DapCodec::client(), &[&good, b"Content-Length: 5\r\n"]);
    assert!(error.is_none());
    assert_eq!(noises(&items), ["Content-Length: 5"]);
    let (_, error) = decode(DapCodec::server(), &[&good, b"Content-Length: 5\r\n"]);
    assert!(matches!(error, Some(CodecError::BadHeader { .. })));
    let (items, error) = decode(DapCodec::server(), &[&good]);
    assert!(error.is_none());
    assert_eq!(items.len(), 1);
}

#[tokio::test]
async fn a_slow_drip_through_a_pipe() {
    let (mut adapter, ours) = tokio::io::duplex(3);
    let writer = base::tasks::spawn(async move {
        for byte in frame(GOOD).repeat(3) {
            adapter.write_all(&[byte]).await.unwrap();
        }
    });
    let reading = FramedRead::new(ours, DapCodec::client()).collect::<Vec<_>>();
    let items = tokio::time::timeout(Duration::from_secs(10), reading)
        .await
        .unwrap();
    writer.await.unwrap();
    assert_eq!(items.len(), 3);
}

#[test]
fn the_encoder_writes_what_the_decoder_reads() {
    let mut bytes = BytesMut::new();
    for content in ["", "{}", "é", GOOD] {
        DapCodec::server()
            .encode(Bytes::from_static(content.as_bytes()), &mut bytes)
            .unwrap();
    }
    assert!(bytes.starts_with(
        b"Content-Length: 0\r\n\r\nContent-Length: 2\r\n\r\n{}Content-Length: 2\r\n\r\n\xc3\xa9"
    ));
    let (items, error) = decode(DapCodec::server(), &[&bytes]);
    assert!(error.is_none());
    assert_eq!(frames(&items), ["", "{}", "é", GOOD]);
}

#[test]
fn the_suite_holds_what_its_head_says() {
    let source = include_str!("tests.rs");
    crate::suite::assert_present(source, "T1", HEADERS.len() + BODIES.len());
}
