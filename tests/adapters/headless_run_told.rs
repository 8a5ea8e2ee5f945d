//! `omp-debug run` says what adapters keep to themselves: what came of breakpoints, what is one exception, what is a secret.

use crate::support;

use std::process::Command;

use serde_json::{Value, json};
use support::run::{Runs, SHOP};
use support::{line_of, program_source, tools};

/// What nobody says otherwise: breakpoints that moved, that were never hit, whose condition is broken; one exception once.
#[test]
fn what_came_of_each_breakpoint_is_told() {
    require!(debugpy);
    let runs = Runs::new();
    let shop = runs.file("shop.py", SHOP);
    let ran = runs.run(&[
        "-b",
        "shop.py:14",
        "-b",
        "shop.py:11",
        "-b",
        "shop.py:12?nope > 1",
        "-l",
        "shop.py:9|sub {sub}",
        "shop.py",
    ]);
    assert_eq!(ran.one("session_start")["adapter"], "debugpy");
    let moved = ran.of("breakpoint_set");
    let moved = moved
        .iter()
        .find(|e| e["requested_line"] == 14)
        .unwrap_or_else(|| panic!("{ran:#?}"));
    assert_ne!(moved["line"], 14);
    let summary = &ran.one("session_end")["summary"];
    let silent: Vec<_> = summary["never_hit"].as_array().unwrap().iter().collect();
    let at = |line: u32| json!(format!("{}:{line}", shop.display()));
    let places: Vec<_> = silent.iter().map(|s| s["at"].clone()).collect();
    assert!(places.contains(&at(11)), "{places:?}");
    assert!(!places.contains(&at(9)), "{places:?}");
    let broken = silent.iter().find(|s| s["at"] == at(12)).unwrap();
    assert_eq!(broken["condition"], "nope > 1");
    let diagnosis = broken["diagnosis"].as_str().unwrap();
    assert!(diagnosis.contains("could not be evaluated"), "{diagnosis}");
    let warnings: Vec<_> = ran
        .of("adapter_message")
        .iter()
        .filter(|m| m["severity"] == "warning")
        .map(|m| m["text"].as_str().unwrap().to_owned())
        .collect();
    assert!(
        warnings
            .iter()
            .any(|w| w.contains("shop.py:14 was moved to")),
        "{warnings:?}"
    );
    assert!(
        warnings
            .iter()
            .any(|w| w.contains("`nope > 1` of shop.py:12 could not be evaluated")),
        "{warnings:?}"
    );
}

#[test]
fn a_condition_at_which_an_adapter_stops_in_error_is_warned_of_once() {
    require!(lldb_dap);
    let runs = Runs::new();
    let program = tools::c_program();
    let source = program_source("prog.c");
    let at = format!("{}:{}?nope > 1", source.display(), line_of(&source, "loop"));
    let ran = runs.run(&["-a", "lldb-dap", "-b", &at, program.to_str().unwrap()]);
    assert!(ran.of("breakpoint_hit").len() > 1, "{ran:#?}");
    let warned: Vec<_> = ran
        .of("adapter_message")
        .into_iter()
        .filter(|m| m["text"].as_str().unwrap().contains("`nope > 1`"))
        .collect();
    assert_eq!(warned.len(), 1, "{ran:#?}");
}

