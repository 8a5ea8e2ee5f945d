//! Corners of the protocol that only some adapters know, as a person meets them: keys in, the screen read; and at the prompt of
//! the line debugger. The scripted adapter knows what no installed one does.

use crate::support;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::desk::{Desk, FAREWELL, Home, pane};
use support::procs::{self, Mark};
use support::pty::Screen;
use support::tools;

/// What the scripted adapter runs.
const PROGRAM: &str = "one()\ntwo()\nthree()\n  four()\nfive()\nsix()\nseven()\neight()\n";

/// A home that knows the scripted adapter under the name `fake`, and a program for it.
fn home_with(options: &[&str]) -> (Home, PathBuf) {
    let home = Home::new();
    let folder = home.path().join("config/omp-debug");
    std::fs::create_dir_all(&folder).unwrap();
    let adapter = json!({"command": tools::fake_adapter(), "args": options, "connectMode": "stdio",
        "fileTypes": [".fake"]});
    let known = json!({"adapters": {"fake": adapter}});
    std::fs::write(folder.join("dap.json"), known.to_string()).unwrap();
    let program = home.path().join("work/program.fake");
    std::fs::create_dir_all(program.parent().unwrap()).unwrap();
    std::fs::write(&program, PROGRAM).unwrap();
    (home, program)
}

/// The screen, stopped at the program's first line.
fn at_first_line(options: &[&str]) -> (Desk, PathBuf) {
    let (home, program) = home_with(options);
    let words = args![
        "--adapter",
        "fake",
        "--eval-timeout",
        "600",
        "--stop-on-entry",
        program
    ];
    let desk = Desk::at(home, |builder| builder.args(words));
    desk.wait_at("program.fake", 1);
    desk.pty.wait_for("one()");
    (desk, program)
}

/// What the line debugger prints of a script.
fn script(home: &Home, arguments: &[std::ffi::OsString], lines: &[&str]) -> String {
    let mark = Mark::new();
    let mut command = Command::new(tools::omp_debug());
    command.arg("repl").arg("--batch");
    for line in lines {
        command.args(["--ex", line]);
    }
    if let Some(path) = tools::js_debug() {
        command.env("JS_DEBUG_DAP_SERVER", path);
    }
    command
        .args(arguments)
        .envs(home.variables(&mark))
        .stdin(Stdio::null());
    let output = procs::output(&mut command, Duration::from_mins(2));
    mark.assert_none_left(FAREWELL);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    text(&output.stdout) + &text(&output.stderr)
}

/// Where the source's cursor is, as the pane's title says: `4:3`.
fn cursor(screen: &Screen) -> String {
    let title = screen.row(1);
    let place = title.split("─ ").find(|part| part.contains(" of "));
    let place = place.unwrap_or_default().split(" of ").next();
    let words = place.unwrap_or_default().split_whitespace();
    words.last().unwrap_or_default().to_owned()
}

#[test]
fn one_goes_to_where_a_value_or_its_variable_is_declared() {
    let (desk, _) = at_first_line(&["--endless", "--locations"]);
    let pty = &desk.pty;
    // Both are told: one chooses.
    desk.select_scope("order");
    pty.key("F12").wait_for("where its value is declared");
    pty.key("Enter");
    pty.wait_until("line 5, column 3", |s| cursor(s) == "5:3");
    desk.select_scope("order");
    pty.key("F12").wait_for("where the variable is declared");
    pty.key("Down").key("Enter");
    pty.wait_until("line 2, column 1", |s| cursor(s) == "2:1");
    // Of the first of them nothing is told, and that is said.
    desk.select_scope("i");
    pty.key("F12")
        .wait_for("The adapter does not tell where this is declared.");
    // Where a line of output was printed is asked for when one wants to know; its text may be the adapter's alone.
    pty.key("6").key("g").key("Enter");
    pty.wait_until("line 4", |s| cursor(s) == "4:1");
    desk.select_scope("order");
    pty.key("Right").wait_for("customer");
    pty.key("Down").key("Down").key("F12");
    pty.wait_until("text of the adapter's", |screen| {
        screen.row(1).contains("made up") && cursor(screen) == "8:2"
    });
    desk.leave_live("e");
}

