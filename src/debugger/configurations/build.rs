//! From a configuration to a launch or an attach.
//!
//! What has a meaning of its own here (program, arguments, folder, environment, terminal, process, port) becomes a field of the
//! command; everything else goes to the adapter as it stands in the file, for the adapters are the same as the editor's.

use base::text::{
    jsonc::{Item, Node},
    nearest::{did_you_mean, did_you_mean_name},
};

use super::{
    error::{DebuggerError, Result, wrong},
    files::{Entry, Files, member},
    nodes::{plain, platform},
    types::{self, LaunchType},
    variables::Variables,
};
use crate::{
    adapters::{self, trust::CommandLine},
    command::Console,
    prelude::*,
    task::{SessionTasks, Task, Together},
};

/// Sessions that one compound may start.
const MOST_TOGETHER: usize = 16;
/// Keys that are for the editor.
const EDITORS: [&str; 18] = [
    "name",
    "type",
    "request",
    "preLaunchTask",
    "postDebugTask",
    "presentation",
    "internalConsoleOptions",
    "serverReadyAction",
    "suppressMultipleSessionWarning",
    "debugServer",
    "warnings",
    "order",
    "openDebug",
    "noDebug",
    "cascadeTerminateToConfigurations",
    "linux",
    "osx",
    "windows",
];
/// What stands in a value that was not given yet.
const UNGIVEN: &str = "${input:";

/// What an entry comes to.
#[derive(Default)]
pub struct Built {
    pub commands: Vec<Command>,
    /// What the sessions start, for a person to judge.
    pub starts: Vec<CommandLine>,
    /// What the tasks start.
    pub runs: Vec<CommandLine>,
}

/// Builds what an entry asks for.
pub fn build(
    files: &Files,
    entry: &Entry<'_>,
    variables: &Variables<'_>,
    adapter: Option<&str>,
) -> Result<Built> {
    let (table, _) = Table::load(variables.context);
    let mut builder = Builder {
        files,
        variables,
        table,
        adapter,
        built: Built::default(),
    };
    if entry.compound {
        builder.compound(entry)?;
    } else {
        builder.one(entry, None)?;
    }
    Ok(builder.built)
}

struct Builder<'a> {
    files: &'a Files,
    variables: &'a Variables<'a>,
    table: Table,
    adapter: Option<&'a str>,
    built: Built,
}