/// A name in a condition that means nothing is told while the program runs, once, at its breakpoint, and not when it is over.
fn assert_misspelt(adapter: &str, program: &str, source: &str) {
    let runs = Runs::new();
    let source = program_source(source);
    let line = line_of(&source, "loop");
    let at = format!("{}:{line}?nope > 1", source.display());
    let ran = runs.run(&["-a", adapter, "-b", &at, "--max-stops", "2", program]);
    let place = |is_it: &dyn Fn(&Value) -> bool| ran.events.iter().position(is_it);
    let name = source.file_name().unwrap().to_str().unwrap();
    let sentence = format!("The condition `nope > 1` of {name}:{line} could not be evaluated: ");
    let is_told = |e: &Value| {
        let text = e["text"].as_str().unwrap_or_default();
        text.starts_with(&sentence) && text.contains("nope")
    };
    let told = place(&is_told).unwrap_or_else(|| panic!("{adapter}: {ran:#?}"));
    let over = place(&|e| e["type"] == "process_exited").unwrap();
    assert!(told < over, "{adapter}: {ran:#?}");
    let times = ran.events.iter().filter(|e| is_told(e)).count();
    assert_eq!(times, 1, "{adapter}: {ran:#?}");
    // What the adapter says of it at each stop is not the program's output. js-debug does not say of which condition it speaks.
    if adapter != "js-debug" {
        let said = ran.of("output");
        let said: Vec<_> = said.iter().filter_map(|e| e["text"].as_str()).collect();
        assert!(
            !said.iter().any(|text| text.contains("nope")),
            "{adapter}: {said:#?}"
        );
    }
    // Nor is another reason made up for what never stopped.
    let later: Vec<_> = ran.events.iter().skip(told).collect();
    let later = format!("{later:#?}");
    assert!(!later.contains("never in place"), "{adapter}: {later}");
    assert!(!later.contains("optimised away"), "{adapter}: {later}");
}

#[test]
fn a_misspelt_condition_is_told_at_once_with_gdb() {
    require!(gdb);
    assert_misspelt("gdb", tools::c_program().to_str().unwrap(), "prog.c");
}

#[test]
fn a_misspelt_condition_is_told_at_once_with_lldb_dap() {
    require!(lldb_dap);
    assert_misspelt("lldb-dap", tools::c_program().to_str().unwrap(), "prog.c");
}

#[test]
fn a_misspelt_condition_is_told_at_once_with_codelldb() {
    require!(codelldb);
    assert_misspelt("codelldb", tools::c_program().to_str().unwrap(), "prog.c");
}

#[test]
fn a_misspelt_condition_is_told_at_once_with_debugpy() {
    require!(debugpy);
    let program = program_source("inventory.py");
    assert_misspelt("debugpy", program.to_str().unwrap(), "inventory.py");
}

#[test]
fn a_misspelt_condition_is_told_at_once_with_js_debug() {
    require!(js_debug);
    let program = program_source("prog.js");
    assert_misspelt("js-debug", program.to_str().unwrap(), "prog.js");
}

/// What a module of JavaScript declares is what its own statements work with, in whichever scope the adapter puts it.
#[test]
fn the_variables_of_a_module_are_locals_of_its_own_statements() {
    require!(js_debug);
    let runs = Runs::new();
    runs.file(
        "top.mjs",
        "const first = 3;\nlet total = first * 2;\nfor (const n of [1, 2]) {\n  total += n;\n}\nconsole.log(total);\n",
    );
    let ran = runs.run(&["-b", "top.mjs:4", "-b", "top.mjs:6", "top.mjs"]);
    let stops = ran.of("breakpoint_hit");
    let shown = |name: &str| -> Vec<_> {
        let values = stops.iter().map(|stop| &stop["locals"][name]["value"]);
        values.filter_map(Value::as_i64).collect()
    };
    assert_eq!(shown("first"), [3, 3, 3], "{ran:#?}");
    assert_eq!(shown("total"), [6, 7, 9], "{ran:#?}");
    assert_eq!(shown("n"), [1, 2], "{ran:#?}");
}

/// Code stands in a function before it, and V8 takes that for the module's first.
#[test]
fn a_module_is_stopped_at_its_first_statement_and_once() {
    require!(js_debug);
    let runs = Runs::new();
    runs.file(
        "late.mjs",
        "import 'node:os';\nfunction half(n) {\n  return n / 2;\n}\nconst a = half(4);\nconsole.log(half(a));\n",
    );
    let ran = runs.run(&["--stop-on-entry", "late.mjs"]);
    assert_eq!(ran.one("stopped")["reason"], "entry");
    assert_eq!(ran.one("stopped")["location"]["line"], 5, "{ran:#?}");
    assert_eq!(ran.one("process_exited")["exit_code"], 0);
}

