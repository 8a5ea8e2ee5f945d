//! Stacks merged into one tree of calls, and what is read off it: a table of functions, callers and callees, a difference.
//!
//! Nodes stand in the order in which a flame graph is walked: a node, then what it calls, the heaviest first. So the nodes below one
//! are a row of neighbours, and every question is a walk along an array: a million of them take a few milliseconds. Functions
//! are told apart by name, file and module; stacks that differ in lines alone are one.
//!
//! [`build`] makes it, [`timeline`] counts weights by time, and nothing here knows how it is drawn.

mod build;
mod options;
mod timeline;

use std::sync::Arc;

use crate::profile::prelude::*;
use regex::Regex;

pub use options::{IDLE, Options};
pub use timeline::Timeline;

ids! {
    /// A node of a [`Tree`]. 0 is above everything and no function.
    NodeId
    /// A function of a [`Tree`].
    FunctionId
}

impl NodeId {
    /// What is above everything.
    pub const ROOT: Self = Self(0);
}

impl Frame {
    /// `shop.py:12`, the module, or nothing.
    pub fn place(&self) -> String {
        place(self.file.as_deref(), self.line, self.module.as_deref())
    }
}

/// `shop.py:12`, the module, or nothing.
pub fn place(file: Option<&str>, line: Option<u32>, module: Option<&str>) -> String {
    match (file, line) {
        (Some(file), Some(line)) => format!("{file}:{line}"),
        (Some(file), None) => file.to_owned(),
        (None, _) => module.unwrap_or_default().to_owned(),
    }
}

/// What a node or a function weighs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Weight {
    /// Of itself.
    pub own: u64,
    /// With all that it calls.
    pub total: u64,
}

impl Weight {
    fn add(&mut self, own: u64, total: u64) {
        self.own = self.own.saturating_add(own);
        self.total = self.total.saturating_add(total);
    }
}

/// A function called from one place.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// Who calls it; of the root, the root.
    pub parent: NodeId,
    /// Nothing for the root.
    pub function: Option<FunctionId>,
    /// How far down it is; the root is at 0.
    pub depth: u32,
    /// The first node behind all that is below this one.
    end: u32,
    /// How many functions it calls.
    pub children: u32,
    /// The line that weighs most, from 1; 0 is none.
    line: u32,
    /// What it weighs.
    pub weight: Weight,
}

impl Node {
    /// The line that weighs most, from 1.
    pub fn line(&self) -> Option<u32> {
        (self.line > 0).then_some(self.line)
    }
}

/// A function of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    pub function: FunctionId,
    /// Its weight; what it weighs below itself again counts once.
    pub weight: Weight,
    /// The same in what is compared with.
    pub base: Weight,
}

/// One line of a list of callers or callees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The other one; nothing where the function is called by nobody.
    pub function: Option<FunctionId>,
    /// What the calls weigh.
    pub total: u64,
}

/// In [`Tree::functions_of`]: no function.
const NO_FUNCTION: u32 = u32::MAX;

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// What the weights count.
    pub unit: Unit,
    /// All frames of one name, file and module are one; its line is the one that weighs most.
    pub functions: Vec<Frame>,
    nodes: Vec<Node>,
    /// The nodes' functions by number, [`NO_FUNCTION`] = none: a search looks at all of them, and would wait for memory if it walked the nodes.
    functions_of: Vec<u32>,
    /// How many nodes each function has.
    nodes_of: Vec<u32>,
    /// The heaviest of them: a table asks for it in every frame.
    heaviest_of: Vec<Option<NodeId>>,
    /// Of what is compared with; empty without.
    base: Vec<Weight>,
    /// Functions, with their weights.
    pub rows: Vec<Row>,
    /// Weight that was left out because nothing ran.
    pub idle: u64,
    /// Weight that was left out because it is a debugger's, see [`Options::debuggers`].
    pub debuggers: u64,
    /// How many calls the deepest stack has.
    pub depth: u32,
}

