//! What a value shows in one line, where its debugger gives no more than its parts.
//!
//! [`preview`] is a pure function of a value and of those of its parts that are known; what it lacks for more it names. Asking for them
//! is the core's. Rules for types are rows of `assets/previews.toml`; what no row is about is shown by its shape: an array, a tuple, an
//! enum, a struct.

mod alternatives;
pub mod go;
pub mod natvis;
mod part;
pub mod path;
mod rules;
#[cfg(test)]
mod tests;
mod types;

use std::{collections::HashMap, fmt::Write as _, sync::Arc};

use base::text::amount;
use part::MOST_SHOWN;
use rules::{As, Rule, RuleCase, RuleMatch, Rules};

pub use natvis::set_project;
pub use part::{MOST_PARTS, Part, is_plumbing};
pub use rules::{RuleText, is_ruled, set_own};
pub use types::short_type;

/// Variables of a scope that the core looks into before anybody asks: more are seldom on a screen.
pub const PREVIEWED_AT_STOP: usize = 40;

/// Values in values that are shown; what wraps one value is no level.
const DEEPEST: usize = 3;
/// Wrappers in wrappers that are looked through.
const MOST_WRAPPERS: usize = 12;
/// Values that are looked at for one preview: what holds itself several times may be looked at for ever.
const MOST_VALUES: usize = 500;
/// Characters of a preview behind which no more parts are begun.
const LONG: usize = 120;

/// What pointers show beside what they point to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pointers {
    /// Their address, unless their type says that they are references.
    Addresses,
    /// Nothing: their types do not tell references from pointers, and most are references.
    Values,
}

/// The first parts of values, by the reference that they were asked for.
pub type Known = HashMap<i64, Vec<Part>>;

/// A value in one line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preview {
    /// It; `…` stands for what is not known or not shown.
    pub text: String,
    /// References of the parts that would tell more.
    pub lacks: Vec<i64>,
}

/// What a text shows that its debugger gives as it is: its beginning and how long it is, where it is long; `None` where there is nothing
/// to be said better.
pub fn text(value: &str) -> Option<String> {
    let plain = value.trim_start();
    let inside = plain.strip_prefix('"').and_then(|t| t.strip_suffix('"'));
    if let Some(inside) = inside
        && let Some((end, _)) = inside.char_indices().nth(LONG)
    {
        let beginning = inside.get(..end)?.trim_end_matches('\\');
        let length = amount::count(inside.chars().count() as u64, "char", "chars");
        return Some(format!("\"{beginning}…\" {length}"));
    }
    (plain != value).then(|| plain.to_owned())
}

/// What a value shows in one line; `None` where the debugger's own text says it.
pub fn preview(value: &Part, known: &Known, pointers: Pointers) -> Option<Preview> {
    preview_by(&rules::added(), value, known, pointers)
}

/// The same, with these rules before ours.
fn preview_by(
    added: &[Arc<Rules>],
    value: &Part,
    known: &Known,
    pointers: Pointers,
) -> Option<Preview> {
    let mut writer = Writer {
        added,
        known,
        pointers,
        lacks: Vec::new(),
        written: 0,
        looked_at: 0,
    };
    let text = writer.own(value, 0, 0)?;
    Some(Preview {
        text,
        lacks: writer.lacks,
    })
}

/// Parts are lacking.
struct Unknown;

struct Writer<'k> {
    added: &'k [Arc<Rules>],
    known: &'k Known,
    pointers: Pointers,
    lacks: Vec<i64>,
    /// Characters written so far, of all parts.
    written: usize,
    /// Values looked at so far.
    looked_at: usize,
}

impl<'k> Writer<'k> {
    /// What is shown of a value: our own text or the debugger's.
    fn text(&mut self, part: &Part, depth: usize, wrappers: usize) -> String {
        let text = self
            .own(part, depth, wrappers)
            .unwrap_or_else(|| part.value.clone());
        self.written += text.chars().count();
        text
    }

