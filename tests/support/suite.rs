//! What the head of a file says of its suite (`// suite: T4 asked 216 present 216`, read by `tests/suites`) is what the suite holds.

/// Fails unless a line of `source` says that so many cases of this suite are present.
pub fn assert_present(source: &str, suite: &str, present: usize) {
    let line = source
        .lines()
        .find(|line| line.starts_with(&format!("// suite: {suite} ")));
    let said = line.and_then(|line| line.rsplit(' ').next()?.parse().ok());
    assert_eq!(said, Some(present), "{suite} holds {present}: {line:?}");
}

/// How many tests a source has.
pub fn tests_in(source: &str) -> usize {
    let starts = ["#[test]", "#[tokio::test"];
    let lines = source.lines().map(str::trim_start);
    lines
        .filter(|line| starts.iter().any(|start| line.starts_with(start)))
        .count()
}
