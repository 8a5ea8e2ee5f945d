//! Getting an adapter onto this machine.
//!
//! A copy of ours is built in a directory of its own below `adapters/.store`, checked there, and put in place by
//! replacing one symbolic link: an install that fails or is interrupted leaves what was there. The directory
//! keeps the path it was built at, because the scripts of a virtual environment name it.

use tokio::io::{AsyncBufReadExt as _, BufReader};

use super::{
    adapter::Method,
    doctor, python,
    resolve::{SearchPlace, resolve},
};
use crate::prelude::*;

/// A step that takes longer than this is given up.
const LIMIT: Duration = Duration::from_mins(15);
/// Lines of a failed step that its error quotes.
const TAIL: usize = 5;

/// What an install is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// A step begins: its command line.
    Step(String),
    /// A line that the step printed.
    Line(String),
}

/// What was installed.
#[derive(Debug, Clone, PartialEq)]
pub struct Installed {
    /// The adapter's name.
    pub name: String,
    /// Its version, when it tells one.
    pub version: Option<String>,
    /// Where it is and how it starts.
    pub resolved: Resolved,
}

/// Installs an adapter by the first of its ways that works here. Packages of the whole system are installed
/// only when `yes` says so; without it the error's hint is the command to run.
pub async fn install(
    adapter: &Arc<Adapter>,
    context: &Context,
    yes: bool,
    mut progress: impl FnMut(Progress),
) -> Result<Installed, AdapterError> {
    let mut failures: Vec<Failure> = Vec::new();
    for method in &adapter.install {
        let outcome = match method {
            Method::Venv { .. } | Method::Npm { .. } | Method::Go { .. } => {
                managed(adapter, method, context, &mut progress).await
            }
            Method::Apt { packages, note } => {
                apt(
                    adapter,
                    packages,
                    note.as_deref(),
                    context,
                    yes,
                    &mut progress,
                )
                .await
            }
            Method::Manual { text } => Err(Failure {
                what: if failures.is_empty() {
                    "it has to be installed by hand".to_owned()
                } else {
                    String::new()
                },
                hint: text.clone(),
            }),
        };
        match outcome {
            Ok(resolved) => {
                return Ok(Installed {
                    name: adapter.name.clone(),
                    version: doctor::version(&resolved).await,
                    resolved,
                });
            }
            Err(failure) => failures.push(failure),
        }
    }
    let (whats, hints): (Vec<_>, Vec<_>) = failures
        .into_iter()
        .map(|failure| (failure.what, failure.hint))
        .unzip();
    let whats = whats
        .into_iter()
        .filter(|what| !what.is_empty())
        .joined("; ");
    let what = if hints.is_empty() {
        "nothing is known about how to install it".to_owned()
    } else {
        whats
    };
    // The first way that says how to go on is the best of those that are left.
    let hint = hints.into_iter().find(|hint| !hint.is_empty());
    Err(AdapterError::new(
        ErrorKind::AdapterMissing,
        format!("{} was not installed: {what}", adapter.name),
        hint.unwrap_or_else(|| adapter.install_hint()),
    ))
}

struct Failure {
    what: String,
    hint: String,
}

impl Failure {
    fn new(what: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            hint: String::new(),
        }
    }

    fn io(what: &str, path: &Path, error: &io::Error) -> Self {
        Self::new(format!("cannot {what} {}: {error}", path.display()))
    }
}

/// Builds our own copy, checks it and puts it in place.
async fn managed(
    adapter: &Arc<Adapter>,
    method: &Method,
    context: &Context,
    progress: &mut impl FnMut(Progress),
) -> Result<Resolved, Failure> {
    let name = adapter.managed_directory();
    let place = context.managed(name);
    let store = context.managed(".store");
    fs::create_dir_all(&store).map_err(|error| Failure::io("make", &store, &error))?;
    let building = tempfile::Builder::new()
        .prefix(&format!("{name}-"))
        .tempdir_in(&store)
        .map_err(|error| Failure::io("make a directory in", &store, &error))?;
    // Laid out like a data directory, so that the copy can be looked for where it is built.
    let there = Context {
        data_dir: building.path().to_owned(),
        cwd: building.path().to_owned(),
        ..context.clone()
    };
    let target = there.managed(name);
    fs::create_dir_all(&target).map_err(|error| Failure::io("make", &target, &error))?;
    for step in steps(method, &target, context)? {
        run(&step, context, progress).await?;
    }
    let mut env = (*context.env).clone();
    env.retain(|name, _| !python::ACTIVE.contains(&name.as_str()));
    let check = Context {
        env: Arc::new(env),
        ..there
    };
    match resolve(adapter, &check) {
        Ok(found) if found.place == SearchPlace::Managed => {}
        Ok(_) => {
            return Err(Failure::new(
                "the packages were installed, but the adapter is not in them",
            ));
        }
        Err(error) => {
            return Err(Failure::new(format!(
                "the packages were installed, but {error}"
            )));
        }
    }
    let built = building.keep();
    if let Err(failure) = put_in_place(&target, &place) {
        // What could not be put in place is of no use to anyone.
        let _ = fs::remove_dir_all(&built);
        return Err(failure);
    }
    forget_older(&store, name, &built);
    resolve(
        adapter,
        &Context {
            data_dir: context.data_dir.clone(),
            ..check
        },
    )
    .map_err(|error| Failure::new(error.to_string()))
}

