//! What is said when the program stops or ends: one notice, the line it stands at, the watches that changed; and that a command was not done.

use std::time::SystemTime;

use dap::{
    requests::ExceptionInfoResponse,
    types::{ExceptionBreakMode, ExceptionDetails},
};
use debugger::{
    DATA_BREAKPOINT, Outcome,
    adapters::Table,
    causes::is_asked,
    exit,
    hits::is_named,
    state::{CORE_DUMP, PendingRequest, stop_word},
};

use super::prelude::*;
use crate::codes;

/// Lines of what an exception came from.
const CAUSES: usize = 8;

/// What was told last.
#[derive(Clone, Debug, Default)]
pub struct Announced {
    /// The newest stop that was told.
    pub stop: StopId,
    /// Session, thread and function of it.
    at: Option<(SessionId, i64, String)>,
}

/// `file:line` of a frame, or the best that can be said.
pub fn place(frame: &StackFrame) -> String {
    let source = frame.source.as_ref();
    let name = source.and_then(|s| {
        let path = s.path.as_deref().map(Path::new);
        let name = path
            .and_then(|p| p.file_name())
            .map(|n| n.to_string_lossy());
        name.map(std::borrow::Cow::into_owned)
            .or_else(|| s.name.clone())
    });
    match (name, &frame.instruction_pointer_reference) {
        (Some(name), _) => format!("{}:{}", sanitise(&name), frame.line),
        (None, Some(address)) => sanitise(address).into_owned(),
        (None, None) => "?".to_owned(),
    }
}

/// Whether everything that a notice needs is there.
fn is_whole(session: &Session, stop: &Stop, watches: usize) -> bool {
    if stop.trouble.is_some() {
        return true;
    }
    let frame = stop
        .selected
        .filter(|s| stop.frames.contains_key(&s.frame_id));
    let told_why = match (stop.exception.as_deref(), stop.reason.as_str()) {
        (Some(told), _) => !is_asked(told),
        (None, "exception") => !session.capabilities.supports_exception_info_request,
        (None, "signal" | CORE_DUMP) => {
            let adapter = Table::builtin().get(&session.adapter);
            let asks = adapter.is_ok_and(|a| a.personality.asks_signal());
            !asks || stop.description.is_some() || stop.text.is_some()
        }
        _ => true,
    };
    frame.is_some() && told_why && stop.watches.len() >= watches
}

/// How far a stop that was waited for has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Nothing has stopped.
    None,
    /// Something has, and what is there is not whole yet.
    Begun,
    /// It can be told.
    Whole,
}

impl Repl {
    /// Says that a command was not done.
    pub fn tell(&mut self, failure: &DebuggerError) {
        if self.trouble == 0 {
            self.trouble = match failure.kind {
                _ if self.has_failed() => codes::PROGRAM_FAILED,
                // An adapter whose session still stands there has refused, not failed.
                ErrorKind::Adapter if self.stop().is_some() => codes::USAGE,
                kind => codes::of(kind),
            };
        }
        let origin = self.origin.clone();
        self.out
            .error(origin.as_deref(), &failure.what, failure.hint.as_deref());
    }

    /// The program ended with a code of its own, or would, had we not ended it.
    pub(super) fn has_failed(&self) -> bool {
        self.failed || self.state.live().any(is_doomed)
    }

    /// Says which breakpoints were moved since this was last looked at.
    pub(super) fn say_moved(&mut self) {
        let (moves, is_said) = &mut self.moves;
        let news = moves.news(&self.state.breakpoints);
        if *is_said {
            return;
        }
        for told in news {
            self.out.say(Role::Muted, sanitise(&told));
        }
    }

