//! Answers, silence, and what is made of both.

use super::*;

fn around(variables: &[(&str, &str)]) -> Surroundings {
    Surroundings {
        variables: variables
            .iter()
            .map(|(n, v)| ((*n).to_owned(), (*v).to_owned()))
            .collect(),
        cells: (80, 24),
        pixels: (0, 0),
    }
}

fn find<'r>(rows: &'r [(&'static str, Vec<Row>)], what: &str) -> &'r Row {
    rows.iter()
        .flat_map(|(_, rows)| rows)
        .find(|row| row.what.starts_with(what))
        .unwrap()
}

#[test]
fn silence_is_said_for_what_it_is() {
    let around = around(&[("TERM", "xterm")]);
    let mut findings = Findings::default();
    let verdict = |findings: &Findings| {
        let rows = findings.rows(&around);
        let row = find(&rows, "Synchronised output");
        (row.verdict, row.answer.clone())
    };
    assert_eq!(verdict(&findings).0, Verdict::Waiting);
    findings.give_up();
    assert_eq!(
        verdict(&findings),
        (Verdict::Silent, "no answer within a second".to_owned())
    );
    findings.take(&Answer::Attributes(vec![62, 22]));
    assert_eq!(
        verdict(&findings),
        (
            Verdict::Silent,
            "no answer: it does not know the question".to_owned()
        )
    );
    findings.take(&Answer::Mode(2026, 2));
    assert_eq!(verdict(&findings), (Verdict::Yes, "yes, off".to_owned()));
}

#[test]
fn pictures_by_the_best_way_there_is() {
    let plain = around(&[("TERM", "xterm")]);
    let mut findings = Findings::default();
    assert_eq!(findings.pictures(&plain), None);
    findings.take(&Answer::Attributes(vec![4, 22]));
    assert_eq!(
        findings.pictures(&plain),
        None,
        "the first number is a class"
    );
    findings.take(&Answer::Attributes(vec![62, 4]));
    assert_eq!(findings.pictures(&plain), Some(Pictures::Sixel));
    assert_eq!(
        findings.pictures(&around(&[("ITERM_SESSION_ID", "x")])),
        Some(Pictures::Iterm)
    );
    findings.take(&Answer::Graphics(31, "ENOTSUPPORTED".to_owned()));
    assert_eq!(findings.pictures(&plain), Some(Pictures::Sixel));
    findings.take(&Answer::Graphics(31, "OK".to_owned()));
    assert_eq!(findings.pictures(&plain), Some(Pictures::Kitty));
}

#[test]
fn terminals_are_detected_in_omps_order_and_asked_what_they_bear() {
    for (variables, wanted) in [
        (
            &[("KITTY_WINDOW_ID", "1"), ("TERM_PROGRAM", "vscode")][..],
            "kitty",
        ),
        (&[("TERM_PROGRAM", "WezTerm")], "wezterm"),
        (&[("TERM", "xterm-ghostty")], "ghostty"),
        (&[("COLORTERM", "truecolor")], "a terminal with true colour"),
        (&[], "a terminal"),
    ] {
        assert_eq!(around(variables).detected(), wanted);
    }
    assert!(around(&[("TERM", "dumb")]).questions().is_err());
    let console = around(&[("TERM", "linux")]).questions().unwrap();
    assert!(
        !console.contains("\x1b_") && !console.contains("\x1b]"),
        "{console:?}"
    );
    let questions = around(&[("TERM", "xterm")]).questions().unwrap();
    assert!(
        questions.ends_with("\x1b[c"),
        "what everybody answers comes last"
    );
    assert!(questions.contains("\x1b[?2026$p") && questions.contains("\x1b]11;?"));
}