    fn own(&mut self, part: &Part, depth: usize, wrappers: usize) -> Option<String> {
        self.looked_at += 1;
        if wrappers > MOST_WRAPPERS || self.looked_at > MOST_VALUES {
            return Some("…".to_owned());
        }
        let added = self.added;
        if let Some(found) = rules::find_in(added, part, |rule| self.has_all_of(part, rule)) {
            return self.by_rule(part, &found, depth, wrappers);
        }
        let value = part.value.trim();
        if part.reference == 0 {
            // A variant without data, with all of its path.
            let variant = value
                .strip_prefix(&part.type_name)
                .and_then(|rest| rest.strip_prefix("::"));
            let bare = says_nothing(part) && !part.type_name.is_empty();
            return match variant {
                Some(variant) => Some(variant.to_owned()),
                None => bare.then(|| types::last_name(&part.type_name)),
            };
        }
        // The address of a member is its place in whatever has it.
        if is_address(value) && !part.type_name.contains("::*") {
            return self.pointer(part, depth, wrappers);
        }
        says_nothing(part).then(|| self.by_shape(part, depth, wrappers))
    }

    /// Whether a value has the parts that a rule shows, as far as they are known: libraries of one language call them by other names.
    fn has_all_of(&self, part: &Part, rule: &Rule) -> bool {
        let Some(parts) = self.known.get(&part.reference) else {
            return true;
        };
        let behind_pointer = !std::ptr::eq(pointed_to(part, parts), part);
        behind_pointer
            || rule.pieces().all(|piece| match piece {
                rules::Piece::Path(path, _) => path.first().is_none_or(|step| {
                    let step = step.trim_end_matches('^');
                    named(parts, step).is_some()
                }),
                _ => true,
            })
    }

    fn by_rule(
        &mut self,
        part: &Part,
        found: &RuleMatch,
        depth: usize,
        wrappers: usize,
    ) -> Option<String> {
        let size = found.size.or_else(|| usize::try_from(part.indexed?).ok());
        match found.rule.form {
            As::Show | As::Counted | As::Text | As::Time => {
                let mut text = String::new();
                let case = match self.case(part, &found.rule.cases, depth, wrappers) {
                    Ok(Some(case)) => case,
                    Ok(None) => return Some(self.by_shape(part, depth, wrappers)),
                    Err(Unknown) => return Some("…".to_owned()),
                };
                for piece in &case.pieces {
                    match piece {
                        rules::Piece::Text(own) => text.push_str(own),
                        rules::Piece::Group(number) => {
                            text.push_str(found.groups.get(*number).map_or("", String::as_str));
                        }
                        rules::Piece::Path(path, how) => {
                            let shown = self.at(part, path, *how, depth, wrappers + 1);
                            text.push_str(&shown);
                        }
                    }
                }
                // What lies behind its end is no part of it.
                if found.rule.form == As::Text
                    && let Some((end, count)) = text.rsplit_once(' ')
                    && let Ok(count) = count.parse()
                {
                    let begins = path::beginning(end, count);
                    return Some(
                        begins.map_or_else(|| end.to_owned(), |(_, it)| format!("\"{it}\"")),
                    );
                }
                if found.rule.form == As::Time
                    && let Some(time) = text.trim().parse().ok().and_then(time)
                {
                    return Some(time);
                }
                Some(text)
            }
            As::List => Some(self.parts(part, depth, Form::List, size)),
            As::Map => Some(self.parts(part, depth, Form::Map, size)),
            As::Pairs => Some(self.parts(part, depth, Form::Pairs, size)),
            As::Tuple => Some(self.parts(part, depth, Form::Tuple, None)),
            As::Fields => Some(self.fields(part, depth, "")),
            As::Closure => Some(self.fields(part, depth, "closure ")),
            As::Duration => self.duration(part),
            As::Nanoseconds => {
                let number: i64 = part.value.trim().parse().ok()?;
                let sign = if number < 0 { "-" } else { "" };
                let long = std::time::Duration::from_nanos(number.unsigned_abs());
                Some(format!("{sign}{}", with_unit(long)?))
            }
        }
    }

