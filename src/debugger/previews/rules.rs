//! The rows of `assets/previews.toml`, read once.

use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use serde::Deserialize;

use super::{part::Part, types::short_type};
use crate::pattern::Pattern;

/// What a rule makes of a value's parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum As {
    #[default]
    Show,
    Counted,
    Text,
    List,
    Map,
    Pairs,
    Tuple,
    Fields,
    Closure,
    Duration,
    Nanoseconds,
    Time,
}

/// A rule as it is written.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleText {
    #[serde(rename = "type")]
    type_name: Option<String>,
    value: Option<String>,
    #[serde(default, rename = "as")]
    form: As,
    #[serde(default)]
    show: String,
    #[serde(default)]
    always: bool,
}

impl RuleText {
    /// Reads a rule of a person's: a type's name stands for the type wherever it is from, for references to it, and for it with any
    /// parameters.
    ///
    /// # Errors
    ///
    /// A sentence, when a field is missing or unknown or a pattern cannot be read.
    pub fn own(table: toml::Table) -> Result<Self, String> {
        let read: Result<Self, toml::de::Error> = table.try_into();
        let mut written = read.map_err(|error| error.message().to_owned())?;
        if written.type_name.is_none() && written.value.is_none() {
            return Err("it needs a `type` or a `value` to be known by".to_owned());
        }
        let is_name = |name: &String| {
            name.chars()
                .all(|c| c.is_alphanumeric() || "_:.".contains(c))
        };
        if let Some(name) = written.type_name.take_if(|name| is_name(name)) {
            let name = regex::escape(&name);
            written.type_name = Some(format!(r"(^|[\s:.&*]){name}(<.*>)?[\s&*]*$"));
        }
        rule(written.clone())?;
        if written.form == As::Show && written.show.is_empty() {
            return Err("it needs a `show`, or an `as`, to say what is shown".to_owned());
        }
        Ok(written)
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    preview: Vec<RuleText>,
}

/// How the end of a path is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShownAs {
    Shown,
    Pointee,
    Raw,
    Type,
}

/// A piece of what a rule shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    Text(String),
    Group(usize),
    Path(Vec<String>, ShownAs),
}

/// How a part is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    Equal,
    Unequal,
    Less,
    More,
    AtMost,
    AtLeast,
}

/// As they are written; the longer ones first.
pub const OPERATORS: [(&str, Operator); 6] = [
    ("==", Operator::Equal),
    ("!=", Operator::Unequal),
    ("<=", Operator::AtMost),
    (">=", Operator::AtLeast),
    ("<", Operator::Less),
    (">", Operator::More),
];

/// A part, compared with a number, a text or a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    pub(super) path: Vec<String>,
    pub(super) operator: Operator,
    pub(super) operand: String,
}

impl Comparison {
    pub(super) fn new(operator: Operator, operand: &str) -> Self {
        Self {
            path: Vec::new(),
            operator,
            operand: operand.to_owned(),
        }
    }

    /// Of equality the opposite.
    pub(super) fn negated(mut self) -> Self {
        self.operator = match self.operator {
            Operator::Equal => Operator::Unequal,
            Operator::Unequal => Operator::Equal,
            other => other,
        };
        self
    }

    /// Whether it asks if a text is this one, or another.
    pub(super) fn is_of_text(&self) -> bool {
        matches!(self.operator, Operator::Equal | Operator::Unequal)
            && quoted(&self.operand).is_some_and(|(quote, text)| {
                // Where one letter stands between such quotes, or what is escaped, it is a character.
                quote == '"' || !text.contains('\\') && text.chars().count() != 1
            })
    }

    /// Whether what is shown of a value says enough: a number is not compared with names of flags, or with what has another form, nor is a
    /// text with what has parts, which may be a text to its language.
    pub fn is_decided_by(&self, value: &str) -> bool {
        if self.is_of_text() && quoted(value).is_none() && value.contains(['[', '{', '<']) {
            return false;
        }
        let is_number = |text: &str| number(text).is_some() || text.trim().parse::<f64>().is_ok();
        !is_number(&self.operand) || is_number(value)
    }

