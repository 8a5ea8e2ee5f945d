//! node's own test runner, jest and vitest: node under the debugger, with the runner's script.

use std::path::{Path, PathBuf};

use debugger::{DebuggerError, Kind, LaunchSpec};
use serde_json::json;

use super::{TestRun, launch, on_path};

/// The table's entry for JavaScript.
const ADAPTER: &str = "node";

/// Flags that keep a runner's tests in one process at a time.
const ONE_BY_ONE: &[(&str, &[&str])] = &[
    ("jest", &["--runInBand"]),
    ("vitest", &["--no-file-parallelism"]),
];

/// `node --test FLAGS FILE`. The runner would start a process for the file; without `--test` its tests run in this one.
pub(super) fn plain(rest: &[String], base: LaunchSpec) -> Result<TestRun, DebuggerError> {
    let cwd = base.cwd.clone().unwrap_or_default();
    let (flags, files): (Vec<_>, Vec<_>) = rest
        .iter()
        .filter(|word| *word != "--test")
        .cloned()
        .partition(|word| word.starts_with('-'));
    match files.as_slice() {
        [file] => Ok(debug(cwd.join(file), Vec::new(), &flags, base)),
        several => Err(DebuggerError::new(
            Kind::Usage,
            format!(
                "node runs each test file in a process of its own, and {} are named.",
                several.len()
            ),
        )
        .hint("name one file: --test 'node --test shop.test.js'")),
    }
}

/// `npx jest …`, `vitest …`: the script that the project has installed.
pub(super) fn runner(
    command: &[String],
    base: LaunchSpec,
    cwd: &Path,
) -> Result<TestRun, DebuggerError> {
    let words: Vec<&String> = command.iter().skip_while(|word| *word == "npx").collect();
    let word = words.first().map(|w| w.as_str()).unwrap_or_default();
    let name = Path::new(word)
        .file_name()
        .map(|n| n.to_string_lossy().into_owned())
        .unwrap_or_default();
    let script = installed(&name, cwd)
        .or_else(|| on_path(word, cwd))
        .and_then(|path| path.canonicalize().ok())
        .ok_or_else(|| {
            DebuggerError::new(
                Kind::Program,
                format!("{name} is not installed in {} or above it.", cwd.display()),
            )
            .hint(format!("npm install --save-dev {name}"))
        })?;
    let mut args: Vec<String> = words.into_iter().skip(1).cloned().collect();
    let alone = ONE_BY_ONE.iter().find(|(runner, _)| *runner == name);
    for flag in alone.iter().flat_map(|(_, flags)| *flags) {
        if !args.iter().any(|a| a == flag) {
            args.push((*flag).to_owned());
        }
    }
    // It would go on watching the files.
    if name == "vitest" && !args.iter().any(|a| a == "run") {
        args.insert(0, "run".to_owned());
    }
    Ok(debug(script, args, &[], base))
}

fn debug(program: PathBuf, args: Vec<String>, flags: &[String], base: LaunchSpec) -> TestRun {
    let mut extra = base.extra.clone();
    if !flags.is_empty() {
        extra.insert("runtimeArgs".to_owned(), json!(flags));
    }
    // Assertions raise in node's own files, which are passed over otherwise.
    extra.insert("skipFiles".to_owned(), json!([]));
    TestRun {
        launch: launch(LaunchSpec {
            program,
            args,
            adapter: base.adapter.clone().or_else(|| Some(ADAPTER.to_owned())),
            extra,
            ..base
        }),
        // The runner catches what a test raises.
        exceptions: vec!["all"],
        functions: Vec::new(),
    }
}

fn installed(name: &str, cwd: &Path) -> Option<PathBuf> {
    cwd.ancestors()
        .map(|folder| folder.join("node_modules/.bin").join(name))
        .find(|path| path.exists())
}

#[cfg(test)]
mod tests {
    use super::*;
    use debugger::Command;

    fn words(text: &str) -> Vec<String> {
        base::text::words::split(text).unwrap()
    }

    #[test]
    fn flags_are_nodes_own_and_the_first_file_is_the_program() {
        let base = LaunchSpec {
            cwd: Some("/w".into()),
            ..LaunchSpec::default()
        };
        let run = plain(
            &words("--test --test-name-pattern=x a.test.js"),
            base.clone(),
        )
        .unwrap();
        let Command::Launch(spec) = run.launch else {
            panic!()
        };
        assert_eq!(spec.program, Path::new("/w/a.test.js"));
        assert_eq!(spec.args, Vec::<String>::new());
        assert_eq!(spec.extra["runtimeArgs"], json!(["--test-name-pattern=x"]));
        assert!(
            plain(&words("--test"), base)
                .unwrap_err()
                .to_string()
                .contains("0 are named")
        );
    }

    #[test]
    fn a_runners_script_is_the_projects_own() {
        let folder = tempfile::tempdir().unwrap();
        let bin = folder.path().join("node_modules/.bin");
        std::fs::create_dir_all(&bin).unwrap();
        std::fs::write(bin.join("vitest"), "").unwrap();
        let run = runner(
            &words("npx vitest shop"),
            LaunchSpec::default(),
            folder.path(),
        )
        .unwrap();
        let Command::Launch(spec) = run.launch else {
            panic!()
        };
        assert_eq!(spec.args, ["run", "shop", "--no-file-parallelism"]);
        let error = runner(&words("npx jest"), LaunchSpec::default(), folder.path()).unwrap_err();
        assert!(
            error.to_string().contains("jest is not installed"),
            "{error}"
        );
    }
}
