//! Recordings of memray, which only memray itself reads: its format is promised to nobody.
//!
//! Python is started with a few lines that have memray's own reader go through the recording and print a line of JSON for each stack. It is
//! bounded in time and in what it may print, and ends with us. Without memray, what is said is how to get it.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use serde::Deserialize;

use super::{Allocations, Figures, ImportError, Known, Origin, Site, Tool};
use crate::diagnostics::profile::import::{Strings, line_number};
use crate::diagnostics::profile::sample::{Helper, Tools};
use crate::diagnostics::profile::{Builder, Frame, StackId, Unit};
use crate::text::sanitise::sanitise;

/// What Python runs; what it cannot do it says on its last line.
const SCRIPT: &str = include_str!("memray.py");
/// It ends with this where there is no memray.
const NO_MEMRAY: i32 = 3;
/// How long it may take.
const PATIENCE: Duration = Duration::from_mins(5);
/// Bytes that it may print, and those of a line.
const MOST: u64 = 2 << 30;
const LONGEST: u64 = 16 << 20;
/// Lines that are handed over at once, and such batches that may wait.
const BATCH: usize = 256;
const WAITING: usize = 64;
/// How often it is looked whether anybody still waits.
const LOOK: Duration = Duration::from_millis(50);

/// Packed with LZ4 when it is whole, and plain while it is written.
pub(super) fn looks_like(head: &[u8]) -> bool {
    let is_lz4 = head.starts_with(&[0x04, 0x22, 0x4d, 0x18]);
    // The first words of a packed block stand in it as they are.
    let words = head.get(..head.len().min(64)).unwrap_or_default();
    head.starts_with(b"memray\0") || is_lz4 && memchr::memmem::find(words, b"memray").is_some()
}

/// A line of the script's.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    /// The version of memray, and the command that was recorded.
    About(String, String),
    /// Bytes, blocks and the stack at the peak; names, files and lines, the innermost first.
    Peak(u64, u64, Vec<(String, String, i64)>),
    /// The same of what was never freed.
    Leaked(u64, u64, Vec<(String, String, i64)>),
    /// All is there: so many stacks.
    End(u64),
}

/// Has a recording read.
pub(super) fn read(origin: &Origin<'_>) -> Result<Allocations, ImportError> {
    let Some(path) = origin.path else {
        return Err(ImportError::Unknown(
            "it is a recording of memray, which reads files only: name the file instead of a pipe"
                .to_owned(),
        ));
    };
    // It runs elsewhere.
    let path = std::path::absolute(path)?;
    for python in pythons(origin.tools) {
        if let Some(found) = ask(&python, &path, origin)? {
            return Ok(found);
        }
    }
    Err(ImportError::Unknown(
        "it is a recording of memray, which only memray reads, and no Python of PATH has it: pip install memray".to_owned(),
    ))
}

/// The Pythons there are; the one that memray was installed for first.
fn pythons(tools: &Tools) -> Vec<PathBuf> {
    let beside = tools.find("memray").and_then(|memray| {
        let python = memray.parent()?.join("python3");
        python.is_file().then_some(python)
    });
    let mut all: Vec<PathBuf> = beside
        .into_iter()
        .chain(
            ["python3", "python"]
                .iter()
                .filter_map(|name| tools.find(name)),
        )
        .collect();
    all.dedup();
    all
}

