//! Values opened up: level by level, all values of a level asked for together, within a depth, a number of elements and a number
//! of bytes.
//!
//! A value that is a part of itself is marked with the path of its first mention. What debuggers add to values (prototypes,
//! methods, groups of special variables) is left out unless asked for.

use std::{collections::hash_map::Entry, pin::Pin};

use base::text::{beginning, redact::Redactor};
use debugger::{Page, VariablesFilter};
use futures_util::future::join_all;
use serde_json::Number;

use super::{fields::Field, prelude::*};

/// Characters of one text that are told.
const LONGEST_TEXT: usize = 4096;
/// Values opened for one event: each is a request.
const MOST_REQUESTS: usize = 400;
/// Shortest text worth referring to instead of repeating.
const WORTH_REFERRING: usize = 3;

type Answer = Pin<Box<dyn Future<Output = Result<Reply>> + Send>>;

/// How far to go.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub depth: usize,
    pub items: usize,
    pub bytes: usize,
    /// What debuggers add, too.
    pub all: bool,
}

/// A value, and the one that it is a part of.
#[derive(Debug)]
struct ValuePlace {
    variable: Variable,
    type_name: String,
    /// `cart.items.[0]`.
    path: String,
    parent: Option<Arc<Self>>,
}

/// One value in the tree that is being built.
#[derive(Debug)]
struct Node {
    at: Arc<ValuePlace>,
    /// Its parts, once it was opened.
    parts: Option<Vec<Self>>,
    count: Option<usize>,
    more: usize,
    cycle: Option<String>,
    same_as: Option<String>,
}

/// Values of one stop.
pub struct Expansion {
    pub core: CoreHandle,
    pub session: SessionId,
    pub stop: StopId,
    pub limits: Limits,
    /// Hides what looks like a secret.
    pub redactor: Option<Arc<Redactor>>,
    /// Bytes that are told already.
    pub used: usize,
    /// Values that were opened already.
    pub requests: usize,
    /// Something was left out for its size.
    pub truncated: bool,
}

impl Expansion {
    /// Opens these values, all of a level at a time.
    pub async fn fields(&mut self, mut variables: Vec<Variable>) -> Fields {
        if let Some(command) = Command::previews(Some(self.session), self.stop, &variables)
            && let Ok(Reply::Variables { variables: known }) = self.core.request(command).await
        {
            variables = known;
        }
        let all = self.limits.all;
        let told = variables.into_iter().filter(|v| all || !is_noise(v));
        let mut roots: Vec<Node> = told.filter_map(|v| self.add(v, None)).collect();
        let mut level: Vec<&mut Node> = roots.iter_mut().collect();
        let mut seen: HashMap<i64, String> = HashMap::new();
        for _ in 0..self.limits.depth {
            let mut wanted = Vec::new();
            for node in level.into_iter().filter(|node| node.may_open()) {
                match seen.entry(node.at.variable.variables_reference) {
                    // The same thing in another place: it is told once.
                    Entry::Occupied(first) => node.same_as = Some(first.get().clone()),
                    Entry::Vacant(first) => {
                        first.insert(node.at.path.clone());
                        wanted.push(node);
                    }
                }
            }
            let left = MOST_REQUESTS.saturating_sub(self.requests);
            if wanted.len() > left {
                wanted.truncate(left);
                self.truncated = true;
            }
            if wanted.is_empty() {
                break;
            }
            self.requests += wanted.len();
            let asked: Vec<_> = wanted.iter().map(|node| self.ask(&node.at)).collect();
            level = Vec::new();
            for (node, answer) in wanted.into_iter().zip(join_all(asked).await) {
                if let Ok(Reply::Variables { variables }) = answer {
                    level.extend(self.adopt(node, variables));
                }
            }
        }
        named(&roots)
    }

    fn ask(&self, place: &ValuePlace) -> Answer {
        let wanted = i64::try_from(self.limits.items).unwrap_or(i64::MAX);
        let indexed = place.variable.indexed_variables;
        let page = indexed.is_some_and(|n| n > wanted).then_some(Page {
            filter: VariablesFilter::Indexed,
            start: 0,
            count: wanted,
        });
        Box::pin(self.core.request(Command::Variables {
            session: Some(self.session),
            stop: self.stop,
            reference: place.variable.variables_reference,
            page,
        }))
    }

