//! Lists of JSON whose items are taken up while they are read: none of them is ever there as a whole.

use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error as _, SeqAccess, Visitor};

/// A list, as an error calls it, and what takes its items or says what is wrong with one.
pub struct Each<'a, T>(
    pub &'static str,
    pub &'a mut dyn FnMut(T) -> Result<(), String>,
);

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for Each<'_, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for Each<'_, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(item) = list.next_element()? {
            (self.1)(item).map_err(A::Error::custom)?;
        }
        Ok(())
    }
}
