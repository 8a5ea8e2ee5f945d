//! Why programs hang: the deadlocks of six are named, and nothing of six that merely wait is called one.

mod many;

use std::{collections::HashSet, path::PathBuf};

use super::*;

use support::program_source;

/// A process that hangs, until the test is over.
struct Hanging(Child);

impl Hanging {
    fn of(place: &Place, program: &Path, words: &[&str]) -> Self {
        let (name, value) = place.mark.env();
        let mut command = Command::new(program);
        command.args(words).env(name, value);
        // Nobody writes into the pipe.
        Self(command.stdin(Stdio::piped()).spawn().unwrap())
    }

    /// Looked at until it is as expected; at every look it is let go on.
    fn until(&self, place: &Place, words: &[&str], expected: impl Fn(&Value) -> bool) -> Value {
        let pid = self.0.id().to_string();
        looked(
            || {
                let mut command = place.command(&["hang", "--json", "--pid", &pid]);
                let output = command.args(words).output().unwrap();
                let called = Called::of(output);
                (called.code == Some(0)).then(|| called.json())
            },
            expected,
        )
    }
}

impl Drop for Hanging {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Looks until what is seen is as expected. A look that fails may have come before there was anything to see.
fn looked(look: impl Fn() -> Option<Value>, expected: impl Fn(&Value) -> bool) -> Value {
    let began = Instant::now();
    loop {
        let seen = look();
        if let Some(seen) = seen.as_ref().filter(|seen| expected(seen)) {
            return seen.clone();
        }
        assert!(began.elapsed() < LIMIT / 2, "{seen:#?}");
    }
}

/// With the adapters that are not on PATH.
fn serve(place: &Place) -> Served {
    let share = tools::test_home().join("share");
    Place::served(place.command(&["serve"]).env("XDG_DATA_HOME", share))
}

/// A program that is launched by `serve`, looked at in the same way.
fn launched(place: &Place, program: &str, expected: impl Fn(&Value) -> bool) -> Value {
    let program = program_source(&format!("hangs/{program}"));
    let program = json!({"program": program, "timeout": 60}).to_string();
    place.done(&["set_breakpoint", r#"{"function": "none_of_this_name"}"#]);
    place.done(&["launch", &program]);
    let seen = looked(
        || {
            let called = place.call(&["hang"]);
            (called.code == Some(0)).then(|| called.json()["details"]["hang"].clone())
        },
        expected,
    );
    let told = place.done(&["hang"]);
    let text = told["text"].as_str().unwrap();
    assert!(text.contains("waits for"), "{text}");
    assert_eq!(
        told["snapshot"]["status"], "running",
        "it goes on: {told:#}"
    );
    place.done(&["terminate"]);
    seen
}

fn has_deadlock(seen: &Value) -> bool {
    !seen["deadlocks"].as_array().unwrap().is_empty()
}

/// The names of those in the only circle, and how many wait behind; and whether that was read.
fn circle(seen: &Value) -> (Vec<String>, usize, bool) {
    let deadlocks = seen["deadlocks"].as_array().unwrap();
    assert_eq!(deadlocks.len(), 1, "{seen:#}");
    let waiters = seen["waiters"].as_array().unwrap();
    let names = deadlocks[0]["cycle"].as_array().unwrap().iter().map(|key| {
        let waiter = waiters.iter().find(|w| w["key"] == *key).unwrap();
        let own = waiter["frames"]
            .as_array()
            .unwrap()
            .iter()
            .find(|f| f["own"] == true);
        let function = own.map_or("", |frame| frame["name"].as_str().unwrap());
        let function = function.split('(').next().unwrap();
        function.rsplit(['.', ':']).next().unwrap().to_owned()
    });
    let mut names: Vec<_> = names.collect();
    names.sort();
    let behind = deadlocks[0]["behind"].as_array().unwrap().len();
    (names, behind, deadlocks[0]["certain"] == true)
}

/// Whether somebody is seen to wait for this.
fn waits_for(seen: &Value, what: &str) -> bool {
    let mut waiters = seen["waiters"].as_array().unwrap().iter();
    waiters.any(|w| {
        w["wait"]["what"]
            .as_str()
            .is_some_and(|text| text.contains(what))
    })
}

fn built(place: &Place, source: &str, build: fn(&Path, &Path) -> PathBuf) -> PathBuf {
    let source = program_source(&format!("hangs/{source}"));
    build(&source, &place.home.path().join("program"))
}

fn thirty_three_threads(adapter: &str) -> (Place, Hanging) {
    let place = Place::new();
    let program = built(&place, "deadlock.cpp", tools::build_cpp);
    let process = Hanging::of(&place, &program, &[]);
    let all = |seen: &Value| {
        has_deadlock(seen) && seen["deadlocks"][0]["behind"].as_array().unwrap().len() == 31
    };
    let seen = process.until(&place, &["--adapter", adapter], all);
    let names = ["report", "transfer"].map(str::to_owned);
    assert_eq!(circle(&seen), (names.to_vec(), 31, true), "{seen:#}");
    assert_eq!(seen["waiters"].as_array().unwrap().len(), 33);
    let groups = seen["groups"].as_array().unwrap();
    assert_eq!(groups[0].as_array().unwrap().len(), 30, "{groups:?}");
    let stood = seen["stood_ms"].as_u64().expect("how long it stood still");
    eprintln!("{adapter}: 33 threads stood still for {stood} ms");
    // It goes on, and as text it says the same.
    let pid = process.0.id().to_string();
    let output = place
        .command(&["hang", "--pid", &pid, "--adapter", adapter])
        .output()
        .unwrap();
    let text = Called::of(output).stdout;
    for part in [
        "DEADLOCK: 2 wait for each other, and 31 more wait behind.",
        "30 threads: ",
        "library frames",
    ] {
        assert!(text.contains(part), "{text}");
    }
    (place, process)
}

#[test]
fn a_process_that_is_none_is_told_by_its_number() {
    let place = Place::new();
    // No system gives as high a number.
    let output = place.command(&["hang", "--pid", "2000000000"]).output();
    let told = Called::of(output.unwrap());
    assert_eq!(told.code, Some(2));
    let said = "There is no process 2000000000.";
    assert!(told.stderr.contains(said), "{}", told.stderr);
}

/// What is left of it, in a core dump, says the same.
#[test]
fn two_mutexes_among_thirty_three_threads_under_gdb() {
    let gdb = require!(gdb);
    let (place, process) = thirty_three_threads("gdb");
    let (core, program) = (
        place.home.path().join("core"),
        place.home.path().join("program"),
    );
    let keep = format!("gcore {}", core.display());
    let mut command = Command::new(gdb);
    command.args([
        "-q",
        "-nx",
        "-batch",
        "-p",
        &process.0.id().to_string(),
        "-ex",
        &keep,
    ]);
    let kept = command.output().unwrap();
    assert!(core.exists(), "{kept:?}");
    let mut command = place.command(&["hang", "--json", "--adapter", "gdb", "--core"]);
    let output = command
        .arg(&core)
        .arg("--program")
        .arg(&program)
        .output()
        .unwrap();
    let seen = Called::of(output).json();
    let names = ["report", "transfer"].map(str::to_owned);
    assert_eq!(circle(&seen), (names.to_vec(), 31, true), "{seen:#}");
    assert_eq!(seen["stood_ms"], Value::Null);
    let mut command = place.command(&["hang", "--adapter", "gdb", "--core"]);
    command.arg(&core).arg("--program").arg(tools::c_program());
    let other = Called::of(command.output().unwrap()).stdout;
    assert!(other.contains("was not dumped by this build of"), "{other}");
    // A report takes both along.
    let pid = process.0.id().to_string();
    let dump = [
        core.to_str().unwrap(),
        "--program",
        program.to_str().unwrap(),
    ];
    for whose in [&["--pid", &pid][..], &[&["--core"], &dump[..]].concat()] {
        let report = place.home.path().join("report.tar.gz");
        let mut command = place.command(&["report", "--yes", "--force", "--no-session", "-o"]);
        let output = command.arg(&report).args(whose).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let mut command = place.command(&["report", "--show", "hang.txt"]);
        let text = Called::of(command.arg(&report).output().unwrap()).stdout;
        assert!(text.contains("DEADLOCK: 2 wait for each other"), "{text}");
    }
}

const NAMED_C: &str = r#"#include <pthread.h>
#include <sys/prctl.h>
#include <unistd.h>
static void *waits(void *nothing) {
    prctl(PR_SET_NAME, "wait\xff" "er");
    pause();
    return nothing;
}
int main(void) {
    pthread_t thread;
    for (int i = 0; i < 2; i++)
        pthread_create(&thread, 0, waits, 0);
    pause();
    return 0;
}
"#;

/// A thread may call itself by any bytes.
#[test]
fn threads_are_named_as_far_as_their_names_can_be_read() {
    require!(gdb);
    let place = Place::new();
    let source = place.home.path().join("named.c");
    std::fs::write(&source, NAMED_C).unwrap();
    let program = tools::build_c(&source, &place.home.path().join("program"));
    let process = Hanging::of(&place, &program, &[]);
    process.until(&place, &["--adapter", "gdb"], |seen| {
        let waiters = seen["waiters"].as_array().unwrap();
        let names = waiters.iter().filter_map(|waiter| waiter["name"].as_str());
        names.filter(|name| name.contains("wait\u{fffd}er")).count() == 2
    });
}

#[test]
fn two_mutexes_among_thirty_three_threads_under_lldb() {
    require!(lldb_dap);
    thirty_three_threads("lldb-dap");
}

#[test]
fn mutexes_of_rust() {
    require!(gdb);
    require!(lldb_dap);
    let place = Place::new();
    let program = built(&place, "deadlock.rs", tools::build_rust);
    let process = Hanging::of(&place, &program, &[]);
    for adapter in ["gdb", "lldb-dap"] {
        let seen = process.until(&place, &["--adapter", adapter], has_deadlock);
        let (_, behind, certain) = circle(&seen);
        assert_eq!((behind, certain), (1, false), "main joins them: {seen:#}");
        let text = seen.to_string();
        assert!(text.contains("its guard first at deadlock.rs:"), "{text}");
        for name in ["seller", "buyer"] {
            assert!(text.contains(name), "{text}");
        }
    }
}

#[test]
fn a_channel_and_a_mutex_of_go() {
    let go = require!(go);
    require!(dlv);
    let place = Place::new();
    let program = place.home.path().join("program");
    tools::build_go(&go, &program_source("hangs/deadlock_go"), &program);
    let process = Hanging::of(&place, &program, &[]);
    let seen = process.until(&place, &[], has_deadlock);
    let names = ["consumer", "producer"].map(str::to_owned);
    assert_eq!(circle(&seen), (names.to_vec(), 0, false), "{seen:#}");
    assert!(waits_for(&seen, "the channel") && waits_for(&seen, "the Mutex"));
}

#[test]
fn locks_of_python_threads() {
    require!(debugpy);
    let place = Place::new();
    let served = serve(&place);
    let seen = launched(&place, "deadlock.py", has_deadlock);
    let names = ["price", "sell"].map(str::to_owned);
    assert_eq!(circle(&seen), (names.to_vec(), 0, false), "{seen:#}");
    served.end(Signal::TERM, 143);
}

/// debugpy comes into a Python by a gdb that calls a function in it: whoever ends that one in the midst of it, ends the program.
#[test]
fn a_python_outlives_looks_and_our_death() {
    let python = require!(debugpy);
    let place = Place::new();
    let script = place.home.path().join("echo.py");
    std::fs::write(&script, ECHO).unwrap();
    let (name, value) = place.mark.env();
    let mut command = Command::new(python);
    command.arg(&script).env(name, value);
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut process = Hanging(child.unwrap());
    let pid = process.0.id();
    let mut out = BufReader::new(process.0.stdout.take().unwrap()).lines();
    let mut said = || out.next().expect("it goes on").unwrap();
    let look = || {
        let mut command = place.command(&["hang", "--json", "--pid", &pid.to_string()]);
        let share = tools::test_home().join("share");
        command.env("XDG_DATA_HOME", share).stdout(Stdio::piped());
        command.spawn().unwrap()
    };
    let traced = || procs::status(pid, "TracerPid").is_some_and(|tracer| tracer != "0");
    // Its sockets are debugpy's alone, which waits in that call for the end of the handshake.
    let sockets = || -> HashSet<PathBuf> {
        let links = std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap();
        let links = links.filter_map(|link| std::fs::read_link(link.unwrap().path()).ok());
        let is_socket = |link: &PathBuf| link.to_string_lossy().starts_with("socket:");
        links.filter(is_socket).collect()
    };
    // What hangs does so before it is looked at: this thread is the last that begins.
    writeln!(process.0.stdin.as_ref().unwrap(), "begun").unwrap();
    assert_eq!(said(), "begun");
    for round in 0..6 {
        let before = sockets();
        let mut looking = look();
        if round % 2 == 0 {
            let seen = Called::of(looking.wait_with_output().unwrap()).json();
            assert!(has_deadlock(&seen), "{seen:#}");
            let waiters = seen["waiters"].as_array().unwrap();
            let main = waiters.iter().find(|w| w["name"] == "MainThread").unwrap();
            let waits_for = main["wait"]["what"].as_str();
            assert_eq!(waits_for, Some("the end of the thread echo"), "{main:#}");
        } else {
            procs::wait_until("gdb comes into it", pid, LIMIT / 4, traced);
            if round == 3 {
                // Nobody ends the handshake.
                procs::signal(looking.id(), Signal::STOP);
                let connects = || !sockets().is_subset(&before);
                procs::wait_until("so does debugpy", pid, LIMIT / 4, connects);
            }
            looking.kill().unwrap();
            looking.wait().unwrap();
        }
        procs::wait_until("nobody holds it", pid, LIMIT / 4, || !traced());
        // pydevd never answers one that connects while it takes leave of the one before.
        let is_left = || sockets().is_subset(&before);
        procs::wait_until("debugpy has seen our end", pid, LIMIT / 4, is_left);
        let line = format!("round {round}");
        writeln!(process.0.stdin.as_ref().unwrap(), "{line}").unwrap();
        assert_eq!(said(), line);
    }
    // Its main thread, in which all of that happened, goes on, too.
    drop(process.0.stdin.take());
    assert_eq!(said(), "over");
    assert_eq!(process.0.wait().unwrap().code(), Some(0));
}

const ECHO: &str = "
import sys, threading
a, b, both = threading.Lock(), threading.Lock(), threading.Barrier(2)
def left():
    with a:
        both.wait()
        with b: pass
def right():
    with b:
        both.wait()
        with a: pass
def echo():
    for line in sys.stdin: print(line, end='', flush=True)
threading.Thread(target=left, daemon=True).start()
threading.Thread(target=right, daemon=True).start()
echoes = threading.Thread(target=echo, name='echo')
echoes.start()
echoes.join()
print('over')
";

#[test]
fn tasks_that_await_each_other() {
    require!(debugpy);
    let place = Place::new();
    let served = serve(&place);
    let seen = launched(&place, "tasks.py", has_deadlock);
    let names = ["order", "pay"].map(str::to_owned);
    let (circle, behind, certain) = circle(&seen);
    assert_eq!((circle, certain), (names.to_vec(), true), "{seen:#}");
    assert_eq!(behind, 1, "main gathers all of them: {seen:#}");
    served.end(Signal::TERM, 143);
}

#[test]
fn a_promise_that_is_never_resolved() {
    require!(js_debug);
    require!(node);
    let place = Place::new();
    let served = serve(&place);
    let seen = launched(&place, "never.js", has_deadlock);
    assert_eq!(
        circle(&seen),
        (vec!["connect".to_owned()], 1, true),
        "{seen:#}"
    );
    assert!(
        waits_for(&seen, "a promise that nothing can settle any more"),
        "{seen:#}"
    );
    assert!(
        seen["notes"].to_string().contains("TCPServerWrap"),
        "{seen:#}"
    );
    served.end(Signal::TERM, 143);
}

/// Who waits there has no name of its own.
#[test]
fn a_module_that_waits_at_its_top_level_is_named_by_its_file() {
    require!(js_debug);
    require!(node);
    let place = Place::new();
    let served = serve(&place);
    let seen = launched(&place, "toplevel.mjs", has_deadlock);
    let connect = vec!["connect".to_owned()];
    assert_eq!(circle(&seen), (connect, 1, true), "{seen:#}");
    let waiters = seen["waiters"].as_array().unwrap();
    let is_module = |w: &&Value| w["name"] == "the top level of toplevel.mjs";
    let module = waiters.iter().find(is_module);
    let module = module.unwrap_or_else(|| panic!("{seen:#}"));
    assert_eq!(module["wait"]["what"], "connect()", "{seen:#}");
    served.end(Signal::TERM, 143);
}

/// The program is in a session that comes after the answer to the attach.
#[test]
fn an_inspector_is_asked_when_its_program_is_there() {
    require!(js_debug);
    require!(gdb);
    let node = require!(node);
    let place = Place::new();
    let script = program_source("hangs/never.js");
    let mut command = Command::new(node);
    let (name, value) = place.mark.env();
    command.arg("--inspect=127.0.0.1:0").arg(script);
    command.env(name, value).stderr(Stdio::piped());
    let mut process = Hanging(command.spawn().unwrap());
    let mut lines = BufReader::new(process.0.stderr.take().unwrap());
    let mut line = String::new();
    lines.read_line(&mut line).unwrap();
    let mut words = line.split(['/', ':']);
    let port = words.find(|word| word.parse::<u16>().is_ok());
    let port = port.unwrap_or_else(|| panic!("{line}"));
    let words = ["--adapter", "gdb"];
    process.until(&place, &words, |seen| {
        let notes = seen["notes"].to_string();
        // The program has a port, too.
        notes.contains("Its inspector listens on one of the ports") && notes.contains(port)
    });
    let mut command = place.command(&["hang", "--json", "--port", port]);
    command.env("XDG_DATA_HOME", tools::test_home().join("share"));
    let called = Called::of(command.output().unwrap());
    assert_eq!(called.code, Some(0), "{}", called.stderr);
    // Functions that waited before the debugger came are not seen.
    let notes = called.json()["notes"].to_string();
    assert!(notes.contains("TCPServerWrap"), "{notes}");
}

/// From outside one sees threads of the engine, and that is said.
#[test]
fn a_look_at_a_node_by_its_number_says_what_it_does_not_see() {
    require!(gdb);
    let node = require!(node);
    let place = Place::new();
    let script = program_source("hangs/never.js");
    let process = Hanging::of(&place, &node, &[script.to_str().unwrap()]);
    let words = ["--adapter", "gdb"];
    process.until(&place, &words, |seen| {
        let notes = seen["notes"].to_string();
        notes.contains("JavaScript was not looked into") && notes.contains("--port 9229")
    });
}

#[test]
fn native_programs_that_merely_wait() {
    require!(gdb);
    let place = Place::new();
    let program = built(&place, "waits.cpp", tools::build_cpp);
    let ways = [
        ("sleep", "a time"),
        ("accept", "a connection"),
        ("condition", "a condition variable"),
        ("pipe", "data to read"),
    ];
    for (way, what) in ways {
        let process = Hanging::of(&place, &program, &[way]);
        let seen = process.until(&place, &[], |seen| {
            assert!(!has_deadlock(seen), "{way}: {seen:#}");
            waits_for(seen, what) && waits_for(seen, "the mutex")
        });
        assert!(waits_for(&seen, "the end of a thread"), "{way}: {seen:#}");
    }
}

#[test]
fn a_go_program_that_merely_waits() {
    let go = require!(go);
    require!(dlv);
    let place = Place::new();
    let program = place.home.path().join("program");
    tools::build_go(&go, &program_source("hangs/waits_go"), &program);
    let process = Hanging::of(&place, &program, &[]);
    process.until(&place, &[], |seen| {
        assert!(!has_deadlock(seen), "{seen:#}");
        waits_for(seen, "the Mutex") && waits_for(seen, "the channel")
    });
}

#[test]
fn scripts_that_merely_wait() {
    require!(debugpy);
    require!(js_debug);
    require!(node);
    let place = Place::new();
    let served = serve(&place);
    let free = |what: &'static str| {
        move |seen: &Value| {
            assert!(!has_deadlock(seen), "{seen:#}");
            waits_for(seen, what)
        }
    };
    let seen = launched(&place, "waits.py", free("an item of a queue"));
    for what in [
        "RLock",
        "a queue",
        "Lock taken_elsewhere",
        "events of files",
    ] {
        assert!(waits_for(&seen, what), "{what}: {seen:#}");
    }
    let seen = launched(
        &place,
        "waits.js",
        free("a promise that was not settled yet"),
    );
    assert!(seen["notes"].to_string().contains("2 Timeout"), "{seen:#}");
    served.end(Signal::TERM, 143);
}

/// What holds them there is the debugger; as they run, one works and one sleeps.
#[test]
fn threads_of_a_stopped_python_wait_for_nothing() {
    require!(debugpy);
    let place = Place::new();
    let served = serve(&place);
    let program = place.home.path().join("works.py");
    let text = "import threading, time\n\ndef works():\n    n = 0\n    while True:\n        n += 1\n\n\
                threading.Thread(target=works, daemon=True).start()\nwhile True:\n    time.sleep(0.1)\n";
    std::fs::write(&program, text).unwrap();
    let at = json!({"file": program, "line": 10});
    place.done(&["set_breakpoint", &at.to_string()]);
    place.done(&["launch", &json!({"program": program}).to_string()]);
    let told = place.done(&["hang"]);
    let waiters = &told["details"]["hang"]["waiters"];
    assert_eq!(waiters.as_array().unwrap().len(), 2, "{told:#}");
    for waiter in waiters.as_array().unwrap() {
        assert_eq!(waiter["wait"], Value::Null, "{told:#}");
        assert_eq!(waiter["frames"][0]["own"], true, "{told:#}");
    }
    place.done(&["remove_breakpoint", &at.to_string()]);
    place.done(&["continue", r#"{"timeout": 5}"#]);
    let look = || Some(place.done(&["hang"])["details"]["hang"].clone());
    looked(look, |seen| waits_for(seen, "it sleeps"));
    served.end(Signal::TERM, 143);
}

/// When a stop tells of an error that nobody caught, its frames are gone, and only the debugger's are left.
#[test]
fn a_thread_that_is_held_for_its_error_stands_where_it_was_thrown() {
    require!(debugpy);
    let place = Place::new();
    let served = serve(&place);
    let program = place.home.path().join("throws.py");
    let text = "def throws():\n    raise KeyError(\"nothing\")\n\nthrows()\n";
    std::fs::write(&program, text).unwrap();
    place.done(&["launch", &json!({"program": program}).to_string()]);
    place.done(&["continue"]);
    let told = place.done(&["hang"]);
    let waiter = &told["details"]["hang"]["waiters"][0];
    let frames = waiter["frames"].as_array().unwrap();
    let places = frames
        .iter()
        .map(|f| (f["name"].as_str(), f["line"].as_i64()));
    let thrown = [(Some("throws"), Some(2)), (Some("<module>"), Some(4))];
    assert!(places.eq(thrown), "{told:#}");
    assert_eq!(waiter["wait"], Value::Null, "{told:#}");
    served.end(Signal::TERM, 143);
}

/// One that computes is told from those that wait, by its time on a processor.
#[test]
fn who_is_busy_is_told_from_who_waits() {
    require!(gdb);
    let place = Place::new();
    let source = place.home.path().join("busy.cpp");
    let text = "volatile unsigned long n;\nstatic void compute() { for (;;) n = n + 1; }\nint main() { compute(); }\n";
    std::fs::write(&source, text).unwrap();
    let program = tools::build_cpp(&source, &place.home.path().join("busy"));
    let process = Hanging::of(&place, &program, &[]);
    let seen = process.until(&place, &[], |seen| {
        assert_eq!(seen["notes"], json!([]), "{seen:#}");
        seen["waiters"][0]["cpu"]
            .as_f64()
            .is_some_and(|cpu| cpu > 0.1)
    });
    assert_eq!(seen["waiters"][0]["running"], true, "{seen:#}");
    assert!(!has_deadlock(&seen));
}
