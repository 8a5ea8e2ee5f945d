//! A core of the test's own behind a real socket: what it says is under the test's control.

mod files;

use std::collections::BTreeMap;
use std::os::fd::AsFd as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::UnixStream;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::*;
use crate::breakpoint::{Breakpoint, BreakpointAnswer, BreakpointSite};
use crate::core::{Remote, RemoteRequest};
use crate::state::{Session, Stack, Stop, Thread, Watch, WatchValue};
use crate::{
    Change, Command, CoreHandle, DebuggerError, Event, EventKind, OutputChunk, Reply, SessionId,
    State, StopId, WatchId,
};
use dap::types::Capabilities;

const PATIENCE: Duration = Duration::from_secs(20);

/// A core that says what it is told to, and answers every command with `Done` but `Continue`, which it never answers.
struct Puppet {
    events: mpsc::UnboundedSender<(EventKind, oneshot::Sender<()>)>,
    handle: CoreHandle,
    /// One for each request that was taken back.
    taken_back: mpsc::UnboundedReceiver<()>,
    folder: TempDir,
}

impl Puppet {
    fn new() -> Self {
        let (handle, mut remote) = Remote::new();
        let (told, taken_back) = mpsc::unbounded_channel();
        let (events, mut to_say) = mpsc::unbounded_channel::<(EventKind, oneshot::Sender<()>)>();
        base::tasks::spawn(async move {
            let mut state = State::default();
            let mut unanswered = Vec::new();
            let mut followed = false;
            loop {
                tokio::select! {
                    asked = remote.next() => match asked {
                        None => return,
                        Some(RemoteRequest::Follow) => {
                            followed = true;
                            remote.begin(state.clone());
                        }
                        Some(RemoteRequest::Command { command, terms, reply, .. }) => match *command {
                            Command::Continue { .. } => {
                                unanswered.push(reply);
                                if let Some(terms) = terms {
                                    let told = told.clone();
                                    base::tasks::spawn(async move {
                                        terms.taken_back.cancelled().await;
                                        told.send(()).unwrap_or_default();
                                    });
                                }
                            }
                            _ => reply.send(Ok(Reply::Done)).unwrap_or_default(),
                        },
                    },
                    Some((kind, said)) = to_say.recv() => {
                        let event = Event { seq: state.seq + 1, kind };
                        if followed {
                            remote.relay(&event);
                        }
                        state.apply(&event);
                        said.send(()).unwrap_or_default();
                    }
                }
            }
        });
        Self {
            events,
            handle,
            taken_back,
            folder: tempfile::tempdir().unwrap(),
        }
    }

    async fn say(&self, kind: EventKind) {
        let (said, done) = oneshot::channel();
        self.events.send((kind, said)).unwrap();
        done.await.unwrap();
    }

    fn place(&self) -> SocketFolder {
        SocketFolder::make_at(&self.folder.path().join("run")).unwrap()
    }

    async fn host(&self, patience: Duration) -> Host {
        let note = Note::own(HostKind::Serve, "/somewhere".into(), Some("app.py".into()));
        let hosting = Hosting {
            patience,
            ..Hosting::new(self.place(), note)
        };
        serve(self.handle.clone(), hosting).await.unwrap()
    }

    async fn state(&self) -> State {
        self.handle.subscribe().await.unwrap().0
    }
}

fn session(change: Change) -> EventKind {
    EventKind::Session {
        session: SessionId(1),
        change,
    }
}

fn output(text: String) -> EventKind {
    session(Change::Output {
        chunks: Arc::new(vec![OutputChunk {
            category: "stdout".into(),
            text,
            ..OutputChunk::default()
        }]),
    })
}

fn started() -> EventKind {
    EventKind::SessionStarted {
        session: Box::new(Session {
            id: SessionId(1),
            name: "app.py".into(),
            // As an adapter declares them: every one by its name.
            capabilities: serde_json::to_value(Capabilities::default())
                .and_then(serde_json::from_value)
                .unwrap(),
            ..Session::default()
        }),
    }
}

