//! A heap by constructor, and its largest objects.

use std::{cmp::Reverse, collections::BinaryHeap};

use super::{
    Class, Format, Heap, Object, Trouble,
    dominators::{NONE, Tree},
    graph::Graph,
};
use crate::prelude::*;

/// Largest objects, by what they retain and again by themselves.
const LARGEST: usize = 100;
/// Dominators that are named of each of them.
const HELD_BY: usize = 8;
/// Steps between two looks at whether anybody still waits.
const STEP: usize = 1 << 20;

/// What people call a node: its class, by the rules of Chromium's own tools.
struct Naming<'g> {
    graph: &'g Graph,
    /// By kind: whether objects of it are called by their own names.
    own: Vec<bool>,
    synthetic: Option<u8>,
}

impl<'g> Naming<'g> {
    fn new(graph: &'g Graph) -> Self {
        let names = &graph.kind_names;
        let synthetic = names.iter().position(|name| name == "synthetic");
        Self {
            graph,
            own: names
                .iter()
                .map(|name| name == "object" || name == "native")
                .collect(),
            synthetic: synthetic.and_then(|at| u8::try_from(at).ok()),
        }
    }

    /// What makes nodes one class: the name's number, or the kind where all of a kind are one.
    fn key(&self, node: u32) -> (u8, u32) {
        let kind = self.graph.kind(node);
        if self.own.get(usize::from(kind)) == Some(&true) {
            (
                0,
                self.graph.names.get(node as usize).copied().unwrap_or(NONE),
            )
        } else {
            (1, u32::from(kind))
        }
    }

    fn class(&self, key: (u8, u32)) -> String {
        if let (0, name) = key {
            return match self.graph.strings.get(name) {
                name if name.is_empty() => "(no name)".to_owned(),
                name => name,
            };
        }
        let kind = self.graph.kind_names.get(key.1 as usize);
        match kind.map_or("unknown", String::as_str) {
            "hidden" => "(system)".to_owned(),
            "code" => "(compiled code)".to_owned(),
            "closure" => "Function".to_owned(),
            "regexp" => "RegExp".to_owned(),
            other => format!("({other})"),
        }
    }

    fn name(&self, node: u32) -> String {
        let name = self.graph.names.get(node as usize).copied().unwrap_or(NONE);
        self.graph.strings.get(name)
    }

    /// One word or two about an object that holds others.
    fn holder(&self, node: u32) -> String {
        let (class, name) = (self.class(self.key(node)), self.name(node));
        if name.is_empty() || name == class {
            class
        } else {
            format!("{class} {name}")
        }
    }

    fn is_synthetic(&self, node: u32) -> bool {
        Some(self.graph.kind(node)) == self.synthetic
    }
}

/// Puts it all together; also gives the nodes of [`Heap::largest`], in its order.
pub fn summarise(graph: &Graph, tree: &Tree, cancel: &Cancel) -> Result<(Heap, Vec<u32>), Trouble> {
    let naming = Naming::new(graph);
    let mut numbers: HashMap<(u8, u32), u32> = HashMap::new();
    let mut keys: Vec<(u8, u32)> = Vec::new();
    let mut classes: Vec<Class> = Vec::new();
    let mut class_of: Vec<u32> = Vec::with_capacity(tree.nodes.len());
    let mut heap = Heap {
        format: Format::V8Snapshot,
        objects: graph.len() as u64,
        ..Heap::default()
    };
    for (at, node) in tree.nodes.iter().enumerate() {
        let key = naming.key(*node);
        let class = *numbers.entry(key).or_insert_with(|| {
            keys.push(key);
            classes.push(Class::default());
            classes.len() as u32 - 1
        });
        class_of.push(class);
        let size = graph.size(*node);
        if let Some(class) = classes.get_mut(class as usize) {
            class.count += 1;
            class.shallow += size;
        }
        heap.total += size;
        if at >= tree.orphans {
            heap.unreachable += size;
        }
    }
    retain(tree, &class_of, &mut classes, cancel)?;
    for (class, key) in classes.iter_mut().zip(&keys) {
        class.name = naming.class(*key);
    }
    let made = |class: &Class| class.name != "(synthetic)";
    heap.classes = merge(classes.into_iter().filter(made));
    let largest = largest(graph, tree, &naming);
    heap.largest = largest
        .iter()
        .map(|at| object(graph, tree, &naming, *at))
        .collect();
    let nodes = largest
        .iter()
        .map(|at| tree.nodes.get(*at as usize).copied().unwrap_or(NONE))
        .collect();
    if heap.unreachable > 0 {
        heap.notes.push(
            "some objects are held by nothing: garbage that was not collected yet, or held by something outside of the heap".to_owned(),
        );
    }
    Ok((heap, nodes))
}

