//! `go test`: Delve builds and starts a package's tests itself; the flags of the tests are handed on.

use std::path::Path;

use debugger::{DebuggerError, Kind, LaunchSpec};

use super::{TestRun, launch};

/// The table's entry for Go.
const ADAPTER: &str = "dlv";

/// Flags of `go test` that the test binary takes, and whether a value follows.
const TEST_FLAGS: &[(&str, bool)] = &[
    ("run", true),
    ("skip", true),
    ("v", false),
    ("short", false),
    ("count", true),
    ("timeout", true),
    ("parallel", true),
    ("bench", true),
    ("benchtime", true),
    ("cpu", true),
    ("failfast", false),
    ("shuffle", true),
    ("fuzz", true),
];
/// Flags of the build that take a value.
const BUILD_VALUES: &[&str] = &["tags", "ldflags", "gcflags", "mod", "modfile", "p"];

pub(super) fn wrap(
    rest: &[String],
    base: LaunchSpec,
    cwd: &Path,
) -> Result<TestRun, DebuggerError> {
    let mut args = Vec::new();
    let mut build = Vec::new();
    let mut packages = Vec::new();
    let mut words = rest.iter();
    while let Some(word) = words.next() {
        if word == "-args" || word == "--args" {
            args.extend(words.by_ref().cloned());
            break;
        }
        let Some(flag) = word.strip_prefix("--").or_else(|| word.strip_prefix('-')) else {
            packages.push(word.clone());
            continue;
        };
        let (name, given) = match flag.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (flag, None),
        };
        let known = TEST_FLAGS.iter().find(|(f, _)| *f == name);
        let takes = known.map_or_else(|| BUILD_VALUES.contains(&name), |(_, takes)| *takes);
        let value = given.or_else(|| takes.then(|| words.next().cloned()).flatten());
        let spelled = |prefix: &str| match &value {
            Some(value) => format!("{prefix}{name}={value}"),
            None => format!("{prefix}{name}"),
        };
        if known.is_some() {
            args.push(spelled("-test."));
        } else {
            build.push(spelled("-"));
        }
    }
    let package = match packages.as_slice() {
        [] => cwd.to_path_buf(),
        [one] if !one.ends_with("...") => cwd.join(one),
        several => {
            return Err(DebuggerError::new(
                Kind::Usage,
                format!(
                    "Delve debugs the tests of one package at a time, and `{}` may be several.",
                    several.join(" ")
                ),
            )
            .hint("name one package: --test 'go test ./shop'"));
        }
    };
    let mut extra = base.extra.clone();
    extra.insert("mode".to_owned(), "test".into());
    if !build.is_empty() {
        extra.insert("buildFlags".to_owned(), build.into());
    }
    Ok(TestRun {
        launch: launch(LaunchSpec {
            // The tests of a package run in its folder.
            cwd: Some(package.clone()),
            program: package,
            args,
            adapter: base.adapter.clone().or_else(|| Some(ADAPTER.to_owned())),
            extra,
            ..base
        }),
        exceptions: Vec::new(),
        // Every way to fail ends here: Error, Errorf, Fatal, FailNow.
        functions: vec!["testing.(*common).Fail"],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use debugger::Command;

    #[test]
    fn flags_go_to_the_tests_or_to_the_build() {
        let words = |text: &str| base::text::words::split(text).unwrap();
        let cwd = Path::new("/w");
        let run = wrap(
            &words("-run TestTotal -tags=x -v -race ./shop -args a -b"),
            LaunchSpec::default(),
            cwd,
        )
        .unwrap();
        let Command::Launch(spec) = run.launch else {
            panic!()
        };
        assert_eq!(spec.program, Path::new("/w/./shop"));
        assert_eq!(spec.args, ["-test.run=TestTotal", "-test.v", "a", "-b"]);
        assert_eq!(spec.extra["mode"], "test");
        assert_eq!(
            spec.extra["buildFlags"],
            serde_json::json!(["-tags=x", "-race"])
        );
        let error = wrap(&words("./..."), LaunchSpec::default(), cwd).unwrap_err();
        assert!(error.to_string().contains("`./...`"), "{error}");
    }
}
