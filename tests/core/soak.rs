//! What goes on for long: stops by the thousand, sessions one after the other, streams without an end. What is taken up is given back, and
//! what is kept is bounded, so that a process holds at the end what it held half way.
//!
//! `OMP_DEBUG_SOAK=50 cargo test --release --test core soak::` goes on fifty times as long as every change does.

use crate::support;

use std::fs;
use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;
use support::desk::{Desk, FAREWELL, Home};
use support::procs::{self, Mark, Watchdog};
use support::tools;

/// Memory that may be more at the end than in the beginning, in bytes: what allocators keep, not what grows with each turn.
const GROWTH: u64 = 6 << 20;
/// How long one turn may take, at the most, on a busy machine.
const TURN: Duration = Duration::from_millis(400);

/// How often something is done that every change does `usual` times.
fn times(usual: usize) -> usize {
    let said = std::env::var("OMP_DEBUG_SOAK").ok();
    let factor = said.map(|text| text.parse::<usize>().expect("a number"));
    usual * factor.unwrap_or(1)
}

fn watch(what: &str, turns: usize) -> Watchdog {
    let turns = u32::try_from(turns).unwrap();
    Watchdog::new(what, Duration::from_mins(2) + TURN * turns)
}

/// What a process holds.
#[derive(Clone, Copy, Debug)]
struct Held {
    /// Memory of its own, in bytes.
    memory: u64,
    files: usize,
    threads: usize,
    children: usize,
}

impl Held {
    fn by(pid: u32) -> Self {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        let own = status
            .lines()
            .find_map(|line| line.strip_prefix("RssAnon:"));
        let number = own.and_then(|line| line.trim().strip_suffix(" kB"));
        let count = |folder: &str| {
            fs::read_dir(format!("/proc/{pid}/{folder}"))
                .unwrap()
                .count()
        };
        Self {
            memory: number.unwrap().parse::<u64>().unwrap() * 1024,
            files: count("fd"),
            threads: count("task"),
            children: procs::descendants(pid).len(),
        }
    }

    /// At the end it is what it was half way, once what was ended is gone.
    fn assert_again(self, pid: u32) {
        let deadline = Instant::now() + FAREWELL;
        loop {
            let now = Self::by(pid);
            let is_as_before = now.memory <= self.memory + GROWTH
                && now.files <= self.files + 2
                && now.threads <= self.threads + 2
                && now.children <= self.children;
            if is_as_before {
                return;
            }
            assert!(Instant::now() < deadline, "{self:?} became {now:?}");
            // Nothing tells of what a process gives back; its own end would be a change as well.
            let ended = procs::wait_exit(pid, Duration::from_millis(50));
            assert!(!ended, "it has ended");
        }
    }
}

/// A home that knows the scripted adapter, whose program passes its source for ever.
fn home() -> (Home, PathBuf) {
    let home = Home::new();
    let folder = home.path().join("config/omp-debug");
    fs::create_dir_all(&folder).unwrap();
    let adapter = json!({"command": tools::fake_adapter(), "args": ["--loops", "100000000"],
        "connectMode": "stdio", "fileTypes": [".fake"]});
    let known = json!({"adapters": {"fake": adapter}});
    fs::write(folder.join("dap.json"), known.to_string()).unwrap();
    let program = home.path().join("work/program.fake");
    fs::create_dir_all(program.parent().unwrap()).unwrap();
    fs::write(&program, "one()\ntwo()\nthree()\nfour()\nfive()\nsix()\n").unwrap();
    (home, program)
}

/// The line debugger on a pipe.
struct Talk {
    child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
    mark: Mark,
    /// Kept until the end.
    _home: Home,
}

impl Talk {
    fn begin() -> Self {
        let (home, program) = home();
        let mark = Mark::new();
        let mut child = Command::new(tools::omp_debug())
            .args(["repl", "--adapter", "fake"])
            .arg(&program)
            .envs(home.variables(&mark))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut talk = Self {
            child,
            input,
            output,
            mark,
            _home: home,
        };
        talk.say(&format!("break {}:3", program.display()));
        talk.say("run");
        talk.stops(1);
        talk
    }

