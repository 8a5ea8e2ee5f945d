//! What hit conditions, log messages and values mean, as texts: no session is needed for that.

use crate::ext::split_at_closing_brace;

/// A piece of a log message.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Part<'a> {
    Text(&'a str),
    Expression(&'a str),
}

/// Expressions stand in braces, which may hold pairs of braces of their own; a brace without its other half is text.
pub(crate) fn pieces(message: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = message;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((expression, tail)) = split_at_closing_brace(after) else {
            break;
        };
        if !before.is_empty() {
            parts.push(Part::Text(before));
        }
        if !expression.trim().is_empty() {
            parts.push(Part::Expression(expression.trim()));
        }
        rest = tail;
    }
    if !rest.is_empty() {
        parts.push(Part::Text(rest));
    }
    parts
}

/// Whether hit number `hits` is one that the rule means; `None` when it is no rule. A number alone is that hit.
pub fn reached(rule: &str, hits: u64) -> Option<bool> {
    let rule = rule.trim();
    let ends = rule
        .find(|c: char| c.is_ascii_digit())
        .unwrap_or(rule.len());
    let (sign, number) = rule.split_at_checked(ends)?;
    let number: u64 = number.trim().parse().ok()?;
    Some(match sign.trim() {
        "" | "=" | "==" | "===" => hits == number,
        ">" => hits > number,
        ">=" => hits >= number,
        "<" => hits < number,
        "<=" => hits <= number,
        "!=" => hits != number,
        "%" if number > 0 => hits.is_multiple_of(number),
        _ => return None,
    })
}

/// `=3` as the number that it means, which every adapter understands.
pub fn plain_count(rule: String) -> String {
    let number = rule.trim_start_matches('=').trim();
    if number.parse::<u64>().is_ok() {
        number.to_owned()
    } else {
        rule
    }
}

/// Whether a value, as adapters of all languages write it, is true.
pub fn is_true(value: &str) -> bool {
    let value = value.trim().to_lowercase();
    let nothing = matches!(
        value.as_str(),
        "" | "false" | "nil" | "null" | "nullptr" | "none" | "undefined" | "nan" | "''" | "\"\""
    );
    let zero = match value.strip_prefix("0x") {
        Some(digits) => !digits.is_empty() && digits.bytes().all(|b| b == b'0'),
        None => value.parse::<f64>().is_ok_and(|number| number == 0.0),
    };
    !(nothing || zero)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_mean_the_hits_they_say() {
        let all = |rule| -> Vec<u64> {
            (1..=6)
                .filter(|n| reached(rule, *n) == Some(true))
                .collect()
        };
        assert_eq!(all("3"), [3]);
        assert_eq!(all(" == 3 "), [3]);
        assert_eq!(all(">3"), [4, 5, 6]);
        assert_eq!(all(">= 3"), [3, 4, 5, 6]);
        assert_eq!(all("<3"), [1, 2]);
        assert_eq!(all("<=3"), [1, 2, 3]);
        assert_eq!(all("!=3"), [1, 2, 4, 5, 6]);
        assert_eq!(all("% 2"), [2, 4, 6]);
        for odd in [
            "",
            "x",
            "%0",
            ">",
            "3 times",
            "=>3",
            "-1",
            "99999999999999999999999",
        ] {
            assert_eq!(reached(odd, 1), None, "{odd:?}");
        }
    }

    #[test]
    fn a_count_with_a_sign_of_equality_is_that_number() {
        for (rule, plain) in [("=3", "3"), ("== 3", "3"), ("3", "3"), (">=3", ">=3")] {
            assert_eq!(plain_count(rule.to_owned()), plain);
        }
    }

    #[test]
    fn messages_fall_into_text_and_expressions() {
        use Part::{Expression as E, Text as T};
        assert_eq!(pieces("a {x} b{ y }"), [T("a "), E("x"), T(" b"), E("y")]);
        assert_eq!(pieces("{f({1: 2})}é"), [E("f({1: 2})"), T("é")]);
        assert_eq!(pieces("{x} {never"), [E("x"), T(" {never")]);
        assert_eq!(pieces("}{}"), [T("}")]);
        assert_eq!(pieces(""), []);
    }

    #[test]
    fn values_are_true_as_their_languages_mean_it() {
        for no in [
            "0",
            "false",
            "False",
            " nil",
            "None",
            "0x0",
            "0x00000000",
            "0.0",
            "-0",
            "''",
        ] {
            assert!(!is_true(no), "{no}");
        }
        for yes in [
            "1", "true", "True", "0x10", "'0'", "[]", "-1", "0.5", "anything",
        ] {
            assert!(is_true(yes), "{yes}");
        }
    }
}
