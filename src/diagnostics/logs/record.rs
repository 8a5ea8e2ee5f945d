//! What a line says: time, level, process, message.

use std::{borrow::Cow, fmt};

use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value};

use super::{
    plain::without_colours,
    time::{time_at_start, time_of_number},
};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Every step.
    Trace,
    /// For who looks for a fault.
    Debug,
    /// What happens.
    Info,
    /// What may become a fault.
    Warn,
    /// A fault.
    Error,
    /// The end.
    Fatal,
}

impl Level {
    /// All, from the mildest.
    pub const ALL: [Self; 6] = [
        Self::Trace,
        Self::Debug,
        Self::Info,
        Self::Warn,
        Self::Error,
        Self::Fatal,
    ];

    /// Its usual name in small letters.
    pub fn name(self) -> &'static str {
        match self {
            Self::Trace => "trace",
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Warn => "warn",
            Self::Error => "error",
            Self::Fatal => "fatal",
        }
    }

    /// By one of the names that programs use.
    pub fn parse(text: &str) -> Option<Self> {
        const NAMES: &[(&str, Level)] = &[
            ("trace", Level::Trace),
            ("verbose", Level::Trace),
            ("silly", Level::Trace),
            ("debug", Level::Debug),
            ("dbg", Level::Debug),
            ("info", Level::Info),
            ("information", Level::Info),
            ("inf", Level::Info),
            ("notice", Level::Info),
            ("warn", Level::Warn),
            ("warning", Level::Warn),
            ("wrn", Level::Warn),
            ("error", Level::Error),
            ("err", Level::Error),
            ("severe", Level::Error),
            ("fatal", Level::Fatal),
            ("critical", Level::Fatal),
            ("crit", Level::Fatal),
            ("alert", Level::Fatal),
            ("emerg", Level::Fatal),
            ("emergency", Level::Fatal),
            ("panic", Level::Fatal),
        ];
        NAMES
            .iter()
            .find(|(name, _)| text.eq_ignore_ascii_case(name))
            .map(|(_, level)| *level)
    }

    /// By the numbers of pino and bunyan.
    fn of_number(number: f64) -> Option<Self> {
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

/// Members that are told in columns of their own.
const COLUMNS: &[&str] = &[
    "timestamp",
    "time",
    "ts",
    "@timestamp",
    "level",
    "severity",
    "pid",
];

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
            .filter(|(name, value)| {
                let told = matches!(name.as_str(), "message" | "msg") && is_message(value);
                !told && !COLUMNS.contains(&name.as_str())
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

/// Names of the members, the usual one first.
const TIMES: &[&str] = &[
    "timestamp",
    "time",
    "ts",
    "@timestamp",
    "datetime",
    "date",
    "t",
];
const LEVELS: &[&str] = &[
    "level",
    "severity",
    "lvl",
    "loglevel",
    "log.level",
    "levelname",
];
const PIDS: &[&str] = &["pid", "process_id", "processId", "process"];
const MESSAGES: &[&str] = &["message", "msg", "event", "text", "body"];

/// Reads a line of JSON; one that is none, or is cut off, says nothing.
pub fn json_head(line: &[u8]) -> Option<Head<'_>> {
    let mut parser = serde_json::Deserializer::from_slice(line);
    let head = HeadSeed.deserialize(&mut parser).ok()?;
    parser.end().ok()?;
    Some(head)
}

struct HeadSeed;

impl<'de> DeserializeSeed<'de> for HeadSeed {
    type Value = Head<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for HeadSeed {
    type Value = Head<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut head = Head::default();
        // How far down its list the name of what we have is: the usual name wins over the others.
        let mut ranks = [usize::MAX; 4];
        while let Some(Text(key)) = map.next_key()? {
            let place =
                [TIMES, LEVELS, PIDS, MESSAGES]
                    .iter()
                    .enumerate()
                    .find_map(|(field, names)| {
                        names
                            .iter()
                            .position(|name| *name == key)
                            .map(|rank| (field, rank))
                    });
            let better =
                place.filter(|(field, rank)| ranks.get(*field).is_some_and(|known| rank <= known));
            let Some((field, rank)) = better else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            let value: Scalar<'de> = map.next_value()?;
            let found = match field {
                0 => value.time().map(|time| head.time = Some(time)),
                1 => value.level().map(|level| head.level = Some(level)),
                2 => value.pid().map(|pid| head.pid = Some(pid)),
                _ => value.text().map(|text| head.message = Some(text)),
            };
            if let (Some(()), Some(known)) = (found, ranks.get_mut(field)) {
                *known = rank;
            }
        }
        Ok(head)
    }
}

/// A key.
struct Text<'a>(Cow<'a, str>);

impl<'de> de::Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Text<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Borrowed(text)))
            }
            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(Reader)
    }
}

/// A value of one of the members that we read.
enum Scalar<'a> {
    Text(Cow<'a, str>),
    Number(f64),
    Other,
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
            Self::Text(text) => Level::parse(text),
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

impl<'de> de::Deserialize<'de> for Scalar<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
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
            fn visit_seq<A: de::SeqAccess<'de>>(
                self,
                mut items: A,
            ) -> Result<Self::Value, A::Error> {
                while items.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Scalar::Other)
            }
            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
                while members.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Scalar::Other)
            }
        }
        deserializer.deserialize_any(Reader)
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
            json_head(br#"{"timestamp":"x","level":5,"pid":"12 345","message":null}"#).unwrap();
        assert_eq!(
            odd,
            Head::default(),
            "a text that is no number is no process"
        );
        let text = json_head(br#"{"pid":"12345"}"#).unwrap();
        assert_eq!(text.pid, Some(12345));
        let broken = json_head(b"{\"pid\":3,\"other\":\"\xff\"}").unwrap();
        assert_eq!(broken.pid, Some(3), "what we do not read may be broken");
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
