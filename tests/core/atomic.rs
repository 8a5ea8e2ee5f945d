// suite: T20 asked 40 present 40
//! Files are old or new, never half: four writers, each killed before ten of its system calls, from the first to the last.
//!
//! What a project keeps, which files are trusted, a report, and a profile in another form. A small tracer counts the calls that
//! change what is below a folder, and kills the writer before one of them. Then the file is as it was or as it was to be, and
//! after the next start nothing else is there.

use crate::support;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use support::core::Home;
use support::procs::Watchdog;
use support::{root, tools};

const LIMIT: Duration = Duration::from_mins(3);
/// Places at which each writer is killed.
const CUTS: usize = 10;
/// The tracer's exit code after a kill.
const CUT: i32 = 99;

/// One that writes a file as a whole.
struct Writer {
    name: &'static str,
    /// Its words, for the second time that it writes; they hold another text than the first.
    words: fn(Turn) -> Vec<String>,
    /// Its file, below the home.
    file: fn(&Home) -> PathBuf,
    /// Whether a file is one of those that it writes.
    is_whole: fn(&Path) -> bool,
}

/// Which text is written.
#[derive(Clone, Copy, PartialEq)]
enum Turn {
    First,
    Second,
}

const WRITERS: [Writer; 4] = [
    Writer {
        name: "what a project keeps",
        words: |turn| {
            let line = if turn == Turn::First { 1 } else { 2 };
            let set = format!("break app.py:{line}");
            words(&["repl", "--kept", "--batch", "--ex", &set, "app.py"])
        },
        file: |home| {
            let mut files = fs::read_dir(home.path().join("state/omp-debug/projects")).unwrap();
            files.next().unwrap().unwrap().path()
        },
        is_whole: |file| {
            let text = fs::read_to_string(file).unwrap();
            let kept: serde_json::Value = serde_json::from_str(&text).unwrap();
            !kept["breakpoints"].as_array().unwrap().is_empty()
        },
    },
    Writer {
        name: "which files are trusted",
        words: |turn| {
            let name = if turn == Turn::First { "one" } else { "two" };
            words(&["run", "--trust", "--config", &format!("{name}.json")])
        },
        file: |home| home.path().join("state/omp-debug/trust.json"),
        is_whole: |file| {
            let text = fs::read_to_string(file).unwrap();
            text.ends_with('\n') && serde_json::from_str::<serde_json::Value>(&text).is_ok()
        },
    },
    Writer {
        name: "a report",
        words: |_| {
            words(&[
                "report",
                "--yes",
                "--fast",
                "--force",
                "-o",
                "out/report.tar.gz",
            ])
        },
        file: |home| home.path().join("work/out/report.tar.gz"),
        is_whole: |file| {
            let mut text = Vec::new();
            let mut packed = flate2::read::GzDecoder::new(fs::File::open(file).unwrap());
            std::io::Read::read_to_end(&mut packed, &mut text).is_ok_and(|size| size > 1024)
        },
    },
    Writer {
        name: "a profile",
        words: |turn| {
            let name = if turn == Turn::First { "one" } else { "two" };
            let from = format!("{name}.folded");
            words(&[
                "profile",
                &from,
                "--format",
                "folded",
                "--force",
                "-o",
                "out/a.folded",
            ])
        },
        file: |home| home.path().join("work/out/a.folded"),
        is_whole: |file| {
            let text = fs::read_to_string(file).unwrap();
            text.lines().count() == 2000 && text.ends_with('\n')
        },
    },
];

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

/// The tracer, built once.
fn tracer() -> &'static Path {
    static BUILT: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    let (_, path) = BUILT.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cut");
        let source = root().join("tests/support/cut.c");
        let built = Command::new("cc")
            .arg(&source)
            .arg("-o")
            .arg(&path)
            .status()
            .unwrap();
        assert!(built.success());
        (folder, path)
    });
    path
}

