//! What the header says of the sessions: which there are, what the focused one does, where it is, and what is behind it.

use base::text::width::truncate_with;
use debugger::state::{CORE_DUMP, DATA_BREAKPOINT, Progress, stop_word};

use super::prelude::*;
use super::{
    participants,
    session_row::is_launcher,
    stack::{file_of, name_of},
};

/// Most cells of an exception's message.
const MOST_MESSAGE: usize = 60;
/// Most cells of a thread's name.
const MOST_THREAD: usize = 24;
/// Most sessions named on the way to the focused one.
const MOST_SESSIONS: usize = 4;

/// The line beside the program's name, the most important things first.
pub fn line(moved: Option<&participants::LastMove>, view: &View) -> Line<'static> {
    let (theme, symbols, state) = (&view.theme, view.symbols, &view.state);
    let mut spans = tree(view);
    let Some(session) = state.focused() else {
        spans.push(Span::styled("no session", theme.muted));
        spans.extend(participants::told(moved, view));
        return Line::from(spans);
    };
    if let Some(past) = session.stop.as_ref().and_then(|stop| stop.past) {
        let over = if past.ended {
            ", where the program has ended"
        } else {
            ""
        };
        let text = format!(
            "looking back: stop {} of {} (Backspace: now{over})  ",
            past.number, past.of
        );
        spans.push(Span::styled(text, theme.info.add_modifier(Modifier::BOLD)));
    }
    spans.push(status(session, view));
    if let Some(place) = place(session) {
        let arrow = arrow(session, "", symbols.frame_arrow);
        spans.push(Span::styled(format!(" {arrow} {place}"), theme.text));
    }
    spans.extend(participants::told(moved, view));
    if let Some(text) = waiting(session, SystemTime::now()) {
        spans.push(Span::styled(format!(" · {text}"), theme.warning));
    }
    let runs = session.phase == Phase::Running && session.activity.is_none();
    let terminal = state.terminal_of(session.id).filter(|_| runs);
    if terminal.is_some_and(|(_, terminal)| terminal.is_asking()) {
        spans.push(Span::styled(" · 8 types to the program", theme.warning));
    }
    let recorded = match session.phase {
        Phase::Terminated => state.recorded_hits(session.id, None),
        _ => 0,
    };
    if recorded > 0 {
        let text = format!(" · {} recorded: Alt-V shows them", thousands(recorded));
        spans.push(Span::styled(text, theme.info));
    }
    let several = session.current_stop().is_some() && session.threads.len() > 1;
    if let Some(thread) = session.current_thread().filter(|_| several) {
        let name = thread_name(session, thread, symbols.ellipsis);
        spans.push(Span::styled(format!(" · {name}"), theme.info));
    }
    let mut behind = Vec::new();
    if state.recording.is_some() {
        behind.push("recording".to_owned());
    }
    if session.phase.is_live() {
        if session.speed > 0 {
            behind.push(format!("played at {}x", session.speed));
        }
        let ways = [
            (session.records_execution, "kept to go back"),
            (session.single_thread, "one thread alone"),
            (session.hex, "hex"),
        ];
        let ways = ways.into_iter().filter(|(on, _)| *on);
        behind.extend(ways.map(|(_, way)| way.to_owned()));
    }
    behind.push(session.adapter.clone());
    behind.extend(session.pid.map(|pid| format!("pid {pid}")));
    if session.exit_code.is_none() {
        behind.extend(session.ended.clone());
    }
    behind.extend(session.progress.iter().map(progress));
    for text in behind.iter().filter(|t| !t.is_empty()) {
        spans.push(Span::styled(format!(" · {}", sanitise(text)), theme.muted));
    }
    Line::from(spans)
}

