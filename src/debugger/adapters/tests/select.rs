use super::*;
use crate::error::ErrorKind;
use dap::client::Address;

fn name(found: Result<Resolved, AdapterError>) -> String {
    match found {
        Ok(found) => found.adapter.name.clone(),
        Err(error) => format!("error: {error}"),
    }
}

/// A machine with everything installed.
fn full() -> Machine {
    let machine = Machine::new();
    machine.prints("bin/gdb", "GNU gdb (GDB) 18.1");
    machine.python("home/.local/share/omp-debug/adapters/debugpy", "debugpy");
    machine.python("home/.local/share/omp-debug/adapters/bash-dap", "bash_dap");
    for tool in ["lldb-dap", "codelldb", "dlv", "js-debug-adapter", "rdbg"] {
        machine.executable(&format!("bin/{tool}"), "");
    }
    machine
}

#[test]
fn a_program_finds_its_adapter() {
    let machine = full();
    let debug: (&str, &[u8]) = (".debug_info", b"x");
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        ("a.py", b"print()".to_vec(), "debugpy"),
        ("tool", b"#!/usr/bin/env python3\n".to_vec(), "debugpy"),
        (
            "tool2",
            b"#!/usr/bin/env -S python3.11 -u\n".to_vec(),
            "debugpy",
        ),
        ("run.sh", b"echo".to_vec(), "bash-dap"),
        ("run", b"#!/bin/bash\n".to_vec(), "bash-dap"),
        ("a.mjs", b"1".to_vec(), "js-debug-adapter"),
        ("a.rb", b"1".to_vec(), "rdbg"),
        ("main.go", b"package main".to_vec(), "dlv"),
        ("c", elf(&[debug]), "gdb"),
        (
            "rs",
            elf(&[debug, (".comment", b"rustc version 1.95.0")]),
            "gdb",
        ),
        ("go", elf(&[debug, (".go.buildinfo", b"x")]), "dlv"),
        // What the file is beats what it is called.
        ("odd.py", elf(&[debug]), "gdb"),
    ];
    for (file, content, expected) in cases {
        let program = machine.executable(&format!("project/{file}"), content);
        assert_eq!(name(machine.launch(&program)), expected, "{file}");
    }
}

#[test]
fn a_project_of_another_language_does_not_take_an_executable() {
    let machine = full();
    machine.file("project/package.json", "{}");
    machine.file("project/go.mod", "module m");
    let program = machine.executable("project/c", elf(&[]));
    assert_eq!(name(machine.launch(&program)), "gdb");
}

#[test]
fn the_next_native_debugger_stands_in_when_the_first_is_too_old() {
    let machine = full();
    machine.prints("bin/gdb", "GNU gdb (Debian 13.1-3) 13.1");
    let program = machine.executable("project/c", elf(&[]));
    assert_eq!(name(machine.launch(&program)), "lldb-dap");
}

#[test]
fn a_missing_adapter_is_an_error_and_never_another_debugger() {
    let machine = full();
    std::fs::remove_file(machine.path("bin/dlv")).unwrap();
    let program = machine.file("project/main.go", "package main");
    let error = machine.launch(&program).unwrap_err();
    assert!(error.to_string().contains("dlv"), "{error}");
    assert_eq!(
        error.hint.as_deref(),
        Some("omp-debug adapters install dlv")
    );
}

#[test]
fn with_nothing_installed_the_error_says_so() {
    let machine = Machine::new();
    let program = machine.executable("project/c", elf(&[]));
    let error = machine.launch(&program).unwrap_err();
    assert_eq!(
        error.to_string(),
        "No debugger adapter available. Installed adapters: none"
    );
    assert_eq!(
        error.hint.as_deref(),
        Some("omp-debug adapters install gdb")
    );
}

#[test]
fn directories_are_for_adapters_that_take_them() {
    let machine = full();
    machine.file("project/go.mod", "module m");
    assert_eq!(name(machine.launch(&machine.path("project"))), "dlv");

    let cargo = Machine::new();
    cargo.executable("bin/lldb-dap", "");
    cargo.file("project/Cargo.toml", "");
    let built = cargo.executable("project/target/debug/prog", elf(&[]));
    let error = cargo.launch(&cargo.path("project")).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Program, "{error}");
    assert!(
        error
            .hint
            .as_ref()
            .unwrap()
            .contains(built.to_str().unwrap()),
        "{error:?}"
    );
}

#[test]
fn an_explicit_name_is_that_adapter_or_an_error() {
    let machine = full();
    let program = machine.executable("project/c", elf(&[]));
    let target = Target::Launch { program };
    let context = machine.context();
    let chosen = select(&table(), &context, &target, Some("lldb"));
    assert_eq!(name(chosen), "lldb-dap");
    let missing = select(&table(), &context, &target, Some("netcoredbg"));
    assert!(missing.unwrap_err().tried.is_some());
}

#[test]
fn attaching() {
    let machine = full();
    let context = machine.context();
    let at = |target: &Target| select(&table(), &context, target, None);
    let port = at(&Target::AttachPort {
        host: "127.0.0.1".to_owned(),
        port: 1,
    })
    .unwrap();
    assert_eq!(port.adapter.name, "debugpy");
    assert_eq!(
        port.connect,
        ConnectMode::At(Address::Port("127.0.0.1".to_owned(), 1))
    );
    assert!(port.argv.is_empty());
    // This test is a Rust executable.
    assert_eq!(name(at(&Target::AttachPid(std::process::id()))), "gdb");
    let nothing = at(&Target::AttachConfigured);
    assert_eq!(nothing.unwrap_err().kind, ErrorKind::Usage);
    let core = Target::Core {
        core: "core".into(),
        program: None,
    };
    assert_eq!(name(at(&core)), "gdb");
}

#[test]
fn programs_that_cannot_be_debugged_are_told_apart() {
    let machine = full();
    let table = table();
    let (gdb, python) = (table.get("gdb").unwrap(), table.get("debugpy").unwrap());
    let missing = check_program(&machine.path("project/Prog.py"), python).unwrap_err();
    assert!(
        missing.to_string().starts_with("there is no file"),
        "{missing}"
    );
    machine.file("project/prog.py", "");
    let missing = check_program(&machine.path("project/Prog.py"), python).unwrap_err();
    assert!(missing.to_string().contains("did you mean"), "{missing}");
    let locked = machine.file("project/locked", elf(&[]));
    let error = check_program(&locked, gdb).unwrap_err();
    assert!(error.to_string().contains("chmod +x"), "{error}");
    let source = machine.file("project/a.c", "int main(){}");
    let error = check_program(&source, gdb).unwrap_err();
    assert!(error.to_string().contains("build it"), "{error}");
    let script = machine.executable("project/s", "#!/usr/bin/perl\n");
    let error = check_program(&script, gdb).unwrap_err();
    assert!(error.to_string().contains("perl"), "{error}");
    let error = check_program(&machine.path("project"), gdb).unwrap_err();
    assert!(error.to_string().contains("is a directory"), "{error}");
    let stripped = machine.executable("project/stripped", elf(&[]));
    let facts = check_program(&stripped, gdb).unwrap();
    assert!(
        facts.warnings[0].contains("no debug information"),
        "{facts:?}"
    );
}
