//! Maps with numbers as keys, read back from JSON.
//!
//! JSON has only texts as keys. `serde_json` turns them back into numbers, but not inside of what serde buffers first, and the
//! tagged types here are all buffered. Use with `#[serde(deserialize_with = "super::keyed::deserialize")]`.

use std::{collections::BTreeMap, fmt, marker::PhantomData};

use serde::de::{Deserialize, Deserializer, Error, IntoDeserializer, Visitor};

/// Reads a map whose keys are numbers, or texts that say one.
pub fn deserialize<'de, D, K, V>(deserializer: D) -> Result<BTreeMap<K, V>, D::Error>
where
    D: Deserializer<'de>,
    K: Deserialize<'de> + Ord,
    V: Deserialize<'de>,
{
    let map = BTreeMap::<Key<K>, V>::deserialize(deserializer)?;
    Ok(map.into_iter().map(|(key, value)| (key.0, value)).collect())
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Key<K>(K);

impl<'de, K: Deserialize<'de>> Deserialize<'de> for Key<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Number(PhantomData)).map(Self)
    }
}

struct Number<K>(PhantomData<K>);

impl<'de, K: Deserialize<'de>> Visitor<'de> for Number<K> {
    type Value = K;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number as key")
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<K, E> {
        K::deserialize(number.into_deserializer())
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<K, E> {
        K::deserialize(number.into_deserializer())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<K, E> {
        match text.parse::<i64>() {
            Ok(number) => self.visit_i64(number),
            Err(_) => Err(E::custom(format!("the key {text:?} is no number"))),
        }
    }
}
