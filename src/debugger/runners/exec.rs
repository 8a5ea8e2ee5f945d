//! Every other command (`make check`, `./script.sh`): it is run and followed, and the first program of the project that it comes to is
//! debugged as it would have been run: its words, folder and environment. Before that program has run anything, the command is ended.

use std::{
    ffi::{OsStr, OsString},
    io::Write as _,
    process::ExitCode,
};

use dap::{
    process::Exit,
    supervise::follow::{self, Exec},
};

use super::{Begins, Plan, RunnerQuery, Step, begins, name_of, runner_of};
use crate::{
    adapters::{FileKind, Target, inspect, select},
    prelude::*,
    task::Task,
};

/// How the process begins that follows: `--follow PROJECT COMMAND…`.
const FOLLOW: &str = "--follow";

/// Programs whose script says whose they are.
const INTERPRETERS: &[&str] = &["python", "node", "nodejs", "ruby"];
/// What runs a command in an environment that it makes, and what tests in several: followed to that command.
pub(super) const ENVIRONMENT_RUN: Begins =
    &["poetry|pipenv|pdm|hatch|conda|mamba|micromamba", "run"];
pub(super) const ENVIRONMENT_TESTS: Begins = &["tox|nox"];
/// These are the way to what they start, too.
const PACKAGE_MANAGERS: Begins = &["npm|npx|yarn|pnpm"];
/// Folders of a project that hold what others wrote.
const FOREIGN: &[&str] = &[
    "node_modules",
    "site-packages",
    "dist-packages",
    ".venv",
    "venv",
    ".tox",
    ".nox",
];
/// What builds leave for themselves and run at once: cargo's, autoconf's and `CMake`'s.
const OF_BUILDS: &[&str] = &["build-script-", "conftest", "cmTC_", "CMakeFiles"];

/// What came of following.
#[derive(Debug, Serialize, Deserialize)]
enum Followed {
    Found {
        command: Vec<String>,
        cwd: PathBuf,
        env: BTreeMap<String, String>,
    },
    /// It would have run as somebody else.
    Setuid(PathBuf),
    /// What it ran of the project has no debug information.
    Bare(PathBuf),
    /// It ended.
    Nothing,
    /// The system does not let us.
    Forbidden,
}

/// Whether these arguments (without the program's own name) ask for following.
pub fn is_request(arguments: &[OsString]) -> bool {
    arguments.first().is_some_and(|first| first == FOLLOW)
}

/// The whole life of the process that follows; call it before any thread is started. What came of it is one line of standard output.
pub fn main(arguments: &[OsString]) -> ExitCode {
    let [_, project, argv @ ..] = arguments else {
        return ExitCode::from(2);
    };
    let (mut found, mut bare) = (None, None);
    let tool = argv.first().map(Path::new).and_then(Path::file_name);
    let ended = follow::follow(argv, |exec| {
        let seen = look(exec, Path::new(project), tool);
        match seen {
            Some(Followed::Bare(program)) => {
                bare.get_or_insert(program);
                false
            }
            Some(seen) => {
                // Said at once: what follows may be the end of us.
                tell(&seen);
                found = Some(());
                true
            }
            None => false,
        }
    });
    let code = match ended {
        _ if found.is_some() => 0,
        Ok(Some(status)) => {
            tell(&bare.map_or(Followed::Nothing, Followed::Bare));
            Exit::from(status).code_in_shell().unwrap_or(1)
        }
        Ok(None) => 1,
        Err(error) if error.raw_os_error() == Some(libc::EPERM) => {
            tell(&Followed::Forbidden);
            126
        }
        Err(error) => {
            // With standard error gone there is nobody left to tell.
            let _ = writeln!(io::stderr(), "{error}");
            127
        }
    };
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}

fn tell(what: &Followed) {
    let line = serde_json::to_string(what).unwrap_or_default();
    // As above.
    let _ = writeln!(io::stdout(), "{line}");
}

/// What a program is that a command has come to, if it is anything to us.
fn look(exec: &Exec, project: &Path, tool: Option<&OsStr>) -> Option<Followed> {
    if exec.is_setuid {
        return Some(Followed::Setuid(exec.exe.clone()));
    }
    let command = match meant(exec, project, tool) {
        Some(command) => command,
        None if is_own(&exec.exe, project) => {
            let facts = inspect(&exec.exe);
            match facts.debug_info {
                Some(true) => {
                    let exe = exec.exe.lossy();
                    iter::once(exe)
                        .chain(exec.argv.iter().skip(1).cloned())
                        .collect()
                }
                Some(false) => return Some(Followed::Bare(exec.exe.clone())),
                None => return None,
            }
        }
        None => return None,
    };
    Some(Followed::Found {
        command,
        cwd: exec.cwd.clone(),
        env: exec.env.clone(),
    })
}

