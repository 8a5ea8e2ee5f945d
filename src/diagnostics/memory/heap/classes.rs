//! A heap by constructor, and its largest objects.

use std::{cmp::Reverse, collections::BinaryHeap};

use super::{
    Class, Format, Heap, Object,
    dominators::{Tree, at},
    graph::Graph,
    once::held_once,
};
use crate::{prelude::*, profile::import::ImportError};

/// Largest objects, by what they retain and again by themselves.
const LARGEST: usize = 100;
/// Dominators that are named of each of them.
const HELD_BY: usize = 8;

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
            (0, at(&self.graph.names, node))
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
        let name = at(&self.graph.names, node);
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

/// Puts it all together.
pub fn summarise(graph: &Graph, tree: &Tree, cancel: &Cancel) -> Result<Heap, ImportError> {
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
    let class = |node: u32| slots::at(&class_of, node) as usize;
    let retained = held_once(&tree.above, class, &tree.retained, classes.len(), cancel)?;
    for ((class, key), retained) in classes.iter_mut().zip(&keys).zip(retained) {
        class.name = naming.class(*key);
        class.retained = retained;
    }
    let made = |class: &Class| class.name != "(synthetic)";
    heap.classes = merge(classes.into_iter().filter(made));
    let largest = largest(graph, tree, &naming).into_iter();
    heap.largest = largest.map(|at| object(graph, tree, &naming, at)).collect();
    if heap.unreachable > 0 {
        heap.notes.push(
            "some objects are held by nothing: garbage that was not collected yet, or held by something outside of the heap".to_owned(),
        );
    }
    Ok(heap)
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
    classes.sort_by(|a, b| (b.retained, b.shallow, &a.name).cmp(&(a.retained, a.shallow, &b.name)));
    classes
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
    all.sort_by_key(|at| Reverse(slots::at(&tree.retained, *at)));
    all
}

fn object(graph: &Graph, tree: &Tree, naming: &Naming<'_>, number: u32) -> Object {
    let node_of = |v: u32| at(&tree.nodes, v);
    let node = node_of(number);
    let mut held_by = Vec::new();
    let mut v = number;
    while v != 0 && held_by.len() < HELD_BY {
        v = slots::at(&tree.above, v);
        if v != 0 {
            held_by.push(naming.holder(node_of(v)));
        }
    }
    Object {
        id: at(&graph.ids, node).into(),
        class: naming.class(naming.key(node)),
        name: naming.name(node),
        shallow: graph.size(node),
        retained: slots::at(&tree.retained, number),
        held_by,
    }
}
