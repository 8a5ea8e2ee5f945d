use serde_json::json;

use super::*;

fn resolved(machine: &Machine, name: &str) -> Result<Resolved, AdapterError> {
    resolve(table().get(name).unwrap(), &machine.context())
}

#[test]
fn an_old_gdb_is_passed_over_and_named() {
    let machine = Machine::new();
    let old = machine.prints("bin/gdb", "GNU gdb (Debian 13.1-3) 13.1");
    let error = resolved(&machine, "gdb").unwrap_err();
    let text = error.to_string();
    assert!(text.contains(&old.display().to_string()), "{text}");
    assert!(text.contains("13.1") && text.contains("14"), "{text}");
    assert_eq!(
        error.hint.as_deref(),
        Some("omp-debug adapters install gdb")
    );
    // One of the project is not run to ask it.
    let planted = machine.prints("project/tools/gdb", "GNU gdb (GDB) 19.1");
    let new = machine.prints("tools/gdb", "GNU gdb (GDB) 18.1");
    let mut machine = machine;
    let folders = [&old, &planted, &new].map(|file| file.parent().unwrap().to_owned());
    let path = std::env::join_paths(folders).unwrap();
    machine
        .env
        .insert("PATH".to_owned(), path.into_string().unwrap());
    assert_eq!(
        resolved(&machine, "gdb").unwrap().argv[0],
        new.to_string_lossy()
    );
    // Where there is no other, it is what a program of the project is started with.
    std::fs::remove_file(&new).unwrap();
    let only = resolved(&machine, "gdb").unwrap();
    assert_eq!(only.argv[0], planted.to_string_lossy());
}

#[test]
fn what_makes_values_readable_is_missed_where_it_is_not_here() {
    let machine = Machine::new();
    let adapter = table().get("gdb").unwrap().clone();
    let facts = ProgramFacts {
        languages: vec!["rust".to_owned()],
        ..ProgramFacts::default()
    };
    let (mut argv, mut arguments) = (Vec::new(), json!({}));
    let mut add = || {
        let context = machine.context();
        add_support(&adapter, &facts, &context, &mut argv, &mut arguments)
    };
    let missed = add();
    assert_eq!(
        missed.len(),
        1,
        "the library's sources are a matter of taste"
    );
    assert!(missed[0].starts_with("gdb shows rust values raw: `rustc"));
    machine.prints("bin/rustc", &machine.path("").to_string_lossy());
    machine.file("lib/rustlib/etc/gdb_lookup.py", "");
    assert_eq!(add(), Vec::<String>::new());
    assert!(argv.iter().any(|word| word.ends_with("lib/rustlib/etc")));
}

#[test]
fn the_newest_of_versioned_names_is_taken() {
    let machine = Machine::new();
    machine.executable("bin/lldb-dap-14", "");
    let newest = machine.executable("bin/lldb-dap-19", "");
    machine.executable("bin/lldb-vscode", "");
    assert_eq!(
        resolved(&machine, "lldb-dap").unwrap().argv,
        [newest.to_string_lossy()]
    );
}

#[test]
fn places_are_tried_in_order() {
    let machine = Machine::new();
    let on_path = machine.executable("bin/debugpy-adapter", "");
    let found = resolved(&machine, "debugpy").unwrap();
    assert_eq!(
        (found.place, found.argv[0].as_str()),
        (SearchPlace::Path, on_path.to_str().unwrap())
    );

    let managed = machine.python("home/.local/share/omp-debug/adapters/debugpy", "debugpy");
    let found = resolved(&machine, "debugpy").unwrap();
    assert_eq!(
        (found.place, found.argv[0].as_str()),
        (SearchPlace::Managed, managed.to_str().unwrap())
    );

    let project = machine.python("project/.venv", "debugpy");
    let found = resolved(&machine, "debugpy").unwrap();
    assert_eq!(
        (found.place, found.argv[0].as_str()),
        (SearchPlace::Project, project.to_str().unwrap())
    );
}

#[test]
fn a_virtual_environment_without_the_module_is_not_started_to_ask() {
    let machine = Machine::new();
    machine.python("project/.venv", "requests");
    let error = resolved(&machine, "debugpy").unwrap_err();
    assert!(
        error.to_string().contains("has no module debugpy"),
        "{error}"
    );
}

