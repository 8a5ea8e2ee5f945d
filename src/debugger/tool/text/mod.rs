//! Results as people and models read them: lists of one line each, everything foreign made safe to show.

mod machine;

pub(super) use machine::{disassembly, memory, modules};

use base::text::sanitise::sanitise;
use dap::{
    requests::DataBreakpointInfoResponse,
    types::{Scope, Source, StackFrame, Variable},
};

use crate::{
    breakpoint::{Breakpoint, BreakpointSite, BreakpointStatus},
    reply::Evaluated,
    state::Thread,
};

/// Foreign text within a line.
pub fn one_line(text: &str) -> String {
    sanitise(text).into_owned()
}

/// A heading and its lines, or what stands there when there are none.
pub fn list(heading: &str, lines: impl IntoIterator<Item = String>, nothing: &str) -> String {
    let lines: Vec<_> = lines.into_iter().collect();
    let body = if lines.is_empty() {
        nothing.to_owned()
    } else {
        lines.join("\n")
    };
    format!("{heading}\n{body}")
}

/// Where a frame is: `path:line[:col]`.
pub(crate) fn place(frame: &StackFrame) -> String {
    let source = frame
        .source
        .as_ref()
        .and_then(source_name)
        .unwrap_or("<unknown>");
    position(source, Some(frame.line), Some(frame.column))
}

fn position(source: &str, line: Option<i64>, column: Option<i64>) -> String {
    let mut out = one_line(source);
    for number in [line, column]
        .into_iter()
        .map_while(|n| n.filter(|n| *n > 0))
    {
        out.push(':');
        out.push_str(&number.to_string());
    }
    out
}

/// What a source is called: its path, else its name.
fn source_name(source: &Source) -> Option<&str> {
    let path = source.path.as_deref().filter(|p| !p.is_empty());
    path.or(source.name.as_deref()).filter(|n| !n.is_empty())
}

/// `- line N: verified[ if cond][ after hit][ (msg)]`, and the like of the other kinds.
pub fn breakpoint(breakpoint: &Breakpoint) -> String {
    let status = match breakpoint.status() {
        BreakpointStatus::Verified => "verified",
        BreakpointStatus::Disabled => "disabled",
        BreakpointStatus::Pending | BreakpointStatus::Unverified => "pending",
    };
    let (site, access) = match &breakpoint.site {
        BreakpointSite::Source { line, .. } => (
            format!("line {}", breakpoint.shown_line().unwrap_or(*line)),
            None,
        ),
        BreakpointSite::Function { name } => (one_line(name), None),
        instruction @ BreakpointSite::Instruction { .. } => {
            (one_line(&instruction.to_string()), None)
        }
        BreakpointSite::Data {
            data_id, access, ..
        } => (one_line(data_id), access.as_ref()),
    };
    let mut out = format!("- {site}: {status}");
    let additions = [
        (" (", access.map(ToString::to_string), ")"),
        (" if ", breakpoint.condition.clone(), ""),
        (" after ", breakpoint.hit_condition.clone(), ""),
        (" log ", breakpoint.log_message.clone(), ""),
        (
            " => ",
            breakpoint.record.as_ref().map(ToString::to_string),
            "",
        ),
        (" mode ", breakpoint.mode.clone(), ""),
        (" (", breakpoint.message().map(str::to_owned), ")"),
    ];
    for (before, text, after) in additions {
        if let Some(text) = text {
            out.push_str(before);
            out.push_str(&one_line(&text));
            out.push_str(after);
        }
    }
    out
}

pub fn stack(frames: &[StackFrame], more: Option<String>) -> String {
    let lines = frames
        .iter()
        .map(|f| format!("- #{} {} @ {}", f.id, one_line(&f.name), place(f)));
    list("Stack trace:", lines.chain(more), "(empty)")
}

/// A thread in the list, with its session where there are several.
pub fn thread(thread: &Thread, session: Option<&str>) -> String {
    let session = session.map(|id| format!(" [{id}]")).unwrap_or_default();
    format!("- {}: {}{session}", thread.id, one_line(&thread.name))
}

pub fn scopes<'s>(scopes: impl Iterator<Item = &'s Scope>) -> String {
    let lines = scopes.map(|scope| {
        let expensive = if scope.expensive { "yes" } else { "no" };
        let hint = scope
            .presentation_hint
            .as_deref()
            .map(|h| format!(", hint={}", one_line(h)))
            .unwrap_or_default();
        format!(
            "- {}: ref={}, expensive={expensive}{hint}",
            one_line(&scope.name),
            scope.variables_reference
        )
    });
    list("Scopes:", lines, "(none)")
}

pub fn variables(variables: &[Variable]) -> String {
    let lines = variables.iter().map(|v| {
        let kind = v
            .type_
            .as_deref()
            .filter(|t| !t.is_empty())
            .map(|t| format!(" ({})", one_line(t)));
        let reference =
            (v.variables_reference > 0).then(|| format!(" [ref={}]", v.variables_reference));
        format!(
            "- {} = {}{}{}",
            one_line(&v.name),
            one_line(v.shown()),
            kind.unwrap_or_default(),
            reference.unwrap_or_default()
        )
    });
    list("Variables:", lines, "(none)")
}

pub fn evaluated(value: &Evaluated) -> String {
    let mut out = format!(
        "Result: {}",
        base::text::sanitise::sanitise_block(value.shown().trim_end())
    );
    if let Some(kind) = value.type_name.as_deref().filter(|t| !t.is_empty()) {
        out.push_str("\nType: ");
        out.push_str(&one_line(kind));
    }
    if value.variables_reference > 0 {
        out.push_str("\nVariables ref: ");
        out.push_str(&value.variables_reference.to_string());
    }
    out
}

pub fn data_breakpoint_info(info: &DataBreakpointInfoResponse) -> String {
    let mut lines = vec![
        format!("Description: {}", one_line(&info.description)),
        format!(
            "Data ID: {}",
            info.data_id
                .as_deref()
                .map_or_else(|| "not available".to_owned(), one_line)
        ),
    ];
    if let Some(types) = info.access_types.as_ref().filter(|t| !t.is_empty()) {
        let types: Vec<_> = types.iter().map(|t| one_line(t.as_str())).collect();
        lines.push(format!("Access types: {}", types.join(", ")));
    }
    if let Some(persist) = info.can_persist {
        lines.push(format!(
            "Persistent: {}",
            if persist { "yes" } else { "no" }
        ));
    }
    lines.join("\n")
}

pub fn sources(sources: &[Source]) -> String {
    let lines = sources.iter().map(|source| {
        let name = source_name(source).unwrap_or("<unknown>");
        let reference = source
            .reference()
            .map(|r| format!(" [ref={r}]"))
            .unwrap_or_default();
        format!("- {}{reference}", one_line(name))
    });
    list("Loaded sources:", lines, "(none)")
}
