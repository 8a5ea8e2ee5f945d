//! Expressions that name a part of what is shown, `root.kids[0].name`, `m["a"]`, `*shared`, `s.len()`, and what the way into a value
//! is, by the same rules by which it is shown. To ask for parts on the way is the core's.

pub use super::rules::Comparison;
use super::{
    Part,
    alternatives::alternatives,
    is_address,
    rules::{As, OPERATORS, Operator, Piece, ShownAs, find},
};

/// A name, and the way from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// What the debugger's own evaluator knows.
    pub base: String,
    /// At least one, unless something is compared.
    pub steps: Vec<Step>,
    /// What is there is compared with this, and the answer is whether it holds.
    pub compared: Option<Comparison>,
    /// Several clauses, of which one at least is ours: it is asked if all of one of these hold, looked at one after the other. Then there is
    /// nothing else.
    pub any: Vec<Vec<String>>,
}

impl Path {
    /// Whether a debugger's own evaluator may take it for something else: for a call, for an index into what holds the elements, or for a
    /// text that it makes in the program first.
    pub fn is_ours(&self) -> bool {
        let has_own_step = self.steps.iter().any(|step| !matches!(step, Step::Part(_)));
        has_own_step || !self.any.is_empty() || self.compares_text()
    }

    /// Whether it is asked if something holds.
    pub fn compares(&self) -> bool {
        self.compared.is_some() || !self.any.is_empty()
    }

    /// Whether it says if a condition holds: it compares, or counts what we count.
    pub fn decides(&self) -> bool {
        self.compares() || self.counts()
    }

    fn counts(&self) -> bool {
        let last = self.steps.last();
        last.is_some_and(|step| matches!(step, Step::Length | Step::Count(_)))
    }

    /// Whether its last step is a question.
    fn asks(&self) -> bool {
        let last = self.steps.last();
        last.is_some_and(|step| matches!(step, Step::IsEmpty | Step::Holds(_) | Step::Contains(_)))
    }

    /// Whether it is asked if a text is this one.
    pub fn compares_text(&self) -> bool {
        let is_of_text = self.compared.as_ref().is_some_and(Comparison::is_of_text);
        let mut clauses = self.any.iter().flatten().filter_map(|it| clause_of(it));
        is_of_text || clauses.any(|clause| clause.compares_text())
    }
}

/// A step into a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A part by its name, or by its number in a tuple.
    Part(String),
    /// An element by its number or key, as it was written.
    Element(String),
    /// What it points to or wraps.
    Inside,
    /// How many elements it has.
    Length,
    /// Whether it has none.
    IsEmpty,
    /// Its last element.
    Last,
    /// Whether there is a value in it, of what may have none: or, with false, whether there is none.
    Holds(bool),
    /// That value.
    Held,
    /// How often a key or an element is there.
    Count(String),
    /// Whether it is.
    Contains(String),
}

/// Why a step could not be taken, for a person.
pub(crate) enum Lost {
    Absent(String),
    /// Nothing here is known by that name or number: the adapter may know more. With what there is, where that helps.
    Unknown(Option<String>),
}

/// What is between a value and what a person takes for its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Its parts are elements, so many where that is known.
    List(Option<usize>),
    /// Its parts are named by their keys.
    Map(Option<usize>),
    /// Each part is a key and a value.
    Pairs(Option<usize>),
    /// It is shown as what these names lead to, and for the second as what that points to.
    Through(Vec<String>, bool),
    /// A text that the first names lead to; the second ones lead to how many bytes of it there are.
    Text(Vec<String>, Vec<String>),
    /// Its elements are not known; these names lead to their number.
    Counted(Vec<String>),
    /// An address, with what it points to.
    Pointer,
    /// Its parts are what they are.
    Plain,
}

