//! Conditions around `&&`, `||`, `!` and brackets, as alternatives: what each clause says is read in `path`.

/// Brackets in each other that are followed.
const DEEPEST: usize = 32;
/// Alternatives that a condition may come to; beyond them it is a clause as it is.
const MOST: usize = 64;

/// A condition as alternatives: it holds where all clauses of one of them do, looked at one after the other.
pub fn alternatives(condition: &str) -> Vec<Vec<String>> {
    if binds_less(condition) {
        return vec![vec![condition.trim().to_owned()]];
    }
    of(condition, true, DEEPEST)
}

/// Whether it has an assignment or `?:`, which bind less than `&&` and `||` do: then it does not fall into clauses.
fn binds_less(condition: &str) -> bool {
    let at = |at: usize| condition.as_bytes().get(at).copied();
    outside(condition).any(|(here, _)| match at(here) {
        Some(b'?') => true,
        Some(b'=') => {
            let before = here.checked_sub(1).and_then(at);
            at(here + 1) != Some(b'=') && !before.is_some_and(|it| b"=!<>".contains(&it))
        }
        _ => false,
    })
}

fn of(condition: &str, wanted: bool, depth: usize) -> Vec<Vec<String>> {
    let condition = condition.trim();
    let whole = || {
        let opposite = || format!("!({condition})");
        let clause = wanted.then(|| condition.to_owned());
        vec![vec![clause.unwrap_or_else(opposite)]]
    };
    let Some(depth) = depth.checked_sub(1) else {
        return whole();
    };
    if let Some(inside) = in_brackets(condition) {
        return of(inside, wanted, depth);
    }
    if let Some(inside) = condition.strip_prefix('!').and_then(in_brackets) {
        return of(inside, !wanted, depth);
    }
    // Of what is not to hold, all alternatives fail together, and one of what would hold together is enough.
    for (operator, is_either) in [("||", wanted), ("&&", !wanted)] {
        let parts = split(condition, operator);
        if parts.len() > 1 {
            let mut parts = parts.into_iter().map(|part| of(part, wanted, depth));
            let all = if is_either {
                Some(parts.flatten().collect())
            } else {
                parts.try_fold(vec![vec![]], |these, others| together(&these, &others))
            };
            let all = all.filter(|all: &Vec<_>| all.len() <= MOST);
            return all.unwrap_or_else(whole);
        }
    }
    whole()
}

/// Each of these with each of the others; nothing where that is too many.
fn together(these: &[Vec<String>], others: &[Vec<String>]) -> Option<Vec<Vec<String>>> {
    let with_each = |one: &Vec<String>| {
        let with = |other: &Vec<String>| [&one[..], &other[..]].concat();
        others.iter().map(with).collect::<Vec<_>>()
    };
    let few = these.len() * others.len() <= MOST;
    few.then(|| these.iter().flat_map(with_each).collect())
}

/// What is in the brackets that are around all of a text.
fn in_brackets(text: &str) -> Option<&str> {
    let inside = text.trim().strip_prefix('(')?;
    let (end, _) = outside(inside).find(|(_, depth)| *depth < 0)?;
    inside
        .strip_suffix(')')
        .filter(|inside| inside.len() == end)
}

/// The parts of a condition around an operator that stands in no brackets and in no text.
fn split<'c>(condition: &'c str, operator: &str) -> Vec<&'c str> {
    let (mut parts, mut begin) = (vec![], 0);
    for (at, depth) in outside(condition) {
        let rest = condition.get(at..).unwrap_or_default();
        if depth == 0 && at >= begin && rest.starts_with(operator) {
            parts.push(condition.get(begin..at).unwrap_or_default().trim());
            begin = at + operator.len();
        }
    }
    parts.push(condition.get(begin..).unwrap_or_default().trim());
    parts
}

/// Where the characters are that stand in no text, and how deep in brackets; one that closes is outside of what it closes.
fn outside(text: &str) -> impl Iterator<Item = (usize, i32)> {
    let (mut depth, mut quote, mut escaped) = (0, None, false);
    text.char_indices().filter_map(move |(at, c)| {
        match c {
            _ if escaped => escaped = false,
            '\\' if quote.is_some() => escaped = true,
            '"' | '\'' if quote.is_none() => quote = Some(c),
            _ if quote == Some(c) => quote = None,
            _ if quote.is_some() => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => {
                depth -= 1;
                return Some((at, depth));
            }
            _ => return Some((at, depth)),
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operator_counts_outside_of_brackets_and_texts() {
        for (condition, parts) in [
            ("a == 1 && b", vec!["a == 1", "b"]),
            (
                r#"a == "x && \"y" && f(b && c)"#,
                vec![r#"a == "x && \"y""#, "f(b && c)"],
            ),
            ("c == '&' && d", vec!["c == '&'", "d"]),
            ("", vec![""]),
        ] {
            assert_eq!(split(condition, "&&"), parts, "{condition}");
        }
    }

    #[test]
    fn alternatives_are_those_of_logic() {
        for (condition, told) in [
            ("a", "a"),
            ("((a))", "a"),
            ("(a) + (b)", "(a) + (b)"),
            ("a || b && c", "a | b & c"),
            ("(a || b) && c", "a & c | b & c"),
            ("!(a || !(b && c)) && d", "!(a) & b & c & d"),
            ("!(a && b)", "!(a) | !(b)"),
            ("!a && (b)", "!a & b"),
            ("(a", "(a"),
        ] {
            let all = alternatives(condition)
                .iter()
                .map(|all| all.join(" & "))
                .collect::<Vec<_>>();
            assert_eq!(all.join(" | "), told, "{condition}");
        }
        let many = vec!["(a || b)"; 99].join(" && ");
        assert_eq!(alternatives(&many), [[many.as_str()]]);
        let deep = "(".repeat(1_000) + &")".repeat(1_000);
        assert_eq!(alternatives(&deep).len(), 1);
    }
}
