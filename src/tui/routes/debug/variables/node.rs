//! One row's worth of a value: what the adapter said of it, and what is known below it.

use dap::types::Variable;
use debugger::{Evaluated, Page, history::is_module, state::ScopeVariables};

use super::paging::{self, PAGE_LEN};

/// Begins the key of a range, so that no variable's name is mistaken for one.
pub const RANGE_MARK: char = '\u{1}';

/// Whether a step of a path is one.
pub fn is_range_key(step: &str) -> bool {
    step.starts_with(RANGE_MARK)
}

/// What a node stands for.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum NodeKind {
    /// A scope of the frame.
    Scope,
    /// A value.
    #[default]
    Value,
    /// Elements of the value above, folded.
    Range {
        /// The first one.
        start: i64,
        count: i64,
    },
    /// Rows that were announced and have not come; opening it asks for them.
    More {
        /// Which ones; `None` = all, without paging.
        page: Option<Page>,
    },
    /// A remark in the place of rows.
    Note,
    /// Why there are no rows.
    Trouble,
}

/// What is known below a node.
#[derive(Clone, Debug, PartialEq)]
pub enum Children {
    /// Nothing yet; the rows are those of the stop before, shown until new ones come.
    Unloaded(Vec<Node>),
    /// Asked for; the rows are those of the stop before.
    Asked(Vec<Node>),
    /// These.
    Loaded(Vec<Node>),
}

impl Default for Children {
    fn default() -> Self {
        Self::Unloaded(Vec::new())
    }
}

/// References of places that the adapter tells on request, of one value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Declared {
    /// Where what the variable holds is declared: a function, a class.
    pub value: Option<i64>,
    /// Where the variable itself is.
    pub variable: Option<i64>,
}

impl Declared {
    /// What the adapter gave with a variable.
    pub fn of(variable: &Variable) -> Self {
        let known = |told: Option<i64>| told.filter(|reference| *reference > 0);
        Self {
            value: known(variable.value_location_reference),
            variable: known(variable.declaration_location_reference),
        }
    }
}

/// One row's worth of a value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Node {
    /// Its name among its siblings, made unique: the step of a path.
    pub key: String,
    /// Its name as the adapter gave it.
    pub name: String,
    /// Its value as text, as the adapter wrote it.
    pub value: String,
    /// What it shows in one line, where the value does not say it.
    pub preview: Option<String>,
    pub type_name: Option<String>,
    /// The expression that gives it.
    pub evaluate_name: Option<String>,
    /// For its children; 0 = it has none.
    pub reference: i64,
    /// Number of fields announced.
    pub named: Option<i64>,
    /// Number of elements announced.
    pub indexed: Option<i64>,
    pub memory_reference: Option<String>,
    /// References of the places where the value and the variable are declared.
    pub declared: Declared,
    /// Reference of what holds it, for changing it; 0 = it cannot be changed through a holder.
    pub container: i64,
    /// What it stands for.
    pub kind: NodeKind,
    /// Its value is computed only when asked for.
    pub lazy: bool,
    /// The adapter says that it cannot be changed.
    pub read_only: bool,
    /// Not the program's own data: drawn quietly.
    pub quiet: bool,
    /// Its value is the reason why there is none.
    pub failed: bool,
    /// It was not evaluated at this stop: its text says so.
    pub unread: bool,
    /// Its value differs from that of the stop before.
    pub changed: bool,
    /// Shown open until it is closed by hand.
    pub open_at_first: bool,
    /// What is below it.
    pub children: Children,
}

impl Node {
    /// A scope with what was loaded with it.
    pub fn scope(index: usize, from: &ScopeVariables) -> Self {
        let scope = &from.scope;
        let mut node = Self {
            key: scope.name.clone(),
            name: scope.name.clone(),
            reference: scope.variables_reference,
            named: scope.named_variables,
            indexed: scope.indexed_variables,
            kind: NodeKind::Scope,
            open_at_first: opens_at_first(index, from),
            ..Self::default()
        };
        if let Some(trouble) = &from.trouble {
            node.children = Children::Loaded(vec![Self::trouble(trouble)]);
        } else if let Some(variables) = &from.variables {
            let mut rows = rows_of(node.reference, variables);
            let announced = scope
                .named_variables
                .unwrap_or(0)
                .saturating_add(scope.indexed_variables.unwrap_or(0));
            if usize::try_from(announced).is_ok_and(|n| n > variables.len()) {
                rows.push(Self::more(None, announced - variables.len() as i64));
            }
            node.children = Children::Loaded(rows);
        }
        node
    }