/// What is between a value and its parts.
pub fn shape(part: &Part) -> Shape {
    let announced = part.indexed.and_then(|n| usize::try_from(n).ok());
    let is_array = part.type_name.ends_with(']') || announced.is_some_and(|n| n > 0);
    match find(part) {
        Some(found) => {
            let size = found.size.or(announced);
            let mut ways = found.rule.pieces().filter_map(|piece| match piece {
                Piece::Path(path, ShownAs::Shown) => Some((path, false)),
                Piece::Path(path, ShownAs::Pointee) => Some((path, true)),
                _ => None,
            });
            let way = ways.next().filter(|_| ways.next().is_none());
            match found.rule.form {
                As::List => Shape::List(size),
                As::Map => Shape::Map(size),
                As::Pairs => Shape::Pairs(size),
                As::Tuple
                | As::Fields
                | As::Closure
                | As::Duration
                | As::Nanoseconds
                | As::Time => Shape::Plain,
                As::Counted => {
                    Shape::Counted(way.map(|(path, _)| path.clone()).unwrap_or_default())
                }
                As::Text => match found.rule.pieces().collect::<Vec<_>>().as_slice() {
                    [Piece::Path(text, _), .., Piece::Path(size, _)] => {
                        Shape::Text(text.clone(), size.clone())
                    }
                    _ => Shape::Plain,
                },
                As::Show => way.map_or(Shape::Plain, |(path, pointee)| {
                    Shape::Through(path.clone(), pointee)
                }),
            }
        }
        None if part.reference == 0 => Shape::Plain,
        None if is_address(part.value.trim()) && !part.type_name.contains("::*") => Shape::Pointer,
        // A map of Go's, whose keys may be numbers.
        None if part.type_name.starts_with("map[") => Shape::Map(announced),
        None if is_array => Shape::List(announced),
        None => Shape::Plain,
    }
}

/// What a pointer's type is without the pointer.
pub fn pointed_type(type_name: &str) -> &str {
    let fronts = ["&mut ", "&", "*mut ", "*const "];
    let front = fronts
        .iter()
        .find_map(|front| type_name.strip_prefix(front));
    front.map_or_else(
        || type_name.trim_end_matches(['*', '&', ' ']),
        |rest| rest.trim_start(),
    )
}

/// A key as it would be shown: `'a'` and `"a"` are what they are, numbers lose their suffix; `None` for an expression.
pub fn literal(key: &str) -> Option<String> {
    let is_quoted = key.starts_with(['"', '\'']) && Reader { rest: key }.quoted() == Some(key);
    if is_quoted || matches!(key, "true" | "false") {
        return Some(key.to_owned());
    }
    let digits = key.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number: i128 = digits.replace('_', "").parse().ok()?;
    Some(number.to_string())
}

/// Bytes of a text that a debugger shows in quotes; `None` where it is none, or where it may be cut.
pub fn text_length(value: &str) -> Option<usize> {
    beginning(value, usize::MAX).map(|(length, _)| length)
}

/// So many bytes of such a text, and how it shows them.
pub fn beginning(value: &str, most: usize) -> Option<(usize, &str)> {
    let text = value.trim().strip_prefix('"')?.strip_suffix('"')?;
    let (mut rest, mut length) = (text, 0);
    while length < most
        && let Some(c) = rest.chars().next()
    {
        let (bytes, behind) = match rest.strip_prefix('\\') {
            None => (c.len_utf8(), rest.get(c.len_utf8()..)?),
            Some(escape) => match escape.chars().next()? {
                'u' if escape.starts_with("u{") => {
                    let (digits, behind) = escape.get(2..)?.split_once('}')?;
                    let c = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
                    (c.len_utf8(), behind)
                }
                'x' => (1, escape.get(3..)?),
                '0'..='7' => {
                    let digits = escape.bytes().take(3).take_while(u8::is_ascii_digit);
                    (1, escape.get(digits.count()..)?)
                }
                other => (1, escape.get(other.len_utf8()..)?),
            },
        };
        length += bytes;
        rest = behind;
    }
    Some((length, text.strip_suffix(rest)?))
}

/// Reads an expression that is no more than a path, or compares one with a literal, or several with texts among them; `None` for any
/// other, and for a bare name.
pub fn parse(text: &str) -> Option<Path> {
    let any = alternatives(text);
    if let [all] = any.as_slice()
        && let [clause] = all.as_slice()
    {
        return clause_of(clause);
    }
    let mut clauses = any.iter().flatten();
    // Else a debugger of machine code can do it.
    let has_own = clauses.any(|clause| clause_of(clause).is_some_and(|path| path.is_ours()));
    has_own.then(|| Path {
        base: String::new(),
        steps: Vec::new(),
        compared: None,
        any,
    })
}

