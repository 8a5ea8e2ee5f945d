//! Goals about event streams: G12. The parser beside those of others, a stream read by ours beside `curl -N`, and what the proxy
//! adds to the first byte and to a whole stream. Clients here are plain sockets, the server is a script.

use std::convert::Infallible;
use std::hint::black_box;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use bytes::Bytes;
use color_eyre::eyre::{Result, WrapErr as _, ensure, eyre};
use futures_util::{FutureExt as _, StreamExt as _, stream};
use omp_debug::diagnostics::sse::parser::Parser;

use super::options::{Goal, Options};
use super::support::provider::{Answer, Provider};
use super::support::tools;
use super::table::{Bound, Measured, Row, median};

/// In the order in which they are printed.
pub const GOALS: &[Goal] = &[
    Goal {
        name: "G12",
        measure: parsers,
    },
    Goal {
        name: "G12",
        measure: wires,
    },
];

/// Events of a piece that the server writes at once: a provider writes each as it comes.
const TOGETHER: usize = 1;

/// An event of 127 bytes, as a provider sends them.
fn event(number: usize) -> String {
    let text = format!(
        "event: content_block_delta\ndata: {{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{{\"type\":\"text_delta\",\"text\":\"{number:07}\"}}}}\n\n"
    );
    text
}

fn row(what: &str, unit: &'static str, ours: f64, floor: Option<f64>, bound: Bound) -> Row {
    Row {
        goal: "G12",
        what: what.to_owned(),
        unit,
        ours,
        floor,
        bound,
    }
}

fn parsers(options: &Options) -> Measured {
    let mut measured = Measured::default();
    measured.add("parsing", parse(options));
    measured
}

fn parse(options: &Options) -> Result<Vec<Row>> {
    let count = if options.quick { 50_000 } else { 500_000 };
    let text: String = (0..count).map(event).collect();
    let pieces: Vec<Bytes> = text
        .as_bytes()
        .chunks(4096)
        .map(Bytes::copy_from_slice)
        .collect();
    let timed = |work: &dyn Fn() -> usize| -> Result<f64> {
        let began = Instant::now();
        let found = work();
        ensure!(found == count, "{found} of {count} events were found");
        Ok(began.elapsed().as_secs_f64() * 1000.0)
    };
    let ours = || {
        let mut found = 0;
        let mut parser = Parser::default();
        for piece in &pieces {
            parser.push(piece, &mut |frame| {
                let frame = black_box(frame);
                found += usize::from(frame.complete && frame.data.is_some());
            });
        }
        found
    };
    // Both wait for nothing, so that no runtime is in their figures.
    let source = || stream::iter(pieces.iter().cloned().map(Ok::<_, Infallible>));
    let one = || {
        let found = sse_stream::SseStream::from_bytes_stream(source())
            .filter(|event| std::future::ready(black_box(event).is_ok()))
            .count();
        found.now_or_never().unwrap_or(0)
    };
    let two = || {
        use eventsource_stream::Eventsource as _;
        let found = source()
            .eventsource()
            .filter(|event| std::future::ready(black_box(event).is_ok()))
            .count();
        found.now_or_never().unwrap_or(0)
    };
    let (mut all, mut first, mut second) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..options.rounds {
        first.push(timed(&one)?);
        all.push(timed(&ours)?);
        second.push(timed(&two)?);
    }
    let ours = median(&all);
    Ok(vec![
        row(
            "parsing, beside sse-stream",
            "ms",
            ours,
            Some(median(&first)),
            Bound::Times(1.0 / 1.5),
        ),
        row(
            "parsing, beside eventsource-stream",
            "ms",
            ours,
            Some(median(&second)),
            Bound::Told,
        ),
    ])
}

fn wires(options: &Options) -> Measured {
    let mut measured = Measured::default();
    let count = if options.quick { 20_000 } else { 200_000 };
    let pieces: Vec<String> = (0..count / TOGETHER)
        .map(|piece| {
            (0..TOGETHER)
                .map(|at| event(piece * TOGETHER + at))
                .collect()
        })
        .collect();
    let length: usize = pieces.iter().map(String::len).sum();
    let pieces: Vec<&[u8]> = pieces.iter().map(String::as_bytes).collect();
    let provider = Provider::start([
        ("/stream", vec![Answer::stream(&pieces)]),
        ("/first", vec![Answer::stream(&[event(0).as_bytes()])]),
    ]);
    let stream = format!("{}/stream", provider.url());
    measured.add("beside curl", beside_curl(options, &stream, count));
    measured.add("through the proxy", through(options, &provider, length));
    measured
}

