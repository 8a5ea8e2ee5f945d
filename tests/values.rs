//! Values that a person can read: what each kind of variable shows in one line, on every debugger of native programs.
//!
//! A table a language, of what is to be shown; where a debugger shows something else, a row of its own says what and why. Addresses are
//! `0x…`, and what ends with `…` is a beginning.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on should stop at once and say where"
)]

#[macro_use]
mod support;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;

use serde_json::Value;
use support::desk::Desk;
use support::run::Runs;
use support::{line_of, program_source, tools};

/// A variable and what it shows.
type Row = (&'static str, &'static str);

const RUST: &[Row] = &[
    ("count", "42"),
    ("small", "-7"),
    ("huge", "170141183460469231731687303715884105727"),
    ("pi", "3.5"),
    ("yes", "true"),
    ("letter", "'x'"),
    ("text", "\"röot 🎉\""),
    ("owned", "\"hello\""),
    ("list", "[3, 1, 2]"),
    ("none_yet", "[]"),
    ("words", "[\"one\", \"two\"]"),
    ("array", "[1, 2, 3]"),
    ("slice", "[1, 2]"),
    ("tuple", "(1, \"two\", 3)"),
    ("map", "(1) {\"a\": [1, 2, 3]}"),
    ("sorted", "(2) {1: \"x\", 2: \"y\"}"),
    ("set", "[5]"),
    ("tree_set", "[1, 2]"),
    ("queue", "[1, 2, 3]"),
    (
        "root",
        "Node {name: \"root\", kids: [Node {name: \"leaf\", kids: [], shape: Rect(…)}], shape: Empty}",
    ),
    (
        "orders",
        "(100) [Order {id: 0, customer: \"cust0\"}, Order {id: 1, customer: \"cust1\"}, Order {id: 2, customer: \"cust2\"}, Order {id: 3, …}, …]",
    ),
    ("circle", "Circle {r: 3.5}"),
    ("empty", "Empty"),
    ("level", "High"),
    ("some", "Some(Circle {r: 3.5})"),
    ("nothing", "None"),
    ("number", "Some(5)"),
    ("niche", "Some(0x… → 7)"),
    ("good", "Ok(1)"),
    ("bad", "Err(\"bad\")"),
    ("nested", "Some(Ok(Low))"),
    ("boxed", "0x… → 9"),
    ("shared", "5  rc 1"),
    ("weak", "5  weak"),
    ("cell", "3"),
    ("cells", "[1, 2]  rc 1"),
    ("locked", "[1, 2, 3]  rc 1"),
    ("borrowed", "\"cow\""),
    ("pause", "1.5 s"),
    ("path", "\"/tmp/x\""),
    ("os", "\"os\""),
    ("address", "127.0.0.1"),
    ("non_zero", "8"),
    ("wrapping", "6"),
    ("range", "1..4"),
    ("unit", "Unit"),
    (
        "reference",
        "0x… → Node {name: \"root\", kids: [Node {name: \"leaf\", kids: [], shape: Rect(…)}], shape: Empty}",
    ),
    ("raw", "0x… → 42"),
    ("object", "dyn Debug at 0x…"),
    ("failure", "dyn Error at 0x…"),
    ("closure", "closure {_ref__count: 0x… → 42}"),
];

