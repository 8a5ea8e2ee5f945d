use std::collections::BTreeMap;
use std::path::Path;

use super::*;
use crate::command::Console;

struct Project(tempfile::TempDir);

impl Project {
    fn new(launch: &str) -> Self {
        let project = Self(tempfile::tempdir().unwrap());
        project.file(".vscode/launch.json", launch);
        project
    }

    fn file(&self, name: &str, text: &str) {
        let path = self.folder().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn folder(&self) -> &Path {
        self.0.path()
    }

    fn context(&self) -> Context {
        let variable = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        Context::new(
            self.folder().to_owned(),
            BTreeMap::from([
                variable(
                    "XDG_STATE_HOME",
                    &self.folder().join("state").to_string_lossy(),
                ),
                variable("HOME", "/home/somebody"),
                variable("SHADE", "blue"),
            ]),
        )
    }

    fn ready(&self, name: &str) -> Ready {
        self.ready_with(&ConfigurationQuery {
            name: Some(name.to_owned()),
            ..ConfigurationQuery::default()
        })
        .unwrap()
    }

    fn ready_with(&self, asked: &ConfigurationQuery) -> Result<Ready> {
        prepare_unasked(&self.context(), asked, true)
    }

    fn wrong(&self, name: &str) -> String {
        let asked = ConfigurationQuery {
            name: Some(name.to_owned()),
            ..ConfigurationQuery::default()
        };
        let folder = format!("{}/", self.folder().display());
        let error = self.ready_with(&asked).unwrap_err();
        error.to_string().replace(&folder, "")
    }

    fn launch(&self, name: &str) -> LaunchSpec {
        match self.ready(name).commands.remove(0) {
            Command::Launch(spec) => *spec,
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_python_module_with_its_file_of_variables() {
    let project = Project::new(
        r#"{
    // Use IntelliSense to learn about possible attributes.
    "version": "0.2.0",
    "configurations": [
        {
            "name": "Python: web", "type": "debugpy", "request": "launch",
            "module": "shop.web", "args": ["--port", "8000", "${env:SHADE}"],
            "cwd": "${workspaceFolder}/app",
            "envFile": "${workspaceFolder}/.env",
            "env": { "MODE": "debug", "GONE": null, "PATH_ADD": "${env:NOT_THERE}:/x" },
            "console": "integratedTerminal", "justMyCode": false,
            "windows": { "module": "other" },
            "linux": { "stopOnEntry": true },
        },
    ]
}"#,
    );
    project.file(".env", "MODE=release\nexport TOKEN='a b'\n");
    let spec = project.launch("Python: web");
    assert_eq!(spec.adapter.as_deref(), Some("debugpy"));
    assert_eq!(spec.args, ["--port", "8000", "blue"]);
    assert_eq!(spec.cwd, Some(project.folder().join("app")));
    assert_eq!(
        (spec.console, spec.stop_on_entry),
        (Console::Pty, Some(true))
    );
    let variable = |name: &str, value: Option<&str>| (name.to_owned(), value.map(str::to_owned));
    assert_eq!(
        spec.env,
        [
            variable("GONE", None),
            variable("MODE", Some("debug")),
            variable("PATH_ADD", Some(":/x")),
            variable("TOKEN", Some("a b")),
        ]
    );
    assert_eq!(
        Value::from(spec.extra),
        serde_json::json!({"module": "shop.web", "justMyCode": false})
    );
    assert_eq!(spec.around.unwrap().name, "Python: web");
}

#[test]
fn a_c_program_is_built_by_its_tasks_first() {
    let project = Project::new(
        r#"{"configurations": [{
            "name": "C++", "type": "cppdbg", "request": "launch",
            "program": "${workspaceFolder}/build/${fileBasenameNoExtension}", "args": [],
            "stopAtEntry": false, "environment": [{"name": "A", "value": "1"}], "externalConsole": false,
            "MIMode": "lldb", "miDebuggerPath": "/usr/bin/lldb-mi", "setupCommands": [{"text": "-enable-pretty-printing"}],
            "preLaunchTask": "build", "postDebugTask": "clean up"
        }]}"#,
    );
    project.file(
        ".vscode/tasks.json",
        r#"{"version": "2.0.0", "tasks": [
            {"label": "folder", "type": "shell", "command": "mkdir -p build && true"},
            {"label": "build", "type": "process", "command": "cc", "args": ["-g", "${file}", "-o", "build/${fileBasenameNoExtension}"],
             "dependsOn": ["folder"], "options": {"cwd": "${workspaceFolder}/src", "env": {"LANG": "C"}},
             "group": {"kind": "build", "isDefault": true}, "problemMatcher": ["$gcc"]},
            {"label": "clean up", "command": "rm", "args": ["-f", "with blank", {"value": "$x", "quoting": "escape"}]},
        ]}"#,
    );
    let asked = ConfigurationQuery {
        name: Some("C++".to_owned()),
        file: Some("src/main.c".into()),
        ..ConfigurationQuery::default()
    };
    let mut ready = project.ready_with(&asked).unwrap();
    let Command::Launch(spec) = ready.commands.remove(0) else {
        panic!()
    };
    assert_eq!(spec.program, project.folder().join("build/main"));
    assert_eq!(
        (spec.console, spec.stop_on_entry),
        (Console::Pty, Some(false))
    );
    assert_eq!(spec.env, [("A".to_owned(), Some("1".to_owned()))]);
    assert!(spec.extra.is_empty(), "{:?}", spec.extra);
    let around = spec.around.unwrap();
    let before: Vec<_> = around.before.iter().map(|task| &task.argv[..]).collect();
    let source = project.folder().join("src/main.c");
    assert_eq!(
        before,
        [
            &["/bin/sh", "-c", "mkdir -p build && true"][..],
            &["cc", "-g", &source.to_string_lossy(), "-o", "build/main"][..],
        ]
    );
    assert_eq!(around.before[1].needs, [0]);
    assert_eq!(around.before[1].cwd, project.folder().join("src"));
    assert_eq!(around.before[1].env, [("LANG".to_owned(), "C".to_owned())]);
    assert_eq!(around.after[0].argv[2], "rm -f 'with blank' \\$x");
}

