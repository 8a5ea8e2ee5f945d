//! Threads and their frames, as rows of one list. Which frame is selected is the core's; what is open is kept here.

pub mod view;

use std::collections::{BTreeMap, BTreeSet};

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;

use crate::dap::types::StackFrame;
use crate::debugger::state::{FrameRef, Stack, Thread};
use crate::debugger::{Command, Session, SessionId, StopId};
use crate::text::sanitise::sanitise;
use crate::tui::action::{Action, Cx, Enabled, Show, Surface, View};
use crate::tui::app::effect::Effect;
use crate::tui::app::msg::Msg;
use crate::tui::overlays::confirm::Confirm;
use crate::tui::routes::debug::kit::row;
use crate::tui::widgets::list::{List, ListState};
use crate::tui::widgets::panel::Panel;
use view::draw_row;

/// Frames asked for at a time.
const PAGE: i64 = 50;
/// Rows a turn of the wheel scrolls.
const WHEEL: isize = 3;

/// One row.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Row {
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

/// What is open, and the rows that follow from it.
#[derive(Clone, Debug, Default, PartialEq)]
struct Model {
    session: Option<SessionId>,
    stop: Option<StopId>,
    selected: Option<FrameRef>,
    /// Threads the user opened or closed; others are open when they are the ones to look at.
    open: BTreeMap<i64, bool>,
    /// First frames of folds that were opened, by thread.
    unfolded: BTreeSet<(i64, i64)>,
    rows: Vec<Row>,
}

impl Model {
    /// Makes the rows anew. Returns the row of the selected frame when another one was selected since.
    fn update(&mut self, session: Option<&Session>) -> Option<usize> {
        let stop = session.and_then(Session::current_stop);
        let now = (session.map(|s| s.id), stop.map(|s| s.id));
        if now != (self.session, self.stop) {
            self.unfolded.clear();
            if now.0 != self.session {
                self.open.clear();
            }
        }
        (self.session, self.stop) = now;
        let selected = stop.and_then(|s| s.selected);
        self.rows = session.map(|s| self.build(s)).unwrap_or_default();
        let changed = selected.is_some() && selected != self.selected;
        self.selected = selected;
        let selected = selected.filter(|_| changed)?;
        self.rows
            .iter()
            .position(|r| matches!(r, Row::Frame { thread, id, .. } if *thread == selected.thread_id && *id == selected.frame_id))
    }

    fn build(&self, session: &Session) -> Vec<Row> {
        let stop = session.current_stop();
        let mut rows = Vec::new();
        if !session.phase.is_live() {
            return rows;
        }
        for thread in threads(session) {
            let of_interest = stop.is_some_and(|s| {
                s.selected.map(|f| f.thread_id).or(s.thread_id) == Some(thread.id)
            });
            let open = self.open.get(&thread.id).copied().unwrap_or(of_interest);
            rows.push(Row::Thread {
                id: thread.id,
                open,
            });
            if !open {
                continue;
            }
            match stop.and_then(|s| s.stacks.get(&thread.id)) {
                Some(stack) => {
                    self.frames(&mut rows, thread.id, stack, stop.and_then(|s| s.selected));
                }
                None => rows.push(Row::Note {
                    thread: thread.id,
                    text: match stop.and_then(|s| s.trouble.as_deref()) {
                        Some(trouble) if of_interest => trouble.to_owned(),
                        _ if thread.stopped => "loading…".into(),
                        _ => "running".into(),
                    },
                }),
            }
        }
        rows
    }

