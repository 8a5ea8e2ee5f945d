//! The direction between the rooms, read from the sources: `main -> {tui, headless} -> {debugger, diagnostics} -> dap`, the
//! pantry (`text`, `regions`, `tasks`, `peers`, `files`) for all, and only the screen names the terminal's crates.

use std::fs;
use std::path::{Path, PathBuf};

/// Each room and the rooms it may name.
const MAY_USE: &[(&str, &[&str])] = &[
    ("text", &[]),
    ("regions", &[]),
    ("peers", &[]),
    ("surroundings", &[]),
    ("files", &[]),
    (
        "dap",
        &["text", "regions", "tasks", "peers", "surroundings", "files"],
    ),
    (
        "debugger",
        &[
            "dap",
            "text",
            "regions",
            "tasks",
            "peers",
            "surroundings",
            "files",
        ],
    ),
    (
        "diagnostics",
        &["text", "regions", "tasks", "peers", "surroundings", "files"],
    ),
    (
        "tui",
        &[
            "debugger",
            "diagnostics",
            "dap",
            "text",
            "regions",
            "tasks",
            "peers",
            "surroundings",
            "files",
            "config",
        ],
    ),
    (
        "headless",
        &[
            "debugger",
            "diagnostics",
            "dap",
            "text",
            "regions",
            "tasks",
            "peers",
            "surroundings",
            "files",
            "config",
        ],
    ),
];

/// Crates that only one room may name.
const OWNED: &[(&str, &[&str])] = &[("ratatui", &["tui"]), ("crossterm", &["tui"])];

fn sources(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).expect("a source folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// Code without comments: a sentence may name any room.
fn code(text: &str) -> String {
    text.lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn nothing_points_back() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    let mut read = 0;
    for (room, may_use) in MAY_USE {
        let dir = src.join(room);
        if !dir.exists() {
            continue;
        }
        let mut files = Vec::new();
        sources(&dir, &mut files);
        read += files.len();
        for file in files {
            let text = fs::read_to_string(&file).expect("a source file");
            // Tests may compare with what the screen really does.
            let text = code(text.split("#[cfg(test)]").next().unwrap_or_default());
            for (other, _) in MAY_USE {
                if other != room
                    && !may_use.contains(other)
                    && text.contains(&format!("crate::{other}"))
                {
                    wrong.push(format!("{} names crate::{other}", file.display()));
                }
            }
            for (owned, owners) in OWNED {
                if !owners.contains(room) && text.contains(&format!("{owned}::")) {
                    wrong.push(format!("{} names {owned}", file.display()));
                }
            }
        }
    }
    assert!(read > 50, "the sources were found ({read} files)");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Personalities are data: outside the adapter table no code asks for an adapter's name.
#[test]
fn no_code_asks_for_an_adapters_name() {
    const NAMES: &[&str] = &[
        "debugpy",
        "lldb-dap",
        "codelldb",
        "dlv",
        "gdb",
        "js-debug",
        "rdbg",
        "bash-dap",
        "netcoredbg",
    ];
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&src, &mut files);
    let mut wrong = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).expect("a source file");
        // Tests may name what they test with.
        let text = text.split("#[cfg(test)]").next().unwrap_or_default();
        if file.ends_with("tests.rs") || file.components().any(|c| c.as_os_str() == "tests") {
            continue;
        }
        for (number, line) in code(text).lines().enumerate() {
            for name in NAMES {
                let asks = [
                    format!("== \"{name}\""),
                    format!("\"{name}\" =>"),
                    format!("\"{name}\" |"),
                    format!("!= \"{name}\""),
                ];
                if asks.iter().any(|ask| line.contains(ask.as_str())) {
                    wrong.push(format!("{}:{} asks for {name}", file.display(), number + 1));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