    /// The first of these that holds, if any does; an error when that depends on what is not known yet.
    fn case<'c>(
        &mut self,
        part: &Part,
        cases: &'c [RuleCase],
        depth: usize,
        wrappers: usize,
    ) -> Result<Option<&'c RuleCase>, Unknown> {
        for case in cases {
            let mut holds = true;
            for comparison in &case.comparisons {
                let before = self.lacks.len();
                let how = rules::ShownAs::Raw;
                let value = self.at(part, &comparison.path, how, depth, wrappers + 1);
                if self.lacks.len() > before {
                    return Err(Unknown);
                }
                // A name is one of a part, or of an enumeration.
                let named = |p: &&Part| p.name == comparison.operand;
                let other = self.known(part).and_then(|parts| parts.iter().find(named));
                holds &= comparison.holds(&value, other.map(|p| p.value.as_str()));
            }
            if holds {
                return Ok(Some(case));
            }
        }
        Ok(None)
    }

    /// What a path in a rule leads to.
    fn at(
        &mut self,
        part: &Part,
        path: &[String],
        how: rules::ShownAs,
        depth: usize,
        wrappers: usize,
    ) -> String {
        if wrappers > MOST_WRAPPERS {
            return "…".to_owned();
        }
        let Some((step, rest)) = path.split_first() else {
            return match how {
                rules::ShownAs::Shown => self.text(part, depth, wrappers),
                rules::ShownAs::Pointee => self.pointee(part, depth, wrappers),
                rules::ShownAs::Raw => part.value.clone(),
                rules::ShownAs::Type => short_type(&part.type_name),
            };
        };
        let Some(parts) = self.known(part) else {
            return "…".to_owned();
        };
        let (step, follow) = match step.strip_suffix('^') {
            Some(step) => (step, true),
            None => (step.as_str(), false),
        };
        let Some(found) = named(parts, step) else {
            // A rule for a value is one for a pointer to it.
            return match pointed_to(part, parts) {
                target if std::ptr::eq(target, part) => "?".to_owned(),
                target => self.at(target, path, how, depth, wrappers + 1),
            };
        };
        if !follow {
            return self.at(found, rest, how, depth, wrappers);
        }
        match self.known(found).map(|parts| pointed_to(found, parts)) {
            Some(target) => self.at(target, rest, how, depth, wrappers),
            None => "…".to_owned(),
        }
    }

    /// The parts of a value, or none and what would tell them.
    fn known(&mut self, part: &Part) -> Option<&'k [Part]> {
        if part.reference == 0 {
            return Some(&[]);
        }
        let known = self.known.get(&part.reference);
        if known.is_none() && !self.lacks.contains(&part.reference) {
            self.lacks.push(part.reference);
        }
        known.map(Vec::as_slice)
    }

    fn pointer(&mut self, part: &Part, depth: usize, wrappers: usize) -> Option<String> {
        let value = part.value.trim();
        let address = value.split(' ').next().unwrap_or_default();
        let digits = address.trim_start_matches("0x").trim_start_matches('0');
        if digits.is_empty() {
            return Some("null".to_owned());
        }
        let target = self.pointee(part, depth, wrappers);
        if target.is_empty() || self.known(part).is_some_and(<[Part]>::is_empty) {
            return None;
        }
        if part.type_name.ends_with('&') || self.pointers == Pointers::Values {
            return Some(target);
        }
        Some(format!("0x{digits} → {target}"))
    }

    /// What a pointer points to.
    fn pointee(&mut self, pointer: &Part, depth: usize, wrappers: usize) -> String {
        let value = pointer.value.trim();
        if value.starts_with("0x") && value.trim_start_matches(['0', 'x']).is_empty() {
            return "null".to_owned();
        }
        match self.known(pointer) {
            None => "…".to_owned(),
            Some(parts) => {
                let target = pointed_to(pointer, parts);
                if std::ptr::eq(target, pointer) {
                    // Its parts are those of what it points to.
                    self.by_shape(pointer, depth, wrappers)
                } else {
                    self.text(target, depth, wrappers + 1)
                }
            }
        }
    }

    fn by_shape(&mut self, part: &Part, depth: usize, wrappers: usize) -> String {
        let size = part.indexed.and_then(|n| usize::try_from(n).ok());
        let is_array = part.type_name.ends_with(']') || size.is_some_and(|n| n > 0);
        if is_array {
            return self.parts(part, depth, Form::List, size);
        }
        if let Some([only]) = self.known(part)
            && let Some(variant) = only.type_name.strip_prefix(&part.type_name)
            && let Some(variant) = variant.strip_prefix("::")
            && variant == only.name
        {
            return self.variant(only, depth, wrappers);
        }
        if part.type_name.starts_with('(') && !types::is_nameless(&part.type_name) {
            return self.parts(part, depth, Form::Tuple, None);
        }
        // What a smart pointer of C++ calls the type behind it says nothing.
        let name = Some(types::last_name(&part.type_name)).filter(|name| name != "element_type");
        let name = name.unwrap_or_default();
        match self.known(part) {
            Some([first, ..]) if first.value == "<parent is NULL>" => "null".to_owned(),
            Some([]) => name,
            Some(parts) if parts.iter().all(|p| is_position(&p.name)) => {
                if parts.iter().all(|p| p.name.starts_with('[')) {
                    return self.parts(part, depth, Form::List, None);
                }
                let inside = self.parts(part, depth, Form::Tuple, None);
                format!("{name}{inside}")
            }
            None | Some(_) if name.is_empty() => self.fields(part, depth, ""),
            None | Some(_) => self.fields(part, depth, &format!("{name} ")),
        }
    }

    fn variant(&mut self, variant: &Part, depth: usize, wrappers: usize) -> String {
        let name = &variant.name;
        match self.known(variant) {
            None => format!("{name}(…)"),
            Some([]) => name.clone(),
            Some([only]) if is_position(&only.name) => {
                let inside = self.text(only, depth, wrappers + 1);
                format!("{name}({inside})")
            }
            Some(parts) if parts.iter().all(|p| is_position(&p.name)) => {
                let inside = self.parts(variant, depth, Form::Tuple, None);
                format!("{name}{inside}")
            }
            Some(_) => self.fields(variant, depth, &format!("{name} ")),
        }
    }

    fn fields(&mut self, part: &Part, depth: usize, name: &str) -> String {
        let inside = self.parts(part, depth, Form::Fields, None);
        format!("{name}{inside}")
    }

    /// Parts between brackets.
    fn parts(&mut self, part: &Part, depth: usize, form: Form, size: Option<usize>) -> String {
        let (open, close) = form.brackets();
        let counted = |text: String, all_shown: bool| match size.filter(|_| !all_shown) {
            Some(size) => format!("({size}) {text}"),
            None => text,
        };
        if size == Some(0) {
            return format!("{open}{close}");
        }
        if depth >= DEEPEST {
            return counted(format!("{open}…{close}"), false);
        }
        let Some(parts) = self.known(part) else {
            return counted(format!("{open}…{close}"), false);
        };
        let mut text = String::from(open);
        let mut shown = 0;
        // LLDB 16 has a hundred elements of a list of three.
        for inner in parts.iter().take(size.unwrap_or(usize::MAX)) {
            if shown >= MOST_SHOWN || (self.written > LONG && shown > 0) {
                text.push_str(", …");
                text.push_str(close);
                return counted(text, false);
            }
            if shown > 0 {
                text.push_str(", ");
            }
            if form == Form::Pairs {
                let pair = self.pair(inner, depth + 1);
                text.push_str(&pair);
            } else {
                let name = match form {
                    Form::Map => key_of(&inner.name),
                    Form::Fields => &inner.name,
                    _ => "",
                };
                if form == Form::Map {
                    self.written += name.chars().count();
                }
                if !name.is_empty() {
                    let _ = write!(text, "{name}: ");
                }
                let shown = self.text(inner, depth + 1, 0);
                // The members of one without a name are written as if they were its own.
                let members = shown.strip_prefix('{').and_then(|it| it.strip_suffix('}'));
                let members = members.filter(|_| form == Form::Fields && name.is_empty());
                text.push_str(members.unwrap_or(&shown));
            }
            shown += 1;
        }
        let all = size.is_none_or(|size| shown >= size);
        if !all {
            text.push_str(", …");
        }
        text.push_str(close);
        counted(text, all && form != Form::Map && form != Form::Pairs)
    }

    fn pair(&mut self, part: &Part, depth: usize) -> String {
        let parts = match self.known(part) {
            Some([key, value, ..]) => (key, value),
            Some(_) => return part.value.clone(),
            None => return "…".to_owned(),
        };
        let key = self.text(parts.0, depth, 0);
        let value = self.text(parts.1, depth, 0);
        format!("{key}: {value}")
    }

    fn duration(&mut self, part: &Part) -> Option<String> {
        let Some([seconds, nanoseconds]) = self.known(part) else {
            return Some("…".to_owned());
        };
        let nanoseconds = match self.known(nanoseconds) {
            Some([inner]) => inner,
            Some(_) => nanoseconds,
            None => return Some("…".to_owned()),
        };
        let seconds: u64 = seconds.value.trim().parse().ok()?;
        let nanoseconds: u32 = nanoseconds.value.trim().parse().ok()?;
        with_unit(std::time::Duration::new(seconds, nanoseconds))
    }
}

