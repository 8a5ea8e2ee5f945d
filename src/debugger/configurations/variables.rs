//! `${…}` in configurations and tasks, as VS Code defines it. Values that a person has to give are collected, and stand as they are
//! written until they are there.

use std::cell::{OnceCell, RefCell};

use base::text::{
    jsonc::{self, Item, Node},
    nearest::did_you_mean,
};

use super::error::{Result, at};
use crate::{adapters::trust, prelude::*};

/// What stands for the task that builds the project.
pub const DEFAULT_BUILD: &str = "${defaultBuildTask}";

/// Names without a colon.
const NAMES: [&str; 21] = [
    "workspaceFolder",
    "workspaceRoot",
    "workspaceFolderBasename",
    "userHome",
    "cwd",
    "file",
    "fileBasename",
    "fileBasenameNoExtension",
    "fileExtname",
    "fileDirname",
    "fileDirnameBasename",
    "relativeFile",
    "relativeFileDirname",
    "fileWorkspaceFolder",
    "fileWorkspaceFolderBasename",
    "lineNumber",
    "execPath",
    "pathSeparator",
    "/",
    "selectedText",
    "defaultBuildTask",
];

/// What variables stand for.
pub struct Variables<'a> {
    pub context: &'a Context,
    /// The project's folder.
    pub folder: &'a Path,
    /// The file at hand.
    pub file: Option<&'a Path>,
    /// Its line, from 1.
    pub line: Option<i64>,
    /// Values that were given, by id.
    pub inputs: &'a BTreeMap<String, String>,
    /// Ids of values that were not, and where the first use of each is.
    pub wanted: RefCell<BTreeMap<String, (PathBuf, usize)>>,
    /// `.vscode/settings.json`.
    pub settings: OnceCell<Option<Node>>,
}