const CPP: &[Row] = &[
    ("count", "42"),
    ("yes", "true"),
    ("letter", "'x'"),
    ("pi", "3.5"),
    ("text", "\"hello\""),
    ("buffer", "\"buf\""),
    ("color", "GREEN"),
    ("level", "High"),
    ("owned", "\"röot\""),
    ("view", "\"röot\""),
    ("list", "[3, 1, 2]"),
    (
        "orders",
        "(100) [Order {id: 0, customer: \"cust0\", price: 0}, Order {id: 1, customer: \"cust1\", price: 1.5}, Order {id: 2, customer: \"cust2\", price: 3}, …]",
    ),
    ("array", "[1, 2, 3]"),
    ("plain", "[1, 2, 3]"),
    ("queue", "[1, 2]"),
    ("linked", "[1, 2]"),
    ("forward", "[1, 2]"),
    ("sorted", "[1, 2]"),
    ("set", "[5]"),
    ("map", "(1) {\"a\": 1}"),
    ("multi", "(1) {1: 2}"),
    ("hashed", "(1) {\"x\": [4, 5]}"),
    ("pair", "(1, \"one\")"),
    ("tuple", "(1, \"two\", 3)"),
    ("some", "5"),
    ("nothing", "nullopt"),
    ("variant", "<string> \"var\""),
    ("any", "<int> 7"),
    ("up", "7"),
    ("none", "null"),
    ("shared", "{id: 2, customer: \"two\", price: 3}  rc 1"),
    ("weak", "{id: 2, customer: \"two\", price: 3}  weak"),
    ("atomic", "6"),
    ("pause", "1500 ms"),
    ("path", "\"/tmp/x\""),
    ("complex", "1 + 2i"),
    ("bits", "{[0]: 1, [2]: 1}"),
    ("span", "[3, 1, 2]"),
    (
        "root",
        "Node {name: \"root\", kids: [Node {name: \"leaf\", kids: [], up: null}], up: null}",
    ),
    ("order", "Order {id: 3, customer: \"cust3\", price: 4.5}"),
    (
        "reference",
        "Order {id: 3, customer: \"cust3\", price: 4.5}",
    ),
    (
        "pointer",
        "0x… → Order {id: 3, customer: \"cust3\", price: 4.5}",
    ),
    ("derived", "Derived {Base: Base {base: 1}, own: 2}"),
    ("base", "0x… → Base {base: 1}"),
    ("both", "Both {number: 65, bytes: \"A\"}"),
    ("packed", "Bits {low: 5, high: 3}"),
    ("member", "&Order::id"),
    ("opaque", "0x…"),
];

/// What LLDB shows otherwise of Rust: it takes it for a C++ of its own, and knows small numbers as characters.
const RUST_BY_LLDB: &[Row] = &[
    ("small", "'\\xf9'"),
    ("array", "\"\\U00000001\\U00000002\\U00000003\""),
    (
        "root",
        "Node {name: \"root\", kids: [Node {name: \"leaf\", kids: [], shape: Rect(1, 2)}], …}",
    ),
    ("circle", "Circle{r:3.5}"),
    ("some", "Some(Circle{r:3.5})"),
    ("niche", "Some(0x…)"),
    ("wrapping", "'\\x06'"),
    (
        "reference",
        "0x… → Node {name: \"root\", kids: [Node {name: \"leaf\", kids: [], shape: Rect(1, 2)}], …}",
    ),
];
/// Rust's own formatters take the variant of a `Result` with a niche for the other one in LLDB, and know no B-trees there.
const NOT_RUST_BY_LLDB: &[&str] = &["good", "nested", "sorted", "tree_set", "address"];

/// What `CodeLLDB` shows otherwise again: pointers as what they point to. Of a hundred elements it makes all where eight are asked for, and
/// may not have them in the time that a row has.
const RUST_BY_CODELLDB: &[Row] = &[
    ("orders", "(100) […"),
    (
        "reference",
        "Node {name: \"root\", kids: [Node {name: \"leaf\", kids: [], shape: Rect(1, 2)}], …}",
    ),
    ("boxed", "9"),
    ("raw", "42"),
    ("unit", "<not available>"),
    ("closure", "closure {_ref__count: 42}"),
];

/// What LLDB shows otherwise of C++: the real type behind a pointer, and what an address is the beginning of.
const CPP_BY_LLDB: &[Row] = &[
    ("shared", "{id: 2, customer: \"two\", price: 3}"),
    ("bits", "[true, false, true, false]"),
    ("span", "3 from 0x… → 3"),
    ("base", "0x… → Derived {Base: Base {base: 1}, own: 2}"),
    ("member", "0x…"),
];
/// Of libstdc++ LLDB 19 knows no tuple and no any, and finds nothing in what is hashed.
const NOT_CPP_BY_LLDB: &[&str] = &["set", "hashed", "tuple", "any"];

const CPP_BY_CODELLDB: &[Row] = &[("pointer", "Order {id: 3, customer: \"cust3\", price: 4.5}")];

/// What a variable shows, and what the debugger itself says of it.
fn shown(adapter: &str, program: &Path, source: &str) -> BTreeMap<String, String> {
    let runs = Runs::new();
    let source = program_source(source);
    let at = format!("{}:{}", source.display(), line_of(&source, "values"));
    let program = program.to_str().unwrap();
    let words = ["--adapter", adapter, "-b", &at, "--max-stops", "1", program];
    let ran = runs.run(&words);
    let stop = ran.one("breakpoint_hit");
    let locals = stop["locals"]
        .as_object()
        .unwrap_or_else(|| panic!("{ran:#?}"));
    let text = |field: &Value| match (&field["preview"], &field["value"]) {
        (Value::String(preview), _) => preview.clone(),
        (_, Value::String(value)) => value.clone(),
        (_, Value::Null) => "None".to_owned(),
        (_, value) => value.to_string(),
    };
    let address = regex::Regex::new("0x[0-9a-f]+").unwrap();
    let plain = |text: String| address.replace_all(&text, "0x…").into_owned();
    locals
        .iter()
        .map(|(name, field)| (name.clone(), plain(text(field))))
        .collect()
}