/// The words of a runner, or of an interpreter with a script: one of the project, or the tool that was asked for, to which a version
/// manager's stand-in leads.
fn meant(exec: &Exec, project: &Path, tool: Option<&OsStr>) -> Option<Vec<String>> {
    let (first, rest) = exec.argv.split_first()?;
    let is_interpreter = INTERPRETERS.contains(&name_of(first)?.as_str());
    let is_way = |words: &[String]| {
        let ways = [PACKAGE_MANAGERS, ENVIRONMENT_RUN, ENVIRONMENT_TESTS];
        ways.iter().any(|way| begins(words, way)) && !begins(words, &["npx", "jest|vitest"])
    };
    let is_runner = |words: &[String]| runner_of(words).is_some() && !is_way(words);
    if !is_interpreter {
        return is_runner(&exec.argv).then(|| exec.argv.clone());
    }
    // A script is run by the interpreter that it names: its own words come behind.
    if is_runner(rest) {
        return Some(rest.to_vec());
    }
    let of_file = |word: &String| {
        let file = exec.cwd.join(word);
        let is_tool = || file.file_name() == tool && !is_way(rest);
        file.is_file() && (is_own(&file, project) || is_tool())
    };
    let is_meant = match rest {
        [flag, module, ..] if flag == "-m" => {
            let path = exec.cwd.join(module.replace('.', "/"));
            matches!(module.as_str(), "pytest" | "unittest")
                || path.is_dir()
                || path.with_extension("py").is_file()
        }
        _ => {
            let at = rest.iter().position(|word| !word.starts_with('-'));
            let (options, rest) = rest.split_at(at.unwrap_or(rest.len()));
            // Code is no file.
            let is_code = options.iter().any(|word| word == "-c" || word == "-e");
            !is_code && rest.first().is_some_and(of_file)
        }
    };
    is_meant.then(|| exec.argv.clone())
}

/// Whether a file is the project's own.
pub(super) fn is_own(file: &Path, project: &Path) -> bool {
    let both = file.canonicalize().ok().zip(project.canonicalize().ok());
    let below = both
        .as_ref()
        .and_then(|(file, project)| file.strip_prefix(project).ok());
    below.is_some_and(|below| {
        below.components().all(|part| {
            let part = part.as_os_str().to_string_lossy();
            !FOREIGN.contains(&&*part) && !OF_BUILDS.iter().any(|of| part.starts_with(of))
        })
    })
}

/// Whether a program is only the way to another one: a tool on PATH, or a script of a shell that no debugger is here for.
pub(super) fn is_launcher(ask: &RunnerQuery<'_>, program: &Path) -> bool {
    let is_own = ask.word().contains('/') || is_own(program, &ask.cwd);
    if is_shell_script(program) {
        let (table, target) = (
            Table::load(ask.context).0,
            Target::Launch {
                program: program.to_owned(),
            },
        );
        return !is_own
            || select(&table, ask.context, &target, ask.base.adapter.as_deref()).is_err();
    }
    !is_own && inspect(program).kind == FileKind::Elf
}

/// Whether a file is a script of a shell.
pub fn is_shell_script(program: &Path) -> bool {
    inspect(program)
        .interpreter
        .as_deref()
        .is_some_and(is_shell)
}

fn is_shell(interpreter: &str) -> bool {
    let name = Path::new(interpreter).file_name().unwrap_or_default();
    name.to_string_lossy().ends_with("sh")
}

