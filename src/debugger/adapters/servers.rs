//! Programs whose own debug server connects to us, as the adapter table tells it: how one is started, and what is said to it.
//!
//! With which command line is left to `server_launch`; listening, and what is said on such a connection, to `debugger::servers`.

use crate::{pattern::Patterns, prelude::*};

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
    /// When the interpreter is none that the server runs on.
    #[serde(default)]
    pub unfit: Unfit,
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

/// An interpreter that cannot run the server: the adapter would start the same one, and wait.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unfit {
    /// How that is said.
    pub said: Patterns,
    /// What to do about it.
    pub hint: String,
}

/// Words of a command line that a launch argument calls for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Words {
    /// The launch argument.
    pub key: String,
    /// Its value, where only one counts.
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
