//! Which files of a project have configurations and tasks, read once: what is used is what was trusted.

use base::text::{
    jsonc::{self, Node},
    nearest::did_you_mean,
};

use super::{
    error::{DebuggerError, Result, at},
    tasks::Tasks,
};
use crate::{
    adapters::trust::{self, FileState},
    prelude::*,
};

/// Where configurations are looked for, below the project's folder.
const FILES: [&str; 3] = [".vscode/launch.json", "dap.json", ".dap.json"];
const TASKS: &str = ".vscode/tasks.json";

/// What was read.
pub struct Files {
    sources: Vec<Source>,
    pub tasks: Tasks,
    /// Inputs of the tasks' file.
    task_inputs: Vec<Node>,
    task_file: Option<FileState>,
}

struct Source {
    path: PathBuf,
    seen: FileState,
    root: Node,
}

/// A configuration, or several together.
pub struct Entry<'f> {
    pub name: &'f str,
    pub file: &'f Path,
    pub node: &'f Node,
    /// Several that are started together.
    pub compound: bool,
    /// Not for lists.
    pub hidden: bool,
}

impl Entry<'_> {
    pub fn what(&self) -> String {
        let text = |key| self.node.text_of(key).unwrap_or("?");
        if !self.compound {
            return format!("{} {}", text("request"), text("type"));
        }
        let members = self
            .node
            .list_of("configurations")
            .iter()
            .filter_map(member);
        members.joined(" + ")
    }
}

/// The configuration that a compound names.
pub fn member(node: &Node) -> Option<&str> {
    node.text().or_else(|| node.text_of("name"))
}

impl Files {
    pub fn read(context: &Context) -> Result<Self> {
        let mut sources = Vec::new();
        for name in FILES {
            let path = context.cwd.join(name);
            let Some((seen, root)) = read(context, &path)? else {
                continue;
            };
            // A dap.json is mostly about adapters.
            if root.get("configurations").is_some() || root.get("compounds").is_some() {
                sources.push(Source { path, seen, root });
            }
        }
        let file = context.cwd.join(TASKS);
        let found = read(context, &file)?;
        let entries = |key: &str| -> Vec<Node> {
            let root = found.as_ref().map(|(_, root)| root.list_of(key));
            root.unwrap_or_default().to_vec()
        };
        Ok(Self {
            task_inputs: entries("inputs"),
            tasks: Tasks {
                tasks: entries("tasks"),
                file,
            },
            task_file: found.map(|(seen, _)| seen),
            sources,
        })
    }

    /// A file as it was read.
    pub fn seen(&self, path: &Path) -> Option<&FileState> {
        if path == self.tasks.file {
            return self.task_file.as_ref();
        }
        let source = self.sources.iter().find(|source| source.path == path);
        source.map(|source| &source.seen)
    }

    pub fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        self.sources.iter().flat_map(|source| {
            [("compounds", true), ("configurations", false)]
                .into_iter()
                .flat_map(move |(key, compound)| {
                    let nodes = source.root.list_of(key).iter();
                    nodes.map(move |node| (node, compound))
                })
                .map(|(node, compound)| Entry {
                    name: node.text_of("name").unwrap_or_default(),
                    file: &source.path,
                    node,
                    compound,
                    hidden: node
                        .get("presentation")
                        .is_some_and(|how| how.is_true("hidden")),
                })
        })
    }

    /// The configuration of this name, or the only one.
    pub fn find(&self, name: Option<&str>, folder: &Path) -> Result<Entry<'_>> {
        let names: Vec<&str> = self
            .entries()
            .filter(|entry| !entry.hidden)
            .map(|entry| entry.name)
            .collect();
        if names.is_empty() {
            return Err(DebuggerError::usage(format!(
                "there is no debug configuration in {}: .vscode/launch.json is where they are looked for",
                folder.display()
            )));
        }
        let Some(name) = name else {
            let mut shown = self.entries().filter(|entry| !entry.hidden);
            return match (shown.next(), shown.next()) {
                (Some(only), None) => Ok(only),
                _ => Err(DebuggerError::usage(format!(
                    "there are several debug configurations, say which: {}",
                    quoted(&names)
                ))),
            };
        };
        self.entries()
            .find(|entry| entry.name == name)
            .ok_or_else(|| {
                let hint = match did_you_mean(name, names.iter().copied()) {
                    near if near.is_empty() => format!("; there are {}", quoted(&names)),
                    near => near,
                };
                DebuggerError::usage(format!("there is no debug configuration {name:?}{hint}"))
            })
    }

    /// Definitions of values that a person gives, with the file of each.
    pub fn inputs(&self) -> impl Iterator<Item = (&Path, &Node)> {
        let of_sources = self.sources.iter().flat_map(|source| {
            let nodes = source.root.list_of("inputs").iter();
            nodes.map(|node| (source.path.as_path(), node))
        });
        let of_tasks = self.task_inputs.iter();
        of_sources.chain(of_tasks.map(|node| (self.tasks.file.as_path(), node)))
    }
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("{name:?}")).joined(", ")
}

/// A file, if it is there.
fn read(context: &Context, path: &Path) -> Result<Option<(FileState, Node)>> {
    let seen = match trust::look(context, path) {
        Ok(seen) => seen,
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            return Ok(None);
        }
        Err(error) => {
            let what = format!("{} cannot be read: {error}", path.display());
            return Err(DebuggerError::usage(what));
        }
    };
    let root = jsonc::parse(&seen.text).map_err(|error| {
        at(
            path,
            error.line,
            format!("column {}: {}", error.column, error.what),
        )
    })?;
    Ok(Some((seen, root)))
}
