//! What lies beside a session: the folder with its artifacts, its subagents and their results.

use super::summary::{Summary, stem_of};
use crate::prelude::*;

/// Files that are listed.
const MOST: usize = 10_000;
/// Folders below each other that are looked into.
const DEPTH: usize = 12;

/// Something beside a session.
#[derive(Clone, Debug, PartialEq)]
pub struct Artifact {
    pub path: PathBuf,
    /// Its path in the session's folder; foreign text.
    pub name: String,
    /// What it is: `bash`, `agent's result`, …
    pub sort: String,
    /// Bytes.
    pub size: u64,
}

/// A subagent.
#[derive(Clone, Debug, PartialEq)]
pub struct Agent {
    /// Its id; foreign text.
    pub id: String,
    /// Subagents above it.
    pub depth: usize,
    /// It watches the session instead of working for it.
    pub advisor: bool,
    /// What a head and a tail of its session tell.
    pub summary: Summary,
    /// Where its final answer is.
    pub result: Option<PathBuf>,
}

/// All that lies beside a session.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionFiles {
    /// The folder, when it is there.
    pub dir: Option<PathBuf>,
    /// Subagents, each before its own.
    pub agents: Vec<Agent>,
    /// Files besides.
    pub artifacts: Vec<Artifact>,
    /// There are more than are listed.
    pub more: bool,
    /// What could not be read.
    pub notes: Vec<String>,
}

/// The folder of a session's artifacts: its file's name without `.jsonl`.
pub fn folder_of(session: &Path) -> Option<PathBuf> {
    let name = session.file_name()?.to_str()?;
    Some(session.with_file_name(stem_of(name)?))
}

impl SessionFiles {
    /// Looks beside a session.
    pub fn of(session: &Path) -> Self {
        let mut beside = Self::default();
        let Some(dir) = folder_of(session) else {
            return beside;
        };
        match std::fs::symlink_metadata(&dir) {
            Ok(metadata) if metadata.is_dir() => {}
            Ok(_) => {
                beside.notes.push(format!("{} is no folder", dir.display()));
                return beside;
            }
            Err(_) => return beside,
        }
        beside.walk(&dir, &dir, 0, 0);
        beside.dir = Some(dir);
        beside
    }

    /// Bytes of all artifacts.
    pub fn size(&self) -> u64 {
        self.artifacts.iter().map(|artifact| artifact.size).sum()
    }

    fn walk(&mut self, root: &Path, dir: &Path, depth: usize, agents: usize) {
        let entries = match std::fs::read_dir(dir) {
            Ok(entries) => entries,
            Err(error) => {
                self.notes
                    .push(format!("{} cannot be listed: {error}", dir.display()));
                return;
            }
        };
        let mut entries: Vec<_> = entries.flatten().take(MOST + 1).collect();
        entries.sort_by_key(|entry| order(&entry.file_name().to_string_lossy()));
        let mut folders = Vec::new();
        for entry in &entries {
            let path = entry.path();
            // The entry's own: a link is neither folder nor file.
            let Ok(metadata) = entry.metadata() else {
                continue;
            };
            if self.artifacts.len() + self.agents.len() >= MOST {
                self.more = true;
                return;
            }
            let name = entry.file_name().to_string_lossy().into_owned();
            if metadata.is_dir() {
                folders.push((name, path));
            } else if let Some(id) = name.strip_suffix(".jsonl").filter(|_| metadata.is_file()) {
                let result = path.with_file_name(format!("{id}.md"));
                self.agents.push(Agent {
                    id: id.to_owned(),
                    depth: agents,
                    advisor: id.starts_with("__advisor"),
                    summary: Summary::read(&path),
                    result: result.is_file().then_some(result),
                });
                // Its own subagents follow it.
                let own = path.with_file_name(id);
                let is_dir = std::fs::symlink_metadata(&own).is_ok_and(|m| m.is_dir());
                if is_dir && depth < DEPTH {
                    self.walk(root, &own, depth + 1, agents + 1);
                }
            } else if metadata.is_file() {
                let shown = path.strip_prefix(root).unwrap_or(&path);
                self.artifacts.push(Artifact {
                    name: shown.to_string_lossy().into_owned(),
                    sort: sort_of(&name),
                    size: metadata.len(),
                    path,
                });
            }
        }
        for (name, path) in folders {
            let is_agents = dir.join(format!("{name}.jsonl")).is_file();
            if !is_agents && depth < DEPTH {
                self.walk(root, &path, depth + 1, agents);
            }
        }
    }
}

/// Numbered outputs by their number, all others by name.
fn order(name: &str) -> (u64, String) {
    let number = name.split('.').next().and_then(|n| n.parse().ok());
    (number.unwrap_or(u64::MAX), name.to_owned())
}

/// What a file's name says of it.
fn sort_of(name: &str) -> String {
    let mut parts = name.split('.');
    let number = parts.next().is_some_and(|n| n.parse::<u64>().is_ok());
    if number
        && let Some(tool) = name
            .split_once('.')
            .and_then(|(_, rest)| rest.strip_suffix(".log"))
    {
        return format!("output of {tool}");
    }
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    match extension {
        "md" if name.starts_with("handoff-") => "handoff",
        "md" => "an agent's result",
        "patch" => "an agent's changes",
        "txt" if name == "draft.txt" => "a draft",
        _ => "file",
    }
    .to_owned()
}
