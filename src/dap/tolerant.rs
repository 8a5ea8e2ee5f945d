//! Reading what adapters really send: the protocol's records with every field forgiven.
//!
//! The rules, one pass over the text and no intermediate tree:
//! - absent, `null` and unusable are the same: the field keeps its default and its neighbours are not lost;
//! - a number may be an integer, a float or a numeric string; a flag may also be 0, 1, "true" or "false"; a text may be
//!   a number or a flag;
//! - one unusable element of a list is skipped; unknown fields are ignored; of a field that comes twice the last wins.
//!
//! [`record!`] and [`open_enum!`] generate a type, its reading and its writing from one table row per field; `by` names a reader
//! other than [`read_field`]. Only text
//! that is not JSON at all is an error, and a body that is not an object where a record is expected.

mod meaning;
mod scalar;

use std::{collections::BTreeMap, fmt, marker::PhantomData};

use meaning::{Meaning, Reader, Scalar};
use serde::{
    de::{Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor},
    ser::{SerializeMap, Serializer},
};
use serde_json::{Map, Value};

pub use meaning::Tolerant;
pub use scalar::{Id, bounded, is_cut, read_value};

/// A JSON object with known properties; implemented by [`record!`].
pub trait Record: Default {
    /// The type's name, for messages.
    const NAME: &'static str;
    /// The properties by their names on the wire, alternative spellings included.
    const PROPERTIES: &'static [&'static str];

    /// Reads the value of one of [`Self::PROPERTIES`] into its field.
    fn read<'de, D: Deserializer<'de>>(&mut self, property: &str, value: D)
    -> Result<(), D::Error>;

    /// Writes all fields that are present.
    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error>;

    /// What a bare string in the place of this record means, if anything.
    fn from_text(_text: &str) -> Option<Self> {
        None
    }
}

/// A name as the protocol writes it: as it is given, or else as ours (see [`Name`]).
macro_rules! wire_name {
    ($name:ident) => {{
        const NAME: &$crate::tolerant::Name = &$crate::tolerant::Name::of(stringify!($name));
        NAME.as_str()
    }};
    ($name:ident = $given:literal) => {
        $given
    };
}

macro_rules! record {
    ($( $(#[$meta:meta])* $name:ident $(from text $text_field:ident)? { $(
        $(#[$field_meta:meta])* $field:ident: $type:ty $(= $key:literal $(| $alias:literal)* $(by $reader:ident)?)?,
    )* } )*) => {$(
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $name { $( $(#[$field_meta])* pub $field: $type, )* }

        $crate::tolerant::record!(@read $name $(from text $text_field)? {
            $( $field $(= $key $(| $alias)* $(by $reader)?)?, )*
        });

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $crate::tolerant::write_record(self, serializer)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::tolerant::read_record(deserializer)
            }
        }

        impl $crate::tolerant::Tolerant for $name {
            fn tolerant<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Self>, D::Error> {
                $crate::tolerant::read_record_if_any(deserializer)
            }
        }
    )*};
    // The part that is the same for a record with reading rules of its own.
    (@read $name:ident $(from text $text_field:ident)? {
        $( $field:ident $(= $key:literal $(| $alias:literal)* $(by $reader:ident)?)?, )*
    }) => {
        impl $crate::tolerant::Record for $name {
            const NAME: &'static str = stringify!($name);
            const PROPERTIES: &'static [&'static str] = &[
                $( $crate::tolerant::wire_name!($field $(= $key)?), $($($alias,)*)? )*
            ];

            #[allow(clippy::needless_pass_by_ref_mut, unused_variables, reason = "a record may have no fields")]
            fn read<'de, D: serde::Deserializer<'de>>(&mut self, property: &str, value: D) -> Result<(), D::Error> {
                $( if property == $crate::tolerant::wire_name!($field $(= $key)?) $($(|| property == $alias)*)? {
                    self.$field = $crate::tolerant::record!(@reader $($($reader)?)?)(value)?;
                    return Ok(());
                } )*
                <serde::de::IgnoredAny as serde::Deserialize>::deserialize(value).map(drop)
            }

            #[allow(unused_variables, reason = "a record may have no fields")]
            fn write<M: serde::ser::SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
                $( if !$crate::tolerant::Tolerant::is_absent(&self.$field) {
                    map.serialize_entry($crate::tolerant::wire_name!($field $(= $key)?), &self.$field)?;
                } )*
                Ok(())
            }

            $( fn from_text(text: &str) -> Option<Self> {
                Some(Self { $text_field: Some(text.to_owned()), ..Self::default() })
            } )?
        }
    };
    (@reader) => { $crate::tolerant::read_field };
    (@reader $reader:ident) => { $crate::tolerant::$reader };
}

