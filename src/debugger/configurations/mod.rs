//! Debug configurations of a project: `.vscode/launch.json` with its tasks, and what a `dap.json` says of the same.
//!
//! | file | what is in it |
//! |---|---|
//! | `files` | which files there are, and what is in them |
//! | `nodes` | values in them: for this system, as texts |
//! | `variables` | `${…}` |
//! | `types` | what the `type` of a configuration means |
//! | `build`, `environment` | from a configuration to a launch or an attach |
//! | `tasks` | what is run before and after |
//! | `inputs` | values that a person has to give |
//! | `error` | why something cannot be started |
//!
//! Such a file came with a project and names programs, so nothing of it is started before a person has trusted its content
//! ([`super::adapters::trust`]). Asking is the front ends' business, starting the core's: what comes out here are its commands.
//! The format is VS Code's, version 0.2.0 of `launch.json` and 2.0.0 of `tasks.json`.

mod build;
mod environment;
mod error;
mod files;
mod inputs;
mod nodes;
mod tasks;
#[cfg(test)]
mod tests;
mod types;
mod variables;

use std::cell::{OnceCell, RefCell};

use self::{build::Built, files::Files, variables::Variables};
use super::adapters::trust::{self, CommandLine, Untrusted};
use crate::prelude::*;

pub use inputs::{Input, InputKind};

/// One configuration, or several that are started together, as a list shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    pub name: String,
    /// `launch python`, `attach go`, or the names of those that are started together.
    pub what: String,
    /// Where it stands.
    pub file: PathBuf,
    /// From 1.
    pub line: usize,
}

/// What is to be started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConfigurationQuery {
    /// Name of the configuration; none = the only one there is.
    pub name: Option<String>,
    /// The file at hand, for `${file}`.
    pub file: Option<PathBuf>,
    /// Its line, from 1.
    pub line: Option<i64>,
    /// Values that were given, by id.
    pub inputs: BTreeMap<String, String>,
    /// The adapter to use, whatever the configuration's type is.
    pub adapter: Option<String>,
}

/// What a configuration came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Prepared {
    /// It can be started.
    Ready(Ready),
    /// A person has to trust these files first; they are shown with what would be started.
    Untrusted(Vec<Untrusted>),
    /// A person has to give these values first.
    Inputs(Vec<Input>),
}

/// What is to be started, as commands for the core.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ready {
    /// The configuration's name.
    pub name: String,
    /// One command for each session.
    pub commands: Vec<Command>,
}

/// All configurations of the project's folder.
pub fn list(context: &Context) -> Result<Vec<Listed>> {
    let files = Files::read(context)?;
    Ok(files
        .entries()
        .filter(|entry| !entry.hidden)
        .map(|entry| Listed {
            name: entry.name.to_owned(),
            what: entry.what(),
            file: entry.file.to_owned(),
            line: entry.node.line,
        })
        .collect())
}

/// Finds out what is to be started, without starting anything.
pub fn prepare(context: &Context, asked: &ConfigurationQuery) -> Result<Prepared> {
    let files = Files::read(context)?;
    let entry = files.find(asked.name.as_deref(), &context.cwd)?;
    let file = asked.file.as_ref().map(|file| context.absolute(file));
    let variables = Variables {
        context,
        folder: &context.cwd,
        file: file.as_deref(),
        line: asked.line,
        inputs: &asked.inputs,
        wanted: RefCell::default(),
        settings: OnceCell::new(),
    };
    inputs::check_known(&files, &asked.inputs)?;
    let built = build::build(&files, &entry, &variables, asked.adapter.as_deref())?;
    let untrusted = untrusted(&files, entry.file, &built);
    if !untrusted.is_empty() {
        return Ok(Prepared::Untrusted(untrusted));
    }
    let wanted = variables.wanted.into_inner();
    if wanted.is_empty() {
        return Ok(Prepared::Ready(Ready {
            name: entry.name.to_owned(),
            commands: built.commands,
        }));
    }
    let wanted = wanted
        .iter()
        .map(|(id, (file, line))| inputs::find(&files, id, file, *line));
    let mut wanted = wanted.collect::<Result<Vec<_>, _>>()?;
    // In the order of the files: what belongs together stands together there.
    wanted.sort_by_key(|input| inputs::position(&files, &input.id));
    Ok(Prepared::Inputs(wanted))
}

/// For those who cannot be asked: what is not trusted is refused unless they say `trust`, and values that were not given are
/// those of the file.
pub fn prepare_unasked(
    context: &Context,
    asked: &ConfigurationQuery,
    trust: bool,
) -> Result<Ready> {
    let mut asked = asked.clone();
    loop {
        match prepare(context, &asked)? {
            Prepared::Ready(ready) => return Ok(ready),
            Prepared::Untrusted(files) if trust => {
                for file in &files {
                    trust::grant(context, file)?;
                }
            }
            Prepared::Untrusted(files) => return Err(denied(&files)),
            Prepared::Inputs(inputs) => {
                let mut missing = Vec::new();
                for input in inputs {
                    match input.default {
                        Some(value) => {
                            asked.inputs.insert(input.id, value);
                        }
                        None => missing.push(input),
                    }
                }
                if !missing.is_empty() {
                    return Err(inputs::missing(&missing));
                }
            }
        }
    }
}

/// Says what files would start that nobody trusted.
pub fn denied(files: &[Untrusted]) -> DebuggerError {
    let mut lines = Vec::new();
    for file in files {
        lines.push(format!(
            "{} would start programs, and nobody has trusted this content of it yet:",
            file.path.display()
        ));
        for command in &file.commands {
            let argv = words::join(&command.argv);
            lines.push(format!("  {}: {argv}", command.name));
            let env = command.env.iter();
            let env = words::join(env.map(|(name, value)| format!("{name}={value}")));
            if !env.is_empty() {
                lines.push(format!("    env: {env}"));
            }
        }
    }
    lines.push("If that is what you want, say --trust".to_owned());
    DebuggerError::new(ErrorKind::Denied, lines.join("\n"))
}

/// Files that were used and that nobody trusted, each with what it would start.
fn untrusted(files: &Files, configuration: &Path, built: &Built) -> Vec<Untrusted> {
    let mut found = Vec::new();
    let mut put = |file: &Path, commands: &[CommandLine]| {
        let seen = files.seen(file).filter(|seen| !seen.trusted);
        found.extend(seen.map(|seen| Untrusted {
            path: seen.path.clone(),
            sha256: seen.sha256.clone(),
            commands: commands.to_vec(),
        }));
    };
    put(configuration, &built.starts);
    if !built.runs.is_empty() {
        put(&files.tasks.file, &built.runs);
    }
    found
}
