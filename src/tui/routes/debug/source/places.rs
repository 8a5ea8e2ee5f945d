//! At which lines of the source in view a breakpoint can be, as the adapter says: asked for once a source, and only while a
//! person wants to see it.

use dap::requests::{BreakpointLocations, BreakpointLocationsArguments};

use super::{SourcePane, document::Key, has_text, marks::zero_based};
use crate::debug_prelude::*;

/// Lines asked about; a longer source has them at its beginning only.
const MOST: i64 = 100_000;

/// What is known.
#[derive(Debug, Default)]
pub struct Places {
    /// A person wants to see them.
    shown: bool,
    /// Whose these are.
    of: Option<(SessionId, Key)>,
    pub(super) asked: PendingAnswer,
    /// From 0.
    lines: BTreeSet<usize>,
}

impl Places {
    /// Whether a breakpoint can be at a line (from 0).
    pub fn contains(&self, line: usize) -> bool {
        self.shown && self.lines.contains(&line)
    }
}

impl SourcePane {
    /// Whether the adapter tells where breakpoints can be, and why not.
    pub fn can_show_places(&self, view: &View) -> Enabled {
        has_text(self, view)?;
        match view.session() {
            Some(s) if s.phase.is_live() => s
                .capabilities
                .supports_breakpoint_locations_request
                .or_why("This adapter does not tell where breakpoints can be."),
            _ => Err("Where breakpoints can be is known while a session lives."),
        }
    }

    /// Shows where breakpoints can be, or hides it.
    pub fn toggle_places(&mut self, cx: &Cx) {
        self.places.shown = !self.places.shown;
        self.ask_places(cx);
    }

    /// Asks about the source in view, unless that was done.
    pub(super) fn ask_places(&mut self, cx: &Cx) {
        let session = cx.view.session();
        let able = session
            .filter(|s| s.phase.is_live() && s.capabilities.supports_breakpoint_locations_request);
        let of = able
            .map(|s| s.id)
            .zip(self.document().map(|d| d.key.clone()));
        if !self.places.shown || of == self.places.of {
            return;
        }
        self.places.lines.clear();
        self.places.of.clone_from(&of);
        let (Some((session, _)), Some(document)) = (of, self.document()) else {
            return;
        };
        let arguments = BreakpointLocationsArguments {
            source: document.source.clone(),
            line: 1,
            end_line: Some(MOST),
            ..BreakpointLocationsArguments::default()
        };
        let ask = Command::request::<BreakpointLocations>(Some(session), &arguments);
        self.places.asked.ask((), ask, cx);
    }

    pub(super) fn places_told(&mut self, result: &CoreAnswer, cx: &Cx) {
        cx.redraw();
        match answer_of::<BreakpointLocations>(result) {
            Ok(answer) => {
                let places = answer.breakpoints.iter();
                self.places.lines = places.filter_map(|at| zero_based(at.line)).collect();
            }
            Err(why) => {
                self.places.shown = false;
                cx.warn(why);
            }
        }
    }
}
