//! Ages and lengths of time as people read and write them.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base::text::amount::count;
use jiff::{Span, SpanRelativeTo, Unit};

const NANOS: i64 = 1_000_000_000;

/// Now, in nanoseconds since 1970.
pub fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |d| i64::try_from(d.as_nanos()).unwrap_or(i64::MAX))
}

/// How long before `now` something was, in one unit: `3 d`, `5 h`, `2 min`, `now`. Both in nanoseconds since 1970.
pub fn ago(then: i64, now: i64) -> String {
    let seconds = now.saturating_sub(then) / NANOS;
    match seconds {
        i64::MIN..0 => "ahead".to_owned(),
        0..60 => "now".to_owned(),
        60..3600 => format!("{} min", seconds / 60),
        3600..86_400 => format!("{} h", seconds / 3600),
        _ => format!("{} d", seconds / 86_400),
    }
}

/// A time for scripts, in UTC; nothing for what no calendar has.
pub fn stamp(nanos: i64) -> Option<String> {
    let time = jiff::Timestamp::from_nanosecond(nanos.into());
    time.ok().map(crate::logs::utc)
}

/// A time for people, local.
pub fn local(nanos: i64) -> String {
    let time = jiff::Timestamp::from_nanosecond(nanos.into()).ok();
    let time = time.map(|time| time.to_zoned(jiff::tz::TimeZone::system()));
    time.map(|t| t.strftime("%Y-%m-%d %H:%M").to_string())
        .unwrap_or_default()
}

/// Reads a length of time: `30d`, `12h`, `2w`, `1d 12h`, `0`. A day has 24 hours.
pub fn parse(text: &str) -> Result<Duration, String> {
    let wrong = || {
        format!(
            "{text:?} is no length of time: write 30d, 12h, 2w, or 0 for everything that is not in use"
        )
    };
    let text = text.trim();
    if text == "0" {
        return Ok(Duration::ZERO);
    }
    let span: Span = text.parse().ok().ok_or_else(wrong)?;
    let seconds = span.total((Unit::Second, SpanRelativeTo::days_are_24_hours()));
    let seconds = seconds.ok().filter(|s| *s >= 0.0);
    let seconds = seconds.ok_or_else(wrong)?;
    Duration::try_from_secs_f64(seconds).ok().ok_or_else(wrong)
}

/// A length of time in words: `30 days`, `12 hours`, `90 s`.
pub fn length(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0 => "0 days".to_owned(),
        s if s % 86_400 == 0 => count(s / 86_400, "day", "days"),
        s if s % 3600 == 0 => count(s / 3600, "hour", "hours"),
        s if s % 60 == 0 => count(s / 60, "minute", "minutes"),
        s => count(s, "second", "seconds"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_time_are_read_and_said() {
        for (text, seconds, said) in [
            ("30d", 2_592_000, "30 days"),
            ("2w", 1_209_600, "14 days"),
            ("12h", 43_200, "12 hours"),
            ("1d 12h", 129_600, "36 hours"),
            ("90s", 90, "90 seconds"),
            ("0", 0, "0 days"),
            ("0d", 0, "0 days"),
        ] {
            let time = parse(text).unwrap();
            assert_eq!(time, Duration::from_secs(seconds), "{text}");
            assert_eq!(length(time), said);
        }
        for wrong in [
            "",
            "30",
            "d",
            "-3d",
            "soon",
            "3 months",
            "99999999999999999999d",
        ] {
            assert!(parse(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn ages_have_one_unit() {
        let now = 1_787_300_000 * NANOS;
        let of = |seconds: i64| ago(now - seconds * NANOS, now);
        assert_eq!(
            [of(-5), of(5), of(300), of(7200), of(40 * 86_400)],
            ["ahead", "now", "5 min", "2 h", "40 d"]
        );
        assert_eq!(ago(i64::MIN, i64::MAX), "106751 d");
    }
}
