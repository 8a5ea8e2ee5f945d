//! Takes a session down while it happens: every message as it passes, without secrets, compressed, within bounds.
//!
//! A [`Tap`] only puts a message into a queue; a thread of its own takes secrets out, packs and writes. It lets a step's messages gather for
//! [`GATHERS`] before it begins: written one by one they cost the step a fifth of its time, in wake-ups and in the processor that the
//! adapter wants just then. What was packed is flushed when nothing waits any more, and in a burst every [`BURST`] messages, so that a
//! recording can be read up to that when its writer was killed.

use std::{
    fs::File,
    io::Write as _,
    os::unix::fs::OpenOptionsExt as _,
    sync::{
        Condvar, OnceLock,
        atomic::{AtomicU64, AtomicUsize, Ordering},
        mpsc::{Receiver, Sender, channel},
    },
    thread::JoinHandle,
    time::{Instant, UNIX_EPOCH},
};

use dap::client::{Direction, Tap};
use flate2::{Compression, write::GzEncoder};

use super::format::{From, Header, LIMIT, ONCE_MORE, Recorded, VERSION};
use crate::{prelude::*, tool::printed::Printed};

/// Bytes before compression after which a file is full; a reader takes twice as many.
const FULL: u64 = LIMIT / 2;
/// Bytes of messages that wait to be written. More is left out, and counted.
const WAITING: usize = 64 * 1024 * 1024;
/// Messages of a burst that are packed before they are flushed: each flush costs some bytes of the file.
const BURST: usize = 64;
/// How long messages gather before they are written: what a killed writer may be missing at most.
const GATHERS: Duration = Duration::from_millis(50);

/// What waits to be written.
enum Line {
    Session {
        number: u64,
        parent: Option<u64>,
        adapter: String,
        program: String,
        at: u64,
    },
    Message {
        session: u64,
        from: From,
        at: u64,
        content: Bytes,
    },
    End,
}

/// How much was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WrittenCounts {
    /// Messages in the file.
    pub messages: u64,
    /// Messages that are not: the file was full, or they came faster than they could be written.
    pub left_out: u64,
    /// Why writing ended before its time.
    pub trouble: Option<String>,
}

/// What the taps and the writer share.
#[derive(Debug, Default)]
struct Shared {
    waiting: AtomicUsize,
    messages: AtomicU64,
    left_out: AtomicU64,
    trouble: OnceLock<String>,
    /// Somebody waits for the end of the file.
    ends: Mutex<bool>,
    ending: Condvar,
}

impl Shared {
    fn fail(&self, why: String) {
        // The first trouble is told.
        let _ = self.trouble.set(why);
    }

    /// Returns after [`GATHERS`], or when the file is to end.
    fn gather(&self) {
        let ends = lock(&self.ends);
        // Who died while holding it changes nothing about what is to be done.
        let _ = self.ending.wait_timeout_while(ends, GATHERS, |ends| !*ends);
    }

    /// From now on nothing gathers.
    fn end(&self) {
        *lock(&self.ends) = true;
        self.ending.notify_all();
    }
}

/// Writes one recording.
#[derive(Debug)]
pub struct Recorder {
    lines: Sender<Line>,
    writer: Mutex<Option<JoinHandle<()>>>,
    shared: Arc<Shared>,
    began: Instant,
    path: PathBuf,
}

impl Recorder {
    /// Begins a file that only its owner may read. One that is there already is never overwritten.
    pub fn create(path: &Path, redactor: Redactor) -> io::Result<Self> {
        let file = File::options()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(path)?;
        let (lines, queue) = channel();
        let shared = Arc::new(Shared::default());
        let writer = Writer {
            file: GzEncoder::new(file, Compression::fast()),
            printed: Printed::new(redactor.clone().into()),
            redactor,
            shared: Arc::clone(&shared),
            written: 0,
            first: None,
        };
        let writer = std::thread::Builder::new()
            .name("recorder".to_owned())
            .spawn(move || writer.run(&queue))?;
        Ok(Self {
            lines,
            writer: Mutex::new(Some(writer)),
            shared,
            began: Instant::now(),
            path: path.to_owned(),
        })
    }

