//! A client of a few lines, written after the protocol's own text: both revisions, standard streams and HTTP.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_mins(1);

/// Which revision it speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Revision {
    /// With a handshake.
    Old,
    /// Each request for itself.
    New,
}

/// How the server asks for consent, answered.
pub type Person = fn(&Value) -> Value;

/// What says yes to all.
pub fn yes(_: &Value) -> Value {
    json!({"action": "accept", "content": {"for": "once"}})
}

/// A server's process, ended with the value.
pub struct Server(pub Child);

impl Drop for Server {
    fn drop(&mut self) {
        // It has ended already when all is well.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// One client.
pub struct Client {
    pub revision: Revision,
    /// Whether it says that it can ask a person, and what that one says.
    pub person: Option<Person>,
    pub way: Way,
    /// What the server said unasked.
    pub notices: Vec<Value>,
    /// What it asked for, as it was written.
    pub asked: Vec<Value>,
    /// The answer to `initialize`, or to `server/discover`.
    pub first: Value,
    id: u64,
}

pub enum Way {
    Stdio {
        server: Server,
        input: Option<ChildStdin>,
        output: BufReader<ChildStdout>,
    },
    Http {
        server: Server,
        port: u16,
        token: String,
        session: Option<String>,
    },
}

impl Client {
    /// Starts a server with these words and greets it.
    pub fn start(
        mut command: Command,
        http: bool,
        revision: Revision,
        person: Option<Person>,
    ) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        if http {
            command.arg("--http");
        }
        let mut child = command.spawn().unwrap();
        let input = child.stdin.take();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let server = Server(child);
        let way = if http {
            let mut line = String::new();
            output.read_line(&mut line).unwrap();
            let place: Value =
                serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line:?}: {error}"));
            let url = place["url"].as_str().unwrap();
            let port = url
                .strip_prefix("http://127.0.0.1:")
                .unwrap()
                .strip_suffix("/mcp")
                .unwrap();
            Way::Http {
                server,
                port: port.parse().unwrap(),
                token: std::fs::read_to_string(place["token_file"].as_str().unwrap()).unwrap(),
                session: None,
            }
        } else {
            Way::Stdio {
                server,
                input,
                output,
            }
        };
        let mut client = Self {
            revision,
            person,
            way,
            notices: Vec::new(),
            asked: Vec::new(),
            first: Value::Null,
            id: 0,
        };
        client.first = match revision {
            Revision::Old => {
                let hello = json!({"protocolVersion": "2025-11-25", "capabilities": client.capabilities(),
                    "clientInfo": {"name": "tester", "version": "1"}});
                let first = client.request("initialize", hello);
                client.notify("notifications/initialized", json!({}));
                first
            }
            Revision::New => client.request("server/discover", json!({})),
        };
        client
    }

    fn capabilities(&self) -> Value {
        if self.person.is_some() {
            json!({"elicitation": {}})
        } else {
            json!({})
        }
    }

    /// A message as it goes out.
    pub fn message(&mut self, method: &str, mut params: Value) -> Value {
        self.id += 1;
        if self.revision == Revision::New {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": {"name": "tester", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": self.capabilities(),
            });
        }
        json!({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params})
    }

    #[expect(clippy::needless_pass_by_value, reason = "callers write it in place")]
    pub fn notify(&mut self, method: &str, params: Value) {
        self.write(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// What needs no answer.
    fn write(&mut self, message: &Value) {
        match &mut self.way {
            Way::Stdio { input, .. } => writeln!(input.as_mut().unwrap(), "{message}").unwrap(),
            Way::Http { .. } => {
                let reply = self.post(&message.to_string(), &[]);
                assert_eq!(reply.status, 202, "{message}");
            }
        }
    }

    /// The whole answer, an error included; whatever the server asks meanwhile is answered by the person.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let message = self.message(method, params);
        self.ask(&message)
    }

    pub fn ask(&mut self, message: &Value) -> Value {
        let id = message["id"].clone();
        let mut reply = match &mut self.way {
            Way::Stdio { input, .. } => {
                writeln!(input.as_mut().unwrap(), "{message}").unwrap();
                None
            }
            Way::Http { .. } => {
                let named = message
                    .pointer("/params/name")
                    .or_else(|| message.pointer("/params/uri"));
                let name = named.and_then(Value::as_str).unwrap_or_default().to_owned();
                let method = message["method"].as_str().unwrap().to_owned();
                Some(self.post(
                    &message.to_string(),
                    &[("Mcp-Method", &method), ("Mcp-Name", &name)],
                ))
            }
        };
        let deadline = Instant::now() + PATIENCE;
        loop {
            assert!(
                Instant::now() < deadline,
                "no answer to {message}; {:?}",
                self.notices
            );
            let said = match &mut reply {
                None => self.line(),
                Some(reply) => reply
                    .next()
                    .unwrap_or_else(|| panic!("no answer to {message}: {}", reply.rest)),
            };
            if said.get("method").is_none() && said["id"] == id {
                if let (Way::Http { session, .. }, Some(reply)) = (&mut self.way, &reply)
                    && reply.session.is_some()
                {
                    session.clone_from(&reply.session);
                }
                return said;
            }
            self.take(said);
        }
    }

    /// A line of standard output, which must be a message.
    pub fn line(&mut self) -> Value {
        let Way::Stdio { output, .. } = &mut self.way else {
            panic!("HTTP has no lines")
        };
        let mut line = String::new();
        assert!(
            output.read_line(&mut line).unwrap() > 0,
            "the server has ended"
        );
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line:?}: {error}"))
    }

    fn take(&mut self, said: Value) {
        if said.get("id").is_none() {
            self.notices.push(said);
            return;
        }
        assert_eq!(said["method"], "elicitation/create", "{said}");
        let person = self.person.expect("nobody said that a person can be asked");
        let result = person(&said["params"]);
        self.asked.push(said["params"].clone());
        self.write(&json!({"jsonrpc": "2.0", "id": said["id"], "result": result}));
    }

    /// Calls a tool, and calls again as often as it asks for input; gives the result.
    #[expect(clippy::needless_pass_by_value, reason = "callers write it in place")]
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let mut params = json!({"name": tool, "arguments": arguments});
        for _ in 0..5 {
            let answer = self.request("tools/call", params.clone());
            let result = answer
                .get("result")
                .unwrap_or_else(|| panic!("{answer}"))
                .clone();
            if result["resultType"] != "input_required" {
                return result;
            }
            let questions = result["inputRequests"].as_object().unwrap();
            let person = self.person.expect("nobody said that a person can be asked");
            let answers: serde_json::Map<_, _> = questions
                .iter()
                .map(|(name, question)| (name.clone(), person(&question["params"])))
                .collect();
            self.asked.extend(
                questions
                    .values()
                    .map(|question| question["params"].clone()),
            );
            params["inputResponses"] = Value::Object(answers);
            params["requestState"] = result["requestState"].clone();
        }
        panic!("it asks for ever");
    }

    pub fn post(&self, body: &str, more: &[(&str, &str)]) -> Reply {
        read(self.send(body, more))
    }

    /// Posts, and does not wait for anything.
    pub fn send(&self, body: &str, more: &[(&str, &str)]) -> TcpStream {
        let Way::Http {
            port,
            token,
            session,
            ..
        } = &self.way
        else {
            panic!("no HTTP")
        };
        let mut headers = format!("Authorization: Bearer {token}\r\nHost: 127.0.0.1:{port}\r\n");
        let version = if self.revision == Revision::New {
            "2026-07-28"
        } else {
            "2025-11-25"
        };
        let _ = write!(headers, "MCP-Protocol-Version: {version}\r\n");
        if let Some(session) = session {
            let _ = write!(headers, "Mcp-Session-Id: {session}\r\n");
        }
        for (name, value) in more.iter().filter(|(_, value)| !value.is_empty()) {
            let _ = write!(headers, "{name}: {value}\r\n");
        }
        send(*port, &headers, body)
    }

    pub fn server(&mut self) -> &mut Server {
        match &mut self.way {
            Way::Stdio { server, .. } | Way::Http { server, .. } => server,
        }
    }
}

