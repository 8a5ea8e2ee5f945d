//! What the source pane reacts to: it goes where the selected frame is, and takes in texts that were asked for.

use super::{
    SourceContent, SourcePane, TAG,
    document::Key,
    marks::{Marks, zero_based},
    page::program_source,
};
use crate::routes::debug::{
    inline::{Meant, comment_mark},
    prelude::*,
    stack::is_subtle,
};

impl SourcePane {
    pub(super) fn react(&mut self, msg: &Msg, cx: &Cx) {
        if let Some(((), result)) = self.places.asked.answer(msg) {
            self.places_told(result, cx);
        }
        match msg {
            Msg::Events(events) => {
                if events
                    .iter()
                    .any(|e| matches!(e.kind, EventKind::SessionStarted { .. }))
                {
                    self.read_anew(cx);
                }
                let moved = |kind: &EventKind| match kind {
                    EventKind::Focus { .. }
                    | EventKind::SessionStarted { .. }
                    | EventKind::SessionCleared { .. } => true,
                    EventKind::Session { change, .. } => !matches!(change, Change::Output { .. }),
                    _ => false,
                };
                // Without an event it is a whole state that was joined.
                if events.is_empty() || events.iter().any(|e| moved(&e.kind)) {
                    self.locals.update(cx.view.session());
                    self.follow(cx);
                    self.point(cx);
                }
                let stops = |kind: &EventKind| {
                    matches!(
                        kind,
                        EventKind::Session {
                            change: Change::Stopped { .. },
                            ..
                        }
                    )
                };
                if events.iter().any(|e| stops(&e.kind)) {
                    self.check_age(cx);
                }
            }
            Msg::Edited => self.read_anew(cx),
            Msg::Progress(told) => told.call(self, cx),
            Msg::Reply {
                tag: Tag(TAG, number),
                result,
            } if self.documents.receive(*number, result) => {
                cx.redraw();
                self.point(cx);
                if result.is_err() && self.shows_unreadable_frame(cx) {
                    self.followed = None;
                    self.follow(cx);
                }
            }
            Msg::ShowSource {
                source,
                line,
                column,
            } => {
                let session = cx.view.state.focus;
                let at = line.and_then(zero_based);
                // None at all means the one in view.
                if let Some((at, document)) = at.zip(self.document_mut())
                    && **source == dap::types::Source::default()
                {
                    document.go_to(at);
                } else if self.open(source, session, at, cx) {
                    if let (Some(column), Some(document)) =
                        (column.and_then(zero_based), self.document_mut())
                    {
                        document.go_to_column(column);
                    }
                } else {
                    let name = source
                        .path
                        .as_deref()
                        .or(source.name.as_deref())
                        .unwrap_or_default();
                    cx.warn(format!("{name:?} cannot be shown: it is no absolute path."));
                }
            }
            _ => {}
        }
    }

    /// Puts the cursor of a fresh stop on the name that is meant there, so that one sees what a key would be about.
    fn point(&mut self, cx: &Cx) {
        self.meant = None;
        if self.shown != SourceContent::Document {
            return;
        }
        let Some(document) = self.documents.current_mut().filter(|d| d.untouched) else {
            return;
        };
        let marks = Marks::of(document, &cx.view.state);
        let here = marks.frame.or(marks.current) == Some(document.line);
        let Some(text) = document.text().filter(|_| here) else {
            return;
        };
        let comment = comment_mark(&document.title(&cx.view.project));
        match self.locals.meant(text, document.line, comment) {
            Some(Meant::Here(at)) => document.point_at(at),
            Some(Meant::Above(name)) => self.meant = Some(name),
            None => {}
        }
    }

    /// Texts may have changed: the one in view is read now, the others when they are shown next.
    fn read_anew(&mut self, cx: &Cx) {
        self.documents.doubt_all();
        if self.shown == SourceContent::Document {
            self.reload(cx);
        }
    }

