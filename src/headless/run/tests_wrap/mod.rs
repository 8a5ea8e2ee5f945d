//! `--test 'COMMAND'`: a test runner's command as the launch of a debuggee.
//!
//! The command line itself is kept; only who starts it changes. Where a test's failure shows is known for each runner.

mod cargo;
mod dotnet;
mod go;
mod kept;
mod node;
mod python;

use std::path::{Path, PathBuf};

use debugger::{
    BreakpointSite, BreakpointSpec, Command, DebuggerError, ExceptionFilter, Kind, LaunchSpec,
};

use super::{
    Plan,
    exceptions::Wanted,
    options::{Options, Start},
};

pub(super) use kept::KeptRunner;

/// A test run as a launch.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TestRun {
    launch: Command,
    /// Exception filters that stop where a failure is raised.
    exceptions: Vec<&'static str>,
    /// Functions that are entered when a test fails.
    functions: Vec<&'static str>,
}

/// One test runner.
struct Runner {
    /// How its command begins, word by word; the first word may have a folder before it.
    begins: &'static [&'static [&'static str]],
    /// Something that a person should know of it.
    note: Option<&'static str>,
    which: Which,
}

#[derive(Clone, Copy)]
enum Which {
    Pytest,
    Unittest,
    Cargo,
    Go,
    Node,
    NodeRunner,
    Dotnet,
}

const RUNNERS: &[Runner] = &[
    Runner {
        begins: &[
            &["pytest"],
            &["py.test"],
            &["python", "-m", "pytest"],
            &["python3", "-m", "pytest"],
        ],
        note: None,
        which: Which::Pytest,
    },
    Runner {
        begins: &[
            &["unittest"],
            &["python", "-m", "unittest"],
            &["python3", "-m", "unittest"],
        ],
        note: None,
        which: Which::Unittest,
    },
    Runner {
        begins: &[&["cargo", "test"], &["cargo", "t"]],
        note: None,
        which: Which::Cargo,
    },
    Runner {
        begins: &[&["go", "test"]],
        note: None,
        which: Which::Go,
    },
    Runner {
        begins: &[&["node"]],
        note: None,
        which: Which::Node,
    },
    Runner {
        begins: &[&["jest"], &["vitest"], &["npx", "jest"], &["npx", "vitest"]],
        note: None,
        which: Which::NodeRunner,
    },
    Runner {
        begins: &[&["dotnet", "test"]],
        note: Some(dotnet::NOTE),
        which: Which::Dotnet,
    },
];

/// Whether a command begins so; what follows comes back.
fn after<'c>(command: &'c [String], begins: &[&str]) -> Option<&'c [String]> {
    let (first, rest) = begins.split_first()?;
    let name = Path::new(command.first()?).file_name()?.to_string_lossy();
    let same = name == *first
        && command.len() >= begins.len()
        && command
            .iter()
            .skip(1)
            .zip(rest)
            .all(|(word, wanted)| word == wanted);
    same.then(|| command.get(begins.len()..)).flatten()
}

fn runner_of(command: &[String]) -> Option<(&'static Runner, usize)> {
    RUNNERS.iter().find_map(|runner| {
        let begins = runner
            .begins
            .iter()
            .find(|begins| after(command, begins).is_some())?;
        Some((runner, begins.len()))
    })
}

/// Something that a person should know of this way of debugging.
pub(super) fn note(command: &[String]) -> Option<&'static str> {
    runner_of(command).and_then(|(runner, _)| runner.note)
}

