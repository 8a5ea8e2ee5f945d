//! `omp-debug system` without a screen and on one: what it says, what it hides, what it survives.

use crate::support;

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use base64::Engine as _;
use serde_json::Value;
use support::desk::{Desk, Home};
use support::omp_home::{self, Size};
use support::tools;

const SECRET: &str = "correct-horse-battery-staple";

fn system(home: &Path, arguments: &[&str]) -> Output {
    Command::new(tools::omp_debug())
        .arg("system")
        .args(arguments)
        .current_dir(home)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", home)
        .env("SHELL", "/bin/zsh")
        .env("TERM", "xterm-256color")
        .env("DB_PASSWORD", SECRET)
        .env("NOTE", format!("the password is {SECRET}"))
        .env("ODD", "a\u{1b}]52;c;aGk=\u{7}b\u{202e}")
        .output()
        .unwrap()
}

#[test]
fn the_names_of_the_json_and_no_secret_in_it() {
    let dir = tempfile::tempdir().unwrap();
    let output = system(dir.path(), &["--json"]);
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(!text.contains(SECRET) && !text.contains('\u{1b}') && !text.contains('\u{202e}'));
    let json: Value = serde_json::from_str(&text).unwrap();
    for name in [
        "schema_version",
        "taken",
        "os",
        "os_name",
        "arch",
        "cpu",
        "cpus",
        "uptime",
        "load",
        "memory",
        "gpus",
        "disks",
        "versions",
        "cwd",
        "shell",
        "terminal",
        "locale",
        "container",
        "limits",
        "environment",
        "omp",
        "adapters",
        "unknown",
    ] {
        assert!(json.get(name).is_some(), "{name} in {text}");
    }
    assert_eq!(json["schema_version"], 1);
    assert_eq!(json["shell"], "/bin/zsh");
    assert_eq!(json["terminal"], "xterm-256color");
    assert_eq!(json["versions"]["app"], env!("CARGO_PKG_VERSION"));
    assert!(json["memory"]["total"].as_u64().unwrap() > 1 << 20);
    assert!(
        json["environment"]["DB_PASSWORD"]
            .as_str()
            .unwrap()
            .starts_with("[redacted:")
    );
    // Whatever is null has its reason.
    let reasons: Vec<&str> = json["unknown"]
        .as_array()
        .unwrap()
        .iter()
        .map(|u| u["field"].as_str().unwrap())
        .collect();
    for name in ["ptrace_scope", "perf_event_paranoid", "kptr_restrict"] {
        let field = format!("limits.{name}");
        assert_eq!(
            json["limits"][name].is_null(),
            reasons.contains(&field.as_str()),
            "{field}"
        );
    }
    let adapters = json["adapters"].as_array().unwrap();
    assert!(
        adapters.iter().any(|a| a["name"] == "debugpy"),
        "{adapters:?}"
    );
}

#[test]
fn the_text_has_what_omp_shows_and_more() {
    let dir = tempfile::tempdir().unwrap();
    let output = system(dir.path(), &["--print"]);
    let text = String::from_utf8(output.stdout).unwrap();
    for wanted in [
        "\nOS ",
        "\nArch ",
        "\nCPU ",
        "\nMemory ",
        "\nCWD ",
        "\nShell ",
        "\nTerminal ",
        "\nLoad ",
        "\nomp-debug ",
    ] {
        assert!(text.contains(wanted), "{wanted:?} in {text}");
    }
    assert!(
        !text.contains(SECRET) && !text.contains('\u{1b}'),
        "{text:?}"
    );
    // Without a terminal the text is what there is, also when nobody asked for it.
    let plain = String::from_utf8(system(dir.path(), &[]).stdout).unwrap();
    assert!(plain.contains("\nOS "), "{plain}");
}

/// A process that is called omp, and ends with the test.
struct Omp(Child);

impl Omp {
    fn start(dir: &Path) -> Self {
        let program = dir.join("omp");
        tools::copy(Path::new("/bin/sleep"), &program);
        Self(
            Command::new(program)
                .arg("300")
                .stdin(Stdio::null())
                .spawn()
                .unwrap(),
        )
    }
}

impl Drop for Omp {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_running_omp_is_watched_on_the_screen_and_everything_is_copied() {
    let dir = tempfile::tempdir().unwrap();
    let home = omp_home::write(dir.path(), Size::default());
    let omp = Omp::start(dir.path());
    let pid = omp.0.id();
    fs::write(home.logs.join(format!("omp.2026-08-21.{pid}.log")), "{}\n").unwrap();
    let root = home.dir.join(".omp");
    let desk = Desk::at(Home::new(), |builder| {
        builder
            .env("DB_PASSWORD", SECRET)
            .env("SSH_CONNECTION", "10.0.0.1 1 10.0.0.2 22")
            .args(args!["--omp-dir", root, "system"])
    });
    let pty = &desk.pty;
    pty.wait_for("Machine");
    pty.wait_for(&format!("[x] {pid}"));
    pty.wait_for("0.0%");
    // Asked off the drawing task: it comes by itself.
    pty.wait_gone("asking for");
    pty.key("Y");
    pty.wait_for("system: ");
    let raw = pty.clipboard().pop().unwrap();
    let text = base64::engine::general_purpose::STANDARD
        .decode(raw)
        .unwrap();
    let text = String::from_utf8(text).unwrap();
    assert!(
        text.contains(&format!("pid {pid}")) && text.contains("debugpy"),
        "{text}"
    );
    assert!(!text.contains(SECRET), "{text}");
    // It ends, and the screen says so.
    drop(omp);
    pty.wait_for("ended");
}
