//! Spelling a launch or an attach the way an adapter wants it.
//!
//! Order of rank, the lowest first: the adapter's defaults, what the request says, the free `extra` arguments.

use std::str::FromStr;

use base::surroundings;

use super::{
    elf::START,
    probe,
    program::{self, ProgramFacts},
    python,
    resolve::resolve,
    shape::{EnvStyle, MappingStyle, ModeRules, PortStyle, StartRequest, StdinStyle},
};
use crate::{command::Console, prelude::*};

/// A launch, as a person means it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LaunchRequest {
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// Where it runs.
    pub cwd: PathBuf,
    /// Variables over the inherited ones; no value unsets one, where the adapter can say so.
    pub env: BTreeMap<String, Option<String>>,
    /// Stop at the adapter's entry. Where the personality has an `entry_function` or `entry_line`, a temporary
    /// breakpoint does that job and this says nothing to the adapter.
    pub stop_on_entry: bool,
    /// Where its terminal is.
    pub console: Console,
    /// A file to read stdin from.
    pub stdin: Option<PathBuf>,
    /// Hide library code; absent keeps the adapter's default.
    pub just_my_code: Option<bool>,
    /// Paths here and on the debuggee's machine.
    pub path_mappings: Vec<PathMapping>,
    /// Arguments in the adapter's own words; they win over everything.
    pub extra: Map<String, Value>,
}

/// One directory on both machines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathMapping {
    pub local: String,
    /// Where the debuggee runs.
    pub remote: String,
}

impl FromStr for PathMapping {
    type Err = String;

    /// `LOCAL=REMOTE`, as a person writes it.
    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            Some((local, remote)) if !local.is_empty() && !remote.is_empty() => Ok(Self {
                local: local.to_owned(),
                remote: remote.to_owned(),
            }),
            _ => Err(format!(
                "{text:?} is no pair of folders: write LOCAL=REMOTE, where the sources are here and where the program has them"
            )),
        }
    }
}

/// What to say where folders were mapped and the adapter has no word for that.
pub fn unmapped(
    adapter: &Adapter,
    key: Option<&String>,
    mappings: &[PathMapping],
) -> Option<String> {
    (key.is_none() && !mappings.is_empty()).then(|| {
        format!(
            "{} cannot be told that folders lie elsewhere; its sources are looked for where it says they are",
            adapter.title
        )
    })
}

/// The request that an attach is sent by; nothing when the adapter is attached already.
pub fn attach_command(resolved: &Resolved, request: &AttachSpec) -> Option<StartRequest> {
    let shape = &resolved.adapter.personality.attach;
    if shape.skip_request {
        None
    } else if request.core.is_some() {
        Some(shape.core_request)
    } else if request.port.is_some() {
        Some(shape.port_request)
    } else {
        Some(StartRequest::Attach)
    }
}

/// The PATH of an adapter that attaches by process id with another one's program: the one that we would use is the first on it.
/// One that is too old to be a debug adapter does for this, unless it would end the program.
pub fn attach_env(
    resolved: &Resolved,
    table: &Table,
    context: &Context,
) -> Result<Option<(String, Option<String>)>, AdapterError> {
    let adapter = &resolved.adapter;
    let shape = &adapter.personality.attach;
    let Some(name) = &shape.pid_helper else {
        return Ok(None);
    };
    let error = match resolve(table.get(name)?, context) {
        Ok(found) => {
            let program = found.argv.first().map(Path::new);
            let folder = program.and_then(Path::parent).map(Path::to_path_buf);
            let folders = folder.into_iter().chain(context.path_dirs());
            let path = std::env::join_paths(folders).ok();
            let path = path.and_then(|path| path.into_string().ok());
            return Ok(path.map(|path| ("PATH".to_owned(), Some(path))));
        }
        Err(error) => error,
    };
    let question: Vec<_> = shape
        .pid_helper_needless
        .iter()
        .map(String::as_str)
        .collect();
    let own = resolved.argv.first().filter(|_| !question.is_empty());
    if own.is_some_and(|own| probe::ask(Path::new(own), &question, context).is_some()) {
        return Ok(None);
    }
    // gdb 13 writes back less state than such a processor has: the kernel refuses, and the system call in which the program was fails.
    // Who says nothing of its processor (macOS) has a debugger of its own.
    let Some(harms) = surroundings::processor_has("amx_tile") else {
        return Ok(None);
    };
    let why = match context.on_path(name) {
        Some(_) if !harms => return Ok(None),
        Some(_) => ", and an old one would end the program on this processor",
        None => "",
    };
    Err(AdapterError {
        what: format!(
            "{} comes into a running program by {name}{why}: {}",
            adapter.name, error.what
        ),
        missing: None,
        ..error
    })
}

/// The function whose temporary breakpoint stops at the program's own first line, for adapters whose entry is
/// a loader's or a runtime's.
pub fn entry_function<'a>(resolved: &'a Resolved, facts: &'a ProgramFacts) -> Option<&'a str> {
    let entry = resolved
        .adapter
        .personality
        .launch
        .entry_function
        .as_deref();
    let main = facts.main.as_deref();
    main.filter(|main| entry.is_some() || *main == START)
        .or(entry)
}

