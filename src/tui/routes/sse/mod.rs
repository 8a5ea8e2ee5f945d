//! Raw SSE: what providers stream, frame by frame and as the message it spells; live, recorded, replayed.
//!
//! [`model`] holds what is kept and which of it are rows, [`execution`] and [`navigation`] change it, [`view`]
//! and [`placeholder`] draw, [`detail`] says one frame or one message in full. What is read is read by a [`Feed`], and only while this is
//! the route that is shown.

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

use self::{
    detail::Mode,
    model::{Frame, Model},
    replay::Replay,
};
use crate::{prelude::*, widgets::toned::Toned};

/// What this screen begins with.
#[derive(Clone, Debug)]
pub struct Opening {
    origin: Origin,
    feed: Arc<Mutex<Feed>>,
    redactor: Redactor,
    secrets: bool,
}

impl Opening {
    /// Reads this; `secrets` shows keys and tokens as they are.
    pub fn new(feed: Feed, secrets: bool) -> Self {
        Self {
            origin: feed.origin().clone(),
            redactor: feed.redactor().clone(),
            feed: Arc::new(Mutex::new(feed)),
            secrets,
        }
    }
}

/// The parts of the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Pane {
    Streams,
    #[default]
    Frames,
    Detail,
}

/// What is typed is searched at once.
static SEARCH: TypedLine<SseRoute> = TypedLine {
    expressions: true,
    changed: |s, needle, cx| {
        // An expression that is not complete yet is no reason to complain.
        let _ = s.search_for(needle);
        let here = s.selected().map(Frame::sequence);
        if s.search.is_some() && !here.is_some_and(|here| s.finds(here)) {
            s.next_match(true, cx);
        }
    },
    left: |s, _| s.end_search(),
    step: |s, back, cx| {
        s.next_match(back, cx);
        true
    },
    ..TypedLine::new(
        SEARCHING,
        |is_expression| [if is_expression { "regex " } else { "" }, "/"],
        |s, needle, _| s.search_for(needle),
    )
};

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
enum DetailKind {
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
struct MessageLines {
    of: Spelled,
    lines: Vec<Toned>,
}

/// The route.
#[derive(Debug, Default)]
pub struct SseRoute {
    model: Model,
    /// What is read, and what reads it.
    source: Option<(Origin, Arc<Mutex<Feed>>)>,
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
    in_full: Option<DetailKind>,
    written: Option<MessageLines>,
    /// The message that is being written.
    writing: Option<Spelled>,
    paused: bool,
    /// Frames that came while paused.
    fresh: u64,
    /// All responses as they came, not one alone.
    together: bool,
    line: Option<Typing<Self>>,
    /// While it is chosen which kinds are shown.
    kinds: Option<Switches<String>>,
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

gates! { SseRoute, s;
    has_frames: !s.model.frames.is_empty(), "There is no frame.";
    has_source: s.source.is_some(), "Open a stream first.";
    has_several: s.model.streams.len() > 1, "There is one response.";
    has_search: s.search.is_some(), "Nothing is searched: / does.";
    has_request: s.stream().is_some_and(|s| s.response.request.is_some()), "What was asked for is not in this recording.";
    replays: s.replay.is_some(), "R replays what is here first.";
}

impl Browser for SseRoute {
    table! { "Raw SSE", s, cx;
        "sse.view" "next view: pretty, raw, message, request" ["v"], Bar("view") if has_source => s.turn(1, cx);
        "sse.open-selected" "in full" ["enter"], Bar("full") => Self::enter;
        "sse.search" "search" ["/"], Bar("search") if has_frames => s.line = SEARCH.proposing(s.search.as_ref().map(|search| &search.needle));
        "sse.kinds" "kinds of events" ["f"], Footer if has_frames => s.choose_kinds();
        "sse.next-response" "next response" ["]"], Footer if has_several => s.step_stream(1, cx);
        "sse.previous-response" "previous response" ["["] if has_several => s.step_stream(-1, cx);
        "sse.together" "all responses as they came, or one" ["a"], Footer if has_several => Self::all_together;
        "sse.copy" "copy" ["y"], Footer if has_frames => Self::copy;
        "sse.save" "save as NDJSON" ["s"], Footer if has_frames => Self::save;
        "sse.replay" "replay" ["R"], Footer if has_frames => Self::start_replay;
        "sse.follow" "newest, and follow" ["end" "G"], Footer if has_source => Self::follow;
        "sse.open" "open a file" ["o"], Footer => execution::ask_for_a_file(cx);
        "sse.next-pane" "next pane" ["tab"] if has_source => s.next_pane(1, cx);
        "sse.previous-pane" "previous pane" ["shift-tab"] if has_source => s.next_pane(-1, cx);
        "sse.zoom" "all room for what is in full" ["z"] if has_source => s.zoomed = !s.zoomed;
        "sse.view-back" "previous view" ["V"] if has_source => s.turn(-1, cx);
        "sse.message" "the message and back" ["t"] if has_source => {
            let is_it = s.mode == Mode::Message;
            s.set_mode(if is_it { Mode::Pretty } else { Mode::Message }, cx);
        };
        "sse.copy-response" "copy all frames of the response" ["Y"] if has_frames => Self::copy_response;
        "sse.copy-all" "copy everything" ["ctrl-c"] if has_frames => {
            let records = s.model.records(None, false);
            let what = counted(records.len(), "record");
            cx.copy(execution::raw_text(&records, s.model.dropped), what);
        };
        "sse.copy-curl" "copy the request for curl" ["C"] if has_request => Self::copy_curl;
        jumps "sse" "match" "match" ["n"] ["N"] if has_search => next_match;
        jumps "sse" "notable" "error or pause" ["e"] ["E"] if has_frames => next_notable;
        "sse.show-all" "show all kinds" ["x"] if |s, _| (!s.model.filter.hidden.is_empty()).or_why("All kinds are shown.") => s.hide(BTreeSet::new(), cx);
        "sse.secrets" "show secrets (asks), or hide them again" ["S"] if has_source => Self::ask_for_secrets;
        "sse.secrets-now" "show secrets, once that was asked" [] if |s, _| s.asked.or_why("S asks first.") => s.show_secrets(true, cx);
        "sse.replay-pause" "pause the replay, or go on" ["space"] if replays => {
            if let Some(replay) = &mut s.replay {
                replay.paused = !replay.paused;
            }
            s.play(cx);
        };
        "sse.replay-step" "replay one frame" ["."] if replays => Self::step_replay;
        "sse.replay-faster" "replay twice as fast" ["+" "="] if replays => s.set_pace(true, cx);
        "sse.replay-slower" "replay half as fast" ["-"] if replays => s.set_pace(false, cx);
        "sse.wrap" "wrap what is in full, or not" ["w"] if has_source => {
            let wraps = s.detail.wraps();
            s.detail.set_wrap(!wraps);
        };
        "sse.left" "left in lines that are not wrapped" ["left"] => s.detail.scroll_sideways(-8);
        "sse.right" "right in lines that are not wrapped" ["right"] => s.detail.scroll_sideways(8);
        lines "sse" "up" "down";
        "sse.first" "the beginning" ["home" "g"] => s.walk(Step::First, cx);
        "sse.reload" "read anew" ["r"] if has_source => Self::reload;
        "sse.close" "close the stream: others can be opened" ["c"] if has_source => Self::close;
        back "sse" "end the replay or the search, then back";
    }
    type Begin = Opening;

