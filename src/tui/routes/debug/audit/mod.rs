//! What others asked and did, and what was decided: the last entries of the audit, narrowed by what is typed, one of them in full.
//!
//! The entries are the state's; which file has all of them is the core's to know.

use debugger::permission::AuditEntry;

use crate::{debug_prelude::*, kit::sheet};

/// From this width on there is room for what was asked for.
const WIDE: usize = 64;

/// The pane.
#[derive(Debug, Default)]
pub struct AuditPane {
    list: ListState,
    filter: String,
    typing: Filter,
    /// Moved away from the end: what comes does not move the view.
    paused: bool,
}

/// Local time of day.
fn time(entry: &AuditEntry) -> String {
    time_of_day(i64::try_from(entry.time_ms).unwrap_or(i64::MAX))
}

/// An entry's parts, in the order of the columns.
fn parts(entry: &AuditEntry) -> [String; 6] {
    [
        time(entry),
        entry.actor.to_string(),
        entry.action.replace('_', " "),
        entry.decision.clone(),
        entry.subject.clone(),
        entry.note.clone(),
    ]
}

/// An entry in full.
fn whole(entry: &AuditEntry) -> String {
    let [time, actor, action, decision, subject, note] = parts(entry);
    let session = entry.session.map(|id| id.to_string()).unwrap_or_default();
    let lines = [
        ("time", time),
        ("actor", actor),
        ("action", action),
        ("tier", format!("{:?}", entry.tier)),
        ("session", session),
        ("decision", decision),
        ("note", note),
        ("hash", entry.hash.clone()),
        ("subject", subject),
    ];
    let lines = lines.iter().filter(|(_, text)| !text.is_empty());
    let lines = lines.map(|(name, text)| format!("{name}: {}", sanitise_block(text)));
    joined(lines, "\n")
}

impl AuditPane {
    fn shown<'a>(&self, view: &'a View) -> Vec<&'a AuditEntry> {
        let needle = self.filter.to_lowercase();
        let hit = |entry: &&AuditEntry| {
            let mut parts = parts(entry).into_iter();
            needle.is_empty() || parts.any(|part| part.to_lowercase().contains(&needle))
        };
        view.state.sharing.audit.iter().filter(hit).collect()
    }

    fn selected<'a>(&self, view: &'a View) -> Option<&'a AuditEntry> {
        self.shown(view).get(self.list.selected()?).copied()
    }

    fn narrow(&mut self, filter: &str) {
        filter.clone_into(&mut self.filter);
        self.paused = false;
    }

    fn open(&mut self, cx: &Cx) {
        if let Some(entry) = self.selected(&cx.view) {
            cx.emit(sheet::note("Audit entry", time(entry), &whole(entry)));
        }
    }

    fn copy(&mut self, cx: &Cx) {
        if let Some(entry) = self.selected(&cx.view) {
            cx.copy(whole(entry), "audit entry");
        }
    }

    fn copy_all(&mut self, cx: &Cx) {
        let shown = self.shown(&cx.view);
        let rows = shown.iter().map(|entry| clean(&parts(entry).join("\t")));
        cx.copy(
            joined(rows, "\n"),
            amount::count(shown.len() as u64, "audit entry", "audit entries"),
        );
    }

    fn show_all(&mut self, cx: &Cx) {
        self.typing = Filter::default();
        self.narrow("");
        cx.redraw();
    }
}

impl Scrolls for AuditPane {
    fn can_walk(&self, view: &View) -> Enabled {
        self.selected(view).or_why("No entry is shown here.")
    }

    fn walk(&mut self, step: Step, cx: &Cx) {
        let rows = self.shown(&cx.view).len();
        Scrolled::Rows(&mut self.list, rows).walk(step);
        self.paused = self.list.selected() != rows.checked_sub(1);
    }
}

impl Surface for AuditPane {
    table! { "Audit", s, cx;
        "audit.open"         "open the entry"          ["enter"], Footer if Self::can_walk => Self::open;
        "audit.filter"       "filter"                  ["/"], Footer     => s.typing.begin(&s.filter);
        "audit.copy"         "copy the entry"          ["y"], Footer     if Self::can_walk => Self::copy;
        "audit.copy-all"     "copy all that are shown" ["Y"]             if Self::can_walk => Self::copy_all;
        "audit.clear-filter" "show all"                ["esc"]           => Self::show_all;
        list "audit" "entry before" "entry after" "first entry" "last entry, and follow";
    }

    fn fill(&mut self, canvas: &Canvas, area: Rect) {
        let (shown, theme) = (self.shown(canvas), &canvas.theme);
        let held = canvas.state.sharing.audit.len();
        let badge = match shown.len() {
            count if count == held => badge(held),
            count => format!("{count} of {held}"),
        };
        let inner = panel(canvas, area, Self::TITLE, &badge, "");
        let inner = self.typing.draw(canvas, inner, &self.filter);
        if shown.is_empty() {
            let lines = if held == 0 {
                [
                    "Nobody else has done anything",
                    "What agents and scripts ask and do here is listed",
                ]
            } else {
                ["No entry has this in it", "Esc shows all"]
            };
            return empty(canvas, inner, &lines);
        }
        if !self.paused {
            self.list.end(shown.len());
        }
        let list = list_of(canvas, shown.len()).lively();
        list.cells(canvas, inner, &mut self.list, |at, cells| {
            let Some(entry) = shown.get(at) else { return };
            let decided = match entry.decision.as_str() {
                "denied" | "expired" | "stale" | "aborted" => theme.error,
                "asked" => theme.warning,
                _ => theme.success,
            };
            let [time, actor, action, decision, subject, note] = parts(entry);
            let (wide_actor, wide_action) = if cells.room() < WIDE {
                (10, 10)
            } else {
                (18, 16)
            };
            cells.column(&time, 8, theme.muted).skip(1);
            cells.column(&actor, wide_actor, theme.accent).skip(1);
            cells.column(&action, wide_action, theme.text).skip(1);
            cells.column(&decision, 9, decided).skip(1).text(&subject);
            if !note.is_empty() {
                cells.skip(2).muted(&note);
            }
        });
    }

    narrows_of!(typing, narrow);

    fn on_mouse(&mut self, event: MouseEvent, cx: &Cx) -> bool {
        let rows = self.shown(&cx.view).len();
        let did = Mouse::on(&mut self.list, rows, event, cx);
        match did {
            Mouse::Again => self.open(cx),
            Mouse::Ignored => {}
            _ => self.paused = true,
        }
        did.taken()
    }
}

#[cfg(test)]
mod tests;