#[test]
fn a_core_dump_or_a_server_is_debugged_in_place_of_a_new_process() {
    let project = Project::new(
        r#"{"configurations": [
            {"name": "dump", "type": "cppdbg", "request": "launch", "program": "bin/prog", "args": ["x"], "stopAtEntry": true,
             "coreDumpPath": "${workspaceFolder}/core.7", "environment": [], "externalConsole": false},
            {"name": "board", "type": "cppdbg", "request": "launch", "program": "bin/prog", "coreDumpPath": "",
             "miDebuggerServerAddress": "board.local:3333"},
            {"name": "wrong", "type": "cppdbg", "request": "launch", "program": "bin/prog", "miDebuggerServerAddress": "board"}
        ]}"#,
    );
    let attach = |name| match project.ready(name).commands.remove(0) {
        Command::Attach(spec) => spec,
        other => panic!("{other:?}"),
    };
    let folder = project.folder();
    let (dump, board) = (attach("dump"), attach("board"));
    assert_eq!(dump.core, Some(folder.join("core.7")));
    assert_eq!(dump.target(), Some(folder.join("core.7").lossy()));
    assert_eq!(board.target().as_deref(), Some("board.local:3333"));
    for spec in [dump, board] {
        assert_eq!(spec.program, Some(folder.join("bin/prog")));
        assert!(spec.extra.is_empty(), "{:?}", spec.extra);
    }
    let why = project.wrong("wrong");
    assert!(
        why.contains("\"miDebuggerServerAddress\" is HOST:PORT, and \"board\" is not"),
        "{why}"
    );
}