/// js-debug evaluates scripts of its own before the program begins, and their names (`eval-….cdp`) have these letters in them.
#[test]
fn a_program_with_a_short_name_is_debugged() {
    require!(js_debug);
    let runs = Runs::new();
    for name in ["a.js", "e.js", "eval.js"] {
        runs.file(name, "let n = 1;\nn += 1;\nconsole.log(n);\n");
        let ran = runs.run(&["-b", &format!("{name}:2"), name]);
        let line = &ran.one("breakpoint_hit")["location"]["line"];
        assert_eq!(*line, 2, "{ran:#?}");
        assert_eq!(ran.one("process_exited")["exit_code"], 0);
    }
}

/// The very first code of a translated file runs when its map has just been read: in a module it may be in a function.
#[test]
fn the_first_code_of_a_translated_module_is_stopped_at() {
    require!(js_debug);
    let runs = Runs::new();
    runs.file(
        "half.ts",
        "export function half(n: number): number {\n  return n / 2;\n}\n",
    );
    // Line by line; the second from its fifth column to the third of its source.
    let map = r#"{"version":3,"file":"half.js","sources":["half.ts"],"names":[],"mappings":"AAAA;IACE;AACF"}"#;
    runs.file("half.js.map", map);
    runs.file(
        "half.js",
        "export function half(n) {\n    return n / 2;\n}\n//# sourceMappingURL=half.js.map\n",
    );
    runs.file("package.json", "{\"type\": \"module\"}\n");
    runs.file(
        "main.js",
        "import { half } from './half.js';\nconsole.log(half(4));\n",
    );
    let ran = runs.run(&["-b", "half.ts:2", "main.js"]);
    let place = &ran.one("breakpoint_hit")["location"];
    assert_eq!(place["line"], 2, "{ran:#?}");
    assert!(place["file"].as_str().unwrap().ends_with("half.ts"));
}

/// Its input is no terminal's, and nobody gave it a file.
#[test]
fn a_program_that_asks_for_input_is_told_how_to_get_it() {
    require!(debugpy);
    let runs = Runs::new();
    runs.file("asks.py", "print(input())\n");
    runs.file("given", "Ada\n");
    let told = |args: &[&str]| {
        let ran = runs.run(args);
        let is_it = |event: &Value| {
            let text = event["text"].as_str().unwrap_or_default();
            text.starts_with("No input: --console pty")
        };
        (ran.events.iter().filter(|event| is_it(event)).count(), ran)
    };
    let (count, ran) = told(&["asks.py"]);
    assert_eq!(count, 1, "{ran:#?}");
    let (count, ran) = told(&["--stdin", "given", "asks.py"]);
    assert_eq!(
        (count, ran.printed("stdout").as_str()),
        (0, "Ada\n"),
        "{ran:#?}"
    );
}

