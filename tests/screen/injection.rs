//! Sequences that drive a terminal, in every text that comes from outside: none of them reaches it.
//!
//! Each sink is shown all sequences in one run. Afterwards the terminal has answered nothing that it was not asked by us at the
//! start, its title is ours, its clipboard holds what a key asked for, and the wire carries no other kind of sequence than ours.
// suite: T7 asked 1440 present 1440

use crate::support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use base64::Engine as _;
use serde_json::{Value, json};
use support::desk::{Desk, Home};
use support::omp_home::{self, Size};
use support::procs::Mark;
use support::pty::{Builder, Pty};
use support::tools;

/// What a control sequence may end in, with what stands before it.
const CONTROLS: [&str; 60] = [
    // Questions, which a terminal answers as if somebody typed.
    "c", ">c", "=c", "5n", "6n", "?6n", "?15n", "?25n", "?26n", "?53n", "?996n", "x", "1$w", "2$w",
    "?1049$p", "?2026$p", "4$p", ">q", "?u", "11t", "13t", "14t", "16t", "18t", "19t", "20t",
    "21t", // Modes and states.
    "?1049h", "?1049l", "?1000h", "?1003h", "?1006h", "?2004l", "?25l", "?5h", "?7l", "?47h",
    "?69h", "4h", "20h", ">1u", "=3;1u", ">4;2m", "!p", "2\"q", "5;10r", "1;5s", "?1h",
    // Erasing and moving.
    "2J", "3J", "2K", "1;1H", "99A", "99B", "99D", "5S", "5T", "5L", "5M", "8;1;1t",
];
/// Operating system commands.
const COMMANDS: [&str; 22] = [
    "0;owned",
    "1;owned",
    "2;owned",
    "4;1;?",
    "7;file:///owned",
    "8;;http://owned.example",
    "9;owned",
    "10;?",
    "11;?",
    "12;?",
    "17;?",
    "50;?",
    "52;c;b3duZWQ=",
    "52;p;b3duZWQ=",
    "52;c;?",
    "104",
    "110",
    "133;A",
    "777;notify;owned;owned",
    "1337;SetUserVar=owned=b3duZWQ=",
    "1337;ReportCellSize",
    "633;E;owned",
];
/// Other strings: of devices, of applications, private, of the start.
const STRINGS: [&str; 8] = [
    "\u{1b}P$qm\u{1b}\\",
    "\u{1b}P$q\"p\u{1b}\\",
    "\u{1b}P+q544e\u{1b}\\",
    "\u{1b}Ptmux;\u{1b}\u{1b}]2;owned\u{7}\u{1b}\\",
    "\u{1b}Pq#0;2;0;0;0~-\u{1b}\\",
    "\u{1b}_Ga=q,i=1;AAAA\u{1b}\\",
    "\u{1b}^owned\u{1b}\\",
    "\u{1b}Xowned\u{1b}\\",
];
/// Escapes of one or two characters.
const ESCAPES: [&str; 12] = [
    "c", "7", "8", "D", "M", "E", "#8", "(0", "%G", "Z", "=", "n",
];
/// Single characters, with what they do to what stands around them.
const SINGLE: [&str; 10] = [
    "\u{7}",
    "\u{8}\u{8}\u{8}",
    "\u{e}qqq\u{f}",
    "\u{5}",
    "\u{7f}",
    "\u{c}",
    "\u{b}",
    "\u{1a}",
    "\u{202e}dewno",
    "\u{e0041}",
];
/// The same by single characters of the upper half.
const UPPER: [&str; 8] = [
    "\u{9b}6n",
    "\u{9b}c",
    "\u{9b}?1049h",
    "\u{9b}21t",
    "\u{9d}2;owned\u{9c}",
    "\u{9d}52;c;b3duZWQ=\u{9c}",
    "\u{90}$qm\u{9c}",
    "\u{9f}Ga=q,i=1;AAAA\u{9c}",
];
const SEQUENCES: usize = 120;

/// All sequences. Commands end in turn in both ways that there are.
fn sequences() -> Vec<String> {
    let controls = CONTROLS.iter().map(|text| format!("\u{1b}[{text}"));
    let commands = COMMANDS.iter().zip(["\u{7}", "\u{1b}\\"].iter().cycle());
    let commands = commands.map(|(text, end)| format!("\u{1b}]{text}{end}"));
    let escapes = ESCAPES.iter().map(|text| format!("\u{1b}{text}"));
    let whole = [&STRINGS[..], &SINGLE, &UPPER].concat();
    controls
        .chain(commands)
        .chain(escapes)
        .chain(whole.into_iter().map(str::to_owned))
        .collect()
}

