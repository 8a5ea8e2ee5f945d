//! Nothing that was to be written is lost without a word, nothing goes where somebody else wanted it, and nothing stays of those
//! who were killed.

use crate::support;

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use rustix::process::Signal;
use support::procs::{self, Watchdog};
use support::run::Runs;
use support::{tools, trace};

const LIMIT: Duration = Duration::from_mins(2);
/// What a full disk says.
const FULL: &str = "No space left on device";

/// With a fake adapter and a program of five lines.
fn runs() -> Runs {
    let runs = Runs::new();
    runs.file("program.fake", &"step()\n".repeat(5));
    let one = vec!["--loops".to_owned(), "1".to_owned()];
    runs.home.fake_adapters(&[("fake", "stdio", one)]);
    runs
}

const RUN: &[&str] = &["-a", "fake", "-b", "program.fake:2", "program.fake"];

/// `omp-debug` with other words than `run`, in the same surroundings.
fn other(runs: &Runs, args: &[&str]) -> Command {
    let as_run = runs.command(&[]);
    let mut command = Command::new(tools::omp_debug());
    command
        .args(args)
        .current_dir(runs.work())
        .env_clear()
        .envs(as_run.get_envs().filter_map(|(k, v)| Some((k, v?))))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn output(command: &mut Command) -> Output {
    let _watchdog = Watchdog::new(&format!("{command:?}"), LIMIT);
    command.output().unwrap()
}

fn full() -> Stdio {
    File::options()
        .write(true)
        .open("/dev/full")
        .unwrap()
        .into()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Whatever prints: on a full disk it fails, and says why. Each prints something where there is room.
#[test]
fn what_cannot_be_printed_is_a_failure_of_every_front() {
    let runs = runs();
    let log = runs.file("a.log", "2026-08-21T12:00:00Z INFO one\n");
    let log = log.to_str().unwrap();
    let frames = runs.file("a.sse", "event: ping\ndata: {}\n\n");
    let frames = frames.to_str().unwrap();
    let folded = runs.file("a.folded", "main;work 5\n");
    let folded = folded.to_str().unwrap();
    let pid = std::process::id().to_string();
    let mut recorded = other(&runs, &[&["--record", "a.rec", "run"], RUN].concat());
    assert!(output(&mut recorded).status.success());
    let fronts: &[&[&str]] = &[
        &[&["run"], RUN].concat(),
        &[&["run", "-o", "/dev/full"], RUN].concat(),
        &[&["run", "--pretty", "--compact"], RUN].concat(),
        &[
            "repl",
            "--batch",
            "-a",
            "fake",
            "--ex",
            "run",
            "program.fake",
        ],
        &["adapters", "list", "--json"],
        &["adapters", "doctor"],
        &["call", "--list"],
        &["serve"],
        &["logs", "--print", log],
        &["logs", "--json", log],
        &["sse", "--json", frames],
        &["sse", frames],
        &["profile", folded, "--format", "folded"],
        &["memory", "--json", "--pid", &pid],
        &["report"],
        &["artifacts", "--json"],
        &["cache", "--dry-run", "--json"],
        &["replay", "--json", "a.rec"],
        &["replay", "a.rec"],
        &["system", "--json"],
        &["completions", "bash"],
        &["man"],
    ];
    for args in fronts {
        let has_place = args.contains(&"-o");
        let is_server = args == &["serve"];
        if !has_place && !is_server {
            let printed = output(&mut other(&runs, args));
            assert!(!printed.stdout.is_empty(), "{args:?}: {}", stderr(&printed));
        }
        let mut command = other(&runs, args);
        let to = if has_place { Stdio::piped() } else { full() };
        let mut child = command.stdout(to).spawn().unwrap();
        let _watchdog = Watchdog::new(&format!("{args:?}"), LIMIT);
        if is_server {
            // It goes on without its one line.
            let sockets = runs.home.path().join("state/omp-debug/run");
            let socket = sockets.join(format!("{}.sock", child.id()));
            while !socket.exists() && child.try_wait().unwrap().is_none() {
                std::thread::yield_now();
            }
            procs::signal(child.id(), Signal::TERM);
        }
        let ended = child.wait_with_output().unwrap();
        assert_ne!(ended.status.code(), Some(0), "{args:?}: {ended:?}");
        assert!(stderr(&ended).contains(FULL), "{args:?}: {ended:?}");
        child_left_nothing(&runs);
    }
}

fn child_left_nothing(runs: &Runs) {
    runs.home.mark.assert_none_left(Duration::from_secs(10));
}

/// A reader that has seen enough is no failure.
#[test]
fn a_reader_that_goes_away_is_no_loss() {
    let runs = runs();
    for args in [&[&["run"], RUN].concat()[..], &["man"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let ended = output(other(&runs, args).stdout(writer));
        assert_eq!(ended.status.code(), Some(0), "{args:?}: {ended:?}");
        assert_eq!(stderr(&ended), "", "{args:?}");
    }
}

/// It is not waited for what the program prints next, which may be never.
#[test]
fn a_reader_that_goes_away_ends_a_run_that_has_nothing_to_say() {
    let runs = runs();
    let endless = vec!["--loops".to_owned(), "1".to_owned(), "--endless".to_owned()];
    runs.home.fake_adapters(&[("fake", "stdio", endless)]);
    let mut command = runs.command(RUN);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while !line.contains("\"breakpoint_hit\"") {
        line.clear();
        assert!(lines.read_line(&mut line).unwrap() > 0, "it ended");
    }
    drop(lines);
    assert!(procs::wait_exit(child.id(), LIMIT), "it goes on");
    child.wait().unwrap();
}

/// The shell's limit for a file stands in for a disk that is full after so many kilobytes.
fn on_a_small_disk(command: &Command, kilobytes: &str) -> Command {
    let mut small = Command::new("bash");
    small
        .args([
            "-c",
            &format!("trap '' XFSZ; ulimit -f {kilobytes}; exec \"$0\" \"$@\""),
        ])
        .arg(command.get_program())
        .args(command.get_args())
        .current_dir(command.get_current_dir().unwrap())
        .env_clear()
        .envs(command.get_envs().filter_map(|(k, v)| Some((k, v?))))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    small
}

#[test]
fn a_file_that_is_cut_short_is_a_failure() {
    let runs = runs();
    for (option, kilobytes, said) in [
        ("--record", "1", "is not whole"),
        ("-o", "1", "cannot be written any more"),
        ("--log-file", "0", "the log file cannot be written any more"),
    ] {
        let path = runs.work().join(format!("out{option}"));
        let path = path.to_str().unwrap();
        let args = match option {
            "-o" => [&["run", option, path], RUN].concat(),
            _ => [&["-vv", option, path, "run"], RUN].concat(),
        };
        let ended = output(&mut on_a_small_disk(&other(&runs, &args), kilobytes));
        assert_eq!(ended.status.code(), Some(4), "{option}: {ended:?}");
        let told = stderr(&ended);
        assert!(
            told.contains(said) && told.contains("File too large"),
            "{option}: {told}"
        );
    }
}

#[test]
fn files_for_output_are_ones_own_and_links_are_not_followed() {
    let runs = runs();
    let kept = runs.file("kept", "kept");
    symlink(&kept, runs.work().join("link")).unwrap();
    let run = |words: &[&str]| owned(&[words, &["run"], RUN].concat());
    let ways = |number, to: &str| match number {
        0 => owned(&[&["run", "-o", to], RUN].concat()),
        1 => run(&["-v", "--log-file", to]),
        _ => run(&["--record", to]),
    };
    for number in 0..3 {
        let words = ways(number, "link");
        let words: Vec<_> = words.iter().map(String::as_str).collect();
        let refused = output(&mut other(&runs, &words));
        assert_eq!(refused.status.code(), Some(2), "{words:?}: {refused:?}");
        let why = stderr(&refused);
        assert!(
            why.contains("link") || why.contains("exists"),
            "{words:?}: {why}"
        );
        assert_eq!(fs::read_to_string(&kept).unwrap(), "kept", "{words:?}");
        let name = format!("new-{number}");
        let words = ways(number, &name);
        let words: Vec<_> = words.iter().map(String::as_str).collect();
        let written = output(&mut other(&runs, &words));
        assert!(written.status.success(), "{words:?}: {written:?}");
        let mode = runs
            .work()
            .join(&name)
            .metadata()
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600, "{words:?}");
    }
}

/// Values of the program are in them, whoever made them.
#[test]
fn what_others_could_read_is_closed_to_them() {
    let runs = runs();
    let there = runs.file("there", "old");
    let state = runs.home.path().join("state/omp-debug");
    fs::create_dir_all(&state).unwrap();
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    for words in [
        &[&["run", "-o", "there"], RUN].concat(),
        &[&["-v", "--log-file", "there", "run"], RUN].concat(),
    ] {
        for (path, lax) in [(&there, 0o644), (&state, 0o755)] {
            fs::set_permissions(path, fs::Permissions::from_mode(lax)).unwrap();
        }
        let written = output(&mut other(&runs, words));
        assert!(written.status.success(), "{words:?}: {written:?}");
        assert_eq!((mode(&there), mode(&state)), (0o600, 0o700), "{words:?}");
    }
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

/// Places that are no files are written to as they are.
#[test]
fn devices_and_pipes_take_events() {
    let runs = runs();
    let ended = output(&mut other(
        &runs,
        &[&["run", "-o", "/dev/stdout"], RUN].concat(),
    ));
    assert!(ended.status.success(), "{ended:?}");
    let lines = String::from_utf8(ended.stdout).unwrap();
    assert!(
        lines.lines().last().unwrap().contains("session_end"),
        "{lines}"
    );
    let ended = output(&mut other(
        &runs,
        &[&["run", "-o", "/dev/null"], RUN].concat(),
    ));
    assert!(ended.status.success(), "{ended:?}");
    let fifo = runs.work().join("fifo");
    rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, rustix::fs::Mode::RWXU).unwrap();
    assert!(fifo.metadata().unwrap().file_type().is_fifo());
    let reading = std::thread::spawn(move || fs::read_to_string(fifo).unwrap());
    let ended = output(&mut other(&runs, &[&["run", "-o", "fifo"], RUN].concat()));
    assert!(ended.status.success(), "{ended:?}");
    assert!(reading.join().unwrap().contains("session_end"));
}

/// What a project's file cannot keep is told, at once and at the end, and no temporary file stays.
#[test]
fn breakpoints_that_cannot_be_kept_are_told() {
    let runs = runs();
    let state = runs.home.path().join("state/omp-debug");
    let set = ["repl", "--kept", "--batch", "--ex", "break program.fake:2"];
    let kept = output(&mut other(&runs, &[&set[..], &["program.fake"]].concat()));
    assert_eq!(stderr(&kept), "", "{kept:?}");
    let mut files = fs::read_dir(state.join("projects")).unwrap();
    let file = files.next().unwrap().unwrap().path();
    assert!(files.next().is_none());
    // A folder is in its place: nobody, not even root, can replace that by a file.
    fs::remove_file(&file).unwrap();
    fs::create_dir_all(file.join("in the way")).unwrap();
    let told = output(&mut other(&runs, &[&set[..], &["program.fake"]].concat()));
    let text = stderr(&told);
    assert!(
        text.contains("not kept") && text.contains(file.to_str().unwrap()),
        "{told:?}"
    );
    let names: Vec<_> = fs::read_dir(state.join("projects")).unwrap().collect();
    assert_eq!(names.len(), 1, "{names:?}");
}

/// Names in a folder that begin so.
fn named(folder: &Path, prefix: &str) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().into_string().unwrap());
    names.filter(|name| name.starts_with(prefix)).collect()
}

