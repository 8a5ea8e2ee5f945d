//! The index of acceptance rows: each row once and as it was asked for, and each proof a test that exists.

// suite: T22 asked 1 present 1

use std::collections::{BTreeMap, BTreeSet};

use crate::support::{self, suite};

/// How many rows each series has.
const SERIES: [(&str, usize); 6] = [
    ("S0", 167),
    ("S1", 48),
    ("S2", 27),
    ("S3", 95),
    ("S4", 41),
    ("X", 85),
];
/// Rows that came from use: each joins the index when it is done.
const JOINING: &str = "V";

/// The scenarios that are run with all real adapters: a macro makes tests of this table's rows.
const SCENARIOS: (&str, &str) = (
    "tests/adapters/real_adapters/",
    include_str!("../adapters/real_adapters/table.rs"),
);

struct Row<'a> {
    id: &'a str,
    text: &'a str,
    proof: &'a str,
}

fn rows(text: &str) -> Vec<Row<'_>> {
    text.lines()
        .filter_map(|line| {
            // A bar inside a cell is written `\|`.
            let line = line.strip_prefix("| ")?.strip_suffix(" |")?;
            let (id, rest) = line.split_once(" | ")?;
            let (series, number) = id.split_once('-')?;
            number.parse::<usize>().ok()?;
            let mut known = SERIES.iter().map(|(name, _)| *name).chain([JOINING]);
            known.find(|name| *name == series)?;
            let (text, proof) = rest.rsplit_once(" | ")?;
            Some(Row { id, text, proof })
        })
        .collect()
}

/// The tests a proof names: each in backticks, as `file::test`.
fn named(proof: &str) -> impl Iterator<Item = &str> {
    proof.split('`').skip(1).step_by(2)
}

fn index() -> String {
    std::fs::read_to_string(support::root().join("tests/acceptance/rows.md")).unwrap()
}

#[test]
fn every_row_is_there_once() {
    let text = index();
    let mut seen = BTreeMap::<&str, usize>::new();
    for row in rows(&text) {
        *seen.entry(row.id).or_default() += 1;
    }
    for (series, count) in SERIES {
        for number in 1..=count {
            let id = format!("{series}-{number}");
            assert_eq!(seen.get(id.as_str()), Some(&1), "row {id}");
        }
    }
    assert!(seen.values().all(|times| *times == 1), "{seen:?}");
    let asked = SERIES.iter().map(|(_, n)| n).sum::<usize>();
    let (joined, rest): (Vec<&&str>, Vec<&&str>) =
        seen.keys().partition(|id| id.starts_with(JOINING));
    assert_eq!(rest.len(), asked, "and {joined:?}");
    suite::assert_present(include_str!("acceptance.rs"), "T22", rest.len() / asked);
}

/// The specification lies beside the clone where this is developed, and nowhere else.
#[test]
fn every_row_says_what_was_asked_for() {
    let path = support::root().join("../shared/spec/acceptance.md");
    let Ok(specification) = std::fs::read_to_string(&path) else {
        eprintln!("skipped: there is no {}", path.display());
        return;
    };
    let asked = rows(&specification);
    let asked: BTreeMap<_, _> = asked.iter().map(|row| (row.id, row.text)).collect();
    let index = index();
    let wrong = rows(&index).into_iter().filter_map(|Row { id, text, .. }| {
        let asked = asked.get(id).copied().unwrap_or("nothing");
        (text != asked).then(|| format!("{id} says\n  {text}\nand was asked for as\n  {asked}"))
    });
    let wrong: Vec<_> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whether a source has a test of this name: a function with `#[test]` or `#[tokio::test]` among the attributes before it.
fn has_test(source: &str, name: &str) -> bool {
    let head = format!("fn {name}(");
    let is_head = |line: &str| {
        let line = line.trim_start();
        line.starts_with(&head) || line.starts_with(&format!("async {head}"))
    };
    let mut is_test = false;
    for line in source.lines() {
        let line = line.trim();
        if line.starts_with("#[test]") || line.starts_with("#[tokio::test") {
            is_test = true;
        } else if is_head(line) {
            if is_test {
                return true;
            }
        } else if line.starts_with("#[ignore") || line.ends_with(['{', '}', ';']) {
            // It is not run; or what began with the attribute is something else, or over.
            is_test = false;
        }
    }
    false
}

/// Why a name is none of a test; nothing where it is one.
fn trouble(name: &str) -> Option<String> {
    let Some((file, test)) = name.rsplit_once("::") else {
        return Some(format!("{name} is not file::test"));
    };
    let Ok(source) = std::fs::read_to_string(support::root().join(file)) else {
        return Some(format!("there is no file {file}"));
    };
    let (folder, table) = SCENARIOS;
    let scenario = file
        .strip_prefix(folder)
        .and_then(|file| file.strip_suffix(".rs"));
    let is_scenario = scenario.is_some_and(|of| table.contains(&format!(" {of}::{test} = ")));
    let is_test = has_test(&source, test) || is_scenario;
    (!is_test).then(|| format!("there is no test {test} in {file}"))
}

#[test]
fn every_proof_is_a_test_that_exists_or_a_reason() {
    let index = index();
    let mut wrong = BTreeSet::new();
    for Row { id, proof, .. } in rows(&index) {
        let reason = proof.strip_prefix("not yet: ");
        // A reason may quote other things than tests.
        let names = named(proof).filter(|name| reason.is_none() || name.contains(".rs::"));
        let names: Vec<_> = names.collect();
        if reason.map_or(names.is_empty(), |reason| reason.trim().is_empty()) {
            wrong.insert(format!("{id}: neither a test nor a reason: {proof}"));
        }
        let troubles = names.into_iter().filter_map(trouble);
        wrong.extend(troubles.map(|why| format!("{id}: {why}")));
    }
    assert!(wrong.is_empty(), "{}", Vec::from_iter(wrong).join("\n"));
}

#[test]
fn only_what_is_run_is_a_test() {
    let source = "#[test]\nfn one() {\n}\n\nfn helper() {}\n#[tokio::test(\n    flavor = \"x\"\n)]\nasync fn two() {\n}\n\
                  #[test]\nconst X: u8 = 1;\nfn three() {}\n// #[test]\nfn four() {}\n#[test]\n#[ignore]\nfn five() {}\n";
    let found =
        ["one", "helper", "two", "three", "four", "five"].map(|name| has_test(source, name));
    assert_eq!(found, [true, false, true, false, false, false]);
}
