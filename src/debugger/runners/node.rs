//! Node, and what runs on it: test runners, package managers and TypeScript. What they start is followed by the adapter.

use base::peers;

use super::{Plan, RunnerQuery, options, under};
use crate::{
    adapters::{REPORT, trust::CommandLine},
    prelude::*,
};

/// The table's entry for JavaScript.
const ADAPTER: &str = "node";
/// Runners catch what a test raises, and say so afterwards.
const FAILURES: &str = "all";

/// Flags that keep a runner's tests in one process at a time.
const ONE_BY_ONE: &[(&str, &[&str])] = &[
    ("jest", &["--runInBand"]),
    ("vitest", &["--no-file-parallelism"]),
];
/// Options of Node's that are followed by a value.
const VALUES: &[&str] = &[
    "-r",
    "--require",
    "--import",
    "--loader",
    "--experimental-loader",
    "-C",
    "--conditions",
];
/// What Deno runs first: it waits until the debugger has asked what it is debugging, by `process`. Asked while modules of Node's are
/// loaded, that is an error in the program.
const ASKED: &str = "data:text/javascript,await new Promise(go=>{const g=globalThis,was=Object.getOwnPropertyDescriptor(g,'process');\
    Object.defineProperty(g,'process',{configurable:true,get(){Object.defineProperty(g,'process',was);setTimeout(go);return g.process}});\
    setTimeout(go,2000)})";
/// Words that make what a package manager runs a test.
const TESTS: &[&str] = &["test", "t", "tst", "jest", "vitest", "mocha", "ava", "tap"];

/// What a test of JavaScript's has another text for in its name when it runs: what a template fills in, what is filled in from a row
/// (`%s`, `$price`), and what is escaped.
static FILLED_IN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\$\{(?:[^{}]|\{[^{}]*\})*\}|\$\{.*|\$[\w#][\w.]*|%[\w#%$]|\\.?").ok()
});

/// `node [OPTIONS] FILE ARGS…`. With `--test` the runner would start a process for each file; of one its tests run in this one.
pub fn node(ask: &RunnerQuery<'_>) -> Plan {
    let (flags, rest) = ask.rest.split_at(options(&ask.rest, VALUES, &[]));
    let is_test = flags.iter().any(|flag| flag == "--test");
    let program = rest
        .first()
        .map(|file| ask.cwd.join(file))
        .filter(|file| file.is_file());
    let base = if is_test {
        tested(ask)
    } else {
        ask.base.clone()
    };
    let mut plan = match program {
        Some(program) if !is_test || rest.len() == 1 => {
            let flags: Vec<_> = flags
                .iter()
                .filter(|flag| *flag != "--test")
                .cloned()
                .collect();
            debug(
                base,
                program,
                rest.get(1..).unwrap_or_default().to_vec(),
                &flags,
            )
        }
        _ => run(base, ask.word(), &ask.rest),
    };
    plan.exceptions.extend(is_test.then_some(FAILURES));
    plan
}

/// `npm …`, `npx …`: whatever runs on Node of what it starts.
pub fn follow(ask: &RunnerQuery<'_>) -> Result<Plan> {
    let is_test = |word: &String| TESTS.contains(&word.as_str()) || word.starts_with("test");
    let is_test = ask
        .rest
        .iter()
        .filter(|word| !word.starts_with('-'))
        .take(2)
        .any(is_test);
    let base = if is_test {
        tested(ask)
    } else {
        ask.base.clone()
    };
    let word = ask.program()?.lossy();
    Ok(Plan {
        exceptions: is_test.then_some(FAILURES).into_iter().collect(),
        ..run(base, &word, &ask.rest)
    })
}

/// `npx jest …`, `vitest …`: the script that the project has installed.
pub fn runner(ask: &RunnerQuery<'_>) -> Result<Plan> {
    let mut words = ask.command.iter().skip_while(|word| *word == "npx");
    let word = words.next().map_or("", String::as_str);
    let name = Path::new(word)
        .file_name()
        .unwrap_or_default()
        .to_string_lossy();
    let script = installed(&name, &ask.cwd)
        .or_else(|| ask.find(word))
        .and_then(|path| path.canonicalize().ok())
        .ok_or_else(|| {
            DebuggerError::program(format!(
                "{name} is not installed in {} or above it.",
                ask.cwd.display()
            ))
            .hint(format!("npm install --save-dev {name}"))
        })?;
    let mut args: Vec<String> = words.cloned().collect();
    let alone = ONE_BY_ONE.iter().find(|(runner, _)| *runner == name);
    for flag in alone.iter().flat_map(|(_, flags)| *flags) {
        if !args.iter().any(|arg| arg == flag) {
            args.push((*flag).to_owned());
        }
    }
    // It would go on watching the files.
    if name == "vitest" && !args.iter().any(|arg| arg == "run") {
        args.insert(0, "run".to_owned());
    }
    Ok(Plan {
        exceptions: vec![FAILURES],
        ..debug(tested(ask), script, args, &[])
    })
}