fn clause_of(text: &str) -> Option<Path> {
    let mut reader = Reader { rest: text.trim() };
    if let Some(path) = (Reader { ..reader }).strcmp() {
        return Some(path);
    }
    if let Some(inside) = reader.rest.strip_prefix('!') {
        let inside = inside
            .strip_prefix('(')
            .and_then(|it| it.strip_suffix(')'))
            .unwrap_or(inside);
        let mut path = clause_of(inside)?;
        if path.compared.is_none() && path.counts() {
            path.compared = Some(Comparison::new(Operator::Equal, "0"));
            return Some(path);
        }
        if !(path.asks() || path.compares_text()) {
            return None;
        }
        path.compared = path.compared.map(Comparison::negated);
        return Some(path);
    }
    if reader.rest.starts_with('"') {
        let operand = reader.quoted()?;
        let (_, operator) = OPERATORS
            .iter()
            .take(2)
            .find(|(word, _)| reader.takes(word))?;
        let mut path = reader.derefs(0)?;
        path.compared = Some(Comparison::new(*operator, operand));
        return reader.rest.is_empty().then_some(path);
    }
    let mut path = reader.derefs(0)?;
    if let Some((_, operator)) = OPERATORS.iter().find(|(word, _)| reader.takes(word)) {
        let operand = reader.rest;
        let is_literal = operand.parse::<f64>().is_ok() || literal(operand).is_some();
        path.compared = is_literal.then(|| Comparison::new(*operator, operand));
        return path.compared.is_some().then_some(path);
    }
    if path.asks() {
        path.compared = Some(Comparison::new(Operator::Equal, "true"));
    }
    (reader.rest.is_empty() && !path.steps.is_empty()).then_some(path)
}

/// Brackets and stars in each other that are followed.
const DEEPEST: usize = 32;

struct Reader<'t> {
    rest: &'t str,
}

impl<'t> Reader<'t> {
    fn takes(&mut self, word: &str) -> bool {
        let behind = self.rest.strip_prefix(word);
        self.rest = behind.unwrap_or(self.rest).trim_start();
        behind.is_some()
    }

    /// What is `wanted`, up to the first that is not.
    fn word(&mut self, wanted: impl Fn(char) -> bool) -> Option<&'t str> {
        let end = self.rest.find(|c| !wanted(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest.trim_start();
        (!word.is_empty()).then_some(word)
    }

    fn derefs(&mut self, depth: usize) -> Option<Path> {
        if depth > DEEPEST {
            return None;
        }
        if self.takes("*") {
            let mut path = self.derefs(depth + 1)?;
            path.steps.push(Step::Inside);
            return Some(path);
        }
        let mut path = if self.takes("(") {
            let path = self.derefs(depth + 1)?;
            if !self.takes(")") {
                return None;
            }
            path
        } else {
            let base = self.word(|c| c.is_alphanumeric() || matches!(c, '_' | ':' | '$'))?;
            if base.starts_with(|c: char| c.is_ascii_digit()) {
                return None;
            }
            Path {
                base: base.to_owned(),
                steps: Vec::new(),
                compared: None,
                any: Vec::new(),
            }
        };
        while self.rest.starts_with(['[', '.']) || self.rest.starts_with("->") {
            let step = self.step()?;
            // An element that is asked for is there, or the way ends before.
            let is_there = matches!(path.steps.last(), Some(Step::Element(_) | Step::Last));
            if !(step == Step::Held && is_there) {
                path.steps.push(step);
            }
        }
        Some(path)
    }

    /// How C asks if a text is this one: `strcmp(name, "x") == 0`, `!strcmp("x", name)`. Debuggers do not call what has no debug
    /// information, as most C libraries.
    fn strcmp(mut self) -> Option<Path> {
        let is_not = self.takes("!");
        let called = self.takes("strcmp") && self.takes("(");
        let (mut path, mut text) = (None, None);
        for behind in [",", ")"] {
            if called && self.rest.starts_with('"') {
                text = Some(self.quoted()?);
            } else {
                path = Some(self.derefs(0)?);
            }
            if !self.takes(behind) {
                return None;
            }
        }
        let operator = match (is_not, self.takes("=="), self.takes("!=")) {
            (true, false, false) => Operator::Equal,
            (false, true, false) if self.takes("0") => Operator::Equal,
            (false, false, true) if self.takes("0") => Operator::Unequal,
            _ => return None,
        };
        let compared = Some(Comparison::new(operator, text?));
        self.rest.is_empty().then_some(Path { compared, ..path? })
    }

    /// A text in quotes, with them.
    fn quoted(&mut self) -> Option<&'t str> {
        let quote = self.rest.chars().next()?;
        let mut escaped = true;
        let mut ends = self.rest.char_indices().filter(|(_, c)| {
            let ends = *c == quote && !escaped;
            escaped = *c == '\\' && !escaped;
            ends
        });
        let (end, _) = ends.next()?;
        drop(ends);
        let (text, rest) = self.rest.split_at_checked(end + 1)?;
        self.rest = rest.trim_start();
        Some(text)
    }

