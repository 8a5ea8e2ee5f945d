//! Names that are not the variable of that name: what functions within a function call their own, keys, names of arguments, and words in
//! long strings.
//!
//! Read from the text alone, by how it is indented and what stands beside a name. In doubt a name is left out: no value is better than
//! another variable's.

use std::ops::RangeInclusive;

use super::{head, indent, names};
use crate::routes::debug::{
    prelude::*,
    source::text::{SourceText, is_in_string},
};

/// Words that begin a function, where comments begin with `#`.
const OF_SCRIPTS: &[&str] = &["def", "sub"];
/// And elsewhere.
const OF_OTHERS: &[&str] = &["fn", "func", "function"];

/// What begins and ends a string over several lines.
const LONG_QUOTES: [&str; 2] = ["\"\"\"", "'''"];

/// Lines in which names are others': some, or all.
#[derive(Debug)]
pub(super) struct Shadows(Vec<(RangeInclusive<usize>, Option<BTreeSet<String>>)>);

impl Shadows {
    /// Those of the functions within these lines, of which the first begins the function that is looked at and the last is in it.
    ///
    /// `nameless`: what is looked at has no name, and may be what the last line makes.
    pub(super) fn of(
        text: &SourceText,
        lines: &RangeInclusive<usize>,
        comment: &str,
        nameless: bool,
    ) -> Self {
        let mut all = Vec::new();
        let begin = if comment == "#" {
            OF_SCRIPTS
        } else {
            OF_OTHERS
        };
        for index in lines.clone().skip(1) {
            let line = head(text.line(index));
            let depth = indent(line);
            let body = (index + 1..=*lines.end()).take_while(|at| indent(text.line(*at)) > depth);
            let end = body.last().unwrap_or(index);
            if end == *lines.end() && end > index {
                // What is looked at is in it.
                continue;
            }
            if nameless && index == *lines.end() {
                continue;
            }
            let opens = line.trim_end().ends_with(['{', '(', ':']);
            let last = if opens { end } else { index };
            for (at, word) in names(line, comment) {
                let rest = line.get(at + word.len()..).unwrap_or_default();
                if word == "lambda" {
                    let own = rest.split(':').next().unwrap_or_default();
                    all.push((index..=index, Some(words(own))));
                } else if begin.contains(&word) && !is_in_string(line, at, comment) {
                    let own = rest.trim_start().strip_prefix('(');
                    if word == "fn" && own.is_some() {
                        // A type of Rust's, or a call.
                        continue;
                    }
                    let own = own.map(|own| words(own.split(')').next().unwrap_or_default()));
                    all.push((index..=last, own));
                }
            }
            let arrows = line.match_indices("=>").filter(|_| comment != "#");
            all.extend(arrows.map(|(at, _)| (index..=last, Some(before_arrow(line, at)))));
            all.extend(between_bars(line).map(|own| (index..=last, Some(words(own)))));
        }
        let strings = in_long_strings(text, lines.clone(), comment).into_iter();
        all.extend(strings.map(|index| (index..=index, None)));
        Self(all)
    }

    /// Whether the name is another's in this line.
    pub(super) fn hide(&self, index: usize, name: &str) -> bool {
        let mut there = self.0.iter().filter(|(lines, _)| lines.contains(&index));
        there.any(|(_, own)| own.as_ref().is_none_or(|own| own.contains(name)))
    }
}

/// Lines with a part of a string that goes over several lines, as docstrings of Python do.
fn in_long_strings(
    text: &SourceText,
    lines: RangeInclusive<usize>,
    comment: &str,
) -> BTreeSet<usize> {
    let mut open: Option<&str> = None;
    let mut is_in_one = |index: &usize| {
        let mut rest = head(text.line(*index));
        let was_inside = open.is_some();
        loop {
            let quotes = LONG_QUOTES.into_iter();
            let quotes = quotes.filter(|quote| open.is_none_or(|open| open == *quote));
            let found = quotes.filter_map(|quote| Some((rest.find(quote)?, quote)));
            let Some((at, quote)) = found.min() else {
                return was_inside || open.is_some();
            };
            open = open.is_none().then_some(quote);
            rest = rest.get(at + quote.len()..).unwrap_or_default();
        }
    };
    let lines = lines.filter(|_| comment == "#");
    lines.filter(|index| is_in_one(index)).collect()
}

/// The line in which the brackets end that a function begins with.
pub(super) fn header(text: &SourceText, lines: &RangeInclusive<usize>) -> usize {
    let mut open = None;
    let mut lines = lines.clone();
    let first = *lines.start();
    let end = lines.find(|index| {
        for c in head(text.line(*index)).chars() {
            match c {
                '(' => open = Some(open.unwrap_or(0) + 1),
                ')' => open = open.map(|open: i32| open - 1),
                _ => {}
            }
            if open == Some(0) {
                return true;
            }
        }
        // A function without any.
        open.is_none()
    });
    end.unwrap_or(first)
}

