//! `tasks.json`: which programs a task comes to, and which of them wait for which.
//!
//! What a task depends on is run before it: all of that at once, or in a sequence where the file says so. Running is the core's.

use std::path::{Path, PathBuf};

use base::text::{jsonc::Node, nearest::did_you_mean_name};
use regex::Regex;

use super::{
    error::{Result, wrong},
    nodes::{plain, platform},
    variables::{DEFAULT_BUILD, Variables},
};
use crate::task::Task;

/// What runs the line of a task of type `shell` unless it names another one.
const SHELL: [&str; 2] = ["/bin/sh", "-c"];

/// The tasks of a project; without a file there are none.
pub struct Tasks {
    pub file: PathBuf,
    pub tasks: Vec<Node>,
}

impl Tasks {
    /// What is run for the task that `wanted` names, which stands in `file`.
    pub fn plan(&self, wanted: &Node, file: &Path, variables: &Variables<'_>) -> Result<Vec<Task>> {
        let mut planner = Planner {
            tasks: self,
            variables,
            way: Vec::new(),
            known: Vec::new(),
            planned: Vec::new(),
        };
        planner.visit(wanted, file, &[])?;
        Ok(planner.planned)
    }

    fn find(&self, wanted: &Node, file: &Path) -> Result<&Node> {
        let Some(label) = wanted.text() else {
            let what = format!("a task is named by its label, not by {}", wanted.kind());
            return Err(wrong(file, wanted, what));
        };
        let found = if label == DEFAULT_BUILD {
            self.tasks.iter().find(|task| is_default_build(task))
        } else {
            self.tasks
                .iter()
                .find(|task| label_of(task).is_some_and(|known| known == label))
        };
        found.ok_or_else(|| {
            let labels: Vec<String> = self.tasks.iter().filter_map(label_of).collect();
            let known = if labels.is_empty() {
                "; it has none, or is not there: add the task to it".to_owned()
            } else {
                match did_you_mean_name(label, labels.iter().map(String::as_str)) {
                    near if near.is_empty() => {
                        let labels: Vec<_> = labels.iter().map(|l| format!("{l:?}")).collect();
                        format!("; there are {}", labels.join(", "))
                    }
                    near => near,
                }
            };
            let what = format!(
                "there is no task {label:?} in {}{known}",
                self.file.display()
            );
            wrong(file, wanted, what)
        })
    }
}

/// The label of a task, also one that goes without saying.
fn label_of(task: &Node) -> Option<String> {
    let text = |key| task.text_of(key).map(str::to_owned);
    text("label")
        .or_else(|| text("taskName"))
        .or_else(|| match (text("type"), text("script")) {
            (Some(kind), Some(script)) => Some(format!("{kind}: {script}")),
            _ => None,
        })
}

fn is_default_build(task: &Node) -> bool {
    task.get("group")
        .is_some_and(|group| group.text_of("kind") == Some("build") && group.is_true("isDefault"))
}

struct Planner<'a> {
    tasks: &'a Tasks,
    variables: &'a Variables<'a>,
    /// Labels of the tasks that lead here.
    way: Vec<String>,
    /// Labels of tasks that were met, each with the programs that have to be done for it to be.
    known: Vec<(String, Vec<usize>)>,
    planned: Vec<Task>,
}

impl Planner<'_> {
    /// Plans a task that begins after others, by their places, and gives those that have to be done for it to be.
    fn visit(&mut self, wanted: &Node, file: &Path, after: &[usize]) -> Result<Vec<usize>> {
        let tasks = self.tasks;
        let task = tasks.find(wanted, file)?;
        let label = label_of(task).unwrap_or_else(|| "a task".to_owned());
        if self.way.contains(&label) {
            self.way.push(label);
            let what = format!(
                "tasks wait for each other: {}; take one of these dependsOn away",
                self.way.join(" -> ")
            );
            return Err(wrong(file, wanted, what));
        }
        if let Some((_, programs)) = self.known.iter().find(|(known, _)| *known == label) {
            return Ok(programs.clone());
        }
        let task = &platform(task);
        self.way.push(label.clone());
        let in_sequence = self.in_sequence(task)?;
        let depends = task.get("dependsOn").map(Node::each);
        let mut needs = after.to_vec();
        let mut before = after.to_vec();
        for one in depends.unwrap_or_default() {
            let programs = self.visit(one, &tasks.file, &before)?;
            needs.extend(&programs);
            if in_sequence && !programs.is_empty() {
                before = programs;
            }
        }
        self.way.pop();
        needs.sort_unstable();
        needs.dedup();
        let programs = match self.program(task, &label)? {
            Some(program) => {
                self.planned.push(Task { needs, ..program });
                vec![self.planned.len() - 1]
            }
            None => needs,
        };
        self.known.push((label, programs.clone()));
        Ok(programs)
    }

    /// Whether what a task depends on is run one after the other.
    fn in_sequence(&self, task: &Node) -> Result<bool> {
        let Some(order) = task.get("dependsOrder") else {
            return Ok(false);
        };
        match order.text() {
            Some("sequence") => Ok(true),
            Some("parallel") => Ok(false),
            _ => {
                let given = order.value();
                let what = format!("a dependsOrder is \"parallel\" or \"sequence\", not {given}");
                Err(wrong(&self.tasks.file, order, what))
            }
        }
    }

    /// What the task itself runs; one that only gathers others runs nothing.
    fn program(&self, task: &Node, label: &str) -> Result<Option<Task>> {
        let file = &self.tasks.file;
        let filled = self.variables.fill(task, file)?;
        let refused = |what: String| Err(wrong(file, &filled, what));
        let kind = match filled.get("type") {
            None => "shell",
            Some(node) => node.text().unwrap_or_default(),
        };
        let command = filled.get("command");
        if command.is_none() && kind != "npm" {
            return if filled.get("dependsOn").is_some() {
                Ok(None)
            } else {
                refused(format!("the task {label:?} has no \"command\""))
            };
        }
        let argv = match kind {
            "shell" => shell(&filled, command, file)?,
            // What the C and C++ extension calls its own is a program with arguments.
            "process" | "cppbuild" => {
                let mut argv = words(command, file)?;
                for node in list(filled.get("args"), file)? {
                    argv.extend(words(Some(node), file)?);
                }
                argv
            }
            "npm" => match filled.text_of("script") {
                Some(script) => ["npm", "run", script].map(str::to_owned).to_vec(),
                None => return refused(format!("the task {label:?} has no \"script\"")),
            },
            other => {
                return refused(format!(
                    "the task {label:?} is of type {other:?}, which only an editor's extension can run: write what it runs as a task of type shell or process"
                ));
            }
        };
        let options = filled.get("options");
        let folder = self.variables.folder;
        let cwd = options
            .and_then(|options| options.get("cwd"))
            .or_else(|| filled.get("path").filter(|_| kind == "npm"))
            .and_then(Node::text)
            .map_or_else(|| folder.to_owned(), |cwd| folder.join(cwd));
        let env = options.and_then(|options| options.get("env"));
        let env = env.and_then(Node::map).unwrap_or_default();
        let background = filled.is_true("isBackground");
        Ok(Some(Task {
            label: label.to_owned(),
            argv,
            cwd,
            env: env
                .iter()
                .map(|(name, value)| (name.clone(), plain(value)))
                .collect(),
            background,
            ready: if background {
                ready(&filled, file)?
            } else {
                None
            },
            needs: Vec::new(),
        }))
    }
}

