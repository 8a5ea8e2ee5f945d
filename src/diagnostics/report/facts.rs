//! The small members that are made: what machine this is, which variables there are, what the session was set to.

use serde_json::{Map, json};

use super::walk;
use crate::{
    members::text,
    prelude::*,
    system::{Gaps, Locale, machine},
};

/// How much of a session's end is searched for its settings.
const TAIL: u64 = 4 * 1024 * 1024;

/// The members that omp writes, and ours.
pub fn machine(variables: &BTreeMap<String, String>, cwd: &Path) -> Value {
    let mut gaps = Gaps::new(Path::new("/"));
    let (cpu, memory) = machine::cpu_and_memory(&mut gaps);
    let variable = |name: &str| variables.get(name).filter(|value| !value.is_empty());
    let mut facts = json!({
        "os": machine::os(&mut gaps),
        "osVersion": machine::os_name(&mut gaps),
        "arch": std::env::consts::ARCH,
        "cpu": cpu,
        "cpus": machine::cpus(&mut gaps),
        "memory": {
            "total": memory.map(|memory| memory.total),
            "free": memory.map(|memory| memory.available),
        },
        "versions": {"omp-debug": env!("CARGO_PKG_VERSION")},
        "cwd": cwd.to_string_lossy(),
        "shell": variable("SHELL").map_or("unknown", String::as_str),
        "uptime": machine::uptime(&mut gaps),
        "locale": Locale::of(variables, &mut gaps).language,
    });
    let terminal = variable("TERM_PROGRAM").or_else(|| variable("TERM"));
    let terminal = terminal.map(|name| ("terminal", json!(name)));
    let load =
        machine::load(&mut gaps).map(|load| ("load", json!([load.one, load.five, load.fifteen])));
    if let Value::Object(facts) = &mut facts {
        let known = terminal.into_iter().chain(load);
        facts.extend(known.map(|(name, value)| (name.to_owned(), value)));
    }
    facts
}

/// `env.json`: every variable, its value without secrets.
pub fn variables(variables: &BTreeMap<String, String>, redactor: Option<&Redactor>) -> Vec<u8> {
    let members: Map<String, Value> = variables
        .iter()
        .map(|(name, value)| {
            let value = match redactor {
                Some(redactor) => redactor.redact_env(name, value).into_owned(),
                None => value.clone(),
            };
            (name.clone(), Value::String(value))
        })
        .collect();
    pretty(&Value::Object(members))
}

/// `config.json`: what the session was set to at last; what its end does not say is absent.
pub fn session_settings(session: Option<&Path>) -> Value {
    let mut settings = Map::new();
    let Some(path) = session else {
        return Value::Object(settings);
    };
    for line in tail_lines(path) {
        let Ok(entry) = serde_json::from_str::<Value>(&line) else {
            continue;
        };
        let name = match text(&entry, "type") {
            Some("model_change") => "model",
            Some("thinking_level_change") => "thinkingLevel",
            Some("mode_change") => "mode",
            Some("service_tier_change") => "serviceTier",
            _ => continue,
        };
        if let Some(value) = entry.get(name) {
            if name == "mode" {
                settings.insert("planModeEnabled".to_owned(), json!(value == "plan"));
            }
            settings.insert(name.to_owned(), value.clone());
        }
    }
    Value::Object(settings)
}

/// The lines of a session's end that change a setting.
fn tail_lines(path: &Path) -> Vec<String> {
    let (bytes, _) = walk::tail(path, TAIL).unwrap_or_default();
    String::from_utf8_lossy(&bytes)
        .lines()
        .filter(|line| line.len() < 64 * 1024 && line.contains("_change\""))
        .map(str::to_owned)
        .collect()
}

/// JSON as a person reads it, with an end of line.
pub fn pretty(value: &impl Serialize) -> Vec<u8> {
    let mut text = serde_json::to_vec_pretty(value).unwrap_or_default();
    text.push(b'\n');
    text
}