/// Sockets, notes and private folders of those that were killed go with the next start, and those of the living stay.
#[test]
fn what_the_killed_left_is_swept() {
    let runs = runs();
    let runtime = runs.home.path().join("runtime");
    fs::create_dir_all(&runtime).unwrap();
    // Named by the adapter's own argument, the socket and its folder are there as long as the session is.
    let log = runs.home.path().join("log");
    let listen = ["--listen=unix:${socket}", "--endless", "--log"];
    let options = [owned(&listen), vec![log.display().to_string()]].concat();
    runs.home.fake_adapters(&[("fake", "socket", options)]);
    let asked = |count| trace::arguments(&log, "configurationDone").len() == count;
    let start = |words: &[&str], until: &dyn Fn() -> bool| {
        let mut command = other(&runs, words);
        let child = command
            .env("XDG_RUNTIME_DIR", &runtime)
            .stdout(Stdio::null());
        let mut child = child.stderr(Stdio::null()).spawn().unwrap();
        let _watchdog = Watchdog::new(&format!("{words:?}"), LIMIT);
        while !until() {
            assert_eq!(child.try_wait().unwrap(), None, "{words:?}");
            std::thread::yield_now();
        }
        child
    };
    let sockets = runtime.join("omp-debug");
    let hosts = || {
        named(&sockets, "")
            .iter()
            .filter(|name| {
                Path::new(name).extension().is_some_and(|it| it == "sock") && !name.starts_with('.')
            })
            .count()
    };
    let mut killed = start(&["serve"], &|| hosts() == 1);
    let living = start(&["serve"], &|| hosts() == 2);
    let endless = ["run", "-a", "fake", "program.fake"];
    let mut debugging = start(&endless, &|| asked(1));
    let folder = named(&runtime, "omp-debug-");
    assert_eq!(folder.len(), 1, "{folder:?}");
    for child in [&mut killed, &mut debugging] {
        procs::signal(child.id(), Signal::KILL);
        child.wait().unwrap();
    }
    assert_eq!(hosts(), 2, "they cannot take theirs away");
    assert_eq!(named(&runtime, "omp-debug-"), folder);
    // Not a longer number that begins so.
    let of = |child: &Child| named(&sockets, &format!("{}.", child.id()));
    let next = start(&["serve"], &|| of(&killed).is_empty());
    let other_debugging = start(&endless, &|| asked(2));
    assert_eq!(named(&runtime, &folder[0]), Vec::<String>::new());
    assert_eq!(of(&living).len(), 2, "{:?}", named(&sockets, ""));
    for mut child in [living, next, other_debugging] {
        procs::signal(child.id(), Signal::TERM);
        child.wait().unwrap();
    }
    child_left_nothing(&runs);
    assert_eq!(named(&runtime, "omp-debug-"), Vec::<String>::new());
}
