use super::*;
use dap::types::{Scope, VariablePresentationHint};
use debugger::state::ScopeVariables;
use pretty_assertions::assert_eq;

fn variable(name: &str, value: &str, reference: i64) -> Variable {
    Variable {
        name: name.into(),
        value: value.into(),
        variables_reference: reference,
        evaluate_name: Some(name.into()),
        ..Variable::default()
    }
}

fn list(name: &str, reference: i64, indexed: i64) -> Variable {
    Variable {
        indexed_variables: Some(indexed),
        ..variable(name, "[…]", reference)
    }
}

fn elements(range: std::ops::Range<i64>) -> Vec<Variable> {
    range
        .map(|i| variable(&format!("[{i}]"), &i.to_string(), 0))
        .collect()
}

fn locals(variables: Vec<Variable>) -> Vec<Node> {
    vec![Node::scope(
        0,
        &ScopeVariables {
            scope: Scope {
                name: "Locals".into(),
                variables_reference: 1,
                ..Scope::default()
            },
            variables: Some(variables),
            trouble: None,
        },
    )]
}

fn at(stop: u64) -> ValuePlace {
    ValuePlace {
        session: SessionId(1),
        stop: StopId(stop),
        frame: "main".into(),
        thread: Some(1),
    }
}

fn tree(variables: Vec<Variable>) -> Tree {
    let mut tree = Tree::default();
    tree.set_roots(at(1), locals(variables));
    tree
}

/// The visible rows, as people see them.
fn shown(tree: &Tree) -> Vec<String> {
    tree.rows
        .iter()
        .filter_map(|row| {
            let node = tree.node(row)?;
            let text = if node.name.is_empty() {
                &node.value
            } else {
                &node.name
            };
            let mark = if node.changed { "*" } else { "" };
            let stale = if row.stale { "?" } else { "" };
            Some(format!("{}{text}{mark}{stale}", "  ".repeat(row.depth)))
        })
        .collect()
}

fn select(tree: &mut Tree, name: &str) {
    let index = shown(tree)
        .iter()
        .position(|row| row.trim().trim_end_matches(['*', '?']) == name)
        .unwrap_or_else(|| panic!("no row {name} in {:?}", shown(tree)));
    tree.select(index);
}

fn open(tree: &mut Tree, name: &str) {
    select(tree, name);
    assert!(tree.expand(), "{name} opens");
}

/// The one request that is to be sent.
fn asked(tree: &mut Tree) -> (u64, i64, Option<Page>) {
    let mut asks = tree.take_asks();
    assert_eq!(asks.len(), 1, "{asks:?}");
    let ask = asks.remove(0);
    let Command::Variables {
        reference, page, ..
    } = ask.command
    else {
        panic!("not a request for rows")
    };
    (ask.ticket, reference, page)
}

fn indexed(start: i64, count: i64) -> Page {
    Page {
        filter: VariablesFilter::Indexed,
        start,
        count,
    }
}

#[test]
fn loaded_scopes_show_at_once_and_ask_for_nothing() {
    let mut tree = tree(vec![variable("a", "1", 0), variable("b", "{}", 7)]);
    assert_eq!(shown(&tree), ["Locals", "  a", "  b"]);
    assert_eq!(tree.take_asks(), []);
    open(&mut tree, "b");
    let (ticket, reference, page) = asked(&mut tree);
    assert_eq!((reference, page), (7, None));
    tree.answer(ticket, Ok(vec![variable("x", "1", 0)]));
    assert_eq!(shown(&tree), ["Locals", "  a", "  b", "    x"]);
    tree.collapse();
    assert_eq!(shown(&tree), ["Locals", "  a", "  b"]);
    // Open again: nothing new to ask.
    open(&mut tree, "b");
    assert_eq!(tree.take_asks(), []);
    assert_eq!(shown(&tree).len(), 4);
}

/// The expression of the row with this name.
fn expression(tree: &mut Tree, name: &str) -> Option<String> {
    select(tree, name);
    tree.selected_expression()
}

