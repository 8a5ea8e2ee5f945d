//! The conversation: which request leads to which state, what is sent there, and the faults.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use rustix::process::{Signal, getpid, kill_process};
use serde_json::{Value, json};

use crate::debuggee::{Debuggee, Pause, Until};
use crate::faults::{Fault, State};
use crate::options::{Binding, Initialized, Options};
use crate::values::Values;
use crate::wire::Output;
use crate::{Input, next_input};

pub struct Session {
    pub options: Arc<Options>,
    output: Output,
    faults: Vec<(Fault, State)>,
    /// A fault about answers waits for its request (by seq), or for whichever is answered next.
    damage: Option<(Fault, Option<i64>)>,
    /// Answers that are held back, with the seq of their requests.
    later: Vec<(Instant, i64, Value)>,
    pub program: Debuggee,
    pub values: Values,
    launch: Option<Value>,
    launch_answered: bool,
    awaiting_terminal: bool,
    configured: bool,
    /// How far down the tree of children this conversation is; 0 is the first.
    level: u64,
    attached: bool,
    pub running: bool,
    ended: bool,
    finished: bool,
    deaf: bool,
    pub stops: i64,
    pub stop_reason: &'static str,
    /// The program stands at the signal that ends it; and that did.
    dying: bool,
    pub dead: bool,
}

impl Session {
    pub fn new(options: Arc<Options>, output: Output, root: bool) -> Self {
        let locations = options.locations;
        let big = options.big_value;
        let program = Debuggee::new(&options, None);
        Self {
            faults: if root {
                options.faults.clone()
            } else {
                Vec::new()
            },
            level: 0,
            options,
            output,
            damage: None,
            later: Vec::new(),
            program,
            values: Values::new(locations, big),
            launch: None,
            launch_answered: false,
            awaiting_terminal: false,
            configured: false,
            attached: false,
            running: false,
            ended: false,
            finished: false,
            deaf: false,
            stops: 0,
            stop_reason: "",
            dying: false,
            dead: false,
        }
    }

    pub fn run(&mut self, input: &Receiver<Input>) {
        self.enter(State::Spawned, None);
        while !self.finished {
            let due = self.later.iter().map(|(due, ..)| *due).min();
            let wait = due.map(|due| due.saturating_duration_since(Instant::now()));
            match next_input(input, wait) {
                Some(Input::Frame(frame)) if !self.deaf => self.handle(&frame),
                Some(Input::Frame(_)) => {}
                Some(Input::End(why)) => {
                    if let Some(why) = why {
                        eprintln!("fake-adapter: bad input: {why}");
                        std::process::exit(98);
                    }
                    return;
                }
                None => self.send_due(),
            }
        }
    }

    fn send_due(&mut self) {
        let now = Instant::now();
        let (due, later) = std::mem::take(&mut self.later)
            .into_iter()
            .partition(|(due, ..)| *due <= now);
        self.later = later;
        for (_, _, message) in due {
            self.output.message(message);
        }
    }

