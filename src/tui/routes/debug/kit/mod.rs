//! What panes and popups of the debugger share besides the kit of all screens: forms, filters, questions, going through rows.

pub mod filter;
pub mod form;
pub mod navigation;
pub mod notes;
pub mod picking;
pub mod prelude;
pub mod question;

use std::path::Path;

use base::text::{sanitise::sanitise_block, width::wrap};
use dap::types::Capabilities;
use debugger::{Command, DebuggerError, Phase, SessionId, Stop};
use ratatui::{buffer::Buffer, layout::Rect, style::Style};

use crate::{
    action::{
        Cx, Enabled,
        effect::Effect,
        msg::{Msg, Tag},
        view::View,
    },
    kit::{asks::ticket, room, rows::OrWhy},
    routes::debug::layout::Pane,
    widgets::{paint, panel::Panel},
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

/// What the core says to a command.
pub type CoreAnswer = Result<debugger::Reply, DebuggerError>;

/// A question to the core whose answer is awaited, and what is kept for that; the newest counts.
#[derive(Debug)]
pub struct Asked<T = ()>(Option<(Tag, T)>);

impl<T> Default for Asked<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Asked<T> {
    /// Asks.
    pub fn ask(&mut self, about: T, command: Command, cx: &mut Cx<'_>) {
        cx.emit(self.asking(about, command));
    }

    /// What asks.
    pub fn asking(&mut self, about: T, command: Command) -> Effect {
        let tag = self.open(about);
        Effect::Core { command, tag }
    }

    /// Under what is to be asked what somebody else asks.
    pub fn open(&mut self, about: T) -> Tag {
        let tag = Tag("asked", ticket());
        self.0 = Some((tag, about));
        tag
    }

    /// Whether there is no answer yet.
    pub fn is_open(&self) -> bool {
        self.0.is_some()
    }

    /// The answer, if that is it.
    pub fn answer<'m>(&mut self, msg: &'m Msg) -> Option<(T, &'m CoreAnswer)> {
        let Msg::Reply { tag, result } = msg else {
            return None;
        };
        let (_, about) = self.0.take_if(|(asked, _)| *asked == *tag)?;
        Some((about, result))
    }
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

/// What an empty pane says of a program that does not stand still; `none` before there was one.
pub fn not_stopped(
    phase: Option<Phase>,
    none: &'static str,
    running: &'static str,
) -> Option<[&'static str; 2]> {
    match phase {
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

/// The last part of a path, as any system writes it.
pub fn last_part(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The last stop of the session in focus.
pub fn stop_of<'a>(view: &View<'a>) -> Option<&'a Stop> {
    view.session()?.stop.as_ref()
}

/// Foreign text, made safe, in lines of at most `cells`.
pub fn wrapped(text: &str, cells: usize) -> Vec<String> {
    let clean = sanitise_block(text);
    let pieces = clean.split('\n').flat_map(|line| {
        let pieces = wrap(line, cells.max(1)).into_iter();
        pieces.filter_map(move |piece| line.get(piece))
    });
    pieces.map(str::to_owned).collect()
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

#[cfg(test)]
mod tests {
    use super::{test::Stage, *};
    use debugger::State;

    #[test]
    fn a_question_knows_its_newest_answer_from_all_others() {
        let stage = Stage::new(State::default());
        let mut cx = stage.cx();
        let mut asked = Asked::default();
        asked.ask("first", Command::OwnCode, &mut cx);
        asked.ask("second", Command::OwnCode, &mut cx);
        let tags = cx.effects.iter().filter_map(|effect| match effect {
            Effect::Core { tag, .. } => Some(*tag),
            _ => None,
        });
        let [first, second]: [Tag; 2] = tags.collect::<Vec<_>>().try_into().unwrap();
        let answer = |tag| Msg::Reply {
            tag,
            result: Err(DebuggerError::usage("no")),
        };
        assert!(asked.answer(&answer(first)).is_none());
        let of_somebody_else = Tag("source.text", second.1);
        assert!(asked.answer(&answer(of_somebody_else)).is_none());
        let answer = answer(second);
        assert!(matches!(asked.answer(&answer), Some(("second", Err(_)))));
        assert!(!asked.is_open());
    }
}
