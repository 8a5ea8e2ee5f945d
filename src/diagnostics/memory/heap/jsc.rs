//! A heap snapshot of `JavaScriptCore`: what Bun's `generateHeapSnapshot()` gives as it is, and Safari's inspector saves.
//!
//! Format: `Source/JavaScriptCore/heap/HeapSnapshotBuilder.cpp` of `WebKit`, version 3. Nodes are `id, size, class, flags`, of the kind for
//! debugging the collector three fields more; edges are `from, to, type, name` with the ids of nodes, in no promised order. The first
//! node is the root.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::dominators::Tree;
use super::graph::Graph;
use super::json::Json;
use super::v8::NAME;
use super::{Format, Heap, Trouble, classes};
use crate::Cancel;

/// Kinds of nodes, for the naming of classes: all but the root are called by the names of their classes.
const OBJECT: u64 = 0;
const ROOT: u64 = 1;
/// Fields of an edge.
const EDGE: usize = 4;
/// Bytes of the words at the beginning.
const WORD: usize = 256;

/// Whether a file that begins like this is one.
pub fn is_one(head: &[u8]) -> bool {
    let begin: String = head
        .iter()
        .filter(|byte| !byte.is_ascii_whitespace())
        .take(64)
        .map(|byte| char::from(*byte))
        .collect();
    let rest = begin.strip_prefix("{\"version\":").unwrap_or_default();
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    ["Inspector", "GCDebugging"]
        .iter()
        .any(|kind| rest.starts_with(&format!(",\"type\":\"{kind}\"")))
}

