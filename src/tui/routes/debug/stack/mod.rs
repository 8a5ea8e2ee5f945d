//! Sessions, their threads and their frames, as rows of one list. Which frame is selected is the core's; which rows there
//! are is the [`model`]'s.

mod model;
pub mod view;

use dap::requests::{TerminateThreads, TerminateThreadsArguments};
use debugger::state::Stack;
use model::{Entry, Model, Row, place_of};
use view::draw_row;

use crate::{debug_prelude::*, routes::debug::popups::sessions};

pub(crate) use model::{file_of, is_subtle, name_of};

/// Frames asked for at a time.
const PAGE: i64 = 50;

/// The command that selects the caller's frame (`outwards`) or the one it called.
pub fn step_frame(session: &Session, outwards: bool) -> Result<Command, &'static str> {
    let stop = session.current_stop().ok_or("No thread is stopped.")?;
    let selected = stop.selected.ok_or("No frame is selected.")?;
    let stack = stop.stacks.get(&selected.thread_id);
    let at = |stack: &Stack| stack.frames.iter().position(|f| f.id == selected.frame_id);
    let (stack, at) = stack
        .and_then(|stack| Some((stack, at(stack)?)))
        .ok_or("The stack is not loaded yet.")?;
    let is_code = |f: &&StackFrame| f.presentation_hint.as_deref() != Some("label");
    let next = if outwards {
        stack.frames.iter().skip(at + 1).find(is_code)
    } else {
        stack.frames.iter().take(at).rev().find(is_code)
    };
    match next {
        Some(frame) => Ok(Command::SelectFrame {
            session: Some(session.id),
            thread: selected.thread_id,
            frame_id: Some(frame.id),
        }),
        None if outwards && !stack.complete => {
            Ok(more(session.id, selected.thread_id, stack.frames.len()))
        }
        None if outwards => Err("This is the outermost frame."),
        None => Err("This is the innermost frame."),
    }
}

fn more(session: SessionId, thread: i64, loaded: usize) -> Command {
    Command::StackTrace {
        session: Some(session),
        thread: Some(thread),
        levels: loaded as i64 + PAGE,
    }
}

/// The stack pane.
#[derive(Default)]
pub struct StackPane {
    model: Model,
    list: ListState,
    /// Threads whose frames were asked for, and at which stop.
    asked: BTreeSet<(SessionId, StopId, i64)>,
}

impl StackPane {
    fn refresh(&mut self, state: &State) {
        let kept = self.entry().cloned();
        let followed = self.model.update(state);
        let kept = kept.and_then(|k| self.model.rows.iter().position(|r| *r == k));
        if followed.is_some() || (kept.is_some() && kept != self.list.selected()) {
            self.list.select(followed.or(kept));
        } else if self.list.selected().is_none() && !self.model.rows.is_empty() {
            self.list.select(Some(0));
        }
    }

    fn entry(&self) -> Option<&Entry> {
        self.model.rows.get(self.list.selected()?)
    }

    fn set_open(&mut self, session: SessionId, thread: i64, open: bool, cx: &Cx) {
        self.model.open.insert((session, thread), open);
        // Opened again, they are asked for again if they did not come.
        self.asked
            .retain(|asked| (asked.0, asked.2) != (session, thread));
        self.refresh(&cx.view.state);
        self.attend(true, cx);
    }

    /// Asks for the frames of threads that the person opened, once a stop, while the pane is in sight. Those of the thread to look at
    /// come by themselves.
    pub fn attend(&mut self, in_sight: bool, cx: &Cx) {
        let state = &cx.view.state;
        let stop_of = |id| state.session(id).and_then(Session::current_stop);
        self.asked
            .retain(|(id, stop, _)| stop_of(*id).is_some_and(|s| s.id == *stop));
        for Entry { session, row, .. } in self.model.rows.iter().filter(|_| in_sight) {
            let Row::Thread { id, open: true } = row else {
                continue;
            };
            let opened = self.model.open.contains_key(&(*session, *id));
            let stop = stop_of(*session)
                .filter(|stop| opened && stop.past.is_none() && !stop.stacks.contains_key(id));
            let threads = state.session(*session).map(|s| &*s.threads);
            let stands = threads.is_some_and(|all| all.iter().any(|t| t.id == *id && t.stopped));
            if let Some(stop) = stop
                && stands
                && self.asked.insert((*session, stop.id, *id))
            {
                cx.core(more(*session, *id, 0));
            }
        }
    }

