//! What other recorders wrote: claude-trace's pairs of a request and its response, one a line, and mitmproxy's flows.
//!
//! Both keep a stream as one body, so that it is known when it began and not when each event came. A flow whose body mitmproxy
//! streamed has none; that is told. HAR files are read in `capture`.

use super::decode::Decoder;
use crate::sse::prelude::*;

/// Most levels of what is nested in a flow.
const DEPTH: usize = 32;

fn foreign(text: &str, reason: &str) -> Item {
    Item::Foreign(Foreign::new(text, reason))
}

/// A body that came whole.
fn body(bytes: &[u8], response: Response, sink: &mut impl FnMut(Item)) {
    let is_stream = response.content_type().as_deref() == Some("text/event-stream");
    let decoder = Decoder::of(response.header("content-encoding").unwrap_or(""));
    sink(Item::Response(response));
    if bytes.is_empty() {
        sink(foreign("", "the recording has no body for it"));
        return;
    }
    // Most recorders decode what they keep and leave the header as it was.
    let mut plain = Vec::new();
    let is_plain = decoder
        .ok()
        .is_some_and(|mut d| d.push(bytes, &mut |b| plain.extend_from_slice(b)).is_ok());
    let bytes = if is_plain { plain.as_slice() } else { bytes };
    if !is_stream {
        sink(foreign(
            &String::from_utf8_lossy(bytes),
            "it is no event stream",
        ));
        return;
    }
    Event::all_of(bytes, &mut |event| sink(Item::Event(event, None)));
}

/// Whether a line is one of claude-trace's.
pub fn is_pair(value: &Value) -> bool {
    value.pointer("/request/url").is_some_and(Value::is_string)
        && value
            .pointer("/request/method")
            .is_some_and(Value::is_string)
        && value.get("response").is_some()
}

/// A request and its response.
pub fn pair(value: &Value, sink: &mut impl FnMut(Item)) {
    let text = |pointer: &str| value.pointer(pointer).and_then(Value::as_str);
    let headers = |pointer: &str| -> Vec<(String, String)> {
        let map = value.pointer(pointer).and_then(Value::as_object);
        map.into_iter()
            .flatten()
            .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
            .collect()
    };
    // Seconds since 1970.
    let time = |pointer: &str| {
        let seconds = value.pointer(pointer).and_then(Value::as_f64)?;
        Some((seconds * 1000.0) as i64)
    };
    let started = time("/request/timestamp");
    let method = text("/request/method").unwrap_or_default();
    let url = text("/request/url").unwrap_or_default();
    let response = Response {
        started,
        first_byte: time("/response/timestamp").and_then(|at| at.checked_sub(started?)),
        request: Some(format!("{method} {url}")),
        request_headers: headers("/request/headers"),
        status: value
            .pointer("/response/status_code")
            .and_then(Value::as_u64)
            .and_then(|status| status.try_into().ok()),
        headers: headers("/response/headers"),
        model: text("/request/body/model").map(str::to_owned),
        ..Response::default()
    };
    if value.get("response").is_some_and(Value::is_null) {
        sink(Item::Response(response));
        sink(foreign("", "there was no answer"));
        return;
    }
    match (text("/response/body_raw"), value.pointer("/response/body")) {
        (Some(raw), _) => body(raw.as_bytes(), response, sink),
        (None, Some(json)) if !json.is_null() => {
            body(json.to_string().as_bytes(), response, sink);
        }
        _ => body(b"", response, sink),
    }
}

