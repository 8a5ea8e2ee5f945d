//! With which command line a program is started whose own debug server connects to us.
//!
//! Only a launch that this can do as the adapter does is taken; for any other the adapter is started.

use super::{
    python,
    servers::{Servers, Words},
};
use crate::prelude::*;

/// What stands for the directory of the module in [`Servers::words`].
const MODULE: &str = "${module}";

/// A program with a server in it, ready to be started.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerLaunch {
    /// The command line up to the program; it may hold [`ADDRESS`](super::ADDRESS).
    pub before: Vec<String>,
    /// The program and its arguments.
    pub program: Vec<String>,
    /// Where it runs.
    pub cwd: Option<PathBuf>,
    /// Changes to the inherited environment; `None` removes a variable.
    pub env: Vec<(String, Option<String>)>,
    /// It is started in a terminal of ours.
    pub in_terminal: bool,
    /// The whole description.
    pub servers: Servers,
}

impl Resolved {
    /// How a launch with these arguments is started without an adapter; none where it needs one.
    pub fn without_adapter(&self, arguments: &Value) -> Option<ServerLaunch> {
        let mut servers = self.servers.as_ref()?.as_ref().clone();
        let arguments = arguments.as_object()?;
        let terminal = servers.in_terminal.take();
        let terminal = terminal.filter(|t| has_all(&t.only_with, arguments));
        let in_terminal = terminal.is_some();
        if let Some(terminal) = terminal {
            servers = Servers {
                only_with: terminal.only_with,
                not_with: terminal.not_with,
                launch_extra: terminal.launch_extra,
                env: BTreeMap::new(),
                ..servers
            };
        }
        if !servers.can_do(arguments) {
            return None;
        }
        let own = PathBuf::from(self.argv.first()?);
        let [interpreter, its_arguments] = &servers.interpreter_keys;
        let mut before = match arguments.get(interpreter) {
            Some(Value::String(one)) => vec![one.clone()],
            several => texts(several)?,
        };
        if before.is_empty() {
            before.push(own.lossy());
        }
        before.extend(texts(arguments.get(its_arguments))?);
        let module = python::module_directory(&own, &servers.module, &self.context)?;
        let reader = fs::read_to_string(module.join(&servers.secret.reader)).ok()?;
        if !reader.contains(&servers.secret.env) {
            return None;
        }
        let module = module.to_str()?;
        before.extend(servers.words.iter().map(|w| w.replace(MODULE, module)));
        for switch in &servers.switches {
            if arguments.get(&switch.key) == switch.value.as_ref() {
                before.extend(switch.words.iter().cloned());
            }
        }
        let mut program = servers.target(arguments)?;
        program.extend(texts(arguments.get(&servers.args_key))?);
        let env = match arguments.get(&servers.env_key) {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Object(env)) => env
                .iter()
                .map(|(name, value)| match value {
                    Value::String(value) => Some((name.clone(), Some(value.clone()))),
                    Value::Null => Some((name.clone(), None)),
                    _ => None,
                })
                .collect::<Option<_>>()?,
            Some(_) => return None,
        };
        let forced = servers.env.iter();
        let forced = forced.map(|(name, value)| (name.clone(), Some(value.clone())));
        let cwd = arguments.get(&servers.cwd_key).and_then(Value::as_str);
        Some(ServerLaunch {
            before,
            program,
            cwd: cwd.map(PathBuf::from),
            env: env.into_iter().chain(forced).collect(),
            in_terminal,
            servers,
        })
    }
}

impl Servers {
    fn can_do(&self, arguments: &Map<String, Value>) -> bool {
        let says = |key: &String| match arguments.get(key) {
            None | Some(Value::Null | Value::Bool(false)) => false,
            Some(Value::String(text)) => !text.is_empty(),
            Some(Value::Array(list)) => !list.is_empty(),
            Some(_) => true,
        };
        let has = |(key, value): (&String, &Value)| arguments.get(key) == Some(value);
        has_all(&self.only_with, arguments)
            && !self.not_with.iter().any(has)
            && !self.adapter_keys.iter().any(says)
    }

    fn target(&self, arguments: &Map<String, Value>) -> Option<Vec<String>> {
        let is_there = |words: &&Words| arguments.get(&words.key).is_some_and(|v| !v.is_null());
        let mut targets = self.targets.iter().filter(is_there);
        let (target, None) = (targets.next()?, targets.next()) else {
            return None;
        };
        let lines = match arguments.get(&target.key)? {
            Value::String(text) => text.clone(),
            lines => texts(Some(lines))?.join("\n"),
        };
        let words = target.words.iter().cloned();
        Some(words.chain([lines]).collect())
    }
}

fn has_all(wanted: &Map<String, Value>, arguments: &Map<String, Value>) -> bool {
    let mut wanted = wanted.iter();
    wanted.all(|(key, value)| arguments.get(key) == Some(value))
}

/// A list of texts, or no list at all; none where it is something else (a shell's command line among them).
fn texts(value: Option<&Value>) -> Option<Vec<String>> {
    match value {
        None | Some(Value::Null) => Some(Vec::new()),
        Some(Value::Array(list)) => list
            .iter()
            .map(|text| text.as_str().map(str::to_owned))
            .collect(),
        Some(_) => None,
    }
}
