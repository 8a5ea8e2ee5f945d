//! `.natvis` files: what Visual Studio shows of the types of a project, read as rules for previews.
//!
//! A rule is made of each `DisplayString` whose expressions name parts (`x`, `a.b`, `next->name`, `*pointer`, `items[0]`), with conditions
//! that compare a part with a number or a name. What computes anything else would have to be run by the debugger, and is counted as left out.
//! <https://learn.microsoft.com/visualstudio/debugger/create-custom-views-of-native-objects>

use quick_xml::{
    Reader,
    events::{BytesStart, Event},
};

use super::rules::{
    self, Comparison, OPERATORS, Operator, Piece, Rule, RuleCase, ShownAs, TYPE_GROUPS,
};
use crate::pattern::Pattern;

/// What a file holds.
#[derive(Debug, Default)]
pub struct Natvis {
    pub(super) rules: Vec<Rule>,
    /// Display strings that compute what we do not.
    pub left_out: usize,
}

impl Natvis {
    /// Types that it is about.
    pub fn types(&self) -> usize {
        self.rules.len()
    }
}

/// Takes the rules of a project's files, in place of those that were there.
pub fn set_project(files: Vec<Natvis>) {
    rules::set_project(files.into_iter().flat_map(|file| file.rules).collect());
}

/// A `Type` element while it is read.
#[derive(Default)]
struct Type {
    names: Vec<String>,
    cases: Vec<RuleCase>,
}

/// Reads a file.
///
/// # Errors
///
/// A sentence, when it is no XML.
pub fn read(text: &str) -> Result<Natvis, String> {
    let mut reader = Reader::from_str(text);
    let mut natvis = Natvis::default();
    let mut open: Option<Type> = None;
    // The condition and the text of the display string that is open.
    let mut display: Option<(Option<String>, String)> = None;
    loop {
        let at = reader.buffer_position();
        let event = reader.read_event();
        match event.map_err(|error| format!("no XML at byte {at}: {error}"))? {
            Event::Start(start) => match start.local_name().as_ref() {
                b"Type" => {
                    open = Some(Type {
                        names: attribute(&start, "Name").into_iter().collect(),
                        cases: Vec::new(),
                    });
                }
                b"DisplayString" => {
                    display = Some((attribute(&start, "Condition"), String::new()));
                }
                _ => {}
            },
            Event::Empty(start) if start.local_name().as_ref() == b"AlternativeType" => {
                if let Some(open) = &mut open {
                    open.names.extend(attribute(&start, "Name"));
                }
            }
            Event::Text(part) => {
                if let (Some((_, text)), Ok(part)) = (&mut display, part.decode()) {
                    text.push_str(&part);
                }
            }
            Event::GeneralRef(name) => {
                if let (Some((_, text)), Ok(name)) = (&mut display, name.decode()) {
                    let quoted = format!("&{name};");
                    let plain = quick_xml::escape::unescape(&quoted);
                    text.push_str(plain.as_deref().unwrap_or(&quoted));
                }
            }
            Event::End(end) => match end.local_name().as_ref() {
                b"DisplayString" => {
                    let Some((condition, text)) = display.take() else {
                        continue;
                    };
                    match (case(condition.as_deref(), text.trim()), &mut open) {
                        (Some(case), Some(open)) => open.cases.push(case),
                        _ => natvis.left_out += 1,
                    }
                }
                b"Type" => {
                    let Type { names, cases } = open.take().unwrap_or_default();
                    let rules = names.iter().filter(|_| !cases.is_empty());
                    let rules = rules.filter_map(|name| {
                        let type_name = Pattern::new(pattern(name)).ok()?;
                        Some(Rule::of_cases(type_name, cases.clone()))
                    });
                    natvis.rules.extend(rules);
                }
                _ => {}
            },
            Event::Eof => return Ok(natvis),
            _ => {}
        }
    }
}

fn attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let attribute = start.try_get_attribute(name).ok()??;
    let value = std::str::from_utf8(&attribute.value).ok()?;
    Some(quick_xml::escape::unescape(value).ok()?.into_owned())
}

