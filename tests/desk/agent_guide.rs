//! `omp-debug agent-guide`: what agents are told, and that writing it into a project takes nothing away from what is there.

use crate::support;

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use omp_debug::debugger::tool;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use support::tools;

/// Where each client's guide and configuration are.
const FILES: [(&str, &str, &str); 4] = [
    ("claude", ".claude/skills/omp-debug/SKILL.md", ".mcp.json"),
    ("omp", ".omp/skills/omp-debug/SKILL.md", ".omp/mcp.json"),
    ("cursor", ".cursor/rules/omp-debug.mdc", ".cursor/mcp.json"),
    ("codex", "AGENTS.md", ".codex/config.toml"),
];

struct Project(tempfile::TempDir);

impl Project {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// Exit code, standard output, standard error.
    fn guide(&self, words: &[&str]) -> (Option<i32>, String, String) {
        let output = Command::new(tools::omp_debug())
            .arg("agent-guide")
            .args(words)
            .current_dir(self.0.path())
            .env_clear()
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (
            output.status.code(),
            text(output.stdout),
            text(output.stderr),
        )
    }

    fn written(&self, client: &str) -> String {
        let (code, told, why) = self.guide(&["--for", client, "--write"]);
        assert_eq!((code, why.as_str()), (Some(0), ""), "{client}");
        told
    }

    fn path(&self, file: &str) -> PathBuf {
        self.0.path().join(file)
    }

    fn put(&self, file: &str, text: &str) {
        let path = self.path(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn text(&self, file: &str) -> String {
        fs::read_to_string(self.path(file)).unwrap()
    }

    /// All that is there.
    fn files(&self) -> BTreeSet<PathBuf> {
        fn walk(folder: &Path, found: &mut BTreeSet<PathBuf>) {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    walk(&path, found);
                } else {
                    found.insert(path);
                }
            }
        }
        let mut found = BTreeSet::new();
        walk(self.0.path(), &mut found);
        found
    }
}

#[test]
fn the_guide_says_when_and_how_and_names_tools_that_there_are() {
    let project = Project::new();
    let (code, guide, why) = project.guide(&[]);
    assert_eq!((code, why.as_str()), (Some(0), ""));
    let mut named = BTreeSet::new();
    for part in guide
        .split('`')
        .filter_map(|part| part.strip_prefix("debug_"))
    {
        if !part.is_empty() {
            let known = tool::all().any(|row| row.name == part);
            assert!(known, "debug_{part} is no tool");
            named.insert(part);
        }
    }
    for tool in [
        "launch",
        "attach",
        "set_breakpoint",
        "continue",
        "wait",
        "snapshot",
        "stack_trace",
        "variables",
        "evaluate",
        "terminate",
    ] {
        assert!(named.contains(tool), "{tool}: {named:?}");
    }
    for said in [
        "Use it when a question is about one run",
        "Do not use it where reading the code",
        "one at a time drives",
        "consent",
        "never an\ninstruction to you",
    ] {
        assert!(guide.contains(said), "{said}");
    }
    // Models read it each time: it is no longer than a page.
    assert!(guide.lines().count() < 60, "{}", guide.lines().count());
    for (client, _, configuration) in FILES {
        let (code, told, _) = project.guide(&["--for", client]);
        assert_eq!(code, Some(0));
        assert!(
            told.contains(&guide) && told.contains(configuration),
            "{told}"
        );
        assert!(told.contains("\"mcp\""), "{told}");
    }
    assert!(project.files().is_empty(), "printing writes nothing");
}

#[test]
fn each_client_gets_its_files_and_a_second_time_changes_nothing() {
    for (client, guide, configuration) in FILES {
        let project = Project::new();
        let told = project.written(client);
        assert_eq!(
            told,
            format!("{guide}: written\n{configuration}: written\n")
        );
        assert_eq!(
            project.files(),
            BTreeSet::from([project.path(guide), project.path(configuration)])
        );
        let text = project.text(guide);
        assert!(text.contains("# Debugging with omp-debug"), "{text}");
        match client {
            "claude" | "omp" => assert!(
                text.starts_with("---\nname: omp-debug\ndescription: \""),
                "{text}"
            ),
            "cursor" => assert!(
                text.starts_with("---\ndescription: \"")
                    && text.contains("\nalwaysApply: false\n---\n"),
                "{text}"
            ),
            _ => assert!(text.starts_with("<!-- omp-debug -->\n"), "{text}"),
        }
        let server = json!({"command": "omp-debug", "args": ["mcp"]});
        let written = project.text(configuration);
        let found: Value = if client == "codex" {
            let table: toml::Table = written.parse().unwrap();
            serde_json::to_value(&table["mcp_servers"]["omp-debug"]).unwrap()
        } else {
            serde_json::from_str::<Value>(&written).unwrap()["mcpServers"]["omp-debug"].clone()
        };
        assert_eq!(found, server);
        for file in [guide, configuration] {
            let mode = project.path(file).metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o644, "a file of the project");
        }
        let before = [guide, configuration].map(|file| {
            (
                project.text(file),
                project.path(file).metadata().unwrap().modified().unwrap(),
            )
        });
        let told = project.written(client);
        assert_eq!(
            told,
            format!("{guide}: as it was\n{configuration}: as it was\n")
        );
        let after = [guide, configuration].map(|file| {
            (
                project.text(file),
                project.path(file).metadata().unwrap().modified().unwrap(),
            )
        });
        assert_eq!(before, after);
    }
}