    fn show(&mut self, shown: bool, cx: &Cx) {
        self.shown = shown;
        if shown {
            self.start(cx);
        } else {
            self.rest(cx);
        }
    }

    fn begin(&mut self, opening: &Opening, cx: &Cx) {
        self.open(opening.clone(), cx);
    }

    types_in!(line);

    fn leave(&mut self, cx: &Cx) -> bool {
        if self.end_replay(cx) {
            return true;
        }
        if self.search.is_some() {
            self.end_search();
            return true;
        }
        if mem::take(&mut self.zoomed) {
            return true;
        }
        if self.source.is_some() && self.pane == Pane::Detail {
            self.pane = Pane::Frames;
            return true;
        }
        false
    }

    fn dialog(&self) -> Option<TypingKeys> {
        self.kinds.as_ref()?;
        Some(&[
            ("Space", "switch"),
            ("o", "only this"),
            ("a", "all"),
            ("Enter", "done"),
            ("Esc", "leave"),
        ])
    }

    fn dialog_key(&mut self, key: KeyEvent, cx: &Cx) -> bool {
        let Some(kinds) = &mut self.kinds else {
            return false;
        };
        let hidden = match (key.code, kinds.key(key)) {
            (KeyCode::Char('o'), _) => {
                kinds.alone();
                return true;
            }
            (KeyCode::Char('f'), _) | (_, Switched::Left) => None,
            (_, Switched::Open) => return true,
            (_, Switched::All) => Some(BTreeSet::new()),
            (_, Switched::Taken) => Some(kinds.of(false)),
        };
        self.kinds = None;
        if let Some(hidden) = hidden {
            self.hide(hidden, cx);
        }
        true
    }
}

#[cfg(test)]
mod tests;
