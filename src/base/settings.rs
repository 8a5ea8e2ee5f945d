//! What a person can set: a row each, in a table that stands where the record is that it fills; and how values are read.

use std::{fmt::Display, str::FromStr, time::Duration};

use serde::de::DeserializeOwned;
use toml::de::DeValue;

/// A record of settings. Each row has its key, an example in TOML (the default where there is one) and what it is about; the field and what
/// it is unless it is set; and how the file's entry is read. Behind the rows is what is no setting of one line.
#[macro_export]
macro_rules! settings {
    (
        $(#[$about:meta])*
        pub struct $name:ident, $entry:ident {
            $($key:literal $example:literal $says:literal => $field:ident: $type:ty = $default:expr, $read:expr;)*
        }
        $($(#[$told:meta])* $other:ident: $kind:ty;)*
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name {
            $(#[doc = $says] pub $field: $type,)*
            $($(#[$told])* pub $other: $kind,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)* $($other: Default::default(),)* }
            }
        }

        impl $name {
            /// Key, example and words of each row, in the order of the sample file.
            pub const ROWS: &[(&str, &str, &str)] = &[$(($key, $example, $says)),*];

            /// Sets what an entry is of; whether that is here.
            pub fn set(&mut self, $entry: $crate::settings::Entry<'_>) -> Result<bool, String> {
                match $entry.key {
                    $($key => self.$field = $read?,)*
                    _ => return Ok(false),
                }
                Ok(true)
            }
        }
    };
}

/// An entry of the file. What it cannot be is refused with a sentence.
#[derive(Clone, Copy)]
pub struct Entry<'a> {
    pub key: &'a str,
    pub value: &'a DeValue<'a>,
}

impl<'a> Entry<'a> {
    fn must<T>(self, read: Option<T>, be: &str) -> Result<T, String> {
        read.ok_or_else(|| format!("`{}` is {be}, not {}", self.key, a(self.value)))
    }

    /// Yes or no.
    pub fn flag(self) -> Result<bool, String> {
        self.must(self.value.as_bool(), "true or false")
    }

    pub fn text(self) -> Result<&'a str, String> {
        self.must(self.value.as_str(), "a text in quotes")
    }

    /// What a text stands for.
    pub fn parsed<T: FromStr<Err: Display>>(self) -> Result<T, String> {
        self.text()?
            .parse()
            .map_err(|error: T::Err| error.to_string())
    }

    /// What each text of a list stands for.
    pub fn list<T: FromStr<Err: Display>>(self) -> Result<Vec<T>, String> {
        let list = self.must(self.value.as_array(), "a list of texts")?;
        let each = list.iter().map(|one| Entry {
            value: one.get_ref(),
            ..self
        });
        each.map(Entry::parsed).collect()
    }

    /// One of a few words.
    pub fn one_of<T: DeserializeOwned>(self, words: &str) -> Result<T, String> {
        let given = self.text()?;
        serde_json::from_value(given.into())
            .map_err(|_unknown| format!("`{}` cannot be {given:?}: write {words}", self.key))
    }

    /// A time in seconds.
    pub fn seconds(self) -> Result<Duration, String> {
        let number = match self.value {
            DeValue::Integer(n) => n.as_str(),
            DeValue::Float(n) => n.as_str(),
            _ => "",
        };
        let number: f64 = self.must(number.parse().ok(), "a number of seconds")?;
        if (0.1..=86_400.0).contains(&number) {
            return Ok(Duration::from_secs_f64(number));
        }
        Err(format!(
            "`{}` is a number of seconds from 0.1 to 86400, and not {number}",
            self.key
        ))
    }
}

/// What kind of value it is, as one says it.
pub fn a(value: &DeValue<'_>) -> String {
    match value.type_str() {
        word if word.starts_with(['a', 'i', 'o']) => format!("an {word}"),
        word => format!("a {word}"),
    }
}