    /// Takes in the parts of a value, and gives those that are told.
    fn adopt<'n>(&mut self, node: &'n mut Node, variables: Vec<Variable>) -> &'n mut [Node] {
        let length = variables
            .iter()
            .find(|v| matches!(v.name.as_str(), "len()" | "length"))
            .and_then(|v| v.value.parse::<usize>().ok());
        let all = self.limits.all;
        let mut own = variables;
        own.retain(|v| all || !is_noise(v));
        // Behind very many elements some adapters put a remark.
        let elements = !own.is_empty()
            && own
                .iter()
                .filter(|v| v.name != "length")
                .take(self.limits.items)
                .all(|v| is_index(&v.name));
        if elements {
            own.retain(|v| v.name != "length");
        }
        let told = own.len();
        let indexed = node.at.variable.indexed_variables;
        let indexed = indexed.and_then(|n| usize::try_from(n).ok());
        let count = indexed
            .filter(|n| *n >= told)
            .or(length)
            .unwrap_or(told)
            .max(told);
        let own = own.into_iter().take(self.limits.items);
        let parts: Vec<Node> = own.map_while(|v| self.add(v, Some(&node.at))).collect();
        node.more = count.saturating_sub(parts.len());
        node.count = elements.then_some(count);
        node.parts.insert(parts)
    }

    /// A node for a variable, if there is room for it.
    fn add(&mut self, variable: Variable, parent: Option<&Arc<ValuePlace>>) -> Option<Node> {
        let clean = |text: String| match &self.redactor {
            Some(redactor) => redactor
                .redact_value(Some(&variable.name), &text)
                .into_owned(),
            None => text,
        };
        let (value, preview) = (clean(variable.value), variable.preview.map(clean));
        let type_name = variable.type_.clone().filter(|t| !t.is_empty());
        let type_name = type_name.unwrap_or_else(|| "unknown".to_owned());
        let shown = preview.as_ref().map_or(0, String::len);
        let cost =
            variable.name.len() + type_name.len() + value.len().min(LONGEST_TEXT) + shown + 64;
        if self.used + cost > self.limits.bytes {
            self.truncated = true;
            return None;
        }
        self.used += cost;
        let name = &variable.name;
        let place = ValuePlace {
            type_name,
            path: parent.map_or_else(|| name.clone(), |p| format!("{}.{name}", p.path)),
            parent: parent.cloned(),
            variable: Variable {
                value,
                preview,
                ..variable
            },
        };
        let mut holders = std::iter::successors(parent, |holder| holder.parent.as_ref());
        let cycle = holders.find(|holder| place.is_again(holder));
        Some(Node {
            cycle: cycle.map(|holder| holder.path.clone()),
            at: Arc::new(place),
            parts: None,
            count: None,
            more: 0,
            same_as: None,
        })
    }
}

impl ValuePlace {
    /// Whether it is what it is a part of, once more.
    fn is_again(&self, holder: &Self) -> bool {
        let (own, other) = (&self.variable, &holder.variable);
        let same_handle = own.variables_reference == other.variables_reference;
        let same_place =
            own.memory_reference.is_some() && own.memory_reference == other.memory_reference;
        // A text with an address in it tells things apart.
        let same_text = own.value.contains("0x") && own.value == other.value;
        let same = self.type_name == holder.type_name && (same_place || same_text);
        own.variables_reference != 0 && (same_handle || same)
    }
}

impl Node {
    fn may_open(&self) -> bool {
        let variable = &self.at.variable;
        // Of what is a number all is said, whatever a debugger has to tell of its class.
        let is_whole = reads_as_text(&variable.value)
            || matches!(
                scalar(&variable.value),
                ValueField::Number(_) | ValueField::Bool(_)
            );
        let is_whole = is_whole || variable.is_lazy();
        variable.variables_reference != 0 && self.cycle.is_none() && !is_whole
    }

