//! cargo: it builds, says which executables came of that, and those that the command would run are debugged.

use super::{Finished, Plan, RunnerQuery, options};
use crate::prelude::*;

/// A failing test panics; the filter is ours where a debugger has none.
const PANIC: &str = "panic";
/// What cargo ends with when a test fails; nextest has its own.
const FAILED: i64 = 101;
const NEXTEST_FAILED: i64 = 100;
/// Has it say what it built.
const AS_JSON: &str = "--message-format=json-render-diagnostics";
/// One failure at a time.
const ONE_THREAD: &str = "--test-threads=1";

/// What cargo says of something it built, as far as it matters.
#[derive(Deserialize)]
struct Artifact {
    #[serde(default)]
    manifest_path: PathBuf,
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
#[serde(default)]
struct Target {
    name: String,
    kind: Vec<String>,
    src_path: PathBuf,
}

impl Artifact {
    /// By package, then the library, programs, tests, benches and examples, by name.
    fn rank(&self) -> (PathBuf, usize, String) {
        const KINDS: [&str; 4] = ["bin", "test", "bench", "example"];
        let is_kind = |kind: &&str| self.target.kind.iter().any(|own| own == kind);
        let rank = KINDS.iter().position(is_kind).map_or(0, |at| at + 1);
        (self.manifest_path.clone(), rank, self.target.name.clone())
    }
}

impl Target {
    /// Its tests as cargo says that it runs them, by their file in or below `cwd`.
    fn tests(&self, cwd: &Path) -> String {
        let file = self.src_path.strip_prefix(cwd).unwrap_or(&self.src_path);
        let is_own = self
            .kind
            .iter()
            .any(|kind| kind == "test" || kind == "bench");
        format!(
            "{}{}",
            if is_own { "" } else { "unittests " },
            file.display()
        )
    }
}

/// `cargo test`.
pub async fn test(ask: RunnerQuery<'_>) -> Result<Plan> {
    let ask = &ask;
    let (cargo_args, test_args) = split(&ask.rest);
    let words = ask.argv(&["test", "--no-run", AS_JSON], cargo_args)?;
    let built = ask.build(words, true).await?;
    let names = names(cargo_args);
    let args: Vec<_> = names.iter().chain(test_args).cloned().collect();
    let (mut specs, mut without) = (Vec::new(), Vec::new());
    let mut binaries = artifacts(&built);
    // As cargo runs them, and not as they were built.
    binaries.sort_by_cached_key(Artifact::rank);
    for binary in binaries.into_iter().filter(|one| one.profile.test) {
        let Some(program) = binary.executable else {
            continue;
        };
        let folder = binary
            .manifest_path
            .parent()
            .unwrap_or(&ask.cwd)
            .to_path_buf();
        let base = ask.test();
        let mut env = base.env.clone();
        env.push(manifest_dir(&folder));
        let mut list = vec![program.lossy()];
        list.extend(args.iter().cloned());
        list.push("--list".to_owned());
        let listed = ask.step(list, true).await?;
        let has_tests = listed.stdout.lines().any(|line| line.ends_with(": test"));
        let mut args = args.clone();
        if !args.iter().any(|arg| arg.starts_with("--test-threads")) {
            args.push(ONE_THREAD.to_owned());
        }
        let spec = LaunchSpec {
            program,
            args,
            cwd: Some(folder),
            env,
            part: Some(binary.target.tests(&ask.cwd)),
            ..base
        };
        if has_tests { &mut specs } else { &mut without }.push(spec);
    }
    if specs.is_empty() {
        // Cargo would run them all, and none of their tests.
        specs.extend(without.into_iter().next());
    }
    if specs.is_empty() {
        return Err(DebuggerError::program(
            "cargo built nothing that has tests.",
        ));
    }
    Ok(Plan {
        exceptions: vec![PANIC],
        fails_with: Some(FAILED),
        goes_on: cargo_args.iter().any(|arg| arg == "--no-fail-fast"),
        ..Plan::all(specs)
    })
}

/// `cargo run`.
pub async fn run(ask: RunnerQuery<'_>) -> Result<Plan> {
    let ask = &ask;
    // What does not begin with a dash is the program's, as behind `--`.
    let own = options(&ask.rest, VALUES, &["--"]);
    let (cargo_args, args) = ask.rest.split_at(own);
    let args = args.strip_prefix(&["--".to_owned()]).unwrap_or(args);
    let words = ask.argv(&["build", AS_JSON], cargo_args)?;
    let built = ask.build(words, true).await?;
    let mut programs: Vec<_> = artifacts(&built)
        .into_iter()
        .filter_map(|one| Some((one.target.name, one.manifest_path, one.executable?)))
        .collect();
    if programs.len() > 1 {
        let is_default = |name: &str, manifest: &Path| {
            let text = fs::read_to_string(manifest).unwrap_or_default();
            let mut lines = text.lines().filter_map(|line| line.split_once('='));
            lines.any(|(key, value)| {
                key.trim() == "default-run" && value.trim().trim_matches('"') == name
            })
        };
        programs
            .retain(|(name, manifest, _)| is_default(name, manifest) || cargo_args.contains(name));
    }
    let [(_, manifest, program)] = programs.as_slice() else {
        return Err(
            DebuggerError::usage("cargo could not tell which of several programs to run.")
                .hint("name one with --bin NAME or --example NAME"),
        );
    };
    let mut spec = LaunchSpec {
        program: program.clone(),
        args: args.to_vec(),
        ..ask.base.clone()
    };
    spec.env.extend(manifest.parent().map(manifest_dir));
    Ok(Plan::of(spec))
}

/// A variable that cargo sets.
fn manifest_dir(folder: &Path) -> (String, Option<String>) {
    let folder = folder.lossy();
    ("CARGO_MANIFEST_DIR".to_owned(), Some(folder))
}

/// What nextest says of the tests there are.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct NextestList {
    rust_suites: BTreeMap<String, Suite>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Suite {
    binary_path: PathBuf,
    cwd: PathBuf,
    #[serde(default)]
    testcases: BTreeMap<String, NextestCase>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct NextestCase {
    filter_match: Match,
}

#[derive(Deserialize)]
struct Match {
    status: String,
}

/// `cargo nextest run`: the tests that it would run, those of one executable in one process.
pub async fn nextest(ask: RunnerQuery<'_>) -> Result<Plan> {
    let ask = &ask;
    // What is only for a run is none of a list's options.
    let for_runs = |arg: &&String| {
        !matches!(
            arg.as_str(),
            "--no-fail-fast" | "--no-capture" | "--nocapture"
        )
    };
    let typed: Vec<_> = ask.rest.iter().filter(for_runs).cloned().collect();
    let list = ask.argv(&["nextest", "list", "--message-format=json"], &typed)?;
    let listed: NextestList = ask.build(list, true).await?.listed("cargo nextest")?;
    let specs = listed.rust_suites.into_iter().filter_map(|(id, suite)| {
        let wanted = suite
            .testcases
            .into_iter()
            .filter(|(_, case)| case.filter_match.status == "matches");
        let mut names: Vec<_> = wanted.map(|(name, _)| name).collect();
        if names.is_empty() {
            return None;
        }
        names.extend(["--exact", "--nocapture", ONE_THREAD].map(str::to_owned));
        let env = ("NEXTEST".to_owned(), Some("1".to_owned()));
        let base = ask.test();
        Some(LaunchSpec {
            program: suite.binary_path,
            args: names,
            env: base.env.iter().cloned().chain([env]).collect(),
            cwd: Some(suite.cwd),
            part: Some(id),
            ..base
        })
    });
    let plan = Plan::all(specs);
    if plan.starts.is_empty() {
        return Err(
            DebuggerError::usage("No test fits.").hint("cargo nextest list shows all of them")
        );
    }
    Ok(Plan {
        exceptions: vec![PANIC],
        fails_with: Some(NEXTEST_FAILED),
        goes_on: ask.rest.iter().any(|arg| arg == "--no-fail-fast"),
        ..plan
    })
}

fn artifacts(built: &Finished) -> Vec<Artifact> {
    let lines = built.stdout.lines();
    lines
        .filter_map(|line| serde_json::from_slice(line.as_bytes()).ok())
        .collect()
}

/// Cargo's arguments, and those of what it runs.
fn split(args: &[String]) -> (&[String], &[String]) {
    let at = args
        .iter()
        .position(|word| word == "--")
        .unwrap_or(args.len());
    let (own, rest) = args.split_at(at);
    (own, rest.get(1..).unwrap_or_default())
}

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

/// Names of tests among cargo's arguments.
fn names(mut args: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    loop {
        args = args
            .get(options(args, VALUES, &["--"])..)
            .unwrap_or_default();
        let Some((name, rest)) = args.split_first() else {
            return found;
        };
        found.push(name.clone());
        args = rest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_tests_are_told_from_options() {
        let words = |text| words::split(text).unwrap();
        assert_eq!(
            names(&words("-p shop --lib total --features a,b -j 2")),
            ["total"]
        );
        let args = words("--bin x -q one --two");
        assert_eq!(options(&args, VALUES, &["--"]), 3);
        assert_eq!(split(&words("a -- b")), (&words("a")[..], &words("b")[..]));
    }
}
