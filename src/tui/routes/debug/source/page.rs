//! What stands in the place of a source where there is none: why, and what can be done about it.

use std::path::Path;

use dap::types::Source;
use debugger::{
    adapters::{Table, to_install},
    state::StartKind,
};

use crate::{debug_prelude::*, routes::debug::stack::name_of};

/// What is said while no source is open: what goes on, and what can be done about it.
pub fn nothing_open(view: &View) -> Vec<String> {
    let session = view.session();
    let (what, keys) = match session.map(|s| s.phase) {
        None | Some(Phase::NotStarted) => (
            "No source is open.",
            "F5 starts a program, o opens a file, A attaches",
        ),
        Some(Phase::Terminated) => (
            "The session has ended.",
            "F5 starts it again, o opens a file",
        ),
        Some(Phase::Stopped) => (
            "The program stands still outside any source.",
            "F5 lets it go on, o opens a file, 2 is the stack",
        ),
        Some(Phase::Running) if session.is_some_and(|s| s.exit_code.is_some()) => (
            "The program has ended; what it started still runs.",
            "X ends it, o opens a file",
        ),
        Some(Phase::Running) if program_source(view).is_some() => (
            "The program is running.",
            "F6 pauses it, . shows its file, o opens a file",
        ),
        Some(Phase::Running) => ("The program is running.", "F6 pauses it, o opens a file"),
        Some(Phase::Initializing | Phase::Configured) => {
            ("The program is being started.", "o opens a file")
        }
    };
    let what = match session {
        Some(s) if s.phase == Phase::Running && s.post_mortem => {
            "The core dump is being read.".to_owned()
        }
        Some(s) if s.phase == Phase::Running && s.kind == StartKind::Attach => {
            "Attached; the program is running.".to_owned()
        }
        Some(s)
            if s.phase.is_live() && s.phase != Phase::Stopped && s.kind == StartKind::Attach =>
        {
            format!("Attaching to {}.", s.target)
        }
        // Why it did not start, and what to do: the whole of it, for which there is no room elsewhere.
        Some(s) if s.exit_code.is_none() => s.ended.clone().unwrap_or_else(|| what.to_owned()),
        _ => what.to_owned(),
    };
    let install = lacking(view).map(|name| format!("i installs {name}"));
    [Some(what), install, Some(keys.to_owned())]
        .into_iter()
        .flatten()
        .collect()
}

/// The source of a program that was launched and is itself one, as a script is.
pub fn program_source(view: &View) -> Option<Source> {
    let session = view.session().filter(|s| s.kind == StartKind::Launch)?;
    // In a child of its session a program has a name, and no path.
    let root = session.parent.and_then(|id| view.state.session(id));
    let path = Path::new(&root.unwrap_or(session).target);
    let adapter = Table::builtin().get(&session.adapter).ok()?;
    let extension = format!(".{}", path.extension()?.to_str()?.to_lowercase());
    adapter.file_types.contains(&extension).then(|| Source {
        path: Some(path.to_string_lossy().into_owned()),
        ..Source::default()
    })
}

/// The adapter without which the session could not start, if it can be installed from here.
pub fn lacking(view: &View) -> Option<&str> {
    let session = view.state.focused()?;
    let ended = session
        .ended
        .as_deref()
        .filter(|_| !session.phase.is_live());
    to_install(ended?)
}

/// What is said of a frame without source: what the frame is, and what can be done.
pub fn no_source(view: &View) -> Vec<String> {
    let Some((session, frame)) = view.session().and_then(|s| Some((s, s.current_frame()?))) else {
        return nothing_open(view);
    };
    let module = frame
        .module_id
        .as_ref()
        .and_then(|id| session.modules.get(&id.to_string()));
    let mut place = name_of(frame).into_owned();
    if let Some(module) = module {
        place = format!("{place} in {}", module.name);
    }
    if let Some(address) = &frame.instruction_pointer_reference {
        place = format!("{place} at {address}");
    }
    let path = frame
        .source
        .as_ref()
        .and_then(|s| s.path.as_deref().or(s.name.as_deref()));
    let built = path.map(|path| format!("It was built from {path}, which cannot be read here."));
    let keys = "u goes to the caller, f runs until it returns, 2 is the stack";
    [
        Some("No source for this frame.".to_owned()),
        Some(place),
        built,
        module.and_then(|m| m.symbol_status.clone()),
        Some(keys.to_owned()),
    ]
    .into_iter()
    .flatten()
    .collect()
}
