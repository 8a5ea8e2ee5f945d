//! A provider that does what a test wrote down, over plain sockets: so that nothing of what is tested is on both ends.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// One thing that a server does.
#[derive(Clone, Debug)]
pub enum Step {
    /// Writes these bytes in one write.
    Write(Vec<u8>),
    /// Waits until the test opens the gate of this name.
    Gate(&'static str),
    /// Writes this piece again and again until it cannot any more, at most so often.
    Flood(Vec<u8>, usize),
}

/// How an answer ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Close {
    /// As HTTP says; the connection stays.
    Keep,
    /// The connection is closed where it is.
    Cut,
    /// The connection is reset where it is.
    Reset,
}

/// What is answered to one request.
#[derive(Clone, Debug)]
pub struct Answer {
    pub status: &'static str,
    pub headers: Vec<(&'static str, String)>,
    pub steps: Vec<Step>,
    pub close: Close,
    /// Chunked, or with a length.
    pub chunked: bool,
}

impl Answer {
    pub fn stream(pieces: &[&[u8]]) -> Self {
        Self {
            status: "200 OK",
            headers: vec![(
                "Content-Type",
                "text/event-stream; charset=utf-8".to_owned(),
            )],
            steps: pieces.iter().map(|p| Step::Write(p.to_vec())).collect(),
            close: Close::Keep,
            chunked: true,
        }
    }

    pub fn plain(status: &'static str, kind: &str, body: &str) -> Self {
        Self {
            status,
            headers: vec![
                ("Content-Type", kind.to_owned()),
                ("Content-Length", body.len().to_string()),
            ],
            steps: vec![Step::Write(body.into())],
            close: Close::Keep,
            chunked: false,
        }
    }

    pub fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }
}

/// What was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The first line.
    pub line: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Asked {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self
            .headers
            .iter()
            .find(|(n, _)| n.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}

#[derive(Default)]
struct Shared {
    gates: Mutex<Vec<&'static str>>,
    asked: Mutex<Vec<Asked>>,
    changed: Condvar,
    /// How much each flood could write.
    flooded: Mutex<Vec<usize>>,
    over: AtomicBool,
}

pub struct Provider {
    pub address: SocketAddr,
    shared: Arc<Shared>,
}

impl Provider {
    /// Answers the n-th request to a path with the n-th answer given for it, the last one again and again.
    pub fn start(answers: impl IntoIterator<Item = (&'static str, Vec<Answer>)>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared::default());
        let answers: HashMap<_, _> = answers
            .into_iter()
            .map(|(path, answers)| (path, Mutex::new((0, answers))))
            .collect();
        let answers = Arc::new(answers);
        let ours = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if ours.over.load(Ordering::Relaxed) {
                    return;
                }
                let (answers, shared) = (Arc::clone(&answers), Arc::clone(&ours));
                std::thread::spawn(move || {
                    // A client may go away at any moment.
                    let _ = serve(&stream, &answers, &shared);
                });
            }
        });
        Self { address, shared }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn open(&self, gate: &'static str) {
        self.shared.gates.lock().unwrap().push(gate);
        self.shared.changed.notify_all();
    }

    /// What was asked until now.
    pub fn asked(&self) -> Vec<Asked> {
        self.shared.asked.lock().unwrap().clone()
    }

    /// Waits until so many requests came.
    pub fn wait_asked(&self, count: usize) -> Vec<Asked> {
        let asked = self.shared.asked.lock().unwrap();
        let (asked, waited) = self
            .shared
            .changed
            .wait_timeout_while(asked, PATIENCE, |asked| asked.len() < count)
            .unwrap();
        assert!(
            !waited.timed_out(),
            "{count} requests were awaited: {asked:#?}"
        );
        asked.clone()
    }

    /// How much the first flood could write until nobody took more for a while.
    pub fn wait_flooded(&self) -> usize {
        let flooded = self.shared.flooded.lock().unwrap();
        let (flooded, waited) = self
            .shared
            .changed
            .wait_timeout_while(flooded, PATIENCE, |flooded| flooded.is_empty())
            .unwrap();
        assert!(!waited.timed_out(), "the flood goes on");
        flooded[0]
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        self.shared.over.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect(self.address);
    }
}