/// One name may have several numbers.
fn merge(classes: impl Iterator<Item = Class>) -> Vec<Class> {
    let mut by_name: HashMap<String, Class> = HashMap::new();
    for class in classes {
        let found = by_name.entry(class.name.clone()).or_insert_with(|| Class {
            name: class.name.clone(),
            ..Class::default()
        });
        found.count += class.count;
        found.shallow += class.shallow;
        found.retained += class.retained;
    }
    let mut classes: Vec<Class> = by_name.into_values().collect();
    classes.sort_by(|a, b| {
        (b.retained, b.shallow)
            .cmp(&(a.retained, a.shallow))
            .then_with(|| a.name.cmp(&b.name))
    });
    classes
}

/// Adds what each class retains: of objects that one of the same class holds, nothing is counted again. So the whole tree is walked,
/// with how often each class is on the way down.
fn retain(
    tree: &Tree,
    class_of: &[u32],
    classes: &mut [Class],
    cancel: &Cancel,
) -> Result<(), Trouble> {
    let len = tree.nodes.len();
    let (mut child, mut next) = (vec![NONE; len], vec![NONE; len]);
    for w in (1..len).rev() {
        let holder = tree.above.get(w).copied().unwrap_or(0);
        if let (Some(first), Some(next)) = (child.get_mut(holder as usize), next.get_mut(w)) {
            *next = std::mem::replace(first, w as u32);
        }
    }
    let get = |list: &[u32], v: u32| list.get(v as usize).copied().unwrap_or(NONE);
    let mut on_the_way = vec![0_u32; classes.len()];
    let mut enter = |v: u32, on_the_way: &mut [u32]| {
        let class = get(class_of, v) as usize;
        if let (Some(class), Some(times)) = (classes.get_mut(class), on_the_way.get_mut(class)) {
            if *times == 0 {
                class.retained += tree.retained.get(v as usize).copied().unwrap_or(0);
            }
            *times += 1;
        }
    };
    let (mut v, mut steps) = (0, 0_usize);
    enter(v, &mut on_the_way);
    loop {
        steps += 1;
        if steps.is_multiple_of(STEP) && cancel.is_cancelled() {
            return Err(Trouble::Cancelled);
        }
        let below = get(&child, v);
        if below != NONE {
            v = below;
            enter(v, &mut on_the_way);
            continue;
        }
        loop {
            if let Some(times) = on_the_way.get_mut(get(class_of, v) as usize) {
                *times -= 1;
            }
            if v == 0 {
                return Ok(());
            }
            let beside = get(&next, v);
            if beside != NONE {
                v = beside;
                enter(v, &mut on_the_way);
                break;
            }
            v = get(&tree.above, v);
        }
    }
}

/// The largest objects by number, the one that retains most first.
fn largest(graph: &Graph, tree: &Tree, naming: &Naming<'_>) -> Vec<u32> {
    type Top = BinaryHeap<Reverse<(u64, u32)>>;
    let (mut by_retained, mut by_shallow) = (Top::new(), Top::new());
    let take = |top: &mut Top, entry: (u64, u32)| {
        let is_full = top.len() >= LARGEST;
        if is_full && top.peek().is_some_and(|Reverse(least)| *least >= entry) {
            return;
        }
        if is_full {
            top.pop();
        }
        top.push(Reverse(entry));
    };
    for (at, (node, retained)) in (0_u32..).zip(tree.nodes.iter().zip(&tree.retained)) {
        // The roots retain everything, and are nothing that a program made.
        if at == 0 || naming.is_synthetic(*node) {
            continue;
        }
        take(&mut by_retained, (*retained, at));
        take(&mut by_shallow, (graph.size(*node), at));
    }
    let all = by_retained.into_iter().chain(by_shallow);
    let mut all: Vec<u32> = all.map(|Reverse((_, at))| at).collect();
    all.sort_unstable();
    all.dedup();
    all.sort_by_key(|at| Reverse(tree.retained.get(*at as usize).copied().unwrap_or(0)));
    all
}

fn object(graph: &Graph, tree: &Tree, naming: &Naming<'_>, at: u32) -> Object {
    let node_of = |at: u32| tree.nodes.get(at as usize).copied().unwrap_or(NONE);
    let node = node_of(at);
    let mut held_by = Vec::new();
    let mut v = at;
    while v != 0 && held_by.len() < HELD_BY {
        v = tree.above.get(v as usize).copied().unwrap_or(0);
        if v != 0 {
            held_by.push(naming.holder(node_of(v)));
        }
    }
    Object {
        id: 0,
        class: naming.class(naming.key(node)),
        name: naming.name(node),
        shallow: graph.size(node),
        retained: tree.retained.get(at as usize).copied().unwrap_or(0),
        held_by,
        more: None,
    }
}