    fn say(&mut self, line: &str) {
        writeln!(self.input, "{line}").unwrap();
    }

    /// Reads until the program has stopped so many times more: each stop shows its line.
    fn stops(&mut self, mut left: usize) {
        while left > 0 {
            let line = self.output.next().expect("it ended").unwrap();
            left -= usize::from(line.starts_with("->"));
        }
    }

    fn end(mut self) {
        self.say("quit");
        drop(self.input);
        while self.output.next().is_some() {}
        assert!(self.child.wait().unwrap().success());
        self.mark.assert_none_left(FAREWELL);
    }
}

#[test]
fn stops_by_the_thousand_leave_nothing_behind() {
    let turns = times(1000);
    let _dog = watch("stops", turns);
    let mut talk = Talk::begin();
    let pid = talk.child.id();
    let mut go = |turns: usize| {
        for turn in 0..turns {
            talk.say(["next", "step", "continue"][turn % 3]);
            talk.stops(1);
        }
    };
    go(turns);
    let before = Held::by(pid);
    go(turns);
    before.assert_again(pid);
    talk.end();
}

#[test]
fn sessions_one_after_the_other_leave_nothing_behind() {
    let turns = times(20);
    let _dog = watch("sessions", turns);
    let mut talk = Talk::begin();
    let pid = talk.child.id();
    let mut go = |turns: usize| {
        for _ in 0..turns {
            talk.say("restart");
            talk.stops(1);
            talk.say("next");
            talk.stops(1);
        }
    };
    go(turns);
    let before = Held::by(pid);
    go(turns);
    before.assert_again(pid);
    talk.end();
}

/// The screen with a stop after the other, its panes read anew each time.
#[test]
fn a_screen_that_shows_many_stops_keeps_its_size() {
    let turns = times(150);
    let (home, program) = home();
    let words = args!["--adapter", "fake", "--stop-on-entry", program];
    let desk = Desk::at(home, |builder| builder.args(words));
    desk.wait_at("program.fake", 1);
    let mut line = 1;
    let mut go = |turns: usize| {
        for _ in 0..turns {
            line = line % 6 + 1;
            desk.pty.key("F10");
            desk.wait_at("program.fake", line);
        }
    };
    go(turns);
    let before = Held::by(desk.pty.pid());
    go(turns);
    before.assert_again(desk.pty.pid());
    desk.leave_live("y");
}

const NEXT_MESSAGE: &[u8] = b"event: message_stop\ndata: {\"type\":\"message_stop\"}\n\nevent: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"role\":\"assistant\"}}\n\nevent: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n";

#[test]
fn an_endless_stream_takes_no_more_than_a_long_one() {
    let turns = times(20_000);
    let _dog = Watchdog::new("stream", Duration::from_mins(10));
    let home = Home::new();
    let mark = Mark::new();
    let mut child = Command::new(tools::omp_debug())
        .args(["sse", "--json", "-"])
        .envs(home.variables(&mark))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut number = 0;
    let mut go = |turns: usize| {
        for _ in 0..turns {
            number += 1;
            // A message has its end; what it says is kept until then.
            if number % 1000 == 0 {
                input.write_all(NEXT_MESSAGE).unwrap();
            }
            let event = format!(
                "event: content_block_delta\ndata: {{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{{\"type\":\"text_delta\",\"text\":\"word {number} \"}}}}\n\n"
            );
            input.write_all(event.as_bytes()).unwrap();
            // One at a time in both directions: what waits in pipes is nobody's memory.
            if number % 50 == 0 {
                let wanted = format!("word {number} ");
                while !output.next().expect("it ended").unwrap().contains(&wanted) {}
            }
        }
    };
    go(turns);
    let before = Held::by(child.id());
    go(turns);
    before.assert_again(child.id());
    drop(input);
    while output.next().is_some() {}
    assert!(child.wait().unwrap().success());
}