    /// Says that a request is not answered: once, until all that wait with it or behind it were answered.
    pub(super) fn say_late(&mut self, session: SessionId, requests: &[PendingRequest]) {
        let is_told = self.late.insert(session, !requests.is_empty());
        let Some(request) = requests.first().filter(|_| is_told != Some(true)) else {
            return;
        };
        let known = self.state.session(session);
        let can_cancel = known.is_some_and(|s| s.capabilities.supports_cancel_request);
        let may_type = self.editor.is_some();
        let how = match (may_type, can_cancel) {
            (true, true) => format!(
                "Ctrl-C stops waiting for it, and cancel {} has the adapter give it up",
                request.seq
            ),
            (true, false) => {
                "Ctrl-C stops waiting for it; the adapter cannot be asked to give it up".to_owned()
            }
            (false, _) => "what comes next waits for it, or for the end of its time".to_owned(),
        };
        let age = request.age(SystemTime::now());
        let told = format!("{} has had no answer for {age}: {how}.", request.command);
        self.out.say(Role::Muted, sanitise(&told));
    }

    /// The stop after `since` that is to be told: that of the session in focus, which what is typed next is about, or else the newest.
    fn stop_after(&self, since: StopId) -> Option<(&Session, &Stop)> {
        let stops = self
            .state
            .sessions
            .iter()
            .filter_map(|s| Some((s, s.current_stop()?)));
        stops
            .filter(|(_, stop)| stop.id > since)
            .max_by_key(|(session, stop)| (self.state.focus == Some(session.id), stop.id))
    }

    pub(super) fn progress(&self, since: StopId) -> Progress {
        match self.stop_after(since) {
            None => Progress::None,
            Some((session, stop)) if is_whole(session, stop, self.state.watches.len()) => {
                Progress::Whole
            }
            Some(_) => Progress::Begun,
        }
    }

    /// Whether all sessions are over and their last output is here.
    pub(super) fn all_over(&self) -> bool {
        self.state
            .sessions
            .iter()
            .all(|s| s.phase == Phase::Terminated && self.gone.contains(&s.id))
    }

    /// Tells of ends and of the newest stop, if they were not told; `now` does not wait for all of it. True when a stop or an
    /// end was told.
    pub(super) async fn announce(&mut self, now: bool) -> bool {
        let mut told = self.announce_ends();
        let progress = self.progress(self.told.stop);
        if progress == Progress::Whole || (now && progress == Progress::Begun) {
            let since = self.told.stop;
            let full = self.stop_after(since).map(|(session, _)| session.id);
            self.announce_others(since, full);
            if let Some(session) = full {
                self.announce_stop(session).await;
            }
            self.told.stop = self.newest_stop();
            told = true;
        }
        told
    }

    fn announce_ends(&mut self) -> bool {
        let mut told = false;
        for session in &self.state.sessions {
            if session.phase != Phase::Terminated || !self.told_ends.insert(session.id) {
                continue;
            }
            told = true;
            let name = sanitise(&session.name);
            let how = match session.exit_code {
                Some(code) => match exit::signal_of(code) {
                    Some((number, name)) => {
                        format!(" exited with code {code}, as after signal {number} ({name})")
                    }
                    None => format!(" exited with code {code}"),
                },
                None => session.ended.as_ref().map_or_else(
                    || " ended".to_owned(),
                    // It may run on.
                    |why| format!(": {}", sanitise(why)),
                ),
            };
            self.out.say(Role::Notice, format!("[{name}{how}]"));
            if session.parent.is_none() && !self.ended_by_us {
                self.failed = session.exit_code.is_some_and(|code| code != 0);
            }
        }
        if told && self.state.live().next().is_none() {
            self.told.at = None;
            self.values.clear();
            self.sources.clear();
        }
        told
    }

    /// Sessions that stopped besides the one whose stop is told.
    fn announce_others(&mut self, since: StopId, told: Option<SessionId>) {
        for session in &self.state.sessions {
            let Some(stop) = session.current_stop().filter(|stop| stop.id > since) else {
                continue;
            };
            if Some(session.id) == told {
                continue;
            }
            let hit = self.hit(session, stop);
            let why = self.why(session, stop, &hit);
            let why = why.unwrap_or_else(|| "Stopped".to_owned());
            let at = session.current_frame().map_or_else(String::new, |frame| {
                format!(", {} ({})", sanitise(&frame.name), place(frame))
            });
            let told = format!("{why}{at}; session {} goes there", session.id.0);
            self.out.say(Role::Muted, told);
        }
    }

