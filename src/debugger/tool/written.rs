//! Arguments as people and scripts write them: `key=value` words, whose types the table of parameters knows. Whether they fit the
//! operation is checked by [`super::arguments`].

use base::text::words;

use super::{
    parameters::{self, Kind},
    row::ActionRow,
};
use crate::prelude::*;

/// Parameters that name files: what is there, seen from here, is sent as a full path, because the host works in another folder.
const PATHS: [&str; 3] = ["program", "cwd", "file"];

/// What `key=value` words say; the error is the word that is none.
pub fn pairs(words: &[String]) -> Result<Map<String, Value>, &str> {
    let mut arguments: Map<String, Value> = Map::new();
    for word in words {
        let (name, text) = pair(word).ok_or(word.as_str())?;
        let value = typed(name, text);
        // A list may be given word by word.
        match (arguments.get_mut(name), value) {
            (Some(Value::Array(list)), Value::Array(more)) => list.extend(more),
            (_, value) => {
                arguments.insert(name.to_owned(), value);
            }
        }
    }
    Ok(arguments)
}

/// What a line says, where words alone are what the operation requires, in its order; the error is a sentence.
pub fn line(row: &ActionRow, text: &str) -> Result<Map<String, Value>, String> {
    let is_known =
        |word: &str| pair(word).is_some_and(|(name, _)| parameters::parameter(name).is_some());
    let mut words = words::split(text)?;
    let named: Vec<_> = words
        .iter()
        .filter(|word| is_known(word))
        .cloned()
        .collect();
    let is_named = |name: &str| {
        named
            .iter()
            .any(|word| pair(word).is_some_and(|(n, _)| n == name))
    };
    let mut missing = row.required.iter().filter(|name| !is_named(name));
    for word in words.iter_mut().filter(|word| !is_known(word)) {
        if let Some(name) = missing.next() {
            *word = format!("{name}={word}");
        }
    }
    pairs(&words).map_err(|word| {
        format!(
            "{word:?} is neither key=value nor required: write {}, with quotes around blanks",
            usage(row)
        )
    })
}

/// How an operation is written on a line.
pub fn usage(row: &ActionRow) -> String {
    let required = row.required.iter().map(|name| name.to_uppercase());
    let optional = row.optional.iter().map(|name| format!("[{name}=…]"));
    let words = [row.name.to_owned()]
        .into_iter()
        .chain(required)
        .chain(optional);
    words.collect::<Vec<_>>().join(" ")
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

/// The text as what the parameter is; a text that does not fit stays one, and the tool says what is wrong with it.
fn typed(name: &str, text: &str) -> Value {
    let read = match parameters::parameter(name).map(|parameter| parameter.kind) {
        Some(Kind::Integer { .. }) => text.parse::<i64>().ok().map(Value::from),
        Some(Kind::Clamped { .. }) => text.parse::<f64>().ok().map(Value::from),
        Some(Kind::Flag) => text.parse::<bool>().ok().map(Value::from),
        Some(Kind::TextList) => match serde_json::from_str(text) {
            Ok(list @ Value::Array(_)) => Some(list),
            _ => Some(json!([text])),
        },
        Some(Kind::Object) => serde_json::from_str(text).ok(),
        Some(Kind::Text | Kind::OneOf(_)) | None => None,
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
