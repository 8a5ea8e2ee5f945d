//! Where the program of an adapter is on this machine, and with which command line it starts.
//!
//! Places are tried in this order, and in each place every candidate of the table: what a person's file names,
//! the project's own directories, our own copy, PATH, well-known places. Nothing is remembered between calls:
//! an adapter that has just been installed is found at once.

use dap::{client::Address, transport::ConnectMode};

use super::{
    adapter::{Candidate, Origin, Program},
    context::is_executable,
    places::{bare, expand, glob, with_versions},
    probe, python,
    servers::Servers,
};
use crate::prelude::*;

/// Set to 1 to start adapters by their plain command lines only.
pub const PLAIN_ADAPTER: &str = "OMP_DEBUG_PLAIN_ADAPTER";
/// Set to `tcp`, `socket` or `connect_back` to prefer command lines for that way of talking; to `servers` to have the debug
/// servers of programs connect to us where the table knows how; to `stdio` to have an adapter always.
pub const CONNECT: &str = "OMP_DEBUG_CONNECT";

macro_rules! assets {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("../../../assets/", $name)))),*]
    };
}
/// Python code that our command lines may refer to: `${asset:NAME}` is it, `${exec:NAME}` inside a word is one line that runs it.
const ASSETS: &[(&str, &str)] = assets!(
    "debugpy_children.py" "debugpy_launcher.py" "debugpy_failures.py" "debugpy_stops.py" "debugpy_tracing.py" "debugpy_values.py" "gdb_program.py" "gdb_values.py" "gdb_watch.py" "lldb_rust.py" "lldb_values.py" "native_lines.py"
);

/// Directories of a project that hold commands, by the files that mark such a project.
const LOCAL_BINS: [(&[&str], &[&str]); 3] = [
    (&["package.json"], &["node_modules/.bin"]),
    (
        &["pyproject.toml", "setup.py", "requirements.txt", "Pipfile"],
        &[".venv/bin", "venv/bin", ".env/bin"],
    ),
    (&["Gemfile"], &["vendor/bundle/bin", "bin"]),
];

/// An adapter that can be started here.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolved {
    pub adapter: Arc<Adapter>,
    /// Its command line. May hold `${port}`, which the transport fills in, and `${program}` and `${args}`,
    /// which [`Resolved::command_line`] fills in. Empty when nothing is to be started.
    pub argv: Vec<String>,
    /// The plain command line, when `argv` is one that starts it faster: to fall back on.
    pub plain_argv: Option<Vec<String>>,
    /// How programs are started whose own debug server connects to us; none when the adapter is wanted.
    pub servers: Option<Box<Servers>>,
    /// Variables to set, or to unset where there is no value.
    pub env: Vec<(String, Option<String>)>,
    /// How to talk to it.
    pub connect: ConnectMode,
    /// Where it was found, in one line.
    pub how: String,
    /// Why it was chosen, where a person should know.
    pub because: Option<String>,
    /// Where it was found, as a kind of place.
    pub place: SearchPlace,
    /// The surroundings it was found in.
    pub context: Context,
    /// How its version is learnt.
    pub(super) version: VersionSource,
}

/// A kind of place where programs are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchPlace {
    /// A file of the person names it.
    Configured,
    /// The project's own directories or its active virtual environment.
    Project,
    /// Our own copy.
    Managed,
    Path,
    /// A place where it usually is.
    WellKnown,
    /// Nothing is started; it listens already.
    Remote,
}

/// How the version of what was found is learnt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VersionSource {
    pub argv: Vec<String>,
    pub file: Option<PathBuf>,
}

impl Resolved {
    /// The command line for one program, for adapters that are started on it.
    pub fn command_line(&self, plain: bool, program: &Path, args: &[String]) -> Vec<String> {
        let words = self.words(plain).iter();
        words
            .flat_map(|word| match word.as_str() {
                "${program}" => vec![program.lossy()],
                "${args}" => args.to_vec(),
                _ => vec![word.clone()],
            })
            .collect()
    }

    /// The command line, the plain one where that is wanted.
    pub fn words(&self, plain: bool) -> &[String] {
        match &self.plain_argv {
            Some(argv) if plain => argv,
            _ => &self.argv,
        }
    }

    /// As if it had been found.
    #[cfg(test)]
    pub(crate) fn for_tests(
        adapter: &Arc<Adapter>,
        argv: Vec<String>,
        servers: Servers,
        context: &Context,
    ) -> Self {
        Self {
            argv,
            servers: Some(Box::new(servers)),
            ..Self::remote(adapter, context, "", 0)
        }
    }

