//! A heap snapshot of V8 (`.heapsnapshot`: node, Chromium, Bun's `generateHeapSnapshot("v8")`), read once from front to back.
//!
//! Format: V8's `src/profiler/heap-snapshot-generator.cc`, `HeapSnapshotJSONSerializer`. `snapshot.meta` names the fields of a node and of
//! an edge, so that fields that newer versions add are passed over. Nodes come first, each with how many edges it has, then all edges in
//! the order of their nodes, then the strings that names are numbers of.
//!
//! What is kept of a node is 17 bytes, of an edge 4: where it leads. Weak edges hold nothing and are dropped, as are the shortcuts that V8
//! adds to what is no root.

use std::{cell::Cell, fmt};

use serde::de::{Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};

use super::{
    Heap, TITLE, classes,
    dominators::{NONE, Tree},
    graph::{Graph, HAS_EDGES, LAST},
};
use crate::{
    each::Each,
    prelude::*,
    profile::import::{BLOCK, ImportError, Input, of_json},
};

/// Bytes that are kept of a name.
const NAME: usize = 160;
/// Bytes of a description at most; V8 writes about 1 KiB.
const DESCRIPTION: u64 = 1 << 20;
/// Bytes of one string at most, which is held as a whole; V8 cuts them at 1,024.
const STRING: u64 = 16 << 20;

/// Whether a file that begins like this is one.
pub fn is_one(head: &[u8]) -> bool {
    let begin: Vec<u8> = head
        .iter()
        .copied()
        .filter(|byte| !byte.is_ascii_whitespace())
        .take(13)
        .collect();
    begin.starts_with(br#"{"snapshot":{"#)
}

#[derive(Deserialize)]
struct Snapshot {
    meta: Meta,
    #[serde(default)]
    node_count: u64,
    #[serde(default)]
    edge_count: u64,
}

#[derive(Deserialize)]
struct Meta {
    node_fields: Vec<String>,
    node_types: Vec<Value>,
    edge_fields: Vec<String>,
    edge_types: Vec<Value>,
}

/// Where the fields are, and what the numbers of types mean.
#[derive(Clone, Copy)]
struct Layout {
    node_fields: usize,
    /// Kind, name, number, size, how many edges; a field that a row does not have is zero in it.
    node: [usize; 5],
    edge_fields: usize,
    edge_kind: usize,
    to: usize,
    weak: Option<u64>,
    shortcut: Option<u64>,
}

/// What the numbers of a type mean.
fn words(types: &[Value], at: usize) -> Vec<String> {
    let list = types.get(at).and_then(Value::as_array);
    list.into_iter()
        .flatten()
        .map(|word| word.as_str().unwrap_or_default().to_owned())
        .collect()
}

impl Layout {
    fn of(meta: &Meta) -> Result<Self, String> {
        let place = |fields: &[String], name: &str| {
            let at = fields.iter().position(|field| field == name);
            at.ok_or_else(|| format!("its description names no field {name:?}"))
        };
        let (nodes, edges) = (&meta.node_fields, &meta.edge_fields);
        let (kind, edge_kind) = (place(nodes, "type")?, place(edges, "type")?);
        let kinds = words(&meta.node_types, kind).len();
        if kinds >= usize::from(HAS_EDGES) {
            return Err(format!("its description has {kinds} types of nodes"));
        }
        let edge_kinds = words(&meta.edge_types, edge_kind);
        let number = |name: &str| {
            let at = edge_kinds.iter().position(|kind| kind == name);
            at.map(|at| at as u64)
        };
        Ok(Self {
            node_fields: nodes.len(),
            node: [
                kind,
                place(nodes, "name")?,
                place(nodes, "id").unwrap_or(usize::MAX),
                place(nodes, "self_size")?,
                place(nodes, "edge_count")?,
            ],
            edge_fields: edges.len(),
            edge_kind,
            to: place(edges, "to_node")?,
            weak: number("weak"),
            shortcut: number("shortcut"),
        })
    }
}

/// Reads a snapshot out of a file of `size` bytes.
pub fn read(input: Input<'_>, size: u64, cancel: &Cancel) -> Result<Heap, ImportError> {
    // Bytes are taken one by one, which must not go through a table each.
    let described = Cell::new(false);
    let input = Bounded {
        input,
        described: &described,
        read: 0,
        string: None,
        is_escaped: false,
    };
    let mut json = serde_json::Deserializer::from_reader(BufReader::with_capacity(BLOCK, input));
    let mut parts = Parts {
        size,
        described: Some(&described),
        within: "beginning",
        ..Parts::default()
    };
    let read = json.deserialize_map(&mut parts);
    read.map_err(|error| {
        let part = format!(", within its {}", parts.within);
        of_json(error, TITLE, &part)
    })?;
    let tree = Tree::build(&mut parts.graph, cancel)?;
    let heap = classes::summarise(&parts.graph, &tree, cancel)?;
    Ok(Heap {
        references: parts.references.unwrap_or(0),
        ..heap
    })
}

/// A file of which what is held as a whole is not larger than it may be: the description, and each string.
struct Bounded<'r, R> {
    input: R,
    /// Whether the description was read.
    described: &'r Cell<bool>,
    /// Bytes until then.
    read: u64,
    /// How long the string is so far in which the next byte lies.
    string: Option<u64>,
    is_escaped: bool,
}

