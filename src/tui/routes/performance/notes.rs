//! What a reader should know of a profile: which part of it is shown, and what was noted when it was taken or read.
//!
//! The facts stand beside the tabs, the notes below them; what does not fit there is read in a popup.

use diagnostics::profile::{export::thread_name, words};

use super::ProfileDesk;
use crate::kit::{notes, prelude::*, sheet};

/// Rows that notes have at most: one, and another for what makes the profile another thing than it looks.
const ROWS: u16 = 1;
const ROWS_OF_WARNING: u16 = 2;
/// From this height on there is room for the second.
const TALL: u16 = 18;

impl ProfileDesk {
    /// Which part of the profile is shown.
    pub(super) fn facts(&self) -> Vec<String> {
        let Some(shown) = &self.shown else {
            return Vec::new();
        };
        let threads = &shown.profile.threads;
        let mut facts = Vec::new();
        if let Some(thread) = self.options.thread {
            facts.push(format!("thread {}", thread_name(&shown.profile, thread)));
        } else {
            let all = threads.len() as u64;
            let debuggers = shown.debuggers.iter().filter(|is| **is).count() as u64;
            let own = all.saturating_sub(debuggers);
            if own > 1 {
                facts.push(counted(own, "thread"));
            }
            if debuggers > 0 {
                // Beside a number of threads it is clear what is counted, and the row is short.
                let count = match own {
                    ..=1 => counted(debuggers, "thread"),
                    _ => debuggers.to_string(),
                };
                let how = if self.options.debuggers {
                    "shown"
                } else {
                    "left out"
                };
                facts.push(format!("debugger's {count} {how} (b)"));
            }
        }
        if let Some((from, to)) = self.options.between {
            facts.push(format!("{} to {}", words::time(from), words::time(to)));
        }
        if let Some(base) = &shown.base {
            facts.push(format!("compared with {}", base.name));
        }
        if shown.tree.idle > 0 {
            let idle = words::weight(shown.tree.idle, shown.tree.unit);
            facts.push(format!("idle {idle} left out (i)"));
        }
        if shown.profile.lost > 0 {
            facts.push(format!("{} lost", words::number(shown.profile.lost)));
        }
        facts
    }

    /// All that can be said beside the profile, a paragraph each.
    pub(super) fn all_notes(&self) -> Vec<String> {
        let mut all = self.facts();
        if let Some(profile) = self.profile() {
            all.extend(profile.notes.iter().cloned());
        }
        all
    }

    pub(super) fn show_notes(&mut self, cx: &Cx) {
        let all = self.all_notes();
        let count = counted(all.len(), "note");
        cx.emit(sheet::note("About the profile", count, &all.join("\n\n")));
    }

    /// Draws the notes; gives the rows that they took.
    pub(super) fn draw_notes(&mut self, canvas: &Canvas, area: Rect) -> u16 {
        let Some(profile) = self.profile() else {
            return 0;
        };
        let is_warning = !profile.stood.is_zero();
        let style = if is_warning {
            canvas.theme.warning
        } else {
            canvas.theme.muted
        };
        let most = if is_warning && area.height >= TALL {
            ROWS_OF_WARNING
        } else {
            ROWS
        };
        let (drawn, rows) = notes::draw(canvas, area, &profile.notes, most, style);
        self.notes = drawn;
        rows
    }
}
