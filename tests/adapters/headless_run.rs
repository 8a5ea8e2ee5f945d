//! `omp-debug run` against real adapters: what it prints of real programs, each line checked against the schema.

use crate::support;

use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};
use support::run::{Runs, SHOP};
use support::{line_of, program_source, tools};

fn functions(event: &Value) -> Vec<&str> {
    event["stack_trace"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| f["function"].as_str().unwrap())
        .collect()
}

#[test]
fn a_python_program_stops_with_stack_locals_and_evaluations() {
    require!(debugpy);
    let runs = Runs::new();
    let shop = runs.file("shop.py", SHOP);
    let ran = runs.run(&[
        "-a",
        "debugpy",
        "-b",
        "shop.py:12",
        "-e",
        "x+1",
        "-e",
        "nope",
        "--max-stops",
        "2",
        "shop.py",
    ]);
    assert_eq!(ran.code, Some(0));
    assert_eq!(ran.types()[0], "session_start");
    let start = ran.one("session_start");
    assert_eq!(
        (&start["adapter"], &start["program"]),
        (&json!("debugpy"), &json!(shop))
    );
    let set = ran.one("breakpoint_set");
    assert_eq!(
        (&set["verified"], &set["line"], &set["file"]),
        (&json!(true), &json!(12), &json!(shop))
    );
    assert!(ran.one("process_launched")["pid"].as_i64().unwrap() > 1);
    let hits = ran.of("breakpoint_hit");
    assert_eq!(hits.len(), 2);
    let hit = hits[0];
    assert_eq!(hit["id"], set["id"]);
    assert_eq!(
        (
            &hit["location"]["file"],
            &hit["location"]["line"],
            &hit["location"]["function"]
        ),
        (&json!(shop), &json!(12), &json!("total"))
    );
    assert_eq!(functions(hit), ["total", "main", "<module>"]);
    let locals = &hit["locals"];
    assert_eq!(
        locals["x"],
        json!({"type": "int", "value": 0, "expandable": false, "variables_reference": 0})
    );
    let this = &locals["self"];
    assert_eq!(
        (&this["type"], &this["expandable"]),
        (&json!("Cart"), &json!(true))
    );
    assert_eq!(
        this["value"]["items"]["value"],
        json!({"type": "list", "count": 4, "preview": [1, 2, 3, 4]})
    );
    assert_eq!(
        (&this["value"]["me"]["value"], &this["value"]["me"]["cycle"]),
        (&json!("<Cart>"), &json!("self"))
    );
    assert_eq!(
        hit["evaluations"]["x+1"],
        json!({"result": "1", "type": "int"})
    );
    assert!(
        hit["evaluations"]["nope"]["error"]
            .as_str()
            .unwrap()
            .contains("NameError")
    );
    assert_eq!(hits[1]["evaluations"]["x+1"]["result"], "2");
    let end = ran.one("session_end");
    assert_eq!(
        (&end["reason"], &end["summary"]["breakpoints_hit"]),
        (&json!("max_stops"), &json!(2))
    );
}

#[test]
fn a_program_runs_to_its_end_and_its_exit_code_becomes_ours() {
    require!(debugpy);
    let runs = Runs::new();
    runs.file("ok.py", "print('fine')\n");
    runs.file(
        "bad.py",
        "import os, sys\nprint(os.environ['K'], sys.argv[1:])\nsys.exit(3)\n",
    );
    let ran = runs.run(&["ok.py"]);
    assert_eq!(
        (ran.code, ran.printed("stdout").as_str()),
        (Some(0), "fine\n")
    );
    assert_eq!(ran.one("session_start")["adapter"], "debugpy");
    assert_eq!(ran.one("process_launched")["adapter"], "debugpy");
    assert_eq!(ran.one("process_exited")["exit_code"], 0);
    let ran = runs.run(&["--program", "bad.py", "--args", "a 'b c'", "--env", "K=v=w"]);
    assert_eq!(
        (ran.code, ran.printed("stdout").as_str()),
        (Some(1), "v=w ['a', 'b c']\n")
    );
    assert_eq!(ran.one("process_exited")["exit_code"], 3);
    assert_eq!(ran.one("session_end")["summary"]["exit_code"], 3);
}

#[test]
fn conditions_and_hit_counts_choose_the_stop() {
    require!(debugpy);
    let runs = Runs::with_shop();
    let ran = runs.run(&[
        "-b",
        "shop.py:12?x > 1 and '?:' != ':'",
        "-b",
        "shop.py:13#3",
        "-e",
        "x",
        "shop.py",
    ]);
    let stops: Vec<_> = ran
        .of("breakpoint_hit")
        .iter()
        .map(|h| {
            (
                h["location"]["line"].as_i64().unwrap(),
                h["evaluations"]["x"]["result"].as_str().unwrap().to_owned(),
            )
        })
        .collect();
    assert_eq!(
        stops,
        [(12, "2".into()), (13, "2".into()), (12, "3".into())],
        "the third hit of line 13, and no later one"
    );
    let set = ran.of("breakpoint_set");
    assert_eq!(set[0]["condition"], "x > 1 and '?:' != ':'");
    assert_eq!(set[1]["hit_condition"], "3");
}

