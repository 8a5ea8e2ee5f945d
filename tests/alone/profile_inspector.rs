//! Functions of JavaScript through the inspector of Node: shares beside Node's own profiler, workers, programs that end, an inspector that is
//! closed, one that is another client's, too; on the screen and as text. What a hostile one says is in `fake_inspector.rs`.

// Alone: two samplers and a program want a processor each.

use crate::support;

use std::ffi::OsString;
use std::net::{Ipv4Addr, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use omp_debug::diagnostics::Cancel;
use omp_debug::diagnostics::profile::sample::{Options, Source, Tools};
use omp_debug::diagnostics::profile::take::{ProcessChoice, Request, TakeError, take};
use omp_debug::diagnostics::profile::{Profile, Unit};
use serde_json::Value;
use support::desk::{Desk, free_port, pane, wait_listening};
use support::hot::{Running, SHARES, is, shares};
use support::pty::Screen;
use support::tools;

/// Node on a script, quiet.
fn node(arguments: &[&str], script: &Path, more: &[&str]) -> Option<Running> {
    let node = tools::required("node", tools::node())?;
    let mut command = Command::new(node);
    command.args(arguments).arg(script).args(more);
    Some(Running::start(command.stderr(Stdio::null())))
}

/// A program of known shares that can be looked at, for so many seconds.
fn open_program(seconds: &str) -> Option<Running> {
    let port = free_port();
    let inspect = format!("--inspect=127.0.0.1:{port}");
    let running = node(&[&inspect], &support::program_source("hot.js"), &[seconds])?;
    wait_listening(port);
    Some(running)
}

/// One whose inspector is closed and would be at this port; it has begun to work, and so listens for signals.
fn closed_program(port: u16) -> Option<Running> {
    closed_program_of(port, "100")
}

/// The same, for so many seconds.
fn closed_program_of(port: u16, seconds: &str) -> Option<Running> {
    let at = format!("--inspect-port=127.0.0.1:{port}");
    let running = node(&[&at], &support::program_source("hot.js"), &[seconds])?;
    let deadline = Instant::now() + Duration::from_secs(20);
    let works = |process: support::procs::Process| process.command.contains("hot.js");
    let catches = || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", running.pid()));
        let mask = status.ok().and_then(|status| {
            let line = status
                .lines()
                .find_map(|line| line.strip_prefix("SigCgt:"))?;
            u64::from_str_radix(line.trim(), 16).ok()
        });
        mask.is_some_and(|mask| mask >> 9 & 1 == 1)
    };
    while !support::procs::look_up(running.pid()).is_some_and(works) || !catches() {
        assert!(Instant::now() < deadline, "node never began");
        std::thread::yield_now();
    }
    Some(running)
}

fn is_open(port: u16) -> bool {
    TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok()
}

fn request(pid: u32, seconds: f64) -> Request {
    Request {
        duration: Some(Duration::from_secs_f64(seconds)),
        with: Some(Source::Inspector),
        ..Request::of(ProcessChoice::Pid(pid))
    }
}

fn taken(request: &Request) -> Result<Profile, TakeError> {
    let never = Cancel::default();
    take(request, &Tools::default(), &never, &never, &mut |_| true)
}

