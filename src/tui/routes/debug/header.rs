//! What the header says of the sessions: which there are, what the focused one does, where it is, and what is behind it.

use base::text::width::truncate_with;
use debugger::state::{CORE_DUMP, DATA_BREAKPOINT, Progress, stop_word};

use super::prelude::*;
use super::{
    participants,
    popups::progress::bar,
    session_row::is_launcher,
    stack::{file_of, name_of},
};

/// Most cells of an exception's message.
const MOST_MESSAGE: usize = 60;
/// Most sessions named on the way to the focused one.
const MOST_SESSIONS: usize = 4;
/// Cells of a bar.
const BAR: usize = 8;

/// The line beside the program's name, the most important things first.
pub fn line(moved: Option<&participants::LastMove>, view: &View) -> Line<'static> {
    let (theme, state) = (&view.theme, &view.state);
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
        let arrow = arrow(session, "", view.symbols.frame_arrow);
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
        behind.extend(
            ways.into_iter()
                .filter(|(on, _)| *on)
                .map(|(_, way)| way.to_owned()),
        );
    }
    behind.push(session.adapter.clone());
    behind.extend(session.pid.map(|pid| format!("pid {pid}")));
    if session.exit_code.is_none() {
        behind.extend(session.ended.clone());
    }
    behind.extend(session.progress.iter().map(|p| progress(p, view)));
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
            let why = stop.map_or_else(String::new, |s| why(s, symbols.ellipsis));
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