    /// Whether it holds for what a debugger says of the part, and of the one that the operand names if it names one.
    pub fn holds(&self, value: &str, other: Option<&str>) -> bool {
        let (value, operand) = (value.trim(), other.unwrap_or(&self.operand).trim());
        let float = |text: &str| text.parse::<f64>().ok();
        let ordering = match (number(value), number(operand)) {
            (Some(left), Some(right)) => left.cmp(&right),
            _ => match float(value).zip(float(operand)) {
                Some((left, right)) => left.total_cmp(&right),
                // Not every debugger escapes the quotes in a text.
                None if self.is_of_text() => {
                    let plain = |text: &str| {
                        let (_, inside) = quoted(text)?;
                        // Languages that write texts so fill them up with blanks, which do not count.
                        let padded = value.starts_with('\'');
                        let inside = if padded { inside.trim_end() } else { inside };
                        Some(inside.replace("\\\"", "\""))
                    };
                    plain(value).cmp(&plain(operand))
                }
                // Names are compared without where they are from.
                None => name(value).cmp(name(operand)),
            },
        };
        match self.operator {
            Operator::Equal => ordering.is_eq(),
            Operator::Unequal => ordering.is_ne(),
            Operator::Less => ordering.is_lt(),
            Operator::More => ordering.is_gt(),
            Operator::AtMost => ordering.is_le(),
            Operator::AtLeast => ordering.is_ge(),
        }
    }
}

/// The quotes around a text, and what is in them.
fn quoted(text: &str) -> Option<(char, &str)> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let inside = text.strip_prefix(quote)?.strip_suffix(quote)?;
    Some((quote, inside))
}

fn name(text: &str) -> &str {
    if text.starts_with(['"', '\'']) {
        return text;
    }
    text.rsplit(':').next().unwrap_or_default()
}

/// The number that a debugger's text begins with: `5`, `0x10`, `true`, `97 'a'`, `0x0`, `nullptr`.
fn number(text: &str) -> Option<i128> {
    let word = text.split([' ', ',']).next()?;
    match word {
        "true" | "True" => Some(1),
        "false" | "False" | "nullptr" | "null" | "NULL" => Some(0),
        word => match word.strip_prefix("0x") {
            Some(digits) => i128::from_str_radix(digits, 16).ok(),
            None => word.parse().ok(),
        },
    }
}

/// What is shown when all comparisons hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleCase {
    pub comparisons: Vec<Comparison>,
    pub pieces: Vec<Piece>,
}

/// A rule, ready to be held against values.
#[derive(Debug)]
pub struct Rule {
    type_name: Option<Pattern>,
    value: Option<Pattern>,
    pub form: As,
    /// What it shows; the first case that holds.
    pub cases: Vec<RuleCase>,
    always: bool,
}

/// A rule that fits, and what its patterns found.
pub struct RuleMatch {
    pub rule: Arc<Rule>,
    /// Groups of the value's pattern, then those of the type's, short, from [`TYPE_GROUPS`] on.
    pub groups: Vec<String>,
    /// Number of elements, where the value tells it.
    pub size: Option<usize>,
}

/// Where the groups of a type's pattern begin among all groups.
pub const TYPE_GROUPS: usize = 10;

/// All rules.
#[derive(Debug, Default)]
pub struct Rules(Vec<Arc<Rule>>);

/// The rules that came with us. That they can be read is a test's.
pub fn rules() -> &'static Rules {
    static RULES: LazyLock<Rules> =
        LazyLock::new(|| read(include_str!("../../../assets/previews.toml")).unwrap_or_default());
    &RULES
}

/// Rules that go before ours: the person's, then the project's.
type Added = [Arc<Rules>; 2];

static ADDED: LazyLock<RwLock<Added>> = LazyLock::new(RwLock::default);

pub fn added() -> Added {
    ADDED.read().unwrap_or_else(PoisonError::into_inner).clone()
}

fn add(to: usize, rules: Rules) {
    let mut added = ADDED.write().unwrap_or_else(PoisonError::into_inner);
    if let Some(place) = added.get_mut(to) {
        *place = Arc::new(rules);
    }
}

/// Takes the person's own rules, which go before all others, in place of those that were there.
pub fn set_own(written: Vec<RuleText>) {
    let rules = written.into_iter().filter_map(|written| rule(written).ok());
    add(0, Rules::of(rules.collect()));
}

/// Takes the rules of a project, in place of those that were there.
pub fn set_project(rules: Vec<Rule>) {
    add(1, Rules::of(rules));
}

/// Whether a value is shown by a rule whatever its debugger says: by one of the person's or the project's, or one that is for such
/// debuggers.
pub fn is_ruled(part: &Part) -> bool {
    let added = added()
        .iter()
        .any(|rules| rules.fitting(part).next().is_some());
    added || rules().0.iter().any(|rule| rule.always && rule.fits(part))
}

/// The rule that is about a value: of those that were added, or else one of ours.
pub fn find(part: &Part) -> Option<RuleMatch> {
    find_in(&added(), part, |_| true)
}

