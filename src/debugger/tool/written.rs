//! Arguments as people and scripts write them: `key=value` words, whose types the table of parameters knows. Whether they fit the
//! operation is checked by [`super::arguments`].

use super::{
    parameters::{self, ParameterKind},
    row::ActionRow,
};
use crate::prelude::*;

/// Parameters that name files: what is there, seen from here, is sent as a full path, because the host works in another folder.
const PATHS: [&str; 3] = ["program", "cwd", "file"];

/// What `key=value` words say; the error is the word that is none.
pub fn pairs(words: &[String]) -> Result<Map<String, Value>, &str> {
    let mut arguments = Map::new();
    for word in words {
        let (name, text) = pair(word).ok_or(word.as_str())?;
        put(&mut arguments, name, text);
    }
    Ok(arguments)
}

/// What a line says, where words alone are what the operation requires, in its order; the error is a sentence.
pub fn line(row: &ActionRow, text: &str) -> Result<Map<String, Value>, String> {
    let mut arguments = Map::new();
    let mut alone = words::split(text)?;
    alone.retain(|word| {
        let known = pair(word).filter(|(name, _)| parameters::parameter(name).is_some());
        if let Some((name, text)) = known {
            put(&mut arguments, name, text);
        }
        known.is_none()
    });
    for word in alone {
        let mut missing = row
            .required
            .iter()
            .filter(|name| !arguments.contains_key(**name));
        let name = missing.next().ok_or_else(|| {
            let usage = usage(row);
            format!("{word:?} is neither key=value nor required: write {usage}, with quotes around blanks")
        })?;
        put(&mut arguments, name, &word);
    }
    Ok(arguments)
}

/// How an operation is written on a line.
pub fn usage(row: &ActionRow) -> String {
    let required = row.required.iter().map(|name| name.to_uppercase());
    let optional = row.optional.iter().map(|name| format!("[{name}=…]"));
    let words = [row.name.to_owned()]
        .into_iter()
        .chain(required)
        .chain(optional);
    words.joined(" ")
}

/// Makes paths full that are there.
pub fn full_paths(arguments: &mut Map<String, Value>, cwd: &Path) {
    for name in PATHS {
        if let Some(Value::String(path)) = arguments.get_mut(name) {
            let full = cwd.join(&*path);
            if let (true, Some(full)) = (full.exists(), full.to_str()) {
                full.clone_into(path);
            }
        }
    }
}

fn pair(word: &str) -> Option<(&str, &str)> {
    word.split_once('=').filter(|(name, _)| !name.is_empty())
}

/// A list may be given word by word.
fn put(arguments: &mut Map<String, Value>, name: &str, text: &str) {
    match (arguments.get_mut(name), typed(name, text)) {
        (Some(Value::Array(list)), Value::Array(more)) => list.extend(more),
        (_, value) => {
            arguments.insert(name.to_owned(), value);
        }
    }
}

/// The text as what the parameter is; a text that does not fit stays one, and the tool says what is wrong with it.
fn typed(name: &str, text: &str) -> Value {
    let read = match parameters::parameter(name).map(|parameter| parameter.kind) {
        Some(ParameterKind::Integer { .. }) => text.parse::<i64>().ok().map(Value::from),
        Some(ParameterKind::Clamped { .. }) => text.parse::<f64>().ok().map(Value::from),
        Some(ParameterKind::Flag) => text.parse::<bool>().ok().map(Value::from),
        Some(ParameterKind::TextList) => match serde_json::from_slice(text.as_bytes()) {
            Ok(list @ Value::Array(_)) => Some(list),
            _ => Some(json!([text])),
        },
        Some(ParameterKind::Object) => serde_json::from_slice(text.as_bytes()).ok(),
        Some(ParameterKind::Text | ParameterKind::OneOf(_)) | None => None,
    };
    read.unwrap_or_else(|| text.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::action;

    fn said(name: &str, text: &str) -> Result<Value, String> {
        line(action(name).unwrap(), text).map(Value::Object)
    }

    #[test]
    fn words_alone_are_what_is_required() {
        assert_eq!(
            said("set_variable", "total 3 frame_id=7"),
            Ok(json!({"name": "total", "value": "3", "frame_id": 7}))
        );
        assert_eq!(
            said("set_variable", "value='a b' total"),
            Ok(json!({"name": "total", "value": "a b"}))
        );
        // `a` is no parameter, so this is an expression.
        assert_eq!(said("evaluate", "a==b"), Ok(json!({"expression": "a==b"})));
        assert_eq!(said("threads", ""), Ok(json!({})));
        let refused = said("evaluate", "a == b").unwrap_err();
        assert!(
            refused.contains("evaluate EXPRESSION [context=…]"),
            "{refused}"
        );
        assert!(said("evaluate", "'a").is_err());
    }
}