macro_rules! open_enum {
    ($( $(#[$meta:meta])* $name:ident { $( $(#[$variant_meta:meta])* $variant:ident $(= $text:literal)?, )* } )*) => {$(
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub enum $name {
            $( $(#[$variant_meta])* $variant, )*
            /// A value the protocol does not name, as the adapter wrote it; empty when it wrote none.
            Other(String),
        }

        impl $name {
            /// The value as it is on the wire.
            pub fn as_str(&self) -> &str {
                match self {
                    $( Self::$variant => $crate::tolerant::wire_name!($variant $(= $text)?), )*
                    Self::Other(text) => text,
                }
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                $( if text == $crate::tolerant::wire_name!($variant $(= $text)?) {
                    return Self::$variant;
                } )*
                Self::Other(text.to_owned())
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::Other(String::new())
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str(self.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::tolerant::read_field(deserializer)
            }
        }

        impl $crate::tolerant::Tolerant for $name {
            fn tolerant<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Self>, D::Error> {
                let text: Option<String> = $crate::tolerant::Tolerant::tolerant(deserializer)?;
                Ok(text.map(|text| Self::from(text.as_str())))
            }
        }
    )*};
}

pub(crate) use {open_enum, record, wire_name};

/// A name of ours in the protocol's spelling: `thread_id` is `threadId`, `StepIn` is `stepIn`.
pub struct Name {
    letters: [u8; Self::LONGEST],
    length: usize,
}

impl Name {
    const LONGEST: usize = 64;

    #[expect(
        clippy::indexing_slicing,
        reason = "a const cannot use an iterator, and fails where it is built"
    )]
    pub const fn of(ours: &str) -> Self {
        let (ours, mut from, mut is_first) = (ours.as_bytes(), 0, false);
        let mut name = Self {
            letters: [0; Self::LONGEST],
            length: 0,
        };
        while from < ours.len() {
            let letter = ours[from];
            if letter != b'_' {
                name.letters[name.length] = match name.length {
                    0 => letter.to_ascii_lowercase(),
                    _ if is_first => letter.to_ascii_uppercase(),
                    _ => letter,
                };
                name.length += 1;
            }
            is_first = letter == b'_';
            from += 1;
        }
        name
    }

    pub const fn as_str(&self) -> &str {
        match std::str::from_utf8(self.letters.split_at(self.length).0) {
            Ok(name) => name,
            Err(_) => "",
        }
    }
}

/// Reads one field, falling back to its default.
pub fn read_field<'de, T: Tolerant + Default, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    Ok(T::tolerant(deserializer)?.unwrap_or_default())
}

/// Reads a record where one is required: `null` is its default, anything but an object is an error.
pub fn read_record<'de, R: Record, D: Deserializer<'de>>(deserializer: D) -> Result<R, D::Error> {
    deserializer.deserialize_any(RecordVisitor(PhantomData))
}

/// Reads a record where anything may stand.
pub fn read_record_if_any<'de, R: Record, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<R>, D::Error> {
    deserializer.deserialize_any(Reader(Fields(PhantomData)))
}

