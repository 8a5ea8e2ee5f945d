//! How an adapter wants a launch or an attach to be spelled, as data.
//!
//! Turning this and a request into arguments is left to the `arguments` module.

use super::{ScriptEntry, exit_report::ExitReport, servers::Words};
use crate::{pattern::Patterns, prelude::*};

/// How a launch is spelled for an adapter. A key that is the empty string is not sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LaunchShape {
    /// The request that carries it: an adapter that was started on the program is attached to.
    pub request: StartRequest,
    /// The program and its arguments are part of the adapter's command line (`${program}`, `${args}`).
    pub program_on_command_line: bool,
    /// Key of the program's path.
    pub program_key: String,
    /// Key of the list of arguments.
    pub args_key: String,
    /// Key of the working directory.
    pub cwd_key: String,
    /// Key of the environment.
    pub env_key: String,
    /// The form the environment takes.
    pub env_style: EnvStyle,
    /// The environment that is sent replaces the inherited one, so all of it must be sent.
    pub env_replaces: bool,
    /// A null value in the environment unsets that variable.
    pub env_null_unsets: bool,
    /// Key for a file to read stdin from.
    pub stdin_key: Option<String>,
    /// The form of the value at [`Self::stdin_key`].
    pub stdin_style: StdinStyle,
    /// How to stop at the first instruction the adapter means by "entry".
    pub stop_on_entry: Option<KeyValue>,
    /// The program's OWN entry, used as a temporary function breakpoint where the adapter's "entry" lies in a
    /// loader or runtime, before any source line.
    pub entry_function: Option<String>,
    /// The adapter has no useful stop at entry: a temporary breakpoint on line 1 of the program, which it moves
    /// to the first line with code, is the program's entry.
    pub entry_line: bool,
    /// The entry of a module, or of a script that begins with a function, is a temporary breakpoint at the first statement that it
    /// runs: the adapter's own stop may lie in the function, and come again at each call.
    pub script_entry: bool,
    /// What some programs are started with in place of the defaults: the first that fits.
    pub overrides: Vec<Overrides>,
    /// What is said when a module ends in an error at which nothing stopped, because its runtime takes it for caught.
    pub module_error_hint: Option<String>,
    /// The stop at entry lies before the first line and has no frames: this request moves on to it.
    pub entry_step: Option<String>,
    /// Where the program's terminal is.
    pub console: Option<ConsoleKey>,
    /// How steps are kept out of libraries, where that is no key of the start.
    pub own_code: Option<OwnCode>,
    /// They may end in what others wrote, and go on from there until they are back.
    pub keeps_steps: bool,
    /// What makes a program hand on each line as it prints it, which it would keep for long where it prints into a pipe: the adapter's own
    /// arguments, with the library `${library}`.
    pub line_args: Vec<String>,
    /// Where that library may be.
    pub line_libraries: Vec<PathBuf>,
    /// What gives the program the terminal `${tty}`, where the adapter does not ask for one to be opened: its own arguments.
    pub tty_args: Vec<String>,
    /// The same as commands before anything else.
    pub tty_commands: Vec<String>,
    /// Key of the switch that hides library code.
    pub just_my_code_key: Option<String>,
    /// Key of the list of path translations.
    pub path_mappings_key: Option<String>,
    /// The form of the value at [`Self::path_mappings_key`].
    pub path_mappings_style: MappingStyle,
    /// How the kind of launch follows from what the program is.
    pub mode: Option<ModeRules>,
    /// The interpreter the program runs under: the project's own, when it has one.
    pub interpreter: Option<InterpreterKey>,
    /// How the program itself tells its exit code.
    pub exit_report: Option<ExitReport>,
}

impl Default for LaunchShape {
    fn default() -> Self {
        Self {
            request: StartRequest::Launch,
            program_on_command_line: false,
            program_key: "program".to_owned(),
            args_key: "args".to_owned(),
            cwd_key: "cwd".to_owned(),
            env_key: "env".to_owned(),
            env_style: EnvStyle::Map,
            env_replaces: false,
            env_null_unsets: false,
            stdin_key: None,
            stdin_style: StdinStyle::Path,
            stop_on_entry: Some(KeyValue {
                key: "stopOnEntry".to_owned(),
                value: Value::Bool(true),
            }),
            entry_function: None,
            entry_line: false,
            script_entry: false,
            overrides: Vec::new(),
            module_error_hint: None,
            entry_step: None,
            console: None,
            own_code: None,
            keeps_steps: false,
            line_args: Vec::new(),
            line_libraries: Vec::new(),
            tty_args: Vec::new(),
            tty_commands: Vec::new(),
            just_my_code_key: None,
            path_mappings_key: None,
            path_mappings_style: MappingStyle::Objects,
            mode: None,
            interpreter: None,
            exit_report: None,
        }
    }
}