/// How often a debugger is asked at most: on a busy machine a row may not get what it shows in the time that it has.
const ATTEMPTS: usize = 5;
/// Debuggers that share a processor are slow.
static ALONE: Mutex<()> = Mutex::new(());

/// Holds a table against a debugger. What it shows of `others` is not looked at: the reason stands with their list.
fn assert_shown(
    (adapter, program, source): (&str, &Path, &str),
    table: &[Row],
    own: &[Row],
    others: &[&str],
) {
    let _alone = ALONE.lock();
    let differing = || {
        let known = shown(adapter, program, source);
        let rows = table.iter().filter(|(name, _)| !others.contains(name));
        rows.filter_map(|(name, expected)| {
            let own = own.iter().find(|(of, _)| of == name);
            let expected = own.map_or(*expected, |(_, own)| own);
            let said = known.get(*name).map(String::as_str);
            let is_so = match expected.strip_suffix('…') {
                Some(beginning) => said.is_some_and(|said| said.starts_with(beginning)),
                None => said == Some(expected),
            };
            (!is_so).then(|| format!("{name}: {said:?} and not {expected:?}"))
        })
        .collect::<Vec<_>>()
    };
    let mut wrong = differing();
    for _ in 1..ATTEMPTS {
        if !wrong.iter().any(|row| row.contains('…')) {
            break;
        }
        wrong = differing();
    }
    assert!(wrong.is_empty(), "{adapter}\n{}", wrong.join("\n"));
    let readable = table.len() - others.len();
    assert!(
        readable * 10 >= table.len() * 9,
        "{readable} of {}",
        table.len()
    );
}

#[test]
fn rust_by_gdb() {
    require!(gdb);
    let of = ("gdb", &*tools::rust_values(), "values.rs");
    assert_shown(of, RUST, &[], &[]);
}

#[test]
fn cpp_by_gdb() {
    require!(gdb);
    let of = ("gdb", &*tools::cpp_values(), "values.cpp");
    assert_shown(of, CPP, &[], &[]);
}

#[test]
fn rust_by_lldb_dap() {
    require!(lldb_dap);
    let of = ("lldb-dap", &*tools::rust_values(), "values.rs");
    assert_shown(of, RUST, RUST_BY_LLDB, NOT_RUST_BY_LLDB);
}

#[test]
fn cpp_by_lldb_dap() {
    require!(lldb_dap);
    let of = ("lldb-dap", &*tools::cpp_values(), "values.cpp");
    assert_shown(of, CPP, CPP_BY_LLDB, NOT_CPP_BY_LLDB);
}

#[test]
fn rust_by_codelldb() {
    require!(codelldb);
    let of = ("codelldb", &*tools::rust_values(), "values.rs");
    let own = [RUST_BY_CODELLDB, RUST_BY_LLDB].concat();
    assert_shown(of, RUST, &own, NOT_RUST_BY_LLDB);
}

#[test]
fn cpp_by_codelldb() {
    require!(codelldb);
    let of = ("codelldb", &*tools::cpp_values(), "values.cpp");
    let own = [CPP_BY_CODELLDB, CPP_BY_LLDB].concat();
    assert_shown(of, CPP, &own, NOT_CPP_BY_LLDB);
}

/// What comes for values with parts is not shown of those that have none.
#[test]
fn on_the_screen_each_row_shows_its_own_value() {
    require!(gdb);
    let source = program_source("values.cpp");
    let at = format!("{}:{}", source.display(), line_of(&source, "values"));
    let words = args!["--adapter", "gdb", "-b", at, tools::cpp_values()];
    let desk = Desk::with(|builder| builder.size(160, 100).args(words));
    desk.wait_value("Scopes", "orders", "(100) [Order {id: 0");
    for (name, value) in [
        ("letter", "'x'"),
        ("buffer", "\"buf\""),
        ("level", "High"),
        ("list", "[3, 1, 2]"),
    ] {
        desk.wait_value("Scopes", name, value);
    }
    desk.leave_live("e");
}