    fn set_session_open(&mut self, session: SessionId, open: bool, cx: &Cx) {
        self.model.open_sessions.insert(session, open);
        self.refresh(&cx.view.state);
    }

    /// What is done in a session is done where the person looks.
    fn look_at(session: SessionId, cx: &Cx) {
        if cx.view.state.focus != Some(session) {
            cx.core(Command::Focus { session });
        }
    }

    fn select_frame(id: SessionId, thread: i64, frame_id: Option<i64>, cx: &Cx) {
        Self::look_at(id, cx);
        let session = Some(id);
        cx.core(Command::SelectFrame {
            session,
            thread,
            frame_id,
        });
    }

    fn activate(&mut self, cx: &Cx) {
        let Some(Entry { session, row, .. }) = self.entry().cloned() else {
            return;
        };
        let Some(known) = cx.view.state.session(session) else {
            return;
        };
        match row {
            Row::Session { open } if cx.view.state.focus == Some(session) => {
                self.set_session_open(session, !open, cx);
            }
            Row::Session { .. } => Self::look_at(session, cx),
            Row::Ended { .. } => sessions::open(cx),
            Row::Thread { id, open } => {
                if known.threads.iter().any(|t| t.id == id && !t.stopped) {
                    self.set_open(session, id, !open, cx);
                } else {
                    self.set_open(session, id, true, cx);
                    Self::select_frame(session, id, None, cx);
                }
            }
            Row::Frame { thread, id, .. } => {
                Self::select_frame(session, thread, Some(id), cx);
            }
            Row::Folded { thread, first, .. } => {
                self.model.unfolded.insert((session, thread, first));
                self.refresh(&cx.view.state);
            }
            Row::More { thread, loaded, .. } => {
                cx.core(more(session, thread, loaded));
            }
            Row::Note { .. } => {}
        }
    }

    fn open_or_close(&mut self, open: bool, cx: &Cx) {
        let Some(Entry { session, row, .. }) = self.entry().cloned() else {
            return;
        };
        match row {
            Row::Session { open: is } if is != open => self.set_session_open(session, open, cx),
            Row::Session { .. } | Row::Ended { .. } => {}
            Row::Thread { id, open: is } if is != open => self.set_open(session, id, open, cx),
            Row::Folded { .. } if open => self.activate(cx),
            row if !open => {
                // To what it lies below.
                let thread = row.thread().filter(|_| !matches!(row, Row::Thread { .. }));
                let at = self.model.rows.iter().position(|e| {
                    e.session == session
                        && match (&e.row, thread) {
                            (Row::Thread { id, .. }, Some(thread)) => *id == thread,
                            (Row::Session { .. }, None) => true,
                            _ => false,
                        }
                });
                if at.is_some() {
                    self.list.select(at);
                }
            }
            _ => {}
        }
    }

    fn copy(&self, whole: bool, cx: &Cx) {
        let Some(Entry { session, row, .. }) = self.entry() else {
            return;
        };
        let (Some(session), Row::Frame { thread, index, .. }) =
            (cx.view.state.session(*session), row)
        else {
            return;
        };
        let line = |f: &StackFrame| clean(&format!("{} ({})", f.name, place_of(f)));
        let Some(stack) = session.current_stop().and_then(|s| s.stacks.get(thread)) else {
            return;
        };
        let (text, what) = if whole {
            let lines: Vec<String> = stack.frames.iter().map(line).collect();
            (lines.join("\n"), counted(lines.len(), "frame"))
        } else {
            (
                stack.frames.get(*index).map(line).unwrap_or_default(),
                "the frame".to_owned(),
            )
        };
        cx.copy(text, what);
    }

