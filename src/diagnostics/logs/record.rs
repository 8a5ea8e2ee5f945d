//! What a line says: time, level, process, message.

use std::{borrow::Cow, fmt, marker::PhantomData};

use serde::{
    Deserialize,
    de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Map, Value, value::RawValue};

use super::{
    colours::without_colours,
    plain::{NEAR, plain_head},
    time::{time_at_start, time_of_number},
    unit::first_line,
};

base::kinds! {
    /// How bad it is, from the mildest.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Level {
        /// Every step.
        Trace = &["trace", "verbose", "silly", "trac"],
        /// For who looks for a fault.
        Debug = &["debug", "dbg", "debu", "dbug"],
        /// What happens.
        Info = &["info", "information", "inf", "notice"],
        /// What may become a fault.
        Warn = &["warn", "warning", "wrn"],
        /// A fault.
        Error = &["error", "err", "severe", "erro", "eror"],
        /// The end.
        Fatal = &["fatal", "critical", "crit", "alert", "emerg", "emergency", "panic", "dpanic", "fata", "pani"],
    }
    /// The names that programs use, the usual one first.
    fn names(self) -> &'static [&'static str];
}

impl Level {
    /// Its usual name in small letters.
    pub fn name(self) -> &'static str {
        self.names().first().unwrap_or(&"")
    }

    /// By one of the names that programs use.
    pub fn parse(text: &str) -> Option<Self> {
        let is_it = |name: &&str| text.eq_ignore_ascii_case(name);
        Self::ALL
            .into_iter()
            .find(|level| level.names().iter().any(is_it))
    }

    /// By the severities of syslog (journald and GELF write them, too), 0 being the worst.
    pub fn of_severity(severity: u64) -> Option<Self> {
        Some(match severity {
            0..=2 => Self::Fatal,
            3 => Self::Error,
            4 => Self::Warn,
            5 | 6 => Self::Info,
            7 => Self::Debug,
            _ => return None,
        })
    }

    /// By the letter of `mongod` and others, which has a number where there are several of a sort (`D2`).
    fn of_letter(text: &str) -> Option<Self> {
        let letter = text.trim_end_matches(|c: char| c.is_ascii_digit());
        let is_it = |level: &Self| {
            level
                .name()
                .get(..1)
                .is_some_and(|l| l.eq_ignore_ascii_case(letter))
        };
        Self::ALL.into_iter().find(is_it)
    }

    /// By the numbers of pino and bunyan, or by a severity.
    fn of_number(number: f64) -> Option<Self> {
        if (0.0..8.0).contains(&number) {
            return Self::of_severity(number as u64);
        }
        let index = (number / 10.0) as usize;
        (number % 10.0 == 0.0 && index >= 1)
            .then(|| Self::ALL.get(index - 1).copied())
            .flatten()
    }
}

/// A line with those that belong to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Which file of the [`super::Log`].
    pub source: usize,
    /// Where it begins there; with the file this is who it is.
    pub offset: u64,
    /// How many bytes it is long.
    pub length: u64,
    /// When, in milliseconds since 1970.
    pub time: Option<i64>,
    /// How bad.
    pub level: Option<Level>,
    /// Which process wrote it.
    pub pid: Option<u32>,
    /// The message, or the text itself when it has none. As the program wrote it.
    pub message: String,
    /// The whole, as it stands in the file, up to [`super::unit::SHOWN`] bytes.
    pub text: String,
    /// Whether `text` is only the beginning.
    pub cut: bool,
}

impl Entry {
    /// The members of an entry that is JSON, except those that have a column, and the lines that follow it.
    pub fn parts(&self) -> (Map<String, Value>, &str) {
        // Without a message all of the text stands in its place.
        if self.message == self.text {
            return (Map::new(), "");
        }
        let (line, more) = self.text.split_once('\n').unwrap_or((&self.text, ""));
        let Ok(Value::Object(members)) = serde_json::from_str::<Value>(line) else {
            return (Map::new(), "");
        };
        let is_message = |value: &Value| {
            value
                .as_str()
                .is_some_and(|text| without_colours(text) == self.message)
        };
        let rest = members
            .into_iter()
            .map(|(name, mut value)| {
                if let Some(inside) = value.as_object_mut().filter(|_| name == "fields")
                    && inside.get("message").is_some_and(is_message)
                {
                    inside.remove("message");
                }
                (name, value)
            })
            .filter(|(name, value)| {
                let told = place(MESSAGES, name).is_some() && is_message(value)
                    || name == JOURNAL && value.is_array();
                !told && place(COLUMNS, name).is_none()
            })
            .collect();
        (rest, more)
    }
}

