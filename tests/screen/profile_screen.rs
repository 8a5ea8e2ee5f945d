//! Profiles on the screen: a file opened from the shell and from home, keys in, the screen read.

use crate::support;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use support::desk::Desk;

fn fixture(name: &str) -> PathBuf {
    support::root().join("tests/profiles").join(name)
}

fn wait_for_file(path: &Path) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !path.exists() {
        assert!(Instant::now() < deadline, "{} never came", path.display());
        std::thread::park_timeout(Duration::from_millis(10));
    }
}

/// A file from the shell: icicle, zoom, search, table, callers, and an export that is there.
#[test]
fn a_profile_is_looked_at_from_all_sides_and_taken_along() {
    let project = tempfile::tempdir().unwrap();
    let file = fixture("py-spy.folded");
    let desk = Desk::with(|builder| builder.cwd(project.path()).args(args!["profile", file]));
    let pty = &desk.pty;
    pty.wait_for("py-spy.folded 49 samples");
    pty.wait_for("all 100.0 %");
    // The heaviest call is below: <module>, hot, burn.
    pty.key("j").wait_for("<module>  hot.py");
    pty.key("j").wait_for("hot  hot.py:8");
    let screen = pty.wait_for("of its caller");
    assert!(screen.text().contains("total "), "{}", screen.text());
    pty.key("Enter").key("j").wait_for("burn  hot.py:");
    // With a key right behind it, Esc would be Alt.
    pty.key("Esc").wait_for("cold ");
    pty.key("k").key("l").wait_for("cold  hot.py:10");
    pty.key("h").wait_for("hot  hot.py:8");
    // Search: counted while it is typed, and gone to.
    pty.key("/").type_text("^cold$").wait_for("1 match, ");
    pty.key("Enter").wait_for("cold  hot.py:10");
    pty.key("Esc").wait_gone("1 match");
    // The other sides have the same function.
    pty.key("Tab").wait_for("cold  hot.py:10");
    pty.key("Tab").wait_for("Function");
    pty.wait_for("cold");
    pty.key("Tab").wait_for("Called by");
    pty.wait_for("Calls");
    pty.key("Tab").wait_for("all 100.0 %");
    // Out into a file.
    pty.key("x").wait_for("for go tool pprof");
    pty.type_text("speed").wait_gone("for go tool pprof");
    pty.key("Enter").wait_for("Write as speedscope to");
    pty.wait_for("py-spy.speedscope.json");
    pty.key("Enter").wait_for("Written to ");
    let written = project.path().join("py-spy.speedscope.json");
    let value: serde_json::Value = serde_json::from_slice(&fs::read(&written).unwrap()).unwrap();
    assert_eq!(value["profiles"][0]["endValue"], 49);
    // A second time it is asked.
    pty.key("x").wait_for("for go tool pprof");
    pty.type_text("speed").wait_gone("for go tool pprof");
    pty.key("Enter").wait_for("Write as speedscope to");
    pty.key("Enter").wait_for("is there already");
    pty.decline().wait_gone("is there already");
    desk.leave();
}

/// From home: the empty state, a file by its name, a wrong one, a comparison.
#[test]
fn home_leads_there_and_files_are_opened_and_compared() {
    let project = tempfile::tempdir().unwrap();
    fs::write(project.path().join("old.folded"), "m;a 10\nm;b 90\n").unwrap();
    fs::write(project.path().join("new.folded"), "m;a 50\nm;b 50\n").unwrap();
    fs::write(project.path().join("words.txt"), "just words\n").unwrap();
    let desk = Desk::with(|builder| builder.cwd(project.path()));
    let pty = &desk.pty;
    pty.wait_for("Performance");
    pty.key("p").wait_for("No profile is open");
    pty.key("f");
    desk.answer("Open the profile", "words.txt");
    pty.wait_for("it is text, but no profile");
    pty.key("f");
    desk.answer("Open the profile", "new.folded");
    pty.wait_for("new.folded 100 samples");
    pty.key("d");
    desk.answer("Compare with the profile", "old.folded");
    pty.wait_for("compared with old.folded");
    pty.key("Tab").key("Tab").wait_for("Change");
    pty.wait_for("+40.0");
    pty.wait_for("-40.0");
    pty.key("d").wait_gone("compared with");
    pty.key("Esc").wait_for("Take the tour");
    // What was done for that is work of our own.
    pty.key("w").wait_for("all 100.0 %");
    pty.wait_for("frame");
    desk.leave();
}

