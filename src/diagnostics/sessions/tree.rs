//! Entries as a tree: each one follows another, and where a person went back there are branches.

use super::entry::{Entry, LineKind};
use crate::prelude::*;

/// A row of the tree as it is shown: the branch that is in force as one column, others folded where they leave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    Entry {
        /// Its number in [`Tree::entries`].
        index: usize,
        /// Branches that it is in.
        depth: usize,
    },
    /// Another branch begins here.
    Branch {
        /// Its first entry.
        first: usize,
        /// Branches that it is in.
        depth: usize,
        /// Entries in it, with those of branches of its own.
        entries: usize,
        /// Whether they are shown.
        open: bool,
    },
}

/// The entries, and what follows what.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// All entries in the order of the file.
    pub entries: Vec<Entry>,
    parents: Vec<Option<usize>>,
    ids: HashMap<String, usize>,
    /// Entries that follow one that is not there.
    pub orphans: u64,
}

impl Tree {
    /// Takes the next entry of the file. An entry can only follow one before it, so that no chain of parents has a ring.
    pub fn push(&mut self, entry: Entry) {
        let index = self.entries.len();
        let parent = match (&entry.id, &entry.parent) {
            (_, Some(parent)) => {
                let found = self.ids.get(parent).copied();
                self.orphans += u64::from(found.is_none());
                found
            }
            // The first format had no ids: each entry follows the one before.
            (None, None) => index.checked_sub(1),
            (Some(_), None) => None,
        };
        if let Some(id) = &entry.id {
            self.ids.insert(id.clone(), index);
        }
        self.entries.push(entry);
        self.parents.push(parent);
    }

    /// The entry that this one follows.
    pub fn parent(&self, index: usize) -> Option<usize> {
        slots::at(&self.parents, index)
    }

    /// The entry that begins there in the file.
    pub fn at_offset(&self, offset: u64) -> Option<usize> {
        self.entries
            .binary_search_by_key(&offset, |entry| entry.offset)
            .ok()
    }

    /// The entries from the root to this one.
    pub fn path_to(&self, index: usize) -> Vec<usize> {
        let above = std::iter::successors(Some(index), |at| self.parent(*at));
        let mut path: Vec<usize> = above.collect();
        path.reverse();
        path
    }

    /// The branch in force: from the root to the entry that was written last.
    pub fn active(&self) -> Vec<usize> {
        match self.entries.len().checked_sub(1) {
            Some(leaf) => self.path_to(leaf),
            None => Vec::new(),
        }
    }

    /// Branches that leave the one in force, or each other.
    pub fn branches(&self) -> usize {
        let (_, children) = self.shape();
        children
            .iter()
            .map(|children| children.len().saturating_sub(1))
            .sum()
    }

    /// Entries below each one (itself included), and who follows whom; the last list is of those that follow nobody.
    fn shape(&self) -> (Vec<usize>, Vec<Vec<usize>>) {
        let len = self.entries.len();
        let mut below = vec![1; len];
        let mut children = vec![Vec::new(); len + 1];
        for index in (0..len).rev() {
            let own = slots::at(&below, index);
            if let Some(sum) = self.parent(index).and_then(|at| below.get_mut(at)) {
                *sum += own;
            }
        }
        for (index, parent) in self.parents.iter().enumerate() {
            if let Some(list) = children.get_mut(parent.unwrap_or(len)) {
                list.push(index);
            }
        }
        (below, children)
    }

    /// The rows to show; `open` has the first entries of branches that are unfolded. When tools began is no row: it is in their
    /// results.
    pub fn rows(&self, open: &HashSet<usize>) -> Vec<Row> {
        enum Step {
            Below(usize, usize),
            Node(usize, usize),
            Fold(usize, usize),
        }
        let (below, children) = self.shape();
        let active: HashSet<usize> = self.active().into_iter().collect();
        let mut rows = Vec::new();
        let mut steps = vec![Step::Below(self.entries.len(), 0)];
        while let Some(step) = steps.pop() {
            match step {
                Step::Node(index, depth) => {
                    let is_row = |entry: &Entry| entry.kind != LineKind::Start;
                    if self.entries.get(index).is_some_and(is_row) {
                        rows.push(Row::Entry { index, depth });
                    }
                    steps.push(Step::Below(index, depth));
                }
                Step::Fold(first, depth) => {
                    let is_open = open.contains(&first);
                    rows.push(Row::Branch {
                        first,
                        depth,
                        entries: slots::at(&below, first),
                        open: is_open,
                    });
                    if is_open {
                        steps.push(Step::Node(first, depth + 1));
                    }
                }
                Step::Below(index, depth) => {
                    let (list, main) = heir(&children, index, &active);
                    steps.extend(main.map(|child| Step::Node(*child, depth)));
                    let others = list.iter().rev().filter(|child| Some(*child) != main);
                    steps.extend(others.map(|child| Step::Fold(*child, depth)));
                }
            }
        }
        rows
    }

    /// First entries of the folds that hide an entry.
    pub fn folds_of(&self, index: usize) -> Vec<usize> {
        let (_, children) = self.shape();
        let active: HashSet<usize> = self.active().into_iter().collect();
        let path = self.path_to(index);
        let before = std::iter::once(self.entries.len()).chain(path.iter().copied());
        before
            .zip(&path)
            .filter(|(parent, child)| heir(&children, *parent, &active).1 != Some(child))
            .map(|(_, child)| *child)
            .collect()
    }
}

/// The children of an entry, and the one of them that goes on with it: the one in force, or the newest.
fn heir<'c>(
    children: &'c [Vec<usize>],
    parent: usize,
    active: &HashSet<usize>,
) -> (&'c [usize], Option<&'c usize>) {
    let list = children.get(parent).map(Vec::as_slice).unwrap_or_default();
    let main = list.iter().find(|child| active.contains(child));
    (list, main.or_else(|| list.last()))
}
