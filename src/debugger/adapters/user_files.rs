//! A person's own adapters: `dap.json`, `.dap.json` and the same in YAML.
//!
//! The highest in rank wins: the current directory, its tool directories (`.omp`, `.claude`, `.codex`,
//! `.gemini`), the same of the user, the plugins there, our own configuration directory, the home. Within one
//! adapter the default arguments merge shallowly and every other field replaces. What stands in the current
//! directory came with a repository and is used only when its content is trusted.

use base::text::jsonc;
use dap::transport::ConnectMode;

use super::{
    adapter::{Candidate, Origin, Program},
    personality::Personality,
    places::filled,
    trust::{self, CommandLine, FileState},
};
use crate::prelude::*;

const FILE_NAMES: [&str; 6] = [
    "dap.json",
    ".dap.json",
    "dap.yaml",
    ".dap.yaml",
    "dap.yml",
    ".dap.yml",
];
/// What else can stand beside adapters: see [`crate::configurations`].
const NO_ADAPTERS: [&str; 4] = ["version", "configurations", "compounds", "inputs"];
const TOOL_DIRS: [&str; 4] = [".omp", ".claude", ".codex", ".gemini"];

/// Something about a file that the person should hear of; the rest of the table works without it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Warning {
    /// The file came with a repository and nobody has trusted this content.
    #[error(
        "{} is not used until you trust it; it would run: {}",
        path.display(),
        commands.iter().map(|command| command.argv.join(" ")).joined("; ")
    )]
    Untrusted {
        /// The file.
        path: PathBuf,
        /// What it would run.
        commands: Vec<CommandLine>,
    },
    /// The file cannot be read or is not what it should be.
    #[error("{} is not used: {why}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        why: String,
    },
    /// Not all of it can be used.
    #[error("{} is used in part: {why}", path.display())]
    Partly {
        /// The file.
        path: PathBuf,
        /// What is left out.
        why: String,
    },
    /// One entry is wrong; the others of the file are used.
    #[error("{}: the adapter {name:?} is not used: {why}", path.display())]
    Entry {
        /// The file.
        path: PathBuf,
        /// The entry.
        name: String,
        why: String,
    },
}

/// A file that exists.
pub struct UserFile {
    pub path: PathBuf,
    /// It came with a repository.
    pub needs_trust: bool,
}

/// The files there are, the lowest in rank first.
pub fn found(context: &Context) -> Vec<UserFile> {
    let mut dirs: Vec<(PathBuf, bool)> = Vec::new();
    let home = context.home.as_deref();
    // Someone who works in the home directory wrote what stands there.
    let of_repository = Some(context.cwd.as_path()) != home;
    dirs.push((context.cwd.clone(), of_repository));
    dirs.extend(TOOL_DIRS.map(|dir| (context.cwd.join(dir), of_repository)));
    dirs.push((context.config_dir.clone(), false));
    if let Some(home) = home {
        dirs.extend(TOOL_DIRS.map(|dir| (home.join(dir), false)));
        dirs.extend(TOOL_DIRS.map(|dir| (home.join(dir).join("agent"), false)));
        for dir in TOOL_DIRS {
            let mut plugins: Vec<_> = fs::read_dir(home.join(dir).join("plugins"))
                .into_iter()
                .flatten()
                .filter_map(|entry| Some((entry.ok()?.path(), false)))
                .collect();
            plugins.sort();
            dirs.extend(plugins);
        }
        dirs.push((home.to_owned(), false));
    }
    let mut files: Vec<UserFile> = Vec::new();
    for (dir, needs_trust) in dirs {
        for name in FILE_NAMES {
            let path = dir.join(name);
            if path.exists() && !files.iter().any(|known| known.path == path) {
                files.push(UserFile { path, needs_trust });
            }
        }
    }
    files.reverse();
    files
}

impl Table {
    /// The built-in table with the person's own files merged over it, as far as those are trusted.
    pub fn load(context: &Context) -> (Self, Vec<Warning>) {
        let mut table = Self::builtin().clone();
        let warnings = merge_into(&mut table, context);
        (table, warnings)
    }
}

