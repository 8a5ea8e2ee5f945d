//! How a run ends, and what it counts, where adapters keep silent or say something else: exit codes, hits, deaths, arguments, and
//! what a program on a terminal reads.

use crate::support;

use std::fs;
use std::io::Write as _;

use serde_json::{Value, json};
use support::run::{Ran, Runs};
use support::tools;

/// A program of Node's, its exit code, and that of the run.
const NODE: &[(&str, Option<i64>, i32)] = &[
    ("console.log('done');", Some(0), 0),
    ("process.exit(3);", Some(3), 1),
    ("process.exitCode = 4;", Some(4), 1),
    // The last word counts.
    ("process.on('exit', () => process.exit(5));", Some(5), 1),
    (
        "process.on('exit', () => { process.exitCode = 6; });",
        Some(6),
        1,
    ),
    ("Promise.reject(new Error('nobody cares'));", Some(1), 1),
    (
        "const w = require('worker_threads');
if (w.isMainThread) new w.Worker(__filename); else process.exit(7);",
        Some(0),
        0,
    ),
    (
        "const { spawnSync } = require('child_process');
console.log(spawnSync(process.execPath, ['-e', 'process.exit(8)']).status);",
        Some(0),
        0,
    ),
    (
        "process.kill(process.pid, 'SIGKILL'); setInterval(() => {}, 1000);",
        None,
        4,
    ),
];

fn unknown(ran: &Ran) -> usize {
    let said = ran.of("adapter_message");
    let said = said.iter().filter_map(|event| event["text"].as_str());
    said.filter(|text| text.contains("How the program ended is not known"))
        .count()
}

/// js-debug tells no exit code, so the program does.
#[test]
fn a_node_program_ends_a_run_as_it_ended_itself() {
    require!(js_debug);
    let runs = Runs::new();
    for (program, code, status) in NODE {
        runs.file("ends.js", program);
        let ran = runs.run(&["ends.js"]);
        assert_eq!(ran.code, Some(*status), "{program}: {ran:#?}");
        assert_eq!(
            ran.one("process_exited")["exit_code"],
            json!(code),
            "{program}"
        );
        assert_eq!(unknown(&ran), usize::from(code.is_none()), "{program}");
    }
}

/// js-debug knows nothing of an error of a worker that Node throws anew in the main thread.
#[test]
fn the_error_of_a_node_worker_is_told() {
    require!(js_debug);
    let runs = Runs::new();
    let program = "const w = require('worker_threads');
if (w.isMainThread) new w.Worker(__filename); else throw new RangeError('too far');";
    runs.file("ends.js", program);
    let ran = runs.run(&["ends.js"]);
    let stops = ran.of("exception_thrown");
    let told = &stops.last().unwrap()["exception"];
    assert_eq!(told["type"], "RangeError", "{ran:#?}");
    assert_eq!(told["message"], "too far", "{ran:#?}");
    let trace = told["stack_trace"].as_str().unwrap();
    assert!(
        trace.lines().any(|line| line.contains("ends.js:2:")),
        "{trace}"
    );
}

/// What a person wants of Node beside that stays, on a terminal as well.
#[test]
fn a_node_program_keeps_its_own_options() {
    require!(js_debug);
    let runs = Runs::new();
    runs.file(
        "ends.js",
        "console.log(`has ${process.env.NODE_OPTIONS.includes('--no-deprecation')} ${process.noDeprecation}`); process.exit(9);",
    );
    let ran = runs.run(&[
        "--console",
        "pty",
        "--env",
        "NODE_OPTIONS=--no-deprecation",
        "ends.js",
    ]);
    assert!(ran.printed("stdout").contains("has true true"), "{ran:#?}");
    assert_eq!(ran.one("process_exited")["exit_code"], 9, "{ran:#?}");
}

/// js-debug lets a program run on before it ends it, unless that is dead by then.
#[test]
fn a_node_program_that_stands_is_ended_where_it_stands() {
    require!(js_debug);
    let runs = Runs::new();
    runs.file(
        "stands.js",
        "const { writeFileSync } = require('fs');\nconst next = 1;\nwriteFileSync('went-on', `${next}`);\n",
    );
    let ran = runs.run(&["-b", "stands.js:2", "--max-stops", "1", "stands.js"]);
    assert_eq!(ran.of("breakpoint_hit").len(), 1, "{ran:#?}");
    assert_eq!(ran.one("process_exited")["exit_code"], Value::Null);
    assert!(!runs.work().join("went-on").exists(), "{ran:#?}");
}

