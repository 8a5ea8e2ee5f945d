//! Events that are too long to keep: descriptions of tools are shortened first, and then the middle is left out.
//!
//! The limits, the marks and the order are those of omp, so that its `raw-sse.txt` and ours read the same.

use std::fmt::Write as _;

use serde_json::Value;

/// Most characters of one event.
pub const MOST: usize = 64_000;
/// Room for the marks.
const RESERVE: usize = 200;
/// What is left of a tool's schema, and how long a line must be to be looked into.
const SHORT: usize = 200;

const MARK: &str = ": omp-debug-truncated originalChars=";

/// UTF-16 units, and one for the end of each line.
pub fn chars(text: &str) -> usize {
    text.lines().map(|line| units(line) + 1).sum()
}

fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

/// The length that the mark of a trimmed event tells.
pub fn told(raw: &[u8]) -> Option<u64> {
    let raw = raw.trim_ascii_end();
    let start = memchr::memrchr2(b'\n', b'\r', raw).map_or(0, |at| at + 1);
    let line = std::str::from_utf8(raw.get(start..)?).ok()?;
    line.strip_prefix(MARK)?.parse().ok()
}

/// The event's lines without what is too much, and how long they were; nothing when they are short enough.
pub fn event(text: &str) -> Option<(String, u64)> {
    // A byte is at least a character.
    if text.len() <= MOST {
        return None;
    }
    let length = chars(text);
    if length <= MOST {
        return None;
    }
    let mut kept: String = text
        .lines()
        .flat_map(|line| {
            [
                compact(line).unwrap_or_else(|| line.to_owned()),
                "\n".to_owned(),
            ]
        })
        .collect();
    if chars(&kept) > MOST - RESERVE {
        kept = without_middle(&kept);
    }
    // Writing to a String cannot fail.
    let _ = writeln!(kept, "{MARK}{length}");
    Some((kept, length as u64))
}

/// The beginning of a text that is no event.
pub fn foreign(text: &str) -> Option<(String, u64)> {
    let length = chars(text);
    (length > MOST).then(|| (format!("{}…", head(text, MOST - 1)), length as u64))
}

/// A `data` line with shorter descriptions of tools.
fn compact(line: &str) -> Option<String> {
    let data = line.strip_prefix("data:")?.trim_start();
    if data.len() <= SHORT {
        return None;
    }
    let mut value = serde_json::from_str(data).ok()?;
    shorten_tools(&mut value).then(|| format!("data: {value}"))
}

/// Goes through everything; serde lets no value be nested deeply.
fn shorten_tools(value: &mut Value) -> bool {
    match value {
        Value::Array(items) => items
            .iter_mut()
            .fold(false, |any, item| shorten_tools(item) | any),
        Value::Object(members) => {
            let mut any = false;
            for (name, member) in members.iter_mut() {
                any |= match member {
                    Value::Array(tools) if name == "tools" => tools
                        .iter_mut()
                        .fold(false, |any, tool| shorten_tool(tool) | any),
                    other => shorten_tools(other),
                };
            }
            any
        }
        _ => false,
    }
}

fn shorten_tool(tool: &mut Value) -> bool {
    let Value::Object(members) = tool else {
        return false;
    };
    let mut any = false;
    for (name, member) in members.iter_mut() {
        let text = match (name.as_str(), &*member) {
            ("function", _) => {
                any |= shorten_tool(member);
                continue;
            }
            ("parameters" | "input_schema", schema) => schema.to_string(),
            ("description", Value::String(text)) => text.clone(),
            _ => continue,
        };
        let more = units(&text).saturating_sub(SHORT);
        if more > 0 {
            *member = Value::String(format!("{}… (+{more} chars)", head(&text, SHORT)));
            any = true;
        }
    }
    any
}

/// Half of what may stay from the beginning, half from the end, in whole lines where that is possible.
fn without_middle(text: &str) -> String {
    let half = (MOST - RESERVE) / 2;
    let mut front = fitting(text.lines(), half, |line, room| {
        format!("{}…", head(line, room))
    });
    front.push(String::new());
    let mut back = fitting(text.lines().rev(), half, |line, room| {
        format!("…{}", tail(line, room))
    });
    back.reverse();
    let (front, back) = (front.join("\n"), back.join("\n"));
    let gone = chars(text).saturating_sub(chars(&front) + chars(&back));
    format!("{front}: omp-debug-elided chars={gone}\n{back}\n")
}

/// The lines that fit into so many units, the last of them cut.
fn fitting<'t>(
    lines: impl Iterator<Item = &'t str>,
    mut room: usize,
    cut: impl Fn(&str, usize) -> String,
) -> Vec<String> {
    let mut kept = Vec::new();
    for line in lines {
        let length = units(line) + 1;
        if length > room {
            if room > 2 {
                kept.push(cut(line, room - 2));
            }
            break;
        }
        room -= length;
        kept.push(line.to_owned());
    }
    kept
}

/// At most so many units from the beginning.
fn head(text: &str, most: usize) -> &str {
    let mut used = 0;
    let end = text.char_indices().find(|(_, c)| {
        used += c.len_utf16();
        used > most
    });
    end.and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

/// At most so many units from the end.
fn tail(text: &str, most: usize) -> &str {
    let mut used = 0;
    let start = text.char_indices().rev().find(|(_, c)| {
        used += c.len_utf16();
        used > most
    });
    start
        .and_then(|(at, c)| text.get(at + c.len_utf8()..))
        .unwrap_or(text)
}
