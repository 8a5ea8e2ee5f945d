//! Trees against what can be counted by hand.

use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::*;
use crate::{
    Cancel,
    profile::{Builder, Frame, Profile, Sample, Thread, ThreadId, import},
};

fn profile(folded: &str) -> Profile {
    import::read_from(folded.as_bytes(), 0, &Cancel::default(), &|_, _| ()).unwrap()
}

fn tree(folded: &str) -> Tree {
    Tree::build(
        &profile(folded),
        None,
        &Options::default(),
        &Cancel::default(),
    )
}

fn name(tree: &Tree, id: NodeId) -> String {
    tree.function_of(id)
        .map_or_else(|| "all".to_owned(), |f| f.name.to_string())
}

fn id(tree: &Tree, name: &str) -> FunctionId {
    let at = tree.functions.iter().position(|f| &*f.name == name);
    FunctionId(u32::try_from(at.unwrap()).unwrap())
}

fn row(tree: &Tree, name: &str) -> Row {
    let id = id(tree, name);
    *tree.rows.iter().find(|row| row.function == id).unwrap()
}

const SMALL: &str = "main;a;c 5\nmain;a 1\nmain;b;c 30\nmain;b;d 10\nother 4\n";

#[test]
fn a_walk_goes_by_weight_and_knows_its_way() {
    let tree = tree(SMALL);
    let walk: Vec<_> = (0..tree.len())
        .map(|at| {
            let id = NodeId(u32::try_from(at).unwrap());
            let node = tree.node(id).unwrap();
            let weight = node.weight;
            (
                name(&tree, id),
                node.depth,
                weight.own,
                weight.total,
                node.children,
            )
        })
        .collect();
    let node =
        |name: &str, depth, own, total, children| (name.to_owned(), depth, own, total, children);
    assert_eq!(
        walk,
        [
            node("all", 0, 0, 50, 2),
            node("main", 1, 0, 46, 2),
            node("b", 2, 0, 40, 2),
            node("c", 3, 30, 30, 0),
            node("d", 3, 10, 10, 0),
            node("a", 2, 1, 6, 1),
            node("c", 3, 5, 5, 0),
            node("other", 1, 4, 4, 0),
        ]
    );
    let d = NodeId(4);
    assert_eq!(tree.names(d).join("/"), "main/b/d");
    assert_eq!(tree.find(&tree.names(d)), d);
    assert_eq!(tree.find(&["main".into(), "gone".into()]), NodeId(1));
    assert_eq!(tree.previous_sibling(d), Some(NodeId(3)));
    assert_eq!(tree.previous_sibling(NodeId(7)), Some(NodeId(1)));
    assert_eq!(tree.previous_sibling(NodeId(3)), None);
    assert_eq!(tree.next_sibling(NodeId(2)), Some(NodeId(5)));
    assert_eq!(tree.next_sibling(d), None);
    assert_eq!(tree.next_sibling(NodeId::ROOT), None);
    assert!(tree.is_within(d, NodeId(1)) && !tree.is_within(NodeId(7), NodeId(1)));
    assert_eq!(tree.heaviest(id(&tree, "c")), Some(NodeId(3)));
}

#[test]
fn recursion_counts_once() {
    let tree = tree("f;g;f;g 10\nf 5\ng 1\n");
    let (f, g) = (row(&tree, "f"), row(&tree, "g"));
    assert_eq!((f.weight.own, f.weight.total), (5, 15));
    assert_eq!((g.weight.own, g.weight.total), (11, 11));
    let (callers, calls) = tree.around(g.function);
    assert_eq!(
        callers,
        [
            Edge {
                function: Some(f.function),
                total: 10
            },
            Edge {
                function: None,
                total: 1
            }
        ]
    );
    assert_eq!(
        calls,
        [Edge {
            function: Some(f.function),
            total: 10
        }]
    );
}

