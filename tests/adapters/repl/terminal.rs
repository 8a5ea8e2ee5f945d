//! At a terminal: prompt, history, completion, Ctrl-C, Ctrl-D, what the program reads.

use std::ffi::OsString;

use rustix::process::Signal;

use crate::support::desk::{Desk, FAREWELL, Home, count_in};
use crate::support::procs::Mark;
use crate::support::pty::Pty;
use crate::support::{line_of, program_source, tools};

/// Waits until the editor reads: a control key that comes while the line discipline still does is the kernel's, and is lost.
fn ready(pty: &Pty) -> &Pty {
    pty.wait_until("a prompt", |screen| {
        let last = (0..50)
            .rev()
            .map(|row| screen.row(row))
            .find(|row| !row.trim().is_empty());
        let ends = [">", "(running)", "(stopped)", "(y or n)"];
        last.is_some_and(|row| ends.iter().any(|end| row.trim_end().ends_with(end)))
    });
    pty
}

/// Types a command at a prompt.
fn say(pty: &Pty, command: &str) {
    ready(pty).type_text(command).key("Enter");
}

fn open(home: &Home, mark: &Mark, arguments: &[OsString]) -> Pty {
    let pty = home.builder(mark).args(["repl"]).args(arguments).spawn();
    pty.wait_for("omp-debug> ");
    pty
}

#[test]
fn a_person_debugs_python_and_finds_everything_again() {
    require!(debugpy);
    let source = program_source("inventory.py");
    let (call, summed) = (line_of(&source, "loop-call"), line_of(&source, "loop"));
    let (home, mark) = (Home::new(), Mark::new());
    let mut pty = open(&home, &mark, &args![source]);

    say(&pty, &format!("b {call}"));
    pty.wait_for(&format!(
        "Breakpoint 1 at inventory.py:{call} (waits for the program)"
    ));
    say(&pty, "r");
    pty.wait_for(&format!("Breakpoint 1 hit, total_of (inventory.py:{call})"));
    let prompt = |line: u32| format!("inventory.py:{line} total_of> ");
    pty.wait_for(&prompt(call));
    say(&pty, "bt");
    pty.wait_for("-> #0   total_of");
    pty.wait_for("   #1   stock");
    say(&pty, "watch total");
    pty.wait_for("Watch 1: total = 0");

    // A step, and the same again with an empty line.
    say(&pty, "n");
    pty.wait_for(&prompt(summed));
    ready(&pty).key("Enter");
    pty.wait_for("total = 20  (was 0)");

    // What the adapter knows of names is put in by Tab.
    ready(&pty)
        .type_text("p tota")
        .key("Tab")
        .wait_for("> p total");
    pty.key("Enter");
    pty.wait_until("the value", |screen| {
        (0..50).any(|row| screen.row(row).trim_end() == "total = 20")
    });
    say(&pty, "contineu");
    pty.wait_for("did you mean continue?");
    // Ctrl-C throws a line away.
    ready(&pty).type_text("p never").wait_for("> p never");
    pty.key("C-c");
    assert!(
        ready(&pty).screen().contains("p never"),
        "the line stays in sight"
    );
    say(&pty, "info session");
    pty.wait_for("stopped, launched with debugpy");

    ready(&pty).key("C-d").wait_for("End it and quit? (y or n)");
    say(&pty, "n");
    pty.wait_until("a prompt again", |screen| {
        (0..50).any(|row| screen.row(row).contains("(y or n) n"))
    });
    ready(&pty)
        .key("C-d")
        .wait_until("the question again", |screen| {
            (0..50)
                .filter(|row| screen.row(*row).contains("(y or n)"))
                .count()
                == 2
        });
    say(&pty, "y");
    pty.expect_exit(0);
    mark.assert_none_left(FAREWELL);

    // The project remembers; nothing lives, so nobody asks.
    let mut pty = open(&home, &mark, &args![source]);
    pty.wait_for("1 breakpoint(s) are set");
    say(&pty, "i b");
    pty.wait_for(&format!("Breakpoint 1 at inventory.py:{call}"));
    ready(&pty).key("Up").wait_for("> i b");
    pty.key("Up").wait_for("> info session");
    pty.key("C-c");
    say(&pty, "info watch");
    pty.wait_for("Watch 1: total");
    ready(&pty).key("C-d");
    pty.expect_exit(0);
    assert!(!pty.screen().contains("End it"), "nothing lived");
}

