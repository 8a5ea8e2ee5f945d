//! Values that a person can read: what each kind of variable shows in one line, on every debugger of native programs.
//!
//! A table a language, of what is to be shown; where a debugger shows something else, a row of its own says what and why. Addresses are
//! `0x…`, and what ends with `…` is a beginning.

// Alone: what a debugger shows within its time depends on how much of a processor it has.

use crate::support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

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
    ("niche", "Some(7)"),
    ("good", "Ok(1)"),
    ("bad", "Err(\"bad\")"),
    ("nested", "Some(Ok(Low))"),
    ("boxed", "9"),
    ("boxed_list", "[7, 8]"),
    ("boxed_text", "\"bs\""),
    ("counted_text", "\"ct\"  rc 1"),
    ("counted_row", "[4, 5]  rc 1"),
    ("no_row", "[]  rc 1"),
    ("place", "\"/tmp/y\""),
    ("local", "::1"),
    ("bytes", "[97, 0, 255]"),
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
        "Node {name: \"root\", kids: [Node {name: \"leaf\", kids: [], shape: Rect(…)}], shape: Empty}",
    ),
    ("raw", "42"),
    ("object", "dyn Debug at 0x…"),
    ("failure", "dyn Error at 0x…"),
    ("closure", "closure {_ref__count: 42}"),
    ("lent", "[7]  borrowed"),
    ("reads", "[7]  borrowed"),
    ("given", "[8]  mutably borrowed"),
    ("writes", "[8]  mutably borrowed"),
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
    ("zero", "\"a\\000b\""),
    ("view", "\"röot\""),
    ("part", "\"hello\""),
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
    ("kind", "Derived {Base: Base {base: 1}, own: 2}"),
    ("pile", "[1, 2]"),
    ("when", "2023-11-14T22:13:20Z"),
    ("function", "main()::<lambda(int)>"),
    ("member", "&Order::id"),
    ("opaque", "0x…"),
];

/// GDB knows what is behind a trait object, where its table of functions has a type.
const RUST_BY_GDB: &[Row] = &[("object", "dyn Debug → i32 5")];

/// GDB knows the class of an object behind a pointer to its base.
const CPP_BY_GDB: &[Row] = &[
    ("base", "0x… → Derived {Base: Base {base: 1}, own: 2}"),
    ("shared", "Order {id: 2, customer: \"two\", price: 3}  rc 1"),
    ("weak", "Order {id: 2, customer: \"two\", price: 3}  weak"),
];

/// What LLDB shows otherwise of Rust: it says what an enum holds by itself.
const RUST_BY_LLDB: &[Row] = &[
    (
        "root",
        "Node {name: \"root\", kids: [Node {name: \"leaf\", kids: [], shape: Rect(1, 2)}], …}",
    ),
    (
        "reference",
        "Node {name: \"root\", kids: [Node {name: \"leaf\", kids: [], shape: Rect(1, 2)}], …}",
    ),
];
/// What `CodeLLDB` shows otherwise again. Of a hundred elements it makes all where eight are asked for, and
/// may not have them in the time that a row has.
const RUST_BY_CODELLDB: &[Row] = &[
    ("orders", "(100) […"),
    ("unit", "<not available>"),
    ("no_row", "<not available>  rc 1"),
];

/// What LLDB shows otherwise of C++: the real type behind a pointer, and what an address is the beginning of.
const CPP_BY_LLDB: &[Row] = &[
    ("shared", "{id: 2, customer: \"two\", price: 3}"),
    ("bits", "[true, false, true, false]"),
    ("base", "0x… → Derived {Base: Base {base: 1}, own: 2}"),
    ("member", "0x…"),
    ("function", "main::'lambda'(int)"),
];

const CPP_BY_CODELLDB: &[Row] = &[("pointer", "Order {id: 3, customer: \"cust3\", price: 4.5}")];

const C: &[Row] = &[
    ("count", "42"),
    ("big", "-9000000000"),
    ("small", "200"),
    ("size", "7"),
    ("pi", "3.5"),
    ("half", "0.5"),
    ("yes", "true"),
    ("letter", "'x'"),
    ("text", "\"röot\""),
    ("buffer", "\"buf\""),
    ("escaped", "\"x\\033y\""),
    ("old", "\"ab\"…"),
    ("wide", "L\"wide\""),
    ("octet", "65"),
    ("octets", "[222, 173, 0, 1]"),
    ("none", "null"),
    ("color", "GREEN"),
    ("both_flags", "READ | WRITE"),
    ("plain", "[1, 2, 3]"),
    ("grid", "[[1, 2], [3, 4]]"),
    ("words", "[\"one\", \"two\"]"),
    ("point", "point {x: 3, y: 4}"),
    ("points", "[point {x: 1, y: 2}, point {x: 3, y: 4}]"),
    (
        "leaf",
        "node {name: \"leaf\", next: null, at: point {x: 1, y: 1}}",
    ),
    (
        "root",
        "node {name: \"root\", next: 0x… → node {name: \"leaf\", next: null, at: point {x: 1, y: 1}}, at: point {x: 0, y: 0}}",
    ),
    (
        "pointer",
        "0x… → node {name: \"root\", next: 0x… → node {name: \"leaf\", next: null, at: point {x: 1, y: 1}}, at: point {x: 0, y: 0}}",
    ),
    (
        "deep",
        "0x… → 0x… → node {name: \"root\", next: 0x… → node {name: \"leaf\", next: null, at: point {x: 1, y: 1}}, at: point {x: 0, y: 0}}",
    ),
    ("both", "both {number: 65, bytes: \"A\"}"),
    (
        "shape",
        "shape {kind: 1, whole: 7, low: 7, high: 0, size: {width: 3, height: 4}}",
    ),
    ("packed", "bits {low: 5, high: 3}"),
    ("function", "0x… <twice>"),
    ("opaque", "0x…"),
    ("part", "\"hello\""),
    ("unmade", "<Cannot access memory at address 0x…>"),
    ("told", "\"nim\""),
    ("row", "[3, 1, 4]"),
    ("no_row", "null"),
    ("heap", "0x… → 9"),
];

