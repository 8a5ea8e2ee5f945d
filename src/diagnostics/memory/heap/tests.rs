//! Snapshots made here: of any shape, whole and broken; what they say is compared with what a slow and plain way finds.

use std::{fmt::Write as _, path::PathBuf};

use proptest::prelude::*;

use super::*;

/// Type, name, own size, edges (type, target).
type Node = (u64, u64, u64, Vec<(u64, usize)>);

const OBJECT: u64 = 3;
const STRING: u64 = 2;
const SYNTHETIC: u64 = 9;
const PROPERTY: u64 = 2;
const WEAK: u64 = 6;

fn snapshot(nodes: &[Node], strings: &[&str]) -> String {
    let edges: usize = nodes.iter().map(|node| node.3.len()).sum();
    let mut text = format!(
        r#"{{"snapshot":{{"meta":{{"node_fields":["type","name","id","self_size","edge_count","trace_node_id","detachedness"],"node_types":[["hidden","array","string","object","code","closure","regexp","number","native","synthetic","concatenated string"],"string","number","number","number","number","number"],"edge_fields":["type","name_or_index","to_node"],"edge_types":[["context","element","property","internal","hidden","shortcut","weak"],"string_or_number","node"]}},"node_count":{},"edge_count":{edges},"trace_function_count":0}},
"nodes":["#,
        nodes.len()
    );
    let mut comma = "";
    for (at, (kind, name, size, edges)) in nodes.iter().enumerate() {
        let id = at * 2 + 1;
        let _ = writeln!(text, "{comma}{kind},{name},{id},{size},{},0,0", edges.len());
        comma = ",";
    }
    text.push_str("],\n\"edges\":[");
    comma = "";
    for (kind, to) in nodes.iter().flat_map(|node| &node.3) {
        let _ = writeln!(text, "{comma}{kind},1,{}", to * 7);
        comma = ",";
    }
    let strings = serde_json::to_string(strings).unwrap();
    let _ = write!(
        text,
        "],\"trace_function_infos\":[],\"trace_tree\":[[]],\"samples\":[],\"locations\":[1,2,3],\n\"strings\":{strings}}}"
    );
    text
}

fn written(text: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.heapsnapshot");
    std::fs::write(&path, text).unwrap();
    (dir, path)
}

fn opened(text: &str) -> Result<Heap, String> {
    let (_dir, path) = written(text.as_bytes());
    open(&path, &Cancel::default(), &|_, _| {}).map_err(|error| error.to_string())
}

fn class<'h>(heap: &'h Heap, name: &str) -> &'h Class {
    let found = heap.classes.iter().find(|class| class.name == name);
    found.unwrap_or_else(|| panic!("{name} in {heap:#?}"))
}

#[test]
fn a_small_heap_by_constructor_and_object() {
    // root -> list -> two links, both -> shared; root -> other -> shared, weakly -> big; garbage -> shared
    let nodes = [
        (SYNTHETIC, 0, 0, vec![(PROPERTY, 1), (PROPERTY, 5)]),
        (OBJECT, 2, 10, vec![(PROPERTY, 2)]),
        (OBJECT, 3, 20, vec![(PROPERTY, 3), (PROPERTY, 4)]),
        (OBJECT, 3, 20, vec![(PROPERTY, 4), (PROPERTY, 6)]),
        (STRING, 5, 100, vec![]),
        (OBJECT, 4, 1, vec![(PROPERTY, 4), (WEAK, 6)]),
        (OBJECT, 6, 5_000_000_000, vec![]),
        (OBJECT, 7, 8, vec![(PROPERTY, 6)]),
    ];
    let strings = [
        "",
        "p",
        "List",
        "Link",
        "Other",
        "secret\u{1b}",
        "Big",
        "Lost",
    ];
    let heap = opened(&snapshot(&nodes, &strings)).unwrap();
    assert_eq!((heap.objects, heap.references), (8, 10));
    assert_eq!(heap.total, 5_000_000_159);
    assert_eq!(heap.unreachable, 8);
    let figures = |name| {
        let class = class(&heap, name);
        (class.count, class.shallow, class.retained)
    };
    // What one link holds through the other is counted once; garbage takes nothing from who holds a thing.
    assert_eq!(figures("Link"), (2, 40, 5_000_000_040));
    assert_eq!(figures("List"), (1, 10, 5_000_000_050));
    assert_eq!(figures("Other"), (1, 1, 1));
    assert_eq!(figures("(string)"), (1, 100, 100));
    assert_eq!(figures("Lost"), (1, 8, 8));
    let big = heap
        .largest
        .iter()
        .find(|object| object.class == "Big")
        .unwrap();
    assert_eq!((big.id, big.shallow), (13, 5_000_000_000));
    assert_eq!(big.held_by, ["Link", "Link", "List"]);
    assert!(heap.notes[0].contains("garbage"));
    let text = text::write(&heap);
    assert!(text.contains("Link") && !text.contains('\u{1b}'), "{text}");
}