/// Makes `place` a symbolic link to `target`, old or new and never absent.
fn put_in_place(target: &Path, place: &Path) -> Result<(), Failure> {
    let beside = target.with_extension("link");
    std::os::unix::fs::symlink(target, &beside)
        .and_then(|()| fs::rename(&beside, place))
        .map_err(|error| Failure {
            what: format!("cannot put {} in place: {error}", place.display()),
            hint: format!(
                "if it is a directory, move it away: mv {0} {0}.old",
                place.display()
            ),
        })
}

/// Removes copies before the last one: sessions that run now may still be using that.
fn forget_older(store: &Path, name: &str, newest: &Path) {
    let mut copies: Vec<_> = fs::read_dir(store)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| {
            path != newest
                && path.is_dir()
                && path.file_name().is_some_and(|file| {
                    file.to_string_lossy()
                        .strip_prefix(name)
                        .is_some_and(|rest| rest.starts_with('-'))
                })
        })
        .filter_map(|path| Some((path.metadata().ok()?.modified().ok()?, path)))
        .collect();
    copies.sort();
    copies.pop();
    for (_, path) in copies {
        if let Err(error) = fs::remove_dir_all(&path) {
            tracing::warn!(path = %path.display(), %error, "an old copy of an adapter stays");
        }
    }
}

/// One command of an install.
struct Step {
    program: PathBuf,
    args: Vec<String>,
    env: Vec<(&'static str, String)>,
}

impl Step {
    fn new(program: impl Into<PathBuf>, args: &[&str], more: &[String]) -> Self {
        Self {
            program: program.into(),
            args: args
                .iter()
                .map(|arg| (*arg).to_owned())
                .chain(more.iter().cloned())
                .collect(),
            env: Vec::new(),
        }
    }

