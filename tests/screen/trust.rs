//! Nothing of a folder runs, and nothing it holds is believed, before a person has trusted it.

use crate::support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use support::desk::{Desk, Home};
use support::omp_home::{self, Size};
use support::tools;
use tempfile::TempDir;

/// Names of programs that are asked something, or that what is asked may start.
const PROGRAMS: [&str; 26] = [
    "apt-get",
    "bash",
    "bun",
    "codelldb",
    "dart",
    "dlv",
    "env",
    "gdb",
    "git",
    "go",
    "js-debug-adapter",
    "lldb",
    "lldb-dap",
    "lldb-dap-19",
    "netcoredbg",
    "node",
    "npm",
    "omp",
    "php",
    "python",
    "python3",
    "rdbg",
    "ruby",
    "rustc",
    "tmux",
    "xcrun",
];
/// Modules that an adapter of Python, or Python in a debugger, imports.
const MODULES: [&str; 9] = [
    "debugpy",
    "bash_dap",
    "importlib_metadata",
    "json",
    "lldb",
    "runpy",
    "sitecustomize",
    "threading",
    "usercustomize",
];

/// A folder as a stranger may have made it: whatever of it runs leaves its name in `ran`.
struct Planted {
    dir: TempDir,
}

impl Planted {
    fn new() -> Self {
        let planted = Self {
            dir: tempfile::tempdir().unwrap(),
        };
        fs::create_dir(planted.ran()).unwrap();
        let ran = planted.ran().display().to_string();
        for folder in [
            "",
            "bin/",
            ".venv/bin/",
            "node_modules/.bin/",
            "toolchain/bin/",
        ] {
            for name in PROGRAMS {
                let script = format!("#!/bin/sh\n: > '{ran}/{name}'\necho 99.9.9\n");
                planted.executable(&format!("{folder}{name}"), &script);
            }
        }
        for name in MODULES {
            planted.file(
                &format!("{name}.py"),
                &format!("open({ran:?} + '/{name}.py', 'w')\n__version__ = '99.9'\n"),
            );
        }
        planted.file(".venv/pyvenv.cfg", "include-system-site-packages = true\n");
        planted.file("pyproject.toml", "");
        planted.file("package.json", "{}");
        planted.file(
            "evil.js",
            &format!("require('fs').writeFileSync('{ran}/js', '')\n"),
        );
        planted.file("evil.sh", &format!(": > '{ran}/sh'\n"));
        planted.file(".gdbinit", &format!("shell : > '{ran}/gdbinit'\n"));
        planted.file(
            ".lldbinit",
            &format!("platform shell : > '{ran}/lldbinit'\n"),
        );
        planted.file(".rdbgrc", &format!("eval File.write('{ran}/rdbgrc', '')\n"));
        planted.file("rust-toolchain.toml", "[toolchain]\npath = \"toolchain\"\n");
        planted.file(
            ".cargo/config.toml",
            "[build]\nrustc = \"./rustc\"\nrustc-wrapper = \"./env\"\n",
        );
        planted.file(
            ".npmrc",
            "script-shell=./bash\nnode-options=--require ./evil.js\n",
        );
        planted.file("go.mod", "module x\ngo 1.21\ntoolchain go9.9.9\n");
        planted
    }

    fn folder(&self) -> PathBuf {
        self.dir.path().join("project")
    }