/// A runner translates it as it is loaded; the name is one that is in that of each such file.
#[test]
fn what_is_translated_while_it_is_loaded_is_stopped_at() {
    require!(js_debug);
    require!(esbuild);
    let runs = Runs::new();
    let esbuild = tools::test_home().join("esbuild/node_modules/esbuild");
    let hook = "const options = { loader: 'ts', format: 'cjs', sourcemap: 'inline', minifyWhitespace: true, keepNames: true };
require.extensions['.ts'] = (module, sourcefile) => {
  const text = require('fs').readFileSync(sourcefile, 'utf8');
  module._compile(transformSync(text, { ...options, sourcefile }).code, sourcefile);
};
";
    let hook = runs.file(
        "hook.js",
        &format!(
            "const {{ transformSync }} = require({:?});\n{hook}",
            esbuild.display()
        ),
    );
    let runner = runs.work().join("node_modules/.bin/tsx");
    std::fs::create_dir_all(runner.parent().unwrap()).unwrap();
    let starts = format!(
        "#!/usr/bin/env node
const child = require('child_process').spawn(process.execPath, ['--require', {:?}, ...process.argv.slice(2)], {{ stdio: 'inherit' }});
child.on('exit', (code) => process.exit(code));
",
        hook.display()
    );
    tools::executable(&runner, &starts);
    let program = "enum Color { Red, Green }
class Ages {
  constructor(private all: number[]) {}
  sum(): number { return this.all.reduce((a, b) => a + b, 0); }
}
async function main() {
  const ages = new Ages([3, 5]);
  console.log(Color[1], ages.sum());
}
main();
";
    runs.file("ts.ts", program);
    let ran = runs.run(&["-b", "ts.ts:8", "--max-stops", "1", "-t", "60s", "ts.ts"]);
    let place = &ran.one("breakpoint_hit")["location"];
    assert_eq!(
        (&place["line"], &place["function"]),
        (&json!(8), &json!("main")),
        "{ran:#?}"
    );
    let program = "interface P { n: number }

function add(p: P, k: number): number {
  const r = p.n + k;
  return r;
}

let s = 0;
for (let i = 0; i < 5; i++) s += add({ n: i }, 1);
console.log(s);
";
    runs.file("t.ts", program);
    for command in [&["t.ts"][..], &["npx", "tsx", "t.ts"]] {
        let args = [&["-b", "t.ts:4", "--max-stops", "1", "-t", "60s"], command].concat();
        let ran = runs.run(&args);
        let place = &ran.one("breakpoint_hit")["location"];
        assert_eq!(place["line"], 4, "{command:?}: {ran:#?}");
    }
    let ran = runs.run(&["--stop-on-entry", "--max-stops", "1", "-t", "60s", "t.ts"]);
    assert_eq!(ran.one("breakpoint_hit")["location"]["line"], 8, "{ran:#?}");
}

/// V8 takes the code of a function for the first of a file that begins with it; `exports` is no `export`.
#[test]
fn every_line_of_a_translated_script_is_stopped_at() {
    require!(js_debug);
    let runs = Runs::new();
    let source = "function f(n: number): number {\n  return n + 1;\n}\nconsole.log(f(0));\n";
    let code = "function f(n) {\n    return n + 1;\n}\nconsole.log(f(0));\n";
    for (name, head, mappings) in [
        ("plain", "\"use strict\";\n", ";AAAA;IACE;AACF;AACA"),
        ("exported", "exports.f = f;\n", ";AAAA;IACE;AACF;AACA"),
    ] {
        let map = json!({"version": 3, "sources": [format!("{name}.ts")], "names": [], "mappings": mappings});
        runs.file(&format!("{name}.ts"), source);
        runs.file(&format!("{name}.js.map"), &map.to_string());
        let program = format!("{name}.js");
        runs.file(
            &program,
            &format!("{head}{code}//# sourceMappingURL={program}.map\n"),
        );
        let (first, second) = (format!("{name}.ts:4"), format!("{name}.ts:2"));
        let ran = runs.run(&["-b", &first, "-b", &second, &program]);
        let hits = ran.of("breakpoint_hit");
        let lines: Vec<_> = hits.iter().map(|hit| &hit["location"]["line"]).collect();
        assert_eq!(lines, [4, 2], "{name}: {ran:#?}");
    }
}

/// Its address is a key: whoever has it can make the program run anything.
#[test]
fn where_the_inspector_is_stands_on_no_pipe_and_in_no_terminal() {
    require!(js_debug);
    let runs = Runs::new();
    runs.file("said.js", "console.log('said');\n");
    for place in ["pipe", "pty"] {
        let ran = runs.run(&["--console", place, "said.js"]);
        let told = format!("{ran:#?}");
        assert!(told.contains("said\\n"), "{place}: {told}");
        assert!(!told.contains("ws://"), "{place}: {told}");
    }
}

#[test]
fn a_function_of_a_timer_has_its_name_and_its_error_is_nobodys() {
    require!(js_debug);
    let runs = Runs::new();
    runs.file(
        "tick.js",
        "setTimeout(function tick() {\n  throw new Error('late');\n}, 1);\n",
    );
    let ran = runs.run(&["-b", "tick.js:2", "tick.js"]);
    let function = &ran.one("breakpoint_hit")["location"]["function"];
    assert_eq!(*function, "tick", "{ran:#?}");
    let exception = &ran.one("exception_thrown")["exception"];
    assert_eq!(exception["break_mode"], "unhandled", "{ran:#?}");
}

