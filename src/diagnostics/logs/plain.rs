//! What a line of plain text says: a time in one of the forms that programs write, a level, a process.
//!
//! Colours at its beginning are looked through. A time without a year (syslog) is the newest one that is not in the future.

use std::sync::{LazyLock, OnceLock};

use jiff::Zoned;
use memchr::{memchr, memmem::Finder};

use super::{
    colours::bytes_without_colours,
    record::{Head, Level},
    time::{Civil, fraction, number, offset, time_at_start},
};

/// What is looked at of a line.
pub const NEAR: usize = 512;
/// A level stands this near behind the time.
const LEVEL_NEAR: usize = 96;
/// How levels are named where everything is `key=value`.
pub const NAMES_OF_LEVELS: [&[u8]; 2] = [b"level=", b"lvl="];
const MONTHS: [&[u8]; 12] = [
    b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec",
];
const DAYS: [&[u8]; 7] = [b"Mon", b"Tue", b"Wed", b"Thu", b"Fri", b"Sat", b"Sun"];

/// What a line has at its beginning that lines which belong to another one have not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beginning {
    /// A time; in an access log it stands behind the names.
    Time,
    /// `INFO:` or `level=info`.
    Level,
}

/// What shows that an entry begins here; nothing where none does.
pub fn beginning(line: &[u8]) -> Option<Beginning> {
    // The first byte spares the lines of stacks and of JSON the rest.
    let may = line.first().is_some_and(|first| {
        first.is_ascii_alphanumeric() || matches!(first, b'[' | b'<' | b':' | 0x1b)
    });
    if !may {
        return None;
    }
    let near = bytes_without_colours(line.get(..NEAR).unwrap_or(line));
    let timed = Start::read(&near).is_some_and(|start| start.time.is_some());
    if timed || apache_access(&near).is_some() {
        return Some(Beginning::Time);
    }
    let is_level = named_level(&near).is_some() || capital_level(&near);
    is_level.then_some(Beginning::Level)
}

/// `level=info` or `lvl=info` at the beginning: the level, and how long that is.
fn named_level(line: &[u8]) -> Option<(Level, usize)> {
    let value = NAMES_OF_LEVELS
        .iter()
        .find_map(|name| line.strip_prefix(*name))?;
    let letters = value.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    let level = std::str::from_utf8(value.get(..letters)?).ok()?;
    Some((Level::parse(level)?, line.len() - value.len() + letters))
}

/// `INFO:` or `WARNING:` at the beginning, as Python's `logging` and uvicorn write without a time.
fn capital_level(line: &[u8]) -> bool {
    let letters = line.iter().take_while(|b| b.is_ascii_uppercase()).count();
    line.get(letters) == Some(&b':')
        && std::str::from_utf8(line.get(..letters).unwrap_or_default())
            .is_ok_and(|word| Level::parse(word).is_some())
}

/// Reads a line of plain text.
pub fn plain_head(line: &[u8]) -> Head<'_> {
    let near = bytes_without_colours(line.get(..NEAR).unwrap_or(line));
    let start = Start::read(&near).unwrap_or_default();
    let time = start.time.or_else(|| apache_access(&near));
    let rest = near.get(start.end..).unwrap_or_default();
    let rest = rest.get(..LEVEL_NEAR).unwrap_or(rest);
    Head {
        time,
        level: start.level.or_else(|| level(rest, time.is_some())),
        pid: start.pid.or_else(|| pid(rest)),
        message: None,
    }
}

/// What a line begins with.
#[derive(Default)]
pub struct Start {
    pub time: Option<i64>,
    /// Some forms tell it before the time.
    pub level: Option<Level>,
    /// Gunicorn tells it right behind the time.
    pid: Option<u32>,
    /// Where the rest begins.
    pub end: usize,
}

impl Start {
    pub fn read(line: &[u8]) -> Option<Self> {
        let mut start = Self::default();
        let mut at = 0;
        if let Some((priority, end)) = priority(line) {
            start.level = Level::of_severity(priority % 8);
            at = end;
        }
        // Prometheus and others write the level before the time.
        if let Some((level, length)) = named_level(line) {
            start.level = Some(level);
            at = length + 1;
        }
        for prefix in [&b"time="[..], b"ts=", b"t="] {
            if line.get(at..)?.starts_with(prefix) {
                at += prefix.len();
            }
        }
        while matches!(line.get(at), Some(b'[' | b'(' | b'"')) {
            at += 1;
        }
        let rest = line.get(at..)?;
        let (time, length) = match rest.first()? {
            b'0'..=b'9' => time_at_start(rest).or_else(|| day_first(rest))?,
            b'A'..=b'Z' => match klog(rest) {
                Some((level, time, length)) => {
                    start.level = Some(level);
                    (time, length)
                }
                None => in_words(rest)?,
            },
            _ => return Some(start),
        };
        start.time = Some(time);
        start.end = at + length;
        if let Some((pid, length)) = line.get(start.end..).and_then(bracketed_pid) {
            start.pid = Some(pid);
            start.end += length;
        }
        Some(start)
    }
}