/// Merges all files that may be used into the table.
fn merge_into(table: &mut Table, context: &Context) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for file in found(context) {
        let path = file.path;
        let Some(seen) = look(context, &path, &mut warnings) else {
            continue;
        };
        if file.needs_trust && !seen.trusted {
            let commands = commands(&path, &seen.text);
            if !commands.is_empty() {
                warnings.push(Warning::Untrusted { path, commands });
            }
            continue;
        }
        let entries = match entries(&path, &seen.text) {
            Ok(entries) => entries,
            Err(why) => {
                warnings.push(Warning::Unreadable { path, why });
                continue;
            }
        };
        for (name, entry) in entries {
            let merged = serde_json::from_value::<Entry>(entry)
                .in_words()
                .and_then(|entry| entry.filled(context).over(&name, table, &path));
            match merged {
                Ok(adapter) => table.put(adapter),
                Err(why) => warnings.push(Warning::Entry {
                    path: path.clone(),
                    name,
                    why,
                }),
            }
        }
    }
    warnings
}

/// Reads a file that may name commands; one that cannot be read is told.
pub fn look(context: &Context, path: &Path, warnings: &mut Vec<Warning>) -> Option<FileState> {
    let seen = trust::look(context, path).map_err(|error| Warning::Unreadable {
        path: path.to_owned(),
        why: error.to_string(),
    });
    seen.map_err(|unreadable| warnings.push(unreadable)).ok()
}

/// What a file would run, for a person to judge; a file that cannot be read as adapters runs nothing. With adapters in it, its
/// debug configurations are shown as well: trust is in all of it.
pub fn commands(path: &Path, content: &str) -> Vec<CommandLine> {
    let mut commands = adapters(path, content);
    if !commands.is_empty() {
        commands.extend(configurations(content));
    }
    commands
}

fn configurations(content: &str) -> Vec<CommandLine> {
    let root = jsonc::parse(content).ok();
    let all = root.as_ref().and_then(|root| root.get("configurations"));
    let all = all.and_then(jsonc::Node::list).unwrap_or_default();
    all.iter()
        .map(|one| {
            let name = one.text_of("name").unwrap_or("a configuration");
            CommandLine::new(name, [one.value().to_string()])
        })
        .collect()
}

fn adapters(path: &Path, content: &str) -> Vec<CommandLine> {
    entries(path, content)
        .unwrap_or_default()
        .into_iter()
        .filter_map(|(name, entry)| {
            let entry: Entry = serde_json::from_value(entry).ok()?;
            // An entry without a command of its own can still change the arguments of a known program.
            let program = entry.command.unwrap_or_else(|| name.clone());
            Some(CommandLine {
                name,
                argv: iter::once(program)
                    .chain(entry.args.unwrap_or_default())
                    .collect(),
                env: entry.env.unwrap_or_default(),
            })
        })
        .collect()
}

/// The entries of a file: `{"adapters": {NAME: ...}}` or the inner map alone.
fn entries(path: &Path, content: &str) -> Result<Vec<(String, Value)>, String> {
    let is_json = path
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    let value: Value = if is_json {
        let root = jsonc::parse(content).in_words()?;
        root.value()
    } else {
        serde_yaml_ng::from_str(content).in_words()?
    };
    let Value::Object(mut map) = value else {
        return Err("it must be a map from adapter names to their descriptions".to_owned());
    };
    let inner = match map.remove("adapters") {
        Some(Value::Object(inner)) => inner,
        Some(other) => return Err(format!("\"adapters\" must be a map, it is {other}")),
        None => map,
    };
    Ok(inner
        .into_iter()
        .filter(|(name, _)| !name.starts_with('$') && !NO_ADAPTERS.contains(&name.as_str()))
        .collect())
}

/// One adapter as a file describes it. `personality` is ours; the other names are shared with omp.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    command: Option<String>,
    args: Option<Vec<String>>,
    env: Option<BTreeMap<String, String>>,
    title: Option<String>,
    languages: Option<Vec<String>>,
    file_types: Option<Vec<String>>,
    root_markers: Option<Vec<String>>,
    launch_defaults: Option<Map<String, Value>>,
    attach_defaults: Option<Map<String, Value>>,
    accepts_directory_program: Option<bool>,
    connect_mode: Option<String>,
    personality: Option<Map<String, Value>>,
}

