//! The beginning of a line of JSON, read without reading the rest: what an index of gigabytes needs.

use super::{record::Level, time::time_at_start};

/// What the first members of a line say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Quick {
    pub time: Option<i64>,
    pub level: Option<Level>,
    pub pid: Option<u32>,
}

/// The minute of the last time that was read. Lines stand in the order of time as a rule: of most times only the seconds need to be read.
#[derive(Debug, Default)]
pub struct Minute {
    /// `2026-08-21T14:03:`
    text: [u8; 17],
    /// `+02:00` or `Z`, and how long it is; nothing as long as nothing was read.
    zone: [u8; 6],
    zone_length: usize,
    /// When it began, in milliseconds since 1970.
    began: i64,
}

impl Minute {
    /// As [`time_at_start`].
    fn time(&mut self, value: &[u8]) -> Option<(i64, usize)> {
        let within = within(value);
        let zone = self.zone.get(..self.zone_length).unwrap_or_default();
        if let Some((text, milliseconds, rest)) = within
            && *text == self.text
            && !zone.is_empty()
            && rest.strip_prefix(zone).and_then(<[u8]>::first) == Some(&b'"')
        {
            return Some((self.began + milliseconds, 23 + zone.len()));
        }
        let (time, length) = time_at_start(value)?;
        if let Some((text, milliseconds, rest)) = within
            && let Some(zone) = length.checked_sub(23).and_then(|zone| rest.get(..zone))
            && let Some(place) = self.zone.get_mut(..zone.len())
        {
            place.copy_from_slice(zone);
            self.zone_length = zone.len();
            self.text = *text;
            self.began = time - milliseconds;
        }
        Some((time, length))
    }
}

/// A time with three digits behind its seconds: up to the minute, the milliseconds in it, and what follows.
fn within(value: &[u8]) -> Option<(&[u8; 17], i64, &[u8])> {
    let (text, rest) = value.split_first_chunk::<17>()?;
    let (seconds, rest) = rest.split_first_chunk::<6>()?;
    let [s1, s2, b'.', m1, m2, m3] = seconds else {
        return None;
    };
    let digit = |byte: &u8| byte.is_ascii_digit().then(|| i64::from(byte - b'0'));
    let second = digit(s1)? * 10 + digit(s2)?;
    let milliseconds = digit(m1)? * 100 + digit(m2)? * 10 + digit(m3)?;
    // A fourth digit, or a second that is none, is read in full.
    (second < 60 && !rest.first().is_some_and(u8::is_ascii_digit)).then_some((
        text,
        second * 1000 + milliseconds,
        rest,
    ))
}

/// Reads a line that begins with `timestamp`, `level` and `pid` in any order, as omp writes it. Nothing when it does not: then the whole of
/// it must be read. Whether the rest is sound JSON is not looked at, only that it ends as an object does.
pub fn quick(line: &[u8], minute: &mut Minute) -> Option<Quick> {
    let line = line.trim_ascii_end();
    if line.last() != Some(&b'}') {
        return None;
    }
    let mut rest = line.strip_prefix(b"{")?;
    let mut found = Quick::default();
    for _ in 0..3 {
        rest = rest.strip_prefix(b"\"")?;
        if let Some(value) = rest.strip_prefix(b"timestamp\":\"") {
            let (time, length) = minute.time(value)?;
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
                quick(line.as_bytes(), &mut Minute::default()).unwrap(),
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
            assert_eq!(
                quick(line.as_bytes(), &mut Minute::default()),
                None,
                "{line}"
            );
        }
    }

    #[test]
    fn times_of_one_minute_are_read_like_all_others() {
        let mut minute = Minute::default();
        for time in [
            "2026-08-21T14:03:22.118+02:00",
            "2026-08-21T14:03:23.000+02:00",
            "2026-08-21T14:03:59.999+02:00",
            "2026-08-21T14:03:59.9999+02:00",
            "2026-08-21T14:03:01.5+02:00",
            "2026-08-21T14:03:02+02:00",
            "2026-08-21T14:03:02.118+03:00",
            "2026-08-21T14:03:02.119Z",
            "2026-08-21T14:03:02.120Z",
            "2026-08-21T14:03:60.120Z",
            "2026-08-21T14:04:02.120Z",
            "2026-08-21T14:04:02.12xZ",
            "2026-08-21T14:04:02.120",
            "2026-08-21T14:04:03.120",
        ] {
            let value = format!("{time}\",");
            assert_eq!(
                minute.time(value.as_bytes()),
                time_at_start(value.as_bytes()),
                "{time}"
            );
        }
    }
}
