//! What goes wrong in a person's first hour: each thing is said where they look, and says what to do.

use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::support::desk::{Desk, Home, free_port, pane};
use crate::support::{procs, tools};

const SHOP: &str = "\
def total(items):
    out = 0
    for name, price in items:
        out += price
    return out


rounds = 0
for i in range(3):
    rounds = rounds + 1
    print(\"sum\", total([(\"tea\", i)]))
print(\"done\")
";

/// A folder with a program in it.
fn shop() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().canonicalize().unwrap().join("shop.py");
    fs::write(&file, SHOP).unwrap();
    (folder, file)
}

fn open(folder: &TempDir, arguments: &[impl AsRef<OsStr>]) -> Desk {
    Desk::with(|builder| builder.cwd(folder.path()).args(arguments))
}

/// Of a condition that is never true the adapter says nothing.
#[test]
fn a_condition_that_never_stops_is_warned_of_at_the_end() {
    require!(debugpy);
    let (folder, _) = shop();
    let desk = open(&folder, &["shop.py", "-b", "shop.py:11?rounds > 3"]);
    desk.wait_header("ended: exit code 0");
    desk.pty
        .wait_for("The breakpoint shop.py:11 was never hit: the program did not come there");
    desk.pty
        .wait_until("why, in the list of breakpoints", |screen| {
            pane(screen, "Breakpoints")
                .iter()
                .any(|row| row.contains("never hit"))
        });
    desk.pty
        .key("M")
        .wait_until("all of it among the messages", |screen| {
            screen.contains("─ Messages ") && screen.contains("or it cannot be evaluated there.")
        });
    desk.pty.key("Esc").wait_gone("─ Messages ");
    desk.leave();
}

/// One that raises is printed by the adapter each time: said once, while the program runs.
#[test]
fn a_condition_that_raises_is_said_at_once() {
    require!(debugpy);
    let (folder, _) = shop();
    let desk = open(&folder, &["shop.py", "-b", "shop.py:11?1 / 0 > 3"]);
    desk.pty.wait_for(
        "The condition `1 / 0 > 3` of shop.py:11 could not be evaluated: ZeroDivisionError",
    );
    desk.pty
        .wait_until("why, in the list of breakpoints", |screen| {
            pane(screen, "Breakpoints")
                .iter()
                .any(|row| row.contains("its condition could not"))
        });
    desk.wait_header("exit code 0");
    desk.leave();
}

#[test]
fn a_value_that_cannot_be_evaluated_is_not_set_and_this_is_said() {
    require!(debugpy);
    let (folder, _) = shop();
    let desk = open(&folder, &["shop.py", "-b", "shop.py:3"]);
    desk.wait_at("shop.py", 3);
    desk.wait_value("Scopes", "out", "0");
    desk.select_scope("out");
    desk.pty.key("i");
    desk.answer("New value of `out`", "nosuch + 1");
    desk.pty
        .wait_for("not changed: NameError: name 'nosuch' is not defined");
    let screen = desk.pty.screen();
    assert!(!screen.contains("Traceback"), "{}", screen.text());
    desk.select_scope("out");
    desk.pty.key("i");
    desk.answer("New value of `out`", "40 + 1");
    desk.wait_value("Scopes", "out", "41");
    desk.leave_live("e");
}

/// Some adapters let pass what ends the program unless they are told otherwise.
#[test]
fn an_error_that_nobody_catches_stops_where_it_is_thrown() {
    require!(js_debug);
    require!(node);
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("late.js"),
        "function late(x) {\n  try { null.caught } catch {}\n  return x.missing.more;\n}\nconsole.log(late({}));\n",
    )
    .unwrap();
    let desk = Desk::with(|builder| {
        builder
            .cwd(folder.path())
            .env("XDG_DATA_HOME", tools::test_home().join("share"))
            .args(["late.js"])
    });
    desk.wait_header("stopped: entry");
    desk.pty.wait_until("what it stops at", |screen| {
        pane(screen, "Breakpoints")
            .iter()
            .any(|row| row.contains("[x] Uncaught Exceptions"))
    });
    desk.pty.key("F5");
    desk.wait_at("late.js", 3);
    desk.wait_header("stopped: exception");
    desk.leave_live("e");
}

