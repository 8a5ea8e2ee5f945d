//! Commands as they are typed: each is built, stops at a breakpoint and where its test fails, and ends as it would have ended by itself.

use crate::support;

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde_json::Value;
use support::run::{Ran, Runs};
use support::tools;

/// A command on one of the projects below.
struct Row {
    /// What it needs.
    tools: &'static [&'static str],
    files: &'static [(&'static str, &'static str)],
    command: &'static str,
    /// A breakpoint that it comes to.
    at: (&'static str, i64),
    /// Where its test fails, by file and line.
    fails: Option<(&'static str, i64)>,
    code: i32,
}

const CARGO: &[(&str, &str)] = &[
    (
        "Cargo.toml",
        "[workspace]\nmembers = [\"one\", \"two\"]\nresolver = \"2\"\n",
    ),
    (
        "one/Cargo.toml",
        "[package]\nname = \"one\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    ),
    (
        "two/Cargo.toml",
        "[package]\nname = \"two\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    ),
    (
        "one/src/lib.rs",
        "pub fn adds(a: i32, b: i32) -> i32 {\n    let sum = a + b;\n    sum\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds_well() {\n        \
         assert_eq!(super::adds(1, 2), 3);\n    }\n}\n",
    ),
    (
        "one/tests/more.rs",
        "#[test]\nfn adds_badly() {\n    let sum = one::adds(2, 2);\n    assert_eq!(sum, 5);\n}\n",
    ),
    (
        "two/src/main.rs",
        "fn main() {\n    let total: usize = std::env::args().skip(1).map(|a| a.len()).sum();\n    std::process::exit(total as i32);\n}\n",
    ),
];
const PYTHON: &[(&str, &str)] = &[
    (
        "pkg/__init__.py",
        "def total(xs):\n    result = sum(xs)\n    return result\n",
    ),
    (
        "pkg/__main__.py",
        "import sys\nfrom . import total\ntotal([1])\nsys.exit(len(sys.argv))\n",
    ),
    (
        "app.py",
        "import sys\nfrom pkg import total\ntotal([1])\nsys.exit(len(sys.argv))\n",
    ),
    (
        "test_a.py",
        "import pytest\nfrom pkg import total\n\n@pytest.mark.parametrize('n', [1, 2, 3])\ndef test_total(n):\n    with pytest.raises(ZeroDivisionError):\n        \
         1 / 0\n    got = total([n])\n    assert got < 3\n",
    ),
];
const GO: &[(&str, &str)] = &[
    ("go.mod", "module example.com/x\n\ngo 1.19\n"),
    (
        "shop/shop.go",
        "package shop\n\nfunc Total(n int) int {\n\tsum := n + 1\n\treturn sum\n}\n",
    ),
    (
        "shop/shop_test.go",
        "package shop\n\nimport \"testing\"\n\nfunc TestTotal(t *testing.T) {\n\tt.Run(\"sub\", func(t *testing.T) {\n\t\tif Total(1) != 1 {\n\t\t\t\
         t.Fatalf(\"bad\")\n\t\t}\n\t})\n}\n",
    ),
    (
        "main.go",
        "package main\n\nimport (\n\t\"os\"\n\n\t\"example.com/x/shop\"\n)\n\nfunc main() {\n\tos.Exit(shop.Total(len(os.Args)))\n}\n",
    ),
];
const NODE: &[(&str, &str)] = &[
    (
        "package.json",
        "{\"name\": \"x\", \"version\": \"1.0.0\", \"scripts\": {\"test\": \"node --test\", \"app\": \"node app.js\"}}",
    ),
    (
        "shop.js",
        "exports.total = (xs) => {\n  const sum = xs.length;\n  return sum;\n};\n",
    ),
    (
        "app.js",
        "const { total } = require('./shop');\ntotal([]);\nprocess.exit(process.argv.length);\n",
    ),
    (
        "shop.test.js",
        "const test = require('node:test');\nconst assert = require('node:assert');\nconst { total } = require('./shop');\ntest('adds', () => {\n  \
         assert.throws(() => { throw new Error('meant'); });\n  assert.strictEqual(total([1]), 2);\n});\n\
         const late = async () => {\n  await null;\n  throw new Error('late');\n};\n\
         test('catches', async () => {\n  try {\n    JSON.parse('{');\n  } catch {\n  }\n  await assert.rejects(late());\n  await assert.rejects(() => late());\n  \
         try {\n    await late();\n  } catch {\n  }\n  await late()\n    .catch(() => {});\n});\n",
    ),
];
const RUBY: &[(&str, &str)] = &[
    ("Gemfile", "source 'https://rubygems.org'\ngem 'rspec'\n"),
    ("shop.rb", "def total(xs)\n  sum = xs.sum\n  sum\nend\n"),
    (
        "spec/shop_spec.rb",
        "require_relative '../shop'\nRSpec.describe 'total' do\n  it 'adds' do\n    expect { raise 'meant' }.to raise_error('meant')\n    expect(total([1])).to eq(2)\n  end\nend\n",
    ),
    (
        "test_shop.rb",
        "require 'minitest/autorun'\nrequire_relative 'shop'\nclass TestShop < Minitest::Test\n  def test_adds\n    assert_raises(RuntimeError) { raise 'meant' }\n    \
         assert_equal 2, total([1])\n  end\nend\n",
    ),
];
const CMAKE: &[(&str, &str)] = &[
    (
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.18)\nproject(shop C)\nset(CMAKE_BUILD_TYPE Debug)\nenable_testing()\nadd_executable(shop_test test.c)\n\
         add_test(NAME adds COMMAND shop_test 3)\nadd_test(NAME adds_badly COMMAND shop_test 4)\n",
    ),
    (
        "test.c",
        "#include <assert.h>\n#include <stdlib.h>\nstatic int total(int a) {\n    int sum = a + 2;\n    return sum;\n}\nint main(int argc, char **argv) {\n    \
         assert(total(argc - 1) == atoi(argv[1]));\n    return 0;\n}\n",
    ),
];
const MAKE: &[(&str, &str)] = &[
    (
        "Makefile",
        "check: tests/prices\n\tcd tests && WANTED=4 ./prices --all\n\ttouch after\ntests/prices: prices.c\n\tmkdir -p tests\n\tcc -g -o $@ $<\n",
    ),
    (
        "script.sh",
        "#!/bin/sh\nset -e\nmake -s tests/prices\nexport WANTED=3\ntests/prices\ntouch after\nexit 9\n",
    ),
    (
        "prices.c",
        "#include <assert.h>\n#include <stdlib.h>\nstatic int total(int a) {\n    int sum = a + 2;\n    return sum;\n}\nint main(int argc, char **argv) {\n    \
         assert(total(1) == atoi(getenv(\"WANTED\")));\n    return argc + 1;\n}\n",
    ),
];
const VITEST: &[(&str, &str)] = &[
    (
        "package.json",
        "{\"name\": \"x\", \"version\": \"1.0.0\", \"scripts\": {\"test\": \"vitest run\"}}",
    ),
    (
        "shop.ts",
        "export function total(xs: number[]): number {\n  const sum = xs.length;\n  return sum;\n}\n",
    ),
    (
        "shop.test.ts",
        "import { expect, test } from 'vitest';\nimport { total } from './shop';\ntest('adds', () => {\n  \
         expect(() => { throw new Error('meant'); }).toThrow();\n  expect(total([1])).toBe(2);\n});\n",
    ),
];

const DENO: &[(&str, &str)] = &[
    ("deno.json", "{}"),
    (
        "shop.ts",
        "export function total(xs: number[]): number {\n  const sum: number = xs.length;\n  return sum;\n}\n",
    ),
    (
        "shop_test.ts",
        "import { strictEqual, throws } from 'node:assert';\nimport { total } from './shop.ts';\nDeno.test('adds', () => {\n  \
         throws(() => { throw new Error('meant'); });\n  strictEqual(total([1]), 2);\n});\n",
    ),
];

const ROWS: &[Row] = &[
    Row {
        tools: &["gdb"],
        files: CARGO,
        command: "cargo test adds",
        at: ("one/src/lib.rs", 2),
        fails: Some(("one/tests/more.rs", 4)),
        code: 101,
    },
    Row {
        tools: &["gdb"],
        files: CARGO,
        command: "cargo test -p one --lib",
        at: ("one/src/lib.rs", 2),
        fails: None,
        code: 0,
    },
    Row {
        tools: &["gdb"],
        files: CARGO,
        command: "cargo run -q --bin two -- abc",
        at: ("two/src/main.rs", 3),
        fails: None,
        code: 3,
    },
    Row {
        tools: &["gdb", "cargo-nextest"],
        files: CARGO,
        command: "cargo nextest run",
        at: ("one/src/lib.rs", 2),
        fails: Some(("one/tests/more.rs", 4)),
        code: 100,
    },
    Row {
        tools: &["pytest"],
        files: PYTHON,
        command: "pytest -q test_a.py -k total",
        at: ("pkg/__init__.py", 2),
        fails: Some(("test_a.py", 9)),
        code: 1,
    },
    Row {
        tools: &["pytest"],
        files: PYTHON,
        command: "python3 -m pytest",
        at: ("pkg/__init__.py", 2),
        fails: Some(("test_a.py", 9)),
        code: 1,
    },
    Row {
        tools: &["python3"],
        files: PYTHON,
        command: "python3 -m pkg -b a",
        at: ("pkg/__init__.py", 2),
        fails: None,
        code: 3,
    },
    Row {
        tools: &["python3"],
        files: PYTHON,
        command: "python3 app.py --eval x y",
        at: ("pkg/__init__.py", 2),
        fails: None,
        code: 4,
    },
    Row {
        tools: &["uv"],
        files: PYTHON,
        command: "uv run --no-project app.py x",
        at: ("pkg/__init__.py", 2),
        fails: None,
        code: 2,
    },
    Row {
        tools: &["go", "dlv"],
        files: GO,
        command: "go test -tags extra ./shop -run Total",
        at: ("shop/shop.go", 4),
        fails: Some(("shop/shop_test.go", 8)),
        code: 1,
    },
    Row {
        tools: &["go", "dlv"],
        files: GO,
        command: "go test ./...",
        at: ("shop/shop.go", 5),
        fails: Some(("shop/shop_test.go", 8)),
        code: 1,
    },
    Row {
        tools: &["go", "dlv"],
        files: GO,
        command: "go run -tags extra . -v",
        at: ("shop/shop.go", 4),
        fails: None,
        code: 1,
    },
    Row {
        tools: &["npm"],
        files: NODE,
        command: "npm test",
        at: ("shop.js", 2),
        fails: Some(("shop.test.js", 6)),
        code: 1,
    },
    Row {
        tools: &["npm"],
        files: NODE,
        command: "npm run app -- x",
        at: ("shop.js", 3),
        fails: None,
        code: 3,
    },
    Row {
        tools: &["node"],
        files: NODE,
        command: "node --test",
        at: ("shop.js", 2),
        fails: Some(("shop.test.js", 6)),
        code: 1,
    },
    Row {
        tools: &["node"],
        files: NODE,
        command: "node app.js -b",
        at: ("shop.js", 2),
        fails: None,
        code: 3,
    },
    Row {
        tools: &["rspec", "rdbg"],
        files: RUBY,
        command: "rspec",
        at: ("shop.rb", 2),
        fails: Some(("spec/shop_spec.rb", 5)),
        code: 1,
    },
    Row {
        tools: &["bundle", "rspec", "rdbg"],
        files: RUBY,
        command: "bundle exec rspec spec",
        at: ("shop.rb", 3),
        fails: Some(("spec/shop_spec.rb", 5)),
        code: 1,
    },
    Row {
        tools: &["cmake", "gdb"],
        files: CMAKE,
        command: "ctest --test-dir build -R adds",
        at: ("test.c", 4),
        fails: Some(("test.c", 8)),
        code: 8,
    },
    Row {
        tools: &["make", "gdb"],
        files: MAKE,
        command: "make -j2 check",
        at: ("prices.c", 4),
        fails: Some(("prices.c", 8)),
        code: 134,
    },
    Row {
        tools: &["make", "gdb"],
        files: MAKE,
        command: "sh script.sh",
        at: ("prices.c", 5),
        fails: None,
        code: 2,
    },
    Row {
        tools: &["npm", "vitest"],
        files: VITEST,
        command: "npx vitest run",
        at: ("shop.ts", 2),
        fails: Some(("shop.test.ts", 5)),
        code: 1,
    },
    Row {
        tools: &["npm", "vitest"],
        files: VITEST,
        command: "npm test",
        at: ("shop.ts", 3),
        fails: Some(("shop.test.ts", 5)),
        code: 1,
    },
    Row {
        tools: &["deno"],
        files: DENO,
        command: "deno test",
        at: ("shop.ts", 3),
        fails: Some(("shop_test.ts", 5)),
        code: 1,
    },
    Row {
        tools: &["ruby", "rdbg"],
        files: RUBY,
        command: "ruby test_shop.rb",
        at: ("shop.rb", 2),
        fails: Some(("test_shop.rb", 6)),
        code: 1,
    },
];

/// Whether the machine has what a command needs.
fn is_here(row: &Row) -> bool {
    row.tools.iter().all(|name| {
        let names: &[&str] = if *name == "rdbg" {
            &["rdbg", "rdbg3.1", "rdbg3.3"]
        } else {
            &[name]
        };
        let folders = ["vitest/node_modules/.bin", "deno/bin"];
        let mut installed = folders
            .map(|folder| tools::test_home().join(folder).join(name))
            .into_iter();
        let found = installed.find(|file| file.exists());
        let found = found.or_else(|| tools::find(names));
        // It is long in the making, and no part of a toolchain.
        let found = match *name {
            "cargo-nextest" => found,
            _ => tools::required(name, found),
        };
        found.is_some()
    })
}

/// A project with these files, where the machine has what its command needs.
fn project(row: &Row) -> Option<Runs> {
    is_here(row).then(|| made(row))
}

fn made(row: &Row) -> Runs {
    let runs = Runs::new();
    for (name, text) in row.files {
        runs.file(name, text);
    }
    if row.tools.contains(&"vitest") {
        let installed = tools::test_home().join("vitest/node_modules");
        std::os::unix::fs::symlink(installed, runs.work().join("node_modules")).unwrap();
    }
    if row.command.starts_with("ctest") {
        let made = std::process::Command::new("cmake")
            .args(["-S", ".", "-B", "build"])
            .current_dir(runs.work())
            .output();
        assert!(made.unwrap().status.success());
    }
    runs
}

/// Runs a command, options of ours before it.
fn run(runs: &Runs, options: &[&str], command: &str) -> Ran {
    let words: Vec<_> = command.split(' ').collect();
    let mut command = runs.command(&[options, &["-t", "150s"], &words].concat());
    let mut folders = vec![tools::test_home().join("venv/bin")];
    folders.extend(
        (runs.work().join("deno.json").exists()).then(|| tools::test_home().join("deno/bin")),
    );
    folders.extend(std::env::split_paths(&std::env::var("PATH").unwrap()));
    let path = std::env::join_paths(folders).unwrap();
    let home = std::env::var("HOME").unwrap();
    runs.finish(
        command
            .env_remove("CARGO_TARGET_DIR")
            .env("PATH", path)
            .env("HOME", home),
    )
}

fn is_at(event: &Value, runs: &Runs, (file, line): (&str, i64)) -> bool {
    let location = &event["location"];
    location["file"] == runs.work().join(file).to_str().unwrap() && location["line"] == line
}

/// The commands on these projects, one after the other: those of one project find built what the one before has built.
fn assert_commands(projects: &[&[(&str, &str)]]) {
    for files in projects {
        let mut kept: Option<Runs> = None;
        for row in ROWS.iter().filter(|row| row.files == *files) {
            if is_here(row) {
                assert_command(kept.get_or_insert_with(|| made(row)), row);
            }
        }
    }
}

fn assert_command(runs: &Runs, row: &Row) {
    let at = format!("{}:{}", row.at.0, row.at.1);
    let ran = run(runs, &["-b", &at], row.command);
    let what = row.command;
    let stops: Vec<_> = ran
        .of("breakpoint_hit")
        .into_iter()
        .chain(ran.of("exception_thrown"))
        .collect();
    let (failed, hit): (Vec<_>, Vec<_>) = stops
        .into_iter()
        .partition(|stop| !is_at(stop, runs, row.at));
    assert!(!hit.is_empty(), "{what}: {ran:#?}");
    assert_eq!(failed.is_empty(), row.fails.is_none(), "{what}: {ran:#?}");
    for stop in failed {
        assert!(
            is_at(stop, runs, row.fails.unwrap()),
            "{what}: {stop:#}\n{ran:#?}"
        );
    }
    assert_eq!(ran.code, Some(row.code), "{what}: {ran:#?}");
    assert!(
        !ran.printed("stderr").contains("js-debug"),
        "{what}: {ran:#?}"
    );
    assert!(!runs.work().join("after").exists(), "{what}: {ran:#?}");
}

#[test]
fn a_command_stops_at_a_breakpoint_and_where_its_test_fails_and_ends_as_itself() {
    assert_commands(&[PYTHON, RUBY, CMAKE, MAKE]);
}

#[test]
fn commands_of_cargo_and_go_stop_and_end_as_themselves() {
    assert_commands(&[CARGO, GO]);
}

#[test]
fn commands_of_javascript_stop_and_end_as_themselves() {
    assert_commands(&[NODE, VITEST, DENO]);
}

#[test]
fn each_of_several_programs_of_cargo_is_called_by_its_file() {
    let Some(runs) = project(&ROWS[0]) else {
        return;
    };
    let command = "cargo test adds --no-fail-fast";
    let ran = run(&runs, &[], command);
    let second = &ran.one("child_session_started")["name"];
    // Cargo tells first what it has built first.
    let both = ["unittests one/src/lib.rs", "one/tests/more.rs"];
    let both = both.map(|part| format!("{command}: {part}"));
    assert!(both.iter().any(|name| second == name), "{ran:#?}");
}

const PANICS: &str = r#"
fn helper() {
    None::<i32>.unwrap(); // FAILS
}

fn refuses(why: &str) -> i32 {
    Err::<i32, _>(why).unwrap() // FAILS
}

#[test]
#[should_panic]
fn a_waits() {
    helper();
}

#[test]
#[should_panic(expected = "no such")]
fn b_waits() {
    refuses("no such shelf");
}

#[test]
#[should_panic(expected = "no such")]
fn c_fails() {
    refuses("another");
}

#[test]
fn d_catches() {
    let caught = std::panic::catch_unwind(|| {
        helper();
    });
    assert!(caught.is_err());
}

#[test]
fn e_tidies() {
    let caught = std::panic::catch_unwind(helper);
    if let Err(why) = caught {
        std::panic::resume_unwind(why);
    }
}

#[test]
fn f_begins() {
    std::panic::resume_unwind(Box::new("no shelf")); // FAILS
}

#[test]
fn g_returns() -> Result<(), std::num::ParseIntError> { // FAILS
    let count: u32 = "none".parse()?;
    assert_eq!(count, 1);
    Ok(())
}
"#;

fn of_panics(adapter: &str) {
    let runs = Runs::new();
    let manifest = "[package]\nname = \"one\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    runs.file("Cargo.toml", manifest);
    runs.file("src/lib.rs", PANICS);
    let ran = run(&runs, &["--adapter", adapter], "cargo test --lib");
    let own = runs.work().join("src/lib.rs");
    let lines: Vec<_> = ran
        .of("exception_thrown")
        .iter()
        .map(|stop| {
            assert_eq!(stop["location"]["file"], own.to_str().unwrap(), "{stop:#}");
            stop["location"]["line"].as_u64().unwrap()
        })
        .collect();
    let fails = PANICS
        .lines()
        .zip(1..)
        .filter(|(text, _)| text.ends_with("// FAILS"));
    let fails: Vec<u64> = fails.map(|(_, line)| line).collect();
    // What waits for another text; what is handed on, where it was raised and not where it goes on; and what begins there.
    assert_eq!(lines, [fails[1], fails[0], fails[2], fails[3]], "{ran:#?}");
    let last = &ran.of("exception_thrown")[3]["exception"];
    assert_eq!(last["type"], "error returned", "{last:#}");
    let error = last["message"].as_str().unwrap();
    assert!(error.starts_with("ParseIntError {kind: "), "{error}");
    assert_eq!(ran.code, Some(101), "{ran:#?}");
}

#[test]
fn panics_that_a_test_waits_for_are_passed_over_with_gdb() {
    require!(gdb);
    of_panics("gdb");
}

#[test]
fn panics_that_a_test_waits_for_are_passed_over_with_lldb_dap() {
    require!(lldb_dap);
    of_panics("lldb-dap");
}

#[test]
fn panics_that_a_test_waits_for_are_passed_over_with_codelldb() {
    require!(codelldb);
    of_panics("codelldb");
}

/// Node reads the source of what failed where an assertion has no text, and stops reading by an exception of its own.
#[test]
fn every_assertion_of_node_stops_where_it_fails() {
    const FAILS: &str = "\
const assert = require('node:assert');
const { test } = require('node:test');
test('ok', () => {
  assert.ok(1 === 2); // FAILS
});
test('text', async () => {
  await null;
  assert(1 === 2, 'no'); // FAILS
});
test('equal', () => {
  assert.strictEqual(1, 2); // FAILS
});
";
    let row = ROWS
        .iter()
        .find(|row| row.command == "node --test")
        .unwrap();
    let Some(runs) = project(row) else { return };
    runs.file("shop.test.js", FAILS);
    let ran = run(&runs, &[], row.command);
    let stops = ran.of("exception_thrown");
    let lines: Vec<_> = stops
        .iter()
        .map(|stop| stop["location"]["line"].as_u64())
        .collect();
    let fails = FAILS
        .lines()
        .zip(1..)
        .filter(|(text, _)| text.ends_with("// FAILS"));
    let fails: Vec<_> = fails.map(|(_, line)| Some(line)).collect();
    assert_eq!(lines, fails, "{ran:#?}");
}

#[test]
fn what_does_not_compile_is_told_with_its_place_and_the_exit_code_of_the_build() {
    let broken: [(&Row, (&str, &str, i64)); 5] = [
        (&ROWS[0], ("one/src/lib.rs", "sum\n}", 3)),
        (&ROWS[9], ("shop/shop.go", "return sum", 5)),
        (&ROWS[11], ("shop/shop.go", "return sum", 5)),
        (&ROWS[18], ("test.c", "return sum", 5)),
        (&ROWS[19], ("prices.c", "return sum", 5)),
    ];
    for (row, (file, text, line)) in broken {
        let Some(runs) = project(row) else { continue };
        let source = row.files.iter().find(|(name, _)| *name == file).unwrap().1;
        runs.file(file, &source.replacen(text, &text.replace("sum", "sun"), 1));
        let ran = run(&runs, &[], row.command);
        let told = ran.of("diagnostic");
        let path = runs.work().join(file);
        let is_it = |one: &&&Value| {
            one["severity"] == "error"
                && one["file"] == path.to_str().unwrap()
                && one["line"] == line
        };
        assert!(told.iter().any(|one| is_it(&one)), "{ran:#?}");
        assert!(
            ran.one("error")["message"]
                .as_str()
                .unwrap()
                .contains("failed"),
            "{ran:#?}"
        );
        let mut words = row.command.split(' ');
        let mut alone = std::process::Command::new(words.next().unwrap());
        let alone = alone
            .args(words)
            .current_dir(runs.work())
            .env_remove("CARGO_TARGET_DIR")
            .output();
        // ctest builds nothing by itself.
        if !row.command.starts_with("ctest") {
            assert_eq!(ran.code, alone.unwrap().status.code(), "{}", row.command);
        }
    }
}

#[test]
fn what_a_runner_cannot_read_is_told_with_its_place() {
    for (command, file, line) in [
        ("npx vitest run", "shop.ts", 3),
        ("node --test", "shop.js", 3),
        ("pytest -q test_a.py -k total", "pkg/__init__.py", 3),
        ("deno test", "shop.ts", 3),
    ] {
        let row = ROWS.iter().find(|row| row.command == command).unwrap();
        let Some(runs) = project(row) else { continue };
        let source = row.files.iter().find(|(name, _)| *name == file).unwrap().1;
        runs.file(file, &source.replacen("  return ", "  return return ", 1));
        let ran = run(&runs, &[], command);
        let told = ran.of("diagnostic");
        let path = runs.work().join(file);
        let is_it = |one: &&&Value| one["file"] == path.to_str().unwrap() && one["line"] == line;
        assert!(told.iter().any(|one| is_it(&one)), "{command}: {ran:#?}");
        assert_ne!(ran.code, Some(0), "{command}: {ran:#?}");
    }
}

#[test]
fn what_bun_and_deno_run_is_refused_before_the_start() {
    for (command, says) in [
        ("bun test", "no debug adapter"),
        ("deno run app.ts", "`deno test` can be"),
    ] {
        let ran = run(&Runs::new(), &[], command);
        let error = ran.one("error");
        assert!(
            error["message"].as_str().unwrap().contains(says),
            "{error:#}"
        );
        assert!(error["hint"].as_str().unwrap().contains("tsx"), "{error:#}");
        assert!(ran.of("process_launched").is_empty());
    }
}

#[test]
fn a_command_that_comes_to_no_program_of_the_project_says_why() {
    if tools::required("make", tools::find(&["make"])).is_none() {
        return;
    }
    let runs = Runs::new();
    for (name, text) in MAKE {
        runs.file(name, &text.replace("cc -g", "cc"));
    }
    let said = |command: &str| {
        let ran = run(&runs, &[], command);
        assert!(ran.of("process_launched").is_empty(), "{ran:#?}");
        (
            ran.one("error")["message"].as_str().unwrap().to_owned(),
            ran.code,
        )
    };
    let (said_bare, _) = said("sh script.sh");
    assert!(
        said_bare.contains("tests/prices, which has no debug information: build it with -g"),
        "{said_bare}"
    );
    let nothing = said("make -s tests/prices");
    assert!(
        nothing.0.contains("ran no program of this project"),
        "{nothing:?}"
    );
    let (failed, code) = said("make missing");
    assert!(
        failed.contains("`make missing` failed with exit code 2"),
        "{failed}"
    );
    assert_eq!(code, Some(2));
    // What is traced already cannot be traced by us.
    let program = tools::omp_debug();
    let inner = runs.command(&[]);
    let env: Vec<_> = inner
        .get_envs()
        .filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())))
        .collect();
    let mut outer = std::process::Command::new(program);
    outer
        .arg("--follow")
        .arg(runs.work())
        .arg(program)
        .args(["run", "make", "check"]);
    let said = outer
        .current_dir(runs.work())
        .env_clear()
        .envs(env)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(said.contains("lets no program trace another"), "{said}");
}