    /// An adapter that listens already: nothing is started.
    pub(super) fn remote(adapter: &Arc<Adapter>, context: &Context, host: &str, port: u16) -> Self {
        Self {
            adapter: Arc::clone(adapter),
            argv: Vec::new(),
            plain_argv: None,
            servers: None,
            env: Vec::new(),
            connect: ConnectMode::At(Address::Port(host.to_owned(), port)),
            how: format!("listening at {host}:{port}"),
            because: None,
            place: SearchPlace::Remote,
            context: context.clone(),
            version: VersionSource::default(),
        }
    }
}

/// Finds the program of an adapter.
pub fn resolve(adapter: &Arc<Adapter>, context: &Context) -> Result<Resolved, AdapterError> {
    resolve_near(adapter, context, None)
}

/// Finds the program of an adapter, looking also at the project that a file belongs to.
pub fn resolve_near(
    adapter: &Arc<Adapter>,
    context: &Context,
    near: Option<&Path>,
) -> Result<Resolved, AdapterError> {
    let mut search = Search {
        adapter,
        context,
        roots: roots(adapter, context, near),
        tried: Vec::new(),
        unasked: false,
    };
    let named = context.var(CONNECT).unwrap_or_default();
    let wanted = serde_json::from_value(named.into()).ok();
    let wanted = wanted.filter(|way| *way != ConnectMode::Stdio);
    let suits = |candidate: &&Candidate| match &wanted {
        Some(way) => candidate.connect.as_ref().unwrap_or(&adapter.connect) == way,
        None => candidate.connect.is_none(),
    };
    let mut candidates: Vec<_> = adapter.command.iter().filter(suits).collect();
    if candidates.is_empty() {
        candidates = adapter
            .command
            .iter()
            .filter(|candidate| candidate.connect.is_none())
            .collect();
    }
    for unasked in [false, true] {
        search.unasked = unasked;
        search.tried.clear();
        for place in [
            SearchPlace::Project,
            SearchPlace::Managed,
            SearchPlace::Path,
            SearchPlace::WellKnown,
        ] {
            for candidate in &candidates {
                if let Some(found) = search.find(candidate, place) {
                    return Ok(search.resolved(candidate, place, &found));
                }
            }
        }
    }
    let tried = if search.tried.is_empty() {
        search.missing()
    } else {
        search.tried.join("; ")
    };
    let (name, title) = (&adapter.name, &adapter.title);
    let what = format!("the debug adapter {name} ({title}) is not available: {tried}");
    Err(AdapterError {
        missing: Some(format!("The debug adapter {name} is not here.")),
        tried: Some(tried),
        ..AdapterError::new(ErrorKind::AdapterMissing, what, adapter.install_hint())
    })
}

/// The project of the program and the current directory, in this order.
fn roots(adapter: &Adapter, context: &Context, near: Option<&Path>) -> Vec<PathBuf> {
    let mut roots = Vec::new();
    if let Some(near) = near {
        let start = if near.is_dir() {
            Some(near)
        } else {
            near.parent()
        };
        roots.extend(
            start
                .and_then(|start| marked_root(&adapter.root_markers, start))
                .or_else(|| start.map(Path::to_owned)),
        );
    }
    let is_elsewhere = near.is_some_and(|near| !context.absolute(near).starts_with(&context.cwd));
    if !is_elsewhere && !roots.contains(&context.cwd) {
        roots.push(context.cwd.clone());
    }
    roots
}

/// The nearest directory at or above `start` that holds one of these markers.
pub fn marked_root(markers: &[String], start: &Path) -> Option<PathBuf> {
    start
        .ancestors()
        .find(|dir| markers.iter().any(|marker| has_marker(dir, marker)))
        .map(Path::to_owned)
}

fn has_marker(dir: &Path, marker: &str) -> bool {
    match marker.strip_prefix('*') {
        None => dir.join(marker).exists(),
        Some(ending) => fs::read_dir(dir).is_ok_and(|entries| {
            entries
                .take(10_000)
                .flatten()
                .any(|entry| entry.file_name().to_string_lossy().ends_with(ending))
        }),
    }
}

/// What was found for one candidate: the words before its arguments.
struct Hit {
    words: Vec<String>,
    /// The file that decides where things beside it are.
    file: PathBuf,
}

impl Hit {
    fn program(file: PathBuf) -> Self {
        Self {
            words: vec![file.lossy()],
            file,
        }
    }
}

struct Search<'a> {
    adapter: &'a Arc<Adapter>,
    context: &'a Context,
    roots: Vec<PathBuf>,
    tried: Vec<String>,
    /// One whose version cannot be asked will do: there is no other.
    unasked: bool,
}