#[test]
fn a_node_test_that_fails_fails_the_run() {
    require!(js_debug);
    let runs = Runs::new();
    let test = |value: u8| {
        format!(
            "require('node:test')('adds', () => require('node:assert').strictEqual(1 + 1, {value}));\n"
        )
    };
    runs.file("bad.test.js", &test(3));
    runs.file("good.test.js", &test(2));
    for (file, status) in [("bad", 1), ("good", 0)] {
        let ran = runs.run(&["--test", &format!("node --test {file}.test.js")]);
        assert_eq!(ran.code, Some(status), "{file}: {ran:#?}");
    }
}

/// A fake adapter with these options debugs five lines, three times over.
fn with_fake(options: &[&str]) -> Runs {
    let runs = Runs::new();
    runs.file("program.fake", &"step()\n".repeat(5));
    let options = options.iter().map(|&option| option.to_owned()).collect();
    runs.home.fake_adapters(&[("fake", "stdio", options)]);
    runs
}

/// What was asked for and where a breakpoint is decide what a stop is, and not the adapter's word alone.
#[test]
fn the_end_of_a_step_is_no_hit_whatever_it_is_called() {
    for reason in ["step", "breakpoint"] {
        let runs = with_fake(&["--no-hit-ids", "--step-reason", reason]);
        let ran = runs.run(&[
            "-a",
            "fake",
            "-b",
            "program.fake:2",
            "-s",
            "2",
            "program.fake",
        ]);
        assert_eq!(ran.code, Some(0), "{reason}: {ran:#?}");
        assert_eq!(ran.of("breakpoint_hit").len(), 3, "{reason}: {ran:#?}");
        assert_eq!(ran.of("step_completed").len(), 6, "{reason}: {ran:#?}");
        let summary = &ran.one("session_end")["summary"];
        assert_eq!(summary["breakpoints_hit"], 3, "{reason}");
    }
    // A step that ends where a breakpoint is came to the breakpoint.
    let runs = with_fake(&[
        "--no-hit-ids",
        "--step-reason",
        "breakpoint",
        "--loops",
        "1",
    ]);
    let two = ["-b", "program.fake:2", "-b", "program.fake:3"];
    let ran = runs.run(&[&["-a", "fake", "-s", "1", "program.fake"], &two[..]].concat());
    assert_eq!(ran.of("breakpoint_hit").len(), 2, "{ran:#?}");
}

/// Some adapters never say that a breakpoint is in place: that it was hit is proof.
#[test]
fn a_breakpoint_that_was_hit_was_in_place() {
    for options in [
        &["--breakpoints", "never"][..],
        &["--breakpoints", "never", "--no-hit-ids"],
    ] {
        let runs = with_fake(options);
        let ran = runs.run(&["-a", "fake", "-b", "program.fake:2", "program.fake"]);
        assert_eq!(ran.one("breakpoint_set")["verified"], false, "{ran:#?}");
        assert_eq!(ran.one("breakpoint_changed")["verified"], true, "{ran:#?}");
        assert_eq!(ran.of("breakpoint_hit").len(), 3, "{ran:#?}");
        let summary = &ran.one("session_end")["summary"];
        assert_eq!(summary.get("unverified_breakpoints"), None, "{summary:#}");
    }
}

/// Of a program that dies of a signal some adapters tell no more than a stop at nothing.
#[test]
fn a_death_by_signal_that_is_not_told_is_a_death() {
    let runs = with_fake(&["--dies-of", "SIGSEGV"]);
    let ran = runs.run(&["-a", "fake", "-t", "1m", "program.fake"]);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    let exited = ran.one("process_exited");
    assert_eq!(
        (&exited["exit_code"], &exited["signal"]),
        (&json!(139), &json!("SIGSEGV"))
    );
    assert!(ran.of("error").is_empty(), "{ran:#?}");
}

/// An adapter that tells neither is not taken for one whose program ended well.
#[test]
fn an_exit_code_that_nobody_tells_is_no_success() {
    let runs = with_fake(&["--no-exited"]);
    let ran = runs.run(&["-a", "fake", "program.fake"]);
    assert_eq!(ran.code, Some(4), "{ran:#?}");
    assert_eq!(ran.one("process_exited")["exit_code"], Value::Null);
    assert_eq!(unknown(&ran), 1, "{ran:#?}");
}

