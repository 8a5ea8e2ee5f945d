//! Go: what does not compile is found first; Delve then builds and starts the program, or the tests of a package, itself.

use std::borrow::Cow;

use super::{Plan, RunnerQuery, under};
use crate::prelude::*;

/// The table's entry for Go.
const ADAPTER: &str = "go";
/// As Delve builds, so that what is compiled for one is there for the other.
const UNOPTIMISED: &str = "-gcflags=all=-N -l";

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
const BUILD_VALUES: &[&str] = &["tags", "ldflags", "gcflags", "mod", "modfile", "p", "C"];

/// What stands behind `go test` or `go run`.
#[derive(Debug, Default, PartialEq)]
struct Words {
    /// For the tests, or the program.
    args: Vec<String>,
    build: Vec<String>,
    /// Packages, or files.
    packages: Vec<String>,
    /// The tests that are meant.
    run: Option<String>,
    /// The benchmarks, which are run besides.
    bench: Option<String>,
}

impl Words {
    fn read(rest: &[String], is_test: bool) -> Self {
        let mut read = Self::default();
        let mut words = rest.iter();
        while let Some(word) = words.next() {
            let flag = word.strip_prefix("--").or_else(|| word.strip_prefix('-'));
            let is_file = Path::new(word).extension().is_some_and(|it| it == "go");
            match flag {
                Some("args") if is_test => read.args.extend(words.by_ref().cloned()),
                None if is_test || read.packages.is_empty() || is_file => {
                    read.packages.push(word.clone());
                }
                _ if !is_test && !read.packages.is_empty() => {
                    read.args.push(word.clone());
                    read.args.extend(words.by_ref().cloned());
                }
                Some(flag) => {
                    let (name, given) = match flag.split_once('=') {
                        Some((name, value)) => (name, Some(value.to_owned())),
                        None => (flag, None),
                    };
                    let known = TEST_FLAGS
                        .iter()
                        .find(|(known, _)| is_test && *known == name);
                    let takes =
                        known.map_or_else(|| BUILD_VALUES.contains(&name), |(_, takes)| *takes);
                    let value = given.or_else(|| takes.then(|| words.next().cloned()).flatten());
                    let spelled = |prefix: &str| match &value {
                        Some(value) => format!("{prefix}{name}={value}"),
                        None => format!("{prefix}{name}"),
                    };
                    match known {
                        Some(_) => read.args.push(spelled("-test.")),
                        None => read.build.push(spelled("-")),
                    }
                    match name {
                        "run" if known.is_some() => read.run = value,
                        "bench" if known.is_some() => read.bench = value,
                        _ => {}
                    }
                }
                None => read.packages.push(word.clone()),
            }
        }
        if read.packages.is_empty() {
            read.packages.push(".".to_owned());
        }
        read
    }

    /// What `-list` is to look for. Of a test in a test the outer one is listed.
    fn wanted(&self) -> String {
        let outer = |meant: &str| meant.split('/').next().unwrap_or_default().to_owned();
        let run = self.run.as_deref().map_or_else(|| ".".to_owned(), outer);
        match self.bench.as_deref().map(outer) {
            Some(bench) => format!("{run}|{bench}"),
            None => run,
        }
    }

    fn argv(&self, ask: &RunnerQuery<'_>, verb: &[&str]) -> Result<Vec<String>> {
        let mut argv = ask.argv(verb, &self.build)?;
        if verb.first() != Some(&"list") {
            argv.push(UNOPTIMISED.to_owned());
        }
        argv.extend(self.packages.iter().cloned());
        Ok(argv)
    }

    fn spec(&self, base: LaunchSpec, mode: &str) -> LaunchSpec {
        let mut extra = base.extra.clone();
        extra.put("mode", mode);
        if !self.build.is_empty() {
            let quoted = self.build.iter().map(|flag| quoted(flag));
            extra.put("buildFlags", quoted.collect::<Vec<_>>().join(" "));
        }
        let args = self.args.clone();
        under(
            ADAPTER,
            LaunchSpec {
                args,
                extra,
                ..base
            },
        )
    }
}

/// A flag as Delve reads it in a line of them: a list of flags is new to it.
fn quoted(flag: &str) -> Cow<'_, str> {
    if flag.contains(char::is_whitespace) {
        format!("'{flag}'").into()
    } else {
        flag.into()
    }
}

