//! Makes a tree out of one profile, or out of two that are compared.

use super::{
    super::number, FunctionId, IDLE, NO_FUNCTION, Node, NodeId, Options, Row, Tree, Weight,
};
use crate::profile::prelude::*;

const NONE: u32 = u32::MAX;

/// A tree that is not in order yet: callers before what they call.
#[derive(Default)]
struct Rough {
    functions: Vec<Frame>,
    /// Without their lines.
    by_frame: HashMap<Frame, u32>,
    nodes: Vec<RoughNode>,
    by_call: HashMap<(u32, u32), u32>,
}

#[derive(Clone, Copy, Default)]
struct RoughNode {
    parent: u32,
    function: u32,
    line: u32,
    /// What the line was chosen for.
    heaviest: u64,
    weight: Weight,
    base: Weight,
}

/// Whether a sample is to be counted.
fn counts(sample: &Sample, options: &Options) -> bool {
    options.thread.is_none_or(|thread| thread == sample.thread)
        && options
            .between
            .is_none_or(|(from, to)| (from..to).contains(&sample.at))
}

impl Rough {
    /// The functions of a profile's frames.
    fn functions_of(&mut self, profile: &Profile) -> Vec<u32> {
        let mut functions = Vec::with_capacity(profile.frames.len());
        for frame in &profile.frames {
            let key = Frame {
                line: None,
                ..frame.clone()
            };
            let new = number(self.functions.len());
            let function = *self.by_frame.entry(key).or_insert_with(|| {
                self.functions.push(frame.clone());
                new
            });
            functions.push(function);
        }
        functions
    }

    /// Puts a profile's stacks in; gives what was left out as idle, and as a debugger's.
    fn add(
        &mut self,
        profile: &Profile,
        options: &Options,
        is_base: bool,
        cancel: &Cancel,
    ) -> (u64, u64) {
        let stacks = &profile.stacks;
        let mut own = vec![0_u64; stacks.len()];
        let (mut idle, mut debuggers) = (0_u64, 0_u64);
        let is_debuggers = options.debuggers_of(profile);
        let is_idle = profile.is_in(IDLE);
        for sample in &profile.samples {
            if !counts(sample, options) {
                continue;
            }
            if is_debuggers(sample) {
                debuggers = debuggers.saturating_add(sample.weight);
            } else if !options.idle && is_idle(sample.stack) {
                idle = idle.saturating_add(sample.weight);
            } else {
                slots::add(&mut own, sample.stack.0, sample.weight);
            }
        }
        let mut total = own.clone();
        for (at, stack) in stacks.iter().enumerate().rev() {
            let weight = slots::at(&total, at);
            if let Some(parent) = stack.parent {
                slots::add(&mut total, parent.0, weight);
            }
        }
        if cancel.is_cancelled() {
            return (idle, debuggers);
        }
        let functions = self.functions_of(profile);
        if self.nodes.is_empty() {
            self.nodes.push(RoughNode {
                parent: NONE,
                function: NONE,
                ..RoughNode::default()
            });
        }
        // Where each frame is a function of its own, each stack is a node: nothing has to be looked up.
        let is_plain = self.nodes.len() == 1 && functions.len() == self.functions.len();
        let mut node_of = vec![NONE; stacks.len()];
        for (at, stack) in stacks.iter().enumerate() {
            let weight = slots::at(&total, at);
            if weight == 0 {
                continue;
            }
            let parent = stack
                .parent
                .map_or(0, |parent| slots::at(&node_of, parent.0));
            let FrameId(frame) = stack.frame;
            let function = functions.get(frame as usize).copied().unwrap_or(NONE);
            let new = number(self.nodes.len());
            let node = if is_plain {
                new
            } else {
                *self.by_call.entry((parent, function)).or_insert(new)
            };
            if node == new {
                self.nodes.push(RoughNode {
                    parent,
                    function,
                    ..RoughNode::default()
                });
            }
            slots::put(&mut node_of, at, node);
            let own = slots::at(&own, at);
            let line = profile.frames.get(frame as usize).and_then(|f| f.line);
            if let Some(node) = self.nodes.get_mut(node as usize) {
                if weight > node.heaviest {
                    node.heaviest = weight;
                    node.line = line.unwrap_or(0);
                }
                let sum = if is_base {
                    &mut node.base
                } else {
                    &mut node.weight
                };
                sum.add(own, weight);
            }
        }
        // A second profile's calls are looked up among the first one's.
        if is_plain {
            self.by_call = (0..)
                .zip(&self.nodes)
                .skip(1)
                .map(|(id, node)| ((node.parent, node.function), id))
                .collect();
        }
        (idle, debuggers)
    }

