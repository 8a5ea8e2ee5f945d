//! Expressions that name a value and call nothing: a name, its members, its elements. Whatever else a language could mean by a text is
//! no such path, so what is in doubt is not.

/// Longest path in bytes.
const LONGEST: usize = 256;
/// Names that are statements somewhere.
const STATEMENTS: [&str; 4] = ["exit", "die", "quit", "abort"];

/// Whether `text` is a name with members and elements by number or by a plain text: `order.lines[0]["price"]`, `self->next`.
pub fn is_path(text: &str) -> bool {
    let text = text.trim();
    if text.len() > LONGEST || STATEMENTS.contains(&text) {
        return false;
    }
    let mut rest = text.trim_start_matches(['*', '&']);
    // One or two of them take a value's address or follow it; PHP's `$`, Ruby's `@` are parts of names.
    if text.len() - rest.len() > 2 {
        return false;
    }
    rest = match after_name(rest) {
        Some(rest) => rest,
        None => return false,
    };
    while !rest.is_empty() {
        let member = ["->", "::", "."].iter().find_map(|s| rest.strip_prefix(s));
        let next = match member {
            Some(name) => after_name(name),
            None => rest.strip_prefix('[').and_then(after_index),
        };
        rest = match next {
            Some(next) => next,
            None => return false,
        };
    }
    true
}

/// What follows a name, when there is one.
fn after_name(text: &str) -> Option<&str> {
    let name = text.trim_start_matches(['$', '@']);
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    let rest = name.trim_start_matches(is_letter);
    let begins = name.starts_with(|c: char| is_letter(c) && !c.is_numeric());
    (begins && text.len() - name.len() <= 2).then_some(rest)
}

/// What follows an element's index, when it is a number or a plain text in quotes.
fn after_index(text: &str) -> Option<&str> {
    let (index, rest) = text.split_once(']')?;
    let number = index.strip_prefix('-').unwrap_or(index);
    let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    let quoted = ['"', '\''].into_iter().find_map(|quote| {
        let inner = index.strip_prefix(quote)?.strip_suffix(quote)?;
        inner
            .chars()
            .all(|c| c.is_alphanumeric() || "_- .:/".contains(c))
            .then_some(())
    });
    (is_number || quoted.is_some()).then_some(rest)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::is_path;

    #[test]
    fn only_what_names_a_value_is_a_path() {
        for path in [
            "a",
            " total ",
            "order.lines[0]",
            "self->next->value",
            "ns::Name::field",
            "config[\"api key\"]",
            "rows[-1]['x']",
            "$request",
            "@@count",
            "this.größe",
            "*pointer",
            "&value",
        ] {
            assert!(is_path(path), "{path}");
        }
        for other in [
            "",
            " ",
            "f()",
            "a.f()",
            "a b",
            "a;b",
            "a = 1",
            "a+b",
            "a[f()]",
            "a[b]",
            "a[0",
            "a[]",
            "a[0]b",
            "a.",
            ".a",
            "a..b",
            "1",
            "1a",
            "a\nb",
            "`x`",
            "a[\"\\\"]",
            "a[\"x\" + y]",
            "exit",
            "***p",
            "!info",
            "a ? b : c",
            "a?.b",
            "a->",
            "x::",
            "a\nb",
            "$$$x",
            "a[\"(\"]",
        ] {
            assert!(!is_path(other), "{other}");
        }
        assert!(!is_path(&"a".repeat(257)));
    }

    proptest! {
        #[test]
        fn nothing_that_calls_assigns_or_separates_is_a_path(before in "\\PC{0,20}", sign in "[()=;+`!{}<|\\\\]", after in "\\PC{0,20}") {
            let text = [before, sign.clone(), after].concat();
            prop_assert!(!is_path(&text));
        }

        #[test]
        fn any_text_is_judged_without_a_panic(text in "\\PC{0,300}") {
            let _ = is_path(&text);
        }
    }
}