impl Search<'_> {
    fn find(&mut self, candidate: &Candidate, place: SearchPlace) -> Option<Hit> {
        match &candidate.program {
            Program::Executable {
                names,
                versions,
                managed,
                well_known,
            } => {
                let names = with_versions(names, *versions);
                let found = match place {
                    SearchPlace::Project => {
                        self.named_paths(&names).chain(self.local(&names)).collect()
                    }
                    SearchPlace::Managed => self.managed(managed),
                    SearchPlace::Path => self.path(&names),
                    SearchPlace::WellKnown | SearchPlace::Configured | SearchPlace::Remote => {
                        self.templates(well_known)
                    }
                };
                found
                    .into_iter()
                    .find(|path: &PathBuf| {
                        is_executable(path) && self.is_new_enough(candidate, path, place)
                    })
                    .map(Hit::program)
            }
            Program::Xcrun { tool, run } => {
                if place != SearchPlace::Path {
                    return None;
                }
                let xcrun = self.context.on_path("xcrun")?;
                let told = probe::ask(&xcrun, &["--find", tool], self.context);
                let path = told.map(|path| PathBuf::from(path.trim()));
                let Some(path) = path.filter(|path| path.is_absolute() && is_executable(path))
                else {
                    self.tried.push(format!(
                        "{} --find {tool} names no program",
                        xcrun.display()
                    ));
                    return None;
                };
                if *run {
                    let words = vec![xcrun.lossy(), tool.clone()];
                    return Some(Hit { words, file: path });
                }
                Some(Hit::program(path))
            }
            Program::PythonModule { module } => {
                let pythons = match place {
                    SearchPlace::Project => python::of_project(self.context, &self.roots),
                    SearchPlace::Managed => vec![
                        self.context
                            .managed(self.adapter.managed_directory())
                            .join("bin/python"),
                    ],
                    SearchPlace::Path => self.path(&["python3".to_owned(), "python".to_owned()]),
                    SearchPlace::WellKnown | SearchPlace::Configured | SearchPlace::Remote => {
                        Vec::new()
                    }
                };
                pythons
                    .into_iter()
                    .find(|path| {
                        if !is_executable(path) {
                            return false;
                        }
                        let has = python::has_module(path, module, self.context);
                        if !has {
                            self.tried
                                .push(format!("{} has no module {module}", path.display()));
                        }
                        has
                    })
                    .map(Hit::program)
            }
            Program::Script {
                runtimes,
                managed,
                well_known,
            } => {
                let scripts = match place {
                    SearchPlace::Managed => self.managed(managed),
                    SearchPlace::WellKnown => self.templates(well_known),
                    _ => Vec::new(),
                };
                let script = scripts.into_iter().find(|path| path.is_file())?;
                let Some(runtime) = runtimes.iter().find_map(|name| self.context.on_path(name))
                else {
                    self.tried.push(format!(
                        "{} is here, but {} is not on PATH to run it",
                        script.display(),
                        runtimes.join(" or ")
                    ));
                    return None;
                };
                Some(Hit {
                    words: [&runtime, &script].map(Lossy::lossy).to_vec(),
                    file: script,
                })
            }
        }
    }

    /// Names that are paths.
    fn named_paths<'b>(&'b self, names: &'b [String]) -> impl Iterator<Item = PathBuf> + 'b {
        names
            .iter()
            .filter(|name| name.contains('/'))
            .map(|name| self.context.absolute(Path::new(name)))
    }

    /// Names in the directories of the project that hold commands.
    fn local<'b>(&'b self, names: &'b [String]) -> impl Iterator<Item = PathBuf> + 'b {
        self.roots
            .iter()
            .flat_map(|root| {
                LOCAL_BINS
                    .iter()
                    .filter(|(markers, _)| markers.iter().any(|marker| root.join(marker).exists()))
                    .flat_map(|(_, dirs)| dirs.iter().map(|dir| root.join(dir)))
            })
            .chain(python::active(self.context))
            .flat_map(|dir| bare(names).map(move |name| dir.join(name)))
    }

    fn managed(&self, places: &[String]) -> Vec<PathBuf> {
        let root = self.context.managed(self.adapter.managed_directory());
        places
            .iter()
            .filter_map(|place| expand(place, self.context))
            .map(|place| root.join(place))
            .collect()
    }

    fn path(&self, names: &[String]) -> Vec<PathBuf> {
        let dirs = self.context.path_dirs();
        bare(names)
            .flat_map(|name| dirs.iter().map(move |dir| dir.join(name)))
            .collect()
    }

    fn templates(&self, templates: &[String]) -> Vec<PathBuf> {
        templates
            .iter()
            .filter_map(|template| expand(template, self.context))
            .flat_map(|path| glob(Path::new(&path)))
            .collect()
    }

    fn is_new_enough(&mut self, candidate: &Candidate, path: &Path, place: SearchPlace) -> bool {
        let Some(minimum) = candidate.minimum_version else {
            return true;
        };
        // We chose what we installed.
        if place == SearchPlace::Managed {
            return true;
        }
        // One of the project is not run to ask it something.
        if self.context.question(path).is_err() {
            return self.unasked;
        }
        match probe::version(path, &candidate.version_args, self.context) {
            Some((major, _)) if major >= minimum => true,
            Some((_, version)) => {
                self.tried.push(format!(
                    "{} is version {version} and only {minimum} or newer speaks the protocol",
                    path.display()
                ));
                false
            }
            None => {
                self.tried
                    .push(format!("{} did not tell its version", path.display()));
                false
            }
        }
    }

    fn resolved(&self, candidate: &Candidate, place: SearchPlace, hit: &Hit) -> Resolved {
        let place = match self.adapter.origin {
            Origin::File(_) => SearchPlace::Configured,
            Origin::BuiltIn => place,
        };
        let with = |args: &[String]| -> Vec<String> {
            hit.words
                .iter()
                .cloned()
                .chain(
                    args.iter()
                        .map(|arg| asset(arg).unwrap_or_else(|| arg.clone())),
                )
                .collect()
        };
        let plain = with(&candidate.args);
        let may_be_fast = self
            .context
            .var(PLAIN_ADAPTER)
            .is_none_or(|value| value == "0");
        let is_accelerated = may_be_fast && !candidate.accelerated_args.is_empty();
        // Whoever asks for a way of talking to the adapter wants the adapter.
        let without_adapter = may_be_fast
            && match self.context.var(CONNECT) {
                None | Some("") => candidate.servers_by_default,
                Some(way) => way == "servers",
            };
        let (argv, plain_argv) = if is_accelerated {
            (with(&candidate.accelerated_args), Some(plain))
        } else {
            (plain, None)
        };
        let found = hit.words.join(" ");
        Resolved {
            adapter: Arc::clone(self.adapter),
            argv,
            plain_argv,
            servers: candidate.servers.clone().filter(|_| without_adapter),
            env: candidate
                .env
                .clone()
                .into_iter()
                .map(|(name, value)| (name, Some(value)))
                .collect(),
            connect: candidate
                .connect
                .clone()
                .unwrap_or_else(|| self.adapter.connect.clone()),
            how: match (place, &self.adapter.origin) {
                (_, Origin::File(file)) => format!("{found}, named by {}", file.display()),
                (SearchPlace::Project, _) => format!("{found}, of this project"),
                (SearchPlace::Managed, _) => format!("{found}, our own copy"),
                (SearchPlace::Path, _) => format!("{found}, on PATH"),
                _ => found,
            },
            because: None,
            place,
            context: self.context.clone(),
            version: VersionSource {
                argv: if candidate.version_args.is_empty() {
                    Vec::new()
                } else {
                    with(&candidate.version_args)
                },
                file: candidate
                    .version_file
                    .as_ref()
                    .and_then(|file| Some(hit.file.parent()?.join(file))),
            },
        }
    }

    fn missing(&self) -> String {
        let mut names: Vec<_> = self
            .adapter
            .command
            .iter()
            .flat_map(|candidate| match &candidate.program {
                Program::Executable { names, .. } => names.clone(),
                // An `xcrun` without it has its own sentence.
                Program::Xcrun { .. } => Vec::new(),
                Program::PythonModule { module } => vec![format!("a Python with {module}")],
                Program::Script { managed, .. } => managed
                    .iter()
                    .filter_map(|path| Some(Path::new(path).file_name()?.lossy()))
                    .collect(),
            })
            .collect();
        let mut told = BTreeSet::new();
        names.retain(|name| told.insert(name.clone()));
        format!(
            "{} is neither in the project, nor installed by omp-debug, nor on PATH",
            names.join(" or ")
        )
    }
}

pub(crate) fn asset(word: &str) -> Option<String> {
    let named = |name: &str| ASSETS.iter().find(|(known, _)| *known == name);
    if let Some((before, name)) = word.split_once("${exec:") {
        let (name, text) = named(name.strip_suffix('}')?)?;
        // A text of JSON is one of Python; in brackets, its name is no file's.
        let (text, name) = (json!(text), json!(format!("<{name}>")));
        return Some(format!("{before}exec(compile({text}, {name}, 'exec'))"));
    }
    let name = word.strip_prefix("${asset:")?.strip_suffix('}')?;
    named(name).map(|(_, text)| (*text).to_owned())
}
