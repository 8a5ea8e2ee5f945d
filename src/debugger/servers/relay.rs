//! One session between the core and one debug server: what an adapter would do in between.
//!
//! Messages are passed on as they are, in their order. What is not: the answer to `initialize` is completed; the events
//! before the session has begun are kept back until its start is answered; a child is announced on the session of the
//! process that made it; to go on and to pause means all threads; the end of the root is the end of its process, that of
//! any other the end of its connection.

use dap::{
    codec::DapCodec,
    server::{Frames, Out},
};
use futures_util::future::OptionFuture;
use tokio::{
    io::{DuplexStream, ReadHalf},
    time::{Instant, sleep_until, timeout_at},
};

use super::{
    frames::{Head, field},
    queue::{Request, RequestQueue},
    root::{Root, RootEvent},
    server::Server,
    server_tree::{self, Order, ServerTree},
};
use crate::{adapters::PID, prelude::*};

/// How long a process may take to end after its server has left.
const EXIT: Duration = Duration::from_secs(5);
/// How long the successor of a process that replaces itself may take to come.
const SUCCESSOR: Duration = Duration::from_mins(1);
/// What may be kept back until a session has begun, in bytes.
const KEPT_BACK: usize = 64 << 20;
/// How long what a server said last may take to arrive.
const LAST_WORDS: Duration = Duration::from_millis(200);
/// How long a server may take to let go.
const PARTING: Duration = Duration::from_secs(2);

/// How far the start of a session has come.
#[derive(Debug)]
enum Start {
    /// Not asked for.
    Before,
    /// `launch` or `attach` is with the server.
    Asked,
    /// It was answered well; the core hears of it once all is configured.
    Answered(Bytes),
    /// The core was told.
    Done,
}

/// A `disconnect` that is not answered yet.
#[derive(Debug)]
struct Goodbye {
    seq: i64,
    /// Our own request to the server; without one, the end of the process is what is waited for.
    asked: Option<i64>,
    until: Instant,
}

/// What woke us.
enum Woken {
    Core(Option<Bytes>),
    Server(Option<Bytes>),
    Order(Option<Order>),
    Process(RootEvent),
    Late,
}

pub struct Relay<'a> {
    family: &'a ServerTree,
    server: &'a mut Server,
    pid: i64,
    root: Option<&'a mut Root>,
    core: Out,
    asked: Frames<ReadHalf<DuplexStream>>,
    /// What the start was asked with.
    arguments: Map<String, Value>,
    start: Start,
    kept_back: Vec<Bytes>,
    kept_bytes: usize,
    /// Requests of the core that the server has, and what they ask.
    pending: HashMap<i64, String>,
    turns: RequestQueue,
    /// Children to announce once the session has begun.
    unannounced: VecDeque<i64>,
    /// Our own requests to the core, each for the child of this process id.
    announced: HashMap<i64, i64>,
    next_seq: i64,
    replaced: bool,
    /// The process does what `terminate` asks.
    terminates_itself: bool,
    /// The server's end is seen to.
    server_left: bool,
    /// Of the process, when it has ended.
    exit_code: Option<i64>,
    /// Neither it nor what came out of it prints any more.
    is_silent: bool,
    /// The end of the process is seen to.
    process_ended: bool,
    over: bool,
    goodbye: Option<Goodbye>,
    /// The core begins the next one before it has left this.
    follows: Option<DuplexStream>,
    deadline: Option<Instant>,
}

impl<'a> Relay<'a> {
    pub fn new(
        family: &'a ServerTree,
        server: &'a mut Server,
        pid: i64,
        core: DuplexStream,
        root: Option<&'a mut Root>,
    ) -> Self {
        let (read, write) = tokio::io::split(core);
        Self {
            family,
            server,
            pid,
            root,
            core: Out::over(write),
            asked: Frames::new(read, DapCodec::server()),
            arguments: Map::new(),
            start: Start::Before,
            kept_back: Vec::new(),
            kept_bytes: 0,
            pending: HashMap::new(),
            turns: RequestQueue::default(),
            unannounced: VecDeque::new(),
            announced: HashMap::new(),
            next_seq: 0,
            replaced: false,
            terminates_itself: false,
            server_left: false,
            exit_code: None,
            is_silent: false,
            process_ended: false,
            over: false,
            goodbye: None,
            follows: None,
            deadline: None,
        }
    }