/// `Point<*,int>` as a pattern: each star is a group; the type may be a constant and behind a reference or a pointer.
fn pattern(name: &str) -> String {
    let mut pattern = String::from(r"^(?:const )?(?:\w+::)*?");
    for c in name.chars() {
        match c {
            '*' => pattern.push_str("(.+)"),
            ' ' => {}
            ',' => pattern.push_str(", ?"),
            '>' => pattern.push_str(" ?>"),
            c => pattern.push_str(&regex::escape(c.encode_utf8(&mut [0; 4]))),
        }
    }
    pattern.push_str(r"(?: const)?[ &*]*$");
    pattern
}

fn case(condition: Option<&str>, text: &str) -> Option<RuleCase> {
    let comparisons = match condition {
        Some(condition) => condition
            .split("&&")
            .map(comparison)
            .collect::<Option<_>>()?,
        None => Vec::new(),
    };
    Some(RuleCase {
        comparisons,
        pieces: pieces(text)?,
    })
}

fn bare(text: &str) -> &str {
    let text = text.trim();
    let inside = text.strip_prefix('(').and_then(|t| t.strip_suffix(')'));
    inside.map_or(text, bare)
}

/// `x`, `!x`, `kind == Kind::Circle`, `(count >= 3)`.
fn comparison(text: &str) -> Option<Comparison> {
    let text = bare(text);
    for (written, operator) in OPERATORS {
        // An arrow is no comparison.
        if let Some((left, right)) = text.replace("->", ".").split_once(written) {
            let (path, _) = path(left.trim())?;
            let operand = right.trim().to_owned();
            let is_plain = |c: char| c.is_alphanumeric() || "_:.-'".contains(c);
            let is_plain = !operand.is_empty() && operand.chars().all(is_plain);
            return is_plain.then_some(Comparison {
                path,
                operator,
                operand,
            });
        }
    }
    let (operator, text) = match text.strip_prefix('!') {
        Some(rest) => (Operator::Equal, rest),
        None => (Operator::Unequal, text),
    };
    let (path, _) = path(bare(text))?;
    Some(Comparison {
        path,
        operator,
        operand: "0".to_owned(),
    })
}

/// A display string: `{x}` is a part, `{{` a brace, `$T1` what the first star stood for.
fn pieces(text: &str) -> Option<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut literal = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let behind = rest.get(c.len_utf8()..)?;
        if let Some(doubled) = behind.strip_prefix(c).filter(|_| matches!(c, '{' | '}')) {
            literal.push(c);
            rest = doubled;
        } else if c == '{' {
            let (inside, behind) = behind.split_once('}')?;
            // `,s`, `,x`, `,[count]`: how it is written.
            let expression = inside.split(',').next()?.trim();
            let (path, how) = path(expression)?;
            pieces.push(Piece::Text(std::mem::take(&mut literal)));
            pieces.push(Piece::Path(path, how));
            rest = behind;
        } else if let Some(number) = rest.strip_prefix("$T").and_then(|t| t.get(..1)) {
            let number: usize = number.parse().ok()?;
            pieces.push(Piece::Text(std::mem::take(&mut literal)));
            pieces.push(Piece::Group(TYPE_GROUPS + number));
            rest = rest.get(3..)?;
        } else {
            literal.push(c);
            rest = behind;
        }
    }
    pieces.push(Piece::Text(literal));
    Some(pieces)
}

/// The steps of an expression that names a part; `None` when it computes something.
fn path(expression: &str) -> Option<(Vec<String>, ShownAs)> {
    let (expression, how) = match expression.strip_prefix('*') {
        Some(rest) => (rest, ShownAs::Pointee),
        None => (expression, ShownAs::Shown),
    };
    if expression == "this" {
        return Some((Vec::new(), how));
    }
    let mut steps: Vec<String> = Vec::new();
    let expression = expression.replace("->", "^.").replace('[', ".");
    for step in expression.split('.') {
        let step = step.trim_end_matches(']');
        let name = step.trim_end_matches('^');
        let is_name = |c: char| c == '_' || c.is_alphanumeric();
        if name.is_empty() || !name.chars().all(is_name) {
            return None;
        }
        if name != "this" {
            steps.push(step.to_owned());
        }
    }
    Some((steps, how))
}