/// `] [4711]` before ` [INFO]`: what closed the time, and the process. A number that stands there in another way may be a thread's.
fn bracketed_pid(text: &[u8]) -> Option<(u32, usize)> {
    let (pid, digits) = number(text.strip_prefix(b"] [")?)?;
    let end = digits + 4;
    let is_pid = text.get(end - 1..)?.starts_with(b"] [");
    Some((u32::try_from(pid).ok().filter(|_| is_pid)?, end))
}

/// `<34>`, and the version of the newer syslog: its value and its length.
fn priority(line: &[u8]) -> Option<(u64, usize)> {
    let rest = line.strip_prefix(b"<")?;
    let (value, digits) = number(rest)?;
    if digits > 3 || rest.get(digits) != Some(&b'>') {
        return None;
    }
    let end = digits + 2;
    let version = line.get(end..)?.starts_with(b"1 ");
    Some((
        u64::try_from(value).ok()?,
        if version { end + 2 } else { end },
    ))
}

fn month(text: &[u8]) -> Option<i64> {
    let at = MONTHS.iter().position(|name| text.starts_with(name))?;
    i64::try_from(at + 1).ok()
}

/// `14:03:22[.118]`: sets the clock of `civil`, gives the length.
fn clock(text: &[u8], civil: &mut Civil) -> Option<usize> {
    let two = |at: usize| -> Option<i64> {
        let (value, digits) = number(text.get(at..at + 2)?)?;
        (digits == 2).then_some(value)
    };
    if text.get(2) != Some(&b':') || text.get(5) != Some(&b':') {
        return None;
    }
    (civil.hour, civil.minute, civil.second) = (two(0)?, two(3)?, two(6)?);
    let (milliseconds, length) = fraction(text.get(8..)?);
    civil.milliseconds = milliseconds;
    Some(8 + length)
}

/// `22/Nov/2026:10:00:00 +0100` and `22-Nov-2026 10:00:00.123`.
fn day_first(text: &[u8]) -> Option<(i64, usize)> {
    let separator = *text.get(2)?;
    if !matches!(separator, b'/' | b'-') || text.get(6) != Some(&separator) {
        return None;
    }
    let mut civil = Civil {
        day: number(text.get(..2)?)?.0,
        month: month(text.get(3..)?)?,
        year: number(text.get(7..11)?)?.0,
        ..Civil::default()
    };
    if !matches!(text.get(11), Some(b':' | b' ')) {
        return None;
    }
    let end = 12 + clock(text.get(12..)?, &mut civil)?;
    let (offset, length) = offset(text.get(end..)?).unzip();
    Some((civil.instant(offset)?, end + length.unwrap_or(0)))
}

/// The time of an access log stands in brackets, behind the names.
fn apache_access(line: &[u8]) -> Option<i64> {
    let near = line.get(..200).unwrap_or(line);
    let open = memchr(b'[', near)?;
    day_first(line.get(open + 1..)?).map(|(time, _)| time)
}

/// `Nov 22 09:39:57`, `Sun Nov 22 09:39:57.123456 2026`, `Sun 2026-11-22 09:39:57`.
fn in_words(text: &[u8]) -> Option<(i64, usize)> {
    let mut at = 0;
    if DAYS.iter().any(|day| text.starts_with(day)) {
        at = if text.get(3) == Some(&b',') { 5 } else { 4 };
        let rest = text.get(at..)?;
        if rest.first()?.is_ascii_digit() {
            return time_at_start(rest).map(|(time, length)| (time, at + length));
        }
    }
    let mut civil = Civil {
        month: month(text.get(at..)?)?,
        ..Civil::default()
    };
    if text.get(at + 3) != Some(&b' ') {
        return None;
    }
    at += 4;
    at += usize::from(text.get(at) == Some(&b' '));
    let (day, digits) = number(text.get(at..)?)?;
    if digits > 2 || text.get(at + digits) != Some(&b' ') {
        return None;
    }
    civil.day = day;
    at += digits + 1;
    at += clock(text.get(at..)?, &mut civil)?;
    let mut end = at;
    if matches!(text.get(at..at + 5), Some(zone) if zone.starts_with(b" UTC") || zone.starts_with(b" GMT"))
    {
        at += 4;
    }
    let year = text
        .get(at..)
        .and_then(|rest| rest.strip_prefix(b" "))
        .and_then(number)
        .filter(|(year, digits)| *digits == 4 && (1970..2200).contains(year));
    let zone = (at > end).then_some(0);
    if let Some((year, _)) = year {
        civil.year = year;
        end = at + 5;
        return Some((civil.instant(zone)?, end));
    }
    Some((without_year(civil)?, end))
}

