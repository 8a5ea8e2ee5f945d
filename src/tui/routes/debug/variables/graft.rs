//! Putting what came where it belongs: answers into the tree, rows of the stop before under the new ones.

use std::collections::{HashMap, HashSet};

use dap::types::Variable;
use debugger::{Page, VariablesFilter};

use super::{
    node::{self, Children, Node, NodeKind, is_range_key},
    paging::{self, Step},
};

/// The node at a path.
pub fn find<'a>(nodes: &'a mut [Node], path: &[String]) -> Option<&'a mut Node> {
    let (first, rest) = path.split_first()?;
    let node = nodes.iter_mut().find(|n| n.key == *first)?;
    if rest.is_empty() {
        Some(node)
    } else {
        find(node.rows_mut(), rest)
    }
}

/// Makes ranges of a node's elements.
pub fn unfold(node: &mut Node, start: i64, count: i64) {
    let ranges = paging::ranges(start, count).into_iter();
    let rows = ranges
        .map(|(s, c)| Node::range(node.reference, s, c))
        .collect();
    let old = std::mem::take(node.rows_mut());
    node.children = children_of(rows, old);
}

/// Marks a node as asked for; rows of the stop before stay until the answer comes.
pub fn wait(node: &mut Node) {
    let mut rows = std::mem::take(node.rows_mut());
    if rows.is_empty() {
        rows.push(Node::note("loading…"));
    }
    node.children = Children::Asked(rows);
}

/// Gives nodes that are not loaded yet the rows that stood there before.
pub fn inherit(new: &mut [Node], old: Vec<Node>) {
    let mut old: HashMap<String, Node> = old
        .into_iter()
        .filter(|n| n.opens() && !n.rows().is_empty())
        .map(|n| (n.key.clone(), n))
        .collect();
    if old.is_empty() {
        return;
    }
    for node in new.iter_mut().filter(|n| n.opens()) {
        let Some(mut before) = old.remove(&node.key) else {
            continue;
        };
        let before = std::mem::take(before.rows_mut());
        match &mut node.children {
            Children::Loaded(rows) => inherit(rows, before),
            Children::Unloaded(rows) | Children::Asked(rows) => {
                rows.extend(before.into_iter().filter(|n| {
                    !matches!(
                        n.kind,
                        NodeKind::Note | NodeKind::Trouble | NodeKind::More { .. }
                    )
                }));
            }
        }
    }
}

/// Rows as children, with a remark in the place of none.
fn children_of(rows: Vec<Node>, old: Vec<Node>) -> Children {
    let mut rows = rows;
    if rows.is_empty() {
        rows.push(Node::note("empty"));
    }
    inherit(&mut rows, old);
    Children::Loaded(rows)
}

/// Puts an answer where it belongs.
pub fn graft(
    roots: &mut [Node],
    path: &[String],
    step: &Step,
    result: Result<Vec<Variable>, String>,
) {
    let Some(node) = find(roots, path) else {
        return;
    };
    let reference = node.reference;
    match (step, result) {
        (Step::Lazy, Ok(variables)) => match variables.first() {
            Some(value) => node.fill(value),
            None => node.value = "the adapter sent no value".into(),
        },
        (Step::Lazy, Err(text)) => node.value = text,
        (Step::Whole, Ok(variables)) => {
            let old = std::mem::take(node.rows_mut());
            node.children = children_of(node::rows_of(reference, &variables), old);
        }
        (Step::Named, Ok(variables)) => {
            if node
                .named
                .is_some_and(|n| i64::try_from(variables.len()).is_ok_and(|came| came > n))
            {
                // Asked for the fields, got everything: the elements are among it.
                node.children = children_of(node::rows_of(reference, &variables), Vec::new());
            } else {
                let mut rows = node::rows_of(reference, &variables);
                rows.append(node.rows_mut());
                node.children = Children::Loaded(rows);
            }
        }
        (Step::Named, Err(text)) => node.rows_mut().insert(0, Node::trouble(text)),
        (Step::Range { start, count }, Ok(variables)) => {
            graft_range(roots, path, *start, *count, &variables);
        }
        (Step::Rest { start, count }, Ok(variables)) => {
            graft_rest(node, *start, *count, &variables);
        }
        (Step::Whole | Step::Range { .. }, Err(text)) => {
            node.children = Children::Loaded(vec![Node::trouble(text)]);
        }
        (Step::Rest { .. }, Err(text)) => node.rows_mut().push(Node::trouble(text)),
        // They stand in no one place.
        (Step::Previews, _) => {}
    }
}