/// From a frame to its source in the debugger; a picture to the desktop.
#[test]
fn a_frame_leads_to_its_source_and_a_picture_to_the_desktop() {
    let project = tempfile::tempdir().unwrap();
    let (tools, told) = (project.path().join("tools"), project.path().join("opened"));
    let script = format!(
        "#!/bin/sh\nprintf %s \"$1\" > {0}.part\nmv {0}.part {0}\n",
        told.display()
    );
    support::tools::executable(&tools.join("xdg-open"), &script);
    let source: Vec<_> = (1..=20).map(|n| format!("line_{n} = {n}\n")).collect();
    fs::create_dir_all(project.path().join("src")).unwrap();
    fs::write(project.path().join("src/app.py"), source.concat()).unwrap();
    fs::write(
        project.path().join("a.folded"),
        "main (/build/elsewhere/src/app.py:3);work (/build/elsewhere/src/app.py:12) 5\nmain;gone (/no/such.py:1) 1\n",
    )
    .unwrap();
    let desk = Desk::with(|builder| {
        builder
            .cwd(project.path())
            .env("TMPDIR", project.path())
            .env("PATH", format!("{}:/usr/bin:/bin", tools.display()))
            .args(args!["profile", "a.folded"])
    });
    let pty = &desk.pty;
    pty.wait_for("a.folded 6 samples");
    pty.key("j")
        .key("j")
        .wait_for("work  /build/elsewhere/src/app.py:12");
    pty.key("o").wait_for("Opening");
    wait_for_file(&told);
    let picture = PathBuf::from(fs::read_to_string(&told).unwrap());
    assert!(picture.starts_with(project.path()), "{}", picture.display());
    let svg = fs::read_to_string(&picture).unwrap();
    assert!(svg.contains("<svg") && svg.contains("work (/build/elsewhere/src/app.py:12)"));
    pty.key("s").wait_for("line_12 = 12");
    let screen = pty.wait_for("app.py");
    assert!(screen.text().contains("12:1 of 20"), "{}", screen.text());
    // A breakpoint there waits for a program.
    pty.key("F9").wait_for("app.py:12");
    pty.key("Esc").wait_for("a.folded 6 samples");
    desk.leave();
}

/// The debuggee is profiled while it runs; from its hottest function to the source, a breakpoint there, and a stop.
#[test]
fn the_debuggee_is_profiled_and_stopped_where_it_is_hot() {
    require!(lldb);
    let program = support::tools::hot_c_program();
    let desk = Desk::open(args![
        "--adapter",
        "lldb-dap",
        "--no-stop-on-entry",
        program,
        "--",
        "600"
    ]);
    let pty = &desk.pty;
    desk.wait_header("running");
    pty.key(":").wait_for("type some letters");
    pty.type_text("app.performance")
        .wait_for("performance  app.performance");
    pty.key("Enter");
    pty.wait_for("No profile is open");
    pty.key("T").wait_for("which is debugged");
    pty.key("Enter");
    pty.wait_for("end it, and look");
    pty.wait_for("seventy ");
    pty.key("Enter").wait_for("zoom");
    // On a busy machine there are few samples, and another function may lead.
    pty.key("Tab").key("Tab").wait_for("Function");
    pty.key("/").type_text("seventy").key("Enter");
    pty.wait_for("│ seventy  ");
    // The next report takes it along, as text and as the table of what weighs most.
    pty.key(":").wait_for("type some letters");
    pty.type_text("app.report").wait_for("report  app.report");
    pty.key("Enter").wait_for("profile.folded");
    // The report also looks why the program hangs, which stops it for a moment and moves the source pane: what follows waits for that.
    pty.wait_for("hang.txt");
    pty.wait_for("no secrets found");
    pty.click_on("profile.md").key("Enter");
    pty.wait_for("CPU Profile");
    pty.wait_for("| `seventy` |");
    pty.key("Esc").wait_gone("CPU Profile");
    pty.key("Esc").wait_for("│ seventy  ");
    pty.key("s");
    pty.wait_for("hot.c");
    desk.wait_header("running");
    pty.key("F9");
    desk.wait_header("stopped: breakpoint");
    desk.wait_header("in seventy");
    desk.leave_live("Enter");
}