/// What GDB says of flags and LLDB does not.
const C_BY_GDB: &[Row] = &[("both_flags", "(READ | WRITE)")];
/// A byte is a letter for LLDB.
const C_BY_LLDB: &[Row] = &[
    ("unmade", "<not readable>"),
    ("small", "'\\xc8'"),
    ("escaped", "\"x\\U0000001by\""),
    ("function", "0x… (values-c`twice at values.c…"),
];
/// Pointers as what they point to.
const C_BY_CODELLDB: &[Row] = &[
    (
        "root",
        "node {name: \"root\", next: node {name: \"leaf\", next: null, at: point {x: 1, y: 1}}, at: point {x: 0, y: 0}}",
    ),
    (
        "pointer",
        "node {name: \"root\", next: node {name: \"leaf\", next: null, at: point {x: 1, y: 1}}, at: point {x: 0, y: 0}}",
    ),
    (
        "deep",
        "node {*deep: node {name: \"root\", next: node {name: \"leaf\", next: null, at: point {…}}, at: point {x: 0, y: 0}}}",
    ),
    ("function", "(values-c`twice at values.c…"),
    ("heap", "9"),
];

/// As Go writes it.
const GO: &[Row] = &[
    ("count", "42"),
    ("small", "-7"),
    ("pi", "3.5"),
    ("yes", "true"),
    ("letter", "120"),
    ("text", "\"röot 🎉\""),
    ("list", "[3, 1, 2]"),
    ("none", "nil"),
    ("array", "[1, 2, 3]"),
    ("words", "[\"one\", \"two\"]"),
    ("table", "{\"a\": [1, 2, 3]}"),
    ("set", "{5: {}}"),
    ("missing", "nil"),
    ("root", "main.Node {Name: \"root\", Kids: (1) […], Up: nil}"),
    (
        "pointer",
        "&main.Node {Name: \"root\", Kids: (1) […], Up: nil}",
    ),
    ("null", "nil"),
    ("level", "High (1)"),
    ("shape", "main.Circle {R: 3.5}"),
    ("anything", "7"),
    ("failure", "&errors.errorString {s: \"bad\"}"),
    ("fine", "nil"),
    ("pause", "1.5 s"),
    ("day", "2026-11-24T12:00:00Z"),
    ("bytes", "[]byte(\"hi\")"),
    ("channel", "chan int 1/2"),
    ("function", "main.main.func1"),
    ("complexes", "(1 + 2i)"),
];

/// A value's own `repr`.
const PYTHON: &[Row] = &[
    ("count", "42"),
    ("pi", "3.5"),
    ("yes", "true"),
    ("none", "None"),
    ("text", "'röot 🎉'"),
    ("raw", "b'hi'"),
    ("numbers", "[3, 1, 2]"),
    ("many", "[0, 1, 2, 3, 4, 5…"),
    ("pair", "(1, 'two')"),
    ("table", "{'a': [1, 2, 3]}"),
    ("unique", "{5}"),
    ("frozen", "frozenset({1})"),
    (
        "root",
        "Node(name='root', kids=[Node(name='leaf', kids=[])])",
    ),
    ("plain", "Plain(size=3)"),
    ("slotted", "Slotted(left=Plain(size=3))"),
    ("sly", "<__main__.Sly object at 0x…>"),
    ("plains", "[Plain(size=3), {'one': Plain(size=3)}, 'text']"),
    ("itself", "Plain(size=Plain(size=Plain(size=Plain(…))))"),
    ("level", "<Level.HIGH: 1>"),
    ("queue", "deque([1, 2])"),
    ("tally", "Counter({'a': 2, 'b': 1})"),
    ("default", "defaultdict(<class 'int'>, {'a': 1})"),
    ("point", "Point(x=1, y=2)"),
    ("day", "datetime.date(2026, 11, 24)"),
    (
        "pause",
        "datetime.timedelta(seconds=1, microseconds=500000)",
    ),
    ("price", "Decimal('1.50')"),
    ("third", "Fraction(1, 3)"),
    ("path", "PurePosixPath('/tmp/x')"),
    ("key", "UUID('00000000-0000-0000-0000-000000000001')"),
    ("pattern", "re.compile('a+')"),
    ("failure", "ValueError('bad')"),
    ("span", "range(0, 3)"),
    ("cut", "slice(1, 2, None)"),
    ("complexes", "(1+2j)"),
];

const JAVASCRIPT: &[Row] = &[
    ("count", "42"),
    ("big", "9007199254740993n"),
    ("pi", "3.5"),
    ("yes", "true"),
    ("none", "None"),
    ("missing", "undefined"),
    ("text", "'röot 🎉'"),
    ("list", "(3) [3, 1, 2]"),
    ("many", "(100) [0, 1, 2, 3, 4, 5…"),
    ("bytes", "Uint8Array(3) [1, 2, 3…"),
    ("plain", "{a: Array(3), b: 'x'}"),
    ("map", "Map(1) {size: 1, a => 1}"),
    ("set", "Set(1) {size: 1, 5}"),
    ("root", "Node {name: 'root', kids: Array(1)}"),
    ("day", "Tue Nov 24 2026 00:00:00 GMT…"),
    ("pattern", "/a+/g"),
    ("failure", "RangeError: bad"),
    ("symbol", "Symbol(tag)"),
    (
        "done",
        "Promise {[[PromiseState]]: 'fulfilled', [[PromiseResult]]: 7…",
    ),
    ("arrow", "(x) => x + count"),
    ("nothing", "NaN"),
];

const RUBY: &[Row] = &[
    ("count", "42"),
    ("pi", "3.5"),
    ("yes", "true"),
    ("none", "nil"),
    ("text", "\"röot\""),
    ("name", ":tag"),
    ("list", "[3, 1, 2]"),
    ("many", "[0, 1, 2, 3, 4, 5…"),
    ("table", "{\"a\"…"),
    ("unique", "#<Set: {5}>"),
    ("point", "#<struct Point x=1, y=2>"),
    // Which of the two comes first differs.
    ("root", "#<Node:0x… @…"),
    ("span", "1..4"),
    ("pattern", "/a+/"),
    ("third", "(1/3)"),
    ("failure", "#<ArgumentError: bad>"),
    ("block", "#<Proc:0x… …"),
];

/// A program that is built when nobody wants the machine alone.
fn made(build: impl FnOnce() -> PathBuf) -> PathBuf {
    let _beside = support::beside();
    build()
}

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

