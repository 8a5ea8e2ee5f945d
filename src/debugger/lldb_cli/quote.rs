//! Words for lldb's command line, and data for its Python: whatever a file, a function or a condition is called, it stays one word.
//!
//! lldb cuts a line into words by quotes and backslashes; inside double quotes only these two are special. Versions before 16 also
//! evaluated what stood in backticks there, so they are not used (see [`BACKTICKS`]). A line break ends a command and has no
//! spelling at all, so a word with one is refused.

/// A command that fails, and what its complaint quotes when backticks in quotes stay as they are.
pub const BACKTICKS: [&str; 2] = ["target create \"/no/`1+1`/program\"", "/no/`1+1`/program"];

/// One word in quotes; what the word is, is told where it cannot be said on a command line.
pub fn quoted(what: &str, text: &str) -> Result<String, String> {
    if text.contains(['\n', '\r', '\0']) {
        return Err(format!(
            "{what} {text:?} has a line break in it, which lldb's command line cannot take; write it in one line"
        ));
    }
    let mut word = String::with_capacity(text.len() + 2);
    word.push('"');
    for character in text.chars() {
        if matches!(character, '"' | '\\') {
            word.push('\\');
        }
        word.push(character);
    }
    word.push('"');
    Ok(word)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// lldb's own reading of a line, after `Args::SetCommandString`: the words, or nothing when a part would be evaluated.
    fn read(line: &str) -> Option<Vec<String>> {
        let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
        let mut characters = line.chars().peekable();
        while let Some(character) = characters.next() {
            match (quote, character) {
                (None, ' ' | '\t') => words.extend(word.take()),
                (None, '`') => return None,
                (None, '"' | '\'') => {
                    quote = Some(character);
                    word.get_or_insert_default();
                }
                (Some(open), _) if open == character => quote = None,
                (Some('"'), '\\') => {
                    let word = word.get_or_insert_default();
                    match characters.peek() {
                        Some('"' | '\\') => word.extend(characters.next()),
                        _ => word.push('\\'),
                    }
                }
                (None, '\\') => word.get_or_insert_default().extend(characters.next()),
                _ => word.get_or_insert_default().push(character),
            }
        }
        words.extend(word);
        quote.is_none().then_some(words)
    }

    proptest! {
        ///
        #[test]
        fn any_text_stays_one_word_and_one_line(text in "[\\PC \"'`\\\\;$#\\-]{0,40}") {
            let line = format!("breakpoint set --file {} --line 3", quoted("the file", &text).unwrap());
            prop_assert!(!line.contains(['\n', '\r']));
            let words = read(&line).unwrap();
            prop_assert_eq!(words, vec!["breakpoint", "set", "--file", text.as_str(), "--line", "3"]);
        }

        #[test]
        fn a_line_break_is_refused_wherever_it_stands(before in "\\PC{0,9}", after in "\\PC{0,9}", which in "[\n\r\u{0}]") {
            let refused = quoted("the condition", &format!("{before}{which}{after}")).unwrap_err();
            prop_assert!(refused.contains("the condition"));
        }
    }
}