/// Its text goes on with the stack, twice.
#[test]
fn an_error_of_javascript_is_shown_by_what_it_says() {
    require!(js_debug);
    let runs = Runs::new();
    runs.file(
        "error.js",
        "const inner = new TypeError('no such\\nthing');\nconst outer = new Error('lost', { cause: inner });\nconsole.log(outer);\n",
    );
    let ran = runs.run(&["-b", "error.js:3", "error.js"]);
    let hit = ran.one("breakpoint_hit");
    let shown = |name: &str| hit["locals"][name]["preview"].as_str().unwrap().to_owned();
    assert_eq!(shown("outer"), "Error: lost", "{ran:#?}");
    assert_eq!(shown("inner"), "TypeError: no such\nthing");
    let value = hit["locals"]["outer"]["value"].to_string();
    assert!(value.contains("error.js:2"), "{value}");
}

/// V8 takes what Node's own loader catches for caught: the way to where it is thrown is said, once, and only of modules that fail.
#[test]
fn an_error_that_ends_a_module_is_told_how_to_be_met() {
    require!(js_debug);
    let runs = Runs::new();
    runs.file(
        "ends.mjs",
        "import 'node:os';\nthrow new RangeError('no');\n",
    );
    let told = |arguments: &[&str]| {
        let ran = runs.run(arguments);
        let said = |m: &&&Value| {
            m["text"]
                .as_str()
                .is_some_and(|t| t.contains("Caught Exceptions"))
        };
        (
            ran.of("adapter_message").iter().filter(said).count(),
            ran.of("exception_thrown").len(),
        )
    };
    assert_eq!(told(&["ends.mjs"]), (1, 0));
    assert_eq!(
        told(&["--break-on-exception", "raised", "ends.mjs"]),
        (0, 1)
    );
    runs.file("fine.mjs", "import 'node:os';\nlet a = 1;\n");
    assert_eq!(told(&["fine.mjs"]), (0, 0));
}

#[test]
fn an_exception_is_told_once_however_many_frames_it_passes() {
    require!(debugpy);
    let runs = Runs::new();
    runs.file(
        "deep.py",
        "def inner(n):\n    raise ValueError(n)\ndef middle(n):\n    inner(n)\nfor n in (7, 7):\n    try:\n        middle(n)\n    except ValueError:\n        pass\n",
    );
    let ran = runs.run(&["--break-on-exception", "raised", "deep.py"]);
    let told = ran.of("exception_thrown");
    assert_eq!(told.len(), 2, "{told:#?}");
    for event in told {
        assert_eq!(event["location"]["function"], "inner");
    }
}

/// The steps after the last stop come by another breakpoint, which is no stop of its own then.
#[test]
fn no_more_stops_than_wanted_though_steps_follow() {
    require!(debugpy);
    let runs = Runs::with_shop();
    let ran = runs.run(&[
        "-b",
        "shop.py:9",
        "-b",
        "shop.py:10",
        "-b",
        "shop.py:12",
        "--steps",
        "2",
        "--max-stops",
        "1",
        "shop.py",
    ]);
    assert_eq!(ran.of("breakpoint_hit").len(), 1, "{ran:#?}");
    assert_eq!(ran.of("step_completed").len(), 2, "{ran:#?}");
    assert_eq!(ran.one("session_end")["reason"], "max_stops");
}

