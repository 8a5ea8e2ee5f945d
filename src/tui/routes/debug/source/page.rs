//! What stands in the place of a source where there is none: why, and what can be done about it.

use std::path::Path;

use dap::types::Source;
use debugger::{
    adapters::{Table, to_install},
    state::StartKind,
};

use crate::{debug_prelude::*, routes::debug::stack::name_of};

/// A line of a page, and how it looks.
pub type PageLine = (String, Style);

/// The page while no source is open: what goes on, and what can be done about it.
pub fn nothing_open(view: &View) -> Vec<PageLine> {
    let theme = &view.theme;
    let session = view.session();
    let (what, keys): (&str, &[&str]) = match session.map(|s| s.phase) {
        None | Some(Phase::NotStarted) => (
            "No source is open.",
            &[
                "F5  start a program",
                "o   open a file   ",
                "A   attach        ",
            ],
        ),
        Some(Phase::Terminated) => (
            "The session has ended.",
            &["F5  start it again", "o   open a file   "],
        ),
        Some(Phase::Stopped) => (
            "The program stands still outside any source.",
            &[
                "F5  let it go on  ",
                "o   open a file   ",
                "2   the stack     ",
            ],
        ),
        Some(Phase::Running) if session.is_some_and(|s| s.exit_code.is_some()) => (
            "The program has ended; what it started still runs.",
            &["X   end it        ", "o   open a file   "],
        ),
        Some(Phase::Running) => (
            "The program is running.",
            match program_source(view) {
                Some(_) => &[
                    "F6  pause it      ",
                    ".   show its file ",
                    "o   open a file   ",
                ],
                None => &["F6  pause it      ", "o   open a file   "],
            },
        ),
        Some(Phase::Initializing | Phase::Configured) => {
            ("The program is being started.", &["o   open a file   "])
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
    let head = [(what, theme.text), (String::new(), theme.text)];
    let install = lacking(view).map(|name| format!("i   install {name}"));
    let keys = install
        .into_iter()
        .chain(keys.iter().map(|k| (*k).to_owned()));
    head.into_iter()
        .chain(keys.map(|key| (key, theme.muted)))
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

/// The page for a frame without source: what the frame is, and what can be done.
pub fn no_source(view: &View) -> Vec<PageLine> {
    let theme = &view.theme;
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
    let mut lines = vec![
        ("No source for this frame.".into(), theme.text),
        (place, theme.muted),
    ];
    if let Some(path) = frame
        .source
        .as_ref()
        .and_then(|s| s.path.as_deref().or(s.name.as_deref()))
    {
        lines.push((
            format!("It was built from {path}, which cannot be read here."),
            theme.muted,
        ));
    }
    if let Some(status) = module.and_then(|m| m.symbol_status.as_deref()) {
        lines.push((status.to_owned(), theme.muted));
    }
    lines.push((String::new(), theme.text));
    lines.push((
        "u  go to the caller   f  run until it returns   2  the stack".into(),
        theme.muted,
    ));
    lines
}

/// Most cells of a row of a page: longer ones are hard to read.
const MOST_PAGE: usize = 90;

/// A few centred lines a third of the way down, in rows of their own where they are too long for one.
pub fn page(canvas: &Canvas, area: Rect, lines: &[PageLine]) {
    let cells = usize::from(area.width).min(MOST_PAGE);
    // No more of a text without end than fits is looked at.
    let most = cells.saturating_mul(usize::from(area.height));
    let mut rows: Vec<PageLine> = Vec::new();
    for (text, style) in lines {
        let near: String = text.chars().take(most).collect();
        let clean = sanitise(&near);
        let broken = wrap(&clean, cells);
        if broken.is_empty() {
            rows.push((String::new(), *style));
        }
        for range in broken {
            // The blanks at the ends of short lines hold columns in their place.
            let row = clean.get(range).unwrap_or_default();
            rows.push((row.to_owned(), *style));
        }
    }
    let spare = area.height.saturating_sub(rows.len() as u16);
    for (line, y) in rows.iter().zip(spare / 3..area.height) {
        let row = area.row(y);
        let cells = width(&line.0).min(usize::from(row.width)) as u16;
        let place = row.after((row.width - cells) / 2);
        canvas.cut(place, &line.0, line.1);
    }
}