impl Builder<'_> {
    fn compound(&mut self, entry: &Entry<'_>) -> Result<()> {
        let file = entry.file;
        let members = entry.node.list_of("configurations");
        if members.is_empty() || members.len() > MOST_TOGETHER {
            let what = format!(
                "the compound {:?} has {} configurations: name 1 to {MOST_TOGETHER} of them",
                entry.name,
                members.len()
            );
            return Err(wrong(file, entry.node, what));
        }
        let stop_all = entry.node.is_true("stopAll");
        let together = Together {
            name: entry.name.to_owned(),
            stop_all,
            before: self.tasks(entry.node, "preLaunchTask", file)?,
        };
        for node in members {
            let name = member(node).unwrap_or_default();
            let found = self.files.entries().find(|other| other.name == name);
            let Some(found) = found else {
                let names: Vec<_> = self.files.entries().map(|other| other.name).collect();
                let near = did_you_mean_name(name, names);
                let what = format!(
                    "the compound {:?} names {name:?}, which is no configuration here{near}",
                    entry.name
                );
                return Err(wrong(file, node, what));
            };
            if found.compound {
                let what = format!(
                    "the compound {:?} names the compound {name:?}: name its configurations",
                    entry.name
                );
                return Err(wrong(file, node, what));
            }
            self.one(&found, Some(together.clone()))?;
        }
        Ok(())
    }

    /// One configuration.
    fn one(&mut self, entry: &Entry<'_>, together: Option<Together>) -> Result<()> {
        let file = entry.file;
        if entry.node.map().is_none() {
            let what = format!("a configuration is a map, not {}", entry.node.kind());
            return Err(wrong(file, entry.node, what));
        }
        let node = self.variables.fill(&platform(entry.node), file)?;
        let around = SessionTasks {
            name: entry.name.to_owned(),
            before: self.tasks(&node, "preLaunchTask", file)?,
            after: self.tasks(&node, "postDebugTask", file)?,
            together,
        };
        let reading = Reading {
            file,
            node: &node,
            folder: self.variables.folder,
        };
        let (kind, adapter) = self.type_of(&reading)?;
        let request = reading.text("request")?.unwrap_or("launch");
        let is_launch = match request {
            "launch" => true,
            "attach" => false,
            other => {
                return Err(reading.wrong(
                    "request",
                    format!("a request is \"launch\" or \"attach\", not {other:?}"),
                ));
            }
        };
        let mut keys = reading.keys(&kind)?;
        let around = Some(Box::new(around));
        let attach = match reading.instead_of_a_launch(&kind, &mut keys)? {
            None if is_launch => None,
            None => Some(reading.attach(&mut keys)?),
            instead => instead,
        };
        let command = if let Some(attach) = attach {
            let spec = AttachSpec {
                adapter: Some(adapter),
                around,
                ..attach
            };
            self.built.starts.push(shown_attach(entry.name, &spec));
            Command::Attach(Box::new(spec))
        } else {
            let spec = LaunchSpec {
                adapter: Some(adapter),
                around,
                ..reading.launch(&kind, &mut keys)?
            };
            self.built.starts.push(shown_launch(entry.name, &spec));
            Command::Launch(Box::new(spec))
        };
        self.built.commands.push(command);
        Ok(())
    }

    /// What runs before or after, and shows it.
    fn tasks(&mut self, node: &Node, key: &str, file: &Path) -> Result<Vec<Task>> {
        let Some(wanted) = node.get(key) else {
            return Ok(Vec::new());
        };
        let tasks = self.files.tasks.plan(wanted, file, self.variables)?;
        for task in &tasks {
            let shown = CommandLine {
                name: format!("task {}", task.label),
                argv: task.argv.clone(),
                env: task.env.iter().cloned().collect(),
            };
            if !self.built.runs.contains(&shown) {
                self.built.runs.push(shown);
            }
        }
        Ok(tasks)
    }

    /// What the configuration's type means, and the adapter for it.
    fn type_of(&self, reading: &Reading<'_>) -> Result<(LaunchType, String)> {
        let name = reading
            .text("type")?
            .ok_or_else(|| reading.wrong("type", "the configuration has no \"type\"".to_owned()))?;
        // A person's own adapter goes by its own name.
        let kind = if let Some(kind) = types::find(name) {
            kind.clone()
        } else if let Ok(adapter) = self.table.get(name) {
            LaunchType {
                adapters: vec![adapter.name.clone()],
                ..LaunchType::default()
            }
        } else {
            let near = match did_you_mean(name, types::names()) {
                near if near.is_empty() => {
                    let known: Vec<_> = types::names().collect();
                    format!("; there are {}", known.join(", "))
                }
                near => near,
            };
            let what = format!(
                "no adapter is known for the type {name:?}{near}; a dap.json can describe others"
            );
            return Err(reading.wrong("type", what));
        };
        if let Some(adapter) = self.adapter {
            return Ok((kind, adapter.to_owned()));
        }
        let chosen = kind.choose.as_ref().and_then(|choose| {
            let value = reading.node.get(&choose.key)?.text()?;
            choose.of.get(value)
        });
        let names = chosen.unwrap_or(&kind.adapters);
        let is_here = |name: &&String| {
            let adapter = self.table.get(name);
            adapter.is_ok_and(|a| adapters::resolve(a, self.variables.context).is_ok())
        };
        // Where none is here, the first says how it is got.
        let name = names.iter().find(is_here).or_else(|| names.first());
        let name = name.cloned().unwrap_or_default();
        Ok((kind, name))
    }
}

/// One configuration, filled in.
pub struct Reading<'a> {
    pub file: &'a Path,
    node: &'a Node,
    pub folder: &'a Path,
}