    /// A value.
    pub fn value(container: i64, from: &Variable) -> Self {
        let hint = from.presentation_hint.as_ref();
        let has = |attribute: &str| {
            hint.and_then(|h| h.attributes.as_ref())
                .is_some_and(|all| all.iter().any(|a| a == attribute))
        };
        let kind = hint.and_then(|h| h.kind.as_deref());
        Self {
            key: from.name.clone(),
            name: from.name.clone(),
            value: from.value.clone(),
            preview: from.preview.clone(),
            type_name: from.type_.clone().filter(|t| !t.is_empty()),
            evaluate_name: from.evaluate_name.clone().filter(|e| !e.is_empty()),
            reference: from.variables_reference,
            named: from.named_variables,
            indexed: from.indexed_variables,
            memory_reference: from.memory_reference.clone(),
            declared: Declared::of(from),
            container,
            lazy: from.is_lazy(),
            read_only: has("readOnly") || has("constant"),
            quiet: matches!(
                kind,
                Some("virtual" | "method" | "class" | "innerClass" | "baseClass")
            ) || hint.and_then(|h| h.visibility.as_deref()) == Some("internal"),
            ..Self::default()
        }
    }

    /// What an expression came to.
    pub fn evaluated(expression: &str, from: &Evaluated) -> Self {
        Self {
            key: expression.to_owned(),
            name: expression.to_owned(),
            value: from.result.clone(),
            preview: from.preview.clone(),
            type_name: from.type_name.clone().filter(|t| !t.is_empty()),
            evaluate_name: Some(expression.to_owned()),
            reference: from.variables_reference,
            named: from.named_variables,
            indexed: from.indexed_variables,
            memory_reference: from.memory_reference.clone(),
            declared: Declared {
                value: from.declared,
                variable: None,
            },
            ..Self::default()
        }
    }

    /// A range of the elements of what has `reference`.
    pub fn range(reference: i64, start: i64, count: i64) -> Self {
        Self {
            key: format!("{RANGE_MARK}{}", paging::range_name(start, count)),
            name: paging::range_name(start, count),
            reference,
            kind: NodeKind::Range { start, count },
            ..Self::default()
        }
    }

    /// A remark.
    pub fn note(text: impl Into<String>) -> Self {
        Self {
            value: text.into(),
            kind: NodeKind::Note,
            ..Self::default()
        }
    }

    /// A failure.
    pub fn trouble(text: impl Into<String>) -> Self {
        Self {
            kind: NodeKind::Trouble,
            ..Self::note(text)
        }
    }

    /// A row that asks for what is still owed.
    pub fn more(page: Option<Page>, owed: i64) -> Self {
        Self {
            key: "\u{0}more".into(),
            kind: NodeKind::More { page },
            ..Self::note(format!("{owed} more…"))
        }
    }

    /// What its row shows.
    pub fn shown(&self) -> &str {
        self.preview.as_deref().unwrap_or(&self.value)
    }

    /// Whether the core can find out more of what it shows.
    pub fn wants_preview(&self) -> bool {
        self.is_value()
            && !self.lazy
            && self.reference > 0
            && self.preview.as_ref().is_some_and(|p| p.contains('…'))
    }

    /// Whether it is the program's data and not a row of ours.
    pub fn is_value(&self) -> bool {
        self.kind == NodeKind::Value
    }

    /// Whether there is something to open.
    pub fn opens(&self) -> bool {
        match self.kind {
            NodeKind::Scope | NodeKind::Range { .. } => true,
            NodeKind::Value => self.reference > 0,
            NodeKind::More { .. } | NodeKind::Note | NodeKind::Trouble => false,
        }
    }

    /// The rows below it, whatever their age.
    pub fn rows(&self) -> &[Self] {
        match &self.children {
            Children::Unloaded(rows) | Children::Asked(rows) | Children::Loaded(rows) => rows,
        }
    }

    /// The same, to change.
    pub fn rows_mut(&mut self) -> &mut Vec<Self> {
        match &mut self.children {
            Children::Unloaded(rows) | Children::Asked(rows) | Children::Loaded(rows) => rows,
        }
    }

    /// Whether the rows below are of this stop.
    pub fn is_fresh(&self) -> bool {
        matches!(self.children, Children::Loaded(_))
    }

    /// Takes over a value that was loaded on demand.
    pub fn fill(&mut self, with: &Variable) {
        let filled = Self::value(self.container, with);
        self.lazy = false;
        self.value = filled.value;
        self.preview = filled.preview;
        self.type_name = filled.type_name.or_else(|| self.type_name.take());
        self.reference = filled.reference;
        self.named = filled.named;
        self.indexed = filled.indexed;
        self.memory_reference = filled.memory_reference;
        self.declared = filled.declared;
        self.evaluate_name = self.evaluate_name.take().or(filled.evaluate_name);
        self.children = Children::default();
    }
}

