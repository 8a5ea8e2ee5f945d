//! `omp-debug call`: one action of the debug tool against a core that runs, for scripts.
//!
//! `arguments` reads what was written on the command line, `follow` is `--follow`. The actions themselves are
//! `debugger::tool`, at work in the process that hosts the core.

mod arguments;
mod follow;

use std::io::{self, Read, Write};

use serde_json::{Map, Value, json};

use crate::codes;
use base::text::{json::printable, sanitise::sanitise_block};
use debugger::{
    DebuggerError, ErrorKind,
    adapters::Context,
    link::{self, Call, Connection, Guest},
    permission::Mode,
    tool::{ToolError, available, docs, schema, table},
};

/// What is wanted.
#[derive(Clone, Debug, PartialEq)]
pub enum Query {
    /// The names of all actions.
    List,
    /// What an action takes.
    Schema(String),
    /// What every action takes.
    Schemas,
    /// Events as they come.
    Follow {
        /// What is known already: what was noted after it is told first, and a snapshot of it need not be printed again.
        since: Option<u64>,
    },
    Action {
        /// Its name.
        action: String,
        /// As written: JSON, `-`, or `key=value` words.
        arguments: Vec<String>,
        /// Tell what happened after this event.
        since: Option<u64>,
        /// Print the text alone.
        text: bool,
    },
}

/// Where, and how it is printed.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    /// Surroundings of ours.
    pub context: &'a Context,
    /// The host: process id or socket; none = the only one.
    pub to: Option<&'a str>,
    /// Whether there are any actions.
    pub enabled: bool,
    /// Several lines for a person, or one for a program.
    pub pretty: bool,
    /// The most that the call may do; none = everything.
    pub permission: Option<Mode>,
}

/// Why there are no actions.
pub const OFF: &str = "the debug tool is switched off by `debug.enabled = false` in the settings; there are no actions";

/// Why there is nothing to print.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// No such action, arguments that cannot be read, no core, or not this one.
    #[error(transparent)]
    Refused(#[from] DebuggerError),
    /// Nobody reads any more, or the disk is full.
    #[error("the answer cannot be written: {0}")]
    Write(#[from] io::Error),
}

/// Does it, and gives the exit code.
pub async fn run(
    wanted: Query,
    setting: Setting<'_>,
    input: &mut dyn Read,
    out: &mut dyn Write,
) -> Result<u8, CallError> {
    let actions: Vec<_> = available(setting.enabled).collect();
    match wanted {
        Query::List => out.write_all(docs::list(&actions).as_bytes())?,
        Query::Schema(_) | Query::Schemas | Query::Action { .. } if actions.is_empty() => {
            return Err(DebuggerError::usage(OFF).into());
        }
        Query::Schema(action) => {
            let row = table::action(&action).map_err(DebuggerError::usage)?;
            print(out, &schema::of(row), setting.pretty)?;
        }
        Query::Schemas => {
            let all: Map<String, Value> = actions
                .iter()
                .map(|row| (row.name.to_owned(), schema::of(row)))
                .collect();
            print(out, &Value::Object(all), setting.pretty)?;
        }
        Query::Follow { since } => {
            let path = link::choose(setting.context, setting.to).await?;
            follow::follow(&path, setting.context, since, out).await?;
        }
        Query::Action {
            action,
            arguments,
            since,
            text,
        } => {
            // What is written in a wrong way is said before anybody is asked.
            let row = table::action(&action).map_err(DebuggerError::usage)?;
            let arguments = arguments::read(row, &arguments, &setting.context.cwd, input)
                .map_err(DebuggerError::usage)?;
            let call = Call {
                action,
                arguments,
                since,
                ..Call::default()
            };
            let path = link::choose(setting.context, setting.to).await?;
            let guest = Guest::script(setting.permission);
            let connection = Connection::open_as(&path, guest).await?;
            return one(connection, call, text, setting.pretty, out).await;
        }
    }
    out.flush()?;
    Ok(0)
}

/// Runs one action over there and prints what came of it.
async fn one(
    mut connection: Connection,
    call: Call,
    text_only: bool,
    pretty: bool,
    out: &mut dyn Write,
) -> Result<u8, CallError> {
    let action = call.action.clone();
    let (value, code) = match connection.call(call).await? {
        Ok(result) => (result, 0),
        Err(error) => failure(&action, error),
    };
    if text_only {
        let text = value
            .get("text")
            .or_else(|| value.get("error")?.get("what"))
            .and_then(Value::as_str)
            .unwrap_or_default();
        writeln!(out, "{}", sanitise_block(text.trim_end_matches('\n')))?;
    } else {
        print(out, &value, pretty)?;
    }
    out.flush()?;
    Ok(code)
}

/// An action that was not done, and its exit code.
fn failure(action: &str, error: DebuggerError) -> (Value, u8) {
    let told = ToolError::new(action, error);
    let mut value = json!({
        "action": told.action,
        "success": told.success,
        "error": {"what": told.error, "kind": told.kind, "hint": told.hint},
    });
    if let (Some(snapshot), Some(fields)) = (told.snapshot, value.as_object_mut()) {
        fields.insert("snapshot".to_owned(), snapshot);
    }
    let code = match told.kind {
        ErrorKind::Timeout => codes::TIMEOUT,
        kind => codes::of(kind),
    };
    (value, code)
}

fn print(out: &mut dyn Write, value: &Value, pretty: bool) -> io::Result<()> {
    let text = if pretty {
        format!("{value:#}")
    } else {
        value.to_string()
    };
    writeln!(out, "{}", printable(&text))
}