    fn field(&self) -> Field {
        let variable = &self.at.variable;
        let (opened, is_root) = (self.parts.is_some(), self.at.parent.is_none());
        let length = variable.value.chars().count();
        // The debugger's own line, where parts stand in its place.
        let replaced = || {
            let mut lines = variable.value.lines().filter(|_| opened && is_root);
            let first = beginning(lines.next()?, LONGEST_TEXT);
            Some(first + lines.next().map_or("", |_| " …"))
        };
        let preview = variable.preview.clone().or_else(replaced);
        Field {
            type_name: self.at.type_name.clone(),
            value: self.shown(),
            expandable: variable.variables_reference != 0,
            variables_reference: variable.variables_reference,
            // Parts were not looked into: what is not known of them says nothing.
            preview: preview.filter(|p| is_root || !p.contains('…')),
            more: Some(self.more).filter(|more| *more > 0 && self.count.is_none()),
            length: (!opened && length > LONGEST_TEXT).then_some(length),
            cycle: self.cycle.clone(),
            same_as: self.same_as.clone(),
        }
    }

    fn shown(&self) -> ValueField {
        let ValuePlace {
            variable,
            type_name,
            ..
        } = &*self.at;
        if self.cycle.is_some() {
            return ValueField::Text(format!("<{type_name}>"));
        }
        match (&self.parts, self.count) {
            (Some(parts), Some(count)) => ValueField::Collection {
                type_name: type_name.clone(),
                count,
                preview: parts.iter().map(Self::shown).collect(),
            },
            (Some(parts), None) if !parts.is_empty() => ValueField::Object(named(parts)),
            (None, _) if variable.variables_reference == 0 => scalar(&variable.value),
            _ => opaque(type_name, &variable.value),
        }
    }
}

/// Values by their names; one may be declared again in an inner block.
fn named(nodes: &[Node]) -> Fields {
    let mut seen: HashMap<&str, u32> = HashMap::new();
    let fields = nodes.iter().map(|node| {
        let name = &node.at.variable.name;
        let times = seen.entry(name).or_default();
        *times += 1;
        let name = match *times {
            1 => name.clone(),
            times => format!("{name}#{times}"),
        };
        (name, node.field())
    });
    Fields(fields.collect())
}

/// What debuggers add to a program's own variables.
fn is_noise(variable: &Variable) -> bool {
    let name = variable.name.as_str();
    let group = variable.type_.as_deref().unwrap_or_default().is_empty()
        && variable.value.is_empty()
        && name.ends_with(" variables");
    let reflection = name.starts_with("[[") && name.ends_with("]]");
    let virtual_ = variable
        .presentation_hint
        .as_ref()
        .and_then(|h| h.kind.as_deref())
        .is_some_and(|kind| kind == "virtual");
    let special =
        name.len() > 4 && name.starts_with("__") && name.ends_with("__") || name == "__proto__";
    group || reflection || virtual_ || special || name.ends_with("()") || name == "[raw]"
}

/// Whether a value is a text for the debugger, whatever it is made of: `"bolt"`, `0x5556 "bolt"`.
fn reads_as_text(text: &str) -> bool {
    let after_address = text
        .strip_prefix("0x")
        .and_then(|t| t.split_once(' '))
        .map_or(text, |(_, rest)| rest);
    after_address.len() > 1 && after_address.starts_with('"') && after_address.ends_with('"')
}

fn is_index(name: &str) -> bool {
    let digits = name
        .strip_prefix('[')
        .and_then(|n| n.strip_suffix(']'))
        .unwrap_or(name);
    !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit())
}

/// A value without parts, as JSON has it where that is the same thing.
pub fn scalar(text: &str) -> ValueField {
    match text {
        "true" | "True" => return ValueField::Bool(true),
        "false" | "False" => return ValueField::Bool(false),
        "null" | "None" | "nil" => return ValueField::Null,
        _ => {}
    }
    let exact = |n: &Number| n.to_string() == text && n.as_f64().is_some_and(|n| n.abs() < 9e15);
    match text.parse::<Number>() {
        Ok(number) if exact(&number) => ValueField::Number(number),
        _ => ValueField::Text(beginning(text, LONGEST_TEXT)),
    }
}

/// A value with parts that are not told.
fn opaque(type_name: &str, text: &str) -> ValueField {
    if let number @ (ValueField::Number(_) | ValueField::Bool(_)) = scalar(text) {
        return number;
    }
    let says_nothing = text.len() < WORTH_REFERRING
        || text.contains(" at 0x")
        || text.starts_with('{') && text.ends_with('}');
    if says_nothing && type_name != "unknown" {
        ValueField::Text(format!("<{type_name}>"))
    } else {
        ValueField::Text(beginning(text, LONGEST_TEXT))
    }
}
