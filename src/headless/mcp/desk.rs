//! Commands of the desk as tools: each is this program with other words behind it, which prints and ends.

use std::process::Stdio;

use debugger::permission::{
    ActorKind, Tier,
    decide::{Verdict, decide, mode_of},
    rules::Rules,
};
use futures_util::future::join;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _},
    process::Command as Program,
};

use super::{
    answer::Answer,
    seat::{Counter, Seat},
};
use crate::prelude::*;
use base::text::sanitise::sanitise_block;

/// Bytes of what a command prints that are kept.
const MOST: u64 = 4 * 1024 * 1024;
/// How long a command may take.
const PATIENCE: Duration = Duration::from_secs(50);

/// A command of the desk.
#[derive(Debug)]
pub(super) struct DeskRow {
    pub name: &'static str,
    pub help: &'static str,
    words: &'static [&'static str],
    pub parameters: &'static [Parameter],
    /// Whether it writes nothing.
    pub reads: bool,
}

/// An option of it by the same name, or [`PATH`].
#[derive(Debug)]
pub(super) struct Parameter {
    name: &'static str,
    kind: &'static str,
    help: &'static str,
    /// As it is written when it is not given.
    default: Option<&'static str>,
}

/// The parameter that is no option: a file.
const PATH: &str = "path";

const fn option(name: &'static str, kind: &'static str, help: &'static str) -> Parameter {
    Parameter {
        name,
        kind,
        help,
        default: None,
    }
}

const LIMIT: Parameter = Parameter {
    default: Some("--limit=200"),
    ..option(
        "limit",
        "integer",
        "Only so many, the newest ones; without it 200.",
    )
};

pub(super) const ROWS: [DeskRow; 7] = [
    DeskRow {
        name: "logs",
        help: "Entries of omp's logs, or of any log file: merged by time, filtered, the newest last.",
        words: &["logs", "--print"],
        parameters: &[
            option(
                "level",
                "string",
                "Only at least as bad: trace, debug, info, warn, error, fatal.",
            ),
            option(
                "grep",
                "string",
                "Only where this regular expression is found.",
            ),
            option(
                "since",
                "string",
                "Only since then: 10m, 2h, 14:03, 2026-08-21T14:03.",
            ),
            option("pid", "integer", "Only of this process."),
            LIMIT,
            option(
                PATH,
                "string",
                "A log file or a folder of them; without it those of omp.",
            ),
        ],
        reads: true,
    },
    DeskRow {
        name: "sse",
        help: "Event streams of model providers as they were recorded: frames, and the message that they spell.",
        words: &["sse", "--print"],
        parameters: &[option(
            PATH,
            "string",
            "A recording: raw-sse.txt, HAR, curl -i, mitmproxy's flows.",
        )],
        reads: true,
    },
    DeskRow {
        name: "system",
        help: "This machine: what it is, what it allows, which versions of what are on it.",
        words: &["system", "--print"],
        parameters: &[],
        reads: true,
    },
    DeskRow {
        name: "memory",
        help: "Where the memory of a process is.",
        words: &["memory", "--print"],
        parameters: &[option("pid", "integer", "The process.")],
        reads: true,
    },
    DeskRow {
        name: "profile",
        help: "Where time went: the functions that weigh most in a profile, or in a process that is looked at for some seconds.",
        words: &["profile", "--print"],
        parameters: &[
            option("pid", "integer", "Take one of this process."),
            option("seconds", "integer", "For so long."),
            option(PATH, "string", "A profile of another tool."),
        ],
        reads: true,
    },
    DeskRow {
        name: "doctor",
        help: "Which debug adapters work here, and what is missing.",
        words: &["adapters", "doctor"],
        parameters: &[],
        reads: true,
    },
    DeskRow {
        name: "report",
        help: "Write one file with what a bug report needs, without secrets, into omp's folder for reports.",
        words: &["report", "--print", "--yes"],
        parameters: &[],
        reads: false,
    },
];