/// `I1122 09:39:57.123456 7 main.go:10] `: its thread and its place belong to the head.
fn klog(text: &[u8]) -> Option<(Level, i64, usize)> {
    let level = match text.first()? {
        b'I' => Level::Info,
        b'W' => Level::Warn,
        b'E' => Level::Error,
        b'F' => Level::Fatal,
        _ => return None,
    };
    let (date, digits) = number(text.get(1..)?)?;
    if digits != 4 || text.get(5) != Some(&b' ') {
        return None;
    }
    let mut civil = Civil {
        month: date / 100,
        day: date % 100,
        ..Civil::default()
    };
    let end = 6 + clock(text.get(6..)?, &mut civil)?;
    let rest = text.get(end..)?;
    let place = memchr(b']', rest).filter(|at| {
        let words = rest.get(..*at).unwrap_or_default();
        let words = words.split(u8::is_ascii_whitespace);
        words.filter(|word| !word.is_empty()).count() == 2
    });
    let length = end + place.map_or(0, |at| at + 1);
    Some((level, without_year(civil)?, length))
}

/// The year in which this is not in the future, give or take a day.
fn without_year(mut civil: Civil) -> Option<i64> {
    static NOW: OnceLock<(i64, i64)> = OnceLock::new();
    let (year, now) = *NOW.get_or_init(|| {
        let now = Zoned::now();
        (i64::from(now.year()), now.timestamp().as_millisecond())
    });
    civil.year = year;
    let time = civil.instant(None)?;
    if time <= now + 86_400_000 {
        return Some(time);
    }
    civil.year = year - 1;
    civil.instant(None)
}

/// A level in capitals, in brackets, behind `level=`, or right behind a time.
fn level(rest: &[u8], is_timed: bool) -> Option<Level> {
    let parse = |word: &[u8]| Level::parse(std::str::from_utf8(word).ok()?);
    let mut at = 0;
    while at < rest.len() {
        let word = rest.get(at..)?;
        let letters = word.iter().take_while(|b| b.is_ascii_alphabetic()).count();
        if letters > 2 {
            let before = rest.get(..at).unwrap_or_default();
            let word = word.get(..letters).unwrap_or_default();
            let behind = rest.get(at + letters);
            let named = NAMES_OF_LEVELS.iter().any(|name| before.ends_with(name));
            let bracketed = matches!(before.last(), Some(b'[' | b':')) && behind == Some(&b']');
            let capitals = word.iter().all(u8::is_ascii_uppercase);
            let first = is_timed && before.iter().all(u8::is_ascii_whitespace);
            let is_alone = matches!(behind, None | Some(b' ' | b'\t'));
            if (capitals || named || bracketed || first && is_alone)
                && let Some(level) = parse(word)
            {
                return Some(level);
            }
        }
        at += letters.max(1);
    }
    None
}