/// Reads a snapshot of `size` bytes.
pub fn read(
    path: &Path,
    size: u64,
    cancel: &Cancel,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Heap, Trouble> {
    let mut json = Json::new(File::open(path)?, (0, size), cancel, progress);
    let (mut graph, ids) = parse(&mut json)?;
    drop(json);
    let references = graph.to.len() as u64;
    let tree = Tree::build(&mut graph, cancel)?;
    let (mut heap, wanted) = classes::summarise(&graph, &tree, cancel)?;
    for (object, node) in heap.largest.iter_mut().zip(wanted) {
        object.id = ids.get(node as usize).copied().map_or(0, u64::from);
    }
    heap.format = Format::JscSnapshot;
    heap.references = references;
    Ok(heap)
}

/// The graph, and the ids of its nodes.
fn parse<R: Read>(json: &mut Json<'_, R>) -> Result<(Graph, Vec<u32>), Trouble> {
    let mut graph = Graph {
        kind_names: vec!["object".to_owned(), "synthetic".to_owned()],
        ..Graph::default()
    };
    let mut fields = 4;
    let mut ids: Vec<u32> = Vec::new();
    let mut edges: Option<(Vec<u32>, Vec<u32>)> = None;
    let mut has_names = false;
    json.begin_object()?;
    let mut first = true;
    while let Some(key) = json.key(first)? {
        first = false;
        match key.as_str() {
            "type" => {
                json.within = "description";
                let mut word = Vec::new();
                json.value(Some(&mut word), WORD)?;
                fields = if word == b"\"GCDebugging\"" { 7 } else { 4 };
            }
            "nodes" if ids.is_empty() => {
                json.within = "nodes";
                nodes(json, fields, &mut graph, &mut ids)?;
            }
            "nodeClassNames" => {
                json.within = "names of classes";
                let strings = &mut graph.strings;
                json.strings(NAME, |text| strings.push(text))?;
                has_names = true;
            }
            "edges" if !ids.is_empty() && edges.is_none() => {
                json.within = "edges";
                edges = Some(read_edges(json, &ids)?);
            }
            "nodes" | "edges" => {
                return Err(json.odd("its parts are not in the order nodes, edges"));
            }
            _ => {
                json.within = "lists beside nodes and edges";
                json.value(None, 0)?;
            }
        }
    }
    match (edges, has_names) {
        (Some((from, to)), true) => {
            graph.link(&from, &to);
            Ok((graph, ids))
        }
        (None, _) => Err(json.odd("it has no edges")),
        (_, false) => Err(json.odd("it has no names of classes")),
    }
}

fn nodes<R: Read>(
    json: &mut Json<'_, R>,
    fields: usize,
    graph: &mut Graph,
    ids: &mut Vec<u32>,
) -> Result<(), Trouble> {
    let mut field = 0;
    let (mut id, mut size, mut class) = (0, 0, 0);
    json.numbers(|value| {
        match field {
            0 => id = value,
            1 => size = value,
            2 => class = value,
            _ => {}
        }
        field += 1;
        if field < fields {
            return Ok(true);
        }
        field = 0;
        let node = ids.len();
        let short = u32::try_from(id).map_err(|_too_large| format!("node {node} has id {id}"))?;
        let kind = if node == 0 { ROOT } else { OBJECT };
        graph.push(kind, class, size, 0)?;
        ids.push(short);
        Ok(true)
    })?;
    if field != 0 {
        return Err(json.odd("its last node is not whole"));
    }
    match ids.first() {
        Some(0) => Ok(()),
        Some(_) => Err(json.odd("its first node is not the root")),
        None => Err(json.odd("it has not a single node")),
    }
}

/// Where edges begin and lead to, as nodes.
fn read_edges<R: Read>(
    json: &mut Json<'_, R>,
    ids: &[u32],
) -> Result<(Vec<u32>, Vec<u32>), Trouble> {
    let mut by_id: Vec<(u32, u32)> = ids.iter().copied().zip(0..).collect();
    by_id.sort_unstable();
    let node = |id: u64| {
        let id = u32::try_from(id).ok()?;
        let at = by_id.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        by_id.get(at).map(|(_, node)| *node)
    };
    let (mut begins, mut targets) = (Vec::new(), Vec::new());
    let (mut field, mut from, mut to) = (0, 0, 0);
    json.numbers(|value| {
        match field {
            0 => from = value,
            1 => to = value,
            _ => {}
        }
        field += 1;
        if field < EDGE {
            return Ok(true);
        }
        field = 0;
        let (Some(begin), Some(target)) = (node(from), node(to)) else {
            let edge = begins.len();
            return Err(format!(
                "edge {edge} goes from {from} to {to}, and not both are nodes"
            ));
        };
        begins.push(begin);
        targets.push(target);
        Ok(true)
    })?;
    if field != 0 {
        return Err(json.odd("its last edge is not whole"));
    }
    Ok((begins, targets))
}

#[cfg(test)]
mod tests {
    use super::super::{Heap, open};
    use crate::Cancel;

    fn opened(text: &str) -> Result<Heap, String> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("heap.json");
        std::fs::write(&path, text).unwrap();
        open(&path, &Cancel::default(), &mut |_, _| {}).map_err(|error| error.to_string())
    }

    const GOOD: &str = r#"{"version":3,"type":"Inspector","nodes":[0,0,0,0,50,10,1,0,20,30,2,2,30,5,3,0,77,9,3,0],"nodeClassNames":["<root>","Keeper","Leaky","string"],"edges":[20,30,1,0,0,50,0,0,50,20,1,1],"edgeTypes":["Internal","Property"],"edgeNames":["a","b"]}"#;

    #[test]
    fn a_small_heap_whose_edges_come_in_any_order() {
        let heap = opened(GOOD).unwrap();
        assert_eq!((heap.objects, heap.references, heap.total), (5, 3, 54));
        assert_eq!(heap.unreachable, 9);
        let figures: Vec<_> = heap
            .classes
            .iter()
            .map(|c| (c.name.as_str(), c.count, c.shallow, c.retained))
            .collect();
        let wanted = [
            ("Keeper", 1, 10, 45),
            ("Leaky", 1, 30, 35),
            ("string", 2, 14, 14),
        ];
        assert_eq!(figures, wanted);
        assert_eq!((heap.largest[1].id, heap.largest[1].held_by.len()), (20, 1));
        assert_eq!(heap.format.title(), "JavaScriptCore heap snapshot");
        let debugging = GOOD.replace("Inspector", "GCDebugging").replacen(
            "[0,0,0,0,50,10,1,0,20,30,2,2,30,5,3,0,77,9,3,0]",
            "[0,0,0,0,0,0,0,50,10,1,0,0,0,0,20,30,2,2,0,0,0,30,5,3,0,0,0,0,77,9,3,0,0,0,0]",
            1,
        );
        assert_eq!(opened(&debugging).unwrap().classes, heap.classes);
    }

    #[test]
    fn what_cannot_be_is_refused_and_what_is_cut_says_where() {
        for (from, to, said) in [
            ("[20,30,1,0", "[20,31,1,0", "not both are nodes"),
            ("[20,30,1,0", "[20,30,1", "not whole"),
            ("[0,0,0,0,50", "[1,0,0,0,50", "not the root"),
            (",77,9,3,0]", ",77,9,3]", "last node is not whole"),
            ("\"nodes\":", "\"nodez\":", "order nodes, edges"),
            ("\"edges\":", "\"edgez\":", "no edges"),
            ("\"nodeClassNames\":", "\"names\":", "no names of classes"),
        ] {
            let error = opened(&GOOD.replacen(from, to, 1)).unwrap_err();
            assert!(error.contains(said), "{to}: {error}");
        }
        for end in 40..GOOD.len() {
            let error = opened(GOOD.get(..end).unwrap()).unwrap_err();
            assert!(error.contains("cut short"), "{end}: {error}");
        }
    }
}
