//! `cargo test`: cargo builds, says which executables the tests are in, and the one that has the wanted tests is debugged.

use std::{
    path::{Path, PathBuf},
    process::{Output, Stdio},
};

use debugger::{DebuggerError, Kind, LaunchSpec};
use serde::Deserialize;
use tokio::process::Command as Process;

use super::{TestRun, launch, on_path};

/// Entered by every panic that unwinds or aborts: its names in the toolchains of today and of before. Some debuggers want the
/// whole of a name.
const PANIC: [&str; 2] = ["__rustc::rust_panic", "rust_panic"];

/// What cargo says of something it built, as far as it matters.
#[derive(Deserialize)]
struct Artifact {
    reason: String,
    #[serde(default)]
    manifest_path: Option<PathBuf>,
    #[serde(default)]
    executable: Option<PathBuf>,
    #[serde(default)]
    profile: Profile,
    #[serde(default)]
    target: Target,
}

#[derive(Default, Deserialize)]
struct Profile {
    #[serde(default)]
    test: bool,
}

#[derive(Default, Deserialize)]
struct Target {
    #[serde(default)]
    name: String,
    #[serde(default)]
    kind: Vec<String>,
}

/// An executable with tests.
struct Binary {
    executable: PathBuf,
    folder: PathBuf,
    name: String,
}

pub(super) async fn wrap(
    command: &[String],
    rest: &[String],
    base: LaunchSpec,
    cwd: &Path,
) -> Result<TestRun, DebuggerError> {
    let split = rest.iter().position(|w| w == "--").unwrap_or(rest.len());
    let (cargo_args, test_args) = rest.split_at(split);
    let test_args = test_args.get(1..).unwrap_or_default();
    let word = command.first().map_or("cargo", String::as_str);
    let cargo = on_path(word, cwd).ok_or_else(|| {
        DebuggerError::new(Kind::Program, format!("`{word}` is not on PATH."))
            .hint("install Rust from rustup.rs")
    })?;
    let mut building = Process::new(cargo);
    building
        .current_dir(base.cwd.as_deref().unwrap_or(cwd))
        .args(["test", "--no-run", "--message-format=json"])
        .args(cargo_args)
        .stdin(Stdio::null())
        .kill_on_drop(true);
    for (name, value) in &base.env {
        match value {
            Some(value) => building.env(name, value),
            None => building.env_remove(name),
        };
    }
    let built = output(&mut building).await?;
    if !built.status.success() {
        let said = String::from_utf8_lossy(&built.stderr);
        let last: Vec<&str> = said.lines().rev().take(12).collect();
        let last: Vec<&str> = last.into_iter().rev().collect();
        let mut error = DebuggerError::new(Kind::Program, "The tests could not be built.");
        error.details = Some(last.join("\n"));
        return Err(error.hint("run the same cargo test without us to see why"));
    }
    let filters = filters(cargo_args);
    let mut wanted = Vec::new();
    for binary in binaries(&built.stdout) {
        if has_tests(&binary, &filters, test_args).await {
            wanted.push(binary);
        }
    }
    let mut wanted = wanted.into_iter();
    let (binary, others) = match (wanted.next(), wanted.next()) {
        (Some(binary), None) => (binary, Vec::new()),
        (Some(binary), Some(second)) => {
            let names = [second.name]
                .into_iter()
                .chain(wanted.map(|b| b.name))
                .collect();
            (binary, names)
        }
        (None, _) => {
            return Err(DebuggerError::new(
                Kind::Usage,
                format!(
                    "No test binary has a test that fits `{}`.",
                    filters.join(" ")
                ),
            )
            .hint("cargo test -- --list shows all of them"));
        }
    };
    if !others.is_empty() {
        return Err(DebuggerError::new(
            Kind::Usage,
            format!(
                "Several test binaries fit: {}, {}.",
                binary.name,
                others.join(", ")
            ),
        )
        .hint(
            "choose one with --lib, --bin NAME or --test NAME, or name a test that only one has",
        ));
    }
    let mut args = filters;
    args.extend(test_args.iter().cloned());
    if !args.iter().any(|a| a.starts_with("--test-threads")) {
        // One failure at a time.
        args.push("--test-threads=1".to_owned());
    }
    let mut env = base.env.clone();
    let folder = binary.folder.to_string_lossy().into_owned();
    env.push(("CARGO_MANIFEST_DIR".to_owned(), Some(folder)));
    Ok(TestRun {
        launch: launch(LaunchSpec {
            program: binary.executable,
            args,
            cwd: Some(binary.folder),
            env,
            ..base
        }),
        exceptions: Vec::new(),
        functions: PANIC.to_vec(),
    })
}