    fn handle(&mut self, frame: &Value) {
        if frame["type"] == "response" {
            if frame["command"] == "runInTerminal" && self.awaiting_terminal {
                self.awaiting_terminal = false;
                if frame["success"] == true {
                    self.start_when_ready();
                } else {
                    let launch = self.launch.take().unwrap();
                    self.fail(&launch, "the client did not run it in a terminal");
                }
            }
            return;
        }
        let request = frame;
        let arguments = &request["arguments"];
        if request["command"].as_str() == self.options.hang.as_deref() {
            // As one who waits for something inside: what is asked after that is not heard either.
            struck();
        }
        match request["command"].as_str().unwrap_or_default() {
            "initialize" => {
                self.enter(State::Initializing, Some(request));
                if self.options.initialized == Initialized::Before {
                    self.send_initialized();
                }
                let body = crate::answers::capabilities(&self.options.capabilities);
                self.answer(request, body);
                if matches!(
                    self.options.initialized,
                    Initialized::Between | Initialized::Twice
                ) {
                    self.send_initialized();
                }
            }
            command @ ("launch" | "attach") => self.begin(request, command == "attach"),
            "setBreakpoints" => {
                self.enter(State::Configuring, Some(request));
                // A running program has its files loaded: nothing stays pending then.
                let binding = match self.options.binding {
                    Binding::Pending if self.configured => Binding::Verified,
                    binding => binding,
                };
                let body = self.program.set_breakpoints(arguments, binding);
                self.answer(request, body);
            }
            "setExceptionBreakpoints" => {
                self.enter(State::Configuring, Some(request));
                let filters = arguments["filters"].as_array().cloned().unwrap_or_default();
                self.program.break_on_raise = filters.iter().any(|filter| filter == "raised");
                self.answer(request, json!({}));
            }
            "configurationDone" => {
                self.configured = true;
                self.answer(request, Value::Null);
                self.start_when_ready();
            }
            "continue" => {
                self.answer(request, json!({"allThreadsContinued": true}));
                self.resume(&Until::Breakpoint);
            }
            "next" | "stepIn" => self.step(request, &Until::NextLine),
            "stepOut" => self.step(request, &Until::EndOfPass),
            "pause" => {
                self.enter(State::Stopping, Some(request));
                self.answer(request, Value::Null);
                if self.running {
                    self.stop(self.options.pause_reason, json!({}));
                }
            }
            "goto" => {
                self.answer(request, Value::Null);
                self.program.line =
                    u32::try_from(arguments["targetId"].as_i64().unwrap_or(1)).unwrap_or(1);
                self.stop("goto", json!({}));
            }
            "evaluate" => {
                self.enter(State::Evaluating, Some(request));
                self.evaluate(request);
            }
            "cancel" => {
                let wanted = arguments["requestId"].as_i64().unwrap_or(-1);
                if let Some(index) = self.later.iter().position(|(_, seq, _)| *seq == wanted) {
                    let (_, _, mut message) = self.later.remove(index);
                    message["success"] = json!(false);
                    message["message"] = json!("cancelled");
                    self.output.message(message);
                }
                self.answer(request, Value::Null);
            }
            "restart" => {
                self.answer(request, Value::Null);
                (self.program.line, self.program.pass) = (0, 0);
                self.ended = false;
                self.resume(&Until::Breakpoint);
            }
            "terminate" => {
                self.enter(State::Disconnecting, Some(request));
                self.answer(request, Value::Null);
                self.end();
            }
            "disconnect" => {
                self.enter(State::Disconnecting, Some(request));
                if !self.ended && !self.attached {
                    self.end();
                }
                self.answer(request, Value::Null);
                self.finished = !self.options.linger;
            }
            command => match self.look_up(command, arguments) {
                Some(Ok(body)) => {
                    self.answer(request, body);
                    if command == "writeMemory" {
                        // As some real adapters do, to whoever wrote as well.
                        let news = json!({"memoryReference": arguments["memoryReference"],
                            "offset": arguments["offset"].as_i64().unwrap_or(0), "count": 1});
                        self.output.event("memory", &news);
                    }
                }
                Some(Err(why)) => self.fail(request, &why),
                None if self.options.die_on_unknown => std::process::exit(1),
                None => self.fail(request, &format!("unknown request: {command}")),
            },
        }
    }

    fn begin(&mut self, request: &Value, attach: bool) {
        self.enter(State::Launching, Some(request));
        self.program = Debuggee::new(&self.options, request["arguments"]["program"].as_str());
        self.attached = attach;
        self.level = request["arguments"]["level"].as_u64().unwrap_or(0);
        self.launch = Some(request.clone());
        self.program.endless |= self.level > 0 && self.options.child_endless;
        if self.level > 0 && self.options.child_gone {
            self.answer_launch();
            self.output.event("terminated", &Value::Null);
            return;
        }
        if matches!(
            self.options.initialized,
            Initialized::AfterLaunch | Initialized::Twice
        ) {
            self.send_initialized();
        }
        if self.options.run_in_terminal && !attach {
            self.awaiting_terminal = true;
            let real = &self.options.real;
            let args = if real.is_empty() {
                json!(["true"])
            } else {
                json!(real)
            };
            self.output.request(
                "runInTerminal",
                &json!({"kind": "integrated", "title": "fake", "cwd": "/", "args": args}),
            );
        } else if !attach && let Some((program, arguments)) = self.options.real.split_first() {
            start(program, arguments);
        }
        if self.options.launch_before_done {
            self.answer_launch();
        }
        self.start_when_ready();
    }

    fn send_initialized(&mut self) {
        self.enter(State::AwaitingInitialized, None);
        self.output.event("initialized", &Value::Null);
    }

    fn answer_launch(&mut self) {
        if !std::mem::replace(&mut self.launch_answered, true)
            && let Some(launch) = self.launch.clone()
        {
            self.answer(&launch, Value::Null);
        }
    }