/// Holds a table against a debugger. What it shows of `others` is not looked at: the reason stands with their list.
/// Debuggers that share a processor are slow.
fn assert_shown(
    (adapter, program, source): (&str, &Path, &str),
    table: &[Row],
    own: &[Row],
    others: &[&str],
) {
    let _quiet = support::in_pairs();
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
    let of = ("gdb", &*made(tools::rust_values), "values.rs");
    assert_shown(of, RUST, RUST_BY_GDB, &[]);
}

/// Enums of every layout: a niche in what a variant holds, in front and behind, numbers of their own, variants that nothing is.
const LAYOUTS: &str = r#"use std::{collections::BTreeMap, convert::Infallible, num::*, time::Duration};
#[derive(Debug)] enum E { A(String), B(u32), C }
#[derive(Debug)] enum Msg { Quit, Move { x: i32, y: i32 }, Write(String), Color(u8, u8, u8) }
#[derive(Debug)] enum Behind { A(Duration), B(u32), C { x: u8, y: String }, D }
#[derive(Debug)] enum Deep { S(Option<Option<String>>), T, U(u8) }
#[derive(Debug)] #[repr(i64)] enum Negative { A(u8) = -5, B = -300, C(u8) = 7 }
#[derive(Debug)] #[repr(u64)] enum Wide { A(u8) = 1, B(u8) = 0x1_0000_0001, C(u8) = 2 }
#[derive(Debug)] #[repr(u64)] enum Plain { A = 1 << 40, B }
fn main() {
    let (os_none, os_some): (Option<String>, _) = (None, Some(String::from("hi")));
    let ov_none: Option<Vec<u8>> = None;
    let r_ok: Result<u32, String> = Ok(42);
    let r_unit: Result<(), String> = Ok(());
    let r_err: Result<String, ParseIntError> = "x".parse::<u32>().map(|n| n.to_string());
    let (ea, eb, ec) = (E::A("a".into()), E::B(7), E::C);
    let (mq, mm, mw, mc) = (Msg::Quit, Msg::Move { x: 1, y: 2 }, Msg::Write("w".into()), Msg::Color(1, 2, 3));
    let (ob_none, onz): (Option<Box<u8>>, Option<NonZeroU64>) = (None, None);
    let (ochar, obool): (Option<char>, Option<bool>) = (None, Some(false));
    let (oref, orr): (Option<&str>, Option<Result<u8, String>>) = (None, Some(Ok(3)));
    let (ord, vecopt) = (1.cmp(&2), vec![Some("q".to_owned()), None]);
    let (ba, bb, bc, bd) = (Behind::A(Duration::new(5, 7)), Behind::B(0x1234_5678), Behind::C { x: 3, y: "y".into() }, Behind::D);
    let (d1, d2, d3) = (Deep::S(None), Deep::S(Some(None)), Deep::S(Some(Some("d".into()))));
    let (d4, d5) = (Deep::T, Deep::U(3));
    let (na, nb, wa, wc) = (Negative::A(1), Negative::B, Wide::A(1), Wide::C(3));
    let (no_plain, plain, high): (Option<Plain>, _, _) = (None, Some(Plain::B), NonZeroU64::new(1 << 63));
    let (sure, odd): (Result<u8, Infallible>, Option<Duration>) = (Ok(3), None);
    let many: BTreeMap<u32, Option<String>> = (0..1000).map(|i| (i, Some(format!("v{i}")))).collect();
    println!("{os_none:?}{os_some:?}{ov_none:?}{r_ok:?}{r_unit:?}{r_err:?}{ea:?}{eb:?}{ec:?}{mq:?}{mm:?}{mw:?}{mc:?}"); // MARK: values
    println!("{ob_none:?}{onz:?}{ochar:?}{obool:?}{oref:?}{orr:?}{ord:?}{vecopt:?}{ba:?}{bb:?}{bc:?}{bd:?}{sure:?}{odd:?}");
    println!("{d1:?}{d2:?}{d3:?}{d4:?}{d5:?}{na:?}{nb:?}{:?}{wa:?}{wc:?}{:?}{:?}{no_plain:?}{plain:?}{high:?}{many:?}", Negative::C(1), Wide::B(2), Plain::A);
}
"#;
const LAYOUTS_SHOWN: &[Row] = &[
    ("os_none", "None"),
    ("os_some", "Some(\"hi\")"),
    ("ov_none", "None"),
    ("r_ok", "Ok(42)"),
    ("r_unit", "Ok(())"),
    ("r_err", "Err(ParseIntError {kind: InvalidDigit})"),
    ("ea", "A(\"a\")"),
    ("eb", "B(7)"),
    ("ec", "C"),
    ("mq", "Quit"),
    ("mm", "Move {x: 1, y: 2}"),
    ("mw", "Write(\"w\")"),
    ("mc", "Color(1, 2, 3)"),
    ("ob_none", "None"),
    ("onz", "None"),
    ("ochar", "None"),
    ("obool", "Some(false)"),
    ("oref", "None"),
    ("orr", "Some(Ok(3))"),
    ("ord", "Less"),
    ("vecopt", "[Some(\"q\"), None]"),
    ("ba", "A(5.000000007 s)"),
    ("bb", "B(305419896)"),
    ("bc", "C {x: 3, y: \"y\"}"),
    ("bd", "D"),
    ("d1", "S(None)"),
    ("d2", "S(Some(None))"),
    ("d3", "S(Some(Some(\"d\")))"),
    ("d4", "T"),
    ("d5", "U(3)"),
    ("na", "A(1)"),
    ("nb", "B"),
    ("wa", "A(1)"),
    ("wc", "C(3)"),
    ("no_plain", "None"),
    ("plain", "Some(B)"),
    ("high", "Some(9223372036854775808)"),
    ("sure", "Ok(3)"),
    ("odd", "None"),
    ("many", "(1000) {0: Some(\"v0\"), 1: …"),
];
/// LLDB writes a variant otherwise, and keeps of a number too few bytes to tell all apart: then it is said which it may be.
const LAYOUTS_BY_LLDB: &[Row] = &[
    ("r_err", "Err({kind: InvalidDigit})"),
    ("ba", "A({secs: 5, nanos: (7)})"),
    ("wa", "<A or B>"),
];

