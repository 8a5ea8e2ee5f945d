//! Values as debuggers tell them, and what is shown of them.

use std::cell::RefCell;

use super::{Known, Part, Pointers, Preview, preview, rules, short_type};

thread_local! {
    /// What the values of a test are made of.
    static KNOWN: RefCell<Known> = RefCell::default();
}

/// A value with parts that are known.
fn part(name: &str, value: &str, type_name: &str, parts: &[Part]) -> Part {
    let reference = KNOWN.with_borrow_mut(|known| {
        if parts.is_empty() {
            return 0;
        }
        let reference = 1000 + i64::try_from(known.len()).unwrap();
        known.insert(reference, parts.to_vec());
        reference
    });
    Part {
        name: name.to_owned(),
        value: value.to_owned(),
        type_name: type_name.to_owned(),
        reference,
        indexed: None,
    }
}

fn looked_at(part: &Part) -> Option<Preview> {
    KNOWN.with_borrow(|known| preview(part, known, Pointers::Addresses))
}

fn shown(part: &Part) -> String {
    let shown = looked_at(part).map(|p| p.text);
    shown.unwrap_or_else(|| part.value.clone())
}

#[test]
fn the_rules_can_be_read() {
    let rules = rules::read(include_str!("../../../assets/previews.toml"));
    assert!(rules.is_ok(), "{rules:?}");
    for (wrong, why) in [
        (
            "[[preview]]\ntype = \"(\"",
            "the pattern \"(\": unclosed group",
        ),
        ("[[preview]]\nshow = \"{a\"", "a brace is not closed"),
        ("[[preview]]\nkind = \"a\"", "unknown field `kind`"),
    ] {
        let told = rules::read(wrong).unwrap_err();
        assert!(told.contains(why), "{told}");
    }
}

#[test]
fn what_its_debugger_says_well_is_left_alone() {
    for (value, type_name) in [
        ("42", "i32"),
        ("\"hello\"", "&str"),
        ("Some(5)", "Option<i32>"),
    ] {
        assert_eq!(looked_at(&part("x", value, type_name, &[])), None);
    }
}

#[test]
fn structs_tuples_arrays_and_enums_are_known_by_their_parts() {
    let fields = [
        part("id", "3", "int", &[]),
        part("customer", "\"cust3\"", "std::string", &[]),
    ];
    let order = part("o", "", "shop::Order", &fields);
    assert_eq!(shown(&order), "Order {id: 3, customer: \"cust3\"}");
    let unit = part("u", "", "values::Unit", &[]);
    assert_eq!(shown(&unit), "Unit");
    let tuple = [
        part("__0", "1", "i32", &[]),
        part("__1", "\"two\"", "&str", &[]),
    ];
    assert_eq!(shown(&part("t", "", "(i32, &str)", &tuple)), "(1, \"two\")");
    let array = [part("0", "1", "u8", &[]), part("1", "2", "u8", &[])];
    assert_eq!(shown(&part("a", "", "[u8; 2]", &array)), "[1, 2]");
    let circle = part(
        "Circle",
        "",
        "v::Shape::Circle",
        &[part("r", "3.5", "f64", &[])],
    );
    let shape = part("__0", "", "v::Shape", &[circle]);
    let some = part("Some", "", "core::option::Option<v::Shape>::Some", &[shape]);
    let some = part("s", "", "core::option::Option<v::Shape>", &[some]);
    assert_eq!(shown(&some), "Some(Circle {r: 3.5})");
    assert_eq!(shown(&part("l", "v::Level::High", "v::Level", &[])), "High");
}

