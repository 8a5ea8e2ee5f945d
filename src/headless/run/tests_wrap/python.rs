//! pytest and unittest: the same command under the debugger, as a module of the same Python.

use std::path::{Path, PathBuf};

use debugger::LaunchSpec;
use serde_json::{Value, json};

use super::{TestRun, launch, on_path};

/// The table's entry for Python.
const ADAPTER: &str = "debugpy";

/// `MODULE ARGS…` in the Python that the command would have used.
pub(super) fn module(
    module: &str,
    command: &[String],
    rest: &[String],
    base: LaunchSpec,
) -> TestRun {
    let cwd = base.cwd.clone().unwrap_or_default();
    let word = command.first().map(String::as_str).unwrap_or_default();
    let named = Path::new(word)
        .file_name()
        .is_some_and(|name| name.to_string_lossy().starts_with("python"));
    let python = if named {
        on_path(word, &cwd)
    } else {
        on_path(word, &cwd).and_then(|script| interpreter(&script))
    };
    let python = python.or_else(|| on_path("python3", &cwd));
    let mut extra = base.extra.clone();
    extra.insert("module".to_owned(), module.into());
    // A module is started instead of the program; that one only says where we are.
    extra.insert("program".to_owned(), Value::Null);
    if let Some(python) = &python {
        extra.insert("python".to_owned(), json!([python]));
    }
    TestRun {
        launch: launch(LaunchSpec {
            program: python.unwrap_or_else(|| PathBuf::from("python3")),
            args: rest.to_vec(),
            adapter: base.adapter.clone().or_else(|| Some(ADAPTER.to_owned())),
            extra,
            ..base
        }),
        // What leaves the person's code is a failure: assertions and everything else.
        exceptions: vec!["userUnhandled"],
        functions: Vec::new(),
    }
}

/// The Python that a script's first line names.
fn interpreter(script: &Path) -> Option<PathBuf> {
    use std::io::Read as _;
    let mut head = String::new();
    std::fs::File::open(script)
        .ok()?
        .take(512)
        .read_to_string(&mut head)
        .ok()?;
    let line = head.lines().next()?.strip_prefix("#!")?.trim();
    let path = PathBuf::from(line.split_whitespace().next()?);
    let is_python = path
        .file_name()
        .is_some_and(|name| name.to_string_lossy().starts_with("python"));
    (is_python && path.is_file()).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use debugger::Command;

    #[test]
    fn the_module_runs_in_the_python_of_the_command() {
        let folder = tempfile::tempdir().unwrap();
        let python = folder.path().join("python3");
        std::fs::write(&python, "").unwrap();
        let script = folder.path().join("pytest");
        std::fs::write(&script, format!("#!{}\nimport pytest\n", python.display())).unwrap();
        let command = [
            script.to_string_lossy().into_owned(),
            "-k".into(),
            "total".into(),
        ];
        let run = module("pytest", &command, &command[1..], LaunchSpec::default());
        let Command::Launch(spec) = run.launch else {
            panic!()
        };
        assert_eq!(spec.args, ["-k", "total"]);
        assert_eq!(spec.extra["module"], "pytest");
        assert_eq!(spec.extra["program"], Value::Null);
        assert_eq!(spec.extra["python"], json!([python]));
    }
}
