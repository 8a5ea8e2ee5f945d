//! Conversations with real adapters, recorded once, held against the core ever since: what it makes of them is written beside them.
//!
//! `OMP_DEBUG_RECORD_GOLDEN=1 cargo test --test adapters golden::` records them anew; look at what changed before it is kept.

use crate::support;

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use omp_debug::debugger::adapters::Context;
use omp_debug::debugger::recording::Recorder;
use omp_debug::debugger::{
    BreakpointSite, BreakpointSpec, Command, CoreConfig, Granularity, LaunchSpec, Phase, Reply,
    Session, SessionId, StepKind, Stop,
};
use omp_debug::text::redact::Redactor;
use support::core::{Desk, Home};
use support::{line_of, program_source, tools};

const PATIENCE: Duration = Duration::from_secs(30);
/// Stops after which the program runs out.
const STOPS: usize = 5;

fn records() -> bool {
    std::env::var_os("OMP_DEBUG_RECORD_GOLDEN").is_some()
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

/// Where the recorded programs are thought to be.
fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs")
}

/// How the program goes on from the n-th stop: over three lines, into a call, then on.
fn onward(number: usize) -> Command {
    let step = |kind| Command::Step {
        session: None,
        thread: None,
        kind,
        granularity: Granularity::default(),
    };
    match number {
        0..=2 => step(StepKind::Over),
        3 => step(StepKind::In),
        _ => Command::Continue {
            session: None,
            thread: None,
        },
    }
}

/// What is known of a stop, in lines.
fn told(number: usize, session: &Session, stop: &Stop) -> String {
    let mut text = String::new();
    // Where this copy of the project stands is no part of the conversation.
    let here = programs().display().to_string();
    let frame = session.current_frame();
    let place = frame.map_or_else(String::new, |frame| {
        let path = frame.source.as_ref().and_then(|s| s.path.as_deref());
        let name = path.and_then(|path| path.rsplit('/').next());
        format!("{}:{} {}", name.unwrap_or("?"), frame.line, frame.name)
    });
    writeln!(text, "stop {number}: {} at {place}", stop.reason).unwrap();
    let stack = stop.thread_id.and_then(|thread| stop.stacks.get(&thread));
    let names: Vec<&str> = stack
        .iter()
        .flat_map(|stack| &stack.frames)
        .map(|frame| frame.name.as_str())
        .collect();
    writeln!(text, "  stack {}", names.join(" < ")).unwrap();
    let scopes = session.current_scopes().map(|s| s.scopes.as_slice());
    for scope in scopes.unwrap_or_default() {
        let Some(variables) = &scope.variables else {
            writeln!(text, "  {} (not loaded)", scope.scope.name).unwrap();
            continue;
        };
        writeln!(text, "  {}", scope.scope.name).unwrap();
        for variable in variables {
            let value = variable.value.replace(&here, "PROGRAMS");
            let value: String = value.chars().take(60).collect();
            writeln!(text, "    {} = {value:?}", variable.name).unwrap();
        }
    }
    text
}

/// The whole story of a program, walked stop by stop, and the session that stopped: with some adapters the program is not in the one that
/// was launched.
async fn story(desk: &mut Desk, launched: SessionId) -> (String, SessionId) {
    let mut text = String::new();
    let mut before: Option<Stop> = None;
    let mut stopped = launched;
    for number in 0.. {
        let after = before.as_ref().map(|stop| stop.id);
        let shown = desk.until("a stop or the end", PATIENCE, |desk| {
            let shown = desk.state.sessions.iter().find(|known| {
                known.current_stop().is_some_and(|stop| {
                    let selected = stop.selected;
                    let loaded = selected.is_some_and(|at| stop.frames.contains_key(&at.frame_id));
                    Some(stop.id) != after && loaded && !known.threads.is_empty()
                })
            });
            let known = desk.state.session(launched);
            let over = known.is_some_and(|known| known.phase == Phase::Terminated);
            shown
                .map(|known| Some(known.id))
                .or_else(|| over.then_some(None))
        });
        let Some(at) = shown.await.unwrap() else {
            break;
        };
        stopped = at;
        let known = desk.session(at).clone();
        let stop = known.current_stop().cloned().unwrap();
        text.push_str(&told(number + 1, &known, &stop));
        before = Some(stop);
        assert!(number < 2 * STOPS, "it goes on and on:\n{text}");
        let command = onward(number);
        desk.must("go on", PATIENCE, command).await.unwrap();
    }
    desk.gone(launched, PATIENCE).await.unwrap();
    let known = desk.session(stopped);
    writeln!(text, "exit code {:?}", known.exit_code).unwrap();
    let here = programs().display().to_string();
    let printed = desk.printed(stopped, "stdout").replace(&here, "PROGRAMS");
    text.push_str(&printed);
    (text, stopped)
}