impl Tree {
    /// How many nodes there are, with the root.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        self.nodes.len() < 2
    }

    /// A node.
    pub fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id.0 as usize)
    }

    /// A function.
    pub fn function(&self, id: FunctionId) -> Option<&Frame> {
        self.functions.get(id.0 as usize)
    }

    /// The function of a node.
    pub fn function_of(&self, id: NodeId) -> Option<&Frame> {
        self.function(self.node(id)?.function?)
    }

    /// Weight of everything.
    pub fn total(&self) -> u64 {
        self.node(NodeId::ROOT).map_or(0, |root| root.weight.total)
    }

    /// Weight of everything in what is compared with.
    pub fn base_total(&self) -> u64 {
        self.base(NodeId::ROOT).total
    }

    /// By how much a weight grew. Of memory it is the difference, in hundredths of all that there was before; of time and samples it is
    /// that of its parts of each whole, so that runs of other lengths can be compared.
    pub fn change(&self, now: u64, before: u64) -> f64 {
        let (total, base) = (self.total(), self.base_total());
        match self.unit {
            Unit::Bytes if base > 0 => (now as f64 - before as f64) * 100.0 / base as f64,
            _ => words::share(now, total) - words::share(before, base),
        }
    }

    /// Whether there is something that it is compared with.
    pub fn is_compared(&self) -> bool {
        !self.base.is_empty()
    }

    /// Weight of a node in what is compared with.
    pub fn base(&self, id: NodeId) -> Weight {
        slots::at(&self.base, id.0)
    }

    /// What a node calls, the heaviest first.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = (NodeId, &Node)> + '_ {
        let end = self.node(id).map_or(0, |node| node.end);
        let mut next = id.0.saturating_add(1);
        std::iter::from_fn(move || {
            let here = NodeId(next);
            let node = (next < end).then(|| self.node(here)).flatten()?;
            next = node.end;
            Some((here, node))
        })
    }

    /// The heaviest call.
    pub fn first_child(&self, id: NodeId) -> Option<NodeId> {
        self.children(id).next().map(|(id, _)| id)
    }

    /// The next lighter node of the same caller.
    pub fn next_sibling(&self, id: NodeId) -> Option<NodeId> {
        let node = self.node(id)?;
        let parent = self.node(node.parent)?;
        (id != NodeId::ROOT && node.end < parent.end).then_some(NodeId(node.end))
    }

    /// The next heavier node of the same caller.
    pub fn previous_sibling(&self, id: NodeId) -> Option<NodeId> {
        let parent = self.node(id)?.parent;
        // The node before is the last one below the sibling.
        let mut before = NodeId(id.0.checked_sub(1)?);
        if before == parent {
            return None;
        }
        loop {
            let above = self.node(before)?.parent;
            if above == parent {
                return Some(before);
            }
            before = above;
        }
    }

    /// Whether `below` is `above`, or below it.
    pub fn is_within(&self, below: NodeId, above: NodeId) -> bool {
        self.node(above)
            .is_some_and(|node| (above.0..node.end).contains(&below.0))
    }

    /// A node and all its callers, the innermost first, without the root.
    pub fn path(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let all = std::iter::successors(Some(id), |here| Some(self.node(*here)?.parent));
        all.take_while(|here| *here != NodeId::ROOT)
    }

    /// The names on the way to a node, the outermost first: what finds it again in another tree.
    pub fn names(&self, id: NodeId) -> Vec<Arc<str>> {
        let mut names: Vec<_> = self
            .path(id)
            .filter_map(|id| self.function_of(id))
            .map(|function| Arc::clone(&function.name))
            .collect();
        names.reverse();
        names
    }

    /// The node that names lead to, or as far as they lead.
    pub fn find(&self, names: &[Arc<str>]) -> NodeId {
        let mut here = NodeId::ROOT;
        for name in names {
            let next = self.children(here).find(|(id, _)| {
                self.function_of(*id)
                    .is_some_and(|function| function.name == *name)
            });
            match next {
                Some((id, _)) => here = id,
                None => break,
            }
        }
        here
    }

    /// The heaviest node of a function.
    pub fn heaviest(&self, function: FunctionId) -> Option<NodeId> {
        slots::at(&self.heaviest_of, function.0)
    }

    /// Which functions an expression is found in, by name or file.
    pub fn matches(&self, expression: &Regex) -> Matches {
        let functions: Vec<bool> = self
            .functions
            .iter()
            .map(|function| {
                expression.is_match(&function.name)
                    || function
                        .file
                        .as_deref()
                        .is_some_and(|file| expression.is_match(file))
            })
            .collect();
        let counted = functions.iter().zip(&self.nodes_of);
        let nodes = counted
            .filter(|(is_match, _)| **is_match)
            .map(|(_, nodes)| *nodes as usize)
            .sum();
        let mut total = 0_u64;
        let mut at = 0;
        while let Some(function) = self.functions_of.get(at) {
            at += 1;
            if slots::at(&functions, *function)
                && let Some(node) = self.nodes.get(at - 1)
            {
                total = total.saturating_add(node.weight.total);
                // What is below a match is in it already.
                at = at.max(node.end as usize);
            }
        }
        Matches {
            functions,
            nodes,
            total,
        }
    }

    /// The next match behind a node, or with `back` the one before it, around the ends.
    pub fn next_match(&self, from: NodeId, matches: &Matches, back: bool) -> Option<NodeId> {
        let is_match = |id: &u32| {
            let function = self.functions_of.get(*id as usize);
            function.is_some_and(|function| matches.has(FunctionId(*function)))
        };
        let len = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        let found = if back {
            let mut all = (0..from.0).rev().chain((from.0..len).rev());
            all.find(is_match)
        } else {
            let mut all = (from.0.saturating_add(1)..len).chain(0..=from.0);
            all.find(is_match)
        };
        found.map(NodeId)
    }

    /// Who calls a function and what it calls; what is met again below itself counts once.
    pub fn around(&self, function: FunctionId) -> (Vec<Edge>, Vec<Edge>) {
        let mut above_it = Sums::new(self.functions.len() + 1);
        let mut below_it = Sums::new(self.functions.len() + 1);
        let place =
            |function: Option<FunctionId>| function.map_or(self.functions.len(), |f| f.0 as usize);
        // The nodes that we are below, with what each has entered.
        let mut open: Vec<(u32, Option<usize>, Option<usize>)> = Vec::new();
        for (id, node) in (0_u32..).zip(&self.nodes).skip(1) {
            while let Some((_, upper, lower)) = open.pop_if(|(end, ..)| *end <= id) {
                above_it.leave(upper);
                below_it.leave(lower);
            }
            let above = self.node(node.parent).and_then(|parent| parent.function);
            let upper = (node.function == Some(function)).then(|| place(above));
            let lower = (above == Some(function)).then(|| place(node.function));
            if upper.is_some() || lower.is_some() {
                above_it.enter(upper, node.weight.total);
                below_it.enter(lower, node.weight.total);
                open.push((node.end, upper, lower));
            }
        }
        (above_it.edges(), below_it.edges())
    }
}

