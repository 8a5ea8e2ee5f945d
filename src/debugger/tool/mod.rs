//! The debug tool: what can be asked of the debugger in words, in one table.
//!
//! A row says of an operation what it takes, which consent it needs, when it may be sent, what an adapter must be able to do for
//! it, and its function, beside which it stands in `run/`. omp's 28 are [`ACTIONS`], the others [`FURTHER`]; [`PARAMETERS`] says of each
//! parameter what it may be. Checks, JSON Schema ([`schema`]), documentation ([`docs`]) and every front that offers operations
//! (`call`, MCP, the line debugger, the palette) are made from these. [`Tool::call`] does an action and gives a text
//! to read with fields for machines beside it, without the secrets in either ([`discretion`]).
//!
//! What it does not do: speak to anyone but the core, which judges whether the caller may (`permission`).

pub mod arguments;
pub mod discretion;
pub mod docs;
mod done;
pub mod feed;
mod history;
pub mod parameters;
pub mod printed;
mod result;
mod row;
mod run;
pub mod schema;
mod snapshot;
pub mod summary;
pub mod table;
mod text;
mod turn;
pub mod written;

#[cfg(test)]
mod tests;

use tokio::sync::Mutex;
use tokio_util::task::AbortOnDropHandle;

use self::{
    arguments::Arguments, history::History, result::clean, snapshot::LastSnapshots,
    summary::Summary, turn::Turn,
};
use super::permission::Caller;
use crate::prelude::*;

pub use parameters::{PARAMETERS, Parameter};
pub use result::{EventsSince, ToolError, ToolResult};
pub use row::ActionRow;
pub use table::{ACTIONS, FURTHER, action, all, available};

pub(crate) use self::text::place;

/// Actions that do not wait behind one that waits for the program: what ends that wait, and what only reads what is known.
const PASSING: &[&str] = &[
    "pause",
    "terminate",
    "sessions",
    "output",
    "events",
    "breakpoints",
];

/// The actions, at work on one core. Calls are done one after the other, in the order in which they came, but for those that pass one
/// that waits for the program.
pub struct Tool {
    core: CoreHandle,
    /// Held by the call that is at work.
    turn: Mutex<()>,
    /// How many calls wait for the program.
    waits: watch::Sender<usize>,
    history: History,
    discretion: Discretion,
    seen: LastSnapshots,
    _follower: AbortOnDropHandle<()>,
}

impl Tool {
    /// For a core, hiding secrets as [`Discretion::default`] does; none when the core has ended.
    pub async fn open(core: CoreHandle) -> Option<Self> {
        let (state, events) = core.subscribe().await?;
        let history = History::after(&state);
        let follower = AbortOnDropHandle::new(tasks::spawn(history.clone().follow(events)));
        Some(Self {
            core,
            turn: Mutex::new(()),
            waits: watch::Sender::default(),
            history,
            discretion: Discretion::default(),
            seen: LastSnapshots::default(),
            _follower: follower,
        })
    }

    /// With another measure of what is told.
    #[must_use]
    pub fn telling(mut self, discretion: Discretion) -> Self {
        self.discretion = discretion;
        self
    }

    /// Does an action for someone. `since` is the `seq` of an earlier result: what happened after it is told; without it, what happened
    /// during this call. Dropping the future takes the wait back, never the session.
    pub async fn call(
        &self,
        caller: &Caller,
        action: &str,
        arguments: &Map<String, Value>,
        since: Option<u64>,
    ) -> Result<ToolResult, ToolError> {
        self.call_on(
            &self.core.acting_as(caller.clone()),
            action,
            arguments,
            since,
        )
        .await
    }

    /// The same for whoever the core was opened for: a front end's own operations.
    pub async fn call_own(
        &self,
        action: &str,
        arguments: &Map<String, Value>,
    ) -> Result<ToolResult, ToolError> {
        self.call_on(&self.core, action, arguments, None).await
    }

    async fn call_on(
        &self,
        core: &CoreHandle,
        action: &str,
        arguments: &Map<String, Value>,
        since: Option<u64>,
    ) -> Result<ToolResult, ToolError> {
        let row = table::action(action).map_err(|what| ToolError::usage(action, what))?;
        let checked =
            Arguments::check(row, arguments).map_err(|what| ToolError::usage(action, what))?;
        let mut waits = self.waits.subscribe();
        let _turn = tokio::select! {
            biased;
            turn = self.turn.lock() => Some(turn),
            Ok(_) = waits.wait_for(|waits| *waits > 0), if PASSING.contains(&row.name) => None,
        };
        let core = core.doing(row.name);
        let done = self.work(&core, row, &checked, since).await;
        done.map_err(|error| self.hide_in(ToolError::new(row.name, error)))
    }

    fn hide_in(&self, error: ToolError) -> ToolError {
        ToolError {
            snapshot: error.snapshot.map(|snapshot| self.fit(snapshot)),
            error: self.discretion.text(error.error),
            hint: error.hint.map(|hint| self.discretion.text(hint)),
            ..error
        }
    }

    async fn work(
        &self,
        core: &CoreHandle,
        row: &'static ActionRow,
        arguments: &Arguments,
        since: Option<u64>,
    ) -> Result<ToolResult> {
        if row.tier == Tier::Read {
            core.may(row.name).await?;
        }
        let mut turn = Turn::begin(core, row, arguments, self).await?;
        let since = match row.name {
            "events" => arguments.integer("since").map_or(0, i64::unsigned_abs),
            _ => since.unwrap_or(turn.state.seq),
        };
        let done = (row.does)(&mut turn, arguments).await;
        let done = done.map_err(|error| turn.with_snapshot(error))?;
        let state = &turn.state;
        let meant = done
            .session
            .and_then(|id| state.session(id))
            // What is over has no part in what is only asked of the debugger.
            .or_else(|| turn.meant().filter(|session| session.phase.is_live()));
        let snapshot = meant.map(|session| self.fit(Summary::of(state, session).json()));
        let mut details = Map::new();
        details.put("action", row.name);
        details.put("success", true);
        if let Some(snapshot) = &snapshot {
            details.put("snapshot", snapshot.clone());
        }
        let fields = done
            .fields
            .into_iter()
            .filter(|(_, value)| !value.is_null());
        details.extend(fields.map(|(name, value)| (name, self.fit(value))));
        let mut events_since = self.history.since(since, state.seq).await;
        for line in &mut events_since.lines {
            *line = self.discretion.text(mem::take(line));
        }
        let text = match row.name {
            "events" => told_events(&mut events_since.lines),
            _ => done.text,
        };
        // A secret may have shown its name only after another field with it was done.
        let mut snapshot = snapshot;
        for value in details.values_mut().chain(&mut snapshot) {
            self.discretion.json(value);
        }
        Ok(ToolResult {
            action: row.name.to_owned(),
            success: true,
            text: self.discretion.text(text),
            details,
            snapshot,
            events_since,
        })
    }

    /// Fit to be told.
    fn fit(&self, value: Value) -> Value {
        let mut value = clean(value);
        self.discretion.json(&mut value);
        value
    }
}

/// Events as the answer itself, the last ones of very many.
fn told_events(lines: &mut Vec<String>) -> String {
    const MOST: usize = 100;
    let left_out = lines.len().saturating_sub(MOST);
    let told = lines.split_off(left_out);
    lines.clear();
    let dropped = (left_out > 0).then(|| format!("({left_out} earlier ones)"));
    let all: Vec<_> = dropped.into_iter().chain(told).collect();
    if all.is_empty() {
        "Nothing happened.".to_owned()
    } else {
        all.join("\n")
    }
}