#[test]
fn go_tests_node_and_attaching() {
    let project = Project::new(
        r#"{"configurations": [
            {"name": "Go: package", "type": "go", "request": "launch", "mode": "auto", "program": "${fileDirname}"},
            {"name": "Go: file", "type": "go", "request": "launch", "mode": "auto", "program": "${file}", "args": "-test.v"},
            {"name": "Node", "type": "node", "request": "launch", "program": "${workspaceFolder}/dist/app.js", "args": ["a"],
             "skipFiles": ["<node_internals>/**"], "sourceMaps": true, "outFiles": ["${workspaceFolder}/dist/**/*.js"]},
            {"name": "npm", "type": "pwa-node", "request": "launch", "runtimeExecutable": "npm", "runtimeArgs": ["run", "start"]},
            {"name": "to Node", "type": "node", "request": "attach", "port": 9229, "address": "localhost", "restart": true},
            {"name": "to Python", "type": "python", "request": "attach", "connect": {"host": "h", "port": 5678}},
            {"name": "to a process", "type": "lldb-dap", "request": "attach", "pid": "42", "program": "bin/x"}
        ]}"#,
    );
    project.file("pkg/x_test.go", "package x");
    let at = |name: &str| {
        let asked = ConfigurationQuery {
            name: Some(name.to_owned()),
            file: Some("pkg/x_test.go".into()),
            ..ConfigurationQuery::default()
        };
        project.ready_with(&asked).unwrap().commands.remove(0)
    };
    let package = project.folder().join("pkg");
    let Command::Launch(spec) = at("Go: package") else {
        panic!()
    };
    assert_eq!(
        (&spec.program, spec.cwd.as_ref()),
        (&package, Some(&package))
    );
    assert!(
        spec.extra.is_empty(),
        "the adapter's own rules say the mode"
    );
    let Command::Launch(spec) = at("Go: file") else {
        panic!()
    };
    assert_eq!(
        (&spec.program, &spec.args),
        (&package, &vec!["-test.v".to_owned()])
    );
    assert_eq!(spec.extra["mode"], "test");
    let spec = project.launch("Node");
    assert_eq!(spec.adapter.as_deref(), Some("js-debug-adapter"));
    assert_eq!(spec.extra.len(), 3, "{:?}", spec.extra);
    let spec = project.launch("npm");
    assert_eq!(spec.program.as_os_str(), "");
    assert_eq!(spec.extra["runtimeArgs"][1], "start");
    let Command::Attach(spec) = at("to Node") else {
        panic!()
    };
    assert_eq!(
        (spec.port, spec.host.as_deref()),
        (Some(9229), Some("localhost"))
    );
    assert_eq!(spec.extra["restart"], true);
    let Command::Attach(spec) = at("to Python") else {
        panic!()
    };
    assert_eq!((spec.port, spec.host.as_deref()), (Some(5678), Some("h")));
    let Command::Attach(spec) = at("to a process") else {
        panic!()
    };
    assert_eq!(spec.pid, Some(42));
    let program = project.folder().join("bin/x");
    assert_eq!(spec.extra["program"], program.to_string_lossy().as_ref());
}

const TWO: &str = r#"{
    "configurations": [
        {"name": "server", "type": "python", "request": "launch", "program": "s.py", "preLaunchTask": "own"},
        {"name": "client", "type": "python", "request": "launch", "program": "c.py", "args": ["${input:who}", "${input:pick}"],
         "presentation": {"hidden": true}},
        {"name": "secret", "type": "python", "request": "launch", "program": "c.py", "args": ["${input:key}"]}
    ],
    "compounds": [
        {"name": "both", "configurations": ["server", {"name": "client"}], "preLaunchTask": "first", "stopAll": true}
    ],
    "inputs": [
        {"id": "who", "type": "promptString", "description": "Who?", "default": "me"},
        {"id": "pick", "type": "pickString", "options": ["one", {"label": "The second", "value": "two"}], "default": "one"},
        {"id": "key", "type": "promptString", "description": "Key", "password": true}
    ]
}"#;
const TASKS: &str = r#"{"tasks": [
    {"label": "first", "command": "true"}, {"label": "own", "command": "true"},
    {"label": "watch", "command": "tsc -w", "isBackground": true,
     "problemMatcher": {"background": {"beginsPattern": "x", "endsPattern": "Watching for"}}}
]}"#;