#[test]
fn parts_without_an_expression_are_called_by_the_way_to_them() {
    let part = |name: &str, type_name: &str, expression: Option<&str>| Variable {
        type_: Some(type_name.into()),
        evaluate_name: expression.map(str::to_owned),
        ..variable(name, "{…}", name.len() as i64)
    };
    let mut tree = tree(vec![part("shop", "Shop", None)]);
    let mut answers = [
        part("words", "std::vector<int>", None),
        part("prices", "std::map<int, int>", None),
        part("<Base>", "Base", None),
    ];
    open(&mut tree, "shop");
    let (ticket, ..) = asked(&mut tree);
    tree.answer(ticket, Ok(answers.to_vec()));
    for (name, way) in [
        ("shop", Some("shop")),
        ("words", Some("shop.words")),
        ("<Base>", None),
    ] {
        assert_eq!(expression(&mut tree, name).as_deref(), way, "{name}");
    }
    // Of a map the number is no key. What LLDB gives for an element is not its way.
    for (holder, element, way) in [
        ("words", "[0]", Some("shop.words[0]")),
        ("prices", "[1]", None),
    ] {
        open(&mut tree, holder);
        let (ticket, ..) = asked(&mut tree);
        answers[0] = part(element, "int", Some("shop.words._M_start->[0]"));
        tree.answer(ticket, Ok(answers[..1].to_vec()));
        assert_eq!(expression(&mut tree, element).as_deref(), way, "{element}");
    }
}

#[test]
fn left_goes_to_the_holder_and_right_into_the_first_child() {
    let mut tree = tree(vec![variable("a", "1", 0)]);
    select(&mut tree, "a");
    tree.collapse();
    assert_eq!(tree.selected, 0);
    assert!(tree.expand());
    assert_eq!(tree.selected, 1);
    assert!(!tree.expand(), "a leaf does not open");
}

#[test]
fn a_hundred_thousand_elements_are_reached_in_three_requests_less_than_a_page_each() {
    let mut tree = tree(vec![list("big", 9, 100_000)]);
    open(&mut tree, "big");
    assert_eq!(tree.take_asks(), [], "ranges are ours, they cost nothing");
    assert_eq!(shown(&tree).len(), 2 + 10);
    open(&mut tree, "[90000..99999]");
    assert_eq!(tree.take_asks(), []);
    open(&mut tree, "[99900..99999]");
    let (ticket, reference, page) = asked(&mut tree);
    assert_eq!((reference, page), (9, Some(indexed(99_900, 100))));
    tree.answer(ticket, Ok(elements(99_900..100_000)));
    select(&mut tree, "[99999]");
    assert_eq!(tree.selected_expression().as_deref(), Some("[99999]"));
    assert_eq!(tree.rows.len(), 2 + 10 + 100 + 100);
}

#[test]
fn fields_beside_many_elements_are_asked_for_by_name() {
    let mut both = list("both", 9, 250);
    both.named_variables = Some(1);
    let mut tree = tree(vec![both]);
    open(&mut tree, "both");
    let (ticket, _, page) = asked(&mut tree);
    assert_eq!(
        page.map(|p| (p.filter, p.count)),
        Some((VariablesFilter::Named, 1))
    );
    tree.answer(ticket, Ok(vec![variable("len", "250", 0)]));
    assert_eq!(
        shown(&tree),
        [
            "Locals",
            "  both",
            "    len",
            "    [0..99]",
            "    [100..199]",
            "    [200..249]"
        ]
    );
}

#[test]
fn zero_fields_beside_a_reference_mean_unknown() {
    let mut odd = variable("odd", "{…}", 9);
    odd.named_variables = Some(0);
    odd.indexed_variables = Some(0);
    let mut tree = tree(vec![odd]);
    open(&mut tree, "odd");
    assert_eq!(asked(&mut tree).2, None);
}

#[test]
fn an_adapter_that_sends_everything_for_a_page_is_taken_at_its_word() {
    let mut tree = tree(vec![list("big", 9, 250)]);
    open(&mut tree, "big");
    open(&mut tree, "[100..199]");
    let (ticket, ..) = asked(&mut tree);
    tree.answer(ticket, Ok(elements(0..251)));
    // One more than announced, folded by us, all here: opening asks for nothing.
    assert_eq!(shown(&tree).len(), 2 + 3 + 100, "{:?}", shown(&tree));
    open(&mut tree, "[200..250]");
    assert_eq!(tree.take_asks(), []);
    select(&mut tree, "[250]");
}

#[test]
fn an_adapter_that_repeats_the_first_page_shows_it_once_with_a_remark() {
    let mut tree = tree(vec![list("big", 9, 250)]);
    open(&mut tree, "big");
    open(&mut tree, "[100..199]");
    let (ticket, ..) = asked(&mut tree);
    tree.answer(ticket, Ok(elements(0..100)));
    let rows = shown(&tree);
    assert_eq!(rows.len(), 2 + 100 + 1);
    assert_eq!(
        rows.last().map(String::as_str),
        Some("    the adapter sends the same 100 for every page; it announced 250")
    );
}