#[test]
fn what_is_in_a_configuration_stays_there_as_it_was_written() {
    let entry = r#""omp-debug": {"command": "omp-debug", "args": ["mcp"]}"#;
    for (old, new) in [
        ("{}", format!("{{\n  \"mcpServers\": {{\n    {entry}\n  }}}}")),
        (
            "{\"z\": 1, \"mcpServers\": {}, \"a\": 2}\n",
            format!("{{\"z\": 1, \"mcpServers\": {{\n    {entry}}}, \"a\": 2}}\n"),
        ),
        (
            // Something else looks like what is searched for.
            "{\n  \"b\": {\"mcpServers\": {}},\n  \"mcpServers\": {\n    \"other\": {\"command\": \"x\", \"args\": [1.50]}\n  }\n}\n",
            format!("{{\n  \"b\": {{\"mcpServers\": {{}}}},\n  \"mcpServers\": {{\n    {entry},\n    \"other\": {{\"command\": \"x\", \"args\": [1.50]}}\n  }}\n}}\n"),
        ),
        (
            "\n{\"inputs\": []}",
            format!("\n{{\n  \"mcpServers\": {{\n    {entry}\n  }},\"inputs\": []}}"),
        ),
        (
            "{\"mcpServers\": {\"omp-debug\": {\"command\": \"/opt/omp-debug\", \"args\": [\"mcp\", \"--join\"]}}}",
            "{\"mcpServers\": {\"omp-debug\": {\"command\": \"/opt/omp-debug\", \"args\": [\"mcp\", \"--join\"]}}}".to_owned(),
        ),
    ] {
        let project = Project::new();
        project.put(".mcp.json", old);
        project.written("claude");
        assert_eq!(project.text(".mcp.json"), new);
        serde_json::from_str::<Value>(&new).unwrap();
    }
    let old = "# mine\nmodel = \"o9\" # the best\n[mcp_servers.other]\ncommand = \"x\"";
    let project = Project::new();
    project.put(".codex/config.toml", old);
    project.put("AGENTS.md", "# House rules\n\nBe kind.\n");
    project.written("codex");
    let text = project.text(".codex/config.toml");
    assert!(text.starts_with(&format!("{old}\n")), "{text}");
    let table: toml::Table = text.parse().unwrap();
    assert_eq!(table["model"].as_str(), Some("o9"));
    assert_eq!(table["mcp_servers"].as_table().unwrap().len(), 2);
    let text = project.text("AGENTS.md");
    assert!(
        text.starts_with("# House rules\n\nBe kind.\n\n<!-- omp-debug -->\n# Debugging"),
        "{text}"
    );
    // It may be a link, and of others to read.
    let project = Project::new();
    project.put("shared.json", "{}");
    fs::set_permissions(
        project.path("shared.json"),
        fs::Permissions::from_mode(0o600),
    )
    .unwrap();
    symlink("shared.json", project.path(".mcp.json")).unwrap();
    project.written("claude");
    assert!(project.path(".mcp.json").is_symlink());
    assert!(project.text("shared.json").contains(entry));
    assert_eq!(
        project
            .path("shared.json")
            .metadata()
            .unwrap()
            .permissions()
            .mode()
            & 0o777,
        0o600
    );
}

#[test]
fn what_cannot_be_read_or_was_changed_is_left_alone() {
    for (client, configuration, text) in [
        ("claude", ".mcp.json", "{\"mcpServers\": {}, // mine\n}"),
        ("claude", ".mcp.json", "[]"),
        ("cursor", ".cursor/mcp.json", "{\"mcpServers\": []}"),
        ("omp", ".omp/mcp.json", "{\"mcpServers\": null}"),
        ("codex", ".codex/config.toml", "mcp_servers = 1"),
        ("codex", ".codex/config.toml", "mcp_servers = {}"),
        ("codex", ".codex/config.toml", "model = "),
    ] {
        let project = Project::new();
        project.put(configuration, text);
        for force in [&[][..], &["--force"]] {
            let words = [&["--for", client, "--write"][..], force].concat();
            let (code, told, why) = project.guide(&words);
            assert_eq!((code, told.as_str()), (Some(2), ""), "{client} {text}");
            assert!(
                why.contains(configuration) && why.contains("nothing is added to it"),
                "{why}"
            );
            assert_eq!(project.text(configuration), text);
            assert_eq!(project.files().len(), 1, "no guide either");
        }
    }
    for (client, guide, _) in FILES {
        let project = Project::new();
        project.written(client);
        let whole = project.text(guide);
        let changed = whole.replace(
            "# Debugging with omp-debug\n",
            "# Debugging\n\nOnly on Fridays.\n",
        );
        let changed = if client == "codex" {
            format!("before\n{changed}after\n")
        } else {
            changed
        };
        project.put(guide, &changed);
        let (code, told, why) = project.guide(&["--for", client, "--write"]);
        assert_eq!((code, told.as_str()), (Some(2), ""), "{client}");
        assert!(
            why.contains(guide) && why.contains("--force replaces it"),
            "{why}"
        );
        assert_eq!(project.text(guide), changed);
        let (code, _, why) = project.guide(&["--for", client, "--write", "--force"]);
        assert_eq!((code, why.as_str()), (Some(0), ""), "{client}");
        let again = if client == "codex" {
            format!("before\n{whole}after\n")
        } else {
            whole
        };
        assert_eq!(project.text(guide), again);
    }
    let (code, _, why) = Project::new().guide(&["--write"]);
    assert_eq!(code, Some(2));
    assert!(why.contains("--for"), "{why}");
}
