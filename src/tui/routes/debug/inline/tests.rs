use super::*;
use dap::types::{Scope, StackFrame};
use debugger::Stop;
use debugger::state::{FrameRef, Phase, ScopeVariables, Stack};

fn session(stop: u64, function: &str, values: &[(&str, &str)]) -> Session {
    let variables = values
        .iter()
        .map(|(name, value)| Variable {
            name: (*name).into(),
            value: (*value).into(),
            variables_reference: i64::from(value.starts_with('[')),
            ..Variable::default()
        })
        .collect();
    let frame = StackFrame {
        id: 7,
        name: function.into(),
        ..StackFrame::default()
    };
    let scope = ScopeVariables {
        scope: Scope {
            name: "Locals".into(),
            ..Scope::default()
        },
        variables: Some(variables),
        trouble: None,
    };
    let mut at = Stop {
        id: StopId(stop),
        selected: Some(FrameRef {
            thread_id: 1,
            frame_id: 7,
        }),
        ..Stop::default()
    };
    at.stacks.insert(
        1,
        Stack {
            frames: vec![frame],
            ..Stack::default()
        },
    );
    at.frames.insert(
        7,
        FrameScopes {
            scopes: vec![scope],
            trouble: None,
        },
    );
    Session {
        phase: Phase::Stopped,
        stop: Some(at),
        ..Session::default()
    }
}

const CODE: &str = "\
def other(total):
    return total

def checkout(cart):
    total = 0
    for item in cart:  # total of all
        total = total + item.price
        price = 3
    return total
";

fn shown(locals: &Locals, current: usize) -> Vec<(usize, String)> {
    locals
        .place(&SourceText::new(CODE), current, comment_mark("x.py"))
        .into_iter()
        .flat_map(|(line, values)| {
            values.into_iter().map(move |v| {
                (
                    line,
                    format!("{}={}{}", v.name, v.value, if v.changed { "*" } else { "" }),
                )
            })
        })
        .collect()
}

#[test]
fn each_variable_is_shown_once_at_its_last_mention_in_the_function() {
    let mut locals = Locals::default();
    let values = [
        ("cart", "[…]"),
        ("total", "4"),
        ("item", "Item"),
        ("price", "3"),
    ];
    locals.update(Some(&session(1, "checkout", &values)));
    assert_eq!(
        shown(&locals, 6),
        [
            (5, "cart=[…]".into()),
            (6, "total=4".into()),
            (6, "item=Item".into())
        ]
    );
    // Fields are no variables: `item.price` did not show `price`, its own line does.
    assert_eq!(shown(&locals, 7).last(), Some(&(7, "price=3".into())));
    // Not above the beginning of the function.
    assert_eq!(
        shown(&locals, 4),
        [(3, "cart=[…]".into()), (4, "total=4".into())]
    );
    assert_eq!(shown(&locals, 99), []);
}