/// A secret has its name in one place only, and is one in all of them.
#[test]
fn a_secret_is_hidden_wherever_else_its_value_is() {
    require!(debugpy);
    let runs = Runs::new();
    runs.file(
        "secret.py",
        "password = 'correct-horse-battery'\nlst = [password, 'a']\ncopy = password\nprint()\nx = 1\nraise ValueError('no ' + copy)\n",
    );
    let ran = runs.run(&[
        "-b",
        "secret.py:4",
        "-e",
        "lst",
        "-e",
        "copy + 'x'",
        "-l",
        "secret.py:5|is {copy}",
        "--break-on-exception",
        "raised",
        "secret.py",
    ]);
    let hit = ran.one("breakpoint_hit");
    let shown = hit["locals"]["lst"]["value"]["preview"][0]
        .as_str()
        .unwrap();
    assert!(shown.contains("[redacted:"), "{hit:#}");
    let logged = ran.one("logpoint")["message"].as_str().unwrap();
    assert!(
        logged.starts_with("is ") && logged.contains("[redacted:"),
        "{logged}"
    );
    let thrown = &ran.of("exception_thrown")[0]["exception"];
    let message = thrown["message"].as_str().unwrap();
    assert!(message.starts_with("no [redacted:"), "{thrown:#}");
    for event in &ran.events {
        // The program's own line of source is its own.
        let told = event.to_string();
        assert!(!told.contains("correct-horse"), "{event:#}");
    }
}

/// A base name, or another folder: the program was made of a file that is elsewhere.
#[test]
fn a_breakpoint_in_another_file_of_that_name_is_told_where_the_programs_is() {
    require!(lldb_dap);
    let runs = Runs::new();
    let program = tools::c_program();
    let source = program_source("prog.c").canonicalize().unwrap();
    let wanted = format!(
        "set it at {}:{}",
        source.display(),
        line_of(&source, "loop")
    );
    runs.file("copy/prog.c", &std::fs::read_to_string(&source).unwrap());
    let run = |runs: &Runs, given: &str| {
        let at = format!("{given}:{}", line_of(&source, "loop"));
        runs.run(&["-a", "lldb-dap", "-b", &at, program.to_str().unwrap()])
    };
    let ran = run(&runs, "copy/prog.c");
    let summary = &ran.one("session_end")["summary"];
    let lists = [&summary["unverified_breakpoints"], &summary["never_hit"]];
    let mut why = lists
        .iter()
        .filter_map(|list| list[0]["diagnosis"].as_str());
    // An adapter that goes by the name alone stops there.
    match why.next() {
        Some(why) => assert!(why.contains(&wanted), "{why}"),
        None => assert!(!ran.of("breakpoint_hit").is_empty(), "{ran:#?}"),
    }
    // Where there is none of that name, only the program's can be meant.
    let ran = run(&Runs::new(), "prog.c");
    let placed = ran.one("breakpoint_set");
    assert_eq!(placed["file"], source.to_str().unwrap(), "{ran:#?}");
}

/// What a file imports and defines is no state of the program: it is counted, and told when asked for.
#[test]
fn modules_and_functions_of_a_files_own_frame_are_counted() {
    require!(debugpy);
    let runs = Runs::new();
    runs.file(
        "top.py",
        "import os\nimport sys\ndef work():\n    pass\ntotal = 7\nprint(total)\n",
    );
    let args = ["-b", "top.py:6", "top.py"];
    let hit = runs.run(&args).one("breakpoint_hit").clone();
    let names = |event: &Value| -> Vec<String> {
        let locals = event["locals"].as_object().unwrap();
        locals.keys().cloned().collect()
    };
    assert_eq!(names(&hit), ["total"], "{hit:#}");
    assert!(hit["locals_left_out"].as_u64().unwrap() >= 2, "{hit:#}");
    let mut all = args.to_vec();
    all.insert(0, "--all-variables");
    let hit = runs.run(&all).one("breakpoint_hit").clone();
    let names = names(&hit);
    for name in ["os", "sys", "total"] {
        assert!(names.iter().any(|n| n == name), "{name}: {names:?}");
    }
}