impl<R: Read> Read for Bounded<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        if !self.described.get() {
            self.read += read as u64;
            if self.read > DESCRIPTION + BLOCK as u64 {
                return Err(io::Error::other("its description has no end"));
            }
        }
        let mut rest = buffer.get(..read).unwrap_or_default();
        while let Some((first, behind)) = rest.split_first() {
            let Some(length) = &mut self.string else {
                let Some(begin) = memchr::memchr(b'"', rest) else {
                    break;
                };
                self.string = Some(0);
                rest = rest.get(begin + 1..).unwrap_or_default();
                continue;
            };
            if std::mem::take(&mut self.is_escaped) {
                *length += 1;
                rest = behind;
                continue;
            }
            let plain = memchr::memchr2(b'"', b'\\', rest).unwrap_or(rest.len());
            *length += plain as u64;
            if *length > STRING {
                return Err(io::Error::other("one of its strings has no end"));
            }
            match (plain, first) {
                (0, b'"') => self.string = None,
                (0, _) => self.is_escaped = true,
                _ => {
                    rest = rest.get(plain..).unwrap_or_default();
                    continue;
                }
            }
            rest = behind;
        }
        Ok(read)
    }
}

/// What was read so far.
#[derive(Default)]
struct Parts<'r> {
    /// To be set once the description was read.
    described: Option<&'r Cell<bool>>,
    /// Bytes of the file: nothing has more items than fit into it.
    size: u64,
    graph: Graph,
    layout: Option<Layout>,
    /// How many nodes and edges there are, if it is true.
    counts: (u64, u64),
    /// How many edges there are, weak ones included.
    references: Option<u64>,
    has_strings: bool,
    /// The part that is being read, for errors.
    within: &'static str,
}

impl<'de> Visitor<'de> for &mut Parts<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a heap snapshot, which is a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match (key.as_str(), self.layout) {
                ("snapshot", None) => {
                    self.within = "description";
                    let snapshot: Snapshot = map.next_value()?;
                    let layout = Layout::of(&snapshot.meta).map_err(A::Error::custom)?;
                    self.graph.kind_names = words(&snapshot.meta.node_types, layout.node[0]);
                    self.counts = (snapshot.node_count, snapshot.edge_count);
                    self.layout = Some(layout);
                    self.described.inspect(|described| described.set(true));
                }
                ("nodes", Some(layout)) if self.graph.len() == 0 => {
                    self.within = "nodes";
                    self.nodes(&layout, &mut map)?;
                }
                ("edges", Some(layout)) if self.graph.len() > 0 && self.references.is_none() => {
                    self.within = "edges";
                    self.references = Some(self.edges(&layout, &mut map)?);
                }
                ("nodes" | "edges", _) => {
                    let why = "its parts are not in V8's order: description, nodes, edges, strings";
                    return Err(A::Error::custom(why));
                }
                ("strings", _) => {
                    self.within = "strings";
                    let strings = &mut self.graph.strings;
                    map.next_value_seed(Each("a list of texts", &mut |Name(name)| {
                        strings.push(name.as_bytes());
                        Ok(())
                    }))?;
                    self.has_strings = true;
                }
                _ => {
                    self.within = "lists beside nodes and edges";
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        let missing = match (self.graph.len(), self.references, self.has_strings) {
            (0, ..) => "nodes",
            (_, None, _) => "edges",
            (.., false) => "strings",
            _ => return Ok(()),
        };
        Err(A::Error::custom(format_args!("it has no {missing}")))
    }
}