    /// Its file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A session begins: what sees its messages.
    pub fn session(&self, number: u64, parent: Option<u64>, adapter: &str, program: &str) -> Tap {
        let line = Line::Session {
            number,
            parent,
            adapter: adapter.to_owned(),
            program: program.to_owned(),
            at: since(self.began, Instant::now()),
        };
        // A writer that is gone has said why.
        let _ = self.lines.send(line);
        // Each tap has a sender, so that the last words of an adapter are written, too.
        let (shared, began, lines) = (Arc::clone(&self.shared), self.began, self.lines.clone());
        Arc::new(move |tapped| {
            let size = tapped.content.len();
            let waiting = shared.waiting.fetch_add(size, Ordering::AcqRel);
            let is_taken = waiting <= WAITING
                && shared.trouble.get().is_none()
                && lines
                    .send(Line::Message {
                        session: number,
                        from: match tapped.direction {
                            Direction::Sent => From::Client,
                            Direction::Received => From::Adapter,
                        },
                        at: since(began, tapped.at),
                        content: tapped.content.clone(),
                    })
                    .is_ok();
            if !is_taken {
                shared.waiting.fetch_sub(size, Ordering::AcqRel);
                shared.left_out.fetch_add(1, Ordering::Relaxed);
            }
        })
    }

    /// Ends the file and says what is in it. What taps still see is left out.
    pub fn finish(&self) -> WrittenCounts {
        // A writer that is gone has said why.
        let _ = self.lines.send(Line::End);
        self.shared.end();
        // Whoever else wants it to be finished waits here until it is.
        let mut writer = lock(&self.writer);
        if writer.take().is_some_and(|writer| writer.join().is_err()) {
            self.shared.fail("its writer died".to_owned());
        }
        drop(writer);
        self.written()
    }

    /// What was written until now.
    pub fn written(&self) -> WrittenCounts {
        WrittenCounts {
            messages: self.shared.messages.load(Ordering::Relaxed),
            left_out: self.shared.left_out.load(Ordering::Relaxed),
            trouble: self.shared.trouble.get().cloned(),
        }
    }
}

/// Milliseconds from the beginning of a recording.
fn since(began: Instant, at: Instant) -> u64 {
    let passed = at.saturating_duration_since(began).as_millis();
    u64::try_from(passed).unwrap_or(u64::MAX)
}

/// The thread that writes.
struct Writer {
    file: GzEncoder<File>,
    redactor: Redactor,
    /// What programs print, where a secret's name and the secret may come in two messages.
    printed: Printed,
    shared: Arc<Shared>,
    /// Bytes before compression.
    written: u64,
    /// The session that is played; its messages carry no number.
    first: Option<u64>,
}

impl Writer {
    fn run(mut self, queue: &Receiver<Line>) {
        let (mut is_over, mut is_empty) = (false, true);
        while !is_over && let Ok(line) = queue.recv() {
            if is_empty {
                self.shared.gather();
            }
            let mut result = self.line(line);
            for _ in 1..BURST {
                if !matches!(result, Ok(false)) {
                    break;
                }
                let waiting = queue.try_recv();
                is_empty = waiting.is_err();
                let Ok(line) = waiting else { break };
                result = self.line(line);
            }
            is_over = matches!(result, Ok(true));
            if let Err(error) = result.and_then(|_| self.file.flush()) {
                self.shared.fail(error.to_string());
                return;
            }
        }
        if self.shared.left_out.load(Ordering::Relaxed) > 0 {
            let left_out = self.shared.left_out.load(Ordering::Relaxed);
            let note = json!({ "note": format!("{left_out} messages are not in this recording.") });
            // What is missing from a full disk is said where it was noticed.
            let _ = writeln!(self.file, "{note}");
        }
        if let Err(error) = self.file.try_finish() {
            self.shared.fail(error.to_string());
        }
    }

