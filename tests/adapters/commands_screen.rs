//! Commands on a screen: what F5 and Alt-F5 do after the end, what stays switched off, and what is shown before it runs.

use crate::support;

use std::fs;

use support::desk::{Desk, Home};
use support::tools;

/// A desk in the folder `work` of a new home that has these files.
fn desk(files: &[(&str, &str)], command: &[&str]) -> Desk {
    let home = Home::new();
    let work = home.path().join("work");
    for (name, text) in files {
        let file = work.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    Desk::at(home, |builder| {
        builder
            .cwd(work)
            .env("XDG_DATA_HOME", tools::test_home().join("share"))
            .args(command)
    })
}

#[test]
fn after_the_end_a_command_runs_again_and_the_test_at_the_cursor_alone() {
    require!(debugpy);
    let files = [(
        "unit/test_shop.py",
        "import unittest\n\nclass Shop(unittest.TestCase):\n    def test_adds(self):\n        print('adds', flush=True)\n        self.assertEqual(1, 2)\n\n\
         class Zoo(unittest.TestCase):\n    def test_adds(self):\n        print('zoo', flush=True)\n",
    )];
    let command = ["python3", "-m", "unittest", "discover", "-s", "unit"];
    let desk = desk(&files, &command);
    let ran = |what: &str| {
        desk.pty.wait_until(what, |s| {
            s.row(0).contains("ended: exit code 1") && s.contains(what)
        })
    };
    let screen = desk.wait_at("test_shop.py", 6);
    assert!(!screen.contains("Current frame"), "{}", screen.text());
    desk.pty.key("F5");
    ran("Ran 2 tests");
    desk.pty.key("F5");
    desk.wait_at("test_shop.py", 6);
    desk.pty.key("F5");
    ran("Ran 2 tests");
    desk.pty.key("M-F5");
    desk.wait_at("test_shop.py", 6);
    desk.pty.key("F5");
    ran("Ran 1 test");
    // What is run again is what was run last.
    desk.pty.key("F5");
    desk.wait_at("test_shop.py", 6);
    desk.pty.key("F5");
    ran("Ran 1 test");
    desk.leave();
}

#[test]
fn where_tests_fail_stays_switched_off_when_they_run_again() {
    require!(js_debug);
    let files = [(
        "shop.test.js",
        "const test = require('node:test');\nconst assert = require('node:assert');\ntest('adds', () => {\n  assert.strictEqual(1, 2);\n});\n",
    )];
    let desk = desk(&files, &["node", "--test"]);
    desk.wait_at("shop.test.js", 4);
    // What was raised is told, Node's own frames are folded.
    let told = desk.wait_header("exception: AssertionError");
    assert!(
        told.row(0).contains("Expected values to be"),
        "{}",
        told.text()
    );
    desk.pty.wait_for("library frames");
    desk.pty.key("W").wait_for("1 !== 2");
    let told = desk.pty.screen();
    assert!(!told.contains("Paused on"), "{}", told.text());
    desk.pty.key("Esc").wait_gone("1 !== 2");
    desk.pty.key("C-e").wait_for("[x] Caught Exceptions");
    desk.pty.key("Space").wait_for("[ ] Caught Exceptions");
    desk.pty.key("R");
    let ended = || desk.wait_header("ended: exit code 1");
    ended();
    desk.pty.key("C-e").wait_for("[ ] Caught Exceptions");
    // Switched on it is as it was.
    desk.pty.key("Space").wait_for("[x] Caught Exceptions");
    desk.pty.key("R");
    desk.wait_at("shop.test.js", 4);
    desk.pty.key("F5");
    ended();
    desk.leave();
}

#[test]
fn a_script_of_the_list_is_shown_before_it_runs() {
    require!(js_debug);
    let files = [
        (
            "package.json",
            "{\"scripts\": {\"app\": \"node app.js\", \"preapp\": \"touch early\"}}",
        ),
        ("app.js", "require('fs').writeFileSync('ran', '');\n"),
    ];
    let desk = desk(&files, &["."]);
    let work = desk.home.path().join("work");
    desk.pty.wait_for("npm run app");
    let choose = || {
        desk.pty.type_text("run app").wait_for("› run app");
        desk.pty.key("Enter").wait_for("would start:");
        desk.pty.wait_for("app: sh -c \"node app.js\"");
        desk.pty.wait_for("preapp: sh -c \"touch early\"");
    };
    choose();
    desk.pty.decline().wait_gone("would start:");
    assert!(!work.join("early").exists());
    // The session may be called as the row is.
    desk.pty.key("M-l").wait_for("Run or test");
    desk.pty.wait_for("npm run app");
    choose();
    desk.pty.agree();
    desk.wait_header("ended");
    assert!(work.join("early").exists() && work.join("ran").exists());
    // What was trusted is not asked about again.
    fs::remove_file(work.join("ran")).unwrap();
    // The session may be called as the row is.
    desk.pty.key("M-l").wait_for("Run or test");
    desk.pty.wait_for("npm run app");
    desk.pty.type_text("run app").wait_for("› run app");
    desk.pty.key("Enter");
    desk.pty
        .wait_until("it ran again", |_| work.join("ran").exists());
    desk.wait_header("ended");
    desk.leave();
}

#[test]
fn a_source_that_tests_cannot_load_is_listed_at_their_stop() {
    require!(debugpy);
    if tools::required("pytest", tools::find(&["pytest"])).is_none() {
        return;
    }
    let files = [
        ("pkg/__init__.py", "from .inner import *\n"),
        (
            "pkg/inner.py",
            "def a():\n    return 1\n\ndef b()\n    pass\n",
        ),
        ("test_a.py", "import pkg\n\ndef test_a():\n    pass\n"),
    ];
    let desk = desk(&files, &["pytest", "-q"]);
    desk.wait_header("SyntaxError: expected ':'");
    let list = "─ What the compiler says ";
    assert!(desk.pty.wait_for(list).contains("inner.py:4"));
    desk.pty.key("Enter").wait_gone(list);
    desk.pty.wait_for("inner.py ──");
    desk.pty.key("M-c").wait_for(list);
    desk.pty.key("Esc").wait_gone(list);
    desk.leave_live("Enter");
}