    /// Goes on until the core has left; gives the session that is to follow, if there is one.
    pub async fn run(
        mut self,
        orders: &mut mpsc::UnboundedReceiver<Order>,
    ) -> Option<DuplexStream> {
        loop {
            if self.server.is_closed() && !self.server_left {
                self.server_has_left().await;
            }
            if self.is_silent
                && !self.process_ended
                && let Some(code) = self.exit_code
            {
                self.process_has_ended(code).await;
            }
            match self.wait(orders).await {
                Woken::Core(Some(frame)) => self.core_said(frame).await,
                Woken::Core(None) | Woken::Order(None) => break,
                Woken::Server(Some(frame)) => self.server_said(frame).await,
                // Seen to above.
                Woken::Server(None) => {}
                Woken::Order(Some(order)) => self.ordered(order).await,
                Woken::Process(RootEvent::Printed(category, text)) => {
                    let body = json!({ "category": category, "output": text });
                    self.tell("output", body).await;
                }
                Woken::Process(RootEvent::Exited(code)) => self.exit_code = Some(code),
                Woken::Process(RootEvent::Silent) => self.is_silent = true,
                Woken::Late => self.is_late().await,
            }
        }
        // The core may have vanished without a word: a process that stands still would stand for ever.
        if self.root.is_none() && !self.server.is_closed() && self.goodbye.is_none() {
            let goodbye = json!({ "terminateDebuggee": false });
            self.server.request("disconnect", goodbye).await;
        }
        for pid in self
            .unannounced
            .drain(..)
            .chain(self.announced.into_values())
        {
            self.family.let_run(pid);
        }
        self.follows
    }

    async fn wait(&mut self, orders: &mut mpsc::UnboundedReceiver<Order>) -> Woken {
        let limit = [
            self.deadline,
            self.goodbye.as_ref().map(|g| g.until),
            self.turns.until(),
        ];
        let limit = limit.into_iter().flatten().min();
        let process = self.root.as_mut().filter(|_| !self.process_ended);
        let is_closed = self.server.is_closed();
        tokio::select! {
            frame = self.asked.next() => Woken::Core(frame),
            frame = self.server.next(), if !is_closed => Woken::Server(frame),
            order = orders.recv() => Woken::Order(order),
            Some(news) = OptionFuture::from(process.map(|root| root.next())) => Woken::Process(news),
            Some(()) = OptionFuture::from(limit.map(sleep_until)) => Woken::Late,
        }
    }

    async fn core_said(&mut self, frame: Bytes) {
        let Some(head) = Head::of(&frame) else {
            return;
        };
        if head.kind == "response" {
            if let Some(pid) = self.announced.remove(&head.request_seq)
                && !head.success
            {
                self.family.let_run(pid);
            }
            return;
        }
        let (seq, command) = (head.seq, head.command.clone().into_owned());
        if self.takes_turns(&command) {
            if let Some(request) = self.turns.put((seq, command, frame)) {
                self.pass_on(request).await;
            }
            return;
        }
        // What was asked before it is before it.
        while let Some(request) = self.turns.next() {
            self.pass_on(request).await;
        }
        match command.as_str() {
            "disconnect" => return self.leave(seq, &frame).await,
            "terminate" => {
                if self.terminates_itself && !self.server.is_closed() {
                    return self.pass_on((seq, command, frame)).await;
                }
                self.core.answer(seq, &command, Ok(json!({}))).await;
                return self.end_process().await;
            }
            _ if self.server.is_closed() => {
                self.answer_alone(seq, &command).await;
                if matches!(command.as_str(), "launch" | "attach") {
                    self.start = Start::Done;
                    self.is_over().await;
                }
                return;
            }
            _ => {}
        }
        match command.as_str() {
            "launch" | "attach" => {
                let mut arguments = field(&frame, "arguments");
                self.arguments.clone_from(&arguments);
                let servers = self.family.servers();
                // A child prints where its parent does; told otherwise it says what it prints, too, while something is evaluated.
                arguments.extend(servers.launch_extra.clone());
                let itself = &servers.terminates_itself;
                self.terminates_itself = itself.iter().any(|(k, v)| arguments.get(k) == Some(v));
                self.start = Start::Asked;
                self.ask_with(seq, command, arguments).await;
            }
            "pause" | "continue" => {
                let mut arguments = field(&frame, "arguments");
                arguments.put("threadId", "*");
                self.ask_with(seq, command, arguments).await;
            }
            _ => match self.family.servers().renamed.get(&command).cloned() {
                Some(theirs) => {
                    let arguments = field(&frame, "arguments").into();
                    self.pending.insert(seq, command);
                    self.server.out.request(seq, &theirs, &arguments).await;
                }
                None => self.pass_on((seq, command, frame)).await,
            },
        }
    }

    fn takes_turns(&self, command: &str) -> bool {
        let takes = &self.family.servers().one_at_a_time;
        !self.server.is_closed() && takes.iter().any(|one| one == command)
    }