/// The digit of the prompt begins typing: no letter is a command, until Esc.
#[test]
fn the_prompts_key_begins_typing_and_a_watch_proposes_the_word() {
    require!(debugpy);
    let (folder, _) = shop();
    let desk = open(&folder, &["shop.py", "-b", "shop.py:3"]);
    desk.wait_at("shop.py", 3);
    desk.pty.key("7").wait_for("Esc leave");
    desk.pty.type_text("out + 5 # cb").key("Enter");
    desk.pty.wait_until("its value", |screen| {
        pane(screen, "Console").iter().any(|row| row.trim() == "5")
    });
    desk.wait_at("shop.py", 3);
    desk.pty.key("Esc").wait_gone("Esc leave");
    // The word is proposed; the first letter replaces it.
    desk.go_to_line(4);
    desk.pty.key("w").wait_for("An expression to evaluate");
    desk.pty.type_text("len(items)").key("Enter");
    desk.wait_value("Watches", "len(items)", "1");
    // Nothing else is watched.
    let screen = desk.pty.screen();
    let watches = pane(&screen, "Watches");
    assert!(!watches.join(" ").contains("out"), "{}", screen.text());
    desk.leave_live("e");
}

/// gdb tells of each function that it calls as of a run and a stop: watches that need one are evaluated once, and then there is rest.
#[test]
fn watches_that_call_functions_come_to_rest() {
    require!(gdb);
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("orders.cpp");
    fs::write(&source, ORDERS).unwrap();
    let program = folder.path().join("orders");
    let built = std::process::Command::new("c++")
        .args(["-g", "-O0", "-o"])
        .args([&program, &source])
        .status()
        .unwrap();
    assert!(built.success());
    let desk = open(&folder, &["-a", "gdb", "orders", "-b", "orders.cpp:9"]);
    desk.wait_at("orders.cpp", 9);
    for (watch, value) in [("orders.size()", "100"), ("*up", "7")] {
        desk.pty.key("w").wait_for("An expression to evaluate");
        desk.pty.type_text(watch).key("Enter");
        desk.wait_value("Watches", watch, value);
    }
    desk.wait_value("Scopes", "sum", "107");
    let screen = desk.pty.screen();
    assert!(!screen.contains("out of range"), "{}", screen.text());
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let before = procs::ticks(&desk.mark.processes());
        // What is measured is a length of time in which nobody does anything.
        std::thread::park_timeout(Duration::from_secs(2));
        if procs::ticks(&desk.mark.processes()) <= before + 2 {
            break;
        }
        assert!(Instant::now() < deadline, "it does not come to rest");
    }
    desk.pty.key("F10");
    desk.wait_at("orders.cpp", 10);
    desk.wait_value("Watches", "*up", "7");
    desk.leave_live("e");
}

const ORDERS: &str = "\
#include <memory>
#include <vector>

int main() {
    std::vector<double> orders(100);
    auto up = std::make_unique<int>(7);
    int sum = *up;
    sum += orders.size();
    sum -= 100;
    return sum == 7 ? 0 : 1;
}
";

/// The whole of a start's failure stands where the source would.
#[test]
fn why_a_program_did_not_start_can_be_read_whole() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.cs"), "class P {}").unwrap();
    let desk = Desk::with(|builder| {
        builder
            .env("PATH", "/usr/bin:/bin")
            .size(80, 24)
            .cwd(folder.path())
            .args(["a.cs"])
    });
    let screen = desk
        .pty
        .wait_until("the last word of the remedy", |screen| {
            let words = pane(screen, "Source").join(" ");
            let words: Vec<_> = words.split_whitespace().collect();
            words.join(" ").contains("and put it on PATH")
        });
    assert!(
        !pane(&screen, "Source").join(" ").contains('…'),
        "{}",
        screen.text()
    );
    desk.leave();
}

