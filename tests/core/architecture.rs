//! What Cargo cannot hold of the rooms: that a room's `Cargo.toml` asks for no more than the layer below it (from there on Cargo holds
//! it), that only the screen asks for the terminal's crates, and that no code asks for an adapter's name.

use std::fs;
use std::path::{Path, PathBuf};

/// Each room and the rooms it may use.
const MAY_USE: &[(&str, &[&str])] = &[
    ("base", &[]),
    ("dap", &["base"]),
    ("debugger", &["base", "dap"]),
    ("diagnostics", &["base"]),
    ("headless", &["base", "dap", "debugger", "diagnostics"]),
    ("tui", &["base", "dap", "debugger", "diagnostics"]),
];

/// Crates that only one room may ask for, beside tests.
const OWNED: &[(&str, &str)] = &[("ratatui", "tui"), ("crossterm", "tui")];

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

fn manifest(path: &Path) -> toml::Table {
    let text = fs::read_to_string(path).expect("a manifest");
    text.parse().expect("TOML")
}

#[test]
fn nothing_points_back() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let house = manifest(&root.join("Cargo.toml"));
    let mut wrong = Vec::new();
    let members = &house["workspace"]["members"];
    let members = members.as_array().expect("members");
    assert_eq!(members.len(), MAY_USE.len(), "{members:?}");
    for (room, may_use) in MAY_USE {
        let mut told = |what: String| wrong.push(format!("src/{room}/Cargo.toml: {what}"));
        let manifest = manifest(&root.join("src").join(room).join("Cargo.toml"));
        for kind in ["dependencies", "dev-dependencies"] {
            for (name, asked) in manifest[kind].as_table().expect("dependencies") {
                let is_room = MAY_USE.iter().any(|(other, _)| other == name);
                if is_room && !may_use.contains(&name.as_str()) {
                    told(format!("{kind} name {name}"));
                }
                if asked.get("workspace").and_then(toml::Value::as_bool) != Some(true) {
                    told(format!("{name} is not the workspace's"));
                }
                let owned = OWNED.iter().find(|(owned, _)| owned == name);
                if kind == "dependencies" && owned.is_some_and(|(_, owner)| owner != room) {
                    told(format!("{name} is not its own"));
                }
            }
        }
        if manifest["lints"]["workspace"].as_bool() != Some(true) {
            told("its lints are not the workspace's".to_owned());
        }
    }
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
