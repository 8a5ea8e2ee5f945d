//! What a value shows in one line, of adapters that mean no good: parts that come late, that are themselves once more, that hold
//! escapes. The screen goes on, and says what it does not know.

use crate::support;

use std::fs;

use serde_json::{Value, json};
use support::desk::{Desk, Home};
use support::tools;

/// The screen at the first line of a program whose values are made of their parts. Whatever is asked for, the parts are these.
fn at_first_line(options: &[&str], parts: Option<&Value>) -> Desk {
    let home = Home::new();
    let folder = home.path().join("config/omp-debug");
    fs::create_dir_all(&folder).unwrap();
    let mut options: Vec<String> = options.iter().map(|&word| word.to_owned()).collect();
    options.push("--endless".to_owned());
    if let Some(parts) = parts {
        let file = home.path().join("parts.json");
        fs::write(&file, json!({ "variables": parts }).to_string()).unwrap();
        options.extend([
            "--answer".to_owned(),
            format!("variables={}", file.display()),
        ]);
    }
    let adapter = json!({"command": tools::fake_adapter(), "args": options, "connectMode": "stdio",
        "fileTypes": [".fake"], "personality": {"previews": true}});
    let known = json!({"adapters": {"fake": adapter}});
    fs::write(folder.join("dap.json"), known.to_string()).unwrap();
    let program = home.path().join("program.fake");
    fs::write(&program, "one()\ntwo()\nthree()\n").unwrap();
    let words = args!["--adapter", "fake", "--stop-on-entry", program];
    let desk = Desk::at(home, |builder| builder.args(words));
    desk.wait_at("program.fake", 1);
    desk
}

/// It steps: nothing waits for what hangs.
fn goes_on(desk: Desk) {
    desk.pty.key("F10");
    desk.wait_at("program.fake", 2);
    desk.leave_live("e");
}

#[test]
fn a_value_that_is_a_part_of_itself_ends_in_dots() {
    let parts = json!([
        {"name": "me", "value": "", "type": "v::Me", "variablesReference": 1},
        {"name": "x", "value": "1", "type": "int", "variablesReference": 0},
    ]);
    let desk = at_first_line(&[], Some(&parts));
    desk.wait_value("Scopes", "me", "Me {me: Me {me: Me {me: Me {…}, x: 1}");
    goes_on(desk);
}

#[test]
fn wrappers_without_end_are_not_followed() {
    let parts =
        json!([{"name": "value", "value": "0x1000", "type": "Node *", "variablesReference": 1}]);
    let desk = at_first_line(&[], Some(&parts));
    desk.wait_value("Scopes", "value", "0x1000 → 0x1000 → ");
    goes_on(desk);
}

#[test]
fn parts_that_come_late_are_dots() {
    let desk = at_first_line(&["--slow", "variables=600"], None);
    desk.wait_value("Scopes", "order", "dict {…}");
    goes_on(desk);
}

#[test]
fn escapes_in_parts_do_not_reach_the_terminal() {
    let parts = json!([
        {"name": "a\u{1b}[31mb", "value": "\"\u{1b}]0;stolen\u{7}\"", "type": "str", "variablesReference": 0},
        {"name": "order", "value": "", "type": "Order\u{1b}[2J", "variablesReference": 9},
    ]);
    let desk = at_first_line(&[], Some(&parts));
    let screen = desk.wait_value("Scopes", "order", "Order");
    assert!(screen.contains("stolen"), "as text: {}", screen.text());
    let titles = desk.pty.titles();
    assert!(titles.iter().all(|t| !t.contains("stolen")), "{titles:?}");
    goes_on(desk);
}
