//! Simulators, with a stand-in `xcrun` in front of the real lldb and a real process.

use std::path::PathBuf;
use std::process::{Child, Command as Process, Stdio};
use std::time::Duration;

use omp_debug::debugger::adapters::{Backend, Context, Table, for_simulator};
use omp_debug::debugger::lldb_cli::simulator::xcrun::Xcrun;
use omp_debug::debugger::lldb_cli::simulator::{SimulatorRequest, SimulatorTarget, find};
use omp_debug::debugger::{Command, Reply, Severity};

use super::sessions::Bench;
use crate::support::core::Home;
use crate::support::desk::wait_more;
use crate::support::{line_of, procs, program_source, tools};

const BOOTED: &str = "AAAAAAAA-0000-0000-0000-000000000003";
const SHUT_DOWN: &str = "AAAAAAAA-0000-0000-0000-000000000001";
const APP: &str = "com.example.shop";
const LIST: &str = r#"{"devices": {
    "com.apple.CoreSimulator.SimRuntime.iOS-17-5": [
        {"udid": "AAAAAAAA-0000-0000-0000-000000000001", "name": "iPhone 15", "state": "Shutdown", "isAvailable": true},
        {"udid": "AAAAAAAA-0000-0000-0000-000000000009", "name": "BBBBBBBB-0000-0000-0000-000000000009", "state": "Booted", "isAvailable": true}
    ],
    "com.apple.CoreSimulator.SimRuntime.iOS-18-0": [
        {"udid": "AAAAAAAA-0000-0000-0000-000000000003", "name": "iPhone 16", "state": "Booted", "isAvailable": true}
    ]
}}"#;
const ALL: &str = r#"{"devices": {"x": [
    {"udid": "AAAAAAAA-0000-0000-0000-000000000005", "name": "iPhone 4", "state": "Shutdown", "isAvailable": false, "availabilityError": "runtime profile not found"}
]}}"#;

/// Writes down how it was called, does what the file `mode` says, and otherwise answers as Xcode's would.
const STAND_IN: &str = r#"#!/bin/sh
cd 'HOME'
printf '%s\n' "$*" >> log
case "$(cat mode)" in
    1) echo 'something went wrong' >&2; exit 1 ;;
    72) echo 'xcrun: error: unable to find utility "simctl", not a developer tool or in PATH' >&2; exit 72 ;;
    hang) exec tail -f /dev/null ;;
    garbage) printf '\001\033[31m no json'; exit 0 ;;
    huge) head -c 10485760 /dev/zero | tr '\0' x; exit 0 ;;
    bytes) answer() { python3 -c 'import os,sys
for b in open(sys.argv[1],"rb").read(): os.write(1,bytes([b]))' "$1"; } ;;
    *) answer() { cat "$1"; } ;;
esac
case "$*" in
    'simctl list devices available -j') answer list ;;
    'simctl list devices -j') answer all ;;
    'simctl spawn '*' launchctl list') answer table ;;
    'simctl get_app_container '*) answer container ;;
    '--find lldb') echo 'LLDB' ;;
    '--find lldb-dap') cat dap || { echo 'xcrun: error: unable to find utility "lldb-dap"' >&2; exit 72; } ;;
    lldb' '*) shift; exec 'LLDB' "$@" ;;
    *) echo "unexpected: $*" >&2; exit 64 ;;
esac
"#;

struct Xcode {
    home: Home,
}

impl Xcode {
    fn new() -> Option<Self> {
        let lldb = tools::required("lldb", tools::lldb())?;
        let home = Home::new();
        let text = STAND_IN
            .replace("HOME", home.path().to_str().unwrap())
            .replace("LLDB", lldb.to_str().unwrap());
        for (name, text) in [
            ("mode", "ok"),
            ("list", LIST),
            ("all", ALL),
            ("table", "PID\tStatus\tLabel\n"),
            ("container", "/Apps/My Shop.app\n"),
            ("log", ""),
        ] {
            home.file(name, text);
        }
        home.executable("bin/xcrun", &text);
        Some(Self { home })
    }

    fn context(&self) -> Context {
        let context = self.home.context();
        let mut env = (*context.env).clone();
        let path = format!("{}:{}", self.home.path().join("bin").display(), env["PATH"]);
        env.insert("PATH".to_owned(), path);
        Context {
            backend: Some(Backend::LldbCli),
            ..Context::new(context.cwd, env)
        }
    }