/// A time in nanoseconds since 1970, as RFC 3339 writes it.
fn time(nanoseconds: i128) -> Option<String> {
    let time = jiff::Timestamp::from_nanosecond(nanoseconds).ok()?;
    Some(time.to_string())
}

/// `1.5 s`.
fn with_unit(long: std::time::Duration) -> Option<String> {
    let whole = format!("{long:?}");
    let unit = whole.find(|c: char| c != '.' && !c.is_ascii_digit())?;
    let (number, unit) = whole.split_at(unit);
    Some(format!("{number} {unit}"))
}

/// How parts are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    List,
    Map,
    Pairs,
    Tuple,
    Fields,
}

impl Form {
    fn brackets(self) -> (&'static str, &'static str) {
        match self {
            Self::List => ("[", "]"),
            Self::Tuple => ("(", ")"),
            Self::Map | Self::Pairs | Self::Fields => ("{", "}"),
        }
    }
}

/// The key in the name of a map's value: `["apple"]`, and with a number behind it where several have the same.
pub fn key_of(name: &str) -> &str {
    let inside = name.strip_prefix('[').and_then(|n| n.rsplit_once(']'));
    inside.map_or(name, |(key, _)| key)
}

/// The part that a step of a rule's path names: the first one, or one by its name or one of several.
fn named<'p>(parts: &'p [Part], step: &str) -> Option<&'p Part> {
    if step == "*" {
        return parts.first();
    }
    let mut names = step.split('|');
    names.find_map(|name| {
        let is_it = |p: &&Part| {
            let inside = p.name.strip_prefix('[').and_then(|n| n.strip_suffix(']'));
            p.name == name || inside == Some(name)
        };
        parts.iter().find(is_it)
    })
}