#[test]
fn acceleration_can_be_switched_off() {
    let mut machine = Machine::new();
    let python = machine.python("project/.venv", "debugpy");
    let found = resolved(&machine, "debugpy").unwrap();
    let plain = [python.to_str().unwrap(), "-I", "-m", "debugpy.adapter"];
    assert_eq!(found.plain_argv.as_deref().unwrap(), plain);
    assert!(found.argv[3].contains("TCP_QUICKACK"), "{:?}", found.argv);
    machine.env.insert(PLAIN_ADAPTER.to_owned(), "1".to_owned());
    let found = resolved(&machine, "debugpy").unwrap();
    assert_eq!(found.plain_argv, None);
    assert_eq!(found.argv, plain);
}

#[test]
fn the_way_of_talking_can_be_asked_for() {
    let mut machine = Machine::new();
    machine.executable("bin/dlv", "");
    let found = resolved(&machine, "dlv").unwrap();
    assert_eq!(found.connect, ConnectMode::Tcp);
    assert_eq!(found.argv[1..], ["dap", "--listen=127.0.0.1:${port}"]);
    machine
        .env
        .insert(CONNECT.to_owned(), "connect_back".to_owned());
    let found = resolved(&machine, "dlv").unwrap();
    assert_eq!(
        (found.connect, &found.argv[1..]),
        (ConnectMode::ConnectBack, &["dap".to_owned()][..])
    );
}

#[test]
fn a_script_needs_its_runtime() {
    let machine = Machine::new();
    let script = machine.file(
        "home/.local/share/nvim/mason/packages/js-debug-adapter/js-debug/src/dapDebugServer.js",
        "",
    );
    let error = resolved(&machine, "js-debug-adapter").unwrap_err();
    assert!(
        error.to_string().contains("node or bun is not on PATH"),
        "{error}"
    );
    let node = machine.executable("bin/node", "");
    let found = resolved(&machine, "js-debug-adapter").unwrap();
    assert_eq!(
        found.argv,
        [
            node.to_str().unwrap(),
            script.to_str().unwrap(),
            "${socket}"
        ]
    );
}

#[test]
fn the_greatest_version_of_a_well_known_place_is_taken() {
    let machine = Machine::new();
    for version in ["9.0.0", "10.1.0"] {
        machine.executable(
            &format!("home/.vscode/extensions/vadimcn.vscode-lldb-{version}/adapter/codelldb"),
            "",
        );
    }
    let found = resolved(&machine, "codelldb").unwrap();
    assert!(found.argv[0].contains("10.1.0"), "{:?}", found.argv);
    assert_eq!(found.place, SearchPlace::WellKnown);
}

#[test]
fn relative_entries_of_path_name_no_program() {
    let mut machine = Machine::new();
    machine.executable("project/lldb-dap", "");
    machine
        .env
        .insert("PATH".to_owned(), ".:project".to_owned());
    assert!(resolved(&machine, "lldb-dap").is_err());
}

#[test]
fn an_adapter_started_on_its_program_gets_it_on_the_command_line() {
    let machine = Machine::new();
    machine.executable("bin/rdbg", "");
    let found = resolved(&machine, "rdbg").unwrap();
    let argv = found.command_line(
        false,
        Path::new("/a b.rb"),
        &["x".to_owned(), "y z".to_owned()],
    );
    assert_eq!(argv[argv.len() - 3..], ["/a b.rb", "x", "y z"]);
    assert_eq!(
        found.adapter.personality.launch.request,
        StartRequest::Launch
    );
}

#[test]
fn the_launcher_runs_a_module_with_prompt_sockets_and_without_the_projects_files() {
    let machine = Machine::new();
    machine.file(
        "project/socket.py",
        "raise SystemExit('taken from the project')",
    );
    machine.file(
        "modules/probe/__main__.py",
        "import socket, sys\n\
         left, right = socket.socketpair()\n\
         left.sendall(b'ok')\n\
         server = socket.create_server(('127.0.0.1', 0))\n\
         client = socket.create_connection(server.getsockname())\n\
         accepted, _ = server.accept()\n\
         nodelay = accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) != 0\n\
         client.sendall(b'hi')\n\
         print(sys.argv[1:], right.recv(2), accepted.recv(2), nodelay, __name__)\n",
    );
    machine.file("modules/probe/__init__.py", "");
    machine.python("project/.venv", "debugpy");
    let launcher = &resolved(&machine, "debugpy").unwrap().argv[3];
    let output = std::process::Command::new("python3")
        .args(["-c", launcher, "probe", "--flag"])
        .current_dir(machine.path("project"))
        .env("PYTHONPATH", machine.path("modules"))
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(
        text.trim(),
        "['--flag'] b'ok' b'hi' True __main__",
        "{errors}"
    );
}
