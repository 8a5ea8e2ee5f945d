//! Values opened up: level by level, all values of a level asked for together, within a depth, a number of elements and a number
//! of bytes.
//!
//! A value that is a part of itself is marked with the path of its first mention. What debuggers add to values (prototypes,
//! methods, groups of special variables) is left out unless asked for.

use std::pin::Pin;

use base::text::{beginning, redact::Redactor};
use dap::types::Variable;
use debugger::{Page, VariablesFilter};
use futures_util::future::join_all;
use serde_json::Number;

use super::fields::{Field, Fields, Shown};
use crate::prelude::*;

/// Characters of one text that are told.
const LONGEST_TEXT: usize = 4096;
/// Values opened for one event: each is a request.
const MOST_REQUESTS: usize = 400;
/// Shortest text worth referring to instead of repeating.
const WORTH_REFERRING: usize = 3;

type Answer = Pin<Box<dyn Future<Output = Result<Reply, DebuggerError>> + Send>>;

/// How far to go.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub depth: usize,
    pub items: usize,
    pub bytes: usize,
    /// What debuggers add, too.
    pub all: bool,
}

/// One value in the tree that is being built.
#[derive(Debug, Default)]
struct Node {
    name: String,
    type_name: String,
    text: String,
    preview: Option<String>,
    reference: i64,
    indexed: Option<i64>,
    memory: Option<String>,
    parent: Option<usize>,
    children: Vec<usize>,
    opened: bool,
    count: Option<usize>,
    more: usize,
    cycle: Option<String>,
    same_as: Option<String>,
}

/// Values of one stop.
pub struct Expansion {
    core: CoreHandle,
    session: SessionId,
    stop: StopId,
    limits: Limits,
    /// Hides what looks like a secret.
    redactor: Option<Arc<Redactor>>,
    nodes: Vec<Node>,
    used: usize,
    requests: usize,
    /// Something was left out for its size.
    pub truncated: bool,
}

impl Expansion {
    pub fn new(
        core: CoreHandle,
        session: SessionId,
        stop: StopId,
        limits: Limits,
        redactor: Option<Arc<Redactor>>,
    ) -> Self {
        Self {
            core,
            session,
            stop,
            limits,
            redactor,
            nodes: Vec::new(),
            used: 0,
            requests: 0,
            truncated: false,
        }
    }

