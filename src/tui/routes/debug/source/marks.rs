//! What stands at which line of a source: breakpoints, and where the program is.

use super::document::{Document, Key, clean};
use crate::{
    routes::debug::{breakpoints::mark_of, prelude::*},
    widgets::gutter::{Here, Mark},
};

/// Marks of one source; lines count from 0.
#[derive(Debug, Default)]
pub struct Marks {
    /// Breakpoints, whether each stopped the program, and whether somebody else set it.
    pub breakpoints: BTreeMap<usize, (Mark, bool, bool)>,
    /// The line that runs next.
    pub current: Option<usize>,
    /// The line of the selected frame, when that is another one.
    pub frame: Option<usize>,
}

impl Marks {
    /// Those of a document.
    pub fn of(document: &Document, state: &State) -> Self {
        let session = state.focused();
        let mut marks = Self::default();
        for breakpoint in at(document, state) {
            if let Some(line) = breakpoint.shown_line().and_then(zero_based) {
                let hit = session.is_some_and(|s| stopped_at(breakpoint, s));
                marks
                    .breakpoints
                    .entry(line)
                    .or_insert_with(|| (mark_of(breakpoint), hit, breakpoint.by.is_some()));
            }
        }
        let Some((session, stop)) = session.and_then(|s| Some((s, s.current_stop()?))) else {
            return marks;
        };
        let here = |frame: &StackFrame| {
            let key = Key::of(frame.source.as_ref()?, Some(session.id))?;
            (key == document.key)
                .then(|| zero_based(frame.line))
                .flatten()
        };
        let top = stop
            .selected
            .and_then(|f| stop.stacks.get(&f.thread_id)?.frames.first());
        marks.current = top.and_then(here);
        if let Some(frame) = session.current_frame()
            && top.is_some_and(|t| t.id != frame.id)
        {
            marks.frame = here(frame);
        }
        marks
    }

    /// Where the program is, as far as `line` is concerned.
    pub fn here(&self, line: usize) -> Option<Here> {
        if self.current == Some(line) {
            Some(Here::Current)
        } else if self.frame == Some(line) {
            Some(Here::Frame)
        } else {
            None
        }
    }
}

/// The user's breakpoints in a document, those that are on come first.
pub fn at<'a>(document: &'a Document, state: &'a State) -> impl Iterator<Item = &'a Breakpoint> {
    let within = |b: &&Breakpoint| match (&b.site, &document.key) {
        (BreakpointSite::Source { path, .. }, Key::Path(own)) => path == own || clean(path) == *own,
        _ => false,
    };
    let lasting = move |b: &&Breakpoint| within(b) && !b.temporary;
    let all = state.breakpoints.iter().filter(lasting);
    let off = all.clone().filter(|b| !b.enabled);
    all.filter(|b| b.enabled).chain(off)
}

/// The breakpoint shown or set at a line (from 0).
pub fn at_line<'a>(
    document: &'a Document,
    state: &'a State,
    line: usize,
) -> Option<&'a Breakpoint> {
    let shown = at(document, state).find(|b| b.shown_line().and_then(zero_based) == Some(line));
    shown.or_else(|| {
        at(document, state)
            .find(|b| matches!(b.site, BreakpointSite::Source { line: l, .. } if zero_based(l) == Some(line)))
    })
}

/// Whether the session stands still because of it.
fn stopped_at(breakpoint: &Breakpoint, session: &Session) -> bool {
    session.current_stop().is_some_and(|stop| {
        let id = breakpoint
            .answers
            .get(&session.id)
            .and_then(|a| a.adapter_id);
        id.is_some_and(|id| stop.hit_breakpoint_ids.contains(&id))
    })
}

/// A line as adapters count it; they send 0 for "nowhere".
pub fn zero_based(line: i64) -> Option<usize> {
    usize::try_from(line).ok()?.checked_sub(1)
}
