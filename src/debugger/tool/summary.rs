//! A session in short: the fields for machines, and the lines for readers.

use super::text::{one_line, place};
use crate::{exit, prelude::*};

/// What `snapshot` and `sessions` tell of a session. What there is not has no field there.
pub struct Summary {
    fields: Map<String, Value>,
    /// Where the program stands.
    location: Option<String>,
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
        let children = state.sessions.iter();
        let children = children.filter(|s| s.parent == Some(session.id));
        let children: Vec<_> = children.map(|s| s.id.to_string()).collect();
        let all = json!({
            "id": session.id.to_string(),
            "parentId": session.parent.map(|id| id.to_string()),
            "childIds": Some(children).filter(|children| !children.is_empty()),
            "adapter": session.adapter,
            "status": status(session.phase),
            "cwd": session.cwd.to_string_lossy(),
            "program": Some(&session.target).filter(|program| !program.is_empty()),
            "pid": session.pid,
            "stopReason": stop.map(|s| &s.reason),
            "stopText": stop.and_then(|s| s.text.as_ref().or(s.description.as_ref())),
            "threadId": stop.and_then(|s| s.selected.map(|f| f.thread_id).or(s.thread_id)),
            "frameId": frame.map(|f| f.id),
            "frameName": frame.map(|f| &f.name),
            "instructionPointerReference": frame.and_then(|f| f.instruction_pointer_reference.as_ref()),
            "source": frame.and_then(|f| f.source.as_ref()),
            "line": frame.map(|f| f.line),
            "column": frame.map(|f| f.column).filter(|c| *c > 0),
            // In milliseconds since 1970.
            "lastUsedAt": session.last_used,
            "needsConfigurationDone": session.needs_configuration_done,
            "outputBytes": session.output.total_bytes,
            "outputTruncated": session.output.dropped_bytes > 0,
            "exitCode": session.exit_code,
            "ended": session.ended,
        });
        let mut fields = match all {
            Value::Object(fields) => fields,
            _ => Map::new(),
        };
        fields.retain(|_, value| !value.is_null());
        Self {
            fields,
            location: frame.map(place),
        }
    }

    /// As JSON.
    pub fn json(&self) -> Value {
        self.fields.clone().into()
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.fields.get(name)?.as_str()
    }

    /// The lines of a snapshot; what is not known has none.
    pub fn lines(&self) -> Vec<String> {
        let labels = [
            ("Adapter", "adapter"),
            ("Status", "status"),
            ("CWD", "cwd"),
            ("Program", "program"),
            ("Stop reason", "stopReason"),
            ("Frame", "frameName"),
            ("Instruction pointer", "instructionPointerReference"),
        ];
        let known = labels.map(|(label, name)| (label, self.text(name)));
        let mut lines = vec![format!("Session {}", self.text("id").unwrap_or_default())];
        for (label, value) in known
            .into_iter()
            .chain([("Location", self.location.as_deref())])
        {
            lines.extend(value.map(|value| format!("{label}: {}", one_line(value))));
        }
        if self.fields.get("needsConfigurationDone") == Some(&Value::Bool(true)) {
            lines.push("Configuration: configurationDone is pending".to_owned());
        }
        if let Some(code) = self.fields.integer_of("exitCode") {
            lines.push(format!("Exit code: {}", exit::number(code)));
        }
        lines
    }

    /// The paragraph of a list of sessions.
    pub fn paragraph(&self) -> String {
        let text = |name| self.text(name).unwrap_or_default();
        let mut lines = vec![format!("{}: {}", text("id"), text("status"))];
        let fields = [
            ("adapter", self.text("adapter")),
            ("cwd", self.text("cwd")),
            ("program", self.text("program")),
            ("location", self.location.as_deref()),
            ("reason", self.text("stopReason")),
        ];
        for (label, value) in fields {
            lines.extend(value.map(|value| format!("  {label}={}", one_line(value))));
        }
        lines.join("\n")
    }
}
