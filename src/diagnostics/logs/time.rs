//! Times as logs write them, in milliseconds since 1970.

use std::sync::LazyLock;

use jiff::{
    Timestamp, Zoned,
    civil::{Date, DateTime},
    tz::TimeZone,
};

use crate::artifacts::age;

/// The local time zone. Where `TZ` names none it is read from its own file: to find out its name all files of zones would be looked at,
/// milliseconds for which the first page waits.
fn zone() -> TimeZone {
    static ZONE: LazyLock<TimeZone> = LazyLock::new(|| {
        let is_named = std::env::var_os("TZ").is_some_and(|name| !name.is_empty());
        let file = if is_named {
            None
        } else {
            std::fs::read("/etc/localtime").ok()
        };
        file.and_then(|data| TimeZone::tzif("localtime", &data).ok())
            .unwrap_or_else(TimeZone::system)
    });
    ZONE.clone()
}

/// Shortest text that is a time: `2026-08-21T14:03:22`.
const SHORTEST: usize = 19;

/// The time at the beginning of a text and how long it is: `2026-08-21T14:03:22.118+02:00`, with a space for the `T`, a comma for
/// the full stop, `/` for `-`, with an offset, also behind a blank, or without one (then it is local time).
pub fn time_at_start(text: &[u8]) -> Option<(i64, usize)> {
    let byte = |at: usize| text.get(at).copied().unwrap_or(0);
    let number = |from: usize, count: usize| -> Option<i64> {
        text.get(from..from + count)?.iter().try_fold(0, |sum, b| {
            b.is_ascii_digit().then(|| sum * 10 + i64::from(b - b'0'))
        })
    };
    if text.len() < SHORTEST
        || !matches!(byte(4), b'-' | b'/')
        || byte(7) != byte(4)
        || !matches!(byte(10), b'T' | b't' | b' ')
        || byte(13) != b':'
        || byte(16) != b':'
    {
        return None;
    }
    let (year, month, day) = (number(0, 4)?, number(5, 2)?, number(8, 2)?);
    let (hour, minute, second) = (number(11, 2)?, number(14, 2)?, number(17, 2)?);
    let mut end = SHORTEST;
    let (milliseconds, length) = fraction(text.get(end..)?);
    end += length;
    let offset = match byte(end) {
        b'Z' | b'z' => {
            end += 1;
            Some(0)
        }
        sign @ (b'+' | b'-') => {
            let colon = usize::from(byte(end + 3) == b':');
            let minutes = number(end + 1, 2)? * 60 + number(end + 3 + colon, 2)?;
            end += 5 + colon;
            Some(if sign == b'-' { -minutes } else { minutes })
        }
        _ => {
            let (offset, length) = offset(text.get(end..)?).unzip();
            end += length.unwrap_or(0);
            offset
        }
    };
    let civil = Civil {
        year,
        month,
        day,
        hour,
        minute,
        second,
        milliseconds,
    };
    Some((civil.instant(offset)?, end))
}

/// Digits at the beginning: their value and how many they are.
pub fn number(text: &[u8]) -> Option<(i64, usize)> {
    let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
    let text = std::str::from_utf8(text.get(..digits)?).ok()?;
    Some((text.parse().ok()?, digits))
}

/// `+0200` or `-07:00` behind a blank: minutes, and the length with the blank. Other numbers with a sign are none.
pub fn offset(text: &[u8]) -> Option<(i64, usize)> {
    let sign = *text.get(1)?;
    if text.first() != Some(&b' ') || !matches!(sign, b'+' | b'-') {
        return None;
    }
    let (value, digits) = number(text.get(2..)?)?;
    let (hours, minutes, length) = match digits {
        4 => (value / 100, value % 100, 6),
        2 if text.get(4) == Some(&b':') => (value, number(text.get(5..7)?)?.0, 7),
        _ => return None,
    };
    if hours > 14 || minutes % 15 != 0 || minutes > 45 {
        return None;
    }
    let total = hours * 60 + minutes;
    Some((if sign == b'-' { -total } else { total }, length))
}

