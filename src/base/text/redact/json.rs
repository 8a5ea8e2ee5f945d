//! Walking JSON: members are judged by their names, texts by what is in them.

use serde_json::{Map, Value};

use super::{
    kind::SecretKind,
    names::{self, Sensitivity, sensitivity},
    redactor::Redactor,
};

/// Members that hold the name of what `value` holds: variables, headers, environment lists.
const NAMING: &[&str] = &["name", "key", "header", "variable"];

impl Redactor {
    /// Every text and every sensitive number of a JSON value.
    pub fn redact_json(&self, value: &mut Value) {
        walk(self, None, value);
    }

    /// Arguments of a command line.
    pub fn redact_list(&self, arguments: &mut [String]) {
        let mut option = None;
        for argument in arguments {
            let name = std::mem::replace(&mut option, option_name(argument));
            *argument = self.redact_value(name.as_deref(), argument).into_owned();
        }
    }
}

/// The name of an option whose value is the next argument.
fn option_name(argument: &str) -> Option<String> {
    let name = argument.strip_prefix("--")?;
    (!name.contains(['=', ' '])).then(|| name.to_owned())
}

pub fn walk(redactor: &Redactor, name: Option<&str>, value: &mut Value) {
    match value {
        Value::String(text) => {
            if let std::borrow::Cow::Owned(clean) = redactor.redact_value(name, text) {
                *text = clean;
            }
        }
        Value::Number(number) => {
            if name.is_some_and(|name| sensitivity(name) == Sensitivity::Strong) {
                *value = Value::String(redactor.replacement(&number.to_string(), SecretKind::Name));
            }
        }
        Value::Array(items) => walk_list(redactor, name, items),
        Value::Object(members) => walk_members(redactor, name, members),
        Value::Null | Value::Bool(_) => {}
    }
}

/// In a list of arguments the item behind `--token` is the token.
fn walk_list(redactor: &Redactor, name: Option<&str>, items: &mut [Value]) {
    let mut option: Option<String> = None;
    for item in items {
        let as_option = option.take();
        if let Value::String(text) = &*item {
            option = option_name(text);
        }
        walk(redactor, as_option.as_deref().or(name), item);
    }
}

fn walk_members(redactor: &Redactor, name: Option<&str>, members: &mut Map<String, Value>) {
    let named = members
        .contains_key("value")
        .then(|| {
            NAMING
                .iter()
                .find_map(|naming| members.get(*naming).and_then(Value::as_str))
        })
        .flatten()
        .map(str::to_owned);
    // A secret may be made of parts (`credentials: {user, key}`).
    let inherited = name.filter(|name| sensitivity(name) == Sensitivity::Strong);
    for (member, value) in members.iter_mut() {
        let known_as = match (&named, inherited) {
            (Some(named), _) if member == "value" => named.as_str(),
            (_, Some(inherited))
                if sensitivity(member) == Sensitivity::None && !names::is_description(member) =>
            {
                inherited
            }
            _ => member,
        };
        // A number that a secret's part holds counts something.
        let known_as = if value.is_number() && inherited.is_some() {
            member
        } else {
            known_as
        };
        walk(redactor, Some(known_as), value);
    }
    let has_secret_name = members.keys().any(|key| redactor.finds(key));
    if has_secret_name {
        *members = std::mem::take(members)
            .into_iter()
            .map(|(key, value)| (redactor.redact(&key).into_owned(), value))
            .collect();
    }
}