async fn output(process: &mut Process) -> Result<Output, DebuggerError> {
    process.output().await.map_err(|error| {
        DebuggerError::new(
            Kind::Program,
            format!("cargo could not be started: {error}."),
        )
    })
}

/// Executables with tests, out of cargo's messages.
fn binaries(messages: &[u8]) -> Vec<Binary> {
    String::from_utf8_lossy(messages)
        .lines()
        .filter_map(|line| serde_json::from_str::<Artifact>(line).ok())
        .filter(|a| a.reason == "compiler-artifact" && a.profile.test)
        .filter_map(|a| {
            let manifest = a.manifest_path?;
            Some(Binary {
                executable: a.executable?,
                folder: manifest.parent()?.to_path_buf(),
                name: format!("{} ({})", a.target.name, a.target.kind.join(", ")),
            })
        })
        .collect()
}

/// Names of tests among cargo's arguments.
fn filters(args: &[String]) -> Vec<String> {
    /// Options that are followed by a value.
    const VALUES: &[&str] = &[
        "-p",
        "--package",
        "--test",
        "--bin",
        "--example",
        "--bench",
        "--features",
        "-F",
        "--target",
        "--target-dir",
        "--manifest-path",
        "-j",
        "--jobs",
        "--profile",
        "--color",
        "--config",
        "-Z",
        "--exclude",
    ];
    let mut found = Vec::new();
    let mut words = args.iter();
    while let Some(word) = words.next() {
        if VALUES.contains(&word.as_str()) {
            words.next();
        } else if !word.starts_with('-') {
            found.push(word.clone());
        }
    }
    found
}

async fn has_tests(binary: &Binary, filters: &[String], test_args: &[String]) -> bool {
    let mut listing = Process::new(&binary.executable);
    listing
        .current_dir(&binary.folder)
        .args(filters)
        .args(test_args.iter().filter(|a| {
            a.as_str() == "--exact" || a.as_str() == "--ignored" || !a.starts_with('-')
        }))
        .arg("--list")
        .stdin(Stdio::null())
        .kill_on_drop(true);
    let Ok(listed) = output(&mut listing).await else {
        return false;
    };
    String::from_utf8_lossy(&listed.stdout)
        .lines()
        .any(|line| line.ends_with(": test"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_tests_are_told_from_options() {
        let words = base::text::words::split("-p shop --lib total --features a,b -j 2").unwrap();
        assert_eq!(filters(&words), ["total"]);
    }

    #[test]
    fn test_binaries_are_found_in_cargos_messages() {
        let messages = br#"{"reason":"compiler-artifact","manifest_path":"/w/Cargo.toml","target":{"kind":["lib"],"name":"shop"},"profile":{"test":true},"executable":"/w/target/debug/deps/shop-1"}
{"reason":"compiler-artifact","manifest_path":"/w/Cargo.toml","target":{"kind":["bin"],"name":"shop"},"profile":{"test":false},"executable":"/w/target/debug/shop"}
not json
{"reason":"build-finished","success":true}"#;
        let found = binaries(messages);
        assert_eq!(found.len(), 1);
        assert_eq!(
            found[0].executable,
            Path::new("/w/target/debug/deps/shop-1")
        );
        assert_eq!(
            (found[0].folder.as_path(), found[0].name.as_str()),
            (Path::new("/w"), "shop (lib)")
        );
    }
}