/// How an adapter of one's own calls a program's arguments can be said, and is not guessed in silence.
#[test]
fn arguments_reach_an_adapter_by_the_name_that_it_knows() {
    let runs = Runs::new();
    runs.file("program.fake", "step()\n");
    let (mark, value) = runs.home.mark.env();
    let guesses = |ran: &Ran| {
        let said = ran.of("adapter_message");
        let said = said.iter().filter_map(|event| event["text"].as_str());
        said.filter(|text| text.contains("args_key")).count()
    };
    for key in [None, Some("args"), Some("arguments")] {
        let log = runs.home.path().join(format!("log-{key:?}"));
        let mut entry = json!({"command": tools::fake_adapter(),
            "args": ["--log", log], "env": {mark: value}});
        if let Some(key) = key {
            entry["personality"] = json!({"launch": {"args_key": key}});
        }
        let file = json!({"adapters": {"fake": entry}});
        runs.home
            .file("config/omp-debug/dap.json", &file.to_string());
        let ran = runs.run(&["-a", "fake", "program.fake", "--", "one", "two"]);
        assert_eq!(
            guesses(&ran),
            usize::from(key.is_none()),
            "{key:?}: {ran:#?}"
        );
        let log = fs::read_to_string(&log).unwrap();
        let mut frames = log
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        let launch = frames.find(|frame| frame["command"] == "launch").unwrap();
        let got = &launch["arguments"][key.unwrap_or("args")];
        assert_eq!(got, &json!(["one", "two"]), "{key:?}: {launch:#}");
        let without = runs.run(&["-a", "fake", "program.fake"]);
        assert_eq!(guesses(&without), 0, "{without:#?}");
    }
}

const READS_PYTHON: &str = "\
import sys
for line in sys.stdin:
    print('got', line.strip(), sys.stdin.isatty(), flush=True)
print('end', flush=True)
";
/// A program is slowed down to whoever reads what it prints: nothing is lost.
#[test]
fn all_that_a_fast_program_prints_is_told() {
    const LINES: usize = 100_000;
    require!(debugpy);
    let runs = Runs::new();
    let text = format!("for i in range({LINES}):\n    print('line', i, 'x' * 40)\n");
    runs.file("prints.py", &text);
    for console in ["internal", "pty"] {
        let ran = runs.run(&["--console", console, "-t", "3m", "prints.py"]);
        assert_eq!(ran.code, Some(0), "{console}");
        let printed = ran.printed("stdout");
        let lines = printed.lines().filter(|line| line.starts_with("line "));
        for (wanted, line) in lines.clone().enumerate() {
            assert!(
                line.starts_with(&format!("line {wanted} x")),
                "{console}: {line} for {wanted}"
            );
        }
        assert_eq!(lines.count(), LINES, "{console}");
    }
}

const ASKS_PYTHON: &str = "\
import getpass, select
name = input('name: ')
select.select([0], [], [])
try:
    print('a password of', len(getpass.getpass()))
except EOFError:
    print('no password,', name)
";
/// Without a terminal what is piped in is a file like any other; with one the program prints there all the same.
#[test]
fn what_is_piped_in_is_given_to_the_program_or_said_to_be_unread() {
    require!(debugpy);
    let runs = Runs::new();
    let text = "import sys\nprint('got', sys.stdin.readline().strip(), sys.stdout.isatty())\n";
    runs.file("reads.py", text);
    for (options, told, is_said) in [
        (&["--stdin", "-"][..], "got one False", false),
        (&["--stdin", "-", "--console", "pty"], "got one True", false),
        (&[], "got  False", true),
    ] {
        let (reader, mut writer) = std::io::pipe().unwrap();
        std::io::Write::write_all(&mut writer, b"one\n").unwrap();
        drop(writer);
        let mut command = runs.command(&[options, &["-t", "2m", "reads.py"]].concat());
        command.stdin(reader);
        let ran = runs.finish(&mut command);
        assert_eq!(ran.code, Some(0), "{options:?}: {ran:#?}");
        assert!(
            ran.printed("stdout").contains(told),
            "{options:?}: {ran:#?}"
        );
        let mut said = ran.of("adapter_message").into_iter();
        let said = said.any(|message| message["text"].as_str().unwrap().contains("piped into run"));
        assert_eq!(said, is_said, "{options:?}: {ran:#?}");
    }
}