/// GDB takes a variant that nothing can be for the one it is.
const NOT_LAYOUTS_BY_GDB: &[&str] = &["sure"];

fn assert_layouts(adapter: &str, own: &[Row], others: &[&str]) {
    let runs = Runs::new();
    let source = runs.home.file("work/layouts.rs", LAYOUTS);
    let program = made(|| tools::build_rust(&source, &runs.home.path().join("work/layouts")));
    let of = (adapter, &*program, source.to_str().unwrap());
    assert_shown(of, LAYOUTS_SHOWN, own, others);
}

#[test]
fn rust_enums_by_gdb() {
    require!(gdb);
    assert_layouts("gdb", &[], NOT_LAYOUTS_BY_GDB);
}

#[test]
fn rust_enums_by_lldb_dap() {
    require!(lldb_dap);
    assert_layouts("lldb-dap", LAYOUTS_BY_LLDB, &[]);
}

#[test]
fn rust_enums_by_codelldb() {
    require!(codelldb);
    let own = [&[("many", "(1000) {…")], LAYOUTS_BY_LLDB].concat();
    assert_layouts("codelldb", &own, &[]);
}

#[test]
fn cpp_by_gdb() {
    require!(gdb);
    let of = ("gdb", &*made(tools::cpp_values), "values.cpp");
    assert_shown(of, CPP, CPP_BY_GDB, &[]);
}

#[test]
fn rust_by_lldb_dap() {
    require!(lldb_dap);
    let of = ("lldb-dap", &*made(tools::rust_values), "values.rs");
    assert_shown(of, RUST, RUST_BY_LLDB, &[]);
}

#[test]
fn cpp_by_lldb_dap() {
    require!(lldb_dap);
    let of = ("lldb-dap", &*made(tools::cpp_values), "values.cpp");
    assert_shown(of, CPP, CPP_BY_LLDB, &[]);
}

/// LLDB's command line shows what its adapter does, but for a struct without fields.
#[test]
fn values_by_lldbs_command_line() {
    require!(lldb_dap);
    let of = ("lldb-cli", &*made(tools::rust_values), "values.rs");
    let own = [&[("unit", "{}"), ("no_row", "{}  rc 1")], RUST_BY_LLDB].concat();
    assert_shown(of, RUST, &own, &[]);
    let of = ("lldb-cli", &*made(tools::cpp_values), "values.cpp");
    assert_shown(of, CPP, CPP_BY_LLDB, &[]);
}

#[test]
fn rust_by_codelldb() {
    require!(codelldb);
    let of = ("codelldb", &*made(tools::rust_values), "values.rs");
    let own = [RUST_BY_CODELLDB, RUST_BY_LLDB].concat();
    assert_shown(of, RUST, &own, &[]);
}

#[test]
fn cpp_by_codelldb() {
    require!(codelldb);
    let of = ("codelldb", &*made(tools::cpp_values), "values.cpp");
    let own = [CPP_BY_CODELLDB, CPP_BY_LLDB].concat();
    assert_shown(of, CPP, &own, &[]);
}

/// Of libc++ GDB knows nothing, and LLDB, which is chosen then, no `function`, and not where the pointer to a member leads.
const NOT_OF_LIBCXX: &[&str] = &["function", "member"];
const OF_LIBCXX: &[Row] = &[
    ("zero", "\"a\\0b\""),
    ("variant", "<__value_type> \"var\""),
    ("shared", "{id: 2, customer: \"two\", price: 3}"),
    ("weak", "{id: 2, customer: \"two\", price: 3}  weak"),
    ("when", "1700000000000000 µs since 1970"),
];

#[test]
fn cpp_of_libcxx() {
    let libcxx = require!(libcxx);
    let program = made(|| tools::cpp_values_of_libcxx(&libcxx));
    require!(lldb_dap);
    let own = [OF_LIBCXX, CPP_BY_LLDB].concat();
    assert_shown(
        ("lldb-dap", &program, "values.cpp"),
        CPP,
        &own,
        NOT_OF_LIBCXX,
    );
    require!(codelldb);
    let own = [OF_LIBCXX, CPP_BY_CODELLDB, CPP_BY_LLDB].concat();
    assert_shown(
        ("codelldb", &program, "values.cpp"),
        CPP,
        &own,
        NOT_OF_LIBCXX,
    );
    // The debugger that shows more is the one that is used.
    require!(gdb);
    let _beside = support::beside();
    let runs = Runs::new();
    let program = program.to_str().unwrap();
    let ran = runs.run(&["-b", "fn:main", "--max-stops", "1", program]);
    let launched = &ran.one("process_launched")["adapter"];
    assert_eq!(launched, "lldb-dap");
    let told = ran.of("adapter_message");
    let is_why = |e: &&&Value| e["text"].as_str().unwrap().contains("libc++ as raw fields");
    assert!(told.iter().any(|e| is_why(&e)), "{told:#?}");
}

/// What an optimised program shows is what it is, or said to be optimised away: nothing else, and nothing takes the other rows with it.
fn assert_optimised((adapter, program, source): (&str, &Path, &str), table: &[Row], least: usize) {
    let _quiet = support::in_pairs();
    let known = shown(adapter, program, source);
    let is_told = |(name, expected): &&Row| {
        let said = known.get(*name).map(String::as_str).unwrap_or_default();
        let beginning = expected.strip_suffix('…').unwrap_or(expected);
        said.starts_with(beginning) || said.contains("<optimized out>")
    };
    let told = table.iter().filter(is_told).count();
    assert!(
        told >= least,
        "{adapter}: {told} of {}: {known:#?}",
        table.len()
    );
}

#[test]
fn optimised_programs_by_gdb() {
    require!(gdb);
    let of = ("gdb", &*made(tools::rust_values_optimised), "values.rs");
    let rust: Vec<_> = RUST
        .iter()
        .filter(|row| row.0 != "object")
        .copied()
        .collect();
    assert_optimised(of, &rust, rust.len());
    // Of three the pointer is gone and what it points to is there, or an array's elements are told one by one; a union's bytes are nowhere.
    let of = ("gdb", &*made(tools::cpp_values_optimised), "values.cpp");
    assert_optimised(of, CPP, CPP.len() - 6);
}