/// What was found in one line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Head<'a> {
    pub time: Option<i64>,
    pub level: Option<Level>,
    pub pid: Option<u32>,
    pub message: Option<Cow<'a, str>>,
}

/// Names of the members, the usual one first. Some programs (Serilog) write them with capitals.
const TIMES: &[&str] = &[
    "timestamp",
    "time",
    "ts",
    "@timestamp",
    "datetime",
    "date",
    "t",
    "asctime",
    "@t",
    "__REALTIME_TIMESTAMP",
];
const LEVELS: &[&str] = &[
    "level",
    "severity",
    "lvl",
    "loglevel",
    "log.level",
    "levelname",
    "@l",
    "PRIORITY",
    LETTER,
];
/// Of `mongod`: a letter. Others call all sorts of things so.
const LETTER: &str = "s";
const PIDS: &[&str] = &["pid", "process_id", "processId", "process", "_PID"];
const MESSAGES: &[&str] = &[
    "message",
    "msg",
    "event",
    "text",
    "body",
    "textPayload",
    "@m",
    "@mt",
    "RenderedMessage",
    "MessageTemplate",
    // Of Rust's `tracing`: an object with a message in it.
    "fields",
    WHOLE_LINE,
];
/// Of journald: a list of bytes where it is not plain text.
const JOURNAL: &str = "MESSAGE";
/// Of Docker: what the program wrote, its own time and level included.
const WHOLE_LINE: &str = "log";
/// Members that are told in columns of their own, whatever else has a time in it.
const COLUMNS: &[&str] = &[
    "timestamp",
    "time",
    "ts",
    "@timestamp",
    "level",
    "severity",
    "pid",
    "asctime",
    "levelname",
    "@t",
    "@l",
    "__REALTIME_TIMESTAMP",
    "PRIORITY",
    "_PID",
];

/// How far down its list a name stands.
fn place(names: &[&str], name: &str) -> Option<usize> {
    names
        .iter()
        .position(|known| known.eq_ignore_ascii_case(name))
}

/// Reads a line of JSON; one that is none, or is cut off, says nothing.
pub fn json_head(line: &[u8]) -> Option<Head<'_>> {
    // The second way takes texts that mean nothing (half of a pair), but only where all of a value is UTF-8.
    read::<Scalar<'_>>(line).or_else(|| read::<&RawValue>(line))
}

fn read<'a, V: Deserialize<'a> + Into<Scalar<'a>>>(line: &'a [u8]) -> Option<Head<'a>> {
    let mut parser = serde_json::Deserializer::from_slice(line);
    let head = parser.deserialize_map(HeadReader::<V>(PhantomData)).ok()?;
    parser.end().ok()?;
    Some(head)
}

/// Whether a line begins as a record of JSON does, and has the key of a time among what is near.
pub fn has_time_near(line: &[u8]) -> bool {
    // Most lines are known by how they begin.
    if !line.starts_with(b"{\"") {
        return false;
    }
    let near = line.get(..NEAR).unwrap_or(line);
    let is_time =
        |key: &[u8]| std::str::from_utf8(key).is_ok_and(|key| place(TIMES, key).is_some());
    first_line(near).split(|byte| *byte == b'"').any(is_time)
}

/// Takes the values of the members that we read as `V`.
struct HeadReader<V>(PhantomData<V>);

impl<'de, V: Deserialize<'de> + Into<Scalar<'de>>> Visitor<'de> for HeadReader<V> {
    type Value = Head<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = Found::default();
        while let Some(Text(key)) = map.next_key()? {
            let Some(wanted) = found.wants(&key) else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            let value = if key == JOURNAL {
                map.next_value::<JournalMessage<'de>>()?.into()
            } else {
                map.next_value::<V>()?.into()
            };
            found.take(wanted, value);
        }
        Ok(found.finish())
    }
}

/// What was found so far of a record.
#[derive(Default)]
struct Found<'a> {
    head: Head<'a>,
    /// What the line says that stands for the message.
    line_level: Option<Level>,
    /// How far down its list the name of what we have is: the usual name wins over the others.
    ranks: [Option<usize>; 4],
}

/// A member whose value is wanted: for what, and how far down its list its name is.
#[derive(Clone, Copy)]
struct Wanted(usize, usize);

impl<'a> Found<'a> {
    fn wants(&self, key: &str) -> Option<Wanted> {
        let lists = [TIMES, LEVELS, PIDS, MESSAGES].into_iter().enumerate();
        lists.zip(&self.ranks).find_map(|((field, names), known)| {
            let rank = place(names, key)?;
            known
                .is_none_or(|known| rank <= known)
                .then_some(Wanted(field, rank))
        })
    }

