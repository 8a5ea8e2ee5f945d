//! Where the blocks of a flame graph are: a pure function of a tree, the node that fills the width, and the room.
//!
//! Costs by what is seen: of a node's calls only those are looked at that have a cell of their own, the rest is one block.

use std::ops::Range;

use diagnostics::profile::tree::{NodeId, Tree};

/// What a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Node(NodeId),
    /// So many of a node's lightest calls, too thin to be seen each.
    Rest {
        /// Who calls them.
        parent: NodeId,
        count: u32,
    },
}

/// A block of the graph.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// How far down it is, the root being 0.
    pub depth: u32,
    /// Its first cell.
    pub x: u16,
    /// Its cells; at least one.
    pub width: u16,
    pub part: Part,
}

/// A node that is being divided: where it begins, in weight.
#[derive(Clone, Copy)]
struct Open {
    id: NodeId,
    from: u64,
}

/// The blocks of the rows `depths`, with `zoom` and all its callers as wide as there are `cells`.
pub fn blocks(tree: &Tree, zoom: NodeId, cells: u16, depths: Range<u32>) -> Vec<Block> {
    let mut blocks = Vec::new();
    let Some(top) = tree.node(zoom) else {
        return blocks;
    };
    let whole = top.weight.total;
    if cells == 0 || whole == 0 {
        return blocks;
    }
    let mut callers: Vec<NodeId> = tree.path(zoom).skip(1).collect();
    if zoom != NodeId::ROOT {
        callers.push(NodeId::ROOT);
    }
    for (depth, id) in (0..).zip(callers.into_iter().rev()) {
        if depths.contains(&depth) {
            blocks.push(Block {
                depth,
                x: 0,
                width: cells,
                part: Part::Node(id),
            });
        }
    }
    let cell = |weight: u64| -> u16 {
        let cell = u128::from(weight) * u128::from(cells) / u128::from(whole);
        u16::try_from(cell).unwrap_or(cells).min(cells)
    };
    let mut row = vec![Open { id: zoom, from: 0 }];
    let mut below = Vec::new();
    for depth in top.depth..depths.end {
        let is_shown = depths.contains(&depth);
        for open in row.drain(..) {
            let Some(node) = tree.node(open.id) else {
                continue;
            };
            let x = cell(open.from);
            if is_shown {
                blocks.push(Block {
                    depth,
                    x,
                    width: cell(open.from.saturating_add(node.weight.total)) - x,
                    part: Part::Node(open.id),
                });
            }
            let mut from = open.from;
            let mut seen = 0;
            for (id, child) in tree.children(open.id) {
                let is_thin =
                    u128::from(child.weight.total) * u128::from(cells) < u128::from(whole);
                if is_thin {
                    break;
                }
                below.push(Open { id, from });
                from = from.saturating_add(child.weight.total);
                seen += 1;
            }
            let left = node.weight.total.saturating_sub(node.weight.own);
            let (x, end) = (cell(from), cell(open.from.saturating_add(left)));
            if seen < node.children && end > x && depths.contains(&(depth + 1)) {
                blocks.push(Block {
                    depth: depth + 1,
                    x,
                    width: end - x,
                    part: Part::Rest {
                        parent: open.id,
                        count: node.children - seen,
                    },
                });
            }
        }
        std::mem::swap(&mut row, &mut below);
        if row.is_empty() {
            break;
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;
    use diagnostics::Cancel;
    use diagnostics::profile::import;
    use diagnostics::profile::tree::Options;
    use proptest::prelude::*;

    fn tree(folded: &str) -> Tree {
        let cancel = Cancel::default();
        let profile = import::read_from(folded.as_bytes(), 0, &cancel, &|_, _| ()).unwrap();
        Tree::build(&profile, None, &Options::default(), &cancel)
    }

    #[test]
    fn widths_are_parts_and_the_thin_are_one() {
        let thin: Vec<_> = (0..30).map(|n| format!("thin{n} 1")).collect();
        let tree = tree(&format!("a;b 40\na;c 20\nd 10\n{}", thin.join("\n")));
        let blocks = blocks(&tree, NodeId::ROOT, 50, 0..10);
        let name = |block: &Block| match block.part {
            Part::Node(id) => tree
                .function_of(id)
                .map_or_else(|| "all".to_owned(), |f| f.name.to_string()),
            Part::Rest { count, .. } => format!("rest {count}"),
        };
        let shown: Vec<_> = blocks
            .iter()
            .map(|block| (name(block), block.depth, block.x, block.width))
            .collect();
        let row = |name: &str, depth, x, width| (name.to_owned(), depth, x, width);
        assert_eq!(
            shown,
            [
                row("all", 0, 0, 50),
                row("rest 30", 1, 35, 15),
                row("a", 1, 0, 30),
                row("d", 1, 30, 5),
                row("b", 2, 0, 20),
                row("c", 2, 20, 10),
            ]
        );
    }

    #[test]
    fn what_is_zoomed_into_has_all_the_width() {
        let tree = tree("a;b;c 1\na;b;d 1\nx 98\n");
        let b = tree.find(&["a".into(), "b".into()]);
        let blocks = blocks(&tree, b, 10, 0..4);
        let widths: Vec<_> = blocks.iter().map(|b| (b.depth, b.x, b.width)).collect();
        assert_eq!(
            widths,
            [(0, 0, 10), (1, 0, 10), (2, 0, 10), (3, 0, 5), (3, 5, 5)]
        );
    }

    proptest! {
        #[test]
        fn blocks_never_overlap(stacks in prop::collection::vec(("[abc](;[abc]){0,6}", 1_u64..1000), 1..40), cells in 1_u16..90) {
            let lines: Vec<_> = stacks.iter().map(|(s, n)| format!("{s} {n}")).collect();
            let text = lines.join("\n");
            let tree = tree(&text);
            let mut blocks = blocks(&tree, NodeId::ROOT, cells, 0..20);
            blocks.sort_by_key(|block| (block.depth, block.x));
            for pair in blocks.windows(2) {
                let [a, b] = pair else { continue };
                prop_assert!(a.depth != b.depth || a.x + a.width <= b.x);
            }
            prop_assert!(blocks.iter().all(|block| block.width > 0 && block.x + block.width <= cells));
        }
    }
}
