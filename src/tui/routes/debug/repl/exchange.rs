//! A line that was typed, and what came of it.

use debugger::Evaluated;

use crate::routes::debug::variables::{Node, Tree, ValuePlace};

/// Bytes of a result that are shown; the whole of it can be copied.
const SHOWN: usize = 64 * 1024;

/// What came of a line.
#[derive(Debug)]
pub enum Outcome {
    /// Nothing yet.
    Pending,
    /// A plain value.
    Text(String),
    /// A value that opens.
    Tree(Box<Tree>),
    /// Why there is none.
    Failed(String),
}

/// A line and what came of it.
#[derive(Debug)]
pub struct Exchange {
    pub ticket: u64,
    pub input: String,
    pub outcome: Outcome,
    /// All that was said, where the outcome is only the part worth a line.
    pub details: Option<String>,
}

/// The lines of a result that are shown.
pub fn lines_of(text: &str) -> impl Iterator<Item = &str> {
    let shown = text.get(..text.floor_char_boundary(SHOWN));
    shown.unwrap_or_default().lines()
}

pub fn outcome(value: &Evaluated, place: ValuePlace) -> Outcome {
    if value.variables_reference <= 0 {
        return Outcome::Text(value.shown().to_owned());
    }
    let mut tree = Tree::default();
    let mut node = Node::evaluated("", value);
    node.name = value
        .type_name
        .clone()
        .filter(|t| !t.is_empty())
        .unwrap_or_else(|| "result".into());
    node.type_name = None;
    node.key = "result".into();
    tree.set_roots(place, vec![node]);
    Outcome::Tree(Box::new(tree))
}
