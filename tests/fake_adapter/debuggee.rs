//! A program that "runs" a text file: each line that is not blank and not a comment is a step, the
//! file is passed over several times, and running takes no time.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::options::{Binding, Options};
use crate::values;

pub struct Breakpoint {
    pub id: i64,
    pub line: u32,
    path: PathBuf,
    condition: Option<String>,
    hit_condition: Option<String>,
    log_message: Option<String>,
    hits: u32,
    pub verified: bool,
}

pub struct Debuggee {
    pub path: PathBuf,
    pub lines: Vec<String>,
    pub breakpoints: Vec<Breakpoint>,
    pub break_on_raise: bool,
    /// From 1; 0 before the first line.
    pub line: u32,
    pub pass: u32,
    loops: u32,
    pub endless: bool,
    next_id: i64,
    /// Refinements that are not declared: they are passed over.
    unknown: Vec<&'static str>,
}

/// What stands for the path of a function's breakpoint.
const FUNCTIONS: &str = "functions";

/// Why a run came to its end.
pub enum Pause {
    Breakpoint(Vec<i64>),
    Exception,
    /// The step is done.
    Step,
    /// Nothing more stops it, and it is endless.
    Never,
    Ended,
}

pub enum Until {
    Breakpoint,
    NextLine,
    EndOfPass,
}

impl Debuggee {
    pub fn new(options: &Options, program: Option<&str>) -> Self {
        let path = options
            .source
            .clone()
            .or_else(|| program.map(PathBuf::from))
            .unwrap_or_else(|| PathBuf::from("/nowhere/fake.py"));
        let text = std::fs::read(&path)
            .ok()
            .and_then(|bytes| String::from_utf8(bytes).ok())
            .unwrap_or_else(|| "step()\n".repeat(20));
        Self {
            path,
            lines: text.lines().map(str::to_owned).collect(),
            breakpoints: Vec::new(),
            break_on_raise: false,
            line: 0,
            pass: 0,
            loops: options.loops,
            endless: options.endless,
            next_id: 1,
            unknown: [
                ("supportsConditionalBreakpoints", "condition"),
                ("supportsHitConditionalBreakpoints", "hitCondition"),
                ("supportsLogPoints", "logMessage"),
            ]
            .into_iter()
            .filter(|(capability, _)| options.capabilities[capability] == false)
            .map(|(_, key)| key)
            .collect(),
        }
    }

    pub fn source(&self) -> Value {
        let name = self.path.file_name().unwrap_or_default();
        json!({"name": name.to_string_lossy(), "path": self.path})
    }

    fn is_step(&self, line: u32) -> bool {
        let text = self.lines.get(line as usize - 1).map(|text| text.trim());
        text.is_some_and(|text| {
            !text.is_empty() && !text.starts_with('#') && !text.starts_with("//")
        })
    }

    /// The first line from `line` on that something happens on.
    pub fn step_from(&self, line: u32) -> Option<u32> {
        (line.max(1)..=u32::try_from(self.lines.len()).unwrap()).find(|line| self.is_step(*line))
    }