/// What is to be started. A `supervisor` watches over a test runner that goes on beside the program.
pub(super) async fn plan(
    options: &Options,
    supervisor: Option<&Path>,
) -> Result<Plan, DebuggerError> {
    let wanted = Wanted {
        words: options.exceptions.clone(),
    };
    let mut filters = wanted.filters();
    let nothing_to_stop_at = options.stops.is_empty() && filters.is_empty();
    let mut beside = options.beside.clone();
    for command in &mut beside {
        match command {
            Command::Launch(spec) => spec.exception_filters.clone_from(&filters),
            Command::Attach(spec) => spec.exception_filters.clone_from(&filters),
            _ => {}
        }
    }
    let simple = |start| Plan {
        start,
        beside,
        failure_functions: Vec::new(),
        failure_exceptions: false,
        kept: None,
    };
    match &options.start {
        Start::Launch(spec) => {
            // Steps and paths begin somewhere: at the entry, if nothing else was named.
            let from_entry = nothing_to_stop_at && (options.steps > 0 || options.trace.is_some());
            let entry = spec.stop_on_entry.unwrap_or_default() || from_entry;
            Ok(simple(Command::Launch(Box::new(LaunchSpec {
                exception_filters: filters,
                stop_on_entry: Some(entry),
                ..spec.clone()
            }))))
        }
        Start::Attach(spec) => {
            let mut spec = spec.clone();
            spec.exception_filters = filters;
            Ok(simple(Command::Attach(Box::new(spec))))
        }
        Start::Test { command, launch } => {
            let (run, kept) = wrap(command, launch, &options.cwd, supervisor).await?;
            let on_failure = options.break_on_test_failure;
            if on_failure {
                filters.extend(
                    run.exceptions
                        .iter()
                        .map(|filter| ExceptionFilter::named(*filter)),
                );
            }
            let start = match run.launch {
                Command::Launch(spec) => Command::Launch(Box::new(LaunchSpec {
                    exception_filters: filters,
                    ..*spec
                })),
                Command::Attach(mut spec) => {
                    spec.exception_filters = filters;
                    Command::Attach(spec)
                }
                _ => return Err(unknown(command)),
            };
            let functions: &[&str] = if on_failure { &run.functions } else { &[] };
            Ok(Plan {
                start,
                beside: Vec::new(),
                failure_functions: functions
                    .iter()
                    .map(|name| {
                        Command::SetBreakpoint(BreakpointSpec::at(BreakpointSite::Function {
                            name: (*name).to_owned(),
                        }))
                    })
                    .collect(),
                failure_exceptions: on_failure,
                kept,
            })
        }
    }
}

fn unknown(command: &[String]) -> DebuggerError {
    let known: Vec<_> = RUNNERS
        .iter()
        .filter_map(|r| r.begins.last())
        .map(|begins| begins.join(" "))
        .collect();
    DebuggerError::new(
        Kind::Usage,
        format!(
            "--test {:?} is not a test runner that is known here.",
            base::text::words::join(command)
        ),
    )
    .hint(format!("write one of: {}", known.join(", ")))
}

async fn wrap(
    command: &[String],
    launch: &LaunchSpec,
    cwd: &Path,
    supervisor: Option<&Path>,
) -> Result<(TestRun, Option<KeptRunner>), DebuggerError> {
    let Some((runner, words)) = runner_of(command) else {
        return Err(unknown(command));
    };
    let rest = command.get(words..).unwrap_or_default();
    let base = LaunchSpec {
        stop_on_entry: Some(false),
        ..launch.clone()
    };
    let run = match runner.which {
        Which::Pytest => python::module("pytest", command, rest, base),
        Which::Unittest => python::module("unittest", command, rest, base),
        Which::Cargo => cargo::wrap(command, rest, base, cwd).await?,
        Which::Go => go::wrap(rest, base, cwd)?,
        Which::Node => node::plain(rest, base)?,
        Which::NodeRunner => node::runner(command, base, cwd)?,
        Which::Dotnet => {
            let (run, kept) = dotnet::wrap(command, base, supervisor).await?;
            return Ok((run, Some(kept)));
        }
    };
    Ok((run, None))
}

fn launch(spec: LaunchSpec) -> Command {
    Command::Launch(Box::new(spec))
}

/// The program that a first word names: a path as it is, or what is on PATH.
fn on_path(word: &str, cwd: &Path) -> Option<PathBuf> {
    if word.contains('/') {
        return Some(cwd.join(word));
    }
    std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|folder| folder.join(word))
        .find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        base::text::words::split(text).unwrap()
    }

    #[test]
    fn runners_are_known_by_their_first_words() {
        for (command, rest) in [
            ("pytest -k a", 1),
            (".venv/bin/pytest", 1),
            ("python3 -m pytest tests", 3),
            ("cargo test --lib", 2),
            ("go test ./...", 2),
            ("npx vitest run", 2),
            ("dotnet test --filter X", 2),
        ] {
            let found = runner_of(&words(command)).map(|(_, n)| n);
            assert_eq!(found, Some(rest), "{command}");
        }
        assert!(runner_of(&words("make test")).is_none());
        assert!(
            unknown(&words("make 'a b'"))
                .to_string()
                .contains("make \\\"a b\\\"")
        );
        assert!(note(&words("dotnet test")).is_some() && note(&words("pytest")).is_none());
    }
}