#[test]
fn repeated_names_without_numbers_are_recognised_by_the_page_before() {
    let words: Vec<_> = (0..100)
        .map(|i| variable(&format!("key{i}"), "1", 0))
        .collect();
    let mut tree = tree(vec![list("map", 9, 200)]);
    open(&mut tree, "map");
    for range in ["[0..99]", "[100..199]"] {
        open(&mut tree, range);
        let (ticket, ..) = asked(&mut tree);
        tree.answer(ticket, Ok(words.clone()));
    }
    assert_eq!(shown(&tree).len(), 2 + 100 + 1);
}

#[test]
fn short_pages_offer_the_rest_and_end_when_nothing_new_comes() {
    let mut tree = tree(vec![list("big", 9, 1000)]);
    open(&mut tree, "big");
    open(&mut tree, "[100..199]");
    let (ticket, ..) = asked(&mut tree);
    tree.answer(ticket, Ok(elements(100..164)));
    open(&mut tree, "36 more…");
    let (ticket, reference, page) = asked(&mut tree);
    assert_eq!((reference, page), (9, Some(indexed(164, 36))));
    tree.answer(ticket, Ok(elements(164..200)));
    assert!(shown(&tree).contains(&"      [199]".to_owned()));
    assert!(!shown(&tree).iter().any(|r| r.contains("more…")));

    open(&mut tree, "[200..299]");
    let (ticket, ..) = asked(&mut tree);
    tree.answer(ticket, Ok(elements(200..210)));
    open(&mut tree, "90 more…");
    let (ticket, ..) = asked(&mut tree);
    tree.answer(ticket, Ok(elements(200..210)));
    assert!(
        shown(&tree).contains(&"      that is all: 10 came, 90 more were announced".to_owned())
    );
}

#[test]
fn empty_pages_and_errors_say_so_and_opening_again_tries_again() {
    let mut tree = tree(vec![variable("a", "{}", 7), variable("b", "{}", 8)]);
    open(&mut tree, "a");
    let (ticket, ..) = asked(&mut tree);
    tree.answer(ticket, Ok(vec![]));
    open(&mut tree, "b");
    let (ticket, ..) = asked(&mut tree);
    tree.answer(ticket, Err("no memory at 0x0".into()));
    assert_eq!(
        shown(&tree),
        ["Locals", "  a", "    empty", "  b", "    no memory at 0x0"]
    );
    tree.collapse();
    open(&mut tree, "b");
    assert_eq!(asked(&mut tree).1, 8);
}

#[test]
fn what_is_open_stays_open_over_a_step_and_changes_are_marked() {
    let mut tree = tree(vec![variable("n", "1", 0), variable("obj", "{…}", 7)]);
    open(&mut tree, "obj");
    let (ticket, ..) = asked(&mut tree);
    tree.answer(
        ticket,
        Ok(vec![variable("x", "1", 0), variable("y", "1", 0)]),
    );
    tree.set_roots(
        at(2),
        locals(vec![variable("n", "2", 0), variable("obj", "{…}", 70)]),
    );
    assert_eq!(
        shown(&tree),
        ["Locals", "  n*", "  obj", "    x?", "    y?"],
        "old rows until new ones come"
    );
    let (ticket, reference, _) = asked(&mut tree);
    assert_eq!(reference, 70, "with the new stop's reference");
    tree.answer(
        ticket,
        Ok(vec![variable("x", "1", 0), variable("y", "5", 0)]),
    );
    assert_eq!(shown(&tree), ["Locals", "  n*", "  obj", "    x", "    y*"]);
    // The same stop again (a value was set): still compared with the stop before.
    tree.set_roots(
        at(2),
        locals(vec![variable("n", "1", 0), variable("obj", "{…}", 70)]),
    );
    assert_eq!(shown(&tree).get(1).map(String::as_str), Some("  n"));
}

