//! Values as data on a terminal: a table that is sorted, filtered, summed up, plotted and saved; a text that is unfolded.

use crate::support;

use support::desk::{Desk, pane};
use support::{line_of, program_source};

/// Opens an expression as data, by way of the watches.
fn look_at(desk: &Desk, expression: &str) {
    desk.pty.keys(&["4", "a"]).wait_for("Watch an expression");
    desk.pty.type_text(expression).key("Enter");
    desk.pty.wait_gone("Watch an expression");
    desk.pty.wait_until("the watch and its value", |s| {
        let rows = pane(s, "Watches");
        rows.iter()
            .any(|row| row.contains(&format!(" {expression} ")))
    });
    desk.pty.keys(&["End", "v"]);
}

/// The text of a row that begins with these words, blanks made one.
fn has(screen: &support::pty::Screen, words: &str) -> bool {
    let text = screen.text();
    let squeezed = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    text.lines().any(|line| squeezed(line).contains(words))
}

#[test]
fn a_list_of_records_is_a_table() {
    require!(debugpy);
    let source = program_source("data.py");
    let line = line_of(&source, "stop");
    let at = format!("{}:{line}", source.display());
    let desk = Desk::open(args![
        "--adapter",
        "debugpy",
        "-b",
        at,
        &source,
        "--",
        "plain"
    ]);
    desk.wait_header("stopped");
    look_at(&desk, "orders");
    desk.pty.wait_until("the first rows", |s| {
        has(s, "7 7 cust7 10.5") && s.contains("row 1 of 120")
    });
    desk.pty.keys(&["Right", "Right", "s", "s"]);
    desk.pty.wait_until("the largest price first", |s| {
        has(s, "119 119 cust119 178.5") && s.contains("▼")
    });
    desk.pty
        .key("/")
        .type_text("price < 10 and id > 2")
        .key("Enter");
    desk.pty.wait_until("the rows that are wanted", |s| {
        s.contains("row 1 of 4, 116 hidden") && has(s, "6 6 cust6 9")
    });
    desk.pty.key("Tab");
    desk.pty.wait_until("the columns", |s| {
        has(s, "price float 4 0 4 4.5 9 6.75") && s.contains("of the rows with price < 10")
    });
    desk.pty.key("Tab");
    desk.pty.wait_for("price: 4 values");
    desk.pty.key("b");
    desk.pty.wait_for("in 40 parts");
    desk.pty.key("Tab").wait_for("116 hidden");
    desk.pty.key("w").wait_for("Save what is seen as");
    let file = desk.home.path().join("orders.csv");
    desk.pty.paste(file.to_str().unwrap()).key("Enter");
    desk.pty.wait_for("Saved as");
    let saved = std::fs::read_to_string(&file).unwrap();
    assert_eq!(
        saved,
        ",id,customer,price\r\n6,6,cust6,9.0\r\n5,5,cust5,7.5\r\n4,4,cust4,6.0\r\n3,3,cust3,4.5\r\n"
    );
    // Away from the filter first.
    desk.pty.key("Esc").wait_for("row 1 of 120");
    desk.pty.key("Esc").wait_gone("row 1 of 120");
    look_at(&desk, "'ab' * 75_000");
    desk.pty.wait_for("100,100 of 150,000 characters");
    desk.pty.key("w").wait_for("Save what is seen as");
    let file = desk.home.path().join("long.txt");
    desk.pty.paste(file.to_str().unwrap()).key("Enter");
    desk.pty.wait_for("long.txt.");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "ab".repeat(75_000));
    desk.pty.key("Esc").wait_gone("characters");
    look_at(&desk, "text");
    desk.pty.wait_for("u unfolds what is in it");
    desk.pty.key("u");
    desk.pty.wait_for("    1,");
    desk.pty.key("Esc").wait_gone("    1,");
    desk.leave_live("Enter");
}

#[test]
fn a_value_is_compared_with_the_stop_before_and_the_caller() {
    require!(debugpy);
    let source = program_source("beside.py");
    let at = format!("{}:{}", source.display(), line_of(&source, "stop"));
    let desk = Desk::open(args!["--adapter", "debugpy", "-b", at, &source]);
    desk.wait_header("stopped");
    desk.pty.wait_until("the locals", |s| has(s, "▸ rows [{"));
    desk.pty.keys(&["3", "Down", "v"]);
    desk.pty.wait_until("the first rows", |s| has(s, "4 4 6"));
    desk.pty.key("Esc").wait_gone("column 1 of 2");
    desk.pty.key("F5");
    desk.pty
        .wait_until("the next stop", |s| has(s, "total * 2"));
    // On the value itself, in its scope.
    desk.pty.key("C");
    desk.pty.wait_until("what there is", |s| {
        has(s, "stop 1 beside.py") && has(s, "frame 1 main")
    });
    desk.pty.key("Enter");
    desk.pty.wait_until("what differs", |s| {
        s.contains("3 of 6 rows differ from stop 1 (look).") && has(s, "~ 2 1 1.5 → 99")
    });
    desk.pty.keys(&["Home", "n"]).wait_for("row 3 of 6");
    desk.pty.key("n").wait_for("row 5 of 6");
    desk.pty.key("N").wait_for("row 3 of 6");
    desk.pty.key("d").wait_for("another expression…");
    desk.pty.type_text("frame 1").key("Enter");
    desk.pty.wait_for("0 of 5 rows differ from main.");
    // From what it is compared with to the value, from there to the panes.
    // Both have columns, and two Esc at once are Alt-Esc.
    desk.pty.key("Esc").wait_gone("rows differ from main.");
    desk.pty.wait_for("column 1 of 2");
    desk.pty.key("Esc").wait_gone("column 1 of 2");
    desk.leave_live("Enter");
}

#[test]
fn at_a_fresh_stop_a_variable_of_the_line_is_meant() {
    require!(debugpy);
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("check.py");
    let text = "\
def check(rows, rate):
    assert_equal(len(rows), rate)
    rate += 1
    print('checked')


def assert_equal(left, right):
    assert left == right


check([{'a': 1}, {'a': 5}], 2)
";
    std::fs::write(&program, text).unwrap();
    let at = format!("{}:2", program.display());
    let desk = Desk::open(args!["--adapter", "debugpy", "-b", at, &program]);
    desk.wait_header("stopped");
    // Neither `assert_equal` nor `len`, and the cursor is there.
    desk.pty.wait_for(" 2:22 of ");
    desk.pty.key("v");
    desk.pty
        .wait_until("its rows", |s| s.contains("─ `rows` ") && has(s, "1 5"));
    // What matters most has room in a small terminal.
    desk.pty.resize(80, 24);
    desk.pty.wait_for("Tab next view  C compare");
    desk.pty.key("Esc").wait_gone("─ `rows` ");
    desk.pty.resize(160, 50);
    // A line that names nothing of the function: what was named last above.
    desk.pty.key("F10");
    desk.wait_at("check.py", 3);
    desk.pty.key("F10");
    desk.wait_at("check.py", 4);
    desk.wait_value("Scopes", "rate", "3");
    desk.pty.key("v").wait_for("─ `rows` ");
    desk.pty.key("Esc").wait_gone("─ `rows` ");
    desk.leave_live("e");
}