    /// Replaces the breakpoints of one file, and tells what became of each.
    pub fn set_breakpoints(&mut self, arguments: &Value, binding: Binding) -> Value {
        let path = PathBuf::from(arguments["source"]["path"].as_str().unwrap_or_default());
        self.breakpoints
            .retain(|breakpoint| breakpoint.path != path);
        let wanted = arguments["breakpoints"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let answers: Vec<Value> = wanted
            .iter()
            .map(|wanted| self.set_breakpoint(&path, wanted, binding))
            .collect();
        json!({"breakpoints": answers})
    }

    /// A function `line_N` begins at line N; others are never reached. Their ids are those of the answer.
    pub fn set_functions(&mut self, arguments: &Value, first: i64) {
        self.breakpoints
            .retain(|breakpoint| breakpoint.path != Path::new(FUNCTIONS));
        let wanted = arguments["breakpoints"].as_array();
        for (id, wanted) in (first..).zip(wanted.into_iter().flatten()) {
            let name = wanted["name"].as_str().unwrap_or_default();
            let line = name
                .strip_prefix("line_")
                .and_then(|line| line.parse().ok());
            let Some(line) = line else { continue };
            self.breakpoints.push(Breakpoint {
                id,
                line,
                path: FUNCTIONS.into(),
                condition: None,
                hit_condition: None,
                log_message: None,
                hits: 0,
                verified: true,
            });
        }
    }

    fn set_breakpoint(&mut self, path: &Path, wanted: &Value, binding: Binding) -> Value {
        let line = u32::try_from(wanted["line"].as_i64().unwrap_or(0)).unwrap_or(0);
        let line = line + u32::from(binding == Binding::Moved);
        let unknown = &self.unknown;
        let text = |key: &str| {
            let known = !unknown.contains(&key);
            wanted[key].as_str().filter(|_| known).map(str::to_owned)
        };
        let (condition, hit_condition) = (text("condition"), text("hitCondition"));
        let log_message = text("logMessage");
        let id = self.next_id;
        self.next_id += 1;
        if path != self.path {
            return json!({"id": id, "verified": false, "line": line,
                "message": format!("{} is not part of the program", path.display())});
        }
        let Some(bound) = self.step_from(line) else {
            return json!({"id": id, "verified": false, "line": line,
                "message": format!("no code at or after line {line}")});
        };
        let verified = !matches!(binding, Binding::Pending | Binding::Never);
        let is_placed = binding != Binding::Pending;
        self.breakpoints.push(Breakpoint {
            id,
            line: bound,
            path: path.to_owned(),
            condition,
            hit_condition,
            log_message,
            hits: 0,
            verified: is_placed,
        });
        if verified {
            json!({"id": id, "verified": true, "line": bound, "source": self.source()})
        } else {
            json!({"id": id, "verified": false, "line": line, "reason": "pending",
                "message": "not loaded yet"})
        }
    }

    /// Runs on; what the program and its log points print goes to `output(category, text)`.
    pub fn run(&mut self, until: &Until, mut output: impl FnMut(&str, String)) -> Pause {
        let pass = self.pass;
        loop {
            let Some(next) = self.step_from(self.line + 1) else {
                output("stdout", format!("pass {} done\n", self.pass + 1));
                self.line = 0;
                self.pass += 1;
                if self.pass < self.loops {
                    continue;
                }
                if self.endless {
                    self.pass = self.loops - 1;
                    self.line = self.step_from(1).unwrap_or(1);
                    return Pause::Never;
                }
                return Pause::Ended;
            };
            self.line = next;
            let hit = self.hit(&mut output);
            if !hit.is_empty() {
                return Pause::Breakpoint(hit);
            }
            if self.break_on_raise && self.lines[next as usize - 1].contains("raise ") {
                return Pause::Exception;
            }
            match until {
                Until::NextLine => return Pause::Step,
                Until::EndOfPass if self.pass > pass => return Pause::Step,
                Until::EndOfPass | Until::Breakpoint => {}
            }
        }
    }

    /// The ids of the breakpoints that stop here.
    fn hit(&mut self, output: &mut impl FnMut(&str, String)) -> Vec<i64> {
        let (pass, line) = (self.pass, self.line);
        let names = |name: &str| values::integer(name, pass, line);
        let mut ids = Vec::new();
        for breakpoint in &mut self.breakpoints {
            if breakpoint.line != line || !breakpoint.verified {
                continue;
            }
            if let Some(condition) = &breakpoint.condition {
                match values::condition(condition, names) {
                    Some(true) => {}
                    Some(false) => continue,
                    None => output("stderr", format!("bad condition: {condition}\n")),
                }
            }
            breakpoint.hits += 1;
            if let Some(wanted) = &breakpoint.hit_condition
                && !values::hit_condition(wanted, breakpoint.hits)
            {
                continue;
            }
            match &breakpoint.log_message {
                Some(message) => {
                    output(
                        "console",
                        format!("{}\n", values::interpolate(message, names)),
                    );
                }
                None => ids.push(breakpoint.id),
            }
        }
        ids
    }
}