/// An exception's text stands in its message, in its traceback and in what it comes down to; what was hidden once is hidden later.
#[test]
fn an_exceptions_secrets_are_hidden_in_all_of_its_texts() {
    require!(debugpy);
    let runs = Runs::new();
    runs.file(
        "raises.py",
        "name = 'wolf-hound-' + '77'\nprint('api_key=' + name, flush=True)\nraise ValueError('at postgres://ada:grey-' + 'goose-4411@db/x for ' + name)\n",
    );
    let ran = runs.run(&["-b", "raises.py:3", "-e", "name", "raises.py"]);
    assert_eq!(ran.of("exception_thrown").len(), 1, "{ran:#?}");
    for event in &ran.events {
        let told = event.to_string();
        let mut secrets = ["wolf-hound-77", "grey-goose-4411"].iter();
        assert!(!secrets.any(|secret| told.contains(secret)), "{event:#}");
    }
}

/// In what the program prints and in what it is given.
#[test]
fn output_and_arguments_are_told_without_secrets() {
    require!(debugpy);
    let runs = Runs::new();
    runs.file(
        "says.py",
        "import sys\nprint('password=wolf-hound-77')\nprint('given', sys.argv[2])\nfor piece in 'the token:', ' ', 'blue-heron-5521', '\\n':\n    sys.stdout.write(piece)\n    sys.stdout.flush()\n",
    );
    let words = ["says.py", "--", "--token", "grey-goose-4411"];
    let ran = runs.run(&words);
    let all = format!("{:?}", ran.events);
    // The last one comes in pieces, none of which says what it is.
    let secrets = ["wolf-hound-77", "grey-goose-4411", "blue-heron-5521"];
    for secret in secrets {
        assert!(!all.contains(secret), "{all}");
    }
    assert!(ran.printed("stdout").contains("[redacted"));
    let plain = runs.run(&[&["--no-redact"], &words[..]].concat());
    assert_eq!(
        plain.printed("stdout"),
        "password=wolf-hound-77\ngiven grey-goose-4411\nthe token: blue-heron-5521\n"
    );
    runs.run(&[&["--record", "says.rec"], &words[..]].concat());
    let played = Command::new(tools::omp_debug())
        .args(["replay", "--print"])
        .arg(runs.work().join("says.rec"))
        .output()
        .unwrap();
    let played = String::from_utf8(played.stdout).unwrap();
    assert!(played.contains("the token:"), "{played}");
    for secret in secrets {
        assert!(!played.contains(secret), "{secret}: {played}");
    }
}

/// Runs a script under its own adapter with these breakpoints: what is said at the end of the ones that nothing stopped at.
fn diagnoses(runs: &Runs, breakpoints: &[&str], script: &str) -> (usize, Vec<String>) {
    let mut args: Vec<_> = breakpoints.iter().flat_map(|at| ["-b", at]).collect();
    args.push(script);
    let ran = runs.run(&args);
    let summary = &ran.one("session_end")["summary"];
    let lists = [&summary["unverified_breakpoints"], &summary["never_hit"]];
    let all = lists.into_iter().filter_map(Value::as_array).flatten();
    let told = |missed: &Value| missed["diagnosis"].as_str().unwrap().to_owned();
    (ran.of("breakpoint_hit").len(), all.map(told).collect())
}

#[test]
fn a_function_that_the_adapter_passes_over_is_told_with_what_to_do() {
    require!(rdbg);
    let runs = Runs::new();
    runs.file("r.rb", "def total(n)\n  n\nend\nputs total(5)\n");
    let (hits, told) = diagnoses(&runs, &["fn:total"], "r.rb");
    assert_eq!((hits, told.len()), (0, 1), "{told:?}");
    assert!(
        told[0].contains("did not say that it placed it"),
        "{told:?}"
    );
    assert!(
        told[0].contains("at the file and line of total"),
        "{told:?}"
    );
}

#[test]
fn a_function_that_nobody_calls_and_a_count_are_what_they_say() {
    require!(debugpy);
    let runs = Runs::with_shop();
    let (hits, told) = diagnoses(&runs, &["fn:nosuch", "shop.py:14#=2"], "shop.py");
    assert_eq!(hits, 1, "{told:?}");
    assert_eq!(told, ["no function of that name was called"]);
}

