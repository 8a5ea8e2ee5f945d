//! A line of words as people type them for a shell: blanks between, quotes around, a backslash before. No shell runs.

/// The words of a line; what is left open is named.
pub fn split(line: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = line.chars();
    while let Some(c) = characters.next() {
        match c {
            ' ' | '\t' => words.extend(word.take()),
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next() {
                        None => return Err(format!("A quote {c} is not closed in `{line}`.")),
                        Some(end) if end == c => break,
                        Some('\\') if c == '"' => word.extend(characters.next()),
                        Some(inside) => word.push(inside),
                    }
                }
            }
            '\\' => match characters.next() {
                Some(next) => word.get_or_insert_default().push(next),
                None => return Err(format!("A backslash stands at the end of `{line}`.")),
            },
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Ok(words)
}

/// The same for what a program is given: a word that a shell would take for a redirection is not passed on in silence.
pub fn arguments(line: &str) -> Result<Vec<String>, String> {
    let mut before = ' ';
    for (at, c) in line.char_indices() {
        let is_begin = matches!(before, ' ' | '\t');
        before = c;
        let (gone, word) = line.split_at(at);
        let sign = word.trim_start_matches(|c: char| c.is_ascii_digit());
        // What is open before it, a quote or a backslash, takes it in.
        if is_begin && sign.starts_with(['<', '>', '|']) && split(gone).is_ok() {
            let word = word.split([' ', '\t']).next().unwrap_or_default();
            return Err(format!("No shell reads `{word}`: quote it to pass it on."));
        }
    }
    split(line)
}

/// A line that [`split`] takes apart into these words again.
pub fn join<S: AsRef<str>>(words: impl IntoIterator<Item = S>) -> String {
    let quoted: Vec<String> = words.into_iter().map(|w| quote(w.as_ref())).collect();
    quoted.join(" ")
}

fn quote(word: &str) -> String {
    if !word.is_empty() && !word.contains([' ', '\t', '\'', '"', '\\']) {
        return word.to_owned();
    }
    format!("\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn quotes_and_backslashes_are_understood() {
        assert_eq!(
            split(r#"a "b c" 'd "e' f\ g """#).unwrap(),
            ["a", "b c", "d \"e", "f g", ""]
        );
        assert!(split("it's").unwrap_err().contains("`it's`"));
        assert!(split("x\\").is_err());
    }

    #[test]
    fn what_is_meant_for_a_shell_is_not_passed_on() {
        for line in [
            "read < in",
            "x >out",
            "x 2> out",
            "a | b",
            "<<< x",
            ">> log",
        ] {
            let told = arguments(line).unwrap_err();
            assert!(told.contains("quote it"), "{line}: {told}");
        }
        for line in [
            "a '<' b",
            "\"x > y\"",
            "a \\> b",
            "a->b",
            "$HOME *.c",
            "1 2",
        ] {
            assert_eq!(arguments(line), split(line), "{line}");
        }
    }

    proptest! {
        #[test]
        fn what_is_joined_comes_apart_again(words in prop::collection::vec("[a-z \t'\"\\\\é]{0,6}", 0..6)) {
            prop_assert_eq!(split(&join(&words)).unwrap(), words);
        }
    }
}
