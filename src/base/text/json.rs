//! JSON that is safe to print: what could drive a terminal or deceive a reader is written as its `\u` escape, which means the same.

use std::{borrow::Cow, fmt::Write as _};

use super::sanitise::is_deceptive;

/// The same JSON, with every deceptive or control character escaped. Such characters stand inside of strings only.
pub fn printable(json: &str) -> Cow<'_, str> {
    let harmless = |c: char| !matches!(c, '\u{7f}'..='\u{9f}') && !is_deceptive(c);
    if json.chars().all(harmless) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len() + 64);
    let mut units = [0; 2];
    for c in json.chars() {
        if harmless(c) {
            out.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut units) {
            // Writing to a String cannot fail.
            let _ = write!(out, "\\u{unit:04x}");
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_means_the_same_and_hides_nothing(text in any::<String>()) {
            let json = serde_json::to_string(&text).unwrap();
            let printed = printable(&json);
            prop_assert_eq!(serde_json::from_str::<String>(&printed).unwrap(), text);
            prop_assert!(printed.chars().all(|c| !c.is_control() && !is_deceptive(c)));
        }
    }

    #[test]
    fn plain_json_is_left_alone() {
        assert!(matches!(printable("{\"é\":\"\\u001b\"}"), Cow::Borrowed(_)));
        assert_eq!(
            printable("\"\u{202e}\u{e0041}\u{9b}\""),
            "\"\\u202e\\udb40\\udc41\\u009b\""
        );
    }
}