    /// The session and the thread of the row under the cursor.
    fn thread<'a>(&self, view: &'a View) -> Option<(&'a Session, i64)> {
        let entry = self.entry()?;
        Some((view.state.session(entry.session)?, entry.row.thread()?))
    }

    fn can_end_thread(&self, view: &View) -> Enabled {
        has_entry(self, view)?;
        let (session, _) = self.thread(view).ok_or("No thread is under the cursor.")?;
        (session.phase.is_live() && session.capabilities.supports_terminate_threads_request)
            .or_why("This adapter cannot end a thread.")
    }

    fn end_thread(&mut self, cx: &Cx) {
        let Some((session, thread)) = self.thread(&cx.view) else {
            return;
        };
        let name = session.thread_name(thread);
        let asked = TerminateThreadsArguments {
            thread_ids: Some(vec![thread]),
        };
        let end = Command::request::<TerminateThreads>(Some(session.id), &asked);
        let end = Effect::core(end);
        let lines = vec![format!("{} ends where it is.", sanitise(&name))];
        cx.confirm("End a thread", lines, "end it", vec![end]);
    }
}

gates! { StackPane, s, _;
    has_entry: s.entry(), "There are no threads.";
    is_frame: matches!(s.entry().map(|e| &e.row), Some(Row::Frame { .. })), "No frame is under the cursor.";
}

impl Scrolls for StackPane {
    fn can_walk(&self, view: &View) -> Enabled {
        has_entry(self, view)
    }

    moves!(list, model.rows.len());

    fn clicked(&mut self, _again: bool, cx: &Cx) {
        self.activate(cx);
    }
}

impl Surface for StackPane {
    table! { "Stack", s, cx;
        "stack.select"     "select"         ["enter"], Footer if has_entry => Self::activate;
        "stack.open"       "open"           ["right" "l"]     if has_entry => s.open_or_close(true, cx);
        "stack.close"      "close"          ["left" "h"]      if has_entry => s.open_or_close(false, cx);
        list "stack" "row up" "row down" "first row" "last row";
        "stack.copy-frame" "copy the frame" ["y"]             if is_frame => s.copy(false, cx);
        "stack.copy-all"   "copy the stack" ["Y"]             if is_frame => s.copy(true, cx);
        "stack.end-thread" "end the thread" ["x"]             if Self::can_end_thread => Self::end_thread;
    }

    fn fill(&mut self, canvas: &Canvas, area: Rect) {
        let session = canvas.session();
        let threads = session.map_or(0, |s| s.threads.len());
        let badge = match (self.model.sessions, threads) {
            (0, 0 | 1) => String::new(),
            (0, threads) if session.is_some_and(Session::has_more_threads) => {
                format!("more than {}", counted(threads, "thread"))
            }
            (0, threads) => counted(threads, "thread"),
            (sessions, _) => counted(sessions, "session"),
        };
        let inner = panel(canvas, area, Self::TITLE, &badge, "");
        let empty = match session {
            Some(s) if s.phase.is_live() => "no threads yet",
            Some(_) => "ended · F5 starts it again",
            None => "F5 starts a program",
        };
        let Self { model, list, .. } = self;
        list_of(canvas, model.rows.len())
            .empty(empty)
            .lines(canvas, inner, list, |row, cells| {
                let entry = model.rows.get(row.index);
                let Some((entry, session)) =
                    entry.and_then(|entry| Some((entry, canvas.state.session(entry.session)?)))
                else {
                    return;
                };
                let in_focus = canvas.state.focus == Some(entry.session);
                let selected = model.selected.filter(|_| in_focus);
                draw_row(entry, session, in_focus, selected, cells);
            });
    }

    fn on_msg(&mut self, msg: &Msg, cx: &Cx) {
        if let Msg::Events(_) = msg {
            self.refresh(&cx.view.state);
        }
    }

    rolls!();
}
