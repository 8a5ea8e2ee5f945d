//! Which rows the stack has: with several sessions, each is a row with its threads below it; frames lie below their thread.
//!
//! What is open is kept here; a thread is open when it is the one to look at, a session when it is in focus.

use debugger::state::{FrameRef, Stack, Thread};

use crate::{
    debug_prelude::*,
    routes::debug::session_row::{is_launcher, of_interest},
};

/// A row, whose it is, and how far it is moved to the right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub session: SessionId,
    /// How many sessions it lies below.
    pub depth: u16,
    pub row: Row,
}

/// What a row is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Row {
    /// A session, and whether its threads are shown.
    Session { open: bool },
    /// Sessions that have ended and are not shown.
    Ended { count: usize },
    /// A thread, and whether its frames are shown.
    Thread { id: i64, open: bool },
    /// A frame, by its place in the thread's stack.
    Frame { thread: i64, index: usize, id: i64 },
    /// Frames that the adapter holds for unimportant, not shown.
    Folded {
        thread: i64,
        first: i64,
        count: usize,
    },
    /// There are more than were loaded.
    More {
        thread: i64,
        loaded: usize,
        total: Option<i64>,
    },
    /// Why there are no frames.
    Note { thread: i64, text: String },
}

impl Row {
    /// The thread that it is, or lies below.
    pub fn thread(&self) -> Option<i64> {
        match self {
            Self::Session { .. } | Self::Ended { .. } => None,
            Self::Thread { id, .. } => Some(*id),
            Self::Frame { thread, .. }
            | Self::Folded { thread, .. }
            | Self::More { thread, .. }
            | Self::Note { thread, .. } => Some(*thread),
        }
    }
}

/// What is open, and the rows that follow from it.
#[derive(Debug, Default)]
pub struct Model {
    focus: Option<SessionId>,
    stop: Option<StopId>,
    /// The selected frame of the session in focus.
    pub selected: Option<FrameRef>,
    /// Sessions the user opened or closed; others are open when they are in focus.
    pub open_sessions: BTreeMap<SessionId, bool>,
    /// Threads the user opened or closed; others are open when they are the ones to look at.
    pub open: BTreeMap<(SessionId, i64), bool>,
    /// First frames of folds that were opened, by thread.
    pub unfolded: BTreeSet<(SessionId, i64, i64)>,
    pub rows: Vec<Entry>,
    /// Sessions among the rows; 0 when they have no rows of their own.
    pub sessions: usize,
}

impl Model {
    /// Makes the rows anew. Returns the row to go to when another session or frame was chosen since.
    pub fn update(&mut self, state: &State) -> Option<usize> {
        let focused = state.focused();
        let stop = focused.and_then(Session::current_stop);
        let now = (focused.map(|s| s.id), stop.map(|s| s.id));
        let moved = now.0 != self.focus;
        if now != (self.focus, self.stop) {
            self.unfolded.clear();
            if moved {
                self.open_sessions.clear();
                let known = |id: &SessionId| state.session(*id).is_some();
                self.open.retain(|(id, _), _| known(id));
            }
        }
        (self.focus, self.stop) = now;
        let selected = stop.and_then(|s| s.selected);
        let changed = selected.is_some() && (moved || selected != self.selected);
        self.selected = selected;
        self.rows.clear();
        self.build(state);
        let at = |wanted: &dyn Fn(&Entry) -> bool| {
            self.rows
                .iter()
                .position(|e| Some(e.session) == now.0 && wanted(e))
        };
        let frame = selected.filter(|_| changed).and_then(|s| {
            at(&|e| matches!(e.row, Row::Frame { thread, id, .. } if thread == s.thread_id && id == s.frame_id))
        });
        frame.or_else(|| moved.then(|| at(&|e| matches!(e.row, Row::Session { .. })))?)
    }

    fn build(&mut self, state: &State) {
        let shown = of_interest(state);
        if shown.len() < 2 {
            self.sessions = 0;
            if let Some(session) = state.focused() {
                self.threads(session, 0);
            }
            return;
        }
        self.sessions = shown.len();
        for member in &shown {
            let Some(session) = state.session(member.id) else {
                continue;
            };
            let in_focus = state.focus == Some(member.id);
            let open = self.open_sessions.get(&member.id).copied();
            let open = open.unwrap_or(in_focus);
            self.put(member.id, member.depth, Row::Session { open });
            if open {
                self.threads(session, member.depth.saturating_add(1));
            }
        }
        let all = state.sessions.iter().filter(|s| !is_launcher(state, s));
        let count = all.count().saturating_sub(shown.len());
        if let (Some(last), true) = (shown.last(), count > 0) {
            self.put(last.id, 0, Row::Ended { count });
        }
    }

    fn put(&mut self, session: SessionId, depth: u16, row: Row) {
        self.rows.push(Entry {
            session,
            depth,
            row,
        });
    }

