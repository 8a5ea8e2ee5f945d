//! Against debug servers of the test's own: what they are asked, what they are refused, and whose child they become.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpStream, tcp};
use tokio::{task::JoinHandle, time::timeout};

use super::server::MAX_BODY;
use super::{ServerTree, connect, join};
use crate::adapters::{self, Program, ServerLaunch, Servers};
use base::tasks;
use dap::client::{Connection, Incoming, RequestError};
use dap::codec::DapCodec;
use dap::server::{Frames, Out};
use dap::transport::{AdapterSpec, ConnectMode};

const PATIENCE: Duration = Duration::from_secs(20);

/// The description of the real table.
fn servers() -> Servers {
    let table = adapters::Table::builtin();
    let mut candidates = table.iter().flat_map(|adapter| &adapter.command);
    let found = candidates.find_map(|candidate| candidate.servers.clone());
    *found.unwrap()
}

/// A program that lives until it is ended and has no server in it: the test speaks for that.
struct Stage {
    folder: TempDir,
    connecting: JoinHandle<Result<(Connection, Arc<ServerTree>), String>>,
    address: String,
    token: String,
}

impl Stage {
    async fn open() -> Self {
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("told");
        let part = folder.path().join("part");
        let script = format!(
            "echo \"$0 $DEBUGPY_EXTRA_ARGV\" > {part}; mv {part} {file}; exec sleep 60",
            part = part.display(),
            file = file.display()
        );
        let connecting = start(&["/bin/sh", "-c", &script, "${address}"], PATIENCE);
        let text = async {
            loop {
                match std::fs::read_to_string(&file) {
                    Ok(text) => break text,
                    Err(_) => tokio::time::sleep(Duration::from_millis(5)).await,
                }
            }
        };
        let text = timeout(PATIENCE, text).await.unwrap();
        let words: Vec<&str> = text.split_whitespace().collect();
        let [address, "--adapter-access-token", token] = words[..] else {
            panic!("{text}");
        };
        Self {
            address: address.to_owned(),
            token: token.to_owned(),
            folder,
            connecting,
        }
    }

    /// One that comes and is asked for its secret.
    async fn comes(&self) -> Fake {
        Fake::at(&self.address).await
    }

    /// One of ours.
    async fn server(&self, pid: i64, parent: i64) -> Fake {
        let mut fake = self.comes().await;
        fake.shows(&self.token).await;
        fake.names_itself(pid, parent).await;
        fake
    }

    /// The root, with its session begun.
    async fn root(mut self) -> (Fake, Core, Self) {
        let mut fake = self.server(100, 1).await;
        let made = timeout(PATIENCE, &mut self.connecting).await.unwrap();
        let (connection, family) = made.unwrap().unwrap();
        let mut core = Core { connection, family };
        core.begins(
            "launch",
            json!({ "program": "p", "args": ["a"] }),
            &mut fake,
        )
        .await;
        (fake, core, self)
    }
}

fn start(
    argv: &[&str],
    patience: Duration,
) -> JoinHandle<Result<(Connection, Arc<ServerTree>), String>> {
    let launch = ServerLaunch {
        in_terminal: false,
        before: argv.iter().map(|word| (*word).to_owned()).collect(),
        program: Vec::new(),
        cwd: Some(PathBuf::from("/")),
        env: Vec::new(),
        servers: servers(),
    };
    let spec = AdapterSpec {
        name: "test".to_owned(),
        argv: Vec::new(),
        cwd: PathBuf::from("/"),
        env: Vec::new(),
        connect: ConnectMode::Stdio,
        banner: None,
        banner_names_port: false,
        ready_timeout: patience,
        supervisor: None,
        ptrace: false,
        attaches: false,
    };
    let (terminals, _) = tokio::sync::oneshot::channel();
    tasks::spawn(connect(spec, launch, terminals, None))
}

/// A debug server.
struct Fake {
    frames: Frames<tcp::OwnedReadHalf>,
    out: Out,
}

impl Fake {
    async fn at(address: &str) -> Self {
        Self::of(TcpStream::connect(address).await.unwrap())
    }

    fn of(stream: TcpStream) -> Self {
        let (read, write) = stream.into_split();
        Self {
            frames: Frames::new(read, DapCodec::client()),
            out: Out::over(write),
        }
    }

    async fn is_let_go(&mut self) -> bool {
        self.hears().await.is_none()
    }

    async fn hears(&mut self) -> Option<Value> {
        let frame = timeout(PATIENCE, self.frames.next()).await.unwrap()?;
        Some(serde_json::from_slice(&frame).unwrap())
    }