/// A word before each sequence: what is shown is looked for by it.
fn lines() -> Vec<String> {
    let numbered = sequences().into_iter().enumerate();
    numbered
        .map(|(n, sequence)| format!("case{n:03}{sequence}end"))
        .collect()
}

/// A sink: what shows the lines, and which of them it has shown.
type Sink = (&'static str, fn());

const SINKS: [Sink; 12] = [
    ("output", output),
    ("source", source),
    ("variables", variables),
    ("stack names", stack_names),
    ("thread names", thread_names),
    ("log view", log_view),
    ("event streams", event_streams),
    ("prompt", prompt),
    ("clipboard", clipboard),
    ("events of a run", events_of_a_run),
    ("titles of sessions", titles_of_sessions),
    ("names of files", names_of_files),
];

#[test]
fn the_head_of_this_file_tells_how_many_cases_there_are() {
    let all = sequences();
    let mut different = all.clone();
    different.sort();
    different.dedup();
    assert_eq!((all.len(), different.len()), (SEQUENCES, SEQUENCES));
    let present = all.len() * SINKS.len();
    let head = format!("// suite: T7 asked 1440 present {present}");
    assert!(
        include_str!("injection.rs")
            .lines()
            .any(|line| line == head),
        "{head}"
    );
}

macro_rules! sink {
    ($($name:ident $number:literal),* $(,)?) => {
        mod sink {
            $(#[test]
            fn $name() {
                super::SINKS[$number].1();
            })*
        }
    };
}
sink!(
    s00_output 0, s01_source 1, s02_variables 2, s03_stack_names 3, s04_thread_names 4, s05_log_view 5,
    s06_event_streams 6, s07_prompt 7, s08_clipboard 8, s09_events_of_a_run 9, s10_titles_of_sessions 10,
    s11_names_of_files 11,
);

/// Kinds of sequences that a stream consists of: `[m`, `[?h2026`, `]52`; single control characters by their number.
fn kinds(raw: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(raw);
    let mut kinds = Vec::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if c != '\u{1b}' {
            if c.is_control() && !matches!(c, '\r' | '\n') {
                kinds.push(format!("{:02x}", u32::from(c)));
            }
            continue;
        }
        let kind = match rest.next() {
            Some('[') => {
                let mut parameters = String::new();
                let end = loop {
                    match rest.next() {
                        Some(c @ '\u{40}'..='\u{7e}') => break c,
                        Some(c) => parameters.push(c),
                        None => break ' ',
                    }
                };
                match parameters.strip_prefix('?') {
                    Some(mode) if matches!(end, 'h' | 'l') => format!("[?{mode}{end}"),
                    Some(_) => format!("[?{end}"),
                    None => format!("[{end}"),
                }
            }
            Some(open @ (']' | 'P' | '_' | '^' | 'X')) => {
                let mut content = String::new();
                while let Some(c) = rest.next() {
                    match c {
                        '\u{7}' => break,
                        '\u{1b}' => {
                            rest.next();
                            break;
                        }
                        c => content.push(c),
                    }
                }
                format!("{open}{}", content.split(';').next().unwrap_or_default())
            }
            Some(other) => format!("esc {other}"),
            None => "esc".to_owned(),
        };
        kinds.push(kind);
    }
    kinds.sort();
    kinds.dedup();
    kinds
}

/// What the screen writes once it is up: colours, places, its frames, the cursor, what a copy needs.
const OURS: [&str; 9] = [
    "[?2026h", "[?2026l", "[?25h", "[?25l", "[H", "[m", "]52", "[K", "[q",
];

/// A terminal before the sequences come.
struct Before {
    answered: usize,
    titles: Vec<String>,
    copies: usize,
    raw: usize,
}

impl Before {
    fn of(pty: &Pty) -> Self {
        Self {
            answered: pty.answered(),
            titles: pty.titles(),
            copies: pty.clipboard().len(),
            raw: pty.raw().len(),
        }
    }

