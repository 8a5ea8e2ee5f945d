//! What a value means where it stands, whatever its kind.

use std::fmt;

use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// A value that can be read from anything.
pub trait Tolerant: Sized {
    /// Reads the next value; `None` when there is nothing there that could be meant.
    fn tolerant<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Self>, D::Error>;

    /// Whether writing leaves this field out.
    fn is_absent(&self) -> bool {
        false
    }
}

/// What the kinds of a value mean where it stands: nothing, unless it is said here.
pub trait Meaning<'de>: Sized {
    type Value;

    fn scalar(self, _scalar: Scalar<'_>) -> Option<Self::Value> {
        None
    }

    fn list<A: SeqAccess<'de>>(self, mut list: A) -> Result<Option<Self::Value>, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }

    fn object<A: MapAccess<'de>>(self, mut map: A) -> Result<Option<Self::Value>, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(None)
    }
}

/// Reads any value for its meaning.
pub struct Reader<M>(pub M);

impl<'de, M: Meaning<'de>> Visitor<'de> for Reader<M> {
    type Value = Option<M::Value>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Self::Value, E> {
        Ok(self.0.scalar(Scalar::Flag(flag)))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(self.0.scalar(Scalar::Integer(number)))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        let scalar = i64::try_from(number).map_or(Scalar::Float(number as f64), Scalar::Integer);
        Ok(self.0.scalar(scalar))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
        Ok(self.0.scalar(Scalar::Float(number)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(self.0.scalar(Scalar::Text(text)))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
        self.0.list(list)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        self.0.object(map)
    }
}

/// Any value without parts.
#[derive(Clone, Copy)]
pub enum Scalar<'t> {
    Flag(bool),
    Integer(i64),
    Float(f64),
    Text(&'t str),
}