/// `name[123]:` of syslog, `[pid 123` of Apache, `pid=123`.
fn pid(rest: &[u8]) -> Option<u32> {
    // Made once: for a line that costs more than to look for it.
    static MARK: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new("pid"));
    let found = |at: usize, behind: &[u8]| -> Option<u32> {
        let (value, digits) = number(rest.get(at..)?)?;
        let ends = behind.is_empty() || rest.get(at + digits..)?.starts_with(behind);
        u32::try_from(value).ok().filter(|pid| *pid > 0 && ends)
    };
    let before = |at: usize| at.checked_sub(1).and_then(|before| rest.get(before));
    let marked = MARK.find_iter(rest).find_map(|at| {
        let is_marked = match rest.get(at + 3)? {
            b'=' => true,
            b' ' => before(at) == Some(&b'['),
            _ => false,
        };
        found(at + 4, b"").filter(|_| is_marked)
    });
    marked.or_else(|| {
        memchr::memchr_iter(b'[', rest)
            .filter(|open| {
                before(*open)
                    .is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b')'))
            })
            .find_map(|open| found(open + 1, b"]:"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(line: &str) -> (Option<i64>, Option<Level>, Option<u32>) {
        let head = plain_head(line.as_bytes());
        (head.time, head.level, head.pid)
    }

    fn utc(text: &str) -> i64 {
        let time: jiff::Timestamp = text.parse().unwrap();
        time.as_millisecond()
    }

    fn local(text: &str) -> i64 {
        let time: jiff::civil::DateTime = text.parse().unwrap();
        let time = time.to_zoned(jiff::tz::TimeZone::system()).unwrap();
        time.timestamp().as_millisecond()
    }

    #[test]
    fn times_levels_and_processes_in_the_forms_that_programs_write() {
        for (line, time, level, pid) in [
            (
                "[2026-08-21 14:03:22,118] WARNING app: low INFO",
                Some(local("2026-08-21T14:03:22.118")),
                Some(Level::Warn),
                None,
            ),
            (
                "\x1b[32m2026-08-21T14:03:22Z\x1b[0m \x1b[1;33mWARN\x1b[0m x",
                Some(utc("2026-08-21T14:03:22Z")),
                Some(Level::Warn),
                None,
            ),
            (
                "2026/08/21 14:03:22 [error] 31#31: *1 open() failed",
                Some(local("2026-08-21T14:03:22")),
                Some(Level::Error),
                None,
            ),
            (
                "<34>1 2026-08-21T14:03:22.003Z host su - ID47 - failed",
                Some(utc("2026-08-21T14:03:22.003Z")),
                Some(Level::Fatal),
                None,
            ),
            (
                "[Fri Aug 21 14:03:22.123456 2026] [core:error] [pid 35708:tid 432] x",
                Some(local("2026-08-21T14:03:22.123")),
                Some(Level::Error),
                Some(35708),
            ),
            (
                "127.0.0.1 - ada [21/Aug/2026:14:03:22 -0700] \"GET / HTTP/1.1\" 200 12",
                Some(utc("2026-08-21T21:03:22Z")),
                None,
                None,
            ),
            (
                "21-Aug-2026 14:03:22.007 SEVERE [main] x",
                Some(local("2026-08-21T14:03:22.007")),
                Some(Level::Error),
                None,
            ),
            (
                "time=\"2026-08-21T14:03:22Z\" level=warning msg=x pid=12",
                Some(utc("2026-08-21T14:03:22Z")),
                Some(Level::Warn),
                Some(12),
            ),
            (
                "Fri Aug 21 14:03:22 UTC 2026 x",
                Some(utc("2026-08-21T14:03:22Z")),
                None,
                None,
            ),
            (
                "level=error ts=2026-08-21T14:03:22Z caller=x.go:1 msg=\"k8s\"",
                Some(utc("2026-08-21T14:03:22Z")),
                Some(Level::Error),
                None,
            ),
            (
                "fe80::1 - - [21/Aug/2026 14:03:22] \"GET / HTTP/1.1\" 200 -",
                Some(local("2026-08-21T14:03:22")),
                None,
                None,
            ),
            (
                "[2026-08-21 14:03:22 +0100] [4711] [INFO] Listening",
                Some(utc("2026-08-21T13:03:22Z")),
                Some(Level::Info),
                Some(4711),
            ),
            (
                "2026-08-21 14:03:22,118 [10] WARN thread",
                Some(local("2026-08-21T14:03:22.118")),
                Some(Level::Warn),
                None,
            ),
            (
                "Fri 2026-08-21 14:03:22 x",
                Some(local("2026-08-21T14:03:22")),
                None,
                None,
            ),
        ] {
            assert_eq!(head(line), (time, level, pid), "{line:?}");
            assert_eq!(
                beginning(line.as_bytes()),
                Some(Beginning::Time),
                "{line:?}"
            );
        }
        assert_eq!(head("no error here"), (None, None, None));
        assert_eq!(
            head("2026-08-21T14:03:22.000Z error mongo").1,
            Some(Level::Error)
        );
        assert_eq!(head("2026-08-21T14:03:22.000Z errors: 3").1, None);
        assert_eq!(head("ERRO[0001] boom").1, Some(Level::Error));
        assert_eq!(head("ERROR: disk").1, Some(Level::Error));
        for line in [
            "Nobody 12:00:00",
            "May be",
            "I9",
            "<",
            "[",
            "12/x",
            "Sun",
            "Nov 22 9",
            "ValueError: x",
            "Error: x",
            "USER: x",
            "ERROR",
            "level=12 x",
            "x[0] = 1",
        ] {
            assert_eq!(beginning(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn a_time_without_a_year_is_not_in_the_future() {
        let now = Zoned::now();
        for (time, names) in [
            (now.timestamp().as_millisecond() - 3_600_000, true),
            (now.timestamp().as_millisecond() - 200 * 86_400_000, false),
        ] {
            let at = jiff::Timestamp::from_millisecond(time / 1000 * 1000).unwrap();
            let zoned = at.to_zoned(jiff::tz::TimeZone::system());
            let line = if names {
                zoned.strftime("%b %e %H:%M:%S host sshd[123]: x")
            } else {
                zoned.strftime("W%m%d %H:%M:%S.5 7 file.go:1] x")
            }
            .to_string();
            let found = head(&line);
            assert_eq!(
                found.0.map(|ms| ms / 1000 * 1000),
                Some(at.as_millisecond()),
                "{line}"
            );
            assert_eq!(found.2, names.then_some(123), "{line}");
        }
    }
}
