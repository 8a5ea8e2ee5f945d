//! One session and two minds: a person at the screen and an agent at the socket, who asks, is answered, drives, and has to let go.

use crate::support;

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};
use support::desk::{Desk, pane};
use support::tools;
use tempfile::TempDir;

const PROGRAM: &str = "\
def total(prices):
    result = 0
    for price in prices:
        result += price
    return result

print(total([3, 4, 5]))
";

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_mins(1);

/// A model's client, as far as a host sees it.
struct Agent {
    lines: BufReader<UnixStream>,
    stream: UnixStream,
    asked: u64,
}

impl Agent {
    fn join(desk: &Desk, name: &str) -> Self {
        let run = desk.home.path().join("state/omp-debug/run");
        let socket = run.join(format!("{}.sock", desk.pty.pid()));
        let stream =
            UnixStream::connect(&socket).unwrap_or_else(|e| panic!("{}: {e}", socket.display()));
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let lines = BufReader::new(stream.try_clone().unwrap());
        let mut agent = Self {
            lines,
            stream,
            asked: 0,
        };
        let host = agent.next();
        let protocol = &host["hello"]["protocol"];
        agent.say(&json!({"hello": {
            "protocol": protocol, "actor": {"kind": "agent", "name": name},
        }}));
        agent
    }

    fn say(&mut self, line: &Value) {
        writeln!(self.stream, "{line}").unwrap();
    }

    fn next(&mut self) -> Value {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|e| panic!("{line:?}: {e}"))
    }

    /// Asks for something; the answer is waited for elsewhere.
    fn ask(&mut self, mut what: Value) -> u64 {
        self.asked += 1;
        what["id"] = self.asked.into();
        self.say(&what);
        self.asked
    }

    fn call(&mut self, action: &str, arguments: &Value) -> u64 {
        self.ask(json!({"call": {"action": action, "arguments": arguments}}))
    }

    fn answer(&mut self, id: u64) -> Value {
        loop {
            let line = self.next();
            if line["id"] == id {
                return line;
            }
        }
    }
}

/// A program that stands at its breakpoint.
fn stopped() -> (TempDir, Desk) {
    let folder = tempfile::tempdir().unwrap();
    let program: PathBuf = folder.path().join("shop.py");
    fs::write(&program, PROGRAM).unwrap();
    let place = format!("{}:4", program.display());
    let desk = Desk::open(args!["-b", &place, &program]);
    desk.wait_at("shop.py", 4);
    desk.wait_value("Scopes", "result", "0");
    (folder, desk)
}

#[test]
fn a_person_and_an_agent_share_a_session() {
    if tools::required("debugpy", tools::debugpy()).is_none() {
        return;
    }
    let (_folder, desk) = stopped();
    assert!(!desk.pty.screen().row(0).contains("agent"));
    let mut agent = Agent::join(&desk, "claude-code 2.1");
    desk.wait_header("1 agent watches · ask");

    // It looks, and nobody is asked.
    let look = agent.call("stack_trace", &json!({}));
    let seen = agent.answer(look);
    assert!(seen.to_string().contains("shop.py"), "{seen}");
    assert!(!desk.pty.screen().contains("asks:"));

    // It wants to run code. What the person types meanwhile goes where it went.
    desk.pty.key("7").type_text("pri");
    let evaluation = agent.call("evaluate", &json!({"expression": "result + 100"}));
    desk.pty.wait_for("claude-code 2.1 asks: evaluate");
    desk.pty.type_text("ces");
    desk.pty.wait_until("what was typed", |screen| {
        pane(screen, "Console")
            .iter()
            .any(|row| row.contains("prices"))
    });
    let card = desk.pty.key("F3").wait_for("o once");
    assert!(
        card.contains("result + 100") && card.contains("shop.py:4"),
        "{}",
        card.text()
    );
    desk.pty.key("e").wait_for("Allow instead");
    desk.pty.key("C-u").type_text("result + 1000").key("Enter");
    let told = agent.answer(evaluation).to_string();
    assert!(told.contains("1000") && !told.contains("error"), "{told}");
    desk.pty.wait_gone("asks: evaluate");
    desk.pty.key("C-u").key("Esc");

    // It asks for control, gets it, and steps.
    let control = agent.ask(json!({"command": {
        "request_control": {"reason": "to see what comes next"},
    }}));
    let card = desk.pty.wait_for("asks: request control");
    assert!(card.contains("to see what comes next"), "{}", card.text());
    desk.pty.key("F3").wait_for("o once");
    desk.pty.key("o");
    assert_eq!(agent.answer(control)["error"], Value::Null);
    desk.wait_header("claude-code drives");
    let step = agent.call("step_over", &json!({}));
    let stepped = agent.answer(step);
    assert_eq!(stepped["error"], Value::Null, "{stepped}");
    desk.wait_header("claude-code drives: stepped");
    desk.wait_at("shop.py", 3);

    // One key takes it back, and what the agent knew is no longer so.
    desk.pty.wait_for("F2 take control");
    desk.pty
        .key("F2")
        .wait_for("You drive now; claude-code 2.1 no longer does.");
    desk.wait_header("stepped by claude-code");
    let refused = agent.call("step_over", &json!({}));
    let refused = agent.answer(refused).to_string();
    assert!(refused.contains("not_driver"), "{refused}");
    // What it asks to be done where the program stood before is refused, whoever drives.
    desk.pty.key("F10");
    desk.wait_at("shop.py", 4);
    let stale = agent.ask(json!({
        "call": {"action": "evaluate", "arguments": {"expression": "prices.clear()"},
                 "expected_stop": 1},
    }));
    let stale = agent.answer(stale).to_string();
    assert!(stale.contains("stale_stop"), "{stale}");

    // The audit has all of it.
    desk.pty.key("U");
    desk.pty.wait_until("the audit", |screen| {
        let rows = pane(screen, "Audit");
        let has = |action: &str, decision: &str| {
            let wanted = |row: &&String| row.contains(action) && row.contains(decision);
            rows.iter().any(|row| wanted(&row))
        };
        has("evaluate", "asked")
            && has("evaluate", "edited")
            && has("request control", "approved")
            && has("step over", "allowed")
            && has("control", "driver")
    });
    drop(agent);
    desk.pty
        .wait_until("nobody else", |screen| !screen.row(0).contains("agent"));
    desk.leave_live("Enter");
}