#[test]
fn what_is_not_known_is_named_and_stands_as_dots() {
    let kids = Part {
        reference: 7,
        indexed: Some(2),
        ..part("kids", "Vec(size=2)", "alloc::vec::Vec<v::Node>", &[])
    };
    let name = part("name", "\"root\"", "alloc::string::String", &[]);
    let node = part("n", "", "v::Node", &[name, kids]);
    let told = looked_at(&node).unwrap();
    assert_eq!(told.text, "Node {name: \"root\", kids: (2) […]}");
    assert_eq!(told.lacks, [7]);
    let parts = ["1", "2"].map(|value| part("[0]", value, "i32", &[]));
    KNOWN.with_borrow_mut(|known| known.insert(7, parts.to_vec()));
    let told = looked_at(&node).unwrap();
    assert_eq!(told.text, "Node {name: \"root\", kids: [1, 2]}");
    assert!(told.lacks.is_empty());
}

#[test]
fn long_values_end_in_dots_and_their_length() {
    let numbers: Vec<_> = (0..9)
        .map(|n| part(&format!("[{n}]"), "7", "int", &[]))
        .collect();
    let vector = part(
        "v",
        "std::vector of length 100, capacity 128",
        "std::vector<int>",
        &numbers,
    );
    assert_eq!(shown(&vector), "(100) [7, 7, 7, 7, 7, 7, 7, 7, …]");
    let words: Vec<_> = (0..9)
        .map(|n| part(&format!("[{n}]"), &"w".repeat(100), "x", &[]))
        .collect();
    let vector = part(
        "v",
        "std::vector of length 9, capacity 9",
        "std::vector<x>",
        &words,
    );
    assert!(shown(&vector).chars().count() < 230, "{}", shown(&vector));
    let empty = part(
        "v",
        "std::vector of length 0, capacity 0",
        "std::vector<int>",
        &[],
    );
    assert_eq!(shown(&empty), "[]");
}

#[test]
fn maps_show_keys_and_values() {
    let keyed = [
        part("[\"a\"]", "1", "u32", &[]),
        part("[\"a\"] #2", "2", "u32", &[]),
    ];
    let map = part(
        "m",
        "HashMap(size=2)",
        "std::collections::hash::map::HashMap<K, V>",
        &keyed,
    );
    assert_eq!(shown(&map), "(2) {\"a\": 1, \"a\": 2}");
    let flat = [
        part("0", "\"a\"", "alloc::string::String", &[]),
        part("1", "1", "u32", &[]),
    ];
    let pair = part("[0]", "(\"a\", 1)", "(K, V)", &flat);
    let map = part(
        "m",
        "size=1",
        "std::collections::hash::map::HashMap<K, V>",
        &[pair],
    );
    assert_eq!(shown(&map), "(1) {\"a\": 1}");
}

#[test]
fn what_wraps_a_value_shows_it() {
    let seven = part("value", "7", "int", &[]);
    let pointer = part(
        "get()",
        "0x55555558a8d0",
        "int *",
        std::slice::from_ref(&seven),
    );
    let unique = part(
        "up",
        "std::unique_ptr<int>",
        "std::unique_ptr<int>",
        &[pointer],
    );
    assert_eq!(shown(&unique), "7");
    let null = part("get()", "0x0", "int *", std::slice::from_ref(&seven));
    let none = part(
        "up",
        "std::unique_ptr<int>",
        "std::unique_ptr<int>",
        &[null],
    );
    assert_eq!(shown(&none), "null");
    let raw = part(
        "p",
        "0x00007fffffffd6a8",
        "*mut i32",
        std::slice::from_ref(&seven),
    );
    assert_eq!(shown(&raw), "0x7fffffffd6a8 → 7");
    let of_rust = KNOWN.with_borrow(|known| preview(&raw, known, Pointers::Values));
    assert_eq!(of_rust.unwrap().text, "7");
    let rc = part("r", "Rc(strong=2, weak=0)", "alloc::rc::Rc<i32>", &[seven]);
    assert_eq!(shown(&rc), "7  rc 2");
    let letter = part("c", "120 'x'", "char", &[]);
    assert_eq!(shown(&letter), "'x'");
}

