//! The command line of the fake adapter.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

use crate::faults::{Fault, State};

pub const HELP: &str = "\
fake-adapter [OPTIONS]   a scripted debug adapter

transport (default: standard input and output)
  --listen PORT             tcp server on 127.0.0.1; 0 = any; prints `listening on ADDRESS`
  --unix PATH               unix socket server (also: --listen=unix:PATH)
  --client-addr=HOST:PORT   connect to the client
personality
  --initialized WHEN        before | between | after-launch (default) | twice
  --launch-answer WHEN      after (default) or before configurationDone
  --breakpoints HOW         verified (default) | moved (one line down) | pending (fixed by event)
                            | never (they stop, and are never said to be in place)
  --no-hit-ids              stops do not say at which breakpoint
  --step-reason WORD        why it stands after a step (default step)
  --hit-reason WORD         why it stands at a breakpoint (default breakpoint)
  --pause-reason WORD       why it stands after a pause (default pause)
  --dies-of SIGNAL          the program stops at that instead of ending; let go, a stop without a thread is the last news
  --die-on-unknown          exit without an answer on a request that is not known
  --seq-zero                every message has seq 0
  --no-exited, --no-terminated, --continued
  --first-thread ID         (default 1; the second thread is ID + 1)
  --linger                  stay alive after disconnect until the input closes
  --capabilities JSON       merged over those that are declared
  --slow COMMAND=MS         answer that command late (repeatable)
  --hang COMMAND            hear nothing any more once that is asked, and do not answer it
  --modules N               tell of N modules when the program starts
  --real ARGV               launching starts this as a process in a group of its own (JSON array); with
                            --run-in-terminal the client starts it
  --run-in-terminal         ask the client to run something in a terminal before answering launch
  --children N              ask the client for N child sessions (startDebugging) when running
  --child-depth N           children ask for children of their own, N levels of them (default 1)
  --child-number KEY        each child's configuration has its number (from 1) under KEY
  --child-config JSON       merged over each child's configuration
  --child-event NAME        announce children by this event, not by startDebugging
  --child-endless           children run on when the first program has ended
  --child-gone              a child's attach is answered, and then it has terminated
  --evaluating WHAT         said because of each evaluation: call (a run and a stop, as of a function; frames and references are new
                            after it), call-late (the same after the answer), invalidated, memory, breakpoint (it stops at the next
                            line and fails), other (the second thread stops); repeatable
program
  --source FILE             instead of `program` of the launch arguments
  --loops N                 the program passes N times over its source (default 3)
  --endless                 and runs on after that until it is paused
  --answer COMMAND=FILE     the JSON in FILE is merged into the answer to COMMAND (repeatable)
  --locations               the adapter tells where `order`, its customer and its output come from
  --output-body JSON        merged into each output event
  --list N                  elements of `items` (default 100000)
  --big-value N             a local `big` of N megabytes
  --frames N                a stack of N frames, all of them sent whatever number is asked for
  --exit-code N             of the program (default 0)
  --adapter-exit-code N     of this process at its orderly end (default 0)
tests
  --fault NAME@STATE        misbehave once when STATE is entered (repeatable)
  --late-ms MS              how late `late-response` is (default 2500)
  --log FILE                append every frame received, one line each
  --script FILE             follow this conversation and nothing else
";