    fn take(&mut self, Wanted(field, rank): Wanted, value: Scalar<'a>) {
        let head = &mut self.head;
        let is = |names: &[&str], name| names.get(rank) == Some(&name);
        let found = match field {
            0 => value.time().map(|time| head.time = Some(time)),
            1 => {
                let level = if is(LEVELS, LETTER) {
                    value.text().and_then(|text| Level::of_letter(&text))
                } else {
                    value.level()
                };
                level.map(|level| head.level = Some(level))
            }
            2 => value.pid().map(|pid| head.pid = Some(pid)),
            _ => value.text().map(|text| {
                let is_line = is(MESSAGES, WHOLE_LINE);
                self.line_level = if is_line {
                    plain_head(text.as_bytes()).level
                } else {
                    None
                };
                head.message = Some(text);
            }),
        };
        if let (Some(()), Some(known)) = (found, self.ranks.get_mut(field)) {
            *known = Some(rank);
        }
    }

    fn finish(self) -> Head<'a> {
        let level = self.head.level.or(self.line_level);
        Head { level, ..self.head }
    }
}

/// A key, or a value that is a text.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// A value of one of the members that we read.
enum Scalar<'a> {
    Text(Cow<'a, str>),
    Number(f64),
    Other,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum JournalMessage<'a> {
    #[serde(borrow)]
    Text(Cow<'a, str>),
    Bytes(Vec<u8>),
    Other(IgnoredAny),
}

impl<'a> From<JournalMessage<'a>> for Scalar<'a> {
    fn from(message: JournalMessage<'a>) -> Self {
        match message {
            JournalMessage::Text(text) => Self::Text(text),
            JournalMessage::Bytes(bytes) => {
                Self::Text(String::from_utf8_lossy(&bytes).into_owned().into())
            }
            JournalMessage::Other(_) => Self::Other,
        }
    }
}

impl<'a> From<&'a RawValue> for Scalar<'a> {
    fn from(value: &'a RawValue) -> Self {
        match serde_json::from_str(value.get()) {
            Ok(Text(text)) => Self::Text(text),
            Err(_) => value.get().parse().map_or(Self::Other, Self::Number),
        }
    }
}

impl<'de> Deserialize<'de> for Scalar<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ScalarReader)
    }
}

/// Lists are passed over unread, and so is all of an object but its message or its time (of `mongod`, and of Google's logs).
struct ScalarReader;

impl<'de> Visitor<'de> for ScalarReader {
    type Value = Scalar<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Scalar::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Scalar::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Scalar::Number(number as f64))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Scalar::Number(number as f64))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
        Ok(Scalar::Number(number))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Scalar::Other)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Scalar::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Self::Value, A::Error> {
        IgnoredAny.visit_seq(items)?;
        Ok(Scalar::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let (mut value, mut nanos) = (Scalar::Other, Scalar::Other);
        while let Some(Text(key)) = members.next_key()? {
            match &*key {
                "message" | "$date" => value = members.next_value()?,
                "seconds" if matches!(value, Scalar::Other) => value = members.next_value()?,
                "nanos" => nanos = members.next_value()?,
                _ => drop(members.next_value::<IgnoredAny>()?),
            }
        }
        Ok(match (value, nanos) {
            (Scalar::Number(seconds), Scalar::Number(nanos)) => {
                Scalar::Number(seconds + nanos / 1e9)
            }
            (value, _) => value,
        })
    }
}

impl<'a> Scalar<'a> {
    fn time(&self) -> Option<i64> {
        match self {
            Self::Text(text) => time_at_start(text.as_bytes())
                .map(|(time, _)| time)
                .or_else(|| time_of_number(text.parse().ok()?)),
            Self::Number(number) => time_of_number(*number),
            Self::Other => None,
        }
    }

    fn level(&self) -> Option<Level> {
        match self {
            Self::Text(text) => Level::parse(text).or_else(|| Level::of_number(text.parse().ok()?)),
            Self::Number(number) => Level::of_number(*number),
            Self::Other => None,
        }
    }

    /// A process is a number; some programs write it as text.
    fn pid(&self) -> Option<u32> {
        match self {
            Self::Text(text) if text.bytes().all(|b| b.is_ascii_digit()) => {
                text.parse().ok().filter(|pid| *pid > 0)
            }
            Self::Number(n) if *n >= 1.0 && *n <= f64::from(u32::MAX) && n.fract() == 0.0 => {
                Some(*n as u32)
            }
            _ => None,
        }
    }