    /// The next request, which must be this one.
    async fn asked(&mut self, command: &str) -> Value {
        let heard = self.hears().await;
        let heard = heard.unwrap_or_else(|| panic!("gone, and not asked {command}"));
        assert_eq!(heard["command"], command, "{heard}");
        heard
    }

    async fn answers(&self, request: &Value, body: Value) {
        let seq = request["seq"].as_i64().unwrap();
        let command = request["command"].as_str().unwrap();
        self.out.answer(seq, command, Ok(body)).await;
    }

    async fn agrees(&mut self, command: &str) -> Value {
        let request = self.asked(command).await;
        self.answers(&request, json!({})).await;
        request
    }

    async fn shows(&mut self, secret: &str) {
        let request = self.asked("pydevdAuthorize").await;
        self.answers(&request, json!({ "clientAccessToken": secret }))
            .await;
    }

    async fn names_itself(&mut self, pid: i64, parent: i64) {
        let request = self.asked("pydevdSystemInfo").await;
        let body = json!({ "process": { "pid": pid, "ppid": parent } });
        self.answers(&request, body).await;
    }
}

/// The core's side.
struct Core {
    connection: Connection,
    family: Arc<ServerTree>,
}

impl Core {
    fn ask(&self, command: &str, arguments: Value) -> JoinHandle<Result<Value, RequestError>> {
        let answer = self
            .connection
            .client
            .within(PATIENCE)
            .send_raw(command, arguments);
        tasks::spawn(async move { answer.await.map(|answer| answer.value()) })
    }

    async fn hears(&mut self) -> Incoming {
        let heard = timeout(PATIENCE, self.connection.incoming.recv()).await;
        heard.unwrap().unwrap()
    }

    async fn event(&mut self, name: &str) {
        match self.hears().await {
            Incoming::Event(event) => assert_eq!(event.event, name),
            other => panic!("{other:?} instead of {name}"),
        }
    }

    async fn begins(&mut self, start: &str, arguments: Value, fake: &mut Fake) -> Value {
        let initialized = self.ask("initialize", json!({}));
        fake.agrees("initialize").await;
        let capabilities = initialized.await.unwrap().unwrap();
        let started = self.ask(start, arguments);
        let asked = fake.agrees(start).await;
        assert_eq!(asked["arguments"]["isOutputRedirected"], true);
        self.event("initialized").await;
        let configured = self.ask("configurationDone", json!({}));
        fake.agrees("configurationDone").await;
        configured.await.unwrap().unwrap();
        started.await.unwrap().unwrap();
        capabilities
    }

    /// A child is announced; its configuration.
    async fn announced(&mut self) -> (dap::message::Request, Value) {
        match self.hears().await {
            Incoming::Request(request) => {
                assert_eq!(request.command, "startDebugging");
                let mut arguments = request.arguments.value();
                (request, arguments["configuration"].take())
            }
            other => panic!("{other:?} instead of a child"),
        }
    }

    /// Takes a child that was announced.
    fn joins(&self, configuration: &Value) -> Self {
        Self {
            connection: join(&self.family, configuration, "test", None),
            family: Arc::clone(&self.family),
        }
    }
}

#[tokio::test]
async fn who_does_not_know_the_secret_is_nobody() {
    let mut stage = Stage::open().await;
    for secret in ["", "guess", &stage.token.replace(['0', '1'], "2")] {
        let mut stranger = stage.comes().await;
        stranger.shows(secret).await;
        assert!(stranger.is_let_go().await, "{secret} was let in");
    }
    let mut mute = stage.comes().await;
    let request = mute.asked("pydevdAuthorize").await;
    mute.answers(&request, json!({})).await;
    assert!(mute.is_let_go().await);
    let mut refusing = stage.comes().await;
    let request = refusing.asked("pydevdAuthorize").await;
    let seq = request["seq"].as_i64().unwrap();
    refusing
        .out
        .answer(seq, "pydevdAuthorize", Err("no".to_owned()))
        .await;
    assert!(refusing.is_let_go().await);
    let mut web = TcpStream::connect(&stage.address).await.unwrap();
    web.write_all(b"POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}")
        .await
        .unwrap();
    assert!(!stage.connecting.is_finished());

    // None of them was taken for the root.
    let _root = stage.server(100, 1).await;
    let made = timeout(PATIENCE, &mut stage.connecting).await.unwrap();
    let (_connection, _family) = made.unwrap().unwrap();
    let mut late = stage.comes().await;
    late.shows("guess").await;
    assert!(late.is_let_go().await);
}