#[derive(Clone, Debug)]
pub enum Transport {
    Stdio,
    Listen(u16),
    Unix(PathBuf),
    Connect(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Initialized {
    Before,
    Between,
    AfterLaunch,
    Twice,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    Verified,
    Moved,
    Pending,
    Never,
}

#[derive(Debug)]
pub struct Options {
    pub transport: Transport,
    pub initialized: Initialized,
    pub launch_before_done: bool,
    pub binding: Binding,
    pub no_hit_ids: bool,
    pub hit_reason: &'static str,
    pub step_reason: &'static str,
    pub dies_of: Option<&'static str>,
    pub die_on_unknown: bool,
    pub seq_zero: bool,
    pub no_exited: bool,
    pub no_terminated: bool,
    pub continued: bool,
    pub first_thread: i64,
    pub linger: bool,
    pub capabilities: Value,
    pub slow: Vec<(String, Duration)>,
    pub hang: Option<String>,
    pub modules: usize,
    pub real: Vec<String>,
    pub evaluating: Vec<String>,
    pub run_in_terminal: bool,
    pub children: usize,
    pub child_depth: u64,
    pub child_number: Option<String>,
    pub child_config: Value,
    pub child_event: Option<String>,
    pub child_endless: bool,
    pub child_gone: bool,
    pub source: Option<PathBuf>,
    pub loops: u32,
    pub endless: bool,
    pub pause_reason: &'static str,
    pub locations: bool,
    pub output_body: Value,
    pub answers: Vec<(String, Value)>,
    pub list: usize,
    pub big_value: usize,
    pub frames: usize,
    pub exit_code: i64,
    pub exit_code_of_adapter: i32,
    pub faults: Vec<(Fault, State)>,
    pub late: Duration,
    pub log: Option<PathBuf>,
    pub script: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            transport: Transport::Stdio,
            initialized: Initialized::AfterLaunch,
            launch_before_done: false,
            binding: Binding::Verified,
            no_hit_ids: false,
            hit_reason: "breakpoint",
            step_reason: "step",
            dies_of: None,
            die_on_unknown: false,
            seq_zero: false,
            no_exited: false,
            no_terminated: false,
            continued: false,
            first_thread: 1,
            linger: false,
            capabilities: Value::Null,
            slow: Vec::new(),
            hang: None,
            modules: 0,
            real: Vec::new(),
            evaluating: Vec::new(),
            run_in_terminal: false,
            children: 0,
            child_depth: 1,
            child_number: None,
            child_config: Value::Null,
            child_event: None,
            child_endless: false,
            child_gone: false,
            source: None,
            loops: 3,
            endless: false,
            pause_reason: "pause",
            locations: false,
            output_body: Value::Null,
            answers: Vec::new(),
            list: 100_000,
            big_value: 0,
            frames: 0,
            exit_code: 0,
            exit_code_of_adapter: 0,
            faults: Vec::new(),
            late: Duration::from_millis(2500),
            log: None,
            script: None,
        }
    }
}

fn number<N: std::str::FromStr>(option: &str, text: &str) -> Result<N, String> {
    text.parse()
        .ok()
        .ok_or_else(|| format!("{option} needs a number, not {text:?}"))
}