/// What a calendar and a clock on the wall show.
#[derive(Clone, Copy, Debug, Default)]
pub struct Civil {
    pub year: i64,
    pub month: i64,
    pub day: i64,
    pub hour: i64,
    pub minute: i64,
    pub second: i64,
    pub milliseconds: i64,
}

impl Civil {
    /// In milliseconds since 1970; `offset` is in minutes, none means local time. Nothing when there is no such time.
    pub fn instant(self, offset: Option<i64>) -> Option<i64> {
        let valid = (1..=12).contains(&self.month)
            && (1..=31).contains(&self.day)
            && self.hour < 24
            && self.minute < 60
            && self.second < 61;
        if !valid {
            return None;
        }
        let time = match offset {
            Some(minutes) => {
                let days = self.days_since_1970();
                ((days * 24 + self.hour) * 60 + self.minute - minutes) * 60_000 + self.second * 1000
            }
            None => self.local()?,
        };
        Some(time + self.milliseconds)
    }

    fn local(self) -> Option<i64> {
        let small = |n: i64| i8::try_from(n).ok();
        let date = DateTime::new(
            i16::try_from(self.year).ok()?,
            small(self.month)?,
            small(self.day)?,
            small(self.hour)?,
            small(self.minute)?,
            small(self.second.min(59))?,
            0,
        );
        let zoned = date.ok()?.to_zoned(zone()).ok()?;
        Some(zoned.timestamp().as_millisecond())
    }

    /// The proleptic Gregorian calendar, counted from March so that leap days come last.
    fn days_since_1970(self) -> i64 {
        let year = self.year - i64::from(self.month <= 2);
        let era = year.div_euclid(400);
        let of_era = year.rem_euclid(400);
        let of_year = (153 * ((self.month + 9) % 12) + 2) / 5 + self.day - 1;
        era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
    }
}

/// A time as JSON has it here: UTC, RFC 3339, milliseconds.
pub fn utc(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()
}

/// Milliseconds since 1970 in that form; nothing for what no calendar has.
pub fn stamp(time: Option<i64>) -> Option<String> {
    Timestamp::from_millisecond(time?).ok().map(utc)
}

/// What follows a second behind a point or a comma: milliseconds, and how long it is.
pub fn fraction(text: &[u8]) -> (i64, usize) {
    let Some((b'.' | b',', rest)) = text.split_first() else {
        return (0, 0);
    };
    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    let place = |at: &usize| rest.get(*at).filter(|_| *at < digits);
    let milliseconds = [0, 1, 2].iter().fold(0, |sum, at| {
        sum * 10 + place(at).map_or(0, |digit| i64::from(digit - b'0'))
    });
    (milliseconds, if digits > 0 { digits + 1 } else { 0 })
}

/// How many days the local day of a time is before this day.
pub fn days_from(day: Date, time: i64) -> i32 {
    Timestamp::from_millisecond(time)
        .ok()
        .and_then(|time| {
            let there = time.to_zoned(zone()).date();
            Some(there.until(day).ok()?.get_days())
        })
        .unwrap_or(0)
}

/// A number as a time: seconds, milliseconds, microseconds or nanoseconds, by its size.
pub fn time_of_number(number: f64) -> Option<i64> {
    let milliseconds = match number.abs() {
        n if n < 1e8 => return None,
        n if n < 1e11 => number * 1e3,
        n if n < 1e14 => number,
        n if n < 1e17 => number / 1e3,
        n if n < 1e20 => number / 1e6,
        _ => return None,
    };
    Some(milliseconds as i64)
}

/// A time for people, local, with milliseconds.
pub fn format_time(milliseconds: i64) -> String {
    match Timestamp::from_millisecond(milliseconds) {
        Ok(time) => time
            .to_zoned(zone())
            .strftime("%Y-%m-%d %H:%M:%S.%3f")
            .to_string(),
        Err(_) => milliseconds.to_string(),
    }
}