/// A screen that has joined sees what the host's sees, and a person there answers as well.
#[test]
fn a_screen_that_joined_sees_the_same_and_answers() {
    if tools::required("debugpy", tools::debugpy()).is_none() {
        return;
    }
    let (_folder, host) = stopped();
    let joined = Desk::at(host.home.clone(), |builder| builder.args(["--join"]));
    joined.wait_at("shop.py", 4);
    assert!(!joined.pty.screen().row(0).contains("agent"));
    let mut agent = Agent::join(&host, "codex 1.0");
    let evaluation = agent.call("evaluate", &json!({"expression": "result + 7"}));
    for desk in [&host, &joined] {
        desk.wait_header("1 agent watches · ask");
        desk.pty.wait_for("codex 1.0 asks: evaluate");
    }
    // The host's card is open while the other screen refuses: it takes no answer any more, and no key of it is another's.
    host.pty.key("F3").wait_for("o once");
    joined.pty.key("F3").wait_for("o once");
    joined.pty.key("d").wait_for("Refuse, because");
    joined
        .pty
        .type_text("not now")
        .key("Enter")
        .wait_gone("asks: evaluate");
    let refused = agent.answer(evaluation).to_string();
    assert!(refused.contains("not now"), "{refused}");
    host.pty.wait_for("It no longer waits: denied.");
    host.pty.key("s").wait_for("It is settled.");
    host.pty.key("Esc").wait_gone("asks: evaluate");
    host.wait_at("shop.py", 4);
    for desk in [&host, &joined] {
        desk.pty.key("U").wait_until("the audit", |screen| {
            let rows = pane(screen, "Audit");
            rows.iter().any(|row| row.contains("denied"))
        });
        desk.pty
            .key("Enter")
            .wait_for("a person refused it: not now");
        desk.pty.key("Esc").wait_gone("Audit entry");
    }
    // Control is taken at the screen that joined, and each says whose it is.
    let control = agent.ask(json!({"command": {"request_control": {"reason": "to step"}}}));
    joined.pty.wait_for("asks: request control");
    joined.pty.key("F3").wait_for("o once");
    joined.pty.key("o");
    assert_eq!(agent.answer(control)["error"], Value::Null);
    for desk in [&host, &joined] {
        desk.wait_header("codex drives");
    }
    joined
        .pty
        .key("F2")
        .wait_for("You drive now; codex 1.0 no longer does.");
    host.pty
        .wait_for("Another screen drives now; codex 1.0 no longer does.");
    drop(agent);
    joined.leave_live("Enter");
    host.leave_live("Enter");
}
