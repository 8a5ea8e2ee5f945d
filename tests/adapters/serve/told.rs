//! What a host tells of programs, and whether it has actions at all.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use rustix::process::Signal;
use serde_json::json;

use super::{Place, find};
use crate::support::desk::FAREWELL;
use crate::support::{line_of, tools};

#[test]
fn secrets_of_a_program_are_told_to_no_call_unless_the_host_says_so() {
    require!(debugpy);
    let place = Place::new();
    let program = tools::python_program();
    let target = format!("program={}", program.display());
    let in_file = format!("file={}", program.display());
    let line = format!("line={}", line_of(&program, "login"));
    // What every action that shows values prints, and what followers read.
    let told = |options: &[&str]| {
        let host = place.serve(options);
        place.done(&["set_breakpoint", &in_file, &line]);
        let launched = place.call(&["launch", &target, "adapter=debugpy", "args=login"]);
        assert_eq!(launched.done()["snapshot"]["status"], "stopped");
        let mut all = vec![launched.stdout];
        let scopes = place.done(&["scopes"]);
        let reference = find(&scopes["details"], "variablesReference").expect("a scope to open");
        let reference = format!("variable_ref={reference}");
        for words in [
            &["variables", reference.as_str()][..],
            &["variables", &reference, "--text"],
            &["evaluate", "expression=user"],
            &["evaluate", "expression=user['password']"],
            &["evaluate", "expression=api_key", "--text"],
            &["output"],
        ] {
            let called = place.call(words);
            assert_eq!(called.code, Some(0), "{words:?}: {}", called.stdout);
            assert!(called.stdout.len() > 20 || called.stdout.contains("Result"));
            all.push(called.stdout);
        }
        let refused = place.call(&["evaluate", "expression=int(f'password={api_key}')"]);
        assert_eq!(refused.code, Some(4), "{}", refused.stdout);
        all.push(refused.stdout);
        let mut follow = place
            .command(&["call", "--follow"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(follow.stdout.take().unwrap()).lines();
        all.push(lines.next().unwrap().unwrap());
        place.done(&["terminate"]);
        host.end(Signal::TERM, 128 + 15);
        all.extend(lines.map(Result::unwrap));
        assert!(follow.wait().unwrap().success());
        all
    };
    let hidden = told(&[]);
    for text in &hidden {
        assert!(!text.contains("hound"), "{text}");
    }
    let all = hidden.concat();
    assert!(all.contains("[redacted:"), "{all}");
    assert!(
        all.contains("wolf-cub-12") && all.contains("passenger"),
        "what only looks alike stays: {all}"
    );
    assert!(
        told(&["--no-redact"])
            .concat()
            .matches("wolf-hound-77")
            .count()
            > 4
    );
    place.mark.assert_none_left(FAREWELL);
}

#[test]
fn a_switched_off_tool_has_no_actions() {
    let place = Place::new();
    let folder = place.home.path().join("config/omp-debug");
    let settings = folder.join("config.toml");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(&settings, "[debug]\nenabled = false\n").unwrap();
    let host = place.serve(&[]);
    let list = place.call(&["--list"]);
    assert_eq!((list.code, list.stdout.as_str()), (Some(0), ""));
    for words in [&["--list"][..], &["--schema", "--all"], &["threads"]] {
        let called = place.call(words);
        assert_eq!(called.stdout, "", "{words:?}");
        assert!(
            called.stderr.contains("debug.enabled = false"),
            "{}",
            called.stderr
        );
    }
    // The host decides for itself.
    std::fs::write(&settings, "").unwrap();
    assert!(place.call(&["--list"]).stdout.lines().count() > 28);
    let refused = place.call(&["sessions"]).refused(2);
    assert!(refused.contains("debug.enabled = false"), "{refused}");
    host.end(Signal::TERM, 128 + 15);

    std::fs::write(&settings, "[debug]\nenabeld = false\n").unwrap();
    let list = place.call(&["--list"]);
    assert!(
        list.stderr.contains("config.toml:2: ") && list.stderr.contains("debug.enabled"),
        "{}",
        list.stderr
    );
}

/// A test prints why it failed when all of them are over; before that it is read where it lies.
#[test]
fn why_a_test_of_rust_failed() {
    require!(gdb);
    let place = Place::new();
    let source = place.home.path().join("failing.rs");
    let text = "#[test]\nfn fails() {\n    assert!(false, \"no such shelf\");\n}\n";
    std::fs::write(&source, text).unwrap();
    let program = tools::build_rust_tests(&source, &place.home.path().join("failing"));
    let host = place.serve(&[]);
    place.done(&["set_exception_breakpoints", r#"{"filters": ["panic"]}"#]);
    let launch = json!({"program": program, "adapter": "gdb", "timeout": 60}).to_string();
    let launched = place.done(&["launch", &launch]);
    let text = launched["text"].as_str().unwrap();
    assert!(text.contains("(exception: panic: no such shelf)"), "{text}");
    place.done(&["terminate"]);
    host.end(Signal::TERM, 128 + 15);
}