    /// Nothing has become of it; `copies` were asked for.
    fn is_as_it_was(&self, pty: &Pty, copies: usize) {
        let screen = pty.screen();
        assert_eq!(
            pty.answered(),
            self.answered,
            "the terminal was asked\n{}",
            screen.text()
        );
        let titles = pty.titles();
        let new = &titles[self.titles.len()..];
        assert!(new.iter().all(|title| !title.contains("owned")), "{new:?}");
        assert_eq!(pty.clipboard().len(), self.copies + copies);
        let raw = pty.raw();
        let strange: Vec<_> = kinds(&raw[self.raw..])
            .into_iter()
            .filter(|kind| !OURS.contains(&kind.as_str()))
            .collect();
        assert_eq!(strange, Vec::<String>::new(), "{}", screen.text());
    }
}

/// Every case is on the screen.
fn seen_all(pty: &Pty) {
    pty.wait_until("every case", |screen| {
        let text = screen.text();
        (0..SEQUENCES).all(|n| text.contains(&format!("case{n:03}")))
    });
}

/// A terminal that has room for all cases at once, and a clipboard of its own.
fn tall(home: Home, settings: impl FnOnce(Builder) -> Builder) -> Desk {
    Desk::at(home, |builder| {
        settings(
            builder
                .size(160, 300)
                .env("SSH_CONNECTION", "10.0.0.1 1 10.0.0.2 22"),
        )
    })
}

/// A program that stands at its first line, with adapters' answers as they are given here.
fn stopped(answers: &[(&str, Value)], options: &[&str], text: &str) -> Desk {
    let home = Home::new();
    let folder = home.path().join("config/omp-debug");
    fs::create_dir_all(&folder).unwrap();
    let mut words: Vec<String> = options.iter().map(|word| (*word).to_owned()).collect();
    for (command, body) in answers {
        let file = home.path().join(format!("{command}.json"));
        fs::write(&file, body.to_string()).unwrap();
        words.extend([
            "--answer".to_owned(),
            format!("{command}={}", file.display()),
        ]);
    }
    let adapter = json!({"command": tools::fake_adapter(), "args": words, "connectMode": "stdio",
        "fileTypes": [".fake"]});
    let known = json!({"adapters": {"fake": adapter}});
    fs::write(folder.join("dap.json"), known.to_string()).unwrap();
    let program = home.path().join("work/program.fake");
    fs::create_dir_all(program.parent().unwrap()).unwrap();
    fs::write(&program, text).unwrap();
    let words = args!["--adapter", "fake", "--stop-on-entry", program];
    tall(home, |builder| builder.args(words))
}

const PROGRAM: &str = "one()\ntwo()\nthree()\n";

fn output() {
    let body = json!({"output": lines().join("\n") + "\n"}).to_string();
    let desk = stopped(&[], &["--output-body", &body], PROGRAM);
    desk.wait_at("program.fake", 1);
    let before = Before::of(&desk.pty);
    desk.pty.key("6").key("z");
    seen_all(&desk.pty);
    before.is_as_it_was(&desk.pty, 0);
    desk.leave_live("Enter");
}

fn source() {
    let text = format!("one()\n{}\n", lines().join("\n"));
    let desk = stopped(&[], &[], &text);
    desk.wait_at("program.fake", 1);
    let before = Before::of(&desk.pty);
    desk.pty.key("z");
    seen_all(&desk.pty);
    before.is_as_it_was(&desk.pty, 0);
    desk.leave_live("Enter");
}

fn variables() {
    let all: Vec<Value> = lines()
        .iter()
        .map(|line| json!({"name": line, "value": line, "type": line, "variablesReference": 0}))
        .collect();
    let desk = stopped(&[("variables", json!({"variables": all}))], &[], PROGRAM);
    desk.wait_at("program.fake", 1);
    desk.pty.wait_for("case000");
    let before = Before::of(&desk.pty);
    desk.pty.key("3").key("z");
    seen_all(&desk.pty);
    before.is_as_it_was(&desk.pty, 0);
    desk.leave_live("Enter");
}

fn stack_names() {
    let frames: Vec<Value> = (1..)
        .zip(lines())
        .map(|(id, line)| json!({"id": id, "name": line, "line": 1, "column": 1, "source": {"name": line}}))
        .collect();
    let body = json!({"stackFrames": frames, "totalFrames": SEQUENCES});
    let desk = stopped(&[("stackTrace", body)], &[], PROGRAM);
    desk.pty.wait_for("case000");
    let before = Before::of(&desk.pty);
    desk.pty.key("2").key("z");
    seen_all(&desk.pty);
    before.is_as_it_was(&desk.pty, 0);
    desk.leave_live("Enter");
}