/// What a command line asks for is not kept; what a person sets is, and so is what was kept at the same place.
#[test]
fn breakpoints_of_a_command_line_last_for_that_run() {
    require!(debugpy);
    let (folder, _) = shop();
    let home = Home::new();
    let at = |arguments: &[&str]| {
        Desk::at(home.clone(), |builder| {
            builder.cwd(folder.path()).args(arguments)
        })
    };
    let desk = at(&["shop.py", "-b", "shop.py:3", "-b", "shop.py:5?out < 0"]);
    desk.wait_at("shop.py", 3);
    desk.break_at("shop.py", 10);
    desk.leave_live("e");
    let desk = at(&["shop.py", "-b", "shop.py:10?rounds == 2"]);
    desk.wait_at("shop.py", 10);
    desk.wait_value("Scopes", "rounds", "2");
    let list = pane(&desk.pty.screen(), "Breakpoints").join("\n");
    assert!(
        !list.contains("shop.py:3") && !list.contains("shop.py:5"),
        "{list}"
    );
    desk.leave_live("e");
    let desk = at(&["shop.py"]);
    desk.wait_at("shop.py", 10);
    let list = pane(&desk.pty.screen(), "Breakpoints").join("\n");
    assert!(!list.contains("rounds"), "{list}");
    desk.leave_live("e");
}

#[test]
fn input_that_would_not_arrive_is_refused_before_it_is_typed() {
    require!(debugpy);
    let (folder, _) = shop();
    let desk = open(
        &folder,
        &["shop.py", "--console", "internal", "-b", "shop.py:3"],
    );
    desk.wait_at("shop.py", 3);
    desk.pty
        .key("C-t")
        .wait_for("The program's standard input is not ours");
    assert!(!desk.pty.screen().contains("Type a line"));
    desk.leave_live("e");
}

#[test]
fn a_server_that_does_not_answer_is_said_to_be_tried_again() {
    require!(debugpy);
    let folder = tempfile::tempdir().unwrap();
    let port = free_port().to_string();
    let desk = open(
        &folder,
        &["attach", "--adapter", "debugpy", "--port", &port],
    );
    desk.wait_header(&format!("attaching to 127.0.0.1:{port}"));
    desk.pty
        .wait_for("tried again until it does, for 10 s in all");
    desk.leave_live("e");
}

/// What an editor changed is seen when it is left, and that the program is older than that.
#[test]
fn an_edited_source_is_shown_at_once_and_is_newer_than_the_program() {
    require!(debugpy);
    let (folder, file) = shop();
    let editor = folder.path().join("editor");
    let script = format!(
        "#!/bin/sh\nsed -i 's/print(\"done\")/print(\"ready\")/' {}\n",
        file.display()
    );
    tools::executable(&editor, &script);
    let desk = Desk::with(|builder| {
        builder
            .cwd(folder.path())
            .env("VISUAL", &editor)
            .args(["shop.py", "-b", "shop.py:11"])
    });
    desk.wait_at("shop.py", 11);
    desk.pty.wait_for("print(\"done\")");
    desk.pty.key("E").wait_for("print(\"ready\")");
    desk.pty
        .wait_for("changed since the start: R starts it again");
    desk.pty.wait_for("R restart");
    // Somebody else's editor: seen at the next stop.
    fs::write(&file, SHOP.replace("done", "finished")).unwrap();
    desk.pty.key("F10").wait_for("print(\"finished\")");
    desk.leave_live("e");
}

/// The footer offers what is to be done next: why it stopped, and nothing to step where nothing runs.
#[test]
fn the_footer_knows_exceptions_and_ends() {
    require!(debugpy);
    let (folder, file) = shop();
    fs::write(&file, SHOP.replace("out += price", "out += prices")).unwrap();
    let desk = open(&folder, &["shop.py"]);
    desk.wait_header("stopped: entry");
    desk.pty.key("F5");
    desk.wait_header("exception");
    desk.pty.wait_for("W why");
    desk.pty.key("F5");
    desk.wait_header("ended: exit code 1");
    let screen = desk.pty.wait_for("F5 run again");
    for gone in ["F10 ", "F11 ", "F6 ", "view as data"] {
        assert!(!screen.contains(gone), "{gone}: {}", screen.text());
    }
    desk.leave();
}

