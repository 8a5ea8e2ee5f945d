//! The index of acceptance rows: each row once, and each proof a test that exists.

// suite: T22 asked 1 present 1

#[path = "../support/suite.rs"]
#[expect(dead_code, reason = "each test binary uses a part of the kit")]
mod suite;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// How many rows each series has.
const SERIES: [(&str, usize); 6] = [
    ("S0", 167),
    ("S1", 48),
    ("S2", 27),
    ("S3", 95),
    ("S4", 41),
    ("X", 85),
];

struct Row<'a> {
    id: &'a str,
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
            SERIES.iter().find(|(name, _)| *name == series)?;
            let (_, proof) = rest.rsplit_once(" | ")?;
            Some(Row { id, proof })
        })
        .collect()
}

/// The tests a proof names: each in backticks, as `file::test`.
fn named(proof: &str) -> impl Iterator<Item = &str> {
    proof.split('`').skip(1).step_by(2)
}

fn index() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/acceptance/rows.md");
    std::fs::read_to_string(path).unwrap()
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
    let asked = SERIES.iter().map(|(_, n)| n).sum::<usize>();
    assert_eq!(seen.len(), asked);
    suite::assert_present(include_str!("main.rs"), "T22", seen.len() / asked);
}

#[test]
fn every_proof_is_a_test_that_exists_or_a_reason() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let index = index();
    let mut wrong = BTreeSet::new();
    for Row { id, proof } in rows(&index) {
        if let Some(reason) = proof.strip_prefix("not yet: ") {
            if reason.trim().is_empty() {
                wrong.insert(format!("{id}: no reason"));
            }
            continue;
        }
        if named(proof).next().is_none() {
            wrong.insert(format!("{id}: neither a test nor a reason: {proof}"));
        }
        for name in named(proof) {
            let Some((file, test)) = name.rsplit_once("::") else {
                wrong.insert(format!("{id}: {name} is not file::test"));
                continue;
            };
            let source = std::fs::read_to_string(root.join(file)).unwrap_or_default();
            let is_test = source.contains(&format!("fn {test}("))
                // Tests that a table's macro makes are named in the table.
                || source.contains(&format!("{test}:"))
                || source.contains(&format!("({test},"));
            if !is_test {
                wrong.insert(format!("{id}: there is no test {test} in {file}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", Vec::from_iter(wrong).join("\n"));
}
