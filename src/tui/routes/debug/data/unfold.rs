//! What is folded in a text, as a person would write it: JSON on lines of its own, the parts of a JSON Web Token, what Base64 stands
//! for, times in seconds since 1970.

use std::fmt::Write as _;

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use serde_json::Value;

/// Bytes of a text that is looked into.
const LONGEST: usize = 8 << 20;
/// Seconds since 1970 from which on a number may be a time, and up to which: 2001 and 2100.
const TIMES: std::ops::Range<i64> = 978_307_200..4_102_444_800;

/// The same unfolded; `None` where nothing is folded in it.
pub fn unfolded(text: &str) -> Option<String> {
    let text = text.trim();
    if text.is_empty() || text.len() > LONGEST {
        return None;
    }
    let ways = [json, time, token, base64];
    ways.iter().find_map(|way| way(text))
}

fn json(text: &str) -> Option<String> {
    if !text.starts_with(['{', '[']) {
        return None;
    }
    let value: Value = serde_json::from_str(text).ok()?;
    let pretty = serde_json::to_string_pretty(&value).ok()?;
    let mut out = String::with_capacity(pretty.len());
    for line in pretty.lines() {
        out.push_str(line);
        // A number that may be a time is followed by what time that is.
        let number = line
            .rsplit([' ', ':'])
            .next()
            .map(|n| n.trim_end_matches(','));
        if let Some(time) = number.and_then(time) {
            let _ = write!(out, "   # {time}");
        }
        out.push('\n');
    }
    Some(out)
}

fn time(text: &str) -> Option<String> {
    let number: i64 = text.parse().ok()?;
    let seconds = [1, 1_000, 1_000_000, 1_000_000_000]
        .into_iter()
        .map(|unit| number / unit);
    let seconds = seconds
        .into_iter()
        .find(|seconds| TIMES.contains(seconds))?;
    Some(jiff::Timestamp::from_second(seconds).ok()?.to_string())
}

fn token(text: &str) -> Option<String> {
    let mut parts = text.split('.');
    let (head, body, _signature) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() || !head.starts_with("eyJ") {
        return None;
    }
    let part = |text: &str| json(std::str::from_utf8(&URL_SAFE_NO_PAD.decode(text).ok()?).ok()?);
    Some(format!("{}\n{}", part(head)?, part(body)?))
}

fn base64(text: &str) -> Option<String> {
    if text.len() < 16 || text.contains(' ') {
        return None;
    }
    let compact: String = text.split_whitespace().collect();
    let bytes = STANDARD.decode(&compact).ok()?;
    let inside = String::from_utf8(bytes).ok()?;
    let is_text = !inside.contains(|c: char| c.is_control() && !c.is_whitespace());
    is_text.then(|| unfolded(&inside).unwrap_or(inside))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_folded_in_a_text_is_unfolded() {
        let json = unfolded(r#"{"at":1700000000,"b":[1,"x"]}"#).unwrap();
        assert!(
            json.contains("\"at\": 1700000000,   # 2023-11-14T22:13:20Z"),
            "{json}"
        );
        assert_eq!(unfolded("1700000000123").unwrap(), "2023-11-14T22:13:20Z");
        assert_eq!(
            unfolded(&STANDARD.encode("a text that is long")).unwrap(),
            "a text that is long"
        );
        let part = |text: &str| URL_SAFE_NO_PAD.encode(text);
        let token = format!(
            "{}.{}.sig",
            part(r#"{"alg":"HS256"}"#),
            part(r#"{"sub":"ada"}"#)
        );
        let token = unfolded(&token).unwrap();
        assert!(token.contains("HS256") && token.contains("ada"), "{token}");
        for plain in [
            "",
            "hello",
            "a b c",
            "12",
            "%%%",
            "<",
            "<a",
            "{not json",
            "://",
            "....",
            "=",
            "<>>",
        ] {
            let _ = unfolded(plain);
        }
        assert_eq!(unfolded("hello world"), None);
    }
}
