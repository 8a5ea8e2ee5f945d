//! An inspector that misbehaves: it answers never, too much, nonsense, refuses, or goes away. The test is the process that is looked at.

// Alone: it is looked for by the ports where its own process listens, and others listen elsewhere.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use omp_debug::diagnostics::Cancel;
use omp_debug::diagnostics::profile::Profile;
use omp_debug::diagnostics::profile::sample::{Source, Tools};
use omp_debug::diagnostics::profile::take::{ProcessChoice, Request, take};
use serde_json::{Value, json};
use tungstenite::{Message, WebSocket};

use crate::support;

/// How a fake behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Habit {
    /// As Node does: a function that is on top of all samples.
    Good,
    /// Its list is not found: no inspector at all.
    Stranger,
    /// It lists, and will not speak.
    NoTalk,
    /// It accepts, and says nothing.
    Silent,
    /// It says what is no JSON.
    Nonsense,
    /// It knows no profiler.
    Refuses,
    /// It announces more than anybody takes.
    Huge,
    /// Its samples are at nodes that are not there.
    Broken,
    /// It has samples without times.
    Timeless,
    /// It throws us out before the first sample, or after it.
    Leaves { after: u32 },
    /// Its bytes come one at a time.
    Slow,
    /// It gives its last samples never.
    Forgets,
}

struct Fake {
    address: SocketAddr,
    over: Arc<AtomicBool>,
    serving: Option<JoinHandle<()>>,
}

impl Fake {
    fn begin(habit: Habit) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let address = listener.local_addr().expect("its number");
        let over = Arc::new(AtomicBool::new(false));
        let ends = Arc::clone(&over);
        let serving = std::thread::spawn(move || {
            let mut talks = Vec::new();
            for stream in listener.incoming() {
                if ends.load(Ordering::SeqCst) {
                    break;
                }
                let Ok(stream) = stream else { continue };
                talks.push(std::thread::spawn(move || serve(stream, address, habit)));
            }
            drop(listener);
            for talk in talks {
                let _ = talk.join();
            }
        });
        Self {
            address,
            over,
            serving: Some(serving),
        }
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
        if let Some(serving) = self.serving.take() {
            let _ = serving.join();
        }
    }
}

/// One connection: a page, or a conversation.
fn serve(mut stream: TcpStream, address: SocketAddr, habit: Habit) {
    let mut head = [0; 2048];
    let seen = stream.peek(&mut head).unwrap_or(0);
    let head = String::from_utf8_lossy(&head[..seen]).into_owned();
    if head.contains("Upgrade: websocket") && habit != Habit::NoTalk {
        if let Ok(socket) = tungstenite::accept(stream) {
            converse(socket, habit);
        }
        return;
    }
    let _ = stream.read(&mut [0; 2048]);
    let (status, body) = if habit == Habit::Stranger || head.contains("Upgrade") {
        ("404 Not Found", "no".to_owned())
    } else if head.contains("/json/version") {
        ("200 OK", json!({"Browser": "fake/1"}).to_string())
    } else {
        let url = format!("ws://{address}/one");
        let page = json!({"type": "page", "webSocketDebuggerUrl": "ws://h/page"});
        let node = json!({"type": "node", "webSocketDebuggerUrl": url});
        ("200 OK", json!([page, node]).to_string())
    };
    let length = body.len();
    let _ = write!(
        stream,
        "HTTP/1.0 {status}\r\nContent-Length: {length}\r\n\r\n{body}"
    );
}

fn profile(habit: Habit, number: u32) -> Value {
    let start = f64::from(number) * 1_000_000.0;
    let samples = if habit == Habit::Broken {
        [7, 7, 7]
    } else {
        [2, 2, 3]
    };
    let call =
        |name: &str| json!({"functionName": name, "url": "file:///srv/a.js", "lineNumber": 4});
    let mut profile = json!({
        "nodes": [
            {"id": 1, "callFrame": call("(root)"), "hitCount": 0, "children": [2, 3]},
            {"id": 2, "callFrame": call("busy"), "hitCount": 2},
            {"id": 3, "callFrame": call("(idle)"), "hitCount": 1},
        ],
        "startTime": start,
        "endTime": start + 40_000.0,
        "samples": samples,
        "timeDeltas": [10_000, 10_000, 10_000],
    });
    if habit == Habit::Timeless
        && let Some(profile) = profile.as_object_mut()
    {
        profile.remove("samples");
        profile.remove("timeDeltas");
    }
    json!({"profile": profile})
}

