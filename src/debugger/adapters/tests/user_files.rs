use super::*;
use serde_json::json;

const MINE: &str = r#"{"adapters": {"mine": {"command": "./tools/mine", "args": ["--dap"],
    "fileTypes": ["MY", ".own"], "connectMode": "tcp", "attachDefaults": {"skipAttachRequest": true},
    "env": {"A": "1"}}}}"#;

#[test]
fn a_file_of_the_project_waits_for_trust_in_exactly_its_content() {
    let machine = Machine::new();
    let context = machine.context();
    let file = machine.file("project/dap.json", MINE);
    let (table, warnings) = Table::load(&context);
    assert!(table.get("mine").is_err());
    let text = warnings[0].to_string();
    assert!(text.contains("./tools/mine --dap"), "{text}");

    let pending = untrusted::pending(&context);
    assert_eq!(pending[0].commands[0].argv, ["./tools/mine", "--dap"]);
    assert_eq!(pending[0].commands[0].env["A"], "1");
    trust::grant(&context, &pending[0]).unwrap();
    assert_eq!(untrusted::pending(&context), []);
    let store = context.state_dir.join("trust.json");
    assert_eq!(
        store.metadata().unwrap().permissions().mode() & 0o777,
        0o600
    );

    let (table, warnings) = Table::load(&context);
    assert_eq!(warnings, []);
    let mine = table.get("mine").unwrap();
    assert_eq!(mine.file_types, [".my", ".own"]);
    assert_eq!(mine.connect, ConnectMode::Tcp);
    assert!(mine.personality.attach.skip_request);
    assert_eq!(mine.attach_defaults.get("skipAttachRequest"), None);
    machine.executable("project/tools/mine", "");
    let found = resolve(mine, &context).unwrap();
    assert!(found.how.contains("dap.json"), "{}", found.how);
    assert_eq!(found.env, [("A".to_owned(), Some("1".to_owned()))]);

    std::fs::write(&file, MINE.replace("--dap", "--evil")).unwrap();
    assert!(Table::load(&context).0.get("mine").is_err());
    std::fs::write(&file, MINE).unwrap();
    assert_eq!(untrusted::pending(&context), []);
}

#[test]
fn display_strings_of_which_none_can_be_used_ask_for_no_trust() {
    let machine = Machine::new();
    let context = machine.context();
    let shown = |text| {
        let head = "<AutoVisualizer><Type Name=\"A\"><DisplayString>";
        format!("{head}{text}</DisplayString></Type></AutoVisualizer>")
    };
    let warned = || {
        let table = Table::load(&context).0;
        let gdb = table.get("gdb").unwrap();
        add_project(gdb, &context, &mut Vec::new(), &mut json!({})).len()
    };
    let file = "project/debug_metadata/a.natvis";
    machine.file(file, shown("{{ len={len()} }}"));
    assert_eq!((untrusted::pending(&context), warned()), (Vec::new(), 0));
    machine.file(file, shown("{{ len={len} }}"));
    assert_eq!((untrusted::pending(&context).len(), warned()), (1, 1));
}

#[test]
fn files_of_the_person_are_used_and_the_nearer_one_wins() {
    let machine = Machine::new();
    machine.file(
        "home/dap.yaml",
        "mine:\n  command: far\n  launchDefaults: {a: 1, b: 1}\n",
    );
    machine.file(
        "home/.omp/dap.json",
        r#"{"mine": {"command": "near", "launchDefaults": {"b": 2}}}"#,
    );
    let (table, warnings) = Table::load(&machine.context());
    assert_eq!(warnings, []);
    let mine = table.get("mine").unwrap();
    assert_eq!(json!(mine.launch_defaults), json!({"a": 1, "b": 2}));
    assert!(
        matches!(&mine.command[0].program, Program::Executable { names, .. } if names[0] == "near")
    );
}