    async fn find(&self, asked: SimulatorRequest) -> Result<SimulatorTarget, String> {
        find(asked, &self.context(), None).await
    }

    fn running(&self, pid: u32) {
        let table = format!(
            "PID\tStatus\tLabel\n-\t0\tcom.apple.x\n1\t0\tUIKitApplication:{APP}.widget[1][rb-legacy]\n{pid}\t0\tUIKitApplication:{APP}[6f4b][rb-legacy]\n"
        );
        self.home.file("table", &table);
    }

    /// How it was called since the last time.
    fn log(&self) -> Vec<String> {
        let log = std::fs::read_to_string(self.home.path().join("log")).unwrap();
        self.home.file("log", "");
        log.lines().map(str::to_owned).collect()
    }
}

fn app(simulator: &str) -> SimulatorRequest {
    SimulatorRequest {
        simulator: Some(simulator.to_owned()),
        bundle_id: Some(APP.to_owned()),
        ..SimulatorRequest::default()
    }
}

/// The app: a real process that counts.
fn start(xcode: &Xcode) -> (Child, PathBuf) {
    let counter = xcode.home.path().join("counter");
    let (mark, value) = xcode.home.mark.env();
    let child = Process::new(tools::c_program())
        .arg("count")
        .arg(&counter)
        .env(mark, value)
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    wait_more(child.id(), &counter, 0);
    (child, counter)
}

/// S1-6, S1-11, S1-12, S1-13, S1-18, S1-19, S1-21, S1-45 to S1-47, X-48, X-57: found, attached to, stopped, looked into, let go.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_app_is_found_attached_to_and_let_go() {
    let Some(xcode) = Xcode::new() else { return };
    let (mut program, counter) = start(&xcode);
    xcode.running(program.id());
    let found = xcode.find(app("iPhone 16")).await.unwrap();
    assert_eq!(
        (found.spec.pid, found.spec.adapter.as_deref()),
        (Some(program.id()), Some("lldb-cli"))
    );
    assert_eq!(
        xcode.log(),
        [
            "simctl list devices available -j".to_owned(),
            format!("simctl spawn {BOOTED} launchctl list"),
            "--find lldb".to_owned(),
        ]
    );
    // X-53: what to do next.
    assert!(
        found
            .notes
            .iter()
            .any(|(_, note)| note.contains("Next:") && note.contains(BOOTED)),
        "{:?}",
        found.notes
    );

    let mut config = xcode.home.config(Duration::from_secs(20));
    config.context = xcode.context();
    let mut bench = Bench::with(xcode.home, config).await;
    bench.break_at("count").await;
    let attach = bench.must(Command::Attach(Box::new(found.spec))).await;
    let Reply::Session { session } = attach else {
        panic!("{attach:?}")
    };
    let stop = bench
        .desk
        .stop(session, None, Duration::from_secs(20))
        .await
        .unwrap();
    assert_eq!(stop.reason, "breakpoint");
    let number = bench.typed("frame variable number").await.unwrap();
    assert!(number.contains("number = "), "{number}");
    assert_eq!(
        bench.desk.session(session).pid,
        Some(i64::from(program.id()))
    );
    let log = std::fs::read_to_string(bench.home.path().join("log")).unwrap();
    let spawned = log.lines().find(|line| line.starts_with("lldb ")).unwrap();
    assert!(
        spawned.starts_with("lldb --no-lldbinit -o settings set prompt \"(omp-debug-"),
        "{spawned}"
    );
    bench
        .must(Command::Detach {
            session: Some(session),
        })
        .await;
    bench
        .desk
        .gone(session, Duration::from_secs(20))
        .await
        .unwrap();
    let before = std::fs::read_to_string(&counter)
        .unwrap()
        .parse()
        .unwrap_or(0);
    wait_more(program.id(), &counter, before);
    assert_eq!(
        procs::status(program.id(), "TracerPid").as_deref(),
        Some("0")
    );
    program.kill().unwrap();
    program.wait().unwrap();
    bench.close().await;
}

