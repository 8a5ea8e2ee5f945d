//! A heap as flat arrays: its objects, and what they refer to.
//!
//! Filled by the reader of the format, worked on by [`super::dominators`] and [`super::classes`].

use crate::prelude::*;

/// In [`Graph::to`]: the last edge of its node.
pub const LAST: u32 = 1 << 31;

/// In a node's kind: it has edges.
pub const HAS_EDGES: u8 = 0x80;

/// Names, one behind the other.
#[derive(Default)]
pub struct Strings {
    bytes: Vec<u8>,
    ends: Vec<u32>,
}

impl Strings {
    /// Adds the next name.
    pub fn push(&mut self, text: &[u8]) {
        // Beyond four gigabytes names are empty: positions are kept in four bytes.
        if u32::try_from(self.bytes.len() + text.len()).is_ok() {
            self.bytes.extend_from_slice(text);
        }
        self.ends.push(self.bytes.len() as u32);
    }

    /// The name of this number; one that is not there is empty.
    pub fn get(&self, at: u32) -> String {
        let at = at as usize;
        let begin = match at.checked_sub(1) {
            Some(before) => self.ends.get(before).copied().unwrap_or(u32::MAX),
            None => 0,
        };
        let end = self.ends.get(at).copied().unwrap_or(0);
        let bytes = self.bytes.get(begin as usize..end as usize);
        lossy(bytes.unwrap_or_default()).into_owned()
    }
}

/// The objects of a heap and what they refer to.
#[derive(Default)]
pub struct Graph {
    /// Of each node: its kind, and [`HAS_EDGES`].
    pub kinds: Vec<u8>,
    /// The number of its name.
    pub names: Vec<u32>,
    /// Its number, as the runtime's own tools show it.
    pub ids: Vec<u32>,
    /// Its own bytes; `u32::MAX` = see `large`.
    pub sizes: Vec<u32>,
    /// Sizes that take more than four bytes, by node.
    pub large: HashMap<u32, u64>,
    /// While nodes are read: how many edges it has. Then: its first edge, or [`NONE`](super::dominators::NONE).
    pub first: Vec<u32>,
    /// The node that each edge leads to; the last one of a node has [`LAST`].
    pub to: Vec<u32>,
    /// What kinds are called.
    pub kind_names: Vec<String>,
    /// What numbers of names mean.
    pub strings: Strings,
}

impl Graph {
    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// The number of a node's kind.
    pub fn kind(&self, node: u32) -> u8 {
        self.kinds
            .get(node as usize)
            .map_or(0, |kind| kind & !HAS_EDGES)
    }

    /// Whether it refers to anything.
    pub fn has_edges(&self, node: u32) -> bool {
        self.kinds
            .get(node as usize)
            .is_some_and(|kind| kind & HAS_EDGES != 0)
    }

    /// A node's own bytes.
    pub fn size(&self, node: u32) -> u64 {
        match slots::at(&self.sizes, node) {
            u32::MAX => self
                .large
                .get(&node)
                .copied()
                .unwrap_or_else(|| u64::from(u32::MAX)),
            size => u64::from(size),
        }
    }

    /// Adds a node that has so many edges.
    pub fn push(&mut self, [kind, name, id, size, edges]: [u64; 5]) -> Result<(), String> {
        let node = self.kinds.len();
        let short = |value: u64, what: &str| {
            u32::try_from(value).map_err(|_too_large| format!("node {node} has {what} {value}"))
        };
        let number = short(node as u64, "number")?;
        if number >= LAST - 1 {
            return Err("it has more than two billion nodes".to_owned());
        }
        let kind = u8::try_from(kind).ok().filter(|kind| *kind < HAS_EDGES);
        self.kinds
            .push(kind.ok_or_else(|| format!("node {node} has an unknown type"))?);
        self.names.push(short(name, "name")?);
        self.ids.push(u32::try_from(id).unwrap_or(0));
        let size = match u32::try_from(size) {
            Ok(size) if size < u32::MAX => size,
            _ => {
                self.large.insert(number, size);
                u32::MAX
            }
        };
        self.sizes.push(size);
        self.first.push(short(edges, "edges")?);
        Ok(())
    }
}
