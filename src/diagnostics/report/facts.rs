//! The small members that are made: what machine this is, which variables there are, what the session was set to.

use serde_json::{Map, json};
use sysinfo::{CpuRefreshKind, MemoryRefreshKind, RefreshKind, System};

use super::walk;
use crate::prelude::*;

/// How much of a session's end is searched for its settings.
const TAIL: u64 = 4 * 1024 * 1024;

/// What `system.json` says, and from whom.
pub struct MachineFacts;

impl MachineFacts {
    /// The members that omp writes, in its order, then ours.
    pub fn json(variables: &BTreeMap<String, String>, cwd: &Path) -> Value {
        let variable = |name: &str| variables.get(name).filter(|value| !value.is_empty());
        let system = System::new_with_specifics(
            RefreshKind::nothing()
                .with_memory(MemoryRefreshKind::nothing().with_ram())
                .with_cpu(CpuRefreshKind::nothing()),
        )
        .ok();
        let cpus = system.as_ref().map_or(&[][..], System::cpus);
        let cpu = cpus.first().map(|cpu| cpu.brand().trim());
        let cpu = cpu.filter(|brand| !brand.is_empty());
        let memory = system.as_ref();
        let mut facts = Map::new();
        let os = format!(
            "{} {} ({})",
            System::name().as_deref().unwrap_or("unknown"),
            System::kernel_version().unwrap_or_default(),
            std::env::consts::OS,
        );
        facts.insert("os".to_owned(), json!(os));
        let version = System::long_os_version().ok();
        facts.insert("osVersion".to_owned(), json!(version));
        facts.insert("arch".to_owned(), json!(std::env::consts::ARCH));
        facts.insert("cpu".to_owned(), json!(cpu.unwrap_or("Unknown CPU")));
        facts.insert("cpus".to_owned(), json!(cpus.len()));
        facts.insert(
            "memory".to_owned(),
            json!({
                "total": memory.map(System::total_memory),
                "free": memory.map(System::available_memory),
            }),
        );
        facts.insert(
            "versions".to_owned(),
            json!({"omp-debug": env!("CARGO_PKG_VERSION")}),
        );
        facts.insert("cwd".to_owned(), json!(cwd.to_string_lossy()));
        let shell = variable("SHELL").map_or("unknown", String::as_str);
        facts.insert("shell".to_owned(), json!(shell));
        if let Some(terminal) = variable("TERM_PROGRAM").or_else(|| variable("TERM")) {
            facts.insert("terminal".to_owned(), json!(terminal));
        }
        if let Ok(load) = System::load_average() {
            let load = json!([load.one, load.five, load.fifteen]);
            facts.insert("load".to_owned(), load);
        }
        facts.insert("uptime".to_owned(), json!(System::uptime().ok()));
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"];
        let locale = locale.iter().find_map(|name| variable(name));
        facts.insert("locale".to_owned(), json!(locale));
        Value::Object(facts)
    }
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
        let (name, member) = match entry.get("type").and_then(Value::as_str) {
            Some("model_change") => ("model", "model"),
            Some("thinking_level_change") => ("thinkingLevel", "thinkingLevel"),
            Some("mode_change") => ("mode", "mode"),
            Some("service_tier_change") => ("serviceTier", "serviceTier"),
            _ => continue,
        };
        if let Some(value) = entry.get(member) {
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
    let read = || -> io::Result<Vec<u8>> {
        let mut file = walk::open_file(path)?;
        let size = file.metadata()?.len();
        file.seek(SeekFrom::Start(size.saturating_sub(TAIL)))?;
        let mut bytes = Vec::new();
        file.take(TAIL).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let bytes = read().unwrap_or_default();
    String::from_utf8_lossy(&bytes)
        .lines()
        .filter(|line| line.len() < 64 * 1024 && line.contains("_change\""))
        .map(str::to_owned)
        .collect()
}

/// JSON as a person reads it, with an end of line.
pub fn pretty(value: &Value) -> Vec<u8> {
    let mut text = serde_json::to_vec_pretty(value).unwrap_or_default();
    text.push(b'\n');
    text
}
