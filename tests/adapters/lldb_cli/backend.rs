//! Which of LLDB's two ways is used: option, variable, what is here.

use std::process::Command;

use omp_debug::debugger::adapters::{Backend, ConnectMode, Context, Table, Target, select};

use crate::support::core::Home;
use crate::support::tools;

/// Surroundings with these programs on PATH, and nothing else.
fn context(home: &Home, programs: &[&str], variable: Option<&str>) -> Context {
    let mut env = (*home.context().env).clone();
    for program in programs {
        home.executable(&format!("bin/{program}"), "#!/bin/sh\necho 99.9\n");
    }
    let bin = home.path().join("bin");
    std::fs::create_dir_all(&bin).unwrap();
    env.insert("PATH".to_owned(), bin.to_str().unwrap().to_owned());
    env.remove("OMP_DEBUG_BACKEND");
    if let Some(value) = variable {
        env.insert("OMP_DEBUG_BACKEND".to_owned(), value.to_owned());
    }
    Context::new(home.path().to_owned(), env)
}

fn chosen(context: &Context) -> String {
    let target = Target::Launch {
        program: tools::c_program(),
    };
    match select(Table::builtin(), context, &target, None) {
        Ok(found) => found.adapter.name.clone(),
        Err(error) => format!("error: {error}"),
    }
}

/// S1-15, S1-16, Q7.
#[test]
fn option_then_variable_then_what_is_here() {
    let both = ["lldb-dap", "lldb"];
    let home = Home::new();
    assert_eq!(chosen(&context(&home, &both, None)), "lldb-dap");
    for word in ["lldb-cli", "lldb"] {
        assert_eq!(chosen(&context(&home, &both, Some(word))), "lldb-cli");
    }
    assert_eq!(chosen(&context(&home, &both, Some("dap"))), "lldb-dap");
    let another = Home::new();
    let with_gdb = ["gdb", "lldb-dap"];
    assert_eq!(chosen(&context(&another, &with_gdb, None)), "gdb");
    assert_eq!(
        chosen(&context(&another, &with_gdb, Some("dap"))),
        "lldb-dap"
    );
    let by_option = Context {
        backend: Some(Backend::LldbCli),
        ..context(&home, &both, Some("dap"))
    };
    assert_eq!(chosen(&by_option), "lldb-cli");
    let wrong = chosen(&context(&home, &both, Some("gdb")));
    assert!(
        wrong.contains("OMP_DEBUG_BACKEND") && wrong.contains("\"gdb\""),
        "{wrong}"
    );
    for word in ["dap", "lldb-cli", "lldb"] {
        assert!(wrong.contains(word), "{wrong}");
    }
}

/// Q7: the command line comes after everything that speaks the protocol itself.
#[test]
fn the_command_line_stands_in_for_missing_adapters_only() {
    let ranks = |by_command_line: bool| {
        Table::builtin()
            .iter()
            .filter(move |adapter| {
                (adapter.connect == ConnectMode::LldbCommandLine) == by_command_line
            })
            .filter_map(|adapter| adapter.native_rank)
    };
    let last = ranks(false).max().unwrap();
    assert!(ranks(true).all(|rank| rank > last));
    assert_eq!(ranks(true).count(), 1);
}

/// Debuggers of other languages are not concerned.
#[test]
fn other_languages_do_not_care() {
    let home = Home::new();
    let context = context(&home, &["lldb", "dlv"], Some("lldb-cli"));
    let program = home.file("main.go", "package main");
    let found = select(
        Table::builtin(),
        &context,
        &Target::Launch { program },
        None,
    )
    .unwrap();
    assert_eq!(found.adapter.name, "dlv");
}

/// S1-16: anything else is refused, with what there is.
#[test]
fn an_unknown_backend_ends_with_2_and_names_the_known() {
    for (arguments, variable) in [
        (vec!["--backend", "gdb", "adapters"], None),
        (vec!["adapters"], Some("gdb")),
    ] {
        let home = Home::new();
        let mut command = Command::new(tools::omp_debug());
        command
            .args(&arguments)
            .env("HOME", home.path())
            .env_remove("OMP_DEBUG_BACKEND");
        if let Some(value) = variable {
            command.env("OMP_DEBUG_BACKEND", value);
        }
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        for word in ["gdb", "dap", "lldb-cli"] {
            assert!(said.contains(word), "{arguments:?}: {said}");
        }
    }
}

/// The doctor says what is chosen, and what simulator support has not been tried on.
#[test]
fn the_doctor_tells_the_backend_and_the_state_of_simulator_support() {
    let home = Home::new();
    let mut command = Command::new(tools::omp_debug());
    command
        .args(["--backend", "lldb", "adapters", "doctor"])
        .env("HOME", home.path());
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("LLDB backend: lldb-cli, as chosen"), "{said}");
    let line = said
        .lines()
        .find(|line| line.starts_with("simulator support: "))
        .unwrap();
    assert!(
        line.ends_with(
            "logic and lldb traffic tested on Linux against a stand-in xcrun; not yet run on macOS"
        ),
        "{line}"
    );
}
