use super::*;

#[test]
fn every_entry_of_the_built_in_table_is_complete() {
    let table = Table::builtin();
    let names: Vec<_> = table.iter().map(|adapter| adapter.name.as_str()).collect();
    for name in [
        "gdb",
        "lldb-dap",
        "codelldb",
        "debugpy",
        "dlv",
        "js-debug-adapter",
        "netcoredbg",
        "kotlin-debug-adapter",
        "rdbg",
        "php-debug-adapter",
        "bash-debug-adapter",
        "dart-debug-adapter",
        "flutter-debug-adapter",
        "elixir-ls-debugger",
        "bash-dap",
    ] {
        assert!(
            names.contains(&name),
            "{name} is missing, there are {names:?}"
        );
    }
    for adapter in table.iter() {
        let name = &adapter.name;
        assert!(!adapter.title.is_empty(), "{name}");
        assert!(!adapter.languages.is_empty(), "{name}");
        assert!(!adapter.file_types.is_empty(), "{name}");
        assert!(!adapter.root_markers.is_empty(), "{name}");
        assert!(!adapter.command.is_empty(), "{name}");
        assert!(!adapter.install_hint().is_empty(), "{name}");
        for kind in &adapter.file_types {
            assert!(
                kind.starts_with('.') && *kind == kind.to_lowercase(),
                "{name}: {kind}"
            );
        }
        for candidate in &adapter.command {
            let connect = candidate.connect.as_ref().unwrap_or(&adapter.connect);
            let names_port = candidate.args.iter().any(|arg| arg.contains("${port}"));
            assert_eq!(
                names_port,
                *connect == ConnectMode::Tcp,
                "{name}: {candidate:?}"
            );
        }
    }
}

#[test]
fn no_name_or_alias_means_two_adapters() {
    let mut seen = std::collections::BTreeSet::new();
    for adapter in Table::builtin().iter() {
        for name in std::iter::once(&adapter.name).chain(&adapter.aliases) {
            assert!(seen.insert(name.to_lowercase()), "{name} is there twice");
        }
    }
}

/// serde cannot refuse unknown fields of a flattened enum, so the keys of candidates are held here.
#[test]
fn candidates_have_no_misspelt_keys() {
    const KEYS: [&str; 19] = [
        "find",
        "names",
        "versions",
        "managed",
        "well_known",
        "module",
        "runtimes",
        "args",
        "accelerated_args",
        "servers",
        "servers_by_default",
        "connect",
        "env",
        "minimum_version",
        "version_args",
        "version_file",
        "script",
        "tool",
        "run",
    ];
    let text = include_str!("../../../../assets/adapters.toml");
    let document: toml::Value = toml::from_str(text).unwrap();
    for adapter in document["adapter"].as_array().unwrap() {
        for candidate in adapter["candidates"].as_array().unwrap() {
            for key in candidate.as_table().unwrap().keys() {
                assert!(KEYS.contains(&key.as_str()), "{}: {key}", adapter["name"]);
            }
        }
    }
}

/// Personalities are data: no code outside tests compares with an adapter's name.
#[test]
fn no_code_asks_for_an_adapter_by_name() {
    fn visit(dir: &Path, check: &mut impl FnMut(&Path, &str)) {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                if path.file_name().unwrap() != "tests" {
                    visit(&path, check);
                }
            } else if path.extension().is_some_and(|extension| extension == "rs")
                && path.file_name().unwrap() != "tests.rs"
            {
                let text = std::fs::read_to_string(&path).unwrap();
                let code = text.split("#[cfg(test)]").next().unwrap();
                check(&path, code);
            }
        }
    }
    visit(Path::new(env!("CARGO_MANIFEST_DIR")), &mut |path, code| {
        for adapter in Table::builtin().iter() {
            let literal = format!("\"{}\"", adapter.name);
            assert!(
                !code.contains(&literal),
                "{} names {literal}",
                path.display()
            );
        }
    });
}

#[test]
fn names_are_found_by_alias_and_unknown_ones_are_quoted() {
    let table = Table::builtin();
    assert_eq!(table.get("python").unwrap().name, "debugpy");
    assert_eq!(table.get("LLDB").unwrap().name, "lldb-dap");
    let error = table.get("lldb-dapp").unwrap_err();
    assert!(error.to_string().contains("\"lldb-dapp\""), "{error}");
    assert_eq!(error.hint.as_deref(), Some("did you mean lldb-dap?"));
}

/// Natively compiled languages mix in one executable, so only files of interpreters are foreign to a native debugger.
#[test]
fn files_of_other_interpreters_are_foreign() {
    let table = Table::builtin();
    let gdb = table.foreign_types(table.get("gdb").unwrap());
    assert!(gdb.contains(".py") && gdb.contains(".js"), "{gdb:?}");
    for own in [".c", ".go", ".zig", ".S"] {
        assert!(!gdb.contains(own), "{own}");
    }
    let python = table.foreign_types(table.get("debugpy").unwrap());
    assert!(python.contains(".c") && !python.contains(".py"));
    assert!(!python.contains(".pyx"), "nobody claims it");
}

