//! Who alone holds what: the dominator tree of a heap, and what each object retains.
//!
//! An object's dominator is the nearest one that every way from the roots to it leads through; what it retains is its own size and that
//! of all it dominates. Lengauer and Tarjan's algorithm ("A fast algorithm for finding dominators in a flowgraph", 1979) with path
//! compression takes time almost proportional to the references, whatever their shape: simpler ones need hours for a long linked list.
//!
//! All arrays are flat and of four bytes an entry, are numbered in the order of a depth-first walk, and are dropped as soon as they are
//! not needed: at most 29 bytes for each object and 8 for each reference are held beside the graph at any time.

use super::graph::{Graph, LAST};
use crate::{
    Cancel,
    profile::import::ImportError,
    slots::{self, put},
};

/// No edge, no node.
pub const NONE: u32 = u32::MAX;
/// Objects between two looks at whether anybody still waits.
pub const STEP: usize = 1 << 20;

/// Objects in the order of a depth-first walk from the root, which is number 0.
pub struct Tree {
    /// The node that has this number.
    pub nodes: Vec<u32>,
    /// The number of its dominator, which is always smaller; [`NONE`] for the root.
    pub above: Vec<u32>,
    /// Bytes that each one retains.
    pub retained: Vec<u64>,
    /// From this number on come those that nothing holds.
    pub orphans: usize,
}

/// An entry, or [`NONE`] for what cannot be.
pub fn at(list: &[u32], index: u32) -> u32 {
    list.get(index as usize).copied().unwrap_or(NONE)
}

struct Walk {
    nodes: Vec<u32>,
    /// Whence the walk came, by number.
    parent: Vec<u32>,
    /// The number of each node.
    number: Vec<u32>,
    orphans: usize,
}

impl Tree {
    /// Takes the edges out of the graph: nothing needs them afterwards.
    pub fn build(graph: &mut Graph, cancel: &Cancel) -> Result<Self, ImportError> {
        let walk = walk(graph, cancel)?;
        let incoming = Incoming::of(graph, &walk.number, cancel)?;
        graph.first = Vec::new();
        graph.to = Vec::new();
        let Walk {
            nodes,
            parent,
            number,
            orphans,
        } = walk;
        drop(number);
        let above = dominators(parent, &incoming, orphans, cancel)?;
        drop(incoming);
        let mut retained: Vec<u64> = nodes.iter().map(|node| graph.size(*node)).collect();
        for w in (1..nodes.len()).rev() {
            let own = slots::at(&retained, w);
            slots::add(&mut retained, slots::at(&above, w), own);
        }
        Ok(Self {
            nodes,
            above,
            retained,
            orphans,
        })
    }
}

/// Walks all edges, deepest first. It needs no stack: where it came from is in `parent`, how far it is in the graph's own `first`.
fn walk(graph: &mut Graph, cancel: &Cancel) -> Result<Walk, ImportError> {
    let len = graph.len();
    let mut walk = Walk {
        nodes: Vec::with_capacity(len),
        parent: Vec::with_capacity(len),
        number: vec![NONE; len],
        orphans: 0,
    };
    for root in 0..len as u32 {
        // What nothing leads to is held by the root, as other tools have it.
        if at(&walk.number, root) != NONE {
            continue;
        }
        walk.enter(root, 0);
        let mut node = root;
        loop {
            let edge = at(&graph.first, node);
            if edge == NONE {
                if node == root {
                    break;
                }
                let parent = at(&walk.parent, at(&walk.number, node));
                node = at(&walk.nodes, parent);
                continue;
            }
            let to = at(&graph.to, edge);
            let next = if to & LAST == 0 { edge + 1 } else { NONE };
            put(&mut graph.first, node, next);
            let target = to & !LAST;
            if at(&walk.number, target) == NONE {
                if walk.nodes.len().is_multiple_of(STEP) && cancel.is_cancelled() {
                    return Err(ImportError::Cancelled);
                }
                let from = at(&walk.number, node);
                walk.enter(target, from);
                node = target;
            }
        }
        if root == 0 {
            walk.orphans = walk.nodes.len();
        }
    }
    Ok(walk)
}

impl Walk {
    fn enter(&mut self, node: u32, parent: u32) {
        put(&mut self.number, node, self.nodes.len() as u32);
        self.nodes.push(node);
        self.parent.push(parent);
    }
}

/// For each object, by number, who refers to it.
struct Incoming {
    ends: Vec<u32>,
    from: Vec<u32>,
}