    fn start_when_ready(&mut self) {
        let Some(launch) = self.launch.clone() else {
            return;
        };
        if !self.configured || self.awaiting_terminal || self.running || self.stops > 0 {
            return;
        }
        self.answer_launch();
        let name = self.program.path.clone();
        let method = if self.attached { "attach" } else { "launch" };
        let pid = std::process::id();
        self.output.event(
            "process",
            &json!({"name": name, "systemProcessId": pid, "isLocalProcess": true,
                "startMethod": method}),
        );
        for thread in [self.options.first_thread, self.options.first_thread + 1] {
            self.output
                .event("thread", &json!({"reason": "started", "threadId": thread}));
        }
        self.print("console", &format!("started {}\n", name.display()));
        for number in 0..self.options.modules {
            let module = json!({"id": number, "name": format!("module {number}")});
            self.output
                .event("module", &json!({"reason": "new", "module": module}));
        }
        self.announce_children(&name);
        self.bind_pending();
        if launch["arguments"]["stopOnEntry"] == true {
            self.program.line = self.program.step_from(1).unwrap_or(1);
            self.stop("entry", json!({}));
        } else {
            self.resume(&Until::Breakpoint);
        }
    }

    fn announce_children(&mut self, program: &Path) {
        if self.level >= self.options.child_depth {
            return;
        }
        let options = Arc::clone(&self.options);
        for number in 1..=options.children {
            let mut configuration = json!({"name": format!("child {number}"), "program": program,
                "level": self.level + 1});
            if let Some(key) = &options.child_number {
                configuration[key] = number.into();
            }
            for (key, value) in options.child_config.as_object().into_iter().flatten() {
                configuration[key] = value.clone();
            }
            match &options.child_event {
                Some(event) => self.output.event(event, &configuration),
                None => self.output.request(
                    "startDebugging",
                    &json!({"request": "attach", "configuration": configuration}),
                ),
            }
        }
    }

    fn bind_pending(&mut self) {
        if self.options.binding == Binding::Never {
            return;
        }
        let source = self.program.source();
        for breakpoint in &mut self.program.breakpoints {
            if !std::mem::replace(&mut breakpoint.verified, true) {
                self.output.event(
                    "breakpoint",
                    &json!({"reason": "changed", "breakpoint": {"id": breakpoint.id,
                        "verified": true, "line": breakpoint.line, "source": source}}),
                );
            }
        }
    }

    fn step(&mut self, request: &Value, until: &Until) {
        self.enter(State::Stepping, Some(request));
        self.answer(request, Value::Null);
        self.go(until);
    }

    fn resume(&mut self, until: &Until) {
        self.running = true;
        self.enter(State::Running, None);
        self.go(until);
    }

    fn go(&mut self, until: &Until) {
        self.running = true;
        self.values.forget_references();
        if self.options.continued && self.stops > 0 {
            let thread = self.options.first_thread;
            self.output.event(
                "continued",
                &json!({"threadId": thread, "allThreadsContinued": true}),
            );
        }
        let mut printed = Vec::new();
        let pause = self.program.run(until, |category, text| {
            printed.push((category.to_owned(), text));
        });
        for (category, text) in printed {
            self.print(&category, &text);
        }
        match pause {
            Pause::Breakpoint(_) if self.options.no_hit_ids => {
                self.stop(self.options.hit_reason, json!({}));
            }
            Pause::Breakpoint(ids) => {
                self.stop(self.options.hit_reason, json!({"hitBreakpointIds": ids}));
            }
            Pause::Exception => self.stop("exception", json!({"text": "ValueError: raised"})),
            Pause::Step => self.stop(self.options.step_reason, json!({})),
            Pause::Never => {}
            Pause::Ended => match self.options.dies_of {
                None => self.end(),
                Some(signal) if !self.dying => {
                    self.dying = true;
                    self.stop(signal, json!({}));
                }
                Some(_) => {
                    (self.running, self.dead) = (false, true);
                    self.output.event("stopped", &json!({"reason": "generic"}));
                }
            },
        }
    }

    fn print(&mut self, category: &str, text: &str) {
        let mut body = json!({"category": category, "output": text});
        if self.options.locations {
            body["locationReference"] = json!(7004);
        }
        for (key, value) in self.options.output_body.as_object().into_iter().flatten() {
            body[key] = value.clone();
        }
        self.output.event("output", &body);
    }