/// A time that a person wrote: `2026-08-21T14:03[:22]`, `2026-08-21`, `14:03` (today), or how long ago: `90s`, `10m`, `2h`, `3d`.
pub fn parse_since(text: &str, now: &Zoned) -> Option<i64> {
    let text = text.trim();
    if let Some((time, end)) = time_at_start(text.as_bytes())
        && end == text.len()
    {
        return Some(time);
    }
    if let Ok(time) = text.parse::<Timestamp>() {
        return Some(time.as_millisecond());
    }
    let time = text.parse::<DateTime>().ok();
    let today = || {
        let time = text.parse::<jiff::civil::Time>().ok()?;
        Some(now.date().to_datetime(time))
    };
    if let Some(time) = time.or_else(today) {
        let zoned = time.to_zoned(now.time_zone().clone()).ok()?;
        return Some(zoned.timestamp().as_millisecond());
    }
    let ago = i64::try_from(age::parse(text).ok()?.as_millis()).ok()?;
    now.timestamp().as_millisecond().checked_sub(ago)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_the_calendar_counts_them() {
        for text in [
            "2026-08-21T14:03:22.118+02:00",
            "1970-01-01T00:00:00Z",
            "2000-02-29T23:59:59.999Z",
            "1999-12-31 00:00:00.5-0330",
            "2024-03-01T00:00:00,25Z",
            "1900-03-01T00:00:00Z",
        ] {
            let (time, end) = time_at_start(text.as_bytes()).unwrap();
            let normal = text
                .replace(' ', "T")
                .replace(',', ".")
                .replace("-0330", "-03:30");
            let expected: Timestamp = normal.parse().unwrap();
            assert_eq!(
                (time, end),
                (expected.as_millisecond(), text.len()),
                "{text}"
            );
        }
        for text in [
            "2026-13-21T14:03:22Z",
            "2026-08-21",
            "2026-08-21T14:03:2xZ",
            "",
            "{\"a\":1}",
        ] {
            assert_eq!(time_at_start(text.as_bytes()), None, "{text}");
        }
        for (text, end) in [
            ("2026-08-21 14:03:22 INFO x", 19),
            ("2026-08-21 14:03:22 -1 x", 19),
            ("2026-08-21 14:03:22 -2359 x", 19),
            ("2026-08-21 14:03:22.118 +0530 x", 29),
            ("2026-08-21 14:03:22 -07:00 x", 26),
        ] {
            assert_eq!(time_at_start(text.as_bytes()).unwrap().1, end, "{text}");
        }
    }

    #[test]
    fn numbers_are_times_by_their_size() {
        assert_eq!(time_of_number(1_700_000_000.5), Some(1_700_000_000_500));
        assert_eq!(time_of_number(1_700_000_000_500.0), Some(1_700_000_000_500));
        assert_eq!(time_of_number(1.700_000_000_5e18), Some(1_700_000_000_500));
        assert_eq!(time_of_number(12.0), None);
    }

    #[test]
    fn since_is_a_time_or_how_long_ago() {
        let now: Zoned = "2026-08-21T12:00:00+02:00[Europe/Berlin]".parse().unwrap();
        let at = |text: &str| {
            parse_since(text, &now).map(|ms| Timestamp::from_millisecond(ms).unwrap().to_string())
        };
        assert_eq!(at("10m").unwrap(), "2026-08-21T09:50:00Z");
        assert_eq!(at("2d").unwrap(), "2026-08-19T10:00:00Z");
        assert_eq!(at("11:30").unwrap(), "2026-08-21T09:30:00Z");
        assert_eq!(at("2026-08-20").unwrap(), "2026-08-19T22:00:00Z");
        assert_eq!(at("2026-08-20T01:00:00Z").unwrap(), "2026-08-20T01:00:00Z");
        for bad in [
            "",
            "m",
            "-5m",
            "yesterday",
            "5 parsecs",
            "99999999999999999999d",
        ] {
            assert_eq!(at(bad), None, "{bad}");
        }
    }
}
