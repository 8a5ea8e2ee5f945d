//! One adapter of the table, as data: how it is called, what it debugs, where it is found.

use dap::transport::ConnectMode;

use super::{backend::Backend, personality::Personality, servers::Servers};
use crate::{
    pattern::{Pattern, Patterns},
    prelude::*,
};

/// One debug adapter: how it is called, what it debugs, where it is found and how it behaves.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Adapter {
    /// The name people use.
    pub name: String,
    /// What it is, in a few words.
    pub title: String,
    /// Other names for it.
    pub aliases: Vec<String>,
    /// Languages it debugs; `native` stands for machine code of any language.
    pub languages: Vec<String>,
    /// Interpreters of a script's first line that mean this adapter.
    pub interpreters: Vec<String>,
    /// Extensions it debugs, lower case, dot included.
    pub file_types: Vec<String>,
    /// Files or directories that mark a project it debugs; `*` may stand at the start.
    pub root_markers: Vec<String>,
    /// What kind of program it starts.
    pub program: ProgramKind,
    /// Its place among the debuggers for machine code, 1 first; absent when it is none.
    pub native_rank: Option<u32>,
    /// Runtimes of whose values it shows no more than the fields.
    pub no_formatters: Vec<String>,
    /// Which of the ways to speak to LLDB it is.
    pub backend: Option<Backend>,
    /// A plain port to attach to is taken for one of this adapter's, when nothing says whose it is.
    pub attach_port_first: bool,
    /// Who listens where this adapter attaches: names of programs, and what an inspector calls itself.
    pub attach_listener: Patterns,
    /// How one of them is made to listen that does not, for who has only its process id, `${pid}`.
    pub made_to_listen: Option<String>,
    /// A directory may be given as the program.
    pub accepts_directory_program: bool,
    /// How we talk to it.
    pub connect: ConnectMode,
    /// Where its program may be found, best first.
    #[serde(rename = "candidates")]
    pub command: Vec<Candidate>,
    /// What to add for programs of a language whose own tools support this debugger.
    pub language_support: Vec<LanguageSupport>,
    /// The adapter in whose language support it shares, as both are one debugger.
    pub support_as: Option<String>,
    /// Libraries whose values it shows as they mean them, and where its formatters for them are; empty = in itself.
    pub formatters: BTreeMap<String, PathBuf>,
    /// Scripts of a project that it is given.
    pub project_scripts: Vec<ProjectScript>,
    /// Directory of our own copy, when it is not called as the adapter: several may share one package.
    pub install_directory: Option<String>,
    /// Arguments of every launch, unless the request says otherwise.
    pub launch_defaults: Map<String, Value>,
    /// Arguments of every attach, unless the request says otherwise.
    pub attach_defaults: Map<String, Value>,
    /// Its habits.
    pub personality: Personality,
    /// How it calls a program's arguments was guessed: its entry does not say.
    #[serde(skip)]
    pub assumes_args: bool,
    /// Ways to install it, the best first.
    pub install: Install,
    /// Where this description comes from.
    #[serde(skip)]
    pub origin: Origin,
}

impl Adapter {
    /// Whether this is one of its names.
    pub fn is_called(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
            || self
                .aliases
                .iter()
                .any(|alias| alias.eq_ignore_ascii_case(name))
    }

    /// The directory name of our own copy of it.
    pub fn managed_directory(&self) -> &str {
        self.install_directory.as_deref().unwrap_or(&self.name)
    }

    /// The command or sentence that gets it onto this machine.
    pub fn install_hint(&self) -> String {
        match (self.install.first(), &self.origin) {
            (_, Origin::File(path)) => {
                format!("check its command in {}", path.display())
            }
            (Some(Method::Manual { text }), _) => text.clone(),
            (Some(_), _) => format!("{INSTALL}{}", self.name),
            (None, _) => String::new(),
        }
    }
}

/// How an adapter is installed, before its name.
const INSTALL: &str = "omp-debug adapters install ";

/// The adapter that a sentence says to install.
pub fn to_install(sentence: &str) -> Option<&str> {
    let (_, rest) = sentence.split_once(INSTALL)?;
    let end = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_')));
    rest.get(..end.unwrap_or(rest.len()))
        .filter(|name| !name.is_empty())
}

/// What kind of program an adapter starts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProgramKind {
    /// An executable with machine code.
    Binary,
    /// A source file that an interpreter runs.
    Source,
    /// It sorts that out itself.
    #[default]
    Any,
}