fn why(stop: &Stop, ellipsis: &str) -> String {
    let says_more = ["exception", "signal", "error", CORE_DUMP, DATA_BREAKPOINT];
    let message = says_more
        .contains(&stop.reason.as_str())
        .then(|| exception(stop))
        .flatten();
    let reason = clean(stop_word(&stop.reason));
    match message {
        Some(message) => format!(
            "stopped: {reason}: {}",
            truncate_with(&sanitise(&message), MOST_MESSAGE, ellipsis).0
        ),
        None if reason == "stopped" => reason,
        None => format!("stopped: {reason}"),
    }
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
    let name = first(&info.exception_id);
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

fn progress(progress: &Progress, view: &View) -> String {
    let mut text = progress.title.clone();
    if let Some(message) = progress.message.as_deref().filter(|m| !m.is_empty()) {
        text = format!("{text}: {message}");
    }
    if let Some(percentage) = progress.percentage.filter(|p| p.is_finite()) {
        let bar = bar(percentage, BAR, view.symbols);
        text = format!("{text} {bar} {:.0} %", percentage.clamp(0.0, 100.0));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::view::ViewData;
    use crate::theme::{Symbols, Theme};
    use dap::requests::ExceptionInfoResponse;
    use dap::types::{Source, StackFrame};
    use debugger::state::{FrameRef, Stack};
    use debugger::{BreakpointId, SessionId};

    fn shown(state: &State, line: impl Fn(&View) -> Line<'static>) -> String {
        let seen = ViewData {
            state: state.clone().into(),
            theme: Theme::mono().into(),
            symbols: &Symbols::UNICODE,
            project: Path::new("/p").into(),
            omp: Arc::default(),
            artifact_root: Arc::default(),
        };
        let view = View::new(seen, true);
        line(&view)
            .spans
            .iter()
            .map(|s| s.content.as_ref())
            .collect()
    }

    fn session(id: u64) -> Session {
        let frame = StackFrame {
            id: 5,
            name: "checkout".into(),
            line: 31,
            source: Some(Source {
                path: Some("/p/demo.py".into()),
                ..Source::default()
            }),
            ..StackFrame::default()
        };
        let mut stop = Stop {
            reason: "breakpoint".into(),
            selected: Some(FrameRef {
                thread_id: 1,
                frame_id: 5,
            }),
            ..Stop::default()
        };
        stop.stacks.insert(
            1,
            Stack {
                frames: vec![frame],
                total: None,
                complete: true,
            },
        );
        Session {
            id: SessionId(id),
            adapter: "debugpy".into(),
            pid: Some(4711),
            phase: Phase::Stopped,
            stop: Some(stop),
            ..Session::default()
        }
    }

    #[test]
    fn where_and_why_come_first() {
        let mut state = State {
            sessions: vec![session(1)],
            focus: Some(SessionId(1)),
            ..State::default()
        };
        assert_eq!(
            shown(&state, |v| line(None, v)),
            "‖ stopped: breakpoint  demo.py:31 in checkout() · debugpy · pid 4711"
        );
        assert_eq!(
            shown(&state, |v| tiny(v, 39)),
            "▶ demo.py:31 checkout() · breakpoint"
        );
        assert_eq!(shown(&state, |v| tiny(v, 20)), "▶ demo.py:31 checko…");
        let called = StackFrame {
            id: 4,
            ..StackFrame::default()
        };
        let mut looked_at = state.clone();
        let stop = looked_at.sessions[0].stop.as_mut().unwrap();
        let stack = stop.stacks.get_mut(&1).unwrap();
        stack.frames.insert(0, called);
        assert_eq!(
            shown(&looked_at, |v| line(None, v)),
            "‖ stopped: breakpoint ▷ demo.py:31 in checkout() · debugpy · pid 4711"
        );
        assert!(shown(&looked_at, |v| tiny(v, 39)).starts_with("▷ demo.py:31"));
        let mut child = session(2);
        child.parent = Some(SessionId(1));
        child.phase = Phase::Terminated;
        child.exit_code = Some(3);
        state.sessions.push(child);
        state.focus = Some(SessionId(2));
        assert_eq!(
            shown(&state, |v| line(None, v)),
            "debug-1 › debug-2 ‖1  ■ ended: exit code 3 · debugpy · pid 4711"
        );
        assert_eq!(shown(&State::default(), |v| line(None, v)), "no session");
    }

    #[test]
    fn of_a_tree_the_way_to_the_focused_one_is_named_and_others_are_counted() {
        let mut state = State {
            focus: Some(SessionId(6)),
            ..State::default()
        };
        for id in 1..=9 {
            let mut session = session(id);
            // Six below each other, and three beside the last.
            session.parent = (id > 1).then(|| SessionId((id - 1).min(5)));
            session.phase = if id == 8 {
                Phase::Stopped
            } else {
                Phase::Running
            };
            state.sessions.push(session);
        }
        state.sessions[0].children_passed_over = 9_744;
        let text = shown(&state, |v| line(None, v));
        assert!(
            text.starts_with("debug-1 › … › debug-4 › debug-5 › debug-6 +3 ‖1 9744 not debugged  "),
            "{text}"
        );
    }

    #[test]
    fn an_exception_shows_its_message_and_no_control_character() {
        let mut session = session(1);
        let stop = session.stop.as_mut().unwrap();
        stop.reason = "exception".into();
        stop.text = Some(format!("Bad\u{1b}[31m{}", "x".repeat(200)));
        let state = State {
            sessions: vec![session],
            focus: Some(SessionId(1)),
            ..State::default()
        };
        let text = shown(&state, |v| line(None, v));
        assert!(
            text.starts_with("‖ stopped: exception: Bad␛[31mxxx"),
            "{text}"
        );
        assert!(text.contains("…  demo.py:31"), "{text}");
    }

    #[test]
    fn a_program_that_waits_behind_a_prompt_is_said_to_be_typed_to() {
        let mut session = session(1);
        session.phase = Phase::Running;
        session.stop = None;
        let mut terminal = debugger::terminal::Terminal::new(10, 80);
        terminal.push("Hello\r\n");
        session.terminal = Some(terminal);
        let mut state = State {
            sessions: vec![session],
            focus: Some(SessionId(1)),
            ..State::default()
        };
        assert!(!shown(&state, |v| line(None, v)).contains("8 types"));
        let terminal = state.sessions[0].terminal.as_mut().unwrap();
        terminal.push("Your name? ");
        assert!(shown(&state, |v| line(None, v)).contains("running · 8 types to the program"));
        state.sessions[0].phase = Phase::Stopped;
        assert!(!shown(&state, |v| line(None, v)).contains("8 types"));
    }

    #[test]
    fn what_is_not_answered_has_its_age() {
        use debugger::state::PendingRequest;
        let asked = |seq, command: &str, since| PendingRequest {
            seq,
            command: command.into(),
            since,
        };
        let mut session = session(1);
        session.pending = vec![asked(3, "evaluate", 1_000)];
        let at = |ms| SystemTime::UNIX_EPOCH + Duration::from_millis(ms);
        let text = waiting(&session, at(13_900));
        assert_eq!(
            text.as_deref(),
            Some("evaluate: no answer for 12 s (Alt-P)")
        );
        session.pending.push(asked(4, "threads", 4_000));
        let text = waiting(&session, at(66_000));
        assert_eq!(
            text.as_deref(),
            Some("evaluate: no answer for 1 min 5 s (+1, Alt-P)")
        );
        // A clock that was set back is no reason to show nonsense.
        let text = waiting(&session, at(0));
        assert_eq!(
            text.as_deref(),
            Some("evaluate: no answer for 0 s (+1, Alt-P)")
        );
        let state = State {
            sessions: vec![session],
            focus: Some(SessionId(1)),
            ..State::default()
        };
        assert!(shown(&state, |v| line(None, v)).contains("checkout() · evaluate: no answer for "));
    }

    #[test]
    fn how_it_is_run_and_what_the_adapter_does_are_said() {
        let mut session = session(1);
        session.single_thread = true;
        session.records_execution = true;
        session.progress = vec![Progress {
            title: "reading symbols".into(),
            percentage: Some(25.0),
            ..Progress::default()
        }];
        let state = State {
            sessions: vec![session],
            focus: Some(SessionId(1)),
            ..State::default()
        };
        let text = shown(&state, |v| line(None, v));
        assert!(
            text.ends_with(
                "· kept to go back · one thread alone · debugpy · pid 4711 · reading symbols ██────── 25 %"
            ),
            "{text}"
        );
    }

    #[test]
    fn what_was_recorded_is_told_at_the_end() {
        let mut session = session(1);
        session.recorded_hits.insert(BreakpointId(1), 38);
        let mut child = session.clone();
        (child.id, child.parent) = (SessionId(2), Some(SessionId(1)));
        child.recorded_hits = [(BreakpointId(2), 2)].into();
        let mut state = State {
            sessions: vec![session, child],
            focus: Some(SessionId(1)),
            ..State::default()
        };
        assert!(!shown(&state, |v| line(None, v)).contains("recorded"));
        state.sessions[0].phase = Phase::Terminated;
        let text = shown(&state, |v| line(None, v));
        assert!(text.contains(" · 40 recorded: Alt-V shows them"), "{text}");
    }

    #[test]
    fn what_an_exception_says_is_worth_more_than_its_name() {
        let mut session = session(1);
        let stop = session.stop.as_mut().unwrap();
        stop.reason = "exception".into();
        stop.text = Some("ValueError       (note: of the adapter)\n  traceback".into());
        let mut state = State {
            sessions: vec![session],
            focus: Some(SessionId(1)),
            ..State::default()
        };
        let text = shown(&state, |v| line(None, v));
        assert!(
            text.starts_with("‖ stopped: exception: ValueError  demo.py"),
            "{text}"
        );
        let stop = state.sessions[0].stop.as_mut().unwrap();
        stop.exception = Some(Box::new(ExceptionInfoResponse {
            exception_id: "ValueError".into(),
            description: Some("no such shelf".into()),
            ..ExceptionInfoResponse::default()
        }));
        let text = shown(&state, |v| line(None, v));
        assert!(
            text.starts_with("‖ stopped: exception: ValueError: no such shelf  demo.py"),
            "{text}"
        );
    }
}