#[test]
fn names_lose_their_secrets() {
    let nodes = [
        (SYNTHETIC, 0, 0, vec![(PROPERTY, 1)]),
        (STRING, 2, 10, vec![]),
    ];
    let mut heap = opened(&snapshot(&nodes, &["", "p", "is correct-horse-battery"])).unwrap();
    assert_eq!(heap.largest[0].name, "is correct-horse-battery");
    heap.redact(&Redactor::new().with_secrets([("DB_PASSWORD", "correct-horse-battery")]));
    assert!(!heap.largest[0].name.contains("correct"), "{heap:?}");
}

#[test]
fn a_long_list_whose_links_share_an_object_takes_no_longer_than_another() {
    // Simple algorithms walk the whole list for each link here: 300,000 times 300,000 steps.
    let len = 300_000;
    let mut nodes = vec![(SYNTHETIC, 0, 0, vec![(PROPERTY, 1)])];
    for at in 1..=len {
        let next = if at == len { 1 } else { at + 1 };
        nodes.push((OBJECT, 2, 16, vec![(PROPERTY, next), (PROPERTY, len + 1)]));
    }
    nodes.push((OBJECT, 3, 1, vec![(PROPERTY, 1)]));
    let began = Instant::now();
    let heap = opened(&snapshot(&nodes, &["", "p", "Link", "Shape"])).unwrap();
    assert!(began.elapsed().as_secs() < 60);
    assert_eq!(class(&heap, "Link").retained, 16 * len as u64 + 1);
    assert_eq!(class(&heap, "Shape").retained, 1);
}

#[test]
fn what_is_cut_short_says_where() {
    let nodes = [
        (SYNTHETIC, 0, 0, vec![(PROPERTY, 1)]),
        (OBJECT, 1, 10, vec![]),
    ];
    let text = snapshot(&nodes, &["a", "b"]);
    assert!(opened(&text).is_ok());
    for end in 0..text.len() {
        let error = opened(text.get(..end).unwrap()).unwrap_err();
        let known = ["cut short", "is empty", "none of the heap files"];
        assert!(
            known.iter().any(|word| error.contains(word)),
            "{end}: {error}"
        );
    }
    for (part, within) in [
        ("\"nodes\":[9", "nodes"),
        ("\"edges\":[2", "edges"),
        ("\"strings\":[\"a", "strings"),
    ] {
        let end = text.find(part).unwrap() + part.len();
        let error = opened(text.get(..end).unwrap()).unwrap_err();
        assert!(error.contains(&format!("within its {within}")), "{error}");
    }
}

#[test]
fn what_has_no_end_is_not_held_as_a_whole() {
    let nodes = [(SYNTHETIC, 0, 0, vec![])];
    let quotes = "\"\\".repeat(40);
    let text = snapshot(&nodes, &[&"é".repeat(200), &quotes]);
    assert!(opened(&text).is_ok());
    let long = snapshot(&nodes, &[&"a, b".repeat(5 << 20)]);
    let error = opened(&long).unwrap_err();
    assert!(error.contains("one of its strings has no end"), "{error}");
    let fields = "[\"a\"], ".repeat(200_000);
    let described = text.replacen("\"node_types\":[", &format!("\"node_types\":[{fields}"), 1);
    let error = opened(&described).unwrap_err();
    assert!(error.contains("its description has no end"), "{error}");
}

