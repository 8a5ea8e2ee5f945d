//! `omp-debug run` as a process of the test's own: what it printed, line by line, each checked against the schema.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use serde_json::Value;

use super::core::Home;
use super::procs::{self, Watchdog};
use super::{root, tools};

/// A shop with a discount that stays 0, for the stories of a person who looks for it.
pub const SHOP: &str = "\
class Cart:
    def __init__(self, rate):
        self.rate = rate
        self.items = [1, 2, 3, 4]
        self.me = self

    def total(self, x):
        sub = sum(self.items)
        discount = 0
        if self.rate > 10:
            discount = sub * self.rate // 100
        result = sub - discount
        return result

def main():
    cart = Cart(5)
    for x in range(4):
        print('total', cart.total(x), flush=True)

main()
";
const LIMIT: Duration = Duration::from_mins(3);

/// The schema of the events.
pub fn schema() -> &'static jsonschema::Validator {
    static SCHEMA: OnceLock<jsonschema::Validator> = OnceLock::new();
    SCHEMA.get_or_init(|| {
        let text = fs::read_to_string(root().join("assets/run-events.schema.json")).unwrap();
        jsonschema::draft202012::new(&serde_json::from_str(&text).unwrap()).unwrap()
    })
}

/// One line, checked.
pub fn event(line: &str) -> Value {
    let value: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
    let wrong: Vec<_> = schema()
        .iter_errors(&value)
        .map(|e| format!("{e} at {}", e.instance_path()))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?} in {value:#}");
    value
}

/// A run that is over.
#[derive(Debug)]
pub struct Ran {
    pub code: Option<i32>,
    pub events: Vec<Value>,
    pub stderr: String,
}

impl Ran {
    /// Events of a type.
    pub fn of(&self, kind: &str) -> Vec<&Value> {
        self.events.iter().filter(|e| e["type"] == kind).collect()
    }

    /// The only event of a type.
    pub fn one(&self, kind: &str) -> &Value {
        match self.of(kind).as_slice() {
            [one] => one,
            several => panic!("{} events {kind} in {self:#?}", several.len()),
        }
    }

    pub fn types(&self) -> Vec<&str> {
        self.events
            .iter()
            .map(|e| e["type"].as_str().unwrap())
            .collect()
    }

    /// What the program printed to a stream.
    pub fn printed(&self, category: &str) -> String {
        self.of("output")
            .iter()
            .filter(|e| e["category"] == category)
            .map(|e| e["text"].as_str().unwrap())
            .collect()
    }
}

/// `omp-debug run` with folders of its own and the real adapters.
pub struct Runs {
    pub home: Home,
}

impl Runs {
    pub fn new() -> Self {
        Self { home: Home::new() }
    }

    /// With the shop in `shop.py`.
    pub fn with_shop() -> Self {
        let runs = Self::new();
        runs.file("shop.py", SHOP);
        runs
    }

    /// Where it works.
    pub fn work(&self) -> PathBuf {
        let work = self.home.path().join("work");
        fs::create_dir_all(&work).unwrap();
        work.canonicalize().unwrap()
    }

    /// A file below the working folder.
    pub fn file(&self, name: &str, text: &str) -> PathBuf {
        self.home.file(&format!("work/{name}"), text);
        self.work().join(name)
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let context = self.home.context();
        let mut command = Command::new(tools::omp_debug());
        command
            .current_dir(self.work())
            .env_clear()
            .envs(context.env.iter())
            .env("XDG_DATA_HOME", tools::test_home().join("share"))
            .arg("run")
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs to the end. Holds what is true of every run: valid lines, one end at the end, its exit code, no process left.
    pub fn run(&self, args: &[&str]) -> Ran {
        self.finish(&mut self.command(args))
    }

    pub fn finish(&self, command: &mut Command) -> Ran {
        let output = procs::output(command, LIMIT);
        let stdout = String::from_utf8(output.stdout).unwrap();
        let ran = Ran {
            code: output.status.code(),
            events: stdout.lines().map(event).collect(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        };
        check(&ran);
        self.home.mark.assert_none_left(Duration::from_secs(10));
        ran
    }

    /// Starts, and gives the lines as they come.
    pub fn start(&self, args: &[&str]) -> Running {
        let mut child = self.command(args).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        Running {
            _watchdog: Watchdog::of(&child, LIMIT),
            child,
            lines: Some(lines),
            events: Vec::new(),
        }
    }
}

fn check(ran: &Ran) {
    let ends = ran.of("session_end");
    assert_eq!(ends.len(), 1, "{ran:#?}");
    let end = ran.events.last().unwrap();
    assert_eq!(end["type"], "session_end", "{ran:#?}");
    assert_eq!(
        end["exit_status"].as_i64(),
        ran.code.map(i64::from),
        "{ran:#?}"
    );
}

/// A run under way.
pub struct Running {
    pub child: Child,
    lines: Option<BufReader<std::process::ChildStdout>>,
    pub events: Vec<Value>,
    _watchdog: Watchdog,
}

impl Running {
    /// Reads on until there is an event of a type.
    pub fn until(&mut self, kind: &str) -> Value {
        loop {
            let mut line = String::new();
            let read = self.lines.as_mut().unwrap().read_line(&mut line).unwrap();
            assert!(read > 0, "no {kind} in {:#?}", self.events);
            let event = event(&line);
            self.events.push(event.clone());
            if event["type"] == kind {
                return event;
            }
        }
    }

    /// Nobody reads on.
    pub fn close_output(&mut self) {
        self.lines = None;
    }

    /// Reads to the end.
    pub fn finish(mut self) -> Ran {
        let rest: Vec<String> = self
            .lines
            .take()
            .into_iter()
            .flat_map(|lines| lines.lines().map(Result::unwrap))
            .collect();
        let mut events = std::mem::take(&mut self.events);
        events.extend(rest.iter().map(|line| event(line)));
        let mut stderr = String::new();
        if let Some(mut pipe) = self.child.stderr.take() {
            let _ = std::io::Read::read_to_string(&mut pipe, &mut stderr);
        }
        Ran {
            code: self.child.wait().unwrap().code(),
            events,
            stderr,
        }
    }

    /// Reads to the end, and holds what is true of every run.
    pub fn finish_checked(self) -> Ran {
        let ran = self.finish();
        check(&ran);
        ran
    }
}
