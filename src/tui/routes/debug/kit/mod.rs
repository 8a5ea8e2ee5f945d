//! What panes and popups of the debugger share besides the kit of all screens: words about sessions, and what is asked of them.

use dap::{requests::DapRequest, types::Capabilities};
use debugger::{Command, DebuggerError, Phase, SessionId, Stop};

use crate::{
    kit::{pending_answer::CoreAnswer, prelude::*},
    routes::debug::layout::Pane,
    widgets::panel::Panel,
};

/// Whether the adapter of the focused session can do something; before it has said so, whether it may be hoped.
pub fn able_to(view: &View, has: fn(&Capabilities) -> bool, lack: &'static str) -> Enabled {
    let session = view.session();
    let told = session.filter(|s| s.phase.is_live() && s.phase != Phase::Initializing);
    told.is_none_or(|s| has(&s.capabilities)).or_why(lack)
}

/// A pane is drawn into cells alone, by its `draw`.
macro_rules! draws {
    () => {
        fn fill(&mut self, canvas: &Canvas, area: Rect) {
            self.draw(canvas, area);
        }
    };
}
pub(crate) use draws;

/// What an adapter said to a request that the core handed on; the error is a sentence.
pub fn answer_of<R: DapRequest>(answer: &CoreAnswer) -> Result<R::Response, String> {
    let reply = answer.as_ref().map_err(|error| error.what.clone())?;
    reply.answer::<R>().map_err(|error| error.what)
}

/// What went wrong, and what to do about it.
pub fn with_hint(error: &DebuggerError) -> String {
    match &error.hint {
        Some(hint) => format!("{} {hint}", error.what),
        None => error.what.clone(),
    }
}

/// Asks what an expression comes to in the selected frame.
pub fn evaluate(
    session: Option<SessionId>,
    expression: impl Into<String>,
    context: &str,
) -> Command {
    Command::Evaluate {
        session,
        frame_id: None,
        expression: expression.into(),
        context: context.to_owned(),
    }
}

/// Whether the program stands still; where it does not, the word for what it does, for a pane that shows something `old`.
pub fn standing(view: &View, old: bool) -> (bool, &'static str) {
    let phase = view.session().map(|s| s.phase);
    let stopped = phase == Some(Phase::Stopped);
    let word = phase.filter(|_| old && !stopped).map_or("", Phase::word);
    (stopped, word)
}

/// What an empty pane says of a program that does not stand still; `none` before there was one.
pub fn not_stopped(
    view: &View,
    none: &'static str,
    running: &'static str,
) -> Option<[&'static str; 2]> {
    match view.session().map(|s| s.phase) {
        None | Some(Phase::NotStarted) => Some([none, "F5 starts a program"]),
        Some(Phase::Terminated) => Some(["The session has ended", "F5 starts it again"]),
        Some(Phase::Stopped) => None,
        Some(Phase::Initializing | Phase::Configured) => Some(["The session is being started", ""]),
        Some(Phase::Running) if view.session().is_some_and(|s| s.exit_code.is_some()) => {
            Some(["The program has ended", "What it started still runs"])
        }
        Some(Phase::Running) => Some(["The program is running", running]),
    }
}

/// Draws the frame of a pane, as [`room::panel`] does, with the pane's key before its title.
pub fn panel(canvas: &Canvas, area: Rect, title: &str, badge: &str, right: &str) -> Rect {
    let key = Pane::ALL
        .iter()
        .find(|p| p.name() == title)
        .map(|p| p.key());
    let panel = Panel::new(canvas.look(), title).key(key.unwrap_or_default());
    room::in_panel(canvas, area, panel.badge(badge).right(right))
}

/// A name for a sentence: the beginning of a long one.
pub fn short(name: &str) -> String {
    if name.chars().count() <= 40 {
        return format!("`{name}`");
    }
    let head: String = name.chars().take(39).collect();
    format!("`{head}…`")
}

/// A path below the project as it is said there.
pub fn relative(path: &Path, view: &View) -> String {
    path.strip_prefix(&view.project)
        .unwrap_or(path)
        .to_string_lossy()
        .into_owned()
}

/// The last part of a path, as any system writes it.
pub fn last_part(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The last stop of the session in focus.
pub fn stop_of(view: &View) -> Option<&Stop> {
    view.session()?.stop.as_ref()
}

#[cfg(test)]
pub mod test;