#[test]
fn stacks_that_differ_in_lines_are_one_and_the_heavy_line_is_kept() {
    let tree = tree("main (a.py:1);f (a.py:7) 3\nmain (a.py:2);f (a.py:9) 5\nmain (b.py:1) 1\n");
    assert_eq!(tree.len(), 4);
    let f = tree.function(id(&tree, "f")).unwrap();
    assert_eq!(f.place(), "a.py:9");
    assert_eq!(tree.node(NodeId(1)).unwrap().line(), Some(2));
}

#[test]
fn a_comparison_has_what_is_in_either() {
    let (new, old) = (profile("m;a 30\nm;b 70\n"), profile("m;a 5\nm;gone 5\n"));
    let tree = Tree::build(&new, Some(&old), &Options::default(), &Cancel::default());
    assert!(tree.is_compared());
    assert_eq!((tree.total(), tree.base_total()), (100, 10));
    let a = tree.find(&["m".into(), "a".into()]);
    assert_eq!(tree.base(a), Weight { own: 5, total: 5 });
    let gone = row(&tree, "gone");
    assert_eq!((gone.weight.own, gone.base.own), (0, 5));
}

/// Those of a debugger inside of the program are left out and weighed, until somebody wants them.
#[test]
fn threads_of_a_debugger_are_folded_away() {
    let mut builder = Builder::default();
    for (name, function, weight) in [
        ("MainThread", "work", 5),
        ("pydevd.Reader", "read", 7),
        ("my-pydevd.Reader", "mine", 1),
        ("Thread-7", "run", 2),
    ] {
        let thread = builder.thread(Thread {
            name: name.into(),
            ..Thread::default()
        });
        let frame = builder.frame(Frame {
            name: function.into(),
            // Where all of its threads begin, whatever they are called.
            file: (function == "run").then(|| "/x/pydevd_daemon_thread.py".into()),
            ..Frame::default()
        });
        let stack = builder.stack(None, frame);
        builder.sample(Sample {
            stack,
            thread,
            weight,
            at: weight,
        });
    }
    let profile = builder.finish();
    let built = |options: &Options| {
        let tree = Tree::build(&profile, None, options, &Cancel::default());
        (tree.total(), tree.debuggers)
    };
    let folded = Options::default();
    assert_eq!(built(&folded), (6, 9));
    assert_eq!(Timeline::of(&profile, &folded).unwrap().span, (1, 6));
    let all = Options {
        debuggers: true,
        ..folded.clone()
    };
    assert_eq!(built(&all), (15, 0));
    // One that is asked for is there.
    let one = Options {
        thread: Some(ThreadId(1)),
        ..folded
    };
    assert_eq!(built(&one), (7, 0));
}

#[test]
fn threads_times_and_idle_are_chosen() {
    let mut builder = Builder::default();
    let threads = ["one", "two"].map(|name| {
        builder.thread(Thread {
            name: name.into(),
            ..Thread::default()
        })
    });
    for (at, thread, name) in [(0, 0, "a"), (10, 1, "b"), (20, 0, IDLE), (30, 0, "c")] {
        let frame = builder.frame(Frame {
            name: name.into(),
            ..Frame::default()
        });
        let stack = builder.stack(None, frame);
        builder.sample(Sample {
            stack,
            thread: threads[thread],
            weight: 4,
            at,
        });
    }
    let profile = builder.finish();
    let untimed = self::profile(SMALL);
    let names = |options: &Options| {
        let tree = Tree::build(&profile, None, options, &Cancel::default());
        let mut names: Vec<_> = tree.functions.iter().map(|f| f.name.to_string()).collect();
        names.retain(|n| tree.rows.iter().any(|r| r.function == id(&tree, n)));
        names.sort();
        (names.join(" "), tree.idle)
    };
    let all = Options::default();
    assert_eq!(names(&all), ("a b c".to_owned(), 4));
    let idle = Options {
        idle: true,
        ..all.clone()
    };
    assert_eq!(names(&idle), ("(idle) a b c".to_owned(), 0));
    let one = Options {
        thread: Some(threads[1]),
        ..all.clone()
    };
    assert_eq!(names(&one), ("b".to_owned(), 0));
    let late = Options {
        between: Some((10, 25)),
        ..all.clone()
    };
    assert_eq!(names(&late), ("b".to_owned(), 4));
    let strip = Timeline::of(&profile, &all).unwrap();
    assert_eq!(strip.span, (0, 31));
    let columns = strip.columns(31);
    assert_eq!(columns.iter().sum::<u64>(), 12);
    assert_eq!(
        (columns[0], columns[10], columns[20], columns[30]),
        (4, 4, 0, 4)
    );
    assert_eq!(strip.time_of(10, 31), 10);
    assert_eq!(Timeline::of(&untimed, &all), None);
}

