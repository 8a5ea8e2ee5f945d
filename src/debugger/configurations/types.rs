//! The types of debug configurations, read from `assets/launch_types.toml`: which adapter each means, and which of its keys mean
//! something to us.

use std::{collections::BTreeMap, sync::LazyLock};

use serde::Deserialize;

const BUILTIN: &str = include_str!("../../../assets/launch_types.toml");

/// One `type` of a configuration.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LaunchType {
    /// What it is called in files.
    pub names: Vec<String>,
    /// Adapters that can do what it asks for, the best first.
    pub adapters: Vec<String>,
    /// A key that says which of them.
    pub choose: Option<Choose>,
    /// Keys with another name for us.
    pub rename: BTreeMap<String, String>,
    /// Variables of the program's environment.
    pub env_key: Option<String>,
    /// Whether to stop at the program's beginning.
    pub stop_key: Option<String>,
    /// Where the program's terminal is.
    pub console_key: Option<String>,
    /// Whether that is a window of its own.
    pub external_key: Option<String>,
    /// A core dump, which is opened in place of starting the program.
    pub core_key: Option<String>,
    /// `HOST:PORT` of the debug server that runs the program, which is attached to in place of starting one.
    pub server_key: Option<String>,
    /// Arguments in one text.
    pub split_args_key: Option<String>,
    /// Without a folder in the file, the program runs in its own.
    pub cwd_of_program: bool,
    /// A value that leaves the choice to us.
    pub unless: Option<Unless>,
    /// Keys that are for the editor, or for an adapter that we do not start.
    pub drop: Vec<String>,
    /// Keys that we cannot do, and what to do instead.
    pub refuse: BTreeMap<String, String>,
}

/// See [`LaunchType::choose`].
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choose {
    pub key: String,
    pub of: BTreeMap<String, Vec<String>>,
}

/// `key` with `value` is not said, except that of a program with this `suffix` it `means` another value.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unless {
    pub key: String,
    pub value: String,
    pub suffix: String,
    pub means: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    launch_type: Vec<LaunchType>,
}

fn read(text: &str) -> Result<Vec<LaunchType>, toml::de::Error> {
    toml::from_str::<Document>(text).map(|document| document.launch_type)
}

fn all() -> &'static [LaunchType] {
    static TYPES: LazyLock<Vec<LaunchType>> = LazyLock::new(|| {
        read(BUILTIN).unwrap_or_else(|error| {
            // A test reads the file, so a build that passed cannot get here.
            tracing::error!(%error, "the table of launch types");
            Vec::new()
        })
    });
    &TYPES
}

/// The type of this name.
pub fn find(name: &str) -> Option<&'static LaunchType> {
    all()
        .iter()
        .find(|known| known.names.iter().any(|other| other == name))
}

/// Every name there is.
pub fn names() -> impl Iterator<Item = &'static str> {
    all()
        .iter()
        .flat_map(|known| known.names.iter().map(String::as_str))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapters::Table;

    #[test]
    fn every_type_names_adapters_that_there_are() {
        let types = read(BUILTIN).unwrap();
        assert!(types.len() >= 8);
        let chosen = types.iter().flat_map(|one| {
            let choices = one.choose.iter().flat_map(|choose| choose.of.values());
            choices.flatten().chain(&one.adapters)
        });
        for adapter in chosen {
            assert!(Table::builtin().get(adapter).is_ok(), "{adapter}");
        }
        let mut all: Vec<_> = names().collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), names().count(), "each name once");
    }
}