/// The line with which a task that goes on says that it is ready.
fn ready(task: &Node, file: &Path) -> Result<Option<String>> {
    let Some(matcher) = task.get("problemMatcher") else {
        return Ok(None);
    };
    let ends = matcher
        .each()
        .iter()
        .find_map(|one| one.get("background")?.get("endsPattern"));
    let Some(ends) = ends else { return Ok(None) };
    let pattern = ends
        .text()
        .or_else(|| ends.text_of("regexp"))
        .unwrap_or_default();
    match Regex::new(pattern) {
        Ok(_) => Ok(Some(pattern.to_owned())),
        Err(error) => {
            let what = format!(
                "endsPattern {pattern:?} is no regular expression that is understood here: {error}"
            );
            Err(wrong(file, ends, what))
        }
    }
}

fn list<'n>(node: Option<&'n Node>, file: &Path) -> Result<&'n [Node]> {
    match node {
        None => Ok(&[]),
        Some(node) => node.list().ok_or_else(|| {
            let what = format!("\"args\" is {}: it is a list of texts", node.kind());
            wrong(file, node, what)
        }),
    }
}

/// A word of a command line: a text, or a map with a `value` of texts.
fn words(node: Option<&Node>, file: &Path) -> Result<Vec<String>> {
    let Some(node) = node else {
        return Ok(Vec::new());
    };
    let value = node.get("value").unwrap_or(node);
    let words = value.each().iter();
    words
        .map(|word| {
            let what = || format!("a word of a command is {}: it is a text", word.kind());
            word.word().ok_or_else(|| wrong(file, word, what()))
        })
        .collect()
}

/// One line for a shell.
fn shell(task: &Node, command: Option<&Node>, file: &Path) -> Result<Vec<String>> {
    let given = list(task.get("args"), file)?;
    // A command by itself is a line already.
    let mut line = match command {
        Some(command) if command.get("value").is_some() => quoted(command, file)?,
        command => words(command, file)?.join(" "),
    };
    for arg in given {
        line.push(' ');
        line.push_str(&quoted(arg, file)?);
    }
    let shell = task
        .get("options")
        .and_then(|options| options.get("shell"))
        .filter(|shell| shell.get("executable").is_some());
    let mut argv = match shell {
        Some(shell) => {
            let mut argv = words(shell.get("executable"), file)?;
            match shell.get("args") {
                Some(before) => argv.extend(words(Some(before), file)?),
                None => argv.push("-c".to_owned()),
            }
            argv
        }
        None => SHELL.map(str::to_owned).to_vec(),
    };
    argv.push(line);
    Ok(argv)
}

/// A word as it stands in a shell's line: what has blanks is quoted, the rest is the shell's to read, unless the file says how.
fn quoted(node: &Node, file: &Path) -> Result<String> {
    let word = words(Some(node), file)?.join(" ");
    let strong = |word: &str| format!("'{}'", word.replace('\'', r"'\''"));
    Ok(match node.text_of("quoting") {
        Some("weak") => format!("\"{}\"", word.replace('\\', r"\\").replace('"', "\\\"")),
        Some("escape") => word
            .chars()
            .flat_map(|c| {
                let escaped = (!c.is_alphanumeric() && !"-_./=:,+@%".contains(c)).then_some('\\');
                escaped.into_iter().chain([c])
            })
            .collect(),
        Some(_) => strong(&word),
        None if word.is_empty() || word.contains([' ', '\t']) => {
            // What a person quoted is left as it is.
            if word.starts_with(['\'', '"']) {
                word
            } else {
                strong(&word)
            }
        }
        None => word,
    })
}
