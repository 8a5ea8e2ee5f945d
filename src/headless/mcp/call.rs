//! One call of a tool.

use debugger::{permission::Caller, tool::ToolResult};
use rmcp::model::{CallToolResult, JsonObject};

use super::{
    answer::{self, Answer},
    desk,
    seat::{Counter, Seat},
    tools::Meant,
};
use crate::prelude::*;

/// The longest that a call waits for the program, in seconds: clients give up after a minute.
const LONGEST: f64 = 55.0;

/// What was asked for, without what is the server's own.
pub(super) struct CallArgs {
    arguments: Map<String, Value>,
    budget: usize,
    expected_stop: Option<StopId>,
}

impl CallArgs {
    pub(super) fn read(arguments: Option<JsonObject>) -> Result<Self, ToolError> {
        let mut arguments = arguments.unwrap_or_default();
        let mut own = |name: &str| arguments.remove(name).filter(|given| !given.is_null());
        let usage = |what: String| ToolError::usage("call", what);
        let budget = own("detail").map(|word| {
            let known = word.as_str().and_then(answer::budget);
            known.ok_or_else(|| usage(format!("detail is brief, normal or full, not {word}")))
        });
        let budget = budget.transpose()?.unwrap_or(answer::NORMAL);
        let expected_stop = own("expected_stop").map(|stop| {
            let number = stop.as_u64().map(StopId);
            number
                .ok_or_else(|| usage(format!("expected_stop is the number of a stop, not {stop}")))
        });
        let expected_stop = expected_stop.transpose()?;
        if let Some(seconds) = arguments.get("timeout").and_then(Value::as_f64) {
            arguments.insert("timeout".to_owned(), seconds.min(LONGEST).into());
        }
        Ok(Self {
            arguments,
            budget,
            expected_stop,
        })
    }
}

/// Does it.
pub(super) async fn run(
    counter: Arc<Counter>,
    seat: Arc<Seat>,
    meant: Meant,
    asked: CallArgs,
) -> CallToolResult {
    let budget = asked.budget;
    let done = match meant {
        Meant::More => {
            let cursor = asked.arguments.get("cursor").and_then(Value::as_str);
            answer::more(&seat, cursor.unwrap_or_default())
        }
        Meant::Desk(row) => desk::run(&counter, &seat, row, &asked.arguments).await,
        Meant::Action(_) if !counter.offer.enabled => {
            Err(ToolError::usage("call", crate::call::OFF))
        }
        Meant::Action(row) => action(&seat, row.name, &asked).await,
    };
    match done {
        Ok(answer) => answer.finish(&seat, budget),
        Err(error) => answer::refused(error, &seat, budget),
    }
}

async fn action(seat: &Seat, name: &str, asked: &CallArgs) -> Result<Answer, ToolError> {
    let caller = Caller {
        expected_stop: asked.expected_stop,
        ..seat.caller.clone()
    };
    let since = Some(seat.seq.load(Ordering::Relaxed)).filter(|seq| *seq > 0);
    let result = seat.tool.call(&caller, name, &asked.arguments, since).await;
    let mut result = match result {
        Err(error) if error.kind == ErrorKind::Denied && seat.person.is_none() => {
            return Err(ToolError {
                hint: error.hint.or_else(|| Some("a person allows it on the screen (omp-debug --join), or starts what holds the session (this server, or what it joined) with --permission auto; for breakpoints and steps drive is enough".to_owned())),
                ..error
            });
        }
        other => other?,
    };
    seat.seq.store(result.events_since.seq, Ordering::Relaxed);
    // Where the program stands now is what is asked next.
    let state = result.details.get("state").cloned();
    if state
        .as_ref()
        .is_some_and(|state| state == "stopped" || state == "terminated")
    {
        let session = asked.arguments.get("session");
        let session = session.map(|s| ("session".to_owned(), s.clone()));
        let meant = session.into_iter().collect();
        if let Ok(stands) = seat.tool.call(&seat.caller, "snapshot", &meant, None).await {
            let said = result.text.lines().last().unwrap_or_default().to_owned();
            let mut events = result.events_since;
            // That it stopped, and where, is what follows.
            while let Some(line) = events.lines.last()
                && line.starts_with("debug-")
                && (line.contains(" stopped: ") || line.contains(" stands in "))
            {
                events.lines.pop();
            }
            result = ToolResult {
                events_since: events,
                ..stands
            };
            result.text = format!("{said}\n{}", result.text);
            result
                .details
                .extend(state.map(|state| ("state".to_owned(), state)));
        }
    }
    Ok(Answer {
        // What was printed last is what is asked for.
        from_end: name == "output",
        ..told(result)
    })
}

/// The facts of a result for its head, the rest of its fields where they fit.
fn told(result: ToolResult) -> Answer {
    let mut answer = Answer {
        text: result.text,
        events: Some(result.events_since),
        ..Answer::default()
    };
    let snapshot = result.snapshot.unwrap_or_default();
    for (name, field) in [
        ("session", "id"),
        ("status", "status"),
        ("line", "line"),
        ("function", "frameName"),
        ("reason", "stopReason"),
        ("exit_code", "exitCode"),
    ] {
        if let Some(value) = snapshot.get(field) {
            answer.facts.insert(name.to_owned(), value.clone());
        }
    }
    if let Some(path) = snapshot.pointer("/source/path") {
        answer.facts.insert("file".to_owned(), path.clone());
    }
    for (name, value) in result.details {
        match name.as_str() {
            "action" | "success" | "snapshot" => {}
            "state" | "stop" | "timedOut" => {
                answer.facts.insert(name, value);
            }
            _ => {
                answer.details.insert(name, value);
            }
        }
    }
    answer
}