/// `go test`: a session for each package that has a test which is meant.
pub async fn test(ask: RunnerQuery<'_>) -> Result<Plan> {
    let ask = &ask;
    let words = Words::read(&ask.rest, true);
    let run = words.wanted();
    let listed = ask
        .build(words.argv(ask, &["test", "-list", &run])?, false)
        .await?;
    let dirs = ask
        .build(
            words.argv(ask, &["list", "-f", "{{.ImportPath}}\t{{.Dir}}"])?,
            true,
        )
        .await?;
    let dirs: BTreeMap<_, _> = dirs
        .stdout
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .collect();
    let (mut found, mut has_tests): (Vec<&&str>, _) = (Vec::new(), false);
    for line in listed.stdout.lines() {
        match line.split_whitespace().collect::<Vec<_>>().as_slice() {
            ["ok", package, ..] => {
                found.extend(dirs.get(package).filter(|_| has_tests));
                has_tests = false;
            }
            [_] => has_tests = true,
            _ => has_tests = false,
        }
    }
    if found.is_empty() {
        return Err(DebuggerError::usage(format!("No test fits `{run}`."))
            .hint("go test -list . ./... shows all of them"));
    }
    let specs = found.into_iter().map(|dir| {
        let dir = PathBuf::from(dir);
        // The tests of a package run in its folder.
        let base = LaunchSpec {
            cwd: Some(dir.clone()),
            program: dir,
            ..ask.test()
        };
        words.spec(base, "test")
    });
    Ok(Plan {
        // Every way to fail ends here: Error, Errorf, Fatal, FailNow.
        functions: vec!["testing.(*common).Fail"],
        goes_on: true,
        fails_with: Some(1),
        ..Plan::all(specs)
    })
}

/// What a test said last, of all that it said, quoted as Go does, or of the end of that; without the place before it.
pub(crate) fn failure_said(quoted: &str, is_end: bool) -> String {
    // Escapes that JSON has not are those of control characters.
    let quoted = quoted.replace("\\x", "\\u00").replace("\\a", "\\u0007");
    let printed: String = serde_json::from_str(&quoted).unwrap_or_default();
    let printed = printed.trim_end();
    // Lines that go on are further to the right.
    let mut entries = printed
        .rmatch_indices("\n    ")
        .filter_map(|(at, gap)| printed.get(at + gap.len()..));
    let entry = entries.find(|entry| !entry.starts_with(' '));
    if entry.is_none() && is_end {
        return format!("\u{2026}{printed}");
    }
    let entry = entry.unwrap_or(printed).trim_start();
    let text = entry.splitn(3, ':').nth(2).unwrap_or_default();
    text.trim_start().to_owned()
}

/// `go run`.
pub async fn run(ask: RunnerQuery<'_>) -> Result<Plan> {
    let ask = &ask;
    let words = Words::read(&ask.rest, false);
    ask.build(words.argv(ask, &["build", "-o", "/dev/null"])?, false)
        .await?;
    let program = match words.packages.as_slice() {
        [one] => ask.cwd.join(one),
        // Files of one folder.
        several => several
            .first()
            .and_then(|file| ask.cwd.join(file).parent().map(Path::to_path_buf))
            .unwrap_or_default(),
    };
    let base = LaunchSpec {
        program,
        ..ask.base.clone()
    };
    Ok(Plan {
        fails_with: Some(1),
        ..Plan::of(words.spec(base, "debug"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_test_said_last_is_told_without_its_place() {
        let all =
            r#""    a_test.go:7: first\n    a_test.go:8: got 3: \x1bwant 4\n        and more\n""#;
        assert_eq!(
            failure_said(all, false),
            "got 3: \u{1b}want 4\n        and more"
        );
        assert_eq!(failure_said(r#""    a_test.go:7: one\n""#, false), "one");
        // Its beginning was cut off.
        assert_eq!(
            failure_said(r#""end of a long line\n""#, true),
            "\u{2026}end of a long line"
        );
        assert_eq!(
            failure_said(r#""ut off\n    a_test.go:8: whole\n""#, true),
            "whole"
        );
        assert_eq!(failure_said("", false), "");
    }

    #[test]
    fn flags_go_to_the_tests_or_to_the_build() {
        let words = |text: &str| words::split(text).unwrap();
        let read = Words::read(
            &words("-run TestTotal -tags=x -v -race ./shop -args a -b"),
            true,
        );
        assert_eq!(
            read,
            Words {
                args: words("-test.run=TestTotal -test.v a -b"),
                build: words("-tags=x -race"),
                packages: words("./shop"),
                run: Some("TestTotal".to_owned()),
                bench: None,
            }
        );
        assert_eq!(read.wanted(), "TestTotal");
        let read = Words::read(
            &words("-run ^$ -bench Put/ten -ldflags '-X main.v=1'"),
            true,
        );
        assert_eq!(read.wanted(), "^$|Put");
        let flags = read.build.iter().map(|flag| quoted(flag));
        assert_eq!(flags.collect::<Vec<_>>(), ["'-ldflags=-X main.v=1'"]);
        let read = Words::read(&words("-tags x a.go b.go c -v"), false);
        let all = (words("c -v"), words("-tags=x"), words("a.go b.go"));
        assert_eq!((read.args, read.build, read.packages), all);
        assert_eq!(Words::read(&[], false).packages, ["."]);
    }
}
