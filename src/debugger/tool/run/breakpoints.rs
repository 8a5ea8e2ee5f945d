//! Setting and removing breakpoints of all kinds; each gives the list it changed.

use dap::types::DataBreakpointAccessType;

use super::prelude::*;
use crate::record::Record;

rows! {
    ALWAYS "set_breakpoint" set Control "Set or change a breakpoint at a line of a file or at a function; before a launch too."
        one PLACE takes ["file" "line" "function" "condition" "hit_condition" "mode"] asks "setBreakpoints";
    ALWAYS "remove_breakpoint" remove Control "Remove the breakpoint at a line of a file or at a function."
        one PLACE takes ["file" "line" "function"] asks "setBreakpoints";
    LISTS "set_instruction_breakpoint" set Control "Set or change a breakpoint at a machine instruction."
        needs ["instruction_reference"] takes ["offset" "condition" "hit_condition" "mode"] asks "setInstructionBreakpoints" of "instruction breakpoints";
    LISTS "remove_instruction_breakpoint" remove Control "Remove the breakpoint at a machine instruction; without an offset all at that reference."
        needs ["instruction_reference"] takes ["offset"] asks "setInstructionBreakpoints" of "instruction breakpoints";
    LISTS "set_data_breakpoint" set Control "Stop when data is read or changed; the id comes from data_breakpoint_info, and another mode is asked for anew."
        needs ["data_id"] takes ["access_type" "condition" "hit_condition" "mode"] asks "setDataBreakpoints" of "data breakpoints";
    LISTS "remove_data_breakpoint" remove Control "Remove the breakpoint on data."
        needs ["data_id"] asks "setDataBreakpoints" of "data breakpoints";
    ALWAYS "record_at" set Exec "Record values, the stack and the time whenever a line or a function is reached, and go on; at most 100 times a second. `records` shows them."
        needs ["record"] one PLACE takes ["file" "line" "function" "condition" "hit_condition"] asks "setBreakpoints";
}

/// What the arguments name.
fn site(turn: &Turn, arguments: &Arguments) -> Result<BreakpointSite> {
    let site = match (turn.row.name, arguments.owned("function")) {
        ("set_instruction_breakpoint" | "remove_instruction_breakpoint", _) => {
            turn.session()?;
            BreakpointSite::Instruction {
                reference: arguments.needed("instruction_reference"),
                offset: arguments.integer("offset"),
            }
        }
        ("set_data_breakpoint" | "remove_data_breakpoint", _) => {
            turn.session()?;
            let access = arguments.text("access_type");
            BreakpointSite::Data {
                data_id: arguments.needed("data_id"),
                access: access.map(DataBreakpointAccessType::from),
                name: None,
            }
        }
        (_, Some(name)) => BreakpointSite::Function {
            name: name.trim().to_owned(),
        },
        (_, None) => BreakpointSite::Source {
            path: source_path(turn, arguments),
            line: arguments.integer("line").unwrap_or_default(),
            column: None,
        },
    };
    Ok(site)
}

/// Whether it is in the list of the other: all of a file, or all of a kind.
fn is_beside(other: &BreakpointSite, site: &BreakpointSite) -> bool {
    match (other, site) {
        (BreakpointSite::Source { path: file, .. }, BreakpointSite::Source { path, .. }) => {
            is_same_file(path, file)
        }
        _ => mem::discriminant(other) == mem::discriminant(site),
    }
}

/// Makes a breakpoint, or changes the one that is there.
async fn set(turn: &mut Turn, arguments: &Arguments) -> Result<ActionOutput> {
    let site = site(turn, arguments)?;
    let mut all = turn.state.breakpoints.iter();
    // Another kind of access to the same data is a change, not a second breakpoint.
    let known = all.find(|b| matches!(b.site, BreakpointSite::Data { .. }) && is_at(&site, b));
    let spec = BreakpointSpec {
        id: known.map(|b| b.id),
        condition: arguments.owned("condition"),
        hit_condition: arguments.owned("hit_condition"),
        record: arguments.text("record").and_then(Record::written),
        mode: arguments.owned("mode"),
        ..BreakpointSpec::at(site.clone())
    };
    // The core may spell the site in another way: the list is that of what it made.
    let site = match turn.ask(Command::SetBreakpoint(spec)).await? {
        Reply::Breakpoint { breakpoint } => breakpoint.site,
        _ => site,
    };
    Ok(listed(turn, &site, None))
}

/// Removes what is there.
async fn remove(turn: &mut Turn, arguments: &Arguments) -> Result<ActionOutput> {
    let wanted = site(turn, arguments)?;
    let all = || turn.state.breakpoints.iter();
    let mut found: Vec<_> = all().filter(|b| is_at(&wanted, b)).collect();
    let mut name = one_line(&wanted.to_string());
    match &wanted {
        // Where it was set counts first; where an adapter moved it to is what lists show.
        BreakpointSite::Source { line, .. } => {
            if found.is_empty() {
                let moved = |b: &&Breakpoint| b.shown_line() == Some(*line);
                found.extend(all().filter(|b| is_beside(&wanted, &b.site)).filter(moved));
            }
            name = format!("line {line}");
        }
        BreakpointSite::Function { name: of } => name = one_line(of),
        BreakpointSite::Instruction { reference, .. } => name = one_line(reference),
        BreakpointSite::Data { .. } => {}
    }
    let found: Vec<BreakpointId> = found.iter().map(|b| b.id).collect();
    let nothing = found
        .is_empty()
        .then(|| format!("There was no breakpoint at {name}."));
    for id in found {
        turn.ask(Command::RemoveBreakpoint { id }).await?;
    }
    Ok(listed(turn, &wanted, nothing))
}