#[test]
fn a_known_adapter_keeps_its_habits_under_another_command() {
    let machine = Machine::new();
    machine.file(
        "home/dap.json",
        r#"{"gdb": {"command": "/opt/my/gdb", "args": ["-i", "dap"],
            "personality": {"drain_after_terminated_ms": 9, "launch": {"cwd_key": "dir"}}}}"#,
    );
    let (table, _) = Table::load(&machine.context());
    let gdb = table.get("gdb").unwrap();
    assert!(gdb.personality.ptrace);
    assert_eq!(gdb.personality.drain_after_terminated_ms, Some(9));
    assert_eq!(gdb.personality.launch.cwd_key, "dir");
    assert!(gdb.personality.launch.env_replaces);
    assert_eq!(
        gdb.file_types,
        Table::builtin().get("gdb").unwrap().file_types
    );
}

#[test]
fn what_is_wrong_is_said_and_the_rest_is_used() {
    let machine = Machine::new();
    machine.file("home/.dap.json", "{not json");
    machine.file(
        "home/dap.json",
        r#"{"good": {"command": "x"}, "empty": {"command": " "}, "none": {}, "odd": {"command": 5},
            "habit": {"command": "x", "personality": {"ptrase": true}},
            "ours": {"command": "x", "connectMode": "lldb_command_line"}}"#,
    );
    let (table, warnings) = Table::load(&machine.context());
    assert!(table.get("good").is_ok());
    let text: Vec<_> = warnings.iter().map(ToString::to_string).collect();
    for part in [
        ".dap.json is not used",
        "\"empty\"",
        "\"none\"",
        "\"odd\"",
        "ptrase",
        "connectMode",
    ] {
        assert!(
            text.iter().any(|line| line.contains(part)),
            "{part}: {text:?}"
        );
    }
    assert_eq!(warnings.len(), 6);
}

#[test]
fn a_pipe_or_a_huge_file_holds_nobody() {
    let machine = Machine::new();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        machine.path("home/dap.json"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        0,
    )
    .unwrap();
    machine.file("home/.dap.json", vec![b' '; (1 << 20) + 1]);
    let (_, warnings) = Table::load(&machine.context());
    let text: Vec<_> = warnings.iter().map(ToString::to_string).collect();
    assert!(
        text.iter().any(|line| line.contains("not a regular file")),
        "{text:?}"
    );
    assert!(
        text.iter().any(|line| line.contains("larger than 1 MiB")),
        "{text:?}"
    );
}

#[test]
fn plugins_of_the_person_bring_adapters_in_any_spelling_of_the_file() {
    let machine = Machine::new();
    machine.file("home/.omp/plugins/one/dap.yml", "first: {command: one}\n");
    machine.file(
        "home/.omp/plugins/two/.dap.json",
        r#"{"second": {"command": "two", "rootMarkers": ["two.toml"]}}"#,
    );
    let (table, warnings) = Table::load(&machine.context());
    assert_eq!(warnings, []);
    assert!(table.get("first").is_ok());
    assert_eq!(table.get("second").unwrap().root_markers, ["two.toml"]);
}

#[test]
fn comments_and_configurations_beside_adapters_are_no_adapters() {
    let machine = Machine::new();
    let context = machine.context();
    machine.file(
        "project/dap.json",
        r#"{ // ours
            "adapters": {"one": {"command": "/bin/one"},},
            "configurations": [{"name": "x", "type": "one", "program": "secretly"}]
        }"#,
    );
    let waiting = untrusted::pending(&context);
    let shown: Vec<_> = waiting[0]
        .commands
        .iter()
        .map(|one| one.name.as_str())
        .collect();
    assert_eq!(shown, ["one", "x"], "trust is in all of it");
    machine.file("project/dap.json", r#"{"configurations": [{"name": "x"}]}"#);
    assert!(untrusted::pending(&context).is_empty());
    let (_, warnings) = Table::load(&context);
    assert!(warnings.is_empty(), "{warnings:?}");
}