/// Plays a conversation to a core that has no adapter, and compares what it makes of it.
async fn played(name: &str) {
    let file = folder().join(format!("{name}.rec"));
    let home = Home::new();
    let usual = home.context();
    let mut env = (*usual.env).clone();
    env.insert("PATH".to_owned(), "/nowhere".to_owned());
    let context = Context::new(usual.cwd.clone(), env);
    let mut desk = Desk::open(CoreConfig::new(context)).await;
    let command = Command::Replay {
        path: file,
        folder: Some(programs()),
    };
    let reply = desk.must("replay", PATIENCE, command).await.unwrap();
    let Reply::Session { session } = reply else {
        panic!("{reply:?}");
    };
    let (text, session) = story(&mut desk, session).await;
    // Nothing that the adapter said is strange to us.
    let odd: Vec<&str> = desk.messages().collect();
    assert!(odd.is_empty(), "{odd:?}");
    let expected = folder().join(format!("{name}.txt"));
    if records() {
        std::fs::write(expected, text).unwrap();
        return;
    }
    let expected = std::fs::read_to_string(expected).unwrap();
    assert_eq!(text, expected, "{name}");
    assert!(text.contains("stop 5"), "{text}");
    // Looked back at from its end, each stop is what was seen when it was played.
    for (at, known) in expected.split("stop ").skip(1).enumerate() {
        let command = Command::LookBack {
            session: Some(session),
            number: at as u64 + 1,
        };
        let reply = desk.must("look back", PATIENCE, command).await.unwrap();
        let Reply::Seen { seen, .. } = reply else {
            panic!("{reply:?}");
        };
        let as_then = Session {
            stop: Some(seen.stop.clone()),
            phase: Phase::Stopped,
            ..Session::default()
        };
        let again = told(at + 1, &as_then, &seen.stop);
        let known = known.split("exit code").next().unwrap();
        assert_eq!(again, format!("stop {known}"), "{name}");
    }
    desk.must("shutdown", PATIENCE, Command::Shutdown)
        .await
        .unwrap();
}

/// Records a conversation.
async fn recorded(name: &str, program: &Path, source: &Path, mark: &str) {
    let home = Home::new();
    let taken = home.path().join("taken");
    let recorder = Arc::new(Recorder::create(&taken, Redactor::new()).unwrap());
    let mut config = home.config(PATIENCE);
    config.recorder = Some(Arc::clone(&recorder));
    if let Some(script) = tools::js_debug() {
        let env = Arc::make_mut(&mut config.context.env);
        let script = script.to_str().unwrap().to_owned();
        env.insert("JS_DEBUG_DAP_SERVER".to_owned(), script);
    }
    let mut desk = Desk::open(config).await;
    let site = BreakpointSite::Source {
        path: source.to_path_buf(),
        line: i64::from(line_of(source, mark)),
        column: None,
    };
    let breakpoint = Command::SetBreakpoint(BreakpointSpec {
        site,
        ..BreakpointSpec::line(source, 1)
    });
    desk.must("breakpoint", PATIENCE, breakpoint).await.unwrap();
    let spec = LaunchSpec {
        program: program.to_path_buf(),
        adapter: Some(name.to_owned()),
        cwd: Some(home.path().to_path_buf()),
        ..LaunchSpec::default()
    };
    let session = desk.launch(PATIENCE, spec).await.unwrap();
    story(&mut desk, session).await;
    desk.must("shutdown", PATIENCE, Command::Shutdown)
        .await
        .unwrap();
    assert_eq!(recorder.finish().left_out, 0);
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(&taken).unwrap())
        .read_to_string(&mut text)
        .unwrap();
    let text = without_this_machine(&text, home.path(), program);
    let file = std::fs::File::create(folder().join(format!("{name}.rec"))).unwrap();
    let mut packed = flate2::write::GzEncoder::new(file, flate2::Compression::best());
    packed.write_all(text.as_bytes()).unwrap();
    packed.finish().unwrap();
}