#[test]
fn a_struct_has_changed_when_what_it_shows_has() {
    let node = |preview: &str, reference| Variable {
        preview: Some(preview.to_owned()),
        ..variable("node", "<Node>", reference)
    };
    let looked_into = |tree: &mut Tree, preview: &str, reference| {
        tree.show_previews(&[(reference, preview.to_owned())].into());
        shown(tree).pop().unwrap()
    };
    let mut tree = tree(vec![node("Node {…}", 70)]);
    assert_eq!(looked_into(&mut tree, "Node {n: 1, …}", 70), "  node");
    tree.set_roots(at(2), locals(vec![node("Node {…}", 71)]));
    assert_eq!(shown(&tree).pop().unwrap(), "  node", "not looked into yet");
    // Its second part came too late.
    assert_eq!(looked_into(&mut tree, "Node {n: 1, …, s: …}", 71), "  node");
    tree.set_roots(at(3), locals(vec![node("Node {…}", 72)]));
    assert_eq!(looked_into(&mut tree, "Node {n: 2, …}", 72), "  node*");
    // Also once something else was opened, which goes through all rows.
    tree.set_roots(
        at(3),
        locals(vec![
            node("Node {n: 2, …}", 72),
            variable("other", "{…}", 80),
        ]),
    );
    open(&mut tree, "other");
    let (ticket, ..) = asked(&mut tree);
    tree.answer(ticket, Ok(vec![variable("x", "1", 0)]));
    assert_eq!(shown(&tree).get(1).map(String::as_str), Some("  node*"));
    tree.set_roots(at(4), locals(vec![node("Node {…}", 73)]));
    assert_eq!(looked_into(&mut tree, "Node {n: 2, …}", 73), "  node");
}

#[test]
fn the_selection_stays_on_its_path() {
    let mut tree = tree(vec![variable("a", "1", 0), variable("b", "1", 0)]);
    select(&mut tree, "b");
    tree.set_roots(
        at(2),
        locals(vec![
            variable("new", "1", 0),
            variable("a", "1", 0),
            variable("b", "1", 0),
        ]),
    );
    assert_eq!(tree.selected_node().map(|n| n.name.as_str()), Some("b"));
    tree.set_roots(at(3), locals(vec![]));
    assert!(tree.selected < tree.rows.len());
}

#[test]
fn answers_to_the_stop_before_are_dropped() {
    let mut tree = tree(vec![variable("obj", "{…}", 7)]);
    open(&mut tree, "obj");
    let (late, ..) = asked(&mut tree);
    tree.set_roots(at(2), locals(vec![variable("obj", "{…}", 8)]));
    assert!(!tree.awaits(late));
    tree.answer(late, Ok(vec![variable("old", "1", 0)]));
    assert!(!shown(&tree).iter().any(|r| r.contains("old")));
}

#[test]
fn another_function_shows_no_marks_and_no_old_rows() {
    let mut tree = tree(vec![variable("n", "1", 0)]);
    for (stop, thread) in [(2, 1), (3, 2)] {
        let mut place = at(stop);
        (place.frame, place.thread) = ("other".into(), Some(thread));
        tree.set_roots(place, locals(vec![variable("n", &stop.to_string(), 0)]));
        assert_eq!(shown(&tree), ["Locals", "  n"]);
    }
}

#[test]
fn stale_rows_are_never_asked_about() {
    let mut tree = tree(vec![variable("obj", "{…}", 7)]);
    open(&mut tree, "obj");
    let (ticket, ..) = asked(&mut tree);
    tree.answer(ticket, Ok(vec![variable("inner", "{…}", 9)]));
    tree.set_roots(at(2), locals(vec![variable("obj", "{…}", 70)]));
    let (ticket, ..) = asked(&mut tree);
    open(&mut tree, "inner");
    assert_eq!(tree.take_asks(), [], "reference 9 is of the older stop");
    tree.answer(ticket, Ok(vec![variable("inner", "{…}", 90)]));
    assert_eq!(asked(&mut tree).1, 90, "opened as soon as it can be");
}

#[test]
fn lazy_values_are_loaded_when_asked_for() {
    let mut lazy = variable("slow", "", 5);
    lazy.presentation_hint = Some(VariablePresentationHint {
        lazy: Some(true),
        ..VariablePresentationHint::default()
    });
    let mut tree = tree(vec![lazy]);
    open(&mut tree, "slow");
    let (ticket, reference, _) = asked(&mut tree);
    assert_eq!(reference, 5);
    tree.answer(ticket, Ok(vec![variable("", "42", 0)]));
    let node = tree.selected_node().unwrap();
    assert_eq!(
        (node.name.as_str(), node.value.as_str(), node.lazy),
        ("slow", "42", false)
    );
}

#[test]
fn twins_are_told_apart() {
    let mut tree = tree(vec![variable("x", "1", 7), variable("x", "2", 8)]);
    tree.select(2);
    assert!(tree.expand());
    assert_eq!(asked(&mut tree).1, 8);
}