/// Reads with this Python; nothing where it has no memray.
fn ask(
    python: &Path,
    path: &Path,
    origin: &Origin<'_>,
) -> Result<Option<Allocations>, ImportError> {
    let mut command = origin.tools.command(python);
    command.args(["-c", SCRIPT]).arg(path);
    // A module beside the recording is none of Python's.
    command.current_dir("/").stdout(Stdio::piped());
    let failed =
        |error: crate::diagnostics::profile::sample::SampleError| broken(error.to_string());
    let mut helper = Helper::start("memray", &mut command).map_err(failed)?;
    let (sender, lines) = sync_channel(WAITING);
    let listener = helper
        .output()
        .map(|output| std::thread::spawn(move || listen(output, &sender)));
    let begun = Instant::now();
    let mut reader = Reader::default();
    loop {
        if origin.cancel.is_cancelled() {
            return Err(ImportError::Cancelled);
        }
        if begun.elapsed() > PATIENCE {
            return Err(broken(
                "it took more than five minutes and was ended".to_owned(),
            ));
        }
        match lines.recv_timeout(LOOK) {
            Ok(Heard::Lines(batch)) => batch.iter().try_for_each(|line| reader.line(line))?,
            Ok(Heard::TooMuch) => {
                return Err(broken("it said more than 2 GB and was ended".to_owned()));
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    let status = helper.wait(Duration::from_secs(5));
    if let Some(listener) = listener {
        let _ = listener.join();
    }
    match status.and_then(|status| status.code()) {
        Some(0) if reader.is_whole => Ok(Some(reader.finish(python))),
        Some(NO_MEMRAY) => Ok(None),
        _ => Err(failed(helper.failed(status))),
    }
}

fn broken(why: String) -> ImportError {
    ImportError::Broken {
        format: Tool::Memray.title(),
        place: "what memray makes of it".to_owned(),
        why,
    }
}

/// What came from the helper.
enum Heard {
    Lines(Vec<Vec<u8>>),
    TooMuch,
}

/// Hands on what is printed until there is no more of it, or nobody listens.
fn listen(output: impl Read, to: &SyncSender<Heard>) {
    let mut output = BufReader::new(output.take(MOST));
    let mut batch = Vec::new();
    loop {
        let mut line = Vec::new();
        let read = (&mut output).take(LONGEST).read_until(b'\n', &mut line);
        let is_over = !matches!(read, Ok(1..));
        if !is_over {
            if line.last() != Some(&b'\n') {
                // Cut off: by the bound, or because the helper ended, which says why by itself.
                if output.get_ref().limit() == 0 || line.len() as u64 == LONGEST {
                    let _ = to.send(Heard::TooMuch);
                }
                return;
            }
            batch.push(line);
        }
        if is_over || batch.len() >= BATCH {
            let sent = to.send(Heard::Lines(std::mem::take(&mut batch)));
            if is_over || sent.is_err() {
                return;
            }
        }
    }
}

struct Reader {
    builder: Builder,
    strings: Strings,
    sites: std::collections::BTreeMap<StackId, Figures>,
    version: String,
    /// How many came.
    stacks: u64,
    is_whole: bool,
}

impl Default for Reader {
    fn default() -> Self {
        Self {
            builder: Builder::new(Unit::Bytes),
            strings: Strings::default(),
            sites: std::collections::BTreeMap::new(),
            version: String::new(),
            stacks: 0,
            is_whole: false,
        }
    }
}

impl Reader {
    fn line(&mut self, line: &[u8]) -> Result<(), ImportError> {
        let line: Line = serde_json::from_slice(line).map_err(|error| {
            let some: String = String::from_utf8_lossy(line).chars().take(60).collect();
            broken(format!("{some:?} is not what was asked for: {error}"))
        })?;
        match line {
            Line::About(version, command) => {
                self.version = version;
                if !command.is_empty() {
                    let note = format!("recorded: {}", sanitise(&command));
                    self.builder.about().notes.push(note);
                }
            }
            Line::Peak(bytes, blocks, stack) => {
                self.site(&stack).add(&Figures {
                    bytes,
                    blocks,
                    ..Figures::default()
                });
            }
            Line::Leaked(leaked, leaked_blocks, stack) => {
                self.site(&stack).add(&Figures {
                    leaked,
                    leaked_blocks,
                    ..Figures::default()
                });
            }
            Line::End(count) => self.is_whole = count == self.stacks,
        }
        Ok(())
    }

    fn site(&mut self, stack: &[(String, String, i64)]) -> &mut Figures {
        self.stacks += 1;
        let mut top = None;
        for (name, file, line) in stack.iter().rev() {
            let frame = Frame {
                name: self.strings.get(name),
                file: self.strings.some(file),
                line: line_number(*line),
                module: None,
            };
            let frame = self.builder.frame(frame);
            top = Some(self.builder.stack(top, frame));
        }
        let stack = top.unwrap_or_else(|| {
            let frame = self.builder.frame(Frame {
                name: "(no Python frame)".into(),
                ..Frame::default()
            });
            self.builder.stack(None, frame)
        });
        self.sites.entry(stack).or_default()
    }

    fn finish(mut self, python: &Path) -> Allocations {
        let note = format!(
            "read by memray {} of {}",
            sanitise(&self.version),
            sanitise(&python.to_string_lossy())
        );
        self.builder.about().notes.push(note);
        let sites = self.sites.into_iter();
        let sites = sites
            .map(|(stack, figures)| Site { stack, figures })
            .collect();
        let known = Known {
            leaked: true,
            peak: true,
            ..Known::default()
        };
        Allocations::new(Tool::Memray, self.builder, sites, known)
    }
}
