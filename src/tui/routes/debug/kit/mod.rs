//! What panes and popups of the debugger share besides the kit of all screens: forms, and words about sessions.

pub mod form;

use dap::{requests::DapRequest, types::Capabilities};
use debugger::{Command, DebuggerError, Phase, SessionId, Stop};

use crate::{
    kit::{asked::CoreAnswer, prelude::*},
    routes::debug::layout::Pane,
    widgets::panel::Panel,
};

/// Whether the adapter of the focused session can do something; before it has said so, whether it may be hoped.
pub fn able_to(view: &View<'_>, has: fn(&Capabilities) -> bool, lack: &'static str) -> Enabled {
    let session = view.session();
    let told = session.filter(|s| s.phase.is_live() && s.phase != Phase::Initializing);
    told.is_none_or(|s| has(&s.capabilities)).or_why(lack)
}

/// What is typed, pasted and clicked in a surface goes to this part of it; what is typed takes away what went `$wrong` before.
macro_rules! input_of {
    ($part:ident $(, $wrong:ident)?) => {
        fn wants_text(&self) -> bool {
            self.$part.wants_text()
        }

        fn on_text(&mut self, key: KeyEvent, cx: &mut Cx<'_>) -> bool {
            let mine = self.$part.on_text(key, cx);
            $(if mine {
                self.$wrong = None;
            })?
            mine
        }

        fn on_paste(&mut self, text: &str, cx: &mut Cx<'_>) -> bool {
            self.$part.on_paste(text, cx)
        }

        fn on_mouse(&mut self, event: MouseEvent, cx: &mut Cx<'_>) -> bool {
            self.$part.on_mouse(event, cx)
        }
    };
}
pub(crate) use input_of;

/// A pane is drawn into cells alone, by its `draw`.
macro_rules! draws {
    () => {
        fn fill(&mut self, buf: &mut Buffer, area: Rect, view: &View<'_>) {
            self.draw(buf, area, view);
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
pub fn standing(view: &View<'_>, old: bool) -> (bool, &'static str) {
    let phase = view.session().map(|s| s.phase);
    let stopped = phase == Some(Phase::Stopped);
    let word = phase.filter(|_| old && !stopped).map_or("", Phase::word);
    (stopped, word)
}

/// What an empty pane says of a program that does not stand still; `none` before there was one.
pub fn not_stopped(
    view: &View<'_>,
    none: &'static str,
    running: &'static str,
) -> Option<[&'static str; 2]> {
    match view.session().map(|s| s.phase) {
        None | Some(Phase::NotStarted) => Some([none, "F5 starts a program"]),
        Some(Phase::Terminated) => Some(["The session has ended", "F5 starts it again"]),
        Some(Phase::Stopped) => None,
        Some(_) => Some(["The program is running", running]),
    }
}

/// Draws the frame of a pane, as [`room::panel`] does, with the pane's key before its title.
pub fn panel(
    buf: &mut Buffer,
    area: Rect,
    title: &str,
    badge: &str,
    right: &str,
    view: &View<'_>,
) -> Rect {
    let key = Pane::ALL
        .iter()
        .find(|p| p.name() == title)
        .map(|p| p.key());
    let panel = Panel::new(view.look(), title).key(key.unwrap_or_default());
    room::in_panel(buf, area, panel.badge(badge).right(right), view)
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
pub fn relative(path: &Path, view: &View<'_>) -> String {
    path.strip_prefix(view.project)
        .unwrap_or(path)
        .to_string_lossy()
        .into_owned()
}

/// What all of these begin with.
pub fn common_prefix<'a>(mut texts: impl Iterator<Item = &'a str>) -> &'a str {
    let first = texts.next().unwrap_or_default();
    texts.fold(first, |common, text| {
        let mut both = common.char_indices().zip(text.chars());
        let differs = both.find(|((_, a), b)| a != b);
        let least = common.len().min(text.len());
        let end = differs.map_or(least, |((at, _), _)| at);
        common.get(..end).unwrap_or_default()
    })
}

/// What a key means while one goes through matches: to the next one, or (false) to the one before; any other ends the search, and
/// then means what it always means.
pub fn through_matches(key: KeyEvent) -> Option<bool> {
    let changed = KeyModifiers::CONTROL | KeyModifiers::ALT;
    match key.code {
        _ if key.modifiers.intersects(changed) => None,
        KeyCode::Char('n') | KeyCode::Enter => Some(true),
        KeyCode::Char('N') => Some(false),
        _ => None,
    }
}

/// The last part of a path, as any system writes it.
pub fn last_part(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The last stop of the session in focus.
pub fn stop_of<'a>(view: &View<'a>) -> Option<&'a Stop> {
    view.session()?.stop.as_ref()
}

/// Text that is safe, over the rows of its place as far as they go.
pub fn flow(buf: &mut Buffer, place: Rect, text: &str, style: Style) {
    let lines = wrap(text, usize::from(place.width).max(1));
    for (row, range) in (0..place.height).zip(lines) {
        paint::text(
            buf,
            paint::row(place, row),
            text.get(range).unwrap_or_default(),
            style,
        );
    }
}

#[cfg(test)]
pub mod test;