/// Whether a program is written in TypeScript.
pub fn is_typescript(program: &Path) -> bool {
    let extension = program.extension().and_then(|extension| extension.to_str());
    matches!(extension, Some("ts" | "tsx" | "mts" | "cts"))
}

/// `deno test …`: what does not build is found first; then Deno waits at a port until the debugger is there.
pub async fn deno(ask: RunnerQuery<'_>) -> Result<Plan> {
    let ask = &ask;
    let deno = ask.program()?.lossy();
    let build = ask.argv(&["test", "--no-run"], &ask.rest)?;
    ask.build(build, false).await?;
    let port = peers::free_port()
        .map_err(|error| DebuggerError::program(format!("No port is free for Deno: {error}.")))?;
    let mut base = tested(ask);
    base.extra.put("attachSimplePort", port);
    base.extra.put("timeout", 60_000);
    // Its exit code is told by nobody else.
    base.env.push((REPORT.to_owned(), Some(String::new())));
    let tells = format!("\"$@\"; code=$?; echo $code >\"${REPORT}\"; exit $code");
    let at = format!("--inspect-wait=127.0.0.1:{port}");
    let mut words: Vec<_> = [
        "-c",
        &tells,
        "deno",
        &deno,
        "test",
        &at,
        "--no-check",
        "--preload",
        ASKED,
    ]
    .map(str::to_owned)
    .into();
    words.extend(ask.rest.iter().cloned());
    Ok(Plan {
        exceptions: vec![FAILURES],
        ..run(base, "sh", &words)
    })
}

/// `bun …` and `deno run …`: said before the start.
pub fn foreign(word: &str) -> DebuggerError {
    let why = if word.ends_with("deno") {
        "A program that Deno runs cannot be debugged: it is past its breakpoints before they are placed; `deno test` can be."
    } else {
        "Bun has the inspector of WebKit, for which there is no debug adapter outside of VS Code."
    };
    DebuggerError::program(why)
        .hint("run it by Node to debug it: npm install --save-dev tsx, and vitest for tests")
}

/// A program in TypeScript, by what there is to run it: in the project, or on PATH.
pub async fn typescript(ask: &RunnerQuery<'_>, program: &Path) -> Result<Plan> {
    let folder = program.parent().unwrap_or(&ask.cwd);
    let find = |name: &str| installed(name, folder).or_else(|| ask.context.on_path(name));
    let plan = |runtime: &Path, flags: &[&str]| {
        let mut base = ask.base.clone();
        base.extra.put("runtimeExecutable", runtime.lossy());
        pass_over_maps_of_packages(&mut base.extra);
        let flags: Vec<_> = flags.iter().map(|&flag| flag.to_owned()).collect();
        Ok(debug(base, program.to_path_buf(), ask.rest.clone(), &flags))
    };
    if let Some(tsx) = find("tsx") {
        return plan(&tsx, &[]);
    }
    let node = ask.context.on_path("node");
    let version = match &node {
        Some(node) => version(node).await,
        None => None,
    };
    if let (Some(node), Some(true)) = (&node, version.map(|version| version >= (22, 18))) {
        return plan(node, &[]);
    }
    if let (Some(node), Some(_)) = (&node, installed("ts-node", folder)) {
        return plan(node, &["--require", "ts-node/register"]);
    }
    // Built by tsc, it lies elsewhere, and the adapter finds it by its source map.
    let is_built = |folder: &Path| {
        fs::read_to_string(folder.join("tsconfig.json"))
            .is_ok_and(|text| text.contains("\"outDir\""))
    };
    if program.with_extension("js").is_file() || folder.ancestors().any(is_built) {
        return Ok(debug(
            ask.base.clone(),
            program.to_path_buf(),
            ask.rest.clone(),
            &[],
        ));
    }
    if let Some(word) = ["deno", "bun"].iter().find(|name| find(name).is_some()) {
        return Err(foreign(word));
    }
    let has = match version {
        Some((major, minor)) => format!("Node {major}.{minor} here runs JavaScript only"),
        None => "there is no Node on PATH".to_owned(),
    };
    Err(DebuggerError::program(format!("{} is TypeScript, and {has}.", program.display()))
        .hint("npm install --save-dev tsx, or use Node 22.18 or newer, or build it with tsc and source maps"))
}

