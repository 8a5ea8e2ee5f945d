//! A command as it is typed, and what of it is debugged: one file a runner, and one table of how their commands begin.
//!
//! A runner has what it needs built, finds the program that the command would run in the end, and says how that is started, and
//! where it stops when a test fails. It starts no session; the core does, and runs the steps that are asked for here.

mod cargo;
mod ctest;
pub mod discover;
mod dotnet;
pub mod exec;
pub(crate) mod expected;
mod go;
mod node;
pub mod problems;
mod python;
mod ruby;

pub(crate) use go::failure_said;

use base::surroundings;
use futures_util::future::BoxFuture;
use problems::Problem;
use serde::de::DeserializeOwned;

use crate::{prelude::*, task::Task};

/// What is started.
#[derive(Clone, Debug, PartialEq)]
pub enum Start {
    /// A program.
    Launch(Box<LaunchSpec>),
    /// What a step has started and left waiting.
    Attach(Box<AttachSpec>),
}

/// What a command comes to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// One after the other.
    pub starts: VecDeque<Start>,
    /// The next one is started also when one fails.
    pub goes_on: bool,
    /// Exception filters that stop where a test's failure is raised.
    pub exceptions: Vec<&'static str>,
    /// Functions that are entered when a test fails.
    pub functions: Vec<&'static str>,
    /// What the command itself ends with when its program fails, where that is not the program's own code.
    pub fails_with: Option<i64>,
    /// Something to say about it.
    pub note: Option<String>,
}

/// A step before the start.
#[derive(Clone, Debug)]
pub struct Step {
    /// What is run. One that goes on in the background is done when it says that it is ready.
    pub task: Task,
    /// Its standard output is for us, and not for people.
    pub is_read: bool,
}

/// A step that is over.
#[derive(Clone, Debug, Default)]
pub struct Finished {
    /// Its exit code.
    pub code: i64,
    /// What it wrote.
    pub stdout: String,
    pub stderr: String,
}

/// Runs a step.
pub type Steps = Box<dyn Fn(Step) -> BoxFuture<'static, Result<Finished>> + Send + Sync>;

/// What went wrong before the start.
#[derive(Clone, Debug, Default)]
pub struct Trouble {
    /// What the compiler said, with places.
    pub problems: Vec<Problem>,
    /// The exit code of the step that failed.
    pub code: Option<i64>,
}

/// A command, and what there is to make a plan of it.
pub struct RunnerQuery<'a> {
    /// All of its words.
    pub command: Vec<String>,
    /// Those behind the ones that it is known by.
    pub rest: Vec<String>,
    /// What is known of the start: folder, environment, adapter.
    pub base: LaunchSpec,
    /// Where it is typed.
    pub cwd: PathBuf,
    /// The surroundings.
    pub context: &'a Context,
    /// This program, to follow others with.
    pub own: Option<&'a Path>,
    /// Runs what has to be run first.
    pub steps: &'a Steps,
    /// What went wrong in that.
    pub trouble: &'a Mutex<Trouble>,
}

/// Options of this program that people write behind a command.
const OWN_OPTIONS: &[&str] = &["-b", "--breakpoint", "--break-on-exception", "--adapter"];

/// How a command begins, word by word; the first word may have a folder before it and a version behind. Several words for one have `|`
/// between.
type Begins = &'static [&'static str];
/// A plan on its way.
type Planned<'a> = BoxFuture<'a, Result<Plan>>;
/// What makes one.
type Runner = for<'a> fn(RunnerQuery<'a>) -> Planned<'a>;

/// The first that fits is it.
const RUNNERS: &[(Begins, Runner)] = &[
    (&["cargo", "test|t"], |ask| Box::pin(cargo::test(ask))),
    (&["cargo", "run|r"], |ask| Box::pin(cargo::run(ask))),
    (&["cargo", "nextest", "run|r"], |ask| {
        Box::pin(cargo::nextest(ask))
    }),
    (&["pytest|py.test"], PYTEST),
    (&["python", "-m", "pytest"], PYTEST),
    (&["unittest"], UNITTEST),
    (&["python", "-m", "unittest"], UNITTEST),
    (&["python"], |ask| now(Ok(python::python(&ask)))),
    (&["uv", "run"], |ask| Box::pin(python::uv(ask))),
    (exec::ENVIRONMENT_RUN, FOLLOW),
    (exec::ENVIRONMENT_TESTS, FOLLOW),
    (&["go", "test"], |ask| Box::pin(go::test(ask))),
    (&["go", "run"], |ask| Box::pin(go::run(ask))),
    (&["jest|vitest"], |ask| now(node::runner(&ask))),
    (&["npx", "jest|vitest"], |ask| now(node::runner(&ask))),
    (&["node|nodejs"], |ask| now(Ok(node::node(&ask)))),
    (&["deno", "test"], |ask| Box::pin(node::deno(ask))),
    (&["deno|bun|bunx"], |ask| {
        now(Err(node::foreign(ask.word())))
    }),
    (&["npm|npx|yarn|pnpm"], |ask| now(node::follow(&ask))),
    (&["bundle", "exec"], |ask| Box::pin(ruby::bundle(ask))),
    (&["ruby|rspec"], |ask| now(ruby::ruby(&ask))),
    (&["ctest"], |ask| Box::pin(ctest::plan(ask))),
    (DOTNET, |ask| Box::pin(dotnet::plan(ask))),
];
const PYTEST: Runner = |ask| now(Ok(python::module("pytest", &ask)));
const UNITTEST: Runner = |ask| now(Ok(python::module("unittest", &ask)));
const FOLLOW: Runner = |ask| Box::pin(exec::plan(ask));
const DOTNET: Begins = &["dotnet", "test"];
/// Programs that are installed under a name with their version.
const VERSIONED: [&str; 3] = ["python", "pytest", "ruby"];

