//! A DAP client of a few lines, as independent of the program as the fake adapter is.

use std::io::{BufRead as _, BufReader, Read, Write};
use std::process::ChildStdin;

use serde_json::{Value, json};

/// A client of a few lines, for any pair of streams.
pub struct Client<R, W> {
    pub input: BufReader<R>,
    /// `None` once it is closed.
    pub output: Option<W>,
    seq: i64,
    /// What came while something else was awaited.
    pub events: Vec<Value>,
}

impl<R: Read, W: Write> Client<R, W> {
    pub fn new(input: R, output: W) -> Self {
        Self {
            input: BufReader::new(input),
            output: Some(output),
            seq: 0,
            events: Vec::new(),
        }
    }

    pub fn send(&mut self, command: &str, arguments: &Value) -> i64 {
        self.seq += 1;
        let message = json!({"seq": self.seq, "type": "request", "command": command,
            "arguments": arguments});
        self.write(&message);
        self.seq
    }

    pub fn write(&mut self, message: &Value) {
        let body = message.to_string();
        let output = self.output.as_mut().unwrap();
        write!(output, "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        output.flush().unwrap();
    }

    /// The next message; `None` at the end, or when what comes is no frame.
    pub fn receive(&mut self) -> Option<Value> {
        let mut line = String::new();
        self.input.read_line(&mut line).ok()?;
        let length: usize = line.trim().strip_prefix("Content-Length: ")?.parse().ok()?;
        self.input.read_line(&mut line).ok()?;
        let mut body = vec![0; length];
        self.input.read_exact(&mut body).ok()?;
        serde_json::from_slice(&body).ok()
    }

    pub fn answer_to(&mut self, seq: i64) -> Value {
        loop {
            let message = self.receive();
            let message =
                message.unwrap_or_else(|| panic!("no answer to {seq}: {:#?}", self.events));
            if message["type"] == "response" && message["request_seq"] == seq {
                return message;
            }
            self.events.push(message);
        }
    }

    pub fn ask(&mut self, command: &str, arguments: &Value) -> Value {
        let seq = self.send(command, arguments);
        let answer = self.answer_to(seq);
        assert_eq!(answer["success"], true, "{answer}");
        answer["body"].clone()
    }

    pub fn refused(&mut self, command: &str, arguments: &Value) -> String {
        let seq = self.send(command, arguments);
        let answer = self.answer_to(seq);
        assert_eq!(answer["success"], false, "{answer}");
        answer["message"].as_str().unwrap_or_default().to_owned()
    }

    pub fn event(&mut self, name: &str) -> Value {
        loop {
            let known = self
                .events
                .iter()
                .position(|message| message["event"] == name);
            if let Some(index) = known {
                return self.events.remove(index)["body"].clone();
            }
            let message = self.receive();
            let message = message.unwrap_or_else(|| panic!("no {name} event: {:#?}", self.events));
            self.events.push(message);
        }
    }

    /// Sends launch when `initialize` is answered, as the one order that suits every adapter.
    pub fn begin(&mut self, arguments: &Value) -> i64 {
        self.ask("initialize", &json!({"adapterID": "fake"}));
        let launch = self.send("launch", arguments);
        self.event("initialized");
        launch
    }

    /// Sends configurationDone, and waits until launch is answered as well.
    pub fn run(&mut self, launch: i64) {
        self.ask("configurationDone", &Value::Null);
        let held = self
            .events
            .iter()
            .any(|message| message["request_seq"] == launch);
        if !held {
            self.answer_to(launch);
        }
    }

    /// The top frame of thread 1.
    pub fn top(&mut self) -> Value {
        let stack = self.ask("stackTrace", &json!({"threadId": 1}));
        assert_eq!(stack["totalFrames"], 3);
        stack["stackFrames"][0].clone()
    }
}

impl Client<Box<dyn Read>, ChildStdin> {
    /// One that is connected to nothing, to put in another's place.
    pub fn nowhere() -> Self {
        Self {
            input: BufReader::new(Box::new(std::io::empty())),
            output: None,
            seq: 0,
            events: Vec::new(),
        }
    }
}