    /// Calls of each node, the heaviest first: where they begin, and they.
    fn calls(&self) -> (Vec<u32>, Vec<u32>) {
        let mut starts = vec![0_u32; self.nodes.len() + 1];
        for node in self.nodes.iter().skip(1) {
            if let Some(count) = starts.get_mut(node.parent as usize + 1) {
                *count += 1;
            }
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut next = starts.clone();
        let mut calls = vec![0_u32; self.nodes.len().saturating_sub(1)];
        for (id, node) in (0_u32..).zip(&self.nodes).skip(1) {
            if let Some(at) = next.get_mut(node.parent as usize) {
                slots::put(&mut calls, *at, id);
                *at += 1;
            }
        }
        for range in starts.windows(2) {
            let [from, to] = *range else { continue };
            if to - from < 2 {
                continue;
            }
            if let Some(calls) = calls.get_mut(from as usize..to as usize) {
                calls.sort_by_key(|id| {
                    self.nodes.get(*id as usize).map(|node| {
                        let weight = std::cmp::Reverse((node.weight.total, node.base.total));
                        (weight, node.function)
                    })
                });
            }
        }
        (starts, calls)
    }
}

impl Tree {
    /// The tree of a profile, compared with another one if there is one. Of a tree that nobody waits for any more, nothing is
    /// to be expected.
    pub fn build(
        profile: &Profile,
        base: Option<&Profile>,
        options: &Options,
        cancel: &Cancel,
    ) -> Self {
        let mut rough = Rough::default();
        let (idle, debuggers) = rough.add(profile, options, false, cancel);
        if let Some(base) = base {
            // Threads and times of another run are other ones.
            let options = Options {
                idle: options.idle,
                debuggers: options.debuggers,
                ..Options::default()
            };
            rough.add(base, &options, true, cancel);
        }
        if cancel.is_cancelled() {
            return Self::default();
        }
        let (starts, calls) = rough.calls();
        let mut tree = Self {
            unit: profile.unit,
            idle,
            debuggers,
            ..Self::default()
        };
        order(&rough, &starts, &calls, base.is_some(), &mut tree);
        tree.functions = rough.functions;
        tree.sum_functions();
        tree
    }