/// Major and minor.
async fn version(node: &Path) -> Option<(u32, u32)> {
    let mut asked = tokio::process::Command::new(node);
    let said = asked.arg("--version").kill_on_drop(true).output();
    let said = said.await.ok()?;
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    let mut numbers = said
        .trim()
        .trim_start_matches('v')
        .split('.')
        .map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

/// A test run: packages are skipped, which costs nothing, except those in which assertions raise. Node's own files are not: if any of
/// them is skipped, js-debug skips `assert.ok`, too.
fn tested(ask: &RunnerQuery<'_>) -> LaunchSpec {
    let mut base = ask.test();
    let raising = [
        "chai",
        "expect",
        "@vitest/expect",
        "@jest/expect",
        "power-assert",
        "should",
    ];
    let raising = raising.map(|package| format!("!**/node_modules/{package}/**"));
    let all = iter::once("**/node_modules/**".to_owned()).chain(raising);
    let skipped = base.extra.entry("skipFiles");
    skipped.or_insert_with(|| all.map(Value::from).collect());
    base
}

/// A script in a process of its own.
fn debug(base: LaunchSpec, program: PathBuf, args: Vec<String>, flags: &[String]) -> Plan {
    let mut extra = base.extra.clone();
    if !flags.is_empty() {
        extra.put("runtimeArgs", json!(flags));
    }
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

/// A command whose processes are followed.
fn run(base: LaunchSpec, command: &str, words: &[String]) -> Plan {
    let mut extra = base.extra.clone();
    extra.put("runtimeExecutable", command);
    extra.put("runtimeArgs", json!(words));
    extra.put("program", Value::Null);
    pass_over_maps_of_packages(&mut extra);
    Plan::of(under(ADAPTER, LaunchSpec { extra, ..base }))
}

/// Packages come without the source maps that they name, npm's own, too, and js-debug warns about each.
fn pass_over_maps_of_packages(extra: &mut Map<String, Value>) {
    extra
        .entry("resolveSourceMapLocations")
        .or_insert_with(|| json!(["**", "!**/node_modules/**"]));
}

fn installed(name: &str, cwd: &Path) -> Option<PathBuf> {
    let mut folders = cwd
        .ancestors()
        .map(|folder| folder.join("node_modules/.bin").join(name));
    folders.find(|path| path.exists())
}

/// What a `package.json` has to run: its scripts, with what each does, and all tests where no script has them run.
pub fn runs(text: &str) -> Vec<(String, Vec<CommandLine>)> {
    let package: Value = serde_json::from_slice(text.as_bytes()).unwrap_or_default();
    let scripts = package.get("scripts").and_then(Value::as_object);
    let script = |name: &str| Some(scripts?.text_of(name)?.to_owned());
    let names = scripts.into_iter().flatten().map(|(name, _)| name);
    let around = |name: &String| {
        let all = ["pre", "", "post"].map(|when| format!("{when}{name}"));
        let runs = all
            .into_iter()
            .filter_map(|name| Some((script(&name)?, name)));
        runs.map(|(text, name)| CommandLine::new(name, ["sh", "-c", &text]))
            .collect()
    };
    let mut all: Vec<_> = names
        .map(|name| (words::join(["npm", "run", name]), around(name)))
        .collect();
    let has_vitest = ["devDependencies", "dependencies"].iter().any(|kind| {
        package
            .get(kind)
            .and_then(|kind| kind.get("vitest"))
            .is_some()
    });
    let mut texts = scripts.into_iter().flatten().map(|(_, text)| text.as_str());
    if has_vitest && !texts.any(|text| text.is_some_and(|text| text.contains("vitest"))) {
        all.push(("npx vitest run".to_owned(), Vec::new()));
    }
    all
}

/// The regular expression of a name in the source.
pub fn named(name: &str) -> String {
    let Some(filled_in) = &*FILLED_IN else {
        return regex::escape(name);
    };
    filled_in.split(name).map(regex::escape).joined(".*")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_filled_in_are_patterns() {
        for (name, pattern) in [
            ("reads ${row.line}", "reads .*"),
            ("${[1].map((x) => { return x })} of ${y}.", r".* of .*\."),
            ("reads ${row[", "reads .*"),
            ("adds %d and $row.b", "adds .* and .*"),
            (r"it\'s (one)", r"it.*s \(one\)"),
            (r"it\", "it.*"),
        ] {
            assert_eq!(named(name), pattern);
        }
    }

    #[test]
    fn all_tests_are_a_row_where_no_script_is() {
        let rows = |text: &str| {
            let rows = runs(text).into_iter();
            rows.map(|(row, _)| row).collect::<Vec<_>>()
        };
        let has = r#""devDependencies": {"vitest": "3"}"#;
        assert_eq!(rows(&format!("{{{has}}}")), ["npx vitest run"]);
        let scripts = |test| format!(r#"{{"scripts": {{"t": "{test}"}}, {has}}}"#);
        assert_eq!(rows(&scripts("tsc")), ["npm run t", "npx vitest run"]);
        assert_eq!(rows(&scripts("vitest")), ["npm run t"]);
    }
}