    fn stop(&mut self, reason: &'static str, mut body: Value) {
        self.running = false;
        self.stops += 1;
        self.stop_reason = reason;
        body["reason"] = json!(reason);
        body["threadId"] = json!(self.options.first_thread);
        body["allThreadsStopped"] = json!(true);
        self.output.event("stopped", &body);
        self.enter(State::Stopped, None);
    }

    fn end(&mut self) {
        if std::mem::replace(&mut self.ended, true) {
            return;
        }
        self.running = false;
        if !self.options.no_exited {
            let code = self.options.exit_code;
            self.output.event("exited", &json!({"exitCode": code}));
        }
        if !self.options.no_terminated {
            self.output.event("terminated", &Value::Null);
        }
        self.enter(State::Terminated, None);
    }

    fn evaluate(&mut self, request: &Value) {
        let text = request["arguments"]["expression"]
            .as_str()
            .unwrap_or_default();
        if self.running {
            self.fail(request, "the program is running");
            return;
        }
        let frame = request["arguments"]["frameId"].as_i64();
        if !self.options.evaluating.is_empty() && frame.is_some_and(|f| f / 100 != self.stops) {
            self.fail(request, "list index out of range");
            return;
        }
        let options = Arc::clone(&self.options);
        let says = |what: &str| options.evaluating.iter().any(|said| said == what);
        if says("call") {
            self.call_function();
        }
        if says("other") {
            let thread = self.options.first_thread + 1;
            self.output.event(
                "stopped",
                &json!({"reason": "breakpoint", "threadId": thread, "allThreadsStopped": true}),
            );
        }
        if says("breakpoint") {
            self.program.line = self.program.step_from(self.program.line + 1).unwrap_or(1);
            self.stop("breakpoint", json!({}));
            self.fail(request, "stopped in a function that was called");
            return;
        }
        self.evaluate_now(request, text);
        if says("call-late") {
            self.call_function();
        }
        if says("invalidated") {
            self.output.event("invalidated", &json!({"areas": ["all"]}));
        }
        if says("memory") {
            self.output.event(
                "memory",
                &json!({"memoryReference": "0x1000", "offset": 0, "count": 1}),
            );
        }
    }

    /// As a debugger tells of it that thinks of a call as of any run.
    fn call_function(&mut self) {
        let thread = self.options.first_thread;
        self.values.forget_references();
        self.stops += 1;
        self.output.event(
            "continued",
            &json!({"threadId": thread, "allThreadsContinued": true}),
        );
        self.output.event(
            "stopped",
            &json!({"reason": "function call", "threadId": thread, "allThreadsStopped": true}),
        );
    }

    fn evaluate_now(&mut self, request: &Value, text: &str) {
        if let Some(ms) = text.strip_prefix("sleep ") {
            let wait = Duration::from_millis(ms.trim().parse().unwrap_or(0));
            let message = response(request, json!({"result": "slept", "variablesReference": 0}));
            self.hold(wait, request, message);
            return;
        }
        let (pass, line) = (self.program.pass, self.program.line);
        match self.values.evaluate(text, pass, line, self.options.list) {
            Ok(body) => self.answer(request, body),
            Err(why) => self.fail(request, &why),
        }
    }

    fn hold(&mut self, wait: Duration, request: &Value, message: Value) {
        let seq = request["seq"].as_i64().unwrap_or(0);
        self.later.push((Instant::now() + wait, seq, message));
    }

    pub fn answer(&mut self, request: &Value, mut body: Value) {
        let command = request["command"].as_str().unwrap_or_default();
        for (_, more) in self.options.answers.iter().filter(|(of, _)| of == command) {
            for (key, value) in more.as_object().into_iter().flatten() {
                body[key] = value.clone();
            }
        }
        self.reply(request, response(request, body));
    }

    fn fail(&mut self, request: &Value, why: &str) {
        let mut message = response(
            request,
            json!({"error": {"id": 1, "format": why, "showUser": true}}),
        );
        message["success"] = json!(false);
        message["message"] = json!(why);
        self.reply(request, message);
    }

