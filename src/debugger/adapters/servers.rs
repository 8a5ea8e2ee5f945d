//! Programs whose own debug server connects to us: with which command line one is started, as the adapter table tells it.
//!
//! Only a launch that this can do as the adapter does is taken; for any other the adapter is started. Listening, and what
//! is said on such a connection, are left to `debugger::servers`.

use super::{python, resolve::Resolved};
use crate::prelude::*;

/// What stands for the directory of the module in [`Servers::words`].
const MODULE: &str = "${module}";
/// What stands for our address in [`Servers::words`].
pub const ADDRESS: &str = "${address}";
/// What stands for the secret that a server has to know in [`Secret::value`].
pub const TOKEN: &str = "${token}";
/// What stands for a process id in [`Child::name`].
pub const PID: &str = "${pid}";

/// How the debug server in a program is made to connect to us, and what is said to it before anything else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Servers {
    /// The Python module that brings the server.
    pub module: String,
    /// What stands between the interpreter and the program.
    pub words: Vec<String>,
    /// The launch argument that names the interpreter, and where arguments for it are.
    pub interpreter_keys: [String; 2],
    /// Launch arguments that say what is run; exactly one of them is there.
    pub targets: Vec<Words>,
    /// Launch arguments that, with this value, add words before the program.
    #[serde(default)]
    pub switches: Vec<Words>,
    /// The launch argument with the program's arguments.
    pub args_key: String,
    /// The launch argument with its directory.
    pub cwd_key: String,
    /// The launch argument with its variables.
    pub env_key: String,
    /// Variables that it gets in any case.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Launch arguments that have to have these values.
    #[serde(default)]
    pub only_with: Map<String, Value>,
    /// With any of these launch arguments having this value, the adapter is needed.
    #[serde(default)]
    pub not_with: Map<String, Value>,
    /// With any of these launch arguments being there and saying something, the adapter is needed.
    #[serde(default)]
    pub adapter_keys: Vec<String>,
    /// The same for programs that are started in a terminal of ours; without it that is the adapter's.
    #[serde(default)]
    pub in_terminal: Option<InTerminal>,
    /// What is added to the launch arguments that the server gets.
    #[serde(default)]
    pub launch_extra: Map<String, Value>,
    /// Launch arguments that make `terminate` the server's business, with these values.
    #[serde(default)]
    pub terminates_itself: Map<String, Value>,
    /// The request that tells a server's process, in its names from the newest to the oldest.
    pub identify: Vec<String>,
    /// Requests of the adapter's own that a server knows by another name.
    #[serde(default)]
    pub renamed: BTreeMap<String, String>,
    /// Requests of which a server is sent one only while it has not answered the one before, for a while.
    #[serde(default)]
    pub one_at_a_time: Vec<String>,
    /// Where a server finds what proves that it is one of ours.
    pub secret: Secret,
    /// How a server proves that it is one of ours.
    pub authorize: Authorize,
    /// How a child is announced.
    pub child: Child,
    /// The event field that says that a process replaces itself, and its value.
    pub replaced: [String; 2],
    /// What stands in the answer to `initialize` instead of the server's own words.
    #[serde(default)]
    pub capabilities: Map<String, Value>,
}

/// What is different for a program in a terminal. Variables of its own it gets none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InTerminal {
    /// Instead of [`Servers::only_with`].
    pub only_with: Map<String, Value>,
    /// Instead of [`Servers::not_with`].
    #[serde(default)]
    pub not_with: Map<String, Value>,
    /// Instead of [`Servers::launch_extra`].
    #[serde(default)]
    pub launch_extra: Map<String, Value>,
}

/// Words of a command line that a launch argument calls for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Words {
    /// The launch argument.
    pub key: String,
    /// Its value, where only one counts.
    #[serde(default)]
    pub value: Option<Value>,
    /// The words.
    #[serde(default)]
    pub words: Vec<String>,
}

/// A variable with a secret in it: a command line is read by every user of the machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Secret {
    /// The variable.
    pub env: String,
    /// Its value, with [`TOKEN`] in it.
    pub value: String,
    /// The file of the module that reads it. Where it does not, the module is too old for this.
    pub reader: String,
}

/// The request by which both sides show each other their secrets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Authorize {
    pub request: String,
    /// The argument with what a server expects of us. Those that we start expect nothing: they dial us.
    pub ours: String,
    /// Where the answer has what we gave it.
    pub theirs: String,
}

/// How the attach of a child is made of its parent's start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Child {
    /// Arguments that are the parent's alone.
    pub without: Vec<String>,
    /// The argument with the child's process id.
    pub pid_key: String,
    /// Its name; `${pid}` is its process id.
    pub name: String,
}

/// A program with a server in it, ready to be started.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerLaunch {
    /// The command line up to the program; it may hold [`ADDRESS`].
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
            before.push(own.to_string_lossy().into_owned());
        }
        before.extend(texts(arguments.get(its_arguments))?);
        let module = python::module_directory(&own, &servers.module, &self.context)?;
        let reader = std::fs::read_to_string(module.join(&servers.secret.reader)).ok()?;
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
