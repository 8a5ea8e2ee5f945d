//! Arguments of an action as they are written on a command line: JSON, `-` for JSON on standard input, or `key=value` words
//! ([`written`]). Whether they fit the action is checked by the tool.

use std::{io::Read, path::Path};

use serde_json::{Map, Value};

use base::text::sanitise::sanitise;
use debugger::tool::{ActionRow, written};

/// Bytes of JSON that are read from standard input.
const LONGEST_INPUT: u64 = 4 * 1024 * 1024;
/// Characters quoted on either side of what is wrong.
const AROUND: usize = 30;

/// Reads the words behind the action; the error is a sentence.
pub(super) fn read(
    row: &ActionRow,
    words: &[String],
    cwd: &Path,
    input: &mut dyn Read,
) -> Result<Map<String, Value>, String> {
    let mut arguments = match words {
        [] => Map::new(),
        [word] if word == "-" => {
            let mut text = String::new();
            let read = input.take(LONGEST_INPUT).read_to_string(&mut text);
            read.map_err(|e| format!("the arguments cannot be read from standard input: {e}"))?;
            object(&text)?
        }
        [word] if !word.contains('=') || word.trim_start().starts_with(['{', '[']) => {
            if word.trim_start().starts_with(['{', '[', '"']) {
                object(word)?
            } else {
                return Err(neither(row, word));
            }
        }
        words => written::pairs(words).map_err(|word| neither(row, word))?,
    };
    written::full_paths(&mut arguments, cwd);
    Ok(arguments)
}

fn neither(row: &ActionRow, word: &str) -> String {
    format!(
        "{word:?} is neither JSON in braces nor key=value; `omp-debug call --schema {}` shows what it takes",
        row.name
    )
}

fn object(text: &str) -> Result<Map<String, Value>, String> {
    match serde_json::from_str(text) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(other) => Err(format!(
            "the arguments must be an object like {{\"line\": 7}}, not {}",
            sanitise(&other.to_string())
        )),
        Err(error) => Err(format!(
            "the arguments are not JSON: {error}, at {}",
            place(text, error.line(), error.column())
        )),
    }
}

/// What stands around a place, with a mark at it.
fn place(text: &str, line: usize, column: usize) -> String {
    let line = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
    // Columns count bytes, from 1, and point behind what was read.
    let at = line.floor_char_boundary(column.saturating_sub(1));
    let (before, after) = line.split_at(at);
    let start = before
        .char_indices()
        .rev()
        .nth(AROUND)
        .map_or(0, |(index, _)| index);
    let before = before.get(start..).unwrap_or_default();
    let after: String = after.chars().take(AROUND).collect();
    format!("{} ⟶ {}", sanitise(before), sanitise(&after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use debugger::tool::table;
    use serde_json::json;

    fn given(action: &str, words: &[&str]) -> Result<Value, String> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let mut input = &br#"{"line": 3}"#[..];
        read(
            table::action(action).unwrap(),
            &words,
            Path::new("/nonexistent"),
            &mut input,
        )
        .map(Value::Object)
    }

    #[test]
    fn three_ways_to_write_the_same() {
        assert_eq!(given("threads", &[]), Ok(json!({})));
        assert_eq!(given("set_breakpoint", &["-"]), Ok(json!({"line": 3})));
        assert_eq!(
            given("set_breakpoint", &[r#"{"file": "a=b.py", "line": 3}"#]),
            Ok(json!({"file": "a=b.py", "line": 3}))
        );
        assert_eq!(
            given(
                "set_breakpoint",
                &["file=a.py", "line=3", "condition=x == 7", "timeout=2.5"]
            ),
            Ok(json!({"file": "a.py", "line": 3, "condition": "x == 7", "timeout": 2.5}))
        );
        assert_eq!(
            given("launch", &["program=x", "args=--a", "args=b c"]),
            Ok(json!({"program": "x", "args": ["--a", "b c"]}))
        );
        assert_eq!(
            given("launch", &["program=x", r#"args=["1","2"]"#]),
            Ok(json!({"program": "x", "args": ["1", "2"]}))
        );
        // What does not fit is left to the tool, whose sentence quotes it.
        assert_eq!(
            given("set_breakpoint", &["line=three"]),
            Ok(json!({"line": "three"}))
        );
    }

    #[test]
    fn what_is_wrong_is_quoted_with_its_place() {
        let error = given("threads", &[r#"{"file": "a.py", line: 3}"#]).unwrap_err();
        assert!(error.contains("line 1 column 18"), "{error}");
        assert!(error.contains(r#"{"file": "a.py",  ⟶ line: 3}"#), "{error}");
        assert!(given("threads", &["[1]"]).unwrap_err().contains("not [1]"));
        let error = given("threads", &["quick"]).unwrap_err();
        assert!(
            error.contains("\"quick\" is neither") && error.contains("--schema threads"),
            "{error}"
        );
        assert!(
            given("threads", &["a=1", "=2"])
                .unwrap_err()
                .contains("\"=2\"")
        );
        assert!(given("threads", &["{\"é\u{1b}"]).unwrap_err().contains('␛'));
    }
}