/// What is to be set for the adapter's own process: what its table entry says, and the program's variables
/// where its launch arguments have no place for them and the program inherits the adapter's.
pub fn adapter_env(resolved: &Resolved, request: &LaunchRequest) -> Vec<(String, Option<String>)> {
    let mut env = resolved.env.clone();
    if resolved.adapter.personality.launch.env_style == EnvStyle::None {
        env.extend(request.env.clone());
    }
    env
}

/// The arguments of the request that starts a launch.
pub fn launch_arguments(
    resolved: &Resolved,
    request: &LaunchRequest,
) -> Result<Value, AdapterError> {
    let adapter = &resolved.adapter;
    let shape = &adapter.personality.launch;
    let mut arguments = Arguments(adapter.launch_defaults.clone());
    arguments.set("request", shape.request.command());
    let program = resolved.context.absolute(&request.program);
    let named = !request.program.as_os_str().is_empty();
    if named && program.is_dir() && !adapter.accepts_directory_program {
        return Err(AdapterError::directory(&adapter.name, &program, None));
    }
    if named {
        arguments.set(&shape.program_key, text(&program));
    }
    if !request.args.is_empty() {
        arguments.set(&shape.args_key, json!(request.args));
    }
    arguments.set(
        &shape.cwd_key,
        text(&resolved.context.absolute(&request.cwd)),
    );
    if let Some(rules) = shape.mode.as_ref().filter(|_| named) {
        arguments.mode(rules, &program);
    }
    if !request.env.is_empty()
        && let Some(env) = environment(resolved, &request.env)
    {
        arguments.set(&shape.env_key, env);
    }
    if let Some(stop) = &shape.stop_on_entry {
        let by_breakpoint = shape.entry_function.is_some() || shape.entry_line;
        let value = if request.stop_on_entry && !by_breakpoint {
            stop.value.clone()
        } else {
            Value::Bool(false)
        };
        arguments.set(&stop.key, value);
    }
    if let Some(console) = &shape.console {
        let place = match request.console {
            Console::Internal => &console.internal,
            Console::Pipe | Console::Pty => &console.terminal,
            Console::External => &console.external,
        };
        arguments.set(&console.key, place.clone());
    }
    if let Some(file) = &request.stdin {
        let Some(key) = &shape.stdin_key else {
            return Err(AdapterError::unsupported(
                &adapter.name,
                "read stdin from a file",
                "run it in a terminal and redirect there, or use an adapter that can",
            ));
        };
        let file = text(&resolved.context.absolute(file));
        arguments.set(
            key,
            match shape.stdin_style {
                StdinStyle::Path => file,
                StdinStyle::List => json!([file, null, null]),
            },
        );
    }
    arguments.set_if(shape.just_my_code_key.as_ref(), request.just_my_code);
    let mappings = mappings(shape.path_mappings_style, &request.path_mappings);
    arguments.set_if(shape.path_mappings_key.as_ref(), mappings);
    if let Some(interpreter) = &shape.interpreter
        && let Some(path) = python::for_program(&program, &interpreter.names, &resolved.context)
    {
        let path = text(&path);
        arguments.set(
            &interpreter.key,
            if interpreter.list {
                json!([path])
            } else {
                path
            },
        );
    }
    let mut arguments = arguments.with(&request.extra);
    if let Some(interpreter) = &shape.interpreter {
        interpreter.add_words(&mut arguments);
    }
    Ok(arguments)
}