    fn text(self) -> Option<Cow<'a, str>> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_of_several_shapes() {
        let omp = br#"{"timestamp":"2026-08-21T14:03:22.118+02:00","level":"warn","pid":12,"message":"a","x":{"pid":9}}"#;
        let head = json_head(omp).unwrap();
        assert_eq!(
            (head.level, head.pid, head.message.as_deref()),
            (Some(Level::Warn), Some(12), Some("a"))
        );
        assert_eq!(head.time, Some(1_787_313_802_118));
        let pino = json_head(br#"{"level":40,"time":1700000000000,"msg":"b","pid":7}"#).unwrap();
        assert_eq!(
            (pino.level, pino.time, pino.message.as_deref()),
            (Some(Level::Warn), Some(1_700_000_000_000), Some("b"))
        );
        let both = json_head(br#"{"msg":"other","message":"usual","ts":1700000000.25}"#).unwrap();
        assert_eq!(
            (both.message.as_deref(), both.time),
            (Some("usual"), Some(1_700_000_000_250))
        );
        let odd =
            json_head(br#"{"timestamp":"x","level":9,"pid":"12 345","message":null}"#).unwrap();
        assert_eq!(
            odd,
            Head::default(),
            "a text that is no number is no process"
        );
        for (line, wanted) in [
            (
                r#"{"log":"10:00:00 ERROR boom\n","stream":"stderr","time":"2023-11-14T22:13:20Z"}"#,
                (Level::Error, "10:00:00 ERROR boom\n"),
            ),
            (
                r#"{"__REALTIME_TIMESTAMP":"1700000000000000","PRIORITY":"3","MESSAGE":"bad","_PID":"12"}"#,
                (Level::Error, "bad"),
            ),
            (
                r#"{"@t":"2023-11-14T22:13:20Z","@mt":"cold {Cup}","@l":"Warning"}"#,
                (Level::Warn, "cold {Cup}"),
            ),
            (
                r#"{"timestamp":"2023-11-14T22:13:20Z","level":"INFO","fields":{"n":1,"message":"ready"}}"#,
                (Level::Info, "ready"),
            ),
            (
                r#"{"Timestamp":"2023-11-14T22:13:20Z","Level":"Error","MessageTemplate":"no {X}","RenderedMessage":"no 1"}"#,
                (Level::Error, "no 1"),
            ),
            (
                r#"{"t":{"$date":"2023-11-14T22:13:20.000+00:00"},"s":"D2","c":"NETWORK","msg":"mongo"}"#,
                (Level::Debug, "mongo"),
            ),
            (
                r#"{"severity":"WARNING","timestamp":{"seconds":1700000000,"nanos":5},"message":"gcp"}"#,
                (Level::Warn, "gcp"),
            ),
            (
                r#"{"level":"dpanic","ts":1700000000,"msg":"zap"}"#,
                (Level::Fatal, "zap"),
            ),
            (
                r#"{"__REALTIME_TIMESTAMP":"1700000000000000","PRIORITY":"3","MESSAGE":[104,105]}"#,
                (Level::Error, "hi"),
            ),
        ] {
            let head = json_head(line.as_bytes()).unwrap();
            let told = (head.level.unwrap(), head.message.as_deref().unwrap());
            assert_eq!(
                (told, head.time),
                (wanted, Some(1_700_000_000_000)),
                "{line}"
            );
        }
        let seconds = json_head(br#"{"t":1700000000,"s":3,"MESSAGE":["a"]}"#).unwrap();
        assert_eq!((seconds.level, seconds.message), (None, None));
        let text = json_head(br#"{"pid":"12345"}"#).unwrap();
        assert_eq!(text.pid, Some(12345));
        let broken = json_head(b"{\"pid\":3,\"other\":\"\xff\"}").unwrap();
        assert_eq!(broken.pid, Some(3), "what we do not read may be broken");
        for line in [
            &b"{\"level\":\"warn\",\"event\":{\"a\":\"\xff\"},\"pid\":3}"[..],
            b"{\"level\":\"warn\",\"event\":[\"\xff\"],\"pid\":3}",
            br#"{"level":"warn","msg":"\ud83d","pid":3}"#,
        ] {
            let head = json_head(line).unwrap();
            assert_eq!(
                (head.level, head.pid, head.message),
                (Some(Level::Warn), Some(3), None),
                "{}",
                String::from_utf8_lossy(line)
            );
        }
        for none in [
            &b"[1,2]"[..],
            b"{\"pid\":1",
            b"{\"pid\":1} x",
            b"",
            b"{\"msg\":\"\xff\"}",
        ] {
            assert!(
                json_head(none).is_none(),
                "{}",
                String::from_utf8_lossy(none)
            );
        }
    }
}