/// The same, with these before ours, and only such that may be used.
pub fn find_in(
    added: &[Arc<Rules>],
    part: &Part,
    mut is_usable: impl FnMut(&Rule) -> bool,
) -> Option<RuleMatch> {
    let all = added.iter().map(AsRef::as_ref).chain([rules()]);
    let mut fitting = all.flat_map(|rules| rules.fitting(part));
    fitting.find(|found| is_usable(&found.rule))
}

impl Rule {
    /// One that shows parts of values of a type, as the first case says that holds.
    pub fn of_cases(type_name: Pattern, cases: Vec<RuleCase>) -> Self {
        Self {
            type_name: Some(type_name),
            value: None,
            form: As::Show,
            cases,
            always: false,
        }
    }

    /// All that it may show.
    pub fn pieces(&self) -> impl Iterator<Item = &Piece> {
        self.cases.iter().flat_map(|case| &case.pieces)
    }

    fn fits(&self, part: &Part) -> bool {
        let is = |pattern: &Option<Pattern>, text: &str| {
            pattern
                .as_ref()
                .is_none_or(|pattern| pattern.is_match(text))
        };
        is(&self.type_name, &part.type_name) && is(&self.value, &part.value)
    }
}

/// Reads rules.
pub fn read(text: &str) -> Result<Rules, String> {
    let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
    let rules = file.preview.into_iter().map(rule);
    rules.collect::<Result<_, String>>().map(Rules::of)
}

fn rule(written: RuleText) -> Result<Rule, String> {
    let pattern = |written: Option<String>| {
        let pattern = written.map(|text| {
            let told = |whole: String| {
                let why = whole.lines().last().unwrap_or_default();
                format!(
                    "the pattern {text:?}: {}",
                    why.trim_start_matches("error: ")
                )
            };
            Pattern::new(text.clone()).map_err(told)
        });
        pattern.transpose()
    };
    Ok(Rule {
        type_name: pattern(written.type_name)?,
        value: pattern(written.value)?,
        form: written.form,
        cases: vec![RuleCase {
            comparisons: Vec::new(),
            pieces: pieces(&written.show)?,
        }],
        always: written.always,
    })
}

impl Rules {
    pub(super) fn of(rules: Vec<Rule>) -> Self {
        Self(rules.into_iter().map(Arc::new).collect())
    }

    /// The rules that are about a value, the first one first.
    fn fitting<'r>(&'r self, part: &'r Part) -> impl Iterator<Item = RuleMatch> + 'r {
        let has_parts = part.reference != 0;
        let fitting = self.0.iter();
        let fitting = fitting.filter(move |r| has_parts || r.value.is_some());
        fitting.filter_map(|rule| {
            let mut groups = Vec::new();
            let mut size = None;
            if let Some(pattern) = &rule.value {
                let found = pattern.captures(&part.value)?;
                let texts = found
                    .iter()
                    .map(|g| g.map_or("", |g| g.as_str()).to_owned());
                groups.extend(texts);
                size = found.name("size").and_then(|g| g.as_str().parse().ok());
            }
            if let Some(pattern) = &rule.type_name {
                let found = pattern.captures(&part.type_name)?;
                groups.resize(TYPE_GROUPS, String::new());
                let texts = found
                    .iter()
                    .map(|g| short_type(g.map_or("", |g| g.as_str())));
                groups.extend(texts);
            }
            let rule = Arc::clone(rule);
            Some(RuleMatch { rule, groups, size })
        })
    }
}

/// `{a.b} and {1}` in pieces.
fn pieces(show: &str) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::new();
    let mut rest = show;
    while let Some((text, behind)) = rest.split_once('{') {
        if !text.is_empty() {
            pieces.push(Piece::Text(text.to_owned()));
        }
        let (inside, behind) = behind
            .split_once('}')
            .ok_or_else(|| format!("{show:?}: a brace is not closed"))?;
        pieces.push(piece(inside));
        rest = behind;
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest.to_owned()));
    }
    Ok(pieces)
}

fn piece(inside: &str) -> Piece {
    if let Ok(number) = inside.parse() {
        return Piece::Group(number);
    }
    if let Some(Ok(number)) = inside.strip_prefix('t').map(str::parse::<usize>) {
        return Piece::Group(TYPE_GROUPS + number);
    }
    let (path, how) = match inside.char_indices().next_back() {
        Some((at, '^')) => (inside.get(..at), ShownAs::Pointee),
        Some((at, '!')) => (inside.get(..at), ShownAs::Raw),
        Some((at, '@')) => (inside.get(..at), ShownAs::Type),
        _ => (Some(inside), ShownAs::Shown),
    };
    let steps = path.unwrap_or_default().split('.');
    Piece::Path(steps.map(str::to_owned).collect(), how)
}