/// A value of mitmproxy's netstrings with types.
#[derive(Debug)]
enum Net<'b> {
    Bytes(&'b [u8]),
    Number(f64),
    List(Vec<Self>),
    Map(Vec<(&'b [u8], Self)>),
    Other,
}

impl<'b> Net<'b> {
    fn get(&self, name: &str) -> Option<&Self> {
        let Self::Map(members) = self else {
            return None;
        };
        let (_, value) = members
            .iter()
            .find(|(known, _)| *known == name.as_bytes())?;
        Some(value)
    }

    fn bytes(&self, name: &str) -> Option<&'b [u8]> {
        match self.get(name)? {
            Self::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }

    fn text(&self, name: &str) -> Option<String> {
        Some(String::from_utf8_lossy(self.bytes(name)?).into_owned())
    }

    fn number(&self, name: &str) -> Option<f64> {
        match self.get(name)? {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    fn headers(&self) -> Vec<(String, String)> {
        let Some(Self::List(headers)) = self.get("headers") else {
            return Vec::new();
        };
        headers
            .iter()
            .filter_map(|header| {
                let Self::List(pair) = header else {
                    return None;
                };
                let [Self::Bytes(name), Self::Bytes(value)] = pair.as_slice() else {
                    return None;
                };
                Some((
                    String::from_utf8_lossy(name).into_owned(),
                    String::from_utf8_lossy(value).into_owned(),
                ))
            })
            .collect()
    }
}

/// The value at the beginning, and what is behind it.
fn netstring(bytes: &[u8], depth: usize) -> Option<(Net<'_>, &[u8])> {
    let colon = bytes.iter().take(12).position(|byte| *byte == b':')?;
    let length: usize = std::str::from_utf8(bytes.get(..colon)?)
        .ok()?
        .parse()
        .ok()?;
    let from = colon + 1;
    let to = from.checked_add(length)?;
    let payload = bytes.get(from..to)?;
    let rest = bytes.get(to + 1..)?;
    let value = match bytes.get(to)? {
        b',' | b';' => Net::Bytes(payload),
        b'#' | b'^' => Net::Number(std::str::from_utf8(payload).ok()?.parse().ok()?),
        b'!' | b'~' => Net::Other,
        b']' | b'}' if depth == 0 => return None,
        b']' => Net::List(items(payload, depth)?),
        b'}' => {
            let mut items = items(payload, depth)?.into_iter();
            let mut members = Vec::new();
            while let Some(name) = items.next() {
                let Net::Bytes(name) = name else {
                    return None;
                };
                members.push((name, items.next()?));
            }
            Net::Map(members)
        }
        _ => return None,
    };
    Some((value, rest))
}

fn items(mut bytes: &[u8], depth: usize) -> Option<Vec<Net<'_>>> {
    let mut items = Vec::new();
    while !bytes.is_empty() {
        let (item, rest) = netstring(bytes, depth - 1)?;
        items.push(item);
        bytes = rest;
    }
    Some(items)
}

/// Whether bytes may begin a file of flows: a length, and the length of its first member's name.
pub fn may_be_flows(bytes: &[u8]) -> bool {
    let Some(colon) = bytes.iter().take(12).position(|byte| *byte == b':') else {
        return false;
    };
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    let (before, behind) = (bytes.get(..colon), bytes.get(colon + 1));
    colon > 0
        && before.is_some_and(|digits| digits.iter().all(is_digit))
        && behind.is_some_and(is_digit)
}

/// The streams of a file of flows; whether it is one.
pub fn flows(mut bytes: &[u8], sink: &mut impl FnMut(Item)) -> bool {
    let mut found = false;
    while !bytes.is_empty() {
        let Some((flow, rest)) = netstring(bytes, DEPTH) else {
            if found {
                sink(foreign("", "the file of flows ends in the middle of one"));
            }
            return found;
        };
        if flow.get("type").is_none() {
            return found;
        }
        found = true;
        bytes = rest;
        let (Some(request), Some(answer)) = (flow.get("request"), flow.get("response")) else {
            continue;
        };
        let time = |of: &Net<'_>| Some((of.number("timestamp_start")? * 1000.0) as i64);
        let started = time(request);
        let port = request.number("port").unwrap_or(0.0) as u16;
        let scheme = request.text("scheme").unwrap_or_default();
        let port = match (scheme.as_str(), port) {
            ("http", 80) | ("https", 443) => String::new(),
            (_, port) => format!(":{port}"),
        };
        let response = Response {
            started,
            first_byte: time(answer).and_then(|at| at.checked_sub(started?)),
            request: Some(format!(
                "{} {scheme}://{}{port}{}",
                request.text("method").unwrap_or_default(),
                request.text("host").unwrap_or_default(),
                request.text("path").unwrap_or_default(),
            )),
            request_headers: request.headers(),
            request_bytes: request.bytes("content").map(|body| body.len() as u64),
            status: answer.number("status_code").map(|status| status as u16),
            headers: answer.headers(),
            ..Response::default()
        };
        if response.content_type().as_deref() == Some("text/event-stream") {
            body(answer.bytes("content").unwrap_or_default(), response, sink);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sse::Source;
    use crate::sse::parser::Parser;
    use serde_json::json;

    fn items(bytes: &[u8], cut: usize) -> Vec<Item> {
        let mut found = Vec::new();
        let mut source = Source::default();
        for piece in bytes.chunks(cut) {
            source.push(piece, None, &mut |item| found.push(item));
        }
        source.finish(None, &mut |item| found.push(item));
        found
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

    #[test]
    fn pairs_of_claude_trace_are_read() {
        let line = json!({
            "request": {
                "timestamp": 1_700_000_000.5, "method": "POST", "url": "https://api.anthropic.com/v1/messages",
                "headers": {"x-api-key": "k"}, "body": {"model": "m"},
            },
            "response": {
                "timestamp": 1_700_000_001.0, "status_code": 200,
                "headers": {"content-type": "text/event-stream", "content-encoding": "gzip"},
                "body_raw": "data: 1\n\ndata: 2\n\n",
            },
            "logged_at": "2023-11-14T22:13:21Z",
        });
        let orphan = json!({"request": {"method": "GET", "url": "https://h/"}, "response": null});
        let text = format!("{line}\n{orphan}\n");
        for cut in [1, 7, 4096] {
            let found = items(text.as_bytes(), cut);
            assert_eq!(data(&found), ["1", "2"]);
            let Some(Item::Response(response)) = found.first() else {
                panic!("{found:?}");
            };
            assert_eq!(response.first_byte, Some(500));
            assert_eq!(response.model.as_deref(), Some("m"));
            assert!(
                matches!(found.last(), Some(Item::Foreign(f)) if f.reason == "there was no answer")
            );
        }
    }

    fn net(kind: char, payload: &[u8]) -> Vec<u8> {
        let mut out = format!("{}:", payload.len()).into_bytes();
        out.extend_from_slice(payload);
        out.push(kind as u8);
        out
    }

    fn map(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
        let members: Vec<u8> = members
            .iter()
            .flat_map(|(name, value)| [net(';', name.as_bytes()), value.clone()].concat())
            .collect();
        net('}', &members)
    }

    fn flow(content: &[u8]) -> Vec<u8> {
        let header = net(
            ']',
            &[net(',', b"Content-Type"), net(',', b"text/event-stream")].concat(),
        );
        map(&[
            ("version", net('#', b"21")),
            ("type", net(';', b"http")),
            (
                "request",
                map(&[
                    ("method", net(',', b"POST")),
                    ("scheme", net(',', b"https")),
                    ("host", net(';', b"h")),
                    ("port", net('#', b"443")),
                    ("path", net(',', b"/v1")),
                    ("timestamp_start", net('^', b"10.25")),
                ]),
            ),
            (
                "response",
                map(&[
                    ("status_code", net('#', b"200")),
                    ("headers", net(']', &header)),
                    ("content", net(',', content)),
                    ("timestamp_start", net('^', b"10.5")),
                ]),
            ),
            ("error", net('~', b"")),
        ])
    }

    #[test]
    fn flows_of_mitmproxy_are_read() {
        let mut file = [flow(b"data: 1\n\n"), flow(b"")].concat();
        for cut in [1, 7, 4096] {
            let found = items(&file, cut);
            assert_eq!(data(&found), ["1"]);
            let Some(Item::Response(response)) = found.first() else {
                panic!("{found:?}");
            };
            assert_eq!(response.request.as_deref(), Some("POST https://h/v1"));
            assert_eq!(
                (response.status, response.first_byte),
                (Some(200), Some(250))
            );
            assert!(matches!(found.last(), Some(Item::Foreign(f)) if f.reason.contains("no body")));
        }
        file.truncate(file.len() - 3);
        assert!(
            matches!(items(&file, 64).last(), Some(Item::Foreign(f)) if f.reason.contains("in the middle"))
        );
        // What only begins like one is what it is.
        let mut frames = 0;
        Parser::default().push(b"12:3\n\n", &mut |_| frames += 1);
        assert_eq!(items(b"12:3\n\n", 64).len(), frames);
    }

    #[test]
    fn times_too_far_apart_have_no_length() {
        let pair = json!({
            "request": {"timestamp": -1e17, "method": "GET", "url": "https://h/"},
            "response": {"timestamp": 1e17},
        });
        let flow = String::from_utf8(flow(b"data: 1\n\n")).unwrap();
        // As long as what they stand for, so that the lengths stay right.
        let flow = flow.replace("10.25", "-1e17").replace("10.5", "1e17");
        for text in [format!("{pair}\n"), flow] {
            let found = items(text.as_bytes(), 64);
            let Some(Item::Response(response)) = found.first() else {
                panic!("{found:?}");
            };
            assert_eq!(
                (response.started, response.first_byte),
                (Some(i64::MIN), None)
            );
        }
    }

    #[test]
    fn what_is_nested_without_end_is_no_flow() {
        let mut deep = net('~', b"");
        for _ in 0..100 {
            deep = net(']', &deep);
        }
        assert!(netstring(&deep, DEPTH).is_none());
        assert!(netstring(b"99999999999:x,", DEPTH).is_none());
        assert!(netstring(b"18446744073709551615:x,", DEPTH).is_none());
    }
}