impl Options {
    pub fn parse(arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self::default();
        let mut words = arguments;
        while let Some(word) = words.next() {
            // Both `--name value` and `--name=value`, as real adapters take one or the other.
            let (name, mut attached) = match word.split_once('=') {
                Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
                None => (word, None),
            };
            let mut value = || {
                attached
                    .take()
                    .or_else(|| words.next())
                    .ok_or_else(|| format!("{name} needs a value"))
            };
            match name.as_str() {
                "--help" => {
                    print!("{HELP}");
                    std::process::exit(0);
                }
                "--listen" => {
                    let text = value()?;
                    options.transport = match text.strip_prefix("unix:") {
                        Some(path) => Transport::Unix(path.into()),
                        None => Transport::Listen(number(&name, &text)?),
                    };
                }
                "--unix" => options.transport = Transport::Unix(value()?.into()),
                "--client-addr" => options.transport = Transport::Connect(value()?),
                "--initialized" => {
                    options.initialized = match value()?.as_str() {
                        "before" => Initialized::Before,
                        "between" => Initialized::Between,
                        "after-launch" => Initialized::AfterLaunch,
                        "twice" => Initialized::Twice,
                        other => return Err(format!("--initialized {other:?}: see --help")),
                    };
                }
                "--launch-answer" => {
                    options.launch_before_done = match value()?.as_str() {
                        "before" => true,
                        "after" => false,
                        other => return Err(format!("--launch-answer {other:?}: see --help")),
                    };
                }
                "--breakpoints" => {
                    options.binding = match value()?.as_str() {
                        "verified" => Binding::Verified,
                        "moved" => Binding::Moved,
                        "pending" => Binding::Pending,
                        "never" => Binding::Never,
                        other => return Err(format!("--breakpoints {other:?}: see --help")),
                    };
                }
                "--no-hit-ids" => options.no_hit_ids = true,
                "--step-reason" => options.step_reason = value()?.leak(),
                "--dies-of" => options.dies_of = Some(value()?.leak()),
                "--die-on-unknown" => options.die_on_unknown = true,
                "--seq-zero" => options.seq_zero = true,
                "--no-exited" => options.no_exited = true,
                "--no-terminated" => options.no_terminated = true,
                "--continued" => options.continued = true,
                "--first-thread" => options.first_thread = number(&name, &value()?)?,
                "--linger" => options.linger = true,
                "--capabilities" => {
                    options.capabilities = serde_json::from_str(&value()?)
                        .map_err(|error| format!("--capabilities: {error}"))?;
                }
                "--slow" => {
                    let text = value()?;
                    let (command, ms) = text
                        .split_once('=')
                        .ok_or_else(|| format!("--slow COMMAND=MS, not {text:?}"))?;
                    let late = Duration::from_millis(number(&name, ms)?);
                    options.slow.push((command.to_owned(), late));
                }
                "--hang" => options.hang = Some(value()?),
                "--modules" => options.modules = number(&name, &value()?)?,
                "--real" => {
                    options.real = serde_json::from_str(&value()?)
                        .map_err(|error| format!("--real: {error}"))?;
                }
                "--evaluating" => options.evaluating.push(value()?),
                "--run-in-terminal" => options.run_in_terminal = true,
                "--children" => options.children = number(&name, &value()?)?,
                "--child-depth" => options.child_depth = number(&name, &value()?)?,
                "--child-number" => options.child_number = Some(value()?),
                "--child-config" => {
                    options.child_config = serde_json::from_str(&value()?)
                        .map_err(|error| format!("--child-config: {error}"))?;
                }
                "--child-event" => options.child_event = Some(value()?),
                "--child-endless" => options.child_endless = true,
                "--child-gone" => options.child_gone = true,
                "--source" => options.source = Some(value()?.into()),
                "--loops" => options.loops = number(&name, &value()?)?,
                "--endless" => options.endless = true,
                "--hit-reason" => options.hit_reason = value()?.leak(),
                "--pause-reason" => options.pause_reason = value()?.leak(),
                "--output-body" => {
                    options.output_body = serde_json::from_str(&value()?)
                        .map_err(|error| format!("--output-body: {error}"))?;
                }
                "--answer" => {
                    let text = value()?;
                    let (command, file) = text
                        .split_once('=')
                        .ok_or_else(|| format!("--answer COMMAND=FILE, not {text:?}"))?;
                    let body = std::fs::read(file).map_err(|error| format!("{file}: {error}"))?;
                    let body = serde_json::from_slice(&body)
                        .map_err(|error| format!("{file}: {error}"))?;
                    options.answers.push((command.to_owned(), body));
                }
                "--locations" => options.locations = true,
                "--big-value" => options.big_value = number(&name, &value()?)?,
                "--frames" => options.frames = number(&name, &value()?)?,
                "--list" => options.list = number(&name, &value()?)?,
                "--exit-code" => options.exit_code = number(&name, &value()?)?,
                "--adapter-exit-code" => {
                    options.exit_code_of_adapter = number(&name, &value()?)?;
                }
                "--fault" => {
                    let text = value()?;
                    let pair = text.split_once('@').and_then(|(fault, state)| {
                        Some((Fault::by_name(fault)?, State::by_name(state)?))
                    });
                    let known = || {
                        let faults: Vec<_> = Fault::ALL.iter().map(|(name, _)| *name).collect();
                        let states: Vec<_> = State::ALL.iter().map(|(name, _)| *name).collect();
                        format!("--fault {text:?}: NAME {faults:?} @ STATE {states:?}")
                    };
                    options.faults.push(pair.ok_or_else(known)?);
                }
                "--late-ms" => options.late = Duration::from_millis(number(&name, &value()?)?),
                "--log" => options.log = Some(value()?.into()),
                "--script" => options.script = Some(value()?.into()),
                _ => return Err(format!("unknown option {name:?}; see --help")),
            }
        }
        Ok(options)
    }
}