    /// Tells of the stop at which a session stands.
    pub(super) async fn announce_stop(&mut self, session: SessionId) {
        let Some(session) = self.state.session(session) else {
            return;
        };
        let Some(stop) = session.current_stop() else {
            return;
        };
        let (session_id, stop_id) = (session.id, stop.id);
        let hit = self.hit(session, stop);
        let why = self.why(session, stop, &hit);
        let thread = stop.selected.map(|s| s.thread_id).or(stop.thread_id);
        let innermost = || stop.stacks.get(&thread?)?.frames.first();
        let frame = session.current_frame().or_else(innermost).cloned();
        let returned = returned(session);
        let trouble = stop.trouble.clone();
        let causes: Vec<_> = stop
            .exception
            .iter()
            .flat_map(|info| causes(info))
            .collect();
        let focused = self.state.focus == Some(session_id);

        let look = self.out.look;
        let name = frame.as_ref().map(|f| f.name.clone()).unwrap_or_default();
        let now = thread.map(|t| (session_id, t, name));
        let of = |at: &(SessionId, i64, String)| (at.0, at.1);
        let told = self.told.at.as_ref().map(of);
        let switched = session.threads.len() > 1
            && told.is_some_and(|told| now.as_ref().map(of) != Some(told));
        let moved = self.told.at != now;
        self.told.at = now;

        if switched {
            // A thread that has just begun may have got its name since.
            let session = Some(session_id);
            let _ = self.ask(Command::Threads { session }).await;
            let id = thread.unwrap_or_default();
            let known = self.state.session(session_id).map(|s| s.threads.iter());
            let known = known.and_then(|mut threads| threads.find(|known| known.id == id));
            let name = known.map(|known| sanitise(&known.name)).unwrap_or_default();
            self.out.say(Role::Muted, format!("[Thread {id} {name}]"));
        }
        let at = frame.as_ref().map(|frame| {
            let function = look.paint(Role::Name, sanitise(&frame.name));
            format!("{function} ({})", place(frame))
        });
        let is_told = moved || why.is_some();
        if let Some(at) = at.as_ref().filter(|_| is_told) {
            let line = match &why {
                Some(why) => format!("{}, {at}", look.paint(Role::Notice, why)),
                None => at.clone(),
            };
            self.out.line(&line);
        } else if let Some(why) = &why {
            self.out.say(Role::Notice, why);
        }
        self.out.lines(causes);
        for value in self.previewed(Some(session_id), stop_id, returned).await {
            let (name, shown) = (sanitise(&value.name), sanitise(value.shown()));
            self.out.say(Role::Muted, format!("  {name} = {shown}"));
        }
        if let Some(trouble) = trouble {
            self.out.say(Role::Warning, sanitise(&trouble));
        }
        self.listing = None;
        let is_shown = match &frame {
            Some(frame) => self.show_line(frame).await,
            None => false,
        };
        // Where a step ended is said in any case.
        if let Some(at) = at.filter(|_| !is_told && !is_shown) {
            self.out.line(&at);
        }
        if focused {
            self.announce_watches();
        }
        for id in hit {
            if let Some(at) = self.once.iter().position(|o| *o == id) {
                self.once.remove(at);
                if let Err(failure) = self.ask(Command::RemoveBreakpoint { id }).await {
                    self.tell(&failure);
                }
            }
        }
    }

    /// Values of watches that are not what they were at the last stop.
    fn announce_watches(&mut self) {
        let look = self.out.look;
        if let Some(stop) = self.state.focused().and_then(|s| s.current_stop()) {
            for watch in &self.state.watches {
                let Some(value) = stop.watches.get(&watch.id) else {
                    continue;
                };
                // What means nothing here has not changed.
                let Outcome::Value(text) = &value.result else {
                    continue;
                };
                let before = self.values.insert(watch.id, text.clone());
                if before.as_ref() == Some(text) {
                    continue;
                }
                let shown = sanitise(text);
                let was = before.map_or_else(String::new, |was| {
                    let was = format!("  (was {})", sanitise(&was));
                    look.paint(Role::Muted, was)
                });
                let expression = sanitise(&watch.expression);
                self.out.line(format!("  {expression} = {shown}{was}"));
            }
        }
    }