    /// Says whether it was the last.
    fn line(&mut self, line: Line) -> io::Result<bool> {
        match line {
            Line::End => return Ok(true),
            Line::Session {
                number,
                parent,
                adapter,
                program,
                at,
            } => {
                let program = self.redactor.redact(&program).into_owned();
                if self.first == Some(number) {
                    let line = json!({ "note": ONCE_MORE });
                    self.write(&line.to_string())?;
                } else if self.first.is_some() {
                    let line = json!({ "session": number, "adapter": adapter, "program": program, "parent": parent, "at": at });
                    self.write(&line.to_string())?;
                } else {
                    self.first = Some(number);
                    let started = SystemTime::now().duration_since(UNIX_EPOCH).ok();
                    let header = Header {
                        omp_debug_recording: VERSION,
                        adapter,
                        program,
                        started: started.and_then(|since| u64::try_from(since.as_millis()).ok()),
                        session: Some(number),
                    };
                    self.write(&serde_json::to_string(&header)?)?;
                }
            }
            Line::Message {
                session,
                from,
                at,
                content,
            } => {
                self.shared
                    .waiting
                    .fetch_sub(content.len(), Ordering::AcqRel);
                if self.written >= FULL {
                    if self.shared.left_out.fetch_add(1, Ordering::Relaxed) == 0 {
                        let note = json!({ "note": format!("The recording is full after {} bytes; what came later is not in it.", self.written) });
                        writeln!(self.file, "{note}")?;
                    }
                    return Ok(false);
                }
                // What is no JSON has no message; a recording holds what was said.
                let Ok(mut message) = serde_json::from_slice::<Value>(&content) else {
                    self.shared.left_out.fetch_add(1, Ordering::Relaxed);
                    return Ok(false);
                };
                self.hide_printed(session, &mut message);
                self.redactor.redact_json(&mut message);
                let recorded = Recorded {
                    from,
                    message,
                    at: Some(at),
                    session: (self.first != Some(session)).then_some(session),
                };
                self.write(&serde_json::to_string(&recorded)?)?;
                self.shared.messages.fetch_add(1, Ordering::Relaxed);
            }
        }
        Ok(false)
    }

    fn hide_printed(&mut self, session: u64, message: &mut Value) {
        if message.get("event").is_none_or(|event| event != "output") {
            return;
        }
        let body = message.get_mut("body");
        if let Some(Value::Object(body)) = body
            && let Some(Value::String(text)) = body.get("output")
        {
            let category = body.get("category").and_then(Value::as_str);
            let category = category.unwrap_or("console");
            let hidden = self.printed.at_once(SessionId(session), category, text);
            body.insert("output".to_owned(), hidden.into());
        }
    }

    fn write(&mut self, line: &str) -> io::Result<()> {
        self.written += line.len() as u64 + 1;
        writeln!(self.file, "{line}")
    }
}

#[cfg(test)]
mod tests {
    use super::super::Recording;
    use super::*;
    use dap::client::Tapped;

    fn say(tap: &Tap, direction: Direction, content: &str) {
        let content = Bytes::copy_from_slice(content.as_bytes());
        tap(Tapped {
            direction,
            at: Instant::now(),
            content: &content,
        });
    }

    const STOP: &str = r#"{"seq":2,"type":"event","event":"stopped","body":{"reason":"step","threadId":1,"text":"password=hunter2222"}}"#;

    #[test]
    fn what_passes_is_read_again_without_secrets() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.rec");
        let recorder = Recorder::create(&path, Redactor::new()).unwrap();
        let tap = recorder.session(4, None, "x", "/p/a.py");
        say(&tap, Direction::Received, STOP);
        say(&tap, Direction::Received, "no json");
        let child = recorder.session(5, Some(4), "x", "/p/b.py");
        say(&child, Direction::Received, STOP);
        drop((tap, child));
        let written = recorder.finish();
        assert_eq!((written.messages, written.left_out), (2, 1));
        assert_eq!(written.trouble, None);
        let recording = Recording::read(&path, dir.path()).unwrap();
        assert_eq!(recording.program, "/p/a.py");
        assert_eq!(
            (recording.stops(), recording.others, recording.messages),
            (1, 1, 2)
        );
        assert_eq!(recording.notes, ["1 messages are not in this recording."]);
        let mut text = String::new();
        io::Read::read_to_string(
            &mut flate2::read::GzDecoder::new(File::open(&path).unwrap()),
            &mut text,
        )
        .unwrap();
        assert!(!text.contains("hunter2222"), "{text}");
        // What is there is not overwritten.
        assert!(Recorder::create(&path, Redactor::new()).is_err());
    }

    #[test]
    fn a_recording_of_a_killed_writer_is_read_as_far_as_it_goes() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.rec");
        let recorder = Recorder::create(&path, Redactor::new()).unwrap();
        let tap = recorder.session(1, None, "x", "/p/a.py");
        for _ in 0..100 {
            say(&tap, Direction::Received, STOP);
        }
        drop(tap);
        recorder.finish();
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, &bytes[..bytes.len() - 12]).unwrap();
        let recording = Recording::read(&path, dir.path()).unwrap();
        assert!(recording.stops() > 0);
        assert!(
            recording.notes[0].contains("cut short"),
            "{:?}",
            recording.notes
        );
        fs::write(&path, &bytes[..60]).unwrap();
        let why = Recording::read(&path, dir.path()).unwrap_err();
        assert!(why.contains("is cut short: nothing"), "{why}");
    }
}