/// The text of a result.
pub fn text(result: &Value) -> &str {
    result["content"][0]["text"]
        .as_str()
        .unwrap_or_else(|| panic!("{result}"))
}

/// An answer over HTTP, as far as it has come.
pub struct Reply {
    pub status: u16,
    pub session: Option<String>,
    /// What could be read at the end.
    pub rest: String,
    messages: VecDeque<Value>,
    stream: BufReader<TcpStream>,
    chunked: bool,
    length: Option<usize>,
}

/// Posts with these headers, and reads the head of the answer.
pub fn post(port: u16, headers: &str, body: &str) -> Reply {
    read(send(port, headers, body))
}

fn send(port: u16, headers: &str, body: &str) -> TcpStream {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let head = format!(
        "POST /mcp HTTP/1.1\r\n{headers}Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         Connection: close\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    // It may answer before it has read all.
    let _ = stream.write_all(body.as_bytes());
    stream
}

fn read(stream: TcpStream) -> Reply {
    let mut stream = BufReader::new(stream);
    let mut line = String::new();
    stream.read_line(&mut line).unwrap();
    let status = line.split(' ').nth(1).and_then(|word| word.parse().ok());
    let mut reply = Reply {
        status: status.unwrap_or_else(|| panic!("{line:?}")),
        session: None,
        rest: String::new(),
        messages: VecDeque::new(),
        stream,
        chunked: false,
        length: None,
    };
    loop {
        let mut line = String::new();
        reply.stream.read_line(&mut line).unwrap();
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            break;
        };
        match name.to_ascii_lowercase().as_str() {
            "mcp-session-id" => reply.session = Some(value.to_owned()),
            "transfer-encoding" => reply.chunked = value == "chunked",
            "content-length" => reply.length = value.parse().ok(),
            _ => {}
        }
    }
    reply
}

impl Reply {
    /// The next message of the answer; none at its end.
    pub fn next(&mut self) -> Option<Value> {
        loop {
            if let Some(message) = self.messages.pop_front() {
                return Some(message);
            }
            if !self.more() {
                return None;
            }
            // Events, or the one object.
            while let Some((event, rest)) = self.rest.split_once("\n\n") {
                let data = event.lines().find_map(|line| line.strip_prefix("data: "));
                let message = data.and_then(|data| serde_json::from_str(data).ok());
                self.messages.extend(message);
                self.rest = rest.to_owned();
            }
            if let Ok(message) = serde_json::from_str(&self.rest) {
                self.messages.push_back(message);
                self.rest.clear();
            }
        }
    }

    /// Reads a piece; whether there was one.
    fn more(&mut self) -> bool {
        let size = if self.chunked {
            let mut line = String::new();
            self.stream.read_line(&mut line).unwrap();
            usize::from_str_radix(line.trim(), 16).unwrap_or(0)
        } else {
            self.length.take().unwrap_or(0)
        };
        if size == 0 {
            return false;
        }
        let mut bytes = vec![0; size];
        self.stream.read_exact(&mut bytes).unwrap();
        if self.chunked {
            let mut end = String::new();
            self.stream.read_line(&mut end).unwrap();
        }
        self.rest
            .push_str(&String::from_utf8(bytes).unwrap().replace("\r\n", "\n"));
        true
    }
}