    /// The breakpoints of ours that a stop hit: as the adapter names them, or those at the place.
    fn hit(&self, session: &Session, stop: &Stop) -> Vec<BreakpointId> {
        if !stop.reason.contains("breakpoint") && stop.hit_breakpoint_ids.is_empty() {
            return Vec::new();
        }
        if stop.reason == DATA_BREAKPOINT {
            let hits = &stop.hit_breakpoint_ids;
            let data = self.state.data_hits(session.id, hits);
            return data.iter().map(|b| b.id).collect();
        }
        let ids = |fits: &dyn Fn(&Breakpoint) -> bool| -> Vec<BreakpointId> {
            let all = self.state.breakpoints.iter();
            all.filter(|b| fits(b)).map(|b| b.id).collect()
        };
        let named = ids(&|b| is_named(b, session, stop));
        let Some(frame) = session.current_frame().filter(|_| named.is_empty()) else {
            return named;
        };
        let path = frame.path().map(Path::new);
        let is_able = |b: &Breakpoint| b.enabled && b.stops();
        let is_there = |b: &Breakpoint| {
            b.site.file() == path && b.shown_line() == Some(frame.line) && is_able(b)
        };
        let at_line = ids(&is_there);
        if !at_line.is_empty() {
            return at_line;
        }
        ids(&|b| b.site.is_function(&frame.name) && is_able(b))
    }

    /// Why it stopped, unless that is what was asked for.
    fn why(&self, session: &Session, stop: &Stop, hit: &[BreakpointId]) -> Option<String> {
        let numbers: Vec<String> = hit.iter().map(|id| id.0.to_string()).collect();
        let is_once = hit.iter().any(|id| self.once.contains(id));
        let told = |text: &str| sanitise(text.trim()).into_owned();
        let text = match stop.reason.as_str() {
            "step" => return None,
            reason if !numbers.is_empty() && reason != "exception" => {
                let what = match (reason, is_once) {
                    (DATA_BREAKPOINT, _) => "Watchpoint",
                    (_, true) => "Temporary breakpoint",
                    (_, false) => "Breakpoint",
                };
                // Of data some debuggers say what it was and is; else it is the name.
                let data = hit.iter().filter_map(|id| self.state.breakpoint(*id));
                let names: Vec<_> = data.map(|b| b.site.to_string()).collect();
                let said = stop
                    .text
                    .as_deref()
                    .filter(|said| *said != names.join(", "));
                let hit = format!("{what} {} hit", numbers.join(", "));
                match said.filter(|_| reason == DATA_BREAKPOINT) {
                    Some(said) => format!("{hit}: {}", told(said)),
                    None => hit,
                }
            }
            "entry" => "Stopped at its first line".to_owned(),
            "cursor" => "Reached".to_owned(),
            "pause" => "Paused".to_owned(),
            CORE_DUMP if stop.exception.is_some() => {
                let info = stop.exception.as_deref().map(exception).unwrap_or_default();
                format!("{CORE_DUMP}: {}", told(&info))
            }
            "exception" | "signal" => {
                let info = stop.exception.as_deref();
                let text = info.map(exception).or_else(|| {
                    let parts = [stop.description.as_deref(), stop.text.as_deref()];
                    let parts: Vec<_> = parts.into_iter().flatten().map(str::trim).collect();
                    (!parts.is_empty()).then(|| parts.join(": "))
                });
                text.map_or_else(|| format!("Stopped: {}", told(&stop.reason)), |t| told(&t))
            }
            reason => {
                let word = told(stop_word(reason));
                let more = stop.description.as_deref().or(stop.text.as_deref());
                let more = more.filter(|m| !m.eq_ignore_ascii_case(reason));
                match more {
                    Some(more) => format!("Stopped: {word} ({})", told(more)),
                    None => format!("Stopped: {word}"),
                }
            }
        };
        Some(match session.parent {
            Some(_) => format!("{text} in {}", sanitise(&session.name)),
            None => text,
        })
    }
}

