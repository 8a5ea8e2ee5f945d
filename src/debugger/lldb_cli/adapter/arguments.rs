//! What the core says with its requests, and the helper with its answers, as types.

use serde::de::DeserializeOwned;

use crate::prelude::*;

/// How the session begins.
#[derive(Clone, Debug)]
pub enum Start {
    /// Not yet.
    None,
    Launch(Launch),
    Attach(Attach),
}

/// What comes before all else, of `launch` and of `attach`.
#[derive(Deserialize)]
pub struct Init {
    #[serde(rename = "initCommands", default)]
    pub commands: Vec<String>,
}

/// Arguments of `launch`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Launch {
    pub program: String,
    #[serde(default)]
    pub args: Vec<String>,
    pub cwd: Option<String>,
    /// Null removes a variable.
    #[serde(default)]
    pub env: BTreeMap<String, Option<String>>,
    pub stdin: Option<String>,
    #[serde(default)]
    pub stop_on_entry: bool,
}

/// Arguments of `attach`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Attach {
    pub pid: Option<u32>,
    /// Symbols from here; with `waitFor` what to wait for.
    pub program: Option<String>,
    /// Wait until a program of this name is started.
    pub wait_for: bool,
    pub core_file: Option<String>,
    /// Commands that connect to the program.
    #[serde(rename = "attachCommands")]
    pub commands: Vec<String>,
    pub stop_on_entry: bool,
}

pub fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// A number that the helper told.
pub fn integer(told: &Value, name: &str) -> i64 {
    told.integer_of(name).unwrap_or_default()
}

/// Arguments as a type; what is odd about them is quoted.
pub fn arguments<T: DeserializeOwned>(arguments: &Value) -> Result<T, String> {
    T::deserialize(arguments)
        .map_err(|error| format!("the arguments {arguments} cannot be meant: {error}"))
}