/// Errors stand before warnings, each is said where it is, and the way back to the list is in the footer.
#[test]
fn what_a_compiler_says_is_a_list_and_stands_at_its_lines() {
    let folder = tempfile::tempdir().unwrap();
    let source = "int main(void) {\n    int waste = 1;\n    int sum = 2;\n    return sun;\n}\n";
    fs::write(folder.path().join("prices.c"), source).unwrap();
    let make = "check: prices\n\t./prices\nprices: prices.c\n\tcc -g -Wall -o prices prices.c\n";
    fs::write(folder.path().join("Makefile"), make).unwrap();
    let desk = open(&folder, &["make", "check"]);
    let screen = desk.pty.wait_for("─ What the compiler says ");
    let text = screen.text();
    let (error, warning) = (text.find("prices.c:4  "), text.find("prices.c:2  warning:"));
    assert!(error.is_some() && error < warning, "{text}");
    desk.pty.key("Enter").wait_gone("─ What the compiler says ");
    // Beside its line, also when the message below is gone.
    desk.pty
        .key("Down")
        .wait_until("the error at its line", |screen| {
            pane(screen, "prices.c")
                .iter()
                .any(|row| row.contains("return sun;   ✗ ‘sun’ undeclared"))
        });
    desk.pty.wait_for("Alt-C errors");
    desk.pty.key("M-c").wait_for("─ What the compiler says ");
    desk.pty.key("Esc").wait_gone("─ What the compiler says ");
    desk.leave();
}

/// In what a test called, the test is meant, and not one that stands above in that file.
#[test]
fn the_test_that_called_a_helper_is_the_one_at_the_cursor() {
    require!(debugpy);
    let folder = tempfile::tempdir().unwrap();
    let text =
        "from test_same import same\n\ndef test_sum():\n    same(1 + 1, 2)\n\n\ntest_sum()\n";
    fs::write(folder.path().join("test_shop.py"), text).unwrap();
    let text =
        "def test_nothing():\n    pass\n\n\ndef same(left, right):\n    assert left == right\n";
    fs::write(folder.path().join("test_same.py"), text).unwrap();
    let desk = open(&folder, &["test_shop.py", "-b", "test_same.py:6"]);
    desk.wait_at("test_same.py", 6);
    desk.pty.key("M-F5").wait_for("─ Run the test ");
    desk.pty.wait_for("test_shop.py::test_sum");
    desk.pty.key("Esc").wait_gone("─ Run the test ");
    // Elsewhere it is the one that the cursor is in.
    desk.pty.keys(&["Up", "Up", "Up", "Up"]);
    desk.pty.key("M-F5").wait_for("test_same.py::test_nothing");
    desk.pty.key("Esc").wait_gone("─ Run the test ");
    desk.leave_live("e");
}

/// A test is started in place of what lives, if that is agreed to.
#[test]
fn a_test_at_the_cursor_asks_what_becomes_of_the_program_that_lives() {
    require!(debugpy);
    let folder = tempfile::tempdir().unwrap();
    let text = "def test_sum():\n    total = 1 + 1\n    assert total == 2\n\n\ntest_sum()\n";
    fs::write(folder.path().join("test_shop.py"), text).unwrap();
    let desk = open(&folder, &["test_shop.py", "-b", "test_shop.py:3"]);
    desk.wait_at("test_shop.py", 3);
    desk.pty.key("M-F5").wait_for("─ Run the test ");
    desk.pty.wait_for("debug-1 is not over; it is ended first.");
    desk.pty.agree();
    desk.pty.wait_gone("─ Run the test ");
    desk.wait_output("test session starts");
    desk.wait_header("stopped: breakpoint");
    desk.leave_live("e");
}

/// Rows of a report that would say the same say what each is, also where there is little room.
#[test]
fn members_of_a_report_say_what_they_are() {
    require!(debugpy);
    let (folder, _) = shop();
    let desk = open(&folder, &["shop.py", "-b", "shop.py:11"]);
    desk.wait_at("shop.py", 11);
    desk.pty.key(":").type_text("report").key("Enter");
    desk.pty.wait_for("New report");
    for size in [(160, 45), (80, 24)] {
        desk.pty.resize(size.0, size.1);
        desk.pty.wait_until("two texts", |screen| {
            let text = screen.text();
            let says = |name: &str, what: &str| {
                text.lines()
                    .any(|row| row.contains(name) && row.contains(what))
            };
            says("hang.txt", "why the program") && says("debug-session.json", "stops, stacks")
        });
    }
    desk.leave_live("e");
}
