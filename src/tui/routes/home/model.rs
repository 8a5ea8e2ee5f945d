//! What can be begun: fixed entries, then the programs started in this project before.

use crate::debugger::{Command, LaunchSpec, State};
use crate::text::sanitise::sanitise;

/// Key of the list of started programs in [`State::memory`]: launch specifications as JSON, newest last.
pub const MEMORY: &str = "launch";
/// Programs kept.
const KEPT: usize = 30;
/// Recent programs shown.
const RECENT: usize = 6;

/// Something to begin with.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// The launch form.
    Launch,
    /// The attach picker.
    Attach,
    /// The bundled program.
    Demo,
    /// The workspace as it is.
    Workspace,
    /// A program started before.
    Recent(Box<Recent>),
}

/// A program started before.
#[derive(Clone, Debug, PartialEq)]
pub struct Recent {
    /// How it was started.
    pub spec: LaunchSpec,
    /// Program and arguments, safe to draw.
    pub shown: String,
}

/// Fixed entries in order: what, key, name, purpose.
pub const FIXED: [(Entry, &str, &str, &str); 4] = [
    (
        Entry::Launch,
        "o",
        "Open a program",
        "Run a script or a binary and stop where you say",
    ),
    (
        Entry::Attach,
        "a",
        "Attach",
        "Look into a process or debug server that runs already",
    ),
    (
        Entry::Demo,
        "t",
        "Take the tour",
        "A small program with a bug, and breakpoints set to find it",
    ),
    (
        Entry::Workspace,
        "d",
        "Debug workspace",
        "Source, stack, variables, watches, output and console",
    ),
];

/// The list and where the cursor is.
#[derive(Debug, Default, PartialEq)]
pub struct Model {
    cursor: usize,
    raw: Vec<String>,
    recent: Vec<Recent>,
}

impl Model {
    /// Takes in what was started before; cheap when nothing changed.
    pub fn learn(&mut self, state: &State) {
        let raw = state.memory.get(MEMORY).map_or(&[][..], Vec::as_slice);
        if raw != self.raw {
            self.raw = raw.to_vec();
            self.recent = raw
                .iter()
                .rev()
                .filter_map(|text| read(text))
                .take(RECENT)
                .collect();
            self.select(self.cursor);
        }
    }

    /// Programs started before, newest first.
    pub fn recents(&self) -> &[Recent] {
        &self.recent
    }

    /// Number of the n-th recent program among all entries.
    pub fn recent(&self, nth: usize) -> Option<usize> {
        (nth < self.recent.len()).then_some(FIXED.len() + nth)
    }

    /// The selected entry's number.
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// The selected entry.
    pub fn selected(&self) -> Option<Entry> {
        match FIXED.get(self.cursor) {
            Some((entry, ..)) => Some(entry.clone()),
            None => self
                .recent
                .get(self.cursor - FIXED.len())
                .map(|r| Entry::Recent(Box::new(r.clone()))),
        }
    }

    /// Selects an entry; beyond the last one means the last one.
    pub fn select(&mut self, index: usize) {
        self.cursor = index.min(FIXED.len() + self.recent.len() - 1);
    }

    /// Moves the cursor, around the ends.
    pub fn move_by(&mut self, rows: isize) {
        let len = (FIXED.len() + self.recent.len()) as isize;
        self.cursor = (self.cursor as isize + rows).rem_euclid(len) as usize;
    }
}

/// Puts a program at the end of what is kept with the project, where the newest one is; `None` when it cannot be kept.
pub fn remember(state: &State, spec: &LaunchSpec) -> Option<Command> {
    let text = serde_json::to_string(spec).ok()?;
    let mut values = state.memory.get(MEMORY).cloned().unwrap_or_default();
    values.retain(|v| *v != text);
    values.push(text);
    let old = values.len().saturating_sub(KEPT);
    values.drain(..old);
    Some(Command::Remember {
        key: MEMORY.to_owned(),
        values,
    })
}

/// What cannot be read was written by another version, and is not offered.
fn read(text: &str) -> Option<Recent> {
    let spec: LaunchSpec = serde_json::from_str(text).ok()?;
    let name = spec.program.file_name()?.to_string_lossy().into_owned();
    let words: Vec<String> = std::iter::once(name)
        .chain(spec.args.iter().map(|arg| {
            if arg.is_empty() || arg.contains(char::is_whitespace) {
                format!("{arg:?}")
            } else {
                arg.clone()
            }
        }))
        .collect();
    let shown = sanitise(&words.join(" ")).into_owned();
    Some(Recent { spec, shown })
}
