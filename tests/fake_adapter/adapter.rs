//! A scripted debug adapter: the independent oracle that our client is tested against.
//!
//! It shares no type and no framing with the program: `serde_json::Value` and its own reader, so
//! that one misunderstanding of the protocol cannot hide on both sides.
//!
//! - [`options`]: the command line (`--help` prints it): personality, faults, log, script
//! - [`wire`]: frames in and out
//! - [`session`]: the conversation; [`answers`]: what it says about a stopped program
//! - [`debuggee`]: a program that "runs" a source file line by line; [`values`]: its variables
//! - [`faults`]: how it misbehaves, and in which state
//! - [`script`]: a strict line-by-line conversation instead of all that

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test tool stops at once and says where"
)]

mod answers;
mod debuggee;
mod faults;
mod options;
mod script;
mod session;
mod values;
mod wire;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use options::{Options, Transport};
use wire::Output;

/// What arrives from the client.
pub enum Input {
    /// One message.
    Frame(serde_json::Value),
    /// The client closed its end, or sent what is no frame (then with the reason).
    End(Option<String>),
}

fn main() {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => Arc::new(options),
        Err(message) => {
            eprintln!("fake-adapter: {message}");
            std::process::exit(2);
        }
    };
    match options.transport.clone() {
        Transport::Stdio => {
            let (input, deaf) = wire::Stdin::new();
            let output = Output::stdio(&options, deaf);
            converse(&options, input, output, &Arc::default(), 0);
        }
        Transport::Listen(port) => {
            let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
            println!("listening on {}", listener.local_addr().unwrap());
            serve(&options, move || listener.accept().unwrap().0);
        }
        Transport::Unix(path) => {
            let listener = UnixListener::bind(&path).unwrap();
            println!("listening on {}", path.display());
            serve(&options, move || listener.accept().unwrap().0);
        }
        Transport::Connect(address) => {
            let stream = TcpStream::connect(address.as_str()).unwrap();
            converse_over(&options, stream, 0);
        }
    }
}

/// A socket that can be read, written and closed from three places.
trait Socket: Read + Write + Send + wire::Closable + 'static {
    fn duplicate(&self) -> Self;
}
impl Socket for TcpStream {
    fn duplicate(&self) -> Self {
        self.try_clone().unwrap()
    }
}
impl Socket for UnixStream {
    fn duplicate(&self) -> Self {
        self.try_clone().unwrap()
    }
}

/// One session for each connection; the process ends with the last of them.
fn serve<S: Socket>(options: &Arc<Options>, accept: impl Fn() -> S) {
    let open = Arc::new(AtomicUsize::new(0));
    for number in 0.. {
        let stream = accept();
        open.fetch_add(1, Ordering::SeqCst);
        let options = Arc::clone(options);
        let open = Arc::clone(&open);
        std::thread::spawn(move || {
            converse_over(&options, stream, number);
            if open.fetch_sub(1, Ordering::SeqCst) == 1 {
                std::process::exit(options.exit_code_of_adapter);
            }
        });
    }
}

fn converse_over<S: Socket>(options: &Arc<Options>, stream: S, number: usize) {
    let deaf = Arc::new(AtomicBool::new(false));
    let (sink, handle) = (stream.duplicate(), stream.duplicate());
    let output = Output::socket(options, sink, handle, Arc::clone(&deaf));
    converse(options, stream, output, &deaf, number);
}

/// Holds one conversation to its end. Faults belong to the first one, number 0; the log tells them apart.
fn converse(
    options: &Arc<Options>,
    input: impl Read + Send + 'static,
    output: Output,
    deaf: &Arc<AtomicBool>,
    number: usize,
) {
    let (sender, receiver) = channel();
    let (done, finished) = channel::<()>();
    let stdio = matches!(options.transport, Transport::Stdio);
    let log = options.log.clone();
    let deaf = Arc::clone(deaf);
    std::thread::spawn(move || {
        read_all(input, log.as_deref(), number, &deaf, &sender);
        // The session may be stuck in a write that nobody reads: it must end nevertheless.
        if stdio {
            let mut before = wire::written();
            while finished.recv_timeout(Duration::from_secs(2)).is_err() {
                let now = wire::written();
                if now == before {
                    std::process::exit(0);
                }
                before = now;
            }
        }
    });
    match &options.script {
        Some(script) => script::run(script, &receiver, output),
        None => session::Session::new(Arc::clone(options), output, number == 0).run(&receiver),
    }
    if stdio {
        std::process::exit(options.exit_code_of_adapter);
    }
    drop(done);
}

fn read_all(
    input: impl Read,
    log: Option<&std::path::Path>,
    number: usize,
    deaf: &AtomicBool,
    sender: &Sender<Input>,
) {
    let mut reader = wire::Reader::new(input);
    let mut log = log.map(|path| {
        std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .unwrap()
    });
    loop {
        let item = match reader.next_frame() {
            Ok(Some(_)) if deaf.load(Ordering::SeqCst) => continue,
            Ok(Some(mut frame)) => {
                if let Some(log) = &mut log {
                    // One write, so that several connections cannot mix their lines.
                    frame["connection"] = number.into();
                    log.write_all(format!("{frame}\n").as_bytes()).unwrap();
                }
                Input::Frame(frame)
            }
            Ok(None) => Input::End(None),
            Err(why) => Input::End(Some(why)),
        };
        let last = matches!(item, Input::End(_));
        if sender.send(item).is_err() || last {
            return;
        }
    }
}

/// The next input, or `None` when `wait` has passed without one.
fn next_input(receiver: &Receiver<Input>, wait: Option<Duration>) -> Option<Input> {
    match wait {
        None => Some(receiver.recv().unwrap_or(Input::End(None))),
        Some(wait) => match receiver.recv_timeout(wait) {
            Ok(input) => Some(input),
            Err(std::sync::mpsc::RecvTimeoutError::Timeout) => None,
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => Some(Input::End(None)),
        },
    }
}