/// S1-4, S1-5: said once, and taken from then on.
#[tokio::test]
async fn what_was_used_last_is_the_default() {
    let Some(xcode) = Xcode::new() else { return };
    xcode.running(4711);
    let none = xcode
        .find(SimulatorRequest {
            pid: Some(1),
            ..SimulatorRequest::default()
        })
        .await
        .unwrap_err();
    assert!(
        none.contains("--simulator") && none.contains("iPhone 16"),
        "{none}"
    );
    xcode.find(app(BOOTED)).await.unwrap();
    let again = xcode.find(SimulatorRequest::default()).await.unwrap();
    assert_eq!(again.spec.pid, Some(4711));
    let mut context = xcode.context();
    let mut env = (*context.env).clone();
    env.insert(
        "OMP_DEBUG_DISABLE_SESSION_DEFAULTS".to_owned(),
        "1".to_owned(),
    );
    context.env = env.into();
    let refused = find(SimulatorRequest::default(), &context, None)
        .await
        .unwrap_err();
    assert!(refused.contains("--bundle-id"), "{refused}");
}

/// X-49, X-50.
#[tokio::test]
async fn each_reason_has_its_own_sentence() {
    let Some(xcode) = Xcode::new() else { return };
    let cases = [
        (
            app("iPhone 4"),
            "exists but is unavailable: runtime profile not found",
        ),
        (
            app("iPhone 99"),
            "there is no simulator \"iPhone 99\"; there are",
        ),
        (
            app(SHUT_DOWN),
            "xcrun simctl boot AAAAAAAA-0000-0000-0000-000000000001",
        ),
        (app("iPhone 16"), "knows no app \"com.example.shop\""),
        (
            SimulatorRequest {
                pid: Some(1),
                ..app("iPhone 16")
            },
            "name two things",
        ),
        (
            SimulatorRequest {
                pid: Some(1),
                wait_for: true,
                bundle_id: None,
                ..app("iPhone 16")
            },
            "has no --pid",
        ),
        (
            SimulatorRequest {
                bundle_id: None,
                ..app("iPhone 16")
            },
            "--bundle-id ID or --pid N",
        ),
    ];
    for (asked, wanted) in cases {
        let error = xcode.find(asked.clone()).await.unwrap_err();
        assert!(error.contains(wanted), "{asked:?}: {error}");
    }
    let odd = xcode
        .find(SimulatorRequest {
            pid: Some(7),
            bundle_id: None,
            ..app("BBBBBBBB-0000-0000-0000-000000000009")
        })
        .await
        .unwrap();
    assert!(
        odd.notes
            .iter()
            .any(|(severity, note)| *severity == Severity::Warning
                && note.contains("looks like a UUID")),
        "{:?}",
        odd.notes
    );
}

/// An app that does not run yet is waited for by its program's name.
#[tokio::test]
async fn an_app_can_be_waited_for() {
    let Some(xcode) = Xcode::new() else { return };
    let found = xcode
        .find(SimulatorRequest {
            wait_for: true,
            ..app("iPhone 16")
        })
        .await
        .unwrap();
    assert_eq!(found.spec.pid, None);
    assert_eq!(
        serde_json::Value::from(found.spec.extra),
        serde_json::json!({"program": "My Shop", "waitFor": true})
    );
    let asked = format!("simctl get_app_container {BOOTED} {APP} app");
    assert!(xcode.log().contains(&asked));
}

/// The stand-in's faults: each ends in time, with its own words.
#[tokio::test]
async fn faults_of_xcrun_are_told() {
    let Some(xcode) = Xcode::new() else { return };
    for (mode, wanted) in [
        (
            "1",
            "failed (exit status: 1) and said: something went wrong",
        ),
        (
            "72",
            "failed (exit status: 72) and said: xcrun: error: unable to find utility",
        ),
        ("garbage", "printed no list of devices"),
        ("huge", "bytes, which is no answer"),
    ] {
        xcode.home.file("mode", mode);
        let error = xcode.find(app("iPhone 16")).await.unwrap_err();
        assert!(
            error.contains("`xcrun simctl list devices available -j`") && error.contains(wanted),
            "{mode}: {error}"
        );
    }
    xcode.home.file("mode", "hang");
    let context = xcode.context();
    let hangs = Xcrun::new(xcode.home.path().join("bin/xcrun"), &context)
        .within(Duration::from_millis(200));
    let error = hangs.run(&["simctl"]).await.unwrap_err();
    assert!(error.contains("did not end within 0.2 s"), "{error}");
    xcode.home.mark.assert_none_left(Duration::from_secs(10));
    xcode.home.file("mode", "bytes");
    xcode.running(4711);
    assert_eq!(
        xcode.find(app("iPhone 16")).await.unwrap().spec.pid,
        Some(4711)
    );
}