fn thread_names() {
    let threads: Vec<Value> = (1..)
        .zip(lines())
        .map(|(id, line)| json!({"id": id, "name": line}))
        .collect();
    let desk = stopped(&[("threads", json!({"threads": threads}))], &[], PROGRAM);
    desk.pty.wait_for("case000");
    let before = Before::of(&desk.pty);
    desk.pty.key("2").key("z");
    seen_all(&desk.pty);
    before.is_as_it_was(&desk.pty, 0);
    desk.leave_live("Enter");
}

fn file(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    path
}

fn log_view() {
    let dir = tempfile::tempdir().unwrap();
    let entries = lines().into_iter().map(|line| {
        json!({"timestamp": "2026-08-21T10:00:00.000Z", "level": "info", "pid": 1, "message": line}).to_string()
    });
    let text: Vec<String> = entries.collect();
    let log = file(dir.path(), "x.log", &(text.join("\n") + "\n"));
    let desk = tall(Home::new(), |builder| builder.args(args!["logs", log]));
    desk.pty.wait_for("case119");
    let before = Before::of(&desk.pty);
    desk.pty.key("C-o").wait_for("100 loaded");
    desk.pty.key("C-o").wait_for("120 loaded");
    seen_all(&desk.pty);
    before.is_as_it_was(&desk.pty, 0);
    desk.leave();
}

fn event_streams() {
    let dir = tempfile::tempdir().unwrap();
    let mut text = String::from("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n");
    for line in lines() {
        // A line ending within would end the field.
        let line = line.replace(['\r', '\n'], "");
        for part in ["event: ", &line, "\ndata: ", &line, "\n\n"] {
            text.push_str(part);
        }
    }
    let capture = file(dir.path(), "answer.txt", &text);
    let desk = tall(Home::new(), |builder| builder.args(args!["sse", capture]));
    desk.pty.wait_for("case119");
    let before = Before::of(&desk.pty);
    seen_all(&desk.pty);
    before.is_as_it_was(&desk.pty, 0);
    desk.leave();
}

fn prompt() {
    let body = json!({"result": lines().join("\n"), "type": lines()[0], "variablesReference": 0});
    let desk = stopped(&[("evaluate", body)], &[], PROGRAM);
    desk.wait_at("program.fake", 1);
    let before = Before::of(&desk.pty);
    desk.pty.key("7").wait_for("Esc leave");
    desk.pty.type_text("i").key("Enter");
    desk.pty.wait_for("case");
    before.is_as_it_was(&desk.pty, 0);
    desk.pty.key("Esc").wait_gone("Esc leave");
    desk.leave_live("Enter");
    // All of it at the prompt of the line debugger, whose output is a terminal's as well.
    let home = Home::new();
    let answers = file(
        home.path(),
        "answer.json",
        &json!({"result": lines().join("\n"), "variablesReference": 0}).to_string(),
    );
    let adapter = json!({"command": tools::fake_adapter(), "connectMode": "stdio", "fileTypes": [".fake"],
        "args": ["--answer", format!("evaluate={}", answers.display())]});
    let known = json!({"adapters": {"fake": adapter}}).to_string();
    file(home.path(), "config/omp-debug/dap.json", &known);
    let program = file(home.path(), "work/program.fake", PROGRAM);
    let mark = Mark::new();
    let printed = Command::new(tools::omp_debug())
        .args(["repl", "--batch", "--ex", "run", "--ex", "print i"])
        .args(args!["--adapter", "fake", "--stop-on-entry", program])
        .envs(home.variables(&mark))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let printed = [printed.stdout, printed.stderr].concat();
    every_case_is_harmless(&printed);
}

/// All cases are in a text, and nothing in it drives a terminal.
fn every_case_is_harmless(printed: &[u8]) {
    let text = String::from_utf8(printed.to_vec()).unwrap();
    for n in 0..SEQUENCES {
        assert!(text.contains(&format!("case{n:03}")), "{n}: {text}");
    }
    let bad: Vec<char> = text
        .chars()
        .filter(|c| c.is_control() && *c != '\n' || matches!(c, '\u{202e}' | '\u{e0041}'))
        .collect();
    assert_eq!(bad, Vec::<char>::new(), "{text:?}");
}