/// The debugger's own commands that keep steps out of what is not the person's own code.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnCode {
    /// From now on.
    pub on: Vec<String>,
    /// Not any more.
    pub off: Vec<String>,
    /// The option of its command line that takes a command; without it they are `initCommands` of the start.
    pub option: Option<String>,
}

/// How an attach is spelled for an adapter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AttachShape {
    /// Keys that carry the process id; empty when the adapter cannot attach by id.
    pub pid_keys: Vec<String>,
    /// The process id is sent as a string.
    pub pid_is_string: bool,
    /// Arguments to add for an attach by process id.
    pub pid_defaults: Map<String, Value>,
    /// Arguments to add so that what is attached to stands still, where the adapter lets it run on otherwise.
    pub stay_defaults: Map<String, Value>,
    /// A process that runs a language of this adapter is attached to with it, before the native debuggers.
    pub by_language: bool,
    /// The adapter that has the program which this one calls by name when it attaches by process id: that one comes before what
    /// else is on PATH.
    pub pid_helper: Option<String>,
    /// With these arguments this one's own program ends well where it needs no such help.
    pub pid_helper_needless: Vec<String>,
    /// How a listening debuggee is named.
    pub port_style: PortStyle,
    /// Arguments to add for an attach by port.
    pub port_defaults: Map<String, Value>,
    /// Key of the program's path, where the adapter wants symbols from it.
    pub program_key: Option<String>,
    /// Key of the working directory; the empty string sends none.
    pub cwd_key: String,
    pub port_request: StartRequest,
    /// Key of a core file's path; absent when the adapter reads none.
    pub core_key: Option<String>,
    /// A command of the debugger's own that opens the core file `${core}`: then a list with it is at [`Self::core_key`].
    pub core_template: Option<String>,
    /// The request that opens a core file.
    pub core_request: StartRequest,
    /// Arguments to add for a core file.
    pub core_defaults: Map<String, Value>,
    /// Key of the switch that hides library code.
    pub just_my_code_key: Option<String>,
    /// Key of the list of path translations.
    pub path_mappings_key: Option<String>,
    /// The form of the value at [`Self::path_mappings_key`].
    pub path_mappings_style: MappingStyle,
    /// The adapter is attached already when it starts: it is configured, and no attach request is sent.
    pub skip_request: bool,
}

impl Default for AttachShape {
    fn default() -> Self {
        Self {
            pid_keys: vec!["pid".to_owned(), "processId".to_owned()],
            pid_is_string: false,
            pid_defaults: Map::new(),
            stay_defaults: Map::new(),
            by_language: false,
            pid_helper: None,
            pid_helper_needless: Vec::new(),
            port_style: PortStyle::HostPort {
                host_key: "host".to_owned(),
                port_key: "port".to_owned(),
            },
            port_defaults: Map::new(),
            program_key: None,
            cwd_key: "cwd".to_owned(),
            port_request: StartRequest::Attach,
            core_key: None,
            core_template: None,
            core_request: StartRequest::Attach,
            core_defaults: Map::new(),
            just_my_code_key: None,
            path_mappings_key: None,
            path_mappings_style: MappingStyle::Objects,
            skip_request: false,
        }
    }
}

/// The request that starts a session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StartRequest {
    /// `launch`
    #[default]
    Launch,
    /// `attach`
    Attach,
}

impl StartRequest {
    /// The request's name on the wire.
    pub fn command(self) -> &'static str {
        match self {
            Self::Launch => "launch",
            Self::Attach => "attach",
        }
    }
}

/// The form an environment takes in launch arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EnvStyle {
    /// `{"NAME": "VALUE"}`
    Map,
    /// `["NAME=VALUE"]`
    List,
    /// It cannot be said; the adapter's own environment is inherited, so the variables are set there.
    None,
}

/// The form of a file for stdin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StdinStyle {
    Path,
    /// A list of stdin, stdout and stderr, null where unchanged.
    List,
}

/// The form of path translations from the debuggee's machine to this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MappingStyle {
    /// `[{"localRoot": L, "remoteRoot": R}]`
    Objects,
    /// `[[R, L]]`
    Pairs,
    /// `{R: L}`
    Map,
    /// `[{"from": L, "to": R}]`
    FromTo,
}

/// One key and the value that switches it on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyValue {
    /// The key in the arguments.
    pub key: String,
    /// The value that means yes; no is `false`.
    pub value: Value,
}

/// The key that says where the program's terminal is, and its value for each place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConsoleKey {
    /// The key in the arguments.
    pub key: String,
    /// No terminal: output comes as events.
    pub internal: Value,
    /// Our terminal pane, by `runInTerminal`.
    pub terminal: Value,
    /// A terminal window of its own, by `runInTerminal`.
    pub external: Value,
}

