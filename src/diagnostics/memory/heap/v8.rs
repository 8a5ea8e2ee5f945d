//! A heap snapshot of V8 (`.heapsnapshot`: node, Chromium, Bun's `generateHeapSnapshot("v8")`), read once from front to back.
//!
//! Format: V8's `src/profiler/heap-snapshot-generator.cc`, `HeapSnapshotJSONSerializer`. `snapshot.meta` names the fields of a node and of
//! an edge, so that fields that newer versions add are passed over. Nodes come first, each with how many edges it has, then all edges in
//! the order of their nodes, then the strings that names are numbers of.
//!
//! What is kept of a node is 13 bytes, of an edge 4: where it leads. Weak edges hold nothing and are dropped, as are the shortcuts that V8
//! adds to what is no root.

use super::{
    Heap, Trouble, classes,
    dominators::{NONE, Tree},
    graph::{Graph, HAS_EDGES, LAST},
    json::Json,
};
use crate::prelude::*;

/// Bytes that the description may have.
const DESCRIPTION: usize = 1 << 20;
/// Bytes that are kept of a name.
pub const NAME: usize = 160;
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
struct Layout {
    node_fields: usize,
    kind: usize,
    name: usize,
    id: Option<usize>,
    size: usize,
    edges: usize,
    edge_fields: usize,
    edge_kind: usize,
    to: usize,
    kinds: Vec<String>,
    weak: Option<u64>,
    shortcut: Option<u64>,
}

impl Layout {
    fn of(meta: &Meta) -> Result<Self, String> {
        let place = |fields: &[String], name: &str| {
            let at = fields.iter().position(|field| field == name);
            at.ok_or_else(|| format!("its description names no field {name:?}"))
        };
        let words = |types: &[Value], at: usize| -> Vec<String> {
            let list = types.get(at).and_then(Value::as_array);
            list.into_iter()
                .flatten()
                .map(|word| word.as_str().unwrap_or_default().to_owned())
                .collect()
        };
        let (nodes, edges) = (&meta.node_fields, &meta.edge_fields);
        let (kind, edge_kind) = (place(nodes, "type")?, place(edges, "type")?);
        let kinds = words(&meta.node_types, kind);
        if kinds.len() >= usize::from(HAS_EDGES) {
            return Err(format!(
                "its description has {} types of nodes",
                kinds.len()
            ));
        }
        let edge_kinds = words(&meta.edge_types, edge_kind);
        let number = |name: &str| {
            let at = edge_kinds.iter().position(|kind| kind == name);
            at.map(|at| at as u64)
        };
        Ok(Self {
            node_fields: nodes.len(),
            kind,
            name: place(nodes, "name")?,
            id: place(nodes, "id").ok(),
            size: place(nodes, "self_size")?,
            edges: place(nodes, "edge_count")?,
            edge_fields: edges.len(),
            edge_kind,
            to: place(edges, "to_node")?,
            kinds,
            weak: number("weak"),
            shortcut: number("shortcut"),
        })
    }
}

