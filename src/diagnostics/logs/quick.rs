//! The beginning of a line of JSON, read without reading the rest: what an index of gigabytes needs.

use super::record::Level;
use super::time::time_at_start;

/// What the first members of a line say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Quick {
    pub(super) time: Option<i64>,
    pub(super) level: Option<Level>,
    pub(super) pid: Option<u32>,
}

/// Reads a line that begins with `timestamp`, `level` and `pid` in any order, as omp writes it. Nothing when it does not: then the whole of
/// it must be read. Whether the rest is sound JSON is not looked at, only that it ends as an object does.
pub(super) fn quick(line: &[u8]) -> Option<Quick> {
    let line = line.trim_ascii_end();
    if line.last() != Some(&b'}') {
        return None;
    }
    let mut rest = line.strip_prefix(b"{")?;
    let mut found = Quick::default();
    for _ in 0..3 {
        rest = rest.strip_prefix(b"\"")?;
        if let Some(value) = rest.strip_prefix(b"timestamp\":\"") {
            let (time, length) = time_at_start(value)?;
            found.time = Some(time);
            rest = value.get(length..)?.strip_prefix(b"\"")?;
        } else if let Some(value) = rest.strip_prefix(b"level\":\"") {
            let length = value.iter().take(16).position(|b| *b == b'"')?;
            found.level = Some(level(value.get(..length)?)?);
            rest = value.get(length + 1..)?;
        } else if let Some(value) = rest.strip_prefix(b"pid\":") {
            let mut pid: u32 = 0;
            let mut length = 0;
            for digit in value.iter().take_while(|b| b.is_ascii_digit()) {
                pid = pid.checked_mul(10)?.checked_add(u32::from(digit - b'0'))?;
                length += 1;
            }
            found.pid = Some(pid).filter(|pid| *pid > 0);
            found.pid?;
            rest = value.get(length..)?;
        } else {
            return None;
        }
        if found.time.is_some() && found.level.is_some() && found.pid.is_some() {
            return matches!(rest.first(), Some(b',' | b'}')).then_some(found);
        }
        rest = rest.strip_prefix(b",")?;
    }
    None
}

fn level(name: &[u8]) -> Option<Level> {
    match name {
        b"info" => Some(Level::Info),
        b"debug" => Some(Level::Debug),
        b"warn" => Some(Level::Warn),
        b"error" => Some(Level::Error),
        other => Level::parse(std::str::from_utf8(other).ok()?),
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::json_head;
    use super::*;

    #[test]
    fn what_is_read_quickly_is_what_is_read_in_full() {
        for line in [
            r#"{"timestamp":"2026-08-21T14:03:22.118+02:00","level":"warn","pid":12,"message":"a","x":{"y":9}}"#,
            r#"{"pid":12,"level":"WARNING","timestamp":"2026-08-21T14:03:22Z"}"#,
        ] {
            let (quick, head) = (
                quick(line.as_bytes()).unwrap(),
                json_head(line.as_bytes()).unwrap(),
            );
            assert_eq!(
                (quick.time, quick.level, quick.pid),
                (head.time, head.level, head.pid)
            );
        }
        for line in [
            r#"{"level":30,"time":1700000000000,"pid":7,"msg":"b"}"#,
            r#"{"timestamp":"2026-08-21T14:03:22Z","level":"info","pid":123"#,
            r#"{"timestamp":"2026-08-21T14:03:22Z","level":"info","pid":12.5}"#,
            r#"{"timestamp":"2026-08-21T14:03:22Z","level":"info","pid":"12"}"#,
            r#"{"timestamp":"x","level":"info","pid":12}"#,
            r#"{"pid":1,"pid":2,"pid":3}"#,
            "{}",
            "",
        ] {
            assert_eq!(quick(line.as_bytes()), None, "{line}");
        }
    }
}