/// The arguments of the request that starts an attach. Library code is hidden where only one's own is to be shown; the folders are those
/// here and on the debuggee's machine.
pub fn attach_arguments(
    resolved: &Resolved,
    request: &AttachSpec,
    own_code: bool,
    path_mappings: &[PathMapping],
) -> Result<Value, AdapterError> {
    let adapter = &resolved.adapter;
    let shape = &adapter.personality.attach;
    let mut arguments = Arguments(adapter.attach_defaults.clone());
    let command = attach_command(resolved, request).unwrap_or(StartRequest::Attach);
    arguments.set("request", command.command());
    let cwd = request.cwd.as_ref().unwrap_or(&resolved.context.cwd);
    arguments.set(&shape.cwd_key, text(&resolved.context.absolute(cwd)));
    let unsupported = |what: &str| {
        AdapterError::unsupported(&adapter.name, what, "choose another adapter with --adapter")
    };
    if let Some(core) = &request.core {
        let key = shape
            .core_key
            .as_ref()
            .ok_or_else(|| unsupported("open a core file"))?;
        arguments.extend(&shape.core_defaults);
        let core = resolved.context.absolute(core);
        match &shape.core_template {
            Some(command) => {
                let command = command.replace("${core}", &core.to_string_lossy());
                arguments.set(key, json!([command]));
            }
            None => arguments.set(key, text(&core)),
        }
    }
    if request.stay {
        arguments.extend(&shape.stay_defaults);
    }
    if let Some(pid) = request.pid {
        if shape.pid_keys.is_empty() {
            return Err(unsupported("attach to a process by its id"));
        }
        arguments.extend(&shape.pid_defaults);
        for key in &shape.pid_keys {
            arguments.set(
                key,
                if shape.pid_is_string {
                    json!(pid.to_string())
                } else {
                    json!(pid)
                },
            );
        }
    }
    if let Some(port) = request.port {
        arguments.extend(&shape.port_defaults);
        let host = request.host.as_deref().unwrap_or("127.0.0.1");
        let filled = |template: &str| {
            template
                .replace("${host}", host)
                .replace("${port}", &port.to_string())
        };
        match &shape.port_style {
            PortStyle::HostPort { host_key, port_key } => {
                arguments.set(host_key, host);
                arguments.set(port_key, port);
            }
            PortStyle::Connect { key } => arguments.set(key, json!({"host": host, "port": port})),
            PortStyle::Target { key, template } => arguments.set(key, filled(template)),
            PortStyle::Commands { key, template } => {
                let commands = filled(template);
                arguments.set(key, json!(commands.lines().collect::<Vec<_>>()));
            }
            PortStyle::Direct => {}
            PortStyle::Unsupported => return Err(unsupported("attach to a port")),
        }
    }
    let program = request.program.as_ref();
    let program = program.map(|program| text(&resolved.context.absolute(program)));
    arguments.set_if(shape.program_key.as_ref(), program);
    arguments.set_if(
        shape.just_my_code_key.as_ref(),
        (!own_code).then_some(false),
    );
    let mappings = mappings(shape.path_mappings_style, path_mappings);
    arguments.set_if(shape.path_mappings_key.as_ref(), mappings);
    Ok(arguments.with(&request.extra))
}

struct Arguments(Map<String, Value>);

impl Arguments {
    /// Sets a key, unless its name is empty: that is how a personality says "not sent".
    fn set(&mut self, key: &str, value: impl Into<Value>) {
        if !key.is_empty() {
            self.0.insert(key.to_owned(), value.into());
        }
    }

    /// Sets a key, where there are one and a value for it.
    fn set_if(&mut self, key: Option<&String>, value: Option<impl Into<Value>>) {
        if let Some((key, value)) = key.zip(value) {
            self.set(key, value);
        }
    }

    fn extend(&mut self, more: &Map<String, Value>) {
        self.0.extend(more.clone());
    }

    /// The kind of launch, by what the program is.
    fn mode(&mut self, rules: &ModeRules, program: &Path) {
        let extension = program::extension(program);
        let (mode, build_dir) = if program.is_dir() {
            (Some(&rules.directory), Some(program))
        } else if let Some(mode) = rules.extensions.get(&extension) {
            (Some(mode), program.parent())
        } else {
            (program.is_file().then_some(&rules.other), None)
        };
        if let Some(mode) = mode {
            self.set(&rules.key, mode.as_str());
        }
        if let (Some(key), Some(dir)) = (&rules.build_dir_key, build_dir) {
            self.set(key, text(dir));
        }
    }

    /// A null among the free arguments takes one away.
    fn with(mut self, extra: &Map<String, Value>) -> Value {
        self.extend(extra);
        self.0
            .retain(|key, value| !value.is_null() || !extra.contains_key(key));
        self.0.into()
    }
}

/// Translations of paths in the adapter's form; none where there are none.
fn mappings(style: MappingStyle, mappings: &[PathMapping]) -> Option<Value> {
    let each = |shape: fn(&PathMapping) -> Value| mappings.iter().map(shape).collect();
    let value = match style {
        MappingStyle::Objects => {
            each(|map| json!({"localRoot": map.local, "remoteRoot": map.remote}))
        }
        MappingStyle::Pairs => each(|map| json!([map.remote, map.local])),
        MappingStyle::FromTo => each(|map| json!({"from": map.local, "to": map.remote})),
        MappingStyle::Map => mappings
            .iter()
            .map(|map| (map.remote.clone(), Value::from(map.local.clone())))
            .collect(),
    };
    (!mappings.is_empty()).then_some(value)
}

/// The environment in the adapter's form; nothing when it has none, and then the variables have to be set for
/// the adapter itself, whose environment the program inherits.
fn environment(resolved: &Resolved, changes: &BTreeMap<String, Option<String>>) -> Option<Value> {
    let shape = &resolved.adapter.personality.launch;
    let mut all: BTreeMap<&str, Option<&str>> = BTreeMap::new();
    if shape.env_replaces {
        all.extend(
            resolved
                .context
                .env
                .iter()
                .map(|(name, value)| (name.as_str(), Some(value.as_str()))),
        );
    }
    all.extend(
        changes
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_deref())),
    );
    if !shape.env_null_unsets {
        all.retain(|_, value| value.is_some());
    }
    match shape.env_style {
        EnvStyle::Map => Some(json!(all)),
        EnvStyle::List => Some(
            all.iter()
                .filter_map(|(name, value)| Some(Value::from(format!("{name}={}", (*value)?))))
                .collect(),
        ),
        EnvStyle::None => None,
    }
}

fn text(path: &Path) -> Value {
    Value::from(path.lossy())
}