#[test]
fn matches_are_found_in_the_order_of_the_walk() {
    let tree = tree(SMALL);
    let matches = tree.matches(&Regex::new("^[cd]$").unwrap());
    assert_eq!((matches.nodes, matches.total), (3, 45));
    let next = |from| tree.next_match(NodeId(from), &matches, false).unwrap().0;
    let before = |from| tree.next_match(NodeId(from), &matches, true).unwrap().0;
    assert_eq!(
        [next(0), next(3), next(4), next(6), next(7)],
        [3, 4, 6, 3, 3]
    );
    assert_eq!([before(0), before(3), before(4), before(7)], [6, 6, 3, 6]);
    let nested = tree.matches(&Regex::new("main|b").unwrap());
    assert_eq!((nested.nodes, nested.total), (2, 46));
    let none = tree.matches(&Regex::new("nowhere").unwrap());
    assert_eq!(tree.next_match(NodeId(2), &none, false), None);
}

proptest! {
    /// Whatever the stacks are: a node weighs what it has itself and what it calls, own weights are the total, and neighbours
    /// are found both ways.
    #[test]
    fn weights_add_up(stacks in prop::collection::vec(("[a-d](;[a-d]){0,7}", 1_u64..100), 1..60)) {
        let lines: Vec<_> = stacks.iter().map(|(s, n)| format!("{s} {n}")).collect();
        let text = lines.join("\n");
        let tree = tree(&text);
        let sum: u64 = stacks.iter().map(|(_, n)| n).sum();
        prop_assert_eq!(tree.total(), sum);
        prop_assert_eq!(tree.rows.iter().map(|r| r.weight.own).sum::<u64>(), sum);
        for at in 0..tree.len() {
            let id = NodeId(u32::try_from(at).unwrap());
            let node = *tree.node(id).unwrap();
            let children: Vec<_> = tree.children(id).collect();
            let below: u64 = children.iter().map(|(_, c)| c.weight.total).sum();
            prop_assert_eq!(node.weight.total, node.weight.own + below);
            prop_assert_eq!(children.len(), node.children as usize);
            prop_assert!(children.windows(2).all(|w| w[0].1.weight.total >= w[1].1.weight.total));
            for pair in children.windows(2) {
                prop_assert_eq!(tree.next_sibling(pair[0].0), Some(pair[1].0));
                prop_assert_eq!(tree.previous_sibling(pair[1].0), Some(pair[0].0));
            }
            prop_assert_eq!(tree.find(&tree.names(id)), id);
        }
        for row in &tree.rows {
            let name = &*tree.function(row.function).unwrap().name;
            let by_hand: u64 = stacks.iter().filter(|(s, _)| s.split(';').any(|f| f == name)).map(|(_, n)| n).sum();
            prop_assert_eq!(row.weight.total, by_hand);
        }
    }
}

/// What a program holds twice of has grown, though its part of the whole is the same; of time only the parts can be compared.
#[test]
fn memory_is_compared_as_it_is_and_time_by_its_parts() {
    let compared = |unit| {
        let tree = Tree::build(
            &profile("main;a 20\nmain;b 20\n"),
            Some(&profile("main;a 10\nmain;b 10\n")),
            &Options::default(),
            &Cancel::default(),
        );
        let tree = Tree { unit, ..tree };
        let row = row(&tree, "a");
        tree.change(row.weight.own, row.base.own)
    };
    assert!((compared(Unit::Bytes) - 50.0).abs() < 1e-9);
    assert!(compared(Unit::Nanoseconds).abs() < 1e-9);
}