impl Parameter {
    pub(super) fn schema(&self) -> (String, Value) {
        (
            self.name.to_owned(),
            json!({"type": self.kind, "description": self.help}),
        )
    }

    /// As it is written on the command line: nobody's text becomes an option of its own.
    fn word(&self, value: &Value) -> Result<String, String> {
        let text = match (self.kind, value) {
            ("integer", Value::Number(number)) if number.is_u64() => number.to_string(),
            ("string", Value::String(text)) if !text.contains('\0') => text.clone(),
            (kind, other) => return Err(format!("{} is {kind}, not {other}", self.name)),
        };
        Ok(match self.name {
            // Never an address or the name of a command.
            PATH if text.starts_with('/') => text,
            PATH => format!("./{text}"),
            name => format!("--{name}={text}"),
        })
    }
}

pub(super) async fn run(
    counter: &Counter,
    seat: &Seat,
    row: &DeskRow,
    given: &Map<String, Value>,
) -> Result<Answer, ToolError> {
    let usage = |what: String| ToolError::usage(row.name, what);
    // The rules of the person, who may want nothing more of this agent.
    let may = seat.core.may(row.name).await;
    may.map_err(|error| ToolError::new(row.name, error))?;
    let known = |name: &&String| row.parameters.iter().any(|p| p.name == **name);
    if let Some(name) = given.keys().find(|name| !known(name)) {
        return Err(usage(format!("{} takes no {name:?}", row.name)));
    }
    let mut words = Vec::new();
    for parameter in row.parameters {
        let value = given.get(parameter.name).filter(|value| !value.is_null());
        match value {
            Some(value) => words.push(parameter.word(value).map_err(usage)?),
            None => words.extend(parameter.default.map(str::to_owned)),
        }
    }
    // A core that was joined judges its own commands alone: these are none.
    let rules = Rules::load(&counter.context.config_dir);
    let rules = rules.map_err(usage)?;
    let state = seat.state().await.unwrap_or_default();
    let mode = mode_of(state.sharing.mode, seat.caller.mode, ActorKind::Agent);
    let tier = if row.reads { Tier::Read } else { Tier::Control };
    if let Verdict::Deny(why) = decide(mode, &rules, &seat.caller.actor, tier, row.name, "") {
        let denied = DebuggerError::new(ErrorKind::Denied, format!("Not permitted: {why}."));
        return Err(ToolError::new(row.name, denied));
    }
    let failed =
        |what: String| ToolError::new(row.name, DebuggerError::new(ErrorKind::State, what));
    let mut child = Program::new(&counter.program)
        .args(row.words)
        .args(words)
        .current_dir(&counter.context.cwd)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| failed(format!("{} cannot be run: {error}", row.name)))?;
    let (out, error) = (child.stdout.take(), child.stderr.take());
    let read = async {
        let (said, trouble) = join(take(out), take(error)).await;
        (child.wait().await, said, trouble)
    };
    let (status, said, trouble) =
        tokio::time::timeout(PATIENCE, read)
            .await
            .map_err(|_elapsed| {
                failed(format!(
                    "{} took longer than {} s",
                    row.name,
                    PATIENCE.as_secs()
                ))
            })?;
    let text = |bytes: &[u8]| {
        sanitise_block(
            &counter
                .offer
                .discretion
                .text(String::from_utf8_lossy(bytes).into_owned()),
        )
    };
    let (said, trouble) = (text(&said), text(&trouble));
    match status {
        Ok(status) if status.success() || !said.is_empty() => Ok(Answer {
            text: if said.trim().is_empty() {
                format!("Nothing.\n{trouble}")
            } else {
                said
            },
            ..Answer::default()
        }),
        _ => Err(usage(trouble)),
    }
}

async fn take(stream: Option<impl AsyncRead + Unpin>) -> Vec<u8> {
    let mut said = Vec::new();
    if let Some(stream) = stream {
        // What was read before it failed is told.
        let _ = stream.take(MOST).read_to_end(&mut said).await;
    }
    said
}