fn home() -> Home {
    let home = Home::new();
    home.file("work/app.py", "a = 1\nb = 2\n");
    for name in ["one", "two"] {
        let folded: Vec<_> = (0..2000).map(|n| format!("{name};work{n} 5\n")).collect();
        let folded = folded.concat();
        home.file(&format!("work/{name}.folded"), &folded);
        // Trusted, and then there is no program: nothing is started.
        home.file(
            &format!("work/{name}.json"),
            &format!("{{\"program\": \"none-{name}.py\", \"adapter\": \"debugpy\"}}"),
        );
    }
    fs::create_dir_all(home.path().join("work/out")).unwrap();
    home
}

/// Runs a writer, killed before a call when `cut` is not 0.
fn write(home: &Home, writer: &Writer, turn: Turn, cut: usize) -> Output {
    let context = home.context();
    // Only what changes below this home counts.
    let below = home.path().canonicalize().unwrap();
    let mut command = Command::new(tracer());
    command
        .arg(&below)
        .arg(cut.to_string())
        .arg(tools::omp_debug())
        .args((writer.words)(turn))
        .current_dir(below.join("work"))
        .env_clear()
        .envs(context.env.iter())
        .env("TMPDIR", below.join("work"))
        .stdin(Stdio::null());
    let _watchdog = Watchdog::new(&format!("{}: {cut}", writer.name), LIMIT);
    command.output().unwrap()
}

/// How many calls there were, as the tracer says.
fn calls(output: &Output) -> usize {
    let text = String::from_utf8_lossy(&output.stderr);
    let line = text
        .lines()
        .rev()
        .find_map(|line| line.strip_prefix("cut: "));
    line.unwrap_or_else(|| panic!("{text}")).parse().unwrap()
}

/// Every file below a folder with what is in it.
fn everything(folder: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            everything(&path, found);
        } else {
            let content = fs::read(&path).unwrap();
            found.insert(path, content);
        }
    }
}

fn names(home: &Home) -> Vec<PathBuf> {
    let mut found = BTreeMap::new();
    everything(home.path(), &mut found);
    found.into_keys().collect()
}

/// Calls to be killed before: the first, the last, and evenly in between.
fn places(calls: usize) -> Vec<usize> {
    let last = CUTS - 1;
    (0..CUTS).map(|n| 1 + n * (calls - 1) / last).collect()
}

fn held(writer: &Writer) -> usize {
    let home = home();
    write(&home, writer, Turn::First, 0);
    let file = (writer.file)(&home);
    assert!((writer.is_whole)(&file), "{}", writer.name);
    let before = fs::read(&file).unwrap();
    // A second time, so that folders are there and only the file is written anew.
    let whole = write(&home, writer, Turn::Second, 0);
    let calls = calls(&whole);
    assert!(calls >= CUTS, "{}: {calls} calls", writer.name);
    let there = names(&home);
    let mode = file.metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "{}", writer.name);
    let (mut cases, mut kept, mut left) = (0, 0, 0);
    for place in places(calls) {
        fs::write(&file, &before).unwrap();
        let cut = write(&home, writer, Turn::Second, place);
        let what = format!("{} before call {place} of {calls}", writer.name);
        assert_eq!(cut.status.code(), Some(CUT), "{what}: {cut:?}");
        assert!((writer.is_whole)(&file), "{what}: half a file");
        kept += usize::from(fs::read(&file).unwrap() == before);
        left += usize::from(names(&home) != there);
        // The next start writes anew, and leaves nothing of the one that was killed.
        write(&home, writer, Turn::Second, 0);
        assert!((writer.is_whole)(&file), "{what}: the next start");
        assert_eq!(names(&home), there, "{what}: something was left");
        cases += 1;
    }
    // The cuts are where it matters: before and after the new file is in its place, and while the temporary one is there.
    assert!((1..CUTS).contains(&kept), "{}: {kept} kept", writer.name);
    assert!(
        left > 0,
        "{}: no temporary file was ever there",
        writer.name
    );
    cases
}

#[test]
fn a_writer_that_is_killed_leaves_the_old_file_or_the_new_one() {
    let head = include_str!("atomic.rs").lines().next().unwrap();
    let present: usize = head.rsplit(' ').next().unwrap().parse().unwrap();
    let cases: usize = WRITERS.iter().map(held).sum();
    assert_eq!(cases, present);
}