    fn frames(&self, rows: &mut Vec<Row>, thread: i64, stack: &Stack, selected: Option<FrameRef>) {
        let mut index = 0;
        while let Some(frame) = stack.frames.get(index) {
            let run = stack
                .frames
                .iter()
                .skip(index)
                .take_while(|f| is_subtle(f))
                .count();
            let holds_selected = stack
                .frames
                .iter()
                .skip(index)
                .take(run)
                .any(|f| selected.is_some_and(|s| s.thread_id == thread && s.frame_id == f.id));
            // The innermost frame is where the program is, so it is never hidden; one row hides nothing better than it shows.
            if run > 1
                && index > 0
                && !holds_selected
                && !self.unfolded.contains(&(thread, frame.id))
            {
                rows.push(Row::Folded {
                    thread,
                    first: frame.id,
                    count: run,
                });
                index += run;
                continue;
            }
            for _ in 0..run.max(1) {
                if let Some(frame) = stack.frames.get(index) {
                    rows.push(Row::Frame {
                        thread,
                        index,
                        id: frame.id,
                    });
                }
                index += 1;
            }
        }
        if !stack.complete {
            rows.push(Row::More {
                thread,
                loaded: stack.frames.len(),
                total: stack.total,
            });
        } else if stack.frames.is_empty() {
            rows.push(Row::Note {
                thread,
                text: "no frames".into(),
            });
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

fn is_subtle(frame: &StackFrame) -> bool {
    matches!(frame.presentation_hint.as_deref(), Some("subtle" | "label"))
        || frame
            .source
            .as_ref()
            .is_some_and(|s| s.presentation_hint.as_deref() == Some("deemphasize"))
}

/// `checkout.py:31`, as far as known.
fn place_of(frame: &StackFrame) -> String {
    let source = frame.source.as_ref();
    let path = source.and_then(|s| s.path.as_deref());
    let name = source
        .and_then(|s| s.name.as_deref())
        .or(path)
        .map(|n| n.rsplit(['/', '\\']).next().unwrap_or(n));
    match (name, &frame.instruction_pointer_reference) {
        (Some(name), _) if frame.line > 0 => format!("{name}:{}", frame.line),
        (Some(name), _) => name.to_owned(),
        (None, Some(address)) => address.clone(),
        (None, None) => String::new(),
    }
}

/// The command that selects the caller's frame (`outwards`) or the one it called.
pub fn step_frame(session: &Session, outwards: bool) -> Result<Command, &'static str> {
    let stop = session.current_stop().ok_or("No thread is stopped.")?;
    let selected = stop.selected.ok_or("No frame is selected.")?;
    let stack = stop
        .stacks
        .get(&selected.thread_id)
        .ok_or("The stack is not loaded yet.")?;
    let at = stack
        .frames
        .iter()
        .position(|f| f.id == selected.frame_id)
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
}

impl StackPane {
    fn refresh(&mut self, session: Option<&Session>) {
        let kept = self
            .list
            .selected()
            .and_then(|i| self.model.rows.get(i))
            .cloned();
        let followed = self.model.update(session);
        let kept = kept.and_then(|k| self.model.rows.iter().position(|r| *r == k));
        if followed.is_some() || (kept.is_some() && kept != self.list.selected()) {
            self.list.select(followed.or(kept));
        } else if self.list.selected().is_none() && !self.model.rows.is_empty() {
            self.list.select(Some(0));
        }
    }

    fn row(&self) -> Option<&Row> {
        self.model.rows.get(self.list.selected()?)
    }

    fn enabled(&self) -> Enabled {
        self.row().map(|_| ()).ok_or("There are no threads.")
    }

    fn set_open(&mut self, thread: i64, open: bool, cx: &mut Cx<'_>) {
        self.model.open.insert(thread, open);
        let Some(session) = cx.view.state.focused() else {
            return;
        };
        let missing = session
            .current_stop()
            .is_some_and(|s| !s.stacks.contains_key(&thread));
        if open && missing && session.threads.iter().any(|t| t.id == thread && t.stopped) {
            cx.emit(Effect::core(more(session.id, thread, 0)));
        }
        self.refresh(Some(session));
    }

    fn activate(&mut self, cx: &mut Cx<'_>) {
        let (Some(row), Some(session)) = (self.row().cloned(), cx.view.state.focused()) else {
            return;
        };
        let session_id = session.id;
        match row {
            Row::Thread { id, open } => {
                if session.threads.iter().any(|t| t.id == id && !t.stopped) {
                    self.set_open(id, !open, cx);
                } else {
                    self.set_open(id, true, cx);
                    cx.emit(Effect::core(Command::SelectFrame {
                        session: Some(session_id),
                        thread: id,
                        frame_id: None,
                    }));
                }
            }
            Row::Frame { thread, id, .. } => cx.emit(Effect::core(Command::SelectFrame {
                session: Some(session_id),
                thread,
                frame_id: Some(id),
            })),
            Row::Folded { thread, first, .. } => {
                self.model.unfolded.insert((thread, first));
                self.refresh(Some(session));
            }
            Row::More { thread, loaded, .. } => {
                cx.emit(Effect::core(more(session_id, thread, loaded)));
            }
            Row::Note { .. } => {}
        }
    }

    fn open_or_close(&mut self, open: bool, cx: &mut Cx<'_>) {
        match self.row() {
            Some(Row::Thread { id, open: is }) if *is != open => {
                let id = *id;
                self.set_open(id, open, cx);
            }
            Some(Row::Folded { .. }) if open => self.activate(cx),
            Some(
                Row::Frame { thread, .. }
                | Row::More { thread, .. }
                | Row::Note { thread, .. }
                | Row::Folded { thread, .. },
            ) if !open => {
                let thread = *thread;
                let at = self
                    .model
                    .rows
                    .iter()
                    .position(|r| matches!(r, Row::Thread { id, .. } if *id == thread));
                self.list.select(at);
            }
            _ => {}
        }
    }

    fn copy(&self, whole: bool, cx: &mut Cx<'_>) {
        let Some(session) = cx.view.state.focused() else {
            return;
        };
        let Some(stop) = session.current_stop() else {
            return;
        };
        let line = |f: &StackFrame| format!("{} ({})", f.name, place_of(f));
        let Some(Row::Frame { thread, index, .. }) = self.row() else {
            return;
        };
        let Some(stack) = stop.stacks.get(thread) else {
            return;
        };
        let (text, what) = if whole {
            let lines: Vec<String> = stack.frames.iter().map(line).collect();
            (lines.join("\n"), format!("{} frames", lines.len()))
        } else {
            (
                stack.frames.get(*index).map(line).unwrap_or_default(),
                "the frame".to_owned(),
            )
        };
        cx.emit(Effect::Copy { text, what });
    }

    /// The thread of the row under the cursor.
    fn thread(&self) -> Option<i64> {
        match self.row()? {
            Row::Thread { id, .. } => Some(*id),
            Row::Frame { thread, .. }
            | Row::Folded { thread, .. }
            | Row::More { thread, .. }
            | Row::Note { thread, .. } => Some(*thread),
        }
    }

    fn can_end_thread(&self, view: &View<'_>) -> Enabled {
        self.enabled()?;
        match view.state.focused() {
            Some(s) if s.phase.is_live() && s.capabilities.supports_terminate_threads_request => {
                Ok(())
            }
            _ => Err("This adapter cannot end a thread."),
        }
    }

    fn end_thread(&mut self, cx: &mut Cx<'_>) {
        let (Some(thread), Some(session)) = (self.thread(), cx.view.state.focused()) else {
            return;
        };
        let known = session.threads.iter().find(|t| t.id == thread);
        let name = known.map_or_else(|| format!("thread {thread}"), |t| t.name.clone());
        let end = Effect::core(Command::TerminateThreads {
            session: Some(session.id),
            threads: vec![thread],
        });
        cx.emit(Effect::Open(Box::new(Confirm {
            title: "End a thread".to_owned(),
            lines: vec![format!("{} ends where it is.", sanitise(&name))],
            yes_label: "end it".to_owned(),
            on_yes: vec![end],
        })));
    }

    fn is_frame(&self) -> Enabled {
        match self.row() {
            Some(Row::Frame { .. }) => Ok(()),
            _ => Err("No frame is under the cursor."),
        }
    }
}

impl Surface for StackPane {
    const TITLE: &'static str = "Stack";
    const ACTIONS: &'static [Action<Self>] = &[
        row(
            "stack.select",
            "select",
            &["enter"],
            Show::Footer,
            |s, _| s.enabled(),
            Self::activate,
        ),
        row(
            "stack.open",
            "open",
            &["right", "l"],
            Show::HelpOnly,
            |s, _| s.enabled(),
            |s, cx| s.open_or_close(true, cx),
        ),
        row(
            "stack.close",
            "close",
            &["left", "h"],
            Show::HelpOnly,
            |s, _| s.enabled(),
            |s, cx| s.open_or_close(false, cx),
        ),
        row(
            "stack.up",
            "row up",
            &["up", "k"],
            Show::HelpOnly,
            |s, _| s.enabled(),
            |s, _| s.list.move_by(-1, s.model.rows.len()),
        ),
        row(
            "stack.down",
            "row down",
            &["down", "j"],
            Show::HelpOnly,
            |s, _| s.enabled(),
            |s, _| s.list.move_by(1, s.model.rows.len()),
        ),
        row(
            "stack.page-up",
            "page up",
            &["pageup"],
            Show::HelpOnly,
            |s, _| s.enabled(),
            |s, _| s.list.page_by(-1, s.model.rows.len()),
        ),
        row(
            "stack.page-down",
            "page down",
            &["pagedown"],
            Show::HelpOnly,
            |s, _| s.enabled(),
            |s, _| s.list.page_by(1, s.model.rows.len()),
        ),
        row(
            "stack.first",
            "first row",
            &["home", "g"],
            Show::HelpOnly,
            |s, _| s.enabled(),
            |s, _| s.list.home(s.model.rows.len()),
        ),
        row(
            "stack.last",
            "last row",
            &["end", "G"],
            Show::HelpOnly,
            |s, _| s.enabled(),
            |s, _| s.list.end(s.model.rows.len()),
        ),
        row(
            "stack.copy-frame",
            "copy the frame",
            &["y"],
            Show::HelpOnly,
            |s, _| s.is_frame(),
            |s, cx| s.copy(false, cx),
        ),
        row(
            "stack.copy-all",
            "copy the stack",
            &["Y"],
            Show::HelpOnly,
            |s, _| s.is_frame(),
            |s, cx| s.copy(true, cx),
        ),
        row(
            "stack.end-thread",
            "end the thread",
            &["x"],
            Show::HelpOnly,
            Self::can_end_thread,
            Self::end_thread,
        ),
    ];

    fn render(&mut self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
        let look = view.look();
        let session = view.state.focused();
        let count = session.map_or(0, |s| s.threads.len());
        let badge = if count > 1 {
            format!("{count} threads")
        } else {
            String::new()
        };
        let buffer = frame.buffer_mut();
        let inner = Panel::new(look, Self::TITLE)
            .key("2")
            .badge(&badge)
            .focused(view.focused)
            .draw(buffer, area);
        let empty = match session {
            Some(s) if s.phase.is_live() => "no threads yet",
            Some(_) => "ended · F5 starts it again",
            None => "F5 starts a program",
        };
        let Self { model, list } = self;
        List::new(look, model.rows.len())
            .focused(view.focused)
            .empty(empty)
            .draw(buffer, inner, list, |row| {
                match (session, model.rows.get(row.index)) {
                    (Some(session), Some(content)) => {
                        draw_row(content, session, model.selected, row.width, look)
                    }
                    _ => Line::default(),
                }
            });
    }

    fn on_msg(&mut self, msg: &Msg, cx: &mut Cx<'_>) {
        if let Msg::Events(_) = msg {
            self.refresh(cx.view.state.focused());
        }
    }

    fn on_mouse(&mut self, event: MouseEvent, cx: &mut Cx<'_>) -> bool {
        match event.kind {
            MouseEventKind::ScrollUp => self.list.scroll_by(-WHEEL, self.model.rows.len()),
            MouseEventKind::ScrollDown => self.list.scroll_by(WHEEL, self.model.rows.len()),
            MouseEventKind::Down(MouseButton::Left) => {
                let Some(row) = self.list.row_at(event.column, event.row) else {
                    return false;
                };
                self.list.select(Some(row));
                self.activate(cx);
            }
            _ => return false,
        }
        cx.redraw();
        true
    }
}
