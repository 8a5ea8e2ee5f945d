//! A session of a real adapter in an editor that looks on, while calls drive it.

use std::io::{BufRead as _, BufReader};
use std::net::TcpStream;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::{Value, json};

use super::Place;
use crate::support::client::Client;
use crate::support::desk::FAREWELL;
use crate::support::{line_of, procs, tools};

#[test]
fn an_editor_shows_where_calls_drive_a_python_program() {
    require!(debugpy);
    let place = Place::new();
    let program = tools::python_program();
    let line = line_of(&program, "loop");
    let host = place.serve(&[]);
    let file = format!("file={}", program.display());
    place.done(&["set_breakpoint", &file, &format!("line={line}")]);
    let target = format!("program={}", program.display());
    let launched = place.done(&["launch", &target, "adapter=debugpy", "args=stock"]);
    assert_eq!(launched["snapshot"]["line"], line, "{launched:#}");

    let mut mirror = place
        .command(&["mirror"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = String::new();
    let mut out = BufReader::new(mirror.stdout.take().unwrap());
    out.read_line(&mut said).unwrap();
    let said: Value = serde_json::from_str(&said).unwrap();
    let port = said["port"].as_u64().unwrap().try_into().unwrap();
    let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(30)))
        .unwrap();
    let mut editor = Client::new(stream.try_clone().unwrap(), stream);
    editor.ask("initialize", &json!({"adapterID": "any"}));
    editor.ask("attach", &json!({"token": said["token"]}));
    editor.event("initialized");
    editor.ask("configurationDone", &Value::Null);

    let mut look = |reason: &str, line: u64| {
        let stopped = editor.event("stopped");
        assert_eq!(stopped["reason"], reason, "{stopped}");
        let thread = json!({"threadId": stopped["threadId"], "levels": 20});
        let stack = editor.ask("stackTrace", &thread);
        let frame = &stack["stackFrames"][0];
        assert_eq!(frame["line"], line, "{stack:#}");
        assert_eq!(frame["source"]["path"], json!(program), "{stack:#}");
        let scopes = editor.ask("scopes", &json!({"frameId": frame["id"]}));
        let locals = json!({"variablesReference": scopes["scopes"][0]["variablesReference"]});
        let variables = editor.ask("variables", &locals);
        assert!(variables.to_string().contains("\"total\""), "{variables:#}");
        let continues = editor.refused("continue", &thread);
        assert!(continues.contains("drive it there"), "{continues}");
    };
    look("breakpoint", line.into());
    let stepped = place.done(&["step_over"]);
    let line = stepped["snapshot"]["line"].as_u64().unwrap();
    look("step", line);
    host.end(Signal::TERM, 128 + 15);
    editor.event("terminated");
    assert!(
        procs::wait_exit(mirror.id(), FAREWELL),
        "the mirror lives on"
    );
    assert_eq!(mirror.wait().unwrap().code(), Some(0));
    place.mark.assert_none_left(FAREWELL);
}