#[cfg(test)]
mod tests {
    use super::super::{Known, Part, Preview, preview_by};
    use super::*;
    use crate::previews::rules::Rules;

    const FILE: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<AutoVisualizer xmlns="http://schemas.microsoft.com/vstudio/debugger/natvis/2010">
  <Type Name="shop::Money"><DisplayString>{amount} {currency,sb} &amp; {{more}}</DisplayString></Type>
  <Type Name="Pair&lt;*,*&gt;">
    <AlternativeType Name="Both&lt;*,*&gt;" />
    <DisplayString Condition="first == second">twins</DisplayString>
    <DisplayString Condition="!(first) &amp;&amp; second == 8">eight</DisplayString>
    <DisplayString Condition="first + 1">left out</DisplayString>
    <DisplayString Condition="first &gt; 1 &amp;&amp; kind == Kind::Round">$T1: {first} round</DisplayString>
    <DisplayString Condition="!first">none</DisplayString>
    <DisplayString>{first}/{this-&gt;second}</DisplayString>
    <Expand><Item Name="x">first</Item></Expand>
  </Type>
  <Type Name="Sum"><DisplayString>{a + b}</DisplayString></Type>
</AutoVisualizer>"#;

    fn shown(natvis: Natvis, type_name: &str, parts: &[(&str, &str)]) -> Option<String> {
        let rules = Rules::of(natvis.rules);
        let value = Part {
            type_name: type_name.to_owned(),
            reference: 1,
            ..Part::default()
        };
        let part = |(name, value): &(&str, &str)| Part {
            name: (*name).to_owned(),
            value: (*value).to_owned(),
            ..Part::default()
        };
        let known = Known::from([(1, parts.iter().map(part).collect())]);
        let Preview { text, .. } = preview_by(
            &[std::sync::Arc::new(rules)],
            &value,
            &known,
            crate::previews::Pointers::Addresses,
        )?;
        Some(text)
    }

    #[test]
    fn display_strings_show_parts_and_their_conditions_choose() {
        let money = [("amount", "5"), ("currency", "\"EUR\"")];
        for (type_name, parts, expected) in [
            ("shop::Money", &money[..], "5 \"EUR\" & {more}"),
            ("const shop::Money &", &money, "5 \"EUR\" & {more}"),
            (
                "Pair<int, char>",
                &[("first", "2"), ("second", "7"), ("kind", "Kind::Round")],
                "int: 2 round",
            ),
            (
                "Pair<int, char>",
                &[("first", "2"), ("second", "7"), ("kind", "Kind::Flat")],
                "2/7",
            ),
            (
                "Both<int, char>",
                &[("first", "0"), ("second", "7"), ("kind", "Round")],
                "none",
            ),
            (
                "Both<int, char>",
                &[("first", "0"), ("second", "8 '\\b'")],
                "eight",
            ),
            (
                "Both<int, char>",
                &[("first", "9"), ("second", "9")],
                "twins",
            ),
        ] {
            let natvis = read(FILE).unwrap();
            let said = shown(natvis, type_name, parts);
            assert_eq!(said.as_deref(), Some(expected), "{type_name}");
        }
    }

    #[test]
    fn what_would_have_to_be_computed_is_counted_and_what_is_no_xml_is_told() {
        let natvis = read(FILE).unwrap();
        // `first + 1`, and `{a + b}`.
        assert_eq!((natvis.types(), natvis.left_out), (3, 2));
        assert!(
            read("<Type Name=\"x\"></Typ>")
                .unwrap_err()
                .contains("byte 15")
        );
        assert_eq!(read("").unwrap().types(), 0);
    }
}