    /// Opens these values, all of a level at a time.
    pub async fn fields(&mut self, mut variables: Vec<Variable>) -> Fields {
        self.nodes.clear();
        let all = self.limits.all;
        if let Some(command) = Command::previews(Some(self.session), self.stop, &variables)
            && let Ok(Reply::Variables { variables: known }) = self.core.request(command).await
        {
            variables = known;
        }
        let mut level: Vec<usize> = variables
            .into_iter()
            .filter(|v| all || !is_noise(v))
            .filter_map(|v| self.add(v, None))
            .collect();
        let roots = level.clone();
        let mut seen: HashMap<i64, usize> = HashMap::new();
        for _ in 0..self.limits.depth {
            let mut wanted = Vec::new();
            for node in level {
                if !self.may_open(node) {
                    continue;
                }
                let reference = self.nodes.get(node).map_or(0, |n| n.reference);
                if let Some(first) = seen.get(&reference).copied() {
                    // The same thing in another place: it is told once.
                    let path = self.path(first);
                    if let Some(n) = self.nodes.get_mut(node) {
                        n.same_as = Some(path);
                    }
                    continue;
                }
                seen.insert(reference, node);
                wanted.push(node);
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
            let asked: Vec<_> = wanted.iter().map(|node| self.ask(*node)).collect();
            level = Vec::new();
            for (node, answer) in wanted.into_iter().zip(join_all(asked).await) {
                if let Ok(Reply::Variables { variables }) = answer {
                    level.extend(self.adopt(node, variables));
                }
            }
        }
        let mut names: HashMap<String, u32> = HashMap::new();
        let fields = roots
            .into_iter()
            .map(|node| (self.unique_name(node, &mut names), self.field(node)))
            .collect();
        Fields(fields)
    }

    fn ask(&self, node: usize) -> Answer {
        let (reference, indexed) = self
            .nodes
            .get(node)
            .map_or((0, None), |n| (n.reference, n.indexed));
        let wanted = i64::try_from(self.limits.items).unwrap_or(i64::MAX);
        let page = indexed.is_some_and(|n| n > wanted).then_some(Page {
            filter: VariablesFilter::Indexed,
            start: 0,
            count: wanted,
        });
        Box::pin(self.core.request(Command::Variables {
            session: Some(self.session),
            stop: self.stop,
            reference,
            page,
        }))
    }

    /// Takes in the parts of a value, and gives those that are told.
    fn adopt(&mut self, parent: usize, variables: Vec<Variable>) -> Vec<usize> {
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
        let indexed = self
            .nodes
            .get(parent)
            .and_then(|n| n.indexed)
            .and_then(|n| usize::try_from(n).ok());
        let count = indexed
            .filter(|n| *n >= told)
            .or(length)
            .unwrap_or(told)
            .max(told);
        let mut children = Vec::new();
        for variable in own.into_iter().take(self.limits.items) {
            match self.add(variable, Some(parent)) {
                Some(child) => children.push(child),
                None => break,
            }
        }
        if let Some(node) = self.nodes.get_mut(parent) {
            node.opened = true;
            node.more = count.saturating_sub(children.len());
            node.count = elements.then_some(count);
            node.children.clone_from(&children);
        }
        children
    }

    /// A node for a variable, if there is room for it.
    fn add(&mut self, variable: Variable, parent: Option<usize>) -> Option<usize> {
        let clean = |text: String| match &self.redactor {
            Some(redactor) => redactor
                .redact_value(Some(&variable.name), &text)
                .into_owned(),
            None => text,
        };
        let (text, preview) = (clean(variable.value), variable.preview.map(clean));
        let type_name = variable
            .type_
            .filter(|t| !t.is_empty())
            .unwrap_or_else(|| "unknown".to_owned());
        let shown = preview.as_ref().map_or(0, String::len);
        let cost =
            variable.name.len() + type_name.len() + text.len().min(LONGEST_TEXT) + shown + 64;
        if self.used + cost > self.limits.bytes {
            self.truncated = true;
            return None;
        }
        self.used += cost;
        let mut node = Node {
            name: variable.name,
            type_name,
            text,
            preview,
            reference: variable.variables_reference,
            indexed: variable.indexed_variables,
            memory: variable.memory_reference,
            parent,
            ..Node::default()
        };
        node.cycle = self.ancestor_that_is(&node);
        self.nodes.push(node);
        Some(self.nodes.len() - 1)
    }

    /// The path of the ancestor that a value is once more.
    fn ancestor_that_is(&self, node: &Node) -> Option<String> {
        if node.reference == 0 {
            return None;
        }
        let mut next = node.parent;
        while let Some(at) = next {
            let ancestor = self.nodes.get(at)?;
            let same_handle = ancestor.reference == node.reference;
            let same_place = node.memory.is_some() && ancestor.memory == node.memory;
            // A text with an address in it tells things apart.
            let same_text = node.text.contains("0x") && ancestor.text == node.text;
            if same_handle || (ancestor.type_name == node.type_name && (same_place || same_text)) {
                return Some(self.path(at));
            }
            next = ancestor.parent;
        }
        None
    }

    fn may_open(&self, node: usize) -> bool {
        // Of what is a number all is said, whatever a debugger has to tell of its class.
        let is_whole = |text: &str| {
            reads_as_text(text) || matches!(scalar(text), Shown::Number(_) | Shown::Bool(_))
        };
        self.nodes
            .get(node)
            .is_some_and(|n| n.reference != 0 && n.cycle.is_none() && !is_whole(&n.text))
    }

    fn path(&self, node: usize) -> String {
        let mut names = Vec::new();
        let mut next = Some(node);
        while let Some(n) = next.and_then(|at| self.nodes.get(at)) {
            names.push(n.name.as_str());
            next = n.parent;
        }
        names.reverse();
        names.join(".")
    }

    fn unique_name(&self, node: usize, names: &mut HashMap<String, u32>) -> String {
        let name = self
            .nodes
            .get(node)
            .map(|n| n.name.clone())
            .unwrap_or_default();
        // A name may be declared again in an inner block.
        let times = names.entry(name.clone()).or_default();
        *times += 1;
        if *times == 1 {
            name
        } else {
            format!("{name}#{times}")
        }
    }

    fn field(&self, node: usize) -> Field {
        let Some(n) = self.nodes.get(node) else {
            return Field::default();
        };
        let length = n.text.chars().count();
        Field {
            type_name: n.type_name.clone(),
            value: self.shown(node),
            expandable: n.reference != 0,
            variables_reference: n.reference,
            // Parts were not looked into: what is not known of them says nothing.
            preview: n
                .preview
                .clone()
                .or_else(|| {
                    // The debugger's own line, where parts stand in its place.
                    let is_replaced = n.opened && n.parent.is_none() && !n.text.is_empty();
                    let mut lines = n.text.lines().filter(|_| is_replaced);
                    let first = beginning(lines.next()?, LONGEST_TEXT);
                    Some(first + lines.next().map_or("", |_| " …"))
                })
                .filter(|p| n.parent.is_none() || !p.contains('…')),
            more: Some(n.more).filter(|more| *more > 0 && n.opened && n.count.is_none()),
            length: (!n.opened && length > LONGEST_TEXT).then_some(length),
            cycle: n.cycle.clone(),
            same_as: n.same_as.clone(),
        }
    }

    fn shown(&self, node: usize) -> Shown {
        let Some(n) = self.nodes.get(node) else {
            return Shown::Null;
        };
        if n.cycle.is_some() {
            return Shown::Text(format!("<{}>", n.type_name));
        }
        if !n.opened {
            return if n.reference == 0 {
                scalar(&n.text)
            } else {
                opaque(&n.type_name, &n.text)
            };
        }
        match n.count {
            Some(count) => Shown::Collection {
                type_name: n.type_name.clone(),
                count,
                preview: n.children.iter().map(|c| self.shown(*c)).collect(),
            },
            None if n.children.is_empty() => opaque(&n.type_name, &n.text),
            None => {
                let mut names = HashMap::new();
                Shown::Object(Fields(
                    n.children
                        .iter()
                        .map(|c| (self.unique_name(*c, &mut names), self.field(*c)))
                        .collect(),
                ))
            }
        }
    }
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
pub fn scalar(text: &str) -> Shown {
    match text {
        "true" | "True" => return Shown::Bool(true),
        "false" | "False" => return Shown::Bool(false),
        "null" | "None" | "nil" => return Shown::Null,
        _ => {}
    }
    let exact = |n: &Number| n.to_string() == text && n.as_f64().is_some_and(|n| n.abs() < 9e15);
    match text.parse::<Number>() {
        Ok(number) if exact(&number) => Shown::Number(number),
        _ => Shown::Text(beginning(text, LONGEST_TEXT)),
    }
}

/// A value with parts that are not told.
fn opaque(type_name: &str, text: &str) -> Shown {
    if let number @ (Shown::Number(_) | Shown::Bool(_)) = scalar(text) {
        return number;
    }
    let says_nothing = text.len() < WORTH_REFERRING
        || text.contains(" at 0x")
        || text.starts_with('{') && text.ends_with('}');
    if says_nothing && type_name != "unknown" {
        Shown::Text(format!("<{type_name}>"))
    } else {
        Shown::Text(beginning(text, LONGEST_TEXT))
    }
}