#[tokio::test]
async fn a_server_is_told_all_before_the_start_is_answered() {
    let mut stage = Stage::open().await;
    let mut fake = stage.server(100, 1).await;
    let made = timeout(PATIENCE, &mut stage.connecting).await.unwrap();
    let (connection, family) = made.unwrap().unwrap();
    let mut core = Core { connection, family };
    let initialized = core.ask("initialize", json!({}));
    let request = fake.asked("initialize").await;
    fake.answers(
        &request,
        json!({ "supportsLogPoints": true, "supportTerminateDebuggee": true }),
    )
    .await;
    let capabilities = initialized.await.unwrap().unwrap();
    assert_eq!(capabilities["supportsLogPoints"], true);
    assert_eq!(capabilities["supportTerminateDebuggee"], false);

    let started = core.ask("launch", json!({ "program": "p" }));
    let launch = fake.asked("launch").await;
    assert_eq!(launch["arguments"]["program"], "p");
    assert_eq!(launch["arguments"]["isOutputRedirected"], true);
    for event in ["process", "initialized", "thread"] {
        fake.out.event(event, json!({})).await;
    }
    fake.answers(&launch, json!({})).await;
    // What the server says of itself waits; that it may be configured does not, and is said once.
    core.event("initialized").await;
    assert!(!started.is_finished());
    let configured = core.ask("configurationDone", json!({}));
    fake.agrees("configurationDone").await;
    configured.await.unwrap().unwrap();
    started.await.unwrap().unwrap();
    fake.out.event("stopped", json!({})).await;
    for event in ["process", "thread", "stopped"] {
        core.event(event).await;
    }
    // All threads are meant.
    for command in ["continue", "pause"] {
        let done = core.ask(command, json!({ "threadId": 1 }));
        let request = fake.agrees(command).await;
        assert_eq!(request["arguments"]["threadId"], "*");
        done.await.unwrap().unwrap();
    }
    // And a program that is quicker than the answer has gone on.
    let done = core.ask("continue", json!({ "threadId": 1 }));
    fake.asked("continue").await;
    drop(fake);
    assert_eq!(done.await.unwrap().unwrap()["allThreadsContinued"], true);
}

#[tokio::test]
async fn the_first_is_the_root_and_the_others_are_below_it() {
    let (_root, mut core, stage) = Stage::open().await.root().await;
    let mut fake = stage.server(101, 100).await;
    let (request, configuration) = core.announced().await;
    assert_eq!(configuration["subProcessId"], 101);
    assert_eq!(configuration["name"], "Subprocess 101");
    assert_eq!(configuration["program"], "p");
    assert!(configuration.get("args").is_none(), "{configuration}");
    let mut child = core.joins(&configuration);
    core.connection.client.respond(&request, Ok(json!({})));
    child.begins("attach", configuration, &mut fake).await;

    // Of the child, of nobody we know.
    let _grandchild = stage.server(102, 101).await;
    let (_, configuration) = child.announced().await;
    assert_eq!(configuration["subProcessId"], 102);
    let _foundling = stage.server(103, 7).await;
    let (_, configuration) = core.announced().await;
    assert_eq!(configuration["subProcessId"], 103);
    // A process has one server.
    let mut second = stage.server(101, 100).await;
    assert!(second.is_let_go().await);
}

#[tokio::test]
async fn older_names_are_known() {
    let (_root, mut core, stage) = Stage::open().await.root().await;
    let mut fake = stage.comes().await;
    fake.shows(&stage.token).await;
    let newer = fake.asked("pydevdSystemInfo").await;
    let seq = newer["seq"].as_i64().unwrap();
    fake.out
        .answer(seq, "pydevdSystemInfo", Err("unknown".to_owned()))
        .await;
    let older = fake.asked("pydevd_systemInfo").await;
    fake.answers(&older, json!({ "process": { "pid": 55 } }))
        .await;
    let (_, configuration) = core.announced().await;
    assert_eq!(configuration["subProcessId"], 55);
}

#[tokio::test]
async fn what_a_server_asks_is_refused() {
    let (mut root, mut core, _stage) = Stage::open().await.root().await;
    let arguments = json!({ "args": ["rm", "-r", "/"], "cwd": "/" });
    root.out.request(9, "runInTerminal", &arguments).await;
    let answer = root.hears().await.unwrap();
    assert_eq!(answer["request_seq"], 9);
    assert_eq!(answer["success"], false);
    root.out.event("thread", json!({})).await;
    // It is the next thing that the core hears.
    core.event("thread").await;
}

