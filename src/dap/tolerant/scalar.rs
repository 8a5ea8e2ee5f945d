//! Values without parts: numbers, flags, texts, identifiers.

use std::fmt;

use base::text::amount::size;
use serde::{
    de::Deserializer,
    ser::{Serialize, Serializer},
};

use super::meaning::{Meaning, Reader, Scalar, Tolerant};

/// What such a value means to a function; lists and objects mean nothing.
struct Plain<F>(F);

impl<T, F: FnOnce(Scalar<'_>) -> Option<T>> Meaning<'_> for Plain<F> {
    type Value = T;

    fn scalar(self, scalar: Scalar<'_>) -> Option<T> {
        (self.0)(scalar)
    }
}

fn read<'de, T, D: Deserializer<'de>>(
    deserializer: D,
    meaning: impl FnOnce(Scalar<'_>) -> Option<T>,
) -> Result<Option<T>, D::Error> {
    deserializer.deserialize_any(Reader(Plain(meaning)))
}

/// Bytes kept of a value.
const MOST_OF_VALUE: usize = 1 << 20;
/// Bytes of them for what is said of the rest, so that what was cut once is not cut again when it is passed on.
const TAIL: usize = 64;

/// Reads a value of the debuggee as it is shown. Of a huge one only the beginning is ever copied out of its message, since everyone
/// who follows a session keeps what comes out of here.
pub fn read_value<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let value = read(deserializer, |scalar| {
        Some(match scalar {
            Scalar::Text(text) => beginning(text).unwrap_or_else(|| text.to_owned()),
            other => text_of(other),
        })
    });
    Ok(value?.unwrap_or_default())
}

/// The same of a value that was read whole.
pub fn bounded(value: String) -> String {
    beginning(&value).unwrap_or(value)
}

/// Of a text that is too long what is kept of it.
fn beginning(text: &str) -> Option<String> {
    let head = text.get(..text.floor_char_boundary(MOST_OF_VALUE - TAIL));
    let head = head.filter(|_| text.len() > MOST_OF_VALUE)?;
    Some(format!("{head}… ({} in all)", size(text.len() as u64)))
}

/// Whether a value that came by [`read_value`] is only the beginning of one.
pub fn is_cut(value: &str) -> bool {
    value.len() > MOST_OF_VALUE - 2 * TAIL && value.ends_with(" in all)")
}

/// The integer a float stands for, when it is one that an `i64` can hold exactly enough.
fn integer_from_float(number: f64) -> Option<i64> {
    (number.is_finite() && number.abs() < 9.2e18).then_some(number.round() as i64)
}

impl Tolerant for i64 {
    fn tolerant<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Self>, D::Error> {
        read(deserializer, |scalar| match scalar {
            Scalar::Integer(number) => Some(number),
            Scalar::Float(number) => integer_from_float(number),
            Scalar::Text(text) => {
                let text = text.trim();
                text.parse()
                    .ok()
                    .or_else(|| text.parse().ok().and_then(integer_from_float))
            }
            Scalar::Flag(_) => None,
        })
    }
}

impl Tolerant for f64 {
    fn tolerant<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Self>, D::Error> {
        let number = read(deserializer, |scalar| match scalar {
            Scalar::Integer(number) => Some(number as Self),
            Scalar::Float(number) => Some(number),
            Scalar::Text(text) => text.trim().parse().ok(),
            Scalar::Flag(_) => None,
        });
        Ok(number?.filter(|number| number.is_finite()))
    }
}

impl Tolerant for bool {
    fn tolerant<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Self>, D::Error> {
        read(deserializer, |scalar| match scalar {
            Scalar::Flag(flag) => Some(flag),
            Scalar::Integer(number) => Some(number != 0),
            Scalar::Text(text) if text.eq_ignore_ascii_case("true") => Some(true),
            Scalar::Text(text) if text.eq_ignore_ascii_case("false") => Some(false),
            Scalar::Text(_) | Scalar::Float(_) => None,
        })
    }
}

impl Tolerant for String {
    fn tolerant<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Self>, D::Error> {
        read(deserializer, |scalar| Some(text_of(scalar)))
    }
}

fn text_of(scalar: Scalar<'_>) -> String {
    match scalar {
        Scalar::Text(text) => text.to_owned(),
        Scalar::Integer(number) => number.to_string(),
        Scalar::Float(number) => number.to_string(),
        Scalar::Flag(flag) => flag.to_string(),
    }
}

/// An identifier that adapters give as a number or as a string, and that we only compare and hand back.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Id {
    Number(i64),
    /// As a string.
    Text(String),
}

impl Default for Id {
    fn default() -> Self {
        Self::Number(0)
    }
}

impl fmt::Display for Id {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(formatter),
            Self::Text(text) => text.fmt(formatter),
        }
    }
}

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number(number) => serializer.serialize_i64(*number),
            Self::Text(text) => serializer.serialize_str(text),
        }
    }
}

impl Tolerant for Id {
    fn tolerant<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Self>, D::Error> {
        read(deserializer, |scalar| match scalar {
            Scalar::Integer(number) => Some(Self::Number(number)),
            Scalar::Float(number) => integer_from_float(number).map(Self::Number),
            Scalar::Text(text) => Some(Self::Text(text.to_owned())),
            Scalar::Flag(_) => None,
        })
    }
}