#[test]
fn a_filter_shows_matches_and_what_holds_them() {
    let mut tree = tree(vec![variable("a", "1", 0), variable("obj", "{…}", 7)]);
    open(&mut tree, "obj");
    let (ticket, ..) = asked(&mut tree);
    tree.answer(
        ticket,
        Ok(vec![variable("name", "'Ann'", 0), variable("z", "1", 0)]),
    );
    tree.set_filter("ANN");
    assert_eq!(shown(&tree), ["Locals", "  obj", "    name"]);
    tree.set_filter("obj");
    assert_eq!(shown(&tree), ["Locals", "  obj", "    name", "    z"]);
    tree.collapse();
    assert_eq!(shown(&tree), ["Locals", "  obj"]);
    tree.set_filter("");
    assert_eq!(shown(&tree).len(), 3);
    assert!(tree.expand());
    assert_eq!(shown(&tree).len(), 5);
}

#[test]
fn scopes_that_were_not_loaded_wait_for_their_key() {
    let scope = ScopeVariables {
        scope: Scope {
            name: "Globals".into(),
            variables_reference: 3,
            expensive: true,
            ..Scope::default()
        },
        variables: None,
        trouble: None,
    };
    let mut tree = Tree::default();
    tree.set_roots(at(1), vec![Node::scope(0, &scope)]);
    assert_eq!(tree.take_asks(), []);
    assert!(tree.expand());
    assert_eq!(asked(&mut tree).1, 3);
}

#[test]
fn a_module_is_open_where_it_came_with_the_frame() {
    let module = |variables| ScopeVariables {
        scope: Scope {
            name: "Module".into(),
            variables_reference: 3,
            expensive: true,
            ..Scope::default()
        },
        variables,
        trouble: None,
    };
    for (variables, rows) in [
        (
            Some(vec![variable("first", "3", 0)]),
            &["Module", "  first"][..],
        ),
        (None, &["Module"]),
    ] {
        let mut tree = Tree::default();
        tree.set_roots(at(1), vec![Node::scope(1, &module(variables))]);
        assert_eq!(shown(&tree), rows);
    }
}

#[test]
fn thousands_of_fields_are_folded_without_being_asked_again() {
    let fields: Vec<_> = (0..2500)
        .map(|i| variable(&format!("field{i}"), "1", 0))
        .collect();
    let mut tree = tree(vec![variable("obj", "{…}", 7)]);
    open(&mut tree, "obj");
    let (ticket, ..) = asked(&mut tree);
    tree.answer(ticket, Ok(fields));
    assert_eq!(shown(&tree).len(), 2 + 25);
    open(&mut tree, "[2400..2499]");
    assert_eq!(tree.take_asks(), []);
    select(&mut tree, "field2499");
}

#[test]
fn only_elements_are_counted_in_ranges_and_additions_come_last() {
    let mut tree = tree(vec![variable("big", "[…]", 9)]);
    open(&mut tree, "big");
    let (ticket, ..) = asked(&mut tree);
    let mut rows = vec![
        variable("special variables", "", 3),
        variable("owner", "me", 0),
    ];
    rows.extend(elements(0..150));
    rows.push(variable("len()", "400", 0));
    tree.answer(ticket, Ok(rows));
    assert_eq!(
        shown(&tree),
        [
            "Locals",
            "  big",
            "    [0..99]",
            "    [100..149]",
            "    owner",
            "    150 of 400 shown",
            "    special variables",
            "    len()"
        ]
    );
    open(&mut tree, "[100..149]");
    select(&mut tree, "[149]");
}

#[test]
fn what_is_new_in_a_known_scope_is_marked_and_other_sessions_are_not_compared_with() {
    let mut tree = tree(vec![variable("a", "1", 0)]);
    let both = || locals(vec![variable("a", "1", 0), variable("b", "2", 0)]);
    tree.set_roots(at(2), both());
    assert_eq!(shown(&tree), ["Locals", "  a", "  b*"]);
    let other = ValuePlace {
        session: SessionId(2),
        ..at(3)
    };
    tree.set_roots(other, locals(vec![variable("a", "7", 0)]));
    assert_eq!(shown(&tree), ["Locals", "  a"]);
}

#[test]
fn typing_a_filter_selects_the_first_match() {
    let mut tree = tree(vec![variable("a", "1", 0), variable("bb", "2", 0)]);
    tree.set_filter("bb");
    assert_eq!(tree.selected_expression().as_deref(), Some("bb"));
}
