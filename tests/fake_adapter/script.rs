//! A strict conversation from a file, one step a line:
//!
//! ```text
//! # a comment
//! < setBreakpoints {"breakpoints":[{"line":3}]}   the next request must be this, with these arguments
//! > response {"breakpoints":[]}                   answers the request before
//! > failure "text"                                fails it
//! > event stopped {"reason":"step"}               sends an event
//! > request runInTerminal {"args":["x"]}          sends a reverse request
//! < response runInTerminal                        and waits for its answer
//! > raw "Content-Length: 9\r\n\r\n{"              bytes, as a JSON string
//! ! exit 3                                        ends the process
//! ! eof                                           waits for the client to close
//! ```
//!
//! Arguments in the script must all be there; the client may send more. Whatever else arrives
//! ends the process with code 97 and the reason on standard error.

use std::path::Path;
use std::sync::mpsc::Receiver;

use serde_json::{Value, json};

use crate::wire::Output;
use crate::{Input, next_input};

pub fn run(path: &Path, input: &Receiver<Input>, mut output: Output) {
    let text = std::fs::read_to_string(path).unwrap();
    let mut request = Value::Null;
    for (index, line) in text.lines().enumerate() {
        let fail = |why: String| -> ! {
            eprintln!("script line {}: {line}\n  {why}", index + 1);
            std::process::exit(97);
        };
        let line = line.trim();
        let (Some(mark), rest) = (line.chars().next(), line.get(1..).unwrap_or("").trim()) else {
            continue;
        };
        let (word, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        let json = |text: &str| match text.trim() {
            "" => Value::Null,
            text => serde_json::from_str(text)
                .unwrap_or_else(|error| fail(format!("{text:?} is not JSON: {error}"))),
        };
        let named = || {
            let (name, rest) = rest.split_once(' ').unwrap_or((rest, ""));
            (name.to_owned(), json(rest))
        };
        match (mark, word) {
            ('#', _) => {}
            ('<', "response") => {
                let (command, _) = named();
                let frame = expect(input).unwrap_or_else(|why| fail(why));
                if frame["type"] != "response" || frame["command"] != command.as_str() {
                    fail(format!("got {frame}"));
                }
            }
            ('<', command) => {
                request = expect(input).unwrap_or_else(|why| fail(why));
                let wanted = json(rest);
                if request["command"] != command || !contains(&request["arguments"], &wanted) {
                    fail(format!("got {request}"));
                }
            }
            ('>', "response") => output.message(json!({"type": "response", "success": true,
                "request_seq": request["seq"], "command": request["command"], "body": json(rest)})),
            ('>', "failure") => output.message(json!({"type": "response", "success": false,
                "request_seq": request["seq"], "command": request["command"],
                "message": json(rest)})),
            ('>', "event") => {
                let (event, body) = named();
                output.event(&event, &body);
            }
            ('>', "request") => {
                let (command, arguments) = named();
                output.request(&command, &arguments);
            }
            ('>', "raw") => output.raw(json(rest).as_str().unwrap_or_default().as_bytes()),
            ('!', "exit") => std::process::exit(rest.trim().parse().unwrap_or(0)),
            ('!', "eof") => match next_input(input, None) {
                Some(Input::End(None)) | None => {}
                Some(Input::End(Some(why))) => fail(why),
                Some(Input::Frame(frame)) => fail(format!("got {frame}")),
            },
            _ => fail("no such step".to_owned()),
        }
    }
}

fn expect(input: &Receiver<Input>) -> Result<Value, String> {
    match next_input(input, None) {
        Some(Input::Frame(frame)) => Ok(frame),
        Some(Input::End(Some(why))) => Err(why),
        Some(Input::End(None)) | None => Err("the client closed its end".to_owned()),
    }
}

/// Whether `actual` holds everything that `wanted` names.
fn contains(actual: &Value, wanted: &Value) -> bool {
    match (actual, wanted) {
        (_, Value::Null) => true,
        (Value::Object(actual), Value::Object(wanted)) => wanted
            .iter()
            .all(|(key, value)| actual.get(key).is_some_and(|found| contains(found, value))),
        (Value::Array(actual), Value::Array(wanted)) => {
            actual.len() == wanted.len() && actual.iter().zip(wanted).all(|(a, w)| contains(a, w))
        }
        (actual, wanted) => actual == wanted,
    }
}