/// Rate, time and clock are said in one line with the process, said back, and there again the next time.
#[test]
fn what_is_taken_is_said_in_one_line_and_remembered() {
    let desk = Desk::with(|builder| builder.size(80, 24));
    let pty = &desk.pty;
    pty.wait_for("Performance");
    pty.key("p").wait_for("No profile is open");
    pty.key("T").wait_for("Nothing is debugged");
    pty.type_text("self 5000 Hz");
    pty.key("Enter").wait_for("is no rate: 1 Hz to 1000 Hz");
    pty.key("C-u").type_text("self wall 1 s 50 Hz");
    pty.wait_for("omp-debug itself · 50 Hz · 1 s · wall");
    // It ends by itself.
    pty.key("Enter").wait_for("end it, and look");
    pty.wait_gone("end it, and look");
    pty.wait_for("[waiting]");
    pty.key("T").wait_for("50 Hz 1 s wall");
    pty.wait_for("Nothing is debugged");
    pty.type_text("self")
        .wait_for("omp-debug itself · 50 Hz · 1 s · wall");
    pty.key("Enter").wait_for("zoom");
    desk.leave();
}

/// Where a session's time went: phases and the adapter's answers, so far.
#[test]
fn where_a_sessions_time_went_is_shown() {
    require!(debugpy);
    let program = support::tools::python_program();
    let desk = Desk::open(args!["--adapter", "debugpy", program]);
    let pty = &desk.pty;
    desk.wait_header("stopped: entry");
    pty.key("A-w").wait_for("Where the time went");
    pty.wait_for("together");
    let screen = pty.wait_for("configurationDone");
    for part in [
        "starting ",
        "the program running ",
        "Answers of the adapter",
    ] {
        assert!(screen.contains(part), "{part:?}:\n{}", screen.text());
    }
    pty.key("Esc").wait_gone("Where the time went");
    // A step is one more answer.
    pty.key("F10");
    desk.wait_header("stopped: stepped");
    pty.key("A-w").wait_for("Where the time went");
    pty.wait_for("next ");
    pty.key("Esc").wait_gone("Where the time went");
    desk.leave_live("Enter");
}

/// A program at a breakpoint does nothing, which is said on top of its profile; what is cut there is read in a popup. Threads of the
/// debugger inside of it are left out until somebody wants them.
#[test]
fn a_program_that_its_debugger_stopped_is_said_to_stand() {
    require!(debugpy);
    require!(py_spy);
    let program = support::tools::python_program();
    let desk = Desk::with(|builder| {
        builder
            .size(80, 24)
            .args(args!["--adapter", "debugpy", program])
    });
    let pty = &desk.pty;
    desk.wait_header("stopped: entry");
    pty.key("H").wait_for("Take the tour");
    pty.key("p").wait_for("No profile is open");
    pty.key("T").wait_for("which is debugged");
    pty.type_text("1 s cat").wait_for("\"cat\" is no process");
    pty.key("Enter").wait_for("say: its number");
    for _ in 0.."cat".len() {
        pty.key("Backspace");
    }
    pty.type_text("wall").wait_for("1 s · wall");
    pty.key("Enter").wait_for("stopped by its debugger");
    pty.wait_for("was stopped by its debugger for ");
    pty.wait_for("left out (b)");
    pty.key("b").wait_for("shown (b)");
    pty.key("a").wait_for("About the profile");
    pty.wait_for("the profile again");
    pty.key("Esc").wait_gone("About the profile");
    desk.leave_live("Enter");
}

/// omp-debug looks at itself: what its own threads wait for, until Enter.
#[test]
fn our_own_process_is_profiled_on_the_screen() {
    let desk = Desk::open(args!["profile", "--self", "--wall"]);
    let pty = &desk.pty;
    let title = format!("omp-debug ({})", pty.pid());
    pty.wait_for(&title);
    pty.wait_for("[waiting]");
    pty.key("Enter").wait_for("zoom");
    let screen = pty.wait_for(" threads");
    assert!(screen.contains(&title), "{}", screen.text());
    desk.leave();
}
