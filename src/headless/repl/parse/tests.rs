//! Tests of what a line means.

use proptest::prelude::*;

use super::*;
use crate::repl::table::Verb;

fn here() -> Here {
    Here {
        cwd: "/w".into(),
        file: Some("/w/shop.py".into()),
        line: Some(10),
        known: vec!["/elsewhere/src/store.py".into()],
    }
}

fn typed(text: &str) -> ParsedCommand {
    match line(text) {
        Ok(Line::Command(typed)) => typed,
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn an_operation_is_meant_by_its_name_where_no_command_has_it() {
    let operation = |text: &str| match line(text) {
        Ok(Line::Operation(row, rest)) => Some((row.name, rest)),
        _ => None,
    };
    assert_eq!(
        operation(" custom_request  command=x 'a b' "),
        Some(("custom_request", "command=x 'a b'".to_owned()))
    );
    assert_eq!(
        operation("set_variable total 3"),
        Some(("set_variable", "total 3".to_owned()))
    );
    // Commands go first, and the beginning of a name is a command's alone.
    assert_eq!(typed("threads").row.verb, Verb::Threads);
    assert_eq!(typed("source a.commands").row.verb, Verb::Source);
    assert_eq!(operation("custom_req"), None);
}

#[test]
fn lines_are_taken_apart() {
    let t = typed("  x/8xb  &total ");
    assert_eq!(
        (t.row.verb, t.modifier.as_str(), t.rest.as_str()),
        (Verb::Examine, "8xb", "&total")
    );
    let t = typed("c &");
    assert_eq!(
        (t.row.verb, t.rest.as_str(), t.background),
        (Verb::Continue, "", true)
    );
    // An address stays one: only what goes on can be sent behind.
    let t = typed("p a &");
    assert_eq!((t.rest.as_str(), t.background), ("a &", false));
    assert!(matches!(line("! info reg"), Ok(Line::Raw(r)) if r == "info reg"));
    assert!(matches!(line("  # note"), Ok(Line::Comment)));
    assert!(matches!(line("\t"), Ok(Line::Empty)));
    assert_eq!(typed("?").row.verb, Verb::Help);
    assert!(line("/x").is_err());
    let t = typed("b /w/shop.py:3");
    assert_eq!((t.modifier.as_str(), t.rest.as_str()), ("", "/w/shop.py:3"));
    let t = typed("x /4dw 0x10");
    assert_eq!((t.modifier.as_str(), t.rest.as_str()), ("4dw", "0x10"));
}

#[test]
fn breakpoints_have_every_form() {
    let at = |path: &str, line| BreakpointSpec::line(path, line);
    let cases = [
        ("", at("/w/shop.py", 10)),
        ("12", at("/w/shop.py", 12)),
        ("+2", at("/w/shop.py", 12)),
        ("-3", at("/w/shop.py", 7)),
        ("a.py:4", at("/w/a.py", 4)),
        ("store.py:4", at("/elsewhere/src/store.py", 4)),
    ];
    for (text, expected) in cases {
        assert_eq!(breakpoint(text, &here()), Ok(expected), "{text}");
    }
    let with = breakpoint("12 if x if y else z", &here()).unwrap();
    assert_eq!(with.condition.as_deref(), Some("x if y else z"));
    let with = breakpoint("12?a if b else c#3", &here()).unwrap();
    assert_eq!(with.condition.as_deref(), Some("a if b else c"));
    assert_eq!(with.hit_condition.as_deref(), Some("3"));
    let with = breakpoint("if n > 3", &here()).unwrap();
    assert_eq!(
        (with.site, with.condition.as_deref()),
        (at("/w/shop.py", 10).site, Some("n > 3"))
    );
    for (text, name) in [
        ("total", "total"),
        ("main.main", "main.main"),
        ("shop::total", "shop::total"),
        ("fn:go", "go"),
        ("'go'", "go"),
        ("\"over(int, double)\"", "over(int, double)"),
    ] {
        let site = breakpoint(text, &here()).unwrap().site;
        assert_eq!(
            site,
            BreakpointSite::Function { name: name.into() },
            "{text}"
        );
    }
    let site = breakpoint("*0x10", &here()).unwrap().site;
    assert_eq!(
        site,
        BreakpointSite::Instruction {
            reference: "0x10".into(),
            offset: None
        }
    );
}

#[test]
fn what_is_no_breakpoint_is_quoted() {
    for (text, quoted) in [
        ("shop.py", "shop.py"),
        ("shop.py:x", "\"x\""),
        ("12 if", "if"),
        ("*", "*"),
        ("a/b", "a/b"),
        ("a.cpp:add", "named without its file"),
        ("a.py:3, x == 1", "file:line?condition"),
    ] {
        let told = breakpoint(text, &here()).unwrap_err();
        assert!(told.contains(quoted), "{text}: {told}");
    }
    assert!(breakpoint("12?a if b", &here()).is_ok());
    assert!(breakpoint("", &Here::default()).is_err());
    assert!(
        breakpoint("12", &Here::default())
            .unwrap_err()
            .contains("file:line")
    );
}

#[test]
fn log_points_assignments_and_formats() {
    let log = logpoint("12|is {x}", &here()).unwrap();
    assert_eq!(
        (log.site, log.log_message.as_deref()),
        (BreakpointSpec::line("/w/shop.py", 12).site, Some("is {x}"))
    );
    assert_eq!(assignment("var x = 3"), Ok(("x".into(), "3".into())));
    assert_eq!(
        assignment("d['a']= f(b == 1)"),
        Ok(("d['a']".into(), "f(b == 1)".into()))
    );
    assert!(assignment("x == 3").is_err());
    assert!(assignment("variable").is_err());
    assert_eq!(
        format("8xb", Format::default()),
        Ok(Format {
            count: 8,
            letter: 'x',
            size: 1
        })
    );
    assert_eq!(
        format("dw", Format::default()),
        Ok(Format {
            count: 1,
            letter: 'd',
            size: 4
        })
    );
    assert!(format("8q", Format::default()).unwrap_err().contains("'q'"));
    assert!(format("0x", Format::default()).is_err());
    assert_eq!(count(""), Ok(1));
    assert!(count("0").is_err());
}

proptest! {
    #[test]
    fn nothing_that_is_typed_can_hurt(text in ".{0,60}", modifier in "[0-9a-z/ =?#:*+-]{0,12}") {
        let _ = line(&text);
        for t in [&text, &modifier] {
            let _ = breakpoint(t, &here());
            let _ = breakpoint(t, &Here::default());
            let _ = logpoint(t, &here());
            let _ = place(t, &here());
            let _ = assignment(t);
            let _ = format(t, Format::default());
            let _ = count(t);
        }
    }

    #[test]
    fn every_command_keeps_its_argument(rest in "[a-z0-9 .]{0,20}") {
        for row in table::COMMANDS {
            let text = format!("{} {rest}", row.name);
            let takes_it = !matches!(row.args, "" | "[&]") || row.verb == Verb::Quit;
            if habits::told(&text).is_some() || !takes_it && !rest.trim().is_empty() {
                prop_assert!(line(&text).is_err(), "{}", text);
                continue;
            }
            let Ok(Line::Command(typed)) = line(&text) else {
                return Err(TestCaseError::fail(row.name));
            };
            prop_assert_eq!(typed.row.verb, row.verb);
            prop_assert_eq!(&typed.rest, rest.trim());
        }
    }
}

#[test]
fn a_mode_alone_names_nothing() {
    let t = typed("watchpoint mode hw");
    let (name, mode) = cut_mode(&t.rest).unwrap();
    assert_eq!((name, mode.as_deref()), ("", Some("hw")));
    let why = t.said(name, "what").unwrap_err();
    assert!(
        why.starts_with("it does not say what: write watchpoint "),
        "{why}"
    );
}
