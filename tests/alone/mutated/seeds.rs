//! Files as they should be, small: of each kind one or more.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;

use super::unpacked;
use crate::support::omp_home::{self, Size};

fn files_of(folder: &str, ending: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let all = fs::read_dir(folder).unwrap().flatten();
    let mut wanted: Vec<PathBuf> = all
        .map(|entry| entry.path())
        .filter(|path| path.to_string_lossy().ends_with(ending))
        .collect();
    wanted.sort();
    wanted
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

const FIREFOX: &str = r#"{"meta":{"version":24,"interval":1,"processType":0,"product":"p","preprocessedProfileVersion":47},"libs":[],"threads":[{"name":"main","pid":"1","tid":1,"stringArray":["main","work","here.c"],"stackTable":{"frame":[0,1],"prefix":[null,0],"category":[0,0],"subcategory":[0,0],"length":2},"frameTable":{"func":[0,1],"address":[-1,-1],"line":[1,2],"category":[0,0],"length":2},"funcTable":{"name":[0,1],"fileName":[2,2],"resource":[-1,-1],"lineNumber":[1,2],"isJS":[false,false],"length":2},"samples":{"stack":[0,1,1],"time":[0,1,2],"weight":[1,2,3],"weightType":"samples","length":3}}]}"#;

/// Profiles of every kind, packed ones as they are and unpacked.
pub fn profiles() -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for path in files_of("tests/profiles", "") {
        all.push(fs::read(&path).unwrap());
        if path.extension().is_some_and(|ending| ending == "gz") {
            all.push(unpacked(&path));
        }
    }
    all.push(FIREFOX.into());
    all
}

/// Heap files of every kind.
pub fn heaps() -> Vec<Vec<u8>> {
    let v8 = r#"{"snapshot":{"meta":{"node_fields":["type","name","id","self_size","edge_count","trace_node_id","detachedness"],"node_types":[["hidden","array","string","object","code","closure","regexp","number","native","synthetic","concatenated string"],"string","number","number","number","number","number"],"edge_fields":["type","name_or_index","to_node"],"edge_types":[["context","element","property","internal","hidden","shortcut","weak"],"string_or_number","node"]},"node_count":4,"edge_count":4,"trace_function_count":0},
"nodes":[9,0,1,0,2,0,0,3,2,3,10,1,0,0,3,3,5,20,1,0,0,2,4,7,100,0,0,0],
"edges":[2,1,7,2,1,14,2,1,21,6,1,21],"trace_function_infos":[],"trace_tree":[[]],"samples":[],"locations":[1,2,3],
"strings":["","p","List","Link","text"]}"#;
    vec![v8.into()]
}

/// Conversations with real adapters, a line each message.
pub fn conversations() -> Vec<Vec<u8>> {
    let files = files_of("tests/golden", ".rec");
    files.iter().map(|path| unpacked(path)).collect()
}

/// The same as they are kept, packed too.
pub fn recordings() -> Vec<Vec<u8>> {
    let mut all = conversations();
    let whole = packed(&all[0]);
    all.push(whole);
    all
}

const LOG: &str = "{\"timestamp\":\"2026-11-20T10:00:00.000Z\",\"level\":\"info\",\"pid\":71,\"message\":\"begun\",\"n\":{\"a\":[1,2]}}\n{\"timestamp\":\"2026-11-20T10:00:01.500Z\",\"level\":\"error\",\"pid\":71,\"message\":\"it failed\",\"error\":{\"stack\":\"Error: x\\n    at f (a.js:1:2)\"}}\n    at more (b.js:3:4)\n{\"time\":1763632802,\"level\":50,\"pid\":72,\"msg\":\"another writer\"}\n";
const WORDS: &str = "2026-11-20 10:00:00,123 INFO  main - begun\n2026-11-20T10:00:01Z WARN low on memory\nNov 20 10:00:02 host app[71]: said\n[10:00:03] ERROR: e\n10.0.0.1 - - [20/Nov/2026:10:00:04 +0000] \"GET / HTTP/1.1\" 200 12\n";

/// Lines of logs, of ours and of others, packed ones too.
pub fn logs() -> Vec<Vec<u8>> {
    vec![LOG.into(), WORDS.into(), packed(LOG.as_bytes())]
}