    fn ran(&self) -> PathBuf {
        self.dir.path().join("ran")
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    fn executable(&self, name: &str, text: &str) {
        tools::executable(&self.folder().join(name), text);
    }

    /// What has run of it.
    fn has_run(&self) -> Vec<String> {
        let names = fs::read_dir(self.ran()).unwrap();
        let mut names: Vec<_> = names
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// An environment that a careless person may have: everything in it points into the folder.
    fn variables(&self) -> Vec<(&'static str, String)> {
        let here = self.folder().display().to_string();
        let path = std::env::var("PATH").unwrap();
        let venv = tools::test_home().join("venv/bin");
        vec![
            (
                "PATH",
                format!(".:bin::{here}/bin:{}:{path}:", venv.display()),
            ),
            ("PYTHONPATH", ".".to_owned()),
            ("BASH_ENV", "./evil.sh".to_owned()),
            ("NODE_OPTIONS", "--require ./evil.js".to_owned()),
            ("VIRTUAL_ENV", ".venv".to_owned()),
            ("HOME", self.dir.path().join("home").display().to_string()),
            (
                "XDG_DATA_HOME",
                tools::test_home().join("share").display().to_string(),
            ),
            (
                "XDG_STATE_HOME",
                self.dir.path().join("state").display().to_string(),
            ),
        ]
    }

    fn ask(&self, words: &[&str]) -> Output {
        omp_debug(&self.folder())
            .args(words)
            .envs(self.variables())
            .output()
            .unwrap()
    }
}

fn omp_debug(cwd: &Path) -> Command {
    let mut command = Command::new(tools::omp_debug());
    command
        .current_dir(cwd)
        .env_remove("XDG_CONFIG_HOME")
        .env_remove("XDG_STATE_HOME")
        .env_remove("XDG_DATA_HOME");
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn what_is_asked_of_tools_runs_nothing_of_the_folder() {
    for words in [
        &["adapters", "doctor", "--json"][..],
        &["adapters", "list", "--json"],
        &["system", "--print"],
        &["system", "--json"],
    ] {
        let planted = Planted::new();
        let output = planted.ask(words);
        assert_eq!(planted.has_run(), Vec::<String>::new(), "{words:?}");
        assert!(
            output.status.success(),
            "{words:?}: {}",
            text(&output.stderr)
        );
        // And the tools were asked: the ones of the machine are here with their versions.
        let said = text(&output.stdout);
        assert!(!said.contains("99.9"), "{words:?}: {said}");
        if words.contains(&"doctor") {
            let told: Value = serde_json::from_str(&said).unwrap();
            let debugpy = told["adapters"].as_array().unwrap().iter();
            let debugpy = debugpy
                .clone()
                .find(|one| one["name"] == "debugpy")
                .unwrap();
            assert!(debugpy["version"].is_string(), "{debugpy}");
        }
    }
}

#[test]
fn the_screens_run_nothing_of_the_folder() {
    let planted = Planted::new();
    let variables = planted.variables();
    let desk = Desk::with(|builder| {
        let builder = builder
            .cwd(planted.folder())
            .args(["system"])
            .size(160, 300);
        variables
            .iter()
            .filter(|(name, _)| !["HOME", "XDG_STATE_HOME"].contains(name))
            .fold(builder, |builder, (name, value)| builder.env(name, value))
    });
    desk.pty.wait_for("Arch");
    // Adapters come last, each with its version.
    desk.pty.wait_for("debugpy");
    assert_eq!(planted.has_run(), Vec::<String>::new());
    // What would format values is asked about, and not used before.
    for name in [".lldbinit", ".gdbinit"] {
        desk.pty.wait_until("the question", |screen| {
            let text = screen.text();
            text.contains(&format!("{name} came with this project"))
                && text.contains("No, leave it")
        });
        desk.pty.key("n");
    }
    desk.pty.key("Esc").wait_for("Take the tour");
    assert_eq!(planted.has_run(), Vec::<String>::new());
    desk.leave();
}

/// A person who debugs a program of another folder consents to that program, not to what lies where they stand.
#[test]
fn adapters_start_without_the_folder_they_start_in() {
    let elsewhere = tempfile::tempdir().unwrap();
    let script = elsewhere.path().join("hello.py");
    fs::write(&script, "print('hello')\n").unwrap();
    let shell = elsewhere.path().join("hello.sh");
    fs::write(&shell, "echo hello\n").unwrap();
    let native = elsewhere.path().join("hello");
    let source = elsewhere.path().join("hello.c");
    fs::write(
        &source,
        "#include <stdio.h>\nint main(void) { puts(\"hello\"); return 0; }\n",
    )
    .unwrap();
    let built = Command::new("cc")
        .arg("-g")
        .arg("-o")
        .arg(&native)
        .arg(&source)
        .status();
    assert!(
        built.is_ok_and(|status| status.success()),
        "cc builds the program"
    );
    for (program, adapter, plain) in [
        (&script, "debugpy", false),
        (&script, "debugpy", true),
        (&shell, "bash-dap", false),
        (&native, "gdb", false),
        (&native, "lldb-dap", false),
    ] {
        let planted = Planted::new();
        let mut command = omp_debug(&planted.folder());
        let path = std::env::var("PATH").unwrap();
        let venv = tools::test_home().join("venv/bin");
        command
            .env("PATH", format!("{}:{path}", venv.display()))
            .env("XDG_DATA_HOME", tools::test_home().join("share"))
            .env("XDG_STATE_HOME", elsewhere.path())
            .env("OMP_DEBUG_CONNECT", "stdio")
            .args(["run", "--adapter", adapter])
            .arg(program);
        if plain {
            command.env("OMP_DEBUG_PLAIN_ADAPTER", "1");
        }
        let output = command.output().unwrap();
        let said = text(&output.stdout);
        assert!(
            said.contains("hello"),
            "{adapter}: {said}\n{}",
            text(&output.stderr)
        );
        assert_eq!(
            planted.has_run(),
            Vec::<String>::new(),
            "{adapter}, plain: {plain}"
        );
    }
}

/// A repository that looks like a home: its adapter would run, and its trust would be believed.
fn pretended_home() -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let ran = dir.path().join("ran");
    let evil = dir.path().join("evil");
    tools::executable(&evil, &format!("#!/bin/sh\n: > '{}'\n", ran.display()));
    let description = format!(
        "{{\"adapters\": {{\"debugpy\": {{\"command\": \"{}\"}}}}}}",
        evil.display()
    );
    let config = dir.path().join(".config/omp-debug");
    fs::create_dir_all(&config).unwrap();
    fs::write(config.join("dap.json"), &description).unwrap();
    fs::write(config.join("config.toml"), "theme = 'no such theme'\n").unwrap();
    // The same beside it, with trust that it brings along.
    let own = dir.path().join("dap.json");
    fs::write(&own, &description).unwrap();
    let digest = omp_debug::debugger::adapters::trust::digest(description.as_bytes());
    let files = serde_json::json!({
        own.canonicalize().unwrap().to_string_lossy(): digest,
    });
    let state = dir.path().join(".local/state/omp-debug");
    fs::create_dir_all(&state).unwrap();
    let store = serde_json::json!({"version": 1, "files": files});
    fs::write(state.join("trust.json"), store.to_string()).unwrap();
    fs::write(dir.path().join("hello.py"), "print('hello')\n").unwrap();
    (dir, ran)
}

#[test]
fn a_home_that_is_no_absolute_path_is_not_the_folder_we_stand_in() {
    for (home, base) in [
        (None, None),
        (Some(""), None),
        (Some("."), None),
        (Some("x/.."), Some(".")),
    ] {
        let (dir, ran) = pretended_home();
        let mut command = omp_debug(dir.path());
        command
            .env_remove("HOME")
            .args(["adapters", "list", "--json"]);
        if let Some(home) = home {
            command.env("HOME", home);
        }
        if let Some(base) = base {
            for name in ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"] {
                command.env(name, base);
            }
        }
        let output = command.output().unwrap();
        let said = text(&output.stdout);
        let told: Value = serde_json::from_str(&said).unwrap();
        let warnings = told["warnings"].to_string();
        assert!(
            warnings.contains("dap.json is not used until you trust it"),
            "HOME {home:?}: {said}"
        );
        assert!(
            !warnings.contains(".config/omp-debug/dap.json"),
            "HOME {home:?}: {warnings}"
        );
        assert!(
            !text(&output.stderr).contains("no such theme"),
            "HOME {home:?}: {}",
            text(&output.stderr)
        );
        assert!(!ran.exists(), "HOME {home:?}");
    }
}

/// What is typed before or while the question comes is no answer to it; neither is a word with the letter `y` in it.
#[test]
fn trust_is_not_given_by_what_was_typed_for_something_else() {
    let (dir, _) = pretended_home();
    let home = Home::new();
    let desk = Desk::at(home, |builder| builder.cwd(dir.path()));
    let store = desk.home.path().join("state/omp-debug/trust.json");
    // Before anything is on the screen.
    desk.pty.type_text("y").type_text("demo.py").key("Enter");
    desk.pty.wait_for("Trust this file?");
    let screen = desk.pty.wait_for("Enter answers");
    assert!(screen.contains("▸ No"), "{}", screen.text());
    assert!(!store.exists());
    desk.pty.type_text("demo.py y").key("Enter");
    desk.pty.wait_gone("Trust this file?");
    assert!(!store.exists());
    desk.leave();
    // With the answer that is meant.
    let desk = Desk::at(Home::new(), |builder| builder.cwd(dir.path()));
    let store = desk.home.path().join("state/omp-debug/trust.json");
    desk.pty.agree().wait_for("is trusted");
    assert!(store.exists());
    desk.leave();
}

/// A key that somebody pasted into a question is in no title.
#[test]
fn titles_hold_no_secret() {
    let secret = concat!(
        "sk-ant-",
        "api03-Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MDEyMzQ1Njc4OTA"
    );
    let dir = tempfile::tempdir().unwrap();
    let home = omp_home::write(dir.path(), Size::default());
    for file in &home.sessions {
        let session = fs::read_to_string(file).unwrap();
        let header = session
            .lines()
            .find(|line| line.contains("\"session\""))
            .unwrap();
        let question = serde_json::json!({
            "type": "message", "id": "a1", "parentId": null, "timestamp": "2026-08-21T10:00:00.000Z",
            "message": {"role": "user", "content": format!("why is {secret} refused"), "timestamp": 1},
        });
        let header: Value = serde_json::from_str(header).unwrap();
        let mut header = header.as_object().unwrap().clone();
        header.remove("title");
        let lines = format!("{}\n{question}\n", Value::Object(header));
        fs::write(file, lines).unwrap();
    }
    let root = home.dir.join(".omp").display().to_string();
    for words in [
        &["sessions", "--json"][..],
        &["sessions"],
        &["artifacts", "--json"],
        &["artifacts"],
    ] {
        let output = omp_debug(&home.dir)
            .args(["--omp-dir", &root])
            .args(words)
            .output()
            .unwrap();
        let said = text(&output.stdout);
        // Of artifacts scripts are told the title only, and there is none.
        let has_names = words != ["artifacts", "--json"];
        assert!(
            !has_names || said.contains("why is [redacted:"),
            "{words:?}: {said}"
        );
        assert!(!said.contains("sk-ant"), "{words:?}: {said}");
    }
    for words in [&["sessions"][..], &["artifacts"], &["transcript"]] {
        let desk = Desk::with(|builder| {
            builder
                .args(args!["--omp-dir", &root, "--cwd", &home.dir])
                .args(words)
        });
        desk.pty.wait_for("why is [redacted:");
        let raw = text(&desk.pty.raw());
        assert!(!raw.contains("sk-ant"), "{words:?}");
        desk.leave();
    }
}

/// What is wrong with the settings is told once, all of it, in the way of the command.
#[test]
fn all_that_is_wrong_with_the_settings_is_told_once() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("omp-debug");
    fs::create_dir(&folder).unwrap();
    let program = dir.path().join("hello.py");
    fs::write(&program, "print('hello')\n").unwrap();
    let ask = |settings: &str, words: &[&str]| {
        fs::write(folder.join("config.toml"), settings).unwrap();
        let output = omp_debug(dir.path())
            .env("XDG_CONFIG_HOME", dir.path())
            .env("XDG_DATA_HOME", tools::test_home().join("share"))
            .args(words)
            .output()
            .unwrap();
        (
            output.status.code(),
            text(&output.stdout),
            text(&output.stderr),
        )
    };
    let events = |said: &str| -> Vec<Value> { said.lines().map(support::run::event).collect() };
    let wrong = "mouse = 'no'\ntheem = 'dark'\n";
    let (code, said, complaint) = ask(wrong, &["run", "hello.py"]);
    let told: Vec<_> = events(&said)
        .iter()
        .filter(|event| event["type"] == "adapter_message" && event["severity"] == "warning")
        .map(|event| event["text"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(code, Some(0), "{said}{complaint}");
    assert_eq!(
        told.iter()
            .filter(|text| text.contains("config.toml:1: `mouse`"))
            .count(),
        1,
        "{said}"
    );
    assert_eq!(
        told.iter()
            .filter(|text| text.contains("config.toml:2: "))
            .count(),
        1,
        "{said}"
    );
    let (_, _, complaint) = ask(wrong, &["call", "--list"]);
    assert_eq!(complaint.matches("config.toml:").count(), 2, "{complaint}");
    let (_, _, complaint) = ask(wrong, &["adapters", "list"]);
    assert_eq!(complaint.matches("config.toml:").count(), 2, "{complaint}");

    let settings = dir.path().to_owned();
    let desk = Desk::with(|builder| builder.env("XDG_CONFIG_HOME", settings));
    desk.pty.wait_for("2 settings cannot be used");
    desk.pty.key("M").wait_for("config.toml:1: `mouse`");
    desk.pty.wait_for("config.toml:2: ");
    desk.pty.key("Esc").wait_gone("newest first");
    desk.leave();

    let broken = "a = 1\nb = = 2\nc = 1\nd = ]\n";
    let (code, said, complaint) = ask(broken, &["run", "hello.py"]);
    assert_eq!(code, Some(2));
    for place in ["config.toml:2:", "config.toml:4:"] {
        assert!(complaint.contains(place), "{complaint}");
        assert!(said.contains(place), "{said}");
    }
    let kinds: Vec<_> = events(&said)
        .iter()
        .map(|event| event["type"].clone())
        .collect();
    assert_eq!(kinds, ["error", "session_end"]);
}

/// The words of a program may begin with a dash, and a command line that cannot be meant ends with events, too.
#[test]
fn a_run_that_is_refused_says_so_in_events() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(
        dir.path().join("show.py"),
        "import sys\nprint(sys.argv[1:])\n",
    )
    .unwrap();
    let run = |words: &[&str]| {
        let output = omp_debug(dir.path())
            .env("XDG_DATA_HOME", tools::test_home().join("share"))
            .env("XDG_STATE_HOME", dir.path())
            .arg("run")
            .args(words)
            .output()
            .unwrap();
        let said = text(&output.stdout);
        let events: Vec<Value> = said.lines().map(support::run::event).collect();
        (output.status.code(), events)
    };
    let (code, events) = run(&["show.py", "--args", "--config=test.yaml -v"]);
    assert_eq!(code, Some(0), "{events:#?}");
    let printed = events.iter().any(|event| {
        event["text"]
            .as_str()
            .is_some_and(|text| text.contains("['--config=test.yaml', '-v']"))
    });
    assert!(printed, "{events:#?}");
    let (code, events) = run(&["show.py", "-b", "show.py:2", "--eval", "-len(sys.argv)"]);
    assert_eq!(code, Some(0), "{events:#?}");
    assert!(
        events
            .iter()
            .any(|event| event.to_string().contains("\"-1\"")),
        "{events:#?}"
    );
    for words in [
        &["show.py", "--no-such-option"][..],
        &["show.py", "--steps", "many"],
        &["show.py", "--timeout", "soon"],
        &["--cwd", "nowhere", "show.py"],
        &["show.py", "--output", "no/such/folder/events"],
    ] {
        let (code, events) = run(words);
        assert_eq!(code, Some(2), "{words:?}: {events:#?}");
        let kinds: Vec<_> = events
            .iter()
            .map(|event| event["type"].as_str().unwrap())
            .collect();
        assert_eq!(kinds, ["error", "session_end"], "{words:?}");
        assert_eq!(events[0]["kind"], "usage", "{words:?}");
        assert_eq!(events[1]["exit_status"], 2, "{words:?}");
    }
}

/// A file of the person's own may refer to variables in what it starts.
#[test]
fn variables_are_filled_in_in_what_a_persons_file_starts() {
    let home = tempfile::tempdir().unwrap();
    let config = home.path().join("omp-debug");
    fs::create_dir(&config).unwrap();
    let description = serde_json::json!({"adapters": {"mine": {
        "command": "${env:TOOLS}/bin/sh",
        "args": ["--key=${env:MY_KEY}", "${env:NOT_SET}x", "${port}"],
        "languages": ["mine"], "fileTypes": [".mine"],
    }}});
    fs::write(config.join("dap.json"), description.to_string()).unwrap();
    let output = omp_debug(home.path())
        .env("XDG_CONFIG_HOME", home.path())
        .env("TOOLS", "")
        .env("MY_KEY", "four words and more")
        .args(["adapters", "doctor", "--json"])
        .output()
        .unwrap();
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut all = told["adapters"].as_array().unwrap().iter();
    let mine = all.find(|one| one["name"] == "mine").unwrap();
    let argv = serde_json::json!(["/bin/sh", "--key=four words and more", "x", "${port}"]);
    assert_eq!(mine["argv"], argv, "{mine}");
}
