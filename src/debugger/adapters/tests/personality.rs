//! What an adapter is like, as text and numbers.

use super::super::personality::*;
use super::*;
use crate::pattern::Pattern;
use dap::types::Capabilities;

#[test]
fn plain_numbers_move_by_the_offset_and_other_hit_conditions_pass() {
    let late = Personality {
        hit_condition_offset: -1,
        ..Personality::default()
    };
    assert_eq!(late.hit_condition("3"), "2");
    assert_eq!(late.hit_condition("0"), "0");
    assert_eq!(late.hit_condition(">= 3"), ">= 3");
    assert_eq!(Personality::default().hit_condition(" 3"), " 3");
}

#[test]
fn what_an_adapter_does_wrong_it_cannot() {
    let wrong = Personality {
        cancels_what_is_next: true,
        ..Personality::default()
    };
    for (personality, cancels) in [(wrong, false), (Personality::default(), true)] {
        let claims = Capabilities {
            supports_cancel_request: true,
            ..Capabilities::default()
        };
        let can = personality.with_our_defaults(claims, None);
        assert_eq!(can.supports_cancel_request, cancels);
    }
}

#[test]
fn typed_text_is_an_expression_unless_it_starts_with_a_bang() {
    let command_line = Personality {
        repl_is_command: true,
        ..Personality::default()
    };
    assert_eq!(command_line.typed("a + b"), ("watch", "a + b"));
    assert_eq!(command_line.typed("! bt"), ("repl", "bt"));
    assert_eq!(Personality::default().typed("!x"), ("repl", "!x"));
}

#[test]
fn a_pause_is_known_by_reason_and_text() {
    let mut personality = Personality::default();
    assert!(personality.is_pause(&stop_text("pause", None, None)));
    assert!(!personality.is_pause("exception: signal SIGSTOP "));
    personality.pause_reasons = serde_json::from_str(r#"["SIGSTOP"]"#).unwrap();
    assert!(personality.is_pause("exception: signal SIGSTOP "));
    assert!(!personality.is_pause("exception: signal SIGSEGV "));
}

#[test]
fn an_adapters_own_lines_are_no_output_and_may_tell_the_exit_code() {
    let personality = Personality {
        noise: serde_json::from_str(r#"["^Detaching$"]"#).unwrap(),
        exit_code_patterns: serde_json::from_str(r#"["exited with status (-?[0-9]+)"]"#).unwrap(),
        ..Personality::default()
    };
    assert_eq!(
        personality.without_noise("a\nDetaching\nDetaching it\nb"),
        "a\nDetaching it\nb"
    );
    // A line and its end may come apart.
    let mut cut = false;
    let pieces = ["a\nDetaching", "\nb\n", "\n", "Detaching", "\n", "c"];
    let left = pieces.map(|piece| personality.piece_without_noise(piece, &mut cut));
    assert_eq!(left.concat(), "a\nb\n\nc");
    assert_eq!(
        personality.exit_code_in("Process 7 has exited with status -3\n"),
        Some(-3)
    );
    assert_eq!(personality.exit_code_in("status 4"), None);
}

#[test]
fn a_failed_evaluation_is_told_by_its_exception() {
    let python = Personality {
        error_summary: Table::builtin()
            .get("python")
            .unwrap()
            .personality
            .error_summary
            .clone(),
        ..Personality::default()
    };
    let raised = "Traceback (most recent call last):\n  File \"<string>\", line 1, in <module>\nNameError: name 'nope' is not defined\n";
    assert_eq!(
        python.evaluation_error(raised),
        (
            "NameError: name 'nope' is not defined".to_owned(),
            Some(raised.to_owned())
        )
    );
    let syntax = "  File \"<string>\", line 1\n    1 +\n      ^\nSyntaxError: invalid syntax\n";
    assert_eq!(
        python.evaluation_error(syntax).0,
        "SyntaxError: invalid syntax"
    );
    let plain = "ValueError: two\nlines";
    assert_eq!(python.evaluation_error(plain), (plain.to_owned(), None));
}

#[test]
fn a_bad_pattern_is_quoted() {
    let error = serde_json::from_str::<Pattern>(r#""(""#).unwrap_err();
    assert!(error.to_string().contains(r#""(""#), "{error}");
}
