//! `--config NAME`: a debug configuration of the project, instead of a program.

use std::collections::BTreeMap;

use super::{
    cli::{Cli, Subcommands},
    prelude::*,
};
use crate::{
    debugger::configurations::{ConfigurationQuery, Ready},
    headless::run::config_file::SessionFile,
};

impl Cli {
    /// The configuration that `--config` names: what is no file of settings, and no session of `run`.
    pub fn configuration(&self) -> Result<Option<ConfigurationQuery>> {
        let (file, launch) = match &self.command {
            None => (&self.program, &self.launch),
            Some(Subcommands::Run(run)) => (&run.program, &run.launch),
            Some(Subcommands::Repl(repl)) => (&repl.program, &repl.launch),
            Some(_) => return Ok(None),
        };
        let named = self.global.config.as_deref();
        let Some(name) = named.filter(|named| !is_settings(named)) else {
            return match launch.input.first() {
                Some(_) => Err(Failure::usage(
                    "--input belongs to a debug configuration: write --config NAME --input …",
                )),
                None => Ok(None),
            };
        };
        // The file of all configurations stands for the only one in it.
        let only = name.file_name().is_some_and(|name| name == "launch.json");
        Ok(Some(ConfigurationQuery {
            name: (!only).then(|| name.to_string_lossy().into_owned()),
            file: file.clone(),
            line: None,
            inputs: inputs(&launch.input)?,
            adapter: self.global.adapter.clone(),
        }))
    }
}

/// Whether this is a file of another kind, there or not.
fn is_settings(path: &Path) -> bool {
    let is = |kind: &str| {
        path.extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case(kind))
    };
    match path.file_name() {
        Some(name) if name == "launch.json" => false,
        _ => is("toml") || is("json") || path.is_file(),
    }
}

fn inputs(given: &[String]) -> Result<BTreeMap<String, String>> {
    given
        .iter()
        .map(|text| match text.split_once('=') {
            Some((id, value)) if !id.is_empty() => Ok((id.to_owned(), value.to_owned())),
            _ => Err(Failure::usage(format!(
                "--input {text:?} gives no value: write ID=VALUE"
            ))),
        })
        .collect()
}

/// The sessions of a configuration: the first is the one that is followed, others are beside it.
pub fn sessions(ready: Ready) -> Result<SessionFile> {
    let Ready { name, commands } = ready;
    if commands.is_empty() {
        return Err(Failure::usage(format!("{name:?} starts no session")));
    }
    Ok(SessionFile {
        starts: commands,
        ..SessionFile::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser as _;

    fn asked(words: &[&str]) -> Result<Option<ConfigurationQuery>> {
        Cli::parse_from(std::iter::once(&"omp-debug").chain(words)).configuration()
    }

    #[test]
    fn a_name_is_a_configuration_and_a_file_is_not() {
        let one = asked(&[
            "run",
            "--config",
            "Python: app",
            "app.py",
            "--input",
            "a=b=c",
        ]);
        let one = one.unwrap().unwrap();
        assert_eq!(one.name.as_deref(), Some("Python: app"));
        assert_eq!(one.file.as_deref(), Some(Path::new("app.py")));
        assert_eq!(one.inputs.get("a").map(String::as_str), Some("b=c"));
        let only = asked(&["--config", ".vscode/launch.json"])
            .unwrap()
            .unwrap();
        assert_eq!(only.name, None);
        assert_eq!(asked(&["run", "--config", "x.json"]), Ok(None));
        assert_eq!(asked(&["repl", "--config", "x.toml"]), Ok(None));
        assert_eq!(asked(&["logs", "--config", "name"]), Ok(None));
    }

    #[test]
    fn values_belong_to_configurations() {
        let wrong = asked(&["run", "a.py", "--input", "a=b"]).unwrap_err();
        assert!(wrong.text.contains("--config NAME"), "{wrong:?}");
        let wrong = asked(&["--config", "x", "--input", "a"]).unwrap_err();
        assert!(wrong.text.contains("ID=VALUE"), "{wrong:?}");
    }
}