#[tokio::test]
async fn a_message_has_a_limit() {
    let (mut root, mut core, stage) = Stage::open().await.root().await;
    let frame = |length: usize| {
        let around = json!({ "type": "event", "event": "output", "body": { "output": "" } });
        let text = around.to_string();
        let filling = "x".repeat(length - text.len());
        text.replace("\"\"", &format!("\"{filling}\""))
    };
    root.out.send(frame(MAX_BODY).into()).await;
    core.event("output").await;
    root.out.send(frame(MAX_BODY + 1).into()).await;
    assert!(root.is_let_go().await);
    // Nothing is reserved for what is announced, and nobody who announces more is one of ours.
    let mut stranger = TcpStream::connect(&stage.address).await.unwrap();
    let header = format!("Content-Length: {}\r\n\r\n", MAX_BODY + 1);
    stranger.write_all(header.as_bytes()).await.unwrap();
    let mut stranger = Fake::of(stranger);
    stranger.asked("pydevdAuthorize").await;
    assert!(stranger.is_let_go().await);
}

#[tokio::test]
async fn a_server_outlives_the_sessions_with_it() {
    let (_root, mut core, stage) = Stage::open().await.root().await;
    let mut fake = stage.server(101, 100).await;
    let (request, configuration) = core.announced().await;
    let mut child = core.joins(&configuration);
    core.connection.client.respond(&request, Ok(json!({})));
    child
        .begins("attach", configuration.clone(), &mut fake)
        .await;
    // A second one at the same time is not to be had.
    let mut second = core.joins(&configuration);
    assert!(matches!(second.hears().await, Incoming::Closed(_)));
    // The core vanishes: the server is told, so that nothing stands still for ever, and can be come to again.
    drop(child);
    let told = fake.agrees("disconnect").await;
    assert_eq!(told["arguments"]["terminateDebuggee"], false);
    let mut again = core.joins(&configuration);
    again.begins("attach", configuration, &mut fake).await;
    // It leaves politely, and then the process ends.
    let left = again.ask("disconnect", json!({}));
    let told = fake.agrees("disconnect").await;
    assert_eq!(told["arguments"]["terminateDebuggee"], false);
    left.await.unwrap().unwrap();
    again.event("terminated").await;
    drop(again);
    drop(fake);
    // Whoever comes now finds that it is over.
    let mut late = core.joins(&json!({ "subProcessId": 101 }));
    late.ask("initialize", json!({})).await.unwrap().unwrap();
    late.ask("attach", json!({})).await.unwrap().unwrap();
    late.event("terminated").await;
}

#[tokio::test]
async fn a_process_for_which_nobody_comes_runs() {
    let (_root, mut core, stage) = Stage::open().await.root().await;
    let mut fake = stage.server(101, 100).await;
    let (request, _) = core.announced().await;
    let refused = Err("there are too many".to_owned());
    core.connection.client.respond(&request, refused);
    fake.agrees("initialize").await;
    let attach = fake.agrees("attach").await;
    assert_eq!(attach["arguments"]["subProcessId"], 101);
    fake.agrees("configurationDone").await;
    let goodbye = fake.agrees("disconnect").await;
    assert_eq!(goodbye["arguments"]["terminateDebuggee"], false);
}

