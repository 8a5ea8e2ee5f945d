//! Raw SSE: what providers stream, frame by frame and as the message it spells; live, recorded, replayed.
//!
//! [`actions`] is the table of keys. [`model`] holds what is kept and which of it are rows, [`execution`] and [`navigation`] change it, [`view`]
//! and [`placeholder`] draw, [`detail`] says one frame or one message in full. What is read is read by a [`Feed`], and only while this is
//! the route that is shown.

mod actions;
mod detail;
mod execution;
mod gist;
pub mod model;
mod navigation;
mod placeholder;
mod replay;
mod view;

use std::sync::Mutex;

use diagnostics::sse::{Feed, Origin, Recorded, Stop};
use regex::Regex;

use self::{
    detail::Mode,
    model::{Frame, Model},
    replay::Replay,
};
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
enum Keys {
    /// The panes.
    #[default]
    Browse,
    Search(Typing),
    /// Which kinds are shown.
    Kinds(Switches<String>),
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
    keys: Keys,
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

impl Browser for SseRoute {
    const TITLE: &'static str = "Raw SSE";
    const ROUTE: RouteId = RouteId::Sse;
    const ACTIONS: &'static [Action<Self>] = actions::ROWS;
    type Begin = Opening;

    fn shown(&mut self) -> &mut bool {
        &mut self.shown
    }

    fn show(&mut self, shown: bool, cx: &mut Cx<'_>) {
        if shown {
            self.start(cx);
        } else {
            self.rest(cx);
        }
    }

    fn begin(&mut self, opening: &Opening, cx: &mut Cx<'_>) {
        self.open(opening.clone(), cx);
    }

    fn typing(&self) -> Option<TypingKeys> {
        match self.keys {
            Keys::Browse => None,
            Keys::Search(_) => Some(SEARCHING),
            Keys::Kinds(_) => Some(&[
                ("Space", "switch"),
                ("o", "only this"),
                ("a", "all"),
                ("Enter", "done"),
                ("Esc", "leave"),
            ]),
        }
    }

    fn typed(&mut self, key: KeyEvent, cx: &mut Cx<'_>) -> bool {
        match &mut self.keys {
            Keys::Browse => return false,
            Keys::Kinds(kinds) => match (key.code, kinds.key(key)) {
                (KeyCode::Char('o'), _) => kinds.alone(),
                (KeyCode::Char('f'), _) | (_, Switched::Left) => self.keys = Keys::Browse,
                (_, Switched::Open) => {}
                (_, Switched::All) => {
                    self.keys = Keys::Browse;
                    self.hide(BTreeSet::new(), cx);
                }
                (_, Switched::Taken) => {
                    let hidden = kinds.of(false);
                    self.keys = Keys::Browse;
                    self.hide(hidden, cx);
                }
            },
            Keys::Search(typing) => match typing.key(key) {
                Typed::Left => self.end_search(),
                Typed::Entered => self.take_search(cx),
                Typed::Changed => self.changed(cx),
                Typed::Step(back) => self.next_match(back, cx),
                Typed::Nothing => return false,
            },
        }
        true
    }

    fn field(&mut self) -> Option<&mut Field> {
        match &mut self.keys {
            Keys::Search(typing) => Some(&mut typing.field),
            _ => None,
        }
    }

    /// What is typed is searched at once.
    fn changed(&mut self, cx: &mut Cx<'_>) {
        let Keys::Search(typing) = &self.keys else {
            return;
        };
        // An expression that is not complete yet is no reason to complain.
        let _ = self.search_for(typing.needle());
        let here = self.selected().map(Frame::sequence);
        let is_here = here.is_some_and(|here| self.finds(here));
        if self.search.is_some() && !is_here {
            self.next_match(true, cx);
        }
    }
}

#[cfg(test)]
mod tests;
