//! Profiles without a screen: files of other tools in, other forms out; and a very large one.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/profiles")
        .join(name)
}

fn profile(dir: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_omp-debug"))
        .arg("profile")
        .args(words)
        .current_dir(dir)
        .env("HOME", dir)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// What each tool wrote becomes every form; each form that can be read says the same again.
#[test]
fn every_tools_file_becomes_every_form() {
    let dir = tempfile::tempdir().unwrap();
    for name in [
        "node.cpuprofile",
        "go.pb.gz",
        "perf-script.txt",
        "py-spy.folded",
        "py-spy.speedscope.json",
    ] {
        let file = fixture(name).display().to_string();
        let table = profile(dir.path(), &[&file, "--print"]);
        assert!(table.status.success(), "{name}: {}", err(&table));
        let table = out(&table);
        let burn = table.lines().find(|line| line.contains("burn`"));
        let burn = burn.unwrap_or_else(|| panic!("{name} has no burn:\n{table}"));
        let part: f64 = burn.split('|').nth(3).unwrap().trim().parse().unwrap();
        assert!(part > 40.0, "{name}: {burn}");
        for form in [
            "a.svg",
            "a.folded",
            "a.pb.gz",
            "a.speedscope.json",
            "a.firefox.json",
            "a.md",
            "a.json",
        ] {
            let done = profile(dir.path(), &[&file, "-o", form, "--force"]);
            assert!(done.status.success(), "{name} {form}: {}", err(&done));
            assert!(err(&done).contains(form), "{}", err(&done));
            assert!(fs::metadata(dir.path().join(form)).unwrap().len() > 0);
        }
        for form in ["a.folded", "a.pb.gz", "a.speedscope.json", "a.firefox.json"] {
            let again = profile(dir.path(), &[form, "--print"]);
            let again = out(&again);
            let part = format!("| {part:.1} |");
            let line = again.lines().find(|line| line.contains("burn"));
            assert!(
                line.is_some_and(|line| line.contains(&part)),
                "{name} {form}: {part}\n{again}"
            );
        }
    }
}

#[test]
fn a_comparison_says_what_grew() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("old.folded"), "m;a 10\nm;b 90\n").unwrap();
    fs::write(dir.path().join("new.folded"), "m;a 30\nm;b 30\n").unwrap();
    let done = profile(
        dir.path(),
        &["new.folded", "--diff", "old.folded", "--print"],
    );
    let text = out(&done);
    assert!(text.contains("60 samples; before: 100 samples"), "{text}");
    let line = |name: &str| {
        text.lines()
            .find(|l| l.trim_end().ends_with(name))
            .unwrap()
            .to_owned()
    };
    assert!(
        line(" a").contains("+40.0") && line(" b").contains("-40.0"),
        "{text}"
    );
}

#[test]
fn what_cannot_be_done_is_said_and_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let node = fixture("node.cpuprofile").display().to_string();
    fs::write(dir.path().join("there.svg"), "mine").unwrap();
    fs::write(dir.path().join("words.txt"), "just words\n").unwrap();
    let cut = fs::read(fixture("node.cpuprofile")).unwrap();
    fs::write(dir.path().join("cut.cpuprofile"), &cut[..1500]).unwrap();
    for (words, code, part) in [
        (vec![], 2, "FILE"),
        (vec!["gone.folded"], 4, "gone.folded: it cannot be read"),
        (vec!["words.txt", "--print"], 4, "line 1 is \"just words\""),
        (
            vec!["cut.cpuprofile", "--print"],
            4,
            "ends in the middle, at line 1 column 1500",
        ),
        (vec![&*node, "-o", "there.svg"], 2, "--force"),
        (vec![&*node, "--format", "png"], 2, "svg, folded"),
        (vec![&*node, "-o", "c.pdf"], 2, "end it with one of .svg"),
        (vec!["--self", "-o", "c.pdf"], 2, "--format"),
        (vec![&*node, "--pid", "1"], 2, "cannot be used with"),
    ] {
        let done = profile(dir.path(), &words);
        assert_eq!(done.status.code(), Some(code), "{words:?}: {}", err(&done));
        assert!(err(&done).contains(part), "{words:?}: {}", err(&done));
    }
    assert_eq!(
        fs::read_to_string(dir.path().join("there.svg")).unwrap(),
        "mine"
    );
    assert!(!dir.path().join("c.pdf").exists());
    let done = profile(dir.path(), &[&node, "-o", "c.pdf", "--format", "svg"]);
    assert!(done.status.success(), "the form was said: {}", err(&done));
}

#[test]
fn standard_input_is_a_file_too() {
    let dir = tempfile::tempdir().unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_omp-debug"))
        .args(["profile", "-", "--format", "folded"])
        .env("HOME", dir.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"a;b 2\na;c\x1b[31m 1\n").unwrap();
    drop(input);
    let done = child.wait_with_output().unwrap();
    let text = out(&done);
    assert!(
        text.starts_with("a;b 2\na;c") && !text.contains('\u{1b}'),
        "{text}"
    );
}

/// omp-debug looks at itself while it does one of its commands, with its own timer, whatever the kernel permits; what the command prints
/// and how it ends stays.
#[test]
fn omp_debug_itself_is_profiled_while_it_works() {
    let dir = tempfile::tempdir().unwrap();
    // Enough lines to take a while.
    let line = r#"{"timestamp":"2026-11-20T10:00:00.000Z","level":"info","pid":71,"message":"begun","n":{"a":[1,2]}}"#;
    let log = dir.path().join("omp.2026-11-20.71.log");
    fs::write(&log, format!("{line}\n").repeat(60_000)).unwrap();
    let log = log.to_str().unwrap();
    let words = ["--self", "-o", "self.folded", "--", "logs", "--json", log];
    let done = profile(dir.path(), &words);
    assert!(done.status.success(), "{}", err(&done));
    assert_eq!(out(&done).lines().count(), 60_000);
    let folded = fs::read_to_string(dir.path().join("self.folded")).unwrap();
    assert!(folded.contains("omp_debug::"), "{folded}");
    assert!(!err(&done).contains("not used"), "{}", err(&done));

    let bad = profile(dir.path(), &["--self", "--", "logs", "--nonsense"]);
    assert_eq!(bad.status.code(), Some(2), "{}", err(&bad));
    assert!(err(&bad).contains("--nonsense"), "{}", err(&bad));
}

/// Without a screen and without a command it does nothing but wait, and that is what is seen.
#[test]
fn omp_debug_itself_is_seen_without_a_screen() {
    let dir = tempfile::tempdir().unwrap();
    let done = profile(dir.path(), &["--self", "--seconds", "1", "--print"]);
    assert!(done.status.success(), "{}", err(&done));
    let text = out(&done);
    assert!(text.lines().any(|line| line.starts_with("| `")), "{text}");
}
