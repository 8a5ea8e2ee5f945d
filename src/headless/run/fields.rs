//! Values as they are printed.

use serde::{Serialize, Serializer};
use serde_with_macros::skip_serializing_none;

/// A value with its name, as the members of one object, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fields(pub Vec<(String, Field)>);

impl Serialize for Fields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, field)| (name, field)))
    }
}

/// A variable.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Field {
    /// Its type; `unknown` when not told.
    #[serde(rename = "type")]
    pub type_name: String,
    pub value: ValueField,
    /// It has parts.
    pub expandable: bool,
    /// The debugger's handle for them, good for this stop.
    pub variables_reference: i64,
    /// What it shows in one line, where its debugger does not say it.
    pub preview: Option<String>,
    /// Parts that are not told.
    pub more: Option<usize>,
    /// Characters of a text that was cut.
    pub length: Option<usize>,
    /// It is this one, which it is a part of.
    pub cycle: Option<String>,
    /// It was told in full here already.
    pub same_as: Option<String>,
}

/// A value as told.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(untagged)]
pub enum ValueField {
    /// Nothing.
    #[default]
    Null,
    /// Yes or no.
    Bool(bool),
    /// A number that is the same in JSON.
    Number(serde_json::Number),
    /// The debugger's text.
    Text(String),
    /// Parts with names.
    Object(Fields),
    /// Elements.
    Collection {
        /// The collection's type.
        #[serde(rename = "type")]
        type_name: String,
        count: usize,
        /// The first of them.
        preview: Vec<Self>,
    },
}