#[test]
fn bash_compares_names_as_texts_and_says_what_it_passes_over() {
    require!(bash_dap);
    let runs = Runs::new();
    runs.file(
        "a.sh",
        "f() { echo \"in $1\"; }\nfor i in 1 2 3; do\n  name=p$i\n  p2=p2\n  f $i\ndone\n",
    );
    for (condition, hits) in [
        ("name == p2", 1),
        ("name != p2", 2),
        ("name == p3", 1),
        ("name == 'p1'", 1),
        ("i == 2", 1),
        ("i >= 2", 2),
    ] {
        let at = format!("a.sh:5?{condition}");
        assert_eq!(diagnoses(&runs, &[&at], "a.sh").0, hits, "{condition}");
    }
    let (hits, told) = diagnoses(&runs, &["a.sh:99", "fn:f"], "a.sh");
    assert_eq!(hits, 0);
    assert!(
        told.iter().any(|why| why.contains("has only 6 lines")),
        "{told:?}"
    );
    assert!(
        told.iter().any(|why| why.contains("written on one line")),
        "{told:?}"
    );
}

/// Who may not set a breakpoint may not end anything either: nothing was begun.
#[test]
fn what_is_not_permitted_is_refused_before_the_start() {
    let runs = Runs::with_shop();
    let ran = runs.run(&["--permission", "observe", "-b", "shop.py:14", "shop.py"]);
    assert_eq!(ran.code, Some(7), "{ran:#?}");
    assert_eq!(ran.types(), ["session_start", "error", "session_end"]);
}

/// A group of exceptions is told with those in it, the first of them as what it came from.
#[test]
fn the_exceptions_of_a_group_are_told_with_it() {
    const GROUP: &str = "class Odd(Exception):\n    def __str__(self):\n        raise RuntimeError\n\n\n\
                         def failed(error):\n    try:\n        raise error\n    except Exception as caught:\n        return caught\n\n\n\
                         inner = ExceptionGroup('inner', [KeyError('k'), Odd()])\n\
                         raise ExceptionGroup('all', [failed(ValueError('a')), inner])\n";
    require!(debugpy);
    let runs = Runs::new();
    runs.file("group.py", GROUP);
    let ran = runs.run(&["-a", "debugpy", "group.py"]);
    let told = &ran.one("exception_thrown")["exception"];
    assert_eq!(told["type"], "ExceptionGroup");
    assert_eq!(told["message"], "all (2 sub-exceptions)");
    let parts = |of: &Value| -> Vec<(String, String)> {
        let all = of["parts"].as_array().unwrap().iter();
        let text = |one: &Value, key: &str| one[key].as_str().unwrap().to_owned();
        all.map(|one| (text(one, "type"), text(one, "message")))
            .collect()
    };
    let pair = |name: &str, message: &str| (name.to_owned(), message.to_owned());
    assert_eq!(
        parts(told),
        [
            pair("ValueError", "a"),
            pair("ExceptionGroup", "inner (2 sub-exceptions)")
        ]
    );
    assert_eq!(
        parts(&told["parts"][1]),
        [
            pair("KeyError", "'k'"),
            pair("Odd", "<RuntimeError in its text>")
        ]
    );
    assert_eq!(told["inner_exception"]["type"], "ValueError");
    let trace = told["inner_exception"]["stack_trace"].as_str().unwrap();
    assert!(trace.contains("group.py\", line 8, in failed"), "{trace}");
    assert_eq!(told["root_cause"]["type"], "ValueError");
}

/// A logpoint whose text is a value alone is told apart from what the program prints.
#[test]
fn a_logpoint_that_says_a_value_alone_is_told_as_one() {
    require!(debugpy);
    let runs = Runs::new();
    runs.file("loop.py", "for x in range(3):\n    print(x * x)\n");
    let ran = runs.run(&["-a", "debugpy", "-l", "loop.py:2|{x}", "loop.py"]);
    let told = ran.of("logpoint");
    let texts: Vec<_> = told
        .iter()
        .map(|one| one["message"].as_str().unwrap())
        .collect();
    assert_eq!(texts, ["0", "1", "2"]);
    assert_eq!(ran.printed("stdout"), "0\n1\n4\n");
    assert_eq!(ran.printed("console"), "");
}