type Answers = HashMap<&'static str, Mutex<(usize, Vec<Answer>)>>;

fn serve(stream: &TcpStream, answers: &Answers, shared: &Shared) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream.try_clone()?);
    loop {
        let Some(asked) = read_request(&mut reader)? else {
            return Ok(());
        };
        let target = asked.line.split(' ').nth(1).unwrap().to_owned();
        let path = target.split('?').next().unwrap().to_owned();
        shared.asked.lock().unwrap().push(asked);
        shared.changed.notify_all();
        let answer = match answers.get(path.as_str()) {
            Some(list) => {
                let mut list = list.lock().unwrap();
                let at = list.0.min(list.1.len() - 1);
                list.0 += 1;
                list.1[at].clone()
            }
            None => Answer::plain("404 Not Found", "text/plain", &target),
        };
        respond(stream, &answer, shared)?;
        match answer.close {
            Close::Keep => {}
            Close::Cut => return stream.shutdown(Shutdown::Both),
            Close::Reset => {
                let linger = rustix::net::sockopt::set_socket_linger(stream, Some(Duration::ZERO));
                return Ok(linger?);
            }
        }
    }
}

fn read_request(reader: &mut BufReader<TcpStream>) -> std::io::Result<Option<Asked>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut headers = Vec::new();
    loop {
        let mut header = String::new();
        reader.read_line(&mut header)?;
        let header = header.trim_end();
        let Some((name, value)) = header.split_once(':') else {
            break;
        };
        headers.push((name.to_owned(), value.trim().to_owned()));
    }
    let asked = Asked {
        line: line.trim_end().to_owned(),
        headers,
        body: Vec::new(),
    };
    let mut body = Vec::new();
    if let Some(length) = asked.header("content-length") {
        body.resize(length.parse().unwrap(), 0);
        reader.read_exact(&mut body)?;
    } else if asked.header("transfer-encoding").is_some() {
        loop {
            let mut size = String::new();
            reader.read_line(&mut size)?;
            let size = usize::from_str_radix(size.trim(), 16).unwrap();
            let from = body.len();
            body.resize(from + size, 0);
            reader.read_exact(&mut body[from..])?;
            reader.read_line(&mut String::new())?;
            if size == 0 {
                break;
            }
        }
    }
    Ok(Some(Asked { body, ..asked }))
}

fn respond(mut stream: &TcpStream, answer: &Answer, shared: &Shared) -> std::io::Result<()> {
    let mut head = format!("HTTP/1.1 {}\r\n", answer.status);
    for (name, value) in &answer.headers {
        head += &[name, ": ", value, "\r\n"].concat();
    }
    if answer.chunked {
        head.push_str("Transfer-Encoding: chunked\r\n");
    }
    head.push_str("\r\n");
    stream.write_all(head.as_bytes())?;
    let frame = |piece: &[u8]| {
        if !answer.chunked {
            return piece.to_vec();
        }
        let size = format!("{:x}\r\n", piece.len());
        [size.as_bytes(), piece, b"\r\n"].concat()
    };
    for step in &answer.steps {
        match step {
            Step::Write(piece) => stream.write_all(&frame(piece))?,
            Step::Gate(name) => {
                let gates = shared.gates.lock().unwrap();
                let (_gates, waited) = shared
                    .changed
                    .wait_timeout_while(gates, PATIENCE, |gates| !gates.contains(name))
                    .unwrap();
                assert!(!waited.timed_out(), "nobody opened {name:?}");
            }
            Step::Flood(piece, most) => {
                let framed = frame(piece);
                stream.set_write_timeout(Some(Duration::from_millis(1500)))?;
                let mut written = 0;
                for _ in 0..*most {
                    match stream.write(&framed) {
                        Ok(count) => written += count,
                        Err(_) => break,
                    }
                }
                shared.flooded.lock().unwrap().push(written);
                shared.changed.notify_all();
            }
        }
    }
    if answer.chunked && answer.close == Close::Keep {
        stream.write_all(b"0\r\n\r\n")?;
    }
    Ok(())
}