/// Each level asks for one more: it ends.
#[test]
fn a_value_that_holds_itself_ends() {
    let mut value = part("me", "", "v::Me", &[part("x", "1", "int", &[])]);
    for _ in 0..40 {
        value = part("me", "", "v::Me", &[value]);
    }
    assert_eq!(shown(&value), "Me {me: Me {me: Me {me: Me {…}}}}");
    let mut pointer = part("value", "0x1", "Node *", &[part("value", "1", "int", &[])]);
    for _ in 0..100 {
        pointer = part("value", "0x1", "Node *", &[pointer]);
    }
    assert!(shown(&pointer).ends_with('…'));
}

/// What holds itself eight times over, through wrappers, is not looked at as often as that makes.
#[test]
fn a_value_that_holds_itself_many_times_ends() {
    let me = Part {
        reference: 5,
        ..part("octets", "", "core::net::ip_addr::Ipv4Addr", &[])
    };
    let parts = ["octets", "0", "1", "2", "3"].map(|name| Part {
        name: name.to_owned(),
        ..me.clone()
    });
    KNOWN.with_borrow_mut(|known| known.insert(5, parts.to_vec()));
    let told = looked_at(&me).unwrap();
    assert!(told.text.len() < 10_000, "{}", told.text.len());
}

#[test]
fn types_are_short() {
    for (full, short) in [
        ("i32", "i32"),
        ("unsigned int", "unsigned int"),
        ("numpy.ndarray", "numpy.ndarray"),
        ("alloc::string::String", "String"),
        (
            "std::collections::hash::map::HashMap<alloc::string::String, alloc::vec::Vec<u32, alloc::alloc::Global>, std::hash::random::RandomState, alloc::alloc::Global>",
            "HashMap<String, Vec<u32>>",
        ),
        (
            "std::vector<Order, std::allocator<Order> >",
            "vector<Order>",
        ),
        (
            "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >",
            "string",
        ),
        (
            "std::pair<int, std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > >",
            "pair<int, string>",
        ),
        (
            "const std::map<std::string, int> &",
            "const map<string, int> &",
        ),
        ("*mut dyn core::error::Error", "*mut dyn Error"),
        ("&[values::Node]", "&[Node]"),
        (
            "core::option::Option<core::result::Result<values::Level, alloc::string::String>>",
            "Option<Result<Level, String>>",
        ),
        (
            "std::unique_ptr<int, std::default_delete<int> >",
            "unique_ptr<int>",
        ),
        (
            "fn(core::fmt::Arguments) -> core::fmt::Error",
            "fn(Arguments) -> Error",
        ),
        ("values::main::{closure_env#1}", "{closure_env#1}"),
        ("a::<b", "a<b"),
        (":::::<<<>>>((", ":<<>>(("),
    ] {
        let told = short_type(full);
        if full.starts_with(':') || full.starts_with("a::<") {
            assert!(told.len() <= full.len(), "{told}");
        } else {
            assert_eq!(told, short, "{full}");
        }
    }
}

#[test]
fn no_more_elements_are_shown_than_there_are() {
    let elements: Vec<_> = [3, 1, 2, 0, 65]
        .map(|n| part(&format!("[{n}]"), &n.to_string(), "i32", &[]))
        .into();
    let list = part("list", " size=3", "alloc::vec::Vec<i32>", &elements);
    assert_eq!(shown(&Part::from(&variable(&list))), "[3, 1, 2]");
}

#[test]
fn long_texts_end_in_their_length() {
    let long = format!("\"{}\"", "é".repeat(5000));
    let beginning = "é".repeat(super::LONG);
    let expected = format!("\"{beginning}…\" 5,000 chars");
    assert_eq!(super::text(&long), Some(expected));
    assert_eq!(super::text(" \"short\"").as_deref(), Some("\"short\""));
    assert_eq!(super::text("\"short\""), None);
}

/// As an adapter tells it.
fn variable(part: &Part) -> dap::types::Variable {
    dap::types::Variable {
        name: part.name.clone(),
        value: part.value.clone(),
        type_: Some(part.type_name.clone()),
        variables_reference: part.reference,
        ..Default::default()
    }
}
