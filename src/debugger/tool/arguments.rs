//! What was given to an action, checked against the two tables: nothing else ever looks at the raw object.

use base::text::{beginning, nearest};
use serde::de::DeserializeOwned;

use super::{
    parameters::{self, Parameter, ParameterKind, TIMEOUT},
    row::{ActionRow, Choice},
};
use crate::prelude::*;

/// How much of a wrong value a sentence quotes, in characters.
const QUOTED: usize = 60;

/// Arguments of one action that are there and of the right kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Arguments {
    given: Map<String, Value>,
}

impl Arguments {
    /// Checks what was given; the error says what is wrong in one sentence.
    pub fn check(row: &ActionRow, given: &Map<String, Value>) -> Result<Self, String> {
        let mut kept = Map::new();
        for (name, value) in given {
            if value.is_null() {
                continue;
            }
            if name == "action" {
                // Some name the action in the arguments a second time.
                if value.as_str() != Some(row.name) {
                    return Err(format!(
                        "action is {} in the arguments, but {} was asked for",
                        beginning(&value.to_string(), QUOTED),
                        row.name
                    ));
                }
                continue;
            }
            let parameter = row
                .parameters()
                .find(|known| known == name)
                .and_then(parameters::parameter)
                .ok_or_else(|| unknown(row, name))?;
            let value = fit(row, parameter, value)?;
            if value.as_str() != Some("") || matches!(parameter.kind, ParameterKind::OneOf(_)) {
                kept.insert(name.clone(), value);
            }
        }
        let arguments = Self { given: kept };
        for name in row.required {
            if !arguments.has(name) {
                return Err(format!("{name} is required for {}", row.name));
            }
        }
        match row.choice {
            Some(choice) => arguments.check_choice(row, choice),
            None => Ok(()),
        }?;
        Ok(arguments)
    }

    fn check_choice(&self, row: &ActionRow, choice: Choice) -> Result<(), String> {
        let whole = |set: &&[&str]| set.iter().all(|name| self.has(name));
        let begun = |set: &&&[&str]| set.iter().any(|name| self.has(name));
        if choice.exclusive && choice.sets.iter().filter(begun).count() > 1 {
            return Err(format!(
                "{} takes {}, not both: they are mutually exclusive",
                row.name, choice.words
            ));
        }
        if choice.sets.iter().any(whole) {
            return Ok(());
        }
        Err(format!("{} requires {}", row.name, choice.words))
    }

    /// Whether it was given.
    pub fn has(&self, name: &str) -> bool {
        self.given.contains_key(name)
    }

    /// A text.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.given.get(name)?.as_str()
    }

    /// As the arguments of a request of the protocol, whose names are the same in another spelling.
    pub fn of_request<A: DeserializeOwned>(&self) -> Result<A> {
        let spelt = |name: &str| {
            let mut words = name.split('_');
            let first = words.next().unwrap_or_default().to_owned();
            words.fold(first, |name, word| {
                let (initial, rest) = word.split_at(word.ceil_char_boundary(1));
                name + &initial.to_uppercase() + rest
            })
        };
        let given = self.given.iter();
        let fields = given.map(|(name, value)| (spelt(name), value.clone()));
        serde_json::from_value(Value::Object(fields.collect()))
            .map_err(|error| DebuggerError::usage(error.to_string()))
    }

    /// A text that must be given.
    pub fn needed(&self, name: &str) -> String {
        self.owned(name).unwrap_or_default()
    }

    /// A text of its own.
    pub fn owned(&self, name: &str) -> Option<String> {
        self.text(name).map(str::to_owned)
    }

    /// A whole number.
    pub fn integer(&self, name: &str) -> Option<i64> {
        self.given.get(name)?.as_i64()
    }

    /// Yes or no.
    pub fn flag(&self, name: &str) -> Option<bool> {
        self.given.get(name)?.as_bool()
    }

    /// A list of texts; empty when not given.
    pub fn texts(&self, name: &str) -> Vec<String> {
        let list = self.given.get(name).and_then(Value::as_array);
        list.into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect()
    }

    /// An object.
    pub fn object(&self, name: &str) -> Option<Value> {
        self.given.get(name).cloned()
    }

    /// How long the action may take.
    pub fn timeout(&self) -> Duration {
        let [least, usual, most] = TIMEOUT.map(f64::from);
        let given = self.given.get("timeout").and_then(Value::as_f64);
        Duration::from_secs_f64(given.unwrap_or(usual).clamp(least, most))
    }
}

/// The value as its kind has it.
fn fit(row: &ActionRow, parameter: &Parameter, value: &Value) -> Result<Value, String> {
    let fits = match parameter.kind {
        ParameterKind::Text => value.is_string(),
        ParameterKind::Integer { least, most } => match whole(value) {
            Some(number) if (least..=most).contains(&number) => return Ok(number.into()),
            _ => false,
        },
        ParameterKind::Clamped { .. } => value.is_number(),
        ParameterKind::Flag => value.is_boolean(),
        ParameterKind::TextList => value
            .as_array()
            .is_some_and(|list| list.iter().all(Value::is_string)),
        ParameterKind::OneOf(words) => value.as_str().is_some_and(|word| words.contains(&word)),
        ParameterKind::Object => value.is_object(),
    };
    if fits {
        return Ok(value.clone());
    }
    let near = match (parameter.kind, value.as_str()) {
        (ParameterKind::OneOf(words), Some(word)) => {
            nearest::did_you_mean(word, words.iter().copied())
        }
        _ => String::new(),
    };
    Err(format!(
        "{} of {} must be {}, not {}{near}",
        parameter.name,
        row.name,
        parameter.kind.words(),
        beginning(&value.to_string(), QUOTED)
    ))
}

/// A whole number, however it is written: `3`, `3.0`.
fn whole(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| {
        let number = value.as_f64()?;
        // Beyond this a float no longer tells neighbours apart.
        (number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0).then_some(number as i64)
    })
}

fn unknown(row: &ActionRow, name: &str) -> String {
    let takes = row.parameters().joined(", ");
    if parameters::parameter(name).is_some() {
        return format!(
            "{name:?} is not a parameter of {}, which takes {takes}",
            row.name
        );
    }
    let near = nearest::did_you_mean(name, row.parameters());
    match near.as_str() {
        "" => format!("{name:?} is no parameter; {} takes {takes}", row.name),
        near => format!("{name:?} is no parameter of {}{near}", row.name),
    }
}
