//! A session as far as it was read.

use base::text::amount::{self, size, span};

use super::{
    entry::{About, LineKind},
    figures::spent,
    reader::{Bad, Item, ReadError, Reader},
    summary::Summary,
    totals::Totals,
    tree::Tree,
};
use crate::{logs::format_time, prelude::*};

/// Lines that could not be understood, of which the place is kept.
const KEPT: usize = 20;

/// `1 line is not understood`, `2 lines are not understood`.
pub fn lines_not_understood(count: u64) -> String {
    let is = if count == 1 { "is" } else { "are" };
    let lines = amount::count(count, "line", "lines");
    format!("{lines} {is} not understood")
}

/// What was read of a file, entry by entry.
#[derive(Clone, Debug, Default)]
pub struct Session {
    /// What the file says of itself; the newest title counts.
    pub about: About,
    /// The entries.
    pub tree: Tree,
    /// What it took.
    pub totals: Totals,
    /// Lines that are not understood.
    pub malformed: u64,
    /// The first of them.
    pub bad: Vec<Bad>,
    /// Lines read, the bad ones included.
    pub lines: u64,
    /// The file begins with a title that is kept up to date.
    has_slot: bool,
}

impl Session {
    /// Takes the next line.
    pub fn take(&mut self, item: Item) {
        self.lines += 1;
        match item {
            Item::Bad(bad) => {
                self.malformed += 1;
                if self.bad.len() < KEPT {
                    self.bad.push(bad);
                }
            }
            Item::Entry(mut entry) => {
                self.totals.take(&mut entry);
                if let Some(about) = &entry.about {
                    self.has_slot |= entry.kind == LineKind::Title && about.title.is_some();
                    self.learn(about);
                    return;
                }
                let is_title = entry.kind == LineKind::Change && entry.name == "title_change";
                if is_title && !self.has_slot {
                    self.about.title = Some(entry.shown_head());
                }
                self.tree.push(*entry);
            }
        }
    }

    /// What is known of it as a whole, for people: name and value, foreign text in both.
    pub fn facts(&self, summary: &Summary) -> Vec<(String, String)> {
        let totals = &self.totals;
        let about = &self.about;
        let mut facts: Vec<(String, String)> = Vec::new();
        let mut fact = |name: &str, value: String| {
            if !value.is_empty() {
                facts.push((name.to_owned(), value));
            }
        };
        let own = |text: &Option<String>| text.clone().unwrap_or_default();
        fact("id", about.id.clone().unwrap_or_else(|| summary.id.clone()));
        fact("project", own(&about.cwd));
        fact(
            "file",
            format!("{} ({})", summary.path.display(), size(summary.size)),
        );
        let time = |time: Option<i64>| time.map(format_time).unwrap_or_default();
        fact("began", time(totals.first));
        fact("last entry", time(totals.last));
        fact("made from", own(&about.parent));
        let status = match summary.status.why() {
            Some(why) => format!("{}: {why}", summary.status.word()),
            None => summary.status.word().to_owned(),
        };
        fact("status", status);
        if let Some(exit) = &totals.exit {
            fact("exit", exit.sentence());
        }
        let mut entries = format!("{}", self.tree.entries.len());
        match self.tree.branches() {
            0 => {}
            1 => entries.push_str(", 1 other branch"),
            n => entries = format!("{entries}, {n} other branches"),
        }
        if self.tree.orphans > 0 {
            let orphans = self.tree.orphans;
            entries = format!("{entries}, {orphans} follow an entry that is not there");
        }
        fact("entries", entries);
        if self.malformed > 0 {
            let first = self.bad.first().map_or_else(String::new, |bad| {
                format!("; the first at byte {}: {}", bad.offset, bad.why)
            });
            fact(
                "malformed",
                format!("{}{first}", lines_not_understood(self.malformed)),
            );
        }
        for (name, count) in totals.unknown() {
            fact(
                "unknown",
                format!(
                    "{name}: {} of a type that is not known here",
                    amount::count(count, "entry", "entries")
                ),
            );
        }
        for (model, usage) in &totals.models {
            let model = if model.is_empty() { "a model" } else { model };
            fact(
                "model",
                format!(
                    "{model}: {}, {}",
                    amount::count(usage.answers, "answer", "answers"),
                    spent(usage)
                ),
            );
        }
        if totals.models.len() > 1 {
            fact("altogether", spent(&totals.usage));
        }
        if totals.errors > 0 {
            fact(
                "errors",
                format!(
                    "{} failed",
                    amount::count(totals.errors, "answer", "answers")
                ),
            );
        }
        for (name, tool) in &totals.tools {
            let mut line = format!("{name}: {}", amount::count(tool.calls, "call", "calls"));
            let unanswered = tool.calls.saturating_sub(tool.answered);
            for (number, what) in [(tool.failed, "failed"), (unanswered, "without an answer")] {
                if number > 0 {
                    line = format!("{line}, {number} {what}");
                }
            }
            if tool.timed > 0 {
                let (total, longest) = (span(tool.total), span(tool.longest));
                line = format!("{line}, {total} altogether, {longest} the longest");
            }
            fact("tool", line);
        }
        facts
    }

    fn learn(&mut self, about: &About) {
        let own = &mut self.about;
        for (known, new) in [
            (&mut own.id, &about.id),
            (&mut own.cwd, &about.cwd),
            (&mut own.parent, &about.parent),
        ] {
            if known.is_none() {
                known.clone_from(new);
            }
        }
        // The title slot comes first and is kept up to date; the header's title is that of the beginning.
        own.title = own.title.take().or_else(|| about.title.clone());
        own.version = own.version.or(about.version);
    }
}

/// Reads all of a file; ends early when cancelled. `progress` is told how many bytes were read, of how many.
pub fn read_all(
    path: &Path,
    cancel: &Cancel,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Session, ReadError> {
    let mut reader = Reader::open(path, 0)?;
    let mut session = Session::default();
    while let Some(item) = reader.next_item()? {
        session.take(item);
        progress(reader.offset(), reader.size());
        if cancel.is_cancelled() {
            break;
        }
    }
    Ok(session)
}
