//! Where a script of JavaScript begins: the line of the first statement of its own that runs.
//!
//! V8 moves a breakpoint at a script's beginning to the first code behind it, and that may be in a function that comes before all statements.
//! This reads lines, not the language: a statement is looked for where a line begins outside of every bracket. Where brackets do not add up
//! (one in a regular expression) nothing is found, and the adapter's own stop at entry has to do.

use std::io::Read as _;

use crate::prelude::*;

/// The most of a file that is read, in bytes.
const MOST: u64 = 1 << 20;

/// The beginning of a script that V8 itself may take to be in a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScriptEntry {
    /// The line, from 1.
    pub line: i64,
    pub is_module: bool,
    /// It names a source map.
    pub is_translated: bool,
}

/// None for a script that is no module and does not begin with a function, or where it cannot be told.
pub fn script_entry(program: &Path) -> Option<ScriptEntry> {
    let is_file = program.metadata().is_ok_and(|m| m.is_file());
    let mut text = Vec::new();
    let file = is_file.then(|| File::open(program).ok()).flatten()?;
    file.take(MOST).read_to_end(&mut text).ok()?;
    let named = program
        .extension()
        .is_some_and(|e| e == "mjs" || e == "mts");
    let text = String::from_utf8_lossy(&text);
    let (line, is_module) = first_statement(&text, named)?;
    Some(ScriptEntry {
        line,
        is_module,
        is_translated: text.contains("//# sourceMappingURL="),
    })
}

/// Its line, and whether it is one of a module.
fn first_statement(text: &str, named_module: bool) -> Option<(i64, bool)> {
    let (mut is_module, mut depth, mut open) = (named_module, 0_u32, None);
    let (mut found, mut begins_with_function) = (None, false);
    for (number, line) in (1..).zip(text.lines()) {
        if depth == 0 && open.is_none() {
            is_module |= ["import", "export"].iter().any(|word| {
                let rest = line.strip_prefix(word);
                rest.is_some_and(|rest| !rest.starts_with(is_of_a_name))
            });
            if found.is_none() && is_statement(line) {
                found = Some(number);
            }
            begins_with_function |= found.is_none()
                && (line.starts_with("function") || line.starts_with("async function"));
        }
        if let Some(line) = found.filter(|_| is_module) {
            return Some((line, true));
        }
        (depth, open) = after(line, depth, open)?;
    }
    Some((found.filter(|_| begins_with_function)?, false))
}

fn is_of_a_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Whether code runs where this line at the top level begins.
fn is_statement(line: &str) -> bool {
    let line = line.strip_prefix("export default ").unwrap_or(line);
    let line = line.strip_prefix("export ").unwrap_or(line);
    let end = line.find(|c| !is_of_a_name(c));
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
    fn a_script_begins_at_its_first_statement_and_not_in_a_function_before_it() {
        let entry = |text| first_statement(text, false);
        let table = [
            (
                "import a from 'a';\nfunction f() {\n  return 1;\n}\nf();\n",
                Some((5, true)),
            ),
            (
                "import {\n  a,\n} from 'a';\n/*\nrun()\n*/\nexport const x = `\nf()\n`;\n",
                Some((7, true)),
            ),
            (
                "#!/usr/bin/env node\n// x\nimport './a';\nexport default async function f() {}\nlet y;\nif (y) {\n}\n",
                Some((6, true)),
            ),
            (
                "'use strict';\nawait 1;\nexport class A {\n}\n",
                Some((2, true)),
            ),
            // What is no module, with a function first or not.
            (
                "\"use strict\";\nfunction f() {\n}\nf();\n",
                Some((4, false)),
            ),
            (
                "async function f() {\n  await 1;\n}\nf();\n",
                Some((4, false)),
            ),
            ("exports.f = f;\nfunction f() {\n}\nf();\n", None),
            ("const a = require('a');\na();\n", None),
            // Brackets in a regular expression.
            (
                "import 'a';\nfunction f() {\n  return /[)}]}/;\n}\nf();\n",
                None,
            ),
        ];
        for (text, expected) in table {
            assert_eq!(entry(text), expected, "{text}");
        }
        assert_eq!(
            first_statement("function f() {}\nf();\n", true),
            Some((2, true))
        );
    }
}
