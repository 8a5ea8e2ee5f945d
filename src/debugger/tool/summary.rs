//! A session in short: the fields for machines, and the lines for readers.

use dap::types::Source;

use super::text::{one_line, place};
use crate::{exit, prelude::*};

/// What `snapshot` and `sessions` tell of a session. What there is not has no field there.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    id: String,
    parent_id: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    child_ids: Vec<String>,
    adapter: String,
    status: &'static str,
    cwd: String,
    program: Option<String>,
    pid: Option<i64>,
    stop_reason: Option<String>,
    stop_text: Option<String>,
    thread_id: Option<i64>,
    frame_id: Option<i64>,
    frame_name: Option<String>,
    instruction_pointer_reference: Option<String>,
    source: Option<Source>,
    line: Option<i64>,
    column: Option<i64>,
    #[serde(skip)]
    location: Option<String>,
    /// In milliseconds since 1970.
    last_used_at: u64,
    needs_configuration_done: bool,
    output_bytes: u64,
    output_truncated: bool,
    exit_code: Option<i64>,
    ended: Option<String>,
}

/// The word for a phase, as omp's users know it.
pub fn status(phase: Phase) -> &'static str {
    match phase {
        Phase::NotStarted | Phase::Initializing => "launching",
        Phase::Configured => "configuring",
        Phase::Running => "running",
        Phase::Stopped => "stopped",
        Phase::Terminated => "terminated",
    }
}

impl Summary {
    /// Of one session.
    pub fn of(state: &State, session: &Session) -> Self {
        let stop = session.current_stop();
        let frame = stop.and_then(|_| session.current_frame());
        Self {
            id: session.id.to_string(),
            parent_id: session.parent.map(|id| id.to_string()),
            child_ids: children(state, session.id),
            adapter: session.adapter.clone(),
            status: status(session.phase),
            cwd: session.cwd.to_string_lossy().into_owned(),
            program: Some(session.target.clone()).filter(|p| !p.is_empty()),
            pid: session.pid,
            stop_reason: stop.map(|s| s.reason.clone()),
            stop_text: stop.and_then(|s| s.text.clone().or_else(|| s.description.clone())),
            thread_id: stop.and_then(|s| s.selected.map(|f| f.thread_id).or(s.thread_id)),
            frame_id: frame.map(|f| f.id),
            frame_name: frame.map(|f| f.name.clone()),
            instruction_pointer_reference: frame
                .and_then(|f| f.instruction_pointer_reference.clone()),
            source: frame.and_then(|f| f.source.clone()),
            line: frame.map(|f| f.line),
            column: frame.map(|f| f.column).filter(|c| *c > 0),
            location: frame.map(place),
            last_used_at: session.last_used,
            needs_configuration_done: session.needs_configuration_done,
            output_bytes: session.output.total_bytes,
            output_truncated: session.output.dropped_bytes > 0,
            exit_code: session.exit_code,
            ended: session.ended.clone(),
        }
    }

    /// As JSON.
    pub fn json(&self) -> Value {
        let mut value = serde_json::to_value(self).unwrap_or_default();
        if let Some(fields) = value.as_object_mut() {
            fields.retain(|_, value| !value.is_null());
        }
        value
    }

    /// The lines of a snapshot; what is not known has none.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = vec![
            format!("Session {}", self.id),
            format!("Adapter: {}", one_line(&self.adapter)),
            format!("Status: {}", self.status),
            format!("CWD: {}", one_line(&self.cwd)),
        ];
        let optional = [
            ("Program", self.program.as_deref()),
            ("Stop reason", self.stop_reason.as_deref()),
            ("Frame", self.frame_name.as_deref()),
            (
                "Instruction pointer",
                self.instruction_pointer_reference.as_deref(),
            ),
            ("Location", self.location.as_deref()),
        ];
        for (label, value) in optional {
            if let Some(value) = value {
                lines.push(format!("{label}: {}", one_line(value)));
            }
        }
        if self.needs_configuration_done {
            lines.push("Configuration: configurationDone is pending".to_owned());
        }
        if let Some(code) = self.exit_code {
            lines.push(format!("Exit code: {}", exit::number(code)));
        }
        lines
    }

    /// The paragraph of a list of sessions.
    pub fn paragraph(&self) -> String {
        let mut lines = vec![format!("{}: {}", self.id, self.status)];
        let fields = [
            ("adapter", Some(self.adapter.as_str())),
            ("cwd", Some(self.cwd.as_str())),
            ("program", self.program.as_deref()),
            ("location", self.location.as_deref()),
            ("reason", self.stop_reason.as_deref()),
        ];
        for (label, value) in fields {
            if let Some(value) = value {
                lines.push(format!("  {label}={}", one_line(value)));
            }
        }
        lines.join("\n")
    }
}

fn children(state: &State, id: SessionId) -> Vec<String> {
    let children = state.sessions.iter().filter(|s| s.parent == Some(id));
    children.map(|s| s.id.to_string()).collect()
}