#[test]
fn a_compound_starts_its_members_as_one() {
    let project = Project::new(TWO);
    project.file(".vscode/tasks.json", TASKS);
    let ready = project.ready("both");
    let around: Vec<_> = ready
        .commands
        .iter()
        .map(|command| match command {
            Command::Launch(spec) => spec.around.clone().unwrap(),
            other => panic!("{other:?}"),
        })
        .collect();
    let labels =
        |at: usize| -> Vec<_> { around[at].before.iter().map(|t| t.label.as_str()).collect() };
    assert_eq!((labels(0), labels(1)), (vec!["own"], vec![]));
    let first = &around[0].together.as_ref().unwrap().before;
    assert_eq!(first[0].label, "first");
    assert_eq!(around[0].together, around[1].together);
    assert!(around[0].together.as_ref().unwrap().stop_all);
    let names: Vec<_> = list(&project.context()).unwrap();
    let names: Vec<_> = names
        .iter()
        .map(|one| (one.name.as_str(), one.what.as_str()))
        .collect();
    assert_eq!(
        names,
        [
            ("both", "server + client"),
            ("server", "launch python"),
            ("secret", "launch python")
        ]
    );
}

/// Which tasks wait for which: all that one depends on is run at once, unless it says that there is an order.
#[test]
fn tasks_wait_for_what_they_depend_on() {
    let project = Project::new(
        r#"{"configurations": [{"name": "x", "type": "python", "request": "launch", "program": "s.py", "preLaunchTask": "all"}]}"#,
    );
    let planned = |order: &str| -> Vec<(String, Vec<usize>)> {
        let tasks = format!(
            r#"{{"tasks": [
                {{"label": "all", "dependsOn": ["left", "right"] {order}}},
                {{"label": "left", "command": "l", "dependsOn": ["base", "other"]}},
                {{"label": "right", "command": "r", "dependsOn": "base"}},
                {{"label": "base", "command": "b"}}, {{"label": "other", "command": "o"}}
            ]}}"#
        );
        project.file(".vscode/tasks.json", &tasks);
        let command = project.ready("x").commands.remove(0);
        let Command::Launch(spec) = command else {
            panic!("{command:?}")
        };
        let before = spec.around.unwrap().before.into_iter();
        before.map(|task| (task.label, task.needs)).collect()
    };
    let expect =
        |rows: [(&str, &[usize]); 4]| rows.map(|(label, needs)| (label.to_owned(), needs.to_vec()));
    assert_eq!(
        planned(""),
        expect([
            ("base", &[]),
            ("other", &[]),
            ("left", &[0, 1]),
            ("right", &[0])
        ])
    );
    assert_eq!(
        planned(r#", "dependsOrder": "sequence""#),
        expect([
            ("base", &[]),
            ("other", &[]),
            ("left", &[0, 1]),
            ("right", &[0, 2])
        ])
    );
}