#[test]
fn the_screen_sees_what_was_set_here() {
    require!(debugpy);
    let source = program_source("inventory.py");
    let call = line_of(&source, "loop-call");
    let (home, mark) = (Home::new(), Mark::new());
    let mut pty = open(&home, &mark, &args![source]);
    say(&pty, &format!("b {call} if total > 100"));
    pty.wait_for("Breakpoint 1 at");
    ready(&pty).key("C-d");
    pty.expect_exit(0);

    let mut pty = home.builder(&mark).args(args![source]).spawn();
    pty.wait_until("the screen's breakpoint", |screen| {
        screen.contains(&format!("inventory.py:{call}")) && screen.contains("total > 100")
    });
    pty.wait_for("ended: exit code 0");
    pty.key("q");
    pty.expect_exit(0);
    mark.assert_none_left(FAREWELL);
}

#[test]
fn ctrl_c_pauses_a_loop_in_front_and_behind_the_prompt() {
    require!(debugpy);
    let source = program_source("inventory.py");
    let (home, mark) = (Home::new(), Mark::new());
    let file = home.path().join("number");
    let mut pty = open(&home, &mark, &args![source, "--", "count", file]);
    say(&pty, "run");
    counts_past(&pty, &file, 2);
    pty.key("C-c");
    pty.wait_for("Paused, ");
    pty.wait_until("the prompt", |s| s.contains(" count> "));
    say(&pty, "c &");
    pty.wait_for("(running) ");
    counts_past(&pty, &file, count_in(&file) + 1);
    say(&pty, "p number");
    pty.wait_for("The program is running.");
    // A breakpoint that is hit while a line is being typed: it is told above, and the line stays.
    let line = line_of(&source, "count");
    ready(&pty).type_text("p num");
    pty.wait_until("the line", |screen| {
        (0..50).any(|row| screen.row(row).trim_end() == "(running) p num")
    });
    pty.key("C-c");
    pty.wait_until("a second pause", |screen| {
        (0..50)
            .filter(|row| screen.row(*row).contains("Paused, "))
            .count()
            == 2
    });
    say(&pty, &format!("tb {line}"));
    pty.wait_for("Temporary breakpoint 1 at");
    say(&pty, "c");
    pty.wait_for("Temporary breakpoint 1 hit");
    say(&pty, "i b");
    pty.wait_for("No breakpoints.");
    say(&pty, "c");
    counts_past(&pty, &file, count_in(&file) + 1);
    pty.signal(Signal::TERM);
    pty.expect_exit(143);
    mark.assert_none_left(FAREWELL);
}

/// Waits until the program has counted past `number`.
fn counts_past(pty: &Pty, file: &std::path::Path, number: u64) {
    crate::support::desk::wait_more(pty.pid(), file, number);
}

#[test]
fn what_stops_behind_the_prompt_is_told_above_what_is_typed() {
    require!(debugpy);
    let (home, mark) = (Home::new(), Mark::new());
    let gate = home.path().join("gate");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &gate,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    let program = home.path().join("waits.py");
    std::fs::write(
        &program,
        "import sys\nopen(sys.argv[1]).read()\nprint('through')\nend = 1\n",
    )
    .unwrap();
    let mut pty = open(
        &home,
        &mark,
        &args![
            program,
            "-b",
            format!("{}:4", program.display()),
            "--",
            gate
        ],
    );
    say(&pty, "r &");
    pty.wait_for("(running) ");
    pty.type_text("p end").wait_for("(running) p end");
    std::fs::write(&gate, "go").unwrap();
    // Told above, with the program's output; the prompt says it, and what was typed is still there.
    let screen = pty.wait_for("(stopped) p end");
    assert!(screen.contains("through"), "{}", screen.text());
    assert!(screen.contains("Breakpoint 1 hit"), "{}", screen.text());
    pty.key("Enter");
    pty.wait_for("NameError");
    say(&pty, "q");
    pty.wait_for("(y or n)");
    say(&pty, "y");
    pty.expect_exit(0);
    mark.assert_none_left(FAREWELL);
}