/// The text form.
fn text(pid: u32, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(tools::omp_debug())
        .args(["profile", "--pid", &pid.to_string()])
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .expect("it runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

fn shares_of_json(value: &Value) -> [f64; 3] {
    let total = value["total"].as_f64().expect("a total");
    let functions = value["functions"].as_array().expect("functions");
    SHARES.map(|(name, _)| {
        let of_it = functions
            .iter()
            .filter(|f| is(f["name"].as_str().unwrap_or_default(), name));
        of_it.filter_map(|f| f["total"].as_f64()).sum::<f64>() * 100.0 / total
    })
}

/// What Node wrote itself, read without our reader: how often each function was on top.
fn shares_of_node(folder: &Path) -> [f64; 3] {
    let mut files = std::fs::read_dir(folder).expect("the folder").flatten();
    let file = files.next().expect("node wrote its profile").path();
    let value: Value = serde_json::from_slice(&std::fs::read(file).expect("it")).expect("its JSON");
    let nodes = value["nodes"].as_array().expect("nodes");
    let hits = |node: &Value| node["hitCount"].as_f64().unwrap_or(0.0);
    // Of the work alone: starting and ending are not in ours.
    let of = |name: &str| {
        let of_it = nodes
            .iter()
            .filter(|node| node["callFrame"]["functionName"] == name);
        of_it.map(hits).sum::<f64>()
    };
    let all: f64 = SHARES.iter().map(|(name, _)| of(name)).sum();
    SHARES.map(|(name, _)| of(name) * 100.0 / all)
}

/// The percentage of a function with what it calls, off the table: `0.0 %  0 ns  69.3 %  3.5 s  seventy`.
fn of_table(screen: &Screen, title: &str, name: &str) -> Option<f64> {
    pane(screen, title).iter().find_map(|row| {
        let words: Vec<&str> = row.split_whitespace().collect();
        words.iter().position(|word| *word == name)?;
        let percents = words.windows(2).filter(|pair| pair[1] == "%");
        percents.map(|pair| pair[0].parse().ok()).nth(1)?
    })
}

fn assert_near(all: &[(&str, [f64; 3])]) {
    for (at, (name, wanted)) in SHARES.iter().enumerate() {
        let said: Vec<(&str, f64)> = all.iter().map(|(who, parts)| (*who, parts[at])).collect();
        let most = said.iter().map(|(_, part)| *part).fold(0.0, f64::max);
        let least = said.iter().map(|(_, part)| *part).fold(100.0, f64::min);
        assert!(most - least <= 3.0, "{name}: {said:.1?}");
        assert!((most - wanted).abs() <= 6.0, "{name}: {said:.1?}");
    }
}

/// The text form and the screen look at once at a program that Node profiles itself.
#[test]
fn text_and_screen_say_what_nodes_own_profiler_says() {
    let _alone = support::alone();
    let folder = tempfile::tempdir().expect("a folder");
    let own = format!("--cpu-prof-dir={}", folder.path().display());
    let port = free_port();
    let inspect = format!("--inspect=127.0.0.1:{port}");
    let script = support::program_source("hot.js");
    let arguments = ["--cpu-prof", "--cpu-prof-interval=1000", &own, &inspect];
    let Some(mut running) = node(&arguments, &script, &["20"]) else {
        return;
    };
    wait_listening(port);
    let pid = running.pid();
    let beside = std::thread::spawn(move || {
        text(
            pid,
            &["--rate", "997", "--seconds", "8", "--format", "json"],
        )
    });
    let words = ["profile", "--pid", &pid.to_string(), "--rate", "997"];
    let desk = Desk::with(|builder| {
        builder
            .patience(Duration::from_mins(1))
            .args(words.map(OsString::from))
    });
    let pty = &desk.pty;
    pty.wait_for("the inspector of its runtime");
    pty.wait_until("enough samples", |screen| {
        let header = screen.row(0);
        let before = header.rsplit_once(" samples").map(|(before, _)| before);
        let number = before.and_then(|before| before.rsplit(' ').next());
        number.and_then(|number| number.replace(',', "").parse::<u64>().ok()) > Some(5000)
    });
    pty.key("Enter").wait_until("the profile", |screen| {
        screen.contains("zoom") && screen.contains("all 100.0 %")
    });
    pty.key("Tab").key("Tab").wait_for("Function");
    let title = format!("({pid})");
    let mut screen = [0.0; 3];
    pty.key("S")
        .wait_until("the three functions in the table", |seen| {
            screen = SHARES.map(|(name, _)| of_table(seen, &title, name).unwrap_or(0.0));
            screen.iter().all(|part| *part > 0.0)
        });
    desk.leave();
    let (code, out, said) = beside.join().expect("no panic");
    assert_eq!(code, Some(0), "{said}");
    let value: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(value["unit"], "nanoseconds");
    let samples = value["samples"].as_u64().expect("a number");
    assert!(samples > 3000, "{samples}");
    running.0.wait().expect("it ends: nobody holds it");
    let theirs = shares_of_node(folder.path());
    assert_near(&[
        ("screen", screen),
        ("text", shares_of_json(&value)),
        ("node", theirs),
    ]);
}

/// Percentages of two hundred samples are a matter of luck; which function takes the most is not.
fn assert_in_order(parts: [f64; 3]) {
    let [seventy, twenty, ten] = parts;
    assert!(seventy > twenty && seventy > ten && ten > 0.0, "{parts:?}");
}

#[test]
fn it_is_shown_live_and_nobody_is_left_listening() {
    let _beside = support::beside();
    let Some(running) = open_program("60") else {
        return;
    };
    let (stop, never) = (Cancel::default(), Cancel::default());
    let endless = Request {
        duration: None,
        ..request(running.pid(), 1.0)
    };
    let mut seen = Vec::new();
    let profile = take(&endless, &Tools::default(), &stop, &never, &mut |news| {
        assert!(news.is_live && news.source == Source::Inspector);
        seen.push(news.samples);
        if news.samples > 150 {
            stop.cancel();
        }
        true
    })
    .expect("a profile");
    seen.dedup();
    assert!(seen.len() > 2, "{seen:?}");
    assert_eq!(profile.unit, Unit::Nanoseconds);
    let times: Vec<u64> = profile.samples.iter().map(|sample| sample.at).collect();
    assert!(times.is_sorted(), "{times:?}");
    let seventy = profile
        .frames
        .iter()
        .find(|frame| &*frame.name == "seventy")
        .expect("the function");
    let script = support::program_source("hot.js");
    assert_eq!(seventy.file.as_deref(), script.to_str());
    assert_eq!(seventy.line, Some(5));
    assert_in_order(shares(&profile));
    // Once more: what is left behind would be in the way.
    let again = taken(&request(running.pid(), 1.5)).expect("another profile");
    assert!(again.total() > 500_000_000, "{}", again.total());
    let dropped = take(&endless, &Tools::default(), &never, &never, &mut |news| {
        news.samples == 0
    });
    assert_eq!(dropped.unwrap_err(), TakeError::Cancelled);
    assert!(taken(&request(running.pid(), 1.5)).is_ok());
}

/// Node waits at its end for those who listen to it: it may not wait for us.
#[test]
fn a_program_that_ends_is_let_go_with_all_that_was_seen() {
    let _beside = support::beside();
    let Some(mut running) = open_program("4") else {
        return;
    };
    let pid = running.pid();
    let taking = std::thread::spawn(move || taken(&request(pid, 60.0)));
    let status = running.0.wait().expect("it ends");
    let ended = Instant::now();
    assert!(status.success(), "{status}");
    let profile = taking.join().expect("no panic").expect("a profile");
    assert!(ended.elapsed() < Duration::from_secs(5));
    let said = profile.notes.join("\n");
    assert!(said.contains(" ended after "), "{said}");
    let seconds = profile.total() as f64 / 1e9;
    assert!(seconds > 1.5, "{seconds} s");
    // One that dies leaves what it had handed over.
    let Some(mut running) = open_program("60") else {
        return;
    };
    let request = Request {
        duration: None,
        ..request(running.pid(), 1.0)
    };
    let never = Cancel::default();
    let profile = take(&request, &Tools::default(), &never, &never, &mut |news| {
        if news.samples > 50 {
            running.0.kill().expect("it is there");
            running.0.wait().expect("it is gone");
        }
        true
    })
    .expect("a profile");
    assert!(profile.samples.len() > 50);
    let said = profile.notes.join("\n");
    assert!(said.contains(" ended after "), "{said}");
}

/// One whose inspector we opened is not asked at its end to shut it: it would not do so, and wait for us.
#[test]
fn a_program_whose_inspector_we_opened_ends_when_it_wants_to() {
    let _beside = support::beside();
    let Some(mut running) = closed_program_of(free_port(), "4") else {
        return;
    };
    let mut wanted = request(running.pid(), 60.0);
    wanted.options.may_open = true;
    let taking = std::thread::spawn(move || (taken(&wanted), Instant::now()));
    let status = running.0.wait().expect("it ends");
    assert!(status.success(), "{status}");
    let (profile, told) = taking.join().expect("no panic");
    let profile = profile.expect("a profile");
    let said = profile.notes.join("\n");
    assert!(
        said.contains("for this, and is gone with the program"),
        "{said}"
    );
    assert!(
        said.contains(" ended after ") && !said.contains("did not shut"),
        "{said}"
    );
    // It worked for four seconds and was let go at once; what is seen of it begins later.
    let took = profile.duration.expect("how long");
    let seen = Duration::from_nanos(profile.total());
    assert!(
        took < seen + Duration::from_millis(1500),
        "{took:?} of {seen:?}"
    );
    assert!(told.elapsed() < Duration::from_secs(5));
}

#[test]
fn workers_are_threads_of_their_own() {
    let _beside = support::beside();
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("workers.js");
    let source = "const { Worker, isMainThread } = require('node:worker_threads');
function inner() { let s = 1; for (let i = 0; i < 100000; i++) s = (s * 33 + 17) % 1000003; return s; }
function busy(ms) { const end = Date.now() + ms; while (Date.now() < end) inner(); }
if (isMainThread) { new Worker(__filename); setTimeout(() => new Worker(__filename), 1500); setTimeout(() => process.exit(), 60000); }
else busy(60000);
";
    std::fs::write(&script, source).expect("the script");
    let port = free_port();
    let inspect = format!("--inspect=127.0.0.1:{port}");
    let Some(running) = node(&[&inspect], &script, &[]) else {
        return;
    };
    wait_listening(port);
    let profile = taken(&request(running.pid(), 6.0)).expect("a profile");
    let names: Vec<&str> = profile.threads.iter().map(|t| &*t.name).collect();
    assert!(names.len() == 3 && names[1].contains("worker"), "{names:?}");
    let inner = profile.frames.iter().filter(|f| &*f.name == "inner");
    assert_eq!(inner.count(), 1);
    // The main thread alone does nothing.
    let main = Request {
        options: Options {
            thread: Some(running.pid()),
            ..Options::default()
        },
        ..request(running.pid(), 2.0)
    };
    let names = |profile: &Profile| -> Vec<String> {
        profile.frames.iter().map(|f| f.name.to_string()).collect()
    };
    match taken(&main) {
        Ok(profile) => assert!(!names(&profile).contains(&"inner".to_owned())),
        Err(error) => assert!(
            error.to_string().contains("took no processor time"),
            "{error}"
        ),
    }
    let other = Request {
        options: Options {
            thread: Some(running.pid() + 1),
            ..Options::default()
        },
        ..request(running.pid(), 1.0)
    };
    assert!(taken(&other).is_err());
}

/// Node closes its listener a moment after it says so.
fn wait_shut(port: u16) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while is_open(port) {
        assert!(Instant::now() < deadline, "it stays open");
        std::thread::yield_now();
    }
}

/// Without a word from a person nothing is opened; with one it is, and shut again.
#[test]
fn a_closed_inspector_is_opened_only_when_that_is_wanted() {
    let _beside = support::beside();
    let port = free_port();
    let Some(mut running) = closed_program(port) else {
        return;
    };
    let pid = running.pid();
    let (code, _, said) = text(pid, &["--seconds", "0.5", "--print", "--with", "inspector"]);
    assert_eq!(code, Some(4), "{said}");
    assert!(said.contains("has none open: --inspect opens it"), "{said}");
    assert!(!is_open(port));
    // Something else is used meanwhile, and that is said.
    let (_, _, said) = text(pid, &["--seconds", "0.5", "--print", "--wall"]);
    assert!(
        said.contains("--inspect opens it") && said.contains("used: "),
        "{said}"
    );
    assert!(!is_open(port));
    let arguments = ["--seconds", "2", "--inspect", "--format", "json"];
    let (code, out, said) = text(pid, &arguments);
    assert_eq!(code, Some(0), "{said}");
    let opened = format!("was opened at 127.0.0.1:{port} for this, and shut again");
    assert!(said.contains(&opened), "{said}");
    let value: Value = serde_json::from_str(&out).expect("JSON");
    assert_in_order(shares_of_json(&value));
    wait_shut(port);
    // One that nobody wants any more is shut, too.
    let never = Cancel::default();
    let mut wanted = request(pid, 60.0);
    wanted.options.may_open = true;
    let dropped = take(&wanted, &Tools::default(), &never, &never, &mut |news| {
        assert!(is_open(port));
        news.samples == 0
    });
    assert_eq!(dropped.unwrap_err(), TakeError::Cancelled);
    wait_shut(port);
    assert!(running.0.try_wait().expect("a look").is_none(), "it lives");
}

/// On the screen a person is asked first, and `n` leaves the program alone.
#[test]
fn the_screen_asks_before_it_opens_an_inspector() {
    let _beside = support::beside();
    let port = free_port();
    let Some(running) = closed_program(port) else {
        return;
    };
    let pid = running.pid().to_string();
    let desk = Desk::open(args!["profile", "--pid", &pid, "--wall", "--rate", "99"]);
    let pty = &desk.pty;
    let screen = pty.wait_for("Open its inspector?");
    assert!(screen.contains("can run code in it"), "{}", screen.text());
    pty.wait_for("Enter answers");
    pty.key("Esc").wait_gone("Open its inspector?");
    assert!(!is_open(port));
    pty.key("T").wait_for("Profile the process");
    pty.type_text(&format!("{pid} 50 Hz main"));
    pty.wait_for(" · 50 Hz · main");
    pty.key("Enter").wait_for("Open its inspector?");
    pty.wait_for("Enter answers");
    pty.key("Left").wait_for("▸ Open it");
    pty.key("Enter").wait_for("the inspector of its runtime");
    assert!(is_open(port));
    pty.wait_for("seventy ");
    pty.key("Enter").wait_for("zoom");
    pty.wait_until("what was said of it", |screen| screen.contains("seventy "));
    wait_shut(port);
    // What was said is there the next time, and the process is not.
    pty.key("T").wait_for("50 Hz main");
    pty.key("Esc").wait_gone("Profile the process");
    desk.leave();
}

/// A program under js-debug is profiled through the port that its debugger uses, while it runs; from its hottest function to a breakpoint
/// there, and a stop.
#[test]
fn a_debugged_node_program_is_profiled_and_stopped_where_it_is_hot() {
    let _beside = support::beside();
    require!(js_debug);
    require!(node);
    let program = support::program_source("hot.js");
    let desk = Desk::with(|builder| {
        builder
            .args(args!["--no-stop-on-entry", program, "--", "600"])
            .env("XDG_DATA_HOME", tools::test_home().join("share"))
    });
    let pty = &desk.pty;
    desk.wait_header("running");
    pty.key(":").wait_for("type some letters");
    pty.type_text("app.performance")
        .wait_for("performance  app.performance");
    pty.key("Enter").wait_for("No profile is open");
    // The session of the program itself comes a moment after the one that started it, and what the program tells of its inspector
    // a moment after that.
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let screen = pty.key("T").wait_for("Profile the process");
        if screen.contains("which is debugged") {
            let screen = pty.key("Enter").wait_until("an answer", |screen| {
                screen.contains("the inspector of its runtime")
                    || screen.contains("Open its inspector?")
            });
            if !screen.contains("Open its inspector?") {
                break;
            }
            pty.wait_for("Enter answers");
            pty.key("Esc").wait_gone("Open its inspector?");
        } else {
            pty.key("Esc").wait_gone("Profile the process");
        }
        assert!(Instant::now() < deadline, "{}", screen.text());
    }
    pty.wait_for("seventy ");
    pty.key("Enter").wait_for("zoom");
    pty.key("Tab").key("Tab").wait_for("Function");
    pty.key("g").wait_for("seventy  ");
    pty.key("s").wait_for("function seventy(seed) {");
    desk.wait_header("running");
    pty.key("F9");
    desk.wait_header("stopped: breakpoint");
    desk.wait_header("seventy()");
    desk.leave_live("Enter");
}
