//! What makes one adapter different from the next, as data.
//!
//! Every field absorbs one habit that was seen in a trace of a real adapter. The session reads these fields and
//! never an adapter's name. How a launch or an attach is spelled lives in [`LaunchShape`] and [`AttachShape`];
//! turning those into arguments is left to the `arguments` module.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::time::Duration;

use regex::Regex;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The habits of one adapter. The default describes an adapter that keeps to the protocol, which is also what
/// an adapter of a user's file starts from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Personality {
    /// How a launch is spelled.
    pub launch: LaunchShape,
    /// How an attach is spelled.
    pub attach: AttachShape,
    /// The adapter holds the debuggee by ptrace: while it is attached with breakpoints inserted it must never be
    /// killed hard, or the debuggee dies of SIGTRAP on a left-over breakpoint.
    pub ptrace: bool,
    /// What ends a session. Some adapters never send `exited`, one never sends `terminated`.
    pub terminates_by: Vec<EndSign>,
    /// Added to the number of a hit condition before it is sent: an adapter that takes an ignore count stops at
    /// hit N + 1 when told N, so it has -1 here. See [`Personality::hit_condition`].
    pub hit_condition_offset: i64,
    /// Our evaluate context to the one this adapter knows, for contexts that it rejects or reads too narrowly.
    /// See [`Personality::evaluate_context`].
    pub evaluate_contexts: BTreeMap<String, String>,
    /// `evaluate` in context `repl` takes debugger commands: `a + b` is an error there.
    pub repl_is_command: bool,
    /// Texts of successful `evaluate` results that are errors in truth.
    pub error_results: Vec<Pattern>,
    /// Milliseconds to go on reading after `terminated`, because output still follows it.
    pub drain_after_terminated_ms: u64,
    /// Milliseconds the adapter is given to leave by itself after `disconnect`; past that it is ended.
    pub exit_after_disconnect_ms: u64,
    /// Exception filters to switch on when nobody chose any; absent means those the adapter marks as default.
    pub default_exception_filters: Option<Vec<String>>,
    /// Texts of a stop (`reason: description text`) that answer a pause request and are no exception; the reason
    /// `pause` itself need not be listed.
    pub pause_reasons: Vec<Pattern>,
    /// An attach is followed by a stop of its own that nobody asked for. Its reason is `attach`, `pause` or
    /// `entry`; a stop at a breakpoint is never it.
    pub attach_extra_stop: bool,
    /// A launch is followed by a stop at load, whether a stop on entry was asked for or not.
    pub launch_extra_stop: bool,
    /// How the adapter asks for sessions of child processes.
    pub children: Children,
    /// The program runs in a child session; the first session never stops.
    pub program_in_child: bool,
    /// The adapter's process is the program: its exit code is the program's.
    pub adapter_is_program: bool,
    /// Text on the adapter's stdout that says its TCP server is up. Connecting earlier may reach a listener that
    /// accepts and never answers.
    pub banner: Option<String>,
    /// Several requests may be on their way at once. Every adapter tried answers them in order.
    pub pipeline: bool,
    /// What the program prints comes out of the adapter's own stdout and stderr, not as events.
    pub output_on_adapter_stdio: bool,
}

impl Default for Personality {
    fn default() -> Self {
        Self {
            launch: LaunchShape::default(),
            attach: AttachShape::default(),
            ptrace: false,
            terminates_by: vec![EndSign::Terminated, EndSign::Eof, EndSign::Process],
            hit_condition_offset: 0,
            evaluate_contexts: BTreeMap::new(),
            repl_is_command: false,
            error_results: Vec::new(),
            drain_after_terminated_ms: 50,
            exit_after_disconnect_ms: 2000,
            default_exception_filters: None,
            pause_reasons: Vec::new(),
            attach_extra_stop: false,
            launch_extra_stop: false,
            children: Children::default(),
            program_in_child: false,
            adapter_is_program: false,
            banner: None,
            pipeline: true,
            output_on_adapter_stdio: false,
        }
    }
}

impl Personality {
    /// The context to send for an `evaluate` that we mean as `wanted`.
    pub fn evaluate_context<'a>(&'a self, wanted: &'a str) -> &'a str {
        self.evaluate_contexts
            .get(wanted)
            .map_or(wanted, String::as_str)
    }

    /// The context and text for what a person typed at the prompt: a leading `!` asks for the adapter's own
    /// command line, anything else is an expression.
    pub fn typed<'a>(&'a self, text: &'a str) -> (&'a str, &'a str) {
        match text.trim_start().strip_prefix('!') {
            Some(command) if self.repl_is_command => ("repl", command.trim_start()),
            _ if self.repl_is_command => (self.evaluate_context("watch"), text),
            _ => (self.evaluate_context("repl"), text),
        }
    }

    /// The hit condition to send so that the adapter stops at the hit that was meant. Anything but a plain
    /// number is the adapter's own language and passes unchanged.
    pub fn hit_condition(&self, meant: &str) -> String {
        match meant.trim().parse::<i64>() {
            Ok(hit) if self.hit_condition_offset != 0 => hit
                .saturating_add(self.hit_condition_offset)
                .max(0)
                .to_string(),
            _ => meant.to_owned(),
        }
    }

    /// Whether a successful `evaluate` result is an error in truth.
    pub fn is_error_result(&self, result: &str) -> bool {
        self.error_results
            .iter()
            .any(|pattern| pattern.is_match(result))
    }

    /// Whether a stop answers a pause request, judged by its reason, description and text.
    pub fn is_pause(&self, reason: &str, description: Option<&str>, text: Option<&str>) -> bool {
        let whole = format!(
            "{reason}: {} {}",
            description.unwrap_or_default(),
            text.unwrap_or_default()
        );
        reason.starts_with("pause")
            || self
                .pause_reasons
                .iter()
                .any(|pattern| pattern.is_match(&whole))
    }

    /// [`Self::drain_after_terminated_ms`] as a duration.
    pub fn drain_after_terminated(&self) -> Duration {
        Duration::from_millis(self.drain_after_terminated_ms)
    }

    /// [`Self::exit_after_disconnect_ms`] as a duration.
    pub fn exit_after_disconnect(&self) -> Duration {
        Duration::from_millis(self.exit_after_disconnect_ms)
    }
}