    async fn pass_on(&mut self, (seq, command, frame): Request) {
        self.pending.insert(seq, command);
        self.server.out.send(frame).await;
    }

    async fn ask_with(&mut self, seq: i64, command: String, arguments: Map<String, Value>) {
        self.server
            .out
            .request(seq, &command, &arguments.into())
            .await;
        self.pending.insert(seq, command);
    }

    /// What can be said to the core without a server.
    async fn answer_alone(&self, seq: i64, command: &str) {
        let answer = match command {
            "initialize" => Ok(self.family.servers().capabilities.clone().into()),
            // A program may be quicker than its client: that it is over comes as an event.
            "launch" | "attach" | "configurationDone" => Ok(json!({})),
            "continue" => Ok(json!({ "allThreadsContinued": true })),
            _ => Err("the program has ended".to_owned()),
        };
        self.core.answer(seq, command, answer).await;
    }

    async fn server_said(&mut self, frame: Bytes) {
        let Some(head) = Head::of(&frame) else {
            return;
        };
        if head.kind == "response" {
            let (request, success) = (head.request_seq, head.success);
            return self.answered(request, success, frame).await;
        }
        match &*head.event {
            // Some servers say it, some do not; it is said when the start is answered.
            "initialized" => {}
            "terminated" => self.server.close(),
            "exited" => {
                let [key, value] = &self.family.servers().replaced;
                if field(&frame, "body").get(key).and_then(Value::as_str) == Some(value) {
                    self.replaced = true;
                    self.family.is_replaced(self.pid);
                } else if self.root.is_none() {
                    self.tell_raw(frame).await;
                }
            }
            _ => self.tell_raw(frame).await,
        }
    }

    async fn answered(&mut self, request: i64, success: bool, frame: Bytes) {
        if self
            .goodbye
            .as_ref()
            .is_some_and(|g| g.asked == Some(request))
        {
            return self.say_goodbye().await;
        }
        let Some(command) = self.pending.remove(&request) else {
            return;
        };
        if let Some(next) = self.turns.answered(request) {
            self.pass_on(next).await;
        }
        match command.as_str() {
            "initialize" if success => {
                let mut capabilities = field(&frame, "body");
                capabilities.extend(self.family.servers().capabilities.clone());
                let answer = Ok(capabilities.into());
                self.core.answer(request, &command, answer).await;
            }
            "launch" | "attach" if success => {
                self.start = Start::Answered(frame);
                self.core.event("initialized", json!({})).await;
            }
            "configurationDone" => {
                self.core.send(frame).await;
                self.has_begun().await;
            }
            renamed if success && self.family.servers().renamed.contains_key(renamed) => {
                let answer = Ok(field(&frame, "body").into());
                self.core.answer(request, renamed, answer).await;
            }
            _ => self.core.send(frame).await,
        }
    }

    /// The start is answered, and what happened meanwhile is told.
    async fn has_begun(&mut self) {
        if let Start::Answered(answer) = mem::replace(&mut self.start, Start::Done) {
            self.core.send(answer).await;
        }
        for event in mem::take(&mut self.kept_back) {
            self.core.send(event).await;
        }
        while let Some(pid) = self.unannounced.pop_front() {
            self.announce(pid).await;
        }
    }

    async fn tell_raw(&mut self, event: Bytes) {
        if matches!(self.start, Start::Done) {
            self.core.send(event).await;
        } else {
            self.kept_bytes += event.len();
            self.kept_back.push(event);
            if self.kept_bytes > KEPT_BACK {
                tracing::warn!("a debug server says too much before it was asked to run");
                self.server.close();
            }
        }
    }

    async fn tell(&mut self, event: &str, body: Value) {
        let message = json!({ "seq": 0, "type": "event", "event": event, "body": body });
        self.tell_raw(message.to_string().into()).await;
    }

    async fn ordered(&mut self, order: Order) {
        match order {
            Order::Child { pid } if self.over => self.family.let_run(pid),
            Order::Child { pid } if matches!(self.start, Start::Done) => self.announce(pid).await,
            Order::Child { pid } => self.unannounced.push_back(pid),
            // It is about to leave.
            Order::Session(other) if self.over => self.follows = Some(other),
            // It has one; whoever asked for another sees that at once.
            Order::Session(other) => drop(other),
            Order::LetRun => {}
            Order::Foreign => self.tell("output", server_tree::foreign()).await,
        }
    }