    fn shown(&self) -> String {
        iter::once(self.program.lossy())
            .chain(self.args.iter().cloned())
            .joined(" ")
    }
}

fn steps(method: &Method, target: &Path, context: &Context) -> Result<Vec<Step>, Failure> {
    let tool = |name: &str, hint: &str| {
        context.on_path(name).ok_or_else(|| Failure {
            what: format!("{name} is not on PATH"),
            hint: hint.to_owned(),
        })
    };
    let directory = target.lossy();
    Ok(match method {
        Method::Venv { packages } => {
            let python = tool(
                "python3",
                "install Python 3, on Debian: apt-get install python3-venv",
            )?;
            vec![
                Step::new(python, &["-m", "venv", &directory], &[]),
                Step::new(
                    target.join("bin/python"),
                    &[
                        "-m",
                        "pip",
                        "install",
                        "--no-input",
                        "--disable-pip-version-check",
                    ],
                    packages,
                ),
            ]
        }
        Method::Npm { packages } => {
            let npm = tool(
                "npm",
                "install Node.js with npm, on Debian: apt-get install npm",
            )?;
            vec![Step::new(
                npm,
                &[
                    "install",
                    "--ignore-scripts",
                    "--no-audit",
                    "--no-fund",
                    "--prefix",
                    &directory,
                ],
                packages,
            )]
        }
        Method::Go { packages } => {
            let go = tool("go", "install Go, on Debian: apt-get install golang")?;
            let mut step = Step::new(go, &["install"], packages);
            step.env.push(("GOBIN", target.join("bin").lossy()));
            vec![step]
        }
        Method::Apt { .. } | Method::Manual { .. } => Vec::new(),
    })
}

async fn apt(
    adapter: &Arc<Adapter>,
    packages: &[String],
    note: Option<&str>,
    context: &Context,
    yes: bool,
    progress: &mut impl FnMut(Progress),
) -> Result<Resolved, Failure> {
    let line = format!("apt-get install {}", packages.join(" "));
    let note = note.map_or_else(String::new, |note| format!(" ({note})"));
    let as_root = rustix::process::geteuid().is_root();
    let sudo = if as_root { "" } else { "sudo " };
    let failed = |what: String| Failure {
        what,
        hint: format!("{sudo}{line}{note}"),
    };
    let Some(apt) = context.on_path("apt-get") else {
        return Err(failed("this system has no apt-get".to_owned()));
    };
    if !yes {
        return Err(Failure {
            what: "it is a package of the whole system".to_owned(),
            hint: format!(
                "{sudo}{line}{note}, or omp-debug adapters install {} --yes",
                adapter.name
            ),
        });
    }
    let program = if as_root {
        apt.clone()
    } else {
        context.on_path("sudo").ok_or_else(|| {
            failed("installing packages needs root and there is no sudo".to_owned())
        })?
    };
    let before: &[String] = if as_root {
        &[]
    } else {
        &["-n".to_owned(), apt.lossy()]
    };
    for words in [
        &["update", "-qq"][..],
        &["install", "-y", "-qq", "--no-install-recommends"],
    ] {
        let mut step = Step::new(&program, &[], before);
        step.args
            .extend(words.iter().map(|word| (*word).to_owned()));
        if words.first() == Some(&"install") {
            step.args.extend(packages.iter().cloned());
        }
        step.env
            .push(("DEBIAN_FRONTEND", "noninteractive".to_owned()));
        run(&step, context, progress)
            .await
            .map_err(|failure| failed(failure.what))?;
    }
    resolve(adapter, context)
        .map_err(|error| failed(format!("the packages were installed, but {error}")))
}

/// Runs one step to its end, telling each line it prints.
async fn run(
    step: &Step,
    context: &Context,
    progress: &mut impl FnMut(Progress),
) -> Result<(), Failure> {
    let shown = step.shown();
    progress(Progress::Step(shown.clone()));
    let mut child = context
        .question(&step.program)
        .and_then(|mut command| {
            command
                .args(&step.args)
                .envs(step.env.iter().map(|(name, value)| (name, value)))
                .stderr(Stdio::piped());
            tokio::process::Command::from(command)
                .kill_on_drop(true)
                .spawn()
        })
        .map_err(|error| Failure::new(format!("cannot start {shown}: {error}")))?;
    let (sender, mut lines) = mpsc::channel(64);
    // Two owners: the channel closes when both streams have ended.
    if let Some(stdout) = child.stdout.take() {
        tasks::spawn(forward(stdout, sender.clone()));
    }
    if let Some(stderr) = child.stderr.take() {
        tasks::spawn(forward(stderr, sender.clone()));
    }
    drop(sender);
    let mut tail = VecDeque::with_capacity(TAIL);
    let work = async {
        while let Some(line) = lines.recv().await {
            if tail.len() == TAIL {
                tail.pop_front();
            }
            tail.push_back(line.clone());
            progress(Progress::Line(line));
        }
        child.wait().await
    };
    let ended = timeout(LIMIT, work).await;
    let said = tail.into_iter().joined(" / ");
    match ended {
        Ok(Ok(status)) if status.success() => Ok(()),
        Ok(Ok(status)) => {
            let ending = status.code().map_or_else(
                || status.to_string(),
                |code| format!("ended with exit code {code}"),
            );
            Err(Failure::new(format!("{shown} {ending}: {said}")))
        }
        Ok(Err(error)) => Err(Failure::new(format!("{shown}: {error}"))),
        Err(_elapsed) => Err(Failure::new(format!(
            "{shown} did not end within {} minutes: {said}",
            LIMIT.as_secs() / 60
        ))),
    }
}

async fn forward(stream: impl AsyncRead + Unpin, sender: mpsc::Sender<String>) {
    let mut stream = BufReader::new(stream);
    let mut line = Vec::new();
    // A line without an end is handed on in pieces, so that no tool can fill our memory.
    loop {
        line.clear();
        let mut piece = tokio::io::AsyncReadExt::take(&mut stream, 4096);
        match piece.read_until(b'\n', &mut line).await {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let text = String::from_utf8_lossy(&line).trim_end().to_owned();
        if !text.is_empty() && sender.send(text).await.is_err() {
            return;
        }
    }
}