/// Which machine it was is no part of the story.
fn without_this_machine(text: &str, home: &Path, program: &Path) -> String {
    let mut text = text.to_owned();
    let mut replace = |from: &Path, to: &str| {
        if let Some(from) = from.to_str().filter(|from| from.len() > 1) {
            text = text.replace(from, to);
        }
    };
    replace(&programs(), "${folder}");
    replace(program, &format!("${{folder}}/{}", file_name(program)));
    replace(Path::new(env!("CARGO_MANIFEST_DIR")), "${folder}/../..");
    replace(home, "/tmp/home");
    replace(&tools::test_home(), "/opt/tools");
    if let Some(target) = program.parent() {
        replace(target, "/tmp/target");
    }
    if let Some(person) = std::env::var_os("HOME") {
        replace(Path::new(&person), "/home/someone");
    }
    text
}

fn file_name(path: &Path) -> &str {
    path.file_name().unwrap().to_str().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn debugpy() {
    if records() {
        let program = tools::python_program();
        recorded("debugpy", &program, &program, "loop-call").await;
    }
    played("debugpy").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lldb_dap() {
    if records() {
        let source = program_source("prog.c");
        recorded("lldb-dap", &tools::c_program(), &source, "loop-call").await;
    }
    played("lldb-dap").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn gdb() {
    if records() {
        let source = program_source("prog.c");
        recorded("gdb", &tools::c_program(), &source, "loop-call").await;
    }
    played("gdb").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dlv() {
    if records() {
        let go = tools::required("go", tools::go()).unwrap();
        let source = program_source("prog/main.go");
        recorded("dlv", &tools::go_program(&go), &source, "loop-call").await;
    }
    played("dlv").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn js_debug() {
    if records() {
        let program = program_source("prog.js");
        recorded("js-debug-adapter", &program, &program, "loop-call").await;
    }
    played("js-debug-adapter").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bash() {
    if records() {
        let program = program_source("prog.sh");
        recorded("bash-dap", &program, &program, "loop-call").await;
    }
    played("bash-dap").await;
}

/// It stops at load whether that was asked for or not: nobody sees that stop, in the recording as little as when it was made.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rdbg() {
    if records() {
        let program = program_source("prog.rb");
        recorded("rdbg", &program, &program, "loop-call").await;
    }
    played("rdbg").await;
}

#[test]
fn no_place_of_a_machine_is_in_them() {
    let mut count = 0;
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        count += 1;
        let bytes = std::fs::read(&path).unwrap();
        let mut text = String::new();
        if path.extension().is_some_and(|e| e == "rec") {
            let mut packed = flate2::read::GzDecoder::new(&bytes[..]);
            packed.read_to_string(&mut text).unwrap();
        } else {
            text = String::from_utf8(bytes).unwrap();
        }
        for place in ["/root/", "/work/", "/target/"] {
            assert!(!text.contains(place), "{place} is in {}", path.display());
        }
        assert!(text.len() < 400_000, "{} is large", path.display());
    }
    assert_eq!(count, 14);
}