/// All that fits a window of one line: `▶ file.py:12 main() · breakpoint`.
pub fn tiny(view: &View, cells: u16) -> Line<'static> {
    let (theme, symbols) = (&view.theme, view.symbols);
    let Some(session) = view.session() else {
        return Line::styled("F5 starts a program", theme.muted);
    };
    let room = usize::from(cells);
    let cut = |text: &str, room: usize| truncate_with(text, room, symbols.ellipsis).0.into_owned();
    let Some(place) = place(session) else {
        let status = status(session, view);
        return Line::styled(cut(&status.content, room), status.style);
    };
    let why = match participants::foreign_driver(&view.state.sharing) {
        Some(driver) => format!("{} drives", participants::name(driver)),
        None => stop_word(session.stop.as_ref().map_or("", |s| &s.reason)).to_owned(),
    };
    let why = format!(" · {}", sanitise(&why));
    let place = place.replacen(" in ", " ", 1);
    let place = cut(&place, room.saturating_sub(2));
    let left = room.saturating_sub(2 + width(&place));
    let arrow = arrow(session, symbols.arrow, symbols.frame_arrow);
    Line::from(vec![
        Span::styled(format!("{arrow} "), theme.arrow),
        Span::styled(place, theme.text),
        Span::styled(cut(&why, left), theme.warning),
    ])
}

/// The way to the focused session, when there are several, and how many others there are: `debug-1 › debug-3 +4 ‖2`.
fn tree(view: &View) -> Vec<Span<'static>> {
    let (state, focus) = (&*view.state, &view.state.focus);
    let sessions = || state.sessions.iter().filter(|s| !is_launcher(state, s));
    if sessions().filter(|s| !s.program_in_child).count() < 2 {
        return Vec::new();
    }
    let (theme, symbols) = (&view.theme, view.symbols);
    let path = focus.map_or_else(Vec::new, |id| session_row::path(state, id));
    let mut spans = Vec::new();
    // Of a deep tree, the root and the last ones.
    let cut = path.len().saturating_sub(MOST_SESSIONS);
    for (at, id) in path.iter().enumerate() {
        if (1..=cut).contains(&at) {
            continue;
        }
        if at > 0 {
            let left_out = at == cut + 1 && cut > 0;
            let joint = symbols.separator;
            let joint = if left_out {
                format!(" {joint} {} {joint} ", symbols.ellipsis)
            } else {
                format!(" {joint} ")
            };
            spans.push(Span::styled(joint, theme.muted));
        }
        let style = if Some(*id) == *focus {
            theme
                .accent
                .add_modifier(Modifier::BOLD | Modifier::UNDERLINED)
        } else {
            theme.muted
        };
        spans.push(Span::styled(id.to_string(), style));
    }
    let others = || sessions().filter(|s| Some(s.id) != *focus);
    let beside = others().filter(|s| s.phase.is_live() && !path.contains(&s.id));
    let count = beside.count();
    let stopped = others().filter(|s| s.phase == Phase::Stopped).count();
    let passed_over: u64 = (state.sessions.iter())
        .map(|s| s.children_passed_over)
        .sum();
    let counts = [
        (count > 0, format!(" +{count}"), theme.muted),
        (
            stopped > 0,
            format!(" {}{stopped}", symbols.paused),
            theme.warning,
        ),
        (
            passed_over > 0,
            format!(" {passed_over} not debugged"),
            theme.warning,
        ),
        (true, "  ".to_owned(), Style::new()),
    ];
    let counts = counts.into_iter().filter(|(is_told, ..)| *is_told);
    spans.extend(counts.map(|(_, text, style)| Span::styled(text, style)));
    spans
}

/// What it does: a sign, a word and why.
fn status(session: &Session, view: &View) -> Span<'static> {
    let (theme, symbols) = (&view.theme, view.symbols);
    let bold = |sign: &str, text: &str, style: Style| {
        Span::styled(format!("{sign} {text}"), style.add_modifier(Modifier::BOLD))
    };
    match (session.phase, &session.activity) {
        (Phase::Terminated, _) => match session.exit_code {
            Some(code) => {
                let style = if code == 0 {
                    theme.success
                } else {
                    theme.error
                };
                bold(symbols.ended, &format!("ended: exit code {code}"), style)
            }
            None => bold(symbols.ended, "ended", theme.text),
        },
        (Phase::Stopped, None) => {
            let stop = session.stop.as_ref();
            let why = stop.map_or_else(String::new, |s| why(session, s, symbols.ellipsis));
            bold(symbols.paused, &why, theme.warning)
        }
        (phase, Some(activity)) => Span::styled(
            format!(
                "{} {}{}",
                symbols.running,
                sanitise(activity),
                symbols.ellipsis
            ),
            match phase {
                Phase::Running | Phase::Stopped => theme.success,
                _ => theme.info,
            },
        ),
        (Phase::Running, None) => bold(symbols.running, "running", theme.success),
        (phase, None) => Span::styled(format!("{} {}", symbols.more, phase.word()), theme.info),
    }
}

