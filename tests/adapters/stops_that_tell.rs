//! What a native program dies of: the stop says it in the program's words, in the frame of the person's own code, on every debugger.

use crate::support;

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use support::desk::Desk;
use support::run::Runs;
use support::{line_of, program_source, tools};

/// What a program is told to do, the mark of the line where it ends, what it ends of, and what it says.
type End = (&'static str, &'static str, &'static str, &'static str);

const CPP: &[End] = &[
    ("throw", "throw", "std::runtime_error", "no such shelf"),
    ("assert", "assert", "assertion failed", "count == 3"),
    (
        "free",
        "free",
        "memory corruption",
        "free(): double free detected in tcache 2",
    ),
];
const RUST: &[End] = &[("uncaught", "raise-uncaught", "panic", "no such shelf: 1")];

/// A signed number that grows too large, with the compiler's checks, which go on after they have told.
const OVERFLOW: &str = "#include <cstdio>
int main(int argc, char **argv) {
  int most = 2147483647;
  most += argc;  // MARK: overflow
  std::printf(\"%d\\n\", most);
  return 0;
}
";

/// What a sanitizer finds is a stop that says what it is, though the program would go on.
fn assert_undefined(adapter: &str) {
    let runs = Runs::new();
    let source = runs.home.file("work/overflow.cpp", OVERFLOW);
    let program = runs.home.path().join("work/overflow");
    let mut build = Command::new("c++");
    build.args(["-g", "-O0", "-fsanitize=undefined", "-o"]);
    assert!(build.arg(&program).arg(&source).status().unwrap().success());
    let ran = runs.run(&["--adapter", adapter, program.to_str().unwrap()]);
    let stop = ran.one("exception_thrown");
    let exception = &stop["exception"];
    assert_eq!(
        exception["type"], "undefined behavior",
        "{adapter}: {stop:#}"
    );
    assert_eq!(exception["message"], "add overflow", "{adapter}: {stop:#}");
    assert_eq!(
        stop["location"]["line"],
        line_of(&source, "overflow"),
        "{adapter}: {stop:#}"
    );
}

#[test]
fn undefined_behavior_by_gdb() {
    require!(gdb);
    assert_undefined("gdb");
}

#[test]
fn undefined_behavior_by_lldb_dap() {
    require!(lldb_dap);
    assert_undefined("lldb-dap");
}

#[test]
fn undefined_behavior_by_codelldb() {
    require!(codelldb);
    assert_undefined("codelldb");
}

fn assert_told(adapter: &str) {
    let runs = Runs::new();
    let programs = [
        (CPP, tools::cpp_ends(), "ends.cpp"),
        (RUST, tools::rust_program(), "prog.rs"),
    ];
    for (ends, program, source) in programs {
        let source = program_source(source);
        for (word, mark, name, message) in ends {
            let program = program.to_str().unwrap();
            let ran = runs.run(&["--adapter", adapter, program, "--", word]);
            let stop = ran.one("exception_thrown");
            let exception = &stop["exception"];
            assert_eq!(exception["type"], *name, "{adapter} {word}: {stop:#}");
            assert_eq!(exception["message"], *message, "{adapter} {word}: {stop:#}");
            let at = &stop["location"];
            assert_eq!(at["file"], source.to_str().unwrap(), "{adapter} {word}");
            assert_eq!(at["line"], line_of(&source, mark), "{adapter} {word}");
            // The exception that was caught is none.
            assert_eq!(
                ran.of("breakpoint_hit"),
                Vec::<&Value>::new(),
                "{adapter} {word}"
            );
        }
    }
}

/// A signal is told by its name, with the address of a fault and with the end of the stack.
fn assert_faults(adapter: &str) {
    let runs = Runs::new();
    let program = tools::cpp_ends();
    for (word, name, says, category) in [
        ("null", "SIGSEGV", "0x10", "null_reference"),
        ("deep", "SIGSEGV", "stack overflow: ", "resources"),
        ("abort", "SIGABRT", "", "aborted"),
    ] {
        let ran = runs.run(&["--adapter", adapter, program.to_str().unwrap(), "--", word]);
        let stop = ran.one("exception_thrown");
        let exception = &stop["exception"];
        let message = exception["message"].as_str().unwrap_or_default();
        assert_eq!(exception["type"], name, "{adapter} {word}: {stop:#}");
        assert!(message.contains(says), "{adapter} {word}: {stop:#}");
        assert_eq!(
            exception["root_cause"]["category"], category,
            "{adapter} {word}: {stop:#}"
        );
    }
}

/// What is thrown is told by its type, and by its text where the standard library's exceptions have it.
fn assert_thrown(adapter: &str) {
    let runs = Runs::new();
    let program = tools::cpp_ends();
    let thrown = |filter: &str| {
        let words = ["--adapter", adapter, "--break-on-exception", filter];
        let ran = runs.run(&[&words[..], &[program.to_str().unwrap(), "--", "kinds"]].concat());
        let told = ran.of("exception_thrown").into_iter().map(|stop| {
            let part = |name: &str| stop["exception"][name].as_str().unwrap_or_default();
            format!("{}: {}", part("type"), part("message"))
        });
        told.collect::<Vec<_>>()
    };
    let expected = [
        "std::runtime_error: no such shelf",
        "Missing: gone",
        "Refused: C++ exception thrown",
        "std::string: C++ exception thrown",
        "int: 42",
    ];
    assert_eq!(thrown("throw"), expected, "{adapter}");
    // What is derived from a type is of that type.
    let (first, derived) = (expected[0], expected[1]);
    assert_eq!(thrown("std::exception"), [first, derived], "{adapter}");
    assert_eq!(thrown("std::logic_error"), [derived], "{adapter}");
}

#[test]
fn by_gdb() {
    require!(gdb);
    assert_told("gdb");
    assert_faults("gdb");
    assert_thrown("gdb");
}

#[test]
fn by_lldb_dap() {
    require!(lldb_dap);
    assert_told("lldb-dap");
    assert_faults("lldb-dap");
    assert_thrown("lldb-dap");
}

#[test]
fn by_codelldb() {
    require!(codelldb);
    assert_told("codelldb");
    assert_faults("codelldb");
    assert_thrown("codelldb");
}

/// Only what the program can come to is on offer, ours among it; what is not the person's own code is folded.
#[test]
fn on_the_screen_a_panic_is_read_at_a_glance() {
    require!(gdb);
    let words = args!["--adapter", "gdb", tools::rust_program(), "--", "uncaught"];
    let desk = Desk::with(|builder| builder.size(160, 45).args(words));
    let screen = desk.wait_header("stopped: entry");
    let text = screen.text();
    assert!(text.contains("[x] Rust panics"), "{text}");
    assert!(!text.contains("C++") && !text.contains("Ada"), "{text}");
    desk.pty.key("F5");
    let screen = desk.wait_header("panic: no such shelf: 1");
    let text = screen.text();
    assert!(text.contains("library frames"), "{text}");
    desk.wait_value("Scopes", "shelves", "[\"bolt\"]");
    desk.leave_live("e");
}

/// What a script says whose steps keep to the person's own code, or do not.
fn said(runs: &Runs, is_own: bool, script: &[&str], program: &[&str]) -> String {
    let config = runs
        .home
        .file("own.toml", &format!("own_code = {is_own}\n"));
    let as_run = runs.command(&[]);
    let mut command = Command::new(tools::omp_debug());
    let variables = as_run
        .get_envs()
        .filter_map(|(name, value)| Some((name, value?)));
    command
        .args(["--config", config.to_str().unwrap(), "repl", "--batch"])
        .args(script.iter().flat_map(|typed| ["--ex", typed]))
        .args(program)
        .current_dir(runs.work());
    let output = command.env_clear().envs(variables).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// A step into a line that calls a library stays in the person's own code, unless that is not wanted.
fn assert_own(adapter: &str) {
    let runs = Runs::new();
    let source = runs.home.file("work/sorts.rs", SORTS);
    let program = tools::build_rust(&source, &runs.home.path().join("work/sorts"));
    // The first step may stay in the line.
    let script = ["break sorts.rs:3", "run", "step", "step"];
    let program = ["--adapter", adapter, program.to_str().unwrap()];
    for is_own in [true, false] {
        let said = said(&runs, is_own, &script, &program);
        assert_eq!(said.contains("println!"), is_own, "{adapter}: {said}");
    }
}

const SORTS: &str = "fn main() {
    let mut numbers = vec![3, 1, 2];
    numbers.sort();
    println!(\"{numbers:?}\");
}
";

/// A step off the end of a function that a library called comes back to the caller's; one off the end of `main` ends the program.
fn assert_ends(adapter: &str) {
    let runs = Runs::new();
    let source = runs.home.file("work/calls.rs", CALLED_BACK);
    let program = tools::build_rust(&source, &runs.home.path().join("work/calls"));
    let program = ["--adapter", adapter, program.to_str().unwrap()];
    let script = ["break calls.rs:6", "run", "next", "next", "bt"];
    for is_own in [true, false] {
        let said = said(&runs, is_own, &script, &program);
        let is_back = said.contains("-> #0   calls::main (calls.rs:");
        assert_eq!(is_back, is_own, "{adapter}: {said}");
    }
    // What a compiler calls `main` for the system is another one.
    let said_at_main = said(&runs, true, &["break main", "run"], &program);
    assert!(
        said_at_main.contains("Breakpoint 1 hit, calls::main (calls.rs:2)"),
        "{adapter}: {said_at_main}"
    );
    // Where several ways lead to the end of a function, it is met on each.
    let said_at_end = said(
        &runs,
        true,
        &["break calls.rs:11", "run", "locals"],
        &program,
    );
    assert!(
        said_at_end.contains("->   11  }"),
        "{adapter}: {said_at_end}"
    );
    let script = ["break calls.rs:10", "run", "next", "next"];
    for is_own in [true, false] {
        let said = said(&runs, is_own, &script, &program);
        let ended = said.contains("exited with code 0");
        assert_eq!(ended, is_own, "{adapter}: {said}");
    }
}

const CALLED_BACK: &str = "fn main() {
    let numbers = [1];
    let more: Vec<i32> = numbers
        .iter()
        .map(|n| {
            n + 1
        })
        .collect();
    let count = more.len();
    assert_eq!(count, 1);
}
";

#[test]
fn steps_of_gdb_keep_to_own_code() {
    require!(gdb);
    assert_own("gdb");
    assert_ends("gdb");
}

#[test]
fn steps_of_lldb_dap_keep_to_own_code() {
    require!(lldb_dap);
    assert_own("lldb-dap");
    assert_ends("lldb-dap");
}

#[test]
fn steps_of_codelldb_keep_to_own_code() {
    require!(codelldb);
    assert_own("codelldb");
    assert_ends("codelldb");
}

/// What fails a test goes on in Node's own files: a step from there comes to the next test that fails.
#[test]
fn steps_of_js_debug_keep_to_own_code() {
    require!(node);
    let runs = Runs::new();
    runs.file("package.json", "{}");
    runs.file("shop.test.js", FAILS_TWICE);
    let script = ["run", "next"];
    for is_own in [true, false] {
        let said = said(&runs, is_own, &script, &["node", "--test"]);
        let is_at = |text| {
            said.lines()
                .any(|l| l.starts_with("->") && l.contains(text))
        };
        assert!(is_at("1 === 2"), "{said}");
        assert_eq!(is_at("sum === 3"), is_own, "{said}");
    }
}

const FAILS_TWICE: &str = "const assert = require('node:assert');
const { test } = require('node:test');
test('first', () => {
  assert.ok(1 === 2);
});
test('second', () => {
  const sum = 1 + 1;
  assert.ok(sum === 3);
});
";

/// What a person sets at functions is theirs, whatever an adapter numbers and whatever of ours is set beside it.
fn assert_functions(adapter: &str) {
    let runs = Runs::new();
    let functions = ["prog::stock", "total_of", "prog::price_of"];
    let set = functions.map(|name| format!("fn:{name}"));
    let [stock, total, price] = set.each_ref().map(String::as_str);
    let words = ["--adapter", adapter, "-b", stock, "-b", total, "-b", price];
    // A path, the end of one; with and without full debug information.
    for program in [tools::rust_program(), tools::rust_program_of_lines()] {
        let program = program.to_str().unwrap();
        let more = ["--max-stops", "8", program, "--", "stock"];
        let ran = runs.run(&[&words[..], &more].concat());
        let stops = ran.of("breakpoint_hit");
        assert!(stops.len() > 2, "{adapter}: {ran:#?}");
        for stop in stops {
            let id = usize::try_from(stop["id"].as_u64().unwrap()).unwrap();
            let at = stop["location"]["function"].as_str().unwrap();
            let name = functions[id - 1];
            // Lines alone know no paths.
            let last = name.trim_start_matches("prog::");
            assert!(
                at.contains(last),
                "{adapter}: {id} is at {name}, and not {at}"
            );
        }
        assert_eq!(ran.of("exception_thrown"), Vec::<&Value>::new());
        let panic = ["--adapter", adapter, "-b", "fn:rust_panic", program, "--"];
        let ran = runs.run(&[&panic[..], &["uncaught"]].concat());
        let function = &ran.one("breakpoint_hit")["location"]["function"];
        assert!(
            function.as_str().unwrap().contains("rust_panic"),
            "{adapter}: {function}"
        );
    }
}

#[test]
fn functions_are_told_apart_by_gdb() {
    require!(gdb);
    assert_functions("gdb");
}

#[test]
fn functions_are_told_apart_by_lldb_dap() {
    require!(lldb_dap);
    assert_functions("lldb-dap");
}

#[test]
fn functions_are_told_apart_by_codelldb() {
    require!(codelldb);
    assert_functions("codelldb");
}

/// Code of the standard library is shown from where its sources were installed, and not from where it was built.
fn assert_library_sources(adapter: &str) {
    let runs = Runs::new();
    let rustc = tools::required("rustc", tools::rustc()).unwrap();
    let said = |argument: &str| {
        let mut command = Command::new(&rustc);
        command.arg(argument);
        command.args((argument == "--print").then_some("sysroot"));
        let output = command.output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    // As `rustup component add rust-src` would leave it.
    let real = said("--print");
    let root = runs.home.path().join("toolchain");
    let sources = root.join("lib/rustlib/src/rust/library/std/src");
    std::fs::create_dir_all(&sources).unwrap();
    let etc = Path::new(real.trim()).join("lib/rustlib/etc");
    std::os::unix::fs::symlink(etc, root.join("lib/rustlib/etc")).unwrap();
    let panicking = sources.join("panicking.rs");
    std::fs::write(&panicking, "// installed\n".repeat(1000)).unwrap();
    let answers = format!(
        "#!/bin/sh\nif [ \"$1\" = -vV ]; then printf '%s' '{}'; else echo '{}'; fi\n",
        said("-vV"),
        root.display()
    );
    let tool = runs.home.executable("bin/rustc", &answers);
    let program = tools::rust_program();
    let words = ["--adapter", adapter, "-b", "fn:rust_panic"];
    let more = [
        "--max-stops",
        "1",
        program.to_str().unwrap(),
        "--",
        "uncaught",
    ];
    let mut command = runs.command(&[&words[..], &more].concat());
    let path = std::env::var("PATH").unwrap();
    let folder = tool.parent().unwrap().display();
    command.env("PATH", format!("{folder}:{path}"));
    let ran = runs.finish(&mut command);
    let at = &ran.one("breakpoint_hit")["location"];
    assert_eq!(at["file"], panicking.to_str().unwrap(), "{adapter}: {at}");
}

#[test]
fn library_sources_are_found_by_gdb() {
    require!(gdb);
    assert_library_sources("gdb");
}

#[test]
fn library_sources_are_found_by_lldb_dap() {
    require!(lldb_dap);
    assert_library_sources("lldb-dap");
}

#[test]
fn library_sources_are_found_by_codelldb() {
    require!(codelldb);
    assert_library_sources("codelldb");
}

const GIVES_BACK: &str = "struct Shelf { name: String, items: Vec<i32> }
fn shelf(n: i32) -> Shelf { Shelf { name: format!(\"shelf {n}\"), items: vec![n, 2] } }
fn main() {
    let it = shelf(4);
    println!(\"{} {:?}\", it.name, it.items);
}
";

/// What a function gave back reads as it will in a variable, at once and among the frame's own.
#[test]
fn what_a_function_gave_back_is_read_at_a_glance_with_gdb() {
    require!(gdb);
    let runs = Runs::new();
    let source = runs.home.file("work/back.rs", GIVES_BACK);
    let program = tools::build_rust(&source, &runs.home.path().join("work/back"));
    let script = ["break fn:back::shelf", "run", "finish", "info locals"];
    let program = ["--adapter", "gdb", program.to_str().unwrap()];
    let said = said(&runs, true, &script, &program);
    let value = r#"(return) = Shelf {name: "shelf 4", items: [4, 2]}"#;
    let told: Vec<_> = said.lines().filter(|l| l.contains("(return)")).collect();
    assert_eq!(told, [&format!("  {value}"), value], "{said}");
    assert!(!said.contains("rip = "), "{said}");
}

const GENERIC: &str = "use std::fmt::Debug;
struct Shelf<'a, T: Debug> { items: Vec<T>, name: &'a str }
trait Total { fn total(&self) -> usize; }
impl<T: Debug> Shelf<'_, T> {
    fn print_item(&self, at: usize) -> usize {
        println!(\"{} {:?}\", self.name, self.items[at]);
        at
    }
}
impl<T: Debug> Total for Shelf<'_, T> {
    fn total(&self) -> usize { self.items.len() }
}
fn main() {
    let shelf = Shelf { items: vec![1, 2], name: \"first\" };
    println!(\"{}\", shelf.print_item(1) + shelf.total());
    Shelf { items: vec![\"x\"], name: \"second\" }.print_item(0);
}
";

/// Methods of generic types and of traits, by the names that a person would write.
fn assert_generic(adapter: &str) {
    let runs = Runs::new();
    let source = runs.home.file("work/generic.rs", GENERIC);
    let program = tools::build_rust(&source, &runs.home.path().join("work/generic"));
    for (name, line) in [
        ("Shelf::print_item", 6),
        ("generic::Shelf<T>::print_item", 6),
        ("generic::Total::total", 11),
    ] {
        let at = format!("fn:{name}");
        let program = program.to_str().unwrap();
        let ran = runs.run(&["--adapter", adapter, "-b", &at, "--max-stops", "1", program]);
        let place = &ran.one("breakpoint_hit")["location"]["line"];
        assert_eq!(*place, line, "{adapter} {name}");
    }
    let program = program.to_str().unwrap();
    let ran = runs.run(&[
        "--adapter",
        adapter,
        "-b",
        "fn:generic::Total::total",
        program,
    ]);
    let function = &ran.one("breakpoint_hit")["location"]["function"];
    assert_eq!(
        *function, "<generic::Shelf<T> as generic::Total>::total",
        "{adapter}"
    );
    // Made for two types, it is two functions, and one breakpoint.
    let ran = runs.run(&["--adapter", adapter, "-b", "fn:Shelf::print_item", program]);
    let hits = ran.of("breakpoint_hit");
    let ids: Vec<_> = hits.iter().map(|hit| &hit["id"]).collect();
    assert_eq!(ids, [1, 1], "{adapter}");
}

#[test]
fn methods_of_generic_types_are_found_by_gdb() {
    require!(gdb);
    assert_generic("gdb");
}

#[test]
fn methods_of_generic_types_are_found_by_lldb_dap() {
    require!(lldb_dap);
    assert_generic("lldb-dap");
}

#[test]
fn methods_of_generic_types_are_found_by_codelldb() {
    require!(codelldb);
    assert_generic("codelldb");
}

const METHOD: &str = "struct Ring {
  int head = 0;
  void push(const int &t) {
    head += t;
  }
};
namespace shop {
enum class Color { Red, Blue };
int paint(Color c) {
  return c == Color::Blue;
}
}  // namespace shop
int main() {
  Ring ring;
  for (int i = 0; i < 4; i++) ring.push(i);
  return shop::paint(shop::Color::Blue) - 1;
}
";

/// Conditions of names that only mean something in their function and in its language.
fn assert_conditions(adapter: &str) {
    let runs = Runs::new();
    let source = runs.home.file("work/method.cpp", METHOD);
    let program = runs.home.path().join("work/method");
    tools::build_cpp(&source, &program);
    for (at, line) in [
        ("method.cpp:4?head == 1", 4),
        ("method.cpp:4?t == 2", 4),
        ("method.cpp:10?c == shop::Color::Blue", 10),
        ("fn:Ring::push?t == 3", 4),
    ] {
        let program = program.to_str().unwrap();
        let ran = runs.run(&["--adapter", adapter, "-b", at, program]);
        let hits = ran.of("breakpoint_hit");
        let lines: Vec<_> = hits.iter().map(|hit| &hit["location"]["line"]).collect();
        assert_eq!(lines, [line], "{adapter} {at}: {ran:#?}");
        // Before its program there is no place for it, whatever the adapter calls that.
        let set = ran.one("breakpoint_set");
        let said = set["message"].as_str().unwrap_or_default();
        assert!(!said.contains("locations"), "{adapter} {at}: {set:#}");
    }
}

#[test]
fn conditions_are_read_where_they_are_by_gdb() {
    require!(gdb);
    assert_conditions("gdb");
}

#[test]
fn conditions_are_read_where_they_are_by_lldb_dap() {
    require!(lldb_dap);
    assert_conditions("lldb-dap");
}

#[test]
fn conditions_are_read_where_they_are_by_codelldb() {
    require!(codelldb);
    assert_conditions("codelldb");
}