impl Incoming {
    fn of(graph: &Graph, number: &[u32], cancel: &Cancel) -> Result<Self, ImportError> {
        let mut ends = vec![0_u32; graph.len()];
        for to in &graph.to {
            if let Some(count) = ends.get_mut(at(number, to & !LAST) as usize) {
                *count += 1;
            }
        }
        let mut sum = 0;
        for end in &mut ends {
            sum += std::mem::replace(end, sum);
        }
        // Each entry is where its list begins, and moves to where it ends while the list is filled.
        let mut from = vec![0_u32; graph.to.len()];
        let mut edges = graph.to.iter();
        for node in 0..graph.len() as u32 {
            if (node as usize).is_multiple_of(STEP) && cancel.is_cancelled() {
                return Err(ImportError::Cancelled);
            }
            if !graph.has_edges(node) {
                continue;
            }
            let own = at(number, node);
            for to in edges.by_ref() {
                if let Some(end) = ends.get_mut(at(number, to & !LAST) as usize) {
                    put(&mut from, *end, own);
                    *end += 1;
                }
                if to & LAST != 0 {
                    break;
                }
            }
        }
        Ok(Self { ends, from })
    }

    fn to(&self, w: u32) -> &[u32] {
        let begin = if w == 0 { 0 } else { at(&self.ends, w - 1) };
        let range = begin as usize..at(&self.ends, w) as usize;
        self.from.get(range).unwrap_or_default()
    }
}

/// The forest of what was linked so far: see [`Forest::best`].
struct Forest {
    /// Above each object in the walk; compressed once it is linked.
    up: Vec<u32>,
    semi: Vec<u32>,
    /// On the way up, the one with the smallest `semi`.
    label: Vec<u32>,
    way: Vec<u32>,
}

impl Forest {
    /// On the way from `v` up to the root of its tree (without that), the object with the smallest `semi`. Objects from `linked` on are
    /// linked. Shortens the way.
    fn best(&mut self, v: u32, linked: u32) -> u32 {
        if at(&self.up, v) < linked {
            return at(&self.label, v);
        }
        let mut top = v;
        while at(&self.up, top) >= linked {
            self.way.push(top);
            top = at(&self.up, top);
        }
        let mut best = at(&self.label, top);
        let above = at(&self.up, top);
        while let Some(v) = self.way.pop() {
            put(&mut self.up, v, above);
            let own = at(&self.label, v);
            if at(&self.semi, best) < at(&self.semi, own) {
                put(&mut self.label, v, best);
            } else {
                best = own;
            }
        }
        best
    }
}

/// The number of each object's dominator. What nothing holds (`orphans` and beyond) does not count as a way to what is held.
fn dominators(
    parent: Vec<u32>,
    incoming: &Incoming,
    orphans: usize,
    cancel: &Cancel,
) -> Result<Vec<u32>, ImportError> {
    let (len, orphans) = (parent.len() as u32, orphans as u32);
    let mut forest = Forest {
        up: parent,
        semi: (0..len).collect(),
        label: (0..len).collect(),
        way: Vec::new(),
    };
    // Lists of those that wait for their semidominator; the list goes through `above`, which is not known yet for them.
    let mut waiting = vec![NONE; len as usize];
    let mut above = vec![0_u32; len as usize];
    for w in (1..len).rev() {
        if (w as usize).is_multiple_of(STEP) && cancel.is_cancelled() {
            return Err(ImportError::Cancelled);
        }
        // Not shortened yet: w is linked only now.
        let parent = at(&forest.up, w);
        let mut semi = parent;
        for v in incoming.to(w) {
            if *v >= orphans && w < orphans {
                continue;
            }
            let best = forest.best(*v, w + 1);
            semi = semi.min(at(&forest.semi, best));
        }
        put(&mut forest.semi, w, semi);
        put(&mut above, w, at(&waiting, semi));
        put(&mut waiting, semi, w);
        let mut v = at(&waiting, parent);
        put(&mut waiting, parent, NONE);
        while v != NONE {
            let next = at(&above, v);
            let best = forest.best(v, w);
            let is_lower = at(&forest.semi, best) < at(&forest.semi, v);
            put(&mut above, v, if is_lower { best } else { parent });
            v = next;
        }
    }
    for w in 1..len {
        let found = at(&above, w);
        if found != at(&forest.semi, w) {
            let higher = at(&above, found);
            put(&mut above, w, higher);
        }
    }
    put(&mut above, 0, NONE);
    Ok(above)
}