impl Entry {
    /// With its placeholders filled in.
    fn filled(mut self, context: &Context) -> Self {
        let args = self.args.iter_mut().flatten();
        let values = self.env.iter_mut().flat_map(BTreeMap::values_mut);
        for text in self.command.iter_mut().chain(args).chain(values) {
            *text = filled(text, context);
        }
        self
    }

    /// The adapter of that name with this entry laid over it.
    fn over(self, name: &str, table: &Table, path: &Path) -> Result<Adapter, String> {
        let known = table
            .iter()
            .find(|adapter| adapter.name == name)
            .map(|adapter| Adapter::clone(adapter));
        if self
            .command
            .as_deref()
            .is_some_and(|command| command.trim().is_empty())
        {
            return Err("its \"command\" is empty; name the adapter's program".to_owned());
        }
        let mut adapter = match (known, &self.command) {
            (Some(known), _) => known,
            (None, Some(_)) => Adapter {
                name: name.to_owned(),
                title: name.to_owned(),
                assumes_args: true,
                ..Adapter::default()
            },
            (None, None) => {
                return Err("it has no \"command\"; name the adapter's program".to_owned());
            }
        };
        if let Some(command) = self.command {
            adapter.command = vec![Candidate {
                program: Program::Executable {
                    names: vec![command],
                    versions: None,
                    managed: Vec::new(),
                    well_known: Vec::new(),
                },
                args: self.args.unwrap_or_default(),
                accelerated_args: Vec::new(),
                servers: None,
                servers_by_default: false,
                connect: None,
                env: BTreeMap::new(),
                minimum_version: None,
                version_args: Vec::new(),
                version_file: None,
            }];
            adapter.connect = ConnectMode::Stdio;
            adapter.origin = Origin::File(path.to_owned());
        } else if let Some(args) = self.args {
            for candidate in &mut adapter.command {
                candidate.args.clone_from(&args);
                candidate.accelerated_args.clear();
            }
        }
        if let Some(env) = self.env {
            for candidate in &mut adapter.command {
                candidate.env.clone_from(&env);
            }
        }
        if let Some(mode) = self.connect_mode {
            let known = serde_json::from_value(mode.as_str().into()).ok();
            // Our own backend is no adapter's way to be reached.
            let known = known.filter(|known| *known != ConnectMode::LldbCommandLine);
            adapter.connect = known.ok_or_else(|| {
                format!(
                    "its \"connectMode\" is {mode:?}; it can be stdio, tcp, socket or connectBack"
                )
            })?;
        }
        replace(&mut adapter.title, self.title);
        replace(&mut adapter.languages, self.languages);
        replace(&mut adapter.root_markers, self.root_markers);
        replace(
            &mut adapter.accepts_directory_program,
            self.accepts_directory_program,
        );
        if let Some(types) = self.file_types {
            adapter.file_types = types.iter().map(|kind| extension(kind)).collect();
        }
        adapter
            .launch_defaults
            .extend(self.launch_defaults.unwrap_or_default());
        adapter
            .attach_defaults
            .extend(self.attach_defaults.unwrap_or_default());
        if let Some(skip) = adapter.attach_defaults.remove("skipAttachRequest") {
            adapter.personality.attach.skip_request = skip == Value::Bool(true);
        }
        if let Some(change) = self.personality {
            let says = change
                .get("launch")
                .and_then(|launch| launch.get("args_key"));
            adapter.assumes_args &= says.is_none();
            adapter.personality = adjusted(&adapter.personality, change)?;
        }
        Ok(adapter)
    }
}

fn replace<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}

/// Lower case with one dot in front.
fn extension(text: &str) -> String {
    format!(".{}", text.trim_start_matches('.').to_lowercase())
}

/// The personality with some of its fields changed, to any depth.
fn adjusted(old: &Personality, change: Map<String, Value>) -> Result<Personality, String> {
    fn lay_over(base: &mut Value, change: Value) {
        match (base, change) {
            (Value::Object(base), Value::Object(change)) => {
                for (key, value) in change {
                    lay_over(base.entry(key).or_insert(Value::Null), value);
                }
            }
            (base, change) => *base = change,
        }
    }
    let mut value = serde_json::to_value(old).in_words()?;
    lay_over(&mut value, Value::Object(change));
    serde_json::from_value(value).map_err(|error| format!("\"personality\": {error}"))
}