fn more_of(start: i64, count: i64, came: usize) -> Node {
    let came = i64::try_from(came).unwrap_or(i64::MAX);
    let page = Page {
        filter: VariablesFilter::Indexed,
        start: start.saturating_add(came),
        count: count.saturating_sub(came),
    };
    Node::more(Some(page), page.count)
}

/// A page of elements came, or what the adapter takes for one.
fn graft_range(
    roots: &mut [Node],
    path: &[String],
    start: i64,
    count: i64,
    variables: &[Variable],
) {
    let ranges = path
        .iter()
        .rev()
        .take_while(|step| is_range_key(step))
        .count();
    let holder_path = path
        .get(..path.len().saturating_sub(ranges))
        .unwrap_or_default();
    let mut others = Vec::new();
    if let Some(holder) = find(roots, holder_path) {
        pages(holder.rows(), start, &mut others);
    }
    let verdict = paging::judge(start, count, variables, others);
    match verdict {
        paging::Verdict::Page { owed } => {
            let Some(range) = find(roots, path) else {
                return;
            };
            let mut rows = node::rows_of(range.reference, variables);
            if owed > 0 && !rows.is_empty() {
                rows.push(more_of(start, count, variables.len()));
            }
            let old = std::mem::take(range.rows_mut());
            range.children = children_of(rows, old);
        }
        paging::Verdict::Everything => {
            let Some(holder) = find(roots, holder_path) else {
                return;
            };
            let fields = fields_of(holder);
            let mut rows: Vec<Node> = node::rows_of(holder.reference, variables);
            let came: HashSet<String> = rows.iter().map(|r| r.key.clone()).collect();
            rows.splice(0..0, fields.into_iter().filter(|f| !came.contains(&f.key)));
            holder.children = children_of(rows, Vec::new());
        }
        paging::Verdict::Repeated => {
            let Some(holder) = find(roots, holder_path) else {
                return;
            };
            let announced = holder.indexed.unwrap_or(0);
            let mut rows = fields_of(holder);
            let first = find_page(holder.rows(), 0)
                .unwrap_or_else(|| node::rows_of(holder.reference, variables));
            let came = first.len();
            rows.extend(first);
            rows.push(Node::note(format!(
                "the adapter sends the same {came} for every page; it announced {announced}"
            )));
            holder.children = children_of(rows, Vec::new());
        }
    }
}

/// What a page still owed came, or did not.
fn graft_rest(range: &mut Node, start: i64, count: i64, variables: &[Variable]) {
    let reference = range.reference;
    let rows = range.rows_mut();
    rows.retain(|n| !matches!(n.kind, NodeKind::More { .. } | NodeKind::Trouble));
    let known: HashSet<&str> = rows.iter().map(|n| n.name.as_str()).collect();
    let new: Vec<Variable> = variables
        .iter()
        .filter(|v| v.name.is_empty() || !known.contains(v.name.as_str()))
        .cloned()
        .collect();
    if new.is_empty() {
        let text = format!(
            "that is all: {} came, {count} more were announced",
            rows.len()
        );
        rows.push(Node::note(text));
        return;
    }
    rows.extend(new.iter().map(|v| Node::value(reference, v)));
    node::make_unique(rows);
    if usize::try_from(count).is_ok_and(|count| new.len() < count) {
        rows.push(more_of(start, count, new.len()));
    }
}

/// Rows of a holder that are not ranges of its elements.
fn fields_of(holder: &Node) -> Vec<Node> {
    let rows = holder.rows().to_vec();
    rows.into_iter().filter(Node::is_value).collect()
}

/// Names on the pages that came, except the one that starts at `except`.
fn pages<'a>(nodes: &'a [Node], except: i64, into: &mut Vec<Vec<&'a str>>) {
    for node in nodes {
        let NodeKind::Range { start, count } = node.kind else {
            continue;
        };
        if !node.is_fresh() {
            continue;
        }
        if count > paging::PAGE {
            pages(node.rows(), except, into);
        } else if start != except {
            into.push(
                node.rows()
                    .iter()
                    .filter(|n| n.is_value())
                    .map(|n| n.name.as_str())
                    .collect(),
            );
        }
    }
}

/// The rows of the page that starts at `at`, if it came.
fn find_page(nodes: &[Node], at: i64) -> Option<Vec<Node>> {
    nodes.iter().find_map(|node| match node.kind {
        NodeKind::Range { start, count } if start == at && count <= paging::PAGE => {
            node.is_fresh().then(|| {
                node.rows()
                    .iter()
                    .filter(|n| n.is_value())
                    .cloned()
                    .collect()
            })
        }
        NodeKind::Range { start, .. } if start == at => find_page(node.rows(), at),
        _ => None,
    })
}