/// How the kind of launch follows from what the program is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModeRules {
    /// The key in the arguments.
    pub key: String,
    /// Value for a directory.
    pub directory: String,
    /// Value by extension, the dot included.
    #[serde(default)]
    pub extensions: BTreeMap<String, String>,
    /// Value for any other file that exists; one that does not keeps the default.
    pub other: String,
    /// Key of the directory to build in, for a program that the adapter builds itself.
    pub build_dir_key: Option<String>,
}

/// Arguments for programs that the adapter's defaults do not suit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Overrides {
    /// They are for ECMAScript modules.
    pub modules: bool,
    /// They are for translated scripts that begin with a function.
    pub functions: bool,
    /// They are for programs with these endings, which are translated as they are loaded.
    pub endings: Vec<String>,
    /// They are for programs of which this is the name, or that of a file with a breakpoint; without its ending.
    pub names: Patterns,
    /// They win over the defaults. `${folder}` is that of the program.
    pub arguments: Map<String, Value>,
}

impl Overrides {
    /// `files`: those with breakpoints.
    pub fn are_for(
        &self,
        entry: Option<ScriptEntry>,
        program: Option<&Path>,
        files: &[&Path],
    ) -> bool {
        let ends_so = |file: &Path| {
            let ending = file.extension().map(Lossy::lossy);
            ending.is_some_and(|ending| self.endings.contains(&ending))
        };
        // Of a command it is not known which file it runs.
        let is_translated = match program.filter(|program| program.extension().is_some()) {
            Some(program) => ends_so(program),
            None => files.iter().any(|file| ends_so(file)),
        };
        let is_named = |file: &&Path| {
            let name = file.file_stem().map(Lossy::lossy);
            name.is_some_and(|name| self.names.fit(&name))
        };
        let is_such = entry.is_some_and(|entry| {
            if entry.is_module {
                self.modules
            } else {
                self.functions && entry.is_translated
            }
        });
        is_such || is_translated || program.iter().chain(files).any(is_named)
    }

    /// Those that name the program's folder are left out where there is none.
    pub fn of(&self, program: Option<&Path>) -> Map<String, Value> {
        let folder = program.and_then(Path::parent).map(Lossy::lossy);
        let filled = self.arguments.iter().filter_map(|(key, value)| {
            let value = in_folder(value, folder.as_deref())?;
            Some((key.clone(), value))
        });
        filled.collect()
    }
}

fn in_folder(value: &Value, folder: Option<&str>) -> Option<Value> {
    const FOLDER: &str = "${folder}";
    Some(match value {
        Value::String(text) if text.contains(FOLDER) => text.replace(FOLDER, folder?).into(),
        Value::Array(all) => {
            let all: Option<_> = all.iter().map(|one| in_folder(one, folder)).collect();
            Value::Array(all?)
        }
        other => other.clone(),
    })
}

/// The key that names the interpreter a program runs under.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InterpreterKey {
    /// The key in the arguments.
    pub key: String,
    /// Names to look for, the best first.
    pub names: Vec<String>,
    /// The value is a list with the interpreter in it.
    #[serde(default)]
    pub list: bool,
    /// What one of these names is given before anything else, and in which argument.
    pub words: Option<Words>,
}

impl InterpreterKey {
    /// Adds its words, where it is an interpreter that knows them.
    pub fn add_words(&self, arguments: &mut Value) {
        let (Some(words), Some(all)) = (&self.words, arguments.as_object_mut()) else {
            return;
        };
        let is_known = match all.get(&self.key) {
            None | Some(Value::Null) => true,
            Some(Value::String(path)) => Path::new(path)
                .file_name()
                .is_some_and(|name| self.names.iter().any(|known| name == known.as_str())),
            Some(_) => false,
        };
        if !is_known {
            return;
        }
        let given = all.entry(words.key.clone()).or_insert_with(|| json!([]));
        if let Some(given) = given.as_array_mut() {
            given.splice(0..0, words.words.iter().cloned().map(Value::String));
        }
    }
}

/// How a listening debuggee is named in attach arguments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum PortStyle {
    /// Two keys.
    HostPort {
        host_key: String,
        /// Key of the port, sent as a number.
        port_key: String,
    },
    /// An object `{host, port}` at one key.
    Connect { key: String },
    /// A text such as `host:port` at one key.
    Target {
        key: String,
        /// The text, with `${host}` and `${port}`.
        template: String,
    },
    /// A list with one debugger command at one key.
    Commands {
        key: String,
        /// The command, with `${host}` and `${port}`.
        template: String,
    },
    /// The port itself speaks the protocol: no adapter of ours is started.
    Direct,
    /// The adapter cannot attach by port.
    Unsupported,
}
