//! The front door: the README, the pages in `docs/` and their pictures.
//!
//! Parts of the pages are made from the program (keys, settings, adapters, the pictures of the screen) and from the tests (what works
//! with which adapter). `OMP_DEBUG_UPDATE_README=1 cargo test --test desk readme::` writes them; otherwise the test says which part is out
//! of date. The rest is held to this: every link leads somewhere, every page is in the table of contents, the README stays short.

#[path = "../adapters/real_adapters/table.rs"]
#[allow(dead_code, reason = "what the tests alone ask of it")]
mod matrix;
#[path = "../support/svg.rs"]
mod svg;

use crate::support;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};

use omp_debug::debugger::adapters::Table;
use omp_debug::tui;
use support::pty;

/// Lines that the README may have: it is read in one go.
const README_LINES: usize = 180;
/// Bytes that a picture may have.
const PICTURE_BYTES: usize = 80_000;

fn docs() -> PathBuf {
    support::root().join("docs")
}

/// Holds a file to what it should be, or writes it where that was asked for.
fn hold_file(path: &Path, wanted: &str) {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    if text == wanted {
        return;
    }
    assert!(
        std::env::var_os("OMP_DEBUG_UPDATE_README").is_some(),
        "{} is out of date; run OMP_DEBUG_UPDATE_README=1 cargo test --test desk readme::\n{wanted}",
        path.display()
    );
    std::fs::write(path, wanted).unwrap();
}

/// Holds the parts of a page between `<!-- NAME: begin -->` and `<!-- NAME: end -->` to what they should be.
fn hold(page: &str, parts: &[(&str, &str)]) {
    let path = docs().join(page);
    let mut text = std::fs::read_to_string(&path).unwrap();
    for (name, wanted) in parts {
        let (begin, end) = (
            format!("<!-- {name}: begin -->\n"),
            format!("<!-- {name}: end -->"),
        );
        let (before, rest) = text.split_once(&begin).expect("the part begins");
        let (_, after) = rest.split_once(&end).expect("the part ends");
        text = format!("{before}{begin}\n{}\n\n{end}{after}", wanted.trim());
    }
    hold_file(&path, &text);
}

#[test]
fn the_keys_are_those_of_the_program() {
    let table = tui::action::docs::markdown(&tui::sections());
    // On a page of their own the sections are one level higher.
    let table = format!("\n{table}").replace("\n### ", "\n## ");
    hold("keys.md", &[("keys", &table)]);
}

#[test]
fn the_settings_are_those_that_are_read() {
    let sample = omp_debug::config::Config::sample();
    let sample = format!("```toml\n{}\n```", sample.trim());
    hold("settings.md", &[("settings", &sample)]);
}

/// `tests/real_adapters` runs each cell of the second table that is not left out.
#[test]
fn the_adapters_are_those_of_the_program_and_of_the_tests() {
    let mut table = String::from("| name | what it is | file types |\n|---|---|---|\n");
    for adapter in Table::builtin().iter() {
        let types = adapter.file_types.join(" ");
        let _ = writeln!(
            table,
            "| `{}` | {} | {types} |",
            adapter.name, adapter.title
        );
    }
    let works = what_works_where();
    hold("adapters.md", &[("adapters", &table), ("matrix", &works)]);
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

/// omp-debug in a terminal, with a home of its own and nothing on PATH.
fn screen(home: &Path, arguments: &[&str], columns: u16, rows: u16) -> pty::Pty {
    let nothing = home.join("bin");
    std::fs::create_dir_all(&nothing).unwrap();
    pty::Builder::new(Path::new(env!("CARGO_BIN_EXE_omp-debug")))
        .args(arguments)
        .cwd(home)
        .env("HOME", home)
        .env("PATH", &nothing)
        .env("TZ", "UTC")
        .env_remove("XDG_DATA_HOME")
        .env_remove("XDG_STATE_HOME")
        .env_remove("XDG_CONFIG_HOME")
        .env_remove("XDG_RUNTIME_DIR")
        .size(columns, rows)
        .spawn()
}

fn hold_picture(name: &str, screen: &pty::Screen, title: &str, rows: Range<u16>) {
    let picture = svg::draw(screen, title, rows);
    assert!(picture.len() <= PICTURE_BYTES, "{name}: {}", picture.len());
    hold_file(&docs().join("images").join(name), &picture);
}

/// The tour as its recording shows it, so that the picture is the same on every machine.
#[test]
fn the_picture_of_the_debugger_is_its_screen() {
    let home = tempfile::tempdir().unwrap();
    let mut pty = screen(home.path(), &["demo"], 120, 32);
    pty.wait_for("stopped: breakpoint");
    pty.wait_for("cart.subtotal()  # BREAK   cart = ");
    for line in ["checkout.py:37", "checkout.py:38", "checkout.py:39"] {
        pty.key("F10");
        pty.wait_until(line, |s| s.text().contains(&format!("{line} in")));
    }
    pty.wait_for("['member']");
    pty.wait_gone("M all messages");
    // Where the view is scrolled to depends on the way there: from the file's beginning it is always the same.
    pty.key("C-Home").wait_for("1:1 of 66");
    pty.key(".").wait_for("39:5 of 66");
    // Colours of the language come when they are known.
    let shown = pty.wait_until("colours", |screen| {
        let words = ["def discounts_for", "for name in", "return round"];
        screen.contains("earned = ['member']*")
            && words.iter().all(|word| {
                let place = screen.find(word);
                place.is_some_and(|(column, row)| {
                    screen.style(column, row).foreground != vt100::Color::Default
                })
            })
    });
    let (_, rows) = shown.size();
    hold_picture(
        "debug.svg",
        &shown,
        "omp-debug stopped in a Python program: source with values, stack, variables, output",
        0..rows,
    );
    pty.key("q");
    pty.wait_for("end");
    pty.kill();
}

/// A profile that the tests have; without the header, which names the folder.
#[test]
fn the_picture_of_the_desk_is_its_screen() {
    let home = tempfile::tempdir().unwrap();
    let profile = support::root().join("tests/profiles/node.cpuprofile");
    std::fs::copy(profile, home.path().join("app.cpuprofile")).unwrap();
    let mut pty = screen(home.path(), &["profile", "app.cpuprofile"], 120, 23);
    pty.wait_for("app.cpuprofile 78.9 ms");
    for function in [
        "(anonymous)",
        "executeUserEntryPoint",
        "Module._load",
        "Module.load",
    ] {
        pty.key("j").wait_for(&format!("{function}  node:"));
    }
    let shown = pty.wait_for("of its caller");
    let (_, rows) = shown.size();
    hold_picture(
        "desk.svg",
        &shown,
        "A CPU profile of a Node program in omp-debug, as an icicle graph",
        1..rows,
    );
    pty.kill();
}

/// The pages that a reader may open: the README, what lies beside it, and everything in `docs/`.
fn pages() -> Vec<PathBuf> {
    let beside = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"];
    let mut pages: Vec<_> = beside.map(|name| support::root().join(name)).into();
    let files = std::fs::read_dir(docs()).unwrap();
    let files = files.map(|entry| entry.unwrap().path());
    pages.extend(files.filter(|path| path.extension().is_some_and(|e| e == "md")));
    pages
}

/// Lines of a page outside of blocks of code, without what stands in backquotes.
fn prose(text: &str) -> Vec<String> {
    let mut is_code = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            lines.push(line.split('`').step_by(2).collect::<Vec<_>>().join("``"));
        }
    }
    lines
}

