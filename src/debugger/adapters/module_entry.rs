//! Where an ECMAScript module begins: the line of the first statement of its own that runs.
//!
//! V8 moves a breakpoint at a module's beginning to the first code behind it, and that may be in a function that comes before all statements.
//! This reads lines, not the language: a statement is looked for where a line begins outside of every bracket. Where brackets do not add up
//! (one in a regular expression) nothing is found, and the adapter's own stop at entry has to do.

use std::io::Read as _;

use crate::prelude::*;

/// The most of a file that is read, in bytes.
const MOST: u64 = 1 << 20;

/// The line, from 1; none for what is no module, or where it cannot be told.
pub fn module_entry(program: &Path) -> Option<i64> {
    let is_file = program.metadata().is_ok_and(|m| m.is_file());
    let mut text = Vec::new();
    let file = is_file.then(|| fs::File::open(program).ok()).flatten()?;
    file.take(MOST).read_to_end(&mut text).ok()?;
    let named = program
        .extension()
        .is_some_and(|e| e == "mjs" || e == "mts");
    first_statement(&String::from_utf8_lossy(&text), named)
}

fn first_statement(text: &str, named_module: bool) -> Option<i64> {
    let (mut is_module, mut depth, mut open) = (named_module, 0_u32, None);
    let mut found = None;
    for (number, line) in (1..).zip(text.lines()) {
        if depth == 0 && open.is_none() {
            is_module |= line.starts_with("import") || line.starts_with("export");
            if found.is_none() && is_statement(line) {
                found = Some(number);
            }
        }
        if is_module && found.is_some() {
            return found;
        }
        (depth, open) = after(line, depth, open)?;
    }
    None
}

/// Whether code runs where this line at the top level begins.
fn is_statement(line: &str) -> bool {
    let line = line.strip_prefix("export default ").unwrap_or(line);
    let line = line.strip_prefix("export ").unwrap_or(line);
    let end = line.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$');
    let (word, rest) = line.split_at(end.unwrap_or(line.len()));
    let rest = rest.trim_start();
    match word {
        "import" => rest.starts_with(['(', '.']),
        "function" | "class" | "abstract" | "interface" | "declare" | "type" | "namespace" => {
            // They are names as well.
            rest.starts_with(['=', '.', '('])
        }
        "async" => !rest.starts_with("function"),
        "let" | "var" => rest.contains('='),
        "" => line.starts_with(['(', '[', '+', '-', '!', '`']),
        _ => true,
    }
}

/// How deep in brackets, and in which comment or template (by its last character), the next line begins.
fn after(line: &str, mut depth: u32, mut open: Option<char>) -> Option<(u32, Option<char>)> {
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match (open, c) {
            (Some('/'), '*') if chars.next_if_eq(&'/').is_some() => open = None,
            (Some('/'), _) => {}
            (Some(_), '\\') => drop(chars.next()),
            (Some(end), c) => open = open.filter(|_| c != end),
            (None, '/') if chars.peek() == Some(&'/') => break,
            (None, '/') if chars.next_if_eq(&'*').is_some() => open = Some('/'),
            (None, '"' | '\'' | '`') => open = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.checked_sub(1)?,
            (None, _) => {}
        }
    }
    // Only these go on behind the end of a line.
    Some((depth, open.filter(|end| matches!(end, '/' | '`'))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_begins_at_its_first_statement_and_not_in_a_function_before_it() {
        let entry = |text| first_statement(text, false);
        assert_eq!(
            entry("import a from 'a';\nfunction f() {\n  return 1;\n}\nf();\n"),
            Some(5)
        );
        assert_eq!(
            entry("import {\n  a,\n} from 'a';\n/*\nrun()\n*/\nexport const x = `\nf()\n`;\n"),
            Some(7)
        );
        assert_eq!(
            entry(
                "#!/usr/bin/env node\n// x\nimport './a';\nexport default async function f() {}\nlet y;\nif (y) {\n}\n"
            ),
            Some(6)
        );
        assert_eq!(
            entry("'use strict';\nawait 1;\nexport class A {\n}\n"),
            Some(2)
        );
        // No module, and brackets in a regular expression.
        assert_eq!(entry("const a = require('a');\na();\n"), None);
        assert_eq!(
            entry("import 'a';\nfunction f() {\n  return /[)}]}/;\n}\nf();\n"),
            None
        );
        assert_eq!(first_statement("function f() {}\nf();\n", true), Some(2));
    }
}
