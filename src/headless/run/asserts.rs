//! Whether a value that a debugger prints means yes or no, in the languages there are adapters for.

/// Texts that mean no, whatever the language.
const FALSY: &[&str] = &[
    "",
    "false",
    "0",
    "-0",
    "null",
    "nil",
    "none",
    "undefined",
    "nan",
    "nullptr",
    "''",
    "\"\"",
    "``",
    "[]",
    "{}",
    "()",
    "set()",
    "dict()",
    "list()",
    "tuple()",
    "frozenset()",
    "b''",
    "b\"\"",
    "range(0, 0)",
    "#f",
    "0n",
    "0j",
    "'\\0'",
    "[]any{}",
];

/// Whether `text`, as a debugger prints a value, is false, zero, empty or nothing.
pub fn is_falsy(text: &str) -> bool {
    let text = text.trim().to_lowercase();
    if FALSY.contains(&text.as_str()) {
        return true;
    }
    if let Some(digits) = text.strip_prefix("0x") {
        // A pointer may be followed by what it points to, a null pointer by nothing or its name.
        let digits = digits.split_whitespace().next().unwrap_or_default();
        return !digits.is_empty() && digits.chars().all(|c| c == '0');
    }
    // Numbers of any length and kind: 0.0, 0.00f, 0u64, -0.0.
    let number = text.trim_start_matches(['-', '+']);
    let digits = number
        .find(|c: char| !(c.is_ascii_digit() || c == '.'))
        .unwrap_or(number.len());
    let (number, suffix) = number.split_at(digits);
    suffix
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || c == '_')
        && number.parse::<f64>().is_ok_and(|n| n == 0.0)
}

#[cfg(test)]
mod tests {
    use super::is_falsy;

    #[test]
    fn no_is_told_from_yes_in_every_language() {
        for no in [
            "False",
            "false",
            "0",
            "0.0",
            "None",
            "nil",
            "null",
            "undefined",
            "NaN",
            "''",
            "\"\"",
            "[]",
            "{}",
            "()",
            "set()",
            "0x0000000000000000",
            "0x0",
            "0.0f",
            "-0.0",
            "0u64",
            " false ",
        ] {
            assert!(is_falsy(no), "{no}");
        }
        for yes in [
            "True",
            "true",
            "1",
            "-1",
            "0.5",
            "'0'",
            "\"false\"",
            "[0]",
            "{'a': 0}",
            "0x0000000000401000",
            "x",
            "<Cart>",
            "infinity",
            "0x10",
            "e",
            "u64",
        ] {
            assert!(!is_falsy(yes), "{yes}");
        }
    }
}
