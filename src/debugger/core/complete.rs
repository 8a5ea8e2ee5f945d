//! Completions for what is typed at the console, as text and columns that adapters with a command line of their own understand.
//!
//! There an expression is completed as the argument of a command that prints it, and only what follows a `!` as a command.
//! What comes back is put into terms of the typed text again. Sending is left to `evaluate`.

use dap::types::CompletionItem;

use super::prelude::*;

/// A line as it is sent for completion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompletionQuery {
    /// The text to send.
    pub text: String,
    /// Column in it, in UTF-16 code units counted from 1.
    pub column: i64,
    /// What was typed up to the cursor.
    typed: String,
    /// What was put before the typed text.
    added: String,
    /// What was taken from the front of the typed text.
    removed: String,
}

impl CompletionQuery {
    /// For a line with the cursor behind `cursor` characters.
    pub fn new(personality: &Personality, line: &str, cursor: usize) -> Self {
        let typed: String = line.chars().take(cursor).collect();
        let rest = line.get(typed.len()..).unwrap_or_default();
        let bang = typed
            .trim_start()
            .strip_prefix('!')
            .filter(|_| personality.repl_is_command);
        let (added, sent) = match bang {
            Some(command) => (String::new(), command.trim_start()),
            None => (personality.completion_prefix.clone(), typed.as_str()),
        };
        let removed = typed
            .get(..typed.len() - sent.len())
            .unwrap_or_default()
            .to_owned();
        let before = format!("{added}{sent}");
        Self {
            column: before.encode_utf16().count() as i64 + 1,
            text: format!("{before}{rest}"),
            added,
            removed,
            typed,
        }
    }

    /// An answer in terms of the line that was typed: what it replaces begins at `start`, counted in characters from 1.
    pub fn told(&self, mut item: CompletionItem) -> Option<CompletionItem> {
        let shift = self.removed.chars().count() as i64 - self.added.chars().count() as i64;
        if !self.added.is_empty() {
            if let Some(label) = item.label.strip_prefix(&self.added) {
                item.label = label.into();
            }
            item.text = item
                .text
                .map(|text| text.strip_prefix(&self.added).unwrap_or(&text).to_owned());
        }
        if let Some(start) = &mut item.start {
            *start = start.checked_add(shift)?;
            return Some(item);
        }
        // Without a place, as much of what was typed is replaced as the completion begins with: a name, or all of the line.
        let whole = item.text.as_ref().unwrap_or(&item.label);
        let line = self
            .typed
            .strip_prefix(&self.removed)
            .unwrap_or(&self.typed);
        let overlap = line
            .char_indices()
            .map(|(at, _)| line.get(at..).unwrap_or_default())
            .find(|tail| whole.starts_with(tail));
        if whole.is_empty() || overlap == Some(whole.as_str()) {
            // Nothing would be added.
            return None;
        }
        if let Some(tail) = overlap {
            let length = tail.chars().count();
            item.start = Some((self.typed.chars().count() - length) as i64 + 1);
            item.length = Some(length as i64);
        }
        Some(item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gdb() -> Personality {
        Personality {
            repl_is_command: true,
            completion_prefix: "print ".into(),
            ..Personality::default()
        }
    }

    fn item(label: &str) -> CompletionItem {
        CompletionItem {
            label: label.into(),
            ..CompletionItem::default()
        }
    }

    #[test]
    fn an_expression_is_completed_as_one() {
        let asked = CompletionQuery::new(&gdb(), "add(tot", 7);
        assert_eq!((asked.text.as_str(), asked.column), ("print add(tot", 14));
        let told = asked.told(item("print add(total")).unwrap();
        assert_eq!(
            (told.label.as_str(), told.start, told.length),
            ("add(total", Some(1), Some(7))
        );
        let word = asked.told(item("total")).unwrap();
        assert_eq!((word.start, word.length), (Some(5), Some(3)));
        assert_eq!(asked.told(item("print add(tot")), None);
    }

    #[test]
    fn a_command_is_completed_behind_its_mark() {
        let asked = CompletionQuery::new(&gdb(), "! inf loc", 5);
        assert_eq!((asked.text.as_str(), asked.column), ("inf loc", 4));
        let told = asked.told(item("info")).unwrap();
        assert_eq!((told.start, told.length), (Some(3), Some(3)));
    }

    #[test]
    fn others_are_asked_and_believed_as_they_are() {
        let asked = CompletionQuery::new(&Personality::default(), "!é.to", 5);
        assert_eq!((asked.text.as_str(), asked.column), ("!é.to", 6));
        let there = CompletionItem {
            start: Some(3),
            length: Some(2),
            ..item("total")
        };
        assert_eq!(asked.told(there.clone()), Some(there));
    }
}