#[test]
fn a_word_in_a_string_is_no_variable() {
    const CODE: &str = "\
def size(value, form, unit):
    \"\"\"Sizes, it's '''quoted.

    form (str): how
    \"\"\"
    log('form', \"unit\")
    log(f'{value} unit')
    return 1
";
    let mut locals = Locals::default();
    let values = [("value", "1"), ("form", "f"), ("unit", "u"), ("f", "?")];
    locals.update(Some(&session(1, "size", &values)));
    let placed = |code: &str, at, file| {
        let placed = locals.place(&SourceText::new(code), at, comment_mark(file));
        let lines = placed.into_iter().map(|(line, all)| {
            let names = all.into_iter().map(|value| value.name);
            (line, names.collect::<Vec<_>>().join(" "))
        });
        lines.collect::<Vec<_>>()
    };
    assert_eq!(
        placed(CODE, 7, "x.py"),
        [(0, "form unit".into()), (6, "value".into())]
    );
    let lifetimes = "fn size<'a>(value: &'a str, form: &\"unit\") {}";
    assert_eq!(placed(lifetimes, 0, "x.rs"), [(0, "value form".into())]);
    let script = "const form = ['unit', value];";
    assert_eq!(placed(script, 0, "x.js"), [(0, "form value".into())]);
}

#[test]
fn of_a_line_what_has_parts_and_was_named_last_is_meant() {
    const CODE: &str = "\
def checkout(self, cart, rate):
    lines = cart.lines
    total = add(lines, cart, rate)
    self.seen.append(total)
    self.count = 3  # lines
    log('done')
";
    let text = SourceText::new(CODE);
    let mut locals = Locals::default();
    let values = [
        ("self", "[Shop]"),
        ("cart", "[Cart]"),
        ("lines", "[1, 2]"),
        ("rate", "2"),
        ("total", "[9]"),
        ("log", "<function log at 0x7f>"),
    ];
    let meant = |locals: &Locals, line: usize| {
        let meant = locals.meant(&text, line, "#")?;
        Some(match meant {
            Meant::Here(at) => text
                .line(line)
                .get(at..)?
                .chars()
                .take_while(|c| is_word(*c))
                .collect(),
            Meant::Above(name) => format!("above: {name}"),
        })
    };
    assert_eq!(meant(&locals, 2), None);
    locals.update(Some(&session(1, "checkout", &values)));
    let all: Vec<_> = (1..6).map(|line| meant(&locals, line).unwrap()).collect();
    // `total` has no value yet where it is about to get one; a receiver is what is left.
    assert_eq!(all, ["cart", "lines", "total", "count", "above: total"]);
    assert_eq!(meant(&locals, 99), None);
    locals.update(Some(&session(2, "checkout", &[("rate", "2")])));
    // What the line names stands under the cursor, with a value or not.
    assert_eq!(meant(&locals, 3), None);
    assert_eq!(meant(&locals, 5).as_deref(), Some("above: rate"));
}

#[test]
fn code_and_receivers_have_no_value_worth_showing() {
    let mut locals = Locals::default();
    let values = [
        ("total", "<function total at 0x7f>"),
        ("cart", "c"),
        ("self", "[Shop]"),
    ];
    locals.update(Some(&session(1, "checkout", &values)));
    assert_eq!(shown(&locals, 4), [(3, "cart=c".into())]);
}

#[test]
fn what_was_not_looked_into_is_compared_as_the_adapter_wrote_it() {
    let mut locals = Locals::default();
    let mut at = |stop, preview: Option<&str>| {
        let mut session = session(stop, "checkout", &[("total", "[3]")]);
        let frames = session.stop.as_mut().unwrap().frames.get_mut(&7);
        let scope = frames.unwrap().scopes.first_mut().unwrap();
        let total = scope.variables.as_mut().unwrap().first_mut().unwrap();
        total.preview = preview.map(str::to_owned);
        locals.update(Some(&session));
        shown(&locals, 4).swap_remove(0).1
    };
    assert_eq!(at(1, None), "total=[3]");
    assert_eq!(at(2, Some("[1, 2, 3]")), "total=[1, 2, 3]");
    assert_eq!(at(3, Some("[1, 2, 4]")), "total=[1, 2, 4]*");
    assert_eq!(at(4, None), "total=[3]");
}

#[test]
fn another_session_is_not_compared_with() {
    let mut locals = Locals::default();
    locals.update(Some(&session(1, "checkout", &[("total", "4")])));
    let mut other = session(2, "checkout", &[("total", "5")]);
    other.id = SessionId(9);
    locals.update(Some(&other));
    assert_eq!(shown(&locals, 4), [(4, "total=5".into())]);
}

#[test]
fn changes_are_told_between_stops_of_one_function() {
    let mut locals = Locals::default();
    locals.update(Some(&session(
        1,
        "checkout",
        &[("total", "4"), ("cart", "c")],
    )));
    locals.update(Some(&session(
        2,
        "checkout",
        &[("total", "5"), ("cart", "c")],
    )));
    assert_eq!(
        shown(&locals, 4),
        [(3, "cart=c".into()), (4, "total=5*".into())]
    );
    // The same stop again (a repeated event) keeps the marks.
    locals.update(Some(&session(
        2,
        "checkout",
        &[("total", "5"), ("cart", "c")],
    )));
    assert_eq!(shown(&locals, 4)[1].1, "total=5*");
    locals.update(Some(&session(3, "other", &[("total", "9")])));
    assert_eq!(shown(&locals, 1), [(1, "total=9".into())]);
    locals.update(None);
    assert!(locals.is_empty());
}
