//! Through a pipe: no prompt, no echo, every command waits for its effect, troubles with their line, exit codes.

use std::ffi::OsString;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};

use rustix::process::Signal;

use crate::support::desk::{Counter, FAREWELL, Home, free_port};
use crate::support::procs::{self, Mark, Watchdog};
use crate::support::{line_of, program_source, tools};

/// What a script came to.
struct Told {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Told {
    /// It went as it should, and nothing was complained of.
    fn assert_fine(&self) {
        assert_eq!(
            (self.code, self.err.as_str()),
            (Some(0), ""),
            "{}",
            self.out
        );
    }

    /// These pieces are in the output, in this order.
    fn assert_in_order(&self, pieces: &[&str]) {
        let mut rest = self.out.as_str();
        for piece in pieces {
            let Some((_, after)) = rest.split_once(piece) else {
                panic!(
                    "{piece:?} is missing, or not in its place:\n{}\n{}",
                    self.out, self.err
                );
            };
            rest = after;
        }
    }
}

fn start(home: &Home, mark: &Mark, arguments: &[OsString]) -> Child {
    let js_debug = tools::js_debug().map(|path| ("JS_DEBUG_DAP_SERVER", path));
    Command::new(tools::omp_debug())
        .envs(js_debug)
        .arg("repl")
        .args(arguments)
        .envs(home.variables(mark))
        .env_remove("OMP_DEBUG_PLAIN_ADAPTER")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn script_in(home: &Home, arguments: &[OsString], lines: &str) -> Told {
    let mark = Mark::new();
    let mut child = start(home, &mark, arguments);
    let _dog = Watchdog::of(&child, std::time::Duration::from_mins(2));
    // It may end before it has read everything.
    let _ = child.stdin.take().unwrap().write_all(lines.as_bytes());
    let output = child.wait_with_output().unwrap();
    mark.assert_none_left(FAREWELL);
    Told {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

fn script(arguments: &[OsString], lines: &str) -> Told {
    script_in(&Home::new(), arguments, lines)
}

#[test]
fn python_from_the_first_breakpoint_to_the_end() {
    require!(debugpy);
    let source = program_source("inventory.py");
    let line = |mark| line_of(&source, mark);
    let (call, summed, total) = (line("loop-call"), line("loop"), line("total"));
    let told = script(
        &args![source],
        &format!(
            "# two places
break {call} if item['name'] == 'screw'
condition 1 item['name'] == 'nut'
condition 9
b fn:price_of
info breakpoints
disable 2
run
bt
bt -1
up
locals
down
print item
p/x cost + 230
whatis item
p/2 item['supplier']
p/1 type('Half', (), {{'p': property(lambda self: 1 / 0)}})()
p/2 type('Half', (), {{'p': property(lambda self: 1 / 0)}})()
set var total = 1000
watch total
watch cost * 2
next
n
enable 2
continue
finish
tbreak {total}
delete 1 2
c
info breakpoints
list
until {total}
step
c
"
        ),
    );
    told.assert_in_order(&[
        &format!("Breakpoint 1 at inventory.py:{call} if item['name'] == 'screw'"),
        &format!("Breakpoint 1 at inventory.py:{call} if item['name'] == 'nut'"),
        "Breakpoint 2 at price_of()",
        "Breakpoint 2: off",
        &format!("Breakpoint 1 hit, total_of (inventory.py:{call})"),
        &format!("->{call:>5}          cost = price_of(item"),
        "-> #0   total_of",
        "   #1   stock",
        "   #2   main",
        "   #3   <module>",
        "   #3   <module>",
        "-> #1   stock",
        "supplier = Supplier(name='Ada & Söhne', address=Address(street='Hauptstraße 1', city='Köln'))",
        "-> #0   total_of",
        "item = {'name': 'nut'",
        "cost + 230 = 0xfa",
        "item: dict",
        "    city = 'Köln'",
        "  name = 'Ada & Söhne'",
        "  p = (...)",
        "    p = ZeroDivisionError: division by zero",
        "total = 1000",
        "Watch 1: total = 1000",
        "Watch 2: cost * 2 = 40",
        &format!("->{summed:>5}          total += cost"),
        "  cost * 2 = 50  (was 40)",
        "  total = 1025  (was 1000)",
        "Breakpoint 2 hit, price_of (inventory.py:",
        "total_of (inventory.py:",
        &format!("Temporary breakpoint 3 at inventory.py:{total}"),
        "Breakpoint 1, 2: removed",
        &format!("Temporary breakpoint 3 hit, total_of (inventory.py:{total})"),
        "No breakpoints.",
        &format!(" ->{total:>5}      return total"),
        "total 1145",
        "exited with code 0]",
    ]);
    // `until` on the line where it stands never comes back to it, and runs to the end; then nothing can be stepped.
    assert!(told.err.contains("line 34: "), "{}", told.err);
    assert!(
        told.err.contains("line 4: there is no breakpoint \"9\""),
        "{}",
        told.err
    );
    assert!(
        told.err.contains("run starts it again") || told.err.contains("has ended"),
        "{}",
        told.err
    );
    assert_eq!(told.code, Some(2), "{}", told.err);
    assert!(!told.out.contains('\x1b') && !told.err.contains('\x1b'));
}

#[test]
fn c_with_lldb_dap_down_to_its_instructions() {
    require!(lldb_dap);
    let source = program_source("prog.c");
    let line = |mark| line_of(&source, mark);
    let call = line("loop-call");
    let place = format!("{}:{call}", source.display());
    let told = script(
        &args!["--adapter", "lldb-dap", tools::c_program()],
        &format!(
            "b {place}
r
bt 2
up
p total
down
p *item
watchpoint item
watchpoint item->price
!watchpoint list
set var total = 5
p total
step
finish
disas
disas/2
info session
!register read rip
threads
delete
c
"
        ),
    );
    told.assert_in_order(&[
        "Breakpoint 1 hit, total_of (prog.c:",
        "-> #0   total_of",
        "   #1   stock",
        "-> #1   stock",
        "-> #0   total_of",
        "name = ",
        "bolt",
        "price = 2",
        "Watchpoint 2 at item",
        "Watchpoint 3 at item->price",
        "size = 4",
        "size = 8",
        "total = 5",
        "price_of (prog.c:",
        "total_of (prog.c:",
        "-> 0x",
        "-> 0x",
        "stopped, launched with lldb-dap, process ",
        "rip = 0x",
        "-> 1 ",
        "Breakpoint 1, 2, 3: removed",
        "total 170",
        "exited with code 0]",
    ]);
    // `total` is a variable of `stock` that has not begun: whatever it holds, it has a value.
    told.assert_fine();
}

#[test]
fn a_change_of_data_stops_the_program() {
    require!(lldb_dap);
    let source = program_source("prog.c");
    let place = format!("{}:{}", source.display(), line_of(&source, "loop-call"));
    let told = script(
        &args!["--adapter", "lldb-dap", tools::c_program()],
        &format!(
            "b {place}\nr\ndelete\np hits\nwatchpoint hits\nc\np hits\ndelete\nwatchpoint &hits\nc\np hits\ndelete\nc\n"
        ),
    );
    told.assert_in_order(&[
        "Breakpoint 1 hit, total_of (prog.c:",
        "Breakpoint 1: removed",
        "hits = 0",
        "Stops when hits is changed:",
        "Watchpoint 1 at hits",
        "Watchpoint 1 hit, total_of (prog.c:",
        "hits = 1",
        "Watchpoint 1 at &hits",
        "Watchpoint 1 hit, total_of (prog.c:",
        "hits = 2",
        "Breakpoint 1: removed",
        "total 165",
        "exited with code 0]",
    ]);
    told.assert_fine();
}

/// GDB's adapter would believe ever after that the program runs.
#[test]
fn a_breakpoint_that_cannot_be_inserted_is_told_and_taken_away() {
    require!(gdb);
    let told = script(
        &args!["-a", "gdb", tools::c_program()],
        "b main\nrun\nb *0x1\nc\nn\ndelete\nn\nc\n",
    );
    let why = "line 4: Command aborted. A breakpoint may be at an address";
    assert!(told.err.contains(why), "{}", told.err);
    told.assert_in_order(&[
        "Breakpoint 1 hit, main",
        "Breakpoint 2 at 0x1",
        "Stopped: error (Command aborted. A breakpoint may",
        "exited with code 0]",
    ]);
}

#[test]
fn a_pointer_with_gdb_opens_to_what_it_points_to() {
    require!(gdb);
    let told = script(
        &args!["--adapter", "gdb", tools::c_program()],
        "b price_of\nr\np item\np (struct item *)16\nkill\n",
    );
    told.assert_in_order(&[
        "item = 0x",
        "\n  name = \"bolt\"",
        "\n  price = 2",
        "= 0x10 <Cannot access memory at address 0x10>\n",
    ]);
    assert!(!told.out.contains("  value = "), "{}", told.out);
}

#[test]
fn a_condition_that_means_nothing_is_why_a_breakpoint_with_gdb_is_not_in_place() {
    require!(gdb);
    let source = program_source("prog.c");
    let line = line_of(&source, "loop-call");
    let told = script(
        &args!["--adapter", "gdb", tools::c_program()],
        &format!(
            "b price_of\nr\nb {}:{line} if nosuch > 1\ninfo breakpoints\nkill\n",
            source.display()
        ),
    );
    told.assert_in_order(&[
        "Breakpoint 1 at price_of",
        "(not in place: its condition could not be evaluated: No symbol",
    ]);
    assert!(!told.out.contains("has no code of line"), "{}", told.out);
}

#[test]
fn memory_with_gdb() {
    require!(gdb);
    let told = script(
        &args!["--adapter", "gdb", tools::c_program()],
        "b price_of\nr\nx/8xb item->name\nx/s item->name\nx/4dw &numbers[3]\nx\np/2 *item\nup\np total\nx/s missing\nkill\n",
    );
    told.assert_in_order(&[
        "Breakpoint 1 hit, price_of (prog.c:",
        ":  0x62  0x6f  0x6c  0x74  0x00",
        ":  \"bolt\"",
        ":  3  4  5  6",
        ":  7  8  9  10",
        "  price = 2",
        "    city = \"Arlington\"",
        "-> #1   total_of",
        "total = 0",
        "[prog-c: ",
    ]);
    assert!(told.err.starts_with("omp-debug: line 10: "), "{}", told.err);
    assert!(told.err.contains("missing"), "{}", told.err);
    assert_eq!(told.code, Some(2));
}

#[test]
fn go_with_dlv() {
    require!(dlv);
    let go = require!(go);
    let source = program_source("prog/main.go");
    let call = line_of(&source, "loop-call");
    let told = script(
        &args![tools::go_program(&go)],
        &format!(
            "b {}:{call}\nr\nbt 2\np total\nn\ndelete\nc\n",
            source.display()
        ),
    );
    told.assert_in_order(&[
        "Breakpoint 1 hit, main.totalOf (main.go:",
        "-> #0   main.totalOf",
        "total = 0",
        "->",
        "Breakpoint 1: removed",
        "total 165",
        "exited with code 0]",
    ]);
    told.assert_fine();
    // It stands where nothing recovers any more.
    let told = script(&args![tools::go_program(&go), "--", "uncaught"], "r\n");
    told.assert_in_order(&["no such shelf: 1", "main.uncaught"]);
    assert_eq!(told.code, Some(1), "{}", told.err);
}

/// A condition that means nothing there is told as that, and not as an error of the program's; functions are called; what was never in
/// place is said at the end, though nothing is asked any more.
#[test]
fn breakpoints_of_go_that_come_to_nothing_say_why() {
    require!(dlv);
    let go = require!(go);
    let source = program_source("prog/main.go");
    let (call, print) = (line_of(&source, "loop-call"), line_of(&source, "print"));
    let at = source.display();
    let told = script(
        &args![tools::go_program(&go)],
        &format!(
            "b {at}:{print} if total = 2\nb {at}:{call} if item.Nope == 1\nb nowhere\nr\np strconv.Itoa(total)\ndelete 2\nc\n"
        ),
    );
    told.assert_in_order(&[
        "Breakpoint 2 hit, main.totalOf (main.go:",
        "strconv.Itoa(total) = \"0\"",
        "exited with code 0]",
    ]);
    let all = format!("{}{}", told.out, told.err);
    for said in [
        "could not be evaluated: 1:7: expected '==', found '='",
        "could not be evaluated: item has no member Nope",
        "The breakpoint nowhere() was never in place: no function \"nowhere\" was loaded",
    ] {
        assert!(all.contains(said), "{said}: {all}");
    }
    assert!(!all.contains("layer=dap"), "{all}");
}

/// Delve assigns to what it is told of in the value that holds it, and to no expression.
#[test]
fn parts_of_go_values_are_set() {
    require!(dlv);
    require!(go);
    let source = program_source("values.go");
    let lines = format!(
        "b {}:{}\nr\nset list[1] = 8\nset pointer.Kids[0].Name = \"twig\"\nset root.Nix = 1\np list\np root.Kids[0].Name\np bytes[0]\nset array[0] = 300\nkill\n",
        source.display(),
        line_of(&source, "values")
    );
    let told = script(&args![source], &lines);
    told.assert_in_order(&[
        "list[1] = 8",
        "pointer.Kids[0].Name = \"twig\"",
        "[3, 8, 2]",
        "root.Kids[0].Name = \"twig\"",
        // A number without a sign is told twice.
        "bytes[0] = 104",
        // It has room for a byte, and Delve repeats what it was given.
        "300 has no room there: it is 44 now.",
        "array[0] = 44",
    ]);
    assert_eq!(told.err.lines().count(), 1, "{}", told.err);
}

#[test]
fn a_program_is_begun_again_and_given_other_arguments() {
    require!(debugpy);
    let source = program_source("inventory.py");
    let read = line_of(&source, "read");
    let told = script(
        &args![source, "--console", "pipe"],
        &format!(
            "start print 2\nrestart\nc\nrun exit 3\nb {read}\nrun read &\nstdin bolt\nwait\nbt 1\np line\nkill\nrun print 1\n"
        ),
    );
    told.assert_in_order(&[
        "Stopped at its first line",
        "Stopped at its first line",
        "line 0\nline 1\n",
        "exited with code 0]",
        "exited with code 3]",
        "Breakpoint 1 at inventory.py",
        "Breakpoint 1 hit, read",
        "line = 'bolt\\n'",
        "line 0\n",
        "exited with code 0]",
    ]);
    told.assert_fine();
}

/// Nobody asked for a stop, at the beginning of the second one either.
#[test]
fn programs_that_are_started_together_run_to_their_ends() {
    require!(debugpy);
    let home = Home::new();
    let folder = home.path().join("work");
    std::fs::create_dir_all(folder.join(".vscode")).unwrap();
    let programs = r#"{ "configurations": [
        { "name": "one", "type": "debugpy", "request": "launch", "program": "one.py" },
        { "name": "two", "type": "debugpy", "request": "launch", "program": "two.py" }
    ], "compounds": [{ "name": "both", "configurations": ["one", "two"] }] }"#;
    std::fs::write(folder.join(".vscode/launch.json"), programs).unwrap();
    for name in ["one.py", "two.py"] {
        std::fs::write(folder.join(name), "print('here')\n").unwrap();
    }
    let told = script_in(
        &home,
        &args!["--trust", "--cwd", folder, "--config", "both"],
        "run\n",
    );
    told.assert_fine();
    for name in ["one", "two"] {
        let ended = format!("[{name} exited with code 0]");
        assert!(told.out.contains(&ended), "{}", told.out);
    }
    assert!(!told.out.contains("Stopped"), "{}", told.out);
}

#[test]
fn the_exit_code_says_what_went_wrong() {
    require!(debugpy);
    let source = program_source("inventory.py");
    let port = free_port().to_string();
    let cases: &[(&[OsString], &str, i32, &str)] = &[
        (&args![source], "run print 1\n", 0, ""),
        (&args![source], "run exit 3\n", 1, ""),
        (&args![source], "run exit 3\nrun print 1\n", 0, ""),
        (
            &args![source],
            "\n# all fine\nfrobnicate\nrun exit 3\n",
            2,
            "line 3: \"frobnicate\" is no command",
        ),
        (
            &args![source],
            "break inventory.py:x\n",
            2,
            "line 1: \"x\" in",
        ),
        (&args![source], "step\n", 2, "line 1: "),
        (&args![source], "x/99999xb 0\n", 2, "\"99999\""),
        (
            &args!["--ex", "nonsense", "--batch", source],
            "",
            2,
            "--ex 1: \"nonsense\"",
        ),
        (&args!["-x", "no-such-file", source], "", 2, "no-such-file"),
        (&args!["--port", port], "", 4, "cannot connect"),
        (&args!["no-such-program"], "", 2, "no-such-program"),
    ];
    for (arguments, lines, code, said) in cases {
        let told = script(arguments, lines);
        assert_eq!(
            told.code,
            Some(*code),
            "{lines:?}: {}\n{}",
            told.out,
            told.err
        );
        assert!(told.err.contains(said), "{lines:?}: {}", told.err);
        if said.is_empty() {
            assert_eq!(told.err, "", "{lines:?}");
        }
    }
}

#[test]
fn commands_come_from_files_first() {
    require!(debugpy);
    let home = Home::new();
    let source = program_source("inventory.py");
    let inner = home.path().join("inner");
    std::fs::write(&inner, "run print 1\n").unwrap();
    let outer = home.path().join("outer");
    std::fs::write(
        &outer,
        format!("source {}\nnonsense\nrun print 2\n", inner.display()),
    )
    .unwrap();
    let told = script_in(
        &home,
        &args!["-x", outer, "--batch", source],
        "run exit 9\n",
    );
    told.assert_in_order(&[
        "line 0\n",
        "exited with code 0]",
        "line 0\nline 1\n",
        "exited with code 0]",
    ]);
    assert!(told.err.contains("outer:2: "), "{}", told.err);
    assert!(
        !told.out.contains("code 9"),
        "the pipe is not read: {}",
        told.out
    );
    assert_eq!(told.code, Some(2));
}

#[test]
fn breakpoints_are_there_in_the_next_run() {
    let home = Home::new();
    let source = program_source("inventory.py");
    let first = script_in(
        &home,
        &args!["--kept", source],
        "b 12\ntb 13\nb 14 if x\nwatch y\ndisable 1\n",
    );
    assert_eq!((first.code, first.err.as_str()), (Some(0), ""));
    let second = script_in(&home, &args!["--kept", source], "i b\ni watch\n");
    second.assert_in_order(&[
        "2 breakpoint(s) are set",
        "Breakpoint 1 at inventory.py:12 (off)",
        "Breakpoint 3 at inventory.py:14 if x",
        "Watch 1: y",
    ]);
    assert!(
        !second.out.contains(":13"),
        "a temporary one is not kept: {}",
        second.out
    );
    // A script says itself where it stops, and leaves what a person keeps as it is.
    let clean = script_in(&home, &args![source], "i b\nb 15\n");
    assert!(
        !clean.out.contains("Breakpoint 1 at inventory.py:12"),
        "{}",
        clean.out
    );
    assert!(!clean.out.contains("are set"), "{}", clean.out);
    let third = script_in(&home, &args!["--kept", source], "i b\n");
    third.assert_in_order(&["2 breakpoint(s) are set", "inventory.py:12 (off)"]);
    assert!(!third.out.contains(":15"), "{}", third.out);
}

#[test]
fn a_program_that_stands_at_its_death_has_failed() {
    require!(debugpy);
    let home = Home::new();
    let bad = home.path().join("bad.py");
    std::fs::write(
        &bad,
        "try:\n    int('a')\nexcept ValueError:\n    pass\nint('b')\n",
    )
    .unwrap();
    let told = script_in(&home, &args![bad], "run\n");
    told.assert_in_order(&["ValueError"]);
    assert_eq!(told.code, Some(1), "{}", told.out);
}

#[test]
fn what_was_attached_to_runs_on_and_what_was_launched_ends() {
    require!(lldb_dap);
    let counter = Counter::start(&tools::c_program(), &[]);
    let told = script(
        &args!["--adapter", "lldb-dap", "--pid", counter.pid().to_string()],
        "pause\nbt 30\ninfo session\n",
    );
    told.assert_in_order(&["Paused, ", "#0 ", "attached with lldb-dap"]);
    told.assert_fine();
    counter.assert_free();

    // A signal ends us, and with us what we launched.
    let (home, mark) = (Home::new(), Mark::new());
    let file = home.path().join("number");
    let arguments = args![
        "--adapter",
        "lldb-dap",
        tools::c_program(),
        "--ex",
        "run",
        "--",
        "count",
        file
    ];
    for (signal, code) in [(Signal::TERM, 143), (Signal::INT, 130), (Signal::HUP, 129)] {
        let mut child = start(&home, &mark, &arguments);
        let seen = crate::support::desk::count_in(&file);
        crate::support::desk::wait_more(child.id(), &file, seen + 2);
        procs::signal(child.id(), signal);
        assert_eq!(child.wait().unwrap().code(), Some(code), "{signal:?}");
        mark.assert_none_left(FAREWELL);
        std::fs::remove_file(&file).unwrap();
    }
}

/// `lldb-dap` makes all of them anew for each that is set, under new numbers of LLDB's, and the last take the first one's place.
#[test]
fn data_breakpoints_are_known_by_their_own_numbers() {
    require!(lldb_dap);
    let folder = tempfile::tempdir().unwrap();
    let (source, program) = (folder.path().join("five.c"), folder.path().join("five"));
    let text =
        "int a, b, c, d, e;\nint main(void) {\n  a = 1;\n  b = 2;\n  c = 3;\n  return d + e;\n}\n";
    std::fs::write(&source, text).unwrap();
    tools::build_c(&source, &program);
    let told = script(
        &args!["-a", "lldb-dap", program],
        "b main\nr\ndelete\nwp a\nwp b\nwp c\nwp d\nc\nc\nc\nwp e\ni b\n",
    );
    assert_eq!(told.code, Some(0), "{}\n{}", told.out, told.err);
    told.assert_in_order(&[
        "Watchpoint 1 hit, main (five.c:4)",
        "Watchpoint 2 hit, main (five.c:5)",
        "Watchpoint 3 hit, main (five.c:6)",
        "The data breakpoint a is not in place any more: ",
        "Watchpoint 1 at a (not in place: lldb-dap says: ",
        "Watchpoint 5 at e\n",
    ]);
}

/// GDB's adapter has none: they are its own watchpoints, which say what the value was and is.
#[test]
fn gdb_says_what_watched_data_were() {
    require!(gdb);
    let folder = tempfile::tempdir().unwrap();
    let (source, program) = (folder.path().join("sums.c"), folder.path().join("sums"));
    let text = "char name[64], note[32];\nint total;\nint one(void) {\n  int part = 1;\n  part = 2;\n  return part;\n}\nint two(void) {\n  int other = 7;\n  return other;\n}\nint main(void) {\n  total = one() + 1;\n  total += two();\n  return 0;\n}\n";
    std::fs::write(&source, text).unwrap();
    tools::build_c(&source, &program);
    let told = script(
        &args!["-a", "gdb", program],
        "b one\nr\ndelete\nwp total\nwp part\nwp name\nwp note\nc\nc\nc\nc\nc\n",
    );
    assert_eq!(told.code, Some(0), "{}\n{}", told.out, told.err);
    told.assert_in_order(&[
        "Watchpoint 3 at name (not in place: gdb says: 64 bytes are more than the processor can watch",
        "Watchpoint 4 at note (not in place: gdb says: the processor watches 4 places of 8 bytes at a time",
        "Watchpoint 2 hit: part: 1 → 2, one (sums.c:6)",
        "Watchpoint 1 hit: total: 0 → 3, main (sums.c:14)",
        "Watchpoint 2 hit: part: its function has returned, and something else has its place, two (sums.c:10)",
        "Watchpoint 1 hit: total: 3 → 10, main (sums.c:15)",
    ]);
}

/// GDB goes on with the child instead, if it is told to: its end is the end.
#[test]
fn gdb_follows_a_child() {
    require!(gdb);
    let folder = tempfile::tempdir().unwrap();
    let (source, program) = (folder.path().join("fork.c"), folder.path().join("fork"));
    let text = "#include <sys/wait.h>\n#include <unistd.h>\nint work(int n) {\n  int k = n * 3;\n  return k;\n}\nint main(void) {\n  if (fork() == 0) return work(4);\n  return wait(0) < 0;\n}\n";
    std::fs::write(&source, text).unwrap();
    tools::build_c(&source, &program);
    let told = script(
        &args!["-a", "gdb", program],
        "b main\nr\n! set follow-fork-mode child\nb work\nc\np n\nc\n",
    );
    told.assert_in_order(&["work (fork.c:4)", "n = 4", "exited with code 12"]);
}

/// Functions that are called for it would move the program, and some debuggers have none for an element.
#[test]
fn an_element_is_watched_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let (source, program) = (folder.path().join("v.cpp"), folder.path().join("v"));
    let text = "#include <vector>\nint main() {\n  std::vector<int> v{1, 2, 3};\n  v[1] = 20;\n  v[2] = 4;\n  return v[1];\n}\n";
    std::fs::write(&source, text).unwrap();
    tools::build_cpp(&source, &program);
    let adapters = [
        ("gdb", tools::gdb().is_some()),
        ("lldb-dap", tools::lldb_dap().is_some()),
    ];
    for (adapter, _) in adapters.into_iter().filter(|(_, is_there)| *is_there) {
        let told = script(
            &args!["-a", adapter, program],
            &format!("b {}:4\nr\nwp v[1]\nc\np v[1]\n", source.display()),
        );
        assert_eq!(told.code, Some(0), "{adapter}: {}\n{}", told.out, told.err);
        told.assert_in_order(&[
            "Stops when v[1] is changed",
            "Watchpoint 2 hit",
            "main (v.cpp:5)",
            "v[1] = 20",
        ]);
    }
}

/// A step goes over a logpoint, whoever prints it.
#[test]
fn a_step_goes_over_a_logpoint() {
    let folder = tempfile::tempdir().unwrap();
    let (source, program) = (folder.path().join("log.c"), folder.path().join("log"));
    let text = "int more(int n) {\n  int sum = n + 1;\n  return sum;\n}\nint main(void) {\n  int a = more(1);\n  a += more(a);\n  return a;\n}\n";
    std::fs::write(&source, text).unwrap();
    tools::build_c(&source, &program);
    let adapters = [
        ("gdb", tools::gdb().is_some()),
        ("lldb-dap", tools::lldb_dap().is_some()),
    ];
    for (adapter, _) in adapters.into_iter().filter(|(_, is_there)| *is_there) {
        let log = format!("{}:3|sum is {{sum}}", source.display());
        let told = script(
            &args!["-a", adapter, "-l", log, "-b", "fn:main", program],
            "r\nn\nn\nkill\n",
        );
        told.assert_in_order(&[
            "main (log.c:6)",
            "sum is 2",
            "->    7",
            "sum is 3",
            "->    8",
        ]);
    }
}

/// A text is set by a function of the program's, after which GDB has other numbers for everything.
#[test]
fn a_variable_is_watched_after_a_text_was_set_with_gdb() {
    require!(gdb);
    let folder = tempfile::tempdir().unwrap();
    let (source, program) = (folder.path().join("s.cpp"), folder.path().join("s"));
    let text = "#include <string>\nint main() {\n  std::string s = \"old\";\n  int total = 0;\n  total += s.size();\n  return total;\n}\n";
    std::fs::write(&source, text).unwrap();
    tools::build_cpp(&source, &program);
    let told = script(
        &args!["-a", "gdb", program],
        &format!(
            "b {}:5\nr\nset s = \"newer\"\nwp total\nc\n",
            source.display()
        ),
    );
    told.assert_in_order(&[
        "s = \"newer\"",
        "Stops when total is changed",
        "total: 0 → 5",
    ]);
}

/// The first to stop is shown, and what was being done in another thread is said to be open.
#[test]
fn a_step_that_another_threads_stop_ended_is_told() {
    require!(gdb);
    let folder = tempfile::tempdir().unwrap();
    let (source, program) = (folder.path().join("two.c"), folder.path().join("two"));
    let text = "#include <pthread.h>\nstatic int hit(int n) {\n  return n + 1;\n}\nstatic void *work(void *gate) {\n           pthread_mutex_lock(gate);\n  return hit(2) ? 0 : gate;\n}\nint main(void) {\n  static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;\n  pthread_t one;\n           pthread_mutex_lock(&gate);\n  pthread_create(&one, 0, work, &gate);\n  pthread_setname_np(one, \"worker\");\n  pthread_mutex_unlock(&gate), pthread_join(one, 0);\n  return 0;\n}\n";
    std::fs::write(&source, format!("#define _GNU_SOURCE\n{text}")).unwrap();
    tools::build_c(&source, &program);
    // Both threads have names of their own, and they are loaded before the step.
    let told = script(
        &args!["-a", "gdb", program],
        &format!("b {}:16\nb hit\nr\nthreads\nn\nbt\n", source.display()),
    );
    assert_eq!(told.code, Some(0), "{}\n{}", told.out, told.err);
    told.assert_in_order(&["main (two.c:16)", "Breakpoint 2 hit", "hit (two.c:4)"]);
    let all = format!("{}{}", told.out, told.err);
    let said = "Another thread stopped before the step in two was over.";
    assert!(all.contains(said), "{all}");
}

/// LLDB leaves its watchpoints in the processor.
#[test]
fn a_program_whose_data_were_watched_is_left_alive() {
    require!(lldb_dap);
    let source = program_source("prog.c");
    let (line, source) = (line_of(&source, "count"), source.display());
    let commands = format!("pause\nbreak {source}:{line}\ncontinue\nwatchpoint number\ncontinue\n");
    let counter = Counter::start(&tools::c_program(), &[]);
    let told = script(
        &args!["--adapter", "lldb-dap", "--pid", counter.pid().to_string()],
        &commands,
    );
    told.assert_in_order(&["Breakpoint 1 hit, count", "Watchpoint 2 hit, count"]);
    counter.assert_free();
}

#[test]
fn sessions_of_child_processes_are_listed_and_chosen() {
    require!(debugpy);
    let source = program_source("tree.py");
    let visit = line_of(&source, "visit");
    let told = script(
        &args![source, "--", "fork", "2"],
        &format!(
            "break {visit}
run
continue
session
threads
session 1
threads
session debug-2
print level
session 9
kill
"
        ),
    );
    let lines: Vec<_> = told.out.lines().map(str::trim_end).collect();
    let at = |text: &str| {
        let found = lines.iter().position(|line| line.contains(text));
        found.unwrap_or_else(|| panic!("{text:?} is not in\n{}\n{}", told.out, told.err))
    };
    // As a tree, the one that is meant with an arrow.
    let root = at("   debug-1 tree.py: running, launched with debugpy");
    assert!(
        lines[root + 1].starts_with("->   debug-2 Subprocess "),
        "{}",
        told.out
    );
    // The threads of both, under their session's name.
    let own = lines
        .iter()
        .rposition(|line| line.starts_with("debug-2 Subprocess"))
        .unwrap();
    assert!(at("debug-1 tree.py") > 0 && own > root, "{}", told.out);
    let marked = lines
        .iter()
        .filter(|line| line.starts_with("-> 1 ") && line.contains("visit"));
    assert_eq!(marked.count(), 1, "{}", told.out);
    assert!(lines.contains(&"level = 1"), "{}", told.out);
    assert!(
        told.err.contains("there is no session \"9\""),
        "{}",
        told.err
    );
}

/// Of what is caught, one type; what nobody catches stops as before.
#[test]
fn exceptions_are_caught_by_their_type() {
    require!(debugpy);
    let home = Home::new();
    let program = home.path().join("raises.py");
    let text = "def f(i):\n    try:\n        if i == 2:\n            raise ValueError('two')\n        raise KeyError(i)\n    \
                except LookupError:\n        return i\n    except ValueError:\n        return 0\n\n\
                for i in range(4):\n    f(i)\nraise RuntimeError('end')\n";
    std::fs::write(&program, text).unwrap();
    let told = script_in(
        &home,
        &args![program],
        "catch ValueError\nrun\ncatch\ncontinue\ncontinue\n",
    );
    told.assert_in_order(&[
        "ValueError: two, f (raises.py:4)",
        "on  uncaught",
        "on  ValueError",
        "RuntimeError: end, <module> (raises.py:13)",
        "[raises.py exited with code 1]",
    ]);
    assert!(!told.out.contains("KeyError"), "{}", told.out);
    assert_eq!(told.err, "");
}

/// GDB reads a value once a stop, and says nothing of what its own commands change.
#[test]
fn what_a_command_of_the_debugger_changed_is_shown() {
    require!(gdb);
    let told = script(
        &args!["--adapter", "gdb", tools::c_program()],
        "b total_of\nr\nn\nlocals\n!set var total = 77\nlocals\nkill\n",
    );
    told.assert_in_order(&["\ntotal = 0\n", "\ntotal = 77\n"]);
}

/// To a debugger a text in quotes is an address, of which it would write a part.
fn sets_texts_and_numbers(adapter: &str) {
    let home = Home::new();
    let source = program_source("values.c");
    let program = home.path().join("values");
    tools::build_c(&source, &program);
    let lines = format!(
        "b {}:{}\nrun\nset buffer = \"ink\"\np buffer\nset buffer = \"more than it has room for\"\nset yes = false\nset small = 300\nkill\n",
        source.display(),
        line_of(&source, "values")
    );
    let told = script_in(&home, &args!["--adapter", adapter, program], &lines);
    told.assert_in_order(&[
        "buffer = \"ink\"\n",
        "yes = false\n",
        "300 has no room there: it is ",
    ]);
    assert!(
        told.err.contains("It has room for 16 bytes"),
        "{}",
        told.err
    );
    assert_eq!(told.err.lines().count(), 1, "{}", told.err);
}

#[test]
fn texts_and_numbers_are_set_by_gdb() {
    require!(gdb);
    sets_texts_and_numbers("gdb");
}

#[test]
fn texts_and_numbers_are_set_by_lldb_dap() {
    require!(lldb_dap);
    sets_texts_and_numbers("lldb-dap");
}

/// Its adapter tells no more of an exception than the text of its stop.
#[test]
fn an_exception_of_ruby_is_told_and_caught_by_its_type() {
    require!(rdbg);
    let home = Home::new();
    let program = home.path().join("raises.rb");
    let text = "def f(i)\n  raise ArgumentError, 'two' if i == 2\n  raise 'plain' if i == 3\n  raise KeyError, 'no'\nrescue StandardError\n  i\nend\n\
                4.times { |i| f(i) }\n";
    std::fs::write(&program, text).unwrap();
    // Another filter is on by default, and rdbg stops once for each that fits.
    let lines = "catch ArgumentError\nrun\ncontinue\ncontinue\ncontinue\n";
    let told = script_in(&home, &args![program], lines);
    told.assert_in_order(&[
        "\nArgumentError: two, Object#f (raises.rb:2)",
        "\nRuntimeError: plain, Object#f (raises.rb:3)",
        "[raises.rb exited with code 0]",
    ]);
    assert!(!told.out.contains("KeyError"), "{}", told.out);
}

/// js-debug's program runs in a session that comes later than the prompt.
#[test]
fn a_pause_waits_for_a_program_that_has_not_come() {
    require!(js_debug);
    require!(node);
    let home = Home::new();
    let program = home.path().join("turns.js");
    std::fs::write(&program, "let n = 0;\nfor (;;) {\n  n += 1;\n}\n").unwrap();
    let told = script_in(&home, &args![program], "run &\npause\nbt\nkill\n");
    told.assert_in_order(&["Paused", "-> #0", "turns.js"]);
    assert_eq!(told.err, "");
}

/// No line of Python's is run in a wait for a lock, so debugpy never stops there.
#[test]
fn a_pause_that_stops_nothing_is_given_up() {
    require!(debugpy);
    let home = Home::new();
    let program = home.path().join("waits.py");
    let text = "import threading\nlock = threading.Lock()\nlock.acquire()\nprint('waits', flush=True)\nlock.acquire()\n";
    std::fs::write(&program, text).unwrap();
    let told = script_in(
        &home,
        &args![program],
        "break 5\nrun\ndelete 1\ncontinue &\npause\nkill\n",
    );
    told.assert_in_order(&["waits", "The program was told to stop 5 s ago and has not."]);
    assert!(
        told.err
            .contains("line 5: the program has not stopped in 10 s"),
        "{}",
        told.err
    );
    assert_eq!(told.code, Some(2));
}

#[test]
fn what_is_left_of_a_process_is_looked_at() {
    let gdb = require!(gdb);
    let (home, program) = (Home::new(), tools::c_program());
    let core = home.path().join("core.1");
    let line = line_of(&program_source("prog.c"), "price");
    let written = Command::new(gdb)
        .args(["-q", "-nx", "-batch", "-ex"])
        .arg(format!("break prog.c:{line}"))
        .args(["-ex", "run", "-ex"])
        .arg(format!("generate-core-file {}", core.display()))
        .args(["-ex", "kill"])
        .arg(&program)
        .output()
        .unwrap();
    assert!(core.exists(), "{written:?}");
    let script = "bt\ncontinue\ndetach\n";
    let told = script_in(&home, &args!["--core", core, program], script);
    told.assert_in_order(&[&format!("prog.c:{line}"), "The core dump was closed."]);
    assert!(
        told.err.contains("A core dump stands still"),
        "{}",
        told.err
    );
    let of_another = "was not dumped by this build of";
    assert!(!told.out.contains(of_another), "{}", told.out);
    assert!(!told.out.contains("is truncated"), "{}", told.out);
    let cut = home.path().join("core.cut");
    let whole = std::fs::read(&core).unwrap();
    std::fs::write(&cut, &whole[..whole.len() / 2]).unwrap();
    let told = script_in(&home, &args!["--core", cut, program], "bt\n");
    told.assert_in_order(&["core.cut is truncated: stacks and values"]);
    let other = tools::cpp_values();
    let told = script_in(&home, &args!["--core", core, other], "bt\n");
    told.assert_in_order(&[of_another]);
    let told = script_in(&home, &args!["--core", "nofile", program], "bt\n");
    let nothing = "line 1: No program is being debugged.";
    assert!(told.err.contains(nothing), "{}", told.err);
}

#[test]
fn a_reader_that_goes_away_ends_it_cleanly() {
    require!(debugpy);
    let (home, mark) = (Home::new(), Mark::new());
    let arguments = args![
        program_source("inventory.py"),
        "--ex",
        "run print 200000",
        "--ex",
        "run print 200000"
    ];
    let mut child = start(&home, &mark, &arguments);
    let mut first = String::new();
    BufReader::with_capacity(16, child.stdout.take().unwrap())
        .read_line(&mut first)
        .unwrap();
    assert_eq!(first, "line 0\n");
    let status = child.wait().unwrap();
    assert!(status.code().is_some(), "it was not killed: {status:?}");
    let mut said = String::new();
    BufReader::new(child.stderr.take().unwrap())
        .read_line(&mut said)
        .unwrap();
    assert!(!said.contains("panicked"), "{said}");
    mark.assert_none_left(FAREWELL);
}

#[test]
fn gdb_goes_back_and_writes_memory() {
    require!(gdb);
    let source = program_source("prog.c");
    let line = |mark| line_of(&source, mark);
    let (call, price) = (line("loop-call"), line("price"));
    let told = script(
        &args!["--adapter", "gdb", tools::c_program()],
        &format!(
            "break {file}:{call}
run
record on
next
next
print total
back
print total
next
reverse-continue
record off
tbreak {file}:{price}
continue
hex on
print price
hex off
info registers
write 0xzz 00
alone on
alone
info progress
info time
",
            file = source.display()
        ),
    );
    told.assert_in_order(&[
        "is kept",
        "total = 20",
        "total = 0",
        "is not kept",
        "Values in hexadecimal.",
        "price = 0x",
        "Values as the adapter writes them.",
        "rip = ",
        "Only the selected thread runs.",
        "All threads run.",
        "The adapter is busy with nothing",
        "the program running ",
        "Answers of the adapter",
        "stackTrace ",
    ]);
    assert!(told.err.contains("0xzz"), "{}", told.err);
    // Wide registers have parts, and are called by their names.
    assert!(!told.out.contains("(nothing)"), "{}", told.out);
}

#[test]
fn python_jumps_and_steps_into_a_chosen_call() {
    require!(debugpy);
    let source = program_source("inventory.py");
    let line = |mark| line_of(&source, mark);
    let (call, total) = (line("loop-call"), line("total"));
    let told = script(
        &args![source],
        &format!(
            "b {call}
run
into
into price_of
finish
delete
tbreak {summed}
continue
jump {total}
print total
back
record
restart-frame
",
            summed = line("loop")
        ),
    );
    told.assert_in_order(&["price_of", &format!("->{total:>5}"), "total = 0"]);
    for why in [
        "does not support running backwards",
        "does not support keeping what the program does",
        "does not support restarting a frame",
    ] {
        assert!(told.err.contains(why), "{why} in {}", told.err);
    }
}

/// Debuggers step out of the innermost frame alone.
#[test]
fn the_selected_frame_is_finished_with_those_within_it() {
    require!(debugpy);
    require!(lldb_dap);
    let (python, c) = ("inventory.py", "prog.c");
    for (name, program, adapter) in [
        (python, program_source(python), "debugpy"),
        (c, tools::c_program(), "lldb-dap"),
    ] {
        let source = program_source(name);
        let line = |mark| line_of(&source, mark);
        let told = script(
            &args!["--adapter", adapter, program],
            &format!(
                "b {}:{}\nrun\ndelete\nup\nfinish\nbt 1\nc\n",
                source.display(),
                line("price-return")
            ),
        );
        told.assert_in_order(&[
            "Breakpoint 1 hit, price_of",
            "Breakpoint 1: removed",
            "-> #1   total_of",
            "-> #0   stock",
            "total ",
        ]);
    }
}

/// Two workers stand at the same breakpoint: once the one that is gone on with has ended, the other one is next, and nobody waits for a
/// stop that was there already.
#[test]
fn the_workers_of_a_cluster_one_after_the_other() {
    require!(js_debug);
    require!(node);
    let program = program_source("cluster.js");
    let lines = format!(
        "break {}:{}\nrun\ncontinue\ncontinue\n",
        program.display(),
        line_of(&program, "share")
    );
    let told = script(&[program.into()], &lines);
    assert_eq!(told.code, Some(0), "{}\n{}", told.out, told.err);
    told.assert_in_order(&["Breakpoint 1 hit in cluster.js", "together 300"]);
    let shown = told.out.matches("return part; // MARK: share").count();
    assert_eq!(shown, 2, "{}", told.out);
    // It was in place in the workers, though never in the session that began them.
    assert!(!told.out.contains("never"), "{}", told.out);
}

/// Recording breakpoints and their rows, as the screen's table has them.
#[test]
fn what_breakpoints_recorded_is_a_table() {
    require!(debugpy);
    let source = program_source("inventory.py");
    let line = |mark| line_of(&source, mark);
    let (call, total) = (line("loop-call"), line("total"));
    let lines = format!(
        "break {call} => item['name']\nbreak {total}\nrun\nrecords --rows 0..2\nrecords --as stats\nkill\n"
    );
    let told = script(&args![source], &lines);
    told.assert_fine();
    told.assert_in_order(&[
        "Recording breakpoint 1",
        "item['name']",
        "'bolt'",
        "'nut'",
        "rows 0 to 2 of 3",
        "3 distinct",
    ]);
}

/// A panic of the main thread ends the program, unless something catches it.
#[test]
fn a_script_fails_that_leaves_a_program_at_a_panic_which_ends_it() {
    require!(gdb);
    let home = Home::new();
    let text = "fn main() {\n    let caught = std::panic::catch_unwind(|| panic!(\"one\"));\n    assert!(caught.is_err());\n    panic!(\"two\");\n}\n";
    let source = home.path().join("panics.rs");
    std::fs::write(&source, text).unwrap();
    let program = tools::build_rust(&source, &home.path().join("panics"));
    for (commands, code) in [("run\n", 0), ("run\ncontinue\n", 1)] {
        let told = script(&args!["--adapter", "gdb", program], commands);
        assert_eq!(told.code, Some(code), "{}", told.out);
    }
}

/// js-debug's own request says that it worked, and what was asked for.
#[test]
fn what_javascript_does_not_let_be_set_is_not_said_to_be() {
    require!(js_debug);
    let home = Home::new();
    let source = home.path().join("kept.mjs");
    let text = "class P { #x = 1; get x() { return this.#x; } }\nconst o = Object.freeze({ a: 1 });\nfunction f(q) {\n  return q.x + o.a;\n}\nconsole.log(f(new P()));\n";
    std::fs::write(&source, text).unwrap();
    let lines = "break kept.mjs:4\nrun\nset q.#x = 3\nset o.a = 7\nset q.x = 5\nset q = nix\nprint o.a\nprint q\nprint q.x\ncontinue\n";
    let told = script_in(&home, &args![source], lines);
    // Nobody has asked for what the getter gives until then.
    let shown = ["q.#x = 3", "o.a = 1", "  x = (...)\n", "q.x = 3", "\n4\n"];
    told.assert_in_order(&shown);
    let refused: Vec<_> = told.err.lines().collect();
    let whys = [
        "line 4: not changed: TypeError: ",
        "line 5: not changed: TypeError: ",
        "line 6: not changed: ReferenceError: nix is not defined",
    ];
    assert_eq!(refused.len(), whys.len(), "{}", told.err);
    for (line, why) in refused.iter().zip(whys) {
        assert!(line.contains(why), "{line} for {why}");
    }
}

/// Python would make a variable of the function's out of it.
#[test]
fn a_global_is_set_where_a_function_stands() {
    require!(debugpy);
    let home = Home::new();
    let source = home.path().join("count.py");
    let text =
        "count = 0\n\ndef add(x):\n    y = x + count\n    return y\n\nprint(add(10), count)\n";
    std::fs::write(&source, text).unwrap();
    let lines = "break count.py:4\nrun\nset count = 5\nset x = 20\ncontinue\n";
    let told = script_in(&home, &args![source], lines);
    told.assert_in_order(&["count = 5", "x = 20", "25 5"]);
}

#[test]
fn keys_that_look_alike_are_told_apart() {
    require!(debugpy);
    let home = Home::new();
    let source = home.path().join("keys.py");
    let text = "def keys():\n    d = {None: 'none', 1: 'number', '1': 'text', '': 'empty'}\n    return d\n\nkeys()\n";
    std::fs::write(&source, text).unwrap();
    let told = script_in(
        &home,
        &args![source],
        "break keys.py:3\nrun\ndata d\ncontinue\n",
    );
    let rows = ["None  none", "1     number", "'1'   text", "''    empty"];
    told.assert_in_order(&rows);
}

/// What needs a program says the same before the first one, and what may be a mistake is doubted.
#[test]
fn before_the_first_run_all_commands_say_so() {
    let commands = ["threads", "n", "hang", "info threads", "bt", "locals"];
    let lines = format!("{}\ncatch nosuch\ncatch KeyError\n", commands.join("\n"));
    let told = script(&args![program_source("inventory.py")], &lines);
    assert_eq!(told.code, Some(2));
    let whys: Vec<_> = told.err.lines().collect();
    assert_eq!(whys.len(), 2 * commands.len(), "{}", told.err);
    for pair in whys.chunks(2) {
        assert!(
            pair[0].ends_with(": No program is being debugged."),
            "{pair:?}"
        );
        assert_eq!(pair[1].trim(), "run starts it");
    }
    told.assert_in_order(&["on  nosuch  if the adapter has", "on  KeyError\n"]);
}

/// A thread that has just begun is called as it is a moment later.
#[test]
fn a_thread_has_its_name_as_soon_as_it_is_told() {
    require!(debugpy);
    let home = Home::new();
    let source = home.path().join("named.py");
    let text = "import threading\n\ndef work():\n    return 1\n\nn = 0\nt = threading.Thread(target=work, name='worker-1')\nt.start()\nt.join()\n";
    std::fs::write(&source, text).unwrap();
    let lines = "break named.py:6\nbreak named.py:4\nrun\ncontinue\nkill\n";
    let told = script_in(&home, &args![source], lines);
    told.assert_in_order(&["n = 0", " worker-1]", "return 1"]);
}

/// What a `__repr__` does for ever keeps nothing else back, and no property is called that nobody has asked for.
#[test]
fn python_shows_values_beside_one_that_takes_too_long_and_calls_no_property() {
    require!(debugpy);
    let home = Home::new();
    let source = home.path().join("slow.py");
    let text = "import threading
held = threading.Lock()
held.acquire()
class Busy:
    def __repr__(self):
        while True: pass
class Waiting:
    def __repr__(self):
        held.acquire()
class Counting:
    count = 0
    @property
    def more(self):
        Counting.count += 1
        return Counting.count
busy, waiting, counting, n = Busy(), Waiting(), Counting(), 4
print('count', Counting.count)
";
    std::fs::write(&source, text).unwrap();
    let lines = "b 17\nrun\np n\nlocals\np busy\np waiting\np counting\np counting\nc\n";
    let told = script_in(&home, &args![source], lines);
    told.assert_in_order(&[
        "Breakpoint 1 hit",
        "n = 4\n",
        "busy = … its __repr__ takes too long\n",
        "n = 4\n",
        "waiting = … its __repr__ takes too long\n",
        "busy = … its __repr__ takes too long\n",
        "waiting = … its __repr__ takes too long\n",
        "more = (...)\n",
        "more = (...)\n",
        "count 0\n",
        "exited with code 0]",
    ]);
    assert!(!told.out.contains("pydevd"), "{}", told.out);
    told.assert_fine();
}

/// A statement has no value, and `None` is one; an exception group says what is in it.
#[test]
fn python_says_done_of_statements_and_tells_groups_of_exceptions() {
    require!(debugpy);
    let home = Home::new();
    let source = home.path().join("group.py");
    std::fs::write(
        &source,
        "none = None\nraise ExceptionGroup('all', [ValueError('a'), ExceptionGroup('inner', [KeyError('k'), OSError('o')])])\n",
    )
    .unwrap();
    let lines = "run\np other = 3\np other + 1\np none\np print('told')\n";
    let told = script_in(&home, &args![source], lines);
    told.assert_in_order(&[
        "ExceptionGroup: all (2 sub-exceptions)",
        "\n  from ValueError: a\n",
        "  from ExceptionGroup: inner (2 sub-exceptions)\n    from KeyError: 'k'\n    from OSError: o\n",
        "\ndone\n",
        "other + 1 = 4\n",
        "none = None\n",
        "told",
    ]);
}

/// How the program ended comes before what cannot be done afterwards; what a debugger refuses that stands there is no failure of it.
#[test]
fn the_first_trouble_is_the_exit_code() {
    require!(debugpy);
    require!(gdb);
    let home = Home::new();
    let source = home.path().join("ends.py");
    std::fs::write(&source, "raise SystemExit(44)\n").unwrap();
    let told = script_in(&home, &args![source], "run\nbt\n");
    assert!(told.err.contains("has ended"), "{}", told.err);
    assert_eq!(told.code, Some(1));
    let told = script(
        &args!["--adapter", "gdb", tools::c_program()],
        "b main\nrun\nfinish\nkill\n",
    );
    assert!(told.err.contains("outermost frame"), "{}", told.err);
    assert_eq!(told.code, Some(2), "{}", told.err);
}

/// What a shell would do is not passed on as if it were meant, and a block of gdb's is no line of commands after the other.
#[test]
fn what_is_not_done_here_is_said() {
    require!(debugpy);
    let home = Home::new();
    let source = home.path().join("says.py");
    std::fs::write(&source, "import sys\nprint(sys.argv[1:])\n").unwrap();
    let told = script_in(
        &home,
        &args![source],
        "b says.py:2\ncommands 1\nif x\nquit\nend\nquit\nend\nrun x < in\nrun \"a > b\" $HOME\nc 3\ninfo locals sys\nc\n",
    );
    told.assert_in_order(&["Breakpoint 1 hit", "['a > b', '$HOME']"]);
    let whys: Vec<_> = told.err.lines().collect();
    let wanted = [
        "line 2: blocks of commands",
        "line 8: No shell reads `<`: quote it",
        "--stdin FILE",
        "line 10: continue takes no count: break FILE:LINE#N",
        "line 11: info locals shows all of it",
    ];
    assert_eq!(whys.len(), wanted.len(), "{}", told.err);
    for (why, wanted) in whys.iter().zip(wanted) {
        assert!(why.contains(wanted), "{wanted}: {}", told.err);
    }
}

/// What gdb shows by commands of its own alone is asked of them.
#[test]
fn formats_types_and_places_of_functions_are_gdbs_own() {
    require!(gdb);
    let source = program_source("prog.c");
    let text = std::fs::read_to_string(&source).unwrap();
    let at = |what: &str| 1 + text.lines().position(|line| line.contains(what)).unwrap();
    let told = script(
        &args!["--adapter", "gdb", tools::c_program()],
        "b 'price_of'\nrun\np/x -1\np/x (short)-2\np/x (char)65\np/c 66\nptype item->price\nptype struct nosuch\nlist read_lines\nlist 1,2\nkill\n",
    );
    let declared = format!("  {}", text.lines().nth(at("read_lines(") - 1).unwrap());
    told.assert_in_order(&[
        "Breakpoint 1 at price_of",
        "Breakpoint 1 hit",
        "-1 = 0xffffffff\n",
        "(short)-2 = 0xfffe\n",
        "(char)65 = 0x41\n",
        "66 = 66 'B'\n",
        "type = ",
        &declared,
    ]);
    let first: Vec<_> = text.lines().take(2).collect();
    assert!(
        told.out
            .contains(&format!("1  {}", first[0]).trim_end().to_owned()),
        "{}",
        told.out
    );
    assert!(told.err.starts_with("omp-debug: line 8: "), "{}", told.err);
    assert_eq!(
        (told.err.lines().count(), told.code),
        (1, Some(2)),
        "{}",
        told.err
    );
}
