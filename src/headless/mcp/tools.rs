//! The tools: rows of the operations table with `debug_` before their names, and those of the desk.

use debugger::{
    permission::Tier,
    tool::{self, ActionRow, schema},
};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde::Serialize;

use super::{
    desk::{self, DeskRow},
    tool_set::ToolSet,
};
use crate::prelude::*;

/// What stands before the names.
const PREFIX: &str = "debug_";
/// The tool that gives the rest of a long answer.
pub(super) const MORE: &str = "debug_more";

/// What a tool's name means.
#[derive(Clone, Copy, Debug)]
pub(super) enum Meant {
    Action(&'static ActionRow),
    Desk(&'static DeskRow),
    More,
}

/// The tool of this name, where the set has it.
pub(super) fn meant(name: &str, set: ToolSet) -> Option<Meant> {
    if name == MORE {
        return Some(Meant::More);
    }
    let short = name.strip_prefix(PREFIX).filter(|short| set.has(short))?;
    let action = tool::all().find(|row| row.name == short).map(Meant::Action);
    let desk = || desk::ROWS.iter().find(|row| row.name == short);
    action.or_else(|| desk().map(Meant::Desk))
}

/// The actions that the adapter of the session in focus can do; all when there is none.
pub(super) fn offered(state: Option<&State>) -> impl Iterator<Item = &'static ActionRow> {
    let focused = state.and_then(State::focused).filter(|s| s.phase.is_live());
    tool::all().filter(move |row| focused.is_none_or(|s| row.is_offered_by(&s.capabilities)))
}

/// All tools that can be used now, in one order always: without those that the adapter of the session in focus cannot do.
pub(super) fn all(enabled: bool, set: ToolSet, state: Option<&State>) -> Vec<Tool> {
    let actions = offered(state).filter(|row| enabled && set.has(row.name));
    let desk = desk::ROWS.iter().filter(|row| set.has(row.name));
    let (actions, desk) = (actions.map(of_action), desk.map(of_desk));
    let mut all: Vec<_> = actions.chain(desk).collect();
    let cursor = json!({"cursor": {"type": "string", "description": "As the answer before gave it."}, "detail": detail()});
    let takes = takes(&cursor, &["cursor"]);
    let more = tool(MORE, "The rest of a long answer.", takes);
    all.push(more.with_annotations(hints([true, false, true, false])));
    all
}

/// `readOnly`, `destructive`, `idempotent`, `openWorld`: all four are told, since those that are not count as the worst.
fn hints([reads, destroys, repeatable, reaches_out]: [bool; 4]) -> ToolAnnotations {
    ToolAnnotations::new()
        .read_only(reads)
        .destructive(destroys)
        .idempotent(repeatable)
        .open_world(reaches_out)
}

fn of_action(row: &ActionRow) -> Tool {
    let mut schema = schema::of(row);
    if let Some(properties) = schema
        .pointer_mut("/properties")
        .and_then(Value::as_object_mut)
    {
        properties.remove("action");
        properties.insert("detail".to_owned(), detail());
        if row.tier >= Tier::Control {
            properties.insert("expected_stop".to_owned(), json!({"type": "integer"}));
        }
        // Said once, in the instructions.
        for name in ["session", "timeout"] {
            if let Some(Value::Object(known)) = properties.get_mut(name) {
                known.remove("description");
            }
        }
    }
    if let Some(schema) = schema.as_object_mut() {
        // A tool has these beside it.
        schema.retain(|name, _| !matches!(name.as_str(), "$schema" | "title" | "description"));
    }
    let made = tool(format!("{PREFIX}{}", row.name), row.help, schema);
    let reads = row.tier <= Tier::EvalSafe;
    made.with_annotations(hints([
        reads,
        row.tier == Tier::Exec,
        reads && row.name != "wait" || row.tier == Tier::Control && row.name.starts_with("set_"),
        matches!(
            row.name,
            "launch" | "attach" | "restart" | "evaluate" | "custom_request"
        ),
    ]))
}

fn of_desk(row: &DeskRow) -> Tool {
    let mut properties: JsonObject = row.parameters.iter().map(desk::Parameter::schema).collect();
    properties.insert("detail".to_owned(), detail());
    let name = format!("{PREFIX}{}", row.name);
    let made = tool(name, row.help, takes(&properties, &[]));
    made.with_annotations(hints([row.reads, false, row.reads, false]))
}

fn tool(
    name: impl Into<std::borrow::Cow<'static, str>>,
    help: &'static str,
    schema: Value,
) -> Tool {
    let schema: JsonObject = serde_json::from_value(schema).unwrap_or_default();
    Tool::new(name, help, schema)
}

fn takes(properties: &impl Serialize, required: &[&str]) -> Value {
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

/// How long the answer may be; the instructions say it once for all.
fn detail() -> Value {
    json!({"enum": ["brief", "normal", "full"]})
}