/// Where the links and pictures of a page lead.
fn links(text: &str) -> Vec<String> {
    let mut links = Vec::new();
    for line in prose(text) {
        for (before, after) in [("](", ')'), ("src=\"", '"'), ("href=\"", '"')] {
            let places = line.split(before).skip(1);
            links.extend(places.filter_map(|rest| Some(rest.split_once(after)?.0.to_owned())));
        }
    }
    links
}

/// The names by which the headings of a page are linked to, as code hosts and mdBook make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    let mut is_code = false;
    for line in text.lines() {
        is_code ^= line.trim_start().starts_with("```");
        let title = line.trim_start_matches('#');
        if is_code || title.len() == line.len() || !title.starts_with(' ') {
            continue;
        }
        let name: String = title
            .trim()
            .to_lowercase()
            .chars()
            .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
            .map(|c| if c == ' ' { '-' } else { c })
            .collect();
        let numbered = (1..).map(|n| format!("{name}-{n}"));
        let free = std::iter::once(name.clone())
            .chain(numbered)
            .find(|free| !anchors.contains(free));
        anchors.extend(free);
    }
    anchors
}

#[test]
fn every_link_leads_somewhere() {
    let mut broken = Vec::new();
    let mut count = 0;
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        for link in links(&text) {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            count += 1;
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if file.is_empty() {
                page.clone()
            } else {
                page.parent().unwrap().join(file)
            };
            let leads = target.exists()
                && (anchor.is_empty()
                    || std::fs::read_to_string(&target)
                        .is_ok_and(|text| anchors(&text).contains(anchor)));
            if !leads {
                broken.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
    assert!(count > 50, "only {count} links were found");
}

#[test]
fn every_page_is_in_the_table_of_contents() {
    let contents = std::fs::read_to_string(docs().join("SUMMARY.md")).unwrap();
    let listed: BTreeSet<_> = links(&contents).into_iter().collect();
    for page in pages() {
        let name = page.file_name().unwrap().to_str().unwrap();
        let is_page = page.parent() == Some(docs().as_path()) && name != "SUMMARY.md";
        assert_eq!(is_page, listed.contains(name), "{name}");
    }
}

#[test]
fn the_readme_is_short() {
    let text = std::fs::read_to_string(support::root().join("README.md")).unwrap();
    let lines = text.lines().count();
    assert!(lines <= README_LINES, "{lines} lines");
}

#[test]
fn links_and_headings_are_found() {
    let page = "# A `b`, c!\n\n```sh\n# no heading\n[no](link.md)\n```\n## Two\n## Two\n[x](a.md#b) `[no](c.md)` ![y](d.svg) <img src=\"e.svg\">\n";
    assert_eq!(links(page), ["a.md#b", "d.svg", "e.svg"]);
    let anchors: Vec<_> = anchors(page).into_iter().collect();
    assert_eq!(anchors, ["a-b-c", "two", "two-1"]);
}