/// Writes the fields of a record that are present.
pub fn write_record<R: Record, S: Serializer>(
    record: &R,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    record.write(&mut map)?;
    map.end()
}

struct RecordVisitor<R>(PhantomData<R>);

impl<'de, R: Record> Visitor<'de> for RecordVisitor<R> {
    type Value = R;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "an object ({})", R::NAME)
    }

    fn visit_unit<E>(self) -> Result<R, E> {
        Ok(R::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<R, A::Error> {
        read_fields(map)
    }
}

fn read_fields<'de, R: Record, A: MapAccess<'de>>(mut map: A) -> Result<R, A::Error> {
    let mut record = R::default();
    while let Some(property) = map.next_key_seed(PropertySeed(R::PROPERTIES))? {
        match property {
            Some(property) => map.next_value_seed(ValueSeed {
                record: &mut record,
                property,
            })?,
            None => {
                map.next_value::<IgnoredAny>()?;
            }
        }
    }
    Ok(record)
}

/// Finds a key among the known properties without allocating.
struct PropertySeed(&'static [&'static str]);

impl<'de> DeserializeSeed<'de> for PropertySeed {
    type Value = Option<&'static str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for PropertySeed {
    type Value = Option<&'static str>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a property name")
    }

    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        Ok(self.0.iter().find(|property| **property == key).copied())
    }
}

struct ValueSeed<'a, R> {
    record: &'a mut R,
    property: &'static str,
}

impl<'de, R: Record> DeserializeSeed<'de> for ValueSeed<'_, R> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.record.read(self.property, deserializer)
    }
}

/// A record.
struct Fields<R>(PhantomData<R>);

impl<'de, R: Record> Meaning<'de> for Fields<R> {
    type Value = R;

    fn scalar(self, scalar: Scalar<'_>) -> Option<R> {
        match scalar {
            Scalar::Text(text) => R::from_text(text),
            _ => None,
        }
    }

    fn object<A: MapAccess<'de>>(self, map: A) -> Result<Option<R>, A::Error> {
        read_fields(map).map(Some)
    }
}

impl Tolerant for Value {
    fn tolerant<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Self>, D::Error> {
        let value: Self = Deserialize::deserialize(deserializer)?;
        Ok(Some(value).filter(|value| !value.is_null()))
    }
}

impl Tolerant for Map<String, Value> {
    fn tolerant<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Self>, D::Error> {
        Ok(match Value::tolerant(deserializer)? {
            Some(Value::Object(map)) => Some(map),
            _ => None,
        })
    }
}

impl<T: Tolerant> Tolerant for Option<T> {
    fn tolerant<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Self>, D::Error> {
        T::tolerant(deserializer).map(Some)
    }

    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

/// One element of a list or map.
struct Element<T>(Option<T>);

impl<'de, T: Tolerant> Deserialize<'de> for Element<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::tolerant(deserializer).map(Self)
    }
}

impl<'de, T: Tolerant> Meaning<'de> for Vec<T> {
    type Value = Self;

    fn list<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<Option<Self>, A::Error> {
        while let Some(Element(element)) = list.next_element()? {
            self.extend(element);
        }
        Ok(Some(self))
    }
}

impl<T: Tolerant> Tolerant for Vec<T> {
    fn tolerant<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Self>, D::Error> {
        deserializer.deserialize_any(Reader(Self::new()))
    }
}

impl<'de, T: Tolerant> Meaning<'de> for BTreeMap<String, T> {
    type Value = Self;

    fn object<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Option<Self>, A::Error> {
        while let Some((key, Element(value))) = map.next_entry()? {
            self.extend(value.map(|value| (key, value)));
        }
        Ok(Some(self))
    }
}

impl<T: Tolerant> Tolerant for BTreeMap<String, T> {
    fn tolerant<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Self>, D::Error> {
        deserializer.deserialize_any(Reader(Self::new()))
    }
}
