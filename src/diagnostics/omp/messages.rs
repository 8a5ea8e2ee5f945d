//! What omp's log messages that have a form of their own say, in a sentence.

use std::fmt::Write as _;

use serde_json::{Map, Value};

type Reads = fn(&Map<String, Value>) -> Option<String>;

/// How the messages begin that are put in words.
pub const KNOWN: [&str; 3] = [
    "ui.loop-blocked",
    "agent turn ended with provider error",
    "DAP framing resync",
];
const READ: [Reads; KNOWN.len()] = [loop_blocked, provider_error, framing];

/// A sentence for a message that is one of the known ones; nothing for all others. The members of its line are asked for only then.
pub fn in_words(message: &str, members: impl FnOnce() -> Map<String, Value>) -> Option<String> {
    let mut known = KNOWN.iter().zip(READ);
    let (_, reads) = known.find(|(known, _)| message.starts_with(**known))?;
    reads(&members())
}

fn text<'a>(members: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    members.get(name)?.as_str().filter(|text| !text.is_empty())
}

fn loop_blocked(members: &Map<String, Value>) -> Option<String> {
    let blocked = members.get("blockedMs")?.as_f64()?;
    let mut said = format!("screen stood still for {blocked:.0} ms");
    if let Some(phase) = text(members, "phase") {
        let _ = write!(said, " in {phase}");
    }
    if let Some(busy) = members.get("cpuMs").and_then(Value::as_f64) {
        let _ = write!(said, ", {busy:.0} ms of it busy");
    }
    Some(said)
}

fn provider_error(members: &Map<String, Value>) -> Option<String> {
    let error = text(members, "errorMessage");
    let status = members.get("errorStatus").and_then(Value::as_i64);
    if error.is_none() && status.is_none() {
        return None;
    }
    let from: Vec<&str> = ["provider", "model"]
        .into_iter()
        .filter_map(|name| text(members, name))
        .collect();
    let mut said = if from.is_empty() {
        "provider error".to_owned()
    } else {
        format!("provider error of {}", from.join("/"))
    };
    if let Some(status) = status {
        let _ = write!(said, " {status}");
    }
    if let Some(error) = error {
        said += ": ";
        said += error.lines().next().unwrap_or_default();
    }
    Some(said)
}

fn framing(members: &Map<String, Value>) -> Option<String> {
    let adapter = text(members, "adapter")?;
    Some(format!(
        "debug adapter {adapter} sent something that is not a DAP message"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(line: &str) -> Option<String> {
        let value: Value = serde_json::from_str(line).unwrap();
        let members = value.as_object().unwrap().clone();
        in_words(value["message"].as_str().unwrap(), || members)
    }

    #[test]
    fn known_messages_are_put_in_words() {
        assert_eq!(
            said(r#"{"message":"ui.loop-blocked","blockedMs":412.3,"cpuMs":380,"phase":"render"}"#)
                .unwrap(),
            "screen stood still for 412 ms in render, 380 ms of it busy"
        );
        assert_eq!(
            said(r#"{"message":"agent turn ended with provider error","provider":"p","model":"m","errorStatus":529,"errorMessage":"overloaded\nx"}"#)
                .unwrap(),
            "provider error of p/m 529: overloaded"
        );
        for line in [
            r#"{"message":"ui.loop-blocked","blockedMs":"long"}"#,
            r#"{"message":"agent turn ended with provider error"}"#,
            r#"{"message":"another","blockedMs":1}"#,
        ] {
            assert_eq!(said(line), None, "{line}");
        }
    }
}