fn now<'a>(plan: Result<Plan>) -> Planned<'a> {
    Box::pin(std::future::ready(plan))
}

/// The name of a program without its folder, and without the version that is part of some (`python3.11`, `pytest-3`). A `node1` is
/// somebody's own.
fn name_of(program: &str) -> Option<String> {
    // `.` and `..` name no program.
    let name = Path::new(program).file_name()?.lossy();
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
    let is_versioned = VERSIONED.contains(&bare);
    Some(if is_versioned { bare.to_owned() } else { name })
}

/// Whether a command begins so.
fn begins(command: &[String], begins: Begins) -> bool {
    let Some(name) = command.first().and_then(|first| name_of(first)) else {
        return false;
    };
    let words = iter::once(&name).chain(command.iter().skip(1));
    command.len() >= begins.len()
        && words
            .zip(begins)
            .all(|(word, known)| known.split('|').any(|known| known == word))
}

fn runner_of(command: &[String]) -> Option<(Runner, usize)> {
    let mut known = RUNNERS.iter();
    let (words, runner) = known.find(|(words, _)| begins(command, words))?;
    Some((*runner, words.len()))
}

/// Whether words are a command, and not a program of the folder `cwd` where they are typed: known here, on PATH, or installed in an
/// environment of Python's or Node's.
pub fn is_known(command: &[String], cwd: &Path) -> bool {
    let Some(first) = command.first() else {
        return false;
    };
    let is_bare = !first.contains('/');
    let on_path = || {
        let env = surroundings::variables();
        surroundings::path_folders(&env).any(|dir| surroundings::is_executable(&dir.join(first)))
    };
    let is_installed = || {
        let file = cwd.join(first);
        let folder = file.parent().filter(|_| surroundings::is_executable(&file));
        let in_environment = |folder: &Path| folder.with_file_name("pyvenv.cfg").is_file();
        folder.is_some_and(|folder| in_environment(folder) || folder.ends_with("node_modules/.bin"))
    };
    let by_name = || if is_bare { on_path() } else { is_installed() };
    !(is_bare && cwd.join(first).is_file()) && (runner_of(command).is_some() || by_name())
}

/// Something that a person should know of this way of debugging.
pub fn note(command: &[String]) -> Option<&'static str> {
    begins(command, DOTNET).then_some(dotnet::NOTE)
}

/// What a program is run as that no debugger can be given as it is.
pub fn implied(spec: &LaunchSpec) -> Option<Vec<String>> {
    let program = spec.program.lossy();
    let is_implied = spec.extra.is_empty() && node::is_typescript(&spec.program);
    is_implied.then(|| {
        let words = iter::once(program);
        words.chain(spec.args.iter().cloned()).collect()
    })
}