    /// Whether what is in view is the selected frame's source, and it turned out not to be there.
    fn shows_unreadable_frame(&self, cx: &Cx) -> bool {
        let Some((session, document)) = cx.view.session().zip(self.document()) else {
            return false;
        };
        let frame = session.current_stop().and_then(|_| session.current_frame());
        let key = frame.and_then(|f| Key::of(f.source.as_ref()?, Some(session.id)));
        key.as_ref() == Some(&document.key) && self.documents.is_missing(&document.key)
    }

    /// Goes to where the program is, wherever the view was.
    pub(super) fn go_to_position(&mut self, cx: &Cx) {
        self.followed = None;
        self.follow(cx);
        if self.followed.is_some() {
            return;
        }
        if let Some(source) = program_source(&cx.view).filter(|_| self.document().is_none()) {
            self.open(&source, None, Some(0), cx);
        } else {
            cx.info("The program is not stopped, so it is at no line.");
        }
    }

    /// Shows the selected frame, unless that was done already.
    fn follow(&mut self, cx: &Cx) {
        let state = &cx.view.state;
        let Some((session, stop)) = state.focused().and_then(|s| Some((s, s.current_stop()?)))
        else {
            if self.shown == SourceContent::Frame {
                // The program went on: back to what was in view.
                self.shown = match self.documents.current() {
                    Some(_) => SourceContent::Document,
                    None => SourceContent::Nothing,
                };
            }
            return;
        };
        let Some(frame) = session.current_frame() else {
            return;
        };
        let here = Some((session.id, stop.id, frame.id));
        if self.followed == here {
            return;
        }
        self.followed = here;
        cx.redraw();
        let line = zero_based(frame.line);
        match self.usable(frame, session) {
            Some(_) if line.is_some() => {
                if let Some(source) = &frame.source {
                    self.open(source, Some(session.id), line, cx);
                }
            }
            _ => {
                self.shown = SourceContent::Frame;
                self.choose_another(session, stop, frame, cx);
            }
        }
    }

    /// The key of a frame's source, if there is one that is not known to be missing.
    fn usable(&self, frame: &StackFrame, session: &Session) -> Option<Key> {
        let key = Key::of(frame.source.as_ref()?, Some(session.id))?;
        (!self.documents.is_missing(&key)).then_some(key)
    }

    /// The program stopped where there is no source (a library, the runtime): selects the nearest frame that has one. Only
    /// when the user did not select this frame.
    fn choose_another(&mut self, session: &Session, stop: &Stop, frame: &StackFrame, cx: &Cx) {
        let Some(selected) = stop.selected else {
            return;
        };
        let Some(stack) = stop.stacks.get(&selected.thread_id) else {
            return;
        };
        let untouched = match self.chosen {
            Some((at, chosen)) if at == stop.id => chosen == frame.id,
            _ => stack.frames.first().is_some_and(|top| top.id == frame.id),
        };
        if !untouched {
            return;
        }
        let candidate = stack
            .frames
            .iter()
            .skip_while(|f| f.id != frame.id)
            .skip(1)
            .find(|f| !is_subtle(f) && f.line > 0 && self.usable(f, session).is_some());
        self.chosen = Some((stop.id, candidate.map_or(frame.id, |c| c.id)));
        if let Some(candidate) = candidate {
            cx.core(Command::SelectFrame {
                session: Some(session.id),
                thread: selected.thread_id,
                frame_id: Some(candidate.id),
            });
            let top = stack.frames.first().map_or("", |f| &f.name);
            let mut frames = stack.frames.iter();
            let is_caller = frames
                .nth(1)
                .is_some_and(|caller| caller.id == candidate.id);
            let relation = if is_caller {
                "which called it"
            } else {
                "farther out"
            };
            cx.info(format!(
                "Stopped in {top}, which has no source: showing {}, {relation}.",
                candidate.name
            ));
        }
    }
}