#[test]
fn what_cannot_be_is_refused() {
    let nodes = [
        (SYNTHETIC, 0, 0, vec![(PROPERTY, 1)]),
        (OBJECT, 1, 10, vec![]),
    ];
    let good = snapshot(&nodes, &["a", "b"]);
    for (from, to, said) in [
        ("2,1,7\n", "2,1,8\n", "where no node begins"),
        ("2,1,7\n", "2,1,7000\n", "where no node begins"),
        ("2,1,7\n", "2,1,7\n,2,1,7\n", "more edges"),
        ("2,1,7\n", "", "fewer edges"),
        ("2,1,7\n", "2,1\n", "fewer edges"),
        ("9,0,1,0,1,0,0", "9,0,1,0,1,0", "not whole"),
        ("9,0,1,0,1,0,0", "77,0,1,0,1,0,0", ""),
        ("9,0,1,0,1,0,0", "999,0,1,0,1,0,0", "unknown type"),
        ("9,0,1,0,1,0,0", "-9,0,1,0,1,0,0", "expected u64"),
        ("\"self_size\"", "\"other_size\"", "self_size"),
        ("\"node_fields\":[", "\"nodes\":[", "missing field"),
        ("\"nodes\":", "\"nodez\":", "not in V8's order"),
        ("\"strings\":", "\"strongs\":", "no strings"),
        (
            "\"node_count\":2",
            "\"node_count\":18446744073709551615",
            "",
        ),
    ] {
        assert!(good.contains(from), "{from}");
        let result = opened(&good.replacen(from, to, 1));
        match said {
            "" => assert!(result.is_ok(), "{from} {to}: {result:?}"),
            said => {
                let error = result.unwrap_err();
                assert!(
                    error.contains(said) && error.contains("broken at line"),
                    "{to}: {error}"
                );
            }
        }
    }
}

#[test]
fn other_files_are_named_for_what_they_are_not() {
    assert!(opened("").unwrap_err().contains("is empty (0 bytes)"));
    assert!(opened("hello").unwrap_err().contains("\"hello\""));
    let dir = tempfile::tempdir().unwrap();
    let error = open(dir.path(), &Cancel::default(), &|_, _| {}).unwrap_err();
    assert!(error.to_string().contains("is no file"));
    let error = open(&dir.path().join("no"), &Cancel::default(), &|_, _| {}).unwrap_err();
    assert!(error.to_string().contains("No such file"));
}

#[test]
fn nobody_waits_for_it() {
    let nodes = [(SYNTHETIC, 0, 0, vec![])];
    let (_dir, path) = written(snapshot(&nodes, &["a"]).as_bytes());
    let cancel = Cancel::default();
    cancel.cancel();
    let error = open(&path, &cancel, &|_, _| {}).unwrap_err();
    assert!(matches!(error.error, ImportError::Cancelled));
}

/// Whether `to` can be reached from `from` without `without`; only edges that hold, and garbage holds nothing that is held.
fn reaches(nodes: &[Node], without: Option<usize>) -> Vec<bool> {
    let mut seen = vec![false; nodes.len()];
    let mut wait = vec![0];
    if without == Some(0) {
        return seen;
    }
    seen[0] = true;
    while let Some(node) = wait.pop() {
        for (kind, to) in &nodes[node].3 {
            if *kind != WEAK && !seen[*to] && Some(*to) != without {
                seen[*to] = true;
                wait.push(*to);
            }
        }
    }
    seen
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn what_is_retained_is_what_cannot_be_reached_without(
        edges in prop::collection::vec((0_usize..14, 0_usize..14, prop::bool::weighted(0.1)), 0..40),
        sizes in prop::collection::vec(1_u64..1000, 14),
        names in prop::collection::vec(1_u64..4, 14),
    ) {
        let mut nodes: Vec<Node> = (0..14).map(|at| (OBJECT, names[at], sizes[at], Vec::new())).collect();
        nodes[0] = (SYNTHETIC, 0, 0, Vec::new());
        for (from, to, weak) in edges {
            nodes[from].3.push((if weak { WEAK } else { PROPERTY }, to));
        }
        let heap = opened(&snapshot(&nodes, &["", "A", "B", "C"])).unwrap();
        let all = reaches(&nodes, None);
        let lost: u64 = (1..14).filter(|at| !all[*at]).map(|at| sizes[at]).sum();
        prop_assert_eq!(heap.unreachable, lost);
        for at in (1..14).filter(|at| all[*at]) {
            let left = reaches(&nodes, Some(at));
            let freed: u64 = (1..14).filter(|n| all[*n] && !left[*n]).map(|n| sizes[n]).sum();
            let object = heap.largest.iter().find(|object| object.id == at as u64 * 2 + 1).unwrap();
            prop_assert_eq!(object.retained, freed, "node {}", at);
        }
        let count: u64 = heap.classes.iter().map(|class| class.count).sum();
        prop_assert_eq!(count, 13);
    }
}