/// Streams of three providers, and recordings of such.
pub fn streams() -> Vec<Vec<u8>> {
    let anthropic = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"role\":\"assistant\",\"usage\":{\"input_tokens\":9,\"output_tokens\":1}}}\n\nevent: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\",\"input\":{}}}\n\nevent: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"a\\\":1}\"}}\n\nevent: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\nevent: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},\"usage\":{\"output_tokens\":12}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";
    let openai = ": comment\nid: 7\nretry: 100\ndata: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"Hel\"}}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"x\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":{\"total_tokens\":3}}\n\ndata: [DONE]\n\n";
    let har = r#"{"log":{"version":"1.2","entries":[{"startedDateTime":"2026-11-20T10:00:00.000Z","time":12.5,"request":{"method":"POST","url":"https://api.example/v1","headers":[{"name":"authorization","value":"Bearer x"}]},"response":{"status":200,"headers":[{"name":"content-type","value":"text/event-stream"}],"content":{"size":20,"mimeType":"text/event-stream","text":"data: {\"a\":1}\n\ndata: [DONE]\n\n"}}}]}}"#;
    let capture = "{\"type\":\"response\",\"response\":1,\"time\":1,\"method\":\"POST\",\"url\":\"http://h/\",\"status\":200}\n{\"type\":\"event\",\"response\":1,\"time\":2,\"event\":\"m\",\"data\":\"{\\\"a\\\":1}\",\"bytes\":9}\n{\"type\":\"end\",\"response\":1,\"time\":3}\n";
    [anthropic, openai, har, capture].map(Into::into).into()
}

/// Sessions as omp writes them.
pub fn sessions() -> Vec<Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    let home = omp_home::write(folder.path(), Size::default());
    let files = home.sessions.iter().take(3);
    files.map(|path| fs::read(path).unwrap()).collect()
}

/// Archives of reports.
pub fn bundles() -> Vec<Vec<u8>> {
    let mut archive = tar::Builder::new(Vec::new());
    let manifest = r#"{"format":"omp-debug-report-1","members":[{"name":"logs.txt","bytes":6,"sha256":"00","secrets_replaced":0}]}"#;
    let long = "deep/".repeat(40) + "name.txt";
    for (name, text) in [
        ("manifest.json", manifest),
        ("logs.txt", "words\n"),
        (&long, "x"),
    ] {
        let mut head = tar::Header::new_gnu();
        head.set_size(text.len() as u64);
        head.set_mode(0o600);
        archive
            .append_data(&mut head, name, text.as_bytes())
            .unwrap();
    }
    let plain = archive.into_inner().unwrap();
    vec![packed(&plain), plain]
}

/// Configurations with all that may be in them.
pub const LAUNCH: &str = r#"{
    // comments
    "version": "0.2.0",
    "configurations": [
        { "name": "one", "type": "debugpy", "request": "launch", "program": "${workspaceFolder}/${input:file}", "args": ["${env:HOME}", "${file}"],
          "env": { "A": "1", "B": null }, "envFile": "${workspaceFolder}/.env", "console": "integratedTerminal", "preLaunchTask": "build", "linux": { "stopOnEntry": true } },
        { "name": "two", "type": "cppdbg", "request": "attach", "processId": "${command:pickProcess}", "MIMode": "gdb", "sourceFileMap": { "/a": "/b" }, },
        { "name": "three", "type": "node", "request": "attach", "port": 9229, "address": "localhost", "presentation": { "hidden": false, "group": "g", "order": 1 } },
    ],
    "compounds": [{ "name": "all", "configurations": ["one", { "name": "three", "folder": "x" }], "preLaunchTask": "build", "stopAll": true }],
    "inputs": [
        { "id": "file", "type": "promptString", "description": "Which", "default": "a.py", "password": true },
        { "id": "pick", "type": "pickString", "options": ["a", { "label": "b", "value": "c" }], "default": "a" }
    ]
}"#;

/// Tasks that hang on each other.
pub const TASKS: &str = r#"{
    "version": "2.0.0",
    "tasks": [
        { "label": "build", "type": "shell", "command": "make", "args": ["-j", { "value": "2", "quoting": "strong" }], "dependsOn": ["first", "second"], "dependsOrder": "sequence",
          "options": { "cwd": "${workspaceFolder}", "env": { "A": "b" }, "shell": { "executable": "bash", "args": ["-c"] } }, "problemMatcher": [] },
        { "label": "first", "type": "process", "command": "true", "isBackground": true },
        { "label": "second", "type": "shell", "command": "true", "windows": { "command": "x" }, "dependsOn": "first" },
    ]
}"#;

/// A person's own adapters.
pub const DAP: &str = r#"{
    "adapters": { "mine": { "command": "/bin/false", "args": ["--x"], "languages": ["c"], "fileTypes": [".c"], "rootMarkers": ["Makefile"], "connectMode": "socket",
        "env": { "A": "b" }, "launchDefaults": { "stopOnEntry": true }, "attachDefaults": {} },
      "gdb": { "disabled": true } },
    "idleTimeoutMs": 60000
}"#;

/// Settings that the sample has as comments only.
pub const KEYS: &str = "theme = \"light\"\n[keys]\n\"debug.continue\" = [\"F5\", \"Ctrl-Alt-x\"]\n\"home.debug\" = \"g g\"\n";