    fn reply(&mut self, request: &Value, mut message: Value) {
        let seq = request["seq"].as_i64();
        let damage = self
            .damage
            .take_if(|(_, wanted)| wanted.is_none() || *wanted == seq);
        match damage.map(|(fault, _)| fault) {
            Some(Fault::WrongSeq) => message["request_seq"] = json!(seq.unwrap_or(0) + 1000),
            Some(Fault::DoubleResponse) => self.output.message(message.clone()),
            Some(Fault::LateResponse) => {
                self.hold(self.options.late, request, message);
                return;
            }
            Some(Fault::EmptyFailure) => {
                message["success"] = json!(false);
                message.as_object_mut().unwrap().remove("body");
                message.as_object_mut().unwrap().remove("message");
            }
            _ => {}
        }
        let slow = self.options.slow.iter();
        let wait = slow
            .filter(|(command, _)| request["command"] == command.as_str())
            .map(|(_, wait)| *wait)
            .next();
        match wait {
            Some(wait) => self.hold(wait, request, message),
            None => self.output.message(message),
        }
    }

    /// The adapter is in this state now: misbehave, if that was ordered.
    fn enter(&mut self, state: State, request: Option<&Value>) {
        while let Some(index) = self.faults.iter().position(|(_, when)| *when == state) {
            let (fault, _) = self.faults.remove(index);
            if fault.is_about_an_answer() {
                self.damage = Some((fault, request.and_then(|request| request["seq"].as_i64())));
            } else {
                self.misbehave(fault);
            }
        }
    }

    fn misbehave(&mut self, fault: Fault) {
        match fault {
            Fault::Exit0 => std::process::exit(0),
            Fault::Exit1 => {
                eprintln!("fake-adapter: giving up as told");
                std::process::exit(1);
            }
            Fault::Segv => {
                // The first one only takes the runtime's own handler away, and two at once count as one.
                loop {
                    kill_process(getpid(), Signal::SEGV).unwrap();
                    std::thread::park_timeout(Duration::from_millis(1));
                }
            }
            Fault::SigKill => {
                kill_process(getpid(), Signal::KILL).unwrap();
                struck();
            }
            Fault::SigStop => {
                kill_process(getpid(), Signal::STOP).unwrap();
                // Another thread may be the one that takes the signal; whoever continues us finds it going on.
                std::thread::park_timeout(Duration::from_millis(100));
            }
            Fault::CloseStdout => self.output.close_write(),
            Fault::CloseStdin => {
                self.deaf = true;
                self.output.close_read();
            }
            Fault::StderrFlood => {
                let line = format!("{}\n", "stderr flood ".repeat(5));
                let block = line.repeat(1 << 20).split_at(1 << 20).0.to_owned();
                let mut stderr = std::io::stderr().lock();
                for _ in 0..64 {
                    if stderr.write_all(block.as_bytes()).is_err() {
                        break;
                    }
                }
            }
            Fault::Junk => self
                .output
                .raw(b"warning: this is no DAP\nnor: this\n\x1b[31m\xff\x00\n"),
            Fault::CutFrame => {
                self.output
                    .raw(b"Content-Length: 500\r\n\r\n{\"seq\":1,\"type\":\"ev");
                std::process::exit(0);
            }
            Fault::OverCap => self
                .output
                .raw(b"Content-Length: 4294967296\r\n\r\n{\"seq\":1,"),
            Fault::BadJson => self.output.frame("{\"seq\": 1, \"type\": \"event\", "),
            Fault::EventStorm => {
                for index in 0..100_000 {
                    self.print("stdout", &format!("storm {index}\n"));
                }
            }
            Fault::BadReverse => {
                self.output.request("runInTerminal", &json!("no object"));
                self.output
                    .request("startDebugging", &json!({"configuration": 7}));
                self.output.message(json!({"type": "request"}));
            }
            Fault::WrongSeq | Fault::DoubleResponse | Fault::LateResponse | Fault::EmptyFailure => {
            }
        }
    }
}

/// The program as a process, in a group of its own as some adapters do it; nobody here ends it.
fn start(program: &str, arguments: &[String]) {
    use std::os::unix::process::CommandExt as _;
    use std::process::{Command, Stdio};
    let mut command = Command::new(program);
    command.args(arguments).process_group(0);
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::spawn(move || child.wait());
}

/// Another thread may be the one that takes the signal: this one does nothing more in the meantime.
fn struck() -> ! {
    loop {
        std::thread::park();
    }
}

fn response(request: &Value, body: Value) -> Value {
    let mut message = json!({"type": "response", "request_seq": request["seq"], "success": true,
        "command": request["command"]});
    if !body.is_null() {
        message["body"] = body;
    }
    message
}