fn clipboard() {
    let dir = tempfile::tempdir().unwrap();
    let entries: Vec<String> = lines()
        .into_iter()
        .map(|line| json!({"timestamp": "2026-08-21T10:00:00.000Z", "level": "info", "pid": 1, "message": line}).to_string())
        .collect();
    let log = file(dir.path(), "x.log", &(entries.join("\n") + "\n"));
    let desk = tall(Home::new(), |builder| builder.args(args!["logs", log]));
    desk.pty.wait_for("case119");
    let before = Before::of(&desk.pty);
    desk.pty.key("C-o").wait_for("100 loaded");
    desk.pty.key("C-o").wait_for("120 loaded");
    desk.pty.key("C-a");
    desk.pty.wait_for("120 marked");
    desk.pty.key("y");
    let copied = base64::engine::general_purpose::STANDARD
        .decode(desk.pty.wait_copied(before.copies))
        .unwrap();
    every_case_is_harmless(&copied);
    before.is_as_it_was(&desk.pty, 1);
    desk.leave();
}

fn events_of_a_run() {
    let home = Home::new();
    let body = json!({"output": lines().join("\n") + "\n"}).to_string();
    let adapter = json!({"command": tools::fake_adapter(), "connectMode": "stdio", "fileTypes": [".fake"],
        "args": ["--output-body", body]});
    let known = json!({"adapters": {"fake": adapter}}).to_string();
    file(home.path(), "config/omp-debug/dap.json", &known);
    let program = file(home.path(), "work/program.fake", PROGRAM);
    let mark = Mark::new();
    let printed = Command::new(tools::omp_debug())
        .arg("run")
        .args(args!["--adapter", "fake", program])
        .envs(home.variables(&mark))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    every_case_is_harmless(&printed.stdout);
    // And nothing is lost: the reader of the events has the text as it was.
    let said = String::from_utf8(printed.stdout).unwrap();
    let events: Vec<Value> = said.lines().map(support::run::event).collect();
    let text: String = events
        .iter()
        .filter_map(|event| event["text"].as_str())
        .collect();
    assert!(lines().iter().all(|line| text.contains(line)), "{text:?}");
}

fn titles_of_sessions() {
    let dir = tempfile::tempdir().unwrap();
    let home = omp_home::write(dir.path(), Size::default());
    let folder = home.sessions[0].parent().unwrap();
    for (n, line) in lines().iter().enumerate() {
        let id = format!("00000000-0000-7000-8000-{n:012}");
        let header = json!({"type": "session", "version": 3, "id": id, "title": line, "cwd": home.dir,
            "timestamp": "2026-08-21T10:00:00.000Z"});
        file(
            folder,
            &format!("2026-08-21T10-00-00-000Z_{id}.jsonl"),
            &format!("{header}\n"),
        );
    }
    let root = home.dir.join(".omp");
    let desk = tall(Home::new(), |builder| {
        builder.args(args!["--omp-dir", root, "--cwd", home.dir, "sessions"])
    });
    desk.pty.wait_for("case");
    let before = Before::of(&desk.pty);
    seen_all(&desk.pty);
    before.is_as_it_was(&desk.pty, 0);
    desk.leave();
    let printed = Command::new(tools::omp_debug())
        .args(args![
            "--omp-dir",
            root,
            "--cwd",
            home.dir,
            "sessions",
            "--json"
        ])
        .output()
        .unwrap();
    every_case_is_harmless(&printed.stdout);
}

fn names_of_files() {
    let dir = tempfile::tempdir().unwrap();
    let home = omp_home::write(dir.path(), Size::default());
    let folder = home.sessions[0].with_extension("");
    fs::remove_dir_all(&folder).ok();
    for line in lines() {
        // A name cannot hold a slash.
        file(&folder, &line.replace('/', "|"), "x");
    }
    let root = home.dir.join(".omp");
    let desk = tall(Home::new(), |builder| {
        builder.args(args!["--omp-dir", root, "--cwd", home.dir, "artifacts"])
    });
    desk.pty.wait_for("120 files");
    let before = Before::of(&desk.pty);
    // The folder that was written last is the first one.
    desk.pty.key("g").key("Enter").wait_for("120 names");
    seen_all(&desk.pty);
    before.is_as_it_was(&desk.pty, 0);
    desk.leave();
}