/// Events with numbers as keys, foreign characters and nested types.
fn any_event() -> impl Strategy<Value = EventKind> {
    let stop = || StopId(7);
    prop_oneof![
        "\\PC{0,20}\n?".prop_map(output),
        any::<i64>().prop_map(move |thread| session(Change::Stopped {
            stop: Box::new(Stop {
                id: StopId(7),
                thread_id: Some(thread),
                reason: "breakpoint".into(),
                stacks: BTreeMap::from([(thread, Stack::default()), (-1, Stack::default())]),
                watches: BTreeMap::from([(WatchId(3), WatchValue::default())]),
                ..Stop::default()
            }),
        })),
        any::<i64>().prop_map(move |thread_id| session(Change::Stack {
            stop: stop(),
            thread_id,
            stack: Stack::default(),
        })),
        (any::<i64>(), "\\PC*").prop_map(|(id, name)| session(Change::ThreadStarted {
            thread: Thread {
                id,
                name,
                stopped: false,
            },
        })),
        (1_u64..5, 1_u64..5, any::<bool>()).prop_map(|(id, session, verified)| {
            EventKind::BreakpointSet {
                breakpoint: Box::new(Breakpoint {
                    answers: BTreeMap::from([(
                        SessionId(session),
                        BreakpointAnswer {
                            verified,
                            ..BreakpointAnswer::default()
                        },
                    )]),
                    id: crate::BreakpointId(id),
                    site: BreakpointSite::Source {
                        path: "/a b/ü.py".into(),
                        line: 3,
                        column: None,
                    },
                    condition: None,
                    hit_condition: None,
                    log_message: None,
                    record: None,
                    mode: None,
                    enabled: true,
                    temporary: false,
                    session: None,
                    passing: None,
                    by: None,
                    never_hit: None,
                    anchor: None,
                }),
            }
        }),
        "\\PC*".prop_map(|expression| EventKind::WatchSet {
            watch: Watch {
                id: WatchId(1),
                expression,
                aside: None,
            },
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn snapshot_at_any_point_and_tail_are_the_whole_history(
        events in proptest::collection::vec(any_event(), 1..20)
    ) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(async {
            let puppet = Puppet::new();
            let host = puppet.host(PATIENCE).await;
            puppet.say(started()).await;
            let mut followers = Vec::new();
            for event in events {
                let joined = join(host.path()).await.unwrap();
                followers.push((joined.core.subscribe().await.unwrap(), joined));
                puppet.say(event).await;
            }
            let whole = puppet.state().await;
            for ((mut state, mut tail), _joined) in followers {
                while state.seq < whole.seq {
                    let events = timeout(PATIENCE, tail.next()).await.unwrap().unwrap();
                    for event in &events {
state.apply(event);
}
                }
                assert_eq!(state, whole);
            }
        });
    }
}

/// A client that speaks by hand.
struct Raw {
    lines: tokio::io::Lines<BufReader<tokio::net::unix::OwnedReadHalf>>,
    write: tokio::net::unix::OwnedWriteHalf,
}

impl Raw {
    async fn open(path: &Path) -> Self {
        let (read, write) = UnixStream::connect(path).await.unwrap().into_split();
        let mut raw = Self {
            lines: BufReader::new(read).lines(),
            write,
        };
        let hello = raw.line().await.unwrap();
        assert!(hello.contains("\"protocol\":4"), "{hello}");
        raw
    }

    async fn greeted(path: &Path) -> Self {
        let mut raw = Self::open(path).await;
        raw.say(br#"{"hello":{"protocol":4}}"#).await;
        raw
    }

    async fn say(&mut self, line: &[u8]) {
        self.write.write_all(line).await.unwrap();
        self.write.write_all(b"\n").await.unwrap();
    }

    async fn line(&mut self) -> Option<String> {
        timeout(PATIENCE, self.lines.next_line())
            .await
            .expect("a line in time")
            .ok()
            .flatten()
    }
}

#[tokio::test]
async fn what_cannot_be_meant_is_quoted_back_and_the_connection_goes_on() {
    let puppet = Puppet::new();
    let host = puppet.host(PATIENCE).await;
    let mut raw = Raw::greeted(host.path()).await;
    for (line, says) in [
        (&b"nonsense"[..], &["not a request", "In: nonsense"][..]),
        (b"", &["not a request"]),
        (b"[1,2]", &["not a request", "[1,2]"]),
        (b"\xff\xfe{}", &["not a request"]),
        (br#"{"id":5}"#, &[r#""id":5"#, "this one for nothing"]),
        (
            br#"{"id":6,"subscribe":{},"cancel":1}"#,
            &[r#""id":6"#, "subscribe and cancel"],
        ),
        (br#"{"command":"clear_breakpoints"}"#, &["needs an `id`"]),
        (
            br#"{"id":7,"command":{"fly":{}}}"#,
            &[r#""id":7"#, "unknown variant `fly`"],
        ),
        (
            br#"{"id":8,"command":{"pause":{"session":"x"}}}"#,
            &[r#""id":8"#, "invalid type"],
        ),
        (
            br#"{"id":9,"comand":{}}"#,
            &[r#""id":9"#, "unknown field `comand`"],
        ),
        (br#"{"id":-1,"cancel":3}"#, &["not a request"]),
        (
            "{\"x\u{202e}\u{1b}[31m\":1}".as_bytes(),
            &["\\\\u{202e}", "not a request"],
        ),
        (br#"{"hello":{"protocol":4}}"#, &["One `hello` is enough"]),
    ] {
        raw.say(line).await;
        let answer = raw.line().await.unwrap();
        assert!(answer.contains("\"error\""), "{answer}");
        for part in says {
            assert!(answer.contains(part), "{part:?} in {answer}");
        }
        assert!(
            !answer.contains('\u{202e}') && !answer.contains("\\u001b"),
            "{answer}"
        );
    }
    raw.say(br#"{"id":10,"command":"clear_breakpoints"}"#).await;
    assert_eq!(raw.line().await.unwrap(), r#"{"id":10,"reply":"done"}"#);
}

#[tokio::test]
async fn nothing_is_done_for_those_who_do_not_say_hello() {
    let puppet = Puppet::new();
    let host = puppet.host(PATIENCE).await;
    for (line, says) in [
        (
            &br#"{"id":1,"command":"clear_breakpoints"}"#[..],
            "must be a `hello`",
        ),
        (b"GET / HTTP/1.1", "In: GET / HTTP/1.1"),
        (br#"{"hello":{"protocol":99}}"#, "you speak protocol 99"),
    ] {
        let mut raw = Raw::open(host.path()).await;
        raw.say(line).await;
        let answer = raw.line().await.unwrap();
        assert!(
            answer.starts_with("{\"ended\":") && answer.contains(says),
            "{answer}"
        );
        assert_eq!(raw.line().await, None);
    }
}

#[tokio::test]
async fn a_line_without_an_end_is_refused_and_costs_no_more_than_its_limit() {
    let puppet = Puppet::new();
    let host = puppet.host(PATIENCE).await;
    let mut raw = Raw::greeted(host.path()).await;
    let piece = vec![b'x'; 64 * 1024];
    let mut sent = 0;
    // The host stops reading and closes: then writing fails.
    while raw.write.write_all(&piece).await.is_ok() {
        sent += piece.len();
        assert!(sent < 3 * wire::LONGEST_REQUEST, "the host takes it all");
    }
    assert!(sent >= wire::LONGEST_REQUEST);
}

#[tokio::test]
async fn requests_have_numbers_of_their_own_and_can_be_taken_back() {
    let puppet = Puppet::new();
    let host = puppet.host(PATIENCE).await;
    let wait = br#"{"id":1,"command":{"continue":{}}}"#;
    let mut raw = Raw::greeted(host.path()).await;
    raw.say(wait).await;
    raw.say(br#"{"cancel":1}"#).await;
    let answer = raw.line().await.unwrap();
    assert!(
        answer.contains(r#""id":1"#) && answer.contains("cancelled"),
        "{answer}"
    );
    raw.say(wait).await;
    raw.say(wait).await;
    let answer = raw.line().await.unwrap();
    assert!(answer.contains("still under way"), "{answer}");
    assert_eq!(raw.line().await, None);
}

#[tokio::test]
async fn the_core_ends_with_its_host_and_not_with_a_client() {
    let puppet = Puppet::new();
    let host = puppet.host(PATIENCE).await;
    let mut raw = Raw::greeted(host.path()).await;
    raw.say(br#"{"id":1,"command":"shutdown"}"#).await;
    let answer = raw.line().await.unwrap();
    assert!(
        answer.contains("ends with the process that hosts it"),
        "{answer}"
    );

    let joined = join(host.path()).await.unwrap();
    let (_, mut events) = joined.core.subscribe().await.unwrap();
    assert_eq!(
        joined.core.request(Command::Shutdown).await,
        Ok(Reply::Done)
    );
    assert!(
        events.next().await.is_none(),
        "for the one who left it is over"
    );
    let again = join(host.path()).await.unwrap();
    assert_eq!(
        again.core.request(Command::ClearBreakpoints).await,
        Ok(Reply::Done)
    );
}

#[tokio::test]
async fn who_waits_is_told_when_the_connection_is_lost() {
    let puppet = Puppet::new();
    let host = puppet.host(PATIENCE).await;
    let joined = join(host.path()).await.unwrap();
    let (_, mut events) = joined.core.subscribe().await.unwrap();
    let waiting = joined.core.request(Command::Continue {
        session: None,
        thread: None,
    });
    // Commands are carried in order: once this one is answered, the other one waits in the host.
    assert!(joined.core.request(Command::ClearBreakpoints).await.is_ok());
    drop(host);
    let error: DebuggerError = timeout(PATIENCE, waiting).await.unwrap().unwrap_err();
    assert!(
        error.what.starts_with("The connection to the debugger at ")
            && error.what.contains("was lost"),
        "{error}"
    );
    assert!(events.next().await.is_none());
    assert!(
        joined
            .core
            .request(Command::ClearBreakpoints)
            .await
            .is_err()
    );
}

#[tokio::test]
async fn a_request_with_a_deadline_can_be_taken_back_from_afar() {
    let mut puppet = Puppet::new();
    let host = puppet.host(PATIENCE).await;
    let joined = join(host.path()).await.unwrap();
    let wait = Command::Continue {
        session: None,
        thread: None,
    };
    let waiting = joined.core.request_within(wait, PATIENCE);
    assert!(joined.core.request(Command::ClearBreakpoints).await.is_ok());
    assert!(puppet.taken_back.try_recv().is_err());
    drop(waiting);
    let told = timeout(PATIENCE, puppet.taken_back.recv()).await;
    assert_eq!(told.unwrap(), Some(()));
    // An answer in time leaves nothing behind.
    let in_time = joined
        .core
        .request_within(Command::ClearBreakpoints, PATIENCE);
    assert!(in_time.await.is_ok());
}

#[tokio::test]
async fn a_client_that_stops_reading_holds_nobody_up_and_is_let_go() {
    let puppet = Puppet::new();
    let host = puppet.host(Duration::from_millis(300)).await;
    puppet.say(started()).await;
    let joined = join(host.path()).await.unwrap();
    let (mut state, mut tail) = joined.core.subscribe().await.unwrap();
    let mut slow = UnixStream::connect(host.path()).await.unwrap();
    slow.write_all(b"{\"hello\":{\"protocol\":4}}\n{\"subscribe\":{}}\n")
        .await
        .unwrap();
    let line = "x".repeat(1023) + "\n";
    for _ in 0..4096 {
        puppet.say(output(line.clone())).await;
    }
    let whole = puppet.state().await;
    while state.seq < whole.seq {
        let events = timeout(PATIENCE, tail.next()).await.unwrap().unwrap();
        for event in &events {
            state.apply(event);
        }
    }
    assert_eq!(
        state.sessions, whole.sessions,
        "the other client has it all"
    );
    // It is let go although it still does not read: only then is it read.
    let end = slow.as_fd().try_clone_to_owned().unwrap();
    let let_go = base::tasks::blocking(move || {
        let patience = Timespec::try_from(PATIENCE).unwrap();
        let mut ends = [PollFd::new(&end, PollFlags::RDHUP)];
        poll(&mut ends, Some(&patience))
    });
    assert_eq!(let_go.await.unwrap().unwrap(), 1, "it is let go");
    // What lies in the socket can still be read, and then it is over.
    let mut rest = Vec::new();
    let read = timeout(PATIENCE, slow.read_to_end(&mut rest)).await;
    read.expect("the host closes the connection").ok();
    assert!(rest.len() < 4 * 1024 * 1024, "{} bytes", rest.len());
    assert!(joined.core.request(Command::ClearBreakpoints).await.is_ok());
}
