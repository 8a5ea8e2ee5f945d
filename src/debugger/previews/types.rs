//! Types as a person says them: without the paths of their modules and without arguments that everybody leaves out.

use super::path::pointed_type;

/// Arguments of templates and generics that are what they are unless somebody says otherwise, by the beginning of their short form.
const DEFAULTS: &[&str] = &[
    "Global",
    "RandomState",
    "allocator<",
    "char_traits<",
    "less<",
    "hash<",
    "equal_to<",
    "default_delete<",
    // No extent of a span that is known to the compiler.
    "18446744073709551615",
];
/// What types are called, by their whole short form.
const CALLED: &[(&str, &str)] = &[
    ("basic_string<char>", "string"),
    ("basic_string_view<char>", "string_view"),
    ("basic_string<wchar_t>", "wstring"),
];
/// Characters of a type that are looked at.
const LONGEST: usize = 2000;

/// `std::collections::hash::map::HashMap<alloc::string::String, u32, …>` as `HashMap<String, u32>`. What has no `::` stays as it is.
pub fn short_type(full: &str) -> String {
    if !full.contains("::") {
        return full.to_owned();
    }
    let full: String = full.chars().take(LONGEST).collect();
    let mut rest = full.as_str();
    list(&mut rest, 0)
}

/// The name of a type without what it is made with: `Node`, `vector`.
pub fn last_name(full: &str) -> String {
    // Rust's unit.
    if full == "()" {
        return full.to_owned();
    }
    let short = short_type(pointed_type(full));
    let words = [
        "const ",
        "volatile ",
        "struct ",
        "class ",
        "union ",
        "enum ",
    ];
    let short = words
        .iter()
        .fold(&*short, |name, word| name.trim_start_matches(word));
    if is_nameless(short) {
        return String::new();
    }
    let end = short.find(['<', ' ', '*', '&']).unwrap_or(short.len());
    let name = short.get(..end).unwrap_or_default();
    name.trim_start_matches(['&', '(', '[']).to_owned()
}

/// A struct or union of C without a name, as debuggers call one.
pub fn is_nameless(type_name: &str) -> bool {
    ["{...}", "(anonymous ", "(unnamed "]
        .iter()
        .any(|called| type_name.contains(called))
}

/// One level of a type: everything up to the bracket that closes it.
fn list(rest: &mut &str, depth: usize) -> String {
    let mut arguments: Vec<String> = Vec::new();
    let mut current = String::new();
    while let Some(character) = rest.chars().next() {
        if depth > 0 && matches!(character, '>' | ')' | ']') {
            // An arrow closes nothing.
            if !(character == '>' && current.ends_with('-')) {
                break;
            }
        }
        *rest = rest.get(character.len_utf8()..).unwrap_or_default();
        match character {
            ':' if rest.starts_with(':') => {
                *rest = rest.get(1..).unwrap_or_default();
                drop_path(&mut current);
            }
            '<' | '(' | '[' if depth < 30 => {
                let inside = list(rest, depth + 1);
                let close = rest.chars().next();
                *rest = rest
                    .get(close.map_or(0, char::len_utf8)..)
                    .unwrap_or_default();
                if !(character == '<' && inside.is_empty()) {
                    current.push(character);
                    current.push_str(&inside);
                    current.extend(close);
                }
                let called = CALLED.iter().find(|(form, _)| current.ends_with(form));
                if let Some((form, called)) = called {
                    current.truncate(current.len() - form.len());
                    current.push_str(called);
                }
            }
            ',' => arguments.push(std::mem::take(&mut current)),
            _ => current.push(character),
        }
    }
    arguments.push(current);
    let is_default = |argument: &String| {
        let argument = argument.trim();
        depth > 0
            && (DEFAULTS.contains(&argument)
                || DEFAULTS
                    .iter()
                    .any(|d| d.ends_with('<') && argument.starts_with(d)))
    };
    let kept = arguments
        .iter()
        .filter(|a| !is_default(a))
        .map(|a| a.trim());
    kept.collect::<Vec<_>>().join(", ")
}

/// Takes the last name from a text: it was the name of a module.
fn drop_path(text: &mut String) {
    if let Some(braces) = text.strip_suffix('}').and_then(|t| t.rfind('{')) {
        text.truncate(braces);
    } else if text.ends_with('>') {
        // A type that holds another one: `Outer<T>::Inner`.
        let open = matching(text).unwrap_or(text.len());
        text.truncate(open);
    }
    let name = text
        .trim_end_matches(|c: char| c.is_alphanumeric() || c == '_')
        .len();
    text.truncate(name);
}

/// Where the last bracket of a text was opened.
fn matching(text: &str) -> Option<usize> {
    let mut depth = 0_u32;
    text.char_indices().rev().find_map(|(at, c)| {
        match c {
            '>' => depth += 1,
            '<' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        (depth == 0).then_some(at)
    })
}