/// pyenv, rbenv and the like put a script of a shell on PATH for each tool, which starts the one of the version that is chosen.
#[test]
fn the_stand_in_of_a_version_manager_leads_to_its_tool() {
    require!(debugpy);
    let runs = Runs::new();
    runs.file("app.py", "def total(n):\n    got = n + 1\n    return got\n");
    let elsewhere = tempfile::tempdir().unwrap();
    let script = |name: &str, text: &str| {
        let file = elsewhere.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, text).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        file
    };
    let tool =
        "import sys\nsys.path.insert(0, '')\nimport app\nsys.exit(app.total(int(sys.argv[1])))\n";
    let tool = script("versions/3/bin/serve", tool);
    let text = format!("#!/bin/sh\nexec python3 '{}' \"$@\"\n", tool.display());
    let shims = script("shims/serve", &text);
    let path = std::env::var_os("PATH").unwrap();
    let folders = [
        shims.parent().unwrap(),
        &tools::test_home().join("venv/bin"),
    ];
    let folders = folders.map(Path::to_path_buf).into_iter();
    let path = std::env::join_paths(folders.chain(std::env::split_paths(&path)));
    let words = ["-t", "60s", "-b", "app.py:3", "serve", "4"];
    let ran = runs.finish(runs.command(&words).env("PATH", path.unwrap()));
    let stop = ran.one("breakpoint_hit");
    assert!(is_at(stop, &runs, ("app.py", 3)), "{ran:#?}");
    assert_eq!(ran.code, Some(5), "{ran:#?}");
}