/// A command that is followed.
pub(super) async fn plan(mut ask: RunnerQuery<'_>) -> Result<Plan> {
    let told = words::join(&ask.command);
    let refused = |why: String| {
        DebuggerError::program(format!("`{told}` {why}."))
            .hint("give the program itself: omp-debug PROGRAM -- ARGS")
    };
    let Some(own) = ask.own else {
        return Err(refused("cannot be followed here".to_owned()));
    };
    let mut above = ask.cwd.ancestors();
    let project = above.find(|folder| folder.join(".git").exists());
    let project = project.unwrap_or(&ask.cwd).lossy();
    let mut argv = vec![own.lossy(), FOLLOW.to_owned()];
    argv.push(project);
    argv.extend(ask.command.iter().cloned());
    let task = Task {
        label: told.clone(),
        argv,
        ..Task::default()
    };
    let step = Step {
        task,
        is_read: true,
    };
    let done = ask.run(step).await?;
    let said = done.stdout.lines().next();
    let said = said.and_then(|line| serde_json::from_slice(line.as_bytes()).ok());
    let why = match said {
        Some(Followed::Found { command, cwd, env }) => {
            let runs = words::join(&command);
            let note =
                format!("`{told}` runs {runs}: that is debugged, and nothing comes after it.");
            let had = &ask.context.env;
            let gone = had.keys().filter(|name| !env.contains_key(*name));
            let gone: Vec<_> = gone.map(|name| (name.clone(), None)).collect();
            let set = env.into_iter();
            let set = set.filter(|(name, value)| had.get(name) != Some(value));
            let set = set.map(|(name, value)| (name, Some(value)));
            ask.base.env = set.chain(gone).collect();
            ask.base.cwd = Some(cwd.clone());
            (ask.command, ask.cwd) = (command, cwd);
            // It is what is debugged, and not followed again.
            ask.own = None;
            let plan = super::plan(ask).await?;
            return Ok(Plan {
                note: Some(note),
                ..plan
            });
        }
        Some(Followed::Setuid(program)) => {
            let program = program.display();
            format!("runs {program} as another user, which cannot be followed")
        }
        Some(Followed::Forbidden) => {
            "cannot be followed: this system lets no program trace another \
            (a container needs the capability SYS_PTRACE for that)"
                .to_owned()
        }
        Some(Followed::Bare(program)) if !ask.has_errors() => {
            let program = program.display();
            format!("ran {program}, which has no debug information: build it with -g")
        }
        _ if done.code != 0 => return Err(ask.failed(&told, &done)),
        _ => "ended well, and ran no program of this project that can be debugged".to_owned(),
    };
    Err(refused(why))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_taken_when_it_is_the_projects() {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path();
        for file in [
            "app.py",
            "pkg/__init__.py",
            "node_modules/.bin/vitest",
            "node_modules/tsc.js",
            "CMakeFiles/a.py",
            ".venv/bin/serve",
        ] {
            fs::create_dir_all(project.join(file).parent().unwrap()).unwrap();
            fs::write(project.join(file), "").unwrap();
        }
        let taken = |argv: &str| {
            let exec = Exec {
                argv: words::split(argv).unwrap(),
                cwd: project.to_path_buf(),
                ..Exec::default()
            };
            match look(&exec, project, Some("serve".as_ref())) {
                Some(Followed::Found { command, .. }) => Some(words::join(command)),
                _ => None,
            }
        };
        for (argv, wanted) in [
            ("cargo test adds", Some("cargo test adds")),
            ("cargo build", None),
            ("make check", None),
            ("go build ./...", None),
            ("python3.11 -u app.py x", Some("python3.11 -u app.py x")),
            ("python3 /usr/bin/pytest -q", Some("/usr/bin/pytest -q")),
            ("python3 -m pytest", Some("python3 -m pytest")),
            ("python3 -m pkg a", Some("python3 -m pkg a")),
            ("python3 -m pip install x", None),
            ("python3 -c app.py", None),
            (
                "python3.12 .venv/bin/serve --port 1",
                Some("python3.12 .venv/bin/serve --port 1"),
            ),
            ("python3 CMakeFiles/a.py", None),
            ("node node_modules/tsc.js", None),
            (
                "node node_modules/.bin/vitest run",
                Some("node_modules/.bin/vitest run"),
            ),
            ("node /usr/bin/npm test", None),
            ("python3 /usr/bin/poetry run pytest", None),
            ("python3 /usr/bin/tox", None),
            (
                "python3.12 .tox/py/bin/pytest -q",
                Some(".tox/py/bin/pytest -q"),
            ),
            (
                "node /usr/bin/npx vitest run",
                Some("/usr/bin/npx vitest run"),
            ),
        ] {
            assert_eq!(taken(argv).as_deref(), wanted, "{argv}");
        }
        let sudo = Exec {
            exe: "/usr/bin/sudo".into(),
            argv: vec!["sudo".to_owned()],
            is_setuid: true,
            ..Exec::default()
        };
        let seen = look(&sudo, project, None);
        assert!(matches!(seen, Some(Followed::Setuid(_))));
        let own = std::env::current_exe().unwrap();
        assert!(is_own(&own, own.parent().unwrap()) && !is_own(&own, project));
    }
}