#[tokio::test]
async fn the_end_of_the_root_is_that_of_its_process() {
    let (root, mut core, stage) = Stage::open().await.root().await;
    root.out.event("terminated", json!({})).await;
    let ended = core.ask("disconnect", json!({ "terminateDebuggee": true }));
    match core.hears().await {
        Incoming::Event(event) => {
            assert_eq!(event.event, "exited");
            assert_eq!(event.body.value()["exitCode"], 128 + 15);
        }
        other => panic!("{other:?}"),
    }
    core.event("terminated").await;
    ended.await.unwrap().unwrap();
    let process = core.connection.process.take().unwrap();
    drop(core);
    process.shutdown(PATIENCE).await;
    // Nobody listens any more.
    let closed = async {
        while TcpStream::connect(&stage.address).await.is_ok() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(PATIENCE, closed).await.unwrap();
    drop(stage.folder);
}

#[tokio::test]
async fn why_no_server_came_is_told() {
    let ended = start(
        &["/bin/sh", "-c", "echo no such module >&2; exit 3"],
        PATIENCE,
    );
    let why = ended.await.unwrap().unwrap_err();
    assert!(
        why.contains("code 3") && why.contains("no such module"),
        "{why}"
    );
    let late = start(&["/bin/sleep", "60"], Duration::from_millis(100));
    let why = late.await.unwrap().unwrap_err();
    assert!(why.contains("did not connect to 127.0.0.1:"), "{why}");
    let missing = start(&["/nonexistent/python"], PATIENCE);
    let why = missing.await.unwrap().unwrap_err();
    assert!(why.contains("/nonexistent/python"), "{why}");
}

/// What the launch arguments ask for that only the adapter can do.
#[test]
fn only_what_can_be_done_is_done_without_the_adapter() {
    let table = adapters::Table::builtin();
    let adapter = table
        .iter()
        .find(|a| a.command.iter().any(|c| c.servers.is_some()))
        .unwrap();
    let Some(Program::PythonModule { module }) = adapter.command.first().map(|c| &c.program) else {
        panic!("no module");
    };
    // A Python of a folder's own, with the module in it.
    let folder = TempDir::new().unwrap();
    let packages = folder.path().join("lib/python3.11/site-packages");
    std::fs::create_dir_all(packages.join(module)).unwrap();
    let python = folder.path().join("bin/python");
    let secret = servers().secret;
    let reader = packages.join(module).join(&secret.reader);
    std::fs::create_dir_all(reader.parent().unwrap()).unwrap();
    std::fs::write(&reader, "").unwrap();
    let with = |arguments: Value| resolved(adapter, &python).without_adapter(&arguments);
    let all = |more: Value| {
        let mut arguments = json!({ "console": "internalConsole", "program": "/p.py", "cwd": "/", "args": ["${token}"] });
        let both = arguments.as_object_mut().unwrap();
        both.extend(more.as_object().unwrap().clone());
        arguments
    };
    // One that does not read its secret from there has the adapter's way.
    assert_eq!(with(all(json!({}))), None);
    std::fs::write(&reader, &secret.env).unwrap();
    let launch = with(all(
        json!({ "subProcess": false, "env": { "A": "1", "B": null } }),
    ))
    .unwrap();
    assert_eq!(launch.program, ["/p.py", "${token}"]);
    let line = launch.before.join(" ");
    assert!(line.starts_with(python.to_str().unwrap()), "{line}");
    assert!(
        line.contains(packages.join(module).to_str().unwrap()),
        "{line}"
    );
    assert!(line.ends_with("--configure-subProcess False"), "{line}");
    assert!(launch.env.contains(&("A".to_owned(), Some("1".to_owned()))));
    assert!(launch.env.contains(&("B".to_owned(), None)));

    let other = with(all(
        json!({ "python": ["/py", "-O"], "pythonArgs": ["-B"], "sudo": false }),
    ));
    assert_eq!(other.unwrap().before.get(..3).unwrap(), ["/py", "-O", "-B"]);
    let one = with(all(json!({ "python": "/py" }))).unwrap();
    assert_eq!(one.before.first().unwrap(), "/py");
    for needed in [
        json!({ "console": "externalTerminal" }),
        json!({ "console": "integratedTerminal", "redirectOutput": true }),
        json!({ "noDebug": true }),
        json!({ "sudo": true }),
        json!({ "gevent": true }),
        json!({ "redirectOutput": false }),
        json!({ "args": "in one text" }),
        json!({ "module": "m" }),
        json!({ "debugOptions": ["RedirectOutput"] }),
        json!({ "env": { "A": 1 } }),
    ] {
        assert_eq!(with(all(needed.clone())), None, "{needed}");
    }
    assert_eq!(with(json!({ "console": "internalConsole" })), None);

    // In a terminal it is what a shell would start there.
    let terminal = json!({ "console": "integratedTerminal", "redirectOutput": false });
    let terminal = with(all(terminal)).unwrap();
    assert!(terminal.in_terminal && !launch.in_terminal);
    assert!(
        terminal
            .env
            .iter()
            .all(|(name, _)| name != "PYTHONUNBUFFERED"),
        "{:?}",
        terminal.env
    );
    let redirected = &terminal.servers.launch_extra["isOutputRedirected"];
    assert_eq!(redirected, &json!(false));
}

fn resolved(adapter: &Arc<adapters::Adapter>, python: &Path) -> adapters::Resolved {
    let argv = vec![python.to_str().unwrap().to_owned()];
    let context = adapters::Context::new(PathBuf::from("/"), std::collections::BTreeMap::new());
    adapters::Resolved::for_tests(adapter, argv, servers(), &context)
}