impl Reading<'_> {
    fn wrong(&self, key: &str, what: String) -> DebuggerError {
        wrong(self.file, self.node.get(key).unwrap_or(self.node), what)
    }

    fn text(&self, key: &str) -> Result<Option<&str>> {
        let Some(node) = self.node.get(key) else {
            return Ok(None);
        };
        let text = node.text().map(Some);
        text.ok_or_else(|| self.wrong(key, format!("{key:?} is a text, not {}", node.kind())))
    }

    /// The keys that are ours or the adapter's, by the adapter's names.
    fn keys(&self, kind: &LaunchType) -> Result<BTreeMap<String, Node>> {
        let mut keys = BTreeMap::new();
        for (name, node) in self.node.map().unwrap_or_default() {
            if let Some(instead) = kind.refuse.get(name) {
                let what = format!("{name:?} is done by an editor's extension: {instead}");
                return Err(self.wrong(name, what));
            }
            let theirs = EDITORS.contains(&name.as_str()) || name.starts_with("__");
            if theirs || kind.drop.contains(name) {
                continue;
            }
            let name = kind.rename.get(name).unwrap_or(name);
            keys.insert(name.clone(), node.clone());
        }
        Ok(keys)
    }

    fn launch(&self, kind: &LaunchType, keys: &mut BTreeMap<String, Node>) -> Result<LaunchSpec> {
        let mut program = match keys.remove("program") {
            Some(node) => self.folder.join(self.as_text("program", &node)?),
            None => PathBuf::new(),
        };
        if let Some(unless) = &kind.unless {
            let said = keys.get(&unless.key).and_then(Node::text);
            if said.is_none_or(|said| said == unless.value) {
                keys.remove(&unless.key);
                if program.to_string_lossy().ends_with(&unless.suffix) {
                    let means = Node {
                        line: self.node.line,
                        item: Item::Text(unless.means.clone()),
                    };
                    keys.insert(unless.key.clone(), means);
                    program = program.parent().map(Path::to_owned).unwrap_or_default();
                }
            }
        }
        let args_key = kind.split_args_key.as_deref().unwrap_or("args");
        let args = match keys.remove(args_key) {
            None => Vec::new(),
            Some(node) => self.args(args_key, &node)?,
        };
        let cwd = match keys.remove("cwd") {
            Some(node) => self.folder.join(self.as_text("cwd", &node)?),
            None if kind.cwd_of_program && program.is_dir() => program.clone(),
            None if kind.cwd_of_program => program
                .parent()
                .map_or_else(|| self.folder.to_owned(), Path::to_owned),
            None => self.folder.to_owned(),
        };
        let stop_key = kind.stop_key.as_deref().unwrap_or("stopOnEntry");
        let stop_on_entry = match keys.remove(stop_key).map(|node| node.item) {
            Some(Item::Bool(stop)) => Some(stop),
            _ => None,
        };
        let env = self.environment(kind, keys)?;
        let console = console(kind, keys);
        Ok(LaunchSpec {
            program,
            args,
            cwd: Some(cwd),
            env,
            stop_on_entry,
            console,
            extra: extra(keys),
            ..LaunchSpec::default()
        })
    }

    /// A core dump or a debug server that a configuration names beside the program.
    fn instead_of_a_launch(
        &self,
        kind: &LaunchType,
        keys: &mut BTreeMap<String, Node>,
    ) -> Result<Option<AttachSpec>> {
        let mut take = |key: &Option<String>| {
            let Some((key, node)) = key.as_ref().and_then(|key| keys.remove_entry(key)) else {
                return Ok::<_, DebuggerError>(None);
            };
            let text = self.as_text(&key, &node)?;
            Ok(Some((key, text)).filter(|(_, text)| !text.is_empty()))
        };
        let core = take(&kind.core_key)?.map(|(_, core)| self.folder.join(core));
        let (host, port) = match take(&kind.server_key)? {
            None if core.is_none() => return Ok(None),
            None => (None, None),
            Some((key, address)) => {
                let parts = address.rsplit_once(':');
                let parts = parts.and_then(|(host, port)| Some((host, port.parse().ok()?)));
                let Some((host, port)) = parts else {
                    let what = format!("{key:?} is HOST:PORT, and {address:?} is not");
                    return Err(self.wrong(&key, what));
                };
                (Some(host.to_owned()), Some(port))
            }
        };
        let launch = self.launch(kind, keys)?;
        Ok(Some(AttachSpec {
            core,
            host,
            port,
            program: Some(launch.program).filter(|program| !program.as_os_str().is_empty()),
            cwd: launch.cwd,
            extra: launch.extra,
            ..AttachSpec::default()
        }))
    }

    fn attach(&self, keys: &mut BTreeMap<String, Node>) -> Result<AttachSpec> {
        let mut pid = None;
        for key in ["processId", "pid"] {
            if let Some(node) = keys.remove(key) {
                pid = Some(self.number::<u32>(key, &node)?);
            }
        }
        let (mut port, mut host) = (None, None);
        if let Some(connect) = keys.remove("connect") {
            port = connect.get("port").cloned();
            host = connect.get("host").map(plain);
        }
        port = keys.remove("port").or(port);
        for key in ["host", "address", "hostName"] {
            host = keys.remove(key).map(|node| plain(&node)).or(host);
        }
        let port = match port {
            Some(node) => Some(self.number::<u16>("port", &node)?),
            None => None,
        };
        if let Some(program) = keys.get_mut("program")
            && let Item::Text(text) = &mut program.item
        {
            *text = self.folder.join(&*text).lossy();
        }
        let cwd = match keys.remove("cwd") {
            Some(node) => self.folder.join(self.as_text("cwd", &node)?),
            None => self.folder.to_owned(),
        };
        Ok(AttachSpec {
            pid,
            port,
            host,
            cwd: Some(cwd),
            extra: extra(keys),
            ..AttachSpec::default()
        })
    }

    pub fn as_text(&self, key: &str, node: &Node) -> Result<String> {
        node.text().map(str::to_owned).ok_or_else(|| {
            let what = format!("{key:?} is a text, not {}", node.kind());
            wrong(self.file, node, what)
        })
    }

    fn number<N: std::str::FromStr + Default>(&self, key: &str, node: &Node) -> Result<N> {
        let text = plain(node);
        if text.starts_with(UNGIVEN) {
            return Ok(N::default());
        }
        text.trim().parse().map_err(|_bad| {
            let what = format!("{key:?} is a number, and {text:?} is none that it can be");
            wrong(self.file, node, what)
        })
    }

    fn args(&self, key: &str, node: &Node) -> Result<Vec<String>> {
        match &node.item {
            Item::Null => Ok(Vec::new()),
            Item::Text(text) => words::split(text).map_err(|what| wrong(self.file, node, what)),
            Item::List(nodes) => nodes
                .iter()
                .map(|arg| {
                    let what = || format!("an argument is a text, not {}", arg.kind());
                    arg.word().ok_or_else(|| wrong(self.file, arg, what()))
                })
                .collect(),
            _ => {
                let what = format!("{key:?} is a list of texts, not {}", node.kind());
                Err(wrong(self.file, node, what))
            }
        }
    }
}