/// Why it stopped; and in which thread, where another one is looked at.
fn why(session: &Session, stop: &Stop, ellipsis: &str) -> String {
    let here = stop.selected.map(|frame| frame.thread_id);
    let cause = stop
        .thread_id
        .filter(|cause| here.is_some_and(|here| here != *cause));
    let stopped = match cause {
        Some(cause) => format!("stopped in {}", thread_name(session, cause, ellipsis)),
        None => "stopped".to_owned(),
    };
    let says_more = ["exception", "signal", "error", CORE_DUMP, DATA_BREAKPOINT];
    // A debugger may have no word for what a library stops it by.
    let is_more = says_more.contains(&stop.reason.as_str()) || stop.exception.is_some();
    let message = is_more.then(|| exception(stop)).flatten();
    let reason = clean(stop_word(&stop.reason));
    let reason = Some(reason).filter(|reason| reason != "stopped");
    let message = message.map(|message| {
        truncate_with(&sanitise(&message), MOST_MESSAGE, ellipsis)
            .0
            .into_owned()
    });
    let all = [Some(stopped), reason, message];
    all.into_iter().flatten().collect::<Vec<_>>().join(": ")
}

fn thread_name(session: &Session, thread: i64, ellipsis: &str) -> String {
    let name = clean(&session.short_thread_name(thread));
    truncate_with(&name, MOST_THREAD, ellipsis).0.into_owned()
}

/// `ValueError: no such shelf`: what the adapter knows of the exception, or what came with the stop until it has said so.
fn exception(stop: &Stop) -> Option<String> {
    // Some adapters add a traceback in further lines, or a note of their own behind a gap (debugpy).
    let first = |text: &str| {
        text.lines()
            .filter_map(|line| line.trim().split("   ").next())
            .find(|line| !line.is_empty())
            .map(str::to_owned)
    };
    let came = || {
        let text = stop.text.as_deref().and_then(first);
        text.or_else(|| stop.description.as_deref().and_then(first))
    };
    let Some(info) = stop.exception.as_deref() else {
        return came();
    };
    // The reason stands before it.
    let name = first(&info.exception_id).filter(|name| *name != stop.reason);
    match (name, info.description.as_deref().and_then(first)) {
        (Some(name), Some(text)) if !text.starts_with(&name) => Some(format!("{name}: {text}")),
        (_, Some(text)) => Some(text),
        (name, None) => came().or(name),
    }
}

/// `demo.py:31 in checkout()`, while it stands still.
fn place(session: &Session) -> Option<String> {
    session.current_stop()?;
    let frame = session.current_frame()?;
    let name = name_of(frame);
    let call = if name.ends_with([')', '>']) || name.contains(' ') {
        ""
    } else {
        "()"
    };
    let text = match file_of(frame) {
        Some(file) if frame.line > 0 => format!("{file}:{} in {name}{call}", frame.line),
        _ => format!("in {name}{call}"),
    };
    Some(clean(&text))
}

/// The sign for the line that runs next, or for the place of a caller, which is not where it stopped.
fn arrow(session: &Session, runs: &'static str, calls: &'static str) -> &'static str {
    let selected = session.current_stop().and_then(|stop| stop.selected);
    match selected {
        Some(at) if session.innermost_frame(at.thread_id) != Some(at.frame_id) => calls,
        _ => runs,
    }
}

/// The request that its adapter has not answered for longest, how many others there are, and which key shows them.
fn waiting(session: &Session, now: SystemTime) -> Option<String> {
    let (first, others) = session.pending.split_first()?;
    let more = match others.len() {
        0 => String::new(),
        others => format!("+{others}, "),
    };
    let text = format!(
        "{}: no answer for {} ({more}Alt-P)",
        first.command,
        first.age(now)
    );
    Some(clean(&text))
}

fn progress(progress: &Progress) -> String {
    let mut text = progress.title.clone();
    if let Some(message) = progress.message.as_deref().filter(|m| !m.is_empty()) {
        text = format!("{text}: {message}");
    }
    if let Some(percentage) = progress.percentage.filter(|p| p.is_finite()) {
        text = format!("{text} {:.0} %", percentage.clamp(0.0, 100.0));
    }
    text
}

#[cfg(test)]
mod tests;