#[test]
fn five_steps_with_locals_show_where_the_discount_stays_zero() {
    require!(debugpy);
    let runs = Runs::with_shop();
    let ran = runs.run(&[
        "-b",
        "shop.py:8",
        "-s",
        "5",
        "--capture-each-step",
        "--diff-vars",
        "--eval-after-step",
        "-e",
        "self.rate",
        "--max-stops",
        "1",
        "shop.py",
    ]);
    let steps = ran.of("step_completed");
    assert_eq!(steps.len(), 5);
    let lines: Vec<_> = steps
        .iter()
        .map(|s| s["location"]["line"].as_i64().unwrap())
        .collect();
    assert_eq!(lines[..4], [9, 10, 12, 13], "line 11 is never reached");
    assert_eq!(steps[1]["changes"], json!({"created": {"discount": 0}}));
    assert_eq!(steps[2]["locals"]["discount"]["value"], 0);
    assert_eq!(steps[0]["step"], 1);
    assert_eq!(steps[2]["evaluations"]["self.rate"]["result"], "5");
    assert_eq!(ran.one("session_end")["summary"]["steps_executed"], 5);
}

#[test]
fn steps_go_over_into_and_out_and_are_plain_unless_more_is_asked_for() {
    require!(debugpy);
    let runs = Runs::with_shop();
    let lines = |kind: &str, at: &str, steps: &str| {
        let ran = runs.run(&[
            "-b",
            at,
            "-s",
            steps,
            "--step-kind",
            kind,
            "--max-stops",
            "1",
            "shop.py",
        ]);
        let steps = ran.of("step_completed");
        assert!(
            steps
                .iter()
                .all(|s| s.get("locals").is_none() && s.get("stack_trace").is_none())
        );
        steps
            .iter()
            .map(|s| s["location"]["line"].as_i64().unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(lines("in", "shop.py:18", "1"), [8]);
    assert_eq!(lines("over", "shop.py:18", "1"), [17]);
    assert_eq!(lines("out", "shop.py:9", "1"), [18]);
}

#[test]
fn changes_carry_the_value_before() {
    require!(debugpy);
    let runs = Runs::with_shop();
    let ran = runs.run(&["-b", "shop.py:12", "--diff-vars", "shop.py"]);
    let hits = ran.of("breakpoint_hit");
    assert!(hits[0].get("changes").is_none());
    assert_eq!(
        hits[1]["changes"],
        json!({"modified": {"x": {"old": 0, "new": 1}}})
    );
}

#[test]
fn assertions_end_the_run_when_they_are_false_or_fail() {
    require!(debugpy);
    let runs = Runs::with_shop();
    let ran = runs.run(&["-b", "shop.py:12", "--assert", "x < 2", "shop.py"]);
    assert_eq!(ran.code, Some(6));
    assert_eq!(ran.of("breakpoint_hit").len(), 3);
    let failed = ran.one("assertion_failed");
    assert_eq!(
        (&failed["expression"], &failed["evaluation"]["result"]),
        (&json!("x < 2"), &json!("False"))
    );
    assert_eq!(failed["location"]["line"], 12);
    let ran = runs.run(&["-b", "shop.py:12", "--assert", "unknown_name", "shop.py"]);
    assert_eq!(ran.code, Some(6));
    assert!(
        ran.one("assertion_failed")["evaluation"]["error"]
            .as_str()
            .unwrap()
            .contains("unknown_name")
    );
    let ran = runs.run(&["-b", "shop.py:12", "--assert", "x < 9", "shop.py"]);
    assert_eq!((ran.code, ran.of("breakpoint_hit").len()), (Some(0), 4));
}

#[test]
fn logpoints_print_and_do_not_stop() {
    require!(debugpy);
    let runs = Runs::with_shop();
    let ran = runs.run(&["-l", "shop.py:12|x is {x} at {self.rate}", "shop.py"]);
    let told: Vec<_> = ran
        .of("logpoint")
        .iter()
        .map(|l| l["message"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        told,
        ["x is 0 at 5", "x is 1 at 5", "x is 2 at 5", "x is 3 at 5"]
    );
    assert!(ran.of("breakpoint_hit").is_empty());
    assert_eq!(ran.printed("stdout"), "total 10\n".repeat(4));
}

/// A per cent sign is one, though some adapters take the text for a format.
#[test]
fn logpoints_print_what_is_written() {
    require!(debugpy);
    let runs = Runs::with_shop();
    for (text, wanted) in [
        ("{x}0% of {self.rate}%", "00% of 5%"),
        ("50% done", "50% done"),
        // Python's own way to write it; and what cannot be evaluated does not take the others with it.
        (
            "{x:02d} {{a}} {self.rate!r:>3} it's {nope} {'n'}",
            "00 {a}   5 it's <nope: NameError: name 'nope' is not defined> n",
        ),
    ] {
        let ran = runs.run(&["-l", &format!("shop.py:12|{text}"), "shop.py"]);
        assert_eq!(ran.of("logpoint")[0]["message"], wanted);
    }
    require!(go);
    require!(dlv);
    runs.file("go.mod", "module shop\n\ngo 1.19\n");
    runs.file(
        "main.go",
        "package main\n\nfunc main() {\n\tn := 7\n\tprintln(n)\n}\n",
    );
    for (text, wanted) in [("{n}% of 8%", "7% of 8%"), ("50% done", "50% done")] {
        let ran = runs.run(&["-l", &format!("main.go:5|{text}"), "."]);
        let told = ran.one("logpoint")["message"].as_str().unwrap();
        assert!(told.ends_with(wanted), "{told}");
    }
}

/// Python takes the code of one for that of the other, and debugpy with it.
#[test]
fn two_functions_that_read_the_same_are_two() {
    require!(debugpy);
    let runs = Runs::new();
    let same = "def plus(x):\n    return x + 1\n";
    runs.file("one.py", same);
    runs.file("two.py", same);
    runs.file(
        "app.py",
        "import one\nimport two\none.plus(1)\ntwo.plus(1)\n",
    );
    let ran = runs.run(&["-b", "two.py:2", "app.py"]);
    let stops = ran.of("breakpoint_hit");
    assert_eq!(stops.len(), 1, "{ran:#?}");
    let file = stops[0]["location"]["file"].as_str().unwrap();
    assert!(file.ends_with("two.py"), "{file}");
}

/// The adapter would start the same Python, and wait for it.
#[test]
fn a_python_that_the_debugger_does_not_run_on_is_told_at_once() {
    require!(debugpy);
    let runs = Runs::new();
    runs.file("app.py", "print(1)\n");
    let says = "#!/bin/sh\necho \"ImportError: cannot import name 'Literal'\" >&2\nexit 1\n";
    let python = runs.file("python3.7", says);
    std::fs::set_permissions(&python, std::fs::Permissions::from_mode(0o755)).unwrap();
    let ran = runs.run(&["./python3.7", "app.py"]);
    let error = ran.one("error");
    let (what, hint) = (error["message"].to_string(), error["hint"].to_string());
    assert!(what.contains("cannot import name"), "{what}");
    assert!(hint.contains("pip install debugpy"), "{hint}");
}

/// Whoever traces after the debugger takes its place; what coverage has in C cannot be kept from that, what it has in Python can.
#[test]
fn coverage_takes_no_breakpoints_away() {
    require!(debugpy);
    let runs = Runs::new();
    runs.file("coverage/__init__.py", "");
    runs.file(
        "coverage/pytracer.py",
        "import sys\n\ndef start():\n    sys.settrace(None)\n",
    );
    runs.file(
        "app.py",
        "import os, sys\nfrom coverage import pytracer\n\ndef work(n):\n    return n + 1\n\n\
         pytracer.start()\nwork(1)\nprint(sys.version_info >= (3, 12) or os.environ['COVERAGE_CORE'])\n",
    );
    let ran = runs.run(&["-b", "app.py:5", "app.py"]);
    assert_eq!(ran.of("breakpoint_hit").len(), 1, "{ran:#?}");
    let (core, told) = (ran.printed("stdout"), ran.printed("stderr"));
    // From 3.12 on there is room for both.
    let is_kept_away = core == "pytrace\n" && told.contains("coverage measures nothing");
    assert!(is_kept_away || core == "True\n", "{core} {told}");
}

/// As a server does that starts itself anew when its sources change.
#[test]
fn a_child_that_loads_an_edited_source_has_its_breakpoints_at_the_lines_of_now() {
    require!(debugpy);
    let runs = Runs::new();
    runs.file("worker.py", "def work(n):\n    return n + 1\n\nwork(1)\n");
    runs.file(
        "app.py",
        "import pathlib, subprocess, sys, time\nworker = pathlib.Path('worker.py')\n\
         for _ in range(2):\n    subprocess.run([sys.executable, 'worker.py'])\n    \
         worker.write_text('# more\\n' + worker.read_text())\n    \
         while time.time() < worker.stat().st_mtime + 0.1: pass\n",
    );
    let ran = runs.run(&["-b", "worker.py:2", "app.py"]);
    let lines = ran.of("breakpoint_hit");
    let lines = lines.iter().map(|stop| stop["location"]["line"].as_i64());
    assert_eq!(lines.collect::<Vec<_>>(), [Some(2), Some(3)], "{ran:#?}");
}

/// GDB's own adapter reads no further than the first byte that is none of its encoding.
#[test]
fn what_is_no_text_is_shown_as_far_as_it_is_one() {
    require!(gdb);
    let runs = Runs::new();
    let text = "#include <stdio.h>\nint main(void) {\n    puts(\"before\");\n    puts(\"caf\\xe9\");\n    puts(\"größe\");\n    return 0;\n}\n";
    let source = runs.file("bytes.c", text);
    let program = tools::build_c(&source, &runs.work().join("bytes"));
    let ran = runs.run(&["--adapter", "gdb", program.to_str().unwrap()]);
    assert_eq!(
        ran.printed("stdout"),
        "before\ncaf\u{fffd}\ngr\u{f6}\u{df}e\n"
    );
}

/// Delve builds what it debugs, and says what the compiler said when the start has failed.
#[test]
fn a_program_that_cannot_be_built_was_never_launched() {
    require!(go);
    require!(dlv);
    let runs = Runs::new();
    runs.file("go.mod", "module shop\n\ngo 1.19\n");
    runs.file("main.go", "package main\n\nfunc main() {\n\tn := 7\n}\n");
    let ran = runs.run(&["."]);
    assert_eq!(ran.code, Some(4), "{ran:#?}");
    assert!(ran.printed("stderr").contains("main.go:4:2"), "{ran:#?}");
    for never in ["process_launched", "process_exited"] {
        assert!(ran.of(never).is_empty(), "{ran:#?}");
    }
}

/// LLDB tells a signal's number as if the program had ended with it, GDB's adapter 0; one that is handled is no death.
#[test]
fn a_death_by_signal_is_no_exit_code() {
    require!(lldb_dap);
    require!(gdb);
    require!(codelldb);
    let runs = Runs::new();
    let text = "#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
static sigjmp_buf back;
static void caught(int signal) { siglongjmp(back, signal); }
int main(int argc, char **argv) {
  if (argc == 1) abort();
  signal(SIGSEGV, caught);
  if (sigsetjmp(back, 1) == 0) raise(SIGSEGV);
  return atoi(argv[1]);
}
";
    let source = runs.file("dies.c", text);
    let program = tools::build_c(&source, &runs.work().join("dies"));
    let program = program.to_str().unwrap();
    for adapter in ["lldb-dap", "lldb-cli", "gdb", "codelldb"] {
        let ran = runs.run(&["--adapter", adapter, program]);
        let end = ran.one("process_exited");
        let told = (&end["exit_code"], &end["signal"]);
        assert_eq!(told, (&json!(134), &json!("SIGABRT")), "{adapter}");
        for code in [0, 3] {
            let ran = runs.run(&["--adapter", adapter, program, &code.to_string()]);
            assert_eq!(ran.one("process_exited")["exit_code"], code, "{adapter}");
        }
    }
}

/// Conditions are C's, whatever the debugger's own expressions are, and a value of bash's is whole.
#[test]
fn expressions_are_the_languages_own() {
    require!(codelldb);
    let runs = Runs::new();
    let text = "int main(void) {\n    int sum = 0;\n    for (int i = 0; i < 9; i++)\n        sum += i;\n    return sum;\n}\n";
    let source = runs.file("loop.c", text);
    let program = tools::build_c(&source, &runs.work().join("loop"));
    let at = "loop.c:4?i > 2 && sum == 6";
    let options = [
        "--adapter",
        "codelldb",
        "-b",
        at,
        "-e",
        "(char)(i + 65)",
        "-e",
        "sizeof(sum)",
        "-e",
        "(i + 1) * 2",
    ];
    let ran = runs.run(&[&options[..], &[program.to_str().unwrap()]].concat());
    let hit = ran.one("breakpoint_hit");
    assert_eq!(hit["locals"]["i"]["value"], 4);
    assert_eq!(hit["evaluations"]["(char)(i + 65)"]["result"], "'E'");
    assert_eq!(hit["evaluations"]["sizeof(sum)"]["result"], "4");
    assert_eq!(hit["evaluations"]["(i + 1) * 2"]["result"], "10");
    require!(bash_dap);
    runs.file("words.sh", "x='two  words'\necho \"$x\"\n");
    let ran = runs.run(&["-b", "words.sh:2", "-e", "$x", "-e", "${x#two}", "words.sh"]);
    let hit = ran.one("breakpoint_hit");
    assert_eq!(hit["evaluations"]["$x"]["result"], "two  words");
    assert_eq!(hit["evaluations"]["${x#two}"]["result"], "  words");
}

/// To bash `>` names a file to write, and a condition is a command.
#[test]
fn a_comparison_stops_a_script_of_bash_and_writes_no_file() {
    require!(bash_dap);
    let runs = Runs::new();
    let text = "say() {\n  local n=$1\n  echo \"$n\"\n}\nfor i in 1 2 3; do say $i; done\n";
    let script = runs.file("say.sh", text);
    for condition in ["n > 2", "$n == 3", "[ $n > 2 ]", "(( n == 3 ))"] {
        let at = format!("say.sh:3?{condition}");
        let ran = runs.run(&["-b", &at, "-e", "n > 1", "-e", "$1", "say.sh"]);
        let hit = ran.one("breakpoint_hit");
        assert_eq!(hit["evaluations"]["n > 1"]["result"], "1", "{condition}");
        // What it has there is bash-dap's own.
        let error = hit["evaluations"]["$1"]["error"].as_str();
        assert!(
            error.unwrap().contains("cannot see the arguments"),
            "{hit:#}"
        );
    }
    let made = std::fs::read_dir(script.parent().unwrap()).unwrap();
    let made: Vec<_> = made.map(|entry| entry.unwrap().file_name()).collect();
    assert!(
        !made.iter().any(|name| name == "1" || name == "2"),
        "{made:?}"
    );
}

/// rdbg stops in the method's first line, and names the line of the `def`.
#[test]
fn a_breakpoint_at_a_def_of_ruby_stops_in_its_first_line() {
    require!(rdbg);
    let runs = Runs::new();
    let text = "def total(a)\n  a + 1\nend\nputs total(2)\n";
    runs.file("total.rb", text);
    let ran = runs.run(&["-b", "total.rb:1", "total.rb"]);
    let hit = ran.one("breakpoint_hit");
    assert_eq!(hit["location"]["function"], "Object#total", "{hit:#}");
    assert_eq!(hit["location"]["line"], 2);
}

/// debugpy knows functions by their own names, and takes any other for one that is never called.
#[test]
fn a_method_is_stopped_at_by_its_classs_name() {
    require!(debugpy);
    let runs = Runs::new();
    runs.file(
        "acc.py",
        "class Acc:\n    def add(self, x):\n        return x\nAcc().add(2)\n",
    );
    let ran = runs.run(&["-b", "fn:Acc.add", "acc.py"]);
    assert_eq!(ran.one("breakpoint_hit")["location"]["function"], "add");
}

/// What it printed last is what one needs: in a pipe of its own C library it would end with the program.
#[test]
fn a_program_in_c_prints_its_last_lines_before_it_aborts() {
    require!(gdb);
    let runs = Runs::new();
    let text = "#include <stdio.h>\n#include <stdlib.h>\nint main(void) {\n    puts(\"the last line\");\n    abort();\n}\n";
    let source = runs.file("aborts.c", text);
    let program = tools::build_c(&source, &runs.work().join("aborts"));
    let ran = runs.run(&["--adapter", "gdb", program.to_str().unwrap()]);
    assert_eq!(ran.printed("stdout"), "the last line\n");
    assert_eq!(ran.one("exception_thrown")["exception"]["type"], "SIGABRT");
}

/// They are the program's own code, which may do anything.
#[test]
fn getters_are_not_called() {
    require!(js_debug);
    require!(node);
    let runs = Runs::new();
    let text = "let calls = 0;\nclass Door {\n  get open() { calls += 1; return { calls }; }\n}\nfunction look(door) {\n  \
                return door;\n}\nlook(new Door());\nlook({ get lazy() { calls += 1; return 1; } });\nconsole.log('calls', calls);\n";
    runs.file("door.js", text);
    let ran = runs.run(&["-b", "door.js:6", "door.js"]);
    assert_eq!(ran.of("breakpoint_hit").len(), 2);
    assert_eq!(ran.printed("stdout"), "calls 0\n");
}

#[test]
fn exceptions_are_chosen_by_type_filter_and_whether_they_are_caught() {
    require!(debugpy);
    let runs = Runs::new();
    runs.file(
        "raise.py",
        "class Order:\n    def __init__(self):\n        self.customer = None\n\n    def name(self, upper):\n        return self.customer.name\n\n\
         def f(d):\n    try:\n        return d['a']\n    except KeyError:\n        pass\n    try:\n        Order().name(True)\n    \
         except AttributeError as error:\n        raise RuntimeError('outer') from error\n\nf({})\n",
    );
    let types = |args: &[&str]| {
        let mut all = args.to_vec();
        all.push("raise.py");
        let ran = runs.run(&all);
        let mut types: Vec<_> = ran
            .of("exception_thrown")
            .iter()
            .map(|e| e["exception"]["type"].as_str().unwrap().to_owned())
            .collect();
        // The adapter stops in each frame that an exception passes.
        types.dedup();
        (ran, types)
    };
    let (ran, found) = types(&[
        "--break-on-exception",
        "AttributeError",
        "-e",
        "self.customer",
        "-e",
        "upper",
    ]);
    assert_eq!(ran.code, Some(1));
    assert_eq!(
        found,
        ["AttributeError", "RuntimeError"],
        "the one asked for, and the one that nobody handles"
    );
    let thrown = ran.of("exception_thrown");
    assert_eq!(thrown[0]["evaluations"]["self.customer"]["result"], "None");
    assert_eq!(thrown[0]["evaluations"]["upper"]["result"], "True");
    assert_eq!(thrown[0]["locals"]["self"]["type"], "Order");
    assert_eq!(thrown[0]["location"]["line"], 6);
    assert_eq!(
        thrown[0]["exception"]["message"],
        "'NoneType' object has no attribute 'name'"
    );
    let outer = &thrown.last().unwrap()["exception"];
    assert_eq!(outer["inner_exception"]["type"], "AttributeError");
    assert_eq!(outer["root_cause"]["type"], "AttributeError");
    assert!(outer["stack_trace"].as_str().unwrap().contains("raise.py"));
    let (_, found) = types(&["--break-on-exception", "KeyError:uncaught"]);
    assert_eq!(found, ["RuntimeError"]);
    let (ran, found) = types(&["--break-on-exception", "raised", "--no-root-cause"]);
    assert!(
        found.contains(&"KeyError".to_owned()) && found.contains(&"AttributeError".to_owned()),
        "{found:?}"
    );
    assert!(
        ran.of("exception_thrown")
            .iter()
            .all(|e| e["exception"].get("root_cause").is_none())
    );
}

#[test]
fn the_path_is_followed_until_the_function_returns_or_something_ends_it() {
    require!(debugpy);
    let runs = Runs::with_shop();
    let trace = |args: &[&str]| {
        let mut all = vec!["-b", "shop.py:8#1", "--trace", "--no-capture-locals"];
        all.extend(args);
        all.push("shop.py");
        let ran = runs.run(&all);
        let done = ran.one("trace_completed").clone();
        assert_eq!(ran.of("trace_started").len(), 1);
        (ran, done["stop_reason"].as_str().unwrap().to_owned(), done)
    };
    let (ran, reason, _) = trace(&["--diff-vars"]);
    let lines: Vec<_> = ran
        .of("trace_step")
        .iter()
        .map(|s| s["location"]["line"].as_i64().unwrap())
        .collect();
    assert_eq!(
        (reason.as_str(), lines),
        ("function_return", vec![9, 10, 12, 13])
    );
    assert_eq!(
        ran.of("trace_step")[1]["changes"],
        json!({"created": {"discount": 0}})
    );
    assert_eq!(trace(&["--trace-limit", "2"]).1, "limit_reached");
    assert_eq!(
        trace(&["--trace-until", "discount == 0"]).1,
        "expression_true"
    );
    assert_eq!(trace(&["-b", "shop.py:12"]).1, "breakpoint");
    runs.file("fall.py", "def f():\n    a = 1\n    b = a // 0\n\nf()\n");
    let ran = runs.run(&["-b", "fall.py:2", "--trace", "fall.py"]);
    assert_eq!(ran.one("trace_completed")["stop_reason"], "exception");
    assert_eq!(
        ran.one("exception_thrown")["exception"]["type"],
        "ZeroDivisionError"
    );
    runs.file("flat.py", "a = 1\nb = 2\n");
    let ran = runs.run(&["--trace", "flat.py"]);
    assert_eq!(ran.one("stopped")["reason"], "entry");
    assert!(
        ["end_of_program", "function_return"]
            .contains(&ran.one("trace_completed")["stop_reason"].as_str().unwrap())
    );
    let into = runs.run(&[
        "-b",
        "shop.py:18#1",
        "--trace",
        "--trace-into",
        "--trace-limit",
        "3",
        "--compact",
        "shop.py",
    ]);
    assert!(
        into.of("trace_step").iter().any(|s| s["depth"] == 1),
        "{into:#?}"
    );
}

#[test]
fn depth_items_and_bytes_bound_what_is_told() {
    require!(debugpy);
    let runs = Runs::new();
    runs.file(
        "deep.py",
        "deep = {'a': {'b': {'c': {'d': 1}}}}\nmany = list(range(1000))\nlong = 'x' * 10000\nnone = None\nprint()\n",
    );
    let locals = |args: &[&str]| {
        let mut all = vec!["-b", "deep.py:5"];
        all.extend(args);
        all.push("deep.py");
        runs.run(&all).one("breakpoint_hit").clone()
    };
    let hit = locals(&[]);
    let many = &hit["locals"]["many"]["value"];
    assert_eq!(
        (&many["count"], many["preview"].as_array().unwrap().len()),
        (&json!(1000), 20)
    );
    let b = &hit["locals"]["deep"]["value"]["'a'"]["value"]["'b'"];
    assert_eq!(b["expandable"], true);
    assert!(b["value"].is_string(), "two levels: {b:#}");
    assert_eq!(hit["locals"]["long"]["length"], 10002, "with its quotes");
    assert_eq!(hit["locals"]["none"]["value"], Value::Null);
    let hit = locals(&["--depth", "4", "--max-items", "3"]);
    assert_eq!(
        hit["locals"]["deep"]["value"]["'a'"]["value"]["'b'"]["value"]["'c'"]["value"]["'d'"]["value"],
        1
    );
    assert_eq!(hit["locals"]["many"]["value"]["preview"], json!([0, 1, 2]));
    let hit = locals(&["--depth", "0"]);
    assert!(hit["locals"]["deep"]["value"].is_string());
    let hit = locals(&["--max-bytes", "400"]);
    assert_eq!(hit["truncated"], true);
    assert!(hit["locals"].to_string().len() < 2000);
    let hit = locals(&["--no-capture-locals"]);
    assert!(hit.get("locals").is_none());
}

#[test]
fn secrets_in_values_are_hidden_unless_asked_for() {
    require!(debugpy);
    let runs = Runs::new();
    runs.file(
        "secret.py",
        "password = 'correct-horse-battery'\nuser = 'ada'\nprint()\n",
    );
    let args = ["-b", "secret.py:3", "-e", "password", "secret.py"];
    let hit = runs.run(&args).one("breakpoint_hit").clone();
    assert!(!hit.to_string().contains("correct-horse"), "{hit:#}");
    assert_eq!(hit["locals"]["user"]["value"], "'ada'");
    let mut open = args.to_vec();
    open.insert(0, "--no-redact");
    let hit = runs.run(&open).one("breakpoint_hit").clone();
    assert_eq!(
        hit["locals"]["password"]["value"],
        "'correct-horse-battery'"
    );
    assert_eq!(
        hit["evaluations"]["password"]["result"],
        "'correct-horse-battery'"
    );
}

#[test]
fn compact_says_less() {
    require!(debugpy);
    let runs = Runs::with_shop();
    let ran = runs.run(&["--compact", "-b", "shop.py:12", "shop.py"]);
    let hits = ran.of("breakpoint_hit");
    assert_eq!(hits[0]["location"]["file"], "shop.py");
    assert!(hits[0]["stack_trace"].as_array().unwrap().len() <= 3);
    assert!(hits[1].get("locals").is_none());
    assert_eq!(
        hits[1]["changes"]["modified"]["x"],
        json!({"old": 0, "new": 1})
    );
    let ran = runs.run(&["--stack-limit", "1", "-b", "shop.py:12#1", "shop.py"]);
    assert_eq!(functions(ran.one("breakpoint_hit")), ["total"]);
    assert_eq!(ran.one("breakpoint_hit")["more_frames"], 2);
}

#[test]
fn events_are_chosen_and_written_to_a_file() {
    require!(debugpy);
    let runs = Runs::with_shop();
    let ran = runs.run(&[
        "--include",
        "breakpoint_hit,output",
        "--exclude",
        "output",
        "-b",
        "shop.py:12#1",
        "shop.py",
    ]);
    assert_eq!(ran.types(), ["breakpoint_hit", "session_end"]);
    let mut command = runs.command(&["-o", "events.ndjson", "-b", "shop.py:12#1", "shop.py"]);
    let output = command.output().unwrap();
    assert!(output.status.success() && output.stdout.is_empty());
    let text = std::fs::read_to_string(runs.work().join("events.ndjson")).unwrap();
    let events: Vec<Value> = text.lines().map(support::run::event).collect();
    assert_eq!(events.last().unwrap()["type"], "session_end");
    let output = runs
        .command(&["--pretty", "--include", "session_end", "shop.py"])
        .output()
        .unwrap();
    let pretty = String::from_utf8(output.stdout).unwrap();
    assert!(pretty.lines().count() > 5);
    support::run::event(&pretty);
}

#[test]
fn what_the_program_prints_cannot_drive_a_terminal() {
    require!(debugpy);
    let runs = Runs::new();
    runs.file(
        "evil.py",
        "x = '\\x1b[31m\\x9b1m\\u202e\\u2028'\nprint(x)\n",
    );
    let output = runs
        .command(&["-b", "evil.py:2", "evil.py"])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.chars()
            .all(|c| c == '\n' || !(c.is_control() || matches!(c, '\u{202e}' | '\u{2028}')))
    );
    let printed: String = text
        .lines()
        .map(support::run::event)
        .filter(|e| e["category"] == "stdout")
        .map(|e| e["text"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        printed, "\u{1b}[31m\u{9b}1m\u{202e}\u{2028}\n",
        "exactly what was printed"
    );
}

#[test]
fn a_c_program_stops_at_lines_functions_and_signals() {
    require!(lldb_dap);
    let runs = Runs::new();
    let program = tools::c_program();
    let program = program.to_str().unwrap();
    let source = program_source("prog.c");
    let price = line_of(&source, "price");
    let at = format!("{}:{price}", source.display());
    let ran = runs.run(&[
        "-a",
        "lldb-dap",
        "-b",
        &at,
        "-e",
        "item->price + 1",
        "--max-stops",
        "1",
        program,
    ]);
    let hit = ran.one("breakpoint_hit");
    assert_eq!(hit["location"]["function"], "price_of");
    assert_eq!(
        functions(hit)[..4],
        ["price_of", "total_of", "stock", "main"]
    );
    assert!(
        hit["stack_trace"]
            .as_array()
            .unwrap()
            .iter()
            .any(|f| f["file"].is_null() && f["line"].is_null())
    );
    assert_eq!(hit["evaluations"]["item->price + 1"]["result"], "3");
    let item = &hit["locals"]["item"]["value"];
    assert_eq!(item["price"]["value"], 2);
    assert!(
        item["name"]["value"].as_str().unwrap().contains("bolt"),
        "{item:#}"
    );
    let ran = runs.run(&[
        "-a",
        "lldb",
        "-b",
        "fn:price_of#2",
        "-e",
        "item->name",
        program,
    ]);
    let hit = ran.one("breakpoint_hit");
    assert!(
        hit["evaluations"]["item->name"]["result"]
            .as_str()
            .unwrap()
            .contains("nut"),
        "{hit:#}"
    );
    assert_eq!(ran.one("breakpoint_set")["function"], "price_of");
    let ran = runs.run(&["-a", "lldb-dap", program, "--", "crash"]);
    assert_eq!(ran.code, Some(1));
    let thrown = ran.one("exception_thrown");
    assert_eq!(
        (
            &thrown["exception"]["type"],
            &thrown["location"]["function"]
        ),
        (&json!("SIGSEGV"), &json!("crash"))
    );
    assert_eq!(
        thrown["exception"]["root_cause"]["category"],
        "null_reference"
    );
}

#[test]
fn a_go_program_stops_with_locals_and_evaluations() {
    require!(dlv);
    let go = require!(go);
    let runs = Runs::new();
    let program = tools::go_program(&go);
    let source = program_source("prog/main.go");
    let at = format!("{}:{}", source.display(), line_of(&source, "price-return"));
    let ran = runs.run(&[
        "-a",
        "dlv",
        "-b",
        &at,
        "-e",
        "price+1",
        program.to_str().unwrap(),
    ]);
    assert_eq!(ran.code, Some(0));
    let hits = ran.of("breakpoint_hit");
    assert_eq!(hits.len(), 3);
    assert_eq!(hits[0]["evaluations"]["price+1"]["result"], "21");
    assert_eq!(hits[0]["locals"]["item"]["value"]["Price"]["value"], 2);
    assert_eq!(functions(hits[0])[..2], ["main.priceOf", "main.totalOf"]);
    assert_eq!(ran.printed("stdout"), "total 165\n");
}

#[test]
fn a_childs_session_is_told_of_and_stops() {
    require!(debugpy);
    let runs = Runs::new();
    let source = tools::python_program();
    let at = format!("{}:{}", source.display(), line_of(&source, "total"));
    let ran = runs.run(&[
        "-b",
        &at,
        "-e",
        "total",
        source.to_str().unwrap(),
        "--",
        "child",
    ]);
    let child = ran.one("child_session_started");
    let hit = ran.one("breakpoint_hit");
    assert_eq!(hit["session"], child["session"]);
    assert_eq!(hit["evaluations"]["total"]["result"], "165");
    assert_eq!(ran.one("child_session_ended")["session"], child["session"]);
    assert_eq!(ran.code, Some(0));
}

#[test]
fn unverified_breakpoints_say_why() {
    require!(debugpy);
    require!(lldb_dap);
    let runs = Runs::new();
    let program = tools::c_program();
    let source = program_source("prog.c");
    runs.file("other.c", "int other(void) {\n    return 1;\n}\n");
    let ran = runs.run(&[
        "-a",
        "lldb-dap",
        "-b",
        "other.c:2",
        "-b",
        "fn:no_such_function",
        program.to_str().unwrap(),
    ]);
    let unverified = ran.one("session_end")["summary"]["unverified_breakpoints"].clone();
    let why: Vec<_> = unverified
        .as_array()
        .unwrap()
        .iter()
        .map(|u| u["diagnosis"].as_str().unwrap())
        .collect();
    assert!(
        why.iter().any(|w| w.contains("does not mention other.c")),
        "{why:?}"
    );
    assert!(
        why.iter().any(|w| w.contains("\"no_such_function\"")),
        "{why:?}"
    );
    runs.file("a.py", "print(1)\n");
    let at = format!("{}:28", source.display());
    let ran = runs.run(&["-b", &at, "a.py"]);
    let set = ran.one("breakpoint_set");
    assert_eq!(set["verified"], false);
    assert!(
        set["diagnosis"]
            .as_str()
            .unwrap()
            .contains("another language's file"),
        "{set:#}"
    );
}

/// Told when it is raised and again because nobody handles it, and one exception all the same; each of those that are handled is
/// another.
#[test]
fn an_exception_that_stops_twice_is_counted_once() {
    require!(debugpy);
    let runs = Runs::new();
    runs.file(
        "raise.py",
        "for n in range(2):\n    try:\n        raise ValueError('same')\n    except ValueError:\n        pass\nraise ValueError('same')\n",
    );
    let filters = [
        "--break-on-exception",
        "raised",
        "--break-on-exception",
        "uncaught",
    ];
    let ran = runs.run(&[&filters[..], &["raise.py"]].concat());
    let modes: Vec<_> = ran
        .of("exception_thrown")
        .iter()
        .map(|e| e["exception"]["break_mode"].clone())
        .collect();
    assert_eq!(modes, ["always", "always", "always", "unhandled"]);
    let summary = &ran.one("session_end")["summary"];
    assert_eq!(summary["exceptions_caught"], 3);
}

/// The words are those of the tool's action; what is no page of a value says why.
#[test]
fn values_are_told_as_data_at_each_stop() {
    require!(debugpy);
    let runs = Runs::new();
    let source = program_source("beside.py");
    let at = format!("{}:{}", source.display(), line_of(&source, "stop"));
    let ran = runs.run(&[
        "-b",
        &at,
        "--data",
        "rows --as table",
        "--data",
        "rows --compare stop 1",
        "--data",
        "nope",
        source.to_str().unwrap(),
    ]);
    let hits = ran.of("breakpoint_hit");
    assert_eq!(hits.len(), 2, "{ran:#?}");
    let table = &hits[1]["data"][0];
    assert_eq!(table["expression"], "rows");
    let rows = &table["content"]["table"]["rows"];
    assert_eq!(rows[0], json!([100, 0.0]), "{table:#}");
    assert!(
        hits[0]["data"][1]["error"]
            .as_str()
            .unwrap()
            .contains("no stop 1")
    );
    let compared = hits[1]["data"][1]["content"]["table"]["labels"].clone();
    assert_eq!(compared[2], "~ 2", "{compared}");
    assert!(
        hits[1]["data"][2]["error"]
            .as_str()
            .unwrap()
            .contains("nope")
    );
    let mut wrong = runs.command(&["--data", "rows --as none", source.to_str().unwrap()]);
    assert_eq!(wrong.output().unwrap().status.code(), Some(2));
}

/// GDB has no text for a structure; what reads `result` has the one in a line.
#[test]
fn a_structure_has_a_result_with_gdb() {
    require!(gdb);
    let source = program_source("data.rs");
    let at = format!("{}:{}", source.display(), line_of(&source, "stop"));
    let program = tools::rust_data();
    let program = program.to_str().unwrap();
    let runs = Runs::new();
    let ran = runs.run(&[
        "-a",
        "gdb",
        "-b",
        &at,
        "-e",
        "orders[1]",
        "--max-stops",
        "1",
        program,
    ]);
    let told = &ran.one("breakpoint_hit")["evaluations"]["orders[1]"];
    let result = told["result"].as_str().unwrap();
    assert!(result.contains("cust1"), "{told:#}");
}

/// Threads of a pool come to a breakpoint at the same moment: each is told of, with its own values, and none before it stands there.
#[test]
fn each_thread_of_a_pool_that_comes_to_a_breakpoint_is_told_of() {
    const POOL: &str = "from concurrent.futures import ThreadPoolExecutor\n\n\ndef square(x):\n    y = x * x  # MARK: here\n    return y\n\n\n\
                        for round in range(5):\n    with ThreadPoolExecutor(3) as pool:\n        \
                        print(sum(pool.map(square, range(round * 4, round * 4 + 4))))\n";
    require!(debugpy);
    let runs = Runs::new();
    let pool = runs.file("pool.py", POOL);
    let here = format!("pool.py:{}", line_of(&pool, "here"));
    for more in [&[][..], &["--plain-adapter"], &["--no-capture-locals"]] {
        let args = ["-a", "debugpy", "-b", &here, "-e", "x", "pool.py"];
        let ran = runs.run(&[&args, more].concat());
        assert_eq!(ran.code, Some(0), "{ran:#?}");
        let hits = ran.of("breakpoint_hit");
        let value = |hit: &&Value| {
            hit["evaluations"]["x"]["result"]
                .as_str()
                .map(str::to_owned)
        };
        let mut values: Vec<_> = hits.iter().filter_map(value).collect();
        values.sort_by_key(|text| text.parse::<i64>().unwrap());
        let all: Vec<_> = (0..20).map(|x| x.to_string()).collect();
        assert_eq!(values, all, "{more:?}: {ran:#?}");
        assert_eq!(ran.printed("stderr"), "", "{more:?}");
    }
    // A step lets all of them go on, and one that stops before the step has begun is told of instead.
    let ran = runs.run(&[
        "-a",
        "debugpy",
        "-b",
        &here,
        "--steps",
        "2",
        "--timeout",
        "60s",
        "pool.py",
    ]);
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    assert!(!ran.of("step_completed").is_empty(), "{ran:#?}");
}
