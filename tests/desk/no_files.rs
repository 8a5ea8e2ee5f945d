//! What is named to be read and is no file: it is refused, and nobody waits for it.

use crate::support;

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use support::procs::Watchdog;

const LIMIT: Duration = Duration::from_mins(1);

fn output(program: &str, dir: &Path, words: &[&str]) -> Output {
    let _limit = Watchdog::new(&format!("{words:?}"), LIMIT);
    Command::new(program)
        .args(words)
        .current_dir(dir)
        .env("HOME", dir)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

const OMP_DEBUG: &str = env!("CARGO_BIN_EXE_omp-debug");

#[test]
fn pipes_and_devices_are_refused_by_their_names() {
    let dir = tempfile::tempdir().unwrap();
    let pipe = dir.path().join("pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RWXU).unwrap();
    fs::write(dir.path().join("a.folded"), "main;work 3\n").unwrap();
    for (words, why) in [
        (
            &["replay", "--print", "pipe"][..],
            "it is not a regular file",
        ),
        (
            &["replay", "--json", "/dev/zero"],
            "it is not a regular file",
        ),
        (&["profile", "--print", "pipe"], "it is not a regular file"),
        (
            &["profile", "--print", "/dev/zero"],
            "it is not a regular file",
        ),
        (
            &["profile", "a.folded", "--print", "--diff", "pipe"],
            "it is not a regular file",
        ),
        // A device may stream; this one never says anything that a stream would.
        (
            &["sse", "--print", "/dev/zero"],
            "no event stream in \"/dev/zero\"",
        ),
    ] {
        let refused = output(OMP_DEBUG, dir.path(), words);
        assert_eq!(refused.status.code(), Some(4), "{words:?}: {refused:?}");
        let said = String::from_utf8(refused.stderr).unwrap();
        assert!(said.contains(why), "{words:?}: {said}");
    }
}

#[test]
fn a_pipe_of_the_shells_is_read() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.folded"), "main;work 3\n").unwrap();
    let recording = r#"{"omp_debug_recording":1,"adapter":"fake","program":"program.fake"}
{"from":"adapter","message":{"seq":1,"type":"event","event":"terminated"},"at":1}
"#;
    fs::write(dir.path().join("a.rec"), recording).unwrap();
    fs::write(dir.path().join("a.sse"), "data: 1\n\n").unwrap();
    for (words, told) in [
        ("replay --print <(cat a.rec)", "program.fake under fake"),
        ("profile --print <(cat a.folded)", "`work`"),
        ("profile --print /dev/stdin < <(cat a.folded)", "`work`"),
        ("sse --print <(cat a.sse)", "data: 1"),
    ] {
        let script = format!("{OMP_DEBUG} {words}");
        let read = output("bash", dir.path(), &["-c", &script]);
        assert_eq!(read.status.code(), Some(0), "{words}: {read:?}");
        let said = String::from_utf8(read.stdout).unwrap();
        assert!(said.contains(told), "{words}: {said}");
    }
}