/// What is to be started for a command.
pub fn plan(mut ask: RunnerQuery<'_>) -> BoxFuture<'_, Result<Plan>> {
    let (runner, words) = runner_of(&ask.command).unwrap_or((|ask| Box::pin(file(ask)), 1));
    ask.rest = ask.command.get(words..).unwrap_or_default().to_vec();
    (ask.base.command, ask.base.args) = (Vec::new(), Vec::new());
    ask.base.program = PathBuf::new();
    runner(ask)
}

/// A program that is named by its file, or found on PATH.
async fn file(asked: RunnerQuery<'_>) -> Result<Plan> {
    let ask = &asked;
    let program = ask.program()?;
    if node::is_typescript(&program) {
        return node::typescript(ask, &program).await;
    }
    if exec::is_launcher(ask, &program) {
        return exec::plan(asked).await;
    }
    if let Some(python) = ask
        .base
        .adapter
        .is_none()
        .then(|| python::interpreter(&program))
        .flatten()
    {
        return Ok(python::script(ask, &python, &program, ask.rest.clone()));
    }
    Ok(ask.launch(program, ask.rest.clone()))
}

impl Plan {
    /// One program.
    fn of(spec: LaunchSpec) -> Self {
        Self::all([spec])
    }

    /// Several, one after the other.
    fn all(specs: impl IntoIterator<Item = LaunchSpec>) -> Self {
        let starts = specs.into_iter().map(|spec| Start::Launch(Box::new(spec)));
        let mut starts: VecDeque<_> = starts.collect();
        if let [Start::Launch(spec)] = starts.make_contiguous() {
            // It is the whole of it.
            spec.part = None;
        }
        Self {
            starts,
            ..Self::default()
        }
    }
}

impl Finished {
    /// What it listed, as JSON.
    fn listed<T: DeserializeOwned>(&self, by: &str) -> Result<T> {
        serde_json::from_slice(self.stdout.as_bytes()).map_err(|error| {
            let what = format!("What {by} lists cannot be read: {error}.");
            DebuggerError::program(what)
        })
    }
}

/// How many of the first words are options, and values of those that take one; some words that look like options end them.
fn options(words: &[String], values: &[&str], ends: &[&str]) -> usize {
    let is_option = |word: &&String| word.starts_with('-') && !ends.contains(&word.as_str());
    let mut at = 0;
    while let Some(word) = words.get(at).filter(is_option) {
        at += 1 + usize::from(values.contains(&word.as_str()));
    }
    at.min(words.len())
}

/// A start under the adapter that a command implies, where none was chosen.
fn under(adapter: &str, base: LaunchSpec) -> LaunchSpec {
    LaunchSpec {
        adapter: base.adapter.clone().or_else(|| Some(adapter.to_owned())),
        ..base
    }
}

impl RunnerQuery<'_> {
    /// The start as far as it is the same for all tests: they begin without a stop.
    fn test(&self) -> LaunchSpec {
        LaunchSpec {
            stop_on_entry: self.base.stop_on_entry.or(Some(false)),
            ..self.base.clone()
        }
    }

    /// A program, as it is.
    fn launch(&self, program: PathBuf, args: Vec<String>) -> Plan {
        Plan::of(LaunchSpec {
            program,
            args,
            ..self.base.clone()
        })
    }

    /// The first word.
    fn word(&self) -> &str {
        self.command.first().map_or("", String::as_str)
    }

    /// The program that the first word names.
    fn program(&self) -> Result<PathBuf> {
        let word = self.word();
        self.find(word).ok_or_else(|| {
            DebuggerError::program(format!("`{word}` is not on PATH."))
                .hint("install it, or write it with its path")
        })
    }

    /// The program that a word names: a path as it is, or what is on PATH.
    fn find(&self, word: &str) -> Option<PathBuf> {
        if word.contains('/') || self.cwd.join(word).is_file() {
            return Some(self.cwd.join(word)).filter(|path| path.exists());
        }
        let own = self.base.env.iter().find(|(name, _)| name == "PATH");
        let own = own.and_then(|(_, value)| value.as_ref());
        let mut first = own.into_iter().flat_map(std::env::split_paths);
        let first = first.find_map(|folder| Some(folder.join(word)).filter(|path| path.is_file()));
        first.or_else(|| self.context.on_path(word))
    }

    /// The words of its program with others, and those that were typed behind them.
    fn argv(&self, words: &[&str], typed: &[String]) -> Result<Vec<String>> {
        let program = self.program()?.lossy();
        let words = words.iter().map(|&word| word.to_owned());
        let own = iter::once(program).chain(words);
        Ok(own.chain(typed.iter().cloned()).collect())
    }

    /// Runs something first. What it says of sources is kept.
    async fn step(&self, argv: Vec<String>, is_read: bool) -> Result<Finished> {
        self.run(Step {
            task: Task {
                label: words::join(&argv),
                argv,
                ..Task::default()
            },
            is_read,
        })
        .await
    }

    async fn run(&self, mut step: Step) -> Result<Finished> {
        step.task.cwd.clone_from(&self.cwd);
        let env = self.base.env.iter();
        let env = env.filter_map(|(name, value)| Some((name.clone(), value.clone()?)));
        step.task.env.extend(env);
        let done = (self.steps)(step).await?;
        let found = [&done.stdout, &done.stderr].map(|text| problems::of(text, &self.cwd));
        let mut trouble = lock(self.trouble);
        for problem in found.into_iter().flatten() {
            if !trouble.problems.contains(&problem) {
                trouble.problems.push(problem);
            }
        }
        if done.code != 0 {
            trouble.code = Some(done.code);
        }
        Ok(done)
    }

    /// Has something built; what fails is told by its first error.
    async fn build(&self, argv: Vec<String>, is_read: bool) -> Result<Finished> {
        let told = words::join(&argv);
        let done = self.step(argv, is_read).await?;
        match done.code {
            0 => Ok(done),
            _ => Err(self.failed(&told, &done)),
        }
    }

    /// Whether a compiler found something wrong.
    fn has_errors(&self) -> bool {
        let trouble = lock(self.trouble);
        trouble.problems.iter().any(|one| one.is_error)
    }

    /// Why a build failed.
    fn failed(&self, told: &str, done: &Finished) -> DebuggerError {
        let trouble = lock(self.trouble);
        let errors = trouble.problems.iter().filter(|one| one.is_error).count();
        let first = trouble.problems.iter().find(|one| one.is_error);
        // What was wrong comes first: a line of the screen may have room for no more.
        let what = match (first, errors) {
            (None, _) => format!("`{told}` failed with exit code {}.", done.code),
            (Some(first), 1) => format!("The build failed: {first}"),
            (Some(first), _) => {
                format!("The build failed with {errors} errors; the first: {first}")
            }
        };
        let last: Vec<_> = done.stderr.lines().rev().take(12).collect();
        let last = last.into_iter().rev().joined("\n");
        DebuggerError {
            details: Some(last).filter(|text| !text.is_empty()),
            ..DebuggerError::program(what)
        }
        .hint(
            misplaced(&self.command)
                .unwrap_or_else(|| "all that it printed is in the output".to_owned()),
        )
    }
}