    /// The next step; `None` where it is none of ours.
    fn step(&mut self) -> Option<Step> {
        if self.takes("[") {
            let end = self.key_end()?;
            let (key, rest) = self.rest.split_at_checked(end)?;
            self.rest = rest.strip_prefix(']')?.trim_start();
            return Some(Step::Element(key.trim().to_owned()));
        }
        let _ = self.takes("->") || self.takes(".");
        let name = self.word(|c| c.is_alphanumeric() || c == '_')?;
        if !self.takes("(") {
            return Some(Step::Part(name.to_owned()));
        }
        let end = self.key_end()?;
        let (whole, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest.strip_prefix(')')?.trim_start();
        // Rust asks for a key by a reference; to other debuggers' languages that is an address.
        let whole = whole.trim();
        let literal = whole.strip_prefix('&').filter(|key| literal(key).is_some());
        let given = literal.unwrap_or(whole);
        if given.starts_with('&') {
            return None;
        }
        let key = || given.to_owned();
        Some(match (name, given.is_empty()) {
            ("len" | "size" | "length", true) => Step::Length,
            ("is_empty" | "empty", true) => Step::IsEmpty,
            ("first" | "front", true) => Step::Element("0".to_owned()),
            ("last" | "back", true) => Step::Last,
            ("at" | "get", false) => Step::Element(key()),
            ("count", false) => Step::Count(key()),
            ("contains" | "contains_key", false) => Step::Contains(key()),
            ("has_value" | "is_some" | "is_ok", true) => Step::Holds(true),
            ("is_none" | "is_err", true) => Step::Holds(false),
            ("value" | "unwrap", true) => Step::Held,
            _ => return None,
        })
    }

    /// Where the bracket closes that was opened.
    fn key_end(&self) -> Option<usize> {
        let (mut open, mut quote, mut escaped) = (0, None, false);
        for (at, c) in self.rest.char_indices() {
            match (quote, c) {
                _ if std::mem::take(&mut escaped) => {}
                (Some(_), '\\') => escaped = true,
                (Some(q), c) if q == c => quote = None,
                (None, '"' | '\'') => quote = Some(c),
                (None, '[' | '(') => open += 1,
                (None, ']' | ')') if open == 0 => return Some(at),
                (None, ']' | ')') => open -= 1,
                _ => {}
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> String {
        let Some(path) = parse(text) else {
            return "none".to_owned();
        };
        if !path.any.is_empty() {
            let all = path.any.iter().map(|all| all.join(" AND "));
            return all.collect::<Vec<_>>().join(" OR ");
        }
        let steps = path.steps.iter().map(|step| match step {
            Step::Part(name) => format!(" .{name}"),
            Step::Element(key) => format!(" [{key}]"),
            Step::Inside => " *".to_owned(),
            Step::Length => " len".to_owned(),
            Step::IsEmpty => " empty".to_owned(),
            other => format!(" {other:?}"),
        });
        let compared = path.compared.as_ref();
        let compared = compared.map(|c| format!(" {:?} {}", c.operator, c.operand));
        path.base.clone() + &steps.collect::<String>() + &compared.unwrap_or_default()
    }

    #[test]
    fn paths_are_read_and_nothing_else() {
        for (text, is) in [
            ("root.kids[0].name", "root .kids [0] .name"),
            ("m[\"a]\\\"\"][1]", "m [\"a]\\\"\"] [1]"),
            ("*shared", "shared *"),
            ("*a.b", "a .b *"),
            ("(*a).b", "a * .b"),
            ("sp->id", "sp .id"),
            ("t.2.0", "t .2 .0"),
            (" v [ i[1] ] . len ( ) ", "v [i[1]] len"),
            ("crate::G.x", "crate::G .x"),
            ("v.len() == 3", "v len Equal 3"),
            ("*a >= -2.5", "a * AtLeast -2.5"),
            ("name != \"x == y\"", "name Unequal \"x == y\""),
            (
                "strcmp(it->name, \"b)\\\"b\") == 0",
                "it .name Equal \"b)\\\"b\"",
            ),
            ("! strcmp ( \"x\" , *p )", "p * Equal \"x\""),
            ("strcmp(a, \"x\") != 0", "a Unequal \"x\""),
            ("strcmp(a, \"x\") < 0", "none"),
            ("strcmp(a, \"x\")", "none"),
            ("strcmp(a, b) == 0", "none"),
            ("!strcmp(a, \"x\") && c", "!strcmp(a, \"x\") AND c"),
            ("c || (s == \"x\")", "c OR s == \"x\""),
            ("a > 1 && b == 2", "none"),
            ("m[\"k\"] == 2 && i == 1", "m[\"k\"] == 2 AND i == 1"),
            ("o.is_some()", "o Holds(true) Equal true"),
            ("!o.is_some()", "o Holds(true) Unequal true"),
            ("!s.count(3)", "s Count(\"3\") Equal 0"),
            ("!(v.len() == 3)", "none"),
            ("!(v.empty()) || i == 1", "!(v.empty()) OR i == 1"),
            ("x = v[0] && b", "none"),
            ("c ? v[0] : w[0] || b", "none"),
            ("a && \"x", "none"),
            ("strcmp(a, \"x", "none"),
            ("p->x < 0x10", "none"),
            ("a == b", "none"),
            ("a.b == c && d", "none"),
            ("v", "none"),
            ("v.push(3)", "none"),
            ("a.b + 1", "none"),
            ("a.b = 1", "none"),
            ("v.at( i )", "v [i]"),
            ("m.get(&\"a)\").unwrap().0", "m [\"a)\"] .0"),
            ("v.last().x", "v Last .x"),
            ("o.unwrap()", "o Held"),
            ("o.is_none() == true", "o Holds(false) Equal true"),
            ("s.contains(&3)", "s Contains(\"3\") Equal true"),
            ("s.count(&x)", "none"),
            ("s.count()", "none"),
            ("v.at()", "none"),
            ("v[1", "none"),
            ("3.5", "none"),
            ("f(x).y", "none"),
            ("", "none"),
        ] {
            assert_eq!(written(text), is, "{text}");
        }
        assert_eq!(parse(&"*".repeat(100_000)), None);
    }

    #[test]
    fn texts_are_as_long_as_in_the_program() {
        for (shown, bytes) in [
            (r#""hello""#, Some(5)),
            (r#""rö\u{1f389}\303\266\n\"""#, Some(3 + 4 + 2 + 2)),
            (r#""ab"..."#, None),
            ("5", None),
            (r#""\"#, None),
        ] {
            assert_eq!(text_length(shown), bytes, "{shown}");
        }
    }

    #[test]
    fn a_text_is_compared_in_the_quotes_of_any_language_and_with_nothing_else() {
        for (condition, shown, holds) in [
            ("s == \"hello\"", "'hello'", Some(true)),
            ("s == 'Heat'", "'Heat    '", Some(true)),
            ("s != 'Heat'", "'heat'", Some(true)),
            ("s == 'Heat'", "\"Heat \"", Some(false)),
            ("s == \"[x]\"", "\"[x]\"", Some(true)),
            ("s == \"x\"", "null", Some(false)),
            ("s == \"hi\"", "['h', 'i']", None),
            ("s == \"hi\"", "Name {length: 2}", None),
        ] {
            let path = parse(condition).unwrap();
            assert!(path.compares_text(), "{condition}");
            let compared = path.compared.unwrap();
            let told = compared.is_decided_by(shown);
            let told = told.then(|| compared.holds(shown, None));
            assert_eq!(told, holds, "{condition}: {shown}");
        }
        for character in ["c == 'x'", "c == '\\n'"] {
            assert!(!parse(character).unwrap().compares_text(), "{character}");
        }
    }

    #[test]
    fn a_text_is_compared_however_that_is_written() {
        let same = parse("s == \"x\"");
        for written in [
            "(s == \"x\")",
            "\"x\" == s",
            "!(s != \"x\")",
            "((\"x\"==s))",
        ] {
            assert_eq!(parse(written), same, "{written}");
        }
    }
}