/// It is as at a shell's prompt: the program waits with its start, and nobody else does.
#[test]
fn a_pipe_is_waited_for_by_the_program_alone() {
    require!(debugpy);
    let runs = Runs::new();
    runs.file("reads.py", "print('got', input())\n");
    let pipe = runs.work().join("pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RWXU).unwrap();
    let ran = runs.run(&["--stdin", "pipe", "-t", "1s", "reads.py"]);
    assert_eq!(ran.one("session_end")["reason"], "timeout", "{ran:#?}");
    // Far from what is waited for one who does not answer.
    let took = &ran.one("session_end")["summary"]["duration_ms"];
    assert!(took.as_u64().unwrap() < 6000, "{ran:#?}");
    let running = runs.start(&["--stdin", "pipe", "-t", "2m", "reads.py"]);
    // Open for both, so that it waits for nobody, whatever becomes of the run.
    let mut writer = fs::File::options()
        .read(true)
        .write(true)
        .open(&pipe)
        .unwrap();
    writer.write_all(b"one\n").unwrap();
    let ran = running.finish_checked();
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    assert!(ran.printed("stdout").contains("got one"), "{ran:#?}");
    let refused = runs
        .command(&["--stdin", ".", "reads.py"])
        .output()
        .unwrap();
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    let why = String::from_utf8(refused.stderr).unwrap();
    assert!(why.contains("is a folder: name a file in it"), "{why}");
}

const READS_C: &str = r#"#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(void) {
    char line[64];
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        printf("got %s %s\n", line, isatty(0) ? "True" : "False");
        fflush(stdout);
    }
    puts("end");
    return 0;
}
"#;

/// What is piped into us is typed into the program's terminal, and our end is its end, with a last line that is none or without.
fn reads_what_is_piped(runs: &Runs, args: &[&str]) {
    for text in ["one\ntwo\n", "one\ntwo", ""] {
        let (reader, mut writer) = std::io::pipe().unwrap();
        std::io::Write::write_all(&mut writer, text.as_bytes()).unwrap();
        drop(writer);
        let mut command = runs.command(&[&["--console", "pty", "-t", "2m"], args].concat());
        command.stdin(reader);
        let ran = runs.finish(&mut command);
        assert_eq!(ran.code, Some(0), "{text:?}: {ran:#?}");
        let printed = ran.printed("stdout");
        for line in text.lines() {
            assert!(
                printed.contains(&format!("got {line} True")),
                "{text:?}: {ran:#?}"
            );
            // What was typed ahead may be a password.
            assert!(!printed.lines().any(|l| l == line), "{text:?}: {ran:#?}");
        }
        assert!(printed.contains("end"), "{text:?}: {ran:#?}");
    }
}

#[test]
fn a_python_program_on_a_terminal_reads_what_is_piped_into_us() {
    require!(debugpy);
    let runs = Runs::new();
    runs.file("reads.py", READS_PYTHON);
    reads_what_is_piped(&runs, &["reads.py"]);
}

#[test]
fn a_program_that_drops_its_input_before_a_password_is_told_the_end_again() {
    require!(debugpy);
    let runs = Runs::new();
    runs.file("asks.py", ASKS_PYTHON);
    let (reader, mut writer) = std::io::pipe().unwrap();
    std::io::Write::write_all(&mut writer, b"ada\nnobody-sees-this\n").unwrap();
    drop(writer);
    let mut command = runs.command(&["--console", "pty", "-t", "2m", "asks.py"]);
    command.stdin(reader);
    let ran = runs.finish(&mut command);
    let printed = ran.printed("stdout");
    assert!(printed.contains("no password, ada"), "{ran:#?}");
    assert!(!printed.contains("nobody-sees-this"), "{ran:#?}");
    assert_eq!(ran.code, Some(0), "{ran:#?}");
}

#[test]
fn a_native_program_on_a_terminal_reads_what_is_piped_into_us() {
    require!(lldb_dap);
    let runs = Runs::new();
    let source = runs.file("reads.c", READS_C);
    tools::build_c(&source, &runs.work().join("reads"));
    reads_what_is_piped(&runs, &["-a", "lldb-dap", "reads"]);
}

/// What it has started belongs to no session, and how much of its output the adapter still tells is nobody's to know.
#[test]
fn a_program_that_ends_before_what_it_has_started_is_told() {
    require!(gdb);
    let runs = Runs::new();
    let text = "#include <stdio.h>\n#include <unistd.h>\nint main(int count, char **words) {\n  int child = count > 1 ? fork() : 1;\n  if (!child) { pause(); return 0; }\n  puts(\"parent\");\n  return 0;\n}\n";
    tools::build_c(&runs.file("forks.c", text), &runs.work().join("forks"));
    for (words, times) in [(&["forks"][..], 0), (&["forks", "--", "yes"], 1)] {
        let ran = runs.run(&[&["-a", "gdb"], words].concat());
        let said = ran.of("adapter_message");
        let said = said.iter().filter_map(|event| event["text"].as_str());
        let told = said
            .filter(|text| text.contains("started still runs"))
            .count();
        assert_eq!((told, ran.code), (times, Some(0)), "{ran:#?}");
        assert_eq!(ran.printed("stdout"), "parent\n", "{ran:#?}");
    }
}