impl Variables<'_> {
    /// A node with all variables filled in; `file` is where it stands.
    pub fn fill(&self, node: &Node, file: &Path) -> Result<Node> {
        let item = match &node.item {
            Item::Text(text) => Item::Text(self.expand(text, file, node.line)?),
            Item::List(nodes) => Item::List(
                nodes
                    .iter()
                    .map(|node| self.fill(node, file))
                    .collect::<Result<_, _>>()?,
            ),
            Item::Map(entries) => Item::Map(
                entries
                    .iter()
                    .map(|(name, node)| Ok((name.clone(), self.fill(node, file)?)))
                    .collect::<Result<_>>()?,
            ),
            other => other.clone(),
        };
        Ok(Node {
            line: node.line,
            item,
        })
    }

    /// A text with all variables filled in.
    pub fn expand(&self, text: &str, file: &Path, line: usize) -> Result<String> {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            out.push_str(before);
            let Some((name, behind)) = after.split_once('}') else {
                // As VS Code has it: what is not closed is text.
                out.push_str("${");
                rest = after;
                continue;
            };
            let value = self
                .value(name, file, line)
                .map_err(|what| at(file, line, what))?;
            out.push_str(&value);
            rest = behind;
        }
        out.push_str(rest);
        Ok(out)
    }

    fn value(&self, name: &str, file: &Path, line: usize) -> Result<String, String> {
        if let Some((kind, of)) = name.split_once(':') {
            return match kind {
                // As in a shell: what is not set is empty.
                "env" => Ok(self.context.var(of).unwrap_or_default().to_owned()),
                "input" => Ok(self.input(of, file, line)),
                "config" => self.setting(of),
                "workspaceFolder" if base_name(self.folder) == of => Ok(shown(self.folder)),
                "workspaceFolder" => Err(format!(
                    "${{{name}}} is another folder than this project, {}: write ${{workspaceFolder}}",
                    self.folder.display()
                )),
                "command" => Err(format!(
                    "${{{name}}} is a command of an editor, which nothing here can run: write the value itself, or ${{input:NAME}} to be asked for it"
                )),
                _ => Err(unknown(name)),
            };
        }
        match name {
            "workspaceFolder" | "workspaceRoot" | "cwd" | "fileWorkspaceFolder" => {
                Ok(shown(self.folder))
            }
            "workspaceFolderBasename" | "fileWorkspaceFolderBasename" => {
                Ok(base_name(self.folder))
            }
            "userHome" => match &self.context.home {
                Some(home) => Ok(shown(home)),
                None => Err("${userHome} is the home folder, and HOME is not set".to_owned()),
            },
            // Which task that is, the tasks know.
            "defaultBuildTask" => Ok(DEFAULT_BUILD.to_owned()),
            "pathSeparator" | "/" => Ok(std::path::MAIN_SEPARATOR.to_string()),
            "execPath" => Ok(std::env::current_exe()
                .map(|path| shown(&path))
                .unwrap_or_default()),
            "lineNumber" => match self.line {
                Some(line) => Ok(line.to_string()),
                None => Err(no_file(name)),
            },
            "selectedText" => Err(
                "${selectedText} is what is selected in an editor: write ${input:NAME} to be asked for it"
                    .to_owned(),
            ),
            name if NAMES.contains(&name) => self.of_file(name),
            _ => Err(unknown(name)),
        }
    }

    fn of_file(&self, name: &str) -> Result<String, String> {
        let file = self.file.ok_or_else(|| no_file(name))?;
        let folder = file.parent().unwrap_or(file);
        let relative = |path: &Path| shown(path.strip_prefix(self.folder).unwrap_or(path));
        let part = |part: Option<&std::ffi::OsStr>| part.map(Lossy::lossy).unwrap_or_default();
        Ok(match name {
            "file" => shown(file),
            "fileBasename" => base_name(file),
            "fileBasenameNoExtension" => part(file.file_stem()),
            "fileExtname" => match part(file.extension()) {
                extension if extension.is_empty() => extension,
                extension => format!(".{extension}"),
            },
            "fileDirname" => shown(folder),
            "fileDirnameBasename" => base_name(folder),
            "relativeFile" => relative(file),
            "relativeFileDirname" => match relative(folder) {
                here if here.is_empty() => ".".to_owned(),
                folder => folder,
            },
            _ => return Err(unknown(name)),
        })
    }

    fn input(&self, id: &str, file: &Path, line: usize) -> String {
        if let Some(value) = self.inputs.get(id) {
            return value.clone();
        }
        self.wanted
            .borrow_mut()
            .entry(id.to_owned())
            .or_insert_with(|| (file.to_owned(), line));
        format!("${{input:{id}}}")
    }

    /// A setting of the project: by its whole name, or by the way to it.
    fn setting(&self, name: &str) -> Result<String, String> {
        let path = self.folder.join(".vscode/settings.json");
        let settings = self.settings.get_or_init(|| {
            let seen = trust::look(self.context, &path).ok()?;
            jsonc::parse(&seen.text).ok()
        });
        let by_way = |settings: &Node| {
            name.split('.')
                .try_fold(settings.clone(), |node, part| node.get(part).cloned())
        };
        let found = settings
            .as_ref()
            .and_then(|settings| settings.get(name).cloned().or_else(|| by_way(settings)));
        match found.map(|node| node.item) {
            Some(Item::Text(text)) => Ok(text),
            Some(Item::Bool(yes)) => Ok(yes.to_string()),
            Some(Item::Number(number)) => Ok(number.to_string()),
            Some(_) => Err(format!(
                "${{config:{name}}} is no text in {}: name one value of it",
                path.display()
            )),
            None => Err(format!(
                "${{config:{name}}} is a setting that {} does not have: add it there, or write the value itself",
                path.display()
            )),
        }
    }
}

fn shown(path: &Path) -> String {
    path.lossy()
}

fn base_name(path: &Path) -> String {
    path.file_name().map(Lossy::lossy).unwrap_or_default()
}

fn no_file(name: &str) -> String {
    format!("${{{name}}} needs a file: open one (o), or run --config NAME FILE")
}

fn unknown(name: &str) -> String {
    let near = did_you_mean(name, NAMES);
    let near = if near.is_empty() {
        format!(
            "; there are {}, env:NAME, config:NAME and input:NAME",
            NAMES.join(", ")
        )
    } else {
        near
    };
    format!("there is no variable ${{{name}}}{near}")
}
