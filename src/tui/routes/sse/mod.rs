//! Raw SSE: what providers stream, frame by frame and as the message it spells; live, recorded, replayed.
//!
//! [`actions`] is the table of keys. [`model`] holds what is kept and which of it are rows, [`doing`] and [`moving`] change it, [`view`]
//! and [`around`] draw, [`detail`] says one frame or one message in full. What is read is read by a [`Feed`], and only while this is
//! the route that is shown.

mod actions;
mod around;
mod detail;
mod doing;
mod gist;
mod kinds;
pub mod model;
mod moving;
mod replay;
mod view;

use std::{collections::VecDeque, sync::Mutex};

use diagnostics::sse::{Feed, Origin, Recorded, Stop};
use regex::Regex;

use self::{detail::Mode, kinds::Kinds, model::Model, replay::Replay};
use crate::{app::logs::Needle, kit::prelude::*, widgets::toned::Toned};

/// What this screen begins with.
#[derive(Clone, Debug)]
pub struct Opening {
    name: String,
    origin: Origin,
    feed: Arc<Mutex<Feed>>,
    redactor: Redactor,
    secrets: bool,
}

impl Opening {
    /// Reads this; `secrets` shows keys and tokens as they are.
    pub fn new(feed: Feed, secrets: bool) -> Self {
        Self {
            name: feed.origin().name(),
            origin: feed.origin().clone(),
            redactor: feed.redactor().clone(),
            feed: Arc::new(Mutex::new(feed)),
            secrets,
        }
    }
}

/// What is read.
#[derive(Debug)]
struct Source {
    name: String,
    origin: Origin,
    feed: Arc<Mutex<Feed>>,
}

/// The parts of the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Pane {
    Streams,
    #[default]
    Frames,
    Detail,
}

/// What keys go to.
#[derive(Debug, Default)]
enum Typing {
    /// The panes.
    #[default]
    Browse,
    /// What is searched; true = a regular expression.
    Search(Field, bool),
    /// Which kinds are shown.
    Kinds(Kinds),
}

/// What is searched.
#[derive(Debug)]
struct Search {
    needle: Needle,
    regex: Regex,
    /// The frames that have it.
    found: VecDeque<u64>,
}

/// What stands in full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    /// A frame: its number, as it came or not, with secrets or not.
    Frame(u64, bool, bool),
    /// The head of a response.
    Head(u64, bool),
    /// A message, after so many events.
    Message(Spelled),
    Nothing,
}

/// A state of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Spelled {
    stream: u64,
    events: u64,
    secrets: bool,
    /// While it is replayed, until where.
    until: Option<u64>,
}

/// A message as lines, made beside the drawing task.
#[derive(Debug)]
struct Written {
    of: Spelled,
    lines: Vec<Toned>,
}

/// The route.
#[derive(Debug, Default)]
pub struct SseRoute {
    model: Model,
    source: Option<Source>,
    redactor: Redactor,
    /// Ends what reads.
    stop: Option<Stop>,
    shown: bool,
    /// Whether what is there has not come yet.
    reading: bool,
    list: ListState,
    streams: ListState,
    sources: ListState,
    recorded: Option<Vec<Recorded>>,
    pane: Pane,
    zoomed: bool,
    mode: Mode,
    detail: TextView,
    /// What is in the view of one thing in full.
    in_full: Option<Shown>,
    written: Option<Written>,
    /// The message that is being written.
    writing: Option<Spelled>,
    paused: bool,
    /// Frames that came while paused.
    fresh: u64,
    /// All responses as they came, not one alone.
    together: bool,
    typing: Typing,
    search: Option<Search>,
    replay: Option<Replay>,
    /// Whether secrets are shown, and whether that was asked.
    secrets: bool,
    asked: bool,
    notes: Vec<String>,
    failed: Option<String>,
    /// Where the panes were drawn, and the tabs.
    places: Vec<(Rect, Pane)>,
    tabs: Vec<(Rect, usize)>,
}

impl Surface for SseRoute {
    const TITLE: &'static str = "Raw SSE";
    const ACTIONS: &'static [Action<Self>] = actions::ROWS;

    fn render(&mut self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
        self.draw(frame.buffer_mut(), area, view);
    }

    fn on_msg(&mut self, msg: &Msg, cx: &mut Cx<'_>) {
        match msg {
            Msg::Shown(route) => self.show(*route == RouteId::Sse, cx),
            Msg::Begin(begin) => {
                if let Some(opening) = begin.of::<Opening>() {
                    self.open(opening.clone(), cx);
                }
            }
            Msg::Told(told) => self.told(told, cx),
            _ => {}
        }
    }

    fn wants_text(&self) -> bool {
        !matches!(self.typing, Typing::Browse)
    }

    fn typing_keys(&self) -> TypingKeys {
        match self.typing {
            Typing::Kinds(_) => &[
                ("Space", "switch"),
                ("o", "only this"),
                ("a", "all"),
                ("Enter", "done"),
                ("Esc", "leave"),
            ],
            _ => SEARCHING,
        }
    }

    fn on_text(&mut self, key: KeyEvent, cx: &mut Cx<'_>) -> bool {
        cx.redraw();
        self.typed(key, cx)
    }

    fn on_paste(&mut self, text: &str, cx: &mut Cx<'_>) -> bool {
        let Typing::Search(field, _) = &mut self.typing else {
            return false;
        };
        field.paste(text);
        self.search_as_typed(cx);
        cx.redraw();
        true
    }

    fn on_mouse(&mut self, event: MouseEvent, cx: &mut Cx<'_>) -> bool {
        !self.wants_text() && self.pointed(event, cx)
    }
}

#[cfg(test)]
mod tests;