/// One place an adapter's program may come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    /// What to look for.
    #[serde(flatten)]
    pub program: Program,
    /// Arguments after it.
    #[serde(default)]
    pub args: Vec<String>,
    /// Arguments that start the same adapter faster; the plain ones are for when that fails.
    #[serde(default)]
    pub accelerated_args: Vec<String>,
    /// How a program is started whose own debug server connects to us, with no adapter in between.
    pub servers: Option<Box<Servers>>,
    /// Whether that is done unless somebody says otherwise.
    #[serde(default)]
    pub servers_by_default: bool,
    /// The way of talking that this command line is for, when it is not the adapter's usual one.
    pub connect: Option<ConnectMode>,
    /// Variables it needs.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// The first major version that speaks the protocol.
    pub minimum_version: Option<u32>,
    /// Arguments that make it print its version; none when it has no such option.
    #[serde(default)]
    pub version_args: Vec<String>,
    /// A JSON file with a `version`, relative to the program's or script's directory.
    pub version_file: Option<String>,
}

/// What to look for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "find", rename_all = "snake_case")]
pub enum Program {
    Executable {
        /// Its names; one with a slash is a path.
        names: Vec<String>,
        /// Also NAME-A down to NAME-B, for `[A, B]`.
        versions: Option<[u32; 2]>,
        /// Where it is in our own copy.
        #[serde(default)]
        managed: Vec<String>,
        /// Absolute templates; `*` stands for any part of one path component, the greatest match is taken.
        #[serde(default)]
        well_known: Vec<String>,
    },
    /// A tool that `xcrun` knows, where there is an `xcrun` on PATH.
    Xcrun {
        tool: String,
        /// It is started by `xcrun` itself, rather than at the place that `xcrun` tells.
        #[serde(default)]
        run: bool,
    },
    /// A Python that can import a module: the project's, our own, or one on PATH.
    PythonModule { module: String },
    /// A script that one of these runtimes runs.
    Script {
        /// Names of the runtimes, looked up on PATH.
        runtimes: Vec<String>,
        /// Where the script is in our own copy.
        #[serde(default)]
        managed: Vec<String>,
        /// As for executables.
        #[serde(default)]
        well_known: Vec<String>,
    },
}

/// Ways to install an adapter, the best first.
pub type Install = Vec<Method>;

/// One way to install an adapter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "method", rename_all = "snake_case", deny_unknown_fields)]
pub enum Method {
    /// Python packages into a virtual environment of its own.
    Venv {
        /// Requirements for pip.
        packages: Vec<String>,
    },
    /// Packages from the npm registry, without running their scripts.
    Npm {
        /// Package specifications.
        packages: Vec<String>,
    },
    /// Commands built by `go install`.
    Go {
        /// Package paths with a version.
        packages: Vec<String>,
    },
    /// Packages of Debian and its kin, for the whole machine.
    Apt {
        /// Package names.
        packages: Vec<String>,
        /// What to know about them.
        note: Option<String>,
    },
    /// A person has to do it.
    Manual { text: String },
}

/// Where a description comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Origin {
    /// It ships with us.
    #[default]
    BuiltIn,
    /// A file of the person or the project.
    File(PathBuf),
}

/// Further arguments of an adapter for programs of one language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LanguageSupport {
    /// The language, as in [`Adapter::languages`].
    pub language: String,
    /// A program on PATH and its arguments; it prints the folder where the language is installed. Empty where we bring the support.
    #[serde(default)]
    pub ask: Vec<String>,
    /// Folder of the support below that one.
    #[serde(default)]
    pub below: String,
    /// What it brings, for the doctor; a start says so where `values` are missing.
    pub brings: String,
    /// How to get it, where it is not there.
    #[serde(default)]
    pub hint: String,
    /// Which build of the language is installed, where that matters: what to ask for it, and a pattern whose group is `${build}`.
    pub build: Option<(Vec<String>, Pattern)>,
    /// Added to the adapter's command line; `${support}` is the folder.
    #[serde(default)]
    pub args: Vec<String>,
    /// Added to the commands that the debugger does first, in `initCommands` of a start; `${support}` is the folder.
    #[serde(default)]
    pub init_commands: Vec<String>,
}

/// A script of a project, and how a debugger is given it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProjectScript {
    /// The file's name; with a `*` in front what it ends with.
    pub name: String,
    /// Added to the adapter's command line; `${script}` is the file.
    #[serde(default)]
    pub args: Vec<String>,
    /// Added to the commands that the debugger does first.
    #[serde(default)]
    pub init_commands: Vec<String>,
}

impl ProjectScript {
    /// Whether a file is it.
    pub(super) fn is(&self, path: &Path) -> bool {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        match self.name.strip_prefix('*') {
            Some(end) => name.ends_with(end),
            None => name == self.name,
        }
    }
}