/// Locals are what people look at; registers and globals are many and slow. A module scope is loaded only where it is the frame's own, and is opened then.
fn opens_at_first(index: usize, from: &ScopeVariables) -> bool {
    let scope = &from.scope;
    if is_module(scope) && from.variables.is_some() {
        return true;
    }
    if scope.expensive {
        return false;
    }
    match scope.presentation_hint.as_deref() {
        Some("locals" | "arguments" | "returnValue") => true,
        Some("registers") => false,
        _ => {
            let name = scope.name.to_ascii_lowercase();
            let many = ["global", "register", "static", "builtin", "module"];
            !many.iter().any(|word| name.contains(word))
                && (index == 0 || name.contains("local") || name.contains("arg"))
        }
    }
}

/// Nodes for rows that came, with keys made unique: elements folded when they are many, what the adapter adds last.
pub fn rows_of(container: i64, variables: &[Variable]) -> Vec<Node> {
    let mut nodes: Vec<Node> = variables
        .iter()
        .map(|v| Node::value(container, v))
        .collect();
    make_unique(&mut nodes);
    for node in nodes.iter_mut().filter(|n| is_addition(&n.name)) {
        node.quiet = true;
    }
    nodes.sort_by_key(|n| is_addition(&n.name));
    note_what_is_missing(&mut nodes);
    if !paging::folds(variables) {
        return nodes;
    }
    // A range's numbers are those of the elements in it, so nothing but elements is counted, if there are any.
    let (elements, others): (Vec<_>, Vec<_>) = nodes
        .into_iter()
        .partition(|n| paging::index_of(&n.name).is_some());
    if elements.len() <= PAGE_LEN {
        return elements
            .into_iter()
            .chain(fold(container, others, 0))
            .collect();
    }
    // Languages that count from 1 are numbered as they count.
    let first = elements
        .first()
        .and_then(|n| paging::index_of(&n.name))
        .filter(|first| *first <= 1)
        .unwrap_or(0);
    let mut rows = fold(container, elements, first);
    if others.len() > PAGE_LEN {
        rows.extend(fold(container, others, 0));
    } else {
        rows.extend(others);
    }
    make_unique(&mut rows);
    rows
}

/// Where an adapter sends the first elements only and their number beside them, says so behind the last one.
fn note_what_is_missing(nodes: &mut Vec<Node>) {
    let is_element = |n: &Node| paging::index_of(&n.name).is_some();
    let came = nodes.iter().filter(|n| is_element(n)).count();
    let all = nodes
        .iter()
        .find(|n| n.name == "len()")
        .and_then(|n| n.value.parse::<usize>().ok());
    if let Some(all) = all.filter(|all| *all > came)
        && let Some(last) = nodes.iter().rposition(is_element)
    {
        nodes.insert(last + 1, Node::note(format!("{came} of {all} shown")));
    }
}

/// Whether a row is not the program's own data but put there by the adapter or the language: groups such as debugpy's
/// `special variables`, the computed `len()`, and names in double underscores.
fn is_addition(name: &str) -> bool {
    matches!(name, "special variables" | "function variables" | "len()")
        || (name.len() > 4 && name.starts_with("__") && name.ends_with("__"))
}

/// Puts nodes that are here already into ranges.
fn fold(container: i64, nodes: Vec<Node>, start: i64) -> Vec<Node> {
    let count = i64::try_from(nodes.len()).unwrap_or(i64::MAX);
    let mut rest = nodes.into_iter();
    paging::ranges(start, count)
        .into_iter()
        .map(|(start, count)| {
            let inside: Vec<Node> = rest
                .by_ref()
                .take(usize::try_from(count).unwrap_or(usize::MAX))
                .collect();
            let mut range = Node::range(container, start, count);
            range.children = Children::Loaded(if count > paging::PAGE {
                fold(container, inside, start)
            } else {
                inside
            });
            range
        })
        .collect()
}

/// Several things may have one name (shadowed locals, map entries): the second becomes `name#2`, and so on.
pub fn make_unique(nodes: &mut [Node]) {
    let mut seen = std::collections::HashMap::<String, u32>::new();
    for node in nodes {
        let times = seen.entry(node.key.clone()).or_insert(0);
        *times += 1;
        if *times > 1 {
            node.key = format!("{}#{times}", node.key);
        }
    }
}