/// A stream that is asked for, to its end.
fn beside_curl(options: &Options, url: &str, count: usize) -> Result<Vec<Row>> {
    let (mut ours, mut floor) = (Vec::new(), Vec::new());
    for _ in 0..options.rounds {
        let mut curl = Command::new("curl");
        floor.push(lines(curl.args(["-sSN", url]), b"data:", count)?);
        let mut own = Command::new(tools::omp_debug());
        ours.push(lines(own.args(["sse", "--once", url]), b"data:", count)?);
    }
    Ok(vec![row(
        "a stream to its end, beside curl -N",
        "ms",
        median(&ours),
        Some(median(&floor)),
        Bound::Times(1.0 / 0.95),
    )])
}

/// How long it takes until a program has printed that many lines with this beginning, in milliseconds.
fn lines(command: &mut Command, prefix: &[u8], count: usize) -> Result<f64> {
    let began = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .wrap_err_with(|| format!("cannot start {}", command.get_program().display()))?;
    let output = child.stdout.take().ok_or_else(|| eyre!("no output"))?;
    let mut output = BufReader::with_capacity(1 << 18, output);
    let mut line = Vec::new();
    let mut found = 0;
    while {
        line.clear();
        output.read_until(b'\n', &mut line)? > 0
    } {
        found += usize::from(line.starts_with(prefix));
    }
    child.wait()?;
    ensure!(found == count, "{found} of {count} events came");
    Ok(began.elapsed().as_secs_f64() * 1000.0)
}

/// A proxy that runs; dropping it ends it.
struct Proxy {
    child: Child,
    address: String,
}

impl Proxy {
    fn start(upstream: &str) -> Result<Self> {
        let mut child = Command::new(tools::omp_debug())
            .args(["sse", "proxy", "-o", "/dev/null", "--upstream", upstream])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()?;
        let errors = child.stderr.take().ok_or_else(|| eyre!("no output"))?;
        let mut errors = BufReader::new(errors);
        let mut line = String::new();
        errors.read_line(&mut line)?;
        let address = line
            .split(' ')
            .find_map(|word| word.strip_prefix("http://127.0.0.1:"))
            .map(|port| format!("127.0.0.1:{port}"));
        std::thread::spawn(move || errors.read_to_end(&mut Vec::new()));
        let address = address.ok_or_else(|| eyre!("the proxy said {line:?}"))?;
        Ok(Self { child, address })
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Asks for a path; how long the first byte of the body took, and all of it, in milliseconds. At least `length` bytes must come.
fn ask(address: &str, path: &str, length: usize) -> Result<(f64, f64)> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    let began = Instant::now();
    let elapsed = || began.elapsed().as_secs_f64() * 1000.0;
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
    )?;
    let mut buffer = vec![0; 1 << 18];
    let mut found: Vec<u8> = Vec::new();
    let (mut first, mut total) = (None, 0);
    loop {
        let read = stream.read(&mut buffer)?;
        let Some(piece) = buffer.get(..read).filter(|piece| !piece.is_empty()) else {
            break;
        };
        total += read;
        if first.is_none() {
            found.extend_from_slice(piece);
            if memchr::memmem::find(&found, b"data:").is_some() {
                first = Some(elapsed());
            }
        }
        // A server that keeps its connections says with this that it is all.
        if piece.ends_with(b"\r\n0\r\n\r\n") || piece == b"0\r\n\r\n" {
            break;
        }
    }
    ensure!(total >= length, "{total} of {length} bytes came");
    let first = first.ok_or_else(|| eyre!("no event came"))?;
    Ok((first, elapsed()))
}

fn through(options: &Options, provider: &Provider, length: usize) -> Result<Vec<Row>> {
    let proxy = Proxy::start(&provider.url())?;
    let direct = provider.address.to_string();
    let (mut added, mut ours, mut floor) = (Vec::new(), Vec::new(), Vec::new());
    // The connection to the provider is there after the first one, as it is after the first question of a session.
    ask(&proxy.address, "/first", 0)?;
    for _ in 0..options.rounds {
        for _ in 0..10 {
            let (alone, _) = ask(&direct, "/first", 0)?;
            let (passed, _) = ask(&proxy.address, "/first", 0)?;
            added.push(passed - alone);
        }
        floor.push(ask(&direct, "/stream", length)?.1);
        ours.push(ask(&proxy.address, "/stream", length)?.1);
    }
    Ok(vec![
        row(
            "what the proxy adds to the first event",
            "ms",
            median(&added),
            None,
            Bound::Most(1.0),
        ),
        row(
            "a stream through the proxy, recorded",
            "ms",
            median(&ours),
            Some(median(&floor)),
            Bound::Times(1.05),
        ),
    ])
}