/// What an expression is found in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matches {
    functions: Vec<bool>,
    pub nodes: usize,
    /// What they weigh together; what is below another match counts once.
    pub total: u64,
}

impl Matches {
    /// Whether it is found in a function.
    pub fn has(&self, function: FunctionId) -> bool {
        slots::at(&self.functions, function.0)
    }
}

/// Weights by function, each counted once on every way down.
struct Sums {
    open: Vec<u32>,
    totals: Vec<u64>,
}

impl Sums {
    fn new(len: usize) -> Self {
        Self {
            open: vec![0; len],
            totals: vec![0; len],
        }
    }

    fn enter(&mut self, at: Option<usize>, weight: u64) {
        let Some(at) = at else { return };
        if let (Some(open), Some(total)) = (self.open.get_mut(at), self.totals.get_mut(at)) {
            if *open == 0 {
                *total = total.saturating_add(weight);
            }
            *open += 1;
        }
    }

    fn leave(&mut self, at: Option<usize>) {
        if let Some(open) = at.and_then(|at| self.open.get_mut(at)) {
            *open = open.saturating_sub(1);
        }
    }

    /// The heaviest first; the last place is nobody's.
    fn edges(&self) -> Vec<Edge> {
        let nobody = self.totals.len().saturating_sub(1);
        let mut edges: Vec<Edge> = (0_u32..)
            .zip(&self.totals)
            .filter(|(_, total)| **total > 0)
            .map(|(at, total)| Edge {
                function: (at as usize != nobody).then_some(FunctionId(at)),
                total: *total,
            })
            .collect();
        edges.sort_by_key(|edge| (std::cmp::Reverse(edge.total), edge.function));
        edges
    }
}

#[cfg(test)]
mod tests;