fn converse(mut socket: WebSocket<TcpStream>, habit: Habit) {
    let mut stops = 0;
    let say = |socket: &mut WebSocket<TcpStream>, text: String| {
        let _ = socket.send(Message::text(text));
    };
    while let Ok(message) = socket.read() {
        let Message::Text(text) = message else {
            continue;
        };
        let asked: Value = serde_json::from_str(&text).expect("we ask in JSON");
        let (id, method) = (&asked["id"], asked["method"].as_str().unwrap_or_default());
        let mut result = json!({});
        match (habit, method) {
            (Habit::Silent, _) => continue,
            (Habit::Nonsense, _) => {
                say(&mut socket, "good \u{1b}[31m morning".to_owned());
                continue;
            }
            (Habit::Refuses, "Profiler.start") => {
                let error = json!({"code": -32000, "message": "Profiler is not \u{7}enabled"});
                say(&mut socket, json!({"id": id, "error": error}).to_string());
                continue;
            }
            (Habit::Huge, "Profiler.start") => {
                // Text, final, of 2^40 bytes.
                let _ = socket
                    .get_mut()
                    .write_all(&[0x81, 127, 0, 0, 1, 0, 0, 0, 0, 0]);
                continue;
            }
            (Habit::Slow, "Profiler.start") => {
                // Text, final, of a hundred bytes, of which some come for as long as somebody listens.
                let _ = socket.get_mut().write_all(&[0x81, 100]);
                for _ in 0..90 {
                    if socket.get_mut().write_all(b" ").is_err() {
                        return;
                    }
                    std::thread::park_timeout(Duration::from_millis(200));
                }
                continue;
            }
            (Habit::Forgets, "Profiler.stop") if stops > 0 => continue,
            (_, "Profiler.stop") => {
                stops += 1;
                result = profile(habit, stops);
            }
            (Habit::Leaves { after }, "Profiler.start") if stops >= after => return,
            _ => {}
        }
        say(&mut socket, json!({"id": id, "result": result}).to_string());
    }
}

/// What comes of taking one of this process for so many seconds while that fake listens.
fn taken(habit: Habit, seconds: f64) -> (Result<Profile, String>, Duration) {
    let fake = Fake::begin(habit);
    let request = Request {
        duration: Some(Duration::from_secs_f64(seconds)),
        with: Some(Source::Inspector),
        ..Request::of(ProcessChoice::Own)
    };
    let never = Cancel::default();
    let begun = Instant::now();
    let taken = take(&request, &Tools::default(), &never, &never, &mut |_| true);
    let took = begun.elapsed();
    drop(fake);
    (taken.map_err(|error| error.to_string()), took)
}

/// One after the other: all listen in this one process.
#[test]
fn whatever_an_inspector_says_or_does_not_say_has_a_sentence() {
    let _beside = support::beside();
    let (profile, _) = taken(Habit::Good, 2.5);
    let profile = profile.expect("a profile");
    let busy = profile.frames.iter().find(|frame| &*frame.name == "busy");
    assert_eq!(
        busy.and_then(|frame| frame.file.as_deref()),
        Some("/srv/a.js")
    );
    // Two samples of ten milliseconds in each part; a second lies between two parts, as the fake has it.
    assert_eq!(profile.total() / profile.samples.len() as u64, 10_000_000);
    assert!(profile.lost > 90, "{}", profile.lost);
    assert!(
        profile
            .notes
            .iter()
            .any(|note| note.contains("is not in it"))
    );

    let dead = [
        (Habit::Stranger, "has none open; start it with --inspect"),
        (Habit::NoTalk, "does not speak as an inspector does"),
        (Habit::Silent, "said nothing within 5 s"),
        (Habit::Nonsense, "which is no message"),
        (Habit::Refuses, "fake/1 refuses: Profiler is not"),
        (Habit::Huge, "more than 256 MiB at once"),
        (Habit::Slow, "said nothing within 5 s"),
        (
            Habit::Broken,
            "what its inspector sent: this .cpuprofile is broken",
        ),
        (
            Habit::Timeless,
            "what its inspector sent: its samples have no times",
        ),
        (Habit::Leaves { after: 0 }, "closed the connection"),
    ];
    for (habit, why) in dead {
        let (taken, took) = taken(habit, 1.5);
        let said = taken.expect_err("nothing can be had of it");
        assert!(said.contains(why), "{habit:?}: {said}");
        assert!(!said.contains(['\u{1b}', '\u{7}']), "{habit:?}: {said:?}");
        assert!(took < Duration::from_secs(9), "{habit:?}: {took:?}");
    }

    // What there is is kept.
    let (profile, took) = taken(Habit::Leaves { after: 1 }, 30.0);
    let profile = profile.expect("a profile");
    let said = profile.notes.join("\n");
    assert!(
        said.contains("it ended too early") && said.contains("closed the connection"),
        "{said}"
    );
    assert!(took < Duration::from_secs(9), "{took:?}");
    let (profile, took) = taken(Habit::Forgets, 1.5);
    let profile = profile.expect("a profile");
    let said = profile.notes.join("\n");
    assert!(said.contains("it may lack its end"), "{said}");
    assert!(took < Duration::from_secs(25), "{took:?}");
}