/// What an adapter with two kinds of breakpoints says of them.
fn two_modes() -> String {
    json!({"supportsExceptionFilterOptions": true, "breakpointModes": [
        {"mode": "hardware", "label": "Hardware", "description": "uses debug registers",
            "appliesTo": ["source", "data", "exception"]},
        {"mode": "software", "label": "Software", "appliesTo": ["source"]},
    ]})
    .to_string()
}

/// Waits until the scripted adapter has heard such a request last with this at a place of its arguments; the log is a file, so nothing
/// else tells.
fn wait_heard(log: &Path, command: &str, place: &str, wanted: &Value) {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let text = std::fs::read_to_string(log).unwrap();
        let frames = text
            .lines()
            .rev()
            .filter_map(|line| serde_json::from_str(line).ok());
        let mut frames = frames.filter(|frame: &Value| frame["command"] == command);
        let last = frames.next().map(|frame| frame["arguments"].clone());
        if last.as_ref().and_then(|found| found.pointer(place)) == Some(wanted) {
            return;
        }
        assert!(Instant::now() < deadline, "{command}: {last:?}");
        std::thread::yield_now();
    }
}

#[test]
fn a_mode_is_kept_with_the_project() {
    let modes = two_modes();
    let (home, program) = home_with(&["--endless", "--capabilities", &modes]);
    let words = args!["--kept", "--adapter", "fake", program];
    let told = script(
        &home,
        &words,
        &[
            "start",
            "break 3 mode hw",
            "break 4 mode sw if i > 3",
            "break 5 mode fast",
        ],
    );
    for line in [
        "Breakpoint 1 at program.fake:3, mode hw\n",
        "Breakpoint 2 at program.fake:4 if i > 3, mode sw\n",
        "\"fast\" is no mode of this adapter's source breakpoints: it has hardware, software",
    ] {
        assert!(told.contains(line), "{line:?} is not in\n{told}");
    }
    let told = script(&home, &words, &["info breakpoints"]);
    assert!(told.contains("program.fake:3, mode hw"), "{told}");
}

#[test]
fn a_breakpoint_that_was_never_placed_is_explained() {
    let (home, program) = home_with(&["--loops", "1"]);
    let other = program.with_file_name("other.fake");
    std::fs::write(&other, "one()\n\nthree()\n").unwrap();
    let at = format!("{}:2", other.display());
    let words = args!["--adapter", "fake", "--stop-on-entry", "-b", at, program];
    let desk = Desk::at(home, |builder| builder.size(240, 50).args(words));
    let pty = &desk.pty;
    desk.wait_at("program.fake", 1);
    let reason = "line 2 is empty: the next line with code is 3";
    pty.key("5").wait_for("other.fake:2");
    pty.key("r").wait_for("Why it is not in place");
    pty.wait_for(reason);
    pty.key("Esc").wait_gone("Why it is not in place");
    // What is in place has nothing to explain.
    desk.break_at("program.fake", 8);
    pty.key("5").key("g").key("r");
    pty.wait_for("It is in place.");
    pty.key("F5");
    desk.wait_at("program.fake", 8);
    pty.key("F5");
    desk.wait_header("ended");
    pty.wait_for("The breakpoint other.fake:2 was never in place: line 2 is empty");
    pty.wait_until("the reason in its row", |screen| {
        let rows = pane(screen, "Breakpoints");
        rows.iter()
            .any(|row| row.contains("other.fake:2") && row.contains("never in place"))
    });
    desk.leave();
}

#[test]
fn the_prompt_explains_what_is_not_in_place() {
    let (home, program) = home_with(&["--loops", "1"]);
    let other = program.with_file_name("other.fake");
    std::fs::write(&other, "one()\n\nthree()\n").unwrap();
    let place = format!("break {}:2", other.display());
    let words = args!["--adapter", "fake", program];
    let told = script(
        &home,
        &words,
        &["start", &place, "continue", "info breakpoints"],
    );
    let reason = "line 2 is empty: the next line with code is 3";
    for line in [
        format!("Breakpoint 1 at other.fake:2 (not in place: {reason})"),
        format!("The breakpoint other.fake:2 was never in place: {reason}."),
        format!("Breakpoint 1 at other.fake:2 (never in place: {reason})"),
    ] {
        assert!(told.contains(&line), "{line:?} is not in\n{told}");
    }
}