/// Whether a debugger's text is no more than that there are parts.
fn says_nothing(part: &Part) -> bool {
    let value = part.value.trim();
    value.is_empty()
        || (value.starts_with('{') && part.reference != 0)
        || value == part.type_name
        || value
            .rsplit_once(" @ 0x")
            .is_some_and(|(_, at)| at.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// Whether a debugger's text is an address, perhaps with the parts behind it. GDB writes one of a reference as `@0x7ffe`.
fn is_address(value: &str) -> bool {
    let (address, rest) = value.split_once(' ').unwrap_or((value, "{"));
    address
        .trim_start_matches('@')
        .strip_prefix("0x")
        .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit()))
        && rest.starts_with('{')
}

/// Of a pointer whose parts are known: what it points to. Some debuggers make it the only part, others give its parts at once.
fn pointed_to<'p>(pointer: &'p Part, parts: &'p [Part]) -> &'p Part {
    match parts {
        [only] if only.name == "value" || only.name.starts_with('*') => only,
        _ => pointer,
    }
}

/// Whether a part has a place and no name: `0`, `__0`, `[0]`.
pub fn is_position(name: &str) -> bool {
    position(name).is_some_and(|place| place >= 0)
}

/// The number in such a name; of what counts from below zero it may be less than that.
pub fn position(name: &str) -> Option<i64> {
    let digits = name.trim_start_matches("__").trim_start_matches('[');
    digits.trim_end_matches(']').parse().ok()
}
