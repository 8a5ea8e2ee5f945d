//! What the core says with its requests, and the helper with its answers, as types.

use serde::de::DeserializeOwned;

use crate::prelude::*;

/// How the session begins.
#[derive(Clone, Debug)]
pub(super) enum Start {
    /// Not yet.
    None,
    Launch(Launch),
    Attach(Attach),
}

/// What comes before all else, of `launch` and of `attach`.
#[derive(Deserialize)]
pub(super) struct Init {
    #[serde(rename = "initCommands", default)]
    pub(super) commands: Vec<String>,
}

/// Arguments of `launch`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Launch {
    pub(super) program: String,
    #[serde(default)]
    pub(super) args: Vec<String>,
    pub(super) cwd: Option<String>,
    /// Null removes a variable.
    #[serde(default)]
    pub(super) env: BTreeMap<String, Option<String>>,
    pub(super) stdin: Option<String>,
    #[serde(default)]
    pub(super) stop_on_entry: bool,
}

/// Arguments of `attach`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Attach {
    pub(super) pid: Option<u32>,
    /// Symbols from here; with `waitFor` what to wait for.
    pub(super) program: Option<String>,
    /// Wait until a program of this name is started.
    pub(super) wait_for: bool,
    pub(super) core_file: Option<String>,
    /// Commands that connect to the program.
    #[serde(rename = "attachCommands")]
    pub(super) commands: Vec<String>,
    pub(super) stop_on_entry: bool,
}

pub(super) fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// A number that the helper told.
pub(super) fn integer(told: &Value, name: &str) -> i64 {
    told.integer_of(name).unwrap_or_default()
}

/// Arguments as a type; what is odd about them is quoted.
pub(super) fn arguments<T: DeserializeOwned>(arguments: &Value) -> Result<T, String> {
    T::deserialize(arguments)
        .map_err(|error| format!("the arguments {arguments} cannot be meant: {error}"))
}