    /// Weights of functions: of what is below itself again, only the outermost counts.
    fn sum_functions(&mut self) {
        let mut rows: Vec<Row> = (0..)
            .take(self.functions.len())
            .map(|id| Row {
                function: FunctionId(id),
                weight: Weight::default(),
                base: Weight::default(),
            })
            .collect();
        let mut lines = vec![0_u64; rows.len()];
        let mut entered = vec![0_u32; rows.len()];
        let mut open: Vec<(u32, usize)> = Vec::new();
        for (id, node) in (0_u32..).zip(&self.nodes) {
            while let Some((_, function)) = open.pop_if(|(end, _)| *end <= id) {
                if let Some(count) = entered.get_mut(function) {
                    *count -= 1;
                }
            }
            let Some(FunctionId(function)) = node.function else {
                continue;
            };
            let function = function as usize;
            let base = slots::at(&self.base, id);
            let (Some(row), Some(count)) = (rows.get_mut(function), entered.get_mut(function))
            else {
                continue;
            };
            let whole = |weight: Weight| if *count == 0 { weight.total } else { 0 };
            row.weight.add(node.weight.own, whole(node.weight));
            row.base.add(base.own, whole(base));
            *count += 1;
            open.push((node.end, function));
            if let (Some(heaviest), Some(known)) =
                (lines.get_mut(function), self.functions.get_mut(function))
                && node.line > 0
                && node.weight.total > *heaviest
            {
                *heaviest = node.weight.total;
                known.line = Some(node.line);
            }
        }
        rows.retain(|row| row.weight.total > 0 || row.base.total > 0);
        rows.sort_by_key(|row| {
            let Weight { own, total } = row.weight;
            (std::cmp::Reverse((own, total)), row.function)
        });
        self.rows = rows;
        self.functions_of = Vec::with_capacity(self.nodes.len());
        self.nodes_of = vec![0; self.functions.len()];
        self.heaviest_of = vec![None; self.functions.len()];
        for (id, node) in (0_u32..).zip(&self.nodes) {
            let function = node.function.map_or(NO_FUNCTION, |function| function.0);
            self.functions_of.push(function);
            let at = function as usize;
            if let (Some(nodes), Some(heaviest)) =
                (self.nodes_of.get_mut(at), self.heaviest_of.get_mut(at))
            {
                *nodes += 1;
                let known = heaviest.and_then(|NodeId(known)| self.nodes.get(known as usize));
                // Of equal ones the first.
                if known.is_none_or(|known| node.weight.total > known.weight.total) {
                    *heaviest = Some(NodeId(id));
                }
            }
        }
    }
}

/// Puts nodes into the order of a walk.
fn order(rough: &Rough, starts: &[u32], calls: &[u32], is_compared: bool, tree: &mut Tree) {
    let calls_of = |id: u32| {
        let (from, to) = (slots::at(starts, id), slots::at(starts, id + 1));
        calls.get(from as usize..to as usize).unwrap_or_default()
    };
    let root = calls_of(0)
        .iter()
        .filter_map(|id| rough.nodes.get(*id as usize));
    let (mut weight, mut base) = (Weight::default(), Weight::default());
    for node in root {
        weight.add(0, node.weight.total);
        base.add(0, node.base.total);
    }
    tree.nodes.reserve_exact(rough.nodes.len());
    tree.nodes.push(Node {
        parent: NodeId::ROOT,
        function: None,
        depth: 0,
        end: 0,
        children: number(calls_of(0).len()),
        line: 0,
        weight,
    });
    if is_compared {
        tree.base.reserve_exact(rough.nodes.len());
        tree.base.push(base);
    }
    // Each is a node whose calls are being gone through: the new id, and what is left of its calls.
    let mut open: Vec<(u32, &[u32])> = vec![(0, calls_of(0))];
    while let Some((parent, rest)) = open.last_mut() {
        let parent = *parent;
        let Some((id, tail)) = rest.split_first() else {
            let end = number(tree.nodes.len());
            if let Some(node) = tree.nodes.get_mut(parent as usize) {
                node.end = end;
            }
            open.pop();
            continue;
        };
        *rest = tail;
        let Some(node) = rough.nodes.get(*id as usize) else {
            continue;
        };
        let new = number(tree.nodes.len());
        let depth = number(open.len());
        tree.depth = tree.depth.max(depth);
        let calls = calls_of(*id);
        tree.nodes.push(Node {
            parent: NodeId(parent),
            function: Some(FunctionId(node.function)),
            depth,
            end: new + 1,
            children: number(calls.len()),
            line: node.line,
            weight: node.weight,
        });
        if is_compared {
            tree.base.push(node.base);
        }
        if !calls.is_empty() {
            open.push((new, calls));
        }
    }
}
