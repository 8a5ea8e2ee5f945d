//! What can be begun: what runs already, fixed entries, then the programs started in this project before.

use base::text::words;
use debugger::{Command, LaunchSpec, Session, State};

use crate::prelude::*;

/// Key of the list of started programs in [`State::memory`]: launch specifications as JSON, newest last.
pub const MEMORY: &str = "launch";
/// Programs kept.
const KEPT: usize = 30;
/// Recent programs shown.
const RECENT: usize = 6;

/// Something to begin with.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// What a row of the screen's table does.
    Action(&'static str),
    /// Started before.
    Recent(Box<LaunchSpec>),
}

/// A row of the list, safe to draw.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// What it begins.
    pub entry: Entry,
    /// The key that does the same; empty for most recent programs.
    pub key: &'static str,
    /// What it is called.
    pub name: String,
    /// What it is for; of a recent program, what else is known of how it was started.
    pub about: String,
}

/// The list and where the cursor is.
#[derive(Debug, Default)]
pub struct Model {
    /// What is always there; the way to the workspace is the last of it.
    always: Vec<Item>,
    pub cursor: usize,
    raw: Vec<String>,
    live: Option<(String, String)>,
    items: Vec<Item>,
    fixed: usize,
}

impl Model {
    /// With what can always be begun.
    pub fn new(always: Vec<Item>) -> Self {
        Self {
            always,
            ..Self::default()
        }
    }

    /// Takes in what was started before and what runs; cheap when nothing changed.
    pub fn learn(&mut self, state: &State, project: &Path) {
        let raw = state.memory.get(MEMORY).map_or(&[][..], Vec::as_slice);
        let live = state
            .focused()
            .filter(|s| s.phase.is_live())
            .map(|s| (clean(&s.name), standing(s)));
        if raw == self.raw && live == self.live && !self.items.is_empty() {
            return;
        }
        self.raw = raw.to_vec();
        self.items.clone_from(&self.always);
        // A session that lives is the first thing one wants to go to.
        if let Some((name, standing)) = &live
            && let Some(mut item) = self.items.pop()
        {
            item.name = format!("Back to {name}");
            item.about.clone_from(standing);
            self.items.insert(0, item);
        }
        self.fixed = self.items.len();
        self.live = live;
        for text in raw.iter().rev() {
            let Some(mut item) = read(text, project) else {
                continue;
            };
            let recents = self.recents();
            if recents.len() == RECENT {
                break;
            }
            // What looks the same is the same to whoever chooses: the newest of it is offered.
            if recents
                .iter()
                .any(|r| r.name == item.name && r.about == item.about)
            {
                continue;
            }
            if recents.is_empty() {
                item.key = "1";
            }
            self.items.push(item);
        }
        self.select(self.cursor);
    }

    /// What can be begun anywhere.
    pub fn begin(&self) -> &[Item] {
        self.items.get(..self.fixed).unwrap_or_default()
    }

    /// Programs started before, newest first.
    pub fn recents(&self) -> &[Item] {
        self.items.get(self.fixed..).unwrap_or_default()
    }

    /// Where the program stands that was started last.
    pub fn last(&self) -> Option<usize> {
        (!self.recents().is_empty()).then_some(self.fixed)
    }

    /// The entry under the cursor.
    pub fn selected(&self) -> Option<&Item> {
        self.items.get(self.cursor)
    }

    /// Selects an entry; beyond the last one means the last one.
    pub fn select(&mut self, index: usize) {
        self.cursor = index.min(self.items.len().saturating_sub(1));
    }

    /// Moves the cursor, around the ends.
    pub fn move_by(&mut self, rows: isize) {
        let len = self.items.len().max(1) as isize;
        self.cursor = (self.cursor as isize + rows).rem_euclid(len) as usize;
    }
}

/// Where a session stands: `stopped at bank.py:5`, `running`.
fn standing(session: &Session) -> String {
    let word = session.phase.word();
    let place = session.current_frame().and_then(|frame| {
        let path = frame.path()?;
        let name = Path::new(path).file_name()?.to_string_lossy().into_owned();
        Some(format!("{word} at {}:{}", sanitise(&name), frame.line))
    });
    place.unwrap_or_else(|| word.to_owned())
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
fn read(text: &str, project: &Path) -> Option<Item> {
    let spec: LaunchSpec = serde_json::from_str(text).ok()?;
    let name = spec.program.file_name()?.to_string_lossy().into_owned();
    let words = std::iter::once(name).chain(spec.args.iter().cloned());
    Some(Item {
        key: "",
        name: clean(&words::join(words)),
        about: about(&spec, project),
        entry: Entry::Recent(Box::new(spec)),
    })
}

/// What tells apart programs that are called alike: where they are, and what was chosen for them.
fn about(spec: &LaunchSpec, project: &Path) -> String {
    let mut parts = Vec::new();
    if let Some(folder) = spec.program.parent() {
        let within = folder.strip_prefix(project).unwrap_or(folder);
        parts.push(within.display().to_string());
    }
    parts.extend(spec.adapter.as_ref().map(|name| format!("with {name}")));
    if !spec.env.is_empty() {
        let names = spec.env.iter().map(|(name, _)| name.as_str());
        parts.push(format!("sets {}", joined(names, ", ")));
    }
    if spec.stop_on_entry == Some(true) {
        parts.push("stops on entry".to_owned());
    }
    parts.retain(|part| !part.is_empty());
    clean(&parts.join(", "))
}