/// Where the program's terminal is. Without a word, and where that is an adapter's debug console, it has none.
fn console(kind: &LaunchType, keys: &mut BTreeMap<String, Node>) -> Console {
    let mut found = Console::Internal;
    let key = kind.console_key.as_deref().unwrap_or("console");
    for key in [key, "console", "runInTerminal"] {
        match keys.remove(key).map(|node| node.item) {
            Some(Item::Text(word)) if word.starts_with("integrated") => found = Console::Pty,
            Some(Item::Text(word)) if word.starts_with("external") => found = Console::External,
            Some(Item::Bool(true)) => found = Console::Pty,
            _ => {}
        }
    }
    let external = kind.external_key.as_ref().and_then(|key| keys.remove(key));
    match external.map(|node| node.item) {
        Some(Item::Bool(true)) => Console::External,
        Some(Item::Bool(false)) => Console::Pty,
        _ => found,
    }
}

fn extra(keys: &BTreeMap<String, Node>) -> Map<String, Value> {
    let each = keys.iter();
    each.map(|(name, node)| (name.clone(), node.value()))
        .collect()
}

fn shown_launch(name: &str, spec: &LaunchSpec) -> CommandLine {
    let redactor = Redactor::new();
    let program = Some(spec.program.lossy());
    let program = program.filter(|program| !program.is_empty());
    let mut words: Vec<String> = program
        .into_iter()
        .chain(spec.args.iter().cloned())
        .collect();
    // Some come from files that are kept out of repositories for a reason.
    redactor.redact_list(&mut words);
    CommandLine {
        env: spec
            .env
            .iter()
            .map(|(name, value)| {
                let value = value.as_deref().unwrap_or_default();
                let shown = redactor.redact_value(Some(name), value);
                (name.clone(), shown.into_owned())
            })
            .collect(),
        ..shown(
            name,
            spec.adapter.as_deref(),
            words.into_iter(),
            &spec.extra,
        )
    }
}

fn shown_attach(name: &str, spec: &AttachSpec) -> CommandLine {
    let program = spec.program.as_deref().map(Lossy::lossy);
    let words = spec.target().into_iter().chain(program);
    shown(name, spec.adapter.as_deref(), words, &spec.extra)
}

fn shown(
    name: &str,
    adapter: Option<&str>,
    words: impl Iterator<Item = String>,
    extra: &Map<String, Value>,
) -> CommandLine {
    // What an adapter is told can name programs, too.
    let extra = extra.iter().map(|(key, value)| format!("{key}={value}"));
    let name = format!("{name} ({})", adapter.unwrap_or_default());
    CommandLine::new(name, words.chain(extra))
}