/// What to write where an option of ours stands behind the words of a command, which is given it and may know no such option.
fn misplaced(command: &[String]) -> Option<String> {
    let mut own = command.iter().take_while(|word| *word != "--");
    let at = own.position(|word| {
        let name = word.split_once('=').map_or(word.as_str(), |(name, _)| name);
        OWN_OPTIONS.contains(&name)
    })?;
    let mut rest = command.to_vec();
    let end = at + if command.get(at)?.contains('=') { 1 } else { 2 };
    let mut meant: Vec<_> = rest.drain(at..end.min(command.len())).collect();
    meant.append(&mut rest);
    let meant = words::join(meant);
    Some(format!(
        "options of omp-debug stand before the command: omp-debug {meant}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn an_option_of_ours_behind_a_command_is_told_where_it_stands() {
        let told = |text: &str| misplaced(&words::split(text).unwrap());
        let hint = |meant| {
            let hint = format!("options of omp-debug stand before the command: omp-debug {meant}");
            Some(hint)
        };
        let meant = "-b src/main.rs:30 cargo run -q";
        assert_eq!(told("cargo run -b src/main.rs:30 -q"), hint(meant));
        let meant = "--adapter=gdb cargo run";
        assert_eq!(told("cargo run --adapter=gdb"), hint(meant));
        assert_eq!(told("cargo run -b"), hint("-b cargo run"));
        assert_eq!(told("cargo run -- -b 3"), None);
    }

    #[test]
    fn runners_are_known_by_their_first_words() {
        let words = |text: &str| words::split(text).unwrap();
        let folder = tempfile::tempdir().unwrap();
        for (command, rest) in [
            ("pytest -k a", 1),
            (".venv/bin/pytest", 1),
            ("python3 -m pytest tests", 3),
            ("python3 -m shop", 1),
            ("/usr/bin/python3.11 app.py", 1),
            ("pytest-3 -k a", 1),
            ("cargo t --lib", 2),
            ("cargo nextest run", 3),
            ("go test ./...", 2),
            ("npx vitest run", 2),
            ("npx cowsay", 1),
            ("dotnet test --filter X", 2),
        ] {
            let found = runner_of(&words(command)).map(|(_, n)| n);
            assert_eq!(found, Some(rest), "{command}");
            assert!(is_known(&words(command), folder.path()));
        }
        for none in ["cargo build", "./node1", ".", "..", "/"] {
            assert!(runner_of(&words(none)).is_none(), "{none}");
        }
        let tool = folder.path().join("env/bin/serve");
        fs::create_dir_all(tool.parent().unwrap()).unwrap();
        fs::write(&tool, "").unwrap();
        fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
        let typed = words("env/bin/serve -w 2");
        assert!(!is_known(&typed, folder.path()));
        fs::write(folder.path().join("env/pyvenv.cfg"), "").unwrap();
        assert!(is_known(&typed, folder.path()));
        fs::write(folder.path().join("pytest"), "").unwrap();
        assert!(!is_known(&words("pytest -k a"), folder.path()));
        assert!(note(&words("dotnet test")).is_some() && note(&words("pytest")).is_none());
    }
}