/// The beginning of a string; lone surrogates are allowed.
struct Name(String);

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Begins;
        impl Visitor<'_> for Begins {
            type Value = Name;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Name, E> {
                // The character that is cut at the end lies behind what is kept.
                let text = String::from_utf8_lossy(bytes.get(..NAME + 4).unwrap_or(bytes));
                let begin = text.get(..text.floor_char_boundary(NAME));
                Ok(Name(begin.unwrap_or_default().to_owned()))
            }
        }
        deserializer.deserialize_bytes(Begins)
    }
}

/// Takes a list of numbers that are rows of so many; whether the last one is whole.
fn rows<'de, A: MapAccess<'de>>(
    map: &mut A,
    width: usize,
    take: &mut dyn FnMut(&[u64]) -> Result<(), String>,
) -> Result<bool, A::Error> {
    let mut row = Vec::with_capacity(width);
    map.next_value_seed(Each("a list of numbers", &mut |number| {
        row.push(number);
        if row.len() == width {
            take(&row)?;
            row.clear();
        }
        Ok(())
    }))?;
    Ok(row.is_empty())
}

impl Parts<'_> {
    fn nodes<'de, A: MapAccess<'de>>(
        &mut self,
        layout: &Layout,
        map: &mut A,
    ) -> Result<(), A::Error> {
        let graph = &mut self.graph;
        let count = usize::try_from(self.counts.0.min(self.size / 8)).unwrap_or(0);
        graph.kinds.reserve_exact(count);
        for list in [
            &mut graph.names,
            &mut graph.ids,
            &mut graph.sizes,
            &mut graph.first,
        ] {
            list.reserve_exact(count);
        }
        let is_whole = rows(map, layout.node_fields, &mut |row| {
            graph.push(layout.node.map(|field| slots::at(row, field)))
        })?;
        if !is_whole {
            return Err(A::Error::custom("its last node is not whole"));
        }
        Ok(())
    }

    /// Gives how many edges there are, weak ones included.
    fn edges<'de, A: MapAccess<'de>>(
        &mut self,
        layout: &Layout,
        map: &mut A,
    ) -> Result<u64, A::Error> {
        let Graph {
            kinds, first, to, ..
        } = &mut self.graph;
        to.reserve_exact(usize::try_from(self.counts.1.min(self.size / 6)).unwrap_or(0));
        let nodes = first.len() as u64;
        let fields = layout.node_fields as u64;
        // Which node's edges these are, and how many of them are to come.
        let mut owners = (0..).zip(first.iter_mut().zip(kinds.iter_mut()));
        let mut owner: Option<(u64, &mut u32, &mut u8)> = None;
        let mut left = 0;
        let mut references = 0;
        let is_whole = rows(map, layout.edge_fields, &mut |row| {
            let (kind, target) = (slots::at(row, layout.edge_kind), slots::at(row, layout.to));
            while left == 0 {
                let Some((number, (first, flags))) = owners.next() else {
                    return Err("it has more edges than its nodes say".to_owned());
                };
                left = std::mem::replace(first, NONE);
                owner = Some((number, first, flags));
            }
            left -= 1;
            references += 1;
            let (node, rest) = (target / fields, target % fields);
            if rest != 0 || node >= nodes {
                return Err(format!(
                    "edge {} leads to {target}, where no node begins",
                    references - 1
                ));
            }
            let Some((number, first, flags)) = &mut owner else {
                return Ok(());
            };
            let kind = Some(kind);
            if kind != layout.weak && (kind != layout.shortcut || *number == 0) {
                if **first == NONE {
                    **first = to.len() as u32;
                    **flags |= HAS_EDGES;
                } else if let Some(before) = to.last_mut() {
                    *before &= !LAST;
                }
                // The last one until another comes.
                to.push(node as u32 | LAST);
            }
            if to.len() >= NONE as usize {
                return Err("it has more than four billion edges".to_owned());
            }
            Ok(())
        })?;
        let more = owners.any(|(_, (first, _))| std::mem::replace(first, NONE) > 0);
        if !is_whole || left > 0 || more {
            return Err(A::Error::custom("it has fewer edges than its nodes say"));
        }
        Ok(references)
    }
}
