//! The key reference as Markdown, printed from the tables: `docs/keys.md` is this text, held there by a test.

use std::fmt::Write as _;

use super::{Section, keymap};

/// One heading and one table for each section that has rows.
pub fn markdown(sections: &[Section]) -> String {
    let mut out = String::new();
    for section in sections.iter().filter(|s| !s.rows.is_empty()) {
        // Writing to a String cannot fail.
        let _ = write!(
            out,
            "### {}\n\n| keys | action | name in `[keys]` |\n|---|---|---|\n",
            section.title
        );
        for row in &section.rows {
            let keys: Vec<String> = row
                .keys
                .iter()
                .map(|k| format!("`{}`", keymap::pretty(k).replace('|', "\\|")))
                .collect();
            let _ = writeln!(
                out,
                "| {} | {} | `{}` |",
                keys.join(" "),
                row.title.replace('|', "\\|"),
                row.id
            );
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::{Keys, Row, Show};

    #[test]
    fn a_row_becomes_a_line_of_the_table() {
        let section = Section {
            title: "Debug",
            rows: vec![Row {
                id: "debug.or",
                title: "this | that",
                keys: Keys::Table(&["|", "shift-f11"]),
                show: Show::HelpOnly,
                enabled: Err("not now"),
            }],
        };
        let text = markdown(&[section]);
        assert!(text.starts_with("### Debug\n\n| keys |"), "{text}");
        assert!(
            text.contains("| `\\|` `Shift-F11` | this \\| that | `debug.or` |\n"),
            "{text}"
        );
    }
}
