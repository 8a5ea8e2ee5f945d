//! Values that a person has to give: `inputs` of `launch.json` and `tasks.json`.

use base::text::{jsonc::Node, nearest::did_you_mean};

use super::{
    error::{DebuggerError, Result, at, wrong},
    files::Files,
};
use crate::prelude::*;

/// A value that is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// What `${input:ID}` names it.
    pub id: String,
    /// What a person is asked.
    pub description: String,
    /// The value that stands there at first.
    pub default: Option<String>,
    /// How it is given.
    pub kind: InputKind,
}

/// How a value is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputKind {
    /// Typed.
    Text {
        /// Nobody may read over the shoulder.
        password: bool,
    },
    /// Chosen: what is shown, and the value it means.
    Pick(Vec<(String, String)>),
}

/// The definition of the input `id`, which is used at a line of a file.
pub fn find(files: &Files, id: &str, file: &Path, line: usize) -> Result<Input> {
    let found = files.inputs().find(|(_, node)| id_of(node) == Some(id));
    let Some((defined_in, node)) = found else {
        let known = files.inputs().filter_map(|(_, node)| id_of(node));
        let near = did_you_mean(id, known);
        let what = format!(
            "${{input:{id}}} is defined nowhere{near}; add {{\"id\": \"{id}\", \"type\": \"promptString\"}} to \"inputs\""
        );
        return Err(at(file, line, what));
    };
    let refused = |what: String| Err(wrong(defined_in, node, what));
    let text = |key| node.text_of(key).map(str::to_owned);
    let kind = match text("type").as_deref() {
        Some("promptString") => InputKind::Text {
            password: node.is_true("password"),
        },
        Some("pickString") => {
            let options = node.list_of("options").iter();
            let options: Vec<_> = options.filter_map(option).collect();
            if options.is_empty() {
                return refused(format!(
                    "the input {id:?} has no \"options\" to choose from"
                ));
            }
            InputKind::Pick(options)
        }
        Some("command") => {
            return refused(format!(
                "the input {id:?} is a command of an editor, which nothing here can run: make it a promptString or a pickString"
            ));
        }
        other => {
            return refused(format!(
                "the input {id:?} is of type {:?}: there are promptString and pickString",
                other.unwrap_or_default()
            ));
        }
    };
    Ok(Input {
        id: id.to_owned(),
        description: text("description").unwrap_or_else(|| id.to_owned()),
        default: text("default"),
        kind,
    })
}

/// Where among all definitions the input stands.
pub fn position(files: &Files, id: &str) -> Option<usize> {
    files.inputs().position(|(_, node)| id_of(node) == Some(id))
}

fn id_of(node: &Node) -> Option<&str> {
    node.text_of("id")
}

/// An option is its own value, unless it says otherwise.
fn option(node: &Node) -> Option<(String, String)> {
    if let Some(text) = node.text() {
        return Some((text.to_owned(), text.to_owned()));
    }
    let value = node.get("value")?.text()?.to_owned();
    let label = node.text_of("label");
    Some((label.map_or_else(|| value.clone(), str::to_owned), value))
}

/// Values that were given must be asked for somewhere, and be among those that can be chosen.
pub fn check_known(files: &Files, given: &BTreeMap<String, String>) -> Result<()> {
    for (id, value) in given {
        let mut defined = files.inputs().filter(|(_, node)| id_of(node) == Some(id));
        let Some((file, node)) = defined.next() else {
            let near = did_you_mean(id, files.inputs().filter_map(|(_, node)| id_of(node)));
            return Err(DebuggerError::usage(format!(
                "no input is called {id:?}{near}"
            )));
        };
        if let InputKind::Pick(options) = find(files, id, file, node.line)?.kind
            && !options.iter().any(|(_, known)| known == value)
        {
            let known = options.into_iter().map(|(_, known)| known).joined(", ");
            return Err(DebuggerError::usage(format!(
                "the input {id:?} cannot be {value:?}: there are {known}"
            )));
        }
    }
    Ok(())
}

/// Says which values have to be given, and how.
pub fn missing(inputs: &[Input]) -> DebuggerError {
    let each = inputs
        .iter()
        .map(|input| {
            let values = match &input.kind {
                InputKind::Text { .. } => "VALUE".to_owned(),
                InputKind::Pick(options) => {
                    options.iter().map(|(_, value)| value.as_str()).joined("|")
                }
            };
            format!("  --input {}={values}   {}", input.id, input.description)
        })
        .joined("\n");
    DebuggerError::usage(format!(
        "the configuration asks for values; give them:\n{each}"
    ))
}
