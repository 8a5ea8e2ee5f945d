//! JSON Schema (draft 2020-12) of each action, made from the tables.

use super::{
    parameters::{self, Parameter, ParameterKind},
    row::{ActionRow, Choice},
};
use crate::prelude::*;

const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";

/// What a row of the table takes.
pub fn of(row: &ActionRow) -> Value {
    let mut properties = Map::new();
    properties.put("action", json!({ "const": row.name }));
    for name in row.parameters() {
        if let Some(parameter) = parameters::parameter(name) {
            properties.insert(name.to_owned(), property(parameter));
        }
    }
    let mut schema = json!({
        "$schema": DRAFT,
        "title": row.name,
        "description": row.help,
        "type": "object",
        "properties": properties,
        "required": row.required,
        "additionalProperties": false,
    });
    if let (Some(choice), Some(fields)) = (row.choice, schema.as_object_mut()) {
        fields.put("anyOf", alternatives(choice));
    }
    schema
}

/// Each set as a schema; where only one may be given, the others' parameters are forbidden in it.
fn alternatives(choice: Choice) -> Value {
    let sets = choice.sets.iter().map(|set| {
        let mut one = Map::new();
        one.put("required", json!(set));
        if choice.exclusive {
            let others = choice
                .sets
                .iter()
                .filter(|other| other != &set)
                .copied()
                .flatten();
            let given: Vec<_> = others.map(|name| json!({ "required": [name] })).collect();
            one.put("not", json!({ "anyOf": given }));
        }
        Value::Object(one)
    });
    sets.collect()
}

fn property(parameter: &Parameter) -> Value {
    let mut kind = match parameter.kind {
        ParameterKind::Text => json!({ "type": "string" }),
        ParameterKind::Integer { least, most } => {
            let mut kind = json!({ "type": "integer" });
            if let Some(fields) = kind.as_object_mut() {
                if least != i64::MIN {
                    fields.put("minimum", least);
                }
                if most != i64::MAX {
                    fields.put("maximum", most);
                }
            }
            kind
        }
        // Not `minimum` and `maximum`: what lies outside is not refused.
        ParameterKind::Clamped { default, .. } => json!({ "type": "number", "default": default }),
        ParameterKind::Flag => json!({ "type": "boolean" }),
        ParameterKind::TextList => json!({ "type": "array", "items": { "type": "string" } }),
        ParameterKind::OneOf(words) => json!({ "type": "string", "enum": words }),
        ParameterKind::Object => json!({ "type": "object" }),
    };
    if let Some(fields) = kind.as_object_mut() {
        fields.put("description", parameter.help);
    }
    kind
}