/// S1-39: `xcrun --find lldb-dap`, and what is said when it finds none.
#[test]
fn xcode_knows_where_its_adapter_is() {
    let Some(xcode) = Xcode::new() else { return };
    let Some(dap) = tools::required("lldb-dap", tools::lldb_dap()) else {
        return;
    };
    xcode.home.file("dap", &format!("{}\n", dap.display()));
    let mut context = xcode.context();
    context.backend = Some(Backend::Dap);
    // Only what xcrun knows: no lldb-dap on PATH, and the tools of the stand-in's own script.
    let bin = xcode.home.path().join("bin");
    for tool in ["cat", "tail", "sh"] {
        std::os::unix::fs::symlink(tools::find(&[tool]).unwrap(), bin.join(tool)).unwrap();
    }
    let mut env = (*context.env).clone();
    env.insert("PATH".to_owned(), bin.to_str().unwrap().to_owned());
    context.env = env.into();
    let found = for_simulator(Table::builtin(), &context).unwrap();
    assert_eq!(
        (found.adapter.name.as_str(), found.argv[0].as_str()),
        ("lldb-dap", dap.to_str().unwrap())
    );
    assert_eq!(xcode.log(), ["--find lldb-dap"]);
}

/// Offered by finding it, on any system.
#[tokio::test]
async fn without_xcrun_it_is_said() {
    let home = Home::new();
    let error = find(app("x"), &home.context(), None).await.unwrap_err();
    assert!(error.contains("no xcrun on PATH"), "{error}");
    // What cannot be meant anywhere is said first.
    let asked = SimulatorRequest {
        pid: Some(1),
        wait_for: true,
        ..SimulatorRequest::default()
    };
    let error = find(asked, &home.context(), None).await.unwrap_err();
    assert!(error.contains("has no --pid"), "{error}");
}

/// The same words reach it from every front: headless, line by line, and by a call.
#[test]
fn every_front_takes_the_words_for_a_simulator() {
    let Some(xcode) = Xcode::new() else { return };
    let (mut program, _counter) = start(&xcode);
    xcode.running(program.id());
    let pid = program.id().to_string();
    let context = xcode.context();
    let front = |words: &[&str]| {
        let mut command = Process::new(tools::omp_debug());
        command
            .args(words)
            .env_clear()
            .envs(context.env.iter())
            .current_dir(&context.cwd)
            .stdin(Stdio::null());
        command
    };
    let words = ["--simulator", "iPhone 16", "--bundle-id", APP];
    let printed = |output: std::process::Output| {
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let source = program_source("prog.c");
    let at = format!("{}:{}", source.display(), line_of(&source, "count"));
    let backend = ["--backend", "lldb-cli"];
    let run = ["run", "--attach", "-b", &at, "--max-stops", "1", "-t", "1m"];
    let run = [&backend[..], &run].concat();
    let events = printed(front(&[&run[..], &words].concat()).output().unwrap());
    assert!(
        events.contains(&format!("\"pid\":{pid}"))
            && events.contains("\"type\":\"breakpoint_hit\""),
        "{events}"
    );
    let repl = [
        "repl",
        "--backend",
        "lldb-cli",
        "--batch",
        "--ex",
        "info session",
    ];
    let told = printed(front(&[&repl[..], &words].concat()).output().unwrap());
    assert!(told.contains(&pid), "{told}");
    let mut serving = front(&["serve", "--backend", "lldb-cli"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut out = std::io::BufReader::new(serving.stdout.take().unwrap());
    std::io::BufRead::read_line(&mut out, &mut line).unwrap();
    let call = serde_json::json!({"simulator": "iPhone 16", "bundle_id": APP}).to_string();
    let attached = printed(front(&["call", "attach", &call]).output().unwrap());
    assert!(attached.contains(&pid), "{attached}");
    // What cannot be meant is said in the same words.
    let two = front(&[&run[..], &words, &["--pid", "1"]].concat())
        .output()
        .unwrap();
    assert_eq!(two.status.code(), Some(2), "{two:?}");
    let why = String::from_utf8_lossy(&two.stdout).into_owned();
    assert!(why.contains("name two things"), "{why}");
    procs::signal(serving.id(), rustix::process::Signal::TERM);
    serving.wait().unwrap();
    procs::wait_exit(serving.id(), Duration::from_secs(10));
    assert_eq!(
        procs::status(program.id(), "TracerPid").as_deref(),
        Some("0")
    );
    program.kill().unwrap();
    program.wait().unwrap();
    xcode.home.mark.assert_none_left(Duration::from_secs(10));
}
