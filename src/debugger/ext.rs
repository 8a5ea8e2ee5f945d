//! Extension traits: short forms of what the debugger says often of paths, JSON, lists of texts and errors.

use std::ffi::OsStr;

use serde::Serialize;
use serde_json::{Map, Value};

/// Names of files as text; what is no Unicode in them is shown as such.
pub trait Lossy {
    fn lossy(&self) -> String;
}

impl<T: AsRef<OsStr> + ?Sized> Lossy for T {
    fn lossy(&self) -> String {
        self.as_ref().to_string_lossy().into_owned()
    }
}

/// The fields of an object, where it is one and they are what is asked for.
pub trait Fields {
    fn field(&self, name: &str) -> Option<&Value>;

    fn text_of(&self, name: &str) -> Option<&str> {
        self.field(name)?.as_str()
    }

    fn integer_of(&self, name: &str) -> Option<i64> {
        self.field(name)?.as_i64()
    }
}

impl Fields for Value {
    fn field(&self, name: &str) -> Option<&Value> {
        self.get(name)
    }
}

impl Fields for Map<String, Value> {
    fn field(&self, name: &str) -> Option<&Value> {
        self.get(name)
    }
}

/// Texts as one, with something between them.
pub trait Joined {
    fn joined(self, between: &str) -> String;
}

impl<T: AsRef<str>, I: Iterator<Item = T>> Joined for I {
    fn joined(self, between: &str) -> String {
        let all: Vec<_> = self.map(|text| text.as_ref().to_owned()).collect();
        all.join(between)
    }
}

/// A clause as a sentence: with a capital at its beginning and a full stop at its end.
pub fn sentence(clause: &str) -> String {
    let mut rest = clause.chars();
    let first = rest.next().map(|c| c.to_uppercase().to_string());
    let end = if clause.ends_with('.') { "" } else { "." };
    format!("{}{}{end}", first.unwrap_or_default(), rest.as_str())
}

/// How far a line is indented, in bytes.
pub fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// What stands before the brace that closes one opened ahead of the text, and what stands behind it.
pub fn split_at_closing_brace(text: &str) -> Option<(&str, &str)> {
    let mut depth = 1_u32;
    let (end, _) = text.char_indices().find(|(_, c)| {
        depth = match c {
            '{' => depth + 1,
            '}' => depth - 1,
            _ => depth,
        };
        depth == 0
    })?;
    Some((text.get(..end)?, text.get(end + 1..)?))
}

/// A value of an enum as the name of its variant and that one's fields.
pub fn tagged(value: &impl Serialize) -> serde_json::Result<(String, Map<String, Value>)> {
    let written = match serde_json::to_value(value)? {
        Value::Object(variant) => variant.into_iter().next(),
        Value::String(name) => Some((name, Value::Null)),
        _ => None,
    };
    let (name, fields) = written.unwrap_or_default();
    let fields = match fields {
        Value::Object(fields) => fields,
        _ => Map::new(),
    };
    Ok((name, fields))
}

/// Fills an object.
pub trait Put {
    fn put(&mut self, name: &str, value: impl Into<Value>);
}

impl Put for Map<String, Value> {
    fn put(&mut self, name: &str, value: impl Into<Value>) {
        self.insert(name.to_owned(), value.into());
    }
}

/// What is asked for, or why not in words.
pub trait InWords<T> {
    fn in_words(self) -> Result<T, String>;
}

impl<T, E: ToString> InWords<T> for Result<T, E> {
    fn in_words(self) -> Result<T, String> {
        self.map_err(|error| error.to_string())
    }
}
