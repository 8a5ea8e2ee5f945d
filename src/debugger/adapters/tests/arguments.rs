use super::*;
use crate::command::AttachSpec;
use serde_json::{Value, json};

fn ready(machine: &Machine, name: &str) -> Resolved {
    let adapter = Table::builtin().get(name).unwrap();
    let mut found = Resolved::remote(adapter, &machine.context(), "127.0.0.1", 1);
    found.connect = adapter.connect.clone();
    found
}

fn request(machine: &Machine, program: &Path) -> LaunchRequest {
    LaunchRequest {
        program: program.to_owned(),
        args: vec!["a b".to_owned()],
        cwd: machine.path("project"),
        ..LaunchRequest::default()
    }
}

#[test]
fn an_environment_takes_each_adapters_form() {
    let machine = Machine::new();
    let program = machine.executable("project/c", elf(&[]));
    let mut launch = request(&machine, &program);
    launch.env = BTreeMap::from([
        ("X".to_owned(), Some("1".to_owned())),
        ("HOME".to_owned(), None),
    ]);
    let env =
        |name: &str| launch_arguments(&ready(&machine, name), &launch).unwrap()["env"].clone();
    assert_eq!(env("lldb-dap"), json!(["X=1"]));
    assert_eq!(env("debugpy"), json!({"X": "1", "HOME": null}));
    // The whole environment, less what is unset.
    let path = machine.path("bin");
    assert_eq!(
        env("gdb"),
        json!({"X": "1", "PATH": path.to_str().unwrap()})
    );
    // It can only be inherited.
    assert_eq!(env("rdbg"), Value::Null);
    let inherited = adapter_env(&ready(&machine, "rdbg"), &launch);
    assert_eq!(inherited[1], ("X".to_owned(), Some("1".to_owned())));
    assert_eq!(adapter_env(&ready(&machine, "gdb"), &launch), []);
}

#[test]
fn stopping_at_entry_is_said_or_left_to_a_breakpoint() {
    let machine = Machine::new();
    let rust = elf(&[
        (".comment", b"rustc version 1.95"),
        (".strtab", b"\0_ZN4prog4main17h0123456789abcdefE\0"),
    ]);
    let program = machine.executable("project/c", rust);
    let mut launch = request(&machine, &program);
    launch.stop_on_entry = true;
    let facts = inspect(&program);
    let gdb = ready(&machine, "gdb");
    let arguments = launch_arguments(&gdb, &launch).unwrap();
    assert_eq!(arguments["stopAtBeginningOfMainSubprogram"], json!(true));
    assert_eq!(entry_function(&gdb, &facts), None);
    let lldb = ready(&machine, "lldb-dap");
    let arguments = launch_arguments(&lldb, &launch).unwrap();
    assert_eq!(arguments["stopOnEntry"], json!(false));
    assert_eq!(entry_function(&lldb, &facts), Some("prog::main"));
}

#[test]
fn the_mode_follows_from_the_program() {
    let machine = Machine::new();
    let go = ready(&machine, "dlv");
    let mode = |program: &Path| {
        launch_arguments(&go, &request(&machine, program)).unwrap()["mode"].clone()
    };
    assert_eq!(mode(&machine.path("project")), json!("debug"));
    assert_eq!(mode(&machine.file("project/a.go", "")), json!("debug"));
    assert_eq!(mode(&machine.executable("project/prog", "")), json!("exec"));
    assert_eq!(mode(&machine.path("project/none")), json!("debug"));
    let built = launch_arguments(&go, &request(&machine, &machine.path("project/a.go"))).unwrap();
    assert_eq!(
        built["dlvCwd"],
        json!(machine.path("project").to_str().unwrap())
    );
}