#[test]
fn values_are_asked_for_and_checked() {
    let project = Project::new(TWO);
    let with = |inputs: &[(&str, &str)], name: &str| {
        let inputs = inputs.iter();
        project.ready_with(&ConfigurationQuery {
            name: Some(name.to_owned()),
            inputs: inputs
                .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
                .collect(),
            ..ConfigurationQuery::default()
        })
    };
    let args = |ready: Ready| match &ready.commands[0] {
        Command::Launch(spec) => spec.args.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(args(with(&[], "client").unwrap()), ["me", "one"]);
    assert_eq!(
        args(with(&[("pick", "two")], "client").unwrap()),
        ["me", "two"]
    );
    let error = with(&[("pick", "three")], "client")
        .unwrap_err()
        .to_string();
    assert!(error.contains("\"three\": there are one, two"), "{error}");
    let error = with(&[("pikc", "x")], "client").unwrap_err().to_string();
    assert!(error.contains("\"pikc\"; did you mean pick?"), "{error}");
    let error = with(&[], "secret").unwrap_err().to_string();
    assert!(error.contains("--input key=VALUE   Key"), "{error}");
    let asked = ConfigurationQuery {
        name: Some("client".to_owned()),
        ..ConfigurationQuery::default()
    };
    let Prepared::Inputs(inputs) = prepare(&project.context(), &asked).unwrap() else {
        panic!()
    };
    assert_eq!(inputs.len(), 2);
    assert_eq!(
        inputs[1].kind,
        InputKind::Pick(vec![
            ("one".to_owned(), "one".to_owned()),
            ("The second".to_owned(), "two".to_owned())
        ])
    );
}

#[test]
fn nothing_is_started_before_somebody_trusts_both_files() {
    let project = Project::new(TWO);
    project.file(".vscode/tasks.json", TASKS);
    let asked = ConfigurationQuery {
        name: Some("server".to_owned()),
        ..ConfigurationQuery::default()
    };
    let context = project.context();
    let Prepared::Untrusted(files) = prepare(&context, &asked).unwrap() else {
        panic!()
    };
    let shown: Vec<_> = files
        .iter()
        .map(|file| {
            (
                file.path.file_name().unwrap().to_str().unwrap(),
                &file.commands[0],
            )
        })
        .collect();
    assert_eq!(
        (shown[0].0, shown[0].1.name.as_str()),
        ("launch.json", "server (debugpy)")
    );
    assert_eq!(
        shown[0].1.argv,
        [project.folder().join("s.py").to_string_lossy()]
    );
    assert_eq!(shown[1].1.argv, ["/bin/sh", "-c", "true"]);
    let denied = prepare_unasked(&context, &asked, false).unwrap_err();
    assert!(denied.kind == ErrorKind::Denied && denied.to_string().contains("--trust"));
    trust::grant(&context, &files[0]).unwrap();
    let Prepared::Untrusted(rest) = prepare(&context, &asked).unwrap() else {
        panic!()
    };
    assert_eq!(rest.len(), 1, "the tasks' file is still not trusted");
    trust::grant(&context, &rest[0]).unwrap();
    assert!(matches!(
        prepare(&context, &asked).unwrap(),
        Prepared::Ready(_)
    ));
    // One letter more, and it is another file.
    project.file(".vscode/launch.json", &format!("{TWO} "));
    assert!(matches!(
        prepare(&context, &asked).unwrap(),
        Prepared::Untrusted(_)
    ));
}

#[test]
fn a_configuration_in_a_dap_json_is_one_too() {
    let project = Project::new("{}");
    project.file(
        "dap.json",
        r#"{ "adapters": {}, /* both */ "configurations": [{"name": "x", "type": "bash", "request": "launch", "program": "a.sh"}] }"#,
    );
    let asked = ConfigurationQuery::default();
    let ready = project.ready_with(&asked).unwrap();
    assert_eq!(ready.name, "x");
}

#[test]
fn what_is_wrong_is_said_with_file_and_line() {
    let one = |body: &str| {
        format!(
            "{{\"configurations\": [\n{{\"name\": \"x\", \"type\": \"go\", \"request\": \"launch\",\n{body}}}]}}"
        )
    };
    let says = |launch: &str, tasks: Option<&str>, sentence: &str| {
        let project = Project::new(launch);
        if let Some(tasks) = tasks {
            project.file(".vscode/tasks.json", tasks);
        }
        let error = project.wrong("x");
        assert!(error.contains(sentence), "{error}");
    };
    says(
        "{\"configurations\": [\n1 2]}",
        None,
        ".vscode/launch.json:2: column 3: a comma or ]",
    );
    says("{}", None, "there is no debug configuration in");
    says(
        &one("\"program\": \"${workspaceFoldr}\""),
        None,
        ":3: there is no variable ${workspaceFoldr}; did you mean workspaceFolder",
    );
    says(
        &one("\"program\": \"${file}\""),
        None,
        ":3: ${file} needs a file",
    );
    says(
        &one("\"program\": \"${command:pickProcess}\""),
        None,
        ":3: ${command:pickProcess} is a command of an editor",
    );
    says(&one("\"program\": \"${config:a.b}\""), None, "add it there");
    says(
        &one("\"program\": \"${input:y}\""),
        None,
        ":3: ${input:y} is defined nowhere",
    );
    says(
        &one("\"program\": 7"),
        None,
        ":3: \"program\" is a text, not a number",
    );
    says(&one("\"envFile\": \"no.env\""), None, ":3: the envFile");
    says(
        &one("\"preLaunchTask\": \"b\""),
        None,
        ":3: there is no task \"b\" in .vscode/tasks.json; it has none",
    );
    says(
        &one("\"preLaunchTask\": \"a\""),
        Some(
            "{\"tasks\": [\n{\"label\": \"a\", \"dependsOn\": \"b\"},\n{\"label\": \"b\", \"dependsOn\": [\"a\"]}]}",
        ),
        ".vscode/tasks.json:3: tasks wait for each other: a -> b -> a",
    );
    says(
        &one("\"preLaunchTask\": \"a\""),
        Some(
            "{\"tasks\": [{\"label\": \"a\", \"command\": \"x\", \"dependsOn\": \"b\", \n\"dependsOrder\": \"random\"}]}",
        ),
        ".vscode/tasks.json:2: a dependsOrder is \"parallel\" or \"sequence\", not \"random\"",
    );
    says(
        &one("\"preLaunchTask\": \"a\""),
        Some("{\"tasks\": [{\"label\": \"a\", \"type\": \"gulp\", \"command\": \"x\"}]}"),
        "of type \"gulp\", which only an editor's extension can run",
    );
    says(
        "{\"configurations\": [{\"name\": \"x\", \"type\": \"lldb\", \"request\": \"launch\", \"cargo\": {}}]}",
        None,
        "build the program with a preLaunchTask",
    );
    says(
        "{\"configurations\": [{\"name\": \"x\", \"type\": \"pyhton\", \"request\": \"launch\"}]}",
        None,
        "no adapter is known for the type \"pyhton\"; did you mean python",
    );
    says(
        "{\"configurations\": [], \"compounds\": [{\"name\": \"x\", \"configurations\": [\"y\"]}]}",
        None,
        "names \"y\", which is no configuration here",
    );
    says(
        "{\"compounds\": [{\"name\": \"x\", \"configurations\": [\"x\"]}]}",
        None,
        "names the compound \"x\"",
    );
}

#[test]
fn settings_and_files_are_filled_in() {
    let project = Project::new(
        r#"{"configurations": [{"name": "x", "type": "python", "request": "launch", "program": "${relativeFile}",
            "args": ["${config:shop.mode}", "${config:deep.er}", "${fileExtname}", "${relativeFileDirname}", "${lineNumber}", "${a", "${userHome}"]}]}"#,
    );
    project.file(
        ".vscode/settings.json",
        "{ // mine\n \"shop.mode\": \"fast\", \"deep\": {\"er\": 3} }",
    );
    let asked = ConfigurationQuery {
        name: Some("x".to_owned()),
        file: Some("a/b.py".into()),
        line: Some(7),
        ..ConfigurationQuery::default()
    };
    let ready = project.ready_with(&asked).unwrap();
    let Command::Launch(spec) = &ready.commands[0] else {
        panic!()
    };
    assert_eq!(spec.program, project.folder().join("a/b.py"));
    assert_eq!(
        spec.args,
        ["fast", "3", ".py", "a", "7", "${a", "/home/somebody"]
    );
}