/// Whether a breakpoint was set at this place; at an instruction without an offset all at its reference are.
fn is_at(wanted: &BreakpointSite, breakpoint: &Breakpoint) -> bool {
    use BreakpointSite::{Data, Function, Instruction, Source};
    is_beside(wanted, &breakpoint.site)
        && match (wanted, &breakpoint.site) {
            (Source { line, .. }, Source { line: own, .. }) => line == own,
            (Function { name }, Function { name: own }) => name == own,
            (Data { data_id, .. }, Data { data_id: own, .. }) => data_id == own,
            (
                Instruction { reference, offset },
                Instruction {
                    reference: own,
                    offset: at,
                },
            ) => reference == own && offset.is_none_or(|offset| offset == at.unwrap_or(0)),
            _ => false,
        }
}

/// The list as it is now, as the session sees it that is meant: what adapters of other programs say of it is not the answer.
fn listed(turn: &Turn, at: &BreakpointSite, note: Option<String>) -> ActionOutput {
    let meant = turn.meant().filter(|s| s.phase.is_live());
    let root = meant.map(|s| turn.state.root_of(s.id));
    let own = |id: &SessionId| root.is_none_or(|root| turn.state.root_of(*id) == root);
    let mut all: Vec<_> = turn
        .state
        .breakpoints
        .iter()
        .filter(|b| is_beside(at, &b.site))
        .cloned()
        .collect();
    for breakpoint in &mut all {
        breakpoint.answers.retain(|id, _| own(id));
    }
    all.sort_by_key(Breakpoint::shown_line);
    let lines = all.iter().map(text::breakpoint);
    let (field, heading) = match at {
        BreakpointSite::Source { path, .. } => {
            let path = one_line(&path.to_string_lossy());
            ("breakpoints", format!("Breakpoints for {path}:"))
        }
        BreakpointSite::Function { .. } => {
            ("functionBreakpoints", "Function breakpoints:".to_owned())
        }
        BreakpointSite::Instruction { .. } => (
            "instructionBreakpoints",
            "Instruction breakpoints:".to_owned(),
        ),
        BreakpointSite::Data { .. } => ("dataBreakpoints", "Data breakpoints:".to_owned()),
    };
    let mut text = text::list(&heading, lines, "(none)");
    if let Some(note) = note {
        text.push('\n');
        text.push_str(&note);
    }
    let all: Vec<_> = all.iter().map(record).collect();
    ActionOutput::new(text).with(field, all)
}

/// A breakpoint for machines; what it does not have is left out.
fn record(breakpoint: &Breakpoint) -> Value {
    let site = match &breakpoint.site {
        BreakpointSite::Source { path, line, column } => {
            let shown = breakpoint.shown_line().unwrap_or(*line);
            let requested = (shown != *line).then_some(line);
            json!({"file": path.to_string_lossy(), "line": shown, "requestedLine": requested, "column": column})
        }
        BreakpointSite::Function { name } => json!({"name": name}),
        BreakpointSite::Instruction { reference, offset } => {
            json!({"instructionReference": reference, "offset": offset})
        }
        BreakpointSite::Data {
            data_id, access, ..
        } => json!({"dataId": data_id, "accessType": access}),
    };
    let all = json!({
        "id": breakpoint.id,
        "verified": breakpoint.answers.values().any(|a| a.verified),
        "enabled": breakpoint.enabled,
        "condition": breakpoint.condition,
        "hitCondition": breakpoint.hit_condition,
        "logMessage": breakpoint.log_message,
        "record": breakpoint.record.as_ref().map(ToString::to_string),
        "mode": breakpoint.mode,
        "message": breakpoint.message(),
    });
    let fields = [site, all].into_iter().filter_map(|part| match part {
        Value::Object(fields) => Some(fields),
        _ => None,
    });
    fields
        .flatten()
        .filter(|(_, value)| !value.is_null())
        .collect()
}

/// The file that is meant: a relative one is below the working directory of a session that lives, the core's own without one.
fn source_path(turn: &Turn, arguments: &Arguments) -> PathBuf {
    let file = Path::new(arguments.text("file").unwrap_or_default());
    match turn.meant().filter(|session| session.phase.is_live()) {
        Some(session) => session.cwd.join(file),
        None => file.to_owned(),
    }
}

/// Whether two spellings mean one file.
fn is_same_file(known: &Path, meant: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    known == meant
        || (meant.is_relative() && known.ends_with(meant))
        || real(known).is_some_and(|path| real(meant) == Some(path))
}