/// GDB cannot keep what `aesenc` does; the processor must know it, and so it is one that every x86-64 has had for long. A line that
/// begins with it, and one that comes to it in a call.
const UNKEPT: [&str; 2] = [
    "\
int main(void) {
    int total = 1;
    total += 1;
    __asm__ volatile(\"aesenc %%xmm0, %%xmm1\" : : : \"xmm1\");
    return total - 2;
}
",
    "\
static int work(void);
int main(void) { int total = 1;
    total += 1;
    total += work();
    return total - 5;
}
static int work(void) {
    __asm__ volatile(\"aesenc %%xmm0, %%xmm1\" : : : \"xmm1\");
    return 3;
}
",
];

/// Keeps what a program does from its second line on, and stands at the line that cannot be kept.
fn before_what_cannot_be_kept(folder: &Path, text: &str) -> Desk {
    let (source, program) = (folder.join("keep.c"), folder.join("keep"));
    std::fs::write(&source, text).unwrap();
    let built = Command::new("cc")
        .args(["-g", "-O0", "-o"])
        .args([&program, &source])
        .status();
    assert!(built.unwrap().success());
    let at = format!("{}:2", source.display());
    let desk = Desk::open(args!["--adapter", "gdb", "-b", at, program]);
    desk.wait_at("keep.c", 2);
    desk.pty
        .key("C-r")
        .wait_for("What the program does from here on is kept");
    for line in [3, 4] {
        desk.pty.key("F10");
        desk.wait_at("keep.c", line);
    }
    desk
}

#[cfg(target_arch = "x86_64")]
#[test]
fn what_cannot_be_kept_is_said_and_one_does_not_get_stuck_there() {
    require!(gdb);
    let folder = tempfile::tempdir().unwrap();
    let desk = before_what_cannot_be_kept(folder.path(), UNKEPT[1]);
    let pty = &desk.pty;
    pty.key("F10")
        .wait_for("the debugger cannot keep what the next instruction does");
    desk.wait_at("keep.c", 8);
    pty.key("F10")
        .wait_for("stopped: error: Process record: failed");
    desk.wait_at("keep.c", 8);
    pty.key("C-r")
        .wait_for("What the program does is not kept any more.");
    pty.wait_gone("kept to go back");
    pty.key("F10");
    desk.wait_at("keep.c", 9);
    desk.leave_live("e");
}

/// The line begins with what cannot be kept: GDB's own adapter tells of no stop then, and answers nothing more.
#[cfg(target_arch = "x86_64")]
#[test]
fn a_step_that_cannot_be_begun_is_told_of() {
    require!(gdb);
    let folder = tempfile::tempdir().unwrap();
    let desk = before_what_cannot_be_kept(folder.path(), UNKEPT[0]);
    desk.pty
        .key("F10")
        .wait_for("the debugger cannot keep what the next instruction does");
    desk.wait_header("stopped: error: Process record: failed");
    desk.leave_live("e");
}

#[test]
fn a_request_that_is_not_answered_shows_its_age_and_is_given_up() {
    let can = json!({"supportsCancelRequest": true}).to_string();
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let words = [
        "--endless",
        "--capabilities",
        &can,
        "--log",
        log.to_str().unwrap(),
    ];
    let (desk, _) = at_first_line(&words);
    let pty = &desk.pty;
    pty.key("7").type_text("sleep 60000").key("Enter");
    desk.wait_header("evaluate: no answer for 3 s");
    // The age grows without a key.
    desk.wait_header("evaluate: no answer for 5 s");
    pty.key("Esc").wait_gone("Esc leave");
    pty.key("M-p").wait_for("Work of the adapter");
    pty.wait_for("Enter gives it up");
    pty.wait_for("evaluate  no answer for");
    pty.key("Enter").wait_gone("Work of the adapter");
    pty.wait_gone("no answer for");
    wait_heard(&log, "cancel", "/requestId", &last_asked(&log, "evaluate"));
    desk.leave_live("e");
}

/// The number of the last such request that the scripted adapter has heard.
fn last_asked(log: &Path, command: &str) -> Value {
    let text = std::fs::read_to_string(log).unwrap();
    let frames = text.lines().rev();
    let mut frames = frames.filter_map(|line| serde_json::from_str::<Value>(line).ok());
    frames.find(|frame| frame["command"] == command).unwrap()["seq"].clone()
}

#[test]
fn the_protocol_has_the_age_of_what_is_not_answered_in_place_of_a_time() {
    let cannot = json!({"supportsCancelRequest": false}).to_string();
    let (desk, _) = at_first_line(&["--endless", "--capabilities", &cannot]);
    let pty = &desk.pty;
    pty.key("7").type_text("sleep 60000").key("Enter");
    desk.wait_header("evaluate: no answer for 3 s");
    pty.key("Esc").wait_gone("Esc leave");
    pty.key("V");
    let has_age = |screen: &Screen| {
        let rows = pane(screen, "Protocol");
        rows.iter()
            .any(|row| row.contains("-> ") && row.contains("evaluate") && row.contains(" s…"))
    };
    pty.wait_until("the age of the request", has_age);
    // It cannot be given up, and that is said.
    pty.key("M-p").wait_for("Work of the adapter");
    pty.key("Enter").wait_for("It can only be looked at.");
    pty.key("Esc").wait_gone("Work of the adapter");
    desk.leave_live("e");
}

#[test]
fn the_prompt_lists_what_is_not_answered_and_gives_it_up() {
    let can = json!({"supportsCancelRequest": true}).to_string();
    let (home, program) = home_with(&["--slow", "modules=60000", "--capabilities", &can]);
    let words = args!["--adapter", "fake", program];
    let told = script(
        &home,
        &words,
        &["start", "info requests", "cancel", "cancel 99"],
    );
    for line in [
        "No request waits long for its answer.",
        "there is no such work that can be given up: info progress and info requests list it",
    ] {
        assert!(told.contains(line), "{line:?} is not in\n{told}");
    }
}

#[test]
fn a_breakpoint_that_was_moved_is_told_of_and_explained() {
    let (home, program) = home_with(&["--endless", "--breakpoints", "moved"]);
    let words = args!["--adapter", "fake", "--stop-on-entry", program];
    let desk = Desk::at(home.clone(), |builder| builder.args(words));
    let pty = &desk.pty;
    desk.wait_at("program.fake", 1);
    pty.wait_for("three()");
    desk.go_to_line(3);
    pty.key("F9")
        .wait_for("program.fake:3 has no code: its breakpoint is at line 4.");
    pty.key("5").key("g").key("r");
    pty.wait_for("Why it is at another line");
    pty.wait_for("asked for line 3, the next code is at line 4");
    pty.key("Esc").wait_gone("Why it is at another line");
    desk.leave_live("e");
    // Set before there is a program, the prompt tells it when it is known.
    let place = format!("break {}:5", program.display());
    let words = args!["--adapter", "fake", &program];
    let told = script(&home, &words, &[&place, "start", "break 7"]);
    assert!(
        told.contains("program.fake:5 has no code: its breakpoint is at line 6."),
        "{told}"
    );
    assert!(
        told.contains("program.fake:7, moved to line 8")
            && !told.contains("program.fake:7 was moved"),
        "{told}"
    );
}

#[test]
fn a_line_of_c_without_code_is_said_to_have_none() {
    require!(gdb);
    let folder = tempfile::tempdir().unwrap();
    let (source, program) = (folder.path().join("late.c"), folder.path().join("late"));
    let text = "int main(void) {\n    return 0;\n}\n#define MORE 1\nextern int more;\n";
    std::fs::write(&source, text).unwrap();
    let built = Command::new("cc")
        .args(["-g", "-O0", "-o"])
        .args([&program, &source])
        .status();
    assert!(built.unwrap().success());
    let place = format!("break {}:5", source.display());
    let told = script(
        &Home::new(),
        &args!["--adapter", "gdb", program],
        &["start", &place, "info breakpoints"],
    );
    assert!(
        told.contains("late has no code of line 5 of late.c"),
        "{told}"
    );
    assert!(!told.contains("loads that code"), "{told}");
}

#[test]
fn a_line_of_output_leads_to_a_text_that_only_the_adapter_has() {
    let place =
        json!({"source": {"name": "made up", "sourceReference": 9}, "line": 6, "column": 2});
    let (desk, _) = at_first_line(&["--endless", "--output-body", &place.to_string()]);
    desk.pty.key("6").key("g").key("Enter");
    desk.pty.wait_until("text of the adapter's", |screen| {
        screen.row(1).contains("made up") && cursor(screen) == "6:2"
    });
    desk.leave_live("e");
}