    async fn announce(&mut self, pid: i64) {
        let child = &self.family.servers().child;
        let mut configuration = self.arguments.clone();
        for key in &child.without {
            configuration.remove(key);
        }
        let name = child.name.replace(PID, &pid.to_string());
        let address = self.family.address();
        configuration.put("name", name);
        configuration.insert(child.pid_key.clone(), pid.into());
        configuration.put(
            "connect",
            json!({ "host": address.ip().to_string(), "port": address.port() }),
        );
        self.next_seq += 1;
        self.announced.insert(self.next_seq, pid);
        let arguments = json!({ "request": "attach", "configuration": configuration });
        self.core
            .request(self.next_seq, "startDebugging", &arguments)
            .await;
        if self.replaced && pid == self.pid && self.root.is_none() {
            // What it was is over, what it is has its own session.
            self.is_over().await;
        }
    }

    /// The server is gone: whoever waits for an answer gets one.
    async fn server_has_left(&mut self) {
        self.server_left = true;
        self.family.has_left(self.pid);
        let behind = self.turns.drain().map(|(seq, command, _)| (seq, command));
        let waiting: Vec<_> = self.pending.drain().chain(behind).collect();
        for (seq, command) in waiting {
            self.answer_alone(seq, &command).await;
        }
        if !matches!(self.start, Start::Before) {
            self.has_begun().await;
        }
        if self.goodbye.as_ref().is_some_and(|g| g.asked.is_some()) {
            return self.say_goodbye().await;
        }
        if self.replaced {
            self.deadline = Some(Instant::now() + SUCCESSOR);
        } else if self.root.is_some() {
            self.deadline = Some(Instant::now() + EXIT);
        } else if !matches!(self.start, Start::Before) {
            self.is_over().await;
        }
    }

    async fn process_has_ended(&mut self, code: i64) {
        self.process_ended = true;
        // What it said before it ended is on its way.
        let until = Instant::now() + LAST_WORDS;
        while !self.server.is_closed()
            && let Ok(Some(frame)) = timeout_at(until, self.server.next()).await
        {
            self.server_said(frame).await;
        }
        self.server.close();
        if !self.server_left {
            self.server_has_left().await;
        }
        self.deadline = None;
        if matches!(self.start, Start::Before) {
            // Whoever starts it hears of it then.
            return;
        }
        if !self.over {
            self.tell("exited", json!({ "exitCode": code })).await;
        }
        self.is_over().await;
        if self.goodbye.is_some() {
            self.say_goodbye().await;
        }
    }

    async fn is_over(&mut self) {
        if !mem::replace(&mut self.over, true) {
            self.core.event("terminated", json!({})).await;
        }
    }

    async fn end_process(&mut self) {
        if let Some(root) = &self.root {
            root.end();
        } else if !self.server.is_closed() {
            let terminate = json!({ "terminateDebuggee": true });
            self.server.request("disconnect", terminate).await;
        }
    }

    async fn leave(&mut self, seq: i64, frame: &Bytes) {
        let told = field(frame, "arguments")
            .get("terminateDebuggee")
            .and_then(Value::as_bool);
        let terminate = told.unwrap_or_else(|| self.root.is_some());
        let mut goodbye = Goodbye {
            seq,
            asked: None,
            until: Instant::now() + PARTING,
        };
        if terminate && let Some(root) = &self.root {
            if !self.process_ended {
                root.end();
                self.goodbye = Some(goodbye);
                return;
            }
        } else if !self.server.is_closed() {
            let arguments = json!({ "terminateDebuggee": terminate });
            goodbye.asked = Some(self.server.request("disconnect", arguments).await);
            self.goodbye = Some(goodbye);
            return;
        }
        self.goodbye = Some(goodbye);
        self.say_goodbye().await;
    }

    async fn say_goodbye(&mut self) {
        let Some(goodbye) = &mut self.goodbye else {
            return;
        };
        let seq = goodbye.seq;
        // It stays, as a sign that the server was told.
        (goodbye.asked, goodbye.until) = (None, Instant::now() + SUCCESSOR);
        self.is_over().await;
        self.core.answer(seq, "disconnect", Ok(json!({}))).await;
    }

    async fn is_late(&mut self) {
        if self
            .turns
            .until()
            .is_some_and(|until| until <= Instant::now())
        {
            if let Some(request) = self.turns.next() {
                self.pass_on(request).await;
            }
            return;
        }
        if self
            .goodbye
            .as_ref()
            .is_some_and(|g| g.until <= Instant::now())
        {
            return self.say_goodbye().await;
        }
        self.deadline = None;
        match &self.root {
            // Others may go on that came out of it; they are let.
            Some(_) if self.exit_code.is_some() => {}
            Some(root) if !self.replaced => root.end(),
            // The successor is not debugged, and its end is the end.
            Some(_) => {}
            None => self.is_over().await,
        }
    }
}