    fn threads(&mut self, session: &Session, depth: u16) {
        if !session.phase.is_live() {
            return;
        }
        let stop = session.current_stop();
        for thread in threads(session) {
            let of_interest = stop.is_some_and(|s| {
                s.selected.map(|f| f.thread_id).or(s.thread_id) == Some(thread.id)
            });
            let open = self.open.get(&(session.id, thread.id)).copied();
            let open = open.unwrap_or(of_interest);
            let id = thread.id;
            self.put(session.id, depth, Row::Thread { id, open });
            if !open {
                continue;
            }
            if let Some(stack) = stop.and_then(|s| s.stacks.get(&id)) {
                self.frames(session.id, depth, id, stack, stop.and_then(|s| s.selected));
                continue;
            }
            let text = match stop.and_then(|s| s.trouble.as_deref()) {
                Some(trouble) if of_interest => trouble.to_owned(),
                _ if thread.stopped => "loading…".into(),
                _ => "running".into(),
            };
            self.put(session.id, depth, Row::Note { thread: id, text });
        }
    }

    fn frames(
        &mut self,
        session: SessionId,
        depth: u16,
        thread: i64,
        stack: &Stack,
        selected: Option<FrameRef>,
    ) {
        let mut index = 0;
        while let Some(frame) = stack.frames.get(index) {
            // The innermost frame is where the program is, so it is never hidden.
            let most = if index == 0 { 1 } else { usize::MAX };
            let rest = stack.frames.iter().skip(index).take(most);
            let run = rest.take_while(|f| is_subtle(f)).count();
            let holds_selected = stack
                .frames
                .iter()
                .skip(index)
                .take(run)
                .any(|f| selected.is_some_and(|s| s.thread_id == thread && s.frame_id == f.id));
            // One row hides nothing better than it shows.
            if run > 1 && !holds_selected && !self.unfolded.contains(&(session, thread, frame.id)) {
                let folded = Row::Folded {
                    thread,
                    first: frame.id,
                    count: run,
                };
                self.put(session, depth, folded);
                index += run;
                continue;
            }
            for _ in 0..run.max(1) {
                if let Some(frame) = stack.frames.get(index) {
                    let id = frame.id;
                    self.put(session, depth, Row::Frame { thread, index, id });
                }
                index += 1;
            }
        }
        if !stack.complete {
            let more = Row::More {
                thread,
                loaded: stack.frames.len(),
                total: stack.total,
            };
            self.put(session, depth, more);
        } else if stack.frames.is_empty() {
            let text = "no frames".into();
            self.put(session, depth, Row::Note { thread, text });
        }
    }
}

/// The threads of a session; some adapters tell of a stop before they tell of threads.
fn threads(session: &Session) -> Vec<Thread> {
    if !session.threads.is_empty() {
        return session.threads.clone();
    }
    let stop = session.current_stop();
    let ids = stop
        .into_iter()
        .flat_map(|s| s.stacks.keys().copied().chain(s.thread_id));
    let ids: BTreeSet<i64> = ids.collect();
    ids.into_iter()
        .map(|id| Thread {
            id,
            name: format!("thread {id}"),
            stopped: true,
        })
        .collect()
}

/// Whether the adapter says that a frame is the runtime's or a library's.
pub(crate) fn is_subtle(frame: &StackFrame) -> bool {
    matches!(frame.presentation_hint.as_deref(), Some("subtle" | "label"))
        || frame
            .source
            .as_ref()
            .is_some_and(|s| s.presentation_hint.as_deref() == Some("deemphasize"))
}

/// A frame's function. Adapters for JavaScript put the first line of what V8 says of an object before a method's name
/// (`Timeout {.tick`): what was begun there and has no end is left out.
pub(crate) fn name_of(frame: &StackFrame) -> Cow<'_, str> {
    let name = frame.name.as_str();
    let whole = || {
        let (owner, rest) = name.split_once('{')?;
        let (_, method) = rest.rsplit_once('.')?;
        let is_open = !rest.contains('}') && !owner.trim().is_empty() && !method.is_empty();
        is_open.then(|| format!("{}.{method}", owner.trim_end()))
    };
    whole().map_or(Cow::Borrowed(name), Cow::Owned)
}

/// The name of a frame's file.
pub(crate) fn file_of(frame: &StackFrame) -> Option<&str> {
    let source = frame.source.as_ref()?;
    source
        .name
        .as_deref()
        .or(source.path.as_deref())
        .map(last_part)
}

/// `checkout.py:31`, as far as known.
pub fn place_of(frame: &StackFrame) -> String {
    match (file_of(frame), &frame.instruction_pointer_reference) {
        (Some(name), _) if frame.line > 0 => format!("{name}:{}", frame.line),
        (Some(name), _) => name.to_owned(),
        (None, Some(address)) => address.clone(),
        (None, None) => String::new(),
    }
}
