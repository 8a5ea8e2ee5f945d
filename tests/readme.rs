//! Parts of the README are made from the program: its picture, its keys, its adapters; and from the tests: what works with which
//! adapter.
//!
//! `OMP_DEBUG_UPDATE_README=1 cargo test --test readme` writes them; otherwise the test says which part is out of date.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on should stop at once and say where"
)]

#[path = "real_adapters/table.rs"]
#[allow(dead_code, reason = "what the tests alone ask of it")]
mod matrix;
mod support;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use omp_debug::debugger::adapters::Table;
use omp_debug::tui;
use support::pty;

fn readme() -> PathBuf {
    support::root().join("README.md")
}

/// Holds the part between `<!-- NAME: begin -->` and `<!-- NAME: end -->` to what it should be.
fn hold(name: &str, wanted: &str) {
    let text = std::fs::read_to_string(readme()).unwrap();
    let (begin, end) = (
        format!("<!-- {name}: begin -->\n"),
        format!("<!-- {name}: end -->"),
    );
    let (before, rest) = text.split_once(&begin).expect("the part begins");
    let (part, after) = rest.split_once(&end).expect("the part ends");
    if part == wanted {
        return;
    }
    assert!(
        std::env::var_os("OMP_DEBUG_UPDATE_README").is_some(),
        "README.md: the part `{name}` is out of date; run OMP_DEBUG_UPDATE_README=1 cargo test --test readme -- --test-threads 1\n{wanted}"
    );
    std::fs::write(readme(), format!("{before}{begin}{wanted}{end}{after}")).unwrap();
}

#[test]
fn the_keys_are_those_of_the_program() {
    let table = tui::action::docs::markdown(&tui::sections());
    hold(
        "keys",
        &format!(
            "<details><summary>All keys</summary>\n\n{}\n</details>\n",
            table.trim()
        ),
    );
}

#[test]
fn the_settings_are_those_that_are_read() {
    let sample = omp_debug::config::Config::sample();
    hold("settings", &format!("```toml\n{}\n```\n", sample.trim()));
}

#[test]
fn the_adapters_are_those_of_the_table() {
    let mut table = String::from("| name | what it is | file types |\n|---|---|---|\n");
    for adapter in Table::builtin().iter() {
        let types = adapter.file_types.join(" ");
        let _ = writeln!(
            table,
            "| `{}` | {} | {types} |",
            adapter.name, adapter.title
        );
    }
    hold("adapters", &table);
}

/// The table in Markdown, with the reasons below it.
fn what_works_where() -> String {
    let mut table = String::from("| |");
    for (_, title) in matrix::COLUMNS {
        let _ = write!(table, " {title} |");
    }
    table.push_str("\n|---|");
    table.push_str(&":-:|".repeat(matrix::COLUMNS.len()));
    table.push('\n');
    let mut reasons: Vec<String> = Vec::new();
    for (scenario, title) in matrix::ALONE.iter().chain(matrix::AT_A_STOP) {
        let _ = write!(table, "| {title} |");
        for (rig, _) in matrix::COLUMNS {
            let cell = match matrix::skip(rig, scenario) {
                None => "✓".to_owned(),
                Some(skip) => {
                    let reason = sentence(skip);
                    let known = reasons.iter().position(|known| *known == reason);
                    let index = known.unwrap_or_else(|| {
                        reasons.push(reason);
                        reasons.len() - 1
                    });
                    mark(index)
                }
            };
            let _ = write!(table, " {cell} |");
        }
        table.push('\n');
    }
    table.push('\n');
    for (index, reason) in reasons.iter().enumerate() {
        let end = if index + 1 == reasons.len() { "." } else { ";" };
        let _ = writeln!(table, "**{}** {reason}{end}", mark(index));
    }
    table
}

fn sentence(skip: matrix::Skip) -> String {
    match skip {
        matrix::Skip::Lacks(_) => "the adapter has no such thing, and we say so".to_owned(),
        matrix::Skip::Upstream(why) | matrix::Skip::Language(why) | matrix::Skip::Unsteady(why) => {
            why.to_owned()
        }
        matrix::Skip::NotHere(what) => format!("not tried here: {what}"),
    }
}

/// a, b, … z, aa, ab, …
fn mark(index: usize) -> String {
    let letter = |n: usize| char::from(b'a' + u8::try_from(n % 26).unwrap_or(0));
    match index / 26 {
        0 => letter(index).to_string(),
        round => format!("{}{}", letter(round - 1), letter(index)),
    }
}

/// `tests/real_adapters` runs each cell that is not left out.
#[test]
fn what_works_where_is_what_is_tested() {
    hold("matrix", &what_works_where());
}

/// The tour as its recording shows it, so that the picture is the same on every machine.
#[test]
fn the_picture_is_the_screen() {
    let home = tempfile::tempdir().unwrap();
    let nothing = home.path().join("bin");
    std::fs::create_dir(&nothing).unwrap();
    let mut screen = pty::Builder::new(Path::new(env!("CARGO_BIN_EXE_omp-debug")))
        .args(["demo"])
        .env("HOME", home.path())
        .env("PATH", &nothing)
        .env("LANG", "C.UTF-8")
        .env_remove("XDG_DATA_HOME")
        .env_remove("XDG_STATE_HOME")
        .env_remove("XDG_CONFIG_HOME")
        .size(140, 34)
        .spawn();
    screen.wait_for("stopped: breakpoint");
    screen.wait_for("253.0");
    for line in ["checkout.py:37", "checkout.py:38", "checkout.py:39"] {
        screen.key("F10");
        screen.wait_until(line, |s| s.text().contains(&format!("{line} in")));
    }
    screen.wait_for("['member']");
    screen.wait_for("F10 over");
    let mut picture = String::from("```text\n");
    for line in screen.screen().text().lines() {
        let _ = writeln!(picture, "{}", line.trim_end());
    }
    picture.push_str("```\n");
    screen.key("q");
    screen.wait_for("end");
    screen.kill();
    if std::env::var_os("OMP_DEBUG_UPDATE_README").is_some() {
        return hold("picture", &picture);
    }
    // Where the view is scrolled depends on when a message came and went: what is on the screen is held, not its place.
    let text = std::fs::read_to_string(readme()).unwrap();
    for shown in [
        "1 checkout.py",
        "2 Stack",
        "3 Scopes",
        "4 Watches 4",
        "5 Breakpoints 1",
        "6 Output",
        "7 Console",
        "F5 continue",
        "F10 over",
        "['member']",
        "checkout.py:39 in discounts_for()",
    ] {
        assert!(
            picture.contains(shown),
            "{shown} is not on the screen:\n{picture}"
        );
        assert!(
            text.contains(shown),
            "{shown} is not in the README's picture"
        );
    }
}