/// A sign that a session is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndSign {
    /// The `terminated` event.
    Terminated,
    /// The `exited` event.
    Exited,
    /// The adapter closed the connection.
    Eof,
    /// The adapter's process is gone.
    Process,
}

/// How an adapter asks for a session of a child process.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Children {
    /// By the reverse request `startDebugging`.
    pub start_debugging: bool,
    /// By one of these custom events, when we do not claim `startDebugging`. The body is the child's attach
    /// configuration, with `connect.host` and `connect.port`.
    pub events: Vec<String>,
}

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
    /// The stop at entry lies before the first line and has no frames: this request moves on to it.
    pub entry_step: Option<String>,
    /// Where the program's terminal is.
    pub console: Option<ConsoleKey>,
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
            entry_step: None,
            console: None,
            just_my_code_key: None,
            path_mappings_key: None,
            path_mappings_style: MappingStyle::Objects,
            mode: None,
            interpreter: None,
        }
    }
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
    /// A process that runs a language of this adapter is attached to with it, before the native debuggers.
    pub by_language: bool,
    /// How a listening debuggee is named.
    pub port_style: PortStyle,
    /// Arguments to add for an attach by port.
    pub port_defaults: Map<String, Value>,
    /// Key of the program's path, where the adapter wants symbols from it.
    pub program_key: Option<String>,
    /// Key of the working directory; the empty string sends none.
    pub cwd_key: String,
    /// Key of a core file's path; absent when the adapter reads none.
    pub core_key: Option<String>,
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
            by_language: false,
            port_style: PortStyle::HostPort {
                host_key: "host".to_owned(),
                port_key: "port".to_owned(),
            },
            port_defaults: Map::new(),
            program_key: None,
            cwd_key: "cwd".to_owned(),
            core_key: None,
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
    /// The path.
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
    #[serde(default)]
    pub build_dir_key: Option<String>,
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
}

/// How a listening debuggee is named in attach arguments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum PortStyle {
    /// Two keys.
    HostPort {
        /// Key of the host.
        host_key: String,
        /// Key of the port, sent as a number.
        port_key: String,
    },
    /// An object `{host, port}` at one key.
    Connect {
        /// The key.
        key: String,
    },
    /// A text such as `host:port` at one key.
    Target {
        /// The key.
        key: String,
        /// The text, with `${host}` and `${port}`.
        template: String,
    },
    /// A list with one debugger command at one key.
    Commands {
        /// The key.
        key: String,
        /// The command, with `${host}` and `${port}`.
        template: String,
    },
    /// The port itself speaks the protocol: no adapter of ours is started.
    Direct,
    /// The adapter cannot attach by port.
    Unsupported,
}

/// A regular expression that can be read from a table and compared.
#[derive(Debug, Clone)]
pub struct Pattern(Regex);

impl Deref for Pattern {
    type Target = Regex;
    fn deref(&self) -> &Regex {
        &self.0
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl Serialize for Pattern {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.as_str())
    }
}

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Regex::new(&text)
            .map(Self)
            .map_err(|error| serde::de::Error::custom(format!("bad pattern {text:?}: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_numbers_move_by_the_offset_and_other_hit_conditions_pass() {
        let late = Personality {
            hit_condition_offset: -1,
            ..Personality::default()
        };
        assert_eq!(late.hit_condition("3"), "2");
        assert_eq!(late.hit_condition("0"), "0");
        assert_eq!(late.hit_condition(">= 3"), ">= 3");
        assert_eq!(Personality::default().hit_condition(" 3"), " 3");
    }

    #[test]
    fn typed_text_is_an_expression_unless_it_starts_with_a_bang() {
        let command_line = Personality {
            repl_is_command: true,
            ..Personality::default()
        };
        assert_eq!(command_line.typed("a + b"), ("watch", "a + b"));
        assert_eq!(command_line.typed("! bt"), ("repl", "bt"));
        assert_eq!(Personality::default().typed("!x"), ("repl", "!x"));
    }

    #[test]
    fn a_pause_is_known_by_reason_and_text() {
        let mut personality = Personality::default();
        assert!(personality.is_pause("pause", None, None));
        assert!(!personality.is_pause("exception", Some("signal SIGSTOP"), None));
        personality.pause_reasons = serde_json::from_str(r#"["SIGSTOP"]"#).unwrap();
        assert!(personality.is_pause("exception", Some("signal SIGSTOP"), None));
        assert!(!personality.is_pause("exception", Some("signal SIGSEGV"), None));
    }

    #[test]
    fn a_bad_pattern_is_quoted() {
        let error = serde_json::from_str::<Pattern>(r#""(""#).unwrap_err();
        assert!(error.to_string().contains(r#""(""#), "{error}");
    }
}
