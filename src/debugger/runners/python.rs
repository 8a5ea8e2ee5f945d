//! Python: the same command under the debugger, in the Python that it would have used.

use super::{Plan, RunnerQuery, options, under};
use crate::prelude::*;

/// The table's entry for Python.
const ADAPTER: &str = "python";
/// Where a test's failure is raised: what leaves the person's code, assertions and everything else.
const FAILURES: &str = "userUnhandled";
/// Options of Python's that are followed by a value.
const VALUES: &[&str] = &["-W", "-X", "--check-hash-based-pycs"];

/// `MODULE ARGS…` with the tests of that module.
pub fn module(module: &str, ask: &RunnerQuery<'_>) -> Plan {
    let target = ("module", module.into());
    Plan {
        exceptions: vec![FAILURES],
        ..start(ask.test(), &python_of(ask), &[target], ask.rest.clone())
    }
}

/// `python [OPTIONS] FILE|-m MODULE|-c CODE ARGS…`.
pub fn python(ask: &RunnerQuery<'_>) -> Plan {
    let python = python_of(ask);
    let own = options(&ask.rest, VALUES, &["-m", "-c", "-"]);
    let (own, rest) = ask.rest.split_at(own);
    let options = ("pythonArgs", json!(own));
    let after = |n: usize| rest.get(n..).unwrap_or_default().to_vec();
    let (target, args) = match rest {
        [flag, module, ..] if flag == "-m" => (("module", json!(module)), after(2)),
        [flag, code, ..] if flag == "-c" => (("code", json!(code)), after(2)),
        [file, ..] => (("program", json!(ask.cwd.join(file))), after(1)),
        [] => return ask.launch(python, Vec::new()),
    };
    let mut extra = vec![target];
    extra.extend((!own.is_empty()).then_some(options));
    start(ask.base.clone(), &python, &extra, args)
}

/// A script that says in its first line which Python runs it.
pub fn script(ask: &RunnerQuery<'_>, python: &Path, script: &Path, args: Vec<String>) -> Plan {
    start(
        ask.base.clone(),
        python,
        &[("program", json!(script))],
        args,
    )
}

/// `uv run COMMAND…`: the command, with uv's environment, which is made first.
pub async fn uv(mut ask: RunnerQuery<'_>) -> Result<Plan> {
    const UV_VALUES: &[&str] = &[
        "--with",
        "--extra",
        "--group",
        "--python",
        "-p",
        "--env-file",
        "--project",
        "--directory",
        "--package",
        "--index",
        "--with-requirements",
        "--with-editable",
        "--only-group",
        "--no-group",
    ];
    let mut at = 0;
    let (mut own, mut is_module) = (Vec::new(), false);
    while let Some(word) = ask.rest.get(at).filter(|word| word.starts_with('-')) {
        at += 1;
        match word.as_str() {
            "--" => break,
            "-m" | "--module" => {
                is_module = true;
                break;
            }
            _ => own.push(word.clone()),
        }
        if UV_VALUES.contains(&word.as_str()) {
            own.extend(ask.rest.get(at).cloned());
            at += 1;
        }
    }
    let mut command = ask.rest.get(at..).unwrap_or_default().to_vec();
    // A script may say itself what it needs.
    let script = command
        .first()
        .filter(|word| Path::new(word).extension().is_some_and(|it| it == "py"))
        .cloned();
    let mut argv = ask.argv(&["run"], &own)?;
    argv.extend(
        script
            .iter()
            .flat_map(|script| ["--with-requirements".to_owned(), script.clone()])
            .filter(|_| is_inline(&ask, script.as_deref())),
    );
    argv.extend(["python", "-c", "import sys; print(sys.executable)"].map(str::to_owned));
    let done = ask.build(argv, true).await?;
    let python = PathBuf::from(done.stdout.lines().last().unwrap_or_default().trim());
    let Some(folder) = python.parent().filter(|_| python.is_file()) else {
        return Err(DebuggerError::program(
            "uv did not say which Python it runs.",
        ));
    };
    if is_module {
        command.insert(0, "-m".to_owned());
    }
    if is_module || script.is_some() {
        command.insert(0, python.lossy());
    }
    let path = ask.context.var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", folder.display());
    let home = folder.parent().unwrap_or(folder).lossy();
    ask.base.env.push(("PATH".to_owned(), Some(path)));
    ask.base.env.push(("VIRTUAL_ENV".to_owned(), Some(home)));
    ask.command = command;
    super::plan(ask).await
}

/// Whether a script's head says what it needs.
fn is_inline(ask: &RunnerQuery<'_>, script: Option<&str>) -> bool {
    let text = script.and_then(|script| fs::read_to_string(ask.cwd.join(script)).ok());
    text.is_some_and(|text| text.lines().any(|line| line.trim_end() == "# /// script"))
}

/// The Python that a command would have used: the one named, that of the script named, or the first there is.
fn python_of(ask: &RunnerQuery<'_>) -> PathBuf {
    let found = ask.find(ask.word());
    let is_python = found.as_deref().is_some_and(is_python);
    let named = if is_python {
        found
    } else {
        found.and_then(|script| interpreter(&script))
    };
    let named = named.or_else(|| ask.find("python3"));
    named.unwrap_or_else(|| PathBuf::from("python3"))
}

fn start(base: LaunchSpec, python: &Path, target: &[(&str, Value)], args: Vec<String>) -> Plan {
    let mut extra = base.extra.clone();
    // A module is started instead of the program; that one only says where we are.
    extra.put("program", Value::Null);
    extra.put("python", json!([python]));
    extra.extend(
        target
            .iter()
            .map(|(key, value)| ((*key).to_owned(), value.clone())),
    );
    let file = target
        .iter()
        .find(|(key, _)| *key == "program")
        .and_then(|(_, value)| value.as_str());
    let program = file.map_or_else(|| python.to_path_buf(), PathBuf::from);
    Plan::of(under(
        ADAPTER,
        LaunchSpec {
            program,
            args,
            extra,
            ..base
        },
    ))
}

fn is_python(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| name.to_string_lossy().starts_with("python"))
}

/// The Python that a script's first line names.
pub fn interpreter(script: &Path) -> Option<PathBuf> {
    use std::io::Read as _;
    let mut head = String::new();
    // Behind the line there may be anything.
    let mut bytes = Vec::new();
    File::open(script)
        .ok()?
        .take(512)
        .read_to_end(&mut bytes)
        .ok()?;
    head.push_str(&String::from_utf8_lossy(&bytes));
    let line = head.lines().next()?.strip_prefix("#!")?.trim();
    let path = PathBuf::from(line.split_whitespace().next()?);
    (is_python(&path) && path.is_file()).then_some(path)
}