#[test]
fn a_program_runs_under_its_projects_interpreter() {
    let machine = Machine::new();
    let program = machine.file("project/src/a.py", "");
    let adapter = ready(&machine, "debugpy");
    let python = |program: &Path| {
        launch_arguments(&adapter, &request(&machine, program)).unwrap()["python"].clone()
    };
    assert_eq!(python(&program), Value::Null);
    let on_path = machine.executable("bin/python3", "");
    assert_eq!(python(&program), json!([on_path.to_str().unwrap()]));
    let venv = machine.python("project/.venv", "requests");
    assert_eq!(python(&program), json!([venv.to_str().unwrap()]));
    let named = machine.executable("opt/python3.9", "");
    let script = machine.file("project/b.py", format!("#!{}\n", named.display()));
    assert_eq!(python(&script), json!([named.to_str().unwrap()]));
}

#[test]
fn extra_arguments_win_and_missing_abilities_are_said() {
    let machine = Machine::new();
    let program = machine.executable("project/c", elf(&[]));
    let mut launch = request(&machine, &program);
    launch.extra.insert("cwd".to_owned(), json!("/else"));
    launch.console = crate::command::Console::Pty;
    let lldb = ready(&machine, "lldb-dap");
    let arguments = launch_arguments(&lldb, &launch).unwrap();
    assert_eq!(arguments["cwd"], json!("/else"));
    assert_eq!(arguments["runInTerminal"], json!(true));
    assert_eq!(arguments["args"], json!(["a b"]));
    launch.stdin = Some("in.txt".into());
    let error = launch_arguments(&lldb, &launch).unwrap_err();
    assert_eq!(error.to_string(), "lldb-dap cannot read stdin from a file");
    let codelldb = ready(&machine, "codelldb");
    let error = launch_arguments(&codelldb, &launch).unwrap_err();
    assert_eq!(error.to_string(), "codelldb cannot read stdin from a file");
    launch.stdin = None;
    let arguments = launch_arguments(&codelldb, &launch).unwrap();
    assert_eq!(arguments["terminal"], json!("console"));
}