#[test]
fn typescript_that_nothing_can_run_is_refused_before_the_start() {
    require!(node);
    let runs = Runs::new();
    runs.file("a.ts", "const x: number = 3;\n");
    let ran = run(&runs, &[], "a.ts");
    if ran.code == Some(0) {
        // Node is new enough.
        return;
    }
    let error = ran.one("error");
    assert_eq!(ran.code, Some(2), "{ran:#?}");
    assert!(
        error["message"].as_str().unwrap().contains("is TypeScript"),
        "{error:#}"
    );
    assert!(error["hint"].as_str().unwrap().contains("tsx"), "{error:#}");
    assert!(ran.of("process_launched").is_empty());
}

#[test]
fn what_a_project_has_is_listed_where_there_is_no_terminal() {
    let runs = Runs::new();
    for (name, text) in CARGO.iter().chain(PYTHON).chain(GO).chain(NODE).chain(RUBY) {
        runs.file(name, text);
    }
    let listed = std::process::Command::new(tools::omp_debug())
        .arg(".")
        .current_dir(runs.work())
        .output()
        .unwrap();
    let text = String::from_utf8(listed.stdout).unwrap();
    for wanted in [
        "cargo test  ",
        "cargo test --manifest-path one/Cargo.toml adds_badly  ",
        "python3 -m pkg  ",
        "pytest test_a.py::test_total  ",
        "go test ./...  ",
        "go test ./shop -run ^TestTotal$  ",
        "npm run app  ",
        "node --test --test-name-pattern=adds shop.test.js  ",
        "bundle exec rspec spec/shop_spec.rb:3  ",
    ] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    assert!(listed.status.success());
}
