//! The command line, as it is typed.

use clap::{CommandFactory as _, Parser as _};
use pretty_assertions::assert_eq;

use super::{
    attach::{AttachArgs, WhomArgs},
    cli::{Cli, Subcommands},
    launch::variable,
    named::by_name_below,
    prelude::*,
};
use crate::debugger::{Console, workspace::Process};

fn parse(args: &[&str]) -> Cli {
    Cli::try_parse_from([&["omp-debug"], args].concat()).unwrap()
}

#[test]
fn the_grammar_is_sound() {
    Cli::command().debug_assert();
}

#[test]
fn a_program_with_everything_becomes_commands_in_order() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a.py"), "").unwrap();
    let cli = parse(&[
        "a.py",
        "-b",
        "a.py:3?x > 1#2",
        "-l",
        "a.py:4|x={x}",
        "--break-on-exception",
        "raised",
        "--env",
        "A=b=c",
        "--env",
        "PATH",
        "--no-stop-on-entry",
        "--adapter",
        "debugpy",
        "--console",
        "pty",
        "--",
        "-v",
        "--cwd",
    ]);
    cli.check().unwrap();
    let mut config = Config::default();
    cli.overrule(&mut config);
    let opening = cli
        .launch_opening(Path::new("a.py"), &config, dir.path())
        .unwrap();
    assert_eq!(opening.len(), 3);
    assert!(
        matches!(&opening[0], Command::SetBreakpoint(b) if b.condition.as_deref() == Some("x > 1") && b.hit_condition.as_deref() == Some("2"))
    );
    assert!(
        matches!(&opening[1], Command::SetBreakpoint(b) if b.log_message.as_deref() == Some("x={x}"))
    );
    let Command::Launch(spec) = &opening[2] else {
        panic!("{opening:?}")
    };
    // For this launch alone: what is kept with the project would hold for every later one.
    assert_eq!(spec.exception_filters[0].filter, "raised");
    assert_eq!(spec.args, ["-v", "--cwd"]);
    assert_eq!(
        spec.env,
        [
            ("A".to_owned(), Some("b=c".to_owned())),
            ("PATH".to_owned(), None)
        ]
    );
    assert_eq!(spec.stop_on_entry, Some(false));
    assert_eq!(spec.adapter.as_deref(), Some("debugpy"));
    assert_eq!(spec.console, Console::Pty);
}

#[test]
fn global_options_may_stand_on_either_side_of_a_command() {
    let before = parse(&["--adapter", "gdb", "attach", "--pid", "7"]);
    let after = parse(&["attach", "--pid", "7", "--adapter", "gdb"]);
    for cli in [before, after] {
        assert_eq!(cli.global.adapter.as_deref(), Some("gdb"));
        assert!(matches!(
            cli.command,
            Some(Subcommands::Attach(AttachArgs {
                whom: WhomArgs { pid: Some(7), .. },
                ..
            }))
        ));
    }
}

#[test]
fn what_cannot_be_meant_is_refused_with_a_sentence() {
    for args in [
        &["attach"][..],
        &["attach", "--pid", "1", "--port", "2"],
        &["attach", "--host", "h"],
        &["attach", "--pid", "0"],
        &["attach", "--core", "core", "--pid", "1"],
        &["attach", "--program", "a.out"],
        &["--theme", "pink"],
        &["--console", "loud", "a.py"],
    ] {
        assert!(
            Cli::try_parse_from([&["omp-debug"], args].concat()).is_err(),
            "{args:?}"
        );
    }
    let error = parse(&["-b", "a:1"]).check().unwrap_err().text;
    assert!(error.starts_with("--breakpoint needs a PROGRAM"), "{error}");
    let error = parse(&["prog", "demo"]).check().unwrap_err().text;
    assert!(error.contains("\"prog\""), "{error}");
    let cli = super::grammar::parse(&["omp-debug", "attahc"].map(OsString::from)).unwrap();
    let error = cli
        .launch_opening(Path::new("attahc"), &Config::default(), Path::new("/"))
        .unwrap_err()
        .text;
    assert!(
        error.contains("\"attahc\"") && error.contains("`attach`"),
        "{error}"
    );
    let error = variable("=x").unwrap_err().text;
    assert!(error.contains("\"=x\""), "{error}");
}

#[test]
fn a_run_by_hand_is_the_line_debugger_on_the_same_program() {
    let cli = parse(&[
        "run",
        "--interactive",
        "-b",
        "a.py:3",
        "a.py",
        "--",
        "x",
        "y",
    ]);
    let Some(Subcommands::Run(run)) = &cli.command else {
        panic!("{cli:?}");
    };
    let repl = run.by_hand(None).unwrap();
    assert_eq!(repl.program.as_deref(), Some(Path::new("a.py")));
    assert_eq!(repl.args, ["x", "y"]);
    assert_eq!(repl.stops.breakpoint, ["a.py:3"]);
    let error = run.by_hand(Some(Path::new("s.json"))).unwrap_err();
    assert!(error.text.contains("s.json"), "{error:?}");
}

#[test]
fn a_name_means_one_process() {
    let process = |pid, parent, name: &str, command: &str| Process {
        pid,
        parent: Some(parent),
        name: name.into(),
        command: command.into(),
        age_secs: 1,
        tracer: None,
        ours: false,
    };
    let all = [
        process(10, 1, "shop", "/bin/shop --all"),
        process(11, 1, "sh", "sh -c /bin/shop"),
        process(12, 1, "python3", "python3 -u /srv/shop.py"),
        process(13, 1, "less", "less +G shop.py.log"),
        process(
            14,
            1,
            "a-name-too-long",
            "/bin/a-name-too-long-for-the-table",
        ),
        process(20, 1, "bash", "bash try-shop.py stock-keeper"),
        process(
            21,
            20,
            "timeout",
            "timeout 9 omp-debug attach --name stock-keeper",
        ),
        process(22, 1, "perl", "perl -w lib/stock-keeper"),
    ];
    let by_name = |name: &str, all: &[Process]| by_name_below(21, name, all);
    assert_eq!(by_name("a-name-too-long-for-the-table", &all), Ok(14));
    // Who started us is not meant, although its command line is full of the name.
    assert_eq!(by_name("stock-keeper", &all), Ok(22));
    for nobody in ["timeout", "none"] {
        let error = by_name(nobody, &all).unwrap_err().text;
        assert!(error.starts_with("no process of yours"), "{error}");
    }
    assert_eq!(by_name("shop", &all), Ok(10));
    assert_eq!(by_name("shop.py", &all), Ok(12));
    let error = by_name("/bin/shop", &all).unwrap_err().text;
    assert!(
        error.contains("       10  /bin/shop --all\n       11  sh -c"),
        "{error}"
    );
}