#[test]
fn an_attach_is_spelled_for_each_adapter() {
    let machine = Machine::new();
    let by_pid = AttachSpec {
        pid: Some(7),
        cwd: Some(machine.path("project")),
        ..AttachSpec::default()
    };
    let pid = |name: &str| attach_arguments(&ready(&machine, name), &by_pid, true, &[]).unwrap();
    assert_eq!(pid("gdb")["pid"], json!(7));
    assert_eq!(pid("debugpy")["processId"], json!(7));
    assert_eq!(pid("js-debug-adapter")["processId"], json!("7"));
    assert_eq!(pid("dlv")["mode"], json!("local"));
    // LLDB lets a process run on unless it is asked not to.
    let to_stay = AttachSpec {
        stay: true,
        ..by_pid.clone()
    };
    let lldb = ready(&machine, "lldb-dap");
    for (spec, stays) in [(&by_pid, None), (&to_stay, Some(&json!(true)))] {
        let arguments = attach_arguments(&lldb, spec, true, &[]).unwrap();
        assert_eq!(arguments.get("stopOnEntry"), stays);
    }
    let by_port = AttachSpec {
        port: Some(9),
        ..by_pid.clone()
    };
    let by_port = AttachSpec {
        pid: None,
        ..by_port
    };
    let port = |name: &str| attach_arguments(&ready(&machine, name), &by_port, true, &[]).unwrap();
    assert_eq!(port("gdb")["target"], json!("127.0.0.1:9"));
    assert_eq!(
        port("lldb-dap")["attachCommands"],
        json!([
            "script lldb.debugger.SetAsync(False)",
            "gdb-remote 127.0.0.1:9",
            "script lldb.debugger.SetAsync(True)"
        ])
    );
    assert_eq!(port("dlv")["mode"], json!("remote"));
    assert_eq!(port("debugpy").get("port"), None);
    let core = AttachSpec {
        core: Some("core".into()),
        program: Some("prog".into()),
        ..AttachSpec::default()
    };
    let go = ready(&machine, "dlv");
    assert_eq!(attach_command(&go, &core), Some(StartRequest::Launch));
    let arguments = attach_arguments(&go, &core, true, &[]).unwrap();
    assert_eq!(
        (&arguments["mode"], &arguments["request"]),
        (&json!("core"), &json!("launch"))
    );
    // A debugger's own command opens it, wherever it lies.
    let codelldb = ready(&machine, "codelldb");
    let core = AttachSpec {
        core: Some("/a b/core".into()),
        ..core
    };
    assert_eq!(attach_command(&codelldb, &core), Some(StartRequest::Launch));
    let arguments = attach_arguments(&codelldb, &core, true, &[]).unwrap();
    let opens = json!([r#"target create --core "/a b/core""#]);
    assert_eq!(arguments["targetCreateCommands"], opens);
    assert_eq!(
        attach_command(&codelldb, &by_port),
        Some(StartRequest::Launch)
    );
    let error = attach_arguments(&ready(&machine, "debugpy"), &core, true, &[]).unwrap_err();
    assert_eq!(error.to_string(), "debugpy cannot open a core file");
}

#[test]
fn net_and_python_are_spelled_as_their_adapters_say() {
    let machine = Machine::new();
    let program = machine.file("project/bin/Shop.dll", "");
    let mut launch = request(&machine, &program);
    launch.stop_on_entry = true;
    launch.env = BTreeMap::from([("K".to_owned(), Some("v".to_owned()))]);
    launch.path_mappings = vec![PathMapping {
        local: "/here".to_owned(),
        remote: "/app".to_owned(),
    }];
    let net = launch_arguments(&ready(&machine, "coreclr"), &launch).unwrap();
    let folder = machine.path("project");
    assert_eq!(
        net,
        json!({"name": ".NET", "type": "coreclr", "request": "launch", "program": program, "args": ["a b"],
            "cwd": folder, "env": {"K": "v"}, "stopAtEntry": true, "console": "internalConsole"})
    );
    let by_pid = AttachSpec {
        pid: Some(7),
        ..AttachSpec::default()
    };
    let net = attach_arguments(&ready(&machine, "coreclr"), &by_pid, true, &[]).unwrap();
    assert_eq!(
        (&net["request"], &net["processId"]),
        (&json!("attach"), &json!(7))
    );
    let python = launch_arguments(&ready(&machine, "python"), &launch).unwrap();
    assert_eq!(
        (&python["stopOnEntry"], &python["justMyCode"]),
        (&json!(true), &json!(true))
    );
    assert_eq!(
        python["pathMappings"],
        json!([{"localRoot": "/here", "remoteRoot": "/app"}])
    );
}

#[test]
fn a_helper_that_is_missing_or_does_harm_is_refused() {
    let machine = Machine::new();
    let debugpy = ready(&machine, "debugpy");
    let path = |context: &Context| attach_env(&debugpy, Table::builtin(), context);
    let processor = std::fs::read_to_string("/proc/cpuinfo").unwrap();
    let refused = path(&machine.context()).unwrap_err();
    let begins = "debugpy comes into a running program by gdb: ";
    assert!(refused.what.starts_with(begins), "{}", refused.what);
    machine.prints("bin/gdb", "GNU gdb (GDB) 13.1");
    match path(&machine.context()) {
        Ok(path) => {
            assert!(path.is_none() && !processor.contains(" amx_tile "));
        }
        Err(refused) => {
            assert!(processor.contains(" amx_tile "));
            assert!(refused.what.contains("is version 13.1"), "{}", refused.what);
        }
    }
    let newer = Machine::new();
    newer.prints("bin/gdb", "GNU gdb (GDB) 14.2");
    let (name, path) = path(&newer.context()).unwrap().unwrap();
    assert_eq!(name, "PATH");
    assert!(
        path.unwrap()
            .starts_with(newer.path("bin").to_str().unwrap())
    );
}