/// Whether what begins at `at` names a part of what is made there, or an argument, and not a variable.
pub(super) fn is_label(line: &str, at: usize, name: &str, comment: &str) -> bool {
    let before = line.get(..at).unwrap_or_default().trim_end();
    let after = line.get(at + name.len()..).unwrap_or_default().trim_start();
    if comment == "#" {
        let is_given =
            after.starts_with('=') && !after.starts_with("==") && !after.starts_with("=~");
        return is_given && innermost(before) == Some('(');
    }
    let is_first = before.is_empty() && line.trim_end().ends_with(',');
    after.starts_with(':')
        && !after.starts_with("::")
        && (is_first || before.ends_with(['{', ',']) && innermost(before) == Some('{'))
}

/// The bracket that is still open at the end of this.
fn innermost(text: &str) -> Option<char> {
    let mut closed = 0;
    text.chars().rev().find(|c| match c {
        ')' | ']' | '}' => {
            closed += 1;
            false
        }
        '(' | '[' | '{' if closed > 0 => {
            closed -= 1;
            false
        }
        c => matches!(c, '(' | '[' | '{'),
    })
}

fn words(text: &str) -> BTreeSet<String> {
    names(text, "").map(|(_, name)| name.to_owned()).collect()
}

/// What the function is given whose arrow stands at `at`.
fn before_arrow(line: &str, at: usize) -> BTreeSet<String> {
    let before = line.get(..at).unwrap_or_default().trim_end();
    let Some(inside) = before.strip_suffix(')') else {
        return names(before, "")
            .last()
            .into_iter()
            .map(|(_, name)| name.to_owned())
            .collect();
    };
    let mut open = 1;
    let begin = inside.char_indices().rev().find(|(_, c)| {
        open += i32::from(*c == ')') - i32::from(*c == '(');
        open == 0
    });
    words(
        inside
            .get(begin.map_or(0, |(at, _)| at)..)
            .unwrap_or_default(),
    )
}

/// What closures are given between bars: `|a, b|`, where a value may begin.
fn between_bars(line: &str) -> impl Iterator<Item = &str> {
    let mut parts = line.split('|');
    let mut before = parts.next().unwrap_or_default();
    let mut rest = parts;
    std::iter::from_fn(move || {
        loop {
            let own = rest.next()?;
            let begins = before.trim_end();
            let begins = begins.ends_with(['(', ',', '=', '{', '&'])
                || [" move", " do", "return"]
                    .iter()
                    .any(|word| begins.ends_with(word));
            if begins {
                before = rest.next().unwrap_or_default();
                return Some(own);
            }
            before = own;
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words of the last line but one are looked at: which of them are others'.
    fn hidden(code: &str, comment: &str) -> String {
        let text = SourceText::new(code);
        let shadows = Shadows::of(&text, &(0..=text.len() - 1), comment, false);
        let lines = (0..text.len()).flat_map(|index| {
            let line = text.line(index).to_owned();
            let all: Vec<_> = names(&line, comment)
                .filter(|(at, name)| {
                    shadows.hide(index, name) || is_label(&line, *at, name, comment)
                })
                .map(|(_, name)| format!("{index}:{name}"))
                .collect();
            all
        });
        lines.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_inner_functions_call_their_own_is_not_the_variable() {
        let python = "def main():\n    inner = lambda label: len(label)\n    def g(total):\n        return total\n    f(total=1)\n    end(total == 1)";
        assert_eq!(
            hidden(python, "#"),
            "1:label 1:label 2:def 2:g 2:total 3:return 3:total 4:total"
        );
        let script = "function f() {\n  const inner = (label, b) => label.length + total;\n  each(x => {\n    use(x, total);\n  });\n  return total;";
        assert_eq!(hidden(script, "//"), "1:label 1:b 1:label 2:x 3:x");
        let rust = "fn f() {\n    let n = items.map(|item| item.n + total);\n    let m = total | mask;\n    total";
        assert_eq!(hidden(rust, "//"), "1:item 1:item");
        // What is looked at is in the inner one.
        let inside = "function f() {\n  each((x) => {\n    use(x);";
        assert_eq!(hidden(inside, "//"), "");
    }

    #[test]
    fn what_a_line_makes_is_its_own_where_the_program_stands_in_it() {
        let text = SourceText::new("f()\n  each(x => x.total)");
        let hides = |nameless| Shadows::of(&text, &(0..=1), "//", nameless).hide(1, "x");
        assert!(hides(false) && !hides(true));
    }

    #[test]
    fn a_signature_may_take_lines() {
        let of = |code: &str| {
            let text = SourceText::new(code);
            header(&text, &(0..=text.len() - 1))
        };
        assert_eq!(
            of("fn ship(\n    order: &Order,\n    total: u32,\n) -> u32 {\n    f()"),
            3
        );
        assert_eq!(of("def f(a, b):\n    g(a)"), 0);
        assert_eq!(of("begin\n    g(a)"), 0);
    }

    #[test]
    fn keys_are_no_variables() {
        let script =
            "f() {\n  o = { total: 99, a: total };\n  f({\n    total: 1,\n  });\n  x ? total : 2";
        assert_eq!(hidden(script, "//"), "1:total 1:a 3:total");
        let rust = "f(total: u32, n: u8) {\n    let total: u32 = Point { total, n: 1 };";
        assert_eq!(hidden(rust, "//"), "1:n");
    }
}