/// Reads a snapshot of `size` bytes.
pub fn read(
    path: &Path,
    size: u64,
    cancel: &Cancel,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Heap, Trouble> {
    let mut json = Json::new(File::open(path)?, (0, size), cancel, progress);
    let Parsed {
        mut graph,
        layout,
        references,
        nodes_at,
    } = parse(&mut json, size)?;
    drop(json);
    let tree = Tree::build(&mut graph, cancel)?;
    let (mut heap, wanted) = classes::summarise(&graph, &tree, cancel)?;
    heap.references = references;
    drop((graph, tree));
    name_ids(path, (nodes_at, size), &layout, &wanted, &mut heap, cancel)?;
    Ok(heap)
}

struct Parsed {
    graph: Graph,
    layout: Layout,
    references: u64,
    /// The byte at which the array of nodes begins.
    nodes_at: u64,
}

fn parse<R: Read>(json: &mut Json<'_, R>, size: u64) -> Result<Parsed, Trouble> {
    let mut graph = Graph::default();
    let mut layout: Option<Layout> = None;
    let (mut has_edges, mut has_strings, mut references, mut nodes_at) = (false, false, 0, None);
    let mut counts = (0, 0);
    json.expect(b'{')?;
    let mut first = true;
    while let Some(key) = json.key(first)? {
        first = false;
        match (key.as_str(), &layout) {
            ("snapshot", None) => {
                json.within = "description";
                let mut text = Vec::new();
                json.value(Some(&mut text), DESCRIPTION)?;
                let snapshot: Snapshot = serde_json::from_slice(&text).map_err(|error| {
                    json.odd(format!("its description is not understood: {error}"))
                })?;
                let found = Layout::of(&snapshot.meta).map_err(|what| json.odd(what))?;
                graph.kind_names.clone_from(&found.kinds);
                counts = (snapshot.node_count, snapshot.edge_count);
                layout = Some(found);
            }
            ("nodes", Some(layout)) if nodes_at.is_none() => {
                json.within = "nodes";
                nodes_at = Some(json.position());
                nodes(json, layout, counts.0.min(size / 8), &mut graph)?;
            }
            ("edges", Some(layout)) if nodes_at.is_some() && !has_edges => {
                json.within = "edges";
                references = edges(json, layout, counts.1.min(size / 6), &mut graph)?;
                has_edges = true;
            }
            ("nodes" | "edges", _) => {
                let what = "its parts are not in V8's order: description, nodes, edges, strings";
                return Err(json.odd(what));
            }
            ("strings", _) => {
                json.within = "strings";
                let strings = &mut graph.strings;
                json.strings(NAME, |text| strings.push(text))?;
                has_strings = true;
            }
            _ => {
                json.within = "lists beside nodes and edges";
                json.value(None, 0)?;
            }
        }
    }
    let missing = match (nodes_at.is_some(), has_edges, has_strings) {
        (false, ..) => Some("nodes"),
        (_, false, _) => Some("edges"),
        (.., false) => Some("strings"),
        _ => None,
    };
    if let Some(missing) = missing {
        return Err(json.odd(format!("it has no {missing}")));
    }
    match (layout, nodes_at) {
        (Some(layout), Some(nodes_at)) if graph.len() > 0 => Ok(Parsed {
            graph,
            layout,
            references,
            nodes_at,
        }),
        _ => Err(json.odd("it has not a single node")),
    }
}

fn nodes<R: Read>(
    json: &mut Json<'_, R>,
    layout: &Layout,
    count: u64,
    graph: &mut Graph,
) -> Result<(), Trouble> {
    let count = usize::try_from(count).unwrap_or(0);
    graph.kinds.reserve_exact(count);
    graph.names.reserve_exact(count);
    graph.sizes.reserve_exact(count);
    graph.first.reserve_exact(count);
    let mut field = 0;
    let (mut kind, mut name, mut size, mut edges) = (0, 0, 0, 0);
    json.numbers(|value| {
        if field == layout.kind {
            kind = value;
        } else if field == layout.name {
            name = value;
        } else if field == layout.size {
            size = value;
        } else if field == layout.edges {
            edges = value;
        }
        field += 1;
        if field == layout.node_fields {
            field = 0;
            graph.push(kind, name, size, edges)?;
        }
        Ok(true)
    })?;
    if field != 0 {
        return Err(json.odd("its last node is not whole"));
    }
    Ok(())
}

/// Gives how many edges there are, weak ones included.
fn edges<R: Read>(
    json: &mut Json<'_, R>,
    layout: &Layout,
    count: u64,
    graph: &mut Graph,
) -> Result<u64, Trouble> {
    let Graph {
        kinds, first, to, ..
    } = graph;
    to.reserve_exact(usize::try_from(count).unwrap_or(0));
    let nodes = first.len() as u64;
    let fields = layout.node_fields as u64;
    // Which node's edges these are, and how many of them are to come.
    let mut owners = (0..).zip(first.iter_mut().zip(kinds.iter_mut()));
    let mut owner: Option<(u64, &mut u32, &mut u8)> = None;
    let mut left = 0;
    let mut references = 0;
    let (mut field, mut kind, mut target) = (0, 0, 0);
    json.numbers(|value| {
        if field == layout.edge_kind {
            kind = value;
        } else if field == layout.to {
            target = value;
        }
        field += 1;
        if field < layout.edge_fields {
            return Ok(true);
        }
        field = 0;
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
            return Ok(true);
        };
        let holds = Some(kind) != layout.weak && (Some(kind) != layout.shortcut || *number == 0);
        if holds {
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
            return Err("it has more than four thousand million edges".to_owned());
        }
        Ok(true)
    })?;
    let more = owners.any(|(_, (first, _))| std::mem::replace(first, NONE) > 0);
    if field != 0 || left > 0 || more {
        return Err(json.odd("it has fewer edges than its nodes say"));
    }
    Ok(references)
}

/// Gives the largest objects their numbers: by a second look at the nodes, which is cheaper than to keep all numbers.
fn name_ids(
    path: &Path,
    (nodes_at, size): (u64, u64),
    layout: &Layout,
    wanted: &[u32],
    heap: &mut Heap,
    cancel: &Cancel,
) -> Result<(), Trouble> {
    let Some(id_at) = layout.id else {
        return Ok(());
    };
    let mut order: Vec<(u32, usize)> = (0..).zip(wanted).map(|(at, node)| (*node, at)).collect();
    order.sort_unstable();
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(nodes_at))?;
    let mut silent = |_, _| {};
    let mut json = Json::new(file, (nodes_at, size), cancel, &mut silent);
    json.within = "nodes";
    let (mut field, mut node) = (0, 0_u32);
    let mut rest = order.iter().peekable();
    json.numbers(|value| {
        if field == id_at {
            while let Some((_, at)) = rest.next_if(|(wanted, _)| *wanted == node) {
                if let Some(object) = heap.largest.get_mut(*at) {
                    object.id = value;
                }
            }
        }
        field += 1;
        if field == layout.node_fields {
            field = 0;
            node += 1;
        }
        Ok(rest.peek().is_some())
    })
}
