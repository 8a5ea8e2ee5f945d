//! What a session took: tokens and money by model, time by tool.

use super::{
    entry::{Entry, Exit, LineKind},
    figures::Usage,
};
use crate::prelude::*;

/// How often a tool was used, and how long that took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct ToolUse {
    pub calls: u64,
    /// Results that tell of a failure.
    pub failed: u64,
    /// Calls that got a result.
    pub answered: u64,
    /// Results of which is known how long they took.
    pub timed: u64,
    /// Milliseconds altogether.
    #[serde(rename = "total_ms")]
    pub total: i64,
    /// Milliseconds of the longest.
    #[serde(rename = "longest_ms")]
    pub longest: i64,
}

/// All of it, counted entry by entry.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Totals {
    /// Every model together, every branch: what was spent was spent.
    pub usage: Usage,
    pub models: BTreeMap<String, Usage>,
    pub tools: BTreeMap<String, ToolUse>,
    /// Entries by what the file calls them.
    pub kinds: BTreeMap<(LineKind, String), u64>,
    /// Answers that ended in an error.
    pub errors: u64,
    /// How the process ended last.
    pub exit: Option<Exit>,
    /// Time of the first entry.
    pub first: Option<i64>,
    /// Time of the last entry.
    pub last: Option<i64>,
    /// Calls without a result yet: when they began.
    open: HashMap<String, Option<i64>>,
}

impl Totals {
    /// Counts an entry, and tells it how long its tool took.
    pub fn take(&mut self, entry: &mut Entry) {
        *self
            .kinds
            .entry((entry.kind, entry.name.clone()))
            .or_default() += 1;
        if let Some(time) = entry.time {
            self.first = Some(self.first.map_or(time, |first| first.min(time)));
            self.last = Some(self.last.map_or(time, |last| last.max(time)));
        }
        if let Some(spent) = &entry.usage {
            let (model, usage) = spent.as_ref();
            self.usage.add(usage);
            self.models.entry(model.clone()).or_default().add(usage);
            self.errors += u64::from(entry.failed);
        }
        for call in &entry.calls {
            self.tools.entry(call.name.clone()).or_default().calls += 1;
            self.open.insert(call.id.clone(), None);
        }
        match (entry.kind, entry.call.as_deref()) {
            (LineKind::Start, Some(call)) => {
                self.open.insert(call.id.clone(), entry.time);
            }
            (LineKind::Result, Some(call)) => {
                let tool = self.tools.entry(call.name.clone()).or_default();
                tool.answered += 1;
                tool.failed += u64::from(entry.failed);
                // Only a start that was noted is one: when the model asked says nothing of the time that it waited.
                let began = self.open.remove(&call.id).flatten();
                entry.took = began
                    .zip(entry.time)
                    .map(|(began, ended)| ended.saturating_sub(began))
                    .filter(|took| *took >= 0);
                if let Some(took) = entry.took {
                    tool.timed += 1;
                    tool.total = tool.total.saturating_add(took);
                    tool.longest = tool.longest.max(took);
                }
            }
            (LineKind::Exit, _) => self.exit = entry.exit.as_deref().cloned(),
            // What comes after an exit was written by a process that resumed the session.
            (LineKind::User | LineKind::Assistant, _) => self.exit = None,
            _ => {}
        }
    }

    /// Entries of types that this program does not know, by name.
    pub fn unknown(&self) -> impl Iterator<Item = (&str, u64)> {
        self.kinds
            .iter()
            .filter(|((kind, _), _)| *kind == LineKind::Unknown)
            .map(|((_, name), count)| (name.as_str(), *count))
    }
}