/// Signals by which a program ends that does not handle them.
const DEADLY: &[&str] = &["SIGSEGV", "SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGSYS"];

/// Whether a program stands at what will end it: an exception that nobody handles, or a deadly signal.
pub fn is_doomed(session: &Session) -> bool {
    let Some(stop) = session.current_stop() else {
        return false;
    };
    let unhandled = stop.exception.as_ref().is_some_and(|info| {
        matches!(
            info.break_mode,
            ExceptionBreakMode::Unhandled | ExceptionBreakMode::UserUnhandled
        )
    });
    let texts = [stop.description.as_deref(), stop.text.as_deref()];
    let said = |word: &str| texts.iter().flatten().any(|text| text.contains(word));
    let by_signal =
        matches!(stop.reason.as_str(), "exception" | "signal") && DEADLY.iter().copied().any(said);
    // Go's debugger stops where nothing recovers any more.
    let is_fatal = stop.reason == "exception"
        && matches!(stop.description.as_deref(), Some("panic" | "fatal error"));
    let is_panic = |info: &ExceptionInfoResponse| info.exception_id == "panic";
    let panics = stop.exception.as_deref().is_some_and(is_panic) && ends_main(stop);
    unhandled
        || by_signal
        || is_fatal
        || panics
        || (stop.reason == "exception" && said("unrecovered-panic"))
}

/// Whether a panic of Rust ends the program: that of its main thread, where nothing below `main` catches it.
fn ends_main(stop: &Stop) -> bool {
    let stack = stop.thread_id.and_then(|thread| stop.stacks.get(&thread));
    let mut names = stack
        .into_iter()
        .flat_map(|stack| &stack.frames)
        .map(|frame| frame.name.as_str());
    let ends_it = |name: &str| name.rsplit("::").next() == Some("main");
    let last = names.find(|name| ends_it(name) || name.contains("catch_unwind"));
    last.is_some_and(ends_it)
}

/// `Type: message`.
fn exception(info: &ExceptionInfoResponse) -> String {
    let message = info
        .description
        .clone()
        .or_else(|| info.details.as_ref().and_then(|d| d.message.clone()));
    match message.filter(|m| !m.trim().is_empty()) {
        Some(message) if message.contains(&info.exception_id) => message,
        Some(message) => format!("{}: {message}", info.exception_id),
        None => info.exception_id.clone(),
    }
}

/// What an exception came from, or what a group of them has in it.
fn causes(info: &ExceptionInfoResponse) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(details) = &info.details {
        tell_causes(details, 1, &mut lines);
    }
    lines
}

fn tell_causes(details: &ExceptionDetails, depth: usize, lines: &mut Vec<String>) {
    for one in details.inner_exception.iter().flatten() {
        if lines.len() >= CAUSES {
            return;
        }
        let name = sanitise(one.type_name.as_deref().unwrap_or("exception"));
        let message = sanitise(one.message.as_deref().unwrap_or_default());
        lines.push(format!("{}from {name}: {message}", "  ".repeat(depth)));
        let has_several = one
            .inner_exception
            .as_ref()
            .is_some_and(|all| all.len() > 1);
        tell_causes(one, depth + usize::from(has_several), lines);
    }
}

/// What the functions that were just left gave back, where the adapter says so among the locals.
fn returned(session: &Session) -> Vec<Variable> {
    let scopes = session.current_scopes();
    let variables = scopes
        .iter()
        .flat_map(|s| &s.scopes)
        .filter_map(|s| s.variables.as_ref())
        .flatten();
    variables
        .filter(|v| v.name.starts_with("(return)") || v.name.starts_with("(Return Value)"))
        .cloned()
        .collect()
}
