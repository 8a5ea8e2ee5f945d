//! Setting and removing breakpoints of all kinds; each gives the list it changed.

use dap::types::DataBreakpointAccessType;

use super::Done;
use crate::{
    command::BreakpointSpec,
    prelude::*,
    records::Record,
    tool::{
        arguments::Arguments,
        text::{self, one_line},
        turn::Turn,
    },
};

/// Which list: all of a file, or all of a kind.
enum List {
    File(PathBuf),
    Functions,
    Instructions,
    Data,
}

impl List {
    fn holds(&self, site: &BreakpointSite) -> bool {
        match (self, site) {
            (Self::File(file), BreakpointSite::Source { path, .. }) => is_same_file(path, file),
            (Self::Functions, BreakpointSite::Function { .. })
            | (Self::Instructions, BreakpointSite::Instruction { .. })
            | (Self::Data, BreakpointSite::Data { .. }) => true,
            _ => false,
        }
    }

    fn heading(&self) -> String {
        match self {
            Self::File(path) => format!("Breakpoints for {}:", one_line(&path.to_string_lossy())),
            Self::Functions => "Function breakpoints:".to_owned(),
            Self::Instructions => "Instruction breakpoints:".to_owned(),
            Self::Data => "Data breakpoints:".to_owned(),
        }
    }

    fn field(&self) -> &'static str {
        match self {
            Self::File(_) => "breakpoints",
            Self::Functions => "functionBreakpoints",
            Self::Instructions => "instructionBreakpoints",
            Self::Data => "dataBreakpoints",
        }
    }
}

/// Makes a breakpoint, or changes the one that is there.
pub async fn set(turn: &mut Turn, arguments: &Arguments) -> Result<Done> {
    let site = match (turn.row.name, arguments.owned("function")) {
        ("set_instruction_breakpoint", _) => {
            turn.session()?;
            BreakpointSite::Instruction {
                reference: arguments.owned("instruction_reference").unwrap_or_default(),
                offset: arguments.integer("offset"),
            }
        }
        ("set_data_breakpoint", _) => {
            turn.session()?;
            let access = arguments.text("access_type");
            BreakpointSite::Data {
                data_id: arguments.owned("data_id").unwrap_or_default(),
                access: access.map(DataBreakpointAccessType::from),
                name: None,
            }
        }
        (_, Some(name)) => BreakpointSite::Function { name },
        (_, None) => BreakpointSite::Source {
            path: source_path(turn, arguments),
            line: arguments.integer("line").unwrap_or_default(),
            column: None,
        },
    };
    let known = match &site {
        // Another kind of access to the same data is a change, not a second breakpoint.
        BreakpointSite::Data { data_id, .. } => {
            let same = |b: &&Breakpoint| matches!(&b.site, BreakpointSite::Data { data_id: d, .. } if d == data_id);
            turn.state.breakpoints.iter().find(same).map(|b| b.id)
        }
        _ => None,
    };
    let spec = BreakpointSpec {
        id: known,
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
    let list = match site {
        BreakpointSite::Source { path, .. } => List::File(path),
        BreakpointSite::Function { .. } => List::Functions,
        BreakpointSite::Instruction { .. } => List::Instructions,
        BreakpointSite::Data { .. } => List::Data,
    };
    Ok(listed(turn, &list, None))
}

pub async fn remove(turn: &mut Turn, arguments: &Arguments) -> Result<Done> {
    match turn.row.name {
        "remove_instruction_breakpoint" => {
            turn.session()?;
            let wanted = arguments.owned("instruction_reference").unwrap_or_default();
            let at = arguments.integer("offset");
            let there = |b: &Breakpoint| {
                matches!(&b.site, BreakpointSite::Instruction { reference, offset }
                    if *reference == wanted && at.is_none_or(|at| at == offset.unwrap_or(0)))
            };
            return take(turn, List::Instructions, &one_line(&wanted), there).await;
        }
        "remove_data_breakpoint" => {
            turn.session()?;
            let wanted = arguments.owned("data_id").unwrap_or_default();
            let there = |b: &Breakpoint| matches!(&b.site, BreakpointSite::Data { data_id, .. } if *data_id == wanted);
            return take(turn, List::Data, &one_line(&wanted), there).await;
        }
        _ => {}
    }
    if let Some(wanted) = arguments.owned("function") {
        let there = |b: &Breakpoint| matches!(&b.site, BreakpointSite::Function { name } if *name == wanted.trim());
        return take(turn, List::Functions, &one_line(&wanted), there).await;
    }
    let file = source_path(turn, arguments);
    let wanted = arguments.integer("line");
    let list = List::File(file);
    let set_there = |b: &Breakpoint| matches!(b.site, BreakpointSite::Source { line, .. } if Some(line) == wanted);
    // Where it was set counts first; where an adapter moved it to is what lists show.
    let known = turn
        .state
        .breakpoints
        .iter()
        .any(|b| list.holds(&b.site) && set_there(b));
    let there = move |b: &Breakpoint| {
        if known {
            set_there(b)
        } else {
            b.shown_line() == wanted
        }
    };
    let name = format!("line {}", wanted.unwrap_or_default());
    take(turn, list, &name, there).await
}

/// Removes what is there.
async fn take(
    turn: &mut Turn,
    list: List,
    name: &str,
    there: impl Fn(&Breakpoint) -> bool,
) -> Result<Done> {
    let found: Vec<BreakpointId> = turn
        .state
        .breakpoints
        .iter()
        .filter(|b| list.holds(&b.site) && there(b))
        .map(|b| b.id)
        .collect();
    let nothing = found
        .is_empty()
        .then(|| format!("There was no breakpoint at {name}."));
    for id in found {
        turn.ask(Command::RemoveBreakpoint { id }).await?;
    }
    Ok(listed(turn, &list, nothing))
}

/// The list as it is now, as the session sees it that is meant: what adapters of other programs say of it is not the answer.
fn listed(turn: &Turn, list: &List, note: Option<String>) -> Done {
    let meant = turn.meant().filter(|s| s.phase.is_live());
    let root = meant.map(|s| turn.state.root_of(s.id));
    let own = |id: &SessionId| root.is_none_or(|root| turn.state.root_of(*id) == root);
    let mut all: Vec<_> = turn
        .state
        .breakpoints
        .iter()
        .filter(|b| list.holds(&b.site))
        .cloned()
        .collect();
    for breakpoint in &mut all {
        breakpoint.answers.retain(|id, _| own(id));
    }
    all.sort_by_key(Breakpoint::shown_line);
    let lines = all.iter().map(text::breakpoint);
    let mut text = text::list(&list.heading(), lines, "(none)");
    if let Some(note) = note {
        text.push('\n');
        text.push_str(&note);
    }
    let all: Vec<_> = all.iter().map(record).collect();
    Done::new(text).with(list.field(), all)
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