#[test]
fn a_program_that_runs_in_front_reads_what_is_typed() {
    require!(debugpy);
    let (home, mark) = (Home::new(), Mark::new());
    let program = home.path().join("asks.py");
    let text =
        "name = input('name? ')\nprint(f'hello {name}')\nmore = input()\nprint(f'and {more}')\n";
    std::fs::write(&program, text).unwrap();
    let mut pty = open(
        &home,
        &mark,
        &args![program, "-b", format!("{}:3", program.display())],
    );
    say(&pty, "r");
    // Its question has no line end, and is there nevertheless.
    pty.wait_for("name? ");
    pty.type_text("Ada").key("Enter");
    let screen = pty.wait_for("Breakpoint 1 hit");
    assert!(screen.contains("hello Ada"), "{}", screen.text());
    assert_eq!(
        (0..50)
            .filter(|row| screen.row(*row).trim() == "Ada")
            .count(),
        0,
        "the echo is not shown twice: {}",
        screen.text()
    );
    say(&pty, "stdin Bob");
    say(&pty, "c");
    pty.wait_for("and Bob");
    pty.wait_for("exited with code 0]");
    ready(&pty).key("C-d");
    pty.expect_exit(0);
    mark.assert_none_left(FAREWELL);
}

#[test]
fn the_end_of_input_is_given_to_the_program_and_what_is_typed_after_it() {
    require!(debugpy);
    let (home, mark) = (Home::new(), Mark::new());
    let text = "import sys\nprint('it reads now')\nwhile line := sys.stdin.readline():\n    print('got', line.strip())\nprint('end seen')\nprint('and', sys.stdin.readline() + '.')\n";
    let program = home.path().join("reads.py");
    std::fs::write(&program, text).unwrap();
    let mut pty = open(&home, &mark, &args![program]);
    say(&pty, "r");
    pty.wait_for("it reads now");
    pty.type_text("one").key("Enter");
    pty.wait_for("got one");
    pty.key("C-d");
    pty.wait_for("end seen");
    // Within a line it hands over what was typed of it.
    pty.type_text("three").keys(&["C-d", "C-d"]);
    pty.wait_for("and three.");
    pty.wait_for("exited with code 0]");
    ready(&pty).key("C-d");
    pty.expect_exit(0);
    mark.assert_none_left(FAREWELL);
}

#[test]
fn no_colours_where_none_are_wanted() {
    let program = tools::python_program();
    let (home, mark) = (Home::new(), Mark::new());
    for (variable, options) in [(Some("1"), vec![]), (None, vec!["--color", "never"])] {
        let mut builder = home
            .builder(&mark)
            .args(["repl"])
            .args(args![program])
            .args(options);
        if let Some(value) = variable {
            builder = builder.env("NO_COLOR", value);
        }
        let mut pty = builder.spawn();
        pty.wait_for("omp-debug> ");
        say(&pty, "frob");
        pty.wait_for("is no command");
        ready(&pty).key("C-d");
        pty.expect_exit(0);
        let raw = String::from_utf8_lossy(&pty.raw()).into_owned();
        for colour in ["\x1b[1;31m", "\x1b[1;34m", "\x1b[2m"] {
            assert!(!raw.contains(colour), "{raw:?}");
        }
    }
    let desk = Desk::with(|builder| builder.args(["repl"]).args(args![program]));
    desk.pty.wait_for("omp-debug> ");
    say(&desk.pty, "frob");
    desk.pty.wait_raw("a coloured error", |raw| {
        String::from_utf8_lossy(raw).contains("\x1b[1;31m")
    });
}