#[test]
fn what_gdb_says_of_pending_breakpoints_is_no_output() {
    let table = Table::builtin();
    let gdb = &table.get("gdb").unwrap().personality;
    let said = "❌️ No source file named /tmp/x.py.\nBreakpoint 1 (-source /tmp/x.py -line 3) pending.\nNo source file named it\n";
    assert_eq!(gdb.without_noise(said), "No source file named it\n");
}

#[test]
fn what_gdb_says_between_the_programs_lines_is_told_apart() {
    let table = Table::builtin();
    let gdb = &table.get("gdb").unwrap().personality;
    let said = "one\nBreakpoint 2 at 0x1149: file a.c, line 3.\n[New Thread 0x7ff (LWP 7)]\nwarning: (Internal error: pc 0x1140 in read in CU, but not in symtab.)\ntwo\nBreakpoint of mine\npart";
    let parts = gdb.apart(said.to_owned());
    let parts: Vec<_> = parts
        .iter()
        .map(|(own, text)| (*own, text.as_str()))
        .collect();
    assert_eq!(
        parts,
        [
            (false, "one\n"),
            (
                true,
                "Breakpoint 2 at 0x1149: file a.c, line 3.\n[New Thread 0x7ff (LWP 7)]\nwarning: (Internal error: pc 0x1140 in read in CU, but not in symtab.)\n"
            ),
            (false, "two\nBreakpoint of mine\npart"),
        ]
    );
    let table_is_missing = "❌️ No symbol table is loaded.  Use the \"file\" command.\n";
    assert_eq!(gdb.without_noise(table_is_missing), "");
}

#[test]
fn pythons_conditions_and_assignments_are_told_by_its_entry() {
    let table = Table::builtin();
    let python = &table.get("python").unwrap().personality;
    let printed = "pydevd: Error while evaluating expression in conditional breakpoint: 1/0 > 3\nTraceback (most recent call last):\n  File \"<string>\", line 1, in <module>\nZeroDivisionError: division by zero\n\n";
    assert_eq!(
        python.broken_condition(printed),
        Some((Some("1/0 > 3"), "ZeroDivisionError: division by zero"))
    );
    let told = |name: &str, text| {
        let personality = &table.get(name).unwrap().personality;
        let told = personality.broken_condition(text);
        told.map(|(condition, why)| (condition.map(str::to_owned), why.to_owned()))
    };
    let undeclared = "use of undeclared identifier 'nosuch'".to_owned();
    let lldb = "error: stopped due to an error evaluating condition of breakpoint 1.1: \"nosuch == 4\"\nCouldn't parse conditional expression:\nerror: <user expression 0>:1:1: use of undeclared identifier 'nosuch'\n    1 | nosuch == 4\n      | ^\n\n";
    assert_eq!(
        told("lldb-dap", lldb),
        Some((Some("nosuch == 4".to_owned()), undeclared.clone()))
    );
    let codelldb = "Could not evaluate breakpoint condition:\nTraceback (most recent call last):\n    raise Exception(err.GetCString())\nException: error: <user expression 0>:1:1: use of undeclared identifier 'nosuch'\n    1 | nosuch\n      | ^\n\n\n";
    assert_eq!(told("codelldb", codelldb), Some((None, undeclared)));
    let node = "Breakpoint condition error: nosuch is not defined\nBreakpoint condition error: nosuch is not defined\n";
    assert_eq!(
        told("javascript", node),
        Some((None, "nosuch is not defined".to_owned()))
    );
    assert_eq!(python.broken_condition("sum 9\n"), None);
    let assigned = |scope, expression| python.assigned(scope, "x", expression, "${target}");
    let pair = |typed: &str, read: &str| Some((typed.to_owned(), read.to_owned()));
    assert_eq!(
        assigned(Some("Locals"), Some("x")),
        pair("x = (${target}\n)", "x")
    );
    assert_eq!(
        assigned(Some("Globals"), Some("x")),
        pair("globals()['x'] = (${target}\n)", "globals()['x']")
    );
    assert_eq!(assigned(None, None), None);
    let plain = &table.get("gdb").unwrap().personality;
    assert_eq!(plain.assigned(None, "x", Some("x"), "1"), None);
}

#[test]
fn what_a_language_brings_along_is_no_variable_of_the_program() {
    let table = Table::builtin();
    let script = &table.get("js-debug-adapter").unwrap().personality;
    let python = &table.get("python").unwrap().personality;
    assert!(script.is_furniture("global.fee", "this", Some("global")));
    assert!(!script.is_furniture("Account.fee", "this", Some("Account")));
    assert!(python.is_furniture("<module>", "os", Some("module")));
    assert!(python.is_furniture("<module>", "__name__", Some("str")));
    assert!(!python.is_furniture("fee", "os", Some("module")));
}