/// What comes for values with parts is not shown of those that have none.
#[test]
fn on_the_screen_each_row_shows_its_own_value() {
    let _beside = support::beside();
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

/// Expressions that name parts of what is shown, and what comes of them with each debugger.
const RUST_PATHS: &[Row] = &[
    ("queue[2]", "3"),
    ("map[\"a\"]", "[1, 2, 3]"),
    ("map[\"a\"][1]", "2"),
    ("map[\"zz\"]", "`map` shows no key \"zz\""),
    ("root.kids[0].name == \"leaf\"", "true"),
    ("list.len() >= 4", "false"),
    ("root.kids[0].name", "\"leaf\""),
    ("*shared", "5"),
    ("*weak", "5"),
    ("*boxed", "9"),
    ("boxed_list[1]", "8"),
    ("boxed_text == \"bs\"", "true"),
    ("bytes[2]", "255"),
    ("borrowed == \"cow\"", "true"),
    ("path == \"/tmp/y\"", "false"),
    ("path == \"/tmp/x\"", "true"),
    ("orders[3].customer", "\"cust3\""),
    ("tuple.2", "3"),
    ("cells[1]", "2"),
    ("locked[2]", "3"),
    ("locked.len()", "3"),
    ("slice[1]", "2"),
    ("some.r", "3.5"),
    ("reference.kids.is_empty()", "false"),
    ("owned.len()", "5"),
    ("text.len()", "10"),
    ("orders.len()", "100"),
    ("map.len()", "1"),
    ("sorted.len()", "2"),
    ("sorted[2]", "\"y\""),
    ("tree_set[1]", "2"),
    ("list[9]", "`list` has 3 elements, and no [9]"),
    ("list[count]", "`list` has 3 elements, and no [42]"),
    ("list.last()", "2"),
    ("list.first().unwrap()", "3"),
    ("list.get(1)", "1"),
    ("map.get(\"a\").unwrap().len()", "3"),
    ("map.contains_key(\"zz\")", "false"),
    ("set.contains(&5)", "true"),
    ("none_yet.last()", "`none_yet` has no elements"),
    ("number.is_some()", "true"),
    ("number.unwrap()", "5"),
    ("niche.unwrap()", "7"),
    ("nothing.is_none()", "true"),
    ("nothing.unwrap()", "`nothing` holds no value"),
    ("good.is_ok()", "true"),
    ("good.unwrap()", "1"),
    ("bad.is_err()", "true"),
    ("bad.is_ok() == false", "true"),
    ("some.unwrap().r", "3.5"),
    ("huge + 1", "170141183460469231731687303715884105728"),
    ("letter == 'x'", "true"),
    ("-7 / 2", "-3"),
    (
        "root.nme",
        "`root` has no part `nme`; it has name, kids, shape",
    ),
];

const CPP_PATHS: &[Row] = &[
    ("orders[3].id == 3", "true"),
    ("list.size() < 3", "false"),
    ("queue[1]", "2"),
    ("map[\"a\"]", "1"),
    ("map[\"zz\"]", "`map` shows no key \"zz\""),
    ("map.size()", "1"),
    ("multi[1]", "2"),
    ("orders[3].customer", "\"cust3\""),
    ("orders.size()", "100"),
    ("root.kids[0].name", "\"leaf\""),
    ("*up", "7"),
    ("*some", "5"),
    ("shared->id", "2"),
    ("pointer->price", "4.5"),
    ("derived.base", "1"),
    ("pair.second", "\"one\""),
    ("linked.size()", "2"),
    ("owned.size()", "5"),
    ("zero.size()", "3"),
    ("owned.empty()", "false"),
    ("list[9]", "`list` has 3 elements, and no [9]"),
    ("list.at(1)", "1"),
    ("list.back()", "2"),
    ("list.front() == 3", "true"),
    ("array[1]", "2"),
    ("map.at(\"a\")", "1"),
    ("map.count(\"a\")", "1"),
    ("map.count(\"b\")", "0"),
    ("multi.count(1)", "1"),
    ("sorted.count(2)", "1"),
    ("some.has_value()", "true"),
    ("some.value()", "5"),
    ("nothing.has_value()", "false"),
    ("nothing.value()", "`nothing` holds no value"),
    ("part.size()", "5"),
    ("part.empty()", "false"),
];

/// A failing expression is one sentence, of the debugger's own where what is shown says no more.
const NOT_KNOWN: &[Row] = &[
    ("nosuch.part", "use of undeclared identifier 'nosuch'"),
    ("nosuch + 1", "use of undeclared identifier 'nosuch'"),
    (
        "variant.size() * 2",
        "no member named 'size' in 'std::variant<int, std::basic_string<char>>'",
    ),
];

const CPP_PATHS_BY_LLDB: &[Row] = &[("*shared", "{id: 2, customer: \"two\", price: 3}")];

/// What only GDB knows: LLDB has nothing of what libstdc++ hashes.
const CPP_PATHS_BY_GDB: &[Row] = &[
    ("hashed[\"x\"][1]", "5"),
    ("set.size()", "1"),
    ("*shared", "Order {id: 2, customer: \"two\", price: 3}"),
    ("kind->own", "2"),
    ("tuple.1", "\"two\""),
];

fn assert_paths((adapter, program, source): (&str, &Path, &str), tables: &[&[Row]]) {
    let _quiet = support::in_pairs();
    let runs = Runs::new();
    let source = program_source(source);
    let at = format!("{}:{}", source.display(), line_of(&source, "values"));
    let mut words = vec!["--adapter", adapter, "-b", &at, "--max-stops", "1"];
    let rows = tables.concat();
    for (expression, _) in &rows {
        words.extend(["-e", expression]);
    }
    words.push(program.to_str().unwrap());
    let ran = runs.run(&words);
    let stop = ran.one("breakpoint_hit");
    let wrong = rows.iter().filter_map(|(expression, expected)| {
        let told = &stop["evaluations"][expression];
        let fields = ["error", "preview", "result"];
        let said = fields.iter().find_map(|name| told[name].as_str());
        (said != Some(expected)).then(|| format!("{expression}: {told} and not {expected:?}"))
    });
    let wrong: Vec<_> = wrong.collect();
    assert!(wrong.is_empty(), "{adapter}\n{}", wrong.join("\n"));
}

#[test]
fn expressions_follow_what_gdb_shows() {
    require!(gdb);
    let rust = ("gdb", &*made(tools::rust_values), "values.rs");
    assert_paths(rust, &[RUST_PATHS]);
    let cpp = ("gdb", &*made(tools::cpp_values), "values.cpp");
    assert_paths(cpp, &[CPP_PATHS, CPP_PATHS_BY_GDB]);
}

#[test]
fn expressions_follow_what_lldb_dap_shows() {
    require!(lldb_dap);
    let rust = ("lldb-dap", &*made(tools::rust_values), "values.rs");
    assert_paths(rust, &[RUST_PATHS]);
    let cpp = ("lldb-dap", &*made(tools::cpp_values), "values.cpp");
    assert_paths(cpp, &[CPP_PATHS, CPP_PATHS_BY_LLDB, NOT_KNOWN]);
}

#[test]
fn expressions_follow_what_codelldb_shows() {
    require!(codelldb);
    let rust = ("codelldb", &*made(tools::rust_values), "values.rs");
    assert_paths(rust, &[RUST_PATHS]);
    let cpp = ("codelldb", &*made(tools::cpp_values), "values.cpp");
    let natively = ("/nat list.at(1)", "1");
    assert_paths(cpp, &[CPP_PATHS, CPP_PATHS_BY_LLDB, NOT_KNOWN, &[natively]]);
}

/// What a logpoint prints is what is shown, with every expression that is known where the program stands; a function that is called for one is
/// no stop, and what fails is a sentence in its place.
fn assert_logged(adapter: &str, unknown: [&str; 2]) {
    let _quiet = support::in_pairs();
    let runs = Runs::new();
    let rows = [
        (
            "values.cpp",
            tools::cpp_values(),
            "{list.size()} of {list}, {orders[3].customer}, {function(1)}, {some.value()}, {nosuch}",
            "3 of [3, 1, 2], \"cust3\", 43, 5, <",
        ),
        (
            "values.rs",
            tools::rust_values(),
            "{list.len()} of {list}, {list[1]}, {root.kids[0].name}, {nosuch}",
            "3 of [3, 1, 2], 1, \"leaf\", <",
        ),
    ];
    for ((source, program, message, told), unknown) in rows.into_iter().zip(unknown) {
        let source = program_source(source);
        let at = format!("{}:{}", source.display(), line_of(&source, "values"));
        let next = format!("{}:{}", source.display(), line_of(&source, "conditions"));
        let (log, record) = (format!("{at}|{message}"), format!("{next} => list, nosuch"));
        let program = program.to_str().unwrap();
        let ran = runs.run(&["--adapter", adapter, "-l", &log, "-b", &record, program]);
        let logged = ran.one("logpoint")["message"].as_str().unwrap();
        assert!(logged.starts_with(told), "{adapter}: {logged}");
        assert!(
            logged.ends_with(&format!("<{unknown}>")),
            "{adapter}: {logged}"
        );
        let recorded = &ran.one("recorded")["values"];
        assert_eq!(recorded["list"]["shown"], "[3, 1, 2]", "{adapter}");
        assert_eq!(recorded["nosuch"]["error"], unknown, "{adapter}");
        assert!(ran.of("stopped").is_empty(), "{adapter}");
        assert_eq!(ran.code, Some(0), "{adapter}");
    }
}

#[test]
fn logpoints_of_gdb_tell_what_is_shown() {
    require!(gdb);
    let unknown = [
        "No symbol \"nosuch\" in current context.",
        "No symbol 'nosuch' in current context",
    ];
    assert_logged("gdb", unknown);
}

#[test]
fn logpoints_of_lldb_dap_tell_what_is_shown() {
    require!(lldb_dap);
    assert_logged("lldb-dap", ["use of undeclared identifier 'nosuch'"; 2]);
}

#[test]
fn logpoints_of_codelldb_tell_what_is_shown() {
    require!(codelldb);
    assert_logged("codelldb", ["use of undeclared identifier 'nosuch'"; 2]);
}

/// A rule of the person's own goes before ours, wherever a value of the type is shown; what cannot be read is said and left out.
#[test]
fn a_rule_of_ones_own_decides_what_is_shown() {
    let _beside = support::beside();
    require!(gdb);
    let runs = Runs::new();
    let rules = "[[preview]]\ntype = \"Order\"\nshow = \"#{id} of {customer}\"\n[[preview]]\ntype = \"(\"\n[[preview]]\ntyp = \"x\"\n[[preview]]\ntype = \"Customer\"\n";
    let config = runs.home.file("rules.toml", rules);
    let source = program_source("values.cpp");
    let at = format!("{}:{}", source.display(), line_of(&source, "values"));
    let (config, program) = (config.to_str().unwrap(), tools::cpp_values());
    let words = [
        "--config",
        config,
        "--adapter",
        "gdb",
        "-b",
        &at,
        "--max-stops",
        "1",
    ];
    let ran = runs.run(&[&words[..], &[program.to_str().unwrap()]].concat());
    let locals = &ran.one("breakpoint_hit")["locals"];
    for (name, shown) in [
        ("order", "#3 of \"cust3\""),
        ("reference", "#3 of \"cust3\""),
        ("pointer", "#3 of \"cust3\""),
    ] {
        assert_eq!(locals[name]["preview"], shown, "{name}");
    }
    let orders = locals["orders"]["preview"].as_str().unwrap();
    assert!(
        orders.starts_with("(100) [#0 of \"cust0\", #1 of"),
        "{orders}"
    );
    let told: Vec<_> = ran
        .of("adapter_message")
        .iter()
        .map(|e| e["text"].to_string())
        .collect();
    for (line, why) in [
        (4, "unclosed group"),
        (6, "unknown field `typ`"),
        (8, "it needs a `show`"),
    ] {
        let is_told =
            |text: &String| text.contains(&format!("rules.toml:{line}")) && text.contains(why);
        assert!(told.iter().any(is_told), "{told:?}");
    }
}

/// A condition that compares what is shown stops where it holds, whatever the debugger makes of it: a line each, in one run of a program.
fn assert_conditions(adapter: &str) {
    let _beside = support::beside();
    let rust = [
        ("list.len() == 4", false),
        ("list.len() == 3", true),
        ("owned == \"hallo\"", false),
        ("owned == \"hello\"", true),
        ("text != \"röot 🎉\"", false),
        ("text != \"root\"", true),
        ("letter == 'y' || huge + 1 < 5", false),
        ("huge > 5 && letter == 'x'", true),
        ("!(owned == \"hello\" || huge > 5)", false),
        ("owned == \"no\" || owned == \"hello\"", true),
        ("number.is_none()", false),
        ("number.is_some()", true),
        ("list.is_empty() || number.is_none()", false),
        ("!list.is_empty() && huge > 5", true),
        ("list.len()", true),
        ("!list.len()", false),
    ];
    let cpp = [
        ("text == \"hallo\"", false),
        ("text == \"hello\"", true),
        ("order.customer != \"cust3\"", false),
        ("order.customer == \"cust3\"", true),
        ("orders[3].id == 4", false),
        ("orders[3].id == 3", true),
        ("text == \"hello\" && count == 41 || count < 0", false),
        ("count == 41 || text == \"hello\" && count == 42", true),
        ("(text == \"a\" || \"hello\" == text) && count == 41", false),
        ("!(text == \"hello\") || (\"hello\" == text)", true),
        // What is shown of these is no number: a character, a name, where a reference leads.
        ("letter == 121", false),
        ("letter == 120", true),
        ("level == Level::High", true),
        ("counted == 41", false),
        ("counted == 42", true),
        ("nothing.has_value()", false),
        ("some.has_value()", true),
        ("map[\"a\"] == 1 && count == 41", false),
        ("map[\"a\"] == 1 && count == 42", true),
        ("pointer != nullptr", true),
    ];
    // No debugger calls what the C library has without debug information.
    let c = [
        ("strcmp(text, \"root\") == 0", false),
        ("strcmp(\"one\", words[1]) != 0", true),
        ("count == 42 && !strcmp(pointer->name, \"root\")", true),
        ("both_flags == 3", true),
        ("told == \"Nim\"", false),
        ("part == \"hello\" && row[2] == 4", true),
        ("told == \"a\" || told == \"b\"", false),
        ("(\"nim\" == told)", true),
        ("none == NULL && yes == true", true),
        ("text == NULL || yes == false", false),
    ];
    let rust = (tools::rust_values(), "values.rs", &rust[..]);
    let cpp = (tools::cpp_values(), "values.cpp", &cpp[..]);
    let c = (tools::c_values(), "values.c", &c[..]);
    for (program, source, conditions) in [rust, cpp, c] {
        let source = program_source(source);
        let lines = line_of(&source, "conditions")..;
        let mut words = vec!["--adapter".to_owned(), adapter.to_owned()];
        let mut expected = Vec::new();
        for (line, (condition, stops)) in lines.zip(conditions) {
            words.extend([
                "-b".to_owned(),
                format!("{}:{line}?{condition}", source.display()),
            ]);
            expected.extend(stops.then_some(line));
        }
        words.push(program.to_str().unwrap().to_owned());
        let runs = Runs::new();
        let ran = runs.run(&words.iter().map(String::as_str).collect::<Vec<_>>());
        let hits = ran.of("breakpoint_hit");
        let hits: Vec<_> = hits
            .iter()
            .filter_map(|hit| hit["location"]["line"].as_u64())
            .collect();
        assert_eq!(
            hits,
            expected.into_iter().map(u64::from).collect::<Vec<_>>(),
            "{adapter} {}: {ran:#?}",
            source.display()
        );
    }
}

#[test]
fn conditions_follow_what_gdb_shows() {
    require!(gdb);
    assert_conditions("gdb");
}

#[test]
fn conditions_follow_what_lldb_dap_shows() {
    require!(lldb_dap);
    assert_conditions("lldb-dap");
}

#[test]
fn conditions_follow_what_codelldb_shows() {
    require!(codelldb);
    assert_conditions("codelldb");
}

/// What the line debugger prints, and that with what it says of errors, where it stops at the values of a program.
fn typed(adapter: &str, source: &str, program: &Path, typed: &[&str]) -> (String, String) {
    let _beside = support::beside();
    let runs = Runs::new();
    let source = program_source(source);
    let at = format!("break {}:{}", source.display(), line_of(&source, "values"));
    let typed = [&*at, "run"].into_iter().chain(typed.iter().copied());
    let typed = typed.flat_map(|typed| ["--ex", typed]);
    let mut words = vec!["repl", "--batch", "--adapter", adapter];
    words.extend(typed);
    words.push(program.to_str().unwrap());
    let as_run = runs.command(&[]);
    let variables = as_run
        .get_envs()
        .filter_map(|(name, value)| Some((name, value?)));
    let mut command = std::process::Command::new(tools::omp_debug());
    command.args(words).current_dir(runs.work());
    let output = command.env_clear().envs(variables).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let told = String::from_utf8_lossy(&output.stderr).into_owned() + &said;
    (said, told)
}

/// What a debugger would write over as bytes is not assigned to, and the program goes on with what it had.
#[test]
fn a_whole_string_is_not_overwritten() {
    require!(gdb);
    let lines = [
        "set owned = \"x\"",
        "set count = 43",
        "print owned",
        "locals",
        "continue",
    ];
    let (said, told) = typed("gdb", "values.rs", &made(tools::rust_values), &lines);
    assert!(told.contains("cannot make a String of"), "{told}");
    // All locals are shown as they are, not only one that is asked for.
    for row in [
        "owned = \"hello\"",
        "count = 43",
        "map = (1) {\"a\": [1, 2, 3]}",
        "pause = 1.5 s",
    ] {
        assert!(said.contains(row), "{row}: {said}");
    }
    assert!(!told.contains("SIG"), "{told}");
}

/// A `std::string` takes another text, longer than the one that it held, wherever it is, and the program goes on with it; what would be written
/// over as bytes is refused.
fn assert_takes_text(adapter: &str, more: &[(&str, &str)]) {
    let accepted = [
        (
            "set owned = \"longer than what fits beside it\"",
            "owned = \"longer than what fits beside it\"",
        ),
        (
            "set order.customer = \"say \\\"hi\\\"\"",
            "order.customer = \"say \\\"hi\\\"\"",
        ),
        (
            "set orders[0].customer = owned",
            "orders[0].customer = \"longer than what fits beside it\"",
        ),
        ("set yes = false", "yes = false"),
        ("set count = 43", "count = 43"),
    ];
    let refused = [
        ("set owned = 3", "cannot make a string of `3`"),
        (
            "set order = orders[1]",
            "cannot make an Order of `orders[1]`",
        ),
        ("set count = \"text\"", "cannot make an int of `\"text\"`"),
    ];
    let all = accepted.iter().chain(more).chain(&refused);
    let mut lines: Vec<&str> = all.map(|(line, _)| *line).collect();
    lines.extend(["next", "print count"]);
    let (said, told) = typed(adapter, "values.cpp", &made(tools::cpp_values), &lines);
    for (line, row) in accepted.iter().chain(more) {
        assert!(said.contains(row), "{line}: {row}: {told}");
    }
    for (line, why) in refused {
        assert!(told.contains(why), "{line}: {told}");
    }
    assert!(said.matches("count = 43").count() == 2, "{told}");
}

/// A text in a call is made by a call of the debugger's own, after which the program can be looked at still.
const CALLS: [(&str, &str); 2] = [
    ("print (int)strlen(\"four\")", "(int)strlen(\"four\") = 4"),
    ("print owned.size()", "owned.size() = 31"),
];

#[test]
fn a_string_is_given_another_text_by_gdb() {
    require!(gdb);
    assert_takes_text("gdb", &CALLS);
}

#[test]
fn a_string_is_given_another_text_by_lldb_dap() {
    require!(lldb_dap);
    assert_takes_text("lldb-dap", &CALLS);
}

#[test]
fn a_string_is_given_another_text_by_codelldb() {
    require!(codelldb);
    assert_takes_text("codelldb", &[]);
}

const NATVIS: &str = r#"<AutoVisualizer>
<Type Name="Order"><DisplayString Condition="id == 3">third of {customer,sb}</DisplayString></Type>
</AutoVisualizer>"#;
const GDB_SCRIPT: &str = "python
import gdb.printing
class Node:
    def __init__(self, value): self.value = value
    def to_string(self): return 'node called ' + self.value['name'].format_string()
printers = gdb.printing.RegexpCollectionPrettyPrinter('project')
printers.add_printer('Node', '^Node$', Node)
gdb.printing.register_pretty_printer(None, printers)
end
";
const LLDB_SCRIPT: &str = "type summary add --summary-string \"node called ${var.name}\" Node\n";

/// Scripts of GDB and LLDB and tables of Visual Studio that lie with the project: unused, and said so, until they are trusted.
fn assert_formatters(adapter: &str) {
    let _beside = support::beside();
    let runs = Runs::new();
    let script = match adapter {
        "gdb" => ("work/.gdbinit", GDB_SCRIPT),
        _ => ("work/.lldbinit", LLDB_SCRIPT),
    };
    runs.home.file(script.0, script.1);
    runs.home.file("work/natvis/shop.natvis", NATVIS);
    let source = program_source("values.cpp");
    let at = format!("{}:{}", source.display(), line_of(&source, "values"));
    let program = tools::cpp_values();
    let words = ["--adapter", adapter, "-b", &at, "--max-stops", "1"];
    let words = [&words[..], &[program.to_str().unwrap()]].concat();
    let before = runs.run(&words);
    let previews = |locals: &Value| {
        ["order", "root"].map(|name| {
            let field = &locals[name];
            let shown = field["preview"]
                .as_str()
                .or_else(|| field["value"].as_str());
            shown.unwrap_or_default().to_owned()
        })
    };
    let [order, root] = previews(&before.one("breakpoint_hit")["locals"]);
    assert!(
        !order.contains("third") && !root.contains("called"),
        "{order} {root}"
    );
    let messages = before.of("adapter_message");
    for name in [script.0.trim_start_matches("work/"), "shop.natvis"] {
        let is_said = |e: &&&Value| {
            let text = e["text"].as_str().unwrap_or_default();
            text.contains(name) && text.contains("until you trust it")
        };
        assert!(
            messages.iter().any(|e| is_said(&e)),
            "{name}: {messages:#?}"
        );
    }
    let after = runs.run(&[&["--trust"][..], &words].concat());
    let [order, root] = previews(&after.one("breakpoint_hit")["locals"]);
    assert_eq!(order, "third of \"cust3\"", "{adapter}");
    assert_eq!(root, "node called \"root\"", "{adapter}");
}

#[test]
fn what_a_project_has_for_gdb_is_used_once_it_is_trusted() {
    require!(gdb);
    assert_formatters("gdb");
}

#[test]
fn what_a_project_has_for_lldb_dap_is_used_once_it_is_trusted() {
    require!(lldb_dap);
    assert_formatters("lldb-dap");
}

#[test]
fn what_a_project_has_for_codelldb_is_used_once_it_is_trusted() {
    require!(codelldb);
    assert_formatters("codelldb");
}

#[test]
fn c_by_each() {
    require!(gdb);
    let program = made(tools::c_values);
    assert_shown(("gdb", &program, "values.c"), C, C_BY_GDB, &[]);
    require!(lldb_dap);
    assert_shown(("lldb-dap", &program, "values.c"), C, C_BY_LLDB, &[]);
    require!(codelldb);
    let own = [C_BY_CODELLDB, C_BY_LLDB].concat();
    assert_shown(("codelldb", &program, "values.c"), C, &own, &[]);
}

#[test]
fn go_by_dlv() {
    require!(dlv);
    let program = program_source("values.go");
    assert_shown(("dlv", &program, "values.go"), GO, &[], &[]);
}

#[test]
fn python_by_debugpy() {
    require!(debugpy);
    let program = program_source("values.py");
    assert_shown(("debugpy", &program, "values.py"), PYTHON, &[], &[]);
}

#[test]
fn javascript_by_js_debug() {
    require!(js_debug);
    let program = program_source("values.js");
    assert_shown(
        ("js-debug-adapter", &program, "values.js"),
        JAVASCRIPT,
        &[],
        &[],
    );
}

#[test]
fn ruby_by_rdbg() {
    require!(rdbg);
    let program = program_source("values.rb");
    assert_shown(("rdbg", &program, "values.rb"), RUBY, &[], &[]);
}
